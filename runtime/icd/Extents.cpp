// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Extents.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace hsched::icd {

class LaunchExpressionParser {
public:
  using Op = LaunchExpression::Op;
  LaunchExpressionParser(std::string_view Text, const LaunchExpression::Find &Number) : Text(Text), Number(Number) {}

  bool parse(LaunchExpression &Into) {
    const bool Is = choice() && (space(), At == Text.size()) && Steps.size() <= LaunchExpression::MostSteps;
    Into.Steps = std::move(Steps);
    return Is;
  }

private:
  static constexpr unsigned MostDepth = 32;

  void space() {
    while (At < Text.size() && Text[At] == ' ')
      ++At;
  }
  bool take(std::string_view What) {
    space();
    if (Text.substr(At, What.size()) != What)
      return false;
    At += What.size();
    return true;
  }
  bool add(Op What, int64_t Value = 0) {
    Steps.push_back({What, Value});
    return true;
  }
  bool choice() {
    if (Depth == MostDepth)
      return false;
    ++Depth;
    bool Is = comparison();
    if (Is && take("?"))
      Is = choice() && take(":") && choice() && add(Op::Choose);
    --Depth;
    return Is;
  }
  bool comparison() {
    if (!sum())
      return false;
    for (const auto &[Sign, What] : {std::pair("<=", Op::LessEqual),
                                     {">=", Op::GreaterEqual},
                                     {"==", Op::Equal},
                                     {"!=", Op::NotEqual},
                                     {"<", Op::Less},
                                     {">", Op::Greater}})
      if (take(Sign))
        return sum() && add(What);
    return true;
  }
  bool sum() {
    if (!product())
      return false;
    for (;;)
      if (take("+")) {
        if (!product() || !add(Op::Add))
          return false;
      } else if (take("-")) {
        if (!product() || !add(Op::Subtract))
          return false;
      } else {
        return true;
      }
  }
  bool product() {
    if (!sign())
      return false;
    for (;;) {
      const Op What = take("*") ? Op::Multiply : take("/") ? Op::Divide : take("%") ? Op::Modulo : Op::Number;
      if (What == Op::Number)
        return true;
      if (!sign() || !add(What))
        return false;
    }
  }
  bool sign() {
    if (Depth == MostDepth)
      return false;
    ++Depth;
    const bool Is = take("-") ? sign() && add(Op::Negate) : atom();
    --Depth;
    return Is;
  }
  bool atom() {
    if (take("("))
      return choice() && take(")");
    space();
    const size_t From = At;
    while (At < Text.size() && (std::isalnum(static_cast<unsigned char>(Text[At])) || Text[At] == '_'))
      ++At;
    const std::string Word(Text.substr(From, At - From));
    if (Word.empty())
      return false;
    if (std::isdigit(static_cast<unsigned char>(Word[0]))) {
      int64_t N = 0;
      for (char C : Word)
        if (!std::isdigit(static_cast<unsigned char>(C)) || __builtin_mul_overflow(N, 10, &N) ||
            __builtin_add_overflow(N, C - '0', &N))
          return false;
      return (Word.size() == 1 || Word[0] != '0') && add(Op::Number, N);
    }
    for (const auto &[Name, What] :
         {std::pair("get_global_size", Op::Global), {"get_local_size", Op::Local}, {"get_num_groups", Op::Groups}})
      if (Word == Name) {
        for (int64_t Dim = 0; Dim != 3; ++Dim)
          if (take("(" + std::to_string(Dim) + ")"))
            return add(What, Dim);
        return false;
      }
    if (space(); At < Text.size() && std::string_view("([.").find(Text[At]) != std::string_view::npos)
      return false; // A call, or a value in memory.
    const std::optional<unsigned> Its = Number(Word);
    return Its && add(Op::Argument, *Its);
  }

  const std::string_view Text;
  const LaunchExpression::Find &Number;
  size_t At = 0;
  unsigned Depth = 0;
  std::vector<LaunchExpression::Step> Steps;
};

std::optional<LaunchExpression> LaunchExpression::parse(const std::string &Text, const Find &Number) {
  LaunchExpression E;
  return LaunchExpressionParser(Text, Number).parse(E) ? std::optional(std::move(E)) : std::nullopt;
}

std::optional<int64_t> LaunchExpression::evaluate(const LaunchValues &V) const {
  std::array<int64_t, MostSteps> Stack; // A step adds at most one.
  size_t N = 0;
  const auto Size = [&](size_t Its) {
    Stack[N++] = static_cast<int64_t>(Its);
    return Its && Its <= static_cast<size_t>(std::numeric_limits<int64_t>::max());
  };
  for (const Step &S : Steps) {
    const auto Dim = static_cast<size_t>(S.Value);
    if (S.What == Op::Number) {
      Stack[N++] = S.Value;
    } else if (S.What == Op::Argument) {
      const std::optional<int64_t> Its = V.Argument(static_cast<unsigned>(S.Value));
      if (!Its)
        return std::nullopt;
      Stack[N++] = *Its;
    } else if (S.What == Op::Global || S.What == Op::Local || S.What == Op::Groups) {
      if (S.What != Op::Global && (!V.Local[Dim] || V.Global[Dim] % V.Local[Dim]))
        return std::nullopt; // The vendor chooses it, or not all groups are alike.
      if (!Size(S.What == Op::Global  ? V.Global[Dim]
                : S.What == Op::Local ? V.Local[Dim]
                                      : V.Global[Dim] / V.Local[Dim]))
        return std::nullopt;
    } else if (S.What == Op::Negate) {
      if (__builtin_sub_overflow(int64_t(0), Stack[N - 1], &Stack[N - 1]))
        return std::nullopt;
    } else if (S.What == Op::Choose) {
      N -= 2;
      Stack[N - 1] = Stack[N - 1] ? Stack[N] : Stack[N + 1];
    } else {
      const int64_t R = Stack[--N];
      int64_t &L = Stack[N - 1];
      bool Bad = false;
      switch (S.What) {
      case Op::Add:
        Bad = __builtin_add_overflow(L, R, &L);
        break;
      case Op::Subtract:
        Bad = __builtin_sub_overflow(L, R, &L);
        break;
      case Op::Multiply:
        Bad = __builtin_mul_overflow(L, R, &L);
        break;
      case Op::Divide: // The result for negative numbers depends on the type.
      case Op::Modulo:
        Bad = L < 0 || R <= 0;
        if (!Bad)
          L = S.What == Op::Divide ? L / R : L % R;
        break;
      case Op::Less:
        L = L < R;
        break;
      case Op::LessEqual:
        L = L <= R;
        break;
      case Op::Greater:
        L = L > R;
        break;
      case Op::GreaterEqual:
        L = L >= R;
        break;
      case Op::Equal:
        L = L == R;
        break;
      default:
        L = L != R;
        break;
      }
      if (Bad)
        return std::nullopt;
    }
  }
  return Stack[0];
}

namespace {

bool areMet(const std::vector<LaunchExpression> &Where, const LaunchValues &V) {
  return std::all_of(Where.begin(), Where.end(), [&](const LaunchExpression &E) {
    const std::optional<int64_t> Its = E.evaluate(V);
    return Its && *Its >= 0;
  });
}

} // namespace

bool KernelExtents::holdFor(const LaunchValues &V) const {
  for (size_t D = 0; D != 3; ++D) {
    if (V.Local[D] && V.Global[D] % V.Local[D]) // The analysis takes all groups as alike.
      return false;
    if (D >= Global.size()) {
      if (V.Global[D] != 1) // It has more dimensions than the analysis.
        return false;
      continue;
    }
    const std::optional<int64_t> Wanted = Global[D].evaluate(V);
    const auto Its = static_cast<int64_t>(V.Global[D]);
    if (!Wanted || *Wanted <= 0 || Its <= 0 || (MayBeLarger ? *Wanted > Its : *Wanted != Its))
      return false;
  }
  return areMet(Where, V);
}

std::optional<ByteRange> bytesOf(const Extent &E, const LaunchValues &V) {
  const std::optional<int64_t> First = E.First.evaluate(V), Count = E.Count.evaluate(V);
  const auto Most = std::numeric_limits<int64_t>::max() / static_cast<int64_t>(std::max<size_t>(E.ElementBytes, 1)) / 2;
  if (!First || !Count || *First < 0 || *Count <= 0 || *First > Most || *Count > Most || !areMet(E.Where, V))
    return std::nullopt;
  if (*First + *Count > int64_t(1) << 32) // A subscript of 32 bits wraps around.
    return std::nullopt;
  bool Whole = true;
  if (E.Row) {
    const std::optional<int64_t> Row = E.Row->evaluate(V), Each = E.RowCount->evaluate(V);
    if (!Row || !Each || *Each <= 0 || *Row < *Each)
      return std::nullopt;
    Whole = *Row == *Each;
  }
  return ByteRange{static_cast<size_t>(*First) * E.ElementBytes, static_cast<size_t>(*Count) * E.ElementBytes,
                   E.Overwrites && Whole};
}

} // namespace hsched::icd
