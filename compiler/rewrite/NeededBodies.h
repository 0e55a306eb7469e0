// Which function bodies of the main file need no parsing: hsched-cc looks into tasks and what they call, and the host
// compiler reads everything again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decided from tokens, before anything is parsed, by names alone: a body matters if it stands under a directive, has a
// directive in it, mentions a function under a directive, assigns what a clause names to a pointer that is mentioned in
// one of these, or belongs to a name that is mentioned, directly or through other functions and macros of the file,
// where one of these is. That errs on the side of keeping. What it may miss, a function that only a header's template
// or macro calls, is then analysed like one whose body is elsewhere.
#ifndef HSCHED_REWRITE_NEEDEDBODIES_H
#define HSCHED_REWRITE_NEEDEDBODIES_H

#include "clang/Basic/LangOptions.h"
#include "llvm/ADT/StringSet.h"

namespace hsched::cc {

class NeededBodies {
public:
  NeededBodies(llvm::StringRef Text, const clang::LangOptions &Lang);

  // Of a function called Name; only functions with a plain name may be asked for.
  bool needs(llvm::StringRef Name) const { return All || Names.contains(Name); }

private:
  bool All = false; // Nothing can be told.
  llvm::StringSet<> Names;
};

} // namespace hsched::cc
#endif
