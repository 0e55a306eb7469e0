// Handles that programs get, and the objects behind them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle is the address of a Shell, which begins with the dispatch table, as the loader wants it. Shells lie in one
// range of addresses that is never given back, so that any pointer can be tested, and a stale handle is read without
// harm: its shell refers to no object. A shell is used again when its object is gone, and only after many others.
//
// An object has two counts. The user's one is what clRetain and clRelease change; when it falls to 0, the handle is
// stale. The other one counts what the platform itself holds: commands in flight, children. Any thread.
#ifndef HSCHED_ICD_HANDLE_H
#define HSCHED_ICD_HANDLE_H

#include "icd/ClHeader.h"

#include <atomic>
#include <cstdint>
#include <utility>

namespace hsched::icd {

extern const cl_icd_dispatch &Dispatch;

class Object;

struct Shell {
  const cl_icd_dispatch *Table;
  std::atomic<Object *> Target;
};

enum class Kind : uint8_t { Platform, Device, Context, Queue, Memory, Sampler, Program, Kernel, Event };

class Object {
public:
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;

  Kind kind() const { return K; }
  template <class H> H handle() const { return reinterpret_cast<H>(Own); }
  const Shell *shell() const { return Own; }

  void retainUser() { UserRefs.fetch_add(1, std::memory_order_relaxed); }
  // The handle is stale when it returns, if this was the last one.
  void releaseUser();
  cl_uint userRefs() const { return UserRefs.load(std::memory_order_relaxed); }

  void retain() { Refs.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (Refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

protected:
  // With one reference of the user's. Throws std::bad_alloc where no handle is left.
  explicit Object(Kind K);
  virtual ~Object();
  // The user's last reference has gone. No lock is held.
  virtual void abandoned() {}

private:
  const Kind K;
  std::atomic<cl_uint> UserRefs{1};
  std::atomic<uint32_t> Refs{1};
  Shell *Own;
};

// The live object behind a handle; null where there is none. Any pointer.
Object *objectOf(const void *Handle);

// A counted reference of the platform's own.
template <class T> class Ref {
public:
  Ref() = default;
  Ref(T *To) : To(To) {
    if (To)
      To->retain();
  }
  Ref(const Ref &O) : Ref(O.To) {}
  Ref(Ref &&O) noexcept : To(std::exchange(O.To, nullptr)) {}
  Ref &operator=(Ref O) noexcept {
    std::swap(To, O.To);
    return *this;
  }
  ~Ref() {
    if (To)
      To->release();
  }
  T *get() const { return To; }
  T *operator->() const { return To; }
  T &operator*() const { return *To; }
  explicit operator bool() const { return To != nullptr; }
  bool operator==(const Ref &O) const { return To == O.To; }

private:
  T *To = nullptr;
};

// The object behind a handle, if it is one of T's; null otherwise.
template <class T> T *find(const void *Handle) {
  Object *O = objectOf(Handle);
  return O && O->kind() == T::Tag ? static_cast<T *>(O) : nullptr;
}

} // namespace hsched::icd
#endif
