// What a device runs next while its memory is tight.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/TightChoice.h"

#include "AddType.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

constexpr size_t Bytes = 128;
struct alignas(128) Tile {
  std::array<uint8_t, Bytes> Data{};
};

// A device with room for Room tiles, and tasks that are never run: they are only brought there and let go.
struct TightChoiceTest : testing::Test {
  static constexpr unsigned Room = 8;
  TightChoiceTest() {
    sim::SimOptions O;
    O.MemoryBytes = Room * Bytes;
    O.Mode = sim::SimMode::Manual;
    Dev = std::make_unique<sim::SimDevice>(0, O);
    Data = std::make_unique<Directory>(std::vector<NodeInfo>{{nullptr, 0}, {Dev.get(), 1}}, Time, nullptr);
    Type.Desc = &Desc;
    Desc.name = Desc.linker_name = "test";
    V.Desc = &OnDevice;
  }
  ~TightChoiceTest() override {
    for (TaskNode *T : All) {
      T->Successors.store(nullptr);
      release(*T);
    }
  }
  TaskNode &task(const std::vector<Tile *> &Reads, Tile *Updates = nullptr, int Priority = 0) {
    TaskNode &T = *createTask(&Type, static_cast<unsigned>(Reads.size() + (Updates != nullptr)));
    Access *Next = T.AccessList;
    for (Tile *R : Reads)
      *Next++ = in(*R);
    if (Updates)
      *Next++ = inout(*Updates);
    T.Priority = Priority;
    All.push_back(&T);
    return T;
  }
  // Second comes after First and nothing else.
  void behind(TaskNode &First, TaskNode &Second) {
    Links.push_back({&Second, First.Successors.load()});
    First.Successors.store(&Links.back());
    Second.Pending.store(1);
  }
  void bring(const std::vector<Tile *> &Tiles) {
    for (Tile *T : Tiles) {
      Acquisition A;
      TaskNode &Reader = task({T});
      ASSERT_TRUE(Data->acquire(Reader, 1, A).ok());
      Dev->stepAll(); // It has arrived.
      Data->release(Reader, A, false);
    }
  }
  void add(TaskNode &T) { Choice.add(T, V); }
  TaskNode *next() { return Choice.take(*Data, 1).T; }

  SteadyClock Time;
  std::unique_ptr<sim::SimDevice> Dev;
  std::unique_ptr<Directory> Data;
  hsched_task_desc Desc{};
  hsched_version_desc OnDevice{};
  TaskType Type;
  Version V{};
  std::deque<SuccessorLink> Links;
  std::vector<TaskNode *> All;
  TightChoice Choice;
};

TEST_F(TightChoiceTest, WhatLacksNothingGoesFirst) {
  std::array<Tile, 6> X;
  bring({&X[2], &X[3]});
  TaskNode &Far = task({&X[0], &X[1]}), &Half = task({&X[1], &X[2]}), &Here = task({&X[2], &X[3]});
  for (TaskNode *T : {&Far, &Half, &Here})
    add(*T);
  EXPECT_EQ(next(), &Here);
  EXPECT_EQ(next(), &Half);
  EXPECT_EQ(next(), &Far);
  EXPECT_TRUE(Choice.empty());
}

// All are equal: in order of arrival.
TEST_F(TightChoiceTest, AmongEqualsTheFirst) {
  std::array<Tile, 3> X;
  std::array<TaskNode *, 3> T{&task({&X[0]}), &task({&X[1]}), &task({&X[2]})};
  for (TaskNode *Each : T)
    add(*Each);
  for (TaskNode *Each : T)
    EXPECT_EQ(next(), Each);
}

// A row and two columns are there, and have met. A second row serves two tasks, a third column one.
TEST_F(TightChoiceTest, WhatServesMostForItsBytes) {
  std::array<Tile, 3> Rows, Columns;
  std::array<std::array<Tile, 3>, 3> Cells;
  bring({&Rows[0], &Columns[0], &Columns[1]});
  TaskNode *Wanted = nullptr;
  for (auto [Row, Column] : {std::pair(0, 2), {1, 2}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}) {
    TaskNode &T = task({&Rows[Row], &Columns[Column]}, &Cells[Row][Column]);
    if (Row == 1 && Column == 0)
      Wanted = &T;
    add(T);
  }
  EXPECT_EQ(next(), Wanted);
}

TEST_F(TightChoiceTest, WhatRunsRightBehindCounts) {
  std::array<Tile, 5> X;
  bring({&X[1], &X[2]});
  TaskNode &One = task({&X[0]}), &Two = task({&X[0]}), &Behind = task({&X[1], &X[2]}), &Far = task({&X[3], &X[4]});
  behind(One, Far);
  behind(Two, Behind);
  add(One);
  add(Two);
  EXPECT_EQ(next(), &Two);
}

// What waits for something else as well does not.
TEST_F(TightChoiceTest, OnlyWhatWaitsForNothingElseRunsBehind) {
  std::array<Tile, 5> X;
  TaskNode &One = task({&X[0]}), &Two = task({&X[1]}), &Far = task({&X[3], &X[4]});
  behind(One, Far);
  Far.Pending.store(2);
  add(One);
  add(Two);
  EXPECT_EQ(next(), &One);
}

TEST_F(TightChoiceTest, PrioritiesCountMore) {
  std::array<Tile, 2> X;
  bring({&X[0]});
  TaskNode &Here = task({&X[0]}), &Urgent = task({&X[1]}, nullptr, 1);
  add(Here);
  add(Urgent);
  EXPECT_EQ(next(), &Urgent);
  EXPECT_EQ(next(), &Here);
}

TEST_F(TightChoiceTest, NoTaskStarves) {
  std::array<Tile, 2> X;
  bring({&X[0]});
  TaskNode &Far = task({&X[1]});
  add(Far);
  bool Came = false;
  for (int I = 0; I < 1000 && !Came; ++I) {
    add(task({&X[0]}));
    Came = next() == &Far;
  }
  EXPECT_TRUE(Came);
}

// Tiles that no candidate uses are evicted first, though others were used earlier.
TEST_F(TightChoiceTest, TilesOfNoCandidateAreEvictedFirst) {
  std::array<Tile, Room + 2> X;
  std::vector<Tile *> Full;
  for (unsigned I = 0; I < Room; ++I)
    Full.push_back(&X[I]);
  bring(Full);
  add(task({&X[0], &X[1]}));
  add(task({&X[0], &X[2], &X[3]}));
  (void)next();
  bring({&X[Room], &X[Room + 1]});
  std::vector<Directory::SurveyedAccess> Surveyed;
  const TaskNode &Everything = task({&X[0], &X[1], &X[2], &X[3], &X[4], &X[5], &X[6]});
  for (const Access &A : Everything.accesses())
    Surveyed.push_back({&A, {}, 0});
  Data->survey(Surveyed, 1);
  for (unsigned I = 0; I < 7; ++I)
    EXPECT_EQ(Surveyed[I].Missing, I == 4 || I == 5 ? Bytes : 0) << I;
}

// C[i][j] += A[i][k] * B[k][j] by tiles, for k one behind the other, with memory for a quarter of the data. As a device
// does, Depth tasks hold their data at a time, and what comes behind one of them is next. Returns how many tiles move
// there.
struct Product {
  static constexpr size_t N = 8, Depth = 16;
  using Matrix = std::array<std::array<Tile, N>, N>;
  const std::unique_ptr<Matrix> A = std::make_unique<Matrix>(), B = std::make_unique<Matrix>(),
                                C = std::make_unique<Matrix>();

  uint64_t run(bool Choosing) {
    sim::SimOptions O;
    O.MemoryBytes = 3 * N * N / 4 * Bytes;
    O.Mode = sim::SimMode::Manual;
    sim::SimDevice Dev(0, O);
    SteadyClock Time;
    Directory Data({{nullptr, 0}, {&Dev, 1}}, Time, nullptr);
    std::deque<std::array<TaskNode *, N>> Chains;
    std::deque<SuccessorLink> Links;
    for (size_t I = 0; I < N; ++I)
      for (size_t J = 0; J < N; ++J) {
        auto &Chain = Chains.emplace_back();
        for (size_t K = 0; K < N; ++K) {
          TaskNode &T = *(Chain[K] = createTask(&Type, 3));
          T.AccessList[0] = in((*A)[I][K]);
          T.AccessList[1] = in((*B)[K][J]);
          T.AccessList[2] = inout((*C)[I][J]);
          if (K) {
            Links.push_back({&T, nullptr});
            Chain[K - 1]->Successors.store(&Links.back());
            T.Pending.store(1);
          }
        }
      }

    TightChoice Choice;
    std::deque<std::array<TaskNode *, N> *> Waiting;
    for (auto &Chain : Chains)
      Waiting.push_back(&Chain);
    std::deque<std::pair<TaskNode *, Acquisition>> InFlight;
    auto endOne = [&] {
      Data.release(*InFlight.front().first, InFlight.front().second, false);
      InFlight.pop_front();
    };
    auto begin = [&](TaskNode &T) {
      if (InFlight.size() == Depth)
        endOne();
      Dev.stepAll(); // The transfers have ended.
      Acquisition Acquired;
      while (!Data.acquire(T, 1, Acquired).ok()) {
        ASSERT_FALSE(InFlight.empty());
        endOne();
      }
      InFlight.emplace_back(&T, std::move(Acquired));
    };
    while (!Waiting.empty() || !Choice.empty()) {
      for (; Choosing && !Waiting.empty(); Waiting.pop_front())
        Choice.add(*Waiting.front()->front(), V);
      TaskNode *T = Choosing ? Choice.take(Data, 1).T : Waiting.front()->front();
      if (!Choosing)
        Waiting.pop_front();
      begin(*T);
      for (const SuccessorLink *L = T->Successors.load(); L; L = L->To->Successors.load())
        begin(*L->To);
    }
    while (!InFlight.empty())
      endOne();
    EXPECT_TRUE(Data.shutdown().ok());
    for (auto &Chain : Chains)
      for (TaskNode *Each : Chain) {
        Each->Successors.store(nullptr);
        release(*Each);
      }
    uint64_t Up = 0;
    for (const auto &Entry : Data.traffic())
      Up += Entry.Sum.InputBytes;
    return Up / Bytes;
  }

  TaskType Type;
  hsched_version_desc OnDevice{};
  Version V{.Desc = &OnDevice};
};

TEST(TightMemory, AProductMovesHalfOfWhatItDoesRowByRow) {
  const uint64_t RowByRow = Product().run(false), Chosen = Product().run(true);
  // Row by row, every tile of B is driven out before its turn comes again.
  EXPECT_GE(RowByRow, 64u + 8 * 64 + 64);
  EXPECT_LE(2 * Chosen, RowByRow + RowByRow / 8) << RowByRow;
}

// What the device's thread has popped, it chooses from.
TEST(TightMemory, TheDeviceTakesWhatItHasTheDataOf) {
  static std::atomic<bool> Began, Open;
  static std::mutex Lock;
  static std::vector<long> Order;
  Began = Open = false;
  Order.clear();
  AddType Add(AddType::Device);
  sim::simRegisterKernel("add_sim", [](const hsched_ndrange &, std::span<const sim::SimArg> Args) {
    if (Args[2].value<long>() == 0) {
      Began.store(true);
      Began.notify_all();
      Open.wait(false);
    }
    std::lock_guard Guard(Lock);
    Order.push_back(Args[2].value<long>());
    return hsched::status();
  });
  MachineOptions O;
  O.Cpus = 1;
  O.Devices = 1;
  O.Exec.InFlight = 1;
  constexpr size_t Longs = Bytes / sizeof(long);
  O.Sim.MemoryBytes = 4 * Bytes;
  Machine M(O);
  struct alignas(128) Row {
    std::array<long, Longs> Data{};
  };
  std::array<Row, 7> X{};
  auto submit = [&](size_t At, long Id) { Add.submit(M, X[At].Data.data(), Longs, Id, HSCHED_IN); };
  submit(0, -1);
  submit(1, -1);
  submit(6, -1);
  M.Exec->taskwait(threadState(), false);
  submit(2, 0); // The device has this one while the others are submitted.
  Began.wait(false);
  for (long Id = 3; Id < 6; ++Id)
    submit(static_cast<size_t>(Id), Id);
  submit(1, 1);
  submit(0, 2);
  Open.store(true);
  Open.notify_all();
  M.wait();
  EXPECT_EQ(Order, (std::vector<long>{-1, -1, -1, 0, 1, 2, 3, 4, 5}));
}

} // namespace
