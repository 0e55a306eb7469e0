// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/PlatformModel.h"

#include <algorithm>
#include <cmath>

namespace hsched::rt::virt {

double Speed::perSecond(uint64_t Bytes) const {
  const double Size = static_cast<double>(Bytes);
  auto Above = std::ranges::find_if(Points, [Size](const Point &P) { return P.Bytes >= Size; });
  if (Above == Points.begin())
    return Above->PerSecond;
  if (Above == Points.end())
    return Points.back().PerSecond;
  auto Below = std::prev(Above);
  const double Share = std::log(Size / Below->Bytes) / std::log(Above->Bytes / Below->Bytes);
  return Below->PerSecond + Share * (Above->PerSecond - Below->PerSecond);
}

Duration Speed::time(double Work, uint64_t Bytes) const {
  const double Amount = OfBytes ? static_cast<double>(Bytes) : Work;
  const double Ns = Amount / perSecond(Bytes) * 1e9;
  return Overhead + Duration(std::max<Duration::rep>(1, std::llround(std::min(Ns, 9e17))));
}

const Speed *WorkerKind::speedOf(const std::string &Task) const {
  auto Own = Speeds.find(Task);
  if (Own == Speeds.end())
    Own = Speeds.find("*");
  return Own == Speeds.end() || !Own->second ? nullptr : &*Own->second;
}

PlatformModel::Path PlatformModel::path(unsigned From, unsigned To) const {
  const auto &Out = Workers[From].Way, &In = Workers[To].Way;
  size_t Common = 0;
  if (Peers && !Out.empty() && !In.empty())
    while (Common < std::min(Out.size(), In.size()) && Out[Common] == In[Common])
      ++Common;
  Path P;
  P.Up.assign(Out.rbegin(), Out.rend() - static_cast<ptrdiff_t>(Common));
  P.Down.assign(In.begin() + static_cast<ptrdiff_t>(Common), In.end());
  return P;
}

} // namespace hsched::rt::virt
