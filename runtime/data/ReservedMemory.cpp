// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/ReservedMemory.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace hsched::rt {

static uint64_t pageBytes() {
  static const auto Page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return Page;
}

static status noMemory(const char *What, uint64_t Bytes) {
  return status::error(errc::out_of_memory,
                       std::string("cannot ") + What + " " + std::to_string(Bytes) +
                           " bytes of host memory: " + std::strerror(errno),
                       errno);
}

ReservedMemory::~ReservedMemory() {
  for (const auto &[Begin, R] : Ranges)
    munmap(reinterpret_cast<void *>(Begin), R.Mapped);
}

status ReservedMemory::reserve(uint64_t Bytes, bool Committed, uintptr_t &Begin) {
  const uint64_t Page = pageBytes();
  errno = ENOMEM;
  if (Bytes == 0 || Bytes > UINTPTR_MAX - Page)
    return noMemory("reserve", Bytes);
  Range R{Bytes, (Bytes + Page - 1) / Page * Page, 0, {}};
  R.PartBytes = std::bit_ceil(std::max(Page, R.Mapped / PartsOfRange));
  R.Committed.assign((R.Mapped + R.PartBytes - 1) / R.PartBytes, Committed);
  void *At = mmap(nullptr, R.Mapped, Committed ? PROT_READ | PROT_WRITE : PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (At == MAP_FAILED)
    return noMemory("reserve", Bytes);
  Begin = reinterpret_cast<uintptr_t>(At);
  std::lock_guard Guard(Lock);
  Ranges.emplace(Begin, std::move(R));
  Count.store(Ranges.size(), std::memory_order_release);
  return {};
}

status ReservedMemory::commit(const Extent &E) {
  if (!any() || E.Bytes == 0)
    return {};
  std::lock_guard Guard(Lock);
  auto It = Ranges.upper_bound(E.Begin);
  if (It != Ranges.begin() && std::prev(It)->first + std::prev(It)->second.Mapped > E.Begin)
    --It;
  for (; It != Ranges.end() && It->first < E.end(); ++It)
    for (uint64_t Row = 0; Row < E.Rows; ++Row) {
      const uintptr_t Lo = E.Begin + Row * E.Stride;
      if (status Result = commitRow(It->second, It->first, Lo, Lo + E.Bytes); !Result.ok())
        return Result;
    }
  return {};
}

// Adjacent parts are committed in one call.
status ReservedMemory::commitRow(Range &R, uintptr_t Begin, uintptr_t Lo, uintptr_t Hi) {
  Lo = std::max(Lo, Begin);
  Hi = std::min<uintptr_t>(Hi, Begin + R.Mapped);
  if (Lo >= Hi)
    return {};
  const size_t Last = (Hi - 1 - Begin) / R.PartBytes;
  for (size_t Part = (Lo - Begin) / R.PartBytes; Part <= Last; ++Part) {
    if (R.Committed[Part])
      continue;
    size_t End = Part + 1;
    while (End <= Last && !R.Committed[End])
      ++End;
    const uint64_t From = Part * R.PartBytes, Bytes = std::min<uint64_t>(End * R.PartBytes, R.Mapped) - From;
    if (mprotect(reinterpret_cast<void *>(Begin + From), Bytes, PROT_READ | PROT_WRITE) != 0)
      return noMemory("commit", Bytes);
    std::fill(R.Committed.begin() + static_cast<ptrdiff_t>(Part), R.Committed.begin() + static_cast<ptrdiff_t>(End),
              true);
    Part = End - 1;
  }
  return {};
}

std::optional<Extent> ReservedMemory::rangeAt(uintptr_t Address) const {
  if (!any())
    return std::nullopt;
  std::lock_guard Guard(Lock);
  auto It = Ranges.upper_bound(Address);
  if (It == Ranges.begin() || std::prev(It)->first + std::prev(It)->second.Bytes <= Address)
    return std::nullopt;
  --It;
  return Extent{It->first, It->second.Bytes};
}

uint64_t ReservedMemory::committedBytes() const {
  std::lock_guard Guard(Lock);
  uint64_t Sum = 0;
  for (const auto &[Begin, R] : Ranges)
    for (size_t Part = 0; Part < R.Committed.size(); ++Part)
      if (R.Committed[Part])
        Sum += std::min(R.PartBytes, R.Mapped - Part * R.PartBytes);
  return Sum;
}

bool ReservedMemory::release(uintptr_t Begin) {
  uint64_t Mapped;
  {
    std::lock_guard Guard(Lock);
    auto It = Ranges.find(Begin);
    if (It == Ranges.end())
      return false;
    Mapped = It->second.Mapped;
    Ranges.erase(It);
    Count.store(Ranges.size(), std::memory_order_release);
  }
  munmap(reinterpret_cast<void *>(Begin), Mapped);
  return true;
}

} // namespace hsched::rt
