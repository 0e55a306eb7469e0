// Shared by the parts of emit/: code that describes and runs one version.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EMIT_CODEINTERNAL_H
#define HSCHED_EMIT_CODEINTERNAL_H

#include "emit/Code.h"

namespace hsched::cc {

inline std::string number(size_t N) { return std::to_string(N) + "u"; }
inline std::string paramNumber(int P) { return P < 0 ? "HSCHED_NO_PARAM" : number(static_cast<size_t>(P)); }

// Template arguments for A's reduction.
std::string operationsOf(const AccessCode &A);

// The expression whose elements A reduces.
const std::string &reducedOf(const AccessCode &A);

// Variables of variably modified types in C++ (Variable.cpp): what the block captures, and its declarations in front.
std::string variableHolders(const InlineCode &I);
std::string holderName(const CaptureCode &C);
std::string sizeName(const CaptureCode &C, size_t I);
// The declaration of C's variable in the block; of one whose elements Pointer leads to.
std::string variableInBlock(const CaptureCode &C);
std::string variableAgain(const CaptureCode &C, const std::string &Pointer);
// The declarations of those variables that Text, or a section, names, for a lambda in I's generated code.
std::string variableNames(const InlineCode &I, const std::string &Text);
std::string variableNames(const InlineCode &I, const Section &S);

// In C: the name of the reduction's constant, and the definition for a built-in operation (CReductions.cpp).
std::string reductionName(const AccessCode &A);
std::string builtInReduction(const AccessCode &A);

// Versions.cpp. Members of the generated struct:
// struct hsched_args { ... };
std::string argsStruct(const FunctionCode &F);
// hsched_run, which calls Callee with the arguments; also hsched_run_packed if F takes packed tiles.
std::string runFunctions(const FunctionCode &F, const std::string &Callee);
// hsched_fill; also hsched_fill_packed if F takes packed tiles.
std::string fillFunction(const FunctionCode &F, const KernelCode &K);
// Code behind the struct for a member function that is a kernel.
std::string fillMember(const FunctionCode &F, const KernelCode &K, const std::string &Struct);

// hsched_sections, which names the sections that V has in place of the task's; empty: it has none.
std::string sectionsFunction(const VersionCode &V);

// The place of code that belongs to no line of the user's.
std::string generatedPlace();
// Text, a line, with the place of a clause of K's directive for the host compiler's messages. Line 0: Text alone.
std::string atClause(const KernelCode &K, unsigned Line, const std::string &Text);

// Statements, inside the loops of S's generators.
std::string repeated(const Section &S, std::string Call);
const char *modeName(AccessRole R);

// Initialisers of version descriptors, one for each device.
std::string versionRows(const FunctionCode &F, const std::string &LinkerName, const std::string &Run,
                        const std::string &Kernel, const std::string &Body, const std::string &Sections = "nullptr");
// The constant Name that describes K, whose functions are in Struct, "S::" or nothing.
std::string kernelDesc(const FunctionCode &F, const KernelCode &K, const std::string &Name, const std::string &Source,
                       const std::string &Struct);
// The same for a body that takes packed tiles.
std::string bodyDesc(const FunctionCode &F, const std::string &Name, const std::string &Struct);

} // namespace hsched::cc
#endif
