// GCC's instrumentation (-fsanitize-coverage=trace-pc) for libFuzzer, which understands only Clang's. Each instrumented
// address of the program counts in one of libFuzzer's extra counters. For --wrap=__sanitizer_cov_trace_pc, since
// libFuzzer has a function of that name that does nothing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t NumCounters = 1 << 15; // Several times the places there are, for they meet by chance.

__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t Counters[NumCounters];

} // namespace

extern "C" void __wrap___sanitizer_cov_trace_pc();
extern "C" void __wrap___sanitizer_cov_trace_pc() {
  const auto At = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::uint8_t &Counter = Counters[(At * 0x9E3779B97F4A7C15u) >> 49];
  Counter = static_cast<std::uint8_t>(Counter + (Counter != 255));
}
