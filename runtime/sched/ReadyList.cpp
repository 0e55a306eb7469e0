// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/ReadyList.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace hsched::rt {

void ReadyList::push(Task &T, ClassMask Able, bool AtFront, Key K) {
  std::lock_guard Guard(Lock);
  auto P = std::ranges::find(Parts, Able, &Part::Able);
  if (P == Parts.end())
    P = Parts.insert(P, {Able, {}});
  auto Level = P->Levels.try_emplace(K).first;
  try {
    if (AtFront)
      Level->second.push_front({&T, --Front});
    else
      Level->second.push_back({&T, Back++});
  } catch (...) {
    if (Level->second.empty())
      P->Levels.erase(Level);
    throw;
  }
}

Task *ReadyList::erase(Part &P, Key K, size_t At) {
  auto Level = P.Levels.find(K);
  Task *T = Level->second[At].T;
  if (At == 0)
    Level->second.pop_front();
  else if (At + 1 == Level->second.size())
    Level->second.pop_back();
  else
    Level->second.erase(Level->second.begin() + static_cast<ptrdiff_t>(At));
  if (Level->second.empty())
    P.Levels.erase(Level);
  return T;
}

Task *ReadyList::take(unsigned Class, const Test &MayRun, bool FromBack) {
  std::lock_guard Guard(Lock);
  Part *Best = nullptr;
  Key BestLevel = 0;
  size_t BestAt = 0;
  int64_t BestPlace = 0;
  auto consider = [&](Part &P, Key K, const std::deque<Entry> &Level, size_t At) {
    const int64_t Place = FromBack ? -Level[At].Place : Level[At].Place;
    if (!Best || K > BestLevel || (K == BestLevel && Place < BestPlace)) {
      Best = &P;
      BestLevel = K;
      BestAt = At;
      BestPlace = Place;
    }
  };
  for (Part &P : Parts) {
    if (!serves(P, Class))
      continue;
    bool Found = false;
    for (auto Level = P.Levels.begin(); Level != P.Levels.end() && !Found; ++Level) {
      const size_t N = Level->second.size();
      for (size_t I = 0; I < N && !Found; ++I) {
        const size_t At = FromBack ? N - 1 - I : I;
        Found = P.Able != 0 || MayRun(*Level->second[At].T);
        if (Found)
          consider(P, Level->first, Level->second, At);
      }
    }
  }
  return Best ? erase(*Best, BestLevel, BestAt) : nullptr;
}

Task *ReadyList::takeCheapest(unsigned Class, const Test &MayRun, size_t Most,
                              const std::function<int64_t(const Task &)> &Cost) {
  std::lock_guard Guard(Lock);
  std::optional<Key> First;
  for (const Part &P : Parts)
    if (serves(P, Class) && !P.Levels.empty() && (!First || P.Levels.begin()->first > *First))
      if (P.Able != 0 || std::ranges::any_of(P.Levels.begin()->second, MayRun, [](const Entry &E) { return *E.T; }))
        First = P.Levels.begin()->first;
  if (!First)
    return nullptr;
  Part *Best = nullptr;
  size_t BestAt = 0;
  std::pair<int64_t, int64_t> BestKey;
  for (Part &P : Parts) {
    auto Level = serves(P, Class) ? P.Levels.find(*First) : P.Levels.end();
    if (Level == P.Levels.end())
      continue;
    for (size_t I = 0, Seen = 0; I < Level->second.size() && Seen < Most; ++I) {
      const Entry &E = Level->second[I];
      if (P.Able == 0 && !MayRun(*E.T))
        continue;
      ++Seen;
      if (std::pair Key(Cost(*E.T), E.Place); !Best || Key < BestKey) {
        Best = &P;
        BestAt = I;
        BestKey = Key;
      }
    }
  }
  return Best ? erase(*Best, *First, BestAt) : nullptr;
}

Task *ReadyList::takeLast(unsigned Class, size_t Most, const std::function<double(const Task &)> &Gain) {
  std::lock_guard Guard(Lock);
  Part *Best = nullptr;
  Key BestLevel = 0;
  size_t BestAt = 0;
  double BestGain = 0;
  for (Part &P : Parts) {
    if (!serves(P, Class))
      continue;
    size_t Seen = 0;
    for (auto Level = P.Levels.rbegin(); Level != P.Levels.rend() && Seen < Most; ++Level)
      for (size_t At = Level->second.size(); At > 0 && Seen < Most; --At, ++Seen)
        if (const double G = Gain(*Level->second[At - 1].T); G > BestGain) {
          Best = &P;
          BestLevel = Level->first;
          BestAt = At - 1;
          BestGain = G;
        }
  }
  return Best ? erase(*Best, BestLevel, BestAt) : nullptr;
}

void ReadyList::sortAnew(const std::function<ClassMask(const Task &)> &AbleOf,
                         const std::function<Key(const Task &)> &KeyOf) {
  std::lock_guard Guard(Lock);
  std::vector<Part> New;
  for (Part &P : Parts)
    for (auto &[K, Level] : P.Levels)
      for (const Entry &E : Level) {
        const ClassMask Able = AbleOf(*E.T);
        auto To = std::ranges::find(New, Able, &Part::Able);
        if (To == New.end())
          To = New.insert(To, {Able, {}});
        To->Levels[KeyOf(*E.T)].push_back(E);
      }
  for (Part &P : New)
    for (auto &[K, Level] : P.Levels)
      std::ranges::sort(Level, {}, &Entry::Place);
  Parts = std::move(New);
}

Task *ReadyList::takeMatching(const Test &Wanted) {
  std::lock_guard Guard(Lock);
  for (Part &P : Parts)
    for (auto &[K, Level] : P.Levels)
      for (size_t I = 0; I < Level.size(); ++I)
        if (Wanted(*Level[I].T))
          return erase(P, K, I);
  return nullptr;
}

ReadyList::Key ReadyList::firstKey() const {
  std::lock_guard Guard(Lock);
  Key First = std::numeric_limits<Key>::min();
  for (const Part &P : Parts)
    if (!P.Levels.empty())
      First = std::max(First, P.Levels.begin()->first);
  return First;
}

bool ReadyList::isFirst(const Test &Is) const {
  std::lock_guard Guard(Lock);
  const std::pair<const Key, std::deque<Entry>> *First = nullptr;
  for (const Part &P : Parts)
    if (!P.Levels.empty() && (!First || P.Levels.begin()->first > First->first))
      First = &*P.Levels.begin();
  return First && Is(*First->second.front().T);
}

std::vector<ClassMask> ReadyList::waiting() const {
  std::lock_guard Guard(Lock);
  std::vector<ClassMask> Each;
  for (const Part &P : Parts)
    if (!P.Levels.empty())
      Each.push_back(P.Able);
  return Each;
}

} // namespace hsched::rt
