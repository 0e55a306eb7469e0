// A host for policies under test: made-up workers, tasks and time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_FAKEHOST_H
#define HSCHED_TEST_FAKEHOST_H

#include "base/ManualClock.h"
#include "sched/Policy.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hsched::rt::test {

using namespace std::chrono_literals;

// A task type whose versions are made on the spot.
class TestType {
public:
  TestType() {
    static std::atomic<uint32_t> NextId{0};
    Type.Id = NextId++;
    Type.LinkerName = "task" + std::to_string(Type.Id);
  }
  const Version &add(unsigned Device, unsigned DeviceType = HSCHED_TYPE_ANY) {
    unsigned N = Type.NumVersions;
    auto &Desc = Descs.emplace_back();
    Desc = {sizeof(Desc), "", "", "", 0, Device, DeviceType, nullptr, nullptr, nullptr, nullptr};
    Type.Versions[N].Desc = &Desc;
    Type.Versions[N].Index = N;
    Type.NumVersions.store(N + 1, std::memory_order_release);
    return Type.Versions[N];
  }
  Version &version(unsigned I) { return Type.Versions[I]; }

  TaskType Type;

private:
  std::deque<hsched_version_desc> Descs;
};

// Wakes are noted, time stands still unless the test moves it.
class FakeHost : public PolicyHost {
public:
  FakeHost(unsigned Cpus, unsigned Gpus, unsigned OpenClCpus = 0) {
    auto add = [&](unsigned N, DeviceKind Kind, DeviceType Type, const char *Name) {
      for (unsigned I = 0; I < N; ++I)
        P.Workers.push_back(
            {static_cast<WorkerId>(P.Workers.size()), Name + std::to_string(I), Kind, Type, HostNode, nullptr});
    };
    add(Cpus, DeviceKind::Cpu, DeviceType::Cpu, "CPU");
    add(Gpus, DeviceKind::OpenCL, DeviceType::Gpu, "GPU");
    add(OpenClCpus, DeviceKind::OpenCL, DeviceType::Cpu, "PoCL");
    setLoads(P.Workers.size() + 4); // Some may come later.
  }

  const Clock &clock() const override { return Time; }
  const Platform &platform() const override { return P; }
  History &history() override { return Known; }
  unsigned lambda() const override { return Lambda; }
  bool moreToCome() const override { return More; }
  size_t mostWorkers() const override { return std::max<size_t>(P.Workers.size(), Most); }
  Duration transferTime(const Task &, MemoryNode Node) override {
    ++AskedForTransfers;
    return Node < Travel.size() ? Travel[Node] : Duration(0);
  }
  void returnTimes(const Task &, std::span<Duration::rep> ByNode) override {
    for (size_t N = 0; N < std::min(ByNode.size(), Back.size()); ++N)
      ByNode[N] = Back[N].count();
  }
  Duration underway(WorkerId W) const override { return W < Underway.size() ? Underway[W] : Duration(0); }
  void validBytes(const Access &A, std::span<uint64_t> Bytes) override {
    PolicyHost::validBytes(A, Bytes);
    if (auto It = Valid.find(A.base); It != Valid.end())
      for (size_t N = 0; N < Bytes.size(); ++N)
        Bytes[N] = N < It->second.size() ? It->second[N] : 0;
  }
  uint64_t seed() const override { return Seed; }
  void wake(WorkerId W) override {
    std::lock_guard Guard(Lock);
    Woken.push_back(W);
  }
  std::vector<WorkerId> takeWoken() {
    std::lock_guard Guard(Lock);
    return std::exchange(Woken, {});
  }

  // A task that lives as long as the host.
  Task &task(TestType &T, uint64_t DataBytes = 1024, int32_t Priority = 0) {
    Task &New = Tasks.emplace_back();
    New.Type = &T.Type;
    New.Id = Tasks.size();
    New.DataBytes = DataBytes;
    New.Priority = Priority;
    New.Label = "";
    return New;
  }

  ManualClock Time;
  Platform P;
  History Known;
  unsigned Lambda = 3;
  bool More = false;              // Devices or kernels are to come.
  size_t Most = 0;                // Workers.
  std::vector<Duration> Travel;   // Any task's data, by node.
  std::vector<Duration> Back;     // What any task writes, by node.
  std::vector<Duration> Underway; // By worker.
  std::atomic<unsigned> AskedForTransfers{0};
  std::map<const void *, std::vector<uint64_t>> Valid; // By a section's beginning: bytes by node. Else the host's.
  uint64_t Seed = 1;
  // Gives each device a memory of its own, before the policy starts.
  void apart() {
    for (MemoryNode Node = HostNode; Worker & W : P.Workers)
      if (W.Kind != DeviceKind::Cpu)
        W.Node = ++Node;
  }

private:
  std::mutex Lock;
  std::vector<WorkerId> Woken;
  std::deque<Task> Tasks;
};

// For tests of every policy.
inline std::vector<std::string> policyNames() {
  std::vector<std::string> Names;
  for (const PolicyEntry &E : policies())
    Names.push_back(E.Name);
  return Names;
}
// A policy's name as part of a test's.
inline std::string testName(std::string Policy) {
  std::ranges::replace(Policy, '-', '_');
  return Policy;
}

} // namespace hsched::rt::test
#endif
