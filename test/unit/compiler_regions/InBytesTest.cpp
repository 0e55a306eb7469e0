// Trees whose roots have bytes for elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Builder.h"

#include "analysis/regions/Effects.h"
#include "analysis/regions/InBytes.h"

#include <sstream>

using namespace hsched::cc;
using namespace hsched::cc::test;

namespace {

struct Parts : Builder {
  unsigned of(unsigned Bytes) {
    const unsigned Id = param("p");
    root(Id).ElementBytes = Bytes;
    return Id;
  }
  Access &part(AccessKind K, unsigned Id, Poly Element, Poly Byte, Poly Bytes) {
    Access &A = access(Id, K, std::move(Element));
    A.Partial = true;
    A.Byte = std::move(Byte);
    A.Bytes = std::move(Bytes);
    return A;
  }
  void toBytes(unsigned Id) {
    hsched::cc::toBytes(Tree, [Id](unsigned Of) { return Of == Id; });
  }
  std::string print() const {
    std::ostringstream OS;
    OS << Tree;
    return OS.str();
  }
};

TEST(InBytes, PartsAndElements) {
  Parts T;
  const unsigned P = T.of(8), Other = T.param("q");
  T.root(Other).ElementBytes = 4;
  const Poly N = T.value("n");
  T.root(P).Count = N;
  T.root(P).PartlyUnwritten = true;
  T.part(AccessKind::Write, P, 2, 20, 4);
  T.read(P, N, 3);
  T.write(P, 1).Partial = true; // Which bytes is not known.
  T.write(Other, 1);
  T.toBytes(P);
  EXPECT_EQ(T.print(), "write p[20 : 4]\nread p[8 * n : 24]\n"
                       "write p[?] partial\nwrite q[1]\n");
  EXPECT_EQ(T.root(P).ElementBytes, 1u);
  EXPECT_EQ(T.root(P).Count, N * Poly(8));
  EXPECT_FALSE(T.root(P).PartlyUnwritten);
  EXPECT_EQ(T.root(Other).ElementBytes, 4u);
}

TEST(InBytes, WhatIsKnownOfAPart) {
  Parts T;
  const unsigned P = T.of(12);
  const Poly N = T.natural("n");
  T.loop(0, N, [&](Poly I) { T.part(AccessKind::Write, P, I, I * Poly(12) + Poly(4), 4); });
  T.part(AccessKind::Update, P, 0, 0, 4);
  T.toBytes(P);
  const Effects E = T.effects();
  clang::SourceLocation Where;
  bool ReadIt = false;
  EXPECT_EQ(E.overwrites(P, line(4, 4), &Where, &ReadIt), Answer::Unknown); // Where n is 0 it is not.
  EXPECT_EQ(E.overwrites(P, line(0, 4), &Where, &ReadIt), Answer::No);
  EXPECT_TRUE(ReadIt);
  EXPECT_EQ(E.overwrites(P, line(8, 4), &Where, &ReadIt), Answer::No);
  EXPECT_FALSE(ReadIt);
  EXPECT_EQ(E.overwrites(P, box(4, {{N, 12}, {4, 1}})), Answer::Yes);
  EXPECT_TRUE(E.writesIn(P, line(4, 4)).isValid());
  EXPECT_FALSE(E.writesIn(P, line(8, 4)).isValid());
}

TEST(InBytes, WhereAnAccessIsNotKnownNothingIsMissed) {
  Parts T;
  const unsigned P = T.of(8);
  T.write(P, 0).Partial = true;
  T.toBytes(P);
  EXPECT_EQ(T.effects().overwrites(P, line(0, 4)), Answer::Unknown);
}

} // namespace
