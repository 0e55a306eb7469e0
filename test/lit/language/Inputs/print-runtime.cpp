// A runtime that prints what each task says it touches, then runs it: mode, offset from origin, rows x bytes @ stride.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/abi.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

const void *origin = nullptr;

struct hsched_task_type {
  const hsched_task_desc *Desc;
  std::vector<const hsched_version_desc *> Versions;
};
struct hsched_task {
  hsched_task_type *Type;
  std::vector<hsched_access> Accesses;
  void *Args;
};

static std::map<std::string, hsched_task_type> &types() {
  static std::map<std::string, hsched_task_type> Types;
  return Types;
}

static void print(const hsched_access *A, unsigned N) {
  for (unsigned I = 0; I < N; ++I) {
    const char *Modes[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
    std::printf(" %s", Modes[A[I].mode]);
    if (A[I].param != HSCHED_NO_PARAM)
      std::printf("#%u", A[I].param);
    if (A[I].bytes == 0)
      std::printf(" nothing");
    else
      std::printf(" %+ld", static_cast<long>(static_cast<const char *>(A[I].base) - static_cast<const char *>(origin)));
    if (A[I].bytes && A[I].rows != 1)
      std::printf(" %zu x %zu @ %zu", A[I].rows, A[I].bytes, A[I].stride);
    else if (A[I].bytes)
      std::printf(" %zu", A[I].bytes);
    std::printf(I + 1 < N ? "," : "");
  }
  std::printf("\n");
}

extern "C" {
hsched_task_type *hsched_register_task(const hsched_task_desc *D) {
  hsched_task_type &T = types()[D->linker_name];
  T.Desc = D;
  return &T;
}
void hsched_register_version(const char *Task, const hsched_version_desc *V) { types()[Task].Versions.push_back(V); }
void hsched_register_metadata(const char *, size_t) {}
hsched_task *hsched_task_begin(hsched_task_type *Type, unsigned N, hsched_access **Accesses, void **Args) {
  auto *T = new hsched_task{Type, std::vector<hsched_access>(N),
                            std::aligned_alloc(64, (Type->Desc->args_bytes + 64) / 64 * 64)};
  *Accesses = T->Accesses.data();
  *Args = T->Args;
  return T;
}
void hsched_task_submit(hsched_task *T, const hsched_submit_options *) {
  std::printf("%s:", T->Type->Desc->name);
  print(T->Accesses.data(), static_cast<unsigned>(T->Accesses.size()));
  // The last version there is: whatever it is, it does the same.
  const hsched_version_desc *V = nullptr;
  for (const hsched_version_desc *Each : T->Type->Versions)
    V = Each->run ? Each : V;
  if (V)
    V->run(T->Args);
  hsched_task_abandon(T);
}
void hsched_task_abandon(hsched_task *T) {
  if (T->Type->Desc->destroy)
    T->Type->Desc->destroy(T->Args);
  std::free(T->Args);
  delete T;
}
void hsched_taskwait(unsigned) { std::printf("wait\n"); }
void hsched_taskwait_on(const hsched_access *A, unsigned N, unsigned) {
  std::printf("wait on:");
  print(A, N);
}
int hsched_in_final(void) { return 0; }
unsigned hsched_abi_version(void) { return HSCHED_ABI_MAJOR * 1000 + HSCHED_ABI_MINOR; }
}
