// hsched-kinfo.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kinfo/Kinfo.h"

int main(int NumWords, char **Words) {
  return hsched::cc::runKinfo(std::vector<std::string>(Words + (NumWords > 0), Words + NumWords));
}
