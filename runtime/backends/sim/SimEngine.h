// Executes a simulated device's operations in one of the three modes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_SIM_SIMENGINE_H
#define HSCHED_BACKENDS_SIM_SIMENGINE_H

#include "backends/sim/Sim.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace hsched::rt::sim {

// Streams are an engine's in-order queues: one for each direction of transfers, then those for kernels.
inline constexpr unsigned FirstCompute = static_cast<unsigned>(Lane::Compute);
constexpr unsigned streamOf(Lane L, unsigned Queue = 0) { return static_cast<unsigned>(L) + Queue; }

SimKernel findKernel(const std::string &Entry); // Empty if there is none.

// The context's lock guards all fields but the first three.
class SimEvent final : public Event {
public:
  SimEvent(std::shared_ptr<Engine> Eng, unsigned On) : Eng(std::move(Eng)), On(On) {}
  bool done() override;
  status wait() override;
  status outcome() override;
  std::optional<Interval> times() override;

  const std::shared_ptr<Engine> Eng;
  const unsigned On;                   // Number of its stream.
  std::atomic<bool> Unreported{false}; // done() is false until requestReport() is called.
  bool Done = false;
  status Result;
  Interval Ran; // In virtual time: planned at the enqueue.
};
using SimEventRef = std::shared_ptr<SimEvent>;

struct Operation {
  std::function<status()> Run; // Owns the buffers that it uses.
  std::vector<SimEventRef> Wait;
  SimEventRef Done;
  uint64_t Sequence = 0;
};

// Engines of one context share one lock, because operations of one may wait for those of another.
struct Context {
  std::mutex M;
  std::condition_variable Changed;
  std::vector<Engine *> Engines; // M guards this and the fields below.
  uint64_t NextSequence = 0;
};

// Any thread. Owned by the device and by its events.
class Engine : public std::enable_shared_from_this<Engine> {
public:
  const bool Profiles; // Events keep their times.

  explicit Engine(const SimOptions &Options);
  ~Engine();
  void start(); // Threads: starts the streams.
  void stop();  // Executes queued operations, then ends the streams' threads.

  // Cost is used in virtual time only. Error invalid_argument for an event of another context.
  status enqueue(Lane L, std::function<status()> Run, std::span<const EventRef> Wait, Duration Cost, EventRef &Done,
                 unsigned Queue = AnyQueue);

  void called(const char *What) const {
    if (Called)
      Called(What);
  }
  bool done(SimEvent &E);
  status wait(SimEvent &E);
  bool step(unsigned Stream);
  size_t pending();
  void flushed() { Unflushed = 0; }
  size_t unflushed() const { return Unflushed.load(); }
  unsigned computeQueues() const { return static_cast<unsigned>(Streams.size()) - FirstCompute; }
  TimePoint now() const { return Manual ? Manual->now() : Steady.now(); }

  // Counted faults and memory accounting of the device.
  struct Verdict {
    status Why; // Ok: no fault.
    bool Late = false;
  };
  // What: for the message. AtCall: only faults with that value; unset: both.
  Verdict fails(SimOp Op, const char *What, errc Otherwise, std::optional<bool> AtCall = {});
  unsigned numFaults() const { return NumFaults.load(); }
  void inject(const SimFault &Fault);
  bool take(uint64_t Bytes, uint64_t Limit); // False: it does not fit.
  void give(uint64_t Bytes);
  uint64_t bytesInUse() const { return Used.load(); }

  const std::shared_ptr<Context> In;
  std::mutex &M; // In's mutex.

private:
  using Guard = std::unique_lock<std::mutex>;
  struct ArmedFault {
    SimFault Fault;
    unsigned NumCalls = 0;
  };
  static bool ready(const Operation &Op);
  unsigned chooseStream(Lane L, const Operation &Op);
  void runStream(unsigned N);
  void runFront(unsigned N, Guard &Lock); // The predecessors of its first operation are done. In mode Threads it runs
                                          // without the lock, otherwise with it.
  void drive(SimEvent &E, Guard &Lock);   // Manual: executes E and its predecessors.
  void executeDue(Guard &Lock); // Virtual: executes operations that have ended by now, on all engines of the context.

  const SimMode Mode;
  const std::function<void()> Polled;
  const std::function<void(const char *)> Called;
  const std::shared_ptr<ManualClock> Manual;
  const SteadyClock Steady;
  std::condition_variable &Changed; // In's condition variable.
  // M protects everything below.
  struct Stream {
    std::deque<Operation> Queue; // The first may be running; then only its event is valid.
    TimePoint BusyUntil;         // In virtual time.
    std::thread Thread;          // In mode Threads; not guarded by M.
  };
  std::vector<Stream> Streams; // Their number is constant.
  unsigned NextQueue = 0;
  bool Stopping = false;

  // Not guarded by M, because operations use them while they run.
  std::atomic<uint64_t> Used{0};
  std::atomic<size_t> Unflushed{0};
  std::mutex FaultM;
  std::vector<ArmedFault> Faults;
  std::atomic<bool> IsLost{false};
  std::atomic<unsigned> NumFaults{0};
};

} // namespace hsched::rt::sim
#endif
