// Policies in shared objects: what is loaded, what is refused, and that a bad one loses no task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeHost.h"

#include "base/Log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

std::string pluginOf(const char *Flaw) { return std::string(TEST_POLICIES "/libtest_policy_") + Flaw + ".so"; }

// Records the decisions that are reported to it.
class RecordingHost final : public FakeHost {
public:
  using FakeHost::FakeHost;
  bool recordsDecisions() const override { return true; }
  void decided(Task &T, const Version &V, WorkerId W, const char *Why, std::span<const Prediction> Among) override {
    Decisions.push_back({T.Id, V.Index, W, Why, {Among.begin(), Among.end()}});
  }
  struct Decision {
    TaskId Id;
    unsigned V;
    WorkerId W;
    std::string Why;
    std::vector<Prediction> Among;
  };
  std::vector<Decision> Decisions;
};

class Refused : public testing::TestWithParam<std::tuple<const char *, hsched::errc, const char *>> {};

TEST_P(Refused, WithAMessage) {
  auto [Flaw, Code, Part] = GetParam();
  std::unique_ptr<Policy> P;
  hsched::status S = loadPolicy(pluginOf(Flaw), P);
  EXPECT_EQ(S.code(), Code);
  EXPECT_NE(S.message().find(Part), std::string::npos) << S.message();
  EXPECT_NE(S.message().find(Flaw), std::string::npos) << "the file is not named: " << S.message();
  EXPECT_EQ(P, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Plugins, Refused,
                         testing::Values(std::tuple("OtherMajor", hsched::errc::version_mismatch,
                                                    "made for interface 2.0, this runtime has"),
                                         std::tuple("NewerMinor", hsched::errc::version_mismatch,
                                                    "made for interface 1.1"),
                                         std::tuple("NoPop", hsched::errc::invalid_argument, "start, push and pop"),
                                         std::tuple("NullEntry", hsched::errc::unsupported, "returned null"),
                                         std::tuple("Missing", hsched::errc::not_found, "there is no such file")));

TEST(Plugin, AFileThatIsNoPolicyIsRefused) {
  std::unique_ptr<Policy> P;
  EXPECT_EQ(loadPolicy("/etc/hostname", P).code(), hsched::errc::unsupported);
  hsched::status S = loadPolicy(TEST_NO_POLICY, P);
  EXPECT_EQ(S.code(), hsched::errc::version_mismatch);
  EXPECT_NE(S.message().find("hsched_policy_entry"), std::string::npos) << S.message();
}

TEST(Plugin, NamesWithASlashAreFiles) {
  EXPECT_TRUE(namesPlugin("./mine.so"));
  EXPECT_FALSE(namesPlugin("eager"));
}

TEST(Plugin, ChoosesAndSaysWhy) {
  std::unique_ptr<Policy> P;
  ASSERT_TRUE(loadPolicy(pluginOf("None"), P).ok());
  RecordingHost Host(1, 1);
  Host.apart();
  Host.Travel = {0us, 300us};
  P->start(Host);
  TestType Type;
  Type.add(HSCHED_DEVICE_CPU);
  Type.add(HSCHED_DEVICE_OPENCL);
  Host.Known.record(Type.Type, 1024, 0, CpuModel, 500us);
  Host.Known.record(Type.Type, 1024, 1, CpuModel, 100us);
  Task &First = Host.task(Type), &Second = Host.task(Type);
  P->push(First, NoWorker);
  P->push(Second, NoWorker);
  EXPECT_EQ(Host.loads()[0].queued(), 2);
  Assignment A;
  ASSERT_TRUE(P->pop(1, A)); // The newest, on the device.
  EXPECT_EQ(A.T, &Second);
  EXPECT_EQ(A.V, &Type.version(1));
  EXPECT_EQ(Host.loads()[0].queued(), 1);
  ASSERT_EQ(Host.Decisions.size(), 1u);
  const auto &D = Host.Decisions[0];
  EXPECT_EQ(D.Why, "it was the newest");
  EXPECT_EQ(D.W, 1u);
  ASSERT_EQ(D.Among.size(), 2u);
  EXPECT_EQ(D.Among[0].Run, 500us);
  EXPECT_EQ(D.Among[0].Wait, 2ms); // Both were queued for it.
  EXPECT_EQ(D.Among[1].Run, 100us);
  EXPECT_EQ(D.Among[1].Transfer, 300us);
  EXPECT_EQ(D.Among[1].end(), 400us);
  ASSERT_TRUE(P->pop(0, A));
  EXPECT_EQ(A.T, &First);
  EXPECT_FALSE(P->pop(0, A));
  P->completed(First, Type.version(0), 0, 500us);
  EXPECT_EQ(Host.loads()[0].tasks(), 0);
}

// Each task comes out once, on a worker that can run it, whatever the plug-in does wrong.
class Careless : public testing::TestWithParam<const char *> {};

TEST_P(Careless, LosesNoTask) {
  std::vector<std::string> Logged;
  setLogSink([&](LogLevel Level, std::string_view Text) {
    if (Level <= LogLevel::Warning)
      Logged.emplace_back(Text);
  });
  std::unique_ptr<Policy> P;
  ASSERT_TRUE(loadPolicy(pluginOf(GetParam()), P).ok());
  FakeHost Host(2, 1);
  P->start(Host);
  TestType Type, OnlyDevice;
  Type.add(HSCHED_DEVICE_CPU);
  OnlyDevice.add(HSCHED_DEVICE_OPENCL);
  constexpr unsigned N = 40;
  for (unsigned I = 0; I < N; ++I)
    P->push(Host.task(I % 4 ? Type : OnlyDevice), NoWorker);
  std::multiset<TaskId> Seen;
  for (unsigned Round = 0; Round < 10 * N && Seen.size() < N; ++Round)
    for (WorkerId W = 0; W < 3; ++W)
      if (Assignment A; P->pop(W, A)) {
        EXPECT_TRUE(Platform::suits(Host.P.Workers[W], *A.V));
        Seen.insert(A.T->Id);
        P->completed(*A.T, *A.V, W, 1us);
      }
  setLogSink({});
  EXPECT_EQ(Seen.size(), N);
  EXPECT_EQ(std::set(Seen.begin(), Seen.end()).size(), N);
  EXPECT_EQ(Logged.size(), std::string(GetParam()) == "None" ? 0u : 1u) << "logged " << testing::PrintToString(Logged);
}

INSTANTIATE_TEST_SUITE_P(Plugins, Careless,
                         testing::Values("None", "RefusesToStart", "ThrowsInPush", "ThrowsInPop", "WrongWorker",
                                         "Twice"));

// --- what the host knows

TEST(Predict, NamesEveryUsablePairOnce) {
  FakeHost Host(2, 1);
  Host.apart();
  Host.Travel = {10us, 40us};
  TestType Type;
  Type.add(HSCHED_DEVICE_CPU);
  Type.add(HSCHED_DEVICE_OPENCL, HSCHED_TYPE_GPU);
  Type.add(HSCHED_DEVICE_CPU);
  Type.version(2).disableOn(1);
  Host.Known.record(Type.Type, 1024, 0, CpuModel, 7us);
  Host.loads()[1].queue(5000);
  std::vector<Prediction> All;
  Host.predict(Host.task(Type), All);
  ASSERT_EQ(All.size(), 4u); // CPU 0 twice, CPU 1 once, the device once.
  EXPECT_EQ(All[0].W, 0u);
  EXPECT_EQ(All[0].Run, 7us);
  EXPECT_EQ(All[0].Runs, 1u);
  EXPECT_EQ(All[0].end(), 17us);
  EXPECT_EQ(All[1].V, &Type.version(2));
  EXPECT_EQ(All[1].Runs, 0u);
  EXPECT_EQ(All[2].W, 1u);
  EXPECT_EQ(All[2].Wait, 5us);
  EXPECT_EQ(All[2].end(), 22us);
  EXPECT_EQ(All[3].W, 2u);
  EXPECT_EQ(All[3].end(), 40us);
  EXPECT_EQ(Host.AskedForTransfers, 2u); // Once a memory.
}

TEST(Predict, WhatWasBegunHasPassedAsFarAsOneTaskTakes) {
  FakeHost Host(1, 0);
  Load &L = Host.loads()[0];
  auto now = [&] { return Host.Time.now().time_since_epoch().count(); };
  L.begin(1000, now());
  L.begin(3000, now());
  EXPECT_EQ(L.remaining(now()), 4000);
  Host.Time.advance(500ns);
  EXPECT_EQ(L.remaining(now()), 3500);
  Host.Time.advance(1h);
  EXPECT_EQ(L.remaining(now()), 2000); // At most one of the two has ended.
  L.end(1000, now());
  L.end(3000, now());
  EXPECT_EQ(L.remaining(now()), 0);
}

TEST(Decisions, VersioningSaysWhatItChoseAmongAndWhy) {
  RecordingHost Host(2, 1);
  auto P = makePolicy("versioning");
  P->start(Host);
  TestType Type, Unknown;
  for (TestType *T : {&Type, &Unknown}) {
    T->add(HSCHED_DEVICE_CPU);
    T->add(HSCHED_DEVICE_OPENCL);
  }
  for (unsigned I = 0; I < Host.Lambda; ++I) {
    Host.Known.record(Type.Type, 1024, 0, CpuModel, 90us);
    Host.Known.record(Type.Type, 1024, 1, CpuModel, 20us);
  }
  auto pushOne = [&] {
    P->push(Host.task(Type), NoWorker);
    return Host.Decisions.back();
  };
  const auto Learned = pushOne();
  EXPECT_EQ(Learned.Why, "it is predicted to end first there");
  EXPECT_EQ(Learned.W, 2u);
  ASSERT_EQ(Learned.Among.size(), 3u);
  EXPECT_EQ(Learned.Among[0].Run, 90us);
  EXPECT_EQ(Learned.Among[2].Run, 20us);
  EXPECT_EQ(Learned.Among[2].Wait, 0us);
  EXPECT_EQ(pushOne().Among[2].Wait, 20us); // For the one before.
  P->push(Host.task(Unknown), NoWorker);
  EXPECT_NE(Host.Decisions.back().Why.find("fewer than HSCHED_LAMBDA"), std::string::npos);
  TestType Only;
  Only.add(HSCHED_DEVICE_OPENCL);
  P->push(Host.task(Only), NoWorker);
  EXPECT_EQ(Host.Decisions.back().Why, "nothing else can run it");
}

} // namespace
