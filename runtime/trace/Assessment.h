// Assessment of a recorded run: bounds, regret of choices, exploration, prediction errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time in hindsight belongs to a task type, a size, a version and a kind of worker. It is the median of these runs
// in this record, or without runs the last prediction. The *regret* of a choice is how much later the chosen pair ends
// than the best candidate. Both ends are computed from these times, and from the waits and transfers predicted at the
// choice. So it judges the choice, not later events. Regrets are workers' time; they do not add up to the run's time.
#ifndef HSCHED_TRACE_ASSESSMENT_H
#define HSCHED_TRACE_ASSESSMENT_H

#include "trace/Record.h"

#include <string>
#include <vector>

namespace hsched::rt::record {

// Time from the choice to the end of C. A device's transfers overlap its queued tasks; a core waits for them.
Ns endOf(const Candidate &C, const Record &R);
// The same with another run time of the version.
Ns endOf(const Candidate &C, const Record &R, Ns Run);

struct Judged {
  bool Is = false;       // False: there was no choice, or no time of the chosen pair is known.
  bool Explored = false; // Chosen in order to learn.
  Ns Regret = 0;
  size_t Best = 0;          // Index of the best candidate of the last choice, in hindsight.
  Ns Chosen = 0, Ideal = 0; // Time until the chosen pair, and the best one, end.
  std::vector<Ns> Run;      // By candidate, in hindsight; negative: unknown.
  Ns Error = 0;             // Measured minus predicted time.
  bool Predicted = false;   // There was a prediction.
};

// How runs of one type and size, as one version on one kind of worker, differ.
struct Scatter {
  Ns Long = 0;            // Time in runs that took more than twice the median of their size.
  Ns Least = 0, Most = 0; // Times of the size with the most such time.
  bool Cost = false;      // A cost() was given.
};

struct TypeRegret {
  std::string Type;
  uint64_t Tasks = 0, Judged = 0, Explored = 0, Predicted = 0;
  Ns Regret = 0;          // Sum over all choices.
  Ns Exploration = 0;     // The part of it from exploration.
  Ns Ran = 0;             // Sum of all runs.
  double MedianError = 0; // Median of |measured - predicted| / measured.
  Scatter Runs;
  // A quarter of the time is in long runs.
  bool scattered() const { return Ran > 0 && Runs.Long * 4 >= Ran; }
};

enum class Blame : uint8_t { Nothing, Work, CriticalPath, Links, Choices, Host, Scatter, Idle };

struct Assessment {
  Ns Makespan = 0; // From the first submission to the last end of a task or transfer.
  // Bounds. Area and CriticalPath hold for any schedule with these times. Links: busy time of the busiest link for
  // these transfers, with its worker and direction.
  Ns Area = 0, CriticalPath = 0, Links = 0;
  uint32_t LinkOf = 0;
  bool LinkToHost = false;
  Ns HostOnly = 0;            // Time in which no task ran, no transfer was in progress, and the program did not wait.
  double Busy = 0;            // Fraction of the workers' time in which they ran tasks.
  std::vector<uint64_t> Path; // Ids of the tasks on the critical path, by measured times.
  std::vector<Judged> Tasks;  // As in Record::Tasks.
  std::vector<TypeRegret> Types; // By regret, the greatest first.
  TypeRegret Whole;              // Sum over all types.
  Blame To = Blame::Nothing;
  Ns oracle() const; // Lower bound of any schedule: the maximum of Area and CriticalPath.
};

Assessment assess(const Record &R);
// One sentence: the run's time against the bounds, and its bottleneck.
std::string verdict(const Assessment &A, const Record &R);
// Some lines for HSCHED_STATS.
std::vector<std::string> shortly(const Assessment &A, const Record &R);
// One or two sentences: why a task ran where it did. T: index in R.Tasks.
std::string whyHere(const Assessment &A, const Record &R, size_t T);

} // namespace hsched::rt::record
#endif
