// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

namespace hsched::oracle {

std::atomic<uint64_t> Progress{1};

namespace {

// Relaxed, so that it orders nothing that the engine does not order.
uint64_t tick() { return Progress.fetch_add(1, std::memory_order_relaxed); }

struct Failure {
  uint32_t Task;
};

// --- reductions

std::atomic<int64_t> Elements{0}; // Private pairs that are made and not destroyed.

// A combination takes its time, now and then: what must not run beside one gets the chance to.
void letOthersRun() {
  static std::atomic<uint32_t> Joined{0};
  if (Joined.fetch_add(1, std::memory_order_relaxed) % 32 == 0)
    std::this_thread::yield();
}

void joinSum(void *Into, const void *From, size_t N) {
  letOthersRun();
  for (size_t I = 0; I < N; ++I)
    static_cast<Word *>(Into)[I] += static_cast<const Word *>(From)[I];
}
void joinXor(void *Into, const void *From, size_t N) {
  letOthersRun();
  for (size_t I = 0; I < N; ++I)
    static_cast<Word *>(Into)[I] ^= static_cast<const Word *>(From)[I];
}
void joinMax(void *Into, const void *From, size_t N) {
  letOthersRun();
  for (size_t I = 0; I < N; ++I)
    static_cast<Word *>(Into)[I] = std::max(static_cast<Word *>(Into)[I], static_cast<const Word *>(From)[I]);
}
void makeZero(void *Copy, const void *, size_t N) { std::fill_n(static_cast<Word *>(Copy), N, Word(0)); }
// An identity that reads the original: the engine must provide it.
void makeFromOriginal(void *Copy, const void *Original, size_t N) {
  for (size_t I = 0; I < N; ++I)
    static_cast<Word *>(Copy)[I] = static_cast<const Word *>(Original)[I] & 0;
}

struct Pair {
  Word Added, Mixed;
};
void makePairs(void *Copy, const void *, size_t N) {
  std::fill_n(static_cast<Pair *>(Copy), N, Pair{});
  Elements.fetch_add(static_cast<int64_t>(N), std::memory_order_relaxed);
}
void joinPairs(void *Into, const void *From, size_t N) {
  letOthersRun();
  for (size_t I = 0; I < N; ++I) {
    static_cast<Pair *>(Into)[I].Added += static_cast<const Pair *>(From)[I].Added;
    static_cast<Pair *>(Into)[I].Mixed ^= static_cast<const Pair *>(From)[I].Mixed;
  }
}
void unmakePairs(void *, size_t N) { Elements.fetch_sub(static_cast<int64_t>(N), std::memory_order_relaxed); }

constexpr size_t OpBytes = sizeof(hsched_reduction_op);
const hsched_reduction_op Operations[] = {
    {OpBytes, "+", sizeof(Word), alignof(Word), makeZero, joinSum, nullptr, 0},
    {OpBytes, "^", sizeof(Word), alignof(Word), makeFromOriginal, joinXor, nullptr, HSCHED_REDUCTION_ORIGINAL},
    {OpBytes, "max", sizeof(Word), alignof(Word), makeZero, joinMax, nullptr, 0},
    {OpBytes, "pair", sizeof(Pair), alignof(Pair), makePairs, joinPairs, unmakePairs, 0}};

// --- tasks

class Run;

std::atomic<int64_t> ArgsAlive{0};

struct Args {
  Args(Run &R, uint32_t Task) : R(&R), Task(Task) { ArgsAlive.fetch_add(1, std::memory_order_relaxed); }
  Args(const Args &) = delete;
  ~Args() { ArgsAlive.fetch_sub(1, std::memory_order_relaxed); }
  Run *R;
  uint32_t Task;
  bool InFinal = false; // It, or what submitted it, is final.
  Word *At[TaskSpec::MostSections] = {};
};

void runBody(Args &A);
void fill(const void *Packed, hsched_ndrange *Range, hsched_kernel_arg *Out);

// --- one run of a program

// Through what a body reaches its memory.
struct Frame {
  const TaskSpec *Task = nullptr; // Null: outside any.
  Word *const *At = nullptr;
  Word *Local = nullptr;
  bool InFinal = false;
};

// Where the program's memory is. What divides memory by address, at whatever power of two, finds the program's on both
// sides if it is of many pages.
class HostMemory {
public:
  explicit HostMemory(const Program &P) {
    constexpr size_t Boundary = size_t(1) << 21;
    size_t Bytes = std::max<size_t>(P.RootWords * sizeof(Word), 64);
    Block = std::aligned_alloc(P.FarApart ? Boundary : 64, P.FarApart ? 2 * Boundary : (Bytes + 63) / 64 * 64);
    if (!Block)
      throw std::bad_alloc();
    Words = reinterpret_cast<Word *>(static_cast<char *>(Block) + (P.FarApart ? Boundary - Bytes / 2 / 64 * 64 : 0));
    std::memset(Words, 0, Bytes);
  }
  ~HostMemory() { std::free(Block); }
  HostMemory(const HostMemory &) = delete;
  Word *Words;

private:
  void *Block;
};

// Ends what bodies have detached, on a thread of its own.
class Ender {
public:
  Ender() : Thread([this] { run(); }) {}
  ~Ender() {
    {
      std::lock_guard Guard(Lock);
      Over = true;
    }
    Some.notify_one();
    Thread.join();
  }
  void add(std::function<void()> End) {
    {
      std::lock_guard Guard(Lock);
      Waiting.push_back(std::move(End));
    }
    Some.notify_one();
  }

private:
  void run() {
    std::unique_lock Guard(Lock);
    for (;;) {
      Some.wait(Guard, [this] { return Over || !Waiting.empty(); });
      if (Waiting.empty())
        return;
      std::function<void()> End = std::move(Waiting.front());
      Waiting.pop_front();
      Guard.unlock();
      End();
      Guard.lock();
    }
  }

  std::mutex Lock;
  std::condition_variable Some;
  std::deque<std::function<void()>> Waiting;
  bool Over = false;
  std::thread Thread; // Last: it uses the others.
};

class Run {
public:
  Run(const Program &P, Port &E, Observed &Out) : P(P), E(E), Out(Out), Memory(P), Refs(P.Tasks.size()) {}
  ~Run() {
    for (hsched_ref *R : Refs)
      if (R)
        E.release(R);
  }

  void all() {
    if (std::ranges::any_of(P.Tasks, &TaskSpec::Detached))
      Ends.emplace();
    std::vector<std::thread> Others;
    for (size_t T = 1; T < P.Threads.size(); ++T)
      Others.emplace_back([this, T] { thread(T); });
    thread(0);
    for (std::thread &T : Others)
      T.join();
    try {
      E.taskwait(true);
    } catch (const Failure &) { // From tasks without a wait.
    }
    std::copy_n(Memory.Words, P.RootWords, Out.Memory.begin());
    if (ArgsAlive.load() != 0)
      Out.Trouble = std::to_string(ArgsAlive.exchange(0)) + " tasks' arguments were not destroyed";
    if (Elements.load() != 0)
      Out.Trouble = std::to_string(Elements.exchange(0)) + " elements of private copies were not destroyed";
  }

  void body(Args &A) {
    const TaskSpec &T = P.Tasks[A.Task];
    TaskRecord &R = Out.Tasks[A.Task];
    ++R.Runs;
    R.Began = tick();
    R.WrongPlace = E.inFinal() != A.InFinal;
    R.Worker = E.worker();
    struct Later { // The last that the body does with the record.
      Run &Self;
      TaskRecord &R;
      std::function<void()> End;
      ~Later() {
        if (End)
          Self.Ends->add([&R = R, End = std::move(End)] {
            R.Over = tick();
            End();
          });
      }
    } Detached{*this, R, T.Detached ? E.detach() : nullptr};
    if (T.Fail == Fails::AtOnce) {
      R.Over = tick();
      throw Failure{A.Task};
    }
    work(A, A.At);
    if (!T.Body.empty()) {
      std::vector<Word> Local(T.LocalWords);
      try {
        actions(T.Body, {&T, A.At, Local.data(), A.InFinal});
      } catch (...) {
        R.Over = tick();
        throw;
      }
    }
    R.Over = tick();
    if (T.Fail == Fails::AtTheEnd)
      throw Failure{A.Task};
  }

  void leaf(Args &A, Word *const *At) {
    TaskRecord &R = Out.Tasks[A.Task];
    ++R.Runs;
    R.Began = tick();
    work(A, At);
    R.Over = tick();
  }

  const Program &P;

private:
  void work(Args &A, Word *const *At) {
    const TaskSpec &T = P.Tasks[A.Task];
    Out.Tasks[A.Task].Sum =
        Work{A.Task, T.Sections, T.Yields}.run([&](size_t I) { return At[I]; }, std::this_thread::yield);
  }

  void thread(size_t T) { actions(P.Threads[T], {}); }

  Word *addressOf(const Section &S, const Frame &F) const {
    if (S.Via == ViaRoot)
      return Memory.Words + S.Begin;
    if (S.Via == ViaLocal)
      return F.Local + (S.Begin - F.Task->LocalBegin);
    auto Via = static_cast<size_t>(S.Via);
    return F.At[Via] + (S.Begin - F.Task->Sections[Via].Begin);
  }
  hsched_access accessOf(const Section &S, const Frame &F, unsigned Param) const {
    return {addressOf(S, F), S.Words * sizeof(Word), S.Rows, S.Stride * sizeof(Word), S.Mode, Param};
  }

  void actions(const std::vector<Action> &Body, const Frame &F) {
    for (const Action &A : Body) {
      ActionRecord &R = Out.Actions[A.Id];
      if (A.What == Action::Submit) {
        submit(A.Task, F);
        R.Returned = tick();
        continue;
      }
      try {
        if (A.What == Action::Wait) {
          E.taskwait(A.Flush);
        } else {
          std::vector<hsched_access> On;
          for (const Section &S : A.Sections)
            On.push_back(accessOf(S, F, HSCHED_NO_PARAM));
          E.taskwaitOn(On, A.Flush);
        }
      } catch (...) { // Failure, or task_error where that had been thrown before.
        R.Threw = true;
        R.Returned = tick();
        if (F.Task && !F.Task->Catches)
          throw;
      }
      if (!R.Threw)
        R.Returned = tick();
      R.Sum = Work{A.Id, A.Sections}.run([&](size_t I) { return addressOf(A.Sections[I], F); }, [] {});
    }
  }

  void submit(uint32_t Index, const Frame &F) {
    const TaskSpec &T = P.Tasks[Index];
    auto N = static_cast<unsigned>(T.Sections.size());
    hsched_access Described[TaskSpec::MostSections], *Accesses = Described;
    alignas(Args) std::byte Own[sizeof(Args)];
    void *Place = Own;
    hsched_task *Begun = T.Named ? nullptr : E.begin(T.Kind, N, Accesses, Place);
    auto *Packed = new (Place) Args(*this, Index);
    Packed->InFinal = F.InFinal || T.Final;
    hsched_reduction Reductions[TaskSpec::MostSections];
    hsched_submit_options How{};
    How.struct_bytes = sizeof(How);
    for (unsigned I = 0; I < N; ++I) {
      const Section &S = T.Sections[I];
      Accesses[I] = accessOf(S, F, I);
      Packed->At[I] = addressOf(S, F);
      if (S.Mode == HSCHED_REDUCTION)
        Reductions[How.n_reductions++] = {I, &Packed->At[I], &Operations[static_cast<int>(S.Op)]};
    }
    How.reductions = Reductions;
    How.priority = T.Priority;
    How.label = T.Labelled ? "labelled" : nullptr;
    How.flags = (T.If0 ? HSCHED_SUBMIT_UNDEFERRED : 0) | (T.Final ? HSCHED_SUBMIT_FINAL : 0);
    if (!T.Named)
      return E.submit(Begun, How);
    std::vector<hsched_ref *> After;
    for (uint32_t Before : T.After)
      if (Refs[Before])
        After.push_back(Refs[Before]);
    hsched_placement Where{sizeof(Where),
                           T.AllowedOn.empty() ? nullptr : T.AllowedOn.data(),
                           static_cast<unsigned>(T.AllowedOn.size()),
                           nullptr,
                           0,
                           0};
    hsched_submission What{};
    What.struct_bytes = sizeof(What);
    What.options = &How;
    What.accesses = Accesses;
    What.n_accesses = N;
    What.args = Packed;
    What.move = [](void *To, void *From) {
      auto &Old = *static_cast<Args *>(From);
      auto *New = new (To) Args(*Old.R, Old.Task);
      New->InFinal = Old.InFinal;
      std::ranges::copy(Old.At, New->At);
    };
    What.after = After.data();
    What.n_after = static_cast<unsigned>(After.size());
    What.placement = &Where;
    E.submit(T.Kind, What, &Refs[Index]);
    Packed->~Args();
  }

  Port &E;
  Observed &Out;
  const HostMemory Memory;
  std::vector<hsched_ref *> Refs; // By task: each by the thread that submits it.
  std::optional<Ender> Ends;
};

void runBody(Args &A) { A.R->body(A); }
void fill(const void *Packed, hsched_ndrange *Range, hsched_kernel_arg *Out) {
  auto *A = static_cast<const Args *>(Packed);
  Range->dims = 1;
  Range->global[0] = 1;
  Out[0] = {HSCHED_ARG_VALUE, HSCHED_NO_PARAM, sizeof(A), nullptr, nullptr, {}};
  std::memcpy(Out[0].storage, &A, sizeof(A));
  Out[0].value = Out[0].storage;
  const TaskSpec &T = A->R->P.Tasks[A->Task];
  for (unsigned I = 0; I < TaskSpec::MostSections; ++I) {
    bool Some = I < T.Sections.size() && T.Sections[I].Words && T.Sections[I].Rows;
    Out[1 + I] = {HSCHED_ARG_BUFFER, Some ? I : HSCHED_NO_PARAM, 0, nullptr, Some ? A->At[I] : nullptr, {}};
  }
}

} // namespace

TaskDescription::TaskDescription(Versions Kind) {
  static const char *const Names[] = {"oracle_cpu", "oracle_two", "oracle_both", "oracle_device"};
  Task.struct_bytes = sizeof(Task);
  Task.abi_major = HSCHED_ABI_MAJOR;
  Task.abi_minor = HSCHED_ABI_MINOR;
  Task.name = Task.linker_name = Names[static_cast<int>(Kind)];
  Task.file = "random";
  Task.args_bytes = sizeof(Args);
  Task.args_align = alignof(Args);
  Task.destroy = [](void *A) { static_cast<Args *>(A)->~Args(); };
  for (hsched_version_desc *V : {&Cpu, &Other, &OnDevice}) {
    V->struct_bytes = sizeof(*V);
    V->linker_name = V->name = Task.name;
    V->file = Task.file;
    V->device = HSCHED_DEVICE_CPU;
    V->run = [](void *A) { runBody(*static_cast<Args *>(A)); };
  }
  Other.linker_name = Other.name = "oracle_other";
  OnDevice.linker_name = OnDevice.name = "oracle_kernel";
  OnDevice.device = HSCHED_DEVICE_OPENCL;
  OnDevice.run = nullptr;
  OnDevice.kernel = &Kernel;
  Kernel.struct_bytes = sizeof(Kernel);
  Kernel.name = Kernel.entry = "oracle_kernel";
  Kernel.n_args = 1 + TaskSpec::MostSections;
  Kernel.flags = HSCHED_KERNEL_OFFSETS;
  Kernel.fill = fill;
  if (Kind != Versions::Device)
    All.push_back(&Cpu);
  if (Kind == Versions::TwoCpu)
    All.push_back(&Other);
  if (Kind == Versions::CpuAndDevice || Kind == Versions::Device)
    All.push_back(&OnDevice);
}

const TaskDescription &describe(Versions Kind) {
  static const TaskDescription All[] = {TaskDescription(Versions::Cpu), TaskDescription(Versions::TwoCpu),
                                        TaskDescription(Versions::CpuAndDevice), TaskDescription(Versions::Device)};
  return All[static_cast<int>(Kind)];
}

void runKernel(void *Packed, Word *const *At) {
  auto &A = *static_cast<Args *>(Packed);
  A.R->leaf(A, At);
}

void runOn(Port &E, const Program &P, Observed &Out) { Run(P, E, Out).all(); }

} // namespace hsched::oracle
