// Settings from environment variables. A value that cannot be understood is warned about once and replaced by the
// default. Any thread, as long as nobody changes the environment meanwhile.
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

// Null when unset; set but empty is an empty string.
std::optional<std::string> envString(const char *Name);

// A decimal number in [Min, Max]; Default when unset or empty.
uint64_t envUnsigned(const char *Name, uint64_t Default, uint64_t Min, uint64_t Max);

// 1, on, yes, true; 0, off, no, false; Default when unset or empty.
bool envFlag(const char *Name, bool Default);

// The same where the default is not a number, or no flag: null when unset or empty, or not understood.
std::optional<uint64_t> envUnsigned(const char *Name, uint64_t Min, uint64_t Max);
std::optional<bool> envFlag(const char *Name);

// A number for all, or one for each name: "4", "gpu=3,cpu=2", "2,gpu=8". The name of the number for all is empty. Empty
// when unset or empty, or not understood.
std::vector<std::pair<std::string, unsigned>> envNumbers(const char *Name, unsigned Min, unsigned Max);

// At most one of them is not 0; both are where there is no limit.
struct MemoryLimit {
  uint64_t Bytes = 0;
  unsigned Percent = 0;
};
// "512M", "1073741824", "50%". Null when malformed.
std::optional<MemoryLimit> parseMemoryLimit(const std::string &Text);
// No limit when unset or empty, or not understood.
MemoryLimit envMemoryLimit(const char *Name);

// Whether it is Yes; No when unset or empty.
bool envChoice(const char *Name, const char *No, const char *Yes);

} // namespace hsched::rt
#endif
