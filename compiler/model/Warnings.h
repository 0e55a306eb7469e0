// The warnings that hsched-cc gives about directives: their names, and what the command line makes of each. The one
// place that lists them. No Clang, so that the driver can use it.
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
  std::string_view Name; // Of -Whsched-<name>.
  bool OnByDefault;      // Else with -Wall, -Whsched or its own name.
  std::string_view Help; // One line: what it tells of.
};

// In the enum's order.
const std::array<WarningInfo, NumWarnings> &allWarnings();
inline const WarningInfo &infoOf(Warning W) { return allWarnings()[static_cast<std::size_t>(W)]; }
const WarningInfo *findWarning(std::string_view Name);

// "[-Whsched-name]", with which each message ends.
std::string suffixOf(Warning W);

// What the flags say. As with GCC, a flag that names one warning goes before one for all of hsched's, and that before
// one for all of the compiler's; of two that are equal the later one counts.
class WarningLevels {
public:
  WarningLevels() : WarningLevels(std::vector<std::string>()) {}
  // -w, -W[no-]all, -W[no-]hsched[-name], -W[no-]error[=hsched[-name]]; others are not looked at.
  explicit WarningLevels(const std::vector<std::string> &Flags);

  WarningLevel of(Warning W) const { return Levels[static_cast<std::size_t>(W)]; }

private:
  std::array<WarningLevel, NumWarnings> Levels;
};

// What is wrong with a flag that begins like one of hsched's; empty when nothing is. Unknown names are wrong. Fatal:
// one that is switched on; to switch off what is not there does no harm.
std::string problemWithFlag(std::string_view Flag, bool &Fatal);

} // namespace hsched::cc
#endif
