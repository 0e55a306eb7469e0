// Option --from-record: writes the kernels of a recorded run as a file of kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record contains the arguments of each launch as bytes. Type names come from hsched-kinfo; without it values are
// integers of the same size and data are bytes, which computes the same result.
#include "run/Picture.h"
#include "run/Run.h"

#include "dag/ElementType.h"
#include "dag/Kinfo.h"
#include "trace/Record.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <unistd.h>

namespace hsched::run {
namespace {

namespace fs = std::filesystem;
using namespace rt;
using dag::Text;

constexpr size_t MostReasons = 20;

class Import {
public:
  Import(const std::string &File, const std::string &Folder) : File(File), Folder(Folder) {
    if (status Read = record::readRecord(File, R); !Read.ok())
      throw dag::Error(Read.message());
    if (!R.Whole)
      throw dag::Error(File + ": it has no data; HSCHED_RECORD writes records that have");
  }

  dag::Document make() {
    findCommands();
    check();
    std::error_code Failed;
    fs::create_directories(Folder, Failed);
    if (Failed)
      throw dag::Error("folder '" + Folder + "' cannot be made: " + Failed.message());
    writeSources();
    makeData();
    for (const record::Task *T : Launches)
      addKernel(*T);
    noteCommands();
    noteWaits();
    return std::move(D);
  }

  // Adds the OpenCL C names of types to the document of make().
  void useTypes(dag::Document &Of, const dag::Graph &G, const dag::KinfoReport &Known) const {
    std::vector<bool> Typed(R.Data.size());
    for (size_t K = 0; K < Of.Kernels.size(); ++K) {
      const dag::KernelInfoJson *Info = Known.Available ? Known.Of[G.Kernels[K].Program] : nullptr;
      const record::Launch &L = *Launches[K]->Launched;
      for (size_t A = 0; Info && A < L.Args.size() && A < Info->Args.size(); ++A) {
        dag::ArgDoc &Arg = Of.Kernels[K].Args[A];
        const dag::KernelArgInfo &Is = Info->Args[A];
        const std::optional<dag::ElementType> T = dag::elementType(Is.Element);
        if (Arg.R == dag::ArgDoc::Value) {
          if (T && T->bytes() == L.Args[A].ValueBytes.size())
            setValue(Arg, Is.Element, *T, L.Args[A].ValueBytes);
          else if (Is.Structure && Info->Structures[*Is.Structure].Bytes == L.Args[A].ValueBytes.size())
            setMembers(Arg, Info->Structures, *Is.Structure, L.Args[A].ValueBytes);
          continue;
        }
        if (Arg.R == dag::ArgDoc::Local)
          continue;
        if (Is.Role == "in" && Arg.R == dag::ArgDoc::Io)
          Arg.R = dag::ArgDoc::In; // The task's clause may claim more than its kernel accesses.
        const uint32_t N = L.Args[A].Datum;
        if (T && !Typed[N] && R.Data[N] % T->bytes() == 0) {
          Typed[N] = true;
          dag::BufferDoc &Its = Of.Buffers[*BufferOf[N]].second;
          Its.Type.S = Is.Element;
          Its.Size.S = std::to_string(R.Data[N] / T->bytes());
        }
      }
    }
  }

  // Writes a file that does not exist or has the same content. Throws Error.
  static void write(const fs::path &Path, const std::string &Content);

private:
  std::string nameOf(const record::Task &T) const {
    return "task " + std::to_string(T.Id) + ", '" + (T.Label.empty() ? T.Type : T.Label) + "'";
  }

  // A command of an OpenCL program that is no kernel. Their types have names that no function has.
  static bool isCommand(const record::Task &T) {
    static const std::set<std::string> Words = {"marker", "barrier", "migrate", "unmap", "command"};
    return !T.Launched && T.Version == "opencl" && (T.Type.find(' ') != std::string::npos || Words.count(T.Type));
  }

  // Transfers of an OpenCL program become nothing: what they write are data that kernels begin with, or the program's
  // memory. Launches gets the other tasks.
  void findCommands() {
    Used.resize(R.Data.size());
    std::vector<bool> Written(R.Data.size());
    for (const record::Task &T : R.Tasks)
      for (const record::Section &S : T.Sections)
        if (T.Launched)
          Used[S.Datum] = true;
    std::vector<bool> Accessed(R.Data.size()); // By a kernel before.
    for (const record::Task &T : R.Tasks) {
      bool Reads = false, Writes = false, Again = false;
      const bool Command = isCommand(T) && T.How == record::TaskOutcome::Done;
      for (const record::Section &S : T.Sections) {
        if (!Command) {
          Accessed[S.Datum] = true;
          Written[S.Datum] = Written[S.Datum] || S.Mode != "in";
        } else if (S.Mode == "in") {
          Reads |= Written[S.Datum];
        } else {
          Writes |= Used[S.Datum];
          Again |= Used[S.Datum] && Accessed[S.Datum];
        }
      }
      if (!Command)
        Launches.push_back(&T);
      else if (Again || (Reads && Writes))
        Between.insert(T.Id);
      else
        Left.insert(T.Id);
    }
  }

  // Why it cannot be written; empty: it can.
  std::string reason(const record::Task &T) const {
    if (Left.count(T.Id))
      return "";
    if (Between.count(T.Id))
      return "it writes data that kernels used before: a file of kernels has no such transfers";
    if (isCommand(T) && T.How == record::TaskOutcome::Done)
      return "";
    if (T.How != record::TaskOutcome::Done)
      return T.How == record::TaskOutcome::Unknown ? "its end is not recorded" : "it failed or was cancelled";
    if (!T.Launched && T.Version == "opencl" && R.Workers[T.Worker].isDevice())
      return "the record has not what its kernel was launched with; the program's log says why";
    if (!T.Launched)
      return R.Workers[T.Worker].isDevice()
                 ? "version '" + T.Version + "' is not a kernel: it enqueues its own work"
                 : "it ran on a CPU worker as '" + T.Version + "'; HSCHED_VERSIONS lets only its kernel run";
    for (const record::Section &S : T.Sections) {
      if (S.Rows > 1)
        return "it works on a tile, whose rows lie apart";
      if (S.Mode == "reduction")
        return "it takes part in a reduction, which has private copies";
    }
    for (size_t A = 0; A < T.Launched->Args.size(); ++A) {
      const record::Argument &Arg = T.Launched->Args[A];
      const std::string Name = "argument " + std::to_string(A) + " of its kernel ";
      if (Arg.K == record::Argument::Value && Arg.ValueBytes.empty())
        return Name + "has no bytes";
      if (Arg.K == record::Argument::Other)
        return Name + "is " + Arg.What + ", which a file of kernels cannot have";
      if (Arg.K != record::Argument::Buffer)
        continue;
      if (!Arg.Known)
        return Name + "points to no data of any task";
      if (Arg.From)
        return Name + "points " + std::to_string(Arg.From) +
               " bytes behind the beginning of its data, of which other " + "tasks have another part";
      if (std::ranges::none_of(T.Sections, [&](const record::Section &S) { return S.Datum == Arg.Datum; }))
        return Name + "points to data that the task does not name";
    }
    return "";
  }

  void check() const {
    if (Launches.empty())
      throw dag::Error(File + ": it has no tasks" + (R.Tasks.empty() ? "" : " that run a kernel"));
    std::string Why;
    size_t Count = 0;
    for (const record::Task &T : R.Tasks)
      if (const std::string Reason = reason(T); !Reason.empty() && ++Count <= MostReasons)
        Why += "\n  " + nameOf(T) + ": " + Reason;
    if (Count > MostReasons)
      Why += "\n  and " + std::to_string(Count - MostReasons) + " more";
    if (Count)
      throw dag::Error(File + ": " + std::to_string(Count) + " of " + std::to_string(R.Tasks.size()) +
                       " tasks cannot be written as kernels of a file:" + Why);
  }

  static std::string contentOf(const fs::path &Path) {
    std::ifstream In(Path, std::ios::binary);
    std::string Content(std::istreambuf_iterator<char>(In), {});
    if (!In)
      throw dag::Error("file '" + Path.string() + "' cannot be read");
    return Content;
  }

  // Kernels of one source share its file.
  void writeSources() {
    std::map<std::string, std::string> Written; // By content.
    std::set<std::string> Names;
    for (const record::Kernel &K : R.Kernels) {
      auto [At, New] = Written.try_emplace(K.Source);
      if (New) {
        const fs::path Asked = fs::path(K.File).filename();
        const std::string Stem = Asked.stem().empty() ? "kernel" : Asked.stem().string();
        std::string Name = Stem + ".cl";
        for (unsigned N = 2; !Names.insert(Name).second; ++N)
          Name = Stem + "-" + std::to_string(N) + ".cl";
        write(fs::path(Folder) / Name, K.Source);
        At->second = Name;
      }
      Sources.push_back(At->second);
    }
  }

  void makeData() {
    std::vector<bool> Written(R.Data.size()), Begins(R.Data.size());
    for (const record::Task *T : Launches)
      for (const record::Section &S : T->Sections) {
        if (!Written[S.Datum] && S.Mode != "out")
          Begins[S.Datum] = true;
        if (S.Mode != "in")
          Written[S.Datum] = true;
      }
    size_t Unknown = 0;
    BufferOf.resize(R.Data.size());
    for (size_t N = 0; N < R.Data.size(); ++N) {
      if (!Used[N])
        continue; // Memory of the program that only transfers use.
      dag::BufferDoc B;
      B.Type.S = "uchar";
      B.Size.S = std::to_string(R.Data[N]);
      const std::string Name = std::to_string(N) + ".raw";
      std::error_code Failed;
      if (const fs::path From = fs::path(R.Contents) / Name; !R.Contents.empty() && fs::exists(From, Failed)) {
        fs::create_directories(fs::path(Folder) / "data", Failed);
        write(fs::path(Folder) / "data" / Name, contentOf(From));
        B.Init.K = dag::InitDoc::Raw;
        B.Init.Value.S = "data/" + Name;
      } else if (Begins[N]) {
        ++Unknown;
        B.Init.K = dag::InitDoc::Random;
        B.Init.Value.S = std::to_string(N + 1);
      }
      if (Written[N])
        B.Output.S = "d" + std::to_string(N) + ".npy";
      BufferOf[N] = D.Buffers.size();
      D.Buffers.emplace_back(Text{"d" + std::to_string(N), {}}, std::move(B));
    }
    if (Unknown)
      D.Notes.push_back(std::to_string(Unknown) + " data begin as random numbers: HSCHED_RECORD_DATA keeps what they " +
                        "were");
  }

  static const char *wordFor(size_t Bytes) {
    switch (Bytes) {
    case 1:
      return "char";
    case 2:
      return "short";
    case 4:
      return "int";
    case 8:
      return "long";
    case 16:
      return "int4";
    case 32:
      return "int8";
    case 64:
      return "int16";
    default:
      return nullptr;
    }
  }

  // A scalar or one lane of a vector. Nothing: the file format has no type for it, but its bits can be written.
  static std::optional<std::string> scalarText(const dag::ElementType &T, const unsigned char *From) {
    if (T.K == dag::ElementType::Floating) {
      float F = 0;
      double Number = 0;
      if (T.ScalarBytes == 8)
        std::memcpy(&Number, From, 8);
      else if (T.ScalarBytes == 4)
        std::memcpy(&F, From, 4), Number = static_cast<double>(F);
      if (T.ScalarBytes < 4 || !std::isfinite(Number))
        return std::nullopt;
      char Digits[40];
      std::snprintf(Digits, sizeof(Digits), "%.*g", T.ScalarBytes == 8 ? 17 : 9, Number);
      return Digits;
    }
    if (T.K == dag::ElementType::Raw)
      return std::nullopt;
    int64_t Whole = 0;
    std::memcpy(&Whole, From, T.ScalarBytes);
    if (T.K == dag::ElementType::Signed && T.ScalarBytes < 8 && Whole >> (T.ScalarBytes * 8 - 1))
      Whole -= int64_t(1) << (T.ScalarBytes * 8);
    if (T.K == dag::ElementType::Unsigned && Whole < 0)
      return std::nullopt; // Above the maximum value of an expression.
    return std::to_string(Whole);
  }

  static void setValue(dag::ArgDoc &A, const std::string &Word, const dag::ElementType &T,
                       const std::vector<unsigned char> &ValueBytes) {
    std::vector<Text> Values;
    for (unsigned Lane = 0; Lane < T.Lanes; ++Lane) {
      std::optional<std::string> Value = scalarText(T, ValueBytes.data() + size_t(Lane) * T.ScalarBytes);
      if (!Value)
        return;
      Values.push_back({std::move(*Value), {}});
    }
    A.Type.S = Word;
    A.Values = std::move(Values);
    A.Members.clear();
  }

  // A structure whose members hsched-kinfo knows; else its bytes.
  static void setMembers(dag::ArgDoc &A, const dag::Layouts &All, size_t Structure,
                         const std::vector<unsigned char> &ValueBytes) {
    A.Type.S = "struct " + std::to_string(ValueBytes.size());
    A.Values.clear();
    A.Members.clear();
    if (auto Members = dag::membersOf(All, Structure, "", [&](const std::string &, dag::ElementType T, size_t At) {
          return scalarText(T, ValueBytes.data() + At);
        }))
      A.Members = std::move(*Members);
    else
      setBytes(A, ValueBytes);
  }

  // A structure: its members are not recorded.
  static void setBytes(dag::ArgDoc &A, const std::vector<unsigned char> &ValueBytes) {
    A.Type.S = "struct " + std::to_string(ValueBytes.size());
    dag::MemberDoc &Bytes = A.Members.emplace_back();
    Bytes.Type.S = "uchar";
    for (const unsigned char B : ValueBytes)
      Bytes.Values.push_back({std::to_string(B), {}});
  }

  static dag::ArgDoc::Role roleOf(const record::Task &T, uint32_t Datum, uint64_t Bytes) {
    bool Reads = false, Writes = false, Whole = false;
    for (const record::Section &S : T.Sections)
      if (S.Datum == Datum) {
        Reads |= S.Mode != "out";
        Writes |= S.Mode != "in";
        Whole |= S.Mode == "out" && S.Bytes == Bytes;
      }
    return !Writes ? dag::ArgDoc::In : Reads || !Whole ? dag::ArgDoc::Io : dag::ArgDoc::Out;
  }

  // Whether two accesses to the same data are ordered.
  static bool ordered(const record::Task &A, const record::Task &B) {
    for (const record::Argument &Of : A.Launched->Args)
      for (const record::Argument &To : B.Launched->Args)
        if (Of.K == record::Argument::Buffer && To.K == record::Argument::Buffer && Of.Datum == To.Datum)
          for (const record::Task *T : {&A, &B})
            for (const record::Section &S : T->Sections)
              if (S.Datum == Of.Datum && S.Mode != "in")
                return true;
    return false;
  }

  void addKernel(const record::Task &T) {
    const record::Launch &L = *T.Launched;
    dag::KernelDoc K;
    const std::string Name = T.Label.empty() ? T.Type : T.Label;
    K.Id.S = Ids[T.Id] = Name + "." + std::to_string(T.Id);
    K.Name.S = R.Kernels[L.Kernel].Name;
    K.Src.S = Sources[L.Kernel];
    K.Options.S = R.Kernels[L.Kernel].Options;
    for (size_t I = 0; I < L.Global.size(); ++I) {
      uint64_t Size = L.Global[I];
      if (!L.Local.empty() && L.Local[I]) { // The engine rounds it up.
        Size = (Size + L.Local[I] - 1) / L.Local[I] * L.Local[I];
        K.Local.push_back({std::to_string(L.Local[I]), {}});
      }
      K.Global.push_back({std::to_string(Size), {}});
    }
    if (T.Priority)
      K.Priority.S = std::to_string(T.Priority);
    if (T.Cost >= 0 && T.Cost < 9e18)
      K.Cost.S = std::to_string(std::llround(T.Cost));
    for (const record::Argument &From : L.Args) {
      dag::ArgDoc &A = K.Args.emplace_back();
      if (From.K == record::Argument::Value) {
        if (const char *Word = wordFor(From.ValueBytes.size()))
          setValue(A, Word, *dag::elementType(Word), From.ValueBytes);
        else
          setBytes(A, From.ValueBytes);
      } else if (From.K == record::Argument::Local) {
        A.R = dag::ArgDoc::Local;
        A.Own.Type.S = "uchar";
        A.Own.Size.S = std::to_string(From.Bytes);
      } else {
        A.R = roleOf(T, From.Datum, R.Data[From.Datum]);
        A.Buffer.S = "d" + std::to_string(From.Datum);
      }
    }
    if (!L.Offset.empty())
      for (const uint64_t First : L.Offset)
        K.Offset.push_back({std::to_string(First), {}});
    std::set<uint64_t> Visited;
    addAfter(T, T, Visited, K);
    D.Kernels.push_back(std::move(K));
  }

  // Kernels that ended before it, also before transfers that became nothing. Of: T, or such a transfer.
  void addAfter(const record::Task &T, const record::Task &Of, std::set<uint64_t> &Visited, dag::KernelDoc &K) {
    for (uint64_t Before : Of.After) {
      const record::Task *First = Visited.insert(Before).second ? R.find(Before) : nullptr;
      if (First && Left.count(Before))
        addAfter(T, *First, Visited, K);
      else if (First && !ordered(*First, T))
        K.After.push_back({Ids[Before], {}});
    }
  }

  void noteCommands() {
    if (!Left.empty())
      D.Notes.push_back(std::to_string(Left.size()) + (Left.size() == 1 ? " command that is" : " commands that are") +
                        " no kernel: the file begins with the data that they wrote, and results take the place of "
                        "what they read");
  }

  void noteWaits() {
    const size_t Between = static_cast<size_t>(std::ranges::count_if(
        R.Waits, [&](const record::Wait &W) { return !W.Within && W.Behind && W.Behind < R.Tasks.back().Id; }));
    if (Between)
      D.Notes.push_back("the program waited " + std::to_string(Between) + (Between == 1 ? " time" : " times") +
                        " between tasks: if it changed their data then, the file does not know it");
  }

  const std::string File, Folder;
  record::Record R;
  dag::Document D;
  std::vector<const record::Task *> Launches;  // In the order of their ids.
  std::set<uint64_t> Left, Between;            // Ids of transfers that become nothing, and that cannot be written.
  std::vector<bool> Used;                      // By datum: a kernel uses it.
  std::vector<std::optional<size_t>> BufferOf; // By datum: its index in the document.
  std::vector<std::string> Sources;            // By kernel.
  std::map<uint64_t, std::string> Ids;
};

// Existing files are kept: the folder may contain the program's own files or those of another record.
void Import::write(const fs::path &Path, const std::string &Content) {
  if (fs::exists(Path)) {
    if (!fs::is_regular_file(Path) || contentOf(Path) != Content)
      throw dag::Error("file '" + Path.string() + "' is there already, with other content: it is not overwritten");
    return;
  }
  std::ofstream Out(Path, std::ios::binary);
  Out << Content;
  if (!Out.flush())
    throw dag::Error("file '" + Path.string() + "' cannot be written");
}

} // namespace

std::vector<std::string> fromRecord(const std::string &File, const std::string &Folder, const Options &O) {
  Import From(File, Folder);
  dag::Document D = From.make();
  const fs::path Path = fs::path(Folder) / "dag.json";
  if (O.Check) {
    // hsched-kinfo reads a file, so a draft is written first. dag.json itself is written once, when types are known.
    struct Draft {
      ~Draft() {
        std::error_code Ignored;
        fs::remove(Name, Ignored);
      }
      const std::string Name;
    } const Untyped{(fs::path(Folder) / (".dag-" + std::to_string(getpid()) + ".json")).string()};
    writeFile(Untyped.Name, dag::writeHsched(D));
    const dag::Document Read = dag::load(Untyped.Name);
    dag::ResolveOptions Resolving;
    Resolving.MostBytes = O.Memory;
    const dag::Graph G = dag::resolve(Read, Resolving);
    From.useTypes(D, G, dag::askKinfo(G, O.Kinfo));
  }
  Import::write(Path, dag::writeHsched(D));
  return D.Notes;
}

} // namespace hsched::run
