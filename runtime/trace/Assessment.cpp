// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Assessment.h"
#include "trace/AreaBound.h"
#include "trace/Observer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace hsched::rt::record {
namespace {

template <class T> T median(std::vector<T> All) {
  if (All.empty())
    return T();
  auto Middle = All.begin() + static_cast<ptrdiff_t>(All.size() / 2);
  std::ranges::nth_element(All, Middle);
  if (All.size() % 2)
    return *Middle;
  return (*std::max_element(All.begin(), Middle) + *Middle) / 2;
}

Ns unionOf(std::vector<std::pair<Ns, Ns>> All) {
  std::ranges::sort(All);
  Ns Sum = 0, Until = 0;
  for (auto [Begin, End] : All) {
    Sum += std::max<Ns>(0, End - std::max(Begin, Until));
    Until = std::max(Until, End);
  }
  return Sum;
}

// Time of each task, minus its waits while its own children ran.
std::vector<Ns> ownTimes(const Record &R) {
  std::unordered_map<uint64_t, std::vector<std::pair<Ns, Ns>>> Children;
  for (const Task &T : R.Tasks)
    if (T.Parent)
      Children[T.Parent].emplace_back(T.Begin, T.End);
  std::vector<Ns> Own;
  for (const Task &T : R.Tasks) {
    Own.push_back(T.End - T.Begin);
    if (auto It = Children.find(T.Id); It != Children.end()) {
      for (auto &[Begin, End] : It->second) {
        Begin = std::clamp(Begin, T.Begin, T.End);
        End = std::clamp(End, T.Begin, T.End);
      }
      Own.back() -= unionOf(std::move(It->second));
    }
  }
  return Own;
}

// Times of tasks in hindsight.
class Hindsight {
public:
  Hindsight(const Record &R, const std::vector<Ns> &Own) {
    for (const Worker &W : R.Workers) {
      auto [It, New] = KindOf.try_emplace(W.Model, KindOf.size());
      Kinds.push_back(It->second);
      Counts.resize(KindOf.size());
      ++Counts[It->second];
    }
    std::map<Key, std::vector<Ns>> Runs;
    std::map<Key, std::pair<Ns, Ns>> Predicted; // Time of the last prediction, and the predicted run.
    for (size_t I = 0; I < R.Tasks.size(); ++I) {
      const Task &T = R.Tasks[I];
      if (T.How == TaskOutcome::Done && !T.Version.empty())
        Runs[{T.Type, T.size(), Kinds[T.Worker], T.Version}].push_back(Own[I]);
      for (const Choice &C : T.Choices)
        for (const Candidate &K : C.Candidates)
          if (K.Runs)
            if (auto &P = Predicted[{T.Type, T.size(), Kinds[K.Worker], K.Version}]; C.At >= P.first)
              P = {C.At, K.Run};
    }
    for (auto &[Of, Each] : Predicted)
      Times[Of] = Each.second;
    for (auto &[Of, All] : Runs) {
      const Ns Mean = std::accumulate(All.begin(), All.end(), Ns(0)) / static_cast<Ns>(All.size());
      Times[Of] = median(std::move(All));
      Least[Of] = std::min(Mean, Times[Of]);
    }
  }

  // Negative: unknown.
  Ns time(const Task &T, uint32_t Worker, const std::string &Version) const {
    auto It = Times.find({T.Type, T.size(), Kinds[Worker], Version});
    return It == Times.end() ? -1 : It->second;
  }
  // By kind: of the fastest version, the smaller one of median and mean, for bounds. Negative: unknown.
  const std::vector<double> &best(const Task &T) {
    std::vector<double> &Best = Fastest[{T.Type, T.size()}];
    if (Best.empty()) {
      Best.assign(Counts.size(), -1);
      for (auto It = Times.lower_bound({T.Type, T.size(), 0, ""});
           It != Times.end() && std::get<0>(It->first) == T.Type && std::get<1>(It->first) == T.size(); ++It) {
        auto Known = Least.find(It->first);
        const auto Time = static_cast<double>(Known == Least.end() ? It->second : Known->second);
        if (double &Of = Best[std::get<2>(It->first)]; Of < 0 || Time < Of)
          Of = Time;
      }
    }
    return Best;
  }
  const std::vector<uint64_t> &counts() const { return Counts; }

private:
  using Key = std::tuple<std::string, SizeClass, size_t, std::string>; // Type, size, kind of worker, version.
  std::map<std::string, size_t> KindOf;
  std::vector<size_t> Kinds; // By worker.
  std::vector<uint64_t> Counts;
  std::map<Key, Ns> Times, Least;
  std::map<std::pair<std::string, SizeClass>, std::vector<double>> Fastest;
};

Judged judge(const Task &T, const Record &R, const Hindsight &Back) {
  Judged J;
  if (T.How != TaskOutcome::Done || T.Choices.empty())
    return J;
  const Choice &C = T.Choices.back();
  J.Run.reserve(C.Candidates.size());
  const Candidate *Ran = nullptr;
  std::vector<Ns> Ends;
  for (const Candidate &K : C.Candidates) {
    J.Run.push_back(Back.time(T, K.Worker, K.Version));
    Ends.push_back(J.Run.back() < 0 ? -1 : endOf(K, R, J.Run.back()));
    if (K.Worker == T.Worker && K.Version == T.Version)
      Ran = &K;
  }
  if (!Ran)
    return J; // It finally ran elsewhere.
  const auto At = static_cast<size_t>(Ran - C.Candidates.data());
  J.Is = Ends[At] >= 0;
  J.Best = At;
  for (size_t I = 0; I < Ends.size(); ++I)
    if (Ends[I] >= 0 && Ends[I] < Ends[J.Best])
      J.Best = I;
  J.Chosen = Ends[At];
  J.Ideal = Ends[J.Best];
  J.Regret = J.Chosen - J.Ideal;
  J.Explored = explores(C.Why);
  J.Predicted = Ran->Runs > 0;
  J.Error = J.Predicted ? T.End - T.Begin - Ran->Run : 0;
  return J;
}

// The longest path through the tasks. Time(index) is the time of a
// task.
template <class Fn> std::vector<size_t> longestPath(const Record &R, Fn Time, double &Length) {
  std::unordered_map<uint64_t, size_t> At;
  for (size_t I = 0; I < R.Tasks.size(); ++I)
    At[R.Tasks[I].Id] = I;
  constexpr auto None = static_cast<size_t>(-1);
  std::vector<double> Long(R.Tasks.size(), 0);
  std::vector<size_t> Before(R.Tasks.size(), None);
  size_t Last = None;
  for (size_t I = 0; I < R.Tasks.size(); ++I) { // A task depends on earlier ones only.
    for (uint64_t From : R.Tasks[I].After)
      if (auto It = At.find(From); It != At.end() && It->second < I)
        if (Before[I] == None || Long[It->second] > Long[Before[I]])
          Before[I] = It->second;
    Long[I] = Time(I) + (Before[I] == None ? 0 : Long[Before[I]]);
    if (Last == None || Long[I] > Long[Last])
      Last = I;
  }
  Length = Last == None ? 0 : Long[Last];
  std::vector<size_t> Path;
  for (; Last != None; Last = Before[Last])
    Path.push_back(Last);
  std::ranges::reverse(Path);
  return Path;
}

void findLinks(const Record &R, Assessment &A) {
  std::map<std::pair<uint32_t, bool>, std::vector<std::pair<Ns, Ns>>> Used;
  for (const Transfer &T : R.Transfers)
    if (T.Kind == "to device" || T.Kind == "to host")
      Used[{T.Worker, T.Kind == "to host"}].emplace_back(T.Begin, T.End);
  for (auto &[Of, All] : Used)
    if (Ns Busy = unionOf(std::move(All)); Busy > A.Links) {
      A.Links = Busy;
      std::tie(A.LinkOf, A.LinkToHost) = Of;
    }
}

void findTimes(const Record &R, Assessment &A) {
  Ns First = -1, Last = 0;
  std::vector<std::pair<Ns, Ns>> Busy;
  auto see = [&](Ns Begin, Ns End) {
    First = First < 0 ? Begin : std::min(First, Begin);
    Last = std::max(Last, End);
  };
  for (const Task &T : R.Tasks) {
    if (T.How == TaskOutcome::Unknown)
      continue;
    see(T.Submitted ? std::min(T.Submitted, T.Begin) : T.Begin, T.End);
    Busy.emplace_back(T.Begin, T.End);
  }
  for (const Transfer &T : R.Transfers) {
    see(T.Begin, T.End);
    Busy.emplace_back(T.Begin, T.End);
  }
  A.Makespan = First < 0 ? 0 : Last - First;
  for (const Wait &W : R.Waits)
    if (W.Within == 0)
      Busy.emplace_back(std::max(W.Begin, First), std::min(W.End, Last));
  A.HostOnly = A.Makespan - unionOf(std::move(Busy));
  std::map<uint32_t, std::vector<std::pair<Ns, Ns>>> ByWorker;
  for (const Task &T : R.Tasks)
    if (T.End > T.Begin)
      ByWorker[T.Worker].emplace_back(T.Begin, T.End);
  for (auto &[W, All] : ByWorker)
    A.Busy += static_cast<double>(unionOf(std::move(All)));
  if (A.Makespan > 0)
    A.Busy /= static_cast<double>(A.Makespan) * static_cast<double>(R.Workers.size());
}

void add(TypeRegret &To, const Task &T, const Judged &J) {
  ++To.Tasks;
  To.Ran += T.End - T.Begin;
  To.Judged += J.Is;
  To.Regret += J.Is ? J.Regret : 0;
  To.Explored += J.Is && J.Explored;
  To.Exploration += J.Is && J.Explored ? J.Regret : 0;
  To.Predicted += J.Predicted;
}

void findScatter(const Record &R, const std::vector<Ns> &Own, std::map<std::string, TypeRegret> &Types,
                 TypeRegret &Whole) {
  std::map<std::string, std::map<std::tuple<SizeClass, std::string, std::string>, std::vector<Ns>>> Runs;
  for (size_t I = 0; I < R.Tasks.size(); ++I) {
    const Task &T = R.Tasks[I];
    if (T.How != TaskOutcome::Done || T.Version.empty())
      continue;
    Runs[T.Type][{T.size(), R.Workers[T.Worker].Model, T.Version}].push_back(Own[I]);
    Types[T.Type].Runs.Cost |= costOf(T.size()).has_value();
  }
  for (auto &[Type, BySize] : Runs) {
    Scatter &Of = Types[Type].Runs;
    Ns Longest = 0;
    for (auto &[Size, Times] : BySize) {
      const Ns Limit = 2 * median(Times);
      Ns Long = 0;
      for (Ns Each : Times)
        Long += Each > Limit ? Each : 0;
      Of.Long += Long;
      if (Long > Longest) {
        Longest = Long;
        std::tie(Of.Least, Of.Most) = std::pair<Ns, Ns>(std::ranges::min(Times), std::ranges::max(Times));
      }
    }
    Whole.Runs.Long += Of.Long;
  }
}

Blame blame(const Assessment &A) {
  if (A.Makespan <= 0)
    return Blame::Nothing;
  // A bound of at least 4/5 of the run is the bottleneck.
  const std::pair<Ns, Blame> Bounds[] = {
      {A.Area, Blame::Work}, {A.CriticalPath, Blame::CriticalPath}, {A.Links, Blame::Links}, {A.HostOnly, Blame::Host}};
  const auto &Most = *std::ranges::max_element(Bounds, {}, [](const auto &B) { return B.first; });
  if (Most.first * 5 >= A.Makespan * 4)
    return Most.second;
  const Ns Lost = A.Makespan - A.oracle();
  if (A.HostOnly * 2 >= Lost)
    return Blame::Host;
  if (A.Whole.Regret * 2 >= Lost)
    return Blame::Choices;
  return A.Whole.scattered() ? Blame::Scatter : Blame::Idle;
}

} // namespace

Ns endOf(const Candidate &C, const Record &R, Ns Run) {
  return (R.Workers[C.Worker].isDevice() ? std::max(C.Wait, C.Transfer) : C.Wait + C.Transfer) + Run;
}
Ns endOf(const Candidate &C, const Record &R) { return endOf(C, R, C.Run); }

Ns Assessment::oracle() const { return std::max(Area, CriticalPath); }

Assessment assess(const Record &R) {
  Assessment A;
  const std::vector<Ns> Own = ownTimes(R);
  Hindsight Back(R, Own);
  std::map<std::string, TypeRegret> Types;
  std::map<std::string, std::vector<double>> Errors;
  std::vector<double> AllErrors;
  std::map<std::pair<std::string, SizeClass>, WorkClass> Classes;
  for (const Task &T : R.Tasks) {
    const Judged &J = A.Tasks.emplace_back(judge(T, R, Back));
    if (T.How != TaskOutcome::Done || T.Version.empty())
      continue;
    add(Types[T.Type], T, J);
    add(A.Whole, T, J);
    if (J.Predicted && T.End > T.Begin) {
      const double Error = std::abs(static_cast<double>(J.Error)) / static_cast<double>(T.End - T.Begin);
      Errors[T.Type].push_back(Error);
      AllErrors.push_back(Error);
    }
    WorkClass &C = Classes[{T.Type, T.size()}];
    if (C.Tasks++ == 0)
      C.Time = Back.best(T);
  }
  findScatter(R, Own, Types, A.Whole);
  for (auto &[Name, Type] : Types) {
    Type.Type = Name;
    Type.MedianError = median(std::move(Errors[Name]));
    A.Types.push_back(std::move(Type));
  }
  A.Whole.MedianError = median(std::move(AllErrors));
  std::ranges::stable_sort(A.Types, std::greater(), &TypeRegret::Regret);
  std::vector<WorkClass> Work;
  for (auto &[Of, C] : Classes)
    Work.push_back(std::move(C));
  A.Area = static_cast<Ns>(areaBound(Work, Back.counts()));
  auto least = [&](size_t I) {
    const Task &T = R.Tasks[I];
    auto Least = static_cast<double>(Own[I]);
    if (T.How == TaskOutcome::Done && !T.Version.empty())
      for (double Each : Back.best(T))
        Least = Each < 0 ? Least : std::min(Least, Each);
    return Least;
  };
  double Length = 0;
  (void)longestPath(R, least, Length);
  A.CriticalPath = static_cast<Ns>(Length);
  for (size_t I : longestPath(R, [&](size_t I) { return static_cast<double>(Own[I]); }, Length))
    A.Path.push_back(R.Tasks[I].Id);
  findTimes(R, A);
  findLinks(R, A);
  A.Area = std::min(A.Area, A.Makespan); // Limited because it uses medians.
  A.To = blame(A);
  return A;
}

} // namespace hsched::rt::record
