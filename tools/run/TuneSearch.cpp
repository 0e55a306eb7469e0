// The search for a better configuration of a graph.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/TuneSearch.h"

#include <algorithm>
#include <limits>

namespace hsched::run {
namespace {

constexpr unsigned QueuesToTry[] = {1, 2, 3, 4, 6, 8};
constexpr double WorthIt = 0.98; // A smaller gain may be noise.

class Search {
public:
  Search(const SearchSpace &Space, const Measure &Time) : Space(Space), Time(Time), Best(Space.Begin) {
    BestTime = timeOf(Best);
  }

  Setting run() {
    for (unsigned Round = 0; Round < 4 && Measured < Space.Most; ++Round) {
      bool Gained = queues();
      Gained |= components();
      Gained |= splits();
      if (!Gained)
        break;
    }
    return Best;
  }

private:
  double timeOf(const Setting &S) {
    auto [At, New] = Known.emplace(S, std::numeric_limits<double>::infinity());
    if (!New || Measured >= Space.Most)
      return At->second;
    ++Measured;
    if (std::optional<double> T = Time(S))
      At->second = *T;
    return At->second;
  }

  bool take(const Setting &S) {
    const double T = timeOf(S);
    if (!(T < BestTime * WorthIt))
      return false;
    Best = S;
    BestTime = T;
    return true;
  }

  bool inUse(const std::string &Device) const {
    return !Best.Split.empty() ||
           std::any_of(Best.Component.begin(), Best.Component.end(), [&](const std::string &Word) {
             return Word == Device ||
                    std::find(Space.Devices.begin(), Space.Devices.end(), Word) == Space.Devices.end();
           });
  }

  bool queues() {
    bool Gained = false;
    for (size_t D = 0; D < Space.Devices.size(); ++D) {
      if (!inUse(Space.Devices[D]))
        continue;
      size_t Enough = 0; // The greatest number tried.
      for (unsigned N : QueuesToTry) {
        if (Space.Kernels < 2 || Enough >= Space.Kernels)
          break;
        Enough = N;
        Setting S = Best;
        S.Queues[D] = N;
        Gained |= take(S);
      }
    }
    return Gained;
  }

  // Moves up to N components of a class, the last ones first. These have the lowest rank if ranks differ.
  static bool move(Setting &S, const std::vector<uint32_t> &Class, const std::string &From, const std::string &To,
                   size_t N) {
    size_t Moved = 0;
    for (auto At = Class.rbegin(); At != Class.rend() && Moved < N; ++At)
      if (S.Component[*At] == From) {
        S.Component[*At] = To;
        ++Moved;
      }
    return Moved > 0;
  }

  bool components() {
    bool Gained = false;
    for (const std::vector<uint32_t> &Class : Space.Classes) {
      std::vector<std::string> Words = Space.Devices;
      for (uint32_t C : Class) // Words from the file, such as "any", may be left but are not targets.
        if (std::find(Words.begin(), Words.end(), Best.Component[C]) == Words.end())
          Words.push_back(Best.Component[C]);
      for (const std::string &From : Words)
        for (const std::string &To : Space.Devices) {
          if (From == To)
            continue;
          // One, then twice as many as long as it pays off. If one does not pay off, all at once may.
          bool Any = false;
          for (size_t N = 1; N <= Class.size(); N *= 2) {
            Setting S = Best;
            if (!move(S, Class, From, To, N) || !take(S))
              break;
            Any = true;
          }
          if (!Any && Class.size() > 1) {
            Setting S = Best;
            if (move(S, Class, From, To, Class.size()))
              Any = take(S);
          }
          // Refines, because the last steps were large.
          for (Setting S = Best; Any && move(S, Class, From, To, 1) && take(S);)
            S = Best;
          Gained |= Any;
        }
    }
    return Gained;
  }

  bool splits() {
    bool Gained = false;
    for (size_t F = 0; F < Best.Split.size(); ++F) {
      if (Best.Split[F] == Setting::Unsplit) {
        for (unsigned N : {5u, 8u}) {
          Setting S = Best;
          S.Split[F] = N;
          Gained |= take(S);
        }
        if (Best.Split[F] == Setting::Unsplit)
          continue;
      }
      for (unsigned N : {0u, 10u}) {
        Setting S = Best;
        S.Split[F] = N;
        Gained |= take(S);
      }
      for (int Step : {1, -1})
        for (;;) {
          Setting S = Best;
          const int N = static_cast<int>(S.Split[F]) + Step;
          if (N < 0 || N > 10)
            break;
          S.Split[F] = static_cast<unsigned>(N);
          if (!take(S))
            break;
          Gained = true;
        }
    }
    return Gained;
  }

  const SearchSpace &Space;
  const Measure &Time;
  std::map<Setting, double> Known;
  unsigned Measured = 0;
  Setting Best;
  double BestTime;
};

} // namespace

Setting search(const SearchSpace &Space, const Measure &Time) { return Search(Space, Time).run(); }

} // namespace hsched::run
