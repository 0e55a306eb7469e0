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

namespace fs = std::filesystem;
using nlohmann::json;

std::string findKinfo(const std::string &Configured) {
  if (!Configured.empty())
    return Configured;
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

namespace {

// Identifies a program among those with the same name.
std::string identity(const std::string &Program) {
  std::error_code Failed;
  const auto Size = fs::file_size(Program, Failed);
  const auto Time = fs::last_write_time(Program, Failed).time_since_epoch().count();
  return Program + " " + std::to_string(Size) + " " + std::to_string(Time);
}

} // namespace

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

namespace {

Layouts parseStructures(const json &All) {
  Layouts Out;
  for (const json &S : All) {
    StructureLayout &To = Out.emplace_back();
    To.Name = S.at("name");
    To.File = S.at("file");
    To.Line = S.at("line");
    To.Union = S.at("union");
    To.Bytes = S.at("bytes");
    for (const json &M : S.at("members")) {
      LayoutMember &Is = To.Members.emplace_back();
      Is.Name = M.at("name");
      Is.Type = M.at("type");
      Is.Offset = M.at("offset");
      Is.Bytes = M.at("bytes");
      for (const json &N : M.value("array", json::array()))
        Is.Count *= N.get<size_t>();
      if (const size_t Index = M.value("structure", All.size()); Index < All.size())
        Is.Structure = Index;
      if (!Is.Count || Is.Bytes % Is.Count)
        Is.Bytes = 0; // An array without elements.
    }
  }
  return Out;
}

} // namespace

std::vector<KernelInfoJson> parseReport(const std::string &Text) {
  std::vector<KernelInfoJson> Out;
  const json Root = json::parse(Text);
  for (const json &File : Root.at("files"))
    for (const json &K : File.at("kernels")) {
      KernelInfoJson I;
      I.Name = K.at("name");
      I.File = K.value("file", "");
      I.Line = K.value("line", 0u);
      I.Structures = parseStructures(K.value("structures", json::array()));
      for (const json &A : K.at("arguments")) {
        KernelArgInfo &To = I.Args.emplace_back();
        To.Name = A.value("name", "");
        To.Kind = A.value("kind", "");
        To.Space = A.value("addressSpace", "");
        To.Element = A.value("element", "");
        To.Role = A.value("role", "");
        To.Elements = A.value("elements", "");
        To.ElementBytes = A.value("elementBytes", size_t(0));
        if (const size_t Index = A.value("structure", I.Structures.size()); Index < I.Structures.size())
          To.Structure = Index;
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
      if (K.contains("holdsWhere")) // Otherwise integers may wrap around.
        I.Where = K.at("holdsWhere").get<std::vector<std::string>>();
      Out.push_back(std::move(I));
    }
  return Out;
}

std::string describeKernel(const KernelInfoJson &Info, const Program &P) {
  std::string File = P.File;
  if (!Info.File.empty() && Info.File != P.Path) {
    // Beside the source it is named as the source is.
    const fs::path Near = fs::path(Info.File).lexically_relative(fs::path(P.Path).parent_path());
    File = Near.empty() || *Near.begin() == ".." ? Info.File : (fs::path(P.File).parent_path() / Near).string();
  }
  return "kernel " + quote(Info.Name) + " (" + File + ":" + std::to_string(Info.Line) + ")";
}

std::string articled(const std::string &Kind) { return (Kind == "image" ? "an " : "a ") + Kind; }

namespace {

// The cache of earlier results.
rt::DiskCache &answers() {
  static rt::DiskCache Kept = rt::DiskCache::ofUser("kernels", uint64_t(32) << 20);
  return Kept;
}

} // namespace

KinfoReport askKinfo(const Graph &G, const std::string &Path) {
  KinfoReport Out;
  Out.Of.resize(G.Programs.size());
  const std::string Program = findKinfo(Path);
  if (Program.empty())
    return Out;
  Out.Available = true;
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
    const bool Includes = P.Text->Text.find("include") != std::string::npos; // Any spelling of it counts.
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
      if (Done.Code == -1 && Path.empty()) {
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

bool checkRoles(Document &D, const Graph &G, KinfoReport &Report) {
  bool Changed = false;
  for (size_t I = 0; I < D.Kernels.size(); ++I) {
    KernelDoc &Doc = D.Kernels[I];
    const KernelInfoJson *Info = Report.Available ? Report.Of[G.Kernels[I].Program] : nullptr;
    if (!Info)
      continue;
    const std::string Kernel = describeKernel(*Info, G.Programs[G.Kernels[I].Program]);
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
        Arg.At.fail(Name + " of " + Kernel + " is " + articled(Is.Kind) + ", which cannot be given here");
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
      if (Arg.R == ArgDoc::Value || Arg.R == ArgDoc::Local)
        continue;
      const bool Writes = Is.Role == "out" || Is.Role == "inout";
      if (Arg.R == ArgDoc::In && Writes)
        Arg.At.fail(Name + " is an input here, but " + Kernel + " writes it");
      if (Arg.R == ArgDoc::Out && Is.Role == "in")
        Arg.At.fail(Name + " is an output here, but " + Kernel + " only reads it");
      if (Arg.Break && !Is.Splits && G.Kernels[I].Launches.size() > 1)
        Report.Notes.push_back(Arg.At.describe() + ": " + Name +
                               " is split with the range, but it is not proved that " + Kernel +
                               " touches only a part's share of it");
      if (Arg.R == ArgDoc::Out && Is.Role == "inout" && Is.Reads) {
        Arg.R = ArgDoc::Io;
        Changed = true;
        Report.Notes.push_back(Arg.At.describe() + ": " + Name + " is an output here, but " + Kernel +
                               " reads its old value: it is taken as 'io'");
      }
    }
  }
  return Changed;
}

Graph resolveChecked(Document &D, const ResolveOptions &Options, bool Ask, const std::string &Program,
                     std::vector<std::string> &Notes) {
  Graph G = resolve(D, Options);
  KinfoReport Report = Ask ? askKinfo(G, Program) : KinfoReport();
  bool Changed = checkRoles(D, G, Report);
  checkTypes(D, G, Report);
  Changed |= keepContents(D, G, Report);
  checkExtents(D, G, Report);
  if (Changed)
    G = resolve(D, Options);
  Notes.insert(Notes.end(), Report.Notes.begin(), Report.Notes.end());
  return G;
}

} // namespace hsched::dag
