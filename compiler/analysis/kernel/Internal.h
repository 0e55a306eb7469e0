// The steps between a parsed kernel file and model/Kernel.h:
//
//   text --parse (KernelFile)--> AST --collectKernel (KernelCollect)--> KernelInfo
//                                     \--workDimsOf (KernelUses), lowerKernel (lower)--> WorkDim, Tree
//                                     \--findUses (KernelUses)--> Read, Written
//                                      \--embed (KernelEmbed)--> KernelFile::Embedded, or, for a description,
//                                      \--findFacts (KernelFacts)--> Features, Extensions, hints
//                                       \--minikernels (KernelMini)--> KernelFile::Embedded
//
// All of them run while Clang's AST is alive.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_ANALYSIS_KERNELINTERNAL_H
#define HSCHED_COMPILER_ANALYSIS_KERNELINTERNAL_H

#include "analysis/kernel/Bounds.h"
#include "model/Kernel.h"

#include "clang/AST/Decl.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

// A #include or #pragma once in an active branch: [Begin, End) of its file, from the '#' to before the newline.
struct InlinedDirective {
  unsigned Begin, End;
  clang::FileID Child; // Invalid: the directive is only removed.
};

// Preprocessor events by file, in the order of the text.
using DirectiveMap = std::map<clang::FileID, std::vector<InlinedDirective>>;

// Makes callbacks that record into Map, which must outlive the preprocessing.
std::unique_ptr<clang::PPCallbacks> recordDirectives(clang::SourceManager &SM, DirectiveMap &Map);

// Name, place, parameters, attributes and local variables. Def is a kernel's definition.
KernelInfo collectKernel(const clang::FunctionDecl &Def);

// Dimensions of the index space that the kernel or its callees query: 1 + the highest; 0: none.
struct WorkDims {
  unsigned FromConstants = 0; // By constant arguments.
  unsigned Possible = 0;      // Upper bound with non-constant arguments.
  bool Linear = false;        // It queries a linear index over all dimensions.
};
WorkDims workDimsOf(const clang::FunctionDecl &Def);

// Read and Written of each buffer parameter, from Kernel.Tree.
void findUses(const clang::FunctionDecl &Def, KernelInfo &Kernel);

// One '#pragma OPENCL EXTENSION name : behaviour', in the order of the text.
struct ExtensionPragma {
  clang::SourceLocation Loc;
  std::string Name;
  bool Enabled;
};
using ExtensionPragmas = std::vector<ExtensionPragma>;

// Makes callbacks that record into Out, which must outlive the preprocessing.
std::unique_ptr<clang::PPCallbacks> recordExtensions(ExtensionPragmas &Out);

// Features, Extensions, hints and required sizes.
void findFacts(const clang::FunctionDecl &Def, const ExtensionPragmas &Pragmas, KernelInfo &Kernel);

// The text to embed; Checks: with checked entries as well, for which Expanded holds the tokens that macros made. Report
// is called with a place and a message if a kernel cannot have an entry.
std::string embed(clang::ASTContext &Context, const DirectiveMap &Directives,
                  const std::vector<const clang::FunctionDecl *> &Kernels, bool Checks, const MacroTokens &Expanded,
                  const std::function<void(clang::SourceLocation, const std::string &)> &Report);

// The main file with its kernels turned into minikernels. Work-groups from the number hsched_groups on return at once.
// The first group stores its sizes to hsched_local. These two arguments come last. A kernel whose groups may depend on
// each other, or whose text cannot be changed, stays as it is. The first line is a comment that names the kernels whose
// groups do the same in a launch of any size: "// Any launch: a b". Empty: no kernel can be shortened.
// Infos: of the same kernels, with their facts.
std::string minikernels(clang::ASTContext &Context, const std::vector<const clang::FunctionDecl *> &Kernels,
                        const std::vector<KernelInfo> &Infos);

// The canonical OpenCL C name of a type: "float", "uint4", "struct S".
std::string elementName(clang::QualType T, const clang::ASTContext &Context);

// The structures that a kernel's parameters have, and those in them.
class StructureTable {
public:
  // Structures: the table. Both must outlive this.
  StructureTable(const clang::ASTContext &Context, std::vector<KernelStructure> &Structures)
      : Context(Context), Structures(Structures) {}

  // The index of a structure, or of the elements of an array. Nothing: T is no structure, or it has base classes or bit
  // fields.
  std::optional<unsigned> find(clang::QualType T);

private:
  unsigned indexOf(const clang::RecordDecl *D);

  const clang::ASTContext &Context;
  std::vector<KernelStructure> &Structures;
  std::vector<const clang::RecordDecl *> Known; // By index. The first Described ones are in the table.
  llvm::DenseMap<const clang::RecordDecl *, unsigned> Indices;
  size_t Described = 0;
};

// OpenCL C that declares min, max and clamp for operands of different types, in place of Clang's declarations.
std::string mixedOverloads();

} // namespace hsched::cc
#endif
