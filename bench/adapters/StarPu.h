// StarPU 1.3: one codelet for each body and shape of accesses, handles kept in the data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU workers only; STARPU_SCHED chooses the policy (lws unless set: the fastest for tasks as small as these).
#ifndef HSCHED_BENCH_ADAPTERS_STARPU_H
#define HSCHED_BENCH_ADAPTERS_STARPU_H

#include "../Access.h"

#include <starpu.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace rt {

inline const char Name[] = "StarPU";
constexpr bool TracksData = true, TracksRanges = false, NestedWaits = false;

inline std::string version() {
  int Major = 0, Minor = 0, Release = 0;
  starpu_get_version(&Major, &Minor, &Release);
  return std::to_string(Major) + "." + std::to_string(Minor) + "." + std::to_string(Release);
}

inline void start(unsigned Threads) {
  setenv("STARPU_NCPU", std::to_string(Threads).c_str(), 1);
  setenv("STARPU_NCUDA", "0", 1);
  setenv("STARPU_NOPENCL", "0", 1);
  setenv("STARPU_SILENT", "1", 1);
  setenv("STARPU_SCHED", "lws", 0);
  if (starpu_init(nullptr) != 0)
    std::abort();
}
inline void stop() { starpu_shutdown(); }
inline void adopt(bench::Datum *Data, size_t Count) {
  for (size_t I = 0; I < Count; ++I) {
    starpu_data_handle_t Handle;
    starpu_variable_data_register(&Handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(Data[I].base()),
                                  Data[I].bytes());
    Data[I].Handle = Handle;
  }
}
inline void disown(bench::Datum *Data, size_t Count) {
  for (size_t I = 0; I < Count; ++I)
    starpu_data_unregister(static_cast<starpu_data_handle_t>(Data[I].Handle));
}
template <class F> void region(F Run) { Run(); }

constexpr starpu_data_access_mode modeOf(bench::In) { return STARPU_R; }
constexpr starpu_data_access_mode modeOf(bench::Out) { return STARPU_W; }
constexpr starpu_data_access_mode modeOf(bench::InOut) { return STARPU_RW; }

template <class Body, class... Accesses> starpu_codelet *codelet() {
  static starpu_codelet Made = [] {
    starpu_codelet C;
    starpu_codelet_init(&C);
    C.cpu_funcs[0] = [](void **, void *Args) { Body::run(*static_cast<typename Body::Args *>(Args)); };
    C.nbuffers = sizeof...(Accesses);
    [[maybe_unused]] unsigned I = 0;
    ((C.modes[I++] = modeOf(Accesses{})), ...);
    return C;
  }();
  return &Made;
}

class Group {
public:
  template <class Body, size_t N, class... Accesses>
  void submit(typename Body::Args Args, bench::After<N>, Accesses... List) {
    starpu_task *T = starpu_task_create();
    T->cl = codelet<Body, Accesses...>();
    T->cl_arg = std::malloc(sizeof(Args));
    std::memcpy(T->cl_arg, &Args, sizeof(Args));
    T->cl_arg_size = sizeof(Args);
    T->cl_arg_free = 1;
    [[maybe_unused]] unsigned I = 0;
    ((T->handles[I++] = static_cast<starpu_data_handle_t>(List.D->Handle)), ...);
    if (starpu_task_submit(T) != 0)
      std::abort();
  }
  void wait() { starpu_task_wait_for_all(); }
};

} // namespace rt
#endif
