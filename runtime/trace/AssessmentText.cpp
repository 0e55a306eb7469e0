// Text of an assessment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Assessment.h"
#include "trace/IdleTime.h"
#include "trace/Table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace hsched::rt::record {
namespace {

std::string time(Ns T) { return formatTime(static_cast<double>(T)); }
std::string share(Ns Part, Ns Whole) { return formatShare(static_cast<double>(Part), static_cast<double>(Whole)); }

std::string percent(double Part) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.0f %%", Part * 100);
  return Text;
}

// "35.0 us: 23.0 us of waiting beside 12.3 us of transfers, then 11.5 us of work".
std::string parts(const Candidate &C, const Record &R, Ns Run) {
  std::string Text = time(endOf(C, R, Run));
  if (C.Wait <= 0 && C.Transfer <= 0)
    return Text;
  std::string Before = C.Wait > 0 ? time(C.Wait) + " of waiting" : "";
  if (C.Transfer > 0)
    Before += (Before.empty()                   ? ""
               : R.Workers[C.Worker].isDevice() ? " beside "
                                                : " and ") +
              time(C.Transfer) + " of transfers";
  return Text + " (" + Before + ", then " + time(Run) + " of work)";
}

std::string place(const Candidate &C, const Record &R) { return R.Workers[C.Worker].Name + " as " + C.Version; }

// The other candidate with the earliest predicted end; null: none.
const Candidate *rival(const Choice &C, const Record &R) {
  // A worker of the same kind is the least informative.
  auto rank = [&](const Candidate &K) {
    const bool Alike = K.Version == C.Version && R.Workers[K.Worker].Model == R.Workers[C.Worker].Model;
    return std::tuple(Alike, K.Runs == 0, endOf(K, R));
  };
  const Candidate *Best = nullptr;
  for (const Candidate &K : C.Candidates)
    if ((K.Worker != C.Worker || K.Version != C.Version) && (!Best || rank(K) < rank(*Best)))
      Best = &K;
  return Best;
}

std::string outcome(const Task &T, const Judged &J) {
  std::string Text = "It took " + time(T.End - T.Begin);
  if (J.Predicted && T.End > T.Begin) {
    const double Off = static_cast<double>(J.Error) / static_cast<double>(T.End - T.Begin - J.Error);
    Text += std::abs(Off) < 0.005 ? ", as predicted"
                                  : ", " + percent(std::abs(Off)) + (Off > 0 ? " more" : " less") + " than predicted";
  }
  return Text;
}

} // namespace

std::string whyHere(const Assessment &A, const Record &R, size_t I) {
  const Task &T = R.Tasks[I];
  const Judged &J = A.Tasks[I];
  std::string Name =
      "Task " + std::to_string(T.Id) + " (" + (T.Label.empty() ? T.Type : T.Label) + ", " + formatBytes(T.Bytes) + ")";
  if (T.How == TaskOutcome::Unknown)
    return Name + " has not ended, or was counted only.";
  if (T.How == TaskOutcome::Cancelled || T.Version.empty())
    return Name + " did not run: " +
           (T.How == TaskOutcome::Cancelled ? "a task that it comes after failed." : "no version could run it.");
  std::string Text = Name + (T.How == TaskOutcome::Failed ? " failed as " : " ran as ") + T.Version + " on " +
                     R.Workers[T.Worker].Name;
  if (T.Choices.empty())
    return Text + " where it was submitted: there was no choice. " + outcome(T, J) + ".";
  const Choice &C = T.Choices.back();
  const bool Moved = C.Worker != T.Worker || C.Version != T.Version;
  if (Moved)
    Text += ", though it was meant for " + R.Workers[C.Worker].Name + " as " + C.Version;
  Text += ": " + C.Why;
  auto Chosen = std::ranges::find_if(
      C.Candidates, [&](const Candidate &K) { return K.Worker == C.Worker && K.Version == C.Version; });
  if (Chosen != C.Candidates.end())
    Text += Chosen->Runs ? ", in " + parts(*Chosen, R, Chosen->Run) : ", where it had not been measured";
  if (const Candidate *Other = rival(C, R)) {
    Text += Chosen != C.Candidates.end() && Chosen->Runs ? "; not on " : "; the other way was ";
    Text += place(*Other, R);
    Text += Other->Runs ? ", which would have taken " + parts(*Other, R, Other->Run) : ", which had not been measured";
  }
  Text += ". " + outcome(T, J);
  if (!J.Is)
    return Text + ".";
  if (J.Regret <= 0)
    return Text + "; looking back, no other choice would have ended sooner.";
  return Text + "; looking back, " + place(C.Candidates[J.Best], R) + " would have ended " + time(J.Regret) +
         " sooner" + (J.Explored ? ": that is what measuring cost." : ".");
}

std::string verdict(const Assessment &A, const Record &R) {
  if (A.Makespan <= 0)
    return "Nothing ran.";
  std::string Text = "The run took " + time(A.Makespan) + ". ";
  auto bound = [&](const char *What, Ns Bound) {
    return std::string(What) + " " + time(Bound) + " (" + share(Bound, A.Makespan) + ")";
  };
  Text += bound("At least needed: all work on all workers", A.Area) + ", " +
          bound("the critical path", A.CriticalPath) + ", ";
  Text += A.Links
              ? bound(("the busiest link, " + R.Workers[A.LinkOf].Name + (A.LinkToHost ? " to host," : " from host,"))
                          .c_str(),
                      A.Links)
              : "no transfers";
  Text += ". ";
  switch (A.To) {
  case Blame::Nothing:
    break;
  case Blame::Work:
    return Text + "The work limits it: only faster versions or more workers help.";
  case Blame::CriticalPath:
    return Text + "The critical path limits it: smaller tasks, or fewer dependences, help.";
  case Blame::Links:
    return Text + "A link limits it: fewer or larger transfers, or data that stay on the device, help.";
  case Blame::Choices:
    return Text + "Choices limit it: regret is " + time(A.Whole.Regret) +
           " of workers' time, of which exploring took " + time(A.Whole.Exploration) + ".";
  case Blame::Scatter: {
    const TypeRegret &T = *std::ranges::max_element(A.Types, {}, [](const TypeRegret &Each) { return Each.Runs.Long; });
    return Text + "Uneven runs limit it: runs of " + T.Type + " of one size took from " + time(T.Runs.Least) + " to " +
           time(T.Runs.Most) + ", and " + share(A.Whole.Runs.Long, A.Whole.Ran) +
           " of the tasks' time is in runs of more than twice the median. Other programs may use the cores.";
  }
  case Blame::Idle: {
    const std::array<Ns, NumIdle> Idles = idleTimes(R, A.Makespan);
    const auto Most = std::ranges::max_element(Idles);
    return Text + "Idle workers limit it: they ran tasks for " + percent(A.Busy) +
           " of their time. The main reason of the rest: " + nameOf(static_cast<Idle>(Most - Idles.begin())) + " (" +
           share(*Most, A.Makespan * static_cast<Ns>(R.Workers.size())) + ").";
  }
  case Blame::Host:
    return Text + "The program limits it: for " + time(A.HostOnly) + " no task ran and no data were in transfer.";
  }
  return Text;
}

std::vector<std::string> shortly(const Assessment &A, const Record &R) {
  if (A.Makespan <= 0)
    return {};
  std::vector<std::string> Lines{"", verdict(A, R)};
  char Errors[96] = "";
  if (A.Whole.Predicted)
    std::snprintf(Errors, sizeof(Errors), "; predictions were off by %.1f %% (median)", 100 * A.Whole.MedianError);
  const Ns Lost = A.Makespan - A.oracle();
  Lines.push_back("lost against the bounds " + time(Lost) + " (" + share(Lost, A.oracle()) +
                  " of what was needed); regret of " + std::to_string(A.Whole.Judged) + " choices " +
                  time(A.Whole.Regret) + " of workers' time (" + share(A.Whole.Regret, A.Whole.Ran) + "), exploring " +
                  time(A.Whole.Exploration) + Errors);
  for (const TypeRegret &T : A.Types)
    if (T.Regret > 0)
      Lines.push_back("  " + T.Type + ": regret " + time(T.Regret) + " (" + share(T.Regret, T.Ran) + "), exploring " +
                      time(T.Exploration));
  return Lines;
}

} // namespace hsched::rt::record
