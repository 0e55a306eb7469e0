// What code made by hsched-cc leans on: thin C++11 helpers over the C ABI. Not for use by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code includes this ahead of the user's first line, so it includes no header of the C++ library. Every name
// that generated code mentions begins with hsched_, and so do the names in here: neither a macro of the program nor one
// of the command line (-DN=8) can change their meaning.
#ifndef HSCHED_GEN_H
#define HSCHED_GEN_H

#include <hsched/abi.h>

// hsched-cc defines it by itself; this is for generated source that another compiler reads (--hsched-emit=source).
// major * 10000 + minor * 100 + patch.
#ifndef __HSCHED__
#define __HSCHED__ 100
#endif

#if defined(__clang__)
#define HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_type) __is_trivially_destructible(hsched_type)
#else
#define HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_type) __has_trivial_destructor(hsched_type)
#endif

// A tag that makes placement new ours: the library's own needs <new>.
struct hsched_gen_place {
  explicit hsched_gen_place(void *hsched_where) noexcept : hsched_address(hsched_where) {}
  void *hsched_address;
};

template <class hsched_t> struct hsched_gen_plain {
  typedef hsched_t hsched_type;
};
template <class hsched_t> struct hsched_gen_plain<hsched_t &> {
  typedef hsched_t hsched_type;
};
template <class hsched_t> struct hsched_gen_plain<hsched_t &&> {
  typedef hsched_t hsched_type;
};
template <class hsched_t> struct hsched_gen_is_pointer {
  enum { hsched_value = 0 };
};
template <class hsched_t> struct hsched_gen_is_pointer<hsched_t *> {
  enum { hsched_value = 1 };
};
template <class hsched_t> struct hsched_gen_is_pointer<hsched_t *const> {
  enum { hsched_value = 1 };
};

// Order of overloads: a call with hsched_gen_first() takes the first one that fits.
struct hsched_gen_third {};
struct hsched_gen_second : hsched_gen_third {};
struct hsched_gen_first : hsched_gen_second {};

// Rows of bytes. Generated code fills it and hands it on.
struct hsched_gen_section {
  const void *hsched_base;
  size_t hsched_bytes, hsched_rows, hsched_stride;
};

// A number of elements: what is negative counts as none.
template <class hsched_n> inline size_t hsched_gen_count(hsched_n hsched_v) {
  return hsched_v > 0 ? static_cast<size_t>(hsched_v) : size_t(0);
}

inline const void *hsched_gen_void(const volatile void *hsched_p) { return const_cast<const void *>(hsched_p); }

template <class hsched_t> inline hsched_gen_section hsched_gen_elements(hsched_t *hsched_p, size_t hsched_n) {
  return {hsched_gen_void(hsched_p), hsched_n * sizeof(hsched_t), 1, hsched_n * sizeof(hsched_t)};
}

// A bare name: an array, something with data() and size(), or an object.
template <class hsched_t, size_t hsched_n>
inline hsched_gen_section hsched_gen_whole(hsched_t (&hsched_x)[hsched_n], hsched_gen_first) {
  return hsched_gen_elements(&hsched_x[0], hsched_n);
}
template <class hsched_c>
inline auto hsched_gen_whole(hsched_c &hsched_x, hsched_gen_second)
    -> decltype(hsched_gen_elements(hsched_x.data(), static_cast<size_t>(hsched_x.size()))) {
  return hsched_gen_elements(hsched_x.data(), static_cast<size_t>(hsched_x.size()));
}
template <class hsched_t> inline hsched_gen_section hsched_gen_whole(hsched_t &hsched_x, hsched_gen_third) {
  static_assert(!hsched_gen_is_pointer<hsched_t>::hsched_value,
                "hsched: the size of this section is unknown: write [n]p or p[lo:len]");
  return hsched_gen_elements(__builtin_addressof(hsched_x), 1);
}
// Where a bare name's data begins.
template <class hsched_t> inline const void *hsched_gen_address(hsched_t &hsched_x) {
  return hsched_gen_whole(hsched_x, hsched_gen_first()).hsched_base;
}

// n elements from p[low] on: of a container, a pointer or an array, or of what has operator[]. Nothing is touched:
// there may be none.
template <class hsched_c, class hsched_l>
inline auto hsched_gen_range(hsched_c &&hsched_x, hsched_l hsched_low, size_t hsched_n, hsched_gen_first)
    -> decltype(hsched_gen_elements(hsched_x.data(), hsched_n)) {
  return hsched_gen_elements(hsched_x.data() + hsched_low, hsched_n);
}
template <class hsched_t, class hsched_l>
inline hsched_gen_section hsched_gen_range(hsched_t *hsched_p, hsched_l hsched_low, size_t hsched_n,
                                           hsched_gen_second) {
  return hsched_gen_elements(hsched_p + hsched_low, hsched_n);
}
template <class hsched_c, class hsched_l>
inline hsched_gen_section hsched_gen_range(hsched_c &&hsched_x, hsched_l hsched_low, size_t hsched_n,
                                           hsched_gen_third) {
  return hsched_gen_elements(&hsched_x[hsched_low], hsched_n);
}

// As std::forward; and a priority of any type.
template <class hsched_t>
inline hsched_t &&hsched_gen_forward(typename hsched_gen_plain<hsched_t>::hsched_type &hsched_x) noexcept {
  return static_cast<hsched_t &&>(hsched_x);
}
template <class hsched_n> inline int hsched_gen_priority(const hsched_n &hsched_v) {
  return static_cast<int>(hsched_v);
}

inline hsched_access hsched_gen_access(unsigned hsched_mode, unsigned hsched_param,
                                       const hsched_gen_section &hsched_s) {
  return {hsched_s.hsched_base,   hsched_s.hsched_bytes, hsched_s.hsched_rows,
          hsched_s.hsched_stride, hsched_mode,           hsched_param};
}

// One submission in the making; gives the task back when an exception passes.
class hsched_gen_frame {
public:
  hsched_gen_frame(hsched_task_type *hsched_type, unsigned hsched_accesses)
      : hsched_memory(nullptr), hsched_own(nullptr), hsched_next(nullptr) {
    hsched_own = hsched_task_begin(hsched_type, hsched_accesses, &hsched_next, &hsched_memory);
  }
  hsched_gen_frame(const hsched_gen_frame &) = delete;
  hsched_gen_frame &operator=(const hsched_gen_frame &) = delete;
  ~hsched_gen_frame() {
    if (hsched_own)
      hsched_task_abandon(hsched_own);
  }
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_section &hsched_s) {
    *hsched_next++ = hsched_gen_access(hsched_mode, hsched_param, hsched_s);
  }
  void hsched_submit(const hsched_submit_options *hsched_options) {
    hsched_task *hsched_mine = hsched_own;
    hsched_own = nullptr;
    hsched_task_submit(hsched_mine, hsched_options);
  }
  void *hsched_memory; // of the arguments

private:
  hsched_task *hsched_own;
  hsched_access *hsched_next;
};

inline void hsched_gen_geometry(hsched_ndrange *hsched_out, unsigned hsched_dims, unsigned hsched_dim,
                                size_t hsched_global, size_t hsched_local) {
  hsched_out->dims = hsched_dims;
  hsched_out->global[hsched_dim] = hsched_global;
  hsched_out->local[hsched_dim] = hsched_local;
}

// Kernel arguments. A value that lives in the packed arguments is pointed at; a computed one is kept in the argument.
template <class hsched_t>
inline void hsched_gen_value(hsched_kernel_arg &hsched_out, unsigned hsched_param, const hsched_t &hsched_v) {
  hsched_out.kind = HSCHED_ARG_VALUE;
  hsched_out.param = hsched_param;
  hsched_out.bytes = sizeof(hsched_t);
  hsched_out.value = __builtin_addressof(hsched_v);
  hsched_out.pointer = nullptr;
}
template <class hsched_t> inline void hsched_gen_computed(hsched_kernel_arg &hsched_out, const hsched_t &hsched_v) {
  static_assert(sizeof(hsched_t) <= sizeof(hsched_out.storage),
                "hsched: a computed kernel argument has at most 64 bytes");
  __builtin_memcpy(hsched_out.storage, __builtin_addressof(hsched_v), sizeof(hsched_t));
  hsched_out.kind = HSCHED_ARG_VALUE;
  hsched_out.param = HSCHED_NO_PARAM;
  hsched_out.bytes = sizeof(hsched_t);
  hsched_out.value = hsched_out.storage;
  hsched_out.pointer = nullptr;
}
inline void hsched_gen_buffer(hsched_kernel_arg &hsched_out, unsigned hsched_param, const volatile void *hsched_p) {
  hsched_out.kind = HSCHED_ARG_BUFFER;
  hsched_out.param = hsched_param;
  hsched_out.bytes = 0;
  hsched_out.value = nullptr;
  hsched_out.pointer = hsched_gen_void(hsched_p);
}
inline void hsched_gen_local_memory(hsched_kernel_arg &hsched_out, size_t hsched_bytes) {
  hsched_out.kind = HSCHED_ARG_LOCAL;
  hsched_out.param = HSCHED_NO_PARAM;
  hsched_out.bytes = hsched_bytes;
  hsched_out.value = nullptr;
  hsched_out.pointer = nullptr;
}

inline hsched_task_type *hsched_gen_enroll(const hsched_task_desc *hsched_d, const hsched_version_desc *hsched_versions,
                                           unsigned hsched_n) {
  hsched_task_type *hsched_type = hsched_register_task(hsched_d);
  for (unsigned hsched_i = 0; hsched_i < hsched_n; ++hsched_i)
    hsched_register_version(hsched_d->linker_name, &hsched_versions[hsched_i]);
  return hsched_type;
}

inline void *operator new(decltype(sizeof 0), ::hsched_gen_place hsched_where) noexcept {
  return hsched_where.hsched_address;
}
inline void operator delete(void *, ::hsched_gen_place) noexcept {}

#endif
