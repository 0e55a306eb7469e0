// Helpers of generated code: C++11 templates over the C ABI. Not for use by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code includes this before the user's first line, so it includes no header of the C++ library. Every name
// here and in generated code begins with hsched_, so no macro of the program or the command line (-DN=8) can change its
// meaning.
#ifndef HSCHED_GEN_H
#define HSCHED_GEN_H

#include <hsched/gen_sections.h>

// hsched-cc defines it. This definition is for other compilers that read generated source (--hsched-emit=source). major
// * 10000 + minor * 100 + patch.
#ifndef __HSCHED__
#define __HSCHED__ 300
#endif

#if defined(__clang__)
#define HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_type) __is_trivially_destructible(hsched_type)
#else
#define HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_type) __has_trivial_destructor(hsched_type)
#endif

// A tag for a placement new of this header: the library's needs <new>.
struct hsched_gen_place {
  explicit hsched_gen_place(void *hsched_where) noexcept : hsched_address(hsched_where) {}
  void *hsched_address;
};

// Value k of a generator, of its start's type.
template <class hsched_l, class hsched_s>
inline hsched_l hsched_gen_nth(hsched_l hsched_low, size_t hsched_k, hsched_s hsched_step) {
  return static_cast<hsched_l>(hsched_low + static_cast<hsched_l>(hsched_k) * static_cast<hsched_l>(hsched_step));
}

// A parameter pack as a member. The initialisers of its elements follow hsched_gen_fill().
struct hsched_gen_fill {};
template <class... hsched_t> struct hsched_gen_pack;
template <> struct hsched_gen_pack<> {
  enum { hsched_size = 0 };
  hsched_gen_pack(hsched_gen_fill) {}
};
template <class hsched_h, class... hsched_t> struct hsched_gen_pack<hsched_h, hsched_t...> {
  enum { hsched_size = 1 + sizeof...(hsched_t) };
  template <class hsched_u, class... hsched_v>
  hsched_gen_pack(hsched_gen_fill, hsched_u &&hsched_x, hsched_v &&...hsched_more)
      : hsched_head(static_cast<hsched_u &&>(hsched_x)),
        hsched_tail(hsched_gen_fill(), static_cast<hsched_v &&>(hsched_more)...) {}
  hsched_h hsched_head;
  hsched_gen_pack<hsched_t...> hsched_tail;
};
template <size_t hsched_i> struct hsched_gen_element {
  template <class hsched_h, class... hsched_t>
  static auto hsched_get(hsched_gen_pack<hsched_h, hsched_t...> &hsched_p)
      -> decltype(hsched_gen_element<hsched_i - 1>::hsched_get(hsched_p.hsched_tail)) {
    return hsched_gen_element<hsched_i - 1>::hsched_get(hsched_p.hsched_tail);
  }
};
template <> struct hsched_gen_element<0> {
  template <class hsched_h, class... hsched_t>
  static hsched_h &&hsched_get(hsched_gen_pack<hsched_h, hsched_t...> &hsched_p) {
    return static_cast<hsched_h &&>(hsched_p.hsched_head);
  }
};
template <size_t...> struct hsched_gen_indices {};
template <size_t hsched_n, size_t... hsched_i>
struct hsched_gen_up_to : hsched_gen_up_to<hsched_n - 1, hsched_n - 1, hsched_i...> {};
template <size_t... hsched_i> struct hsched_gen_up_to<0, hsched_i...> {
  typedef hsched_gen_indices<hsched_i...> hsched_type;
};

// The type hsched_t, dependent on hsched_c, for a member whose type may still be incomplete.
template <class hsched_t, class hsched_c> struct hsched_gen_later {
  typedef hsched_t hsched_type;
};

// As std::forward; and a priority of any type.
template <class hsched_t>
constexpr hsched_t &&hsched_gen_forward(typename hsched_gen_plain<hsched_t>::hsched_type &hsched_x) noexcept {
  return static_cast<hsched_t &&>(hsched_x);
}
template <class hsched_n> inline int hsched_gen_priority(const hsched_n &hsched_v) {
  return static_cast<int>(hsched_v);
}

template <class hsched_n> inline double hsched_gen_cost(const hsched_n &hsched_v) {
  return static_cast<double>(hsched_v);
}

// The workers of a hsched::place.
template <class hsched_p>
inline auto hsched_gen_where_of(const hsched_p &hsched_v, int) -> decltype(hsched_v.hsched_raw()) {
  return hsched_v.hsched_raw();
}
template <class hsched_p> inline ::hsched_place hsched_gen_where_of(const hsched_p &, long) {
  static_assert(sizeof(hsched_p) == 0, "hsched: where(e) takes a hsched::place, such as hsched::gpus()");
  return ::hsched_place();
}
template <class hsched_p> inline ::hsched_place hsched_gen_where(const hsched_p &hsched_v) {
  return hsched_gen_where_of(hsched_v, 0);
}

// Nothing lies in the first page: a section there is a member of a null pointer's object, and so empty.
inline hsched_access hsched_gen_access(unsigned hsched_mode, unsigned hsched_param,
                                       const hsched_gen_section &hsched_s) {
  const bool hsched_null = reinterpret_cast<__UINTPTR_TYPE__>(hsched_s.hsched_base) < 4096;
  return {hsched_s.hsched_base, hsched_null ? 0 : hsched_s.hsched_bytes,
          hsched_s.hsched_rows, hsched_s.hsched_stride,
          hsched_mode,          hsched_param};
}

// The access of a tile that is known to need only one.
inline hsched_access hsched_gen_access(unsigned hsched_mode, unsigned hsched_param, hsched_gen_box hsched_b) {
  hsched_b.hsched_fold();
  return hsched_gen_access(hsched_mode, hsched_param, hsched_b.hsched_piece(0));
}

// In a checked program: pauses the check of accesses while clauses are evaluated. Units with and without --hsched-check
// may be in one program, so the two are types of their own.
extern "C" void hsched_check_pause(int hsched_begins);
template <bool hsched_checked> struct hsched_gen_pause {
  static void hsched_say(int) {}
};
template <> struct hsched_gen_pause<true> {
  static void hsched_say(int hsched_begins) { ::hsched_check_pause(hsched_begins); }
};

// A list of accesses whose number is known only at run time.
template <bool hsched_checked> class hsched_gen_accesses {
public:
  // A tile of more pieces than this is accessed as its hull, gaps included.
  enum { hsched_many = 4096 };

  hsched_gen_accesses() : hsched_all(hsched_few), hsched_n(0), hsched_room(sizeof(hsched_few) / sizeof(hsched_few[0])) {
    hsched_gen_pause<hsched_checked>::hsched_say(1);
  }
  hsched_gen_accesses(const hsched_gen_accesses &) = delete;
  hsched_gen_accesses &operator=(const hsched_gen_accesses &) = delete;
  ~hsched_gen_accesses() {
    if (hsched_all != hsched_few)
      ::operator delete(hsched_all);
    hsched_gen_pause<hsched_checked>::hsched_say(0);
  }
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_section &hsched_s) {
    if (hsched_n == hsched_room) {
      hsched_access *hsched_more =
          static_cast<hsched_access *>(::operator new(2 * hsched_room * sizeof(hsched_access)));
      __builtin_memcpy(hsched_more, hsched_all, hsched_n * sizeof(hsched_access));
      if (hsched_all != hsched_few)
        ::operator delete(hsched_all);
      hsched_all = hsched_more;
      hsched_room *= 2;
    }
    hsched_all[hsched_n++] = hsched_gen_access(hsched_mode, hsched_param, hsched_s);
  }
  // The object itself is updated, never overwritten: it keeps its own members.
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_owner &hsched_o) {
    hsched_add(hsched_mode == HSCHED_OUT ? static_cast<unsigned>(HSCHED_INOUT) : hsched_mode,
               hsched_o.hsched_pointed ? hsched_param : HSCHED_NO_PARAM, hsched_o.hsched_object);
    hsched_add(hsched_mode, hsched_o.hsched_pointed ? HSCHED_NO_PARAM : hsched_param, hsched_o.hsched_elements);
  }
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, hsched_gen_box hsched_b) {
    size_t hsched_pieces = hsched_b.hsched_fold();
    if (hsched_pieces > hsched_many) // The hull includes bytes between the pieces that are not overwritten.
      hsched_add(hsched_mode == HSCHED_OUT ? static_cast<unsigned>(HSCHED_INOUT) : hsched_mode, hsched_param,
                 hsched_b.hsched_hull());
    else
      for (size_t hsched_i = 0; hsched_i < hsched_pieces; ++hsched_i)
        hsched_add(hsched_mode, hsched_param, hsched_b.hsched_piece(hsched_i));
  }
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_union &hsched_u) {
    hsched_add(hsched_u.hsched_mode(hsched_mode), hsched_param, hsched_u.hsched_all);
  }
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_tiles &hsched_t) {
    if (hsched_t.hsched_alike)
      hsched_add(hsched_mode, hsched_param, hsched_t.hsched_box);
    else
      hsched_add(hsched_mode, hsched_param, hsched_t.hsched_hull);
  }
  void hsched_wait(unsigned hsched_flags) const {
    hsched_taskwait_on(hsched_all, static_cast<unsigned>(hsched_n), hsched_flags);
  }
  void hsched_hand(void (*hsched_give)(void *, const hsched_access *), void *hsched_to) const {
    for (size_t hsched_i = 0; hsched_i < hsched_n; ++hsched_i)
      hsched_give(hsched_to, &hsched_all[hsched_i]);
  }
  const hsched_access *hsched_begin() const { return hsched_all; }
  size_t hsched_size() const { return hsched_n; }

private:
  hsched_access *hsched_all;
  size_t hsched_n, hsched_room;
  hsched_access hsched_few[16];
};

#if defined(HSCHED_CHECKED)
typedef hsched_gen_accesses<true> hsched_gen_list;
#else
typedef hsched_gen_accesses<false> hsched_gen_list;
#endif

// A submission being built. Abandons the task if an exception is thrown.
class hsched_gen_frame {
public:
  hsched_gen_frame(hsched_task_type *hsched_type, unsigned hsched_accesses)
      : hsched_memory(nullptr), hsched_own(nullptr), hsched_next(nullptr) {
    hsched_own = hsched_task_begin(hsched_type, hsched_accesses, &hsched_next, &hsched_memory);
  }
  template <bool hsched_checked>
  hsched_gen_frame(hsched_task_type *hsched_type, const hsched_gen_accesses<hsched_checked> &hsched_l)
      : hsched_gen_frame(hsched_type, static_cast<unsigned>(hsched_l.hsched_size())) {
    __builtin_memcpy(hsched_next, hsched_l.hsched_begin(), hsched_l.hsched_size() * sizeof(hsched_access));
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
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_box &hsched_b) {
    *hsched_next++ = hsched_gen_access(hsched_mode, hsched_param, hsched_b);
  }
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, const hsched_gen_union &hsched_u) {
    hsched_add(hsched_u.hsched_mode(hsched_mode), hsched_param, hsched_u.hsched_all);
  }
  void hsched_submit(const hsched_submit_options *hsched_options) {
    hsched_task *hsched_mine = hsched_own;
    hsched_own = nullptr;
    hsched_task_submit(hsched_mine, hsched_options);
  }
  void *hsched_memory; // The packed arguments.

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
inline void hsched_gen_offset(hsched_ndrange *hsched_out, unsigned hsched_dim, size_t hsched_first) {
  hsched_out->offset[hsched_dim] = hsched_first;
}

// Kernel arguments. A value in the packed arguments is passed by pointer; a computed one is stored in the argument.
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
// The leading dimension of a tile where a kernel runs, in the parameter's type and sign. 0: the program's own value.
template <class hsched_t> inline hsched_t hsched_gen_leading(const hsched_t &hsched_own, unsigned long long hsched_n) {
  const hsched_t hsched_v = static_cast<hsched_t>(hsched_n);
  return !hsched_n ? hsched_own : hsched_own > 0 || hsched_own == 0 ? hsched_v : static_cast<hsched_t>(0 - hsched_v);
}
// Bytes of one element of the tile that a parameter of this type leads to.
template <class hsched_t> constexpr unsigned hsched_gen_leaf_bytes(hsched_t *, hsched_gen_third) {
  return sizeof(hsched_t);
}
template <class hsched_t, size_t hsched_n>
constexpr unsigned hsched_gen_leaf_bytes(hsched_t (*)[hsched_n], hsched_gen_first) {
  return hsched_gen_leaf_bytes(static_cast<hsched_t *>(nullptr), hsched_gen_first());
}
template <class hsched_c>
constexpr auto hsched_gen_leaf_bytes(hsched_c *, hsched_gen_second)
    -> decltype(static_cast<void>(hsched_gen_make<hsched_c &>().data() + 0), unsigned()) {
  return hsched_gen_leaf_bytes(decltype(hsched_gen_make<hsched_c &>().data())(), hsched_gen_first());
}
template <class hsched_t> struct hsched_gen_leaf {
  static constexpr unsigned hsched_bytes() {
    return hsched_gen_leaf_bytes(static_cast<hsched_t *>(nullptr), hsched_gen_first());
  }
};
template <class hsched_t> struct hsched_gen_leaf<hsched_t &> : hsched_gen_leaf<hsched_t> {};
template <class hsched_t> struct hsched_gen_leaf<hsched_t *const> : hsched_gen_leaf<hsched_t *> {};
template <class hsched_t> struct hsched_gen_leaf<hsched_t *> {
  static constexpr unsigned hsched_bytes() {
    return hsched_gen_leaf_bytes(static_cast<hsched_t *>(nullptr), hsched_gen_first());
  }
};
// The value that a body for a device gets for a parameter of a packed tile. A pointer to elements keeps its distance to
// the tile's first element, in rows and elements, with the device's distance of rows. Other types describe their host
// layout themselves.
template <class hsched_t> struct hsched_gen_seen {
  static hsched_t &&hsched_get(typename hsched_gen_plain<hsched_t>::hsched_type &hsched_x,
                               const hsched_packed_place &) noexcept {
    return static_cast<hsched_t &&>(hsched_x);
  }
};
template <class hsched_t> struct hsched_gen_seen<hsched_t *> {
  static hsched_t *hsched_get(hsched_t *hsched_p, const hsched_packed_place &hsched_w) noexcept {
    if (!hsched_w.base || hsched_gen_leaf<hsched_t *>::hsched_bytes() != sizeof(hsched_t))
      return hsched_p;
    const __PTRDIFF_TYPE__ hsched_first = reinterpret_cast<__PTRDIFF_TYPE__>(hsched_w.base),
                           hsched_ahead = hsched_first - reinterpret_cast<__PTRDIFF_TYPE__>(hsched_p),
                           hsched_host = static_cast<__PTRDIFF_TYPE__>(hsched_w.stride),
                           hsched_here = static_cast<__PTRDIFF_TYPE__>(hsched_w.leading * sizeof(hsched_t));
    return reinterpret_cast<hsched_t *>(hsched_first - hsched_ahead / hsched_host * hsched_here -
                                        hsched_ahead % hsched_host);
  }
};
template <class hsched_t> struct hsched_gen_seen<hsched_t *const> : hsched_gen_seen<hsched_t *> {};
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

#include <hsched/gen_inline.h>

#endif
