// HSCHED_PROGRESS: a line now and then while the program runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Shards.h"
#include "trace/Table.h"
#include "trace/Writers.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>

namespace hsched::rt {
namespace {

struct Done {
  std::map<uint32_t, uint64_t> Tasks; // By worker.
};

// "12,345".
std::string grouped(uint64_t N) {
  std::string Text = std::to_string(N);
  for (size_t At = Text.size(); At > 3;)
    Text.insert(At -= 3, 1, ',');
  return Text;
}

class Progress final : public Observer {
public:
  Progress(Duration Every, std::function<void(const std::string &)> Print) : Every(Every), Print(std::move(Print)) {}

  // Observation must not change the paths of tasks.
  bool wantsEachTask() const override { return false; }

  void rowAdded(const RowRecord &R) override {
    if (R.Kind != RowKind::CpuWorker && R.Kind != RowKind::DeviceCompute)
      return;
    std::lock_guard Guard(Lock);
    std::string Name = R.Name.substr(0, R.Name.rfind(" queue "));
    Names[R.Worker] = R.Kind == RowKind::CpuWorker && R.Model == "cpu" ? "CPU" : std::move(Name);
  }
  void submitted(const SubmitRecord &R) override {
    Submitted.fetch_add(1, std::memory_order_relaxed);
    printIfDue(R.At);
  }
  void ran(const RunRecord &R) override {
    Parts.with(R.Worker, [&](Done &D) { ++D.Tasks[R.Worker]; });
    Ended.fetch_add(1, std::memory_order_relaxed);
    printIfDue(R.Ran.End);
  }
  // Tasks without a record of their own end before the wait for them does.
  void waited(const WaitRecord &R) override { noteTime(R.Waited.End); }
  void counted(const CountRecord &R) override {
    Parts.with(R.Worker, [&](Done &D) { D.Tasks[R.Worker] += R.Runs; });
    Ended.fetch_add(R.Runs, std::memory_order_relaxed);
  }
  void finished() override {
    std::lock_guard Guard(Lock);
    if (Printed)
      print(TimePoint(Duration(LastRecord.load())), true);
  }

private:
  void noteTime(TimePoint Now) {
    const int64_t At = Now.time_since_epoch().count();
    for (int64_t Last = LastRecord.load(std::memory_order_relaxed); Last < At;)
      if (LastRecord.compare_exchange_weak(Last, At, std::memory_order_relaxed))
        return;
  }

  // The first thread after the time of the next line prints it. The first call sets that time.
  void printIfDue(TimePoint Now) {
    noteTime(Now);
    int64_t At = Now.time_since_epoch().count(), Then = Next.load(std::memory_order_relaxed);
    if (Then != 0 && At < Then)
      return;
    if (!Next.compare_exchange_strong(Then, At + Every.count()))
      return;
    std::lock_guard Guard(Lock);
    if (Then == 0)
      Began = PreviousLine = Now;
    else
      print(Now, false);
  }

  // Under Lock.
  void print(TimePoint Now, bool Last) {
    const uint64_t Count = Ended.load(), All = std::max(Count, Submitted.load());
    const double Seconds = std::chrono::duration<double>(Now - PreviousLine).count();
    const double Rate = Seconds > 0 ? static_cast<double>(Count - Before) / Seconds : 0;
    std::map<std::string, uint64_t> Shares;
    Parts.forEach([&](Done &D) {
      for (auto [Worker, Tasks] : D.Tasks)
        Shares[Names[Worker]] += Tasks;
    });
    std::string Text = grouped(Count) + (Last ? "" : " of " + grouped(All)) + " tasks done";
    if (Last)
      Text += " in " + formatTime(std::chrono::duration<double, std::nano>(Now - Began).count());
    else
      Text += ", " + grouped(static_cast<uint64_t>(Rate + 0.5)) + " a second";
    const char *Between = "; ";
    for (auto &[Name, Tasks] : Shares) {
      Text += Between + Name + " " + formatShare(static_cast<double>(Tasks), static_cast<double>(Count));
      Between = ", ";
    }
    if (!Last && Rate > 0 && All > Count)
      Text += "; " + formatTime(static_cast<double>(All - Count) / Rate * 1e9) + " for those submitted";
    Print(Text);
    Printed = true;
    PreviousLine = Now;
    Before = Count;
  }

  const Duration Every;
  const std::function<void(const std::string &)> Print;
  std::atomic<uint64_t> Submitted{0}, Ended{0};
  std::atomic<int64_t> Next{0};       // Time of the next line. 0: no call yet.
  std::atomic<int64_t> LastRecord{0}; // The latest time in a record.
  Shards<Done> Parts;                 // By worker.
  std::mutex Lock;                    // Guards the fields below.
  std::map<uint32_t, std::string> Names;
  TimePoint Began{}, PreviousLine{};
  uint64_t Before = 0;
  bool Printed = false;
};

} // namespace

std::unique_ptr<Observer> makeProgress(Duration Every, std::function<void(const std::string &)> Print) {
  return std::make_unique<Progress>(Every, std::move(Print));
}

} // namespace hsched::rt
