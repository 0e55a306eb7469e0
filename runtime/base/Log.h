// The log: every line that the library prints goes through here.
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

// Suppresses warnings about HSCHED_LOG's value in this copy of the log: a plugin has its own copy, and its loader has
// already warned. Call before any message.
void suppressSettingWarnings();

// For handlers of fork: a child must not inherit the log's lock from another thread of its parent.
void lockLog();
void unlockLog();

// Redirects messages from stderr: without prefix and newline. An empty sink restores stderr. Called with the log's lock
// held: it must not log.
using LogSink = std::function<void(LogLevel, std::string_view)>;
void setLogSink(LogSink Sink);

} // namespace hsched::rt
#endif
