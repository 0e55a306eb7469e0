// What is known of links: in memory, on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/Links.h"

#include <charconv>
#include <cmath>

namespace hsched::rt {

LinkCost throughHost(const LinkTimes &From, const LinkTimes &To) {
  return {From.ToHost.LatencyNs + To.ToDevice.LatencyNs, From.ToHost.NsPerByte + To.ToDevice.NsPerByte};
}

std::string LinkStore::keyOf(const DeviceInfo &Info) const {
  return cacheKey({"links 1", Machine, Info.Backend, Info.Platform, Info.Vendor, Info.Name, Info.Driver, Info.number(),
                   Info.SharesHostMemory ? "shared" : "own"});
}

// Six numbers, a blank behind each.
std::optional<LinkTimes> LinkStore::load(const DeviceInfo &Info) const {
  std::optional<std::string> Text = Disk.load(keyOf(Info));
  if (!Text)
    return std::nullopt;
  LinkTimes T;
  const char *At = Text->data(), *End = At + Text->size();
  for (LinkCost *Link : {&T.ToDevice, &T.ToHost, &T.Within})
    for (double *Number : {&Link->LatencyNs, &Link->NsPerByte}) {
      auto [Rest, Error] = std::from_chars(At, End, *Number);
      // A second a transfer, a second a byte: more is nonsense, and would overflow elsewhere.
      if (Error != std::errc() || Rest == End || *Rest != ' ' || !(*Number >= 0 && *Number <= 1e9))
        return std::nullopt;
      At = Rest + 1;
    }
  return At == End ? std::optional(T) : std::nullopt;
}

void LinkStore::store(const DeviceInfo &Info, const LinkTimes &T) const {
  std::string Text;
  for (const LinkCost *Link : {&T.ToDevice, &T.ToHost, &T.Within})
    for (double Number : {Link->LatencyNs, Link->NsPerByte}) {
      char Digits[32];
      Text.append(Digits, std::to_chars(Digits, Digits + sizeof(Digits), Number).ptr) += ' ';
    }
  Disk.store(keyOf(Info), Text);
}

void Links::set(WorkerId W, const LinkTimes &Times) {
  if (W >= Current.size())
    return;
  std::lock_guard Guard(Lock);
  All.push_back(std::make_unique<const LinkTimes>(Times));
  Current[W].store(All.back().get(), std::memory_order_release);
}

} // namespace hsched::rt
