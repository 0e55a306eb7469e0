// Handles that programs get, and the objects behind them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle is the address of a Shell, which begins with the dispatch table, as the loader requires. Shells lie in one
// range of addresses that is never released. So any pointer can be tested, and a stale handle is safe to read: its
// shell refers to no object. A shell is reused after its object is destroyed, and only after many others.
//
// An object has two reference counts. clRetain and clRelease change the user's count; at 0 the handle is stale. The
// other counts the platform's own references: commands in flight, children. Any thread.
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
  // If this was the last user reference, the handle is stale afterwards.
  void releaseUser();
  cl_uint userRefs() const { return UserRefs.load(std::memory_order_relaxed); }

  void retain() { Refs.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (Refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

protected:
  // Starts with one user reference. Throws std::bad_alloc if no handle is left.
  explicit Object(Kind K);
  virtual ~Object();
  // Called without a lock after the last user reference was released.
  virtual void abandoned() {}

private:
  const Kind K;
  std::atomic<cl_uint> UserRefs{1};
  std::atomic<uint32_t> Refs{1};
  Shell *Own;
};

// The live object of a handle, or null. Accepts any pointer.
Object *objectOf(const void *Handle);

// A counted reference of the platform.
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

// The object of a handle if it is a T. Null otherwise.
template <class T> T *find(const void *Handle) {
  Object *O = objectOf(Handle);
  return O && O->kind() == T::Tag ? static_cast<T *>(O) : nullptr;
}

} // namespace hsched::icd
#endif
