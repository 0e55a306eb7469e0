// Misspelt settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/SettingNames.h"
#include "base/Log.h"

#include <algorithm>
#include <atomic>
#include <unistd.h>
#include <utility>

namespace hsched::rt {
namespace {

constexpr std::string_view Prefix = "HSCHED_";

// Without the prefix. CMake makes the file of the tables in docs/runtime.md.
constexpr std::string_view Known[] = {
#include "base/SettingNames.inc"
};

// Read by the build, by scripts or by tests, not by hsched.
constexpr std::string_view KnownBeginnings[] = {"BUILD_", "FUZZ", "ORACLE_", "TEST_"};
constexpr std::string_view KnownElsewhere[] = {"CLANG_RESOURCE_DIR", "COVERAGE", "OS_RELEASE", "PCH",
                                               "SANITIZE",           "UNITY",    "WERROR"};

bool isKnown(std::string_view Name) {
  const auto Is = [&](std::string_view Other) { return Name == Other; };
  const auto Begins = [&](std::string_view Beginning) { return Name.starts_with(Beginning); };
  return std::any_of(std::begin(Known), std::end(Known), Is) ||
         std::any_of(std::begin(KnownElsewhere), std::end(KnownElsewhere), Is) ||
         std::any_of(std::begin(KnownBeginnings), std::end(KnownBeginnings), Begins);
}

// The number of letters to insert, to remove, to replace, or to swap with their neighbour, that makes B of A.
size_t editDistance(std::string_view A, std::string_view B) {
  std::vector<size_t> BeforeLast, Last(B.size() + 1), Row(B.size() + 1); // For a beginning of A, by beginnings of B.
  for (size_t J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (size_t I = 1; I <= A.size(); ++I) {
    BeforeLast = std::exchange(Last, Row);
    Row[0] = I;
    for (size_t J = 1; J <= B.size(); ++J) {
      Row[J] = std::min({Last[J] + 1, Row[J - 1] + 1, Last[J - 1] + (A[I - 1] != B[J - 1])});
      if (I > 1 && J > 1 && A[I - 1] == B[J - 2] && A[I - 2] == B[J - 1])
        Row[J] = std::min(Row[J], BeforeLast[J - 2] + 1);
    }
  }
  return Row[B.size()];
}

// The setting that Name is likely meant to be: at most a third of Name's letters differ. Empty if there is none.
std::string_view nearest(std::string_view Name) {
  std::string_view Nearest;
  size_t Least = std::max<size_t>(Name.size() / 3, 1) + 1;
  for (std::string_view Other : Known) {
    if (Other.size() > Name.size() + Least || Name.size() > Other.size() + Least)
      continue;
    if (const size_t D = editDistance(Name, Other); D < Least) {
      Least = D;
      Nearest = Other;
    }
  }
  return Nearest;
}

} // namespace

std::vector<std::string> unknownSettings(const char *const *Environment) {
  std::vector<std::string> Warnings;
  for (; Environment && *Environment; ++Environment) {
    std::string_view Name = *Environment;
    Name = Name.substr(0, Name.find('='));
    if (!Name.starts_with(Prefix) || isKnown(Name.substr(Prefix.size())))
      continue;
    const std::string_view Meant = nearest(Name.substr(Prefix.size()));
    Warnings.push_back(std::string(Name) + " is not a setting of hsched; " +
                       (Meant.empty() ? "see man hsched-env for all of them"
                                      : "did you mean " + std::string(Prefix) + std::string(Meant) + "?"));
  }
  return Warnings;
}

void warnAboutUnknownSettings() {
  static std::atomic<bool> Done{false};
  if (Done.exchange(true) || !logEnabled(LogLevel::Warning))
    return;
  for (const std::string &Warning : unknownSettings(environ))
    log(LogLevel::Warning, "%s", Warning.c_str());
}

} // namespace hsched::rt
