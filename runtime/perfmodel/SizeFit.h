// How a version's time grows with the size of its tasks: a prediction for sizes that it has never run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PERFMODEL_SIZEFIT_H
#define HSCHED_PERFMODEL_SIZEFIT_H

#include <array>
#include <cmath>
#include <optional>

namespace hsched::rt {

// Time = a * size^b, fitted by least squares to logarithms of sizes and times: with b = 1 what streams, with b = 1.5 a
// product of matrices by its bytes. Older runs count for less, by 1/256 a run, so that it follows a change. A run that
// differs by more than a factor of three from what is predicted counts as if it differed by three.
class SizeFit {
public:
  // Size > 0, in bytes or in the program's own unit of cost; what is not, and times that are not positive, are ignored.
  void add(double Size, double Ns);

  struct Guess {
    double Ns;
    double Factor; // E to the standard error of a new run's logarithm: 1.2 stands for 20 %.
  };
  // Null unless runs of three different sizes are known, and Size is between a quarter of the smallest and four times
  // the largest of them.
  std::optional<Guess> predict(double Size) const;

  // The line itself, between the sizes that were run; null where predict knows nothing.
  struct Line {
    double Power, Ns1; // Time = Ns1 * size^Power.
    double Factor;     // Of a new run in the middle of the sizes.
    double Smallest, Largest;
    double at(double Size) const { return Ns1 * std::pow(Size, Power); }
  };
  std::optional<Line> line() const;

private:
  static constexpr double Forget = 1 - 1.0 / 256;
  static constexpr double MostOff = 3;
  static constexpr double Beyond = 4;

  double N = 0, X = 0, Y = 0, XX = 0, XY = 0, YY = 0; // Weighted sums over runs, of ln size and ln ns.
  double Smallest = 0, Largest = 0;
  std::array<double, 3> Sizes{}; // The first that differed.
  unsigned NumSizes = 0;
};

} // namespace hsched::rt
#endif
