// Effects of BLAS, through its C and Fortran interfaces, and of FFTW's plan execution.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The notation is LibraryTable.h's. A triangle of a matrix is the whole matrix with partial access.
#include "analysis/lower/LibraryTable.h"

namespace hsched::cc {

static constexpr LibraryRow Rows[] = {
    // The C interface, level 1.
    {"cblas_$axpy", "6: r2(a0/a3) u4(a0/a5)"},
    {"cblas_&axpy", "6: r1(1) r2(a0/a3) u4(a0/a5)"},
    {"cblas_$axpby", "7: r2(a0/a3) u5(a0/a6)~4"},
    {"cblas_$scal cblas_csscal cblas_zdscal", "4: u2(a0/a3)"},
    {"cblas_&scal", "4: r1(1) u2(a0/a3)"},
    {"cblas_%copy", "5: r1(a0/a2) w3(a0/a4)"},
    {"cblas_%swap", "5: u1(a0/a2) u3(a0/a4)"},
    {"cblas_$dot cblas_dsdot", "5: r1(a0/a2) r3(a0/a4)"},
    {"cblas_sdsdot", "6: r2(a0/a3) r4(a0/a5)"},
    {"cblas_&dotu_sub cblas_&dotc_sub", "6: r1(a0/a2) r3(a0/a4) w5(1)"},
    {"cblas_snrm2 cblas_dnrm2 cblas_scnrm2 cblas_dznrm2 cblas_sasum cblas_dasum cblas_scasum cblas_dzasum cblas_ssum "
     "cblas_dsum",
     "3: r1(a0/a2)"},
    {"cblas_i%amax cblas_i%amin", "3: r1(a0/a2)"},
    {"cblas_$rot", "7: u1(a0/a2) u3(a0/a4)"},
    {"cblas_csrot cblas_zdrot", "7: u1(a0/a2) u3(a0/a4)"},
    {"cblas_$rotg", "4: u0(1) u1(1) w2(1) w3(1)"},
    {"cblas_$rotm", "6: u1(a0/a2) u3(a0/a4) r5(5)?"},
    {"cblas_$rotmg", "5: u0(1) u1(1) u2(1) w4(5)?"},

    // Level 2.
    {"cblas_$gemv", "12: r5(a2xa3/a6 o0) r7(a3/a8 t1:a2) u10(a2/a11 t1:a3)~9"},
    {"cblas_&gemv", "12: r4(1) r5(a2xa3/a6 o0) r7(a3/a8 t1:a2) r9(1) u10(a2/a11 t1:a3)"},
    {"cblas_$gbmv", "14: r7 r9(a3/a10 t1:a2) u12(a2/a13 t1:a3)~11"},
    {"cblas_&gbmv", "14: r6(1) r7 r9(a3/a10 t1:a2) r11(1) u12(a2/a13 t1:a3)"},
    {"cblas_$ger", "10: r4(a1/a5) r6(a2/a7) u8(a1xa2/a9 o0)"},
    {"cblas_&geru cblas_&gerc", "10: r3(1) r4(a1/a5) r6(a2/a7) u8(a1xa2/a9 o0)"},
    {"cblas_$symv", "11: r4(a2xa2/a5)? r6(a2/a7) u9(a2/a10)~8"},
    {"cblas_&hemv", "11: r3(1) r4(a2xa2/a5)? r6(a2/a7) r8(1) u9(a2/a10)"},
    {"cblas_$sbmv", "12: r5 r7(a2/a8) u10(a2/a11)~9"},
    {"cblas_&hbmv", "12: r4(1) r5 r7(a2/a8) r9(1) u10(a2/a11)"},
    {"cblas_$spmv", "10: r4 r5(a2/a6) u8(a2/a9)~7"},
    {"cblas_&hpmv", "10: r3(1) r4 r5(a2/a6) r7(1) u8(a2/a9)"},
    {"cblas_%trmv cblas_%trsv", "9: r5(a4xa4/a6)? u7(a4/a8)"},
    {"cblas_%tbmv cblas_%tbsv", "10: r6 u8(a4/a9)"},
    {"cblas_%tpmv cblas_%tpsv", "8: r5 u6(a4/a7)"},
    {"cblas_$syr cblas_&her", "8: r4(a2/a5) u6(a2xa2/a7)?"},
    {"cblas_$syr2", "10: r4(a2/a5) r6(a2/a7) u8(a2xa2/a9)?"},
    {"cblas_&her2", "10: r3(1) r4(a2/a5) r6(a2/a7) u8(a2xa2/a9)?"},
    {"cblas_$spr cblas_&hpr", "7: r4(a2/a5) u6"},
    {"cblas_$spr2", "9: r4(a2/a5) r6(a2/a7) u8"},
    {"cblas_&hpr2", "9: r3(1) r4(a2/a5) r6(a2/a7) u8"},

    // Level 3.
    {"cblas_$gemm", "14: r7(a3xa5/a8 o0 t1) r9(a5xa4/a10 o0 t2) u12(a3xa4/a13 o0)~11"},
    {"cblas_&gemm cblas_&gemm3m", "14: r6(1) r7(a3xa5/a8 o0 t1) r9(a5xa4/a10 o0 t2) r11(1) u12(a3xa4/a13 o0)"},
    {"cblas_$symm", "13: r6(a3xa3/a7 s1:a4)? r8(a3xa4/a9 o0) u11(a3xa4/a12 o0)~10"},
    {"cblas_&symm cblas_&hemm", "13: r5(1) r6(a3xa3/a7 s1:a4)? r8(a3xa4/a9 o0) r10(1) u11(a3xa4/a12 o0)"},
    {"cblas_$syrk cblas_&herk", "11: r6(a3xa4/a7 o0 t2) u9(a3xa3/a10)?~8"},
    {"cblas_&syrk", "11: r5(1) r6(a3xa4/a7 o0 t2) r8(1) u9(a3xa3/a10)?"},
    {"cblas_$syr2k", "13: r6(a3xa4/a7 o0 t2) r8(a3xa4/a9 o0 t2) u11(a3xa3/a12)?~10"},
    {"cblas_&syr2k", "13: r5(1) r6(a3xa4/a7 o0 t2) r8(a3xa4/a9 o0 t2) r10(1) u11(a3xa3/a12)?"},
    {"cblas_&her2k", "13: r5(1) r6(a3xa4/a7 o0 t2) r8(a3xa4/a9 o0 t2) u11(a3xa3/a12)?~10"},
    {"cblas_$trmm cblas_$trsm", "12: r8(a5xa5/a9 s1:a6)? u10(a5xa6/a11 o0)"},
    {"cblas_&trmm cblas_&trsm", "12: r7(1) r8(a5xa5/a9 s1:a6)? u10(a5xa6/a11 o0)"},
    {"cblas_xerbla", "3+: r1 r2+ io"},

    // Fortran's, level 1.
    {"%axpy_", "6: byref r2(a0/a3) u4(a0/a5)"},
    {"%scal_ csscal_ zdscal_", "4: byref u2(a0/a3)"},
    {"%copy_", "5: byref r1(a0/a2) w3(a0/a4)"},
    {"%swap_", "5: byref u1(a0/a2) u3(a0/a4)"},
    {"$dot_ dsdot_ &dotu_ &dotc_", "5: byref r1(a0/a2) r3(a0/a4)"},
    {"sdsdot_", "6: byref r2(a0/a3) r4(a0/a5)"},
    {"snrm2_ dnrm2_ scnrm2_ dznrm2_ sasum_ dasum_ scasum_ dzasum_ i%amax_", "3: byref r1(a0/a2)"},
    {"$rot_ csrot_ zdrot_", "7: byref u1(a0/a2) u3(a0/a4)"},
    {"$rotg_", "4: byref u0(1) u1(1) w2(1) w3(1)"},
    {"&rotg_", "4: byref u0(1) r1(1) w2(1) w3(1)"},
    {"$rotm_", "6: byref u1(a0/a2) u3(a0/a4) r5(5)?"},
    {"$rotmg_", "5: byref u0(1) u1(1) u2(1) w4(5)?"},
    // Level 2.
    {"%gemv_", "11: byref r4(a1xa2/a5) r6(a2/a7 t0:a1) u9(a1/a10 t0:a2)?~8"},
    {"%gbmv_", "13: byref r6 r8(a2/a9 t0:a1) u11(a1/a12 t0:a2)?~10"},
    {"$ger_ &geru_ &gerc_", "9: byref r3(a0/a4) r5(a1/a6) u7(a0xa1/a8)"},
    {"$symv_ &hemv_", "10: byref r3(a1xa1/a4)? r5(a1/a6) u8(a1/a9)?~7"},
    {"$sbmv_ &hbmv_", "11: byref r4 r6(a1/a7) u9(a1/a10)?~8"},
    {"$spmv_ &hpmv_", "9: byref r3 r4(a1/a5) u7(a1/a8)?~6"},
    {"%trmv_ %trsv_", "8: byref r4(a3xa3/a5)? u6(a3/a7)"},
    {"%tbmv_ %tbsv_", "9: byref r5 u7(a3/a8)"},
    {"%tpmv_ %tpsv_", "7: byref r4 u5(a3/a6)"},
    {"$syr_ &her_", "7: byref r3(a1/a4) u5(a1xa1/a6)?"},
    {"$syr2_ &her2_", "9: byref r3(a1/a4) r5(a1/a6) u7(a1xa1/a8)?"},
    {"$spr_ &hpr_", "6: byref r3(a1/a4) u5"},
    {"$spr2_ &hpr2_", "8: byref r3(a1/a4) r5(a1/a6) u7"},
    // Level 3.
    {"%gemm_ &gemm3m_", "13: byref r6(a2xa4/a7 t0) r8(a4xa3/a9 t1) u11(a2xa3/a12)?~10"},
    {"%symm_ &hemm_", "12: byref r5(a2xa2/a6 s0:a3)? r7(a2xa3/a8) u10(a2xa3/a11)?~9"},
    {"%syrk_ &herk_", "10: byref r5(a2xa3/a6 t1) u8(a2xa2/a9)?~7"},
    {"%syr2k_ &her2k_", "12: byref r5(a2xa3/a6 t1) r7(a2xa3/a8 t1) u10(a2xa2/a11)?~9"},
    {"%trmm_ %trsm_", "11: byref r7(a4xa4/a8 s0:a5)? u9(a4xa5/a10)"},
    {"lsame_", "2: byref"},

    // FFTW. fftw_execute is missing, because it uses arrays of the plan that are no arguments.
    {"fftw_execute_dft fftwf_execute_dft fftw_execute_dft_r2c fftwf_execute_dft_r2c fftw_execute_dft_c2r "
     "fftwf_execute_dft_c2r fftw_execute_r2r fftwf_execute_r2r",
     "3: u0 u1 u2"},
    {"fftw_destroy_plan fftwf_destroy_plan", "1: u0 io"},
    {"fftw_malloc fftwf_malloc fftw_alloc_real fftwf_alloc_real fftw_alloc_complex fftwf_alloc_complex",
     "1: allocates"},
    {"fftw_free fftwf_free", "1: w0"},
};

std::span<const LibraryRow> libraryRowsBlas() { return Rows; }

} // namespace hsched::cc
