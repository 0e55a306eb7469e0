// A few boxes for a root without a single box.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/regions/EffectsInternal.h"

#include <algorithm>
#include <numeric>

namespace hsched::cc {

using namespace regions;

namespace {

struct Part {
  RootEffect::Piece Of;
  std::vector<const Site *> Sites;
};

// The C with P = C * Distance; 0 for 0.
std::optional<std::int64_t> multipleOf(const Poly &P, const Poly::Monomial &Distance) {
  if (P.isZero())
    return 0;
  if (P.terms().size() != 1 || P.terms().begin()->first != Distance)
    return std::nullopt;
  return P.terms().begin()->second;
}

// x[i], x[i + m], x[i + 2 * m]: rows at distance m, if all parts have that form.
std::optional<Part> rowsOf(const std::vector<Part> &All) {
  const Box &First = All[0].Of.What;
  const Poly Apart = All[1].Of.What.Base - First.Base;
  if (!Apart.valid() || Apart.terms().size() != 1 || Apart.constant() || First.Dims.size() > 1)
    return std::nullopt;
  const Poly::Monomial &Distance = Apart.terms().begin()->first;
  std::vector<std::int64_t> At;
  Part Rows = All[0];
  std::int64_t Least = 0, Step = 0;
  for (const Part &P : All) {
    const std::optional<std::int64_t> C = multipleOf(P.Of.What.Base - First.Base, Distance);
    if (!C || P.Of.What.Dims != First.Dims)
      return std::nullopt;
    if (*C < Least)
      Rows.Of.What.Base = P.Of.What.Base;
    Least = std::min(Least, *C);
    Step = std::gcd(Step, *C);
    At.push_back(*C);
    Rows.Of.Read |= P.Of.Read;
    Rows.Of.Written |= P.Of.Written;
  }
  std::sort(At.begin(), At.end());
  for (std::size_t I = 1; I != At.size(); ++I)
    if (At[I] - At[I - 1] != Step)
      return std::nullopt;
  std::vector<Box::Dim> &Dims = Rows.Of.What.Dims;
  if (Dims.empty())
    Dims.push_back({1, 1});
  Dims.insert(Dims.begin(), {std::int64_t(All.size()), Poly::term(Distance, Step)});
  return Rows;
}

// True if Both, a box around A and B, has no corner outside of A and B. With strides of unknown sign, such a corner may
// be behind the end of the memory.
bool noMore(const Box &A, const Box &B, const Box &Both) {
  if (Both == A || Both == B)
    return true;
  const std::size_t N = std::max({A.Dims.size(), B.Dims.size(), Both.Dims.size()});
  const auto Dim = [](const Box &Of, std::size_t I) { return I < Of.Dims.size() ? Of.Dims[I] : Box::Dim{1, 1}; };
  std::size_t Other = 0;
  for (std::size_t I = 0; I != N; ++I) {
    const Box::Dim J = Dim(Both, I);
    if (!(Dim(A, I).Stride == J.Stride && Dim(B, I).Stride == J.Stride))
      return false;
    Other += !(Dim(A, I).Count == J.Count && Dim(B, I).Count == J.Count);
  }
  return Other <= 1;
}

} // namespace

// Joins accesses while the order of their ends is known. Accesses in the most loops come first, because their boxes may
// contain the others.
std::vector<RootEffect::Piece> Effects::Impl::pieces(BoxFinder &Finder, unsigned Id, std::vector<const Site *> Sites) {
  // Each box becomes a clause. More than Few are written as one tile of rows if they form one.
  constexpr std::size_t Few = 8, Most = 32, Parts = 64, Joins = 300;
  P.begin(Work);
  Certain.begin(Work);
  const auto Loops = [](const Site *S) {
    return std::count_if(S->Path.begin(), S->Path.end(), [](const Site::Around &A) { return A.At->K == Node::Loop; });
  };
  std::stable_sort(Sites.begin(), Sites.end(), [&](const Site *A, const Site *B) { return Loops(A) > Loops(B); });
  std::vector<Part> All;
  std::size_t Joined = 0;
  for (const Site *S : Sites) {
    const auto Found = [&](const std::vector<const Site *> &Of) -> std::optional<Box> {
      BoxResult F = Finder.find(Tree.Roots[Id], Of, /*EitherWay=*/true);
      return F.Assumed.empty() && F.Wanted.empty() ? std::move(F.What) : std::nullopt;
    };
    std::optional<Box> Own = Found({S});
    if (!Own)
      return {};
    auto It = std::find_if(All.begin(), All.end(), [&](const Part &P) { return P.Of.What == *Own; });
    for (auto To = All.begin(); It == All.end() && To != All.end() && Joined != Joins; ++To) {
      std::vector<const Site *> Both = To->Sites;
      Both.push_back(S);
      ++Joined;
      if (std::optional<Box> Of = Found(Both); Of && noMore(To->Of.What, *Own, *Of)) {
        To->Of.What = std::move(*Of);
        It = To;
      }
    }
    if (It == All.end()) {
      It = All.emplace(It);
      It->Of.What = std::move(*Own);
    }
    It->Sites.push_back(S);
    It->Of.Read |= S->Leaf->reads();
    It->Of.Written |= S->Leaf->writes();
    if (All.size() > Parts)
      return {};
  }
  if (All.size() > Few) {
    if (const std::optional<Part> Rows = rowsOf(All))
      All = {*Rows};
    else if (All.size() > Most)
      return {};
  }
  std::vector<RootEffect::Piece> Out;
  for (Part &P : All)
    Out.push_back(std::move(P.Of));
  return Out;
}

} // namespace hsched::cc
