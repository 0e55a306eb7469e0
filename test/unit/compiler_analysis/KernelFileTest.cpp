// What is collected from a kernel file, and what is said about a bad one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadKernels.h"

using namespace hsched::cc;

namespace {

std::string print(const KernelInfo &K) {
  std::ostringstream OS;
  OS << K;
  return OS.str();
}

TEST(KernelFile, ParametersOfEveryKind) {
  const Loaded L = loadClean({{"main.cl", R"cl(
typedef float real;
typedef struct { int A; float B; } Pair;
struct Named { double D; };
typedef __global real *Vector;
kernel void k(const real a, __global const real *restrict x, Vector y, __constant struct Named *n,
              __local uchar *tile, global Pair pairs[], float4 v, read_only image2d_t im, sampler_t s,
              global void *any, ulong count) { }
)cl"}});
  const KernelInfo &K = L.kernel("k");
  ASSERT_EQ(K.Params.size(), 11u);
  struct {
    const char *Name, *Element;
    KernelParam::Space Where;
    bool Pointer, Const;
    std::uint64_t Bytes;
  } const Expected[] = {
      {"a", "float", KernelParam::Value, false, false, 4},
      {"x", "float", KernelParam::Global, true, true, 4},
      {"y", "float", KernelParam::Global, true, false, 4},
      {"n", "struct Named", KernelParam::Constant, true, true, 8},
      {"tile", "uchar", KernelParam::Local, true, false, 1},
      {"pairs", "struct Pair", KernelParam::Global, true, false, 8},
      {"v", "float4", KernelParam::Value, false, false, 16},
      {"im", "__read_only image2d_t", KernelParam::Value, false, false, 0},
      {"s", "sampler_t", KernelParam::Value, false, false, 0},
      {"any", "void", KernelParam::Global, true, false, 0},
      {"count", "ulong", KernelParam::Value, false, false, 8},
  };
  for (std::size_t I = 0; I != K.Params.size(); ++I) {
    SCOPED_TRACE(Expected[I].Name);
    EXPECT_EQ(K.Params[I].Name, Expected[I].Name);
    EXPECT_EQ(K.Params[I].Element, Expected[I].Element);
    EXPECT_EQ(K.Params[I].Where, Expected[I].Where);
    EXPECT_EQ(K.Params[I].Pointer, Expected[I].Pointer);
    EXPECT_EQ(K.Params[I].PointeeConst, Expected[I].Const);
    EXPECT_EQ(K.Params[I].ElementBytes, Expected[I].Bytes);
  }
  EXPECT_EQ(K.Params[0].Spelling, "const real");
  EXPECT_EQ(K.Params[1].Spelling, "const __global real *restrict");
  EXPECT_EQ(K.Params[2].Spelling, "Vector");
  EXPECT_TRUE(K.Params[7].Image);
  EXPECT_TRUE(K.Params[8].Sampler);
  EXPECT_EQ(K.Line, 6u);
  EXPECT_EQ(K.Params[4].Line, 7u);
  EXPECT_EQ(K.Params[4].Column, 30u);
}

TEST(KernelFile, WorkGroupLocalMemoryAndDimensions) {
  const Loaded L = loadClean({{"main.cl", R"cl(
int row(void) { return get_local_id(1); }
__kernel __attribute__((reqd_work_group_size(16, 8, 1))) void k(global float *x) {
  local float a[16][8];
  local double b;
  if (get_global_id(0) > 3) {
    b = x[row()];
    a[0][0] = b;
  }
}
kernel void plain(global int *x, int d) { x[get_global_id(d)] = 0; }
)cl"}});
  const KernelInfo &K = L.kernel("k");
  EXPECT_EQ(K.ReqdWorkGroup, (std::array<std::uint64_t, 3>{16, 8, 1}));
  EXPECT_TRUE(K.HasLocalVariables);
  EXPECT_EQ(K.LocalBytes, 16u * 8 * 4 + 8);
  EXPECT_EQ(K.WorkDim, 2u);
  EXPECT_EQ(L.kernel("plain").WorkDim, 0u) << "a dimension that is no constant";
  EXPECT_FALSE(L.kernel("plain").HasLocalVariables);
  EXPECT_EQ(L.kernel("plain").ReqdWorkGroup[0], 0u);
}

TEST(KernelFile, OptionsOfTheBuild) {
  const std::map<std::string, std::string> Files = {{"main.cl", R"cl(
#include <deep.h>
kernel void k(global T *x) { x[0] = ONE + DEEP; }
)cl"},
                                                    {"some where/deep.h", "#define DEEP 1\n"}};
  EXPECT_EQ(print(loadClean(Files, "-D T=double -DONE=1 \"-I/k/some where\"").kernel("k")),
            "k(__global double* x [w]) dim 0 local 0");
  EXPECT_EQ(
      print(loadClean(Files, "-DT=int -D ONE=2 -I '/k/some where' -cl-fast-relaxed-math -cl-nv-verbose").kernel("k")),
      "k(__global int* x [w]) dim 0 local 0");
}

TEST(KernelFile, TheDefaultLanguageIsOpenClC12) {
  const std::string Text = "kernel void k(global int *x) { x[0] = __OPENCL_C_VERSION__; }\n"
                           "#if __OPENCL_C_VERSION__ != EXPECTED\n#error version\n#endif\n";
  EXPECT_TRUE(loadText(Text, "-DEXPECTED=120").Ok);
  EXPECT_TRUE(loadText(Text, "-DEXPECTED=200 -cl-std=CL2.0").Ok);
  EXPECT_TRUE(loadText(Text, "-DEXPECTED=300 -cl-std=CL3.0").Ok);
  EXPECT_FALSE(loadText(Text, "-DEXPECTED=200").Ok);
}

TEST(KernelFile, BuiltinsAndExtensionsAreKnown) {
  loadClean({{"main.cl", R"cl(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(global double *d, global float *f, volatile global int *i, global uint *u, global long *l) {
  d[0] = sqrt(d[1]) + fma(d[0], d[1], 2.0);
  float4 v = vload4(0, f);
  vstore4(native_exp(v) * dot(v, v), 1, f);
  atomic_add(i, 1);
  atomic_cmpxchg(i, 1, 2);
  u[0] = convert_uint_sat(f[0]) + as_uint(f[1]) + mul24(u[1], u[2]) + popcount(u[3]);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  l[0] = (long)get_global_id(0) + mad_sat(l[0], l[1], l[2]);
  printf("%d\n", i[0]);
}
)cl"}});
}

TEST(KernelFile, ErrorsHaveAPlace) {
  const Loaded L = loadText("kernel void k(global int *x) {\n  x[0] = missing;\n}\n");
  EXPECT_FALSE(L.Ok);
  EXPECT_EQ(L.messages(), "/k/main.cl:2:10: error: use of undeclared identifier 'missing'\n");
  EXPECT_EQ(L.File.Embedded, "");
}

TEST(KernelFile, ErrorsEnd) {
  std::string Text;
  for (int I = 0; I != 100; ++I)
    Text += "int f" + std::to_string(I) + "(void) { return missing; }\n";
  const Loaded L = loadText(Text);
  EXPECT_FALSE(L.Ok);
  EXPECT_EQ(L.Diags.size(), 20u) << L.messages();
  EXPECT_EQ(L.Diags.back().Line, 20u);
}

TEST(KernelFile, WarningsAreNoErrors) {
  const Loaded L = loadText("kernel void k(global int *x) {\n  x + 1;\n}\n");
  EXPECT_TRUE(L.Ok);
  ASSERT_EQ(L.Diags.size(), 1u) << L.messages();
  EXPECT_EQ(L.Diags[0].Level, KernelDiagnostic::Warning);
  EXPECT_EQ(L.Diags[0].Line, 2u);
  EXPECT_NE(L.File.Embedded, "");
  EXPECT_EQ(loadText("kernel void k(global int *x) {\n  x + 1;\n}\n", "-w").messages(), "");
}

TEST(KernelFile, ErrorsInIncludedFilesAreNamedThere) {
  const Loaded L = loadFiles({{"main.cl", "#include \"a.h\"\nkernel void k() {}\n"}, {"a.h", "\nint f( { }\n"}});
  EXPECT_FALSE(L.Ok);
  ASSERT_FALSE(L.Diags.empty());
  EXPECT_EQ(L.Diags[0].File, "/k/a.h");
  EXPECT_EQ(L.Diags[0].Line, 2u);
}

TEST(KernelFile, MissingFiles) {
  EXPECT_EQ(loadFiles({}).messages(), "/k/main.cl:0:0: error: no such kernel file\n");
  const Loaded L = loadText("#include \"nowhere.h\"\n");
  EXPECT_FALSE(L.Ok);
  EXPECT_EQ(L.messages(), "/k/main.cl:1:10: error: 'nowhere.h' file not found\n");
}

TEST(KernelFile, UnusableOptionIsReported) {
  const Loaded L = loadText("kernel void k() {}\n", "-cl-std=CL7.5");
  EXPECT_FALSE(L.Ok);
  EXPECT_NE(L.messages().find("CL7.5"), std::string::npos) << L.messages();
}

} // namespace
