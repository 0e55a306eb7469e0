// Ways from a name to what pointers lead to, as clauses and the analysis spell them.
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
      Any     // p[...], of roots: through any of the pointers in what p leads to.
    };
    Kind K;
    std::string Text;
  };
  std::string Name;
  std::vector<Step> Steps;

  // Nothing: Text is no such way.
  static std::optional<Path> of(llvm::StringRef Text);
};

struct PathWords {
  llvm::function_ref<std::optional<std::int64_t>(llvm::StringRef)> Constant; // Of a subscript.
  llvm::function_ref<bool(llvm::StringRef)> Generated;                       // Whether a subscript takes many values.
};

enum class SamePath {
  No,
  OnTheWay, // Clause's goes on behind Root's.
  Possibly, // For some values of the subscripts.
  Yes
};

// Whether the two lead to the same place. Root has one subscript of constants, or any; Clause's may be any expressions.
SamePath compare(const Path &Root, const Path &Clause, const PathWords &W);

} // namespace hsched::cc
#endif
