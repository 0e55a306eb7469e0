// The names of all settings, and warnings about variables of the environment that are misspelt.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SETTINGNAMES_H
#define HSCHED_BASE_SETTINGNAMES_H

#include <string>
#include <string_view>
#include <vector>

namespace hsched::rt {

// A warning for each variable that begins with HSCHED_ and that no part of hsched reads. Environment: "NAME=value",
// ended by null, as the system's environ. The rows of the tables in docs/runtime.md are the names that are read.
// Variables of hsched's build and of its tests, such as HSCHED_TEST_SEED, give no warning.
std::vector<std::string> unknownSettings(const char *const *Environment);

// Logs these warnings for the environment. A process gets them once, however often it calls. Called where the settings
// are read at the start. Any thread, as long as no thread changes the environment.
void warnAboutUnknownSettings();

} // namespace hsched::rt
#endif
