// Fuzz target: directives and their clauses, from the text to the rewritten program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each line of the input is a directive. Its first character is its position in the program below: '0' to '9', or the
// code of another character. The program is correct without directives, so that nothing but these is tested.
#include "Targets.h"

#include "rewrite/Frontend.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Before each part stand the directives of its number.
const char *const Parts[] = {
    // 0
    "void saxpy(int n, float a, const float *x, float *y) { for (int i = 0; i < n; ++i) y[i] += a * x[i]; }\n",
    // 1: a version.
    "void saxpy_cl(int n, float a, const float *x, float *y);\n",
    // 2: every kind of parameter.
    "constexpr int M = 8; int Global; struct P { int v, w[4]; P *next; }; enum E { First, Second };\n"
    "struct Vec { float *data() const; unsigned long size() const; float &operator[](int); };\n"
    "void kinds(int n, double (&array)[M], P p, P &r, P *q, int (*m)[M], Vec &v, const Vec &c, E e, int *&t, void *o)\n"
    "{ array[0] = n + p.v; r.v = q->w[1]; m[1][n] = *t; (void)v; (void)c; (void)e; (void)o; }\n",
    // 3: a template.
    "template <class T, int N> void sweep(int n, T *x, const T (&y)[N]) { for (int i = 0; i < n; ++i) x[i] = y[i % N]; "
    "}\n"
    "template void sweep<float, 4>(int, float *, const float (&)[4]);\n",
    // 4: a member.
    "namespace ns { struct S { int size; float *data; static int Count;\n",
    // 5: another.
    "static void scale(int n, float *x) { for (int i = 0; i < n; i++) x[i] *= 2; }\n",
    // 6: not static.
    ("void both(int n) { for (int i = 0; i < n; i++) data[i] = i; } }; }\n"
     "void work(int n, float *x, int rows, int columns, float *m) {\n  int local = 3; float sum = 0;\n"),
    // 7: a statement.
    "{ x[0] = local; sum += x[1]; }\n",
    // 8: a loop.
    "for (int i = 0; i < n; ++i) x[i] = m[i * columns] + rows;\n",
    // 9: a statement's place.
    ";\nsaxpy(n, sum, x, m);\n}\n",
};
constexpr std::size_t NumParts = sizeof(Parts) / sizeof(*Parts);

const char *const Kernels = "kernel void saxpy(int n, float a, global const float *x, global float *y) {\n"
                            "  int i = get_global_id(0);\n  if (i < n) y[i] += a * x[i];\n}\n"
                            "kernel void other(global int *p, local float *s, float4 v) { p[0] = v.x; }\n";

// A folder for this process alone: the front end reads files.
class Folder {
public:
  Folder() {
    char Name[] = "/tmp/hsched-fuzz-XXXXXX";
    if (!mkdtemp(Name))
      std::abort();
    Path = Name;
    std::ofstream(file("k.cl")) << Kernels;
  }
  ~Folder() {
    std::error_code Ignored;
    std::filesystem::remove_all(Path, Ignored);
  }
  std::string file(const char *Name) const { return Path + "/" + Name; }

private:
  std::string Path;
};

std::string program(const std::string &Input) {
  std::vector<std::string> Directives(NumParts);
  std::istringstream Lines(Input);
  for (std::string Line; std::getline(Lines, Line);) {
    if (Line.empty())
      continue;
    const std::size_t Part = static_cast<unsigned char>(Line[0] - '0') % NumParts;
    std::string Text = Line.substr(1);
    // A directive that goes on in the next line would swallow the program.
    while (!Text.empty() && (Text.back() == '\\' || Text.back() == '\r' || Text.back() == ' '))
      Text.pop_back();
    Directives[Part] += "#pragma hsched " + Text + "\n";
  }
  std::string Program;
  for (std::size_t I = 0; I != NumParts; ++I)
    Program += Directives[I] + Parts[I];
  return Program;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data, std::size_t Size) {
  static const Folder Here;
  static const std::string Source = Here.file("fuzz.cpp");
  std::ofstream(Source) << program(std::string(reinterpret_cast<const char *>(Data), Size));
  hsched::cc::FrontendJob Job;
  Job.Input = Source;
  Job.ClangArgs = {"-std=c++20", "-nostdinc"};
  Job.ResourceDir = HSCHED_CLANG_RESOURCE_DIR;
  hsched::cc::runFrontend(Job);
  return 0;
}
