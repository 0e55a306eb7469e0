// Trees as text, for tests, debuggers and --hsched-explain.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/AccessTree.h"

#include <algorithm>
#include <sstream>

namespace hsched::cc {

namespace {

class Printer {
public:
  Printer(const AccessTree &T, std::ostream &OS) : T(T), OS(OS) {}

  void children(const Node &N, unsigned Indent) {
    for (const Node &C : N.Children)
      print(C, Indent);
  }

  void print(const Node &N, unsigned Indent) {
    const std::string Margin(Indent, ' ');
    switch (N.K) {
    case Node::Seq:
      children(N, Indent);
      break;
    case Node::Loop: {
      OS << Margin << (N.Parallel ? "parallel " : "loop ") << T.Symbols[N.Counter].Spelling;
      if (N.Low && N.High) {
        OS << " [" << T.spelling(*N.Low) << ", " << T.spelling(*N.High) << ")";
        if (N.Step != 1)
          OS << " step " << N.Step;
      } else {
        OS << " any";
      }
      OS << (N.Breaks ? " breaks" : "") << "\n";
      children(N, Indent + 1);
      break;
    }
    case Node::If:
      OS << Margin << "if";
      for (std::size_t I = 0; I != N.When.size(); ++I)
        OS << (I ? " &&" : "") << " " << T.spelling(N.When[I]) << " >= 0";
      OS << (N.Given ? " given" : N.Assumed ? " assumed" : N.Exact ? "" : " ?") << "\n";
      if (!N.Children.empty())
        print(N.Children[0], Indent + 1);
      if (N.Children.size() > 1) {
        OS << Margin << "else\n";
        print(N.Children[1], Indent + 1);
      }
      break;
    case Node::Leaf:
      OS << Margin;
      access(N.A);
      OS << "\n";
      break;
    case Node::Stop:
      OS << Margin << (N.Throws ? "throw" : "stop") << "\n";
      break;
    }
  }

private:
  void access(const Access &A) {
    static const char *const Kinds[] = {"read ", "write ", "update "};
    OS << Kinds[int(A.K)];
    const Root &R = T.Roots[A.RootId];
    OS << (R.K == Root::Anything ? "anything" : R.Name);
    if (R.K == Root::Anything)
      ;
    else if (!A.Low)
      OS << "[?]";
    else if (A.Count == Poly(1))
      OS << "[" << T.spelling(*A.Low) << "]";
    else
      OS << "[" << T.spelling(*A.Low) << " : " << T.spelling(A.Count) << "]";
    OS << (A.Partial ? " partial" : "") << (A.Maybe ? " maybe" : "") << (A.Atomic ? " atomic" : "");
    if (!A.Why.empty())
      OS << " (" << A.Why << ")";
  }

  const AccessTree &T;
  std::ostream &OS;
};

} // namespace

bool AccessTree::surelyNonNegative(const Poly &P) const {
  return P.valid() && std::ranges::all_of(P.terms(), [this](const auto &Term) {
           return Term.second >= 0 &&
                  std::ranges::all_of(Term.first, [this](SymbolId S) { return Symbols[S].NonNegative; });
         });
}

bool AccessTree::computedFrom(Symbol &New, const Poly &P) const {
  if (!P.valid())
    return false;
  for (SymbolId S : P.symbols()) {
    if (Symbols[S].K != Symbol::Value || (Symbols[S].From >= 0 && New.From >= 0 && Symbols[S].From != New.From))
      return false;
    New.From = std::max(New.From, Symbols[S].From);
  }
  return true;
}

std::optional<SymbolId> AccessTree::find(const Identity &What) const {
  const auto It = Identities.find(What);
  return It == Identities.end() ? std::nullopt : std::optional(It->second);
}

std::pair<Poly, bool> AccessTree::added(Symbol New, Identity What) {
  const auto [It, IsNew] = Identities.try_emplace(std::move(What), static_cast<SymbolId>(Symbols.size()));
  if (IsNew)
    Symbols.push_back(std::move(New));
  return {Poly::symbol(It->second), IsNew};
}

std::optional<Poly> AccessTree::extreme(const Poly &A, const Poly &B, bool Least) {
  Symbol New;
  New.K = Symbol::Value;
  if (!computedFrom(New, A) || !computedFrom(New, B))
    return std::nullopt;
  const bool SignA = surelyNonNegative(A), SignB = surelyNonNegative(B);
  New.NonNegative = Least ? SignA && SignB : SignA || SignB;
  const auto chosen = [Least](const std::string &X, const std::string &Y) {
    return "(" + X + (Least ? " < " : " > ") + Y + " ? " + X + " : " + Y + ")";
  };
  New.Spelling = chosen(asOperand(spelling(A)), asOperand(spelling(B)));
  New.Wide = chosen("(" + wideSpelling(A) + ")", "(" + wideSpelling(B) + ")");
  (Least ? New.Least : New.Greatest) = {A, B};
  const auto [P, IsNew] = added(std::move(New), Identity::extreme(A, B, Least));
  if (IsNew)
    for (const Poly *Each : {&A, &B})
      Facts.push_back(Least ? *Each - P : P - *Each);
  return P;
}

std::optional<Poly> AccessTree::knownQuotient(const Poly &A, std::int64_t By) const {
  for (SymbolId S = 0; S != Symbols.size(); ++S)
    if (Symbols[S].Divisor == By && Symbols[S].Dividend == A)
      return Poly::symbol(S);
  return std::nullopt;
}

std::optional<Poly> AccessTree::quotient(const Poly &A, std::int64_t By) {
  Symbol New;
  New.K = Symbol::Value;
  if (!computedFrom(New, A))
    return std::nullopt;
  New.NonNegative = surelyNonNegative(A);
  New.Spelling = "(" + asOperand(spelling(A)) + " / " + std::to_string(By) + ")";
  New.Wide = "((" + wideSpelling(A) + ") / " + std::to_string(By) + ")";
  New.Dividend = A;
  New.Divisor = By;
  const auto [P, IsNew] = added(std::move(New), Identity::quotient(A, By));
  if (IsNew)
    for (Poly &Fact : quotientFacts(A - P * By, By, surelyNonNegative(A)))
      Facts.push_back(std::move(Fact));
  return P;
}

std::vector<Poly> quotientFacts(const Poly &Rest, std::int64_t By, bool NonNegative) {
  return {Rest + Poly(NonNegative ? 0 : By - 1), Poly(By - 1) - Rest};
}

std::ostream &operator<<(std::ostream &OS, const AccessTree &T) {
  if (!T.Complete)
    OS << "incomplete\n";
  Printer(T, OS).print(T.Body, 0);
  return OS;
}

void eachLeaf(Node &N, const std::function<void(Node &)> &Do) {
  if (N.K == Node::Leaf)
    Do(N);
  for (Node &C : N.Children)
    eachLeaf(C, Do);
}

std::ostream &operator<<(std::ostream &OS, const Root &R) {
  static const char *const Kinds[] = {"param", "this", "global", "indirect", "anything"};
  OS << Kinds[R.K];
  if (R.K == Root::Param)
    OS << " " << R.Index;
  return OS << " " << R.Name << " of " << (R.PointeeConst ? "const " : "") << R.Element << (R.Object ? ", object" : "")
            << (R.Owned ? ", owned" : "");
}

} // namespace hsched::cc
