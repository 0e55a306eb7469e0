// Selects function bodies of the main file that need no parsing: hsched-cc analyses tasks and their callees only, and
// the host compiler reads everything again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decided by names, from tokens, before parsing. A body is needed in these cases. It has a directive on it or in it. It
// mentions a function with a directive. It assigns data of a clause to a pointer that such a body mentions. It
// returns data that such a body mentions, and its function is called where a task is. Or its function is mentioned in
// such a body, directly or through functions and macros of the file. This is conservative. A
// function that only a header's template or macro calls may be missed; it is then analysed like one without a visible
// body.
#ifndef HSCHED_REWRITE_NEEDEDBODIES_H
#define HSCHED_REWRITE_NEEDEDBODIES_H

#include "clang/Basic/LangOptions.h"
#include "llvm/ADT/StringSet.h"

namespace hsched::cc {

class NeededBodies {
public:
  NeededBodies(llvm::StringRef Text, const clang::LangOptions &Lang);

  // True if the body of function Name is needed. Only for plain names.
  bool needs(llvm::StringRef Name) const { return All || Names.contains(Name); }

private:
  bool All = false; // Nothing is known: all are needed.
  llvm::StringSet<> Names;
};

} // namespace hsched::cc
#endif
