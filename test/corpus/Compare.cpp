// Verdicts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"

#include <algorithm>

namespace hsched::cc::corpus {
namespace {

constexpr unsigned Samples = 12;

bool contains(const Elements &Outer, const Elements &Inner) {
  return std::includes(Outer.begin(), Outer.end(), Inner.begin(), Inner.end());
}

std::string role(const ExpectedAccess &A) { return A.Role + (A.Conceded ? "!" : ""); }

// What each role promises: a role may stand for another when it promises no more.
Verdict compareRoles(const ExpectedAccess &E, const std::string &Inferred) {
  if (E.Role == Inferred)
    return Verdict::Agreed;
  if (E.Role == "inout")
    return E.Conceded && Inferred == "out" ? Verdict::MorePrecise : Verdict::Wrong;
  if (Inferred == "inout" || E.Role == "none")
    return Verdict::LessPrecise;
  return Verdict::Wrong;
}

// Whether the values make sense of what the inferred box takes for granted.
bool plausible(const Inferred &I, unsigned Root, Values &V) {
  for (const Poly &P : I.E->of(Root).Assumed)
    if (const auto N = evaluate(P, I.Tree, V); !N || *N < 0)
      return false;
  return true;
}

Verdict compareSections(const ExpectedAccess &E, const InferredAccess &A, const Inferred &I, std::string &Why) {
  // A section in an object is compared; a bare name agrees with whatever lies in it.
  if (E.Extent == ExpectedAccess::Whole || E.Role == "none" || A.Role == "none")
    return Verdict::Agreed;
  if (!A.Section) {
    Why = I.E->of(A.Root).Why;
    return E.Extent == ExpectedAccess::Unknown ? Verdict::Agreed : Verdict::LessPrecise;
  }
  bool Smaller = false, Larger = false, Enumerable = true;
  for (unsigned Seed = 0; Seed != Samples; ++Seed) {
    Values V(Seed);
    if (!plausible(I, A.Root, V))
      continue;
    const std::optional<Elements> Got = elements(*A.Section, I.Tree, V);
    std::map<unsigned, Elements> Touched;
    Enumerable = Enumerable && enumerate(I.Tree, V, Touched);
    if (!Got || (!Enumerable && Seed > 2))
      continue;
    if (Enumerable && !contains(*Got, Touched[A.Root])) {
      Why = "the tree has accesses outside the box";
      return Verdict::Wrong;
    }
    if (E.Extent == ExpectedAccess::Unknown)
      continue;
    const std::optional<Elements> Want = elements(E, V);
    if (!Want) {
      Why = "the expectation cannot be evaluated";
      return Verdict::Wrong;
    }
    Larger |= !contains(*Want, *Got);
    Smaller |= !contains(*Got, *Want);
  }
  if (E.Extent == ExpectedAccess::Unknown)
    return Verdict::MorePrecise;
  if (Larger)
    return Verdict::LessPrecise;
  return Smaller ? Verdict::MorePrecise : Verdict::Agreed;
}

Verdict worse(Verdict A, Verdict B) { return std::max(A, B); }

} // namespace

std::vector<Finding> compare(const Expectation &E, Inferred &I) {
  std::vector<Finding> Out;
  std::set<std::string> Named;
  for (const ExpectedAccess &Want : E.Accesses) {
    Finding F;
    F.Name = Want.Name;
    F.Expected = role(Want) + "(" + Want.Text + ")";
    Named.insert(Want.Name);
    InferredAccess None;
    None.Role = "none";
    const InferredAccess *Got = nullptr;
    for (const InferredAccess &A : I.Accesses)
      if (I.Tree.Roots[A.Root].Name == Want.Name && (!Got || Got->Role == "none"))
        Got = &A;
    F.Inferred = Got ? print(*Got, I.Tree) : "nothing";
    F.V = compareRoles(Want, Got ? Got->Role : None.Role);
    if (Got)
      F.V = worse(F.V, compareSections(Want, *Got, I, F.Why));
    Out.push_back(std::move(F));
  }
  for (const InferredAccess &A : I.Accesses)
    if (const std::string &Name = I.Tree.Roots[A.Root].Name; A.Role != "none" && !Named.count(Name))
      Out.push_back({Verdict::LessPrecise, Name, "nothing", print(A, I.Tree), I.E->of(A.Root).Why});
  if (E.Opaque != I.Opaque)
    Out.push_back({I.Opaque ? Verdict::LessPrecise : Verdict::Wrong, "opaque", E.Opaque ? "opaque" : "nothing",
                   I.Opaque ? "opaque" : "nothing", ""});
  return Out;
}

std::vector<std::string> alarms(const Expectation &E, Inferred &I) {
  std::vector<std::string> Out;
  for (const ExpectedAccess &Want : E.Accesses)
    for (const InferredAccess &A : I.Accesses) {
      if (I.Tree.Roots[A.Root].Name != Want.Name)
        continue;
      if (Want.Role == "in" && I.E->of(A.Root).Written)
        Out.push_back("declared in(" + Want.Text + ") would be said to be written");
      if (Want.Extent != ExpectedAccess::Section)
        continue;
      Box B;
      std::optional<Poly> P = polynomial(Want.Base, I.Tree);
      bool Fine = P.has_value();
      B.Base = P.value_or(Poly());
      for (const auto &[Count, Stride] : Want.Dims) {
        const std::optional<Poly> C = polynomial(Count, I.Tree), S = polynomial(Stride, I.Tree);
        Fine &= C && S;
        B.Dims.push_back({C.value_or(Poly()), S.value_or(Poly())});
      }
      if (!Fine)
        continue;
      if (I.E->inside(A.Root, B) == Answer::No)
        Out.push_back("declared " + Want.Role + "(" + Want.Text + ") would be said to be left");
      if (Want.Role == "out" && I.E->overwrites(A.Root, B) == Answer::No)
        Out.push_back("declared out(" + Want.Text + ") would be said not to be overwritten");
    }
  return Out;
}

} // namespace hsched::cc::corpus
