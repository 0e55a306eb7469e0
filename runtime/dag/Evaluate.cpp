// Evaluating guidance expressions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Expression.h"

#include <algorithm>
#include <limits>

namespace hsched::dag {

// Recursion is bounded, because MostBytes bounds the text.
class Expression::Evaluation {
public:
  Evaluation(const Expression &E, const Lookup &Symbols, const Part &Of) : E(E), Symbols(Symbols), Of(Of) {}

  int64_t at(uint32_t Index) const {
    const Node &N = E.Nodes[Index];
    auto Operand = [&](unsigned I) { return at(N.Operands[I]); };
    switch (N.What) {
    case Op::Number:
      return N.Number;
    case Op::Symbol:
      if (std::optional<int64_t> Known = Symbols(E.Names[N.Text]))
        return *Known;
      throw ExpressionError("symbol '" + E.Names[N.Text] + "' has no value: give it one with -D " + E.Names[N.Text] +
                            "=..., or in the file's symbols");
    case Op::If:
      return at(N.Operands[Operand(0) ? 1 : 2]);
    case Op::And: {
      const int64_t Left = Operand(0);
      return Left ? Operand(1) : Left;
    }
    case Op::Or: {
      const int64_t Left = Operand(0);
      return Left ? Left : Operand(1);
    }
    case Op::Not:
      return !Operand(0);
    case Op::Compare: {
      int64_t Left = Operand(0);
      for (size_t I = 1; I < N.Operands.size(); I += 2) {
        const int64_t Right = at(N.Operands[I + 1]);
        if (!binary(static_cast<Op>(N.Operands[I]), Left, Right))
          return 0;
        Left = Right;
      }
      return 1;
    }
    case Op::Negate:
      return checked(__builtin_sub_overflow(int64_t(0), Operand(0), &Result));
    case Op::Min:
    case Op::Max: {
      int64_t Best = Operand(0);
      for (unsigned I = 1; I < N.Operands.size(); ++I)
        Best = N.What == Op::Min ? std::min(Best, Operand(I)) : std::max(Best, Operand(I));
      return Best;
    }
    case Op::Share: {
      const int64_t Whole = Operand(0);
      return scaled(Whole, Of.End) - scaled(Whole, Of.Begin);
    }
    case Op::Before:
      return scaled(Operand(0), Of.Begin);
    default:
      break;
    }
    const int64_t Left = Operand(0), Right = Operand(1);
    return binary(N.What, Left, Right);
  }

private:
  int64_t binary(Op What, int64_t Left, int64_t Right) const {
    switch (What) {
    case Op::Add:
      return checked(__builtin_add_overflow(Left, Right, &Result));
    case Op::Subtract:
      return checked(__builtin_sub_overflow(Left, Right, &Result));
    case Op::Multiply:
      return checked(__builtin_mul_overflow(Left, Right, &Result));
    case Op::FloorDivide:
    case Op::Modulo: {
      if (Right == 0)
        throw ExpressionError(What == Op::Modulo ? "it is a remainder of a division by 0" : "it divides by 0");
      if (Left == std::numeric_limits<int64_t>::min() && Right == -1)
        return What == Op::Modulo ? 0 : checked(true);
      const int64_t Quotient = Left / Right, Rest = Left % Right;
      const bool Lower = Rest != 0 && (Rest < 0) != (Right < 0); // Rounds towards minus infinity.
      return What == Op::Modulo ? Rest + (Lower ? Right : 0) : Quotient - Lower;
    }
    case Op::Power:
      return power(Left, Right);
    case Op::Less:
      return Left < Right;
    case Op::LessEqual:
      return Left <= Right;
    case Op::Greater:
      return Left > Right;
    case Op::GreaterEqual:
      return Left >= Right;
    case Op::Equal:
      return Left == Right;
    default:
      return Left != Right;
    }
  }
  int64_t power(int64_t Base, int64_t Exponent) const {
    if (Exponent < 0)
      throw ExpressionError("the exponent " + std::to_string(Exponent) + " is negative: the result is not an integer");
    int64_t Out = 1;
    if (Base == 0 || Base == 1 || Base == -1)
      return Exponent == 0 ? 1 : Base == -1 && Exponent % 2 == 0 ? 1 : Base;
    for (; Exponent > 0; --Exponent) // Overflows within 63 steps.
      Out = checked(__builtin_mul_overflow(Out, Base, &Result));
    return Out;
  }
  int64_t scaled(int64_t Whole, int64_t By) const {
    return static_cast<int64_t>(static_cast<Wide>(Whole) * By / std::max<int64_t>(Of.Of, 1));
  }
  int64_t checked(bool Overflows) const {
    if (Overflows)
      throw ExpressionError("a result does not fit in 64 bits");
    return Result;
  }

  const Expression &E;
  const Lookup &Symbols;
  const Part &Of;
  mutable int64_t Result = 0;
};

int64_t Expression::evaluate(const Lookup &Symbols, const Part &Of) const {
  return Evaluation(*this, Symbols, Of).at(Root);
}

std::vector<std::string> Expression::symbols() const { return Names; }

bool Expression::usesPart() const {
  return std::any_of(Nodes.begin(), Nodes.end(),
                     [](const Node &N) { return N.What == Op::Share || N.What == Op::Before; });
}

} // namespace hsched::dag
