// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/PinnedRanges.h"

#include "backends/opencl/Errors.h"
#include "base/Log.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace hsched::rt::opencl {

PinRef Pin::make(const cl::Context &Context, uintptr_t Begin, uintptr_t End, cl_int &Code) {
  std::shared_ptr<Pin> P(new Pin(Begin, End));
  P->Memory =
      cl::Buffer(Context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, End - Begin, reinterpret_cast<void *>(Begin), &Code);
  return Code == CL_SUCCESS ? P : nullptr;
}

// The contiguous readable and writable pages around Address. Empty: none. OwnOnly: excludes files, which other
// processes may truncate.
static std::pair<uintptr_t, uintptr_t> mappedAround(uintptr_t Address, bool OwnOnly) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> Maps(std::fopen("/proc/self/maps", "r"), std::fclose);
  uintptr_t Begin = 0, End = 0;
  char Line[512];
  bool LineBegins = true;
  while (Maps && std::fgets(Line, sizeof(Line), Maps.get())) {
    bool Whole = std::exchange(LineBegins, std::strchr(Line, '\n') != nullptr);
    uintptr_t Lo, Hi;
    char Rights[5];
    unsigned long File;
    if (!Whole || std::sscanf(Line, "%" SCNxPTR "-%" SCNxPTR " %4s %*x %*x:%*x %lu", &Lo, &Hi, Rights, &File) != 4)
      continue;
    if (OwnOnly && File != 0)
      continue;
    // A stack grows, and its popped pages stay.
    if (Rights[0] != 'r' || Rights[1] != 'w' || std::strstr(Line, "[stack]"))
      continue;
    if (Lo != End) {
      if (Address < End)
        break;
      Begin = Lo;
    }
    End = Hi;
  }
  return Begin <= Address && Address < End ? std::pair(Begin, End) : std::pair<uintptr_t, uintptr_t>();
}

// True if at most one in sixteen pages has no memory. Begin and End: borders of pages.
static bool mostlyResident(uintptr_t Begin, uintptr_t End) {
  static const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> Pages((End - Begin) / Page);
  if (mincore(reinterpret_cast<void *>(Begin), End - Begin, Pages.data()) != 0)
    return false;
  return std::ranges::count_if(Pages, [](unsigned char P) { return (P & 1) == 0; }) * 16 <= std::ssize(Pages);
}

PinnedRanges::PinnedRanges(cl::Context Context, PinLazily Lazily, uint64_t MostBytes)
    : Context(std::move(Context)), Lazily(Lazily), MostBytes(MostBytes) {
  if (Lazily == PinLazily::Never)
    return;
  Watch = PageWatch::get();
  if (Watch) {
    Read = Watch->now();
    Watch->add(*this);
  } else if (Lazily == PinLazily::Watched) {
    this->Lazily = PinLazily::Never;
  }
}

PinnedRanges::~PinnedRanges() {
  if (Watch)
    Watch->remove(*this);
}

bool PinnedRanges::pagesChanged() {
  Unpinned Removed;
  std::lock_guard Guard(Lock);
  return dropReturned(Removed);
}

bool PinnedRanges::dropReturned(Unpinned &Out) {
  if (!Watch)
    return true;
  std::vector<PageWatch::Range> Given;
  switch (Watch->read(Read, Given)) {
  case PageWatch::WatchResult::None:
    return true;
  case PageWatch::WatchResult::Pending:
    return false;
  case PageWatch::WatchResult::Missed:
    Given = {{0, UINTPTR_MAX}};
    break;
  case PageWatch::WatchResult::Some:
    break;
  }
  for (const PageWatch::Range &G : Given) {
    notePartlyReturned(G);
    for (auto It = Ranges.begin(); It != Ranges.end();) {
      const Entry &E = It->second;
      if (!E.Lazy || E.P->End <= G.Begin || G.End <= E.P->Begin) {
        ++It;
        continue;
      }
      It = drop(It, Out);
    }
  }
  return true;
}

// Pinned here or not: the returned range may have been watched for another device, or for a dropped pin.
void PinnedRanges::notePartlyReturned(const PageWatch::Range &G) {
  if (isPartlyReturned(UINTPTR_MAX) || G.End <= G.Begin)
    return;
  const uintptr_t First = G.Begin / Granule, Last = (G.End - 1) / Granule;
  if (Last - First >= MostPartlyReturned - PartlyReturned.size()) {
    PartlyReturned = {UINTPTR_MAX}; // Marks all granules.
    return;
  }
  for (uintptr_t Place = First; Place <= Last; ++Place)
    PartlyReturned.insert(Place);
}

bool PinnedRanges::isPartlyReturned(uintptr_t Place) const {
  return PartlyReturned.contains(Place) || PartlyReturned.contains(UINTPTR_MAX);
}

PinRef PinnedRanges::containing(uintptr_t Address, bool Certain) {
  auto It = Ranges.upper_bound(Address);
  if (It == Ranges.begin() || std::prev(It)->second.P->End <= Address)
    return nullptr;
  --It;
  if (It->second.Lazy && !Certain)
    return nullptr;
  It->second.LastUse = ++Uses;
  return It->second.P;
}

status PinnedRanges::add(void *Memory, size_t Bytes) {
  auto Begin = reinterpret_cast<uintptr_t>(Memory), End = Begin + Bytes;
  Unpinned Removed;
  std::unique_lock Guard(Lock);
  // Lazily pinned memory was pinned before this.
  for (auto It = Ranges.begin(); It != Ranges.end();)
    It = It->second.P->Begin < End && Begin < It->second.P->End ? drop(It, Removed) : std::next(It);
  cl_int Code = CL_SUCCESS;
  PinRef P = Pin::make(Context, Begin, End, Code);
  if (!P)
    return clError(errc::unsupported, Code, std::to_string(Bytes) + " bytes of host memory are not pinned");
  Ranges.emplace(Begin, Entry{std::move(P), false, ++Uses});
  Guard.unlock();
  return {};
}

void PinnedRanges::remove(void *Memory) {
  Unpinned Removed;
  std::lock_guard Guard(Lock);
  if (auto It = Ranges.find(reinterpret_cast<uintptr_t>(Memory)); It != Ranges.end())
    drop(It, Removed);
}

std::vector<PinRef> PinnedRanges::find(const void *Memory, size_t Bytes, PinExtent Of) {
  auto Begin = reinterpret_cast<uintptr_t>(Memory), End = Begin + Bytes;
  uintptr_t Window = Granule;
  if (Of == PinExtent::Rows)
    while (Window < LargestWindow && Window < MostBytes / RowsInWindow && Window / RowsInWindow < Bytes)
      Window *= 2;
  std::vector<PinRef> Found;
  Unpinned Removed;
  std::lock_guard Guard(Lock);
  bool Certain = dropReturned(Removed);
  for (uintptr_t At = Begin; At < End; At = Found.back()->End) {
    PinRef P = containing(At, Certain);
    if (!P && Certain && Lazily != PinLazily::Never && Bytes >= SmallestLazy)
      P = pinAround(At, End, Window, Removed);
    if (!P)
      return {};
    Found.push_back(std::move(P));
  }
  return Found;
}

PinRef PinnedRanges::pinAround(uintptr_t Address, uintptr_t NeededEnd, uintptr_t Window, Unpinned &Out) {
  if (auto No = Refused.find(Address / Granule); No != Refused.end()) {
    if (++Uses < No->second + UsesBetweenTries)
      return nullptr;
    Refused.erase(No);
  }
  const AddressRange Mapped = mappedAround(Address, Lazily == PinLazily::Watched);
  if (Window > Granule)
    if (PinRef P = pinWindow(Address, NeededEnd, Window, Mapped, Out))
      return P;
  return pinGranule(Address, NeededEnd, Mapped, Out);
}

PinnedRanges::AddressRange PinnedRanges::freeAround(uintptr_t Address, uintptr_t Window, AddressRange Mapped) const {
  auto [Lo, Hi] = Mapped;
  Lo = std::max(Address / Window * Window, Lo);
  Hi = std::min(Address / Window * Window + Window, Hi);
  auto Next = Ranges.upper_bound(Address);
  if (Next != Ranges.end())
    Hi = std::min(Hi, Next->second.P->Begin);
  if (Next != Ranges.begin())
    Lo = std::max(Lo, std::prev(Next)->second.P->End);
  return {Lo, Hi};
}

PinRef PinnedRanges::pinWindow(uintptr_t Address, uintptr_t NeededEnd, uintptr_t Window, AddressRange Mapped,
                               Unpinned &Out) {
  auto [Lo, Hi] = freeAround(Address, Window, Mapped);
  // It must reach as far as what is needed, or to the window's end.
  if (Hi <= Address || Hi < std::min(NeededEnd, Address / Window * Window + Window))
    return nullptr;
  for (uintptr_t Place = Lo / Granule; Place * Granule < Hi; ++Place)
    if (isPartlyReturned(Place) || Refused.contains(Place))
      return nullptr;
  // Pinning gives pages that were never touched their memory.
  if (!mostlyResident(Lo, Hi))
    return nullptr;
  if (Watch && (!Watch->watch(Lo, Hi) || !Watch->watched(Lo, Hi)))
    return nullptr;
  return makeLazily(Lo, Hi, Out);
}

// Pins as much as possible of the granule around Address; no page is pinned twice.
PinRef PinnedRanges::pinGranule(uintptr_t Address, uintptr_t NeededEnd, AddressRange Mapped, Unpinned &Out) {
  const uintptr_t Place = Address / Granule;
  auto [Lo, Hi] = freeAround(Address, Granule, Mapped);
  NeededEnd = std::min(NeededEnd, Place * Granule + Granule);
  if (auto Next = Ranges.upper_bound(Address); Next != Ranges.end())
    NeededEnd = std::min(NeededEnd, Next->second.P->Begin);
  if (Hi <= Address || Hi < NeededEnd || Hi - Lo > MostBytes)
    return nullptr;
  static const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t ExactLo = std::max(Lo, Address / Page * Page),
                  ExactHi = std::min(Hi, (NeededEnd + Page - 1) / Page * Page);
  if (isPartlyReturned(Place)) {
    Lo = ExactLo;
    Hi = ExactHi;
  }
  // Watched first, so that later returns are reported. The transferred range stays meanwhile; memory beside it may be
  // returned.
  const bool More = Lo < ExactLo || ExactHi < Hi;
  if (Watch && (!Watch->watch(Lo, Hi) || (More && !Watch->watched(Lo, Hi)))) {
    Lo = ExactLo; // Memory beside it is of another kind, or short-lived.
    Hi = ExactHi;
    if (!Watch->watch(Lo, Hi) && Lazily != PinLazily::Always) {
      Refused[Place] = Uses;
      return nullptr;
    }
  }
  PinRef P = makeLazily(Lo, Hi, Out);
  if (!P)
    Refused[Place] = Uses;
  return P;
}

PinRef PinnedRanges::makeLazily(uintptr_t Begin, uintptr_t End, Unpinned &Out) {
  while (LazyBytes + (End - Begin) > MostBytes) {
    auto Oldest = std::ranges::min_element(Ranges, {},
                                           [](const auto &R) { return R.second.Lazy ? R.second.LastUse : UINT64_MAX; });
    drop(Oldest, Out);
  }
  cl_int Code = CL_SUCCESS;
  PinRef P = Pin::make(Context, Begin, End, Code);
  if (!P) {
    log(LogLevel::Debug, "%zu bytes of host memory are not pinned: %s", size_t(End - Begin),
        describeError(Code).c_str());
    return nullptr;
  }
  LazyBytes += End - Begin;
  Ranges.emplace(Begin, Entry{P, true, ++Uses});
  return P;
}

PinnedRanges::Entries::iterator PinnedRanges::drop(Entries::iterator It, Unpinned &Out) {
  if (It->second.Lazy)
    LazyBytes -= It->second.P->End - It->second.P->Begin;
  Out.push_back(std::move(It->second.P));
  return Ranges.erase(It);
}

size_t PinnedRanges::count() const {
  std::lock_guard Guard(Lock);
  return Ranges.size();
}

uint64_t PinnedRanges::bytes() const {
  std::lock_guard Guard(Lock);
  uint64_t Sum = 0;
  for (const auto &[Begin, E] : Ranges)
    Sum += E.P->End - Begin;
  return Sum;
}

} // namespace hsched::rt::opencl
