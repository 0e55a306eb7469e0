// Guidance expressions: integer arithmetic as in Python 3, in 64 bits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   expression := or ['if' or 'else' expression]
//   or         := and {'or' and}            and := not {'and' not}            not := 'not' not | comparison
//   comparison := sum {('<' | '<=' | '>' | '>=' | '==' | '!=') sum}           chained, as in Python
//   sum        := product {('+' | '-') product}
//   product    := sign {('*' | '//' | '%') sign}
//   sign       := ('+' | '-') sign | power  power := atom ['**' sign]
//   atom       := number | symbol | '(' expression ')' | ('min' | 'max') '(' expression {',' expression} ')'
//               | ('share' | 'before') '(' expression ')'
//
// A symbol may be written $name$, as in the output of hsched-kinfo --spec. Only the four functions can be called.
#ifndef HSCHED_DAG_EXPRESSION_H
#define HSCHED_DAG_EXPRESSION_H

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hsched::dag {

// Wide enough for a product of two sizes.
__extension__ typedef __int128 Wide;

// An error in an expression. The message does not repeat the expression.
struct ExpressionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A part of a kernel's range, for expressions. share(n): how many of n items the part has; before(n): how many precede
// them.
struct Part {
  int64_t Begin = 0, End = 1, Of = 1; // In the range's first dimension.
};

class Expression {
public:
  static constexpr size_t MostBytes = 4096; // Limit of the text.
  static constexpr unsigned MostDepth = 200;

  // With SlashIsFloor, '/' means '//', as in Python 2.
  static Expression parse(std::string_view Text, bool SlashIsFloor = false);

  using Lookup = std::function<std::optional<int64_t>(const std::string &Symbol)>;
  int64_t evaluate(const Lookup &Symbols, const Part &Of = {}) const;
  // The symbols in it, without duplicates.
  std::vector<std::string> symbols() const;
  // True for a word of the grammar, which is a symbol only where it is written $word$.
  static bool isKeyword(std::string_view Name);
  // True if its value differs between parts.
  bool usesPart() const;

private:
  friend class ExpressionParser;
  enum class Op : uint8_t {
    Number,
    Symbol,
    Negate,
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    Modulo,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    If,
    Min,
    Max,
    Share,
    Before,
    Compare
  };
  struct Node {
    Op What;
    uint32_t Text = 0;              // Symbol: index of Names.
    int64_t Number = 0;             // Number.
    std::vector<uint32_t> Operands; // If: condition, then, else. Compare: operand, Op, operand, Op, ...
  };
  class Evaluation;

  std::vector<Node> Nodes; // Operands precede the nodes that use them.
  std::vector<std::string> Names;
  uint32_t Root = 0;
};

} // namespace hsched::dag
#endif
