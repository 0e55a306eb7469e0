// The embedded source: what the entries look like, and that the whole is still OpenCL C of the same meaning.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadKernels.h"

#include <set>

using namespace hsched::cc;

namespace {

std::string signature(const KernelInfo &K) {
  std::ostringstream OS;
  OS << K;
  return OS.str();
}

// Loads Files, parses the embedded text once more as a file of its own, and holds its entries against the kernels.
Loaded embed(const std::map<std::string, std::string> &Files, const std::string &Options = "") {
  const Loaded First = loadClean(Files, Options);
  const Loaded Second = loadClean({{"main.cl", First.File.Embedded}}, Options);
  EXPECT_EQ(Second.File.Kernels.size(), 2 * First.File.Kernels.size()) << First.File.Embedded;
  for (const KernelInfo &K : First.File.Kernels) {
    const KernelInfo &Same = Second.kernel(K.Name), &Entry = Second.kernel(entryName(K.Name));
    EXPECT_EQ(signature(Same), signature(K));
    EXPECT_EQ(Same.File, K.File);
    EXPECT_EQ(Same.Line, K.Line) << First.File.Embedded;
    EXPECT_EQ(Entry.File, K.File);
    EXPECT_EQ(Entry.ReqdWorkGroup, K.ReqdWorkGroup);
    EXPECT_EQ(Entry.HasLocalVariables, K.HasLocalVariables) << "an entry that copies has the kernel's variables";
    std::vector<std::string> Offsets;
    if (Entry.Params.size() < K.Params.size()) {
      ADD_FAILURE() << First.File.Embedded;
      continue;
    }
    for (std::size_t I = 0; I != K.Params.size(); ++I) {
      const KernelParam &Mine = Entry.Params[I], &Theirs = K.Params[I];
      EXPECT_EQ(Mine.Element, Theirs.Element);
      EXPECT_EQ(Mine.Where, Theirs.Where);
      EXPECT_EQ(Mine.PointeeConst, Theirs.PointeeConst);
      EXPECT_EQ(Mine.Read, Theirs.Read) << Theirs.Name;
      EXPECT_EQ(Mine.Written, Theirs.Written) << Theirs.Name;
      const std::string Name = Theirs.Name.empty() ? std::to_string(I) : Theirs.Name;
      if (Theirs.isBuffer())
        Offsets.push_back("hsched_off_" + Name);
      if (Theirs.isBuffer() && !Theirs.Name.empty()) {
        EXPECT_EQ(Mine.Name, "hsched_buf_" + Name);
      }
    }
    for (std::size_t I = K.Params.size(); I != Entry.Params.size(); ++I) {
      const std::size_t J = I - K.Params.size();
      EXPECT_EQ(Entry.Params[I].Name, J < Offsets.size() ? Offsets[J] : "none");
      EXPECT_EQ(Entry.Params[I].Element, "ulong");
    }
    EXPECT_EQ(Entry.Params.size(), K.Params.size() + Offsets.size());
  }
  return First;
}

unsigned count(const std::string &Text, const std::string &What) {
  unsigned N = 0;
  for (std::size_t At = Text.find(What); At != std::string::npos; At = Text.find(What, At + 1))
    ++N;
  return N;
}

TEST(KernelEmbed, EntryOfASimpleKernel) {
  EXPECT_EQ(
      embed({{"main.cl", "__kernel void f(__global float *x, int n) { x[n] = 1; }\n"}}).File.Embedded,
      "#line 1 \"/k/main.cl\"\n"
      "__kernel void f(__global float *x, int n) { x[n] = 1; }\n"
      "#line 1 \"/k/main.cl\"\n"
      "__kernel void hsched_entry_f(__global float *hsched_buf_x, int n, ulong hsched_off_x) { __global float *x = "
      "(__global float *)((__global const char *)hsched_buf_x + hsched_off_x); x[n] = 1; }\n"
      "#line 1 \"/k/main.cl\"\n"
      "\n");
}

TEST(KernelEmbed, ParametersOfEveryKind) {
  embed({{"main.cl", R"cl(
typedef __global float *Vector;
typedef struct { int A; float B; } Pair;
kernel void k(const int n, __global const float *restrict x, global volatile int *y, __local float *tile,
              __constant Pair *pairs, Vector z, global uchar bytes[], global float (*rows)[16], float4 v,
              global const volatile ulong * const last)
{
  y[n] = x[0] + tile[0] + pairs[1].A + bytes[2];
  z[n] += v.x + rows[1][2] + last[0];
}
kernel void nothing() {}
kernel void none(void) {}
kernel void values(int a, float b) {}
)cl"}});
}

TEST(KernelEmbed, TextThatMisleads) {
  embed({{"main.cl", R"cl(
// kernel void fake(global float *x) {
/* kernel void other(global int *y) { } */
kernel /* void f( */ void k(global float *x /* { */, // ) {
                            global float *y)
/* { */ { // }
  x[0] = y[0]; /* } */
  { constant char *s = "}"; x[1] = s[0]; }
} /* trailing */ kernel void second(global int *x) { x[0] = 1; } kernel void third(global int *x) { x[0] = 2; }
)cl"}});
}

TEST(KernelEmbed, AttributesStay) {
  const Loaded L = embed({{"main.cl", R"cl(
__attribute__((reqd_work_group_size(8, 4, 2))) kernel void before(global int *x) { x[0] = get_global_id(2); }
kernel __attribute__((reqd_work_group_size(2, 1, 1))) __attribute__((vec_type_hint(float4)))
void between(global int *x) { local int t[2]; x[0] = t[0]; }
kernel __attribute__((reqd_work_group_size(3, 1, 1))) void earlier(global int *x);
kernel void earlier(global int *x) { x[0] = 1; }
)cl"}});
  EXPECT_EQ(L.kernel("earlier").ReqdWorkGroup[0], 3u);
  EXPECT_EQ(count(L.File.Embedded, "vec_type_hint(float4)"), 2u);
}

TEST(KernelEmbed, KernelsThatCallKernels) {
  embed({{"main.cl", R"cl(
kernel void inner(global float *x, int n) { x[n] = 1; }
kernel void outer(global float *x, global float *y) { inner(x, 1); inner(y, 2); }
)cl"}});
}

TEST(KernelEmbed, NamesAndListsFromMacros) {
  const Loaded L = embed({{"main.cl", R"cl(
#define PASTE(a, b) a##_##b
#define NAME plain_name
#define ARGS global float *x, int n
#define BUFFER(T, name) global T *name
#define KERNEL __kernel
KERNEL void NAME(global float *x) { local int l[4]; x[0] = l[0]; }
KERNEL void PASTE(a, b)(global float *x) { local int l[4]; x[0] = l[0]; }
KERNEL void listed(ARGS) { local int l[4]; x[n] = l[0]; }
KERNEL void mixed(global int *first, BUFFER(float, second),
                  const int last) { local int l[4]; first[last] = second[0] + l[0]; }
)cl"}});
  for (const char *Name : {"plain_name", "a_b", "listed", "mixed"})
    EXPECT_EQ(L.kernel(Name).LocalBytes, 16u);
}

TEST(KernelEmbed, WholeKernelsFromMacros) {
  const Loaded L = embed({{"main.cl", R"cl(
#define DEFINE(name, T) kernel __attribute__((reqd_work_group_size(4, 1, 1))) void name(global T *x, T v) { x[0] = v; }
DEFINE(set_f, float) DEFINE(set_d, double);
)cl"}});
  EXPECT_EQ(count(L.File.Embedded, "set_f((__global float *)((__global const char *)hsched_buf_x + hsched_off_x)"), 1u);
}

TEST(KernelEmbed, LocalVariablesInAMacroAreRefused) {
  const Loaded L = loadText("#define DEFINE(name) kernel void name(global int *x) { local int l; x[0] = l; }\n"
                            "kernel void fine(global int *x) { x[0] = 1; }\nDEFINE(bad)\n");
  EXPECT_FALSE(L.Ok);
  EXPECT_EQ(L.messages(), "/k/main.cl:3:8: error: kernel 'bad' declares __local variables, so its name, parameter list "
                          "and braces must not come from a macro\n");
}

TEST(KernelEmbed, IncludesAreInlined) {
  const Loaded L =
      embed({{"main.cl", "#include \"once.h\"\n"
                         "#include \"sub/guarded.h\" /* a comment\n over lines */ // and another\n"
                         "  # include \"once.h\"\n"
                         "#if 0\n#include \"absent.h\"\n#endif\n"
                         "#define FILE \"value.inc\"\n"
                         "kernel void k(global float *x) {\n"
                         "  x[0] =\n"
                         "#include FILE\n"
                         "  ;\n"
                         "}\n"},
             {"once.h", "#pragma once\nfloat once(float x) { return x; }\n"},
             {"sub/guarded.h", "#ifndef G\n#define G\n#include \"../once.h\"\n#include \"deeper.h\"\n#endif"},
             {"sub/deeper.h", "kernel void deep(global int *y) { y[0] = 1; }"},
             {"value.inc", "once(3)\n"}});
  EXPECT_EQ(L.File.Includes,
            (std::vector<std::string>{"/k/once.h", "/k/sub/guarded.h", "/k/value.inc", "/k/sub/deeper.h"}));
  EXPECT_EQ(count(L.File.Embedded, "#include"), 1u) << L.File.Embedded;
  EXPECT_EQ(count(L.File.Embedded, "float once("), 1u);
  EXPECT_EQ(count(L.File.Embedded, "pragma once"), 0u);
  EXPECT_EQ(L.kernel("deep").File, "/k/sub/deeper.h");
}

TEST(KernelEmbed, FilesIncludedSeveralTimes) {
  const Loaded L = embed({{"main.cl", "#define T float\n#define NAME k_f\n#include \"k.inc\"\n#undef T\n#undef NAME\n"
                                      "#define T int\n#define NAME k_i\n#include \"k.inc\"\n"},
                          {"k.inc", "kernel void NAME(global T *x) {\n  local T l[2];\n  x[0] = l[1];\n}\n"}});
  EXPECT_EQ(L.File.Includes.size(), 1u);
}

TEST(KernelEmbed, OtherSystemsFiles) {
  const Loaded L = embed({{"main.cl", "\xEF\xBB\xBF#include \"a.h\"\r\n\r\nkernel void k(global int *x,\r\n"
                                      "  global int *y) {\r\n  x[0] = f(y[0]);\r\n}\r\n"},
                          {"a.h", "\xEF\xBB\xBF#pragma once\r\nint f(int x) { \\\r\n  return x; }\r\n"}});
  EXPECT_EQ(count(L.File.Embedded, "\xEF\xBB\xBF"), 0u);
}

TEST(KernelEmbed, PreprocessorInsideAKernel) {
  const Loaded L = embed({{"main.cl", R"cl(
kernel void k(global float *x
#ifdef WITH_Y
              , global float *y
#endif
              ) {
#if defined(NVIDIA)
  x[0] = vendor(1);
#else
  x[0] = 2;
#endif
}
)cl"}},
                         "-DWITH_Y");
  EXPECT_EQ(count(L.File.Embedded, "vendor(1)"), 2u) << "what the device's compiler decides is left to it";
}

TEST(KernelEmbed, UnnamedParameters) {
  const Loaded L = loadText("kernel void k(global float *, int, global int *y) { y[0] = 1; }\n");
  ASSERT_TRUE(L.Ok) << L.messages();
  const Loaded Again = loadText(L.File.Embedded);
  ASSERT_TRUE(Again.Ok) << Again.messages() << L.File.Embedded;
  EXPECT_EQ(Again.kernel("hsched_entry_k").Params.size(), 5u);
}

TEST(KernelEmbed, ErrorsPointIntoTheUsersFile) {
  const Loaded L = loadClean({{"main.cl", "#include \"a.h\"\n\nkernel void f(global int *x) {\n  x[0] = 1;\n}\n"
                                          "kernel void k(global int *x) {\n  x[0] = VALUE;\n}\n"},
                              {"a.h", "#define NOTHING\n"}},
                             "-DVALUE=1");
  const Loaded Broken = loadText(L.File.Embedded, "-DVALUE=missing");
  std::set<std::string> Places;
  for (const KernelDiagnostic &D : Broken.Diags)
    if (D.Level == KernelDiagnostic::Error)
      Places.insert(D.File + ":" + std::to_string(D.Line));
  EXPECT_EQ(Places, (std::set<std::string>{"/k/main.cl:7"})) << Broken.messages();
}

} // namespace
