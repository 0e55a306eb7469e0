// hsched-cc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Diagnostics.h"
#include "driver/Driver.h"

#include <exception>

int main(int NumWords, char **Words) try {
  return hsched::cc::runDriver(hsched::cc::StringList(Words + (NumWords > 0), Words + NumWords));
} catch (const std::exception &E) {
  hsched::cc::reportError(E.what());
  return 1;
}
