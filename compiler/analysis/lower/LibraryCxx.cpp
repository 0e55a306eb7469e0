// Effects of the C++ library's function templates: <algorithm>, <numeric>, <memory>, <utility>, <cmath>, <complex>,
// <atomic>.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The notation is LibraryTable.h's. Arguments are iterators or pointers; predicates get elements, mostly by value.
#include "analysis/lower/LibraryTable.h"

namespace hsched::cc {

static constexpr LibraryRow Rows[] = {
    // <utility>, <memory>, <type_traits>.
    {"std::move std::forward std::as_const std::addressof std::__addressof std::to_address std::__to_address "
     "std::launder std::move_if_noexcept std::forward_like std::assume_aligned",
     "1: ==0"},
    {"std::swap std::iter_swap", "2: u0(1) u1(1)"},
    {"std::exchange", "2: u0(1) r1(1)"},
    {"std::min std::max", "1:"},
    {"std::min std::max", "2: r0(1) r1(1) =0 =1"},
    {"std::min std::max", "3: r0(1)& r1(1)& calls2 =0 =1"},
    {"std::minmax", "2: r0(1) r1(1)"},
    {"std::clamp", "3: r0(1) r1(1)? r2(1)? =0 =1"}, // Or it returns a reference to the third.
    {"std::begin std::cbegin std::data", "1: ==0"},
    {"std::end std::cend", "1: =0"},
    {"std::size std::ssize std::empty", "1:"},
    {"std::distance", "2:"},
    {"std::next std::prev", "1-2: =0"},
    {"std::advance", "2: u0(1)"},
    {"std::is_constant_evaluated std::__is_constant_evaluated std::unreachable", "0:"},
    {"std::bit_width std::bit_ceil std::bit_floor std::has_single_bit std::popcount std::countl_zero "
     "std::countl_one std::countr_zero std::countr_one std::to_integer std::to_underlying std::byteswap",
     "1:"},
    {"std::rotl std::rotr std::cmp_less std::cmp_equal std::cmp_greater std::cmp_less_equal std::cmp_greater_equal "
     "std::cmp_not_equal std::midpoint std::gcd std::lcm",
     "2:"},
    {"std::lerp", "3:"},
    {"std::terminate std::abort", "0: io noreturn"},
    {"std::__throw_bad_alloc std::__throw_bad_array_new_length std::__throw_bad_optional_access", "0: io noreturn"},
    {"std::__throw_out_of_range std::__throw_length_error std::__throw_logic_error std::__throw_invalid_argument",
     "1: io noreturn"},
    {"std::__throw_bad_variant_access", "1: io noreturn"},
    {"std::__throw_out_of_range_fmt", "1+: io noreturn"},
    {"std::__glibcxx_assert_fail", "4: io noreturn"},

    {"std::visit", "2: r1(1)& calls0"},
    {"std::visit", "3: r1(1)& r2(1)& calls0"},

    // Reading ranges.
    {"std::all_of std::any_of std::none_of std::count_if", "3: r0(0..1)?& calls2"},
    {"std::find_if std::find_if_not std::partition_point", "3: r0(0..1)?& calls2 =0"},
    {"std::find", "3: r0(0..1)? r2(1) =0"},
    {"std::count", "3: r0(0..1) r2(1)"},
    {"std::for_each", "3: r0(0..1)& calls2"},
    {"std::for_each_n", "3: r0(a1)& calls2 =0"},
    {"std::adjacent_find std::max_element std::min_element std::is_sorted_until", "2: r0(0..1)? =0"},
    {"std::adjacent_find std::max_element std::min_element std::is_sorted_until", "3: r0(0..1)?& calls2 =0"},
    {"std::is_sorted std::is_heap", "2: r0(0..1)?"},
    {"std::is_sorted std::is_heap", "3: r0(0..1)?& calls2"},
    {"std::minmax_element", "2-3: r0(0..1)?"},
    {"std::equal", "3: r0(0..1)? r2(0..1)?"},
    {"std::mismatch", "3: r0(0..1)? r2(0..1)?"},
    {"std::lexicographical_compare", "4: r0(0..1)? r2(2..3)?"},
    {"std::lower_bound std::upper_bound", "3: r0(0..1)? r2(1) =0"},
    {"std::lower_bound std::upper_bound", "4: r0(0..1)?& r2(1)& calls3 =0"},
    {"std::binary_search", "3: r0(0..1)? r2(1)"},
    {"std::binary_search", "4: r0(0..1)?& r2(1)& calls3"},
    {"std::search std::find_end std::find_first_of", "4: r0(0..1)? r2(2..3)? =0"},
    {"std::accumulate", "3: r0(0..1) r2(1)"},
    {"std::accumulate", "4: r0(0..1)& r2(1) calls3"},
    {"std::reduce", "2-3: r0(0..1) r2(1)"},
    {"std::reduce", "4: r0(0..1)& r2(1) calls3"},
    {"std::inner_product std::transform_reduce", "4: r0(0..1) r2(0..1) r3(1)"},

    // Writing ranges.
    {"std::fill", "3: w0(0..1) r2(1)"},
    {"std::fill_n", "3: w0(a1) r2(1) =0"},
    {"std::iota", "3: w0(0..1) r2(1)"},
    {"std::generate", "3: w0(0..1) calls2"},
    {"std::generate_n", "3: w0(a1) calls2 =0"},
    {"std::uninitialized_fill", "3: w0(0..1) r2(1)"},
    {"std::uninitialized_fill_n", "3: w0(a1) r2(1) =0"},
    {"std::destroy", "2: u0(0..1)"},
    {"std::destroy_n", "2: u0(a1) =0"},
    {"std::destroy_at", "1: u0(1)"},

    // From one to another.
    {"std::copy std::move std::uninitialized_copy std::uninitialized_move", "3: r0(0..1) w2(0..1) =2"},
    {"std::copy_n std::uninitialized_copy_n", "3: r0(a1) w2(a1) =2"},
    {"std::copy_if", "4: r0(0..1)& w2(0..1)? calls3 =2"},
    {"std::copy_backward std::move_backward", "3: r0(0..1) w2 =2"},
    {"std::remove_copy", "4: r0(0..1) w2(0..1)? r3(1) =2"},
    {"std::reverse_copy", "3: r0(0..1) w2(0..1) =2"},
    {"std::rotate_copy", "4: r0(0..2) w3(0..2) =3"},
    {"std::replace_copy", "5: r0(0..1) w2(0..1) r3(1) r4(1) =2"},
    {"std::unique_copy", "3: r0(0..1) w2(0..1)? =2"},
    {"std::transform", "4: r0(0..1)& w2(0..1) calls3 =2"},
    {"std::transform", "5: r0(0..1)& r2(0..1)& w3(0..1) calls4 =3"},
    {"std::partial_sum std::inclusive_scan", "3: r0(0..1) w2(0..1) =2"},
    {"std::partial_sum std::inclusive_scan", "4: r0(0..1)& w2(0..1) calls3 =2"},
    {"std::adjacent_difference", "3: r0(0..1) w2(0..1) =2"},
    {"std::adjacent_difference", "4: r0(0..1)& w2(0..1) calls3 =2"},
    {"std::exclusive_scan", "4: r0(0..1) w2(0..1) r3(1) =2"},
    {"std::exclusive_scan", "5: r0(0..1)& w2(0..1) r3(1) calls4 =2"},
    {"std::merge std::set_union", "5: r0(0..1)? r2(2..3)? w4 =4"},
    {"std::set_intersection std::set_difference std::set_symmetric_difference", "5: r0(0..1)? r2(2..3)? w4 =4"},

    // In place.
    {"std::reverse", "2: u0(0..1)"},
    {"std::rotate", "3: u0(0..2) =0"},
    {"std::swap_ranges", "3: u0(0..1) u2(0..1) =2"},
    {"std::replace", "4: u0(0..1) r2(1) r3(1)"},
    {"std::replace_if", "4: u0(0..1)& calls2 r3(1)"},
    {"std::remove", "3: u0(0..1) r2(1) =0"},
    {"std::remove_if", "3: u0(0..1)& calls2 =0"},
    {"std::unique", "2: u0(0..1) =0"},
    {"std::unique", "3: u0(0..1)& calls2 =0"},
    {"std::shuffle", "3: u0(0..1) u2(1)"},
    {"std::partition std::stable_partition", "3: u0(0..1)& calls2 =0"},
    {"std::sort std::stable_sort std::make_heap std::push_heap std::pop_heap std::sort_heap", "2: u0(0..1)"},
    {"std::sort std::stable_sort std::make_heap std::push_heap std::pop_heap std::sort_heap", "3: u0(0..1)& calls2"},
    {"std::nth_element std::partial_sort std::inplace_merge", "3: u0(0..2)"},
    {"std::nth_element std::partial_sort std::inplace_merge", "4: u0(0..2)& calls3"},
    {"std::next_permutation std::prev_permutation", "2: u0(0..1)"},

    // <cmath> functions that differ from C, and special functions.
    {"std::abs", "1: r0(1)"}, // The argument is a complex number by reference.
    {"std::frexp std::modf", "2: w1(1)"},
    {"std::assoc_legendre std::assoc_laguerre std::sph_legendre std::ellint_3", "3:"},
    {"std::beta std::cyl_bessel_i std::cyl_bessel_j std::cyl_bessel_k std::cyl_neumann std::ellint_1 std::ellint_2 "
     "std::hermite std::laguerre std::legendre std::sph_bessel std::sph_neumann",
     "2:"},
    {"std::comp_ellint_1 std::comp_ellint_2 std::expint std::riemann_zeta", "1:"},
    // <complex>: arguments are references; plain numbers are values.
    {"std::real std::imag std::arg std::norm std::conj std::proj std::exp std::log std::log10 std::sqrt std::sin "
     "std::cos std::tan std::sinh std::cosh std::tanh std::asin std::acos std::atan std::asinh std::acosh std::atanh",
     "1: r0(1)"},
    {"std::pow", "2: r0(1) r1(1)"},
    {"std::polar", "1-2: r0(1) r1(1)"},

    // <atomic>
    {"std::atomic_thread_fence std::atomic_signal_fence", "1:"},
    {"std::atomic_load", "1: r0(1)!"},
    {"std::atomic_load_explicit", "2: r0(1)!"},
    {"std::atomic_store", "2: w0(1)!"},
    {"std::atomic_store_explicit", "3: w0(1)!"},
    {"std::atomic_exchange std::atomic_fetch_add std::atomic_fetch_sub std::atomic_fetch_and std::atomic_fetch_or "
     "std::atomic_fetch_xor",
     "2: u0(1)!"},
    {"std::atomic_exchange_explicit std::atomic_fetch_add_explicit std::atomic_fetch_sub_explicit "
     "std::atomic_fetch_and_explicit std::atomic_fetch_or_explicit std::atomic_fetch_xor_explicit",
     "3: u0(1)!"},
    {"std::atomic_compare_exchange_weak std::atomic_compare_exchange_strong", "3: u0(1)! u1(1)"},
    {"std::atomic_compare_exchange_weak_explicit std::atomic_compare_exchange_strong_explicit", "5: u0(1)! u1(1)"},

    // Non-member operators.
    {"operator~new operator~new[]", "1-3: allocates"},
    {"operator~delete operator~delete[]", "1-3: w0"},
};

std::span<const LibraryRow> libraryRowsCxx() { return Rows; }

} // namespace hsched::cc
