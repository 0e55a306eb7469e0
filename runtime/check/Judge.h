// What a running task may touch, and what it does touch: every access of instrumented code comes here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_JUDGE_H
#define HSCHED_CHECK_JUDGE_H

#include "check/Names.h"
#include "check/Order.h"
#include "check/Sections.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace hsched::check {

// A task whose body is under way, or a chunk of a shared loop. By the thread that runs it, with the run's lock.
struct Running {
  Running(TaskRecord &Record, std::span<const hsched_access> Accesses)
      : Record(Record), Accesses(Accesses), Where(Accesses) {}
  TaskRecord &Record;
  const std::span<const hsched_access> Accesses;
  Sections Where;
  std::vector<Clause> Clauses;
  std::string Version;
  Extent Args;
  Address FrameTop = 0;           // What the body has on the stack is below.
  std::map<Address, Address> Own; // Memory that the body has allocated.
  Domain Children;
  Running *Outer = nullptr;

  // Accesses outside of the sections that are told when the body has returned: then it is known how far they go.
  struct Outside {
    Address Low, High;
    bool Writes, Sure; // Not Sure: only if the same instruction was inside as well.
    unsigned Access;
  };
  std::map<Address, Outside> Outsides; // By instruction.
  // What overwritten segments held, and whether they were filled with the pattern.
  struct Saved {
    Segment *Of;
    Extent Valid, Filled; // Valid: what lies in the section's object.
    std::vector<uint8_t> Bytes;
    bool Foreign = false; // To be overwritten: code that is not instrumented writes it; to be read: told already.
  };
  std::vector<Saved> Before;
};

// The one thread that runs a task holds it; recursive, because bodies submit tasks.
extern std::recursive_mutex RunLock;
// The program, or some of it, was compiled with --hsched-check.
extern std::atomic<bool> Instrumented;

struct ThreadView {
  Running *Now = nullptr;
  unsigned Inside = 0;                          // Of this library: what it does itself is not looked at.
  unsigned Paused = 0;                          // Clauses and arguments are evaluated.
  std::map<Address, Address> *Making = nullptr; // Memory of the arguments that are made.
  unsigned Mutexes = 0;
};
extern constinit thread_local ThreadView View __attribute__((tls_model("initial-exec")));

// While the library works.
struct Quiet {
  Quiet() { ++View.Inside; }
  ~Quiet() { --View.Inside; }
};

// Tasks are not complete for the code outside tasks.
extern std::atomic<bool> AnyUnfinished;
extern Domain Root;
extern Names *KnownNames;
extern const rt::CheckedProgram *TheProgram;

// Instructions that have touched a task's sections.
inline constexpr size_t NumInside = 1 << 16;
extern Address SeenInside[NumInside];
inline Address &insideOf(Address Pc) { return SeenInside[(Pc ^ Pc >> 16) % NumInside]; }

void judge(Running &R, Address A, size_t Bytes, bool Writes, Address Pc);
void judgeOutside(Address A, size_t Bytes, bool Writes, Address Pc);

// An access of instrumented code. Any thread.
inline void access(const void *At, size_t Bytes, bool Writes, void *Return) {
  ThreadView &V = View;
  if (V.Inside | V.Paused)
    return;
  const auto A = reinterpret_cast<Address>(At), Pc = reinterpret_cast<Address>(Return) - 1;
  if (Running *R = V.Now) {
    Segment *S = R->Where.find(A);
    if (S && S->High - A >= Bytes && (Writes ? S->MayWrite : S->MayRead) && !S->Overwritten &&
        !R->Children.anyUnfinished()) {
      insideOf(Pc) = Pc;
      return;
    }
    judge(*R, A, Bytes, Writes, Pc);
  } else if (AnyUnfinished.load(std::memory_order_relaxed)) {
    judgeOutside(A, Bytes, Writes, Pc);
  }
}

// Before and after a body. Tell.cpp and Judge.cpp.
void prepare(Running &R);
void conclude(Running &R);
// R's sections against what earlier tasks touched without a clause.
void meetUnnamed(Running &R);
// All tasks are complete: no task that follows races with them.
void forgetTouches();
void forgetTouches(Extent Gone);

enum Kind {
  WritesIn,
  ReadsOut,
  LeavesOut,
  ReadsOutside,
  WritesOutside,
  Race,
  ChangesIn,
  GoesBeyond,
  KernelInside,
  KernelOutside
};
std::string describe(const TaskRecord &T); // "Task 'f' (a.cpp:3)".
void tellInside(Running &R, Kind What, Segment &S, Address A, size_t Bytes, Address Pc);
// Who: null: code outside tasks. Named: by a clause of Other.
void tellRace(TaskRecord *Who, Address Pc, bool Writes, TaskRecord &Other, Address OtherPc, bool OtherWrites,
              Address A);
void tellOutsides(Running &R, bool All); // All: also what may be another member of an object.

// What a kernel's own checks have found: an access of [Low, High), on the host, by a line of the kernel's file.
struct KernelFinding {
  unsigned Access; // The section, or the one nearest to it.
  Address Low, High;
  size_t Bytes; // Of one access.
  bool Writes, Inside;
  unsigned Line;
};
void tellKernel(Running &R, const KernelFinding &X, const std::string &Line);
// Runs a version on its device; a kernel with checks of its bounds, where it has them. Throws what a wait throws.
void runOnDevice(Running &R, unsigned Version, void *Args);

} // namespace hsched::check
#endif
