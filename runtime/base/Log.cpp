// The log: level, formatting, sink.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>

namespace hsched::rt {
namespace {

// Never destroyed: the log outlives every static of the program that might still use it at exit.
struct State {
  std::mutex Lock;
  LogSink Sink;
  int Threshold = static_cast<int>(LogLevel::Info); // -1: nothing.
};

int thresholdFromEnvironment(bool &Known) {
  Known = true;
  const char *Text = std::getenv("HSCHED_LOG");
  if (!Text || !*Text)
    return static_cast<int>(LogLevel::Info);
  static constexpr const char *Names[] = {"silent", "error", "warning", "info", "debug"};
  for (int I = 0; I < 5; ++I)
    if (!std::strcmp(Text, Names[I]))
      return I - 1;
  Known = false;
  return static_cast<int>(LogLevel::Info);
}

std::atomic<bool> HandedToHandler{false};

State &state() {
  static State *S = [] {
    auto *Made = new State;
    bool Known;
    Made->Threshold = thresholdFromEnvironment(Known);
    if (!Known && !HandedToHandler.load(std::memory_order_relaxed))
      std::fprintf(stderr, "hsched: warning: HSCHED_LOG=%s is not one of silent, error, warning, info, debug\n",
                   std::getenv("HSCHED_LOG"));
    return Made;
  }();
  return *S;
}

const char *prefixOf(LogLevel Level) {
  switch (Level) {
  case LogLevel::Error:
    return "hsched: error: ";
  case LogLevel::Warning:
    return "hsched: warning: ";
  case LogLevel::Debug:
    return "hsched: debug: ";
  case LogLevel::Info:
    break;
  }
  return "hsched: ";
}

} // namespace

void suppressSettingWarnings() { HandedToHandler.store(true, std::memory_order_relaxed); }

bool logEnabled(LogLevel Level) { return static_cast<int>(Level) <= state().Threshold; }

void log(LogLevel Level, const char *Format, ...) {
  if (!logEnabled(Level))
    return;
  va_list Args, Again;
  va_start(Args, Format);
  va_copy(Again, Args);
  int Length = std::vsnprintf(nullptr, 0, Format, Args);
  va_end(Args);
  const size_t Bytes = Length > 0 ? static_cast<size_t>(Length) : 0;
  char Short[512]; // Most messages fit; if memory is exhausted, longer ones are cut.
  std::unique_ptr<char[]> Long(Bytes < sizeof(Short) ? nullptr : new (std::nothrow) char[Bytes + 1]);
  char *At = Long ? Long.get() : Short;
  std::vsnprintf(At, Long ? Bytes + 1 : sizeof(Short), Format, Again);
  va_end(Again);
  std::string_view Text(At, Long ? Bytes : std::min(Bytes, sizeof(Short) - 1));
  while (!Text.empty() && Text.back() == '\n')
    Text.remove_suffix(1);

  State &S = state();
  std::lock_guard Guard(S.Lock);
  if (!S.Sink) { // In one write, because other processes may write to the same terminal.
    std::fprintf(stderr, "%s%.*s\n", prefixOf(Level), static_cast<int>(Text.size()), Text.data());
    return;
  }
  try {
    S.Sink(Level, Text);
  } catch (const std::bad_alloc &) { // As if the message was not requested.
  }
}

void lockLog() { state().Lock.lock(); }
void unlockLog() { state().Lock.unlock(); }

void setLogSink(LogSink Sink) {
  State &S = state();
  std::lock_guard Guard(S.Lock);
  S.Sink = std::move(Sink);
}

} // namespace hsched::rt
