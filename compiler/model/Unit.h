// The metadata of a translation unit: plain values, no Clang. docs/metadata.schema.json defines their
// meaning.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_MODEL_UNIT_H
#define HSCHED_COMPILER_MODEL_UNIT_H

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace hsched::cc {

enum class UnitRole { In, Out, InOut, Concurrent, Commutative, Reduction };

inline const char *toString(UnitRole R) {
  static const char *const Names[] = {"in", "out", "inout", "concurrent", "commutative", "reduction"};
  return Names[static_cast<int>(R)];
}

struct UnitParam {
  std::string Name; // Empty if it has none.
  std::string Type; // As written.
};

struct UnitAccess {
  UnitRole Role = UnitRole::InOut;
  int Param = -1;      // Index of the parameter through which versions reach the data; -1: none.
  std::string Section; // As written.
  std::string Bytes;   // C++ expression over the parameters.
  std::string Op = {}; // For a reduction: as written.
  bool Owns = false;   // The object has memory of its own, which belongs to the section.
};

struct UnitTask {
  std::string Name, LinkerName, File;
  unsigned Line = 0;
  std::string Inside;            // "statement", "loop": part of a function; empty: a function.
  std::vector<UnitParam> Params; // For a part of a function: the variables that it uses.
  std::vector<UnitAccess> Accesses;
  std::string Priority, Label, If, Final, Cost, Where; // Expressions as written; empty: absent.
};

struct UnitVersion {
  std::string Name, LinkerName;
  std::string Implements;   // Linker name of the main version; for a main version its own.
  std::string Device;       // "cpu", "opencl", "cuda".
  std::string Type = "any"; // "any", "cpu", "gpu", "accelerator".
  std::string File;
  unsigned Line = 0;
  std::optional<unsigned> Kernel;   // Index into UnitData::Kernels; nothing: the version is a function.
  std::vector<UnitAccess> Accesses; // In place of the task's for the same parameters; empty: none.
};

// A buffer in PySchedCL's terms. Sizes are expressions over the version's parameters.
struct UnitBuffer {
  std::string Type; // Element type.
  unsigned Pos = 0; // Position of the kernel's argument, from 0.
  std::string Size; // Number of elements.
};

struct UnitVariable {
  std::string Type; // "local": the value is a number of bytes of local memory.
  unsigned Pos = 0;
  std::string Value;
};

struct UnitKernel {
  std::string Name, Src; // Kernel function; file as given by the user.
  unsigned WorkDimension = 1;
  std::vector<std::string> GlobalWorkSize; // 1 to 3 expressions.
  std::vector<std::string> LocalWorkSize;  // Empty: left to the runtime.
  std::vector<UnitBuffer> InputBuffers, OutputBuffers, IoBuffers;
  std::vector<UnitVariable> VarArguments;
};

struct UnitTaskwait {
  std::string File;
  unsigned Line = 0;
  std::vector<std::string> On; // Sections as written; empty: all children.
  bool NoFlush = false;
};

struct UnitData {
  std::string Source; // The main file as given on the command line.
  std::vector<UnitTask> Tasks;
  std::vector<UnitVersion> Versions;
  std::vector<UnitKernel> Kernels;
  std::vector<UnitTaskwait> Taskwaits;
};

inline std::ostream &operator<<(std::ostream &OS, const UnitAccess &A) {
  return OS << toString(A.Role) << '(' << A.Section << ") " << A.Bytes << " bytes";
}

inline std::ostream &operator<<(std::ostream &OS, const UnitVersion &V) {
  return OS << V.Name << " implements " << V.Implements << " on " << V.Device << ':' << V.Type << " at " << V.File
            << ':' << V.Line;
}

} // namespace hsched::cc
#endif
