// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/LeftOut.h"

#include <functional>
#include <map>
#include <string>

namespace hsched::port {

const char *withoutClause(std::string_view Name) {
  static const char *const Vectorised =
      "-O3 vectorises the body; '#pragma omp simd' and -fopenmp-simd are allowed on a loop inside it";
  static const char *const Chunks = "chunks follow measured times; grainsize(n) fixes them";
  static const char *const Moves = "data follow in, out and inout";
  static const char *const Threads = "the runtime binds its threads, see hsched-env(7)";
  static const std::map<std::string, const char *, std::less<>> Dropped = {
      {"schedule", Chunks},
      {"simd", Vectorised},
      // A loop that waits is also correct.
      {"nowait", "the loop waits at its end; 'nowait' may be written again if nothing behind needs its data"},
      {"chunksize", Chunks},
      {"dist_schedule", Chunks},
      {"default", "the compiler finds what the body uses"},
      {"untied", "a task stays with its thread"},
      {"mergeable", "if no worker is free, the runtime runs a task as a call"},
      {"proc_bind", Threads},
      {"affinity", Threads},
      {"allocate", "private copies are variables of the body"},
      {"bind", "all threads share the iterations"},
      {"order", "iterations may run in any order"},
      {"filter", "one thread runs it"},
      {"copy_deps", Moves},
      {"no_copy_deps", Moves},
      {"copy_in", Moves},
      {"copy_out", Moves},
      {"copy_inout", Moves}};
  const auto Found = Dropped.find(Name);
  return Found == Dropped.end() ? nullptr : Found->second;
}

const char *withoutDirective(std::string_view Name) {
  static const std::map<std::string, const char *, std::less<>> Needless = {
      {"taskyield", "a thread that waits runs other tasks"},
      {"nothing", "it does nothing"},
      {"scope", "one thread runs it"},
      {"assume", "it is advice to the compiler"},
      {"assumes", "it is advice to the compiler"},
      {"requires", "it asks for OpenMP's devices"}};
  const auto Found = Needless.find(Name);
  return Found == Needless.end() ? nullptr : Found->second;
}

} // namespace hsched::port
