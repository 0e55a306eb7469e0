// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Memory.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace hsched::check {
namespace {

struct Blocks {
  std::mutex Lock;
  std::map<Address, Address> Live; // First byte, one past the last.
};
Blocks &blocks() {
  static auto *Made = new Blocks;
  return *Made;
}

struct Symbol {
  Extent Bytes;
  std::string Name;
};

// The program and its libraries, as loaded at the first query.
struct Images {
  std::vector<Symbol> Variables; // By address.
  std::vector<Extent> Constants;
  std::vector<Extent> Streams; // std::cout and its like.
};

std::string plainName(const char *Mangled) {
  // Only names of namespace scope, or of function statics: _ZN3cfg1nE, _ZZ4mainE1n, _ZL1n.
  std::string Name = Mangled, Plain;
  Name.erase(std::min(Name.find('@'), Name.size())); // The version of a library's variable.
  if (Name.compare(0, 2, "_Z") != 0)
    return Name;
  if (Name.compare(2, 2, "St") == 0)
    Plain = "std";
  for (size_t I = 2; I < Name.size();) {
    if (Name[I] < '0' || Name[I] > '9') {
      if (Name[I] == 'E' && Plain.size() && Name[1] == 'Z' && Name[2] == 'Z')
        Plain.clear();
      ++I;
      continue;
    }
    size_t Length = 0;
    for (; I < Name.size() && Name[I] >= '0' && Name[I] <= '9'; ++I)
      Length = 10 * Length + static_cast<size_t>(Name[I] - '0');
    Plain += (Plain.empty() ? "" : "::") + Name.substr(I, Length);
    I += Length;
  }
  return Plain.empty() ? Name : Plain;
}

void readSymbols(const char *Path, Address Base, Images &To) {
  const int File = open(Path, O_RDONLY | O_CLOEXEC);
  struct stat Info{};
  if (File < 0)
    return;
  if (fstat(File, &Info) != 0 || static_cast<size_t>(Info.st_size) < sizeof(ElfW(Ehdr))) {
    close(File);
    return;
  }
  const auto Size = static_cast<size_t>(Info.st_size);
  void *Map = mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, File, 0);
  close(File);
  if (Map == MAP_FAILED)
    return;
  const char *Data = static_cast<const char *>(Map);
  const auto &Header = *reinterpret_cast<const ElfW(Ehdr) *>(Data);
  const bool Sound = std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0 &&
                     Header.e_shoff + size_t(Header.e_shnum) * sizeof(ElfW(Shdr)) <= Size;
  const auto *Sections = Sound ? reinterpret_cast<const ElfW(Shdr) *>(Data + Header.e_shoff) : nullptr;
  const size_t Count = Sound ? Header.e_shnum : 0;
  for (size_t I = 0; I < Count; ++I) {
    const auto &Table = Sections[I];
    if (Table.sh_type != SHT_SYMTAB || Table.sh_link >= Count || Table.sh_offset + Table.sh_size > Size)
      continue;
    const auto &Strings = Sections[Table.sh_link];
    const auto *Symbols = reinterpret_cast<const ElfW(Sym) *>(Data + Table.sh_offset);
    for (size_t K = 0; K < Table.sh_size / sizeof(ElfW(Sym)); ++K) {
      const auto &S = Symbols[K];
      if (ELF64_ST_TYPE(S.st_info) != STT_OBJECT || S.st_size == 0 || S.st_shndx == SHN_UNDEF ||
          Strings.sh_offset + S.st_name >= Size)
        continue;
      const Address Low = Base + S.st_value;
      To.Variables.push_back({{Low, Low + S.st_size}, plainName(Data + Strings.sh_offset + S.st_name)});
    }
  }
  munmap(Map, Size);
}

int addImage(dl_phdr_info *Info, size_t, void *To) {
  auto &All = *static_cast<Images *>(To);
  for (unsigned I = 0; I < Info->dlpi_phnum; ++I) {
    const auto &P = Info->dlpi_phdr[I];
    const Address Low = Info->dlpi_addr + P.p_vaddr;
    if ((P.p_type == PT_LOAD && !(P.p_flags & PF_W)) || P.p_type == PT_GNU_RELRO)
      All.Constants.push_back({Low, Low + P.p_memsz});
  }
  const char *Path = Info->dlpi_name && *Info->dlpi_name ? Info->dlpi_name : "/proc/self/exe";
  // System libraries have no variables that clauses name.
  if (std::strncmp(Path, "/lib", 4) != 0 && std::strncmp(Path, "/usr/", 5) != 0)
    readSymbols(Path, Info->dlpi_addr, All);
  return 0;
}

void addStreams(Images &To) {
  for (const char *Name :
       {"_ZSt3cin", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt4wcin", "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog"}) {
    const void *At = dlsym(RTLD_DEFAULT, Name);
    Dl_info Found;
    const ElfW(Sym) *S = nullptr;
    if (!At || !dladdr1(At, &Found, const_cast<void **>(reinterpret_cast<const void **>(&S)), RTLD_DL_SYMENT) || !S)
      continue;
    const auto Low = reinterpret_cast<Address>(At);
    To.Streams.push_back({Low, Low + S->st_size});
  }
}

const Images &images() {
  static const Images *Made = [] {
    auto *All = new Images;
    dl_iterate_phdr(addImage, All);
    addStreams(*All);
    std::ranges::sort(All->Variables, {}, [](const Symbol &S) { return S.Bytes.Low; });
    return All;
  }();
  return *Made;
}

} // namespace

void blockAllocated(Address A, size_t Bytes) {
  Blocks &B = blocks();
  std::lock_guard Guard(B.Lock);
  B.Live[A] = A + Bytes;
}

Extent blockFreed(Address A) {
  Blocks &B = blocks();
  std::lock_guard Guard(B.Lock);
  auto Found = B.Live.find(A);
  if (Found == B.Live.end())
    return {};
  const Extent Bytes{Found->first, Found->second};
  B.Live.erase(Found);
  return Bytes;
}

Extent blockAt(Address A) {
  Blocks &B = blocks();
  std::lock_guard Guard(B.Lock);
  auto After = B.Live.upper_bound(A);
  if (After != B.Live.begin() && std::prev(After)->second > A)
    return {std::prev(After)->first, std::prev(After)->second};
  return {};
}

Object objectAt(Address A) {
  if (const Extent Block = blockAt(A); !Block.empty())
    return {Block, ""};
  const std::vector<Symbol> &All = images().Variables;
  auto After = std::ranges::upper_bound(All, A, {}, [](const Symbol &S) { return S.Bytes.Low; });
  if (After != All.begin() && std::prev(After)->Bytes.holds(A))
    return {std::prev(After)->Bytes, std::prev(After)->Name};
  return {};
}

bool isConstant(Address A) {
  return std::ranges::any_of(images().Constants, [A](const Extent &E) { return E.holds(A); });
}

bool isStream(Address A) {
  return std::ranges::any_of(images().Streams, [A](const Extent &E) { return E.holds(A); });
}

Extent stackOfThread() {
  thread_local const Extent Own = [] {
    pthread_attr_t Attributes;
    void *Low = nullptr;
    size_t Bytes = 0;
    if (pthread_getattr_np(pthread_self(), &Attributes) != 0)
      return Extent();
    (void)pthread_attr_getstack(&Attributes, &Low, &Bytes);
    pthread_attr_destroy(&Attributes);
    return Extent{reinterpret_cast<Address>(Low), reinterpret_cast<Address>(Low) + Bytes};
  }();
  return Own;
}

bool isThreadLocal(Address A) {
  struct Question {
    Address A;
    bool Is;
  } Q{A, false};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t Size, void *To) {
        auto &Q = *static_cast<Question *>(To);
        if (Size < offsetof(dl_phdr_info, dlpi_tls_data) + sizeof(void *) || !Info->dlpi_tls_data)
          return 0;
        for (unsigned I = 0; I < Info->dlpi_phnum; ++I)
          if (Info->dlpi_phdr[I].p_type == PT_TLS)
            Q.Is |= Q.A - reinterpret_cast<Address>(Info->dlpi_tls_data) < Info->dlpi_phdr[I].p_memsz;
        return Q.Is ? 1 : 0;
      },
      &Q);
  return Q.Is;
}

} // namespace hsched::check
