// What a fuzz target is: one function over bytes, driven by libFuzzer, or by Replay.cpp over files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_FUZZ_TARGETS_H
#define HSCHED_TEST_FUZZ_TARGETS_H

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data, std::size_t Size);

#endif
