// Helpers of generated code for shared loops. Not for use by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's loop is the body of a lambda that takes the first and last value.
#ifndef HSCHED_GEN_LOOPS_H
#define HSCHED_GEN_LOOPS_H

#include <hsched/gen_reductions.h>

#define HSCHED_GEN_INLINE __attribute__((always_inline))
#if defined(__clang__)
#define HSCHED_GEN_INLINE_MUTABLE HSCHED_GEN_INLINE mutable
#else
#define HSCHED_GEN_INLINE_MUTABLE mutable HSCHED_GEN_INLINE
#endif

// A reduction: the pointer that leads to the object, and its section.
template <class hsched_h, class... hsched_ops> struct hsched_gen_shared_reduction {
  hsched_h hsched_captured;
  hsched_gen_section hsched_section;
  const hsched_reduction_op *hsched_op;
};
template <class... hsched_ops, class hsched_h>
inline hsched_gen_shared_reduction<hsched_h, hsched_ops...>
hsched_gen_share_reduction(const hsched_h &hsched_x, const hsched_gen_section &hsched_s,
                           const hsched_reduction_op *hsched_o) {
  return {hsched_x, hsched_s, hsched_o};
}

// The target of a thread's reduction: a private copy, which is then combined with the program's object; or, in place,
// that object itself. A number is a local variable, so a register can hold it.
template <class hsched_r, class hsched_h> struct hsched_gen_private_copy;
template <class hsched_h, class... hsched_ops>
struct hsched_gen_private_copy<hsched_gen_shared_reduction<hsched_h, hsched_ops...>, hsched_h> {
  typedef hsched_gen_shared_reduction<hsched_h, hsched_ops...> hsched_reduced;
  hsched_h hsched_captured;
  hsched_gen_private_copy(const hsched_reduced &hsched_r, bool hsched_in_place)
      : hsched_captured(hsched_r.hsched_captured), hsched_of(hsched_r) {
    const hsched_gen_section &hsched_s = hsched_of.hsched_section;
    const size_t hsched_bytes = hsched_gen_extent(hsched_s);
    if (hsched_in_place || hsched_bytes == 0)
      return;
    hsched_memory = ::operator new(hsched_bytes + hsched_of.hsched_op->element_align);
    const size_t hsched_align = hsched_of.hsched_op->element_align;
    const size_t hsched_off = reinterpret_cast<size_t>(hsched_memory) % hsched_align;
    hsched_copy = static_cast<char *>(hsched_memory) + (hsched_off ? hsched_align - hsched_off : 0);
    for (; hsched_made < hsched_s.hsched_rows; ++hsched_made)
      hsched_of.hsched_op->init(hsched_copy + hsched_made * hsched_s.hsched_stride, hsched_row(hsched_made),
                                hsched_elements());
    char *hsched_p = reinterpret_cast<char *>(hsched_captured.hsched_object);
    hsched_p += hsched_copy - static_cast<const char *>(hsched_s.hsched_base);
    hsched_captured.hsched_object = reinterpret_cast<decltype(hsched_captured.hsched_object)>(hsched_p);
  }
  ~hsched_gen_private_copy() {
    if (hsched_of.hsched_op->destroy)
      for (size_t hsched_i = 0; hsched_i < hsched_made; ++hsched_i)
        hsched_of.hsched_op->destroy(hsched_copy + hsched_i * hsched_of.hsched_section.hsched_stride,
                                     hsched_elements());
    ::operator delete(hsched_memory);
  }
  hsched_gen_private_copy(const hsched_gen_private_copy &) = delete;
  hsched_gen_private_copy &operator=(const hsched_gen_private_copy &) = delete;
  void hsched_join() {
    for (size_t hsched_i = 0; hsched_i < hsched_made; ++hsched_i)
      hsched_of.hsched_op->combine(hsched_row(hsched_i),
                                   hsched_copy + hsched_i * hsched_of.hsched_section.hsched_stride, hsched_elements());
  }

private:
  size_t hsched_elements() const { return hsched_of.hsched_section.hsched_bytes / hsched_of.hsched_op->element_bytes; }
  void *hsched_row(size_t hsched_i) const {
    return const_cast<char *>(static_cast<const char *>(hsched_of.hsched_section.hsched_base)) +
           hsched_i * hsched_of.hsched_section.hsched_stride;
  }
  const hsched_reduced &hsched_of;
  void *hsched_memory = nullptr;
  char *hsched_copy = nullptr;
  size_t hsched_made = 0; // Number of rows made.
};
template <class hsched_t, class... hsched_ops> struct hsched_gen_number_copy {
  typedef hsched_gen_shared_reduction<hsched_gen_captured<hsched_t>, hsched_ops...> hsched_reduced;
  typedef typename hsched_gen_choice<hsched_t, hsched_ops...>::hsched_type hsched_operation;
  hsched_gen_captured<hsched_t> hsched_captured;
  HSCHED_GEN_INLINE hsched_gen_number_copy(const hsched_reduced &hsched_r, bool hsched_in_place)
      : hsched_captured{&hsched_value}, hsched_to(hsched_r.hsched_captured.hsched_object),
        hsched_here(hsched_in_place) {
    if (hsched_here)
      hsched_value = *hsched_to;
    else
      hsched_operation::hsched_make(&hsched_value, hsched_to);
  }
  HSCHED_GEN_INLINE ~hsched_gen_number_copy() { // Also if the body throws.
    if (hsched_here)
      *hsched_to = hsched_value;
  }
  hsched_gen_number_copy(const hsched_gen_number_copy &) = delete;
  hsched_gen_number_copy &operator=(const hsched_gen_number_copy &) = delete;
  HSCHED_GEN_INLINE void hsched_join() { hsched_operation::hsched_join(*hsched_to, hsched_value); }

private:
  hsched_t hsched_value;
  hsched_t *hsched_to;
  bool hsched_here;
};
template <bool hsched_number, class hsched_r> struct hsched_gen_copy_kind {
  typedef hsched_gen_private_copy<hsched_r, decltype(hsched_r::hsched_captured)> hsched_type;
};
template <class hsched_t, class... hsched_ops>
struct hsched_gen_copy_kind<true, hsched_gen_shared_reduction<hsched_gen_captured<hsched_t>, hsched_ops...>> {
  typedef hsched_gen_number_copy<hsched_t, hsched_ops...> hsched_type;
};
template <class hsched_r> struct hsched_gen_is_number {
  enum { hsched_value = 0 };
};
template <class hsched_t, class... hsched_ops>
struct hsched_gen_is_number<hsched_gen_shared_reduction<hsched_gen_captured<hsched_t>, hsched_ops...>> {
  enum { hsched_value = hsched_gen_limits<hsched_t>::hsched_known };
};
template <class hsched_t, class... hsched_ops>
struct hsched_gen_is_number<hsched_gen_shared_reduction<hsched_gen_captured<hsched_t *>, hsched_ops...>> {
  enum { hsched_value = 0 };
};

// A loop nest that is divided as one loop. Iterations of the whole nest are counted. A chunk is a range of rows of the
// outer loop; its first and last row may be partial.
template <class hsched_i> struct hsched_gen_rows {
  typedef decltype(hsched_gen_make<const hsched_i &>().hsched_chunk(0, 1)) hsched_chunk;
  const hsched_i *hsched_of;
  hsched_gen_number hsched_low, hsched_high; // The chunk's range, in iterations of the nest.
  hsched_gen_number hsched_next;             // Where the next row begins.
  hsched_chunk hsched_now;                   // The current row of the outer loop.
  // The inner loop begins; returns its first value.
  decltype(hsched_chunk::hsched_first) hsched_enter() {
    const hsched_gen_number hsched_row = hsched_next;
    hsched_next += hsched_of->hsched_count;
    const hsched_gen_number hsched_from = hsched_low > hsched_row ? hsched_low - hsched_row : 0;
    hsched_now =
        hsched_of->hsched_chunk(hsched_from, hsched_gen_least(hsched_high, hsched_next) - hsched_row - hsched_from);
    return hsched_now.hsched_first;
  }
};
template <class hsched_o, class hsched_i>
struct hsched_gen_nested_chunk : decltype(hsched_gen_make<const hsched_o &>().hsched_chunk(0, 1)) {
  typedef decltype(hsched_gen_make<const hsched_o &>().hsched_chunk(0, 1)) hsched_rows;
  hsched_gen_rows<hsched_i> hsched_inner;
  hsched_gen_nested_chunk() : hsched_rows(), hsched_inner() {}
  hsched_gen_nested_chunk(const hsched_rows &hsched_r, const hsched_gen_rows<hsched_i> &hsched_x)
      : hsched_rows(hsched_r), hsched_inner(hsched_x) {}
};
template <class hsched_o, class hsched_i> struct hsched_gen_nested {
  typedef typename hsched_o::hsched_variable hsched_variable;
  hsched_o hsched_outer;
  hsched_i hsched_inner;
  hsched_gen_number hsched_count;
  hsched_gen_nested_chunk<hsched_o, hsched_i> hsched_chunk(hsched_gen_number hsched_k,
                                                           hsched_gen_number hsched_n) const {
    const hsched_gen_number hsched_each = hsched_inner.hsched_count, hsched_row = hsched_k / hsched_each;
    const hsched_gen_rows<hsched_i> hsched_rows = {&hsched_inner, hsched_k, hsched_k + hsched_n,
                                                   hsched_row * hsched_each,
                                                   typename hsched_gen_rows<hsched_i>::hsched_chunk()};
    return {hsched_outer.hsched_chunk(hsched_row, (hsched_k + hsched_n - 1) / hsched_each + 1 - hsched_row),
            hsched_rows};
  }
  template <unsigned hsched_n>
  hsched_gen_nested_chunk<hsched_o, hsched_i> hsched_block(hsched_gen_number hsched_k) const {
    return hsched_chunk(hsched_k, hsched_n);
  }
};
template <class hsched_o, class hsched_i>
inline hsched_gen_nested<hsched_o, hsched_i> hsched_gen_nest(const hsched_o &hsched_x, const hsched_i &hsched_y) {
  return {hsched_x, hsched_y, hsched_x.hsched_count * hsched_y.hsched_count};
}

// Blocks of a constant number of iterations, for compilers that vectorise only loops of known
// length.
enum { HSCHED_GEN_BLOCK = 64 };
template <bool hsched_blocks> struct hsched_gen_blocks {
  template <class hsched_l, class hsched_b, class... hsched_h>
  HSCHED_GEN_INLINE static void hsched_run(const hsched_l &hsched_x, hsched_b &hsched_own, hsched_gen_number hsched_k,
                                           hsched_gen_number hsched_n, hsched_h &...hsched_captured) {
    hsched_own(hsched_x.hsched_chunk(hsched_k, hsched_n), hsched_captured...);
  }
};
template <> struct hsched_gen_blocks<true> {
  template <class hsched_l, class hsched_b, class... hsched_h>
  HSCHED_GEN_INLINE static void hsched_run(const hsched_l &hsched_x, hsched_b &hsched_own, hsched_gen_number hsched_k,
                                           hsched_gen_number hsched_n, hsched_h &...hsched_captured) {
    for (; hsched_n >= HSCHED_GEN_BLOCK; hsched_k += HSCHED_GEN_BLOCK, hsched_n -= HSCHED_GEN_BLOCK)
      hsched_own(hsched_x.template hsched_block<HSCHED_GEN_BLOCK>(hsched_k), hsched_captured...);
    if (hsched_n)
      hsched_own(hsched_x.hsched_chunk(hsched_k, hsched_n), hsched_captured...);
  }
};

template <size_t hsched_i> struct hsched_gen_number_of {};

// A loop that is shared, or run in place by the calling thread. It lies in the submitting thread's stack frame.
template <class hsched_l, class hsched_b, class... hsched_r> class hsched_gen_team {
public:
  HSCHED_GEN_INLINE hsched_gen_team(const hsched_l &hsched_x, const hsched_b &hsched_y, const hsched_r &...hsched_z)
      : hsched_loop_(hsched_x), hsched_body(hsched_y), hsched_reductions(hsched_gen_fill(), hsched_z...) {}

  // Runs the iterations of one thread; all of them, in place, if hsched_s is null.
  template <bool hsched_blocks> static void hsched_work(void *hsched_c, hsched_loop_share *hsched_s) {
    hsched_gen_team &hsched_t = *static_cast<hsched_gen_team *>(hsched_c);
    const hsched_l hsched_x(hsched_t.hsched_loop_);
    hsched_gen_number hsched_k = 0, hsched_n = hsched_x.hsched_count;
    if (hsched_s && !::hsched_loop_next(hsched_s, &hsched_k, &hsched_n))
      return;
    hsched_b hsched_own(hsched_t.hsched_body);
    hsched_t.template hsched_turn<hsched_blocks>(hsched_x, hsched_own, hsched_s, hsched_k, hsched_n,
                                                 hsched_gen_number_of<0>());
  }
  // Runs all iterations in place, with bounds that the compiler sees.
  HSCHED_GEN_INLINE void hsched_whole() {
    this->template hsched_turn<false>(hsched_loop_, hsched_body, nullptr, 0, hsched_loop_.hsched_count,
                                      hsched_gen_number_of<0>());
  }

private:
  // Recursion over the reductions: makes the target of number i, or runs the loop behind the last.
  template <bool hsched_blocks, size_t hsched_i, class... hsched_h>
  HSCHED_GEN_INLINE void hsched_turn(const hsched_l &hsched_x, hsched_b &hsched_own, hsched_loop_share *hsched_s,
                                     hsched_gen_number hsched_k, hsched_gen_number hsched_n,
                                     hsched_gen_number_of<hsched_i>, hsched_h &...hsched_captured) {
    auto &&hsched_of = hsched_gen_element<hsched_i>::hsched_get(hsched_reductions);
    typedef typename hsched_gen_plain<decltype(hsched_of)>::hsched_type hsched_reduced;
    typename hsched_gen_copy_kind<hsched_gen_is_number<hsched_reduced>::hsched_value, hsched_reduced>::hsched_type
        hsched_copy(hsched_of, !hsched_s);
    this->template hsched_turn<hsched_blocks>(hsched_x, hsched_own, hsched_s, hsched_k, hsched_n,
                                              hsched_gen_number_of<hsched_i + 1>(), hsched_captured...,
                                              hsched_copy.hsched_captured);
    if (!hsched_s)
      return;
    struct hsched_guard {
      bool *hsched_p;
      explicit hsched_guard(bool *hsched_q) : hsched_p(hsched_q) {
        while (__atomic_test_and_set(hsched_p, __ATOMIC_ACQUIRE)) {
        }
      }
      ~hsched_guard() { __atomic_clear(hsched_p, __ATOMIC_RELEASE); }
    } hsched_g(&hsched_locked);
    hsched_copy.hsched_join();
  }
  template <bool hsched_blocks, class... hsched_h>
  HSCHED_GEN_INLINE void hsched_turn(const hsched_l &hsched_x, hsched_b &hsched_own, hsched_loop_share *hsched_s,
                                     hsched_gen_number hsched_k, hsched_gen_number hsched_n,
                                     hsched_gen_number_of<sizeof...(hsched_r)>, hsched_h &...hsched_captured) {
    do {
      hsched_gen_blocks<hsched_blocks>::hsched_run(hsched_x, hsched_own, hsched_k, hsched_n, hsched_captured...);
    } while (hsched_s && ::hsched_loop_next(hsched_s, &hsched_k, &hsched_n));
  }

  const hsched_l hsched_loop_;
  hsched_b hsched_body;
  hsched_gen_pack<hsched_r...> hsched_reductions;
  bool hsched_locked = false; // True while a copy is combined.
};

// The same without reductions.
template <class hsched_l, class hsched_b> class hsched_gen_team<hsched_l, hsched_b> {
public:
  HSCHED_GEN_INLINE hsched_gen_team(const hsched_l &hsched_x, const hsched_b &hsched_y)
      : hsched_loop_(hsched_x), hsched_body(hsched_y) {}
  template <bool hsched_blocks> static void hsched_work(void *hsched_c, hsched_loop_share *hsched_s) {
    const hsched_gen_team &hsched_t = *static_cast<const hsched_gen_team *>(hsched_c);
    const hsched_l hsched_x(hsched_t.hsched_loop_);
    hsched_gen_number hsched_k = 0, hsched_n = hsched_x.hsched_count;
    if (hsched_s && !::hsched_loop_next(hsched_s, &hsched_k, &hsched_n))
      return;
    hsched_b hsched_own(hsched_t.hsched_body);
    do {
      hsched_gen_blocks<hsched_blocks>::hsched_run(hsched_x, hsched_own, hsched_k, hsched_n);
    } while (hsched_s && ::hsched_loop_next(hsched_s, &hsched_k, &hsched_n));
  }
  HSCHED_GEN_INLINE void hsched_whole() { hsched_body(hsched_loop_.hsched_chunk(0, hsched_loop_.hsched_count)); }

private:
  const hsched_l hsched_loop_;
  hsched_b hsched_body;
};

// Shares a loop, or runs it in place. One function for all loops of a file, to reduce the code of each loop.
__attribute__((__noinline__)) inline void hsched_gen_share(hsched_shared_loop *hsched_s, hsched_gen_number hsched_n,
                                                           hsched_gen_number hsched_grain,
                                                           void (*hsched_work)(void *, hsched_loop_share *),
                                                           void *hsched_c) {
  hsched_gen_number hsched_began;
  if (::hsched_loop_begin(hsched_s, hsched_n, &hsched_began)) {
    ::hsched_loop_run(hsched_s, hsched_n, hsched_grain, hsched_work, hsched_c);
    return;
  }
  hsched_work(hsched_c, nullptr);
  ::hsched_loop_end(hsched_s, hsched_n, hsched_began);
}

// A loop with constant bounds is also compiled in place, and with its bounds both there and in chunks. Any other loop
// is compiled once, because loop bodies dominate the host compiler's time.
template <bool hsched_constant> struct hsched_gen_loop_code {
  template <class hsched_t>
  static void hsched_run(hsched_shared_loop &hsched_s, hsched_gen_number hsched_n, hsched_gen_number hsched_grain,
                         hsched_t &hsched_team) {
    ::hsched_gen_share(&hsched_s, hsched_n, hsched_grain, &hsched_t::template hsched_work<false>, &hsched_team);
  }
  template <class hsched_t> static void hsched_whole(hsched_t &hsched_team) {
    hsched_t::template hsched_work<false>(&hsched_team, nullptr);
  }
};
template <> struct hsched_gen_loop_code<true> {
  template <class hsched_t>
  HSCHED_GEN_INLINE static void hsched_run(hsched_shared_loop &hsched_s, hsched_gen_number hsched_n,
                                           hsched_gen_number hsched_grain, hsched_t &hsched_team) {
    hsched_gen_number hsched_began;
    if (::hsched_loop_begin(&hsched_s, hsched_n, &hsched_began)) {
      ::hsched_loop_run(&hsched_s, hsched_n, hsched_grain,
                        __builtin_constant_p(hsched_n) && hsched_n >= HSCHED_GEN_BLOCK
                            ? &hsched_t::template hsched_work<true>
                            : &hsched_t::template hsched_work<false>,
                        &hsched_team);
      return;
    }
    hsched_team.hsched_whole();
    ::hsched_loop_end(&hsched_s, hsched_n, hsched_began);
  }
  template <class hsched_t> HSCHED_GEN_INLINE static void hsched_whole(hsched_t &hsched_team) {
    hsched_team.hsched_whole();
  }
};

template <bool hsched_constant, class hsched_l, class hsched_b, class... hsched_r>
HSCHED_GEN_INLINE inline void hsched_gen_whole_loop(const hsched_l &hsched_x, const hsched_b &hsched_body,
                                                    const hsched_r &...hsched_reduced) {
  hsched_gen_team<hsched_l, hsched_b, hsched_r...> hsched_t(hsched_x, hsched_body, hsched_reduced...);
  if (hsched_x.hsched_count)
    hsched_gen_loop_code<hsched_constant>::hsched_whole(hsched_t);
}

// Grain: iterations at a time, 0: the runtime decides.
template <bool hsched_constant, class hsched_l, class hsched_b, class... hsched_r>
HSCHED_GEN_INLINE inline void hsched_gen_for(hsched_shared_loop &hsched_s, const hsched_l &hsched_x,
                                             hsched_gen_number hsched_grain, const hsched_b &hsched_body,
                                             const hsched_r &...hsched_reduced) {
  hsched_gen_team<hsched_l, hsched_b, hsched_r...> hsched_t(hsched_x, hsched_body, hsched_reduced...);
  if (hsched_x.hsched_count)
    hsched_gen_loop_code<hsched_constant>::hsched_run(hsched_s, hsched_x.hsched_count, hsched_grain, hsched_t);
}

// Measures a chunk that is a task and reports its time to the runtime.
class hsched_gen_timed {
public:
  hsched_gen_timed(hsched_shared_loop *hsched_s, hsched_gen_number hsched_n)
      : hsched_of(hsched_s), hsched_count(hsched_n), hsched_began(::hsched_loop_clock()) {}
  ~hsched_gen_timed() { ::hsched_loop_ran(hsched_of, hsched_count, hsched_began); }

private:
  hsched_shared_loop *hsched_of;
  hsched_gen_number hsched_count, hsched_began;
};

#endif
