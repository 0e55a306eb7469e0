// hsched-cc's warnings about directives: names, and their levels from the command line. The only list of them. No
// Clang, so that the driver can use it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To add one: a line in the enum, a line in Warnings.cpp's table, warn(Diags, Warning::Name, Loc, "...") of
// analysis/Report.h, a row in docs/language.md, a test.
#ifndef HSCHED_MODEL_WARNINGS_H
#define HSCHED_MODEL_WARNINGS_H

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hsched::cc {

enum class Warning : unsigned char {
  Capture,
  Const,
  Coverage,
  Extent,
  Instances,
  KernelCode,
  KernelRange,
  OmpssBound,
  Role,
  Unnamed,
  Versions
};
inline constexpr std::size_t NumWarnings = static_cast<std::size_t>(Warning::Versions) + 1;

enum class WarningLevel : unsigned char { Off, On, Error };

struct WarningInfo {
  Warning Which;
  std::string_view Name; // Name in -Whsched-<name>.
  bool OnByDefault;      // False: only with -Wall, -Whsched or its own name.
  std::string_view Help; // One line of help.
};

// In the order of the enum.
const std::array<WarningInfo, NumWarnings> &allWarnings();
inline const WarningInfo &infoOf(Warning W) { return allWarnings()[static_cast<std::size_t>(W)]; }
const WarningInfo *findWarning(std::string_view Name);

// "[-Whsched-name]", appended to each message.
std::string suffixOf(Warning W);

// Warning levels from flags. As in GCC, a flag for one warning takes precedence over one for all of hsched's, and that
// over one for all of the compiler's. If two are equal, the last one counts.
class WarningLevels {
public:
  WarningLevels() : WarningLevels(std::vector<std::string>()) {}
  // -w, -W[no-]all, -W[no-]hsched[-name], -W[no-]error[=hsched[-name]]; others are ignored.
  explicit WarningLevels(const std::vector<std::string> &Flags);

  WarningLevel of(Warning W) const { return Levels[static_cast<std::size_t>(W)]; }

private:
  std::array<WarningLevel, NumWarnings> Levels;
};

// The error in a flag with hsched's prefix; empty: none. Unknown names are errors. Fatal: set if the flag enables a
// warning; disabling an unknown warning is harmless.
std::string problemWithFlag(std::string_view Flag, bool &Fatal);

} // namespace hsched::cc
#endif
