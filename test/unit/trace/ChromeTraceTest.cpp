// The Chrome trace, read back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Records.h"
#include "trace/Writers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;
using nlohmann::json;

namespace {

std::vector<json> events(const json &Trace, const std::string &Phase) {
  std::vector<json> Found;
  for (const json &E : Trace.at("traceEvents"))
    if (E.at("ph") == Phase)
      Found.push_back(E);
  return Found;
}

struct ChromeTrace : testing::Test {
  json written() {
    O->finished();
    return json::parse(File.text());
  }
  TempFile File{".json"};
  std::unique_ptr<Observer> O = makeChromeTrace(File.name());
};

TEST_F(ChromeTrace, EmptyIsWellFormed) {
  json Trace = written();
  EXPECT_EQ(Trace.at("traceEvents").size(), 1u); // The process's name.
}

TEST_F(ChromeTrace, RowsAreNamedAndSorted) {
  O->rowAdded({1, RowKind::DeviceCompute, 1, "GPU \"0\" queue 0"});
  O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0"});
  json Trace = written();
  std::map<int, std::string> Names;
  std::map<int, int> Order;
  for (const json &E : events(Trace, "M")) {
    if (E.at("name") == "thread_name")
      Names[E.at("tid")] = E.at("args").at("name");
    if (E.at("name") == "thread_sort_index")
      Order[E.at("tid")] = E.at("args").at("sort_index");
  }
  EXPECT_EQ(Names, (std::map<int, std::string>{{1, "CPU 0"}, {2, "GPU \"0\" queue 0"}}));
  EXPECT_EQ(Order, (std::map<int, int>{{1, 0}, {2, 1}}));
}

TEST_F(ChromeTrace, RunsTellModesAndCost) {
  SubmitRecord Submitted = submit(1, "sum");
  Submitted.Modes = "in, reduction";
  O->submitted(Submitted);
  RunRecord Ran = run(1, "sum", "sum", 0, 0, during(2us, 9us));
  Ran.Cost = 2.5;
  O->ran(Ran);
  json Trace = written();
  auto Runs = events(Trace, "X");
  ASSERT_EQ(Runs.size(), 1u);
  EXPECT_EQ(Runs[0].at("args").at("modes"), "in, reduction");
  EXPECT_EQ(Runs[0].at("args").at("cost"), 2.5);
}

TEST_F(ChromeTrace, RunsTellWhatRan) {
  O->submitted(submit(1, "outer"));
  O->submitted(submit(2, "saxpy", 1));
  O->ran(run(2, "saxpy", "saxpy_cl", 3, 1, during(5us, 7500ns), Outcome::Done, 8192, "first\nhalf"));
  O->ran(run(1, "outer", "outer", 0, 0, during(2us, 9us), Outcome::Failed));
  O->ran(run(4, "saxpy", nullptr, 0, 0, during(9us, 9us), Outcome::Cancelled));
  json Trace = written();
  auto Runs = events(Trace, "X");
  ASSERT_EQ(Runs.size(), 2u);
  EXPECT_EQ(Runs[0], json::parse(R"({"ph":"X","pid":1,"tid":4,"ts":3.0,"dur":2.5,"cat":"task","name":"first\nhalf",
    "args":{"id":2,"task":"saxpy","version":"saxpy_cl","bytes":8192,"outcome":"done","parent":1}})"));
  EXPECT_FALSE(Runs[0].at("args").contains("modes"));
  EXPECT_FALSE(Runs[0].at("args").contains("cost"));
  EXPECT_EQ(Runs[1].at("args").at("outcome"), "failed");
  EXPECT_EQ(Runs[1].at("name"), "outer");
  EXPECT_EQ(Runs[1].at("ts"), 0.0);
  auto Cancelled = events(Trace, "i");
  ASSERT_EQ(Cancelled.size(), 1u);
  EXPECT_EQ(Cancelled[0].at("args").at("version"), nullptr);
}

TEST_F(ChromeTrace, TransfersTellBytesAndRate) {
  O->transferred({TransferKind::HostToDevice, 5, 1, 7, 50'000, during(0us, 10us)});
  O->transferred({TransferKind::DeviceToHost, 6, 1, 0, 16, during(20us, 20us)}); // No time: no rate.
  auto Transfers = events(written(), "X");
  ASSERT_EQ(Transfers.size(), 2u);
  EXPECT_EQ(Transfers[0], json::parse(R"({"ph":"X","pid":1,"tid":6,"ts":0.0,"dur":10.0,"cat":"transfer",
    "name":"host to device","args":{"bytes":50000,"GB/s":5.0,"task":7}})"));
  EXPECT_EQ(Transfers[1].at("args"), json::parse(R"({"bytes":16})"));
}

TEST_F(ChromeTrace, DevicesHaveCounters) {
  O->rowAdded({6, RowKind::DeviceUpload, 1, "GPU #0 upload"});
  O->rowAdded({7, RowKind::DeviceUpload, 2, "GPU #1 upload"});
  O->transferred(
      {TransferKind::DeviceToDevice, 7, 2, 8, 30, during(20us, 30us), "b", 1}); // Reported before earlier transfers.
  O->transferred({TransferKind::HostToDevice, 6, 1, 7, 100, during(0us, 10us), "a"});
  O->transferred({TransferKind::HostToDevice, 6, 1, 7, 50, during(10us, 15us), "a"});
  O->transferred({TransferKind::DeviceToHost, 6, 1, 0, 16, during(20us, 40us)});
  O->cacheLookup({1, false, 100, 7, "a", during(0us, 0us).Begin});
  O->cacheLookup({1, true, 100, 9, "a", during(2us, 2us).Begin});
  json Trace = written();
  auto Counts = events(Trace, "C"), Transfers = events(Trace, "X");
  ASSERT_EQ(Counts.size(), 6u);
  EXPECT_EQ(Counts[0], json::parse(R"({"ph":"C","pid":1,"ts":10.0,"name":"GPU #0 bytes",
    "args":{"input":100,"output":0,"device":0}})"));
  EXPECT_EQ(Counts[1].at("args"), json::parse(R"({"input":150,"output":0,"device":0})"));
  EXPECT_EQ(Counts[2], json::parse(R"({"ph":"C","pid":1,"ts":30.0,"name":"GPU #1 bytes",
    "args":{"input":0,"output":0,"device":30}})"));
  EXPECT_EQ(Counts[3].at("args"), json::parse(R"({"input":150,"output":16,"device":0})"));
  EXPECT_EQ(Counts[5], json::parse(R"({"ph":"C","pid":1,"ts":2.0,"name":"GPU #0 cache",
    "args":{"hits":1,"misses":1}})"));
  EXPECT_EQ(Transfers[0].at("args"), json::parse(R"({"bytes":30,"GB/s":0.003,"task":8,"type":"b","from":"GPU #0"})"));
}

TEST_F(ChromeTrace, FlowsBindToTheirRuns) {
  O->ran(run(1, "a", "a", 0, 0, during(0us, 10us)));
  O->ran(run(2, "b", "b", 1, 1, during(10us, 30us)));
  O->ran(run(3, "c", "c", 0, 0, during(30us, 30us))); // Took no time.
  O->ran(run(4, "d", nullptr, 0, 0, during(30us, 30us), Outcome::Cancelled));
  O->dependence(1, 2), O->dependence(2, 3), O->dependence(3, 4), O->dependence(2, 99);
  json Trace = written();
  auto Starts = events(Trace, "s"), Ends = events(Trace, "f"), Runs = events(Trace, "X");
  ASSERT_EQ(Starts.size(), 2u);
  ASSERT_EQ(Ends.size(), 2u);
  std::set<json> Ids;
  auto inside = [](const json &Arrow, const json &Slice) {
    double At = Arrow.at("ts"), Begin = Slice.at("ts"), Length = Slice.at("dur");
    return Arrow.at("tid") == Slice.at("tid") && At >= Begin && (At < Begin + Length || Length == 0.0);
  };
  for (int I = 0; I < 2; ++I) {
    EXPECT_EQ(Starts[I].at("id"), Ends[I].at("id"));
    EXPECT_EQ(Starts[I].at("cat"), Ends[I].at("cat"));
    EXPECT_EQ(Starts[I].at("name"), Ends[I].at("name"));
    EXPECT_EQ(Ends[I].at("bp"), "e");
    EXPECT_LE(Starts[I].at("ts"), Ends[I].at("ts"));
    EXPECT_TRUE(inside(Starts[I], Runs[I])) << Starts[I] << Runs[I];
    EXPECT_TRUE(inside(Ends[I], Runs[I + 1])) << Ends[I] << Runs[I + 1];
    Ids.insert(Starts[I].at("id"));
  }
  EXPECT_EQ(Ids.size(), 2u);
}

TEST_F(ChromeTrace, NamesThatAreNoUtf8AreReplaced) {
  O->ran(run(1, "caf\xe9", "v", 0, 0, during(0us, 1us)));
  EXPECT_EQ(events(written(), "X").at(0).at("name"), "caf\xef\xbf\xbd");
}

TEST_F(ChromeTrace, ThreadsAtOnce) {
  constexpr int N = 2000;
  auto work = [&](uint32_t Worker) {
    for (int I = 0; I < N; ++I)
      O->ran(run(1 + Worker * N + I, "t", "v", Worker, Worker, during(I * 1us, I * 1us + 500ns)));
  };
  std::thread A(work, 0), B(work, 1), C(work, 2);
  A.join(), B.join(), C.join();
  EXPECT_EQ(events(written(), "X").size(), 3u * N);
}

TEST(ChromeTraceFile, UnwritableIsOneWarning) {
  Warnings W;
  EXPECT_EQ(makeChromeTrace("/no/such/folder/trace.json"), nullptr);
  ASSERT_EQ(W.All.size(), 1u);
  EXPECT_NE(W.All[0].find("/no/such/folder/trace.json"), std::string::npos);
}

} // namespace
