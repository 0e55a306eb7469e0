// The tables of known functions: well formed, unique, and saying what the functions' manuals say.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/LibraryTable.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace hsched::cc {
namespace {

// The effect on one argument; fails where there is none or more than one.
const LibraryEffect &effect(const LibraryFunction &F, unsigned Argument) {
  static const LibraryEffect None;
  const LibraryEffect *Found = nullptr;
  for (const LibraryEffect &E : F.Effects)
    if (E.Argument == Argument) {
      EXPECT_EQ(Found, nullptr) << "two effects on argument " << Argument;
      Found = &E;
    }
  EXPECT_NE(Found, nullptr) << "no effect on argument " << Argument;
  return Found ? *Found : None;
}

bool touches(const LibraryFunction &F, unsigned Argument) {
  for (const LibraryEffect &E : F.Effects)
    if (E.Argument == Argument)
      return true;
  return false;
}

const LibraryFunction &host(std::string_view Name, unsigned NumArgs) {
  static const LibraryFunction None;
  const LibraryFunction *F = findLibraryFunction(Name, false, NumArgs);
  EXPECT_NE(F, nullptr) << Name;
  return F ? *F : None;
}

const LibraryFunction &device(std::string_view Name, unsigned NumArgs) {
  static const LibraryFunction None;
  const LibraryFunction *F = findLibraryFunction(Name, true, NumArgs);
  EXPECT_NE(F, nullptr) << Name;
  return F ? *F : None;
}

struct Table {
  const char *Name;
  std::span<const LibraryRow> Rows;
  bool OpenCL;
};

std::vector<Table> tables() {
  return {{"C", libraryRowsC(), false},
          {"C++", libraryRowsCxx(), false},
          {"BLAS", libraryRowsBlas(), false},
          {"LAPACK", libraryRowsLapack(), false},
          {"OpenCL", libraryRowsOpenCl(), true}};
}

TEST(LibraryTable, EveryRowIsWellFormed) {
  for (const Table &T : tables())
    for (const LibraryRow &Row : T.Rows) {
      std::string Left;
      unsigned Names = 0;
      EXPECT_TRUE(parseLibraryRow(
          Row, [&](LibraryEntry) { ++Names; }, Left))
          << T.Name << ": " << Row.Names << ": " << Row.Spec << ": " << Left;
      EXPECT_GT(Names, 0u) << Row.Spec;
    }
}

TEST(LibraryTable, TheWrongPartOfASpecIsReported) {
  for (const char *Spec : {"",         "3",        "a: r0",      "1: x0",        "1: r",         "1: r0(", "1: r0()",
                           "1: r0(a)", "1: r0(a1", "1: r0(1 c)", "1: r0(a1xb2)", "1: r0(+a0 4)", "1: r0~", "1:r0",
                           "1:  r0",   "1: =",     "1: calls",   "1: pure",      "1: r0(1)(2)",  "-1: r0", "1-: r0"}) {
    std::string Left = "untouched";
    EXPECT_FALSE(parseLibraryRow({"f", Spec}, [](LibraryEntry) { FAIL(); }, Left)) << Spec;
    EXPECT_TRUE(std::string_view(Spec).ends_with(Left)) << Spec << ": " << Left;
  }
}

// One name has one meaning for each number of arguments.
TEST(LibraryTable, NamesAreUnique) {
  for (const bool OpenCL : {false, true}) {
    std::map<std::string, std::vector<std::pair<unsigned, unsigned>>> Seen;
    forEachLibraryEntry(OpenCL, [&](const LibraryEntry &E) {
      EXPECT_FALSE(E.Name.empty());
      EXPECT_LE(E.Fewest, E.Most) << E.Name;
      for (const auto &[Fewest, Most] : Seen[E.Name])
        EXPECT_TRUE(E.Most < Fewest || E.Fewest > Most) << E.Name << " is in the tables twice";
      Seen[E.Name].push_back({E.Fewest, E.Most});
      EXPECT_EQ(findLibraryFunction(E.Name, OpenCL, E.Fewest), &E.F) << E.Name;
    });
    EXPECT_GT(Seen.size(), 300u);
  }
}

TEST(LibraryTable, EveryIndexIsAnArgument) {
  for (const bool OpenCL : {false, true})
    forEachLibraryEntry(OpenCL, [](const LibraryEntry &E) {
      const auto Valid = [&](int I) { return I < 0 || unsigned(I) < E.Most; };
      std::set<unsigned> Arguments;
      for (const LibraryEffect &L : E.F.Effects) {
        EXPECT_TRUE(Valid(int(L.Argument)) && Valid(L.Factor[0]) && Valid(L.Factor[1]) && Valid(L.Until) &&
                    Valid(L.Since) && Valid(L.Offset) && Valid(L.Stride) && Valid(L.Ld) && Valid(L.Order) &&
                    Valid(L.Trans) && Valid(L.Side) && Valid(L.Other) && Valid(L.Zero))
            << E.Name;
        EXPECT_TRUE(L.Read || L.Written) << E.Name;
        EXPECT_TRUE(L.Known || L.Maybe) << E.Name;
        EXPECT_TRUE(L.Zero < 0 || (L.Read && L.Written)) << E.Name;
        EXPECT_TRUE(L.Ld < 0 || (L.Factor[0] >= 0 && L.Factor[1] >= 0 && L.Times == 1)) << E.Name;
        EXPECT_TRUE(L.Stride < 0 || (L.Factor[0] >= 0 && L.Factor[1] < 0 && L.Times == 1)) << E.Name;
        EXPECT_TRUE(L.Side < 0 || L.Other >= 0) << E.Name;
        EXPECT_TRUE(L.Since < 0 || L.Until >= 0) << E.Name;
        EXPECT_GT(L.Times, 0) << E.Name;
        // Getline and strsep update a pointer and what it leads to.
        if (E.Name != "getline" && E.Name != "strsep") {
          EXPECT_TRUE(Arguments.insert(L.Argument).second) << E.Name << ": two effects on argument " << L.Argument;
        }
      }
      EXPECT_TRUE(Valid(E.F.Returns) && Valid(E.F.AlsoReturns) && Valid(E.F.Calls)) << E.Name;
      EXPECT_FALSE(E.F.Allocates && E.F.Returns >= 0) << E.Name;
    });
}

TEST(Library, Memory) {
  const LibraryFunction &Copy = host("memcpy", 3);
  EXPECT_TRUE(effect(Copy, 0).Written && !effect(Copy, 0).Read && effect(Copy, 0).Known && effect(Copy, 0).Bytes);
  EXPECT_EQ(effect(Copy, 0).Factor[0], 2);
  EXPECT_TRUE(effect(Copy, 1).Read && !effect(Copy, 1).Written && !effect(Copy, 1).Maybe);
  EXPECT_EQ(Copy.Returns, 0);
  EXPECT_TRUE(Copy.Pure);
  EXPECT_EQ(findLibraryFunction("std::memcpy", false, 3), &Copy);
  EXPECT_EQ(findLibraryFunction("::memcpy", false, 3), &Copy);
  EXPECT_EQ(findLibraryFunction("__builtin_memcpy", false, 3), &Copy);
  EXPECT_EQ(findLibraryFunction("__builtin___memcpy_chk", false, 4), &Copy);
  EXPECT_EQ(findLibraryFunction("__memcpy_chk", false, 4), &Copy);
  EXPECT_EQ(findLibraryFunction("memcpy", false, 2), nullptr);
  EXPECT_EQ(findLibraryFunction("memcpy", true, 3), nullptr);
  EXPECT_EQ(findLibraryFunction("mine::memcpy", false, 3), nullptr);
  EXPECT_EQ(findLibraryFunction("frobnicate", false, 1), nullptr);
}

TEST(Library, StringsAndConversions) {
  EXPECT_FALSE(effect(host("strcpy", 2), 0).Known);
  EXPECT_TRUE(effect(host("strncpy", 3), 1).Maybe);
  EXPECT_FALSE(effect(host("strncpy", 3), 0).Maybe) << "the rest is filled with zeros";
  EXPECT_TRUE(effect(host("strcat", 2), 0).Read);
  EXPECT_TRUE(host("strdup", 1).Allocates);
  EXPECT_FALSE(host("strtok", 2).Pure);
  EXPECT_TRUE(effect(host("strtod", 2), 1).Written);
}

TEST(Library, SortingAndSearching) {
  const LibraryFunction &Sort = host("qsort", 4);
  EXPECT_TRUE(effect(Sort, 0).Read && effect(Sort, 0).Written && effect(Sort, 0).Handed && effect(Sort, 0).Bytes);
  EXPECT_EQ(effect(Sort, 0).Factor[0], 1);
  EXPECT_EQ(effect(Sort, 0).Factor[1], 2);
  EXPECT_EQ(Sort.Calls, 3);
  EXPECT_EQ(host("bsearch", 5).Returns, 1);
}

TEST(Library, MathematicsWritesThroughPointersAlone) {
  EXPECT_TRUE(host("sqrt", 1).Effects.empty());
  EXPECT_TRUE(host("__builtin_fabsf", 1).Effects.empty());
  EXPECT_TRUE(host("std::hypot", 3).Effects.empty());
  EXPECT_TRUE(effect(host("modf", 2), 1).Written);
  EXPECT_TRUE(effect(host("std::frexp", 2), 1).Written);
  EXPECT_TRUE(effect(host("sincos", 3), 1).Written && effect(host("sincosf", 3), 2).Written);
  EXPECT_TRUE(effect(host("remquo", 3), 2).Written);
}

TEST(Library, InputAndOutput) {
  EXPECT_FALSE(host("printf", 5).Pure);
  EXPECT_TRUE(effect(host("printf", 5), 0).AlsoLaterArguments);
  EXPECT_TRUE(effect(host("sscanf", 4), 2).AlsoLaterArguments && effect(host("sscanf", 4), 2).Written);
  EXPECT_TRUE(effect(host("fread", 4), 0).Written && effect(host("fread", 4), 0).Maybe);
  EXPECT_TRUE(effect(host("fwrite", 4), 0).Read && !effect(host("fwrite", 4), 0).Written);
  EXPECT_TRUE(host("abort", 0).NoReturn);
  EXPECT_TRUE(host("__builtin_unreachable", 0).NoReturn);
  EXPECT_FALSE(host("rand", 0).Pure);
}

TEST(Library, Algorithms) {
  EXPECT_EQ(effect(host("std::fill", 3), 0).Until, 1);
  EXPECT_EQ(effect(host("std::fill", 3), 0).Since, -1);
  const LibraryEffect Target = effect(host("std::copy", 3), 2);
  EXPECT_TRUE(Target.Written && !Target.Read && Target.Until == 1 && Target.Since == 0);
  EXPECT_EQ(host("std::copy", 3).Returns, 2);
  // Names with two meanings.
  EXPECT_EQ(host("std::move", 1).Returns, 0);
  EXPECT_TRUE(host("std::move", 1).Effects.empty());
  EXPECT_TRUE(effect(host("std::move", 3), 2).Written);
  EXPECT_TRUE(effect(host("std::remove", 3), 0).Written);
  EXPECT_FALSE(host("remove", 1).Pure);
  const LibraryFunction &Binary = host("std::transform", 5);
  EXPECT_TRUE(effect(Binary, 2).Read && effect(Binary, 3).Written && Binary.Calls == 4);
  EXPECT_EQ(effect(Binary, 2).Since, 0);
  EXPECT_EQ(host("std::transform", 4).Calls, 3);
  EXPECT_EQ(host("std::accumulate", 3).Calls, -1);
  EXPECT_TRUE(effect(host("std::for_each", 3), 0).Handed);
  EXPECT_TRUE(effect(host("std::sort", 2), 0).Read && effect(host("std::sort", 2), 0).Written);
  EXPECT_EQ(effect(host("std::rotate", 3), 0).Until, 2);
  EXPECT_TRUE(host("std::max", 2).Returns == 0 && host("std::max", 2).AlsoReturns == 1);
  EXPECT_TRUE(effect(host("std::swap", 2), 1).Read && effect(host("std::swap", 2), 1).Written);
  EXPECT_EQ(findLibraryFunction("swap", false, 2), nullptr) << "it need not be the library's";
}

TEST(Library, Atomics) {
  EXPECT_TRUE(effect(host("std::atomic_fetch_add", 2), 0).Atomic);
  EXPECT_TRUE(effect(host("__sync_fetch_and_add_8", 2), 0).Atomic);
  EXPECT_TRUE(effect(host("__atomic_load_n", 2), 0).Atomic && !effect(host("__atomic_load_n", 2), 0).Written);
  EXPECT_FALSE(effect(host("__atomic_store_n", 3), 0).Read);
}

TEST(Library, BlasVectors) {
  const LibraryFunction &Axpy = host("cblas_daxpy", 6);
  EXPECT_TRUE(effect(Axpy, 2).Read && !effect(Axpy, 2).Written);
  EXPECT_TRUE(effect(Axpy, 4).Read && effect(Axpy, 4).Written);
  EXPECT_TRUE(effect(Axpy, 4).Factor[0] == 0 && effect(Axpy, 4).Stride == 5);
  EXPECT_FALSE(touches(Axpy, 1));
  EXPECT_TRUE(effect(host("cblas_zaxpy", 6), 1).Read) << "a complex scalar comes by address";
  EXPECT_EQ(effect(host("cblas_caxpy", 6), 2).ElementBytes, 8u);
  EXPECT_EQ(effect(host("cblas_zaxpy", 6), 2).ElementBytes, 16u);
  EXPECT_FALSE(effect(host("cblas_scopy", 5), 3).Read);
  EXPECT_EQ(effect(host("cblas_dgemv", 12), 7).Other, 2);
  EXPECT_NE(findLibraryFunction("cblas_izamax", false, 3), nullptr);
  EXPECT_EQ(findLibraryFunction("cblas_xdot", false, 5), nullptr);
}

TEST(Library, BlasMatrices) {
  const LibraryFunction &Gemm = host("cblas_sgemm", 14);
  const LibraryEffect A = effect(Gemm, 7), C = effect(Gemm, 12);
  EXPECT_TRUE(A.Read && !A.Written && A.Order == 0 && A.Trans == 1 && A.Ld == 8);
  EXPECT_TRUE(A.Factor[0] == 3 && A.Factor[1] == 5);
  EXPECT_TRUE(C.Read && C.Written && C.Zero == 11 && C.Ld == 13 && C.Trans == -1);
  const LibraryEffect Triangle = effect(host("cblas_dtrsm", 12), 8);
  EXPECT_TRUE(Triangle.Maybe && Triangle.Side == 1 && Triangle.Other == 6);
  EXPECT_TRUE(effect(host("cblas_dsyrk", 11), 9).Maybe) << "a triangle alone is written";
  const LibraryFunction &Fortran = host("dgemm_", 13);
  EXPECT_TRUE(Fortran.ByReference);
  for (unsigned Scalar : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 9u, 10u, 12u})
    EXPECT_TRUE(effect(Fortran, Scalar).Read && !effect(Fortran, Scalar).Written) << Scalar;
  EXPECT_TRUE(effect(Fortran, 11).Written);
}

TEST(Library, Lapack) {
  EXPECT_TRUE(effect(host("LAPACKE_dpotrf", 5), 3).Read && effect(host("LAPACKE_dpotrf", 5), 3).Written);
  EXPECT_TRUE(effect(host("LAPACKE_dgetrf", 6), 5).Written);
  EXPECT_FALSE(effect(host("LAPACKE_dgetrs", 9), 4).Written);
  EXPECT_TRUE(effect(host("dpotrf_", 5), 4).Written && !effect(host("dpotrf_", 5), 0).Written);
}

TEST(Library, WorkItemsAndMathematicsOfOpenCl) {
  EXPECT_TRUE(device("get_global_id", 1).Effects.empty());
  EXPECT_EQ(findLibraryFunction("get_global_id", false, 1), nullptr);
  EXPECT_TRUE(device("native_sin", 1).Effects.empty());
  for (const char *Name : {"fract", "modf", "sincos", "frexp", "lgamma_r"})
    EXPECT_TRUE(effect(device(Name, 2), 1).Written && !effect(device(Name, 2), 1).Read) << Name;
  EXPECT_TRUE(effect(device("remquo", 3), 2).Written);
  EXPECT_TRUE(device("convert_uchar4_sat_rte", 1).Effects.empty());
  EXPECT_TRUE(device("sub_group_reduce_add", 1).Effects.empty());
  EXPECT_TRUE(device("work_group_scan_inclusive_add", 1).Effects.empty());
  EXPECT_TRUE(device("barrier", 1).Effects.empty());
  EXPECT_TRUE(device("work_group_barrier", 2).Pure);
  EXPECT_FALSE(device("printf", 3).Pure);
}

TEST(Library, VectorsOfOpenCl) {
  const LibraryEffect Load = effect(device("vload4", 2), 1);
  EXPECT_TRUE(Load.Read && Load.Offset == 0 && Load.OffsetTimes == 4 && Load.Times == 4);
  const LibraryEffect Store = effect(device("vstore3", 3), 2);
  EXPECT_TRUE(Store.Written && !Store.Read && Store.Offset == 1 && Store.OffsetTimes == 3 && Store.Times == 3);
  EXPECT_EQ(effect(device("vloada_half3", 2), 1).OffsetTimes, 4);
  EXPECT_EQ(effect(device("vstore_half_rtz", 3), 2).Times, 1);
  EXPECT_FALSE(touches(device("vload4", 2), 0));
}

TEST(Library, MemoryOfOpenCl) {
  EXPECT_TRUE(effect(device("atomic_add", 2), 0).Atomic && effect(device("atomic_inc", 1), 0).Read);
  EXPECT_TRUE(effect(device("atomic_compare_exchange_strong", 3), 1).Written);
  EXPECT_TRUE(effect(device("async_work_group_copy", 4), 0).Written &&
              effect(device("async_work_group_copy", 4), 1).Read);
  EXPECT_TRUE(effect(device("read_imagef", 3), 0).Read && !effect(device("read_imagef", 3), 0).Written);
  EXPECT_TRUE(effect(device("write_imageui", 3), 0).Written);
  EXPECT_TRUE(device("prefetch", 2).Effects.empty());
  EXPECT_TRUE(effect(device("read_pipe", 2), 1).Written && effect(device("write_pipe", 4), 3).Read);
  EXPECT_TRUE(effect(device("intel_sub_group_block_write4", 2), 0).Written);
  EXPECT_EQ(findLibraryFunction("sub_group_block_write_new", true, 2), nullptr);
}

TEST(Library, ClassesAndTheirMembers) {
  EXPECT_EQ(libraryClass("vector"), unsigned(ClassContainer | ClassOwner | ClassCopiesElements | ClassBits));
  EXPECT_TRUE(libraryClass("condition_variable_any") & ClassSynchronizes);
  EXPECT_EQ(libraryClass("vectors"), 0u);
  EXPECT_EQ(libraryClass(""), 0u);
  EXPECT_EQ(libraryMember("cbegin"), LibraryMember::First);
  EXPECT_EQ(libraryMember("lower_bound"), LibraryMember::Look);
  EXPECT_EQ(libraryMember("insert"), LibraryMember::Other);
}

} // namespace
} // namespace hsched::cc
