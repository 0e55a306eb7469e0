// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/abi.h>

#include <cstdio>

int main() {
  const unsigned version = hsched_abi_version();
  std::printf("direct: ABI %u.%u\n", version / 1000, version % 1000);
  return version / 1000 == HSCHED_ABI_MAJOR && version % 1000 >= HSCHED_ABI_MINOR ? 0 : 1;
}
