// What the layer that splits devices exports beside OpenCL's own: to be found with dlsym in the library that
// OPENCL_LAYERS names. Any thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_PARTITIONLAYER_H
#define HSCHED_TEST_UNIT_API_PARTITIONLAYER_H

#pragma GCC visibility push(default)
extern "C" {
unsigned hsched_test_parts_made();             // How many there are.
unsigned hsched_test_parts_ran(unsigned Part); // Kernels that it was given, since the last:
void hsched_test_parts_forget();
void hsched_test_parts_lose(unsigned Part); // From now on its commands are refused with CL_DEVICE_NOT_AVAILABLE.
}
#pragma GCC visibility pop

#endif
