// Looks for the dynamic loader's code among the callers: there is no interface that tells who holds its lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Loader.h"

#include <cstdint>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <unwind.h>

namespace hsched::rt {

namespace {
struct Search {
  uintptr_t Begin, End; // The loader's segments.
  bool Found = false;
};
} // namespace

static _Unwind_Reason_Code visit(_Unwind_Context *Frame, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const uintptr_t At = _Unwind_GetIP(Frame);
  S.Found = At >= S.Begin && At < S.End;
  return S.Found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool mayHoldLoaderLock() {
  const uintptr_t Base = getauxval(AT_BASE);
  if (!Base) // A static program has none.
    return false;
  const auto &Header = *reinterpret_cast<const ElfW(Ehdr) *>(Base);
  const auto *Segments = reinterpret_cast<const ElfW(Phdr) *>(Base + Header.e_phoff);
  Search S{Base, Base};
  for (unsigned I = 0; I < Header.e_phnum; ++I)
    if (Segments[I].p_type == PT_LOAD && Base + Segments[I].p_vaddr + Segments[I].p_memsz > S.End)
      S.End = Base + Segments[I].p_vaddr + Segments[I].p_memsz;
  _Unwind_Backtrace(visit, &S);
  return S.Found;
}

} // namespace hsched::rt
