// Least squares on logarithms.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/SizeFit.h"
#include "base/SizeClass.h"

#include <algorithm>
#include <cmath>

namespace hsched::rt {

void SizeFit::add(double Size, double Ns) {
  if (!(Size > 0) || !(Ns > 0) || !std::isfinite(Size) || !std::isfinite(Ns))
    return;
  const double L = std::log(Size);
  double T = std::log(Ns);
  if (std::optional<Guess> G = predict(Size); G && G->Factor < MostOff) {
    const double Middle = std::log(G->Ns), Off = std::log(MostOff);
    T = std::clamp(T, Middle - Off, Middle + Off);
  }
  for (double *Sum : {&N, &X, &Y, &XX, &XY, &YY})
    *Sum *= Forget;
  N += 1;
  X += L;
  Y += T;
  XX += L * L;
  XY += L * T;
  YY += T * T;
  Smallest = NumSizes ? std::min(Smallest, Size) : Size;
  Largest = std::max(Largest, Size);
  if (NumSizes < Sizes.size() && std::find(Sizes.begin(), Sizes.begin() + NumSizes, Size) == Sizes.begin() + NumSizes)
    Sizes[NumSizes++] = Size;
}

// The variance of a new observation at L: s^2 (1 + 1/N + (L - mean)^2 / Sxx), with s^2 from N - 2 degrees of freedom.
std::optional<SizeFit::Guess> SizeFit::predict(double Size) const {
  if (NumSizes < Sizes.size() || N <= 2 || !(Size >= Smallest / Beyond && Size <= Largest * Beyond))
    return std::nullopt;
  const double L = std::log(Size), MeanX = X / N, MeanY = Y / N;
  const double Sxx = XX - N * MeanX * MeanX, Sxy = XY - N * MeanX * MeanY, Syy = YY - N * MeanY * MeanY;
  if (Sxx <= 1e-9 * std::max(1.0, XX)) // The sizes differ too little for a fit.
    return std::nullopt;
  const double Slope = Sxy / Sxx;
  const double Rest = std::max(0.0, Syy - Slope * Sxy) / (N - 2);
  const double Error = std::sqrt(Rest * (1 + 1 / N + (L - MeanX) * (L - MeanX) / Sxx));
  const double Ns = std::exp(MeanY + Slope * (L - MeanX));
  return std::isfinite(Ns) && std::isfinite(Error) ? std::optional(Guess{Ns, std::exp(Error)}) : std::nullopt;
}

std::optional<SizeFit::Neighbour> SizeFit::neighbour(double Size) const {
  if (N <= 0 || !(Size > 0) || Size > NearSizes * Smallest || NearSizes * Size < Largest)
    return std::nullopt;
  const double Ns = std::exp(Y / N + std::log(Size) - X / N);
  return std::isfinite(Ns) ? std::optional(Neighbour{Ns, N}) : std::nullopt;
}

std::optional<SizeFit::Line> SizeFit::line() const {
  const std::optional<Guess> Low = predict(Smallest), High = predict(Largest);
  const std::optional<Guess> Middle = predict(std::sqrt(Smallest * Largest));
  if (!Low || !High || !Middle)
    return std::nullopt;
  const double Power = std::log(High->Ns / Low->Ns) / std::log(Largest / Smallest);
  return Line{Power, Low->Ns / std::pow(Smallest, Power), Middle->Factor, Smallest, Largest};
}

} // namespace hsched::rt
