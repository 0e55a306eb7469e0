// The data of a report, and its advice.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Page.h"
#include "trace/IdleTime.h"
#include "trace/Table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace hsched::report {

using namespace rt::record;

namespace {

// Microseconds with three digits.
double us(Ns Time) { return static_cast<double>(Time) / 1e3; }

class Words {
public:
  unsigned operator()(const std::string &Word) {
    auto [It, New] = Known.try_emplace(Word, static_cast<unsigned>(All.size()));
    if (New)
      All.push_back(Word);
    return It->second;
  }
  Json all() const { return All; }

private:
  std::map<std::string, unsigned> Known;
  std::vector<std::string> All;
};

std::string scatterAdvice(const TypeRegret &T) {
  return "Runs of " + T.Type + " of one size take from " + rt::formatTime(static_cast<double>(T.Runs.Least)) + " to " +
         rt::formatTime(static_cast<double>(T.Runs.Most)) + ", and " +
         rt::formatShare(static_cast<double>(T.Runs.Long), static_cast<double>(T.Ran)) +
         " of its time is in runs of more than twice the median. Other programs may use the cores, or its time "
         "depends on the values of its data. Then give it a cost().";
}

std::string predictionAdvice(const TypeRegret &T) {
  const std::string Off =
      "Predictions of " + T.Type + " are off by " + std::to_string(std::lround(100 * T.MedianError)) + " %: ";
  if (T.Runs.Cost)
    return Off + "its time does not follow its cost().";
  return Off + "its time does not depend on its bytes alone. Give it a cost().";
}

// Names the workers that ran no task, with what could give them some.
std::string notGivenAdvice(const Record &R, const std::string &Share) {
  std::set<uint32_t> Ran;
  std::set<std::string> Could;
  for (const Task &T : R.Tasks) {
    Ran.insert(T.Worker);
    for (const Choice &C : T.Choices)
      for (const Candidate &K : C.Candidates)
        Could.insert(R.Workers[K.Worker].Model);
  }
  std::string Never, NoVersion;
  for (uint32_t W = 0; W < R.Workers.size(); ++W)
    if (!Ran.contains(W)) {
      std::string &List = Could.empty() || Could.contains(R.Workers[W].Model) ? Never : NoVersion;
      List += (List.empty() ? "" : ", ") + R.Workers[W].Name;
    }
  std::string Text = "Tasks were ready, and workers got none, for " + Share + " of the workers' time.";
  if (!Never.empty())
    Text += " These ran no task, though they could have: " + Never + ".";
  if (!NoVersion.empty())
    Text += " No version was a candidate for these: " + NoVersion +
            ". Either there is none for them (write one with implements), or its kernels were still being built: then "
            "the next run finds them in the cache.";
  return Text + " Select a task in the timeline: it says what was predicted of each worker. HSCHED_SCHED names another "
                "policy.";
}

} // namespace

// tasks: [id, type, label, worker, version, begin, end, submitted, bytes, outcome, regret, explored, critical, why,
//         [[worker, version, run or null, runs, transfer, wait, looking back or null], ...], after];
// transfers: [worker, to host, begin, end, bytes, for, needless bytes, main reason]. Names are indices of words; times
// are microseconds.
Json dataOf(const Run &Of) {
  const Record &R = Of.R;
  Words Word;
  const std::set<uint64_t> Path(Of.A.Path.begin(), Of.A.Path.end());
  Json Tasks = Json::array(), Transfers = Json::array(), Workers = Json::array();
  for (const Worker &W : R.Workers)
    Workers.push_back({W.Name, W.isDevice() ? 1 : 0});
  for (size_t I = 0; I < R.Tasks.size(); ++I) {
    const Task &T = R.Tasks[I];
    const Judged &J = Of.A.Tasks[I];
    Json Candidates = Json::array();
    std::string Why;
    if (!T.Choices.empty()) {
      const Choice &C = T.Choices.back();
      Why = C.Why;
      for (size_t K = 0; K < C.Candidates.size(); ++K) {
        const Candidate &Each = C.Candidates[K];
        const Ns Back = K < J.Run.size() ? J.Run[K] : -1;
        Candidates.push_back({Each.Worker, Word(Each.Version), Each.Runs ? Json(us(Each.Run)) : Json(), Each.Runs,
                              us(Each.Transfer), us(Each.Wait), Back < 0 ? Json() : Json(us(Back))});
      }
    }
    Tasks.push_back({T.Id, Word(T.Type), Word(T.Label.empty() ? T.Type : T.Label), T.Worker, Word(T.Version),
                     us(T.Begin), us(T.End), us(T.Submitted), T.Bytes, static_cast<unsigned>(T.How),
                     J.Is ? us(J.Regret) : 0, J.Explored ? 1 : 0, Path.contains(T.Id) ? 1 : 0, Word(Why),
                     std::move(Candidates), T.After});
  }
  for (size_t I = 0; I < R.Transfers.size(); ++I) {
    const Transfer &T = R.Transfers[I];
    const auto &By = Of.Needless.Transfers[I].Bytes;
    const uint64_t Sum = Of.Needless.Transfers[I].sum();
    const auto Why = static_cast<Needless>(std::ranges::max_element(By) - By.begin());
    Transfers.push_back({T.Worker, T.Kind == "to host" ? 1 : 0, us(T.Begin), us(T.End), T.Bytes, T.For, Sum,
                         Sum ? Word(nameOf(Why)) : 0});
  }
  return {{"words", Word.all()},
          {"workers", std::move(Workers)},
          {"tasks", std::move(Tasks)},
          {"transfers", std::move(Transfers)},
          {"end", us(Of.A.Makespan)}};
}

Moved moved(const Run &Of) {
  Moved Sum;
  for (size_t I = 0; I < Of.R.Transfers.size(); ++I) {
    if (Of.R.Transfers[I].Kind == "within device")
      continue;
    Sum.Bytes += Of.R.Transfers[I].Bytes;
    Sum.Needless += Of.Needless.Transfers[I].sum();
    for (size_t K = 0; K < NumNeedless; ++K)
      Sum.By[K] += Of.Needless.Transfers[I].Bytes[K];
  }
  return Sum;
}

std::vector<std::string> advice(const Run &Of) {
  const Record &R = Of.R;
  const Assessment &A = Of.A;
  std::vector<std::string> All;
  if (A.Whole.Tasks == 0 || A.Makespan <= 0)
    return All;
  auto part = [&](Ns Time, Ns Whole) { return rt::formatShare(static_cast<double>(Time), static_cast<double>(Whole)); };
  const Ns Mean = A.Whole.Ran / static_cast<Ns>(A.Whole.Tasks);
  const std::array<Ns, NumIdle> Idles = idleTimes(R, A.Makespan);
  const Ns Seats = A.Makespan * static_cast<Ns>(R.Workers.size());
  auto idle = [&](Idle K) { return Idles[static_cast<size_t>(K)]; };
  if (Mean < 20'000) {
    // Gaps that neither predecessors nor transfers explain.
    const Ns Between = idle(Idle::Program) + idle(Idle::Late);
    All.push_back(
        "Blocks are too small: a task takes " + rt::formatTime(static_cast<double>(Mean)) +
        " on average, and workers spend " + part(Between, Between + A.Whole.Ran) +
        " of their time between tasks. Larger blocks make fewer tasks. A task costs the runtime about 0.1 us, "
        "and more where there are devices.");
  }
  if (A.Whole.Tasks < 4 * R.Workers.size() && R.Workers.size() > 1)
    All.push_back("There are " + std::to_string(A.Whole.Tasks) + " tasks for " + std::to_string(R.Workers.size()) +
                  " workers. Smaller blocks let all workers end together.");
  if (A.CriticalPath * 10 >= A.Makespan * 6)
    All.push_back(
        "The critical path takes " + part(A.CriticalPath, A.Makespan) +
        " of the run. Split its tasks, give them a priority, or write sections that are smaller, so that fewer "
        "tasks wait for each other.");
  if (A.HostOnly * 10 >= A.Makespan * 2)
    All.push_back("For " + part(A.HostOnly, A.Makespan) +
                  " of the run the program computed by itself. What it does between tasks may be tasks too.");
  if (idle(Idle::Program) * 10 >= Seats * 2)
    All.push_back("Workers waited for the program to submit tasks for " + part(idle(Idle::Program), Seats) +
                  " of their time. Fewer waits (taskwait on(x), or none) let it submit ahead.");
  if (idle(Idle::Late) * 5 >= Seats && Mean >= 20'000)
    All.push_back("Workers could have begun a task for " + part(idle(Idle::Late), Seats) +
                  " of their time. Other programs may use the cores, or the policy kept tasks back: "
                  "HSCHED_SCHED names another one.");
  if (idle(Idle::NotGiven) * 5 >= Seats && A.oracle() * 2 <= A.Makespan)
    All.push_back(notGivenAdvice(R, part(idle(Idle::NotGiven), Seats)));
  if (idle(Idle::Transfers) * 10 >= Seats)
    All.push_back(
        "Workers waited for data for " + part(idle(Idle::Transfers), Seats) +
        " of their time. Keep data on the device (taskwait noflush), allocate them with hsched_malloc, or make "
        "blocks larger.");
  if (A.Links * 10 >= A.Makespan * 8)
    All.push_back("The link of " + R.Workers[A.LinkOf].Name + " is busy for " + part(A.Links, A.Makespan) +
                  " of the run.");
  const Moved Transferred = moved(Of);
  auto much = [&](Needless Why) { return Transferred.By[static_cast<size_t>(Why)] * 20 >= Transferred.Bytes; };
  auto bytes = [&](Needless Why) {
    return rt::formatBytes(Transferred.By[static_cast<size_t>(Why)]) + " of " + rt::formatBytes(Transferred.Bytes);
  };
  if (Transferred.Bytes > 0) {
    if (much(Needless::Evicted))
      All.push_back(
          bytes(Needless::Evicted) +
          " of transfers were of data that the device had had before and dropped to make room. Submit tasks that "
          "share data one after the other, or make blocks smaller.");
    if (much(Needless::AfterWait))
      All.push_back(bytes(Needless::AfterWait) + " of transfers were of data that the device had had until a wait "
                                                 "returned them to the program. taskwait noflush "
                                                 "leaves them there, taskwait on(x) returns x alone.");
    if (much(Needless::Unread))
      All.push_back(bytes(Needless::Unread) +
                    " that were moved to devices were not read there. Sections may be larger than what tasks read.");
    if (much(Needless::HomeUnread))
      All.push_back(bytes(Needless::HomeUnread) +
                    " came home, and no task read them before a device changed them. If the program does not read them "
                    "either, taskwait noflush leaves them on the device.");
  }
  if (A.Whole.Exploration * 20 >= A.Whole.Ran)
    All.push_back("Measuring versions cost " + part(A.Whole.Exploration, A.Whole.Ran) +
                  " of the tasks' time. HSCHED_MODELS=1 keeps what was measured for the next run.");
  for (const TypeRegret &T : A.Types) {
    if (T.scattered() && T.Ran * 10 >= A.Whole.Ran)
      All.push_back(scatterAdvice(T));
    else if (T.Predicted >= 10 && T.MedianError > 0.5)
      All.push_back(predictionAdvice(T));
    if ((T.Regret - T.Exploration) * 10 >= T.Ran && T.Ran * 10 >= A.Whole.Ran)
      All.push_back("Choices for " + T.Type + " cost " + part(T.Regret - T.Exploration, T.Ran) +
                    " of its time besides exploring. hsched-sim --replay shows what other policies would do.");
  }
  if (All.empty())
    All.push_back("Nothing stands out.");
  return All;
}

} // namespace hsched::report
