// Sections of clauses as rows of bytes, and their computation from clauses. Part of
// gen.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GEN_SECTIONS_H
#define HSCHED_GEN_SECTIONS_H

#include <hsched/abi.h>

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

template <class hsched_t> hsched_t hsched_gen_make() noexcept; // For unevaluated operands only.

// Priority tags for overloads: a call with hsched_gen_first() takes the first overload that is viable.
struct hsched_gen_third {};
struct hsched_gen_second : hsched_gen_third {};
struct hsched_gen_first : hsched_gen_second {};

// Rows of bytes. Generated code fills it.
struct hsched_gen_section {
  const void *hsched_base;
  size_t hsched_bytes, hsched_rows, hsched_stride;
};

// The hull of several sections: from the first byte to the last.
struct hsched_gen_union {
  hsched_gen_section hsched_all;
  bool hsched_gaps; // The hull holds more than the sections.

  // `out` becomes `inout` if the hull has gaps: their bytes must be kept.
  unsigned hsched_mode(unsigned hsched_wanted) const {
    return hsched_gaps && hsched_wanted == HSCHED_OUT ? static_cast<unsigned>(HSCHED_INOUT) : hsched_wanted;
  }
};

// A number of elements: negative ones count as 0.
template <class hsched_n> inline size_t hsched_gen_count(hsched_n hsched_v) {
  return hsched_v > 0 ? static_cast<size_t>(hsched_v) : size_t(0);
}

// Inferred expressions are evaluated in signed numbers, so n - 1 does not wrap around for n = 0. Shapes may have
// negative strides.
template <class hsched_n> inline ptrdiff_t hsched_gen_wide(hsched_n hsched_v) {
  return static_cast<ptrdiff_t>(hsched_v);
}

// A factor of a number of elements. The product is 0 if any factor is negative.
template <class hsched_n> inline ptrdiff_t hsched_gen_factor(hsched_n hsched_v) {
  return hsched_v > 0 ? static_cast<ptrdiff_t>(hsched_v) : ptrdiff_t(0);
}

// Elements low + k0 * stride0 + k1 * stride1 + ..., 0 <= k < count: from the first to the last, whatever the strides'
// signs. Empty if a count is 0. Its low is still the first element's, because hsched_gen_over compares the lows of
// iterations.
class hsched_gen_reach {
public:
  explicit hsched_gen_reach(ptrdiff_t hsched_v) : hsched_first(hsched_v), hsched_last(hsched_v), hsched_none(false) {}
  hsched_gen_reach hsched_along(ptrdiff_t hsched_n, ptrdiff_t hsched_stride) const {
    hsched_gen_reach hsched_r = *this;
    if (hsched_n <= 0)
      hsched_r.hsched_none = true;
    else
      (hsched_stride < 0 ? hsched_r.hsched_first : hsched_r.hsched_last) += (hsched_n - 1) * hsched_stride;
    return hsched_r;
  }
  // In units of `per` elements.
  ptrdiff_t hsched_low(ptrdiff_t hsched_per) const { return hsched_part(hsched_first, hsched_per); }
  ptrdiff_t hsched_count(ptrdiff_t hsched_per) const {
    return hsched_none ? 0 : hsched_part(hsched_last, hsched_per) - hsched_part(hsched_first, hsched_per) + 1;
  }

private:
  ptrdiff_t hsched_first, hsched_last;
  bool hsched_none;

  static ptrdiff_t hsched_part(ptrdiff_t hsched_v, ptrdiff_t hsched_per) {
    return hsched_v / hsched_per - (hsched_v % hsched_per < 0);
  }
};

inline const void *hsched_gen_void(const volatile void *hsched_p) { return const_cast<const void *>(hsched_p); }

// A number of bytes that does not fit is the greatest one: a number of a branch that does not run may be large.
template <class hsched_t> inline hsched_gen_section hsched_gen_elements(hsched_t *hsched_p, size_t hsched_n) {
  size_t hsched_b = 0;
  if (__builtin_mul_overflow(hsched_n, sizeof(hsched_t), &hsched_b))
    hsched_b = ~size_t(0) >> 2;
  return {hsched_gen_void(hsched_p), hsched_b, 1, hsched_b};
}

// An array of variable length, whose type no template takes: its address and bytes.
inline hsched_gen_section hsched_gen_variable(const volatile void *hsched_p, size_t hsched_n) {
  return {hsched_gen_void(hsched_p), hsched_n, 1, hsched_n};
}

// An inferred reference whose type depends on a template's parameters. A pointer becomes an array of one: the body
// accesses the pointer's own bytes.
template <class hsched_c> inline hsched_c &hsched_gen_object(hsched_c &hsched_x) { return hsched_x; }
template <class hsched_t> inline hsched_t *(&hsched_gen_object(hsched_t *&hsched_x))[1] {
  return reinterpret_cast<hsched_t *(&)[1]>(hsched_x);
}
template <class hsched_t> inline hsched_t *const (&hsched_gen_object(hsched_t *const &hsched_x))[1] {
  return reinterpret_cast<hsched_t *const(&)[1]>(hsched_x);
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
// An object that owns its elements in other memory, as std::vector does: its own bytes, and its present elements.
// Accesses to its own bytes order the tasks that resize it.
struct hsched_gen_owner {
  hsched_gen_section hsched_object, hsched_elements;
  bool hsched_pointed; // A pointer leads to the object, not to its elements.
};
// A trivially copyable type is a view, or holds its elements itself.
template <bool hsched_bytewise> struct hsched_gen_copied {};
template <> struct hsched_gen_copied<false> {
  typedef hsched_gen_owner hsched_owner;
};
template <class hsched_t> struct hsched_gen_kept : hsched_gen_copied<__is_trivially_copyable(hsched_t)> {};
template <class hsched_c>
inline auto hsched_gen_owned(hsched_c &hsched_x, hsched_gen_first)
    -> decltype(hsched_gen_elements(hsched_x.data(), static_cast<size_t>(hsched_x.size())),
                typename hsched_gen_kept<hsched_c>::hsched_owner()) {
  size_t hsched_n = static_cast<size_t>(hsched_x.size());
  // Another task may be changing data() and size() now. The access to the object's bytes orders the two tasks. An
  // impossible size is ignored.
  if (hsched_n > (~size_t(0) >> 1) / sizeof(*hsched_x.data()))
    hsched_n = 0;
  return {hsched_gen_elements(__builtin_addressof(hsched_x), 1), hsched_gen_elements(hsched_x.data(), hsched_n), false};
}
template <class hsched_c> inline hsched_gen_section hsched_gen_owned(hsched_c &hsched_x, hsched_gen_second) {
  return hsched_gen_whole(hsched_x, hsched_gen_first());
}
// *p
inline hsched_gen_owner hsched_gen_led(hsched_gen_owner hsched_o) {
  hsched_o.hsched_pointed = true;
  return hsched_o;
}
template <class hsched_t>
inline auto hsched_gen_pointee(hsched_t *hsched_p, hsched_gen_first)
    -> decltype(hsched_gen_led(hsched_gen_owned(*hsched_p, hsched_gen_first()))) {
  if (!hsched_p)
    return {{nullptr, 0, 1, 0}, {nullptr, 0, 1, 0}, true};
  return hsched_gen_led(hsched_gen_owned(*hsched_p, hsched_gen_first()));
}
// Where a bare name's data begins.
template <class hsched_t> inline const void *hsched_gen_address(hsched_t &hsched_x) {
  return hsched_gen_whole(hsched_x, hsched_gen_first()).hsched_base;
}

// N elements from p[low] on: of a container, a pointer, an array, or a type with operator[]. No element is accessed:
// there may be none. A section of a null pointer is empty: the body tests the pointer.
template <class hsched_c, class hsched_l>
inline auto hsched_gen_range(hsched_c &&hsched_x, hsched_l hsched_low, size_t hsched_n, hsched_gen_first)
    -> decltype(hsched_gen_elements(hsched_x.data(), hsched_n)) {
  return hsched_gen_elements(hsched_x.data() + hsched_low, hsched_n);
}
template <class hsched_t, class hsched_l>
inline hsched_gen_section hsched_gen_range(hsched_t *hsched_p, hsched_l hsched_low, size_t hsched_n,
                                           hsched_gen_second) {
  return hsched_p ? hsched_gen_elements(hsched_p + hsched_low, hsched_n) : hsched_gen_elements(hsched_p, 0);
}
template <class hsched_c, class hsched_l>
inline hsched_gen_section hsched_gen_range(hsched_c &&hsched_x, hsched_l hsched_low, size_t hsched_n,
                                           hsched_gen_third) {
  return hsched_gen_elements(&hsched_x[hsched_low], hsched_n);
}
template <class hsched_c> inline hsched_gen_section hsched_gen_pointee(hsched_c &&hsched_x, hsched_gen_second) {
  return hsched_gen_range(hsched_x, 0, 1, hsched_gen_first());
}

// Tiles ------------------------------------------------------------------------------------------------------------

// One subscript: count elements from low on. If rest: all up to the dimension's end.
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
  enum { hsched_max = 8, hsched_room = hsched_max + 1 }; // One more than the language allows, for a loop's iterations.
  const unsigned char *hsched_base;
  size_t hsched_bytes;
  unsigned hsched_dims;
  size_t hsched_count[hsched_room], hsched_stride[hsched_room];

  // Adds an innermost dimension: extent elements of size bytes. If size is negative, the last element is the first in
  // memory.
  void hsched_cut(const hsched_gen_subscript &hsched_s, ptrdiff_t hsched_extent, ptrdiff_t hsched_size) {
    size_t hsched_all = hsched_s.hsched_count;
    if (hsched_s.hsched_rest)
      hsched_all = hsched_gen_count(hsched_extent - hsched_s.hsched_low);
    hsched_base += hsched_s.hsched_low * hsched_size;
    if (hsched_size < 0 && hsched_all != 0)
      hsched_base += static_cast<ptrdiff_t>(hsched_all - 1) * hsched_size;
    hsched_bytes = static_cast<size_t>(hsched_size < 0 ? -hsched_size : hsched_size);
    hsched_count[hsched_dims] = hsched_all;
    hsched_stride[hsched_dims++] = hsched_bytes;
  }

  // Merges dimensions: one contiguous row, repeated over the remaining dimensions, the one with the greatest count
  // last. Returns the product of the other counts: the number of accesses.
  size_t hsched_fold() {
    unsigned hsched_left = 0, hsched_d;
    for (hsched_d = 0; hsched_d < hsched_dims; ++hsched_d)
      if (hsched_count[hsched_d] == 0)
        return hsched_bytes = 0, hsched_dims = 0, 1;
    for (hsched_d = hsched_dims; hsched_d-- > 0;) // Remaining dimensions are stored innermost first here.
      if (hsched_count[hsched_d] == 1 || hsched_stride[hsched_d] == 0) {
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
  // Access number i. Call hsched_fold first.
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
  // Everything from the first byte to the last. Call hsched_fold first.
  hsched_gen_section hsched_hull() const {
    size_t hsched_n = hsched_bytes;
    for (unsigned hsched_d = 0; hsched_d < hsched_dims; ++hsched_d)
      hsched_n += (hsched_count[hsched_d] - 1) * hsched_stride[hsched_d];
    return {hsched_base, hsched_n, 1, hsched_n};
  }

private:
  size_t hsched_outer[hsched_room][2];
};

// What a subscript applies to, by type: a pointer to elements, an array, an object that holds its elements itself. If
// an outer dimension is empty, no element is accessed.
template <class hsched_t> inline void hsched_gen_cut(hsched_gen_box &, hsched_t *) {}
template <class hsched_t, size_t hsched_n, class... hsched_r>
inline void hsched_gen_cut(hsched_gen_box &hsched_b, hsched_t (*)[hsched_n], const hsched_gen_subscript &hsched_s,
                           const hsched_r &...hsched_more) {
  static_assert(sizeof...(hsched_more) < hsched_gen_box::hsched_max, "hsched: a tile has at most 8 dimensions");
  hsched_b.hsched_cut(hsched_s, static_cast<ptrdiff_t>(hsched_n), static_cast<ptrdiff_t>(sizeof(hsched_t)));
  hsched_gen_cut(hsched_b, static_cast<hsched_t *>(nullptr), hsched_more...);
}
template <class hsched_c, class... hsched_r>
inline auto hsched_gen_cut(hsched_gen_box &hsched_b, hsched_c *, const hsched_gen_subscript &hsched_s,
                           const hsched_r &...hsched_more)
    -> decltype(static_cast<void>(hsched_gen_make<hsched_c &>().data() + hsched_gen_make<hsched_c &>().size())) {
  typedef typename hsched_gen_plain<decltype(*hsched_gen_make<hsched_c &>().data())>::hsched_type hsched_t;
  static_assert(__is_aggregate(hsched_c), "hsched: the elements of this dimension do not lie in one piece with the "
                                          "outer one's: name a section of each, as in {v[i][lo:len], i = 0; n}");
  hsched_b.hsched_cut(hsched_s, static_cast<ptrdiff_t>(sizeof(hsched_c) / sizeof(hsched_t)),
                      static_cast<ptrdiff_t>(sizeof(hsched_t)));
  hsched_gen_cut(hsched_b, static_cast<hsched_t *>(nullptr), hsched_more...);
}

template <class hsched_t, class... hsched_r>
inline hsched_gen_box hsched_gen_begin(hsched_t *hsched_p, size_t hsched_extent, const hsched_gen_subscript &hsched_s,
                                       const hsched_r &...hsched_more) {
  hsched_gen_box hsched_b;
  hsched_b.hsched_base = static_cast<const unsigned char *>(hsched_gen_void(hsched_p));
  hsched_b.hsched_dims = 0;
  hsched_b.hsched_cut(hsched_s, static_cast<ptrdiff_t>(hsched_extent), static_cast<ptrdiff_t>(sizeof(hsched_t)));
  hsched_gen_cut(hsched_b, static_cast<hsched_t *>(nullptr), hsched_more...);
  if (!hsched_p)
    hsched_b.hsched_base = nullptr, hsched_b.hsched_count[0] = 0;
  return hsched_b;
}

// t[...][...]: of an array, a type with data() and size(), or a pointer.
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
  ptrdiff_t hsched_extent[hsched_n];
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
    ptrdiff_t hsched_size = static_cast<ptrdiff_t>(sizeof(hsched_t));
    for (unsigned hsched_i = hsched_d + 1; hsched_i < hsched_n; ++hsched_i)
      hsched_size *= hsched_e.hsched_extent[hsched_i];
    hsched_b.hsched_cut(hsched_d < sizeof...(hsched_more) ? hsched_s[hsched_d] : hsched_gen_from(0),
                        hsched_e.hsched_extent[hsched_d], hsched_size);
  }
  if (!hsched_p)
    hsched_b.hsched_base = nullptr, hsched_b.hsched_count[0] = 0;
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

// The union of the tiles of several iterations if they have one shape. Otherwise the hull.
struct hsched_gen_tiles {
  hsched_gen_box hsched_box;
  hsched_gen_union hsched_hull;
  bool hsched_alike;
};

#endif
