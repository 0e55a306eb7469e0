// The published PySchedCL's formats: arrays of kernels, and dag.graph with one JSON file per kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"
#include "dag/Graph.h"
#include "dag/Specification.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace hsched::dag {
namespace {

void add(Document &D, Specification S, std::map<std::string, std::vector<Text>> &Tasks) {
  for (EdgeDoc &E : S.From) {
    E.To = S.Kernel.Id;
    D.Edges.push_back(std::move(E));
  }
  if (!S.Task.empty())
    Tasks[S.Task.S].push_back(S.Kernel.Id);
  D.Kernels.push_back(std::move(S.Kernel));
}

void finish(Document &D, const std::map<std::string, std::vector<Text>> &Tasks) {
  for (const auto &[Task, Ids] : Tasks)
    D.Components.push_back(Ids);
  beginAtRandom(D);
}

void noteRepeated(Document &D, const std::vector<Repetition> &Repeated) {
  for (const Repetition &R : Repeated)
    D.Notes.push_back(R.At.describe() + ": " + quote(R.Name) + " is there twice; the last one counts");
}

} // namespace

Document readTool(const Value &Root, const std::vector<Repetition> &Repeated) {
  Document D;
  noteRepeated(D, Repeated);
  D.Python2 = true;
  std::map<std::string, std::vector<Text>> Tasks;
  const bool Several = Root.is(Value::Array);
  const size_t N = Several ? Root.items().size() : 1;
  for (size_t I = 0; I < N; ++I) {
    Specification S = readSpecification(Several ? Root.items()[I] : Root, D.Notes);
    if (S.Kernel.Id.empty())
      S.Kernel.Id = {std::to_string(I), S.Kernel.At};
    add(D, std::move(S), Tasks);
  }
  finish(D, Tasks);
  return D;
}

Document readToolGraph(const Source &In, const std::string &Folder, const LoadOptions &Options) {
  Document D;
  D.Python2 = true;
  std::map<std::string, std::vector<Text>> Tasks;
  struct Spec {
    SourceRef In;
    Value Root;
  };
  std::map<std::string, Spec> Files;
  unsigned Section = 0, Number = 0; // Section: kernels, edges, nothing. Number of the line.
  for (size_t Begin = 0; Begin < In.Text.size();) {
    const size_t End = std::min(In.Text.find('\n', Begin), In.Text.size());
    const size_t First = In.Text.find_first_not_of(" \t\r", Begin);
    const std::string_view Line = First < End ? std::string_view(In.Text).substr(First, End - First) : "";
    Begin = End + 1;
    ++Number;
    auto Fail = [&](const std::string &Why) { throw Error(In.Path + ":" + std::to_string(Number) + ": " + Why); };
    if (Line.empty())
      continue;
    if (Line.substr(0, 3) == "---") {
      ++Section;
      continue;
    }
    if (Section >= 2)
      Fail("nothing is expected behind the second '---'");
    auto Where = std::make_shared<Source>();
    Where->Path = In.Path;
    Where->FirstLine = Number;
    Where->Begin = Where->End = 0; // Not JSON: its places have no field.
    D.Sources.push_back(Where);
    const Place LinePlace{Where.get(), 0};
    if (Section == 1) {
      D.Edges.push_back(readEdge(Line, LinePlace));
      continue;
    }
    const size_t FileAt = Line.find_first_of(" \t"), Brace = Line.find('{');
    if (FileAt == std::string_view::npos || Brace == std::string_view::npos || Brace < FileAt)
      Fail("a kernel is written 'id file.json {\"symbol\":value, ...}'");
    const std::string Id(Line.substr(0, FileAt));
    if (Id.size() > 256)
      Fail("an id has 1 to 256 characters");
    std::string File(Line.substr(FileAt, Brace - FileAt));
    File.erase(0, File.find_first_not_of(" \t"));
    File.erase(File.find_last_not_of(" \t") + 1);
    if (File.empty())
      Fail("a kernel is written 'id file.json {\"symbol\":value, ...}'");
    auto Known = Files.find(File);
    if (Known == Files.end()) {
      const std::string Root = Folder.empty() ? "." : Folder;
      std::string Path = confined({File, LinePlace}, Root, Options.AllowPath);
      if (std::error_code Failed; !std::filesystem::exists(Path, Failed))
        Path = confined({"info/" + File, LinePlace}, Root, Options.AllowPath);
      Spec S;
      S.In = readSource(Path, Options.MostBytes, &LinePlace);
      std::vector<Repetition> Repeated;
      S.Root = parseJson(*S.In, &Repeated);
      noteRepeated(D, Repeated);
      D.Sources.push_back(S.In);
      Known = Files.emplace(File, std::move(S)).first;
    }
    Specification S = readSpecification(Known->second.Root, D.Notes);
    S.Kernel.Id = {Id, LinePlace};
    S.Kernel.At = LinePlace;
    S.Kernel.Partition = {};

    // A Python dictionary: quotes may be single ones.
    auto Dict = std::make_shared<Source>();
    Dict->Path = In.Path;
    Dict->Text = Line.substr(Brace);
    Dict->FirstLine = Number;
    std::replace(Dict->Text.begin(), Dict->Text.end(), '\'', '"');
    std::vector<Repetition> Repeated;
    const Value Given = parseJson(*Dict, &Repeated);
    noteRepeated(D, Repeated);
    D.Sources.push_back(Dict);
    for (const Value::Member &M : Given.expect(Value::Object, "symbols and their values").members()) {
      const Text V = textOf(M.second, "a number");
      if (M.first == "partition")
        S.Kernel.Partition = V;
      else if (M.first == "localWorkSize")
        S.Kernel.Local.assign(S.Kernel.Global.size(), V);
      else
        S.Kernel.Symbols.push_back({M.first, V});
    }
    add(D, std::move(S), Tasks);
  }
  if (Section < 1)
    throw Error(In.Path + ": the line '---' behind the kernels is missing");
  D.Notes.erase(std::unique(D.Notes.begin(), D.Notes.end()), D.Notes.end());
  finish(D, Tasks);
  return D;
}

} // namespace hsched::dag
