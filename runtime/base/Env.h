// Settings from environment variables. An invalid value gives one warning and means the default. Any thread, as long as
// no thread changes the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_ENV_H
#define HSCHED_BASE_ENV_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hsched::rt {

// Null if unset; an empty value is an empty string.
std::optional<std::string> envString(const char *Name);

// A decimal number in [Min, Max]; Default when unset or empty.
uint64_t envUnsigned(const char *Name, uint64_t Default, uint64_t Min, uint64_t Max);

// 1, on, yes, true; 0, off, no, false; Default when unset or empty.
bool envFlag(const char *Name, bool Default);

// The same without a default: null if unset, empty or invalid.
std::optional<uint64_t> envUnsigned(const char *Name, uint64_t Min, uint64_t Max);
std::optional<bool> envFlag(const char *Name);

// A number for all, or one for each name: "4", "gpu=3,cpu=2", "2,gpu=8". The name of the number for all is empty.
using NamedNumbers = std::vector<std::pair<std::string, unsigned>>;
// Null if malformed. Empty text has no numbers.
std::optional<NamedNumbers> parseNumbers(const std::string &Text, unsigned Min, unsigned Max);
// Empty if unset, empty or invalid.
NamedNumbers envNumbers(const char *Name, unsigned Min, unsigned Max);

// At most one of them is not 0. Both are 0 without a limit.
struct MemoryLimit {
  uint64_t Bytes = 0;
  unsigned Percent = 0;
};
// "512M", "1073741824", "50%". Null if malformed.
std::optional<MemoryLimit> parseMemoryLimit(const std::string &Text);
// No limit if unset, empty or invalid.
MemoryLimit envMemoryLimit(const char *Name);

// True for Yes; false for No, and if unset or empty.
bool envChoice(const char *Name, const char *No, const char *Yes);

} // namespace hsched::rt
#endif
