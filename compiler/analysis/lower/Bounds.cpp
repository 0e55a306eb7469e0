// Bounds of counters. A counter below two numbers of unknown order is below their minimum, so no section exceeds the
// accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "llvm/Support/MathExtras.h"

#include <list>
#include <numeric>

using namespace clang;

namespace hsched::cc {

static constexpr std::size_t MostLimits = 8, MostFacts = 40; // Limits. More is not useful.

// True if P is not negative for non-negative sizes; facts about them, such as quotients, are used for positive sizes.
bool Lowerer::notNegativeForSizes(const Poly &P) const {
  const auto Sums = [](const Poly &Q, bool Positive) {
    double Least = 0; // Value with all sizes 1.
    for (const auto &[M, C] : Q.terms()) {
      if (C < 0 && !(Positive && M.empty()))
        return false;
      Least += double(C);
    }
    return Q.valid() && Least >= 0;
  };
  const llvm::ArrayRef<Poly> Known = llvm::ArrayRef(Tree.Facts).take_front(MostFacts);
  return Sums(P, false) || llvm::any_of(Known, [&](const Poly &Fact) { return Sums(P - Fact, true); });
}

// True if P contains unsigned numbers, so that it wraps to a large number when negative.
bool Lowerer::mayWrap(const Poly &P) const {
  return llvm::any_of(P.terms(), [](const auto &Term) { return Term.second < 0; }) &&
         llvm::any_of(P.symbols(), [&](SymbolId S) { return Tree.Symbols[S].NonNegative; });
}

// For non-negative i, if (i == 0) becomes if (i <= 0): otherwise i is at least 1, so i - 1 is a valid index. Known:
// polynomials that are not negative wherever N runs.
void Lowerer::refineBounds(Node &N, std::vector<Poly> &Known) {
  const std::size_t Before = Known.size();
  // D or -D, whichever is not negative.
  const auto Side = [&](const Poly &D) -> std::optional<Poly> {
    for (const Poly &P : {D, -D})
      if (llvm::any_of(Known, [&](const Poly &K) { return surelyNonNegative(P - K); }))
        return P;
    return std::nullopt;
  };
  if (N.K == Node::If && N.Given) {
    std::vector<Poly> Differ = std::exchange(N.When, {});
    for (const Poly &D : Differ)
      if (const std::optional<Poly> P = Side(D)) {
        N.When.push_back(*P - 1);
        Known.push_back(*P - 1);
      } else {
        N.Differ.push_back(D);
      }
    if (N.When.empty()) {
      N.K = Node::Seq;
      N.Given = N.Exact = false;
    }
  } else if (N.K == Node::If && N.Exact && N.When.size() == 2 && N.When[0] == -N.When[1]) {
    if (const std::optional<Poly> P = Side(N.When[0]))
      N.When = {-*P};
  }
  if (N.K == Node::If && N.Exact && N.When.size() == 1 && N.Children.size() > 1 && N.Children[0].K == Node::Seq &&
      N.Children[0].Children.empty()) {
    N.When[0] = -N.When[0] - 1;
    N.Children.erase(N.Children.begin());
  }
  if (N.K == Node::Loop && N.Low && N.High) {
    Known.push_back(Poly::symbol(N.Counter) - *N.Low);
    Known.push_back(*N.High - 1 - Poly::symbol(N.Counter));
  }
  if (N.K == Node::If)
    Known.insert(Known.end(), N.When.begin(), N.When.end());
  for (Node &C : N.Children) {
    spend();
    refineBounds(C, Known);
    if (N.K == Node::If) {
      Known.resize(Before);
      if (N.Exact && !N.Given && N.When.size() == 1)
        Known.push_back(-N.When[0] - 1);
    }
  }
  Known.resize(Before);
}

// Above: upper bounds of counters wherever N runs.
void Lowerer::joinBounds(Node &N, std::vector<Below> &Above) {
  const std::size_t Before = Above.size();
  if (N.K == Node::If)
    joinBoundsOf(N, Above);
  else if (N.K == Node::Loop && !N.Parallel && N.High && isConstant(*N.High))
    Above.push_back({N.Counter, *N.High});
  for (Node &C : N.Children) {
    joinBounds(C, Above);
    if (N.K == Node::If)
      Above.resize(Before); // In a branch where the condition does not hold.
  }
  Above.resize(Before);
}

// Upper bounds of counters in a conjunction of conditions, by counter. Without equalities.
std::map<SymbolId, std::vector<Poly>> Lowerer::limitsOf(const std::vector<Poly> &Conditions) const {
  std::map<SymbolId, std::vector<Poly>> Limits;
  for (const Poly &C : Conditions)
    for (SymbolId S : C.symbols())
      if (const auto Parts = Tree.Symbols[S].K == Symbol::Loop ? C.linearIn(S) : std::nullopt;
          Parts && Parts->first == Poly(-1) && isConstant(Parts->second) && !llvm::is_contained(Conditions, -C))
        Limits[S].push_back(Parts->second + 1);
  return Limits;
}

// Adds to Above the bounds that hold in If's first child.
void Lowerer::joinBoundsOf(Node &If, std::vector<Below> &Above) {
  const bool Else = If.Children.size() > 1 && !(If.Children[1].K == Node::Seq && If.Children[1].Children.empty());
  std::vector<Poly> Joined;
  for (auto &[Counter, Limits] : limitsOf(If.When)) {
    std::vector<Poly> All; // In source order.
    for (const Below &B : Above)
      if (B.Counter == Counter && !Else && All.size() < MostLimits)
        All.push_back(B.Limit);
    All.insert(All.end(), Limits.begin(), Limits.end());
    // A bound that is not less than another is redundant.
    for (std::size_t I = 0; I < All.size();) {
      bool More = false;
      for (std::size_t J = 0; J != All.size(); ++J)
        More |= J != I && notNegativeForSizes(All[I] - All[J]);
      if (More)
        All.erase(All.begin() + std::ptrdiff_t(I));
      else
        ++I;
    }
    if (All.size() > 1 && !Else && Tree.Facts.size() + All.size() <= MostFacts &&
        llvm::none_of(All, [&](const Poly &L) { return mayWrap(L); })) {
      std::vector<Value> Values;
      for (const Poly &L : All)
        Values.push_back(Value::integer(L));
      if (const std::optional<Poly> Least = leastOrGreatest(Values, /*Least=*/true).Int) {
        std::vector<Poly> Facts;
        for (const Poly &L : All)
          Facts.push_back(L - *Least);
        learn(Facts);
        Joined.push_back(*Least - 1 - Poly::symbol(Counter));
        All = {*Least};
      }
    }
    for (const Poly &L : All)
      Above.push_back({Counter, L});
  }
  // The original bounds stay: the bound of several accesses may be one of them.
  If.When.insert(If.When.begin(), Joined.begin(), Joined.end());
}

// Loop for (v = ...; v >= low; v -= n) of a kernel, whose condition is Whole >= 0: as a loop over T - v that counts up.
// T is where it begins without the part that a work-item has of its own, if the loop is shared by them.
void Lowerer::countDown(Bound &B, Phi &F, const Poly &Whole, bool Exits, const std::vector<Phi> &Phis) {
  const Poly Below = Whole - Poly::symbol(F.S), By = -F.Step;
  if (F.Place || F.Unsigned || F.Narrow || !Below.valid() || !By.valid() || (Exits && !surelyNonNegative(By)) ||
      llvm::any_of(Phis, [&](const Phi &G) { return Below.mentions(G.S); }))
    return;
  const Poly Low = firstShared(F.Entry, By);
  const Poly Top = F.Entry + Low;
  B.Low = Low;
  B.High = Top + Below + 1;
  if (!Top.valid() || !B.High.valid())
    return;
  B.Found = B.Breaks = B.Overapproximated = true;
  B.Stride = By;
  B.Counter = freshSymbol(F.Name + "'", Symbol::Loop);
  Tree.Symbols[B.Counter].NonNegative = surelyNonNegative(Low);
  F.Closed = Top - Poly::symbol(B.Counter);
}

// The greatest number that divides all coefficients.
static std::int64_t content(const Poly &P) {
  std::int64_t G = 0;
  for (const auto &[M, C] : P.terms())
    G = C == INT64_MIN ? 1 : std::gcd(G, C);
  return G;
}

// If the condition is the only exit of the loop, its step leads there. With other exits (Exits), it may go the other
// way.
Lowerer::Bound Lowerer::boundOf(const Condition &C, std::vector<Phi> &Phis, bool Exits, std::size_t Watermark,
                                bool TestLast) {
  Bound B;
  if (C.Holds.empty() && C.Differs.empty())
    return B;
  // Each polynomial as A * k + Start, in the iteration number k.
  const SymbolId K = freshSymbol("k");
  struct Line {
    Poly Whole, A, Start;
    bool Known = false, Differs = false;
    const Poly *Upper = nullptr; // As Condition::upperOf().
  };
  const auto LineOf = [&](const Poly &D) {
    Line R;
    R.Whole = D;
    Poly At = D;
    for (const Phi &F : Phis)
      if (D.mentions(F.S)) {
        if (!F.Step.valid())
          return R;
        At = At.substituted(F.S, F.Entry + F.Step * Poly::symbol(K));
      }
    for (SymbolId S : At.symbols())
      if (S != K && S >= Watermark && Tree.Symbols[S].K != Symbol::Value && SymbolTable[S].Greatest.empty())
        return R;
    const auto Parts = At.linearIn(K);
    if (!Parts)
      return R;
    R.A = Parts->first;
    R.Start = Parts->second;
    R.Known = true;
    return R;
  };
  std::vector<Line> Lines;
  for (const Poly &D : C.Holds) {
    Lines.push_back(LineOf(D));
    Lines.back().Upper = C.upperOf(D);
  }
  for (const Poly &D : C.Differs) {
    // Counted up or down to it: the value is met exactly, or the loop is infinite.
    Line R = LineOf(D);
    if (const std::optional<std::int64_t> A = R.A.constant(); R.Known && A && *A > 0)
      R = LineOf(-D);
    R.Whole = R.Whole - 1;
    R.Start = R.Start - 1;
    R.Differs = true;
    Lines.push_back(R);
  }
  // Of two limits of one variable, of which one is a converted size, the lesser.
  std::list<Poly> Lessers;
  const auto LimitIn = [&](const Line &L, const Phi &F) {
    const Poly Limit = L.Whole + Poly::symbol(F.S) + 1;
    return L.Known && !L.Differs && !F.Place && isConstant(Limit) ? Limit : Poly::invalid();
  };
  const auto TypeOf = [&](const Line &L) {
    const auto U = llvm::find_if(C.Uppers, [&](const Condition::Upper &Each) { return L.Upper == &Each.Side; });
    return U == C.Uppers.end() ? QualType() : U->Type;
  };
  const auto Joined = [&](std::size_t I, std::size_t J, const Phi &F) {
    const QualType T = TypeOf(Lines[I]);
    const Poly One = LimitIn(Lines[I], F), Two = LimitIn(Lines[J], F);
    if (I == J || T.isNull() || !One.valid() || !Two.valid() ||
        (Lines[J].Upper ? TypeOf(Lines[J]) != T : !notNegative(Two, /*OfSizes=*/false)))
      return false;
    Value A = Value::integer(One), B = Value::integer(Two);
    A.Modulo = Context.getIntWidth(T);
    B.Modulo = Lines[J].Upper ? A.Modulo : Value::Whole;
    const std::optional<Value> Lesser = converted(A, B, /*Least=*/true, T);
    if (!Lesser)
      return false;
    Line Both = LineOf(*Lesser->Int - Poly::symbol(F.S) - 1);
    if (Lines[J].Upper)
      Both.Upper = &Lessers.emplace_back(*Lesser->Int);
    Lines[std::min(I, J)] = Both;
    Lines.erase(Lines.begin() + std::ptrdiff_t(std::max(I, J)));
    return true;
  };
  const auto JoinTwo = [&] {
    for (std::size_t I = 0; I != Lines.size(); ++I)
      for (std::size_t J = 0; J != Lines.size(); ++J)
        for (const Phi &F : Phis)
          if (Joined(I, J, F))
            return true;
    return false;
  };
  while (JoinTwo()) {
  }
  std::size_t By = Lines.size();
  std::optional<Poly> Trips; // If the step is not constant.
  // True at the start, and from then on.
  const auto Always = [&](const Line &L) {
    const std::optional<std::int64_t> Slope = L.A.constant();
    return L.Known && !L.Differs && Slope && *Slope > 0 && surelyNonNegative(L.Start);
  };
  const auto AtEntry = [&](Poly P) { // With what the loop does not change.
    for (const Phi &F : Phis)
      if (F.Step.isZero())
        P = P.substituted(F.S, F.Entry);
    return P;
  };
  // If a bound wraps, the loop goes on to another exit, which is none that holds from the start on. Bounds that do not
  // wrap come first.
  const auto Rises = [&](const Line &L) {
    const std::optional<std::int64_t> Slope = L.A.constant();
    return L.Known && !L.Differs && Slope && *Slope > 0;
  };
  const bool Elsewhere = Exits || !C.Exact || Lines.size() - std::size_t(llvm::count_if(Lines, Rises)) > 1;
  llvm::stable_sort(Lines, [](const Line &A, const Line &B) { return !A.Upper && B.Upper; });
  // A counter with few numbers wraps within the array, and may then end the loop.
  const auto IsNarrow = [&](const Line &L) {
    return llvm::any_of(Phis, [&](const Phi &F) { return F.Narrow && !F.Step.isZero() && L.Whole.mentions(F.S); });
  };
  for (std::size_t I = 0; I != Lines.size() && By == Lines.size(); ++I) {
    const Line &M = Lines[I];
    const std::optional<std::int64_t> A = M.A.constant();
    if (Exits && !A && !M.Differs && !surelyNonNegative(-M.A))
      continue;
    if (M.Known && !A && !(Trips = (M.Start + 1).dividedBy(-M.A)) && !M.Differs)
      Trips = opaque("(", M.Start - M.A, " / ", -M.A, ")", false, /*OfSizes=*/true); // Rounded up.
    if (M.Known && A ? *A < 0 : Trips.has_value())
      By = I;
  }
  // Loop for (v = ...; v < High; v += n): at least a loop over all possible values of v.
  for (std::size_t I = 0; I != Lines.size() && By == Lines.size(); ++I)
    for (Phi &F : Phis) {
      const Poly High = Lines[I].Whole + Poly::symbol(F.S) + 1;
      bool Fixed =
          Lines[I].Known && !F.Place && High.valid() && F.Step == -Lines[I].A && (!Exits || surelyNonNegative(F.Step));
      for (const Phi &G : Phis)
        Fixed &= !High.mentions(G.S);
      if (!Fixed || B.Found)
        continue;
      B.Found = B.Breaks = B.Overapproximated = true;
      B.Low = F.Entry;
      B.High = High;
      B.Stride = F.Step;
      if ((Elsewhere || IsNarrow(Lines[I])) && Lines[I].Upper)
        B.Meets = AtEntry(*Lines[I].Upper);
      B.Counter = freshSymbol(F.Name, Symbol::Loop);
      Tree.Symbols[B.Counter].NonNegative = surelyNonNegative(B.Low);
      F.Closed = Poly::symbol(B.Counter);
    }
  for (std::size_t I = 0; Geometry && I != Lines.size() && By == Lines.size(); ++I)
    for (Phi &F : Phis)
      if (const Line &L = Lines[I]; L.Known && !L.Upper && !B.Found && F.Step == L.A)
        countDown(B, F, L.Whole, Exits, Phis);
  if (B.Found || By == Lines.size())
    return B;
  const Line &Main = Lines[By];
  const std::optional<std::int64_t> A = Main.A.constant();
  const auto Wraps =
      llvm::find_if(Phis, [&](const Phi &F) { return F.Wraps && !F.Step.isZero() && Main.Whole.mentions(F.S); });
  if ((Elsewhere || IsNarrow(Main)) && Main.Upper)
    B.Meets = AtEntry(*Main.Upper);
  const bool Others = Exits || !C.Exact || Lines.size() > 1;
  if (Main.Differs && (Others || Wraps != Phis.end())) {
    // Where i != n, it goes on beyond n, to another exit. If i wraps, it comes back to n. A step of 2 stays even then.
    const bool Even = !Others && A && llvm::isPowerOf2_64(std::uint64_t(-*A));
    std::optional<Poly> Meets = Even ? Main.Start + 1 : A ? (Main.Start + 1).dividedBy(-*A) : Trips;
    if (Meets && TestLast)
      Meets = *Meets - 1;
    if (!Meets || (Meets->constant() && *Meets->constant() < 0))
      return B;
    // From 0 up, or down to 0.
    const bool AtZero =
        Even && !TestLast && Wraps->Unsigned &&
        ((Wraps->Entry.isZero() && surelyNonNegative(Wraps->Step)) || Main.Whole + 1 == Poly::symbol(Wraps->S));
    if (!AtZero && !surelyNonNegative(*Meets))
      B.Meets = Meets, B.Wraps = !Others;
  }
  if (!A) { // P += n until p == A + m * n.
    B.Step = 1;
    B.Low = 0;
    B.High = *Trips;
  } else {
    const std::int64_t Step = -*A;
    // The variable itself, if it counts up by that and the condition is v < a fixed value.
    for (Phi &F : Phis) {
      if (F.Place || !(F.Step == Poly(Step)))
        continue;
      const Poly Limit = Main.Whole + Poly::symbol(F.S) + 1;
      bool Fixed = Limit.valid() && !Limit.mentions(F.S);
      Poly High = Limit;
      for (const Phi &G : Phis)
        if (Limit.mentions(G.S)) {
          Fixed &= G.Step.isZero();
          High = High.substituted(G.S, G.Entry);
        }
      bool Divides = true;
      for (const Phi &G : Phis)
        Divides &= !G.Step.valid() || G.Step.dividedBy(Step).has_value();
      if (!Fixed || (!Divides && (Main.Start + 1).dividedBy(Step)))
        continue;
      B.Low = F.Entry;
      B.High = High;
      B.Step = Step;
      B.Name = F.Name;
      B.Found = true;
      break;
    }
    if (!B.Found) {
      const std::int64_t G = std::max<std::int64_t>(1, std::gcd(content(Main.Start + 1), Step));
      B.Low = 0;
      B.High = *(Main.Start + 1).dividedBy(G);
      B.Step = Step / G;
    }
  }
  B.Found = true;
  if (B.Name.empty())
    for (const Phi &F : Phis)
      if (Main.Whole.mentions(F.S) && !F.Step.isZero() && B.Name.empty())
        B.Name = F.Name + "'";
  B.Counter = freshSymbol(B.Name, Symbol::Loop);
  Tree.Symbols[B.Counter].NonNegative = surelyNonNegative(B.Low);
  for (Phi &F : Phis) {
    F.Closed = Poly::invalid();
    if (const std::optional<Poly> Per = F.Step.valid() ? F.Step.dividedBy(B.Step) : std::nullopt)
      F.Closed = F.Entry + *Per * (Poly::symbol(B.Counter) - B.Low);
    const std::optional<std::int64_t> Each = F.Step.constant();
    // A loop that has only this end does not end if its counter wraps.
    const bool Ends = Main.Whole.mentions(F.S) && !(Elsewhere && !B.Meets && Each && *Each > 0 && F.Past);
    if (!F.Narrow || !F.Closed.valid() || F.Step.isZero() || Ends)
      continue;
    // The loop's end does not keep it from wrapping.
    const Poly Room = Poly(F.Past) - F.Closed.substituted(B.Counter, B.High);
    const std::optional<std::int64_t> Known = Room.constant();
    if (F.Past == 0 || !Each || *Each < 0 || !Room.valid() || (Known && *Known < 0) || (!Known && B.Meets))
      F.Closed = Poly::invalid();
    else if (!Known)
      B.Meets = Room, B.Wraps = true;
  }
  // The other conditions.
  B.Exact = C.Exact;
  B.Breaks = !C.Exact;
  for (std::size_t I = 0; I != Lines.size(); ++I) {
    if (I == By)
      continue;
    const Line &M = Lines[I];
    const std::optional<std::int64_t> Slope = M.A.constant();
    if (Always(M)) {
      // A number of few bits that is large as one without a sign ends the loop, too.
      const std::optional<std::int64_t> High = B.High.constant();
      B.Breaks |= !High && llvm::any_of(Phis, [&](const Phi &F) {
        return F.Narrow && !F.Unsigned && !F.Step.isZero() && M.Whole == Poly::symbol(F.S);
      });
      continue;
    }
    std::optional<Poly> Upper = M.Upper ? std::optional(AtEntry(*M.Upper)) : std::nullopt;
    // What is known around the loop may keep it from wrapping only if it has counters.
    const bool Left =
        Upper && llvm::none_of(Upper->symbols(), [&](SymbolId S) { return Tree.Symbols[S].K != Symbol::Value; });
    if (Upper && !Left)
      B.Sides.push_back(std::move(*Upper));
    if (M.Differs || !M.Known || !Slope || Left) {
      B.Exact = false;
      B.Breaks = true;
      if (M.Differs || Left)
        continue;
    } else if (*Slope > 0) {
      B.Breaks = true;
    }
    B.Guards.push_back(M.Whole);
  }
  return B;
}

// A loop do { } while (i < n) runs the first iteration unconditionally, and all others for which the condition holds at
// their begin. So it ends at the maximum of the condition's end and the first iteration's. If that maximum has no name,
// the first iteration is duplicated, which adds neither accesses nor writes before reads.
Lowerer::Bound Lowerer::boundAtEnd(Pass &P, std::vector<Phi> &Phis, std::size_t Watermark) {
  const std::function<bool(const Node &)> Loops = [&](const Node &N) {
    return N.K == Node::Loop || std::any_of(N.Children.begin(), N.Children.end(), Loops);
  };
  if (P.Breaks || !P.Test.Children.empty())
    return {};
  if (!P.C.Uppers.empty() && (P.C.Holds.size() > 1 || !P.C.Exact)) // If the bound wraps, it ends elsewhere.
    return {};
  Condition Before = P.C;
  for (std::vector<Poly> *List : {&Before.Holds, &Before.Differs})
    for (Poly &D : *List)
      for (const Phi &F : Phis)
        if (D.mentions(F.S)) {
          if (!F.Step.valid())
            return {};
          D = D.substituted(F.S, Poly::symbol(F.S) - F.Step);
        }
  Bound B = boundOf(Before, Phis, false, Watermark, /*TestLast=*/true);
  if (!B.Found)
    return {};
  // A number of few bits may wrap at the end of the first iteration already.
  for (const Phi &F : Phis) {
    const std::optional<std::int64_t> Each = F.Step.valid() ? F.Step.constant() : std::nullopt;
    if (!F.Narrow || !F.Past || !Each || *Each <= 0)
      continue;
    const Poly Room = Poly(F.Past - 1 - *Each) - F.Entry;
    if (surelyNonNegative(Room))
      continue;
    if (!Room.valid() || Room.constant() || B.Meets)
      return {};
    B.Meets = Room, B.Wraps = true;
  }
  if (!B.Overapproximated) {
    if (B.Breaks || !B.Exact || !B.Guards.empty())
      return {};
    const std::optional<std::int64_t> Length = (B.High - B.Low).constant();
    // A loop that ends only at i == n began below n.
    if ((Length && *Length > 0) || P.C.Holds.empty())
      return B;
    if (const std::optional<Poly> End =
            leastOrGreatest({Value::integer(B.High), Value::integer(B.Low + 1)}, /*Least=*/false).Int) {
      B.High = *End;
      return B;
    }
  }
  if (Loops(P.Body)) // Copies of copies would be too many.
    return {};
  Node First = P.Body;
  copyLeafBytes(First);
  for (const Phi &F : Phis)
    substitute(First, F.S, F.Entry);
  emit(std::move(First));
  return B;
}

} // namespace hsched::cc
