// OpenCL kernels as the compiler sees them: plain values, filled by analysis/KernelFile and analysis/KernelUses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_MODEL_KERNEL_H
#define HSCHED_COMPILER_MODEL_KERNEL_H

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace hsched::cc {

// What Clang said about a kernel file. Line and Column count from 1 and are what the user sees (#line is honoured);
// 0 where there is no place.
struct KernelDiagnostic {
  enum Severity { Note, Warning, Error };
  Severity Level = Error;
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Message;
};

struct KernelParam {
  enum Space { Value, Global, Constant, Local };

  std::string Name;     // empty where the kernel leaves it out
  std::string Spelling; // the type as written, e.g. "__global const real *"
  Space Where = Value;  // of the pointee; Value for everything that is no pointer
  bool Pointer = false, PointeeConst = false;
  bool Image = false, Sampler = false, Pipe = false;
  // The value's or the pointee's type without typedefs and qualifiers: "float", "uint", "float4", "struct S", "void".
  std::string Element;
  std::uint64_t ElementBytes = 0; // 0 for void and opaque types
  unsigned Line = 0, Column = 0;
  // What the kernel does with the memory pointed to; both are true where that cannot be told.
  bool Read = false, Written = false;

  // A global or constant pointer: what the runtime binds to a device buffer.
  bool isBuffer() const { return Pointer && (Where == Global || Where == Constant); }
};

struct KernelInfo {
  std::string Name, File;
  unsigned Line = 0, Column = 0;
  std::vector<KernelParam> Params;
  std::array<std::uint64_t, 3> ReqdWorkGroup = {0, 0, 0}; // all 0: none required
  bool HasLocalVariables = false;                         // __local variables in the kernel's own body
  std::uint64_t LocalBytes = 0;                           // of those variables
  unsigned WorkDim = 0;                                   // 1 + the highest dimension asked for; 0: unknown
};

struct KernelFile {
  std::string Path; // as it was opened
  std::vector<KernelInfo> Kernels;
  // What goes into the object: the file with its active includes inlined and one entry for each kernel.
  std::string Embedded;
  std::vector<std::string> Includes; // absolute paths of the files inlined, each once

  const KernelInfo *find(const std::string &Name) const {
    for (const KernelInfo &K : Kernels)
      if (K.Name == Name)
        return &K;
    return nullptr;
  }
};

// The kernel that the runtime creates for the user's kernel Name (abi.h, HSCHED_KERNEL_OFFSETS).
inline std::string entryName(const std::string &Name) { return "hsched_entry_" + Name; }

inline const char *toString(KernelParam::Space S) {
  switch (S) {
  case KernelParam::Global:
    return "__global";
  case KernelParam::Constant:
    return "__constant";
  case KernelParam::Local:
    return "__local";
  case KernelParam::Value:
    break;
  }
  return "value";
}

inline std::ostream &operator<<(std::ostream &OS, const KernelDiagnostic &D) {
  static const char *const Names[] = {"note", "warning", "error"};
  return OS << D.File << ':' << D.Line << ':' << D.Column << ": " << Names[D.Level] << ": " << D.Message;
}

inline std::ostream &operator<<(std::ostream &OS, const KernelParam &P) {
  OS << toString(P.Where) << ' ' << (P.PointeeConst ? "const " : "") << P.Element << (P.Pointer ? "* " : " ") << P.Name;
  if (P.Pointer)
    OS << " [" << (P.Read ? "r" : "") << (P.Written ? "w" : "") << ']';
  return OS;
}

inline std::ostream &operator<<(std::ostream &OS, const KernelInfo &K) {
  OS << K.Name << '(';
  for (std::size_t I = 0; I != K.Params.size(); ++I)
    OS << (I ? ", " : "") << K.Params[I];
  return OS << ") dim " << K.WorkDim << " local " << K.LocalBytes;
}

} // namespace hsched::cc
#endif
