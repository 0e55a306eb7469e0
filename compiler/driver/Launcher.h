// hsched-cc as a build system's compiler launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_LAUNCHER_H
#define HSCHED_CC_DRIVER_LAUNCHER_H

#include "driver/CommandLine.h"

namespace hsched::cc {

/// "hsched-cc --hsched-launcher[=compiler] [launcher...] compiler arguments..." taken apart. Launchers that stand
/// before the compiler, such as ccache, are to be run before hsched-cc, which then is the compiler that they see:
///   [launcher...] hsched-cc --hsched-host=compiler arguments...
struct Launch {
  StringList Launchers; ///< Empty: this process can do the work itself.
  StringList Arguments; ///< Of hsched-cc.
};

/// Words are those after the program's name. Without =compiler the first one is the compiler. Error says why there is
/// none among the words.
Launch takeLauncherApart(const StringList &Words, std::string &Error);

/// Whether Words ask for it.
bool isLauncherCall(const StringList &Words);

} // namespace hsched::cc

#endif
