// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(POCL_DEVICE_ADDRESS_BITS) || defined(__NV_CL_C_VERSION)
#error this device is not to build it
#endif
kernel void twice(int n, global int *x) {
  int i = get_global_id(0);
  if (i < n)
    x[i] *= 2;
}
