// Kernel arguments and geometry against what the host passes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Check.h"

#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

KernelParam value(std::string Element, std::uint64_t Bytes) {
  KernelParam P;
  P.Name = "p";
  P.Element = std::move(Element);
  P.ElementBytes = Bytes;
  return P;
}

KernelParam pointer(std::string Element, std::uint64_t Bytes, KernelParam::Space Where = KernelParam::Global) {
  KernelParam P = value(std::move(Element), Bytes);
  P.Pointer = true;
  P.Where = Where;
  P.Read = P.Written = true;
  return P;
}

HostArg host(bool Pointer, std::string Element, std::uint64_t Bytes, bool Const = false) {
  HostArg A;
  A.Spelling = Element;
  A.Pointer = Pointer;
  A.PointeeConst = Const;
  A.Element = std::move(Element);
  A.Bytes = Bytes;
  return A;
}

std::string why(const KernelParam &P, const HostArg &A) { return mismatch(P, A).value_or(""); }

TEST(KernelCheck, SameTypesMatch) {
  EXPECT_EQ(why(value("int", 4), host(false, "int", 4)), "");
  EXPECT_EQ(why(value("double", 8), host(false, "double", 8)), "");
  EXPECT_EQ(why(pointer("float", 4), host(true, "float", 4)), "");
  EXPECT_EQ(why(pointer("float", 4, KernelParam::Constant), host(true, "float", 4, true)), "");
}

TEST(KernelCheck, SignednessMayDiffer) {
  EXPECT_EQ(why(value("uint", 4), host(false, "int", 4)), "");
  EXPECT_EQ(why(pointer("char", 1), host(true, "uchar", 1)), "");
  EXPECT_EQ(why(pointer("uchar", 1), host(true, "bool", 1)), "");
}

TEST(KernelCheck, SizesAndKindsMayNot) {
  EXPECT_EQ(why(value("int", 4), host(false, "long", 8)),
            "it is 'long' (8 bytes) but the kernel's parameter is 'int' (4 bytes)");
  EXPECT_EQ(why(value("float", 4), host(false, "int", 4)), "it is 'int' but the kernel's parameter is 'float'");
  EXPECT_EQ(why(pointer("float", 4), host(true, "double", 8)),
            "it points to 'double' (8 bytes) but the kernel's parameter points to 'float' (4 bytes)");
  EXPECT_EQ(why(pointer("int", 4), host(true, "float", 4)),
            "it points to 'float' but the kernel's parameter points to 'int'");
}

TEST(KernelCheck, PointersAndValues) {
  EXPECT_EQ(why(pointer("int", 4), host(false, "int", 4)),
            "it is a value of type 'int' but the kernel's parameter is a __global pointer");
  EXPECT_EQ(why(pointer("int", 4), HostArg()), "it is a value but the kernel's parameter is a __global pointer");
  EXPECT_EQ(why(value("int", 4), host(true, "int", 4)),
            "it is a pointer but the kernel's parameter is a value of type 'int'");
}

TEST(KernelCheck, LocalMemory) {
  HostArg Local;
  Local.Local = true;
  EXPECT_EQ(why(pointer("float", 4, KernelParam::Local), Local), "");
  EXPECT_EQ(why(pointer("float", 4), Local), "it is local memory but the kernel's parameter is a __global pointer");
  EXPECT_EQ(why(pointer("float", 4, KernelParam::Local), host(true, "float", 4)),
            "the kernel's parameter is a __local pointer: it takes local(bytes) in args()");
}

TEST(KernelCheck, ConstDataMustNotBeWritten) {
  KernelParam P = pointer("float", 4);
  EXPECT_EQ(why(P, host(true, "float", 4, true)),
            "it points to const data but the kernel writes through its parameter");
  P.Written = false;
  EXPECT_EQ(why(P, host(true, "float", 4, true)), "");
  P.Written = true;
  P.PointeeConst = true;
  EXPECT_EQ(why(P, host(true, "float", 4, true)), "");
}

TEST(KernelCheck, VectorsStructsAndVoid) {
  EXPECT_EQ(why(pointer("float4", 16), host(true, "struct", 16)), "");
  EXPECT_EQ(why(value("float4", 16), host(false, "struct", 16)), "");
  EXPECT_EQ(why(pointer("float4", 16), host(true, "float", 4)), "") << "a vectorised kernel over plain floats";
  EXPECT_NE(why(pointer("float4", 16), host(true, "struct", 12)), "");
  EXPECT_NE(why(pointer("float4", 16), host(true, "double", 8)), "");
  EXPECT_NE(why(value("float4", 16), host(false, "float", 4)), "") << "a value is not repeated";
  EXPECT_EQ(why(pointer("struct S", 12), host(true, "struct", 12)), "");
  EXPECT_NE(why(pointer("struct S", 12), host(true, "struct", 16)), "");
  EXPECT_EQ(why(pointer("void", 0), host(true, "struct", 16)), "");
  EXPECT_EQ(why(pointer("float", 4), host(true, "void", 0)), "");
}

TEST(KernelCheck, WhatDependsOnATemplateIsAccepted) {
  EXPECT_EQ(why(pointer("float", 4), host(true, "", 0)), "");
  EXPECT_EQ(why(value("float", 4), host(false, "", 0)), "");
}

TEST(KernelCheck, ImagesCannotBePassed) {
  KernelParam P = value("image2d_t", 0);
  P.Image = true;
  EXPECT_EQ(why(P, host(true, "float", 4)), "the kernel's parameter is of type 'image2d_t', which cannot be passed");
}

TEST(KernelCheck, Counts) {
  KernelInfo K;
  K.Name = "saxpy";
  K.Params = {value("int", 4), pointer("float", 4)};
  EXPECT_EQ(wrongCount(K, 1), "kernel 'saxpy' takes 2 arguments but 1 is passed");
  EXPECT_EQ(wrongCount(K, 3), "kernel 'saxpy' takes 2 arguments but 3 are passed");
  EXPECT_EQ(wrongCount(K, 2), std::nullopt);
  K.Params.pop_back();
  EXPECT_EQ(wrongCount(K, 2), "kernel 'saxpy' takes 1 argument but 2 are passed");
}

std::vector<std::string> said(const KernelInfo &K, const HostRange &R) {
  std::vector<std::string> Out;
  for (const RangeProblem &P : checkRange(K, R))
    Out.push_back(P.Why);
  return Out;
}

TEST(KernelCheck, Ranges) {
  KernelInfo K;
  K.Name = "k";
  K.WorkDim = 2;
  HostRange R;
  EXPECT_EQ(said(K, R), (std::vector<std::string>{"kernel 'k' asks for dimension 1 but ndrange has 1 dimension"}));
  R.Dims = 2;
  EXPECT_TRUE(said(K, R).empty());

  K.ReqdWorkGroup = {16, 8, 1};
  EXPECT_EQ(said(K, R), (std::vector<std::string>{
                            "kernel 'k' requires work groups of (16, 8, 1) but ndrange names no local sizes"}));
  EXPECT_EQ(checkRange(K, R)[0].Locals, "16, 8");
  R.HasLocal = true;
  R.Local = {16, 8, std::nullopt};
  EXPECT_TRUE(said(K, R).empty());
  R.Local = {16, std::nullopt, std::nullopt};
  EXPECT_TRUE(said(K, R).empty()) << "an expression may have any value";
  R.Local = {16, 4, std::nullopt};
  EXPECT_EQ(said(K, R),
            (std::vector<std::string>{"kernel 'k' requires a work-group size of 8 in dimension 1 but ndrange says 4"}));
  EXPECT_EQ(checkRange(K, R)[0].Locals, "16, 8");
  R.Local = {8, 4, std::nullopt};
  ASSERT_EQ(checkRange(K, R).size(), 2u);
  EXPECT_EQ(checkRange(K, R)[0].Locals, "16, 8");
  EXPECT_EQ(checkRange(K, R)[1].Locals, "") << "one edit does for both";
  R.Local = {16, 4, std::nullopt};
  R.Dims = 1;
  K.WorkDim = 1;
  ASSERT_EQ(said(K, R).size(), 1u) << "a dimension that is left out is 1";
  EXPECT_EQ(checkRange(K, R)[0].Locals, "") << "it takes one more dimension";
}

} // namespace
