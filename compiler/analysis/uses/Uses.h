// The variables of a function that a statement in it uses and changes, and the ways in which control leaves it.
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
  clang::SourceLocation First;   // In the order of the source.
  clang::SourceLocation Changed; // The first place that assigns it, or hands it to what may; invalid: none.
};

struct BlockUses {
  llvm::MapVector<const clang::ValueDecl *, VariableUse>
      Variables; // Automatic ones, declared outside of the statement.
  bool This = false;
  std::vector<std::pair<clang::SourceLocation, std::string>> Problems; // Why it cannot be moved into a task.
};

// Chunks: Block is the loop of a taskloop.
BlockUses usesOf(clang::ASTContext &Context, const clang::Stmt *Block, const InlinePlace &Place, bool Chunks = false);

// Whether the value that V has behind Block, which ends at End, may be looked at: further down, in the next round of a
// loop around Block, or through what V refers to.
bool usedLater(clang::ASTContext &Context, const clang::ValueDecl *V, const clang::Stmt *Block,
               clang::SourceLocation End, const InlinePlace &Place, bool Chunks);

} // namespace hsched::cc
#endif
