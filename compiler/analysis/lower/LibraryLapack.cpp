// Effects of LAPACK, through LAPACKE and Fortran.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The notation is LibraryTable.h's. Work space is written before it is read. The length of pivots and reflectors is the
// minimum of two arguments, which the notation cannot express, so it is unknown.
#include "analysis/lower/LibraryTable.h"

namespace hsched::cc {

static constexpr LibraryRow Rows[] = {
    // LAPACKE: linear equations.
    {"LAPACKE_%potrf LAPACKE_%potri LAPACKE_%lauum LAPACKE_%potrf2", "5: u3(a2xa2/a4)?"},
    {"LAPACKE_%trtri", "6: u4(a3xa3/a5)?"},
    {"LAPACKE_%getrf LAPACKE_%getrf2", "6: u3(a1xa2/a4 o0) w5"},
    {"LAPACKE_%getri", "5: u2(a1xa1/a3) r4(a1)"},
    {"LAPACKE_%getrs", "9: r4(a2xa2/a5) r6(a2) u7(a2xa3/a8 o0)"},
    {"LAPACKE_%gesv", "8: u3(a1xa1/a4) w5(a1)? u6(a1xa2/a7 o0)?"},
    {"LAPACKE_%potrs", "8: r4(a2xa2/a5)? u6(a2xa3/a7 o0)"},
    {"LAPACKE_%posv", "8: u4(a2xa2/a5)? u6(a2xa3/a7 o0)?"},
    {"LAPACKE_%trtrs", "10: r6(a4xa4/a7)? u8(a4xa5/a9 o0)?"},
    {"LAPACKE_%sysv LAPACKE_&hesv", "9: u4(a2xa2/a5)? w6(a2)? u7(a2xa3/a8 o0)?"},
    {"LAPACKE_%sytrf LAPACKE_&hetrf", "6: u3(a2xa2/a4)? w5(a2)?"},
    {"LAPACKE_%gtsv", "8: u3 u4(a1)? u5 u6(a1xa2/a7 o0)?"},
    {"LAPACKE_%gttrf", "6: u1 u2(a0)? u3 w4 w5"},
    {"LAPACKE_%gttrs", "11: r4 r5 r6 r7 r8 u9(a2xa3/a10 o0)?"},
    {"LAPACKE_$pttrf", "3: u1(a0)? u2"},
    {"LAPACKE_$ptsv", "7: u3(a1)? u4 u5(a1xa2/a6 o0)?"},
    {"LAPACKE_%gbtrf", "8: u5 w7"},
    {"LAPACKE_%gbtrs", "11: r6 r8 u9(a2xa5/a10 o0)?"},
    {"LAPACKE_%gbsv", "10: u5 w7 u8(a1xa4/a9 o0)?"},
    {"LAPACKE_%pbtrf", "6: u4"},
    {"LAPACKE_%laswp", "8: u2 r6"},
    {"LAPACKE_%gecon", "8: r4(a2xa2/a5) w7(1)"},
    // Orthogonal factors.
    {"LAPACKE_%geqrf LAPACKE_%gelqf LAPACKE_%geqlf LAPACKE_%gerqf LAPACKE_%geqr2", "6: u3(a1xa2/a4 o0) w5"},
    {"LAPACKE_$orgqr LAPACKE_&ungqr LAPACKE_$orglq LAPACKE_&unglq", "7: u4(a1xa2/a5 o0) r6(a3)"},
    {"LAPACKE_$ormqr LAPACKE_&unmqr LAPACKE_$ormlq LAPACKE_&unmlq", "11: r6 r8(a5) u9(a3xa4/a10 o0)"},
    {"LAPACKE_%geqrt", "8: u4(a1xa2/a5 o0) w6"},
    {"LAPACKE_%gemqrt", "13: r7 r9 u11(a3xa4/a12 o0)"},
    {"LAPACKE_%tpqrt", "11: u5(a2xa2/a6)? u7(a1xa2/a8 o0)? w9"},
    {"LAPACKE_%tpmqrt", "16: r8 r10 u12 u14"},
    {"LAPACKE_%larfg", "5: u1(1) u2 w4(1)"},
    // Least squares, eigenvalues, singular values.
    {"LAPACKE_%gels", "9: u5(a2xa3/a6 o0) u7"},
    {"LAPACKE_$syev LAPACKE_&heev LAPACKE_$syevd LAPACKE_&heevd", "7: u4(a3xa3/a5)? w6(a3)?"},
    {"LAPACKE_$geev", "12: u4(a3xa3/a5) w6(a3)? w7(a3)? w8 w10"},
    {"LAPACKE_&geev", "11: u4(a3xa3/a5) w6(a3)? w7 w9"},
    {"LAPACKE_%gesvd", "13: u5(a3xa4/a6 o0) w7 w8 w10 w12"},
    {"LAPACKE_%gesdd", "11: u4(a2xa3/a5 o0) w6 w7 w9"},
    // Helpers.
    {"LAPACKE_%lacpy", "8: r4(a2xa3/a5 o0)? w6(a2xa3/a7 o0)?"},
    {"LAPACKE_$laset LAPACKE_&laset", "8: w6(a2xa3/a7 o0)?"},
    {"LAPACKE_%lange", "6: r4(a2xa3/a5 o0)"},
    {"LAPACKE_%lansy LAPACKE_&lanhe", "6: r4(a3xa3/a5)?"},
    {"LAPACKE_%larnv", "4: u1(4) w3(a2)"},
    {"LAPACKE_$lamch", "1:"},

    // Fortran.
    {"%potrf_ %potri_ %lauum_ %potf2_ %potrf2_", "5: byref u2(a1xa1/a3)? w4(1)"},
    {"%trtri_", "6: byref u3(a2xa2/a4)? w5(1)"},
    {"%getrf_ %getf2_ %getrf2_", "6: byref u2(a0xa1/a3) w4 w5(1)"},
    {"%getri_", "7: byref u1(a0xa0/a2) r3(a0) u4 w6(1)"},
    {"%getrs_", "9: byref r3(a1xa1/a4) r5(a1) u6(a1xa2/a7) w8(1)"},
    {"%gesv_", "8: byref u2(a0xa0/a3) w4(a0)? u5(a0xa1/a6)? w7(1)"},
    {"%potrs_", "8: byref r3(a1xa1/a4)? u5(a1xa2/a6) w7(1)"},
    {"%posv_", "8: byref u3(a1xa1/a4)? u5(a1xa2/a6)? w7(1)"},
    {"%trtrs_", "10: byref r5(a3xa3/a6)? u7(a3xa4/a8)? w9(1)"},
    {"%gtsv_", "8: byref u2 u3(a0)? u4 u5(a0xa1/a6)? w7(1)"},
    {"$pttrf_ &pttrf_", "4: byref u1(a0)? u2 w3(1)"},
    {"%gbtrf_", "8: byref u4 w6 w7(1)"},
    {"%gbtrs_", "11: byref r5 r7 u8(a1xa4/a9)? w10(1)"},
    {"%gbsv_", "10: byref u4 w6 u7(a0xa3/a8)? w9(1)"},
    {"%laswp_", "7: byref u1 r5"},
    {"%geqrf_ %gelqf_", "8: byref u2(a0xa1/a3) w4 u5 w7(1)"},
    {"%geqr2_", "7: byref u2(a0xa1/a3) w4 u5 w6(1)"},
    {"$orgqr_ &ungqr_", "9: byref u3(a0xa1/a4) r5(a2) u6 w8(1)"},
    {"$ormqr_ &unmqr_", "13: byref u5 r7(a4) u8(a2xa3/a9) u10 w12(1)"},
    {"%geqrt_", "9: byref u3(a0xa1/a4) w5 u7 w8(1)"},
    {"%gemqrt_", "14: byref r6 r8 u10(a2xa3/a11) u12 w13(1)"},
    {"%tpqrt_", "12: byref u4(a1xa1/a5)? u6(a0xa1/a7)? w8 u10 w11(1)"},
    {"%tpmqrt_", "17: byref r7 r9 u11 u13 u15 w16(1)"},
    {"%larfg_", "5: byref u1(1) u2 w4(1)"},
    {"%gels_", "11: byref u4(a1xa2/a5) u6 u8 w10(1)"},
    {"$syev_", "9: byref u3(a2xa2/a4)? w5(a2)? u6 w8(1)"},
    {"&heev_", "10: byref u3(a2xa2/a4)? w5(a2)? u6 u8 w9(1)"},
    {"$geev_", "14: byref u3(a2xa2/a4) w5(a2)? w6(a2)? w7 w9 u11 w13(1)"},
    {"$gesvd_", "14: byref u4(a2xa3/a5) w6 w7 w9 u11 w13(1)"},
    {"&gesvd_", "15: byref u4(a2xa3/a5) w6 w7 w9 u11 u13 w14(1)"},
    {"%lacpy_", "7: byref r3(a1xa2/a4)? w5(a1xa2/a6)?"},
    {"%laset_", "7: byref w5(a1xa2/a6)?"},
    {"%lange_", "6: byref r3(a1xa2/a4) u5"},
    {"%larnv_", "4: byref u1(4) w3(a2)"},
    {"$lamch_", "1: byref"},
};

std::span<const LibraryRow> libraryRowsLapack() { return Rows; }

} // namespace hsched::cc
