// hsched: the C ABI, as the code that hsched-cc generates speaks it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_ADAPTERS_HSCHED_H
#define HSCHED_BENCH_ADAPTERS_HSCHED_H

#include "../Access.h"

#include <hsched/abi.h>

#include <dlfcn.h>

#include <cstdlib>
#include <new>
#include <string>
#include <typeinfo>

namespace rt {

inline const char Name[] = "hsched";
constexpr bool TracksData = true, TracksRanges = true, NestedWaits = true;

inline std::string version() {
  unsigned Abi = hsched_abi_version();
  Dl_info Library{};
  dladdr(reinterpret_cast<void *>(&hsched_abi_version), &Library);
  return "ABI " + std::to_string(Abi / 1000) + "." + std::to_string(Abi % 1000) +
         ", programs by GCC " __VERSION__ ", " + (Library.dli_fname ? Library.dli_fname : "");
}

inline void start(unsigned Threads) {
  setenv("HSCHED_NCPU", std::to_string(Threads).c_str(), 1);
  setenv("HSCHED_OPENCL", "0", 1);
}
inline void stop() {}
inline void adopt(bench::Datum *, size_t) {}
inline void disown(bench::Datum *, size_t) {}
template <class F> void region(F Run) { Run(); }

template <class Body> hsched_task_type *type() {
  using Args = typename Body::Args;
  static hsched_task_type *const Type = [] {
    static const char *const Params[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const hsched_task_desc Task = {sizeof(hsched_task_desc),
                                          HSCHED_ABI_MAJOR,
                                          HSCHED_ABI_MINOR,
                                          typeid(Body).name(),
                                          typeid(Body).name(),
                                          __FILE__,
                                          __LINE__,
                                          8,
                                          Params,
                                          sizeof(Args),
                                          alignof(Args),
                                          nullptr,
                                          nullptr};
    static const hsched_version_desc Version = {sizeof(hsched_version_desc),
                                                Task.linker_name,
                                                Task.name,
                                                __FILE__,
                                                __LINE__,
                                                HSCHED_DEVICE_CPU,
                                                HSCHED_TYPE_ANY,
                                                [](void *P) { Body::run(*static_cast<Args *>(P)); },
                                                nullptr,
                                                nullptr};
    hsched_task_type *Made = hsched_register_task(&Task);
    hsched_register_version(Task.linker_name, &Version);
    return Made;
  }();
  return Type;
}

constexpr unsigned modeOf(bench::In) { return HSCHED_IN; }
constexpr unsigned modeOf(bench::Out) { return HSCHED_OUT; }
constexpr unsigned modeOf(bench::InOut) { return HSCHED_INOUT; }

class Group {
public:
  template <class Body, size_t N, class... Accesses>
  void submit(typename Body::Args Args, bench::After<N>, Accesses... List) {
    hsched_access *Sections;
    void *Packed;
    hsched_task *T = hsched_task_begin(type<Body>(), sizeof...(List), &Sections, &Packed);
    [[maybe_unused]] unsigned I = 0;
    ((Sections[I] = {List.D->base(), List.D->bytes(), 1, 0, modeOf(List), I}, ++I), ...);
    new (Packed) typename Body::Args(Args);
    hsched_task_submit(T, nullptr);
  }
  void wait() { hsched_taskwait(0); }
};

} // namespace rt
#endif
