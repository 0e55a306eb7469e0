// The memory blocks that pointers of a unit point into, and at which distance from each other, as far as all their
// assignments tell.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_ORIGINS_H
#define HSCHED_ANALYSIS_INFER_ORIGINS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <map>
#include <optional>
#include <set>

namespace hsched::cc {

class Origins {
public:
  // A variable, a member, or the expression that yields a block.
  using Data = const void *;
  enum class Kind { Parameter, Local, Other };

  explicit Origins(clang::ASTContext &Context) : Context(Context) {}

  void variable(const Data &D, Kind Is) { Kinds.emplace(D, Is); }
  // To is assigned Value, which is Base + a number, or, if Base is null, any expression: new double[n]. InTurn: To
  // receives each block that Base receives, as in 'p = new double[n]; a = p;'. Behind a condition it would keep
  // another.
  void assigned(const Data &To, const clang::Expr *Value, const Data &Base, bool InTurn);
  // A call hands a pointer to the parameter To.
  void handed(const Data &To, const Data &From) { Handed[To].insert(From); }
  // To is changed by p += n and the like.
  void moved(const Data &To) { Moved.insert(To); }

  // The constant number of bytes from where A points to where B does, if both always point into the same block.
  std::optional<std::int64_t> distance(const Data &A, const Data &B) const;

private:
  using Offset = std::optional<std::int64_t>; // In bytes. Nothing: no constant.
  using Places = std::set<std::pair<Data, Offset>>;

  clang::ASTContext &Context;
  std::map<Data, Places> Sources; // What a variable is assigned in bodies and initialisers.
  std::map<Data, Kind> Kinds;
  std::map<clang::SourceLocation, Data> Blocks; // By place: instances of a template have expressions of their own.
  std::map<Data, std::set<Data>> Handed;
  std::set<Data> Moved;
  std::set<Data> Apart; // They may hold a block of an earlier time.

  Offset offsetIn(const clang::Expr *Value) const;
  // The blocks that D points into, and where: all of them if it is one, else some. A parameter counts as a block unless
  // the function assigns to it.
  Places of(const Data &D, unsigned Depth, unsigned &Steps) const;
  // True if D may hold the value of a member or a global, as pointers that are exchanged do.
  bool holdsOthers(const Data &D, unsigned Depth) const;
  // The distance if B is assigned nothing but A + constant.
  Offset behind(const Data &A, const Data &B) const;
};

} // namespace hsched::cc
#endif
