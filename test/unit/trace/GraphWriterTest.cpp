// The task graph writer: the critical path and what it is worth.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Records.h"
#include "trace/Writers.h"

#include <gtest/gtest.h>

#include <regex>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// 1 -> {2, 3} -> 4, and 5 on its own. 1-3-4 is the longest: 2 + 7 + 1 of 2 + 4 + 7 + 1 + 6 = 20 us.
void diamond(Observer &O) {
  O.rowAdded({0, RowKind::CpuWorker, 0, "CPU 0"});
  O.rowAdded({1, RowKind::DeviceCompute, 1, "GPU 0"});
  for (TaskId Id = 4; Id >= 1; --Id) // Threads report in any order.
    O.submitted(submit(Id, "step", 0, Id == 3 ? "the \"long\" one" : nullptr));
  SubmitRecord Inner = submit(5, "inner", 3);
  Inner.Modes = "commutative";
  O.submitted(Inner);
  O.dependence(3, 4), O.dependence(1, 2), O.dependence(1, 3), O.dependence(2, 4);
  O.ran(run(1, "step", "step", 0, 0, during(0us, 2us)));
  O.ran(run(2, "step", "step", 0, 0, during(2us, 6us)));
  O.ran(run(3, "step", "step_cl", 1, 1, during(2us, 9us)));
  O.ran(run(4, "step", "step", 0, 0, during(9us, 10us)));
  O.ran(run(5, "inner", "inner", 0, 0, during(2us, 8us)));
}

std::string write(const char *Ending, void (*Tell)(Observer &)) {
  TempFile File(Ending);
  auto O = makeGraphWriter(File.name());
  EXPECT_NE(O, nullptr);
  Tell(*O);
  O->finished();
  return File.text();
}

unsigned count(const std::string &Text, const std::string &Pattern) {
  std::regex R(Pattern);
  return static_cast<unsigned>(std::distance(std::sregex_iterator(Text.begin(), Text.end(), R), {}));
}

TEST(GraphWriter, DotMarksTheCriticalPath) {
  std::string Text = write(".dot", diamond);
  EXPECT_NE(Text.find("criticalPathNs=10000;"), std::string::npos) << Text;
  EXPECT_NE(Text.find("workNs=20000;"), std::string::npos);
  EXPECT_NE(Text.find("parallelism=2.00;"), std::string::npos);
  EXPECT_NE(Text.find("critical path 10.0 us, work 20.0 us, parallelism at most 2.00"), std::string::npos);
  EXPECT_EQ(count(Text, R"(id=(1|3|4),[^\]]*color=red)"), 3u) << Text;
  EXPECT_EQ(count(Text, R"(id=(2|5),[^\]]*color=red)"), 0u);
  EXPECT_EQ(count(Text, R"((0->2|2->3)\s*\[color=red)"), 2u) << Text;
  EXPECT_EQ(count(Text, R"((0->1|1->3)\s*;)"), 2u) << Text;
  EXPECT_NE(Text.find(R"(the \"long\" one)"), std::string::npos);
  EXPECT_EQ(count(Text, R"re(id=3,task=step,version=step_cl,worker="GPU 0",durationNs=7000)re"), 1u) << Text;
  EXPECT_EQ(count(Text, "id=5,.*parent=3"), 1u);
  EXPECT_EQ(count(Text, "id=5,.*modes=commutative"), 1u);
}

TEST(GraphWriter, GraphMLHasTheSameFacts) {
  std::string Text = write(".graphml", diamond);
  auto keyOf = [&](const std::string &Name, const std::string &For) {
    std::smatch M;
    std::regex R("<key id=\"(\\w+)\" for=\"" + For + "\" attr.name=\"" + Name + "\"");
    EXPECT_TRUE(std::regex_search(Text, M, R)) << Name << "\n" << Text;
    return M[1].str();
  };
  auto data = [&](const std::string &Key, const std::string &Value) {
    return count(Text, "<data key=\"" + Key + "\">" + Value + "</data>");
  };
  EXPECT_EQ(data(keyOf("criticalPathNs", "graph"), "10000"), 1u) << Text;
  EXPECT_EQ(data(keyOf("workNs", "graph"), "20000"), 1u);
  EXPECT_EQ(data(keyOf("parallelism", "graph"), "2"), 1u);
  EXPECT_EQ(data(keyOf("critical", "node"), "1"), 3u);
  EXPECT_EQ(data(keyOf("criticalEdge", "edge"), "1"), 2u);
  EXPECT_EQ(data(keyOf("parent", "node"), "3"), 1u);
  EXPECT_EQ(data(keyOf("worker", "node"), "GPU 0"), 1u);
  EXPECT_EQ(count(Text, "<node "), 5u);
  EXPECT_EQ(count(Text, "<edge "), 4u);
}

TEST(GraphWriter, NothingSubmitted) {
  EXPECT_NE(write(".dot", [](Observer &) {}).find("criticalPathNs=0"), std::string::npos);
  EXPECT_NE(write(".graphml", [](Observer &) {}).find("</graphml>"), std::string::npos);
}

TEST(GraphWriter, LongChain) {
  std::string Text = write(".graphml", [](Observer &O) {
    for (TaskId Id = 1; Id <= 20'000; ++Id) {
      O.submitted(submit(Id, "link"));
      if (Id > 1)
        O.dependence(Id - 1, Id);
      O.ran(run(Id, "link", "link", 0, 0, during(0us, 1us)));
    }
  });
  EXPECT_NE(Text.find(">20000000</data>"), std::string::npos);
}

TEST(GraphWriter, UnknownEndingAndUnwritablePathAreWarnings) {
  Warnings W;
  EXPECT_EQ(makeGraphWriter("graph.png"), nullptr);
  EXPECT_EQ(makeGraphWriter("/no/such/folder/graph.dot"), nullptr);
  ASSERT_EQ(W.All.size(), 2u);
  EXPECT_NE(W.All[0].find("graph.png"), std::string::npos);
  EXPECT_NE(W.All[1].find("/no/such/folder/graph.dot"), std::string::npos);
}

} // namespace
