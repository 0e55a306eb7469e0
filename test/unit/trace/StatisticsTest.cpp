// The statistics' tables, to the letter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Records.h"
#include "trace/Table.h"
#include "trace/Writers.h"

#include <gtest/gtest.h>

#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr uint64_t MiB = 1 << 20;

struct Statistics : testing::Test {
  std::string written() {
    O->finished();
    return Text;
  }
  std::string Text = "\n";
  std::unique_ptr<Observer> O = makeStatistics([this](const std::string &Line) { Text += Line + "\n"; });
};

// The summary that fits a screen: totals, the longest first; with =full every size.
TEST_F(Statistics, ManySizes) {
  for (bool Full : {false, true}) {
    Text = "\n";
    O = makeStatistics([this](const std::string &Line) { Text += Line + "\n"; }, Full);
    O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0"});
    TaskId Id = 0;
    for (unsigned Size = 1; Size <= 20; ++Size) {
      O->ran(run(++Id, "short", "short", 0, 0, during(0ms, 1ms), Outcome::Done, Size));
      O->ran(run(++Id, "long", Size % 2 ? "one" : "other", 0, 0, during(0ms, 3ms), Outcome::Done, Size));
    }
    const std::string Written = written();
    EXPECT_EQ(Written.find("20 B") != std::string::npos, Full) << Written;
    const std::string Totals = R"(
task   runs    total   share     mean  sizes  versions
long     20  60.0 ms  75.0 %  3.00 ms     20         2
short    20  20.0 ms  25.0 %  1.00 ms     20         1
(HSCHED_STATS=full: each size and version)
)";
    EXPECT_EQ(Written.find(Totals) != std::string::npos, !Full) << Written;
  }
}

TEST_F(Statistics, Tables) {
  O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0"});
  O->rowAdded({1, RowKind::CpuWorker, 1, "CPU 1"});
  O->rowAdded({2, RowKind::DeviceUpload, 2, "Some GPU #0 upload"});
  O->rowAdded({3, RowKind::DeviceCompute, 2, "Some GPU #0 queue 0"});
  O->rowAdded({4, RowKind::DeviceCompute, 2, "Some GPU #0 queue 1"});
  auto ran = [&](TaskId Id, const char *Version, RowId Row, uint32_t Worker, Interval When, uint64_t Bytes = 4 * MiB) {
    O->ran(run(Id, "gemm", Version, Row, Worker, When, Outcome::Done, Bytes));
  };
  ran(1, "gemm", 0, 0, during(0ms, 10ms));
  ran(2, "gemm", 0, 0, during(10ms, 24ms));
  ran(3, "gemm", 1, 1, during(0ms, 12ms));
  ran(4, "gemm_cl", 3, 2, during(1ms, 2ms));
  ran(5, "gemm_cl", 4, 2, during(1500us, 3ms)); // Overlaps the former.
  ran(6, "gemm_cl", 3, 2, during(30ms, 40ms), 700);
  O->ran(run(7, "gemm", "gemm", 0, 0, during(38ms, 40ms), Outcome::Failed));
  O->ran(run(8, "gemm", nullptr, 0, 0, during(40ms, 40ms), Outcome::Cancelled));
  O->transferred({TransferKind::HostToDevice, 2, 2, 4, 3 * MiB, during(0ms, 1ms), "gemm"});
  O->transferred({TransferKind::HostToDevice, 2, 2, 5, 5 * MiB, during(0ms, 1ms), "gemm"});
  O->transferred({TransferKind::DeviceToDevice, 2, 2, 6, 700, during(2ms, 3ms), "blur", 1});
  O->transferred({TransferKind::WithinDevice, 2, 2, 6, 40, during(2ms, 3ms), "blur"});
  O->transferred({TransferKind::DeviceToHost, 2, 2, 0, 100, during(39ms, 40ms)});
  for (bool Hit : {true, false, true})
    O->cacheLookup({2, Hit, 10, 4, "gemm", TimePoint(0ms)});
  O->cacheLookup({2, true, 10, 6, "blur", TimePoint(0ms)});
  EXPECT_EQ(written(), R"(
7 tasks ran in 40.0 ms, 1 failed, 1 cancelled

task      size  version  runs     mean   spread    least
gemm     700 B  gemm_cl     1  10.0 ms     0 ns  10.0 ms
gemm  4.00 MiB  gemm        3  12.0 ms  2.00 ms  10.0 ms
gemm  4.00 MiB  gemm_cl     2  1.25 ms   354 us  1.00 ms

worker       tasks     busy   share
CPU 0            3  26.0 ms  65.0 %
CPU 1            1  12.0 ms  30.0 %
Some GPU #0      3  12.0 ms  30.0 %

the work alone takes 13.4 ms on these workers: 33.6 % of the run

device       host to device  device to host  device to device  cache hits  look-ups  hit ratio
Some GPU #0        8.00 MiB           100 B             700 B           3         4     75.0 %

moved for  host to device  device to host  device to device  cache hits  look-ups  hit ratio
blur                  0 B             0 B             700 B           1         1    100.0 %
gemm             8.00 MiB             0 B               0 B           2         3     66.7 %
(no task)             0 B           100 B               0 B           0         0          -
)");
}

TEST_F(Statistics, RunsThatWereNotTimedCountAsThoseThatWere) {
  O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0"});
  O->rowAdded({1, RowKind::CpuWorker, 1, "CPU 1"});
  O->ran(run(0, "add", "add", 0, 0, during(0us, 2us), Outcome::Done, 8));
  O->ran(run(0, "add", "add", 0, 0, during(96us, 100us), Outcome::Done, 8));
  O->ran(run(0, "mul", "mul", 1, 1, during(0us, 50us), Outcome::Done, 16));
  O->counted({"add", "add", 0, 8, NoCost, 10});
  O->counted({"add", "add", 1, 8, NoCost, 5});
  EXPECT_FALSE(O->wantsEachTask());
  EXPECT_EQ(written(), R"(
18 tasks ran in 100 us

task  size  version  runs  timed     mean   spread    least
add    8 B  add        17      2  3.00 us  1.41 us  2.00 us
mul   16 B  mul         1      1  50.0 us     0 ns  50.0 us

worker  tasks     busy   share
CPU 0      12  36.0 us  36.0 %
CPU 1       6  65.0 us  65.0 %

the work alone takes 50.5 us on these workers: 50.5 % of the run
)");
}

TEST_F(Statistics, ADeviceOfOneRowIsNamedWithoutItsQueue) {
  O->rowAdded({0, RowKind::DeviceCompute, 0, "cpu-znver4 #1 queue 0"});
  EXPECT_NE(written().find("\ncpu-znver4 #1      0  0 ns"), std::string::npos) << Text;
}

TEST_F(Statistics, SizesThatWouldLookAlikeAreGivenInBytes) {
  for (uint64_t Bytes : {174080, 174090, 1 << 20}) {
    auto R = run(1, "sobel", "v", 0, 0, during(0us, 5us));
    R.DataBytes = Bytes;
    O->ran(R);
  }
  written();
  EXPECT_NE(Text.find("sobel  174080 B"), std::string::npos) << Text;
  EXPECT_NE(Text.find("sobel  174090 B"), std::string::npos) << Text;
  EXPECT_NE(Text.find("sobel  1.00 MiB"), std::string::npos) << Text;
}

TEST_F(Statistics, NothingRan) {
  O->rowAdded({0, RowKind::CpuWorker, 0, "CPU 0"});
  EXPECT_EQ(written(), R"(
0 tasks ran in 0 ns

worker  tasks  busy  share
CPU 0       0  0 ns      -
)");
}

TEST_F(Statistics, ThreadsAtOnce) {
  auto work = [&](uint32_t Worker) {
    for (int I = 0; I < 1000; ++I)
      O->ran(run(1, "t", "v", Worker, Worker % 2, during(I * 10us, I * 10us + 5us)));
  };
  std::thread A(work, 0), B(work, 1), C(work, 2);
  A.join(), B.join(), C.join();
  EXPECT_NE(written().find("t     4.00 KiB  v        3000  5.00 us    0 ns  5.00 us\n"), std::string::npos) << Text;
}

TEST(Format, Units) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1024), "1.00 KiB");
  EXPECT_EQ(formatBytes(1024 * 1024 - 1), "1.00 MiB");
  EXPECT_EQ(formatBytes(100 << 20), "100 MiB");
  EXPECT_EQ(formatTime(999), "999 ns");
  EXPECT_EQ(formatTime(999.7), "1.00 us");
  EXPECT_EQ(formatTime(99'960), "100 us");
  EXPECT_EQ(formatTime(1.5e9), "1.50 s");
  EXPECT_EQ(formatTime(4000e9), "4000 s");
  EXPECT_EQ(formatShare(1, 3), "33.3 %");
  EXPECT_EQ(formatShare(0, 0), "-");
}

TEST(Format, ColumnsCountCharactersNotBytes) {
  Table T({{"a", Table::Align::Left}, {"b"}});
  T.add({"\xc3\xa9", "1"});
  T.add({"ee", "10"});
  std::string Text;
  T.print([&](const std::string &Line) { Text += Line + "|"; });
  EXPECT_EQ(Text, "a    b|\xc3\xa9    1|ee  10|");
}

} // namespace
