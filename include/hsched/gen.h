// What code made by hsched-cc leans on: thin C++11 helpers over the C ABI. Not for use by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code includes this ahead of the user's first line, so it includes no header of the C++ library. What that
// code names itself is not called like the macros of programs that share headers with OpenCL C: local, global, args.
#ifndef HSCHED_GEN_H
#define HSCHED_GEN_H

#include <hsched/abi.h>

// hsched-cc defines it by itself; this is for generated source that another compiler reads (--hsched-emit=source).
// major * 10000 + minor * 100 + patch.
#ifndef __HSCHED__
#define __HSCHED__ 100
#endif

#if defined(__clang__)
#define HSCHED_GEN_TRIVIAL_DESTRUCTOR(T) __is_trivially_destructible(T)
#else
#define HSCHED_GEN_TRIVIAL_DESTRUCTOR(T) __has_trivial_destructor(T)
#endif

namespace hsched {
namespace gen {

// A tag that makes placement new ours: the library's own needs <new>.
struct place {
  explicit place(void *where) noexcept : address(where) {}
  void *address;
};

template <class T> struct plain {
  typedef T type;
};
template <class T> struct plain<T &> {
  typedef T type;
};
template <class T> struct plain<T &&> {
  typedef T type;
};
template <class T> struct is_pointer {
  enum { value = 0 };
};
template <class T> struct is_pointer<T *> {
  enum { value = 1 };
};
template <class T> struct is_pointer<T *const> {
  enum { value = 1 };
};
template <class T> T make() noexcept;

// A section's address and extent.
struct section {
  const void *base;
  size_t bytes;
};

// A number of elements: what is negative counts as none.
template <class N> inline size_t count(N n) { return n > 0 ? static_cast<size_t>(n) : size_t(0); }

template <class T> inline section elements(T *first, size_t n) {
  return {const_cast<const void *>(static_cast<const volatile void *>(first)), n * sizeof(T)};
}

// A bare name: an array, something with data() and size(), or an object.
struct third {};
struct second : third {};
struct first : second {};
template <class T, size_t N> inline section whole(T (&x)[N], first) { return elements(&x[0], N); }
template <class C> inline auto whole(C &x, second) -> decltype(elements(x.data(), static_cast<size_t>(x.size()))) {
  return elements(x.data(), static_cast<size_t>(x.size()));
}
template <class T> inline section whole(T &x, third) {
  static_assert(!is_pointer<T>::value, "hsched: the size of this section is unknown: write [n]p or p[lo:len]");
  return elements(__builtin_addressof(x), 1);
}

// n elements from p[low] on: of a container, a pointer or an array, or of what has operator[]. Nothing is touched:
// there may be none.
template <class C, class N> inline auto range(C &&c, N low, size_t n, first) -> decltype(elements(c.data(), n)) {
  return elements(c.data() + low, n);
}
template <class T, class N> inline section range(T *p, N low, size_t n, second) { return elements(p + low, n); }
template <class C, class N> inline section range(C &&c, N low, size_t n, third) { return elements(&c[low], n); }

// As std::forward; and a priority of any type.
template <class T> inline T &&forward(typename plain<T>::type &x) noexcept { return static_cast<T &&>(x); }
template <class N> inline int priority(const N &n) { return static_cast<int>(n); }

inline hsched_access access(unsigned mode, unsigned param, section s) {
  return {s.base, s.bytes, 1, s.bytes, mode, param};
}

// One submission in the making; gives the task back when an exception passes.
class frame {
public:
  frame(hsched_task_type *type, unsigned accesses) : memory(nullptr), task_(nullptr), next_(nullptr) {
    task_ = hsched_task_begin(type, accesses, &next_, &memory);
  }
  frame(const frame &) = delete;
  frame &operator=(const frame &) = delete;
  ~frame() {
    if (task_)
      hsched_task_abandon(task_);
  }
  void add(unsigned mode, unsigned param, section s) { *next_++ = access(mode, param, s); }
  void submit(const hsched_submit_options *options) {
    hsched_task *task = task_;
    task_ = nullptr;
    hsched_task_submit(task, options);
  }
  void *memory; // of the arguments

private:
  hsched_task *task_;
  hsched_access *next_;
};

inline void geometry(hsched_ndrange *out, unsigned dim, size_t global, size_t local) {
  out->global[dim] = global;
  out->local[dim] = local;
}

// Kernel arguments. A value that lives in the packed arguments is pointed at; a computed one is kept in the argument.
template <class T> inline void value(hsched_kernel_arg &out, unsigned param, const T &v) {
  out.kind = HSCHED_ARG_VALUE;
  out.param = param;
  out.bytes = sizeof(T);
  out.value = __builtin_addressof(v);
  out.pointer = nullptr;
}
template <class T> inline void computed(hsched_kernel_arg &out, const T &v) {
  static_assert(sizeof(T) <= sizeof(out.storage), "hsched: a computed kernel argument has at most 64 bytes");
  __builtin_memcpy(out.storage, __builtin_addressof(v), sizeof(T));
  out.kind = HSCHED_ARG_VALUE;
  out.param = HSCHED_NO_PARAM;
  out.bytes = sizeof(T);
  out.value = out.storage;
  out.pointer = nullptr;
}
inline void buffer(hsched_kernel_arg &out, unsigned param, const volatile void *p) {
  out.kind = HSCHED_ARG_BUFFER;
  out.param = param;
  out.bytes = 0;
  out.value = nullptr;
  out.pointer = const_cast<const void *>(p);
}
inline void local_memory(hsched_kernel_arg &out, size_t bytes) {
  out.kind = HSCHED_ARG_LOCAL;
  out.param = HSCHED_NO_PARAM;
  out.bytes = bytes;
  out.value = nullptr;
  out.pointer = nullptr;
}

inline hsched_task_type *enroll(const hsched_task_desc *task, const hsched_version_desc *versions, unsigned n) {
  hsched_task_type *type = hsched_register_task(task);
  for (unsigned i = 0; i < n; ++i)
    hsched_register_version(task->linker_name, &versions[i]);
  return type;
}

} // namespace gen
} // namespace hsched

inline void *operator new(decltype(sizeof 0), ::hsched::gen::place where) noexcept { return where.address; }
inline void operator delete(void *, ::hsched::gen::place) noexcept {}

#endif
