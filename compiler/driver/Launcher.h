// hsched-cc as a build system's compiler launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_LAUNCHER_H
#define HSCHED_CC_DRIVER_LAUNCHER_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// "hsched-cc --hsched-launcher[=compiler] [launcher...] compiler arguments..." taken apart. Launchers in front of the
/// compiler, such as ccache, run before hsched-cc, which is then their compiler:
///   [launcher...] hsched-cc --hsched-host=compiler arguments...
struct Launch {
  StringList Launchers; ///< Empty: this process does the work itself.
  StringList Arguments; ///< Arguments of hsched-cc.
};

/// Words are those after the program's name. Without =compiler the first one is the compiler. Error: the reason if the
/// words name no compiler.
Launch parseLauncher(const StringList &Words, std::string &Error);

/// True if Words request launcher mode.
bool isLauncherCall(const StringList &Words);

} // namespace hsched::cc

#endif
