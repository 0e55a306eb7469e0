// Resolution of names: kernels, programs, edges, order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Resolve.h"
#include "dag/Fields.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <queue>
#include <set>
#include <sstream>
#include <unistd.h>

namespace hsched::dag {

namespace fs = std::filesystem;

std::string confined(const Text &Named, const std::string &Folder, bool Allow) {
  if (Named.S.find('\0') != std::string::npos)
    Named.At.fail("a file's name has a NUL character");
  const fs::path Given(Named.S);
  const fs::path Joined = Given.is_absolute() ? Given : fs::path(Folder.empty() ? "." : Folder) / Given;
  if (Allow)
    return Joined.string();
  std::error_code Failed;
  const fs::path Whole = fs::weakly_canonical(Joined, Failed);
  const fs::path Root = Failed ? fs::path() : fs::canonical(Folder.empty() ? "." : Folder, Failed);
  if (Failed)
    Named.At.fail("file " + quote(Named.S) + " cannot be found: " + Failed.message());
  auto [InRoot, Rest] = std::mismatch(Root.begin(), Root.end(), Whole.begin(), Whole.end());
  if (InRoot != Root.end() && !InRoot->empty())
    Named.At.fail("file " + quote(Named.S) + " is outside of the file's folder; --allow-path lets it be used");
  return Whole.string();
}

Resolver::Resolver(const Document &D, const ResolveOptions &Options)
    : D(D), Options(Options), Symbols(D, Options), MostBytes(Options.MostBytes) {
  if (!MostBytes)
    MostBytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE)) / 2;
}

Graph Resolver::run() {
  G.Path = D.Path;
  G.Notes = D.Notes;
  G.Symbols = Symbols.known();
  nameKernels();
  findPrograms();
  linkEdges();
  linkBuffers();
  orderKernels();
  makeData();
  makeLaunches();
  makeComponents();
  rank();
  results();
  placeOutputs();
  for (const auto &[Device, N] : D.Queues) {
    if (Device != "all" && Device != "cpu" && Device != "gpu" && Device != "accelerator" &&
        Device.find_first_not_of("0123456789") != std::string::npos)
      N.At.fail(quote(Device) + " is not a device: write all, cpu, gpu, accelerator or a device's number");
    G.Queues[Device] = static_cast<unsigned>(Symbols.integer(N, 1, 32, "a device's number of queues"));
  }
  for (const std::string &Name : Symbols.unused())
    G.Notes.push_back("-D " + Name + ": nothing in the file uses this symbol");
  return std::move(G);
}

void Resolver::nameKernels() {
  if (D.Kernels.empty())
    throw Error(D.Path + ": there is no kernel in it");
  G.Kernels.resize(D.Kernels.size());
  for (uint32_t I = 0; I < D.Kernels.size(); ++I) {
    const KernelDoc &Doc = D.Kernels[I];
    if (!ByName.emplace(Doc.Id.S, I).second)
      Doc.Id.At.fail("two kernels have the id " + quote(Doc.Id.S));
    Kernel &K = G.Kernels[I];
    K.Id = Doc.Id.S;
    K.At = Doc.At;
    K.Doc = &Doc;
    K.ArgDatum.assign(Doc.Args.size(), None);
  }
  for (const auto &[Name, Doc] : D.Buffers)
    BufferByName.emplace(Name.S, static_cast<uint32_t>(BufferByName.size()));
}

namespace {

// Names in #include lines, also in those that a condition leaves out. A name that a macro has is empty here.
std::vector<std::string> included(std::string_view Text) {
  std::vector<std::string> Names;
  constexpr std::string_view Word = "include", Blank = " \t";
  for (size_t At = 0; (At = Text.find('#', At)) != Text.npos;) {
    At = std::min(Text.find_first_not_of(Blank, At + 1), Text.size());
    if (Text.substr(At, Word.size()) != Word)
      continue;
    At = std::min(Text.find_first_not_of(Blank, At + Word.size()), Text.size());
    if (At == Text.size() || (Text[At] != '"' && Text[At] != '<')) {
      Names.emplace_back();
      continue;
    }
    const size_t End = Text.find_first_of(Text[At] == '"' ? "\"\n" : ">\n", At + 1);
    if (End == Text.npos || Text[End] == '\n')
      continue;
    Names.emplace_back(Text.substr(At + 1, End - At - 1));
    At = End;
  }
  return Names;
}

// The option for a folder of headers. Drivers split options at blanks, so a folder whose name has one is named from the
// folder in which the program runs.
std::string headersIn(const std::string &Folder, const Place &At) {
  auto HasBlank = [](const std::string &S) { return S.find_first_of(" \t\n\v\f\r") != std::string::npos; };
  std::string Out = Folder;
  if (std::error_code Failed; HasBlank(Out))
    if (Out = fs::proximate(Folder, Failed).string(); Failed || HasBlank(Out))
      At.fail("headers are looked for in folder " + quote(Folder) +
              ", whose name has a blank: OpenCL's compilers cannot be given it; run hsched-run in that folder");
  return "-I" + Out;
}

} // namespace

std::string Resolver::buildOptions(const KernelDoc &K, const std::string &Path, const Source &Text) {
  std::string Out;
  std::istringstream Words(K.Options.S);
  for (std::string Word; Words >> Word;) {
    // Other options of a driver may name files.
    const bool Known = Word.rfind("-cl-", 0) == 0 || Word == "-w" || Word == "-Werror";
    const bool Define = Word.rfind("-D", 0) == 0, Folder = Word.rfind("-I", 0) == 0;
    if (!Known && !Define && !Folder)
      K.Options.At.fail("option " + quote(Word) + " is not taken: write only -D, -I, -w, -Werror and -cl-...");
    if ((Define || Folder) && Word.size() == 2)
      K.Options.At.fail("option '" + Word + "' stands apart from what belongs to it");
    if (Folder)
      Word = headersIn(path({Word.substr(2), K.Options.At}), K.Options.At);
    Out += (Out.empty() ? "" : " ") + Word;
  }
  for (const auto &[Name, Value] : K.Macros) {
    if (Name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != Name.npos)
      Value.At.fail(quote(Name) + " is not a name that a macro can have");
    Out += (Out.empty() ? "" : " ") + std::string("-D") + Name + "=" + Symbols.macro(Value);
  }
  if (!included(Text.Text).empty())
    Out += (Out.empty() ? "" : " ") + headersIn(fs::path(Path).parent_path().string(), K.Src.At);
  return Out;
}

void Resolver::findPrograms() {
  std::unordered_map<std::string, std::pair<std::string, SourceRef>> Files;
  std::unordered_map<std::string, uint32_t> Known;
  std::unordered_map<uint32_t, size_t> Arguments; // By program.
  for (uint32_t I = 0; I < D.Kernels.size(); ++I) {
    const KernelDoc &Doc = D.Kernels[I];
    if (!isName(Doc.Name.S))
      Doc.Name.At.fail(quote(Doc.Name.S) + " is not a name that a kernel can have");
    auto File = Files.find(Doc.Src.S);
    if (File == Files.end()) {
      const std::string Path = path(Doc.Src);
      File = Files.emplace(Doc.Src.S, std::pair(Path, readSource(Path, 64u << 20, &Doc.Src.At))).first;
    }
    const auto &[Path, Text] = File->second;
    Symbols.add(Doc.Symbols);
    std::string Flags = buildOptions(Doc, Path, *Text);
    Symbols.leave();
    auto [At, New] = Known.emplace(Doc.Src.S + '\n' + Doc.Name.S + '\n' + Flags, G.Programs.size());
    if (New)
      G.Programs.push_back({Doc.Src.S, Path, Doc.Name.S, std::move(Flags), Text, Doc.At});
    G.Kernels[I].Program = At->second;
    const size_t First = Arguments.emplace(At->second, Doc.Args.size()).first->second;
    if (First != Doc.Args.size())
      Doc.At.fail("it has " + std::to_string(Doc.Args.size()) +
                  " arguments, but an earlier kernel of the same function has " + std::to_string(First));
  }
}

uint32_t Resolver::kernelOf(const Text &Id) const {
  auto At = ByName.find(Id.S);
  if (At == ByName.end())
    Id.At.fail("there is no kernel " + quote(Id.S));
  return At->second;
}

Resolver::Ref Resolver::refOf(const Text &Id, const Text &Pos) const {
  const uint32_t K = kernelOf(Id);
  const size_t N = D.Kernels[K].Args.size();
  if (!N)
    Pos.At.fail("kernel " + quote(Id.S) + " has no arguments");
  const int64_t At = Symbols.integer(Pos);
  if (At < 0 || static_cast<uint64_t>(At) >= N)
    Pos.At.fail("kernel " + quote(Id.S) + " has no argument " + std::to_string(At) + ": it has " + std::to_string(N));
  return {K, static_cast<uint32_t>(At)};
}

// Records one dependence between two kernels.
void Resolver::precede(uint32_t First, uint32_t Then, bool ByData) {
  std::vector<uint32_t> &Before = G.Kernels[Then].Before;
  if (std::find(Before.begin(), Before.end(), First) == Before.end()) {
    Before.push_back(First);
    G.Kernels[First].Behind.push_back(Then);
    if (!ByData)
      G.Kernels[Then].After.push_back(First);
  }
}

void Resolver::linkEdges() {
  From.resize(D.Kernels.size());
  Edges.resize(D.Kernels.size());
  for (uint32_t I = 0; I < D.Kernels.size(); ++I) {
    From[I].resize(D.Kernels[I].Args.size());
    Edges[I].resize(D.Kernels[I].Args.size());
  }
  auto Describe = [](const Text &Id, Ref R) {
    return "argument " + std::to_string(R.Arg) + " of kernel " + quote(Id.S);
  };
  for (const EdgeDoc &E : D.Edges) {
    const Ref Out = refOf(E.From, E.FromPos), In = refOf(E.To, E.ToPos);
    const ArgDoc &Source = argOf(Out), &Target = argOf(In);
    if (Source.R != ArgDoc::Out && Source.R != ArgDoc::Io)
      E.At.fail("an edge begins at an output, and " + Describe(E.From, Out) + " is not one");
    if (Target.R != ArgDoc::In && Target.R != ArgDoc::Io)
      E.At.fail("an edge ends at an input, and " + Describe(E.To, In) + " is not one");
    for (const ArgDoc *A : {&Source, &Target})
      if (!A->Buffer.empty())
        E.At.fail("buffer " + quote(A->Buffer.S) +
                  " is named, so the order of its kernels is that of the file; edges are "
                  "between buffers without a name");
    if (From[In.Kernel][In.Arg].Kernel != None)
      E.At.fail("a second edge ends at " + Describe(E.To, In));
    if (Target.Own.Init.K != InitDoc::None)
      E.At.fail("the edge ends at " + Describe(E.To, In) + ", which says itself what it begins as");
    if (In.Kernel == Out.Kernel)
      E.At.fail("the edge leads from kernel " + quote(E.From.S) + " to itself");
    From[In.Kernel][In.Arg] = Out;
    Edges[Out.Kernel][Out.Arg].push_back(In);
    precede(Out.Kernel, In.Kernel, true);
  }
  for (uint32_t I = 0; I < D.Kernels.size(); ++I)
    for (const Text &Id : D.Kernels[I].After) {
      const uint32_t First = kernelOf(Id);
      if (First == I)
        Id.At.fail("kernel " + quote(Id.S) + " cannot come after itself");
      precede(First, I, false);
    }
}

// Kernels with a common buffer are ordered as in the file if one of the two writes it.
void Resolver::linkBuffers() {
  struct State {
    uint32_t Writer = None;
    std::vector<uint32_t> Readers;
  };
  std::vector<State> States(D.Buffers.size());
  for (uint32_t I = 0; I < D.Kernels.size(); ++I) {
    std::map<uint32_t, bool> Named; // True if it is written.
    for (const ArgDoc &A : D.Kernels[I].Args)
      if (!A.Buffer.empty()) {
        auto At = BufferByName.find(A.Buffer.S);
        if (At == BufferByName.end())
          A.Buffer.At.fail("there is no buffer " + quote(A.Buffer.S));
        Named[At->second] |= A.R != ArgDoc::In;
      }
    for (auto [B, Written] : Named) {
      State &S = States[B];
      if (S.Writer != None && (!Written || S.Readers.empty()))
        precede(S.Writer, I, true);
      if (!Written) {
        S.Readers.push_back(I);
        continue;
      }
      for (uint32_t R : S.Readers)
        precede(R, I, true);
      S.Writer = I;
      S.Readers.clear();
    }
  }
}

void Resolver::reportCycle(const std::vector<uint32_t> &Left) const {
  // Walks back from any remaining kernel over remaining ones: some kernel is reached twice, which is the cycle.
  std::set<uint32_t> Open(Left.begin(), Left.end());
  std::vector<uint32_t> Way = {Left.front()};
  std::map<uint32_t, size_t> Seen = {{Left.front(), 0}};
  for (;;) {
    const std::vector<uint32_t> &Before = G.Kernels[Way.back()].Before;
    const uint32_t Next = *std::find_if(Before.begin(), Before.end(), [&](uint32_t B) { return Open.count(B); });
    auto [At, New] = Seen.emplace(Next, Way.size());
    Way.push_back(Next);
    if (!New) {
      Way.erase(Way.begin(), Way.begin() + static_cast<long>(At->second));
      break;
    }
  }
  std::reverse(Way.begin(), Way.end());
  std::string Names;
  for (size_t I = 0; I < Way.size(); ++I)
    if (I < 8 || I + 1 == Way.size())
      Names += (I ? " -> " : "") + quote(G.Kernels[Way[I]].Id);
    else if (I == 8)
      Names += " -> ...";
  G.Kernels[Way.front()].Doc->Id.At.fail("kernels wait for each other in a circle: " + Names);
}

void Resolver::orderKernels() {
  std::vector<uint32_t> Waits(G.Kernels.size());
  // A topological order, as close to the file's as possible.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> Ready;
  for (uint32_t I = 0; I < G.Kernels.size(); ++I)
    if (!(Waits[I] = static_cast<uint32_t>(G.Kernels[I].Before.size())))
      Ready.push(I);
  while (!Ready.empty()) {
    const uint32_t K = Ready.top();
    Ready.pop();
    G.Order.push_back(K);
    for (uint32_t Next : G.Kernels[K].Behind)
      if (!--Waits[Next])
        Ready.push(Next);
  }
  if (G.Order.size() == G.Kernels.size())
    return;
  std::vector<uint32_t> Left;
  for (uint32_t I = 0; I < G.Kernels.size(); ++I)
    if (Waits[I])
      Left.push_back(I);
  reportCycle(Left);
}

void Resolver::rank() {
  for (auto At = G.Order.rbegin(); At != G.Order.rend(); ++At) {
    Kernel &K = G.Kernels[*At];
    for (uint32_t Next : K.Behind)
      K.Rank = std::max(K.Rank, G.Kernels[Next].Rank);
    K.Rank += K.Cost;
  }
}

namespace {

std::string whole(const std::string &Path) {
  std::error_code Failed;
  const fs::path Whole = fs::absolute(Path, Failed); // Else a path into a folder that is not there yet stays relative.
  if (Failed)
    return Path;
  const fs::path Found = fs::weakly_canonical(Whole, Failed);
  return Failed ? Path : Found.string();
}

// Adds the files that a program's source includes, and those that they include.
void addIncluded(const Program &P, std::set<std::string> &Found) {
  const fs::path Own = fs::path(P.Path).parent_path();
  std::vector<fs::path> Folders = {Own};
  std::istringstream Words(P.Options);
  for (std::string Word; Words >> Word;)
    if (Word.rfind("-I", 0) == 0)
      Folders.emplace_back(Word.substr(2));
  std::set<std::string> Seen;
  std::vector<std::pair<fs::path, SourceRef>> Left = {{Own, P.Text}};
  while (!Left.empty()) {
    const auto [Beside, Text] = std::move(Left.back());
    Left.pop_back();
    for (const std::string &Name : included(Text->Text)) {
      auto Look = [&](const fs::path &Folder) {
        const std::string Path = whole((Folder / Name).string());
        std::error_code Failed;
        if (!fs::is_regular_file(Path, Failed) || !Seen.insert(Path).second)
          return;
        Found.insert(Path);
        try {
          Left.emplace_back(fs::path(Path).parent_path(), readSource(Path, 64u << 20));
        } catch (const Error &) { // A compiler says it.
        }
      };
      Look(Beside);
      for (const fs::path &Folder : Folders)
        Look(Folder);
    }
  }
}

} // namespace

void Resolver::placeOutputs() {
  auto IsPlaced = [&](const Datum &N) { return N.Output.empty() && N.Result && !Options.OutputFolder.empty(); };
  if (std::none_of(G.Data.begin(), G.Data.end(), [&](const Datum &N) { return !N.Output.empty() || IsPlaced(N); }))
    return;
  static constexpr char Another[] = "the file of another result";
  std::map<std::string, const char *> Taken;
  auto Read = [&](const std::string &Path, const char *What) {
    if (!Path.empty())
      Taken.emplace(whole(Path), What);
  };
  Read(G.Path, "the file of the graph");
  for (const Program &P : G.Programs)
    Read(P.Path, "the source of a kernel");
  std::set<std::string> Included;
  std::set<std::pair<const Source *, std::string>> Done; // Kernels of one source.
  for (const Program &P : G.Programs)
    if (P.Text->Text.find("include") != std::string::npos && Done.emplace(P.Text.get(), P.Options).second)
      addIncluded(P, Included);
  for (const std::string &Path : Included)
    Taken.emplace(Path, "included by the source of a kernel");
  for (const Datum &N : G.Data) // A file with initial data may be updated.
    Read(N.ExpectFile, "a file with expected results");
  auto Take = [&](const Datum &N) {
    if (auto [At, New] = Taken.emplace(whole(N.Output), Another); !New)
      N.OutputAt.fail("the result " + quote(N.Name) + " cannot be written to " + quote(N.Output) + ", which is " +
                      At->second);
  };
  std::vector<std::pair<Datum *, std::string>> Made;
  for (Datum &N : G.Data)
    if (!N.Output.empty()) {
      Take(N);
    } else if (IsPlaced(N)) {
      std::string File = N.Name;
      std::replace_if(
          File.begin(), File.end(),
          [](unsigned char C) { return !std::isalnum(C) && C != '.' && C != '-' && C != '_'; }, '_');
      Made.emplace_back(&N, std::move(File));
    }
  // First those that are called as their file is. Others get a number where another result has the file.
  std::stable_partition(Made.begin(), Made.end(), [](const auto &M) { return M.first->Name == M.second; });
  std::unordered_map<std::string, unsigned> Last;
  for (auto &[N, File] : Made) {
    N->OutputAt = N->At;
    const std::string Stem = Options.OutputFolder + "/" + File;
    N->Output = Stem + ".npy";
    for (;;) {
      const auto At = Taken.find(whole(N->Output));
      if (At == Taken.end() || At->second != Another)
        break;
      unsigned &Number = Last.try_emplace(Stem, 1).first->second;
      N->Output = Stem + "-" + std::to_string(++Number) + ".npy";
    }
    Take(*N);
  }
}

Graph resolve(const Document &D, const ResolveOptions &Options) { return Resolver(D, Options).run(); }

} // namespace hsched::dag
