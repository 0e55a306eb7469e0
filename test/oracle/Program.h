// Random programs of tasks, as plain values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's memory consists of words with coordinates. One part is updated by all submitting threads, each of them
// has a slice, and some tasks have local memory. A section names its words by coordinates. It also names the parent's
// section through which it is reached, because a parent that reduces has a private copy.
#ifndef HSCHED_TEST_ORACLE_PROGRAM_H
#define HSCHED_TEST_ORACLE_PROGRAM_H

#include <hsched/abi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hsched::oracle {

using Word = uint32_t;

enum : int { ViaRoot = -1, ViaLocal = -2 };
enum class Reduction : uint8_t { Sum, Xor, Max, Pair }; // Pair: a user's own, of two words, with a destructor.

struct Section {
  unsigned Mode = HSCHED_IN;
  uint32_t Begin = 0, Words = 0, Rows = 1, Stride = 0; // In words.
  int Via = ViaRoot;                                   // Which of the parent's sections it is part of.
  Reduction Op = Reduction::Sum;

  uint32_t end() const {
    return Words == 0 || Rows == 0 ? Begin : Begin + (Rows - 1) * Stride + Words;
  } // End of the hull.
  bool same(const Section &S) const {
    return Begin == S.Begin && Words == S.Words && Rows == S.Rows && (Rows <= 1 || Stride == S.Stride) && Op == S.Op;
  }
  template <class Fn> void each(Fn Visit) const {
    for (uint32_t R = 0; R < Rows; ++R)
      for (uint32_t I = 0; I < Words; ++I)
        Visit(Begin + R * Stride + I);
  }
};
// Whether both name a word; whether their hulls meet.
bool overlap(const Section &A, const Section &B);
inline bool hullsMeet(const Section &A, const Section &B) {
  return A.Begin < B.end() && B.Begin < A.end() && A.Begin < A.end() && B.Begin < B.end();
}

struct Action {
  enum Kind : uint8_t { Submit, Wait, WaitOn } What = Submit;
  bool Flush = true;
  uint32_t Id = 0;   // Number among all actions of the program.
  uint32_t Task = 0; // Submit.
  // WaitOn: what is waited for. Both waits: what the waiting body works on itself afterwards.
  std::vector<Section> Sections;
};

enum class Fails : uint8_t { Never, AtOnce, AtTheEnd };
enum class Versions : uint8_t { Cpu, TwoCpu, CpuAndDevice, Device };

struct TaskSpec {
  static constexpr size_t MostSections = 4;
  std::vector<Section> Sections;
  Versions Kind = Versions::Cpu;
  int Priority = 0;
  bool If0 = false, Final = false, Labelled = false, Catches = false;
  uint8_t Yields = 0; // How often it lets others run between what it reads and what it writes.
  Fails Fail = Fails::Never;
  bool Named = false;                      // Described by a value: others may come after it.
  std::vector<uint32_t> After;             // Tasks that the same body submitted before, and named.
  bool Detached = false;                   // A body on the CPU ends before the task does.
  std::vector<unsigned> AllowedOn;         // Workers; empty: all.
  uint32_t LocalBegin = 0, LocalWords = 0; // Has a wait for everything as its last action.
  std::vector<Action> Body;
};

struct Program {
  uint32_t SharedWords = 0; // [0, SharedWords): updated by all threads, in ways that need no order.
  uint32_t RootWords = 0;   // Where locals begin.
  uint32_t AllWords = 0;
  uint32_t Actions = 0;
  bool MayFail = false;
  bool FarApart = false; // Memory of many pages.
  std::vector<TaskSpec> Tasks;
  std::vector<std::vector<Action>> Threads; // What each submitting thread does.
};

// What runs it.
struct Setup {
  unsigned Workers = 2, Window = 4096, Devices = 0;
  bool Watched = false; // An observer receives every task.
  std::string Policy = "eager";
};

std::string print(const Program &P);
std::string print(const Setup &S);

// Decisions: of a generator, or given. Where they have been used up, each is the first of its possibilities.
class Choices {
public:
  explicit Choices(uint64_t Seed) : State(Seed) {}
  explicit Choices(std::vector<uint16_t> Given) : Given(std::move(Given)), Random(false) {}
  uint32_t below(uint32_t N); // At most 65536.
  uint32_t between(uint32_t Least, uint32_t Most) { return Least + below(Most - Least + 1); }
  bool percent(uint32_t P) { return below(100) >= 100 - P; }

private:
  uint64_t State = 0;
  std::vector<uint16_t> Given;
  size_t Used = 0;
  bool Random = true;
};

Setup makeSetup(Choices &C, unsigned Workers = 0); // 0: any number.
Program makeProgram(Choices &C, const Setup &S, unsigned AboutTasks);

} // namespace hsched::oracle
#endif
