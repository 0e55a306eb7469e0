// Options of AddressSanitizer in the fuzzers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's allocators mark memory as unused by inline functions, in hsched's code with a sanitizer and in LLVM's
// libraries without: nothing removes some marks. Clang leaks by design (-disable-free).
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_leaks=0:detect_container_overflow=0:detect_stack_use_after_return=1";
}
