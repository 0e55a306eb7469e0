// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Handle.h"

#include <deque>
#include <mutex>
#include <new>

#include <sys/mman.h>

namespace hsched::icd {
namespace {

// Number of released handles that are not reused yet.
constexpr size_t Resting = 4096;
constexpr size_t RangeBytes = size_t(1) << 28;

class Shells {
public:
  Shell *take(Object *Target) {
    std::lock_guard Hold(Lock);
    Shell *S;
    if (Free.size() > Resting) {
      S = Free.front();
      Free.pop_front();
    } else {
      size_t N = Used.load(std::memory_order_relaxed);
      if (!Base || N == RangeBytes / sizeof(Shell))
        throw std::bad_alloc();
      S = new (Base + N) Shell{&Dispatch, nullptr};
      Used.store(N + 1, std::memory_order_release);
    }
    S->Target.store(Target, std::memory_order_release);
    return S;
  }
  void give(Shell *S) {
    std::lock_guard Hold(Lock);
    Free.push_back(S);
  }
  Object *find(const void *Handle) const {
    auto At = reinterpret_cast<uintptr_t>(Handle), First = reinterpret_cast<uintptr_t>(Base);
    size_t Offset = At - First;
    if (At < First || Offset >= Used.load(std::memory_order_acquire) * sizeof(Shell) || Offset % sizeof(Shell))
      return nullptr;
    return static_cast<const Shell *>(Handle)->Target.load(std::memory_order_acquire);
  }

private:
  static Shell *reserve() {
    void *At = mmap(nullptr, RangeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return At == MAP_FAILED ? nullptr : static_cast<Shell *>(At);
  }

  Shell *const Base = reserve();
  std::atomic<size_t> Used{0};
  std::mutex Lock;
  std::deque<Shell *> Free;
};

// Never destroyed: programs release handles in static destructors.
Shells &shells() {
  static Shells &All = *new Shells;
  return All;
}

} // namespace

Object::Object(Kind K) : K(K), Own(shells().take(this)) {}

Object::~Object() {
  Own->Target.store(nullptr, std::memory_order_release); // Not yet stale if a constructor threw.
  shells().give(Own);
}

void Object::releaseUser() {
  if (UserRefs.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  Own->Target.store(nullptr, std::memory_order_release); // No other object gets it while this lives.
  abandoned();
  release();
}

Object *objectOf(const void *Handle) { return shells().find(Handle); }

} // namespace hsched::icd
