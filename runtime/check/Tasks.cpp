// A checked run: each task runs at its submission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Judge.h"
#include "check/Report.h"

#include "base/Log.h"
#include "base/SectionsOf.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <new>
#include <set>
#include <utility>

namespace hsched::check {
namespace {

// The handle that begin returns. The arguments follow, aligned.
struct Begun {
  hsched_task_type *Type;
  std::vector<hsched_access> Accesses;
  void *Args;
  void *Memory;
  std::map<Address, Address> Own; // Memory of the arguments.
  std::map<Address, Address> *Was = nullptr;
};

// Holds the run's lock, which is not a mutex of the program.
struct LockOfRun {
  LockOfRun() {
    Quiet Now;
    RunLock.lock();
  }
  ~LockOfRun() {
    Quiet Now;
    RunLock.unlock();
  }
};

std::deque<TaskRecord> &records() {
  static auto *Made = new std::deque<TaskRecord>;
  return *Made;
}
std::exception_ptr &failureOf(const Running *Context) {
  static auto *Made = new std::map<const Running *, std::exception_ptr>;
  return (*Made)[Context];
}
Domain &domainOf(Running *Context) { return Context ? Context->Children : Root; }

hsched_task *begin(hsched_task_type *Type, unsigned N, hsched_access **Accesses, void **Args) {
  Quiet Now;
  const hsched_task_desc *D = TheProgram->Description(Type);
  if (!D)
    TheProgram->Fail(TheProgram->Name(Type), "it is defined in a file that hsched-cc did not compile");
  auto Made = std::make_unique<Begun>(Begun{Type, std::vector<hsched_access>(N), nullptr, nullptr, {}, View.Making});
  const size_t Align = std::max(D->args_align, sizeof(void *));
  Made->Memory = std::malloc(D->args_bytes + Align);
  if (!Made->Memory)
    throw std::bad_alloc();
  Made->Args = reinterpret_cast<void *>((reinterpret_cast<Address>(Made->Memory) + Align - 1) / Align * Align);
  *Accesses = Made->Accesses.data();
  *Args = Made->Args;
  ++View.Paused; // Until the submission.
  View.Making = &Made->Own;
  return reinterpret_cast<hsched_task *>(Made.release());
}

struct Freed {
  Begun *Of;
  bool Constructed;
  void destroy() {
    ++View.Paused;
    if (const hsched_task_desc *D = TheProgram->Description(Of->Type); std::exchange(Constructed, false) && D->destroy)
      D->destroy(Of->Args);
    --View.Paused;
  }
  ~Freed() {
    destroy();
    Quiet Now;
    std::free(Of->Memory);
    delete Of;
  }
};

void made(const Begun &B) {
  --View.Paused;
  View.Making = B.Was;
}

void abandon(hsched_task *Task) {
  made(*reinterpret_cast<Begun *>(Task));
  Freed{reinterpret_cast<Begun *>(Task), false};
}

// Runs the body with checks. Not inlined, so that its frame is above all of the body's.
[[gnu::noinline]] void runBody(Running &R, void (*Body)(void *), void *Args) {
  R.FrameTop = reinterpret_cast<Address>(__builtin_frame_address(0));
  const ThreadView Was = View;
  View = {&R, 0, 0, nullptr, 0};
  struct Back {
    const ThreadView &Was;
    ~Back() { View = Was; }
  } End{Was};
  Body(Args);
}

// The next CPU version, in rotation; null: none.
const hsched_version_desc *cpuVersion(hsched_task_type *Type) {
  static auto *Turns = new std::map<hsched_task_type *, unsigned>;
  std::vector<const hsched_version_desc *> All;
  for (unsigned I = 0; I < TheProgram->NumVersions(Type); ++I)
    if (const hsched_version_desc *V = TheProgram->Version(Type, I); V->device == HSCHED_DEVICE_CPU && V->run)
      All.push_back(V);
  return All.empty() ? nullptr : All[(*Turns)[Type]++ % All.size()];
}

std::string nameOf(const hsched_version_desc &V) {
  return std::string("'") + V.name + "'" + (V.device == HSCHED_DEVICE_CPU ? " on the CPU" : " on a device");
}

// The sections of a task if V runs (null: the task's own), and their clauses.
struct VersionsSections {
  std::vector<hsched_access> List;
  std::vector<Clause> Clauses;
  VersionsSections(const Begun &B, const hsched_version_desc *V) : List(B.Accesses) {
    Clauses = KnownNames->of(B.Type, List);
    if (!V || !rt::hasOwnSections(*V))
      return;
    std::vector<hsched_access> Own;
    rt::appendOwnSections(*V, B.Args, Own);
    for (hsched_access &A : List)
      A = rt::unlessReplaced(A, Own);
    List.insert(List.end(), Own.begin(), Own.end());
    const std::vector<Clause> More = KnownNames->ofVersion(*V, Own);
    Clauses.insert(Clauses.end(), More.begin(), More.end());
  }
};

// All that some version of the task names.
std::vector<hsched_access> unionOf(const Begun &B) {
  std::vector<hsched_access> All = B.Accesses;
  for (unsigned I = 0; I < TheProgram->NumVersions(B.Type); ++I)
    if (const hsched_version_desc *V = TheProgram->Version(B.Type, I); rt::hasOwnSections(*V))
      rt::appendOwnSections(*V, B.Args, All);
  return All;
}

std::vector<std::pair<Address, std::vector<char>>> bytesOf(Sections &Where) {
  std::vector<std::pair<Address, std::vector<char>>> Kept;
  for (const Segment &S : Where.all()) // Inputs are saved too, because a wrong kernel may write them.
    Kept.emplace_back(S.Low, std::vector<char>(reinterpret_cast<char *>(S.Low), reinterpret_cast<char *>(S.High)));
  return Kept;
}
void restore(const std::vector<std::pair<Address, std::vector<char>>> &Kept) {
  for (const auto &[Low, Bytes] : Kept)
    std::memcpy(reinterpret_cast<void *>(Low), Bytes.data(), Bytes.size());
}

// Kernels with bounds checks run in addition to a CPU version, on the same data: their outputs are restored.
void runKernels(Running &R, Begun &B, bool OfOwn = false, unsigned From = 0, unsigned To = UINT_MAX) {
  static auto *Unusable = new std::set<const hsched_version_desc *>; // Versions that no device can run.
  for (unsigned I = From; I < std::min(To, TheProgram->NumVersions(B.Type)); ++I) {
    const hsched_version_desc *V = TheProgram->Version(B.Type, I);
    if (!V->kernel || !rt::checksBounds(*V->kernel) || Unusable->contains(V) || rt::hasOwnSections(*V) != OfOwn)
      continue;
    const auto Kept = bytesOf(R.Where);
    R.Version = nameOf(*V);
    try {
      runOnDevice(R, I, B.Args);
      concludeKernel(R);
    } catch (const std::exception &) {
      Unusable->insert(V);
    }
    restore(Kept);
  }
}

// The same for kernels with sections of their own, before the data are prepared for the CPU version.
void runOwnKernels(TaskRecord &Record, Running *Outer, Begun &B) {
  for (unsigned I = 0; I < TheProgram->NumVersions(B.Type); ++I) {
    const hsched_version_desc *V = TheProgram->Version(B.Type, I);
    if (!V->kernel || !rt::hasOwnSections(*V))
      continue;
    const VersionsSections Named(B, V);
    Running R(Record, Named.List);
    R.Outer = Outer;
    R.Clauses = Named.Clauses;
    const auto Before = bytesOf(R.Where);
    prepare(R);
    runKernels(R, B, true, I, I + 1);
    restore(Before);
  }
}

void runOne(Running &R, Begun &B, const hsched_version_desc *V) {
  try {
    if (V) {
      {
        Quiet Now;
        runKernels(R, B);
      }
      R.Version = nameOf(*V);
      runBody(R, V->run, B.Args);
      return;
    }
    Quiet Now;
    if (TheProgram->NumVersions(B.Type) == 0)
      TheProgram->Fail(TheProgram->Name(B.Type), "it has no version");
    R.Version = nameOf(*TheProgram->Version(B.Type, 0));
    runOnDevice(R, 0, B.Args);
  } catch (...) {
    Quiet Now;
    R.Record.Failed = true;
    std::exception_ptr &First = failureOf(R.Outer);
    First = First ? First : std::current_exception();
  }
}

void submit(hsched_task *Task, const hsched_submit_options *How) {
  Begun &B = *reinterpret_cast<Begun *>(Task);
  made(B);
  Freed Later{&B, true};
  LockOfRun Guard;
  Running *Outer = View.Now;
  std::optional<Quiet> Now(std::in_place);
  TaskRecord &Record = records().emplace_back();
  Record.Type = B.Type;
  Record.Parent = Outer ? &Outer->Record : nullptr;
  Domain &Siblings = domainOf(Outer);
  const hsched_version_desc *V = cpuVersion(B.Type);
  // Without a CPU version, the first of the others runs.
  const VersionsSections Named(B, V || TheProgram->NumVersions(B.Type) == 0 ? V : TheProgram->Version(B.Type, 0));
  Siblings.submit(Record, unionOf(B));
  Running R(Record, Named.List);
  R.Outer = Outer;
  R.Own = std::move(B.Own);
  R.Clauses = Named.Clauses;
  R.HasObjects = TheProgram->Description(B.Type)->destroy != nullptr;
  R.Args = {reinterpret_cast<Address>(B.Args),
            reinterpret_cast<Address>(B.Args) + TheProgram->Description(B.Type)->args_bytes};
  Record.Failed = std::ranges::any_of(Record.Before, [](const TaskRecord *T) { return T->Failed; });
  if (!Record.Failed) {
    checkUnnamed(R);
    if (V)
      runOwnKernels(Record, Outer, B);
    prepare(R);
    Now.reset();
    runOne(R, B, V);
    Now.emplace();
    conclude(R);
    Now.reset();
    View.Ending = &R;
    Later.destroy();
    View.Ending = nullptr;
    Now.emplace();
    reportOutsides(R, false);
  }
  // Bytes that a child has overwritten count as overwritten by its parent.
  for (Running *Around = Outer; Around; Around = Around->Outer)
    for (const Segment &S : R.Where.all())
      if (S.MayWrite)
        for (Segment *In = Around->Where.next(0); In; In = Around->Where.next(In->High))
          if (In->Overwritten && In->Low < S.High && S.Low < In->High) {
            const Address Low = std::max(In->Low, S.Low), High = std::min(In->High, S.High);
            std::memset(Around->Where.written(*In, Low), 1, High - Low);
          }
  R.Children.waited(); // Complete before this one.
  Record.Over = true;
  if (How && How->flags & (HSCHED_SUBMIT_UNDEFERRED | HSCHED_SUBMIT_FINAL))
    Siblings.ranInPlace(Record);
  if (!Outer)
    AnyUnfinished = Root.anyUnfinished();
}

void throwFailure(Running *Context) {
  if (std::exception_ptr First = std::exchange(failureOf(Context), nullptr))
    std::rethrow_exception(First);
}

void wait() {
  LockOfRun Guard;
  Running *Context = View.Now;
  {
    Quiet Now;
    domainOf(Context).waited();
    if (!Context) {
      forgetTouches();
      AnyUnfinished = false;
    }
  }
  throwFailure(Context);
}

void waitOn(const hsched_access *Sections, size_t N) {
  LockOfRun Guard;
  Running *Context = View.Now;
  {
    Quiet Now;
    domainOf(Context).waitedOn({Sections, N});
    if (!Context)
      AnyUnfinished = Root.anyUnfinished();
  }
  throwFailure(Context);
}

// A shared loop: chunks are tasks without clauses, and in no order. --------------------------------------------------

struct LoopRun {
  const hsched_shared_loop *Loop;
  unsigned long long Count, Grain, Next = 0;
  Running *Outer;
  std::optional<Running> Now;
  LoopRun *Was;
  Address FrameTop = 0; // Frames of the loop's body are below.
  // Memory that chunks have allocated. Later ones reach it by private copies of reductions, or by pointers that race.
  std::map<Address, Address> Own = {};
};
constinit thread_local LoopRun *TheLoop = nullptr;

void endChunk(LoopRun &L) {
  View.Now = L.Outer;
  if (!L.Now)
    return;
  L.Now->Children.waited();
  L.Own = std::move(L.Now->Own);
  L.Now->Record.Over = true;
  L.Now.reset();
}

bool loopNext(unsigned long long *First, unsigned long long *Count) {
  LoopRun &L = *TheLoop;
  Quiet Busy;
  endChunk(L);
  *First = L.Next;
  *Count = std::min(L.Grain, L.Count - L.Next);
  L.Next += *Count;
  if (*Count == 0)
    return false;
  TaskRecord &Record = records().emplace_back();
  Record.Loop = L.Loop;
  Record.Parent = L.Outer ? &L.Outer->Record : nullptr;
  L.Now.emplace(Record, std::span<const hsched_access>());
  L.Now->Outer = L.Outer;
  L.Now->FrameTop = L.FrameTop;
  L.Now->Own = std::move(L.Own);
  domainOf(L.Outer).submit(Record, {});
  View.Now = &*L.Now;
  return true;
}

[[gnu::noinline]] void loop(const hsched_shared_loop *Loop, unsigned long long N, unsigned long long Grain,
                            void (*Work)(void *, hsched_loop_share *), void *Closure) {
  LockOfRun Guard;
  LoopRun L{Loop, N, Grain ? Grain : std::max<unsigned long long>(1, N / 8), 0, View.Now, {}, TheLoop};
  L.FrameTop = reinterpret_cast<Address>(__builtin_frame_address(0));
  TheLoop = &L;
  struct End {
    LoopRun &L;
    ~End() {
      Quiet Busy;
      endChunk(L);
      TheLoop = L.Was;
      domainOf(L.Outer).waited();
      if (!L.Outer) {
        forgetTouches();
        AnyUnfinished = false;
      }
    }
  } Last{L};
  Work(Closure, reinterpret_cast<hsched_loop_share *>(&L)); // Null means that all iterations are the caller's.
}

// For a body that accesses unmapped memory: accesses outside of its sections are reported before the signal ends the
// program. The access was checked before it was made. The handler may call any function, because the program is
// ending.
struct sigaction HandlersBefore[NSIG];

void crashed(int Signal) {
  sigaction(Signal, &HandlersBefore[Signal], nullptr);
  if (Running *R = View.Inside ? nullptr : View.Now) {
    Quiet Now;
    reportOutsides(*R, true);
    rt::log(rt::LogLevel::Error, "checked run: %s ends the program with signal %d, in version %s",
            describe(R->Record).c_str(), Signal, R->Version.c_str());
  }
} // The instruction is repeated, and faults again.

void watchCrashes() {
  for (int Signal : {SIGSEGV, SIGBUS}) {
    struct sigaction Handler{};
    Handler.sa_handler = crashed;
    sigaction(Signal, &Handler, &HandlersBefore[Signal]);
  }
}

const rt::CheckedRun Run = {begin, submit, abandon, wait, waitOn, loop, loopNext};

} // namespace
} // namespace hsched::check

extern "C" [[gnu::visibility("default")]] void hsched_check_pause(int Begins) {
  hsched::check::View.Paused += Begins ? 1u : ~0u;
}

extern "C" [[gnu::visibility("default")]] const hsched::rt::CheckedRun *
hsched_check_begin_1(const hsched::rt::CheckedProgram *Program) {
  using namespace hsched::check;
  Quiet Now;
  hsched::rt::suppressSettingWarnings();
  TheProgram = Program;
  KnownNames = new Names(*Program);
  watchExit();
  watchCrashes();
  return &Run;
}
