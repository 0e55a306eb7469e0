// Platforms in JSON: what is read, and what is said of wrong ones. Programs by their descriptions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::virt;
using namespace hsched::rt::virt::test;

namespace {

std::string messageOf(const std::string &Json) {
  PlatformModel P;
  status Read = parsePlatform(Json, "p.json", P);
  EXPECT_FALSE(Read.ok());
  EXPECT_EQ(Read.message().find('\n'), std::string::npos);
  return Read.message();
}

std::string whole(const std::string &Kinds, const std::string &Links, const std::string &Workers) {
  return R"({"name": "x", "sources": [], "kinds": {)" + Kinds + R"(}, "links": {)" + Links + R"(}, "workers": [)" +
         Workers + "]}";
}

const std::string Core = R"("core": {"device": "cpu", "speeds": {"*": 1}})";
const std::string Card = R"("card": {"device": "gpu", "memory_gb": 1, "speeds": {"*": 1}})";
const std::string Bus = R"("bus": {"gbs": 1, "latency_us": 1})";

TEST(Platforms, AreRead) {
  PlatformModel P = platform(whole(Core + "," + R"("card": {"device": "gpu", "memory_gb": 1.5, "in_flight": 3,
    "speeds": {"a": null, "b": {"gbs": [[1000, 2], [2000, 4]], "overhead_us": 7}}})",
                                   R"("bus": {"to_device_gbs": 1, "to_host_gbs": 2, "latency_us": 3, "duplex": false})",
                                   R"({"kind": "core", "count": 2}, {"kind": "card", "name": "C", "links": ["bus"]})"));
  ASSERT_EQ(P.Workers.size(), 3u);
  EXPECT_EQ(P.Workers[1].Name, "core #1");
  EXPECT_EQ(P.Workers[2].Name, "C #0");
  EXPECT_EQ(P.Kinds[1].MemoryBytes, 1500000000u);
  EXPECT_EQ(P.Kinds[1].InFlight, 3u);
  EXPECT_EQ(P.Kinds[1].speedOf("a"), nullptr);
  EXPECT_EQ(P.Kinds[1].speedOf("c"), nullptr);
  EXPECT_TRUE(P.Kinds[1].speedOf("b")->OfBytes);
  EXPECT_EQ(P.Kinds[1].speedOf("b")->Points[1].PerSecond, 4e9);
  EXPECT_EQ(P.Links[0].ToHostBytesPerSecond, 2e9);
  EXPECT_FALSE(P.Links[0].Duplex);
}

TEST(Platforms, ErrorsAreOneLine) {
  const std::pair<std::string, const char *> Cases[] = {
      {"{", "p.json:1: this is not JSON; write a value, a comma or a bracket here"},
      {"[]", "p.json: write an object"},
      {"{}", "p.json: name: is missing"},
      {R"({"nam": "x"})",
       "p.json: nam: no such field; there are name, sources, notes, submission_us, peers, kinds, links, "
       "workers"},
      {whole(Core, "", ""), "p.json: workers: write at least one CPU worker: the main thread's"},
      {whole(Core, "", R"({"kind": "cor"})"), "p.json: workers[0].kind: there is no kind 'cor'; write one of: core"},
      {whole(Core, "", R"({"kind": "core", "count": 0})"),
       "p.json: workers[0].count: write a whole number from 1 to 512"},
      {whole(Core, "", R"({"kind": "core", "links": []})"),
       "p.json: workers[0].links: CPU workers work on host memory; leave it out"},
      {whole(Core + "," + Card, Bus, R"({"kind": "core"}, {"kind": "card", "links": ["buss"]})"),
       "p.json: workers[1].links[0]: there is no link 'buss'; write one of: bus"},
      {whole(Core + "," + Card, Bus, R"({"kind": "core"}, {"kind": "card"})"), "p.json: workers[1].links: is missing"},
      {whole(Core + "," + Card, Bus, R"({"kind": "card", "links": ["bus"]}, {"kind": "core"})"),
       "p.json: workers[1]: write CPU workers before devices"},
      {whole(R"("core": {"device": "fpga", "speeds": {}})", "", ""),
       "p.json: kinds.core.device: there is no device 'fpga'; write cpu, gpu or accelerator"},
      {whole(R"("core": {"device": "cpu", "speeds": {"a": {"gflops": 1, "gbs": 2}}})", "", ""),
       "p.json: kinds.core.speeds.a: write either gflops, billions of units of work a second, or gbs, billions of "
       "bytes "
       "a second"},
      {whole(R"("core": {"device": "cpu", "speeds": {"a": -1}})", "", ""),
       "p.json: kinds.core.speeds.a: write a number above 0, or points [[bytes, number], ...]"},
      {whole(R"("core": {"device": "cpu", "speeds": {"a": {"gbs": [[2, 1], [1, 1]]}}})", "", ""),
       "p.json: kinds.core.speeds.a.gbs[1]: write points in order of bytes"},
      {whole(R"("core": {"device": "cpu", "overlap": false, "speeds": {}})", "", ""),
       "p.json: kinds.core.overlap: CPU workers have no transfers; leave it out"},
      {whole(Core, R"("bus": {"gbs": 0, "latency_us": 1})", ""),
       "p.json: links.bus.gbs: write a number above 0, in GB a second"},
      {whole(Core, R"("bus": {"gbs": 1, "latency_us": "x"})", ""),
       "p.json: links.bus.latency_us: write a number from 0 on, in microseconds"},
  };
  for (const auto &[Json, Message] : Cases)
    EXPECT_EQ(messageOf(Json), Message) << Json;
}

TEST(Platforms, AFileThatIsNotThereIsNamed) {
  PlatformModel P;
  EXPECT_EQ(readPlatform("/no/such/file.json", P).message(),
            "/no/such/file.json: cannot be read; write the name of a platform's file");
}

TEST(Platforms, ThoseThatAreShippedAreRight) {
  for (const char *Name : {"idgraf", "minotauro", "h200"}) {
    PlatformModel P;
    status Read = readPlatform(std::string(PLATFORMS) + "/" + Name + ".json", P);
    EXPECT_TRUE(Read.ok()) << Read.message();
    EXPECT_EQ(P.Name, Name);
    EXPECT_FALSE(P.Sources.empty());
    // Each type of the graphs has somewhere to run.
    for (const char *Type : {"potrf", "trsm", "syrk", "gemm", "getrf", "laswp", "jacobi", "independent", "a"})
      EXPECT_TRUE(std::ranges::any_of(P.Workers,
                                      [&](const WorkerModel &W) { return P.Kinds[W.Kind].speedOf(Type) != nullptr; }))
          << Name << " " << Type;
  }
}

TEST(Programs, HaveTheTasksOfTheirAlgorithms) {
  const std::pair<const char *, std::map<std::string, unsigned>> Cases[] = {
      {"cholesky:40,10", {{"potrf", 4}, {"trsm", 6}, {"syrk", 6}, {"gemm", 4}}},
      {"lu:40,10", {{"getrf", 4}, {"laswp", 12}, {"trsm", 12}, {"gemm", 14}}},
      {"gemm:30,10", {{"gemm", 27}}},
      {"jacobi:40,10,3", {{"jacobi", 48}}},
      {"independent:7", {{"independent", 7}}},
  };
  for (const auto &[Text, Expected] : Cases) {
    std::unique_ptr<Program> P;
    ASSERT_TRUE(makeProgram(Text, P).ok());
    std::map<std::string, unsigned> Counts;
    for (TaskSpec T; T.clear(), P->next(T);)
      ++Counts[P->types()[T.Type]];
    EXPECT_EQ(Counts, Expected) << Text;
  }
}

TEST(Programs, ErrorsAreOneLine) {
  const std::pair<const char *, const char *> Cases[] = {
      {"qr:1",
       "graph 'qr:1': there is no such graph; write one of: cholesky:N,TILE, lu:N,TILE, gemm:N,TILE, "
       "jacobi:N,TILE[,STEPS], random:SEED[,TASKS], independent:TASKS[,WORK], or a file's name that ends in .json"},
      {"lu", "graph 'lu': 0 numbers; write lu:N,TILE"},
      {"lu:10", "graph 'lu:10': 1 numbers; write lu:N,TILE"},
      {"lu:10,", "graph 'lu:10,': '' is not a list of whole numbers; write lu:N,TILE"},
      {"lu:10,x", "graph 'lu:10,x': 'x' is not a list of whole numbers; write lu:N,TILE"},
      {"lu:10,3", "graph 'lu:10,3': TILE has to divide N; write lu:N,TILE"},
      {"lu:0,0", "graph 'lu:0,0': TILE has to divide N; write lu:N,TILE"},
      {"gemm:8388608,1024", "graph 'gemm:8388608,1024': N is at most 4194304; write gemm:N,TILE"},
  };
  for (const auto &[Text, Message] : Cases) {
    std::unique_ptr<Program> P;
    EXPECT_EQ(makeProgram(Text, P).message(), Message);
  }
}

std::string graphFile(const std::string &Text) {
  static int Number = 0;
  std::string Name = testing::TempDir() + "graph" + std::to_string(getpid()) + "." + std::to_string(++Number) + ".json";
  std::ofstream(Name) << Text;
  return Name;
}

TEST(Graphs, AreReadFromFiles) {
  const std::string File = graphFile(R"({"data": {"x": 1000, "y": 64}, "tasks": [
    {"type": "b", "work": 5, "out": ["x"], "inout": ["y"]},
    {"type": "a", "work": 6, "priority": -2, "in": [{"of": "x", "from": 100, "bytes": 10, "rows": 3, "stride": 20}]},
    {"type": "b", "work": 0, "after": [1, 2]}]})");
  std::unique_ptr<Program> P;
  status Made = makeProgram(File, P);
  ASSERT_TRUE(Made.ok()) << Made.message();
  EXPECT_EQ(P->types(), (std::vector<std::string>{"b", "a"}));
  TaskSpec T[3];
  for (TaskSpec &Each : T)
    ASSERT_TRUE(P->next(Each));
  TaskSpec More;
  EXPECT_FALSE(P->next(More));
  EXPECT_EQ(T[0].Accesses.size(), 2u);
  EXPECT_EQ(T[0].Accesses[0].mode, unsigned(HSCHED_OUT));
  EXPECT_EQ(T[1].Type, 1u);
  EXPECT_EQ(T[1].Priority, -2);
  EXPECT_EQ(beginOf(T[1].Accesses[0]), beginOf(T[0].Accesses[0]) + 100);
  EXPECT_EQ(T[1].Accesses[0].rows, 3u);
  EXPECT_EQ(T[2].After, (std::vector<TaskId>{1, 2}));
  std::remove(File.c_str());
}

// Tasks without data, in the order that the file demands.
TEST(Graphs, ExplicitPredecessorsCount) {
  const std::string File = graphFile(R"({"tasks": [{"type": "a", "work": 3e6}, {"type": "a", "work": 1e6},
    {"type": "a", "work": 1e6, "after": [2]}, {"type": "a", "work": 1e6, "after": [1, 3, 3]}]})");
  PlatformModel Four = platform(R"({"name": "four", "sources": [], "workers": [{"kind": "core", "count": 4}],
    "kinds": {"core": {"device": "cpu", "speeds": {"*": 1}}}})");
  for (const std::string &Policy : policyNames()) {
    std::unique_ptr<Program> P;
    ASSERT_TRUE(makeProgram(File, P).ok());
    Observed O;
    simulate(Four, *P, Policy, O);
    ASSERT_TRUE(O.Ended.ok()) << O.Ended.message();
    EXPECT_GE(O.Seen.Runs[3].Begin, O.Seen.Runs[2].End) << Policy;
    EXPECT_GE(O.Seen.Runs[4].Begin, std::max(O.Seen.Runs[1].End, O.Seen.Runs[3].End)) << Policy;
  }
  std::remove(File.c_str());
}

TEST(Graphs, ErrorsAreOneLine) {
  const std::pair<const char *, const char *> Cases[] = {
      {"{}", "tasks: is missing"},
      {R"({"tasks": [{"work": 1}]})", "tasks[0].type: is missing"},
      {R"({"tasks": [{"type": "a", "work": 1, "after": [1]}]})",
       "tasks[0].after[0]: write the number of an earlier task, the first of which is 1"},
      {R"({"tasks": [{"type": "a", "work": 1, "in": ["x"]}]})",
       "tasks[0].in[0]: there is no datum 'x'; describe it under data"},
      {R"({"data": {"x": 9}, "tasks": [{"type": "a", "work": 1, "in": [{"of": "x", "from": 5, "bytes": 5}]}]})",
       "tasks[0].in[0]: it ends behind 'x', which has 9 bytes"},
      {R"({"data": {"x": 99}, "tasks": [{"type": "a", "work": 1, "in": [{"of": "x", "bytes": 5, "rows": 2, "stride": 4}]}]})",
       "tasks[0].in[0].stride: write at least the bytes of a row"},
      {R"({"data": {"x": 0}, "tasks": []})", "data.x: write a number above 0, in bytes"},
      {R"({"tasks": [{"type": "a", "work": 1, "reads": []}]})",
       "tasks[0].reads: no such field; there are type, work, priority, in, out, inout, concurrent, commutative, after"},
  };
  for (const auto &[Text, Message] : Cases) {
    const std::string File = graphFile(Text);
    std::unique_ptr<Program> P;
    EXPECT_EQ(makeProgram(File, P).message(), File + ": " + Message);
    std::remove(File.c_str());
  }
}

} // namespace
