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

template <class hsched_t> hsched_t hsched_gen_make() noexcept; // for types only

// Order of overloads: a call with hsched_gen_first() takes the first one that fits.
struct hsched_gen_third {};
struct hsched_gen_second : hsched_gen_third {};
struct hsched_gen_first : hsched_gen_second {};

// Rows of bytes. Generated code fills it and hands it on.
struct hsched_gen_section {
  const void *hsched_base;
  size_t hsched_bytes, hsched_rows, hsched_stride;
};

// Of several sections, everything from the first byte to the last.
struct hsched_gen_union {
  hsched_gen_section hsched_all;
  bool hsched_gaps; // there is more in it than the sections

  // What is not overwritten must be kept.
  unsigned hsched_mode(unsigned hsched_wanted) const {
    return hsched_gaps && hsched_wanted == HSCHED_OUT ? static_cast<unsigned>(HSCHED_INOUT) : hsched_wanted;
  }
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
template <class hsched_c> // hsched::tile
inline auto hsched_gen_whole(hsched_c &hsched_x, hsched_gen_second)
    -> decltype(static_cast<typename hsched_c::hsched_tile *>(nullptr), hsched_gen_section()) {
  return {hsched_gen_void(hsched_x.data()), hsched_x.columns() * sizeof(*hsched_x.data()), hsched_x.rows(),
          hsched_x.stride() * sizeof(*hsched_x.data())};
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

// Tiles ------------------------------------------------------------------------------------------------------------

// One subscript: count elements from low on; all up to the dimension's end where rest.
struct hsched_gen_subscript {
  ptrdiff_t hsched_low;
  size_t hsched_count;
  bool hsched_rest;
};
template <class hsched_l> inline hsched_gen_subscript hsched_gen_part(hsched_l hsched_low, size_t hsched_n) {
  return {static_cast<ptrdiff_t>(hsched_low), hsched_n, false};
}
template <class hsched_l> inline hsched_gen_subscript hsched_gen_index(hsched_l hsched_low) {
  return {static_cast<ptrdiff_t>(hsched_low), 1, false};
}
template <class hsched_l> inline hsched_gen_subscript hsched_gen_from(hsched_l hsched_low) {
  return {static_cast<ptrdiff_t>(hsched_low), 0, true};
}

// A tile: elements of `bytes` bytes, in dims dimensions, outermost first.
struct hsched_gen_box {
  enum { hsched_max = 8, hsched_room = hsched_max + 1 }; // a loop's iterations may be one more
  const unsigned char *hsched_base;
  size_t hsched_bytes;
  unsigned hsched_dims;
  size_t hsched_count[hsched_room], hsched_stride[hsched_room];

  // One more dimension, inside those there are: of extent elements of size bytes.
  void hsched_cut(const hsched_gen_subscript &hsched_s, size_t hsched_extent, size_t hsched_size) {
    size_t hsched_all = hsched_s.hsched_count;
    if (hsched_s.hsched_rest)
      hsched_all = hsched_gen_count(static_cast<ptrdiff_t>(hsched_extent) - hsched_s.hsched_low);
    hsched_base += hsched_s.hsched_low * static_cast<ptrdiff_t>(hsched_size);
    hsched_bytes = hsched_size;
    hsched_count[hsched_dims] = hsched_all;
    hsched_stride[hsched_dims++] = hsched_size;
  }

  // Makes of the dimensions the fewest there can be: one contiguous row, repeated over what is left of them, the one
  // with the greatest count last. Returns the number of accesses that the others make.
  size_t hsched_fold() {
    unsigned hsched_left = 0, hsched_d;
    for (hsched_d = 0; hsched_d < hsched_dims; ++hsched_d)
      if (hsched_count[hsched_d] == 0)
        return hsched_bytes = 0, hsched_dims = 0, 1;
    for (hsched_d = hsched_dims; hsched_d-- > 0;) // what is left is kept innermost first meanwhile
      if (hsched_count[hsched_d] == 1) {
        continue;
      } else if (hsched_left == 0 && hsched_stride[hsched_d] == hsched_bytes) {
        hsched_bytes *= hsched_count[hsched_d];
      } else if (hsched_left != 0 &&
                 hsched_stride[hsched_d] == hsched_outer[hsched_left - 1][1] * hsched_outer[hsched_left - 1][0]) {
        hsched_outer[hsched_left - 1][0] *= hsched_count[hsched_d];
      } else {
        hsched_outer[hsched_left][0] = hsched_count[hsched_d];
        hsched_outer[hsched_left++][1] = hsched_stride[hsched_d];
      }
    hsched_dims = hsched_left;
    unsigned hsched_most = 0;
    for (hsched_d = 0; hsched_d < hsched_left; ++hsched_d)
      if (hsched_outer[hsched_d][0] > hsched_outer[hsched_most][0])
        hsched_most = hsched_d;
    size_t hsched_n = 1;
    for (hsched_d = 0; hsched_d < hsched_left; ++hsched_d) {
      unsigned hsched_from = hsched_d == hsched_most       ? hsched_left - 1
                             : hsched_d == hsched_left - 1 ? hsched_most
                                                           : hsched_d;
      hsched_count[hsched_d] = hsched_outer[hsched_from][0];
      hsched_stride[hsched_d] = hsched_outer[hsched_from][1];
      if (hsched_d + 1 < hsched_left)
        hsched_n *= hsched_count[hsched_d];
    }
    return hsched_n;
  }
  // After hsched_fold: the access with number i.
  hsched_gen_section hsched_piece(size_t hsched_i) const {
    const unsigned char *hsched_p = hsched_base;
    for (unsigned hsched_d = 0; hsched_d + 1 < hsched_dims; ++hsched_d) {
      hsched_p += hsched_i % hsched_count[hsched_d] * hsched_stride[hsched_d];
      hsched_i /= hsched_count[hsched_d];
    }
    if (hsched_dims == 0)
      return {hsched_p, hsched_bytes, 1, hsched_bytes};
    return {hsched_p, hsched_bytes, hsched_count[hsched_dims - 1], hsched_stride[hsched_dims - 1]};
  }
  // After hsched_fold: everything from the first byte to the last.
  hsched_gen_section hsched_hull() const {
    size_t hsched_n = hsched_bytes;
    for (unsigned hsched_d = 0; hsched_d < hsched_dims; ++hsched_d)
      hsched_n += (hsched_count[hsched_d] - 1) * hsched_stride[hsched_d];
    return {hsched_base, hsched_n, 1, hsched_n};
  }

private:
  size_t hsched_outer[hsched_room][2];
};

// What a subscript applies to, by type: a pointer to elements, an array, an object that holds its elements itself. Of
// what is not there, because an outer dimension is empty, nothing is touched.
template <class hsched_t> inline void hsched_gen_cut(hsched_gen_box &, hsched_t *) {}
template <class hsched_t, size_t hsched_n, class... hsched_r>
inline void hsched_gen_cut(hsched_gen_box &hsched_b, hsched_t (*)[hsched_n], const hsched_gen_subscript &hsched_s,
                           const hsched_r &...hsched_more) {
  static_assert(sizeof...(hsched_more) < hsched_gen_box::hsched_max, "hsched: a tile has at most 8 dimensions");
  hsched_b.hsched_cut(hsched_s, hsched_n, sizeof(hsched_t));
  hsched_gen_cut(hsched_b, static_cast<hsched_t *>(nullptr), hsched_more...);
}
template <class hsched_c, class... hsched_r>
inline auto hsched_gen_cut(hsched_gen_box &hsched_b, hsched_c *, const hsched_gen_subscript &hsched_s,
                           const hsched_r &...hsched_more)
    -> decltype(static_cast<void>(hsched_gen_make<hsched_c &>().data() + hsched_gen_make<hsched_c &>().size())) {
  typedef typename hsched_gen_plain<decltype(*hsched_gen_make<hsched_c &>().data())>::hsched_type hsched_t;
  static_assert(__is_aggregate(hsched_c), "hsched: the elements of this dimension do not lie in one piece with the "
                                          "outer one's: name a section of each, as in {v[i][lo:len], i = 0; n}");
  hsched_b.hsched_cut(hsched_s, sizeof(hsched_c) / sizeof(hsched_t), sizeof(hsched_t));
  hsched_gen_cut(hsched_b, static_cast<hsched_t *>(nullptr), hsched_more...);
}

template <class hsched_t, class... hsched_r>
inline hsched_gen_box hsched_gen_begin(hsched_t *hsched_p, size_t hsched_extent, const hsched_gen_subscript &hsched_s,
                                       const hsched_r &...hsched_more) {
  hsched_gen_box hsched_b;
  hsched_b.hsched_base = static_cast<const unsigned char *>(hsched_gen_void(hsched_p));
  hsched_b.hsched_dims = 0;
  hsched_b.hsched_cut(hsched_s, hsched_extent, sizeof(hsched_t));
  hsched_gen_cut(hsched_b, static_cast<hsched_t *>(nullptr), hsched_more...);
  return hsched_b;
}

// t[...][...]: of an array, of what has data() and size(), of a pointer.
template <class hsched_t, size_t hsched_n, class... hsched_r>
inline hsched_gen_box hsched_gen_tile_of(hsched_t (&hsched_x)[hsched_n], hsched_gen_first,
                                         const hsched_gen_subscript &hsched_s, const hsched_r &...hsched_more) {
  return hsched_gen_begin(&hsched_x[0], hsched_n, hsched_s, hsched_more...);
}
template <class hsched_c, class... hsched_r>
inline auto hsched_gen_tile_of(hsched_c &hsched_x, hsched_gen_second, const hsched_gen_subscript &hsched_s,
                               const hsched_r &...hsched_more)
    -> decltype(hsched_gen_begin(hsched_x.data(), static_cast<size_t>(hsched_x.size()), hsched_s, hsched_more...)) {
  return hsched_gen_begin(hsched_x.data(), static_cast<size_t>(hsched_x.size()), hsched_s, hsched_more...);
}
template <class hsched_t, class... hsched_r>
inline hsched_gen_box hsched_gen_tile_of(hsched_t *hsched_p, hsched_gen_third, const hsched_gen_subscript &hsched_s,
                                         const hsched_r &...hsched_more) {
  return hsched_gen_begin(hsched_p, 0, hsched_s, hsched_more...);
}

// ([m][n]p)[...][...]: dimensions without a subscript are taken whole.
template <unsigned hsched_n> struct hsched_gen_shape {
  size_t hsched_extent[hsched_n];
};
template <class hsched_t, unsigned hsched_n, class... hsched_r>
inline hsched_gen_box hsched_gen_shaped(hsched_t *hsched_p, const hsched_gen_shape<hsched_n> &hsched_e,
                                        const hsched_r &...hsched_more) {
  static_assert(hsched_n <= hsched_gen_box::hsched_max, "hsched: a tile has at most 8 dimensions");
  const hsched_gen_subscript hsched_s[] = {hsched_more...};
  hsched_gen_box hsched_b;
  hsched_b.hsched_base = static_cast<const unsigned char *>(hsched_gen_void(hsched_p));
  hsched_b.hsched_dims = 0;
  for (unsigned hsched_d = 0; hsched_d < hsched_n; ++hsched_d) {
    size_t hsched_size = sizeof(hsched_t);
    for (unsigned hsched_i = hsched_d + 1; hsched_i < hsched_n; ++hsched_i)
      hsched_size *= hsched_e.hsched_extent[hsched_i];
    hsched_b.hsched_cut(hsched_d < sizeof...(hsched_more) ? hsched_s[hsched_d] : hsched_gen_from(0),
                        hsched_e.hsched_extent[hsched_d], hsched_size);
  }
  return hsched_b;
}
template <class hsched_c, unsigned hsched_n, class... hsched_r>
inline auto hsched_gen_tile_of(hsched_c &hsched_x, hsched_gen_first, const hsched_gen_shape<hsched_n> &hsched_e,
                               const hsched_r &...hsched_more)
    -> decltype(hsched_gen_shaped(hsched_x.data(), hsched_e, hsched_more...)) {
  return hsched_gen_shaped(hsched_x.data(), hsched_e, hsched_more...);
}
template <class hsched_t, unsigned hsched_n, class... hsched_r>
inline hsched_gen_box hsched_gen_tile_of(hsched_t *hsched_p, hsched_gen_second,
                                         const hsched_gen_shape<hsched_n> &hsched_e, const hsched_r &...hsched_more) {
  return hsched_gen_shaped(hsched_p, hsched_e, hsched_more...);
}

template <class hsched_x, class... hsched_r>
inline hsched_gen_box hsched_gen_tile(hsched_x &&hsched_v, const hsched_r &...hsched_more) {
  return hsched_gen_tile_of(hsched_v, hsched_gen_first(), hsched_more...);
}

// The tile of several iterations, as long as theirs are alike; else everything from the first byte to the last.
struct hsched_gen_tiles {
  hsched_gen_box hsched_box;
  hsched_gen_union hsched_hull;
  bool hsched_alike;
};

// Value k of a generator, of its start's type.
template <class hsched_l, class hsched_s>
inline hsched_l hsched_gen_nth(hsched_l hsched_low, size_t hsched_k, hsched_s hsched_step) {
  return static_cast<hsched_l>(hsched_low + static_cast<hsched_l>(hsched_k) * static_cast<hsched_l>(hsched_step));
}

// A parameter pack as a member: what its elements are constructed from follows hsched_gen_fill().
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

inline hsched_access hsched_gen_access(unsigned hsched_mode, unsigned hsched_param,
                                       const hsched_gen_section &hsched_s) {
  return {hsched_s.hsched_base,   hsched_s.hsched_bytes, hsched_s.hsched_rows,
          hsched_s.hsched_stride, hsched_mode,           hsched_param};
}

// A tile of which it is known that it is one access.
inline hsched_access hsched_gen_access(unsigned hsched_mode, unsigned hsched_param, hsched_gen_box hsched_b) {
  hsched_b.hsched_fold();
  return hsched_gen_access(hsched_mode, hsched_param, hsched_b.hsched_piece(0));
}

// Accesses whose number is found by going over them.
class hsched_gen_list {
public:
  // Tiles of more pieces than this are accessed as a whole, with the gaps between them.
  enum { hsched_many = 4096 };

  hsched_gen_list() : hsched_all(hsched_few), hsched_n(0), hsched_room(sizeof(hsched_few) / sizeof(hsched_few[0])) {}
  hsched_gen_list(const hsched_gen_list &) = delete;
  hsched_gen_list &operator=(const hsched_gen_list &) = delete;
  ~hsched_gen_list() {
    if (hsched_all != hsched_few)
      ::operator delete(hsched_all);
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
  void hsched_add(unsigned hsched_mode, unsigned hsched_param, hsched_gen_box hsched_b) {
    size_t hsched_pieces = hsched_b.hsched_fold();
    if (hsched_pieces > hsched_many) // what lies between is not overwritten
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
  const hsched_access *hsched_begin() const { return hsched_all; }
  size_t hsched_size() const { return hsched_n; }

private:
  hsched_access *hsched_all;
  size_t hsched_n, hsched_room;
  hsched_access hsched_few[16];
};

// One submission in the making; gives the task back when an exception passes.
class hsched_gen_frame {
public:
  hsched_gen_frame(hsched_task_type *hsched_type, unsigned hsched_accesses)
      : hsched_memory(nullptr), hsched_own(nullptr), hsched_next(nullptr) {
    hsched_own = hsched_task_begin(hsched_type, hsched_accesses, &hsched_next, &hsched_memory);
  }
  hsched_gen_frame(hsched_task_type *hsched_type, const hsched_gen_list &hsched_l)
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
// The leading dimension of a tile where a kernel runs, of the parameter's type; 0: what the program says.
template <class hsched_t> inline hsched_t hsched_gen_leading(const hsched_t &hsched_own, unsigned long long hsched_n) {
  return hsched_n ? static_cast<hsched_t>(hsched_n) : hsched_own;
}
// What the elements of a tile take that a parameter of a type leads to.
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
// What a body for a device is handed as a parameter that leads to a packed tile. Of a pointer to elements one from
// which the tile's first element is as many rows and as many elements away as on the host, rows being as far apart as
// on the device; other types tell by themselves where their rows are on the host.
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
