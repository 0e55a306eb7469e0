// Runs a fuzz target over files once each, in the order of their names: the regression test that needs no libFuzzer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: NAME (FILE | FOLDER)...      The last line names the input that did not come back, if one did not.
#include "Targets.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <time.h>

namespace fs = std::filesystem;

// CPU time of this process alone: beside other tests an hour on the clock may be a minute of work. What the target
// starts has a limit of its own.
static double cpuSeconds() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) + static_cast<double>(Now.tv_nsec) * 1e-9;
}

int main(int Count, char **Words) {
  std::vector<fs::path> Files;
  for (int I = 1; I < Count; ++I) {
    if (fs::is_directory(Words[I])) {
      for (const fs::directory_entry &E : fs::directory_iterator(Words[I]))
        Files.push_back(E.path());
    } else {
      Files.push_back(Words[I]);
    }
  }
  std::sort(Files.begin(), Files.end());
  if (Files.empty()) {
    std::printf("no inputs\n");
    return 1;
  }
  // Diagnostics are what the inputs are about; thousands of them are not useful.
  if (!std::freopen("/dev/null", "w", stderr))
    return 1;
  double Longest = 0;
  for (const fs::path &File : Files) {
    std::ifstream In(File, std::ios::binary);
    const std::string Text((std::istreambuf_iterator<char>(In)), std::istreambuf_iterator<char>());
    if (!In) {
      std::printf("cannot read %s\n", File.c_str());
      return 1;
    }
    std::printf("%s\n", File.c_str());
    std::fflush(stdout);
    const double Begin = cpuSeconds();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(Text.data()), Text.size());
    Longest = std::max(Longest, cpuSeconds() - Begin);
  }
  std::printf("%zu inputs, %.2f s of CPU time the longest\n", Files.size(), Longest);
  // The limit of the fuzzers' own runs.
  return Longest > 10 ? 1 : 0;
}
