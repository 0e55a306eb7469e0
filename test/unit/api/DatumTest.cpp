// Data without a home: what a program sees of them, on simulated devices and without any.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Simulated.h"

#include <hsched/engine.h>
#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

using namespace hsched::test;

namespace {

hsched::traffic traveled() { return hsched::traffic_counters().at(0); }

// Ctest runs each test in a process of its own.
struct DatumApi : testing::Test {
  void SetUp() override {
    setenv("HSCHED_SIM", "1", 1);
    setenv("HSCHED_NCPU", "2", 1);
    setenv("HSCHED_SIM_MEMORY", "1048576", 1);
    ASSERT_TRUE(startOnSimulatedDevices());
  }
  static hsched::engine &engine() { return hsched::engine::process(); }
};

TEST_F(DatumApi, StaysOnItsDeviceUntilItIsAskedFor) {
  static Incrementer Increment("datum_increment");
  auto D = engine().make_datum<unsigned char>(1000);
  std::memset(D.at_home(hsched::home::overwrite), 1, 1000);
  for (int I = 0; I < 3; ++I)
    Increment.submit(D.data(), 1000);
  hsched_taskwait(0);
  Increment.submit(D.data() + 500, 500);
  hsched_taskwait(0);
  EXPECT_EQ(traveled().input_bytes, 1000u);
  EXPECT_EQ(traveled().output_bytes, 0u);
  const unsigned char *Home = D.at_home(hsched::home::read, 400, 200);
  EXPECT_EQ(traveled().output_bytes, 200u);
  EXPECT_EQ(Home, D.data() + 400);
  EXPECT_EQ(Home[99], 4);
  EXPECT_EQ(Home[100], 5);
  // Nothing was asked of the devices' copy.
  Increment.submit(D.data(), 1000);
  hsched_taskwait(0);
  EXPECT_EQ(traveled().input_bytes, 1000u);
  EXPECT_EQ(traveled().output_bytes, 200u);
}

TEST_F(DatumApi, AsksForWhatItsTasksHaveWritten) { // Without a wait between.
  static Incrementer Increment("datum_increment");
  auto D = engine().make_datum<unsigned char>(1000);
  std::memset(D.at_home(hsched::home::update), 7, 1000);
  for (int I = 0; I < 50; ++I)
    Increment.submit(D.data(), 1000);
  EXPECT_EQ(D.at_home(hsched::home::update)[999], 57);
  D.data()[999] = 1;
  Increment.submit(D.data(), 1000);
  EXPECT_EQ(D.at_home()[999], 2);
}

TEST_F(DatumApi, TasksOnTheHostHaveItAtHome) {
  static Incrementer Increment("datum_increment");
  auto D = engine().make_datum<unsigned char>(1000);
  unsigned char *P = D.data();
  submit({{P, 1000, 1, 0, HSCHED_OUT, HSCHED_NO_PARAM}}, [P] { std::memset(P, 3, 1000); });
  Increment.submit(P, 1000);
  unsigned Sum = 0;
  submit({{P, 1000, 1, 0, HSCHED_IN, HSCHED_NO_PARAM}, section(HSCHED_OUT, Sum)}, [P, &Sum] {
    for (int I = 0; I < 1000; ++I)
      Sum += P[I];
  });
  hsched_taskwait(0);
  EXPECT_EQ(Sum, 4000u);
  EXPECT_EQ(traveled().input_bytes, 1000u);
  EXPECT_EQ(traveled().output_bytes, 1000u);
}

TEST_F(DatumApi, IsDroppedWithoutTravelling) {
  static Incrementer Increment("datum_increment");
  for (int Round = 0; Round < 20; ++Round) {
    auto D = engine().make_datum<unsigned char>(100000);
    Increment.submit(D.data(), 100000);
    hsched_taskwait(0);
  }
  EXPECT_EQ(traveled().output_bytes + traveled().input_bytes, 0u);
}

// More than the simulated device holds, of which parts are evicted to a home.
TEST_F(DatumApi, IsWorkedOnInPartsWhereItDoesNotFit) {
  static Incrementer Increment("datum_increment");
  constexpr size_t Piece = 200 << 10, Pieces = 16; // The device holds five of them.
  auto D = engine().make_datum<unsigned char>(Pieces * Piece);
  std::memset(D.at_home(hsched::home::overwrite), 0, Pieces * Piece);
  for (int Round = 0; Round < 3; ++Round)
    for (size_t I = 0; I < Pieces; ++I)
      Increment.submit(D.data() + I * Piece, Piece);
  hsched_taskwait(0);
  EXPECT_GE(traveled().output_bytes, (Pieces - 5) * Piece);
  const unsigned char *Home = D.at_home();
  for (size_t I = 0; I < Pieces * Piece; ++I)
    ASSERT_EQ(Home[I], 3) << I;
}

TEST_F(DatumApi, Misuse) {
  auto D = engine().make_datum<unsigned char>(10000);
  int Ordinary = 0;
  EXPECT_THROW(hsched_datum_home(nullptr, &Ordinary, 1, HSCHED_HOME_READ), std::invalid_argument);
  EXPECT_THROW(hsched_datum_home(nullptr, D.data() + 1, 10000, HSCHED_HOME_READ), std::invalid_argument);
  EXPECT_THROW(hsched_datum_home(nullptr, D.data(), 1, 3), std::invalid_argument);
  EXPECT_THROW(hsched_datum_drop(nullptr, D.data() + 1), std::invalid_argument);
  EXPECT_THROW(hsched_datum_drop(nullptr, &Ordinary), std::invalid_argument);
  EXPECT_THROW(hsched_datum_make(nullptr, 0, 0), std::invalid_argument);
  EXPECT_THROW(hsched_datum_make(nullptr, 1, 1), std::invalid_argument);
  EXPECT_THROW(hsched_datum_make(nullptr, size_t(1) << 62, 0), std::bad_alloc);
  EXPECT_NO_THROW(hsched_datum_drop(nullptr, nullptr));
}

// Without devices, and in an engine of its own: tasks may be calls and in bundles there.
TEST(DatumWithoutDevices, IsOrdinaryMemory) {
  hsched::config Two;
  Two.workers = 2;
  hsched::engine Own(Two);
  auto D = Own.make_datum<int>(1000);
  for (int I = 0; I < 1000; ++I)
    Own.submit(hsched::submission().out(D.data() + I), [P = D.data() + I, I] { *P = I; });
  const int *Home = D.at_home(hsched::home::update);
  for (int I = 0; I < 1000; ++I)
    EXPECT_EQ(Home[I], I);
}

TEST(DatumWithoutDevices, IsOrdinaryMemoryInCallsAndBundles) {
  setenv("HSCHED_OPENCL", "0", 1);
  auto D = hsched::engine::process().make_datum<int>(1000);
  int *P = D.data();
  for (int Round = 0; Round < 10; ++Round)
    for (int I = 0; I < 1000; ++I)
      submit({section(HSCHED_INOUT, P[I])}, [P, I] { P[I] += I; });
  for (int I = 0; I < 1000; ++I)
    EXPECT_EQ(D.at_home(hsched::home::read, static_cast<size_t>(I), 1)[0], 10 * I);
}

// Its addresses may be another datum's as soon as it has gone.
TEST_F(DatumApi, GoesWhenItsTasksHaveEnded) {
  static std::atomic<int> Ran{0};
  for (int Round = 0; Round < 20; ++Round) {
    std::atomic<bool> Begun{false};
    {
      auto D = engine().make_datum<unsigned char>(1 << 16);
      for (int I = 0; I < 4; ++I)
        engine().submit(hsched::submission().inout(D.data(), D.size()), [P = D.data(), N = D.size(), &Begun] {
          Begun = true;
          std::this_thread::yield();
          std::memset(P, 1, N); // A crash, if it has gone.
          ++Ran;
        });
    }
    EXPECT_TRUE(Begun);
    EXPECT_EQ(Ran, 4 * (Round + 1));
  }
  hsched_taskwait(0);
}

TEST_F(DatumApi, LeavesItsTasksFailureToTheNextWait) {
  {
    auto D = engine().make_datum<unsigned char>(1000);
    engine().submit(hsched::submission().label("fails").out(D.data(), D.size()),
                    [] { throw std::runtime_error("of the datum's task"); });
  }
  EXPECT_THROW(hsched_taskwait(0), std::runtime_error);
}

TEST_F(DatumApi, WaitsInsideATaskForItsChildren) {
  std::atomic<int> Ran{0};
  engine().submit({}, [&] {
    auto D = engine().make_datum<unsigned char>(1000);
    for (int I = 0; I < 4; ++I)
      engine().submit(hsched::submission().inout(D.data(), D.size()), [P = D.data(), &Ran] { P[5] = 1, ++Ran; });
  });
  hsched_taskwait(0);
  EXPECT_EQ(Ran, 4);
}

} // namespace
