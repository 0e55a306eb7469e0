// Evaluates expressions, boxes and access trees with numbers for their symbols.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Numbers.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace hsched::cc::corpus {
namespace {

using Number = std::optional<std::int64_t>;

// What expressions are evaluated in: numbers ...
struct InNumbers {
  using Type = std::int64_t;
  Values &V;

  Number constant(std::int64_t N) { return N; }
  Number name(const std::string &Name) { return V.of(Name); }
  Number binary(char Op, std::int64_t L, std::int64_t R) {
    switch (Op) {
    case '+':
      return L + R;
    case '-':
      return L - R;
    case '*':
      return L * R;
    case '/':
      return R ? Number(L / R) : Number();
    case '%':
      return R ? Number(L % R) : Number();
    case '<':
      return R >= 0 && R < 30 ? Number(L << R) : Number();
    case '>':
      return R >= 0 && R < 30 ? Number(L >> R) : Number();
    case 'm':
      return std::min(L, R);
    case 'M':
      return std::max(L, R);
    }
    return {};
  }
  Number chosen(char Op, std::int64_t L, std::int64_t R, std::int64_t Then, std::int64_t Else) {
    return (Op == '<' ? L < R : L > R) ? Then : Else;
  }
};

// ... or polynomials over a tree's symbols, which new names are added to.
struct InPolynomials {
  using Type = Poly;
  AccessTree &T;

  std::optional<Poly> constant(std::int64_t N) { return Poly(N); }
  std::optional<Poly> name(const std::string &Name) {
    for (SymbolId S = 0; S != T.Symbols.size(); ++S)
      if (T.Symbols[S].K == Symbol::Value && T.Symbols[S].Spelling == Name)
        return Poly::symbol(S);
    T.Symbols.push_back({Symbol::Value, Name, false});
    return Poly::symbol(SymbolId(T.Symbols.size() - 1));
  }
  std::optional<Poly> binary(char Op, const Poly &L, const Poly &R) {
    switch (Op) {
    case '+':
      return L + R;
    case '-':
      return L - R;
    case '*':
      return L * R;
    }
    return {};
  }
  std::optional<Poly> chosen(char, const Poly &, const Poly &, const Poly &, const Poly &) { return {}; }
};

// Recursive descent; a name is as long as it can be: "v.size()", "get_global_size(0)", "c->rows".
template <class Algebra> class Evaluator {
  using Result = std::optional<typename Algebra::Type>;

public:
  Evaluator(const std::string &Text, Algebra A) : Text(Text), A(A) {}

  Result whole() {
    const Result N = expression(0);
    skip();
    return At == Text.size() ? N : Result();
  }

private:
  void skip() {
    while (At < Text.size() && std::isspace(static_cast<unsigned char>(Text[At])))
      ++At;
  }
  bool eat(const std::string &What) {
    skip();
    if (Text.compare(At, What.size(), What) != 0)
      return false;
    At += What.size();
    return true;
  }

  char operation(unsigned Level) {
    static const std::pair<const char *, char> Levels[3][3] = {{{"<<", '<'}, {">>", '>'}, {"<<", '<'}},
                                                               {{"+", '+'}, {"-", '-'}, {"+", '+'}},
                                                               {{"*", '*'}, {"/", '/'}, {"%", '%'}}};
    for (const auto &[Spelling, Op] : Levels[Level])
      if (eat(Spelling))
        return Op;
    return 0;
  }
  Result expression(unsigned Level) {
    if (Level == 3)
      return unary();
    Result L = expression(Level + 1);
    while (L) {
      const char Op = operation(Level);
      if (!Op)
        break;
      const Result R = expression(Level + 1);
      L = R ? A.binary(Op, *L, *R) : Result();
    }
    return L;
  }
  Result unary() {
    if (eat("-")) {
      const Result N = unary();
      return N ? A.binary('-', *A.constant(0), *N) : N;
    }
    if (eat("(")) {
      if (eat("int)") || eat("long)") || eat("size_t)") || eat("unsigned int)") || eat("unsigned long)"))
        return unary();
      Result N = expression(0);
      skip();
      if (const char Op = At < Text.size() ? Text[At] : 0; N && (Op == '<' || Op == '>'))
        N = choice(Op, *N);
      return eat(")") ? N : Result();
    }
    skip();
    if (At < Text.size() && std::isdigit(static_cast<unsigned char>(Text[At]))) {
      std::int64_t N = 0;
      while (At < Text.size() && std::isdigit(static_cast<unsigned char>(Text[At])))
        N = N * 10 + (Text[At++] - '0');
      while (At < Text.size() && std::isalpha(static_cast<unsigned char>(Text[At])))
        ++At; // 64u
      return A.constant(N);
    }
    return name();
  }

  // L < R ? Then : Else, behind L.
  Result choice(char Op, const typename Algebra::Type &L) {
    ++At;
    const Result R = expression(0), Then = R && eat("?") ? expression(0) : Result(),
                 Else = Then && eat(":") ? expression(0) : Result();
    return Else ? A.chosen(Op, L, *R, *Then, *Else) : Result();
  }

  Result name() {
    const std::size_t Start = At;
    for (;;) {
      while (At < Text.size() && (std::isalnum(static_cast<unsigned char>(Text[At])) || Text[At] == '_'))
        ++At;
      if (Text.compare(At, 2, "::") == 0 || Text.compare(At, 2, "->") == 0)
        At += 2;
      else if (At < Text.size() && Text[At] == '.')
        ++At;
      else if (At < Text.size() && (Text[At] == '(' || Text[At] == '[')) {
        const std::string Function = Text.substr(Start, At - Start);
        if (Function == "min" || Function == "std::min" || Function == "max" || Function == "std::max") {
          ++At;
          const Result L = expression(0);
          if (!L || !eat(","))
            return {};
          const Result R = expression(0);
          if (!R || !eat(")"))
            return {};
          return A.binary(Function.ends_with("min") ? 'm' : 'M', *L, *R);
        }
        int Depth = 0;
        do {
          Depth += Text[At] == '(' || Text[At] == '[';
          Depth -= Text[At] == ')' || Text[At] == ']';
          ++At;
        } while (At < Text.size() && Depth != 0);
      } else
        break;
    }
    if (At == Start)
      return {};
    std::string Name = Text.substr(Start, At - Start);
    Name.erase(std::remove(Name.begin(), Name.end(), ' '), Name.end());
    return A.name(Name);
  }

  const std::string &Text;
  Algebra A;
  std::size_t At = 0;
};

// Runs a tree.
class Runner {
public:
  Runner(const AccessTree &T, Values &V, std::map<unsigned, Elements> &Out) : T(T), V(V), Out(Out) {}

  bool run() {
    step(T.Body);
    return Steps < Most;
  }

private:
  static constexpr unsigned Most = 300000;

  Number valueOf(const Poly &P) {
    if (!P.valid())
      return {};
    std::int64_t Sum = 0;
    for (const auto &[Monomial, Coefficient] : P.terms()) {
      std::int64_t Product = Coefficient;
      for (SymbolId S : Monomial) {
        const Number N = symbol(S);
        if (!N)
          return {};
        Product *= *N;
      }
      Sum += Product;
    }
    return Sum;
  }
  Number symbol(SymbolId S) {
    if (const auto It = Counters.find(S); It != Counters.end())
      return It->second;
    if (T.Symbols[S].K == Symbol::Value)
      return evaluate(T.Symbols[S].Spelling, V);
    return {};
  }

  // Whether control surely leaves: the call, or the work-item.
  bool step(const Node &N) {
    if (++Steps >= Most)
      return true;
    switch (N.K) {
    case Node::Seq:
      for (const Node &C : N.Children)
        if (step(C))
          return true;
      return false;
    case Node::Leaf:
      touch(N.A);
      return false;
    case Node::Stop:
      return true;
    case Node::If: {
      bool Known = true, Holds = true;
      for (const Poly &P : N.When) {
        const Number Value = valueOf(P);
        Known &= Value.has_value();
        Holds &= !Value || *Value >= 0;
      }
      const bool Else = N.Children.size() > 1;
      if (Known && N.Exact)
        return Holds ? step(N.Children[0]) : Else && step(N.Children[1]);
      bool Left = Holds && step(N.Children[0]);
      Left &= Else && step(N.Children[1]);
      return Holds && Left;
    }
    case Node::Loop:
      return loop(N);
    }
    return false;
  }

  bool loop(const Node &N) {
    const Number Low = N.Low ? valueOf(*N.Low) : Number(), High = N.High ? valueOf(*N.High) : Number();
    const bool Bounded = Low && High;
    bool Stopped = false;
    for (std::int64_t I = Bounded ? *Low : -3; I < (Bounded ? *High : 4) && Steps < Most; I += N.Step) {
      Counters[N.Counter] = I;
      bool Left = false;
      for (const Node &C : N.Children)
        if (Left = step(C); Left)
          break;
      if (Left && !N.Parallel) {
        Stopped = Bounded && !N.Breaks;
        break;
      }
    }
    Counters.erase(N.Counter);
    return Stopped;
  }

  void touch(const Access &A) {
    const Number Low = A.Low ? valueOf(*A.Low) : Number(), Count = valueOf(A.Count);
    if (!Low || !Count)
      return;
    Elements &E = Out[A.RootId];
    for (std::int64_t I = 0; I < std::min<std::int64_t>(*Count, 100000); ++I)
      E.insert(*Low + I);
    Steps += unsigned(std::max<std::int64_t>(0, std::min<std::int64_t>(*Count, 100000)));
  }

  const AccessTree &T;
  Values &V;
  std::map<unsigned, Elements> &Out;
  std::map<SymbolId, std::int64_t> Counters;
  unsigned Steps = 0;
};

} // namespace

std::int64_t Values::of(const std::string &Name) {
  const auto It = Known.find(Name);
  if (It != Known.end())
    return It->second;
  const std::size_t Hash = std::hash<std::string>()(Name + "#" + std::to_string(Seed));
  return Known[Name] = 1 + std::int64_t(Hash % 6);
}

std::optional<std::int64_t> evaluate(const std::string &Expression, Values &V) {
  return Evaluator<InNumbers>(Expression, {V}).whole();
}

std::optional<Poly> polynomial(const std::string &Expression, AccessTree &T) {
  return Evaluator<InPolynomials>(Expression, {T}).whole();
}

std::optional<std::int64_t> evaluate(const Poly &P, const AccessTree &T, Values &V) {
  if (!P.valid())
    return {};
  std::int64_t Sum = 0;
  for (const auto &[Monomial, Coefficient] : P.terms()) {
    std::int64_t Product = Coefficient;
    for (SymbolId S : Monomial) {
      const Number N = evaluate(T.Symbols[S].Spelling, V);
      if (!N)
        return {};
      Product *= *N;
    }
    Sum += Product;
  }
  return Sum;
}

std::optional<Elements> elements(const Box &B, const AccessTree &T, Values &V) {
  const Number Base = evaluate(B.Base, T, V);
  if (!Base)
    return {};
  Elements E = {*Base};
  for (const Box::Dim &D : B.Dims) {
    const Number Count = evaluate(D.Count, T, V), Stride = evaluate(D.Stride, T, V);
    if (!Count || !Stride)
      return {};
    Elements Next;
    for (std::int64_t I : E)
      for (std::int64_t K = 0; K < *Count; ++K)
        Next.insert(I + K * *Stride);
    E = std::move(Next);
  }
  return E;
}

bool enumerate(const AccessTree &T, Values &V, std::map<unsigned, Elements> &Out) { return Runner(T, V, Out).run(); }

} // namespace hsched::cc::corpus
