// The library's one voice: every line it prints goes through here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_LOG_H
#define HSCHED_BASE_LOG_H

#include <cstdint>
#include <functional>
#include <string_view>

namespace hsched::rt {

enum class LogLevel : uint8_t { Error, Warning, Info, Debug };

// HSCHED_LOG=silent|error|warning|info|debug, default info. Any thread.
bool logEnabled(LogLevel Level);

// One message, printf-like, without a newline at its end; "hsched: " and, but for Info, the level are put before it.
// Lines after the first of a long message (a build log) are kept as they are. Any thread; messages never interleave.
void log(LogLevel Level, const char *Format, ...) __attribute__((format(printf, 2, 3)));

// This copy of the log says nothing about HSCHED_LOG's value: a plugin has one of its own beside its loader's, which
// has said it. Before anything is logged.
void leaveSettingToOthers();

// Sends messages elsewhere than to stderr: without prefix and newline. An empty sink restores stderr. Called with the
// log's lock held: it must not log.
using LogSink = std::function<void(LogLevel, std::string_view)>;
void setLogSink(LogSink Sink);

} // namespace hsched::rt
#endif
