// Conclusions about random trees against what their executions do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"
#include "Interpreter.h"

#include <rapidcheck/gtest.h>

#include <map>
#include <sstream>

namespace hsched::cc {
namespace {

using namespace test;

// All of the range from the first test on: trees are small enough.
int number(int Low, int High) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(Low, High)); }
bool oneIn(int N) { return number(0, N) == N - 1; } // Shrinks to no.
template <class T> const T &pick(const std::vector<T> &All) {
  return All[static_cast<std::size_t>(number(0, static_cast<int>(All.size())))];
}

class RandomTree {
public:
  Builder T;
  std::vector<Poly> Sizes; // N and m.
  std::vector<unsigned> Roots;

  // Signed: n and m may be negative.
  explicit RandomTree(bool Signed = false) {
    Sizes = Signed ? std::vector{T.value("n"), T.value("m")} : std::vector{T.natural("n"), T.natural("m")};
    Unknown = T.unknown("u");
    Roots = {T.param("x"), T.param("y")};
    if (oneIn(4))
      T.root(Roots[0]).Count = Sizes[0];
    const bool Kernel = oneIn(3);
    Items = Kernel;
    statements(3, Kernel ? 1 : 0);
  }

  // Sections as a user might write them.
  Box section() {
    const Poly &N = pick(Sizes), &M = pick(Sizes);
    switch (number(0, 8)) {
    case 0:
      return line(0, N);
    case 1:
      return line(number(-1, 2), N + number(-2, 3));
    case 2:
      return line(0, N * M);
    case 3:
      return box(0, {{N, 2}});
    case 4:
      return box(number(0, 3));
    case 5:
      return box(number(0, 2), {{N, M}, {M - number(0, 2), 1}});
    case 6:
      return line(0, N * 2);
    default:
      return box(N - 1);
    }
  }

private:
  Poly Unknown;
  std::vector<Poly> Counters;
  bool Items = false;
  int Left = 12;

  Poly size() { return pick(Sizes); }
  Poly counter() { return Counters.empty() ? Poly(number(0, 3)) : pick(Counters); }
  Poly small() { return number(-1, 3); }

  Poly index() {
    switch (number(0, 13)) {
    case 12:
      return (size() - 1 - counter()) * size() + counter();
    case 0:
    case 1:
    case 2:
      return counter();
    case 3:
      return counter() + small();
    case 4:
      return size() - 1 - counter();
    case 5:
      return counter() * 2 + number(0, 2);
    case 6:
      return counter() * size() + counter();
    case 7:
      return small();
    case 8:
      return size() - 1;
    case 9:
      return counter() + counter();
    case 10:
      return counter() * size() + counter() + small();
    default:
      return oneIn(4) ? Unknown : counter() * counter();
    }
  }

  Poly bound() {
    switch (number(0, 6)) {
    case 0:
    case 1:
      return size();
    case 2:
      return size() + small() - 1;
    case 3:
      return number(1, 5);
    case 4:
      return counter() + number(0, 3);
    default:
      return size() * 2;
    }
  }

  Poly condition() {
    switch (number(0, 6)) {
    case 0:
    case 1:
      return size() - 1 - counter();
    case 2:
      return counter() - 1;
    case 3:
      return counter() - counter();
    case 4:
      return size() - number(0, 3);
    default:
      return size() - size() + small();
    }
  }

  std::vector<Poly> conditions() {
    std::vector<Poly> All{condition()};
    if (oneIn(4))
      All.push_back(condition());
    if (oneIn(20))
      All.push_back(Unknown);
    return All;
  }

  void leaf() {
    const auto K = pick<AccessKind>({AccessKind::Write, AccessKind::Write, AccessKind::Read, AccessKind::Update});
    if (oneIn(20)) {
      T.anywhere(pick(Roots), K);
      return;
    }
    Access &A = T.access(pick(Roots), K, index(), oneIn(5) ? bound() : Poly(1));
    A.Maybe = oneIn(10);
    A.Partial = oneIn(12);
    A.Guess = oneIn(20);
  }

  void statements(int Depth, int Parallel) {
    for (int Count = number(1, 4); Count > 0 && Left > 0; --Count)
      statement(Depth, Parallel);
  }

  void statement(int Depth, int Parallel) {
    --Left;
    if (Parallel > 0) {
      T.parallel(bound(), [&](Poly I) { within(I, Depth - 1, Parallel - 1); });
      return;
    }
    switch (Depth > 0 ? number(0, 8) : 0) {
    case 0:
    case 1:
    case 2:
      leaf();
      return;
    case 3:
    case 4: {
      const Poly Low = oneIn(3) ? bound() : small();
      Node &N = T.loop(Low, bound(), [&](Poly I) { within(I, Depth - 1, 0); }, oneIn(4) ? number(2, 4) : 1);
      N.Breaks = oneIn(8);
      if (oneIn(12))
        N.Low.reset(), N.High.reset();
      return;
    }
    case 5: {
      const bool Exact = !oneIn(4);
      if (oneIn(2))
        T.when(conditions(), [&] { statements(Depth - 1, 0); }, Exact);
      else
        T.when(conditions(), [&] { statements(Depth - 1, 0); }, [&] { statements(Depth - 1, 0); }, Exact);
      return;
    }
    case 6:
      T.when(
          conditions(),
          [&] {
            if (oneIn(3))
              leaf();
            T.stop(!Items && oneIn(2));
          },
          !oneIn(3));
      return;
    default:
      if (oneIn(6))
        T.stop(!Items && oneIn(2));
      else
        leaf();
    }
  }

  void within(const Poly &I, int Depth, int Parallel) {
    Counters.push_back(I);
    statements(Depth, Parallel);
    Counters.pop_back();
  }
};

bool holds(const std::vector<Poly> &All, const Values &V) {
  return std::all_of(All.begin(), All.end(), [&](const Poly &P) { return valueOf(P, V) >= 0; });
}

// One execution, against one section of one root.
struct Verdict {
  bool Overwrites = true, Inside = true, ReadsInside = true, WritesInside = true;
};

Verdict judge(const Events &Seen, Interpreter::Outcome O, unsigned Root, const std::set<std::int64_t> &What) {
  Verdict V;
  std::set<std::int64_t> Open = What;
  for (const Event &E : Seen) {
    if (E.Root != Root)
      continue;
    if (!What.count(E.Element))
      V.Inside = false, (E.Write ? V.WritesInside : V.ReadsInside) = false;
    if (!E.Write)
      V.Overwrites &= !Open.count(E.Element);
    else if (!E.Partial)
      Open.erase(E.Element);
  }
  V.Overwrites = O == Interpreter::Threw || (V.Overwrites && Open.empty());
  return V;
}

struct Claim {
  unsigned Root;
  Box What;
  Answer Overwrites, Inside, ReadsInside, WritesInside;
  bool SeenNotOverwritten = false, SeenOutside = false, SeenReadOutside = false, SeenWriteOutside = false;
};

bool boxesHold(const RootEffect &Of, const std::set<std::int64_t> &Read, const std::set<std::int64_t> &Written,
               const Values &V) {
  auto Holds = [&](const std::optional<Box> &B, const std::set<std::int64_t> &What) {
    if (!B || !holds(Of.Assumed, V))
      return true;
    const std::set<std::int64_t> All = elementsOf(*B, V);
    return std::includes(All.begin(), All.end(), What.begin(), What.end());
  };
  return Holds(Of.Reads, Read) && Holds(Of.Writes, Written) && Holds(Of.All, Read) && Holds(Of.All, Written);
}

void check(const RandomTree &R, const Effects &E, std::vector<Claim> &Claims, const Values &V, unsigned Seed,
           unsigned Bias) {
  Interpreter I(R.T.Tree, V, Seed, Bias);
  const Interpreter::Outcome O = I.run();
  // Outside an object of known size there is nothing: no program does that, and of one that does anything is true.
  const bool Sensible = std::all_of(I.Seen.begin(), I.Seen.end(), [&](const Event &X) {
    const auto &Count = R.T.Tree.Roots[X.Root].Count;
    return !Count || (X.Element >= 0 && X.Element < valueOf(*Count, V));
  });
  for (Claim &C : Claims) {
    const std::set<std::int64_t> What = elementsOf(C.What, V);
    const Verdict J = judge(I.Seen, O, C.Root, What);
    RC_ASSERT(!Sensible || C.Overwrites != Answer::Yes || J.Overwrites);
    RC_ASSERT(!Sensible || C.Inside != Answer::Yes || J.Inside);
    RC_ASSERT(!Sensible || C.ReadsInside != Answer::Yes || J.ReadsInside);
    RC_ASSERT(!Sensible || C.WritesInside != Answer::Yes || J.WritesInside);
    if (What.empty())
      continue;
    C.SeenNotOverwritten |= !J.Overwrites;
    C.SeenOutside |= !J.Inside;
    C.SeenReadOutside |= !J.ReadsInside;
    C.SeenWriteOutside |= !J.WritesInside;
  }
  if (!Sensible)
    return;
  for (unsigned Root : R.Roots) {
    const RootEffect &Of = E.of(Root);
    std::set<std::int64_t> Read, Written, ReadFirst;
    for (const Event &X : I.Seen) {
      if (X.Root != Root)
        continue;
      if (X.Write)
        Written.insert(X.Element);
      else if (Read.insert(X.Element), !Written.count(X.Element))
        ReadFirst.insert(X.Element);
    }
    RC_ASSERT(Of.Read || Read.empty());
    RC_ASSERT(Of.Written || Written.empty());
    RC_ASSERT(boxesHold(Of, Read, Written, V));
    if (!Of.ReadFirst)
      for (std::int64_t X : ReadFirst)
        RC_ASSERT(!Written.count(X));
  }
}

RC_GTEST_PROP(Oracle, ConclusionsHold, ()) {
  RandomTree R;
  std::ostringstream Text;
  print(Text, R.T.Tree, R.T.Tree.Body);
  RC_LOG() << Text.str();
  const Effects E = R.T.effects();
  std::vector<Claim> Claims;
  auto Ask = [&](unsigned Root, const Box &B) {
    Claims.push_back(
        {Root, B, E.overwrites(Root, B), E.inside(Root, B), E.readsInside(Root, B), E.writesInside(Root, B)});
    const Claim &C = Claims.back();
    RC_LOG() << R.T.Tree.Roots[Root].Name << ' ' << print(R.T.Tree, B) << ": " << int(C.Overwrites) << int(C.Inside)
             << int(C.ReadsInside) << int(C.WritesInside) << '\n';
    RC_CLASSIFY(C.Overwrites == Answer::Yes, "overwrites");
    RC_CLASSIFY(C.Overwrites == Answer::No, "overwrites not");
    RC_CLASSIFY(C.Inside == Answer::Yes, "inside");
    RC_CLASSIFY(C.Inside == Answer::No, "outside");
  };
  for (unsigned Root : R.Roots) {
    const RootEffect &Of = E.of(Root);
    RC_LOG() << R.T.Tree.Roots[Root].Name << (Of.ReadFirst ? " read first" : "") << " all " << print(R.T.Tree, Of.All)
             << " reads " << print(R.T.Tree, Of.Reads) << " writes " << print(R.T.Tree, Of.Writes) << '\n';
    Ask(Root, R.section());
    Ask(Root, R.section());
    if (Of.All)
      Ask(Root, *Of.All);
    if (Of.Writes)
      Ask(Root, *Of.Writes);
  }
  constexpr std::int64_t Tried[] = {0, 1, 2, 3, 4, 5, 6, 8, 13};
  unsigned Seed = 0; // Another one each time: what rests on some choices is to be seen once.
  for (std::int64_t N : Tried)
    for (std::int64_t M : Tried) {
      const Values V = completed(R.T.Tree, {{0, N}, {1, M}, {2, 0}});
      for (unsigned Bias : {0u, 64u, 32u, 10u, 54u})
        check(R, E, Claims, V, ++Seed, Bias);
    }
  for (const Claim &C : Claims) {
    RC_ASSERT(C.Overwrites != Answer::No || C.SeenNotOverwritten);
    RC_ASSERT(C.Inside != Answer::No || C.SeenOutside);
    RC_ASSERT(C.ReadsInside != Answer::No || C.SeenReadOutside);
    RC_ASSERT(C.WritesInside != Answer::No || C.SeenWriteOutside);
  }
}

// Assumptions of boxes are reported, also those on lengths; nothing counts as overwritten only because lengths are not
// negative.
RC_GTEST_PROP(Oracle, ConclusionsHoldWhateverTheSigns, ()) {
  RandomTree R(/*Signed=*/true);
  std::ostringstream Text;
  print(Text, R.T.Tree, R.T.Tree.Body);
  RC_LOG() << Text.str();
  const Effects E = R.T.effects();
  std::map<unsigned, bool> Overwritten;
  for (unsigned Root : R.Roots) {
    const std::optional<Box> &All = E.of(Root).All;
    Overwritten[Root] = All && E.overwrites(Root, *All) == Answer::Yes;
    RC_CLASSIFY(Overwritten[Root], "overwritten");
    RC_LOG() << R.T.Tree.Roots[Root].Name << (Overwritten[Root] ? " out" : "") << " all " << print(R.T.Tree, All)
             << '\n';
  }
  constexpr std::int64_t Tried[] = {-7, -3, -2, -1, 0, 1, 2, 4, 5};
  for (std::int64_t N : Tried)
    for (std::int64_t M : Tried) {
      const Values V = completed(R.T.Tree, {{0, N}, {1, M}, {2, 0}});
      unsigned Seed = 0;
      for (unsigned Bias : {0u, 64u, 32u}) {
        Interpreter I(R.T.Tree, V, ++Seed, Bias);
        const Interpreter::Outcome O = I.run();
        for (unsigned Root : R.Roots) {
          // Where the whole object is the box it has no fewer than no elements.
          if (const auto &Count = R.T.Tree.Roots[Root].Count; Count && valueOf(*Count, V) < 0)
            continue;
          std::set<std::int64_t> Read, Written;
          bool Sensible = true;
          for (const Event &X : I.Seen) {
            if (X.Root != Root)
              continue;
            (X.Write ? Written : Read).insert(X.Element);
            const auto &Count = R.T.Tree.Roots[Root].Count;
            Sensible &= !Count || (X.Element >= 0 && X.Element < valueOf(*Count, V));
          }
          RC_ASSERT(!Sensible || boxesHold(E.of(Root), Read, Written, V));
          if (Sensible && Overwritten[Root])
            RC_ASSERT(judge(I.Seen, O, Root, elementsOf(*E.of(Root).All, V)).Overwrites);
        }
      }
    }
}

} // namespace
} // namespace hsched::cc
