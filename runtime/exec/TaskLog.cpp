// The log of tasks: appending.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/TaskLogEntry.h"

#include "base/Log.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif
#include <sys/mman.h>

namespace hsched::rt {
namespace {

// A short program needs little memory. Later chunks use huge pages if available: a page fault of a small page takes as
// long as about ten entries.
constexpr size_t FirstChunkBytes = 64 << 10, ChunkBytes = 2 << 20;

// True if the processor's counter runs at one speed on all cores, also while they sleep.
bool counterIsSteady() {
#if defined(__x86_64__)
  unsigned A = 0, B = 0, C = 0, D = 0;
  return __get_cpuid(0x80000007, &A, &B, &C, &D) && (D & (1u << 8));
#else
  return false;
#endif
}

constexpr size_t roundToWords(size_t Bytes) { return (Bytes + 7) & ~size_t(7); }

template <class Section> constexpr bool IsAccess = std::is_same_v<Section, Access>;

} // namespace

TaskLog::Stamp TaskLog::readCounter() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

TaskLog::Part::~Part() {
  for (Chunk *C = First.load(); C;)
    std::free(std::exchange(C, C->Next.load()));
}

TaskLog::TaskLog(const Clock &Time)
    : Time(Time), Counter(counterIsSteady() && dynamic_cast<const SteadyClock *>(&Time)), BeganStamp(now()),
      Began(Time.now()) {}

[[gnu::noinline]] bool TaskLog::newChunk(Part &P, size_t Bytes) {
  size_t Size = std::max(P.Last ? ChunkBytes : FirstChunkBytes, roundToWords(Bytes + sizeof(Chunk)));
  void *Memory = nullptr;
  if (P.Last) {
    Size = (Size + ChunkBytes - 1) / ChunkBytes * ChunkBytes;
    if ((Memory = std::aligned_alloc(ChunkBytes, Size)))
      (void)madvise(Memory, Size, MADV_HUGEPAGE); // Without huge pages it is slower.
  } else {
    Memory = std::malloc(Size);
  }
  if (!Memory) {
    Lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  auto *C = new (Memory) Chunk{};
  (P.Last ? P.Last->Next : P.First).store(C, std::memory_order_release);
  P.Last = C;
  P.Top = C->begin();
  P.End = static_cast<char *>(Memory) + Size;
  return true;
}

inline char *TaskLog::take(Part &P, size_t Bytes) {
  if (static_cast<size_t>(P.End - P.Top) < Bytes) [[unlikely]]
    if (!newChunk(P, Bytes))
      return nullptr;
  return P.Top;
}

inline void TaskLog::publish(Part &P, char *To) {
  P.Top = To;
  P.Last->Used.store(static_cast<size_t>(To - P.Last->begin()), std::memory_order_release);
}

template <class Section>
inline void TaskLog::add(Part &P, const Submitted &T, const Ran *R, std::span<const Section> Sections) {
  bool Full = IsAccess<Section>;
  if constexpr (IsAccess<Section>)
    Full = !std::ranges::all_of(Sections, ItemSection::holds);
  const bool HasCost = T.Cost != NoCost, HasLabel = T.Label && T.Label != T.Task && std::strcmp(T.Label, T.Task) != 0;
  const size_t LabelBytes = HasLabel ? std::strlen(T.Label) + 1 : 0;
  const size_t Bytes = sizeof(LogEntry) + sizeof(LogTask) + (R ? sizeof(LogRun) : 0) +
                       Sections.size() * (Full ? sizeof(Access) : sizeof(ItemSection)) +
                       (HasCost ? sizeof(double) : 0) + roundToWords(LabelBytes);
  char *At = take(P, Bytes);
  if (!At)
    return;
  new (At) LogEntry{static_cast<uint32_t>(Bytes),
                    LogEntry::Kind::Task,
                    static_cast<uint8_t>((R ? LogEntry::HasRun : 0) | (Full ? LogEntry::FullSections : 0) |
                                         (HasCost ? LogEntry::HasCost : 0) | (HasLabel ? LogEntry::HasLabel : 0)),
                    R ? R->How : Outcome::Done,
                    static_cast<uint32_t>(Sections.size()),
                    R ? R->Worker : NoWorker,
                    T.Id};
  At += sizeof(LogEntry);
  new (At) LogTask{T.Parent, T.Task, R ? R->Begin : now()};
  At += sizeof(LogTask);
  if (R) {
    new (At) LogRun{R->Version, R->Begin, R->End};
    At += sizeof(LogRun);
  }
  if constexpr (IsAccess<Section>) {
    if (Full) {
      std::memcpy(At, Sections.data(), Sections.size_bytes());
      At += Sections.size_bytes();
    } else {
      for (const Access &A : Sections) {
        new (At) ItemSection{beginOf(A), static_cast<uint32_t>(A.bytes), A.mode};
        At += sizeof(ItemSection);
      }
    }
  } else {
    std::memcpy(At, Sections.data(), Sections.size_bytes());
    At += Sections.size_bytes();
  }
  if (HasCost) {
    std::memcpy(At, &T.Cost, sizeof(double));
    At += sizeof(double);
  }
  if (HasLabel) {
    std::memcpy(At, T.Label, LabelBytes);
    At += roundToWords(LabelBytes);
  }
  publish(P, At);
}
template void TaskLog::add(Part &, const Submitted &, const Ran *, std::span<const Access>);
template void TaskLog::add(Part &, const Submitted &, const Ran *, std::span<const ItemSection>);

void TaskLog::ran(Part &P, TaskId Id, const Ran &R) {
  constexpr size_t Bytes = sizeof(LogEntry) + sizeof(LogRun);
  char *At = take(P, Bytes);
  if (!At)
    return;
  new (At) LogEntry{Bytes, LogEntry::Kind::Run, LogEntry::HasRun, R.How, 0, R.Worker, Id};
  new (At + sizeof(LogEntry)) LogRun{R.Version, R.Begin, R.End};
  publish(P, At + Bytes);
}

void TaskLog::dependence(Part &P, TaskId From, TaskId To) {
  if (char *At = take(P, sizeof(LogEntry) + sizeof(TaskId))) {
    new (At) LogEntry{sizeof(LogEntry) + sizeof(TaskId), LogEntry::Kind::Dependence, 0, Outcome::Done, 0, NoWorker, To};
    new (At + sizeof(LogEntry)) TaskId(From);
    publish(P, At + sizeof(LogEntry) + sizeof(TaskId));
  }
}

void TaskLog::waited(Part &P, TaskId Parent, TaskId Next) {
  if (char *At = take(P, sizeof(LogEntry) + sizeof(TaskId))) {
    new (At) LogEntry{sizeof(LogEntry) + sizeof(TaskId), LogEntry::Kind::Wait, 0, Outcome::Done, 0, NoWorker, Parent};
    new (At + sizeof(LogEntry)) TaskId(Next);
    publish(P, At + sizeof(LogEntry) + sizeof(TaskId));
  }
}

} // namespace hsched::rt
