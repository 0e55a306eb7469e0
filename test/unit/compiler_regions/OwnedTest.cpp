// Storage that an object owns counts as a part of the object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

#include "analysis/regions/Owned.h"

#include <sstream>

using namespace hsched::cc;
using test::Builder;

namespace {

struct Owners : Builder {
  unsigned owned(unsigned Parent, const std::string &Name, std::optional<Poly> Owner) {
    const unsigned Id = param(Name, Root::Indirect);
    root(Id).Parent = Parent;
    root(Id).Owned = true;
    root(Id).Owner = std::move(Owner);
    return Id;
  }
  std::string folded(std::vector<unsigned> Named) {
    foldOwned(Tree, [&](unsigned Id) { return std::find(Named.begin(), Named.end(), Id) != Named.end(); });
    std::ostringstream OS;
    OS << Tree;
    return OS.str();
  }
};

TEST(Owned, IsPartOfAnObjectThatIsNamed) {
  Owners T;
  const unsigned V = T.param("v"), In = T.owned(V, "*v", Poly(0)), Deep = T.owned(In, "*v[2]", Poly(2));
  T.read(In, 5);
  T.update(Deep, 7);
  T.write(Deep, 0);
  EXPECT_EQ(T.folded({V}), "read v[0] partial\nupdate v[0] partial\nwrite v[0] partial maybe\n");
}

TEST(Owned, IsPartOfTheNearestThatIsNamed) {
  Owners T;
  const unsigned V = T.param("v"), In = T.owned(V, "*v", Poly(0)), Deep = T.owned(In, "*v[2]", Poly(2));
  T.read(In, 5);
  T.read(Deep, 7);
  EXPECT_EQ(T.folded({V, In}), "read *v[5]\nread *v[2] partial\n");
}

TEST(Owned, StaysWhereNothingIsNamed) {
  Owners T;
  const unsigned V = T.param("v"), In = T.owned(V, "*v", Poly(0));
  T.read(In, 5);
  EXPECT_EQ(T.folded({}), "read *v[5]\n");
}

// The parameter's section is inferred, with what it owns, as long as that leaves it a section.
TEST(Owned, IsPartOfAParameterThatIsTouched) {
  Owners T;
  const Poly I = T.value("i");
  const unsigned V = T.param("v"), At = T.owned(V, "v[i]", I), Somewhere = T.owned(V, "v[...]", std::nullopt);
  T.write(V, I);
  T.read(At, 5);
  T.read(Somewhere, 5);
  EXPECT_EQ(T.folded({}), "write v[i]\nread v[i] partial\nread v[...][5]\n");
}

TEST(Owned, ByOneOfSeveral) {
  Owners T;
  const unsigned V = T.param("v"), Somewhere = T.owned(V, "v[...]", std::nullopt);
  T.read(Somewhere, 5);
  EXPECT_EQ(T.folded({V}), "read v[?] partial maybe ('v[...]' is one of several arrays)\n");
}

TEST(Owned, PointersLeadOut) {
  Owners T;
  const unsigned V = T.param("v"), In = T.owned(V, "*v", Poly(0)), Out = T.owned(In, "*v[0]", Poly(0));
  T.root(Out).Owned = false;
  T.write(Out, 1);
  EXPECT_EQ(T.folded({V}), "write *v[0][1]\n");
}

} // namespace
