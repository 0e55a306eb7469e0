// Known links: in memory and on disk.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/Links.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace hsched::rt {

LinkCost throughHost(const LinkTimes &From, const LinkTimes &To) {
  return {From.ToHost.LatencyNs + To.ToDevice.LatencyNs, From.ToHost.NsPerByte + To.ToDevice.NsPerByte};
}

// The properties of a device that affect transfer times.
static std::string describe(const DeviceInfo &Info) {
  return cacheKey({Info.Backend, Info.Platform, Info.Vendor, Info.Name, Info.Driver, Info.number(),
                   std::to_string(Info.ComputeUnits), Info.SharesHostMemory ? "shared" : "own", Info.TransferSettings});
}

std::string LinkStore::keyOf(const DeviceInfo &Info) const { return cacheKey({"links 2", Machine, describe(Info)}); }

std::string LinkStore::keyOf(const Device &From, const Device &To) const {
  return cacheKey(
      {"way 1", Machine, To.reaches(From) ? "direct" : "through the host", describe(From.info()), describe(To.info())});
}

// Parses two numbers per link, each with a blank behind it.
static bool parse(const std::optional<std::string> &Text, std::span<LinkCost *const> Into) {
  if (!Text)
    return false;
  const char *At = Text->data(), *End = At + Text->size();
  for (LinkCost *Link : Into)
    for (double *Number : {&Link->LatencyNs, &Link->NsPerByte}) {
      auto [Rest, Error] = std::from_chars(At, End, *Number);
      // Limits: 1 s per transfer, 1 s per byte. More is implausible, and would overflow elsewhere.
      if (Error != std::errc() || Rest == End || *Rest != ' ' || !(*Number >= 0 && *Number <= 1e9))
        return false;
      At = Rest + 1;
    }
  return At == End;
}

static std::string print(std::initializer_list<LinkCost> Links) {
  std::string Text;
  for (const LinkCost &Link : Links)
    for (double Number : {Link.LatencyNs, Link.NsPerByte}) {
      char Digits[32];
      Text.append(Digits, std::to_chars(Digits, Digits + sizeof(Digits), Number).ptr) += ' ';
    }
  return Text;
}

std::optional<LinkTimes> LinkStore::load(const DeviceInfo &Info) const {
  LinkTimes T;
  LinkCost *const Into[] = {&T.ToDevice, &T.ToHost, &T.Within};
  return parse(Disk.load(keyOf(Info)), Into) ? std::optional(T) : std::nullopt;
}

void LinkStore::store(const DeviceInfo &Info, const LinkTimes &T) const {
  Disk.store(keyOf(Info), print({T.ToDevice, T.ToHost, T.Within}));
}

std::optional<LinkCost> LinkStore::load(const Device &From, const Device &To) const {
  LinkCost Cost;
  LinkCost *const Into[] = {&Cost};
  return parse(Disk.load(keyOf(From, To)), Into) ? std::optional(Cost) : std::nullopt;
}

void LinkStore::store(const Device &From, const Device &To, const LinkCost &Cost) const {
  Disk.store(keyOf(From, To), print({Cost}));
}

void Links::set(WorkerId W, const LinkTimes &Times) {
  if (W >= Current.size())
    return;
  std::lock_guard Guard(Lock);
  All.push_back(std::make_unique<const LinkTimes>(Times));
  Current[W].store(All.back().get(), std::memory_order_release);
}

void Links::setBetween(WorkerId From, WorkerId To, const LinkCost &Cost) {
  if (std::max(From, To) >= Ways.size())
    return;
  std::lock_guard Guard(Lock);
  const WaysTo *Old = Ways[To].load(std::memory_order_relaxed);
  auto New = std::make_unique<WaysTo>(Old ? *Old : WaysTo());
  std::erase_if(*New, [&](const auto &Way) { return Way.first == From; });
  New->emplace_back(From, Cost);
  Ways[To].store(New.get(), std::memory_order_release);
  AllLists.push_back(std::move(New));
}

LinkCost Links::between(WorkerId From, WorkerId To) const {
  if (const WaysTo *Known = To < Ways.size() ? Ways[To].load(std::memory_order_acquire) : nullptr)
    for (const auto &[Begin, Cost] : *Known)
      if (Begin == From)
        return Cost;
  const LinkTimes *Down = of(From), *Up = of(To);
  return throughHost(Down ? *Down : UnmeasuredLinks, Up ? *Up : UnmeasuredLinks);
}

} // namespace hsched::rt
