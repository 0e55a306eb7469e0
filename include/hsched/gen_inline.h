// Helpers of generated code for tasks inside functions: statements and chunks of loops. Part of
// gen.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GEN_INLINE_H
#define HSCHED_GEN_INLINE_H

#include <hsched/gen.h>

// Tasks that are statements. The packed arguments are the closure; each task has a closure type of its own.
template <class hsched_c> struct hsched_gen_closure {
  static void hsched_run(void *hsched_v) { (*static_cast<hsched_c *>(hsched_v))(); }
  static void hsched_destroy(void *hsched_v) { static_cast<hsched_c *>(hsched_v)->~hsched_c(); }
};
template <class hsched_c>
inline hsched_task_type *hsched_gen_enroll_inline(const hsched_c &, const char *hsched_key, const char *hsched_name,
                                                  const char *hsched_file, unsigned hsched_line) {
  static const char *const hsched_names[] = {nullptr};
  static const hsched_task_desc hsched_d = {
      sizeof(hsched_task_desc),
      HSCHED_ABI_MAJOR,
      HSCHED_ABI_MINOR,
      hsched_key,
      hsched_name,
      hsched_file,
      hsched_line,
      0,
      hsched_names,
      sizeof(hsched_c),
      alignof(hsched_c),
      HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_c) ? nullptr : &hsched_gen_closure<hsched_c>::hsched_destroy,
      &hsched_gen_closure<hsched_c>::hsched_run};
  static const hsched_version_desc hsched_v = {sizeof(hsched_version_desc),
                                               hsched_key,
                                               hsched_name,
                                               hsched_file,
                                               hsched_line,
                                               HSCHED_DEVICE_CPU,
                                               HSCHED_TYPE_ANY,
                                               &hsched_gen_closure<hsched_c>::hsched_run,
                                               nullptr,
                                               nullptr,
                                               nullptr};
  return hsched_gen_enroll(&hsched_d, &hsched_v, 1);
}
// Moves the closure into the task.
template <class hsched_c> inline void hsched_gen_keep(const hsched_gen_frame &hsched_f, hsched_c &hsched_b) {
  ::new (hsched_gen_place(hsched_f.hsched_memory)) hsched_c(static_cast<hsched_c &&>(hsched_b));
}

// A variable with a dependent type in a data clause. A pointer is kept by value, because the variable may be destroyed
// before the task runs. Anything else is kept by reference.
template <class hsched_t> struct hsched_gen_captured {
  hsched_t *hsched_object;
  hsched_t &hsched_get() const { return *hsched_object; }
};
template <class hsched_t> struct hsched_gen_captured<hsched_t *> {
  hsched_t *hsched_object;
  hsched_t *&hsched_get() { return hsched_object; }
};
template <class hsched_t> inline hsched_gen_captured<hsched_t> hsched_gen_hold(hsched_t &hsched_x) {
  return {__builtin_addressof(hsched_x)};
}
template <class hsched_t> inline hsched_gen_captured<hsched_t *> hsched_gen_hold(hsched_t *&hsched_x) {
  return {hsched_x};
}
template <class hsched_t> inline hsched_gen_captured<hsched_t *> hsched_gen_hold(hsched_t *const &hsched_x) {
  return {hsched_x};
}
// Copies of the elements of an array of variable length.
template <class hsched_t> struct hsched_gen_copies {
  char *hsched_memory;
  hsched_t *hsched_first;
  unsigned long hsched_count; // Number of objects that are made.
  explicit hsched_gen_copies(unsigned long hsched_n)
      : hsched_memory(new char[hsched_n * sizeof(hsched_t) + alignof(hsched_t)]),
        hsched_first(reinterpret_cast<hsched_t *>(
            hsched_memory + (alignof(hsched_t) - reinterpret_cast<::size_t>(hsched_memory) % alignof(hsched_t)))),
        hsched_count(0) {}
  hsched_gen_copies(const hsched_t *hsched_x, unsigned long hsched_n) : hsched_gen_copies(hsched_n) {
    for (; hsched_count < hsched_n; ++hsched_count) // A copy may throw: the destructor runs.
      ::new (::hsched_gen_place(hsched_first + hsched_count)) hsched_t(hsched_x[hsched_count]);
  }
  hsched_gen_copies(const hsched_gen_copies &hsched_o)
      : hsched_gen_copies(hsched_o.hsched_first, hsched_o.hsched_count) {}
  hsched_gen_copies(hsched_gen_copies &&hsched_o)
      : hsched_memory(hsched_o.hsched_memory), hsched_first(hsched_o.hsched_first),
        hsched_count(hsched_o.hsched_count) {
    hsched_o.hsched_memory = nullptr;
    hsched_o.hsched_count = 0;
  }
  hsched_gen_copies &operator=(const hsched_gen_copies &) = delete;
  ~hsched_gen_copies() {
    while (hsched_count > 0)
      hsched_first[--hsched_count].~hsched_t();
    delete[] hsched_memory;
  }
  hsched_t *hsched_get() { return hsched_first; }
};
template <class hsched_t>
inline hsched_gen_copies<hsched_t> hsched_gen_copies_of(const hsched_t *hsched_x, unsigned long hsched_n) {
  return hsched_gen_copies<hsched_t>(hsched_x, hsched_n);
}
// The same for a type that may be a view, as std::span is: a view is copied. A container that holds its elements itself
// is kept by reference.
template <class hsched_t> struct hsched_gen_viewed {
  hsched_t *hsched_object; // Null: the copy.
  hsched_t hsched_copy;
  hsched_t &hsched_get() { return hsched_object ? *hsched_object : hsched_copy; }
};
template <bool hsched_b, class hsched_t> struct hsched_gen_when {};
template <class hsched_t> struct hsched_gen_when<true, hsched_t> {
  typedef hsched_t hsched_type;
};
template <class hsched_t> struct hsched_gen_viewlike {
  enum { hsched_value = __is_trivially_copyable(hsched_t) && !__is_aggregate(hsched_t) };
};
template <class hsched_t>
inline auto hsched_gen_take_as(hsched_t &hsched_x, hsched_gen_first) ->
    typename hsched_gen_when<hsched_gen_viewlike<hsched_t>::hsched_value,
                             decltype(hsched_gen_void(hsched_x.data()),
                                      hsched_gen_viewed<hsched_t>{&hsched_x, hsched_x})>::hsched_type {
  const char *const hsched_d = static_cast<const char *>(hsched_gen_void(hsched_x.data()));
  const char *const hsched_o = static_cast<const char *>(hsched_gen_void(__builtin_addressof(hsched_x)));
  const bool hsched_inside = hsched_d >= hsched_o && hsched_d < hsched_o + sizeof(hsched_t);
  return {hsched_inside ? __builtin_addressof(hsched_x) : nullptr, hsched_x};
}
template <class hsched_t>
inline auto hsched_gen_take_as(hsched_t &hsched_x, hsched_gen_second) -> decltype(hsched_gen_hold(hsched_x)) {
  return hsched_gen_hold(hsched_x);
}
template <class hsched_t>
inline auto hsched_gen_take(hsched_t &hsched_x) -> decltype(hsched_gen_take_as(hsched_x, hsched_gen_first())) {
  return hsched_gen_take_as(hsched_x, hsched_gen_first());
}

// Loops ------------------------------------------------------------------------------------------------------------
//
// Iterations are counted from 0 on. The values of integers are computed modulo 2^64 and converted: nothing overflows.

typedef unsigned long long hsched_gen_number;

// One chunk: the loop runs from first to last with the program's own comparison.
template <class hsched_t, class hsched_e> struct hsched_gen_chunk {
  hsched_t hsched_first;
  hsched_e hsched_last;
};

// A loop with an integer variable. hsched_e is the type in which variable and bound are compared.
template <class hsched_t, class hsched_e> struct hsched_gen_counted {
  typedef hsched_t hsched_variable;
  hsched_t hsched_start;
  hsched_e hsched_bound;
  hsched_gen_number hsched_step, hsched_count; // The step modulo 2^64.
  bool hsched_closed;                          // For <= and >=: the bound is the last value, not one past it.

  hsched_t hsched_value(hsched_gen_number hsched_k) const {
    return static_cast<hsched_t>(static_cast<hsched_gen_number>(hsched_start) + hsched_k * hsched_step);
  }
  // Iterations [k, k + n), n > 0.
  hsched_gen_chunk<hsched_t, hsched_e> hsched_chunk(hsched_gen_number hsched_k, hsched_gen_number hsched_n) const {
    if (hsched_n == hsched_count - hsched_k)
      return {hsched_value(hsched_k), hsched_bound};
    hsched_gen_number hsched_l = hsched_k + hsched_n - (hsched_closed ? 1 : 0);
    hsched_gen_number hsched_from = static_cast<hsched_gen_number>(static_cast<hsched_e>(hsched_start));
    return {hsched_value(hsched_k), static_cast<hsched_e>(hsched_from + hsched_l * hsched_step)};
  }
  // The same for a number of iterations that is a compile-time constant.
  template <unsigned hsched_n> hsched_gen_chunk<hsched_t, hsched_e> hsched_block(hsched_gen_number hsched_k) const {
    const hsched_t hsched_first = hsched_value(hsched_k);
    const hsched_gen_number hsched_l = hsched_n - (hsched_closed ? 1 : 0);
    return {hsched_first, static_cast<hsched_e>(static_cast<hsched_gen_number>(static_cast<hsched_e>(hsched_first)) +
                                                hsched_l * hsched_step)};
  }
};

// A loop with a pointer or an iterator as its variable.
template <class hsched_t> struct hsched_gen_stepped {
  typedef hsched_t hsched_variable;
  hsched_t hsched_start, hsched_bound;
  ptrdiff_t hsched_step;
  hsched_gen_number hsched_count;
  bool hsched_closed;

  hsched_t hsched_value(hsched_gen_number hsched_k) const {
    return hsched_start + static_cast<ptrdiff_t>(hsched_k) * hsched_step;
  }
  hsched_gen_chunk<hsched_t, hsched_t> hsched_chunk(hsched_gen_number hsched_k, hsched_gen_number hsched_n) const {
    if (hsched_n == hsched_count - hsched_k)
      return {hsched_value(hsched_k), hsched_bound};
    return {hsched_value(hsched_k), hsched_value(hsched_k + hsched_n - (hsched_closed ? 1 : 0))};
  }
  template <unsigned hsched_n> hsched_gen_chunk<hsched_t, hsched_t> hsched_block(hsched_gen_number hsched_k) const {
    const hsched_t hsched_first = hsched_value(hsched_k);
    return {hsched_first, hsched_first + static_cast<ptrdiff_t>(hsched_n - (hsched_closed ? 1 : 0)) * hsched_step};
  }
};

// The comparison and the direction of the loop. hsched_gen_up_to: <= and so on.
enum { HSCHED_GEN_LESS, HSCHED_GEN_LESS_EQUAL, HSCHED_GEN_GREATER, HSCHED_GEN_GREATER_EQUAL, HSCHED_GEN_UNEQUAL };

// Distance in steps, rounded up. An endless loop is one chunk: the program's own loop.
inline hsched_gen_number hsched_gen_steps(hsched_gen_number hsched_distance, hsched_gen_number hsched_step,
                                          bool hsched_closed) {
  if (hsched_step == 0)
    return 1;
  hsched_gen_number hsched_n = hsched_distance / hsched_step;
  bool hsched_more = hsched_closed || hsched_distance % hsched_step != 0;
  return hsched_more && hsched_n + 1 != 0 ? hsched_n + 1 : hsched_n;
}

// The size of a step in the direction of the comparison. 0 for the opposite direction.
template <class hsched_s> inline hsched_gen_number hsched_gen_stride(hsched_s hsched_step, bool hsched_forward) {
  return hsched_forward == (hsched_step > 0) ? (hsched_forward ? static_cast<hsched_gen_number>(hsched_step)
                                                               : 0 - static_cast<hsched_gen_number>(hsched_step))
                                             : 0;
}

// Relation: HSCHED_GEN_...; Back: the step is subtracted.
template <unsigned hsched_r, bool hsched_back, class hsched_t, class hsched_b, class hsched_s>
inline auto hsched_gen_loop_of(hsched_t hsched_x, hsched_b hsched_end, hsched_s hsched_step, hsched_gen_first)
    -> hsched_gen_counted<decltype(static_cast<void>(hsched_x % 1), static_cast<void>(hsched_end % 1), hsched_t()),
                          typename hsched_gen_plain<decltype(true ? hsched_x : hsched_end)>::hsched_type> {
  typedef typename hsched_gen_plain<decltype(true ? hsched_x : hsched_end)>::hsched_type hsched_e;
  static_assert(sizeof(hsched_e) <= sizeof(hsched_gen_number), "hsched: a taskloop counts with at most 64 bits");
  constexpr bool hsched_closed = hsched_r == HSCHED_GEN_LESS_EQUAL || hsched_r == HSCHED_GEN_GREATER_EQUAL;
  constexpr bool hsched_forward =
      hsched_r == HSCHED_GEN_UNEQUAL ? !hsched_back : hsched_r == HSCHED_GEN_LESS || hsched_r == HSCHED_GEN_LESS_EQUAL;
  const hsched_e hsched_from = static_cast<hsched_e>(hsched_x), hsched_to = static_cast<hsched_e>(hsched_end);
  const bool hsched_any = hsched_r == HSCHED_GEN_LESS            ? hsched_from < hsched_to
                          : hsched_r == HSCHED_GEN_LESS_EQUAL    ? hsched_from <= hsched_to
                          : hsched_r == HSCHED_GEN_GREATER       ? hsched_from > hsched_to
                          : hsched_r == HSCHED_GEN_GREATER_EQUAL ? hsched_from >= hsched_to
                                                                 : hsched_from != hsched_to;
  // A step that is subtracted counts with its own value: negating an unsigned one would wrap around.
  const hsched_gen_number hsched_size = hsched_gen_stride(hsched_step, hsched_forward != hsched_back);
  hsched_gen_number hsched_distance =
      hsched_forward ? static_cast<hsched_gen_number>(hsched_to) - static_cast<hsched_gen_number>(hsched_from)
                     : static_cast<hsched_gen_number>(hsched_from) - static_cast<hsched_gen_number>(hsched_to);
  // A variable that wraps around does so in its own width.
  if (hsched_r == HSCHED_GEN_UNEQUAL && sizeof(hsched_e) < sizeof(hsched_gen_number))
    hsched_distance &= (hsched_gen_number(1) << (8 * sizeof(hsched_e) % 64)) - 1;
  return {hsched_x, hsched_to, hsched_forward ? hsched_size : 0 - hsched_size,
          hsched_any ? hsched_gen_steps(hsched_distance, hsched_size, hsched_closed) : 0, hsched_closed};
}
template <unsigned hsched_r, bool hsched_back, class hsched_t, class hsched_b, class hsched_s>
inline auto hsched_gen_loop_of(hsched_t hsched_x, hsched_b hsched_end, hsched_s hsched_step, hsched_gen_second)
    -> hsched_gen_stepped<typename hsched_gen_plain<decltype(static_cast<void>(*(hsched_x + (hsched_end - hsched_x))),
                                                             hsched_x)>::hsched_type> {
  constexpr bool hsched_closed = hsched_r == HSCHED_GEN_LESS_EQUAL || hsched_r == HSCHED_GEN_GREATER_EQUAL;
  constexpr bool hsched_forward =
      hsched_r == HSCHED_GEN_UNEQUAL ? !hsched_back : hsched_r == HSCHED_GEN_LESS || hsched_r == HSCHED_GEN_LESS_EQUAL;
  const ptrdiff_t hsched_way = static_cast<ptrdiff_t>(hsched_end - hsched_x);
  const ptrdiff_t hsched_distance = hsched_forward ? hsched_way : 0 - hsched_way;
  const bool hsched_any = hsched_closed ? hsched_distance >= 0 : hsched_distance > 0;
  const hsched_gen_number hsched_size = hsched_gen_stride(hsched_step, hsched_forward != hsched_back);
  const ptrdiff_t hsched_signed = static_cast<ptrdiff_t>(hsched_size);
  return {hsched_x, hsched_x + hsched_way, hsched_forward ? hsched_signed : 0 - hsched_signed,
          hsched_any ? hsched_gen_steps(static_cast<hsched_gen_number>(hsched_distance), hsched_size, hsched_closed)
                     : 0,
          hsched_closed};
}
template <unsigned hsched_r, bool hsched_back, class hsched_t, class hsched_b, class hsched_s>
inline hsched_gen_stepped<const char *> hsched_gen_loop_of(hsched_t, hsched_b, hsched_s, hsched_gen_third) {
  static_assert(sizeof(hsched_t) == 0, "hsched: the variable of a taskloop is an integer, a pointer or an iterator "
                                       "whose distances can be computed");
  return {nullptr, nullptr, 0, 0, false};
}
template <unsigned hsched_r, bool hsched_back, class hsched_t, class hsched_b, class hsched_s>
inline auto hsched_gen_loop(const hsched_t &hsched_x, const hsched_b &hsched_end, const hsched_s &hsched_step)
    -> decltype(hsched_gen_loop_of<hsched_r, hsched_back>(hsched_x, hsched_end, hsched_step, hsched_gen_first())) {
  return hsched_gen_loop_of<hsched_r, hsched_back>(hsched_x, hsched_end, hsched_step, hsched_gen_first());
}

// The iterators of a loop over a range, and of a chunk of it.
template <class hsched_t, size_t hsched_n>
inline hsched_t *hsched_gen_range_begin(hsched_t (&hsched_r)[hsched_n], hsched_gen_first) {
  return hsched_r;
}
template <class hsched_t, size_t hsched_n>
inline hsched_t *hsched_gen_range_end(hsched_t (&hsched_r)[hsched_n], hsched_gen_first) {
  return hsched_r + hsched_n;
}
template <class hsched_t>
inline auto hsched_gen_range_begin(hsched_t &hsched_r, hsched_gen_second) -> decltype(hsched_r.begin()) {
  return hsched_r.begin();
}
template <class hsched_t>
inline auto hsched_gen_range_end(hsched_t &hsched_r, hsched_gen_second) -> decltype(hsched_r.end()) {
  return hsched_r.end();
}
template <class hsched_t>
inline auto hsched_gen_range_begin(hsched_t &hsched_r, hsched_gen_third) -> decltype(begin(hsched_r)) {
  return begin(hsched_r);
}
template <class hsched_t>
inline auto hsched_gen_range_end(hsched_t &hsched_r, hsched_gen_third) -> decltype(end(hsched_r)) {
  return end(hsched_r);
}
template <class hsched_t, class hsched_e> struct hsched_gen_span {
  hsched_t hsched_first;
  hsched_e hsched_last;
  hsched_t begin() const { return hsched_first; }
  hsched_e end() const { return hsched_last; }
};
template <class hsched_t, class hsched_e>
inline hsched_gen_span<hsched_t, hsched_e> hsched_gen_span_of(const hsched_gen_chunk<hsched_t, hsched_e> &hsched_c) {
  return {hsched_c.hsched_first, hsched_c.hsched_last};
}

// Iterations of a chunk, as the program says: at least one.
template <class hsched_n> inline hsched_gen_number hsched_gen_grain(hsched_gen_number, const hsched_n &hsched_v) {
  return hsched_v > 1 ? static_cast<hsched_gen_number>(hsched_v) : 1;
}
inline hsched_gen_number hsched_gen_least(hsched_gen_number hsched_x, hsched_gen_number hsched_y) {
  return hsched_x < hsched_y ? hsched_x : hsched_y;
}

// The section of n iterations, from those of the first and the last. The sections between are evenly spaced.
inline hsched_gen_section hsched_gen_one(const hsched_gen_section &hsched_s) { return hsched_s; }
inline hsched_gen_section hsched_gen_one(hsched_gen_box hsched_b) {
  hsched_b.hsched_fold();
  return hsched_b.hsched_piece(0);
}
inline size_t hsched_gen_extent(const hsched_gen_section &hsched_s) {
  return hsched_s.hsched_bytes == 0 || hsched_s.hsched_rows == 0
             ? 0
             : hsched_s.hsched_bytes + (hsched_s.hsched_rows - 1) * hsched_s.hsched_stride;
}
inline hsched_gen_union hsched_gen_unite(hsched_gen_section hsched_x, hsched_gen_section hsched_y,
                                         hsched_gen_number hsched_n) {
  // With three or more, iterations between may access elements even if the first or the last accesses none.
  const bool hsched_none = hsched_x.hsched_bytes == 0 || hsched_x.hsched_rows == 0,
             hsched_nor = hsched_y.hsched_bytes == 0 || hsched_y.hsched_rows == 0;
  if (hsched_n < 2 || (hsched_nor && (hsched_none || hsched_n == 2)))
    return {hsched_x, false};
  if (hsched_none && hsched_n == 2)
    return {hsched_y, false};
  const bool hsched_alike = hsched_x.hsched_bytes == hsched_y.hsched_bytes &&
                            hsched_x.hsched_rows == hsched_y.hsched_rows &&
                            (hsched_x.hsched_rows == 1 || hsched_x.hsched_stride == hsched_y.hsched_stride);
  if (static_cast<const char *>(hsched_y.hsched_base) < static_cast<const char *>(hsched_x.hsched_base)) {
    const hsched_gen_section hsched_z = hsched_x;
    hsched_x = hsched_y;
    hsched_y = hsched_z;
  }
  const size_t hsched_far = static_cast<size_t>(static_cast<const char *>(hsched_y.hsched_base) -
                                                static_cast<const char *>(hsched_x.hsched_base));
  const size_t hsched_near = hsched_far / static_cast<size_t>(hsched_n - 1); // From one iteration to the next.
  if (hsched_alike && hsched_far == 0)
    return {hsched_x, false};
  if (hsched_alike && hsched_x.hsched_rows == 1) {
    if (hsched_near <= hsched_x.hsched_bytes) // Side by side, or overlapping.
      return {{hsched_x.hsched_base, hsched_x.hsched_bytes + hsched_far, 1, 0}, false};
    return {{hsched_x.hsched_base, hsched_x.hsched_bytes, static_cast<size_t>(hsched_n), hsched_near}, false};
  }
  if (hsched_alike && hsched_near <= hsched_x.hsched_bytes &&
      hsched_x.hsched_bytes + hsched_far <= hsched_x.hsched_stride) // Columns: each row grows.
    return {{hsched_x.hsched_base, hsched_x.hsched_bytes + hsched_far, hsched_x.hsched_rows, hsched_x.hsched_stride},
            false};
  if (hsched_alike && hsched_near % hsched_x.hsched_stride == 0 &&
      hsched_near / hsched_x.hsched_stride <= hsched_x.hsched_rows) // Rows: more of them.
    return {{hsched_x.hsched_base, hsched_x.hsched_bytes, hsched_x.hsched_rows + hsched_far / hsched_x.hsched_stride,
             hsched_x.hsched_stride},
            false};
  // From the first byte to the last.
  const size_t hsched_long = hsched_gen_extent(hsched_x), hsched_other = hsched_gen_extent(hsched_y);
  const size_t hsched_end = hsched_long > hsched_far + hsched_other ? hsched_long : hsched_far + hsched_other;
  return {{hsched_x.hsched_base, hsched_end, 1, 0}, true};
}
// The tile of n iterations with evenly spaced tiles.
inline hsched_gen_tiles hsched_gen_repeat(const hsched_gen_box &hsched_x, const hsched_gen_box &hsched_y,
                                          hsched_gen_number hsched_n) {
  hsched_gen_tiles hsched_t = {hsched_x, {}, true};
  if (hsched_n < 2)
    return hsched_t;
  for (unsigned hsched_d = 0; hsched_d < hsched_x.hsched_dims; ++hsched_d)
    hsched_t.hsched_alike = hsched_t.hsched_alike &&
                            hsched_x.hsched_count[hsched_d] == hsched_y.hsched_count[hsched_d] &&
                            hsched_x.hsched_stride[hsched_d] == hsched_y.hsched_stride[hsched_d];
  if (!hsched_t.hsched_alike) {
    hsched_gen_box hsched_a = hsched_x, hsched_b = hsched_y;
    hsched_a.hsched_fold();
    hsched_b.hsched_fold();
    hsched_t.hsched_hull = hsched_gen_unite(hsched_a.hsched_hull(), hsched_b.hsched_hull(), hsched_n);
    hsched_t.hsched_hull.hsched_gaps = true;
    return hsched_t;
  }
  const bool hsched_up = hsched_y.hsched_base >= hsched_x.hsched_base;
  hsched_gen_box &hsched_b = hsched_t.hsched_box;
  const size_t hsched_far = static_cast<size_t>(hsched_up ? hsched_y.hsched_base - hsched_x.hsched_base
                                                          : hsched_x.hsched_base - hsched_y.hsched_base);
  if (hsched_far == 0)
    return hsched_t;
  if (!hsched_up)
    hsched_b.hsched_base = hsched_y.hsched_base;
  for (unsigned hsched_d = hsched_b.hsched_dims++; hsched_d > 0; --hsched_d) {
    hsched_b.hsched_count[hsched_d] = hsched_b.hsched_count[hsched_d - 1];
    hsched_b.hsched_stride[hsched_d] = hsched_b.hsched_stride[hsched_d - 1];
  }
  hsched_b.hsched_count[0] = static_cast<size_t>(hsched_n);
  hsched_b.hsched_stride[0] = hsched_far / static_cast<size_t>(hsched_n - 1);
  return hsched_t;
}
template <class hsched_l, class hsched_f>
inline hsched_gen_tiles hsched_gen_over_tiles(const hsched_l &hsched_loop, hsched_gen_number hsched_k,
                                              hsched_gen_number hsched_n, const hsched_f &hsched_of) {
  return hsched_gen_repeat(hsched_of(hsched_loop.hsched_value(hsched_k)),
                           hsched_of(hsched_loop.hsched_value(hsched_k + hsched_n - 1)), hsched_n);
}
// The section of iterations [k, k + n) of loop l. `of` gives the section for one value of the loop's variable.
template <class hsched_l, class hsched_f>
inline hsched_gen_union hsched_gen_over(const hsched_l &hsched_loop, hsched_gen_number hsched_k,
                                        hsched_gen_number hsched_n, const hsched_f &hsched_of) {
  return hsched_gen_unite(hsched_gen_one(hsched_of(hsched_loop.hsched_value(hsched_k))),
                          hsched_gen_one(hsched_of(hsched_loop.hsched_value(hsched_k + hsched_n - 1))), hsched_n);
}

// The same where the sections between are unevenly spaced: each begins and ends between the ends of the first and the
// last.
inline hsched_gen_union hsched_gen_between(const hsched_gen_section &hsched_x, const hsched_gen_section &hsched_y,
                                           hsched_gen_number hsched_n) {
  const char *hsched_a = static_cast<const char *>(hsched_x.hsched_base),
             *hsched_b = static_cast<const char *>(hsched_y.hsched_base);
  const size_t hsched_i = hsched_gen_extent(hsched_x), hsched_j = hsched_gen_extent(hsched_y);
  if (hsched_n < 2 || (hsched_n == 2 && hsched_j == 0) ||
      (hsched_a == hsched_b && hsched_x.hsched_bytes == hsched_y.hsched_bytes &&
       hsched_x.hsched_rows == hsched_y.hsched_rows && hsched_x.hsched_stride == hsched_y.hsched_stride))
    return {hsched_x, false};
  if (hsched_n == 2 && hsched_i == 0)
    return {hsched_y, false};
  const bool hsched_up = hsched_a <= hsched_b;
  const char *hsched_low = hsched_up ? hsched_a : hsched_b,
             *hsched_high = hsched_a + hsched_i > hsched_b + hsched_j ? hsched_a + hsched_i : hsched_b + hsched_j;
  const bool hsched_whole = hsched_x.hsched_rows == 1 && hsched_y.hsched_rows == 1 &&
                            (hsched_up ? hsched_a + hsched_i >= hsched_b : hsched_b + hsched_j >= hsched_a);
  return {{hsched_low, static_cast<size_t>(hsched_high - hsched_low), 1, 0}, !hsched_whole};
}
template <class hsched_l, class hsched_f>
inline hsched_gen_union hsched_gen_over_hull(const hsched_l &hsched_loop, hsched_gen_number hsched_k,
                                             hsched_gen_number hsched_n, const hsched_f &hsched_of) {
  return hsched_gen_between(hsched_gen_one(hsched_of(hsched_loop.hsched_value(hsched_k))),
                            hsched_gen_one(hsched_of(hsched_loop.hsched_value(hsched_k + hsched_n - 1))), hsched_n);
}
template <class hsched_l, class hsched_f>
inline hsched_gen_tiles hsched_gen_over_hull_of_tiles(const hsched_l &hsched_loop, hsched_gen_number hsched_k,
                                                      hsched_gen_number hsched_n, const hsched_f &hsched_of) {
  hsched_gen_box hsched_x = hsched_of(hsched_loop.hsched_value(hsched_k)),
                 hsched_y = hsched_of(hsched_loop.hsched_value(hsched_k + hsched_n - 1));
  hsched_gen_tiles hsched_t = {hsched_x, {}, hsched_n < 2};
  if (hsched_n < 2)
    return hsched_t;
  hsched_x.hsched_fold();
  hsched_y.hsched_fold();
  const hsched_gen_section hsched_a = hsched_x.hsched_hull(), hsched_b = hsched_y.hsched_hull();
  hsched_t.hsched_alike =
      hsched_a.hsched_base == hsched_b.hsched_base && hsched_a.hsched_bytes == hsched_b.hsched_bytes;
  hsched_t.hsched_hull = hsched_gen_between(hsched_a, hsched_b, hsched_n);
  hsched_t.hsched_hull.hsched_gaps = true;
  return hsched_t;
}

#endif
