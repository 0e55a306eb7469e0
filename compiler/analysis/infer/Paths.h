// Access paths from a name through pointers, as clauses and the analysis spell them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_PATHS_H
#define HSCHED_ANALYSIS_INFER_PATHS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

// "(*s->rows)[k].v" is s, *, .rows, *, [k], .v.
struct Path {
  struct Step {
    enum Kind {
      Deref,  // *p, and the arrow of p->m.
      Index,  // p[Text]
      Member, // s.Text
      Any     // p[...], for roots: through any pointer in the memory behind p.
    };
    Kind K;
    std::string Text;
  };
  std::string Name;
  std::vector<Step> Steps;

  // Nothing: Text is no path.
  static std::optional<Path> of(llvm::StringRef Text);
};

struct PathWords {
  llvm::function_ref<std::optional<std::int64_t>(llvm::StringRef)> Constant; // The constant value of a subscript.
  llvm::function_ref<bool(llvm::StringRef)> Generated; // True if a subscript takes several values.
};

enum class SamePath {
  No,
  OnPath,   // Clause's path continues behind Root's.
  Possibly, // The same for some values of the subscripts.
  Yes
};

// Compares two paths. Root's subscripts are constants, or Any; Clause's may be any expressions.
SamePath compare(const Path &Root, const Path &Clause, const PathWords &W);

} // namespace hsched::cc
#endif
