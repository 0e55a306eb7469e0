// Tasks through the C ABI, written by hand as generated code would be.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_HANDWRITTEN_H
#define HSCHED_TEST_UNIT_API_HANDWRITTEN_H

#include <hsched/abi.h>

#include <algorithm>
#include <functional>
#include <new>
#include <vector>

namespace hsched::test {

struct FunctionArgs {
  std::function<void()> Body;
};

inline const hsched_task_desc FunctionTask = {sizeof(hsched_task_desc),
                                              HSCHED_ABI_MAJOR,
                                              HSCHED_ABI_MINOR,
                                              "test_function",
                                              "function",
                                              __FILE__,
                                              __LINE__,
                                              0,
                                              nullptr,
                                              sizeof(FunctionArgs),
                                              alignof(FunctionArgs),
                                              [](void *A) { static_cast<FunctionArgs *>(A)->~FunctionArgs(); },
                                              nullptr};
inline const hsched_version_desc FunctionVersion = {sizeof(hsched_version_desc),
                                                    "test_function",
                                                    "function",
                                                    __FILE__,
                                                    __LINE__,
                                                    HSCHED_DEVICE_CPU,
                                                    HSCHED_TYPE_ANY,
                                                    [](void *A) { static_cast<FunctionArgs *>(A)->Body(); },
                                                    nullptr,
                                                    nullptr,
                                                    nullptr};

inline hsched_task_type *functionType() {
  static hsched_task_type *Type = [] {
    // In this order on purpose: a unit with a version may be initialised first.
    hsched_register_version(FunctionTask.linker_name, &FunctionVersion);
    return hsched_register_task(&FunctionTask);
  }();
  return Type;
}

template <class T> hsched_access section(unsigned Mode, T &Object) {
  return {&Object, sizeof(T), 1, 0, Mode, HSCHED_NO_PARAM};
}

inline void submitTo(hsched_task_type *Type, const std::vector<hsched_access> &Sections, std::function<void()> Body) {
  hsched_access *Accesses;
  void *Args;
  hsched_task *T = hsched_task_begin(Type, static_cast<unsigned>(Sections.size()), &Accesses, &Args);
  new (Args) FunctionArgs{std::move(Body)};
  std::copy(Sections.begin(), Sections.end(), Accesses);
  hsched_task_submit(T, nullptr);
}
inline void submit(const std::vector<hsched_access> &Sections, std::function<void()> Body) {
  submitTo(functionType(), Sections, std::move(Body));
}

} // namespace hsched::test
#endif
