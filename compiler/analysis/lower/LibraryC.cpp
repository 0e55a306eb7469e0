// Effects of the C library, the compilers' built-ins and vector intrinsics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The notation is LibraryTable.h's. errno, the rounding mode and the locale are not memory here.
#include "analysis/lower/LibraryTable.h"

namespace hsched::cc {

static constexpr LibraryRow Rows[] = {
    // string.h, strings.h.
    {"memcpy memmove", "3: w0(a2 b) r1(a2 b) ==0"},
    {"mempcpy", "3: w0(a2 b) r1(a2 b) =0"},
    {"memccpy", "4: w0(a3 b)? r1(a3 b)? =0"},
    {"memset", "3: w0(a2 b) ==0"},
    {"explicit_bzero bzero", "2: w0(a1 b)"},
    {"bcopy", "3: r0(a2 b) w1(a2 b)"},
    {"memcmp bcmp", "3: r0(a2 b)? r1(a2 b)?"},
    {"memchr memrchr", "3: r0(a2 b)? =0"},
    {"rawmemchr", "2: r0 =0"},
    {"memmem", "4: r0(a1 b)? r2(a3 b)? =0"},
    {"memfrob", "2: u0(a1 b) ==0"},
    {"strlen", "1: r0"},
    {"strnlen", "2: r0(a1 b)?"},
    {"strcpy", "2: w0 r1 ==0"},
    {"stpcpy", "2: w0 r1 =0"},
    {"strncpy", "3: w0(a2 b) r1(a2 b)? ==0"},
    {"stpncpy", "3: w0(a2 b) r1(a2 b)? =0"},
    {"strcat", "2: u0 r1 ==0"},
    {"strncat", "3: u0 r1(a2 b)? ==0"},
    {"strcmp strcasecmp strcoll", "2: r0 r1"},
    {"strncmp strncasecmp", "3: r0(a2 b)? r1(a2 b)?"},
    {"strxfrm", "3: w0(a2 b)? r1"},
    {"strchr strrchr strchrnul index rindex", "2: r0 =0"},
    {"strstr strcasestr strpbrk", "2: r0 r1 =0"},
    {"strspn strcspn", "2: r0 r1"},
    {"strdup", "1: r0 allocates"},
    {"strndup", "2: r0(a1 b)? allocates"},
    {"strtok", "2: u0 r1 =0 io"},
    {"strtok_r", "3: u0 r1 u2(1) =0"},
    {"strsep", "2: u0(1) u0 r1"},
    {"strerror", "1: io"},
    {"swab", "3: r0(a2 b)? w1(a2 b)?"},

    // wchar.h
    {"wmemcpy wmemmove", "3: w0(a2) r1(a2) ==0"},
    {"wmemset", "3: w0(a2) ==0"},
    {"wmemcmp", "3: r0(a2)? r1(a2)?"},
    {"wcslen", "1: r0"},
    {"wcscmp", "2: r0 r1"},
    {"wcscpy", "2: w0 r1 ==0"},
    {"wcschr wcsrchr", "2: r0 =0"},
    {"mbstowcs wcstombs", "3: w0(a2)? r1"},

    // stdlib.h
    {"malloc valloc alloca", "1: allocates"},
    {"calloc aligned_alloc memalign", "2: allocates"},
    {"realloc", "2: u0 allocates"},
    {"reallocarray", "3: u0 allocates"},
    {"free", "1: w0"},
    {"posix_memalign", "3: w0(1)?"},
    {"qsort", "4: u0(a1*a2 b)& calls3"},
    {"qsort_r", "5: u0(a1*a2 b)& u4& calls3"},
    {"bsearch", "5: r0(1)& r1(a2*a3 b)?& calls4 =1"},
    {"abs labs llabs imaxabs ffs ffsl ffsll", "1:"},
    {"div ldiv lldiv imaxdiv", "2:"},
    {"atoi atol atoll atof", "1: r0"},
    {"strtod strtof strtold", "2: r0 w1(1)?"},
    {"strtol strtoll strtoul strtoull strtoimax strtoumax", "3: r0 w1(1)?"},
    {"abort", "0: io noreturn"},
    {"exit _Exit _exit quick_exit", "1: io noreturn"},
    {"getenv secure_getenv", "1: r0 io"},
    {"system", "1: r0 io"},
    {"rand random lrand48 mrand48 drand48", "0: io"},
    {"srand srandom srand48", "1: io"},
    {"rand_r", "1: u0(1)"},
    {"erand48 nrand48 jrand48", "1: u0(3)"},
    {"drand48_r lrand48_r mrand48_r", "2: u0(1) w1(1)"},
    {"srand48_r srandom_r", "2: u1(1)"},
    {"random_r", "2: u0(1) w1(1)"},
    {"mblen", "2: r0(a1 b)? io"},
    {"atexit", "1: io"},

    // math.h: by value.
    {"acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 exp10 expm1 fabs floor ilogb j0 j1 lgamma "
     "gamma llrint llround log log10 log1p log2 logb lrint lround nearbyint rint round roundeven significand sin sinh "
     "sqrt tan tanh tgamma trunc y0 y1 pow10",
     "1:"},
    {"acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf erff erfcf expf exp2f exp10f expm1f fabsf floorf "
     "ilogbf j0f j1f lgammaf gammaf llrintf llroundf logf log10f log1pf log2f logbf lrintf lroundf nearbyintf rintf "
     "roundf roundevenf significandf sinf sinhf sqrtf tanf tanhf tgammaf truncf y0f y1f pow10f",
     "1:"},
    {"acosl acoshl asinl asinhl atanl atanhl cbrtl ceill cosl coshl erfl erfcl expl exp2l exp10l expm1l fabsl floorl "
     "ilogbl lgammal llrintl llroundl logl log10l log1pl log2l logbl lrintl lroundl nearbyintl rintl roundl sinl sinhl "
     "sqrtl tanl tanhl tgammal truncl",
     "1:"},
    {"atan2 copysign drem fdim fmax fmin fmod jn ldexp nextafter nexttoward pow remainder scalb scalbln scalbn yn",
     "2:"},
    {"atan2f copysignf dremf fdimf fmaxf fminf fmodf jnf ldexpf nextafterf nexttowardf powf remainderf scalbf scalblnf "
     "scalbnf ynf",
     "2:"},
    {"atan2l copysignl fdiml fmaxl fminl fmodl ldexpl nextafterl nexttowardl powl remainderl scalblnl scalbnl", "2:"},
    {"fma fmaf fmal", "3:"},
    {"hypot", "2-3:"},
    {"hypotf hypotl", "2:"},
    {"isnan isinf isfinite isnormal signbit fpclassify finite isnanf isinff finitef __isnan __isinf __finite __signbit "
     "__fpclassify __isnanf __isinff __finitef __signbitf __fpclassifyf __isnanl __isinfl __finitel __signbitl "
     "__fpclassifyl",
     "1:"},
    {"isgreater isgreaterequal isless islessequal islessgreater isunordered", "2:"},
    {"nan nanf nanl", "1: r0"},
    // math.h: through pointers.
    {"modf modff modfl frexp frexpf frexpl lgamma_r lgammaf_r lgammal_r gamma_r gammaf_r", "2: w1(1)"},
    {"sincos sincosf sincosl", "3: w1(1) w2(1)"},
    {"remquo remquof remquol", "3: w2(1)"},
    // complex.h
    {"cabs carg cimag creal conj cproj cexp clog csqrt csin ccos ctan casin cacos catan csinh ccosh ctanh casinh "
     "cacosh "
     "catanh",
     "1:"},
    {"cabsf cargf cimagf crealf conjf cprojf cexpf clogf csqrtf csinf ccosf ctanf casinf cacosf catanf csinhf ccoshf "
     "ctanhf casinhf cacoshf catanhf",
     "1:"},
    {"cpow cpowf", "2:"},
    // ctype.h
    {"isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper "
     "isascii toascii iswalpha iswdigit iswspace towlower towupper",
     "1:"},

    // stdio.h: a FILE is one object. What it points to is the library's own.
    {"printf", "1+: r0+ io"},
    {"fprintf", "2+: u0(1) r1+ io"},
    {"dprintf", "2+: r1+ io"},
    {"sprintf", "2+: w0 r1+"},
    {"snprintf", "3+: w0(a1 b)? r2+"},
    {"vprintf", "2: r0 r1 io"},
    {"vfprintf", "3: u0(1) r1 r2 io"},
    {"vsprintf", "3: w0 r1 r2"},
    {"vsnprintf", "4: w0(a1 b)? r2 r3"},
    {"scanf", "1+: r0 w1+ io"},
    {"fscanf", "2+: u0(1) r1 w2+ io"},
    {"sscanf __isoc99_sscanf __isoc23_sscanf", "2+: r0 r1 w2+"},
    {"__isoc99_scanf __isoc23_scanf", "1+: r0 w1+ io"},
    {"__isoc99_fscanf __isoc23_fscanf", "2+: u0(1) r1 w2+ io"},
    {"puts perror", "1: r0 io"},
    {"fputs", "2: r0 u1(1) io"},
    {"putchar putchar_unlocked", "1: io"},
    {"fputc putc putc_unlocked", "2: u1(1) io"},
    {"getchar", "0: io"},
    {"fgetc getc", "1: u0(1) io"},
    {"ungetc", "2: u1(1) io"},
    {"fgets", "3: w0(a1)? u2(1) =0 io"},
    {"gets", "1: w0 =0 io"},
    {"getline", "3: u0(1) u0 u1(1) u2(1) io"},
    {"fread", "4: w0(a1*a2 b)? u3(1) io"},
    {"fwrite", "4: r0(a1*a2 b)? u3(1) io"},
    {"fopen", "2: r0 r1 allocates io"},
    {"freopen", "3: r0 r1 u2(1) =2 io"},
    {"tmpfile", "0: allocates io"},
    {"fclose fflush rewind clearerr feof ferror fileno ftell ftello", "1: u0(1) io"},
    {"fseek fseeko", "3: u0(1) io"},
    {"fgetpos", "2: u0(1) w1(1)? io"},
    {"fsetpos", "2: u0(1) r1(1) io"},
    {"setvbuf", "4: u0 u1 io"},
    {"remove unlink rmdir", "1: r0 io"},
    {"rename", "2: r0 r1 io"},
    // unistd.h
    {"read pread", "3-4: w1(a2 b)? io"},
    {"write pwrite", "3-4: r1(a2 b)? io"},
    {"close lseek usleep sleep sched_yield getpid gettid sysconf", "*: io"},

    // time.h, sys/time.h.
    {"clock", "0: io"},
    {"time", "1: w0(1)? io"},
    {"clock_gettime clock_getres", "2: w1(1)? io"},
    {"timespec_get", "2: w0(1)? io"},
    {"gettimeofday", "2: w0(1)? w1? io"},
    {"nanosleep", "2: r0(1) w1(1)? io"},
    {"difftime", "2:"},
    {"gmtime_r localtime_r", "2: r0(1) w1(1)? =1"},
    {"mktime", "1: u0(1)"},

    // OpenMP's queries.
    {"omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_get_num_procs omp_in_parallel omp_get_wtime "
     "omp_get_wtick omp_get_level",
     "0:"},
    {"omp_init_lock omp_init_nest_lock", "1: w0(1)"},
    {"omp_set_lock omp_unset_lock omp_test_lock omp_destroy_lock omp_set_nest_lock omp_unset_nest_lock "
     "omp_test_nest_lock omp_destroy_nest_lock",
     "1: u0(1)!"},

    // Assertions.
    {"__assert_fail", "4: r0 r1 r3 io noreturn"},
    {"__assert_rtn", "4: r0 r1 r3 io noreturn"},

    // Compiler built-ins; __builtin_X of anything above is found as X.
    {"__builtin_expect", "2:"},
    {"__builtin_expect_with_probability", "3:"},
    {"__builtin_assume_aligned", "2-3: ==0"},
    {"__builtin_prefetch", "1-3:"},
    {"__builtin_unreachable __builtin_trap __builtin_verbose_trap __builtin_debugtrap", "*: noreturn"},
    {"__builtin_assume __assume __builtin_constant_p __builtin_is_constant_evaluated __builtin_cpu_supports "
     "__builtin_cpu_is __builtin_cpu_init __builtin_classify_type",
     "*:"},
    {"__builtin_object_size __builtin_dynamic_object_size", "2:"},
    {"__builtin_launder __builtin_addressof", "1: ==0"},
    {"__builtin_clz __builtin_clzl __builtin_clzll __builtin_ctz __builtin_ctzl __builtin_ctzll __builtin_popcount "
     "__builtin_popcountl __builtin_popcountll __builtin_parity __builtin_parityl __builtin_parityll __builtin_clrsb "
     "__builtin_clrsbl __builtin_clrsbll __builtin_bswap16 __builtin_bswap32 __builtin_bswap64 __builtin_bitreverse8 "
     "__builtin_bitreverse16 __builtin_bitreverse32 __builtin_bitreverse64",
     "1:"},
    {"__builtin_clzg __builtin_ctzg __builtin_popcountg", "1-2:"},
    {"__builtin_rotateleft8 __builtin_rotateleft16 __builtin_rotateleft32 __builtin_rotateleft64 "
     "__builtin_rotateright8 __builtin_rotateright16 __builtin_rotateright32 __builtin_rotateright64",
     "2:"},
    {"__builtin_huge_val __builtin_huge_valf __builtin_huge_vall __builtin_inf __builtin_inff __builtin_infl "
     "__builtin_readcyclecounter __builtin_LINE __builtin_FILE __builtin_FUNCTION __builtin_COLUMN",
     "0:"},
    {"__builtin_nan __builtin_nanf __builtin_nanl __builtin_nans __builtin_nansf __builtin_nansl", "1:"},
    {"__builtin_isnan __builtin_isinf __builtin_isinf_sign __builtin_isfinite __builtin_isnormal __builtin_signbit "
     "__builtin_signbitf __builtin_signbitl",
     "1:"},
    {"__builtin_fpclassify", "6:"},
    {"__builtin_isfpclass", "2:"},
    {"__builtin_isgreater __builtin_isgreaterequal __builtin_isless __builtin_islessequal __builtin_islessgreater "
     "__builtin_isunordered",
     "2:"},
    {"__builtin_add_overflow __builtin_sub_overflow __builtin_mul_overflow __builtin_sadd_overflow "
     "__builtin_saddl_overflow __builtin_saddll_overflow __builtin_uadd_overflow __builtin_uaddl_overflow "
     "__builtin_uaddll_overflow __builtin_ssub_overflow __builtin_ssubl_overflow __builtin_ssubll_overflow "
     "__builtin_usub_overflow __builtin_usubl_overflow __builtin_usubll_overflow __builtin_smul_overflow "
     "__builtin_smull_overflow __builtin_smulll_overflow __builtin_umul_overflow __builtin_umull_overflow "
     "__builtin_umulll_overflow",
     "3: w2(1)"},
    {"__builtin_memcpy_inline", "3: w0(a2 b) r1(a2 b)"},
    {"__builtin_memset_inline", "3: w0(a2 b)"},
    {"__builtin_char_memchr", "3: r0(a2)? =0"},
    {"__builtin_alloca_with_align", "2: allocates"},
    {"__builtin_operator_new", "*: allocates"},
    {"__builtin_operator_delete", "*: w0"},
    {"__builtin_nontemporal_load", "1: r0(1)"},
    {"__builtin_nontemporal_store", "2: w1(1)"},
    {"__builtin_elementwise_abs __builtin_elementwise_ceil __builtin_elementwise_cos __builtin_elementwise_exp "
     "__builtin_elementwise_floor __builtin_elementwise_log __builtin_elementwise_round __builtin_elementwise_sin "
     "__builtin_elementwise_sqrt __builtin_elementwise_trunc __builtin_reduce_add __builtin_reduce_max "
     "__builtin_reduce_min __builtin_reduce_mul __builtin_reduce_and __builtin_reduce_or __builtin_reduce_xor",
     "1:"},
    {"__builtin_elementwise_max __builtin_elementwise_min __builtin_elementwise_pow __builtin_elementwise_copysign "
     "__builtin_elementwise_add_sat __builtin_elementwise_sub_sat",
     "2:"},
    {"__builtin_elementwise_fma", "3:"},
    {"__builtin_matrix_transpose", "1:"},

    // Atomic operations; also with a size behind the name.
    {"__sync_fetch_and_add __sync_fetch_and_sub __sync_fetch_and_or __sync_fetch_and_and __sync_fetch_and_xor "
     "__sync_fetch_and_nand __sync_add_and_fetch __sync_sub_and_fetch __sync_or_and_fetch __sync_and_and_fetch "
     "__sync_xor_and_fetch __sync_nand_and_fetch __sync_lock_test_and_set __sync_swap",
     "2: u0(1)!"},
    {"__sync_bool_compare_and_swap __sync_val_compare_and_swap", "3: u0(1)!"},
    {"__sync_lock_release", "1: w0(1)!"},
    {"__sync_synchronize", "0:"},
    {"__atomic_thread_fence __atomic_signal_fence", "1:"},
    {"__atomic_load_n", "2: r0(1)!"},
    {"__atomic_store_n", "3: w0(1)!"},
    {"__atomic_fetch_add __atomic_fetch_sub __atomic_fetch_and __atomic_fetch_or __atomic_fetch_xor "
     "__atomic_fetch_nand "
     "__atomic_fetch_min __atomic_fetch_max __atomic_add_fetch __atomic_sub_fetch __atomic_and_fetch __atomic_or_fetch "
     "__atomic_xor_fetch __atomic_nand_fetch __atomic_min_fetch __atomic_max_fetch __atomic_exchange_n",
     "3: u0(1)!"},
    {"__atomic_load", "3: r0(1)! w1(1)"},
    {"__atomic_store", "3: w0(1)! r1(1)"},
    {"__atomic_exchange", "4: u0(1)! r1(1) w2(1)"},
    {"__atomic_compare_exchange_n", "6: u0(1)! u1(1)"},
    {"__atomic_compare_exchange", "6: u0(1)! u1(1) r2(1)"},
    {"__atomic_test_and_set", "2: u0(1)!"},
    {"__atomic_clear", "2: w0(1)!"},

    // SSE and AVX: in bytes, because the pointer's type is irrelevant.
    {"_mm_load_ss _mm_load1_ps _mm_load_ps1 _mm_broadcast_ss _mm256_broadcast_ss _mm_loadu_si32", "1: r0(4 b)"},
    {"_mm_load_sd _mm_load1_pd _mm_loaddup_pd _mm256_broadcast_sd _mm_loadl_epi64 _mm_loadu_si64", "1: r0(8 b)"},
    {"_mm_load_ps _mm_loadu_ps _mm_loadr_ps _mm_load_pd _mm_loadu_pd _mm_loadr_pd _mm_load_si128 _mm_loadu_si128 "
     "_mm_lddqu_si128 _mm_stream_load_si128 _mm256_broadcast_ps _mm256_broadcast_pd",
     "1: r0(16 b)"},
    {"_mm256_load_ps _mm256_loadu_ps _mm256_load_pd _mm256_loadu_pd _mm256_load_si256 _mm256_loadu_si256 "
     "_mm256_lddqu_si256 _mm256_stream_load_si256",
     "1: r0(32 b)"},
    {"_mm512_load_ps _mm512_loadu_ps _mm512_load_pd _mm512_loadu_pd _mm512_load_si512 _mm512_loadu_si512",
     "1: r0(64 b)"},
    {"_mm_store_ss _mm_storeu_si32", "2: w0(4 b)"},
    {"_mm_store_sd _mm_storel_pd _mm_storeh_pd _mm_storel_epi64 _mm_storel_pi _mm_storeh_pi _mm_storeu_si64",
     "2: w0(8 b)"},
    {"_mm_store_ps _mm_storeu_ps _mm_storer_ps _mm_store1_ps _mm_store_pd _mm_storeu_pd _mm_storer_pd _mm_store1_pd "
     "_mm_store_si128 _mm_storeu_si128 _mm_stream_ps _mm_stream_pd _mm_stream_si128",
     "2: w0(16 b)"},
    {"_mm256_store_ps _mm256_storeu_ps _mm256_store_pd _mm256_storeu_pd _mm256_store_si256 _mm256_storeu_si256 "
     "_mm256_stream_ps _mm256_stream_pd _mm256_stream_si256",
     "2: w0(32 b)"},
    {"_mm512_store_ps _mm512_storeu_ps _mm512_store_pd _mm512_storeu_pd _mm512_store_si512 _mm512_storeu_si512 "
     "_mm512_stream_ps _mm512_stream_pd _mm512_stream_si512",
     "2: w0(64 b)"},
    {"_mm_maskload_ps _mm_maskload_pd", "2: r0(16 b)?"},
    {"_mm256_maskload_ps _mm256_maskload_pd", "2: r0(32 b)?"},
    {"_mm_maskstore_ps _mm_maskstore_pd", "3: w0(16 b)?"},
    {"_mm256_maskstore_ps _mm256_maskstore_pd", "3: w0(32 b)?"},
    {"_mm_prefetch", "2:"},
    {"_mm_sfence _mm_lfence _mm_mfence _mm_pause _mm256_zeroupper _mm256_zeroall __builtin_ia32_pause "
     "__builtin_ia32_sfence __builtin_ia32_lfence __builtin_ia32_mfence __builtin_ia32_vzeroupper "
     "__builtin_ia32_vzeroall",
     "0:"},
};

std::span<const LibraryRow> libraryRowsC() { return Rows; }

} // namespace hsched::cc
