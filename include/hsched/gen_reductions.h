// Helpers of generated code for reductions. Not for use by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is a struct with hsched_make, which constructs the identity in raw memory, and hsched_join, which
// combines two elements.
#ifndef HSCHED_GEN_REDUCTIONS_H
#define HSCHED_GEN_REDUCTIONS_H

#include <hsched/gen.h>

// Limits of number types: the least and the greatest value.
template <class hsched_t> struct hsched_gen_limits {
  enum { hsched_known = 0, hsched_whole = 0 };
};
#define HSCHED_GEN_WHOLE(hsched_t, hsched_least, hsched_most)                                                          \
  template <> struct hsched_gen_limits<hsched_t> {                                                                     \
    enum { hsched_known = 1, hsched_whole = 1 };                                                                       \
    static hsched_t hsched_low() { return static_cast<hsched_t>(hsched_least); }                                       \
    static hsched_t hsched_high() { return static_cast<hsched_t>(hsched_most); }                                       \
  };
#define HSCHED_GEN_REAL(hsched_t)                                                                                      \
  template <> struct hsched_gen_limits<hsched_t> {                                                                     \
    enum { hsched_known = 1, hsched_whole = 0 };                                                                       \
    static hsched_t hsched_low() { return static_cast<hsched_t>(-__builtin_huge_val()); }                              \
    static hsched_t hsched_high() { return static_cast<hsched_t>(__builtin_huge_val()); }                              \
  };
HSCHED_GEN_WHOLE(bool, false, true)
#if defined(__CHAR_UNSIGNED__)
HSCHED_GEN_WHOLE(char, 0, 2 * __SCHAR_MAX__ + 1)
#else
HSCHED_GEN_WHOLE(char, -__SCHAR_MAX__ - 1, __SCHAR_MAX__)
#endif
HSCHED_GEN_WHOLE(signed char, -__SCHAR_MAX__ - 1, __SCHAR_MAX__)
HSCHED_GEN_WHOLE(unsigned char, 0, 2 * __SCHAR_MAX__ + 1)
HSCHED_GEN_WHOLE(short, -__SHRT_MAX__ - 1, __SHRT_MAX__)
HSCHED_GEN_WHOLE(unsigned short, 0, 2 * __SHRT_MAX__ + 1)
HSCHED_GEN_WHOLE(int, -__INT_MAX__ - 1, __INT_MAX__)
HSCHED_GEN_WHOLE(unsigned, 0, 2u * __INT_MAX__ + 1u)
HSCHED_GEN_WHOLE(long, -__LONG_MAX__ - 1, __LONG_MAX__)
HSCHED_GEN_WHOLE(unsigned long, 0, 2ul * __LONG_MAX__ + 1ul)
HSCHED_GEN_WHOLE(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
HSCHED_GEN_WHOLE(unsigned long long, 0, 2ull * __LONG_LONG_MAX__ + 1ull)
#if defined(__WCHAR_UNSIGNED__)
HSCHED_GEN_WHOLE(wchar_t, 0, __WCHAR_MAX__)
#else
HSCHED_GEN_WHOLE(wchar_t, -__WCHAR_MAX__ - 1, __WCHAR_MAX__)
#endif
HSCHED_GEN_WHOLE(char16_t, 0, __UINT_LEAST16_MAX__)
HSCHED_GEN_WHOLE(char32_t, 0, __UINT_LEAST32_MAX__)
HSCHED_GEN_REAL(float)
HSCHED_GEN_REAL(double)
HSCHED_GEN_REAL(long double)
#undef HSCHED_GEN_WHOLE
#undef HSCHED_GEN_REAL

#define HSCHED_GEN_OPERATION(hsched_op, hsched_sign, hsched_needs, hsched_message, hsched_begin, hsched_result)        \
  struct hsched_op {                                                                                                   \
    template <class hsched_t> struct hsched_for {                                                                      \
      static_assert(hsched_gen_limits<hsched_t>::hsched_needs, hsched_message);                                        \
      typedef hsched_t hsched_type;                                                                                    \
      enum { hsched_flags = 0 };                                                                                       \
      static const char *hsched_name() { return hsched_sign; }                                                         \
      static void hsched_make(hsched_t *hsched_p, const hsched_t *) { *hsched_p = hsched_begin; }                      \
      static void hsched_join(hsched_t &hsched_a, const hsched_t &hsched_b) {                                          \
        hsched_a = static_cast<hsched_t>(hsched_result);                                                               \
      }                                                                                                                \
    };                                                                                                                 \
  };
#define HSCHED_GEN_NUMBERS "hsched: this reduction works on numbers: see '#pragma hsched declare reduction'"
#define HSCHED_GEN_WHOLES "hsched: this reduction works on integers"
HSCHED_GEN_OPERATION(hsched_gen_plus, "+", hsched_known, HSCHED_GEN_NUMBERS, hsched_t(), hsched_a + hsched_b)
HSCHED_GEN_OPERATION(hsched_gen_times, "*", hsched_known, HSCHED_GEN_NUMBERS, static_cast<hsched_t>(1),
                     hsched_a *hsched_b)
HSCHED_GEN_OPERATION(hsched_gen_bit_and, "&", hsched_whole, HSCHED_GEN_WHOLES, static_cast<hsched_t>(-1),
                     hsched_a &hsched_b)
HSCHED_GEN_OPERATION(hsched_gen_bit_or, "|", hsched_whole, HSCHED_GEN_WHOLES, hsched_t(), hsched_a | hsched_b)
HSCHED_GEN_OPERATION(hsched_gen_bit_xor, "^", hsched_whole, HSCHED_GEN_WHOLES, hsched_t(), hsched_a ^ hsched_b)
HSCHED_GEN_OPERATION(hsched_gen_and, "&&", hsched_known, HSCHED_GEN_NUMBERS, static_cast<hsched_t>(1),
                     static_cast<bool>(hsched_a) && static_cast<bool>(hsched_b))
HSCHED_GEN_OPERATION(hsched_gen_or, "||", hsched_known, HSCHED_GEN_NUMBERS, hsched_t(),
                     static_cast<bool>(hsched_a) || static_cast<bool>(hsched_b))
HSCHED_GEN_OPERATION(hsched_gen_min, "min", hsched_known, HSCHED_GEN_NUMBERS,
                     hsched_gen_limits<hsched_t>::hsched_high(), hsched_b < hsched_a ? hsched_b : hsched_a)
HSCHED_GEN_OPERATION(hsched_gen_max, "max", hsched_known, HSCHED_GEN_NUMBERS, hsched_gen_limits<hsched_t>::hsched_low(),
                     hsched_a < hsched_b ? hsched_b : hsched_a)
#undef HSCHED_GEN_OPERATION
#undef HSCHED_GEN_NUMBERS
#undef HSCHED_GEN_WHOLES
// For names that only declared reductions have.
struct hsched_gen_none {
  template <class hsched_t> struct hsched_for {
    static_assert(sizeof(hsched_t) == 0,
                  "hsched: no '#pragma hsched declare reduction' of this name is for elements of this type");
  };
};

// The declared reduction among hsched_d for type hsched_t. If there is none, the language's own.
template <class hsched_t, class hsched_op, class... hsched_d> struct hsched_gen_choice {
  typedef typename hsched_op::template hsched_for<hsched_t> hsched_type;
};
template <class hsched_t, class hsched_is, class hsched_op, class hsched_first, class... hsched_d>
struct hsched_gen_choice_of : hsched_gen_choice<hsched_t, hsched_op, hsched_d...> {};
template <class hsched_t, class hsched_op, class hsched_first, class... hsched_d>
struct hsched_gen_choice_of<hsched_t, hsched_t, hsched_op, hsched_first, hsched_d...> {
  typedef hsched_first hsched_type;
};
template <class hsched_t, class hsched_op, class hsched_first, class... hsched_d>
struct hsched_gen_choice<hsched_t, hsched_op, hsched_first, hsched_d...>
    : hsched_gen_choice_of<hsched_t, typename hsched_first::hsched_type, hsched_op, hsched_first, hsched_d...> {};

template <class hsched_s> struct hsched_gen_reducer {
  typedef typename hsched_s::hsched_type hsched_t;
  static void hsched_init(void *hsched_c, const void *hsched_o, size_t hsched_n) {
    // Destroys the elements made so far if the next one throws.
    struct hsched_guard {
      hsched_t *hsched_p;
      size_t hsched_made, hsched_all;
      ~hsched_guard() {
        if (hsched_made < hsched_all)
          hsched_unmake(hsched_p, hsched_made);
      }
    } hsched_g = {static_cast<hsched_t *>(hsched_c), 0, hsched_n};
    for (; hsched_g.hsched_made < hsched_n; ++hsched_g.hsched_made)
      hsched_s::hsched_make(hsched_g.hsched_p + hsched_g.hsched_made,
                            static_cast<const hsched_t *>(hsched_o) + hsched_g.hsched_made);
  }
  static void hsched_combine(void *hsched_into, const void *hsched_from, size_t hsched_n) {
    hsched_t *hsched_a = static_cast<hsched_t *>(hsched_into);
    hsched_t *hsched_b = static_cast<hsched_t *>(const_cast<void *>(hsched_from)); // A private copy.
    for (size_t hsched_i = 0; hsched_i < hsched_n; ++hsched_i)
      hsched_s::hsched_join(hsched_a[hsched_i], hsched_b[hsched_i]);
  }
  static void hsched_unmake(void *hsched_c, size_t hsched_n) {
    for (size_t hsched_i = 0; hsched_i < hsched_n; ++hsched_i)
      static_cast<hsched_t *>(hsched_c)[hsched_i].~hsched_t();
  }
  static const hsched_reduction_op *hsched_op() {
    static const hsched_reduction_op hsched_made = {sizeof(hsched_reduction_op),
                                                    hsched_s::hsched_name(),
                                                    sizeof(hsched_t),
                                                    alignof(hsched_t),
                                                    &hsched_init,
                                                    &hsched_combine,
                                                    HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_t) ? nullptr : &hsched_unmake,
                                                    static_cast<unsigned>(hsched_s::hsched_flags)};
    return &hsched_made;
  }
};

// The elements that are reduced: of an array, by its name or through a pointer, or of an object that holds its
// elements.
template <class hsched_t> struct hsched_gen_scalar {
  typedef hsched_t hsched_type;
};
template <class hsched_t, size_t hsched_n>
struct hsched_gen_scalar<hsched_t[hsched_n]> : hsched_gen_scalar<hsched_t> {};
template <class... hsched_ops, class hsched_t>
inline const hsched_reduction_op *hsched_gen_reduction(hsched_t *, hsched_gen_first) {
  typedef typename hsched_gen_scalar<hsched_t>::hsched_type hsched_e;
  return hsched_gen_reducer<typename hsched_gen_choice<hsched_e, hsched_ops...>::hsched_type>::hsched_op();
}
template <class... hsched_ops, class hsched_c>
inline auto hsched_gen_reduction(hsched_c &hsched_x, hsched_gen_second)
    -> decltype(static_cast<void>(hsched_x.size()), hsched_gen_void(hsched_x.data()),
                static_cast<const hsched_reduction_op *>(nullptr)) {
  static_assert(__is_aggregate(hsched_c), "hsched: this cannot be reduced, because its elements are not in it: take a "
                                          "pointer and a length");
  return hsched_gen_reduction<hsched_ops...>(hsched_x.data(), hsched_gen_first());
}
template <class... hsched_ops, class hsched_t>
inline const hsched_reduction_op *hsched_gen_reduction(hsched_t &hsched_x, hsched_gen_third) {
  return hsched_gen_reduction<hsched_ops...>(__builtin_addressof(hsched_x), hsched_gen_first());
}
// The address of the pointer that is redirected to the private copy.
template <class hsched_t> inline void *hsched_gen_slot(hsched_t **hsched_p) { return hsched_p; }
template <class hsched_t> inline void *hsched_gen_slot(hsched_t *const *hsched_p) {
  return const_cast<hsched_t **>(hsched_p);
}

template <class hsched_t> inline hsched_t &hsched_gen_named(hsched_t &&hsched_x) { return hsched_x; }

// The packed arguments of a statement with reductions: the closure, and the pointers that the closure takes.
template <class hsched_c, class... hsched_h> class hsched_gen_reducing {
public:
  hsched_gen_reducing(hsched_c &&hsched_b, const hsched_h &...hsched_x)
      : hsched_body(static_cast<hsched_c &&>(hsched_b)), hsched_captured(hsched_gen_fill(), hsched_x...) {}
  void operator()() { hsched_run(typename hsched_gen_up_to<sizeof...(hsched_h)>::hsched_type()); }
  template <size_t hsched_i> void *hsched_slot() {
    return hsched_gen_slot(&hsched_gen_named(hsched_gen_element<hsched_i>::hsched_get(hsched_captured)).hsched_object);
  }

private:
  template <size_t... hsched_i> void hsched_run(hsched_gen_indices<hsched_i...>) {
    hsched_body(hsched_gen_named(hsched_gen_element<hsched_i>::hsched_get(hsched_captured))...);
  }
  hsched_c hsched_body;
  hsched_gen_pack<hsched_h...> hsched_captured;
};
template <class hsched_c, class... hsched_h>
inline hsched_gen_reducing<hsched_c, hsched_h...> hsched_gen_reduce(hsched_c &&hsched_b, const hsched_h &...hsched_x) {
  return {static_cast<hsched_c &&>(hsched_b), hsched_x...};
}
// Reduction number i of the statement task in f. x is the prototype of its packed arguments.
template <size_t hsched_i, class hsched_r>
inline void *hsched_gen_reduced_slot(const hsched_gen_frame &hsched_f, const hsched_r &) {
  return static_cast<hsched_r *>(hsched_f.hsched_memory)->template hsched_slot<hsched_i>();
}

#endif
