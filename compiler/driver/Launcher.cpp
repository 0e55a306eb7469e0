// hsched-cc as a build system's compiler launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Launcher.h"

#include "driver/ResponseFile.h"

#include <algorithm>

namespace hsched::cc {
namespace {

constexpr std::string_view Option = "--hsched-launcher";

} // namespace

bool isLauncherCall(const StringList &Words) {
  return !Words.empty() && (Words[0] == Option || Words[0].rfind(std::string(Option) + "=", 0) == 0);
}

Launch parseLauncher(const StringList &Words, std::string &Error) {
  Launch Result;
  std::string Compiler = Words[0].size() > Option.size() ? Words[0].substr(Option.size() + 1) : "";
  auto At = Words.begin() + 1;
  if (!Compiler.empty())
    At = std::find(At, Words.end(), Compiler);
  if (At == Words.end()) {
    Error = "'" + Words[0] + "' is to be followed by a compiler and its arguments";
    return Result;
  }
  Result.Launchers.assign(Words.begin() + 1, At);
  Result.Arguments.push_back("--hsched-host=" + quoteWord(*At));
  Result.Arguments.insert(Result.Arguments.end(), At + 1, Words.end());
  return Result;
}

} // namespace hsched::cc
