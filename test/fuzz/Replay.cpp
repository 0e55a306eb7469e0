// Runs a fuzz target over files once each, in the order of their names: the regression test that needs no libFuzzer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: NAME (FILE | FOLDER)...      The last line names the input that did not come back, if one did not.
#include "Targets.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;

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
  // Diagnostics are what the inputs are about; nobody reads thousands of them.
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
    const auto Begin = std::chrono::steady_clock::now();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(Text.data()), Text.size());
    const double Seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin).count();
    Longest = std::max(Longest, Seconds);
  }
  std::printf("%zu inputs, %.2f s the longest\n", Files.size(), Longest);
  // The limit of the fuzzers' own runs.
  return Longest > 10 ? 1 : 0;
}
