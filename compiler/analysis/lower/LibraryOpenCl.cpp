// Effects of OpenCL C's built-in functions, 1.0 to 3.0. Conversions and group functions are recognised by prefix.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The notation is LibraryTable.h's. An image is memory without an extent. Loads and stores of vectors are counted in
// elements of the pointer's type.
#include "analysis/lower/LibraryTable.h"

namespace hsched::cc {

static constexpr LibraryRow Rows[] = {
    // Work-items
    {"get_work_dim get_global_linear_id get_local_linear_id get_sub_group_size get_max_sub_group_size "
     "get_num_sub_groups get_enqueued_num_sub_groups get_sub_group_id get_sub_group_local_id",
     "0:"},
    {"get_global_size get_global_id get_local_size get_enqueued_local_size get_local_id get_num_groups get_group_id "
     "get_global_offset",
     "1:"},

    // Mathematics, by value.
    {"acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 "
     "fabs "
     "floor ilogb lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc "
     "nan",
     "1:"},
    {"atan2 atan2pi copysign fdim fmax fmin fmod hypot ldexp maxmag minmag nextafter pow pown powr remainder rootn",
     "2:"},
    {"fma mad", "3:"},
    {"half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip half_rsqrt half_sin half_sqrt "
     "half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip "
     "native_rsqrt native_sin native_sqrt native_tan",
     "1:"},
    {"half_divide half_powr native_divide native_powr", "2:"},
    // Through pointers.
    {"fract modf sincos frexp lgamma_r", "2: w1(1)"},
    {"remquo", "3: w2(1)"},

    // Integers.
    {"abs clz ctz popcount", "1:"},
    {"abs_diff add_sat hadd rhadd mul_hi rotate sub_sat upsample mul24", "2:"},
    {"mad_hi mad_sat mad24", "3:"},
    {"bitfield_insert", "4:"},
    {"bitfield_extract_signed bitfield_extract_unsigned", "3:"},
    {"bit_reverse", "1:"},
    {"dot_acc_sat dot_acc_sat_4x8packed_uu_uint dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_us_int "
     "dot_acc_sat_4x8packed_su_int",
     "3:"},
    {"dot_4x8packed_uu_uint dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int", "2:"},
    // Common, geometric, relational.
    {"clamp mix smoothstep bitselect select", "3:"},
    {"degrees radians sign length normalize fast_length fast_normalize isfinite isinf isnan isnormal signbit any all",
     "1:"},
    {"max min step cross dot distance fast_distance isequal isnotequal isgreater isgreaterequal isless islessequal "
     "islessgreater isordered isunordered",
     "2:"},
    {"shuffle", "2:"},
    {"shuffle2", "3:"},
    {"vec_step", "1:"},

    // Vectors in memory.
    {"vload2", "2: r1(+a0*2 2)"},
    {"vload3", "2: r1(+a0*3 3)"},
    {"vload4", "2: r1(+a0*4 4)"},
    {"vload8", "2: r1(+a0*8 8)"},
    {"vload16", "2: r1(+a0*16 16)"},
    {"vload_half", "2: r1(+a0*1 1)"},
    {"vload_half2 vloada_half2", "2: r1(+a0*2 2)"},
    {"vload_half3", "2: r1(+a0*3 3)"},
    {"vloada_half3", "2: r1(+a0*4 3)"},
    {"vload_half4 vloada_half4", "2: r1(+a0*4 4)"},
    {"vload_half8 vloada_half8", "2: r1(+a0*8 8)"},
    {"vload_half16 vloada_half16", "2: r1(+a0*16 16)"},
    {"vstore2", "3: w2(+a1*2 2)"},
    {"vstore3", "3: w2(+a1*3 3)"},
    {"vstore4", "3: w2(+a1*4 4)"},
    {"vstore8", "3: w2(+a1*8 8)"},
    {"vstore16", "3: w2(+a1*16 16)"},
    {"vstore_half vstore_half_rte vstore_half_rtz vstore_half_rtp vstore_half_rtn", "3: w2(+a1*1 1)"},
    {"vstore_half2 vstore_half2_rte vstore_half2_rtz vstore_half2_rtp vstore_half2_rtn vstorea_half2 vstorea_half2_rte "
     "vstorea_half2_rtz vstorea_half2_rtp vstorea_half2_rtn",
     "3: w2(+a1*2 2)"},
    {"vstore_half3 vstore_half3_rte vstore_half3_rtz vstore_half3_rtp vstore_half3_rtn", "3: w2(+a1*3 3)"},
    {"vstorea_half3 vstorea_half3_rte vstorea_half3_rtz vstorea_half3_rtp vstorea_half3_rtn", "3: w2(+a1*4 3)"},
    {"vstore_half4 vstore_half4_rte vstore_half4_rtz vstore_half4_rtp vstore_half4_rtn vstorea_half4 vstorea_half4_rte "
     "vstorea_half4_rtz vstorea_half4_rtp vstorea_half4_rtn",
     "3: w2(+a1*4 4)"},
    {"vstore_half8 vstore_half8_rte vstore_half8_rtz vstore_half8_rtp vstore_half8_rtn vstorea_half8 vstorea_half8_rte "
     "vstorea_half8_rtz vstorea_half8_rtp vstorea_half8_rtn",
     "3: w2(+a1*8 8)"},
    {"vstore_half16 vstore_half16_rte vstore_half16_rtz vstore_half16_rtp vstore_half16_rtn vstorea_half16 "
     "vstorea_half16_rte vstorea_half16_rtz vstorea_half16_rtp vstorea_half16_rtn",
     "3: w2(+a1*16 16)"},

    // Synchronization.
    {"barrier mem_fence read_mem_fence write_mem_fence", "1:"},
    {"work_group_barrier sub_group_barrier", "1-2:"},
    {"atomic_work_item_fence", "3:"},

    // Copies by the whole group. A strided copy is strided in global memory.
    {"async_work_group_copy", "4: w0(a2) r1(a2)"},
    {"async_work_group_strided_copy", "5: w0 r1"},
    {"async_work_group_copy_2D2D", "*: w0 r2"},
    {"async_work_group_copy_3D3D", "*: w0 r2"},
    {"wait_group_events", "2: r1(a0)"},
    {"prefetch", "2:"},

    // Atomics of 1.x.
    {"atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor", "2: u0(1)!"},
    {"atomic_inc atomic_dec", "1: u0(1)!"},
    {"atomic_cmpxchg", "3: u0(1)!"},
    {"atom_add atom_sub atom_xchg atom_min atom_max atom_and atom_or atom_xor", "2: u0(1)!"},
    {"atom_inc atom_dec", "1: u0(1)!"},
    {"atom_cmpxchg", "3: u0(1)!"},
    // Atomics of 2.0.
    {"atomic_init", "2: w0(1)"},
    {"atomic_store", "2: w0(1)!"},
    {"atomic_store_explicit", "3-4: w0(1)!"},
    {"atomic_load", "1: r0(1)!"},
    {"atomic_load_explicit", "2-3: r0(1)!"},
    {"atomic_exchange atomic_fetch_add atomic_fetch_sub atomic_fetch_or atomic_fetch_xor atomic_fetch_and "
     "atomic_fetch_min atomic_fetch_max",
     "2: u0(1)!"},
    {"atomic_exchange_explicit atomic_fetch_add_explicit atomic_fetch_sub_explicit atomic_fetch_or_explicit "
     "atomic_fetch_xor_explicit atomic_fetch_and_explicit atomic_fetch_min_explicit atomic_fetch_max_explicit",
     "3-4: u0(1)!"},
    {"atomic_compare_exchange_strong atomic_compare_exchange_weak", "3: u0(1)! u1(1)"},
    {"atomic_compare_exchange_strong_explicit atomic_compare_exchange_weak_explicit", "5-6: u0(1)! u1(1)"},
    {"atomic_flag_test_and_set", "1: u0(1)!"},
    {"atomic_flag_test_and_set_explicit", "2-3: u0(1)!"},
    {"atomic_flag_clear", "1: w0(1)!"},
    {"atomic_flag_clear_explicit", "2-3: w0(1)!"},

    // Images.
    {"read_imagef read_imagei read_imageui read_imageh", "2-7: r0"},
    {"write_imagef write_imagei write_imageui write_imageh", "3-4: w0"},
    {"get_image_width get_image_height get_image_depth get_image_dim get_image_channel_data_type "
     "get_image_channel_order get_image_array_size get_image_num_mip_levels get_image_num_samples",
     "1:"},

    // Pipes: reading removes data, so both ends update.
    {"read_pipe", "2: u0 w1(1)?"},
    {"read_pipe", "4: u0 w3(1)?"},
    {"write_pipe", "2: u0 r1(1)"},
    {"write_pipe", "4: u0 r3(1)"},
    {"reserve_read_pipe reserve_write_pipe commit_read_pipe commit_write_pipe work_group_reserve_read_pipe "
     "work_group_reserve_write_pipe work_group_commit_read_pipe work_group_commit_write_pipe "
     "sub_group_reserve_read_pipe sub_group_reserve_write_pipe sub_group_commit_read_pipe "
     "sub_group_commit_write_pipe",
     "2: u0"},
    {"get_pipe_num_packets get_pipe_max_packets", "1: r0"},
    {"is_valid_reserve_id", "1:"},

    // Address spaces.
    {"to_global to_local to_private __to_global __to_local __to_private", "1: ==0"},
    {"get_fence", "1:"},

    {"printf", "1+: r0+ io"},
    {"get_default_queue", "0:"},
    {"ndrange_1D ndrange_2D ndrange_3D", "1-3:"},

    // Intel sub-groups: each work-item's share of a block.
    {"intel_sub_group_block_read intel_sub_group_block_read2 intel_sub_group_block_read4 intel_sub_group_block_read8 "
     "intel_sub_group_block_read_us intel_sub_group_block_read_us2 intel_sub_group_block_read_us4 "
     "intel_sub_group_block_read_us8",
     "1-2: r0"},
    {"intel_sub_group_block_write intel_sub_group_block_write2 intel_sub_group_block_write4 "
     "intel_sub_group_block_write8 intel_sub_group_block_write_us intel_sub_group_block_write_us2 "
     "intel_sub_group_block_write_us4 intel_sub_group_block_write_us8",
     "2-3: w0"},

    // The compiler's own.
    {"__builtin_expect", "2:"},
    {"__builtin_assume", "1:"},
    {"__builtin_assume_aligned", "2-3: ==0"},
    {"__builtin_unreachable __builtin_trap", "0: noreturn"},
    {"__builtin_popcount __builtin_clz __builtin_ctz", "1:"},
};

std::span<const LibraryRow> libraryRowsOpenCl() { return Rows; }

} // namespace hsched::cc
