// Compares the accesses of instrumented code with the sections of the running task.
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

// A running task, or a chunk of a shared loop. Used by the thread that runs it, with the run's lock.
struct Running {
  Running(TaskRecord &Record, std::span<const hsched_access> Accesses)
      : Record(Record), Accesses(Accesses), Where(Accesses) {}
  TaskRecord &Record;
  const std::span<const hsched_access> Accesses;
  Sections Where;
  std::vector<Clause> Clauses;
  std::string Version;
  Extent Args;
  Address FrameTop = 0;           // The body's stack frames are below this address.
  std::map<Address, Address> Own; // Memory that the body has allocated.
  // Memory of an object that a clause names: a map's nodes. Found from the object's bytes, at the first access to it.
  struct Block {
    Address High;
    bool MayWrite;
  };
  std::map<Address, Block> OfObjects;
  bool Followed = false;
  bool HasObjects = false;   // Its arguments have destructors.
  std::vector<Extent> Freed; // Such memory, and memory of the arguments, that is freed.
  Domain Children;
  Running *Outer = nullptr;

  // Accesses outside of the sections, reported when the body has returned: then their extent is known.
  struct Outside {
    Address Low, High;
    bool Writes, Sure; // Not Sure: reported only if the same instruction was also inside.
    unsigned Access;
  };
  std::map<Address, Outside> Outsides; // By address of the instruction.
  // Earlier contents of overwritten segments, and whether they were filled with the pattern.
  struct Saved {
    Segment *Of;
    Extent Valid, Filled; // Valid: the part inside the section's object.
    std::vector<uint8_t> Bytes;
    // Overwritten segment: code without instrumentation writes it. Read segment: already reported.
    bool Foreign = false;
  };
  std::vector<Saved> Before;
};

// Held by the one thread that runs a task. Recursive, because bodies submit tasks.
extern std::recursive_mutex RunLock;
// True if some unit was compiled with --hsched-check.
extern std::atomic<bool> Instrumented;

struct ThreadView {
  Running *Now = nullptr;
  unsigned Inside = 0;                          // Depth of calls into this library, whose own accesses are not checked.
  unsigned Paused = 0;                          // Depth of evaluations of clauses and arguments.
  std::map<Address, Address> *Making = nullptr; // Memory of the arguments being constructed.
  unsigned Mutexes = 0;
  Running *Ending = nullptr; // Its arguments are being destroyed.
};
extern constinit thread_local ThreadView View __attribute__((tls_model("initial-exec")));

// A scope in which the library works.
struct Quiet {
  Quiet() { ++View.Inside; }
  ~Quiet() { --View.Inside; }
};

// True if code outside tasks may run before some task is complete.
extern std::atomic<bool> AnyUnfinished;
extern Domain Root;
extern Names *KnownNames;
extern const rt::CheckedProgram *TheProgram;

// Number of remembered instructions that accessed a task's sections.
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

// The byte that data at A hold which a body is about to overwrite.
inline uint8_t patternAt(Address A) { return static_cast<uint8_t>(A * 167 + 91); }
// Before and after a body. Tell.cpp and Judge.cpp. Accesses outside of the sections are left for reportOutsides().
void prepare(Running &R);
void conclude(Running &R);
// After a kernel that runs in addition to the body: data that it did not overwrite.
void concludeKernel(Running &R);
// Checks R's sections against earlier tasks' accesses without a clause.
void checkUnnamed(Running &R);
// All tasks are complete: no later task races with them.
void forgetTouches();
void forgetTouches(Extent Freed);

enum Kind {
  WritesIn,
  ReadsOut,
  Misses,
  ReadsOutside,
  WritesOutside,
  Race,
  ChangesIn,
  ExceedsObject,
  KernelInside,
  KernelOutside
};
std::string describe(const TaskRecord &T); // "task 'f' (a.cpp:3)".
void reportInside(Running &R, Kind What, Segment &S, Address A, size_t Bytes, Address Pc);
// Accessor: null for code outside tasks. Named: a clause of Other names the bytes.
void reportRace(TaskRecord *Accessor, Address Pc, bool Writes, TaskRecord &Other, Address OtherPc, bool OtherWrites,
                Address A);
void reportOutsides(Running &R, bool All); // All: also accesses that may be to another member of an object.

// A finding of a kernel's own checks: an access to [Low, High), in host addresses, by a line of the kernel's file.
struct KernelFinding {
  unsigned Access; // The section, or the nearest one.
  Address Low, High;
  size_t Bytes; // Size of one access.
  bool Writes, Inside;
  unsigned Line;
};
void reportKernel(Running &R, const KernelFinding &X, const std::string &Line);
// Runs a version on its device; a kernel with bounds checks if it has them. Throws what a wait throws.
void runOnDevice(Running &R, unsigned Version, void *Args);

} // namespace hsched::check
#endif
