// Properties of OpenCL kernels: plain values. Sources of analysis/kernel/ fill them. Collect fills the prototype, Uses
// the approximate roles, Facts the requirements on a device, Extents the exact roles and extents.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_MODEL_KERNEL_H
#define HSCHED_COMPILER_MODEL_KERNEL_H

#include "model/AccessTree.h"
#include "model/KernelStructure.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace hsched::cc {

// A diagnostic of Clang about a kernel file. Line and Column count from 1, after #line. 0: no
// place.
struct KernelDiagnostic {
  enum Severity { Note, Warning, Error };
  Severity Level = Error;
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Message;

  // A fix-it of Clang: the replacement of the text between two places, without #line.
  struct Edit {
    std::string File;
    unsigned Line, Column, EndLine, EndColumn;
    std::string Text;
  };
  std::vector<Edit> Edits = {};
};

// Optional device features that a kernel needs, in its body or in its callees.
enum class KernelFeature {
  Fp64,
  Fp64Literals, // Doubles only as literals without f; devices without doubles take them as floats.
  Fp16,
  Images,
  ImageWrites3d,
  Atomics32,
  Atomics64,
  Printf,
  Barriers,
  SubGroups,
  WorkGroupFunctions, // Reductions, scans and votes of a work-group.
  AsyncCopies,
  Pipes,
  DeviceEnqueue,
  GenericPointers,  // Pointers without a named address space.
  ProgramVariables, // __global variables of program scope.
  Assembly
};

struct KernelParam {
  enum Space { Value, Global, Constant, Local };
  enum Qualifier { None, ReadOnly, WriteOnly, ReadWrite }; // For images and pipes.

  std::string Name;     // Empty if the kernel leaves it out.
  std::string Spelling; // The type as written, e.g. "__global const real *".
  Space Where = Value;  // Address space of the pointee; Value if it is no pointer.
  bool Pointer = false, PointeeConst = false;
  bool Image = false, Sampler = false, Pipe = false;
  Qualifier Access = None;
  // The value's or the pointee's type without typedefs and qualifiers: "float", "uint", "float4", "struct S", "void".
  std::string Element;
  std::uint64_t ElementBytes = 0;    // 0 for void and opaque types.
  std::optional<unsigned> Structure; // If that is a structure: its index in KernelInfo::Structures.
  unsigned Line = 0, Column = 0;
  // What the kernel does with the memory pointed to; both are true if unknown.
  bool Read = false, Written = false;

  // For a buffer, in a launch over KernelInfo::GlobalSize; filled by analysis/kernel/Extents.
  bool Overwritten = false;      // Proved: all elements of the section are written, and none is read before.
  bool OverwrittenWhole = false; // The same for all elements from the pointer on, as many as Elements says.
  // Proved: if the range is split along dimension 0, each part needs only its own share of the elements.
  bool Splits = false;
  // The number of elements from the pointer on that accesses may reach, and the accessed section ("[n]x", "x[1:n]"):
  // expressions over the arguments. Empty: unknown, for the reason Why at WhyLine.
  std::string Elements, Section, Why;
  unsigned WhyLine = 0;
  std::vector<std::string> OnlyWhere; // The section holds all accesses only if each of these is >= 0.

  // A global or constant pointer, which the runtime binds to a device buffer.
  bool isBuffer() const { return Pointer && (Where == Global || Where == Constant); }
};

// A place in a kernel file, after #line.
struct KernelPlace {
  std::string File;
  unsigned Line = 0, Column = 0;
};

struct KernelInfo {
  std::string Name, File;
  unsigned Line = 0, Column = 0;
  std::vector<KernelParam> Params;
  std::vector<KernelStructure> Structures;                // The structures that Params have, and those in them.
  std::array<std::uint64_t, 3> ReqdWorkGroup = {0, 0, 0}; // All 0: none.
  bool HasLocalVariables = false;                         // __local variables in the kernel's own body.
  std::uint64_t LocalBytes = 0;                           // Bytes of these variables.
  unsigned WorkDim = 0;                                   // 1 + the highest dimension that is queried; 0: unknown.

  std::array<std::uint64_t, 3> WorkGroupHint = {0, 0, 0}; // All 0: none.
  std::string VecTypeHint;                                // Empty: none.
  unsigned SubGroupSize = 0;                              // 0: none.
  std::set<KernelFeature> Features;
  std::vector<std::string> Extensions; // Enabled by pragmas before the kernel, sorted.
  // Required number of work-items by dimension, from a guard such as i < n: expressions over the arguments.
  std::array<std::string, 3> GlobalSize;
  // For GlobalSize: a launch with more work-items touches the same elements.
  bool MayBeLarger = true;
  // No integer of the kernel wraps around, or changes in a conversion, if each of these is >= 0. Nothing: unknown.
  std::optional<std::vector<std::string>> HoldsWhere;
  // Its access tree, with sizes as symbols get_global_size(0) and so on. The tree's locations are keys of Places by
  // their raw encodings, because their AST no longer exists.
  std::shared_ptr<const AccessTree> Tree;
  std::shared_ptr<const AccessTree> Numbers; // The same with numbers (isNumber), for HoldsWhere. May be null.
  std::map<unsigned, KernelPlace> Places;
};

struct KernelFile {
  std::string Path;     // The path that was opened.
  std::string Standard; // As -cl-std= spells it: "CL1.2".
  std::vector<KernelInfo> Kernels;
  bool Checks = false; // Requested: the text also has a checked entry for each kernel, hsched_check_...
  // The embedded text: the file with its active includes inlined and one entry for each kernel.
  std::string Embedded;
  std::vector<std::string> Includes; // Absolute paths of the files inlined, each once.

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

inline const char *toString(KernelFeature F) {
  switch (F) {
  case KernelFeature::Fp64:
    return "fp64";
  case KernelFeature::Fp64Literals:
    return "fp64-literals";
  case KernelFeature::Fp16:
    return "fp16";
  case KernelFeature::Images:
    return "images";
  case KernelFeature::ImageWrites3d:
    return "3d-image-writes";
  case KernelFeature::Atomics32:
    return "atomics-32";
  case KernelFeature::Atomics64:
    return "atomics-64";
  case KernelFeature::Printf:
    return "printf";
  case KernelFeature::Barriers:
    return "barriers";
  case KernelFeature::SubGroups:
    return "sub-groups";
  case KernelFeature::WorkGroupFunctions:
    return "work-group-functions";
  case KernelFeature::AsyncCopies:
    return "async-copies";
  case KernelFeature::Pipes:
    return "pipes";
  case KernelFeature::DeviceEnqueue:
    return "device-enqueue";
  case KernelFeature::GenericPointers:
    return "generic-pointers";
  case KernelFeature::ProgramVariables:
    return "program-variables";
  case KernelFeature::Assembly:
    break;
  }
  return "assembly";
}

// "in", "out", "inout"; "unused" for memory that the kernel does not access, empty for arguments that are not host
// memory. Memory written but not proved to be overwritten is inout: its old contents matter. Images and pipes: from
// their qualifiers.
inline const char *roleOf(const KernelParam &P) {
  if (P.Image || P.Pipe)
    return P.Access == KernelParam::ReadOnly ? "in" : P.Access == KernelParam::WriteOnly ? "out" : "inout";
  if (!P.isBuffer())
    return "";
  if (!P.Written)
    return P.Read ? "in" : "unused";
  return P.Overwritten ? "out" : "inout";
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
