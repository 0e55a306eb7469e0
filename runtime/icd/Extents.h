// Which bytes of its buffers a launch of a kernel reads and overwrites: results of hsched-kinfo, evaluated for its
// arguments and sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not proved for this launch is absent: then the kernel may touch the whole buffer. See decision 101.
#ifndef HSCHED_ICD_EXTENTS_H
#define HSCHED_ICD_EXTENTS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hsched::icd {

// The launch for which an expression is evaluated. All dimensions have sizes; the offset is 0.
struct LaunchValues {
  size_t Global[3] = {1, 1, 1};
  size_t Local[3] = {}; // 0: the vendor chooses.
  // The value of an integer argument. Nothing: it does not fit, or is no integer.
  std::function<std::optional<int64_t>(unsigned Argument)> Argument;
};

// An expression of hsched-kinfo in C: sums, products, quotients and choices of arguments, numbers and sizes of a
// launch. Evaluated in 64 bits. Nothing: it overflows, divides by 0 or a negative number, or has another operator.
class LaunchExpression {
public:
  // Number: the position of an integer argument by its name. Nothing: the text is not understood.
  using Find = std::function<std::optional<unsigned>(const std::string &Name)>;
  static std::optional<LaunchExpression> parse(const std::string &Text, const Find &Number);
  std::optional<int64_t> evaluate(const LaunchValues &V) const;

private:
  friend class LaunchExpressionParser;
  enum class Op : uint8_t {
    Number,
    Argument,
    Global,
    Local,
    Groups,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Negate,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Choose
  };
  static constexpr size_t MostSteps = 48;
  struct Step {
    Op What;
    int64_t Value = 0; // The number, the argument or the dimension.
  };
  std::vector<Step> Steps; // Operands first.
};

// Elements [First, First + Count) of a buffer.
struct Extent {
  unsigned Argument = 0;
  size_t ElementBytes = 0;
  LaunchExpression First, Count;
  // The section's rows are parts of longer rows. It is contiguous if the two are equal.
  std::optional<LaunchExpression> Row, RowCount;
  bool Overwrites = false;             // It writes each byte of a contiguous section, and reads none before.
  std::vector<LaunchExpression> Where; // It holds if each is >= 0.
};

struct KernelExtents {
  std::vector<LaunchExpression> Global; // The sizes that are assumed.
  bool MayBeLarger = false;             // A launch with larger sizes does the same.
  std::vector<LaunchExpression> Where;  // It holds if each is >= 0.
  std::vector<Extent> All;              // Each of another argument.

  // True if the extents hold for this launch.
  bool holdFor(const LaunchValues &V) const;
};

struct ByteRange {
  size_t First = 0, Bytes = 0;
  bool Overwritten = false;
};
// The bytes that a launch touches. Nothing: not known. Call it only if the kernel's extents hold.
std::optional<ByteRange> bytesOf(const Extent &E, const LaunchValues &V);

} // namespace hsched::icd
#endif
