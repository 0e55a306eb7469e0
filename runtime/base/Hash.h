// A hash of bytes that is the same in every run and on every machine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_HASH_H
#define HSCHED_BASE_HASH_H

#include <cstdint>
#include <string_view>

namespace hsched::rt {

// FNV-1a, 64 bits (Fowler, Noll, Vo). Each step is a bijection, so a change of one byte always changes the hash. H:
// hash of the preceding text.
inline uint64_t fnv1a(std::string_view Text, uint64_t H = 0xcbf29ce484222325u) {
  for (unsigned char C : Text)
    H = (H ^ C) * 0x100000001b3u;
  return H;
}

} // namespace hsched::rt
#endif
