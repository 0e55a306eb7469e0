// Runs a program on an executor with worker threads, and notes what could be seen.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ORACLE_RUN_H
#define HSCHED_TEST_ORACLE_RUN_H

#include "Program.h"

#include <hsched/engine_abi.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hsched::oracle {

// What a task saw; moments are numbers that only grow. Written by the thread that ran it.
struct TaskRecord {
  uint32_t Runs = 0;
  uint64_t Began = 0, Over = 0; // The body.
  Word Sum = 0;                 // Sum of the words that it read.
  int Worker = -1;              // That ran the body; -1: not known.
  bool WrongPlace = false;      // A final task's descendant that does not know.
};
// What a submission or a wait saw. Written by the thread that does it.
struct ActionRecord {
  bool Threw = false;
  uint64_t Returned = 0;
  Word Sum = 0; // Sum of the words that were read then.
};
struct Observed {
  explicit Observed(const Program &P) : Tasks(P.Tasks.size()), Actions(P.Actions), Memory(P.RootWords) {}
  std::vector<TaskRecord> Tasks;
  std::vector<ActionRecord> Actions;
  std::vector<Word> Memory; // At the end.
  std::string Trouble;      // What went wrong apart from results.
};

// One unit of work: what it reads and what it writes. Used by the run and by the serial oracle alike. At gives the
// address of a section's first word; Yield lets others run.
struct Work {
  uint32_t Salt;
  const std::vector<Section> &Sections;
  uint8_t Yields = 0;
  template <class Address, class Pause> Word run(Address At, Pause Yield) const;
};

// The engine's interface: the C ABI's functions, or what they call.
class Port {
public:
  virtual ~Port() = default;
  virtual hsched_task *begin(Versions Kind, unsigned NumAccesses, hsched_access *&Accesses, void *&Args) = 0;
  virtual void submit(hsched_task *Task, const hsched_submit_options &How) = 0;
  virtual void taskwait(bool Flush) = 0;
  virtual void taskwaitOn(std::span<const hsched_access> Sections, bool Flush) = 0;
  virtual bool inFinal() = 0;
  // Described tasks. What has no type yet; *Ref is given up by release.
  virtual void submit(Versions Kind, hsched_submission &What, hsched_ref **Ref) = 0;
  virtual void release(hsched_ref *Ref) = 0;
  virtual std::function<void()> detach() = 0; // What ends the task whose body this is.
  virtual int worker() { return -1; }         // Worker of the calling thread.
};

// Tasks of one kind, as a program describes them.
struct TaskDescription {
  explicit TaskDescription(Versions Kind);
  TaskDescription(const TaskDescription &) = delete;
  hsched_task_desc Task{};
  hsched_version_desc Cpu{}, Other{}, OnDevice{};
  hsched_kernel_desc Kernel{};
  std::vector<const hsched_version_desc *> All;
};
const TaskDescription &describe(Versions Kind);
// The kernel's body. Its arguments are a value, the pointer to a task's packed arguments, and where its sections are.
void runKernel(void *Packed, Word *const *At);

// Runs P to its end. Blocks.
void runOn(Port &E, const Program &P, Observed &Out);

// A machine that lives as long as this.
std::unique_ptr<Port> makeMachine(const Setup &S);
extern const bool OwnMachines; // Each is as its Setup says, and there may be several.

// A number that grows whenever anything happens: for those who watch for standstills.
extern std::atomic<uint64_t> Progress;

// --- implementation

inline Word mix(Word V) {
  V ^= V >> 16;
  V *= 0x7feb352du;
  V ^= V >> 15;
  V *= 0x846ca68bu;
  return V ^ (V >> 16);
}

template <class Address, class Pause> Word Work::run(Address At, Pause Yield) const {
  Word Sum = mix(Salt + 1);
  auto each = [&](size_t I, auto Visit) {
    Word *Base = At(I);
    const Section &S = Sections[I];
    for (uint32_t R = 0; R < S.Rows; ++R)
      for (uint32_t W = 0; W < S.Words; ++W)
        Visit(Base[R * S.Stride + W], R * S.Words + W);
  };
  for (size_t I = 0; I < Sections.size(); ++I)
    if (Sections[I].Mode == HSCHED_IN || Sections[I].Mode == HSCHED_INOUT)
      each(I, [&](Word &Is, uint32_t) { Sum = Sum * 31 + Is; });
  for (unsigned Y = 0; Y < Yields; ++Y)
    Yield();
  for (size_t I = 0; I < Sections.size(); ++I)
    if (Sections[I].Mode == HSCHED_OUT || Sections[I].Mode == HSCHED_INOUT)
      each(I, [&](Word &Is, uint32_t N) { Is = mix(Sum + N); });
  for (size_t I = 0; I < Sections.size(); ++I) {
    const Section &S = Sections[I];
    if (S.Mode == HSCHED_CONCURRENT)
      each(I, [&](Word &Is, uint32_t N) { std::atomic_ref(Is).fetch_add(Sum + N, std::memory_order_relaxed); });
    if (S.Mode == HSCHED_COMMUTATIVE)
      each(I, [&](Word &Is, uint32_t N) {
        Word Was = Is;
        if (N == 0 && Yields)
          Yield();
        Is = Was + Sum + N;
      });
    if (S.Mode == HSCHED_REDUCTION)
      each(I, [&](Word &Is, uint32_t N) {
        switch (S.Op) {
        case Reduction::Sum:
          Is += Sum + N;
          break;
        case Reduction::Xor:
          Is ^= Sum + N;
          break;
        case Reduction::Max:
          Is = std::max(Is, Sum + N);
          break;
        case Reduction::Pair:
          N % 2 ? Is ^= Sum : Is += Sum + N;
          break;
        }
      });
  }
  return Sum;
}

} // namespace hsched::oracle
#endif
