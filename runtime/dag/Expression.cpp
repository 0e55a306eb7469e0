// Parsing guidance expressions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Expression.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace hsched::dag {

class ExpressionParser {
public:
  using Op = Expression::Op;
  ExpressionParser(std::string_view Text, bool SlashIsFloor) : Text(Text), SlashIsFloor(SlashIsFloor) { next(); }

  Expression parse() {
    E.Root = expression();
    if (Token != End)
      fail("'" + std::string(Spelled) + "' is not expected");
    return std::move(E);
  }

private:
  enum Kind { Number, Word, Sign, End };

  [[noreturn]] void fail(const std::string &Why) const {
    throw ExpressionError(Why + (Token == End ? " at its end" : " at character " + std::to_string(From + 1)));
  }
  static bool begins(char C) { return std::isalpha(static_cast<unsigned char>(C)) || C == '_'; }
  static bool goesOn(char C) { return begins(C) || std::isdigit(static_cast<unsigned char>(C)); }

  void next() {
    while (At < Text.size() && (Text[At] == ' ' || Text[At] == '\t'))
      ++At;
    From = At;
    if (At == Text.size()) {
      Token = End;
      Spelled = "";
      return;
    }
    const char C = Text[At];
    if (std::isdigit(static_cast<unsigned char>(C))) {
      Token = Number;
      while (At < Text.size() && (goesOn(Text[At]) || Text[At] == '.'))
        ++At;
    } else if (begins(C)) {
      Token = Word;
      while (At < Text.size() && goesOn(Text[At]))
        ++At;
    } else if (C == '$') {
      Token = Word;
      size_t Close = At + 1;
      while (Close < Text.size() && goesOn(Text[Close]))
        ++Close;
      if (Close == Text.size() || Text[Close] != '$' || Close == At + 1 || !begins(Text[At + 1]))
        fail("'$' begins no symbol such as $n$");
      Spelled = Text.substr(At + 1, Close - At - 1);
      Dollar = true;
      At = Close + 1;
      return;
    } else {
      Token = Sign;
      ++At;
      if (At < Text.size()) {
        const std::string_view Two = Text.substr(From, 2);
        if (Two == "**" || Two == "//" || Two == "<=" || Two == ">=" || Two == "==" || Two == "!=")
          ++At;
      }
    }
    Dollar = false;
    Spelled = Text.substr(From, At - From);
  }
  bool is(std::string_view What) const { return (Token == Sign || (Token == Word && !Dollar)) && Spelled == What; }
  bool take(std::string_view What) {
    if (!is(What))
      return false;
    next();
    return true;
  }
  void need(std::string_view What) {
    if (!take(What))
      fail("'" + std::string(What) + "' is missing");
  }

  uint32_t make(Op What, std::vector<uint32_t> Operands) {
    E.Nodes.push_back({What, 0, 0, std::move(Operands)});
    return static_cast<uint32_t>(E.Nodes.size() - 1);
  }
  struct Deeper {
    explicit Deeper(ExpressionParser &P) : P(P) {
      if (++P.Depth > Expression::MostDepth)
        P.fail("it is nested more than " + std::to_string(Expression::MostDepth) + " deep");
    }
    ~Deeper() { --P.Depth; }
    ExpressionParser &P;
  };

  uint32_t expression() {
    Deeper D(*this);
    const uint32_t Then = disjunction();
    if (!take("if"))
      return Then;
    const uint32_t Condition = disjunction();
    need("else");
    return make(Op::If, {Condition, Then, expression()});
  }
  uint32_t disjunction() {
    uint32_t Left = conjunction();
    while (take("or")) {
      const uint32_t Right = conjunction();
      Left = make(Op::Or, {Left, Right});
    }
    return Left;
  }
  uint32_t conjunction() {
    uint32_t Left = negation();
    while (take("and")) {
      const uint32_t Right = negation();
      Left = make(Op::And, {Left, Right});
    }
    return Left;
  }
  uint32_t negation() {
    if (!is("not"))
      return comparison();
    Deeper D(*this);
    next();
    return make(Op::Not, {negation()});
  }
  uint32_t comparison() {
    static constexpr std::pair<const char *, Op> Signs[] = {{"<", Op::Less},    {"<=", Op::LessEqual},
                                                            {">", Op::Greater}, {">=", Op::GreaterEqual},
                                                            {"==", Op::Equal},  {"!=", Op::NotEqual}};
    std::vector<uint32_t> All = {sum()};
    for (bool More = true; More;) {
      More = false;
      for (const auto &[Spelling, What] : Signs)
        if (take(Spelling)) {
          All.push_back(static_cast<uint32_t>(What));
          All.push_back(sum());
          More = true;
          break;
        }
    }
    return All.size() == 1 ? All[0] : make(Op::Compare, std::move(All));
  }
  uint32_t sum() {
    uint32_t Left = product();
    while (is("+") || is("-")) {
      const Op What = is("+") ? Op::Add : Op::Subtract;
      next();
      const uint32_t Right = product();
      Left = make(What, {Left, Right});
    }
    return Left;
  }
  uint32_t product() {
    uint32_t Left = sign();
    while (is("*") || is("//") || is("%") || is("/")) {
      if (is("/") && !SlashIsFloor)
        fail("'/' does not divide integers: write '//'");
      const Op What = is("*") ? Op::Multiply : is("%") ? Op::Modulo : Op::FloorDivide;
      next();
      const uint32_t Right = sign();
      Left = make(What, {Left, Right});
    }
    return Left;
  }
  uint32_t sign() {
    if (!is("+") && !is("-"))
      return power();
    Deeper D(*this);
    const bool Minus = is("-");
    next();
    if (Minus && Token == Number && Spelled == "9223372036854775808") { // Without its sign it has more than 64 bits.
      next();
      if (is("**"))
        fail("a result does not fit in 64 bits");
      E.Nodes.push_back({Op::Number, 0, std::numeric_limits<int64_t>::min(), {}});
      return static_cast<uint32_t>(E.Nodes.size() - 1);
    }
    const uint32_t Of = sign();
    return Minus ? make(Op::Negate, {Of}) : Of;
  }
  uint32_t power() {
    const uint32_t Base = atom();
    if (!take("**"))
      return Base;
    Deeper D(*this);
    const uint32_t Exponent = sign();
    return make(Op::Power, {Base, Exponent});
  }
  uint32_t atom() {
    if (take("(")) {
      const uint32_t Inside = expression();
      need(")");
      return Inside;
    }
    if (Token == Number) {
      const int64_t N = number();
      next();
      E.Nodes.push_back({Op::Number, 0, N, {}});
      return static_cast<uint32_t>(E.Nodes.size() - 1);
    }
    if (Token != Word)
      fail(Token == End ? "an operand is missing" : "an operand is missing before '" + std::string(Spelled) + "'");
    const std::string Name(Spelled);
    if (!Dollar && Expression::isKeyword(Name))
      fail("an operand is missing before '" + Name + "'");
    const bool Plain = !Dollar;
    next();
    if (Plain && is("("))
      return call(Name);
    auto Known = std::find(E.Names.begin(), E.Names.end(), Name);
    const auto Index = static_cast<uint32_t>(Known - E.Names.begin());
    if (Known == E.Names.end())
      E.Names.push_back(Name);
    E.Nodes.push_back({Op::Symbol, Index, 0, {}});
    return static_cast<uint32_t>(E.Nodes.size() - 1);
  }
  uint32_t call(const std::string &Name) {
    const Op What = Name == "min"      ? Op::Min
                    : Name == "max"    ? Op::Max
                    : Name == "share"  ? Op::Share
                    : Name == "before" ? Op::Before
                                       : Op::Number;
    if (What == Op::Number && (Name == "partition_round" || Name == "part_round") && SlashIsFloor)
      return published();
    if (What == Op::Number)
      fail("there is no function '" + Name + "': there are min, max, share and before");
    next();
    std::vector<uint32_t> Operands;
    do
      Operands.push_back(expression());
    while (take(",") && !is(")")); // Python takes a comma behind the last one.
    need(")");
    if ((What == Op::Share || What == Op::Before) && Operands.size() != 1)
      fail(Name + "() takes one operand");
    if ((What == Op::Min || What == Op::Max) && Operands.size() < 2)
      fail(Name + "() takes two operands or more");
    return make(What, std::move(Operands));
  }
  // partition_round(n, size_percent) and partition_round(n, offset_percent), as in PySchedCL's published files.
  uint32_t published() {
    next();
    const uint32_t Of = expression();
    need(",");
    const bool Size = is("size_percent");
    if (!Size && !is("offset_percent"))
      fail("partition_round() takes size_percent or offset_percent as its second operand");
    next();
    need(")");
    return make(Size ? Op::Share : Op::Before, {Of});
  }

  int64_t number() const {
    auto Malformed = [&]() -> int64_t { fail("'" + std::string(Spelled) + "' is not an integer"); };
    if (Spelled.find('.') != std::string_view::npos)
      return Malformed();
    int Base = 10;
    std::string_view Digits = Spelled;
    if (Digits.size() > 1 && Digits[0] == '0') {
      const char C = static_cast<char>(std::tolower(static_cast<unsigned char>(Digits[1])));
      Base = C == 'x' ? 16 : C == 'o' ? 8 : C == 'b' ? 2 : 10;
      if (Base != 10) {
        Digits.remove_prefix(2);
        if (!Digits.empty() && Digits[0] == '_') // 0x_ff
          Digits.remove_prefix(1);
      } else if (Digits.find_first_not_of("0_") != std::string_view::npos) {
        fail("'" + std::string(Spelled) + "' begins with 0: an octal number is written 0o17");
      }
    }
    if (Digits.empty() || Digits.back() == '_')
      return Malformed();
    int64_t Value = 0;
    char Before = '0';
    for (char C : Digits) {
      if (C == '_') {
        if (Before == '_')
          return Malformed();
      } else {
        const int Lower = std::tolower(static_cast<unsigned char>(C));
        const int Digit = std::isdigit(static_cast<unsigned char>(C)) ? C - '0' : Lower >= 'a' ? Lower - 'a' + 10 : 99;
        if (Digit >= Base)
          return Malformed();
        if (__builtin_mul_overflow(Value, Base, &Value) || __builtin_add_overflow(Value, Digit, &Value))
          fail("the number " + std::string(Spelled) + " does not fit in 64 bits");
      }
      Before = C;
    }
    return Value;
  }

  std::string_view Text;
  const bool SlashIsFloor;
  size_t At = 0, From = 0;
  Kind Token = End;
  bool Dollar = false;
  std::string_view Spelled;
  unsigned Depth = 0;
  Expression E;
};

bool Expression::isKeyword(std::string_view Name) {
  return Name == "if" || Name == "else" || Name == "and" || Name == "or" || Name == "not";
}

Expression Expression::parse(std::string_view Text, bool SlashIsFloor) {
  if (Text.size() > MostBytes)
    throw ExpressionError("it has more than " + std::to_string(MostBytes) + " characters");
  return ExpressionParser(Text, SlashIsFloor).parse();
}

} // namespace hsched::dag
