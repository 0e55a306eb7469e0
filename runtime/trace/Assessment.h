// What a recorded run's choices cost, looking back: bounds, regret, exploration, errors of predictions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looking back, a task of one type and size takes, as one version on one kind of worker, the median of such runs of
// this run; where there was none, what was predicted last. The *regret* of a choice is how much later the chosen pair
// ends than the best candidate, both with these times, and with the waits and transfers that were predicted then: the
// choice is judged, not what came after it. Regrets are workers' time. They do not add up to the run's time.
#ifndef HSCHED_TRACE_ASSESSMENT_H
#define HSCHED_TRACE_ASSESSMENT_H

#include "trace/Record.h"

#include <string>
#include <vector>

namespace hsched::rt::record {

// From the choice on until C ends there: a device's data travel beside what it has yet to run, a core waits for them.
Ns endOf(const Candidate &C, const Record &R);
// The same with another time of the version itself.
Ns endOf(const Candidate &C, const Record &R, Ns Run);

struct Judged {
  bool Is = false;       // False: there was no choice, or no time is known of what was chosen.
  bool Explored = false; // Chosen in order to learn.
  Ns Regret = 0;
  size_t Best = 0;          // Of the last choice's candidates, the best one looking back.
  Ns Chosen = 0, Ideal = 0; // Until the chosen one, and the best one, end.
  std::vector<Ns> Run;      // Of each candidate, looking back; negative: unknown.
  Ns Error = 0;             // What it took, less what was predicted.
  bool Predicted = false;   // There was a prediction.
};

struct TypeRegret {
  std::string Type;
  uint64_t Tasks = 0, Judged = 0, Explored = 0, Predicted = 0;
  Ns Regret = 0;          // Of all choices.
  Ns Exploration = 0;     // The part of it that was spent in order to learn.
  Ns Ran = 0;             // All runs.
  double MedianError = 0; // Of |measured - predicted| / measured.
};

enum class Blame : uint8_t { Nothing, Work, CriticalPath, Links, Choices, Host, Idle };

struct Assessment {
  Ns Makespan = 0; // From the first submission to the last end of a task or transfer.
  // Bounds. Area and CriticalPath hold for any schedule with these times. Links: the time for which the busiest link
  // was in use, for what was moved; its Worker and direction.
  Ns Area = 0, CriticalPath = 0, Links = 0;
  uint32_t LinkOf = 0;
  bool LinkToHost = false;
  Ns HostOnly = 0;               // Nothing ran and nothing travelled, and the program did not wait.
  double Busy = 0;               // Share of the workers' time in which they ran tasks.
  std::vector<uint64_t> Path;    // Ids of the critical path's tasks, by what was measured.
  std::vector<Judged> Tasks;     // As in Record::Tasks.
  std::vector<TypeRegret> Types; // By regret, the greatest first.
  TypeRegret Whole;              // Of all types.
  Blame To = Blame::Nothing;
  Ns oracle() const; // No schedule is faster: the greater one of Area and CriticalPath.
};

Assessment assess(const Record &R);
// One sentence: the run's time against the bounds, and what limits it.
std::string verdict(const Assessment &A, const Record &R);
// Some lines for HSCHED_STATS.
std::vector<std::string> shortly(const Assessment &A, const Record &R);
// Why a task ran where it did and not elsewhere: a sentence or two. T: an index of R.Tasks.
std::string whyHere(const Assessment &A, const Record &R, size_t T);

} // namespace hsched::rt::record
#endif
