// The variables of a function that a statement uses and changes, and its exits of control.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_USES_USES_H
#define HSCHED_ANALYSIS_USES_USES_H

#include "analysis/inline/Place.h"

#include "llvm/ADT/MapVector.h"

#include <string>
#include <utility>

namespace hsched::cc {

struct VariableUse {
  clang::SourceLocation First;   // First use in the order of the source.
  clang::SourceLocation Changed; // The first assignment, or pass to something that may assign; invalid: none.
  bool Evaluated = false;        // False: only the size of its type is read.
};

struct BlockUses {
  // Automatic variables declared outside of the statement.
  llvm::MapVector<const clang::ValueDecl *, VariableUse> Variables;
  bool This = false;
  std::vector<std::pair<clang::SourceLocation, std::string>> Problems; // Reasons why it cannot become a task.
};

// Variables that a statement changes, or their elements, and where. Invalid: perhaps, in a function that is not
// visible. None of them depends on a template's arguments.
using Changes = llvm::MapVector<const clang::ValueDecl *, clang::SourceLocation>;
// HandsOut: a caller may also write through pointers and references that the statement returns.
Changes changesOf(clang::ASTContext &Context, const clang::Stmt *Block, bool HandsOut = false);

// True if S mentions V only to read it.
bool onlyRead(const clang::Stmt *S, const clang::ValueDecl *V);

// Chunks: Block is the loop of a taskloop. In a template, only what operators assign is known.
BlockUses usesOf(clang::ASTContext &Context, const clang::Stmt *Block, const InlinePlace &Place, bool Chunks = false);

// True if V's value after Block, which ends at End, may be read. Places: below, in the next iteration of an enclosing
// loop, or through the object that V refers to.
bool usedLater(clang::ASTContext &Context, const clang::ValueDecl *V, const clang::Stmt *Block,
               clang::SourceLocation End, const InlinePlace &Place, bool Chunks);

} // namespace hsched::cc
#endif
