// Fit of a version's time against the size of its tasks: predicts times of sizes that never ran.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PERFMODEL_SIZEFIT_H
#define HSCHED_PERFMODEL_SIZEFIT_H

#include <array>
#include <cmath>
#include <optional>

namespace hsched::rt {

// Time = a * size^b, fitted by least squares to the logarithms. b = 1 for streaming code, b = 1.5 for a matrix product
// by its bytes. Older runs decay by 1/256 per run, so the fit follows changes. A run that differs from the prediction
// by more than a factor of 3 counts as a factor of 3.
class SizeFit {
public:
  // Size > 0, in bytes or in the program's own unit of cost. Other sizes, and times that are not positive, are ignored.
  void add(double Size, double Ns);

  struct Guess {
    double Ns;
    double Factor; // exp(standard error of a new run's logarithm): 1.2 means 20 %.
  };
  // Null unless runs of three different sizes are known, and Size is between a quarter of the smallest and four times
  // the largest of them.
  std::optional<Guess> predict(double Size) const;

  struct Neighbour {
    double Ns;
    double Runs; // Number of runs that it is based on; old ones count less.
  };
  // The estimate for a size that differs from the sizes of all runs by at most an eighth. It is the geometric mean of
  // the runs, in proportion to the size. Code between O(1) and O(size^2) is off by at most an eighth. Null: there is no
  // such run, or runs of other sizes too.
  std::optional<Neighbour> neighbour(double Size) const;

  // The fitted line, valid between the sizes that were run. Null if predict returns null.
  struct Line {
    double Power, Ns1; // Time = Ns1 * size^Power.
    double Factor;     // Factor of a new run in the middle of the sizes.
    double Smallest, Largest;
    double at(double Size) const { return Ns1 * std::pow(Size, Power); }
  };
  std::optional<Line> line() const;

private:
  static constexpr double Forget = 1 - 1.0 / 256;
  static constexpr double MostOff = 3;
  static constexpr double Beyond = 4;
  static constexpr double Near = 1.125;

  double N = 0, X = 0, Y = 0, XX = 0, XY = 0, YY = 0; // Weighted sums over runs of ln size and ln ns.
  double Smallest = 0, Largest = 0;
  std::array<double, 3> Sizes{}; // The first three different sizes.
  unsigned NumSizes = 0;
};

} // namespace hsched::rt
#endif
