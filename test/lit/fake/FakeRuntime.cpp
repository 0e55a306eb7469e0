// An empty runtime for the driver's tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __attribute__((visibility("default"))) int fakeRuntime() { return 7; }
