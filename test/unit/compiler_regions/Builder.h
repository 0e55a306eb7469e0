// Access trees written down as the loops that they stand for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Builder T;
//   auto y = T.param("y");
//   Poly n = T.value("n");
//   T.loop(0, n, [&](Poly i) { T.write(y, i); });
#ifndef HSCHED_TEST_REGIONS_BUILDER_H
#define HSCHED_TEST_REGIONS_BUILDER_H

#include "analysis/regions/Effects.h"

#include <gtest/gtest.h>

namespace hsched::cc::test {

class Builder {
public:
  AccessTree Tree;

  Builder() = default;
  Builder(const Builder &) = delete;

  Poly symbol(Symbol::Kind K, const std::string &Name) {
    Symbol S;
    S.K = K;
    S.Spelling = Name;
    Tree.Symbols.push_back(S);
    return Poly::symbol(static_cast<SymbolId>(Tree.Symbols.size() - 1));
  }
  Poly value(const std::string &Name) { return symbol(Symbol::Value, Name); }
  Poly natural(const std::string &Name) {
    Poly P = value(Name);
    Tree.Symbols.back().NonNegative = true;
    return P;
  }
  Poly unknown(const std::string &Name) { return symbol(Symbol::Unknown, Name); }
  unsigned param(const std::string &Name, Root::Kind K = Root::Param) {
    Root R;
    R.K = K;
    R.Name = Name;
    R.Loc = place();
    Tree.Roots.push_back(R);
    return static_cast<unsigned>(Tree.Roots.size() - 1);
  }
  Root &root(unsigned Id) { return Tree.Roots[Id]; }

  // Places in the source are numbers that go up with every node made.
  clang::SourceLocation place() { return clang::SourceLocation::getFromRawEncoding(++LastPlace); }
  unsigned lastPlace() const { return LastPlace; }

  Access &access(unsigned Root, AccessKind K, std::optional<Poly> Low, Poly Count = 1) {
    Node N;
    N.K = Node::Leaf;
    N.A.RootId = Root;
    N.A.K = K;
    N.A.Low = std::move(Low);
    N.A.Count = std::move(Count);
    N.A.Loc = place();
    return add(std::move(N)).A;
  }
  Access &read(unsigned Root, Poly Low, Poly Count = 1) { return access(Root, AccessKind::Read, Low, Count); }
  Access &write(unsigned Root, Poly Low, Poly Count = 1) { return access(Root, AccessKind::Write, Low, Count); }
  Access &update(unsigned Root, Poly Low, Poly Count = 1) { return access(Root, AccessKind::Update, Low, Count); }
  Access &anywhere(unsigned Root, AccessKind K, const std::string &Why = "why not") {
    Access &A = access(Root, K, std::nullopt);
    A.Why = Why;
    return A;
  }

  // The body gets the counter. Returned to be changed; not after another node has been added beside it.
  template <class F> Node &loop(std::optional<Poly> Low, std::optional<Poly> High, F Body, std::int64_t Step = 1) {
    Node N;
    N.K = Node::Loop;
    const Poly Counter = symbol(Symbol::Loop, "i" + std::to_string(Tree.Symbols.size()));
    N.Counter = *Counter.symbols().begin();
    N.Low = std::move(Low), N.High = std::move(High), N.Step = Step;
    return nested(std::move(N), [&] { Body(Counter); });
  }
  template <class F> Node &parallel(Poly High, F Body) {
    Node &N = loop(0, std::move(High), Body);
    N.Parallel = true;
    return N;
  }
  template <class F> Node &when(std::vector<Poly> Conditions, F Then, bool Exact = true) {
    Node N;
    N.K = Node::If;
    N.When = std::move(Conditions);
    N.Exact = Exact;
    return nested(std::move(N), Then);
  }
  template <class F, class G> Node &when(std::vector<Poly> Conditions, F Then, G Else, bool Exact = true) {
    Node &N = when(std::move(Conditions), Then, Exact);
    Node Second = sequence(Else);
    N.Children.push_back(std::move(Second));
    return N;
  }
  // On a condition that nothing is known of.
  template <class F> Node &maybe(F Then) { return when({}, Then, false); }
  template <class F, class G> Node &maybe(F Then, G Else) { return when({}, Then, Else, false); }
  void stop(bool Throws = false) {
    Node N;
    N.K = Node::Stop;
    N.Throws = Throws;
    N.Loc = place();
    add(std::move(N));
  }

  Effects effects() { return Effects(Tree); }

private:
  unsigned LastPlace = 0;
  std::vector<Node *> Open;

  Node &top() { return Open.empty() ? Tree.Body : *Open.back(); }
  Node &add(Node N) {
    top().Children.push_back(std::move(N));
    return top().Children.back();
  }
  template <class F> Node sequence(F Body) {
    Node Seq;
    Open.push_back(&Seq);
    Body();
    Open.pop_back();
    return Seq;
  }
  template <class F> Node &nested(Node N, F Body) {
    N.Loc = place();
    N.Children.push_back(sequence(Body));
    return add(std::move(N));
  }
};

inline Box box(Poly Base, std::vector<Box::Dim> Dims = {}) { return {std::move(Base), std::move(Dims)}; }
// A product is that of sizes, as of a section that is inferred, or written with brackets for each.
inline Box line(Poly Base, Poly Count) { return {std::move(Base), {{std::move(Count), 1, /*Factored=*/true}}}; }

inline std::string print(const AccessTree &T, const std::optional<Box> &B) {
  if (!B)
    return "none";
  std::string Text = T.spelling(B->Base);
  for (const Box::Dim &D : B->Dims)
    Text += " + [" + T.spelling(D.Count) + "]*" + T.spelling(D.Stride);
  return Text;
}

#define EXPECT_BOX(T, Found, Wanted) EXPECT_EQ(print((T).Tree, Found), print((T).Tree, Wanted))

} // namespace hsched::cc::test

namespace hsched::cc {
inline void PrintTo(Answer A, std::ostream *OS) {
  *OS << (A == Answer::Yes ? "Yes" : A == Answer::No ? "No" : "Unknown");
}
} // namespace hsched::cc
#endif
