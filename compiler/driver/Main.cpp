// hsched-cc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Diagnostics.h"
#include "driver/Driver.h"

#include <exception>
#include <string_view>

#ifdef __GLIBC__
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

// A syntax tree takes tens of megabytes in small pieces. On large pages, if available, the parser needs a tenth less
// time: fewer page faults and fewer TLB misses.
static void putHeapOnLargePages() {
#ifdef __GLIBC__
  // Virtual addresses; physical memory is only allocated on use.
  constexpr std::size_t Page = 2 << 20, Ahead = 128 << 20;
  mallopt(M_TOP_PAD, Ahead);
  mallopt(M_TRIM_THRESHOLD, 2 * Ahead);
  mallopt(M_MMAP_THRESHOLD, 4 * Page);
  void *First = std::malloc(Page); // Grows the heap.
  auto Begin = (reinterpret_cast<std::uintptr_t>(First) + Page - 1) / Page * Page;
  auto End = reinterpret_cast<std::uintptr_t>(sbrk(0)) / Page * Page;
  if (First && Begin < End && End - Begin <= Ahead + Page)
    madvise(reinterpret_cast<void *>(Begin), End - Begin, MADV_HUGEPAGE); // Best effort: it may fail.
  std::free(First);
#endif
}

int main(int NumWords, char **Words) try {
  putHeapOnLargePages();
  const std::string_view Self = NumWords > 0 ? Words[0] : "";
  const bool ForC = Self.substr(Self.rfind('/') + 1) == "hsched-c"; // Npos + 1 is 0.
  return hsched::cc::runDriver(hsched::cc::StringList(Words + (NumWords > 0), Words + NumWords), ForC);
} catch (const std::exception &E) {
  hsched::cc::reportError(E.what());
  return 1;
}
