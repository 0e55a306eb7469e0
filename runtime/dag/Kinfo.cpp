// Runs hsched-kinfo, and compares its results with a file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Kinfo.h"
#include "base/DiskCache.h"
#include "dag/ElementType.h"
#include "dag/Expression.h"
#include "dag/Fields.h"
#include "dag/Process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>

namespace hsched::dag {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Path of hsched-kinfo; empty: not found.
std::string findKinfo(const std::string &Given) {
  if (!Given.empty())
    return Given;
  std::error_code Failed;
  if (const fs::path Self = fs::read_symlink("/proc/self/exe", Failed); !Failed) {
    const std::string Beside = (Self.parent_path() / "hsched-kinfo").string();
    if (access(Beside.c_str(), X_OK) == 0)
      return Beside;
  }
  const char *Path = std::getenv("PATH");
  std::istringstream Folders(Path ? Path : "");
  for (std::string F; std::getline(Folders, F, ':');)
    if (!F.empty() && access((F + "/hsched-kinfo").c_str(), X_OK) == 0)
      return F + "/hsched-kinfo";
  return "";
}

// Identifies a program among those with the same name.
std::string identity(const std::string &Program) {
  std::error_code Failed;
  const auto Size = fs::file_size(Program, Failed);
  const auto Time = fs::last_write_time(Program, Failed).time_since_epoch().count();
  return Program + " " + std::to_string(Size) + " " + std::to_string(Time);
}

// The first line of its error output.
std::string firstError(const std::string &Text) {
  std::istringstream Lines(Text);
  std::string First, Error;
  for (std::string Line; std::getline(Lines, Line);) {
    if (First.empty())
      First = Line;
    if (Error.empty() && Line.find("error:") != std::string::npos)
      Error = Line;
  }
  return Error.empty() ? First : Error;
}

std::vector<KernelInfoJson> parseReport(const std::string &Text) {
  std::vector<KernelInfoJson> Out;
  const json Root = json::parse(Text);
  for (const json &File : Root.at("files"))
    for (const json &K : File.at("kernels")) {
      KernelInfoJson I;
      I.Name = K.at("name");
      I.File = K.value("file", "");
      I.Line = K.value("line", 0u);
      for (const json &A : K.at("arguments")) {
        KernelArgInfo &To = I.Args.emplace_back();
        To.Name = A.value("name", "");
        To.Kind = A.value("kind", "");
        To.Space = A.value("addressSpace", "");
        To.Element = A.value("element", "");
        To.Role = A.value("role", "");
        To.Elements = A.value("elements", "");
        To.ElementBytes = A.value("elementBytes", size_t(0));
        To.Reads = A.value("reads", true);
        To.Splits = A.value("splits", false);
        To.Conditional = A.contains("onlyWhere");
      }
      for (const json &A : K.value("ioBuffers", json::array()))
        if (const size_t Pos = A.value("pos", I.Args.size()); Pos < I.Args.size() && I.Args[Pos].Role == "out")
          I.Args[Pos].Partly = true;
      const unsigned Dims = K.value("workDimension", 1u);
      std::string Sizes = K.value("globalWorkSize", "[]");
      Sizes = Sizes.size() > 2 ? Sizes.substr(1, Sizes.size() - 2) : "";
      int Depth = 0;
      std::string Item;
      for (char C : Sizes + ",") {
        Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
        if (C == ',' && Depth == 0) {
          if (I.Global.size() < Dims)
            I.Global.push_back(Item);
          Item.clear();
        } else {
          Item += C;
        }
      }
      I.MayBeLarger = K.value("mayBeLarger", false);
      I.Where = K.value("holdsWhere", I.Where);
      Out.push_back(std::move(I));
    }
  return Out;
}

std::string withArticle(const std::string &Kind) { return (Kind == "image" ? "an " : "a ") + Kind; }

// The cache of earlier results.
rt::DiskCache &answers() {
  static rt::DiskCache Kept = rt::DiskCache::ofUser("kernels", uint64_t(32) << 20);
  return Kept;
}

} // namespace

KinfoReport askKinfo(const Graph &G, const std::string &Given) {
  KinfoReport Out;
  Out.Of.resize(G.Programs.size());
  const std::string Program = findKinfo(Given);
  if (Program.empty())
    return Out;
  Out.Asked = true;
  std::map<std::pair<std::string, std::string>, size_t> Known; // By file and options.
  std::vector<std::pair<size_t, size_t>> Wanted;               // Program and result.
  for (size_t I = 0; I < G.Programs.size(); ++I) {
    const dag::Program &P = G.Programs[I];
    if (P.Path.empty())
      continue; // A copy that the runner inserted.
    auto [At, New] = Known.emplace(std::pair(P.Path, P.Options), Out.All.size());
    Wanted.push_back({I, At->second});
    if (!New)
      continue;
    const bool Includes = P.Text->Text.find("#include") != std::string::npos;
    const std::string Key = rt::cacheKey({"kinfo 2", identity(Program), P.Path, P.Options, P.Text->Text});
    std::optional<std::string> Kept = Includes ? std::nullopt : answers().load(Key);
    if (!Kept) {
      std::vector<std::string> Words = {Program, "--json", "-w"};
      std::istringstream Options(P.Options);
      for (std::string W; Options >> W;)
        if (W != "-w" && W != "-Werror")
          Words.push_back(W);
      Words.push_back(P.Path);
      Finished Done = runProcess(Words);
      if (Done.Code == -1 && Given.empty()) {
        Out.Notes.push_back("'" + Program + "' could not be run: what the kernels do is not checked");
        return Out;
      }
      if (Done.Code != 0)
        P.At.fail("file " + quote(P.File) +
                  (Done.Code == 1 ? " does not compile: " : " could not be read by hsched-kinfo: ") +
                  firstError(Done.Err));
      Kept = std::move(Done.Out);
      if (!Includes)
        answers().store(Key, *Kept);
    }
    try {
      Out.All.push_back(parseReport(*Kept));
    } catch (const json::exception &E) {
      throw Error("what '" + Program + "' says of file '" + P.Path + "' cannot be read: " + E.what());
    }
  }
  for (auto [I, Answer] : Wanted)
    for (const KernelInfoJson &K : Out.All[Answer])
      if (K.Name == G.Programs[I].Kernel)
        Out.Of[I] = &K;
  for (auto [I, Answer] : Wanted)
    if (!Out.Of[I]) {
      std::string Names;
      for (const KernelInfoJson &K : Out.All[Answer])
        Names += (Names.empty() ? "; there is " : ", ") + quote(K.Name);
      for (const Kernel &K : G.Kernels)
        if (K.Doc && K.Program == I)
          K.Doc->Name.At.fail("there is no kernel " + quote(G.Programs[I].Kernel) + " in file " +
                              quote(G.Programs[I].File) + Names);
    }
  return Out;
}

bool checkRoles(Document &D, const Graph &G, KinfoReport &Known) {
  bool Changed = false;
  for (size_t I = 0; I < D.Kernels.size(); ++I) {
    KernelDoc &Doc = D.Kernels[I];
    const KernelInfoJson *Info = Known.Asked ? Known.Of[G.Kernels[I].Program] : nullptr;
    if (!Info)
      continue;
    const std::string Where = " (" + G.Programs[G.Kernels[I].Program].File + ":" + std::to_string(Info->Line) + ")";
    const std::string Kernel = "kernel " + quote(Info->Name) + Where;
    if (Info->Args.size() != Doc.Args.size())
      Doc.At.fail(Kernel + " takes " + std::to_string(Info->Args.size()) + " arguments, not " +
                  std::to_string(Doc.Args.size()));
    for (size_t A = 0; A < Doc.Args.size(); ++A) {
      ArgDoc &Arg = Doc.Args[A];
      const KernelArgInfo &Is = Info->Args[A];
      const std::string Name = "argument " + std::to_string(A) + (Is.Name.empty() ? "" : ", " + quote(Is.Name) + ",");
      const bool Buffer = Is.Kind == "pointer" && Is.Space != "local",
                 Local = Is.Kind == "pointer" && Is.Space == "local";
      if (Is.Kind != "pointer" && Is.Kind != "value")
        Arg.At.fail(Name + " of " + Kernel + " is " + withArticle(Is.Kind) + ", which cannot be given here");
      const bool Fits = Arg.R == ArgDoc::Value ? Is.Kind == "value" : Arg.R == ArgDoc::Local ? Local : Buffer;
      if (!Fits)
        Arg.At.fail(Name + " of " + Kernel + " is " +
                    (Buffer  ? "a buffer"
                     : Local ? "local memory"
                             : "a value") +
                    ", not " +
                    (Arg.R == ArgDoc::Value   ? "a value"
                     : Arg.R == ArgDoc::Local ? "local memory"
                                              : "a buffer"));
      if (Arg.R == ArgDoc::Value) {
        const std::optional<ElementType> T = elementType(Arg.Type.S);
        if (T && Is.ElementBytes && T->bytes() != Is.ElementBytes)
          Arg.Type.At.fail(Name + " of " + Kernel + " is of type " + quote(Is.Element) + ", not " + quote(Arg.Type.S));
        continue;
      }
      if (Arg.R == ArgDoc::Local)
        continue;
      const bool Writes = Is.Role == "out" || Is.Role == "inout";
      if (Arg.R == ArgDoc::In && Writes)
        Arg.At.fail(Name + " is an input here, but " + Kernel + " writes it");
      if (Arg.R == ArgDoc::Out && Is.Role == "in")
        Arg.At.fail(Name + " is an output here, but " + Kernel + " only reads it");
      if (Arg.Break && !Is.Splits && G.Kernels[I].Launches.size() > 1)
        Known.Notes.push_back(Arg.At.describe() + ": " + Name + " is split with the range, but it is not proved that " +
                              Kernel + " touches only a part's share of it");
      if (Arg.R == ArgDoc::Out && Is.Role == "inout" && Is.Reads) {
        Arg.R = ArgDoc::Io;
        Changed = true;
        Known.Notes.push_back(Arg.At.describe() + ": " + Name + " is an output here, but " + Kernel +
                              " reads its old value: it is taken as 'io'");
      }
    }
  }
  return Changed;
}

Graph resolveChecked(Document &D, const ResolveOptions &Options, bool Ask, const std::string &Program,
                     std::vector<std::string> &Notes) {
  Graph G = resolve(D, Options);
  KinfoReport Known = Ask ? askKinfo(G, Program) : KinfoReport();
  bool Changed = checkRoles(D, G, Known);
  Changed |= keepContents(D, G, Known);
  checkExtents(D, G, Known);
  if (Changed)
    G = resolve(D, Options);
  Notes.insert(Notes.end(), Known.Notes.begin(), Known.Notes.end());
  return G;
}

// Words of expressions, such as 'and', are names in C.
static bool isSymbol(const std::string &Name) {
  try {
    (void)Expression::parse(Name, false);
    return true;
  } catch (const ExpressionError &) {
    return false;
  }
}

std::string skeleton(const std::vector<std::string> &Files, const std::vector<std::string> &Build,
                     const std::string &Given) {
  const std::string Program = findKinfo(Given);
  if (Program.empty())
    throw Error("hsched-kinfo is neither beside this program nor in PATH");
  Document D;
  std::set<std::string> Ids, Guidance;
  std::set<std::string> Small; // Symbols of arguments of one byte.
  // Translates kinfo's C expression over the kernel's arguments to a guidance expression. Symbol if that is impossible.
  auto Ours = [&](std::string Text, const std::string &Symbol) {
    for (unsigned Dim = 0; Dim < 3; ++Dim) {
      const std::string Call = "get_global_size(" + std::to_string(Dim) + ")";
      for (size_t At; (At = Text.find(Call)) != std::string::npos;)
        Text.replace(At, Call.size(), "global_" + std::to_string(Dim));
    }
    try {
      const Expression E = Expression::parse(Text, true);
      for (const std::string &S : E.symbols())
        Guidance.insert(S);
      for (size_t At = Text.find('/'); At != std::string::npos; At = Text.find('/', At + 2))
        Text.insert(At, "/");
      return dag::Text{Text, {}};
    } catch (const ExpressionError &) {
      Guidance.insert(Symbol);
      return dag::Text{Symbol, {}};
    }
  };
  for (const std::string &File : Files) {
    std::vector<std::string> Words = {Program, "--json", "-w"};
    Words.insert(Words.end(), Build.begin(), Build.end());
    Words.push_back(File);
    Finished Done = runProcess(Words);
    if (Done.Code != 0)
      throw Error("file '" + File +
                  "': " + (Done.Code == -1 ? "'" + Program + "' cannot be run" : firstError(Done.Err)));
    std::vector<KernelInfoJson> Found;
    try {
      Found = parseReport(Done.Out);
    } catch (const json::exception &E) {
      throw Error("what '" + Program + "' says of file '" + File + "' cannot be read: " + E.what());
    }
    for (const KernelInfoJson &I : Found) {
      KernelDoc K;
      K.Id.S = I.Name;
      for (unsigned N = 2; !Ids.insert(K.Id.S).second; ++N)
        K.Id.S = I.Name + "_" + std::to_string(N);
      K.Name.S = I.Name;
      K.Src.S = File;
      for (const std::string &B : Build)
        K.Options.S += (K.Options.S.empty() ? "" : " ") + B;
      for (size_t Dim = 0; Dim < I.Global.size(); ++Dim)
        K.Global.push_back(Ours(I.Global[Dim], "global_" + std::to_string(Dim)));
      for (size_t A = 0; A < I.Args.size(); ++A) {
        const KernelArgInfo &Is = I.Args[A];
        const std::string Name = Is.Name.empty() ? "arg" + std::to_string(A) : Is.Name;
        const bool Known = elementType(Is.Element).has_value();
        const dag::Text Type{Known ? Is.Element : "struct " + std::to_string(std::max<size_t>(Is.ElementBytes, 1)), {}};
        ArgDoc Arg;
        if (Is.Kind == "value") {
          if (!Known)
            throw Error("file '" + File + "': argument '" + Name + "' of kernel '" + I.Name + "' is a value of type '" +
                        Is.Element + "', which a file of kernels cannot give: structures are passed in buffers");
          Arg.Type = Type;
          const ElementType T = elementType(Is.Element).value_or(ElementType());
          const unsigned Lanes = T.K == ElementType::Raw ? 1 : T.Lanes;
          for (unsigned Lane = 0; Lane < Lanes; ++Lane) {
            std::string Symbol = Lanes > 1 ? Name + "_" + std::to_string(Lane) : Name;
            if (!isSymbol(Symbol))
              Symbol += "_";
            Arg.Values.push_back({Symbol, {}});
            Guidance.insert(Symbol);
            if (T.K != ElementType::Floating && T.ScalarBytes == 1)
              Small.insert(Symbol);
          }
        } else if (Is.Kind == "pointer") {
          Arg.R = Is.Space == "local"                      ? ArgDoc::Local
                  : Is.Role == "out" && !Is.Partly         ? ArgDoc::Out
                  : Is.Role == "out" || Is.Role == "inout" ? ArgDoc::Io
                                                           : ArgDoc::In;
          Arg.Own.Type = Type;
          Arg.Break = Is.Splits;
          if (Is.Role == "unused")
            Arg.Own.Size.S = "1";
          else
            Arg.Own.Size = Ours(Is.Elements, "size_" + Name);
        } else {
          throw Error("file '" + File + "': argument '" + Name + "' of kernel '" + I.Name + "' is " +
                      withArticle(Is.Kind) + ", which a file of kernels cannot give");
        }
        K.Args.push_back(std::move(Arg));
      }
      D.Kernels.push_back(std::move(K));
    }
  }
  if (D.Kernels.empty())
    throw Error("there is no kernel in " + std::string(Files.size() == 1 ? "file " + quote(Files[0]) : "these files"));
  for (const std::string &S : Guidance)
    D.Symbols.push_back({S, {Small.count(S) ? "1" : "1024", {}}});
  return writeHsched(D);
}

} // namespace hsched::dag
