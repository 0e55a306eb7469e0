// Clang's AST to access trees, for host C++ and for OpenCL C.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_LOWER_H
#define HSCHED_ANALYSIS_LOWER_LOWER_H

#include "model/AccessTree.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace hsched::cc {

// Of a kernel: the geometry, where it is known. Global[k] is the number of work-items of dimension k, in the tree's
// symbols; nothing: the tree gets a Value symbol "get_global_size(k)".
struct KernelGeometry {
  unsigned Dims = 1;
  bool Exact = true; // The launch has so many; else the kernel asks for no others, and get_work_dim() is not known.
  std::array<std::optional<std::string>, 3> Global; // C++ expressions over Params below, as in ndrange.
  std::array<std::optional<std::string>, 3> Local;  // Where given, Global is rounded up to it.
  // How the caller spells the kernel's arguments, by index; empty: the kernel's own names.
  std::vector<std::string> Arguments;
};

// How declarations are called where the clauses are that a tree is held against.
class Naming {
public:
  virtual ~Naming() = default;
  // Of a variable, or a member of the object that the function is called on: the same each time, and no other
  // declaration's. A spelling that begins with '?' is no text that a clause could have.
  virtual std::string of(const clang::ValueDecl &D) = 0;
  // Of a member behind '.' or '->': "n"; "n()" where a function gives it, "?n" where nothing does.
  virtual std::string member(const clang::FieldDecl &Field) = 0;
};

// Trees of one AST. Summaries of functions called are kept between calls, so one object serves a whole translation
// unit. Not thread-safe.
class Lowering {
public:
  explicit Lowering(clang::ASTContext &Context);
  ~Lowering();

  // What a tree says of a root: boxes that hold all reads and all writes, whatever the call. Known: there are such.
  struct Boxes {
    struct Part {
      Box What;
      AccessKind K;
      bool operator==(const Part &) const = default;
    };
    bool Known = false;
    std::vector<Part> All;
  };
  // Asked of functions that call themselves. Without, any part of what they touch may be touched.
  void concludeWith(std::function<std::vector<Boxes>(AccessTree &)> BoxesOf);

  // Of a function, static or not, of a lambda's call operator, of an instance of a template. Dependent functions give a
  // tree that is not Complete. Never fails: what is not understood makes the tree less precise.
  // The parameters of an instance from First on are the elements of a pack, and have one name. It is that of Named
  // here; the others' begin with '?', which is in no name.
  struct Elements {
    unsigned First = ~0u, Named = ~0u;
  };
  AccessTree lower(const clang::FunctionDecl &F) { return lower(F, Elements()); }
  // Expressions of clauses by their text, each an rvalue over Body's declarations: what they are when the body begins
  // is in the tree's Asked.
  using Asked = std::vector<std::pair<std::string, const clang::Expr *>>;
  // Names null, here and below: variables are called by their qualified names, with "::" in front where the plain one
  // is something else's.
  AccessTree lower(const clang::FunctionDecl &F, Elements Of, Naming *Names = nullptr, const Asked &Clauses = {});
  // Variables and structured bindings declared outside a statement of which it has copies. Nobody else changes these,
  // unless it is handed their addresses. Each iteration: the statement is a loop whose iterations do not all begin with
  // the copies as they were.
  struct Copies {
    llvm::ArrayRef<const clang::ValueDecl *> Of = {};
    bool EachIteration = false;
  };
  // Of a statement (an inline task's block, a loop): what it touches of what is declared outside it. Roots are Global
  // for such variables, or what they lead to: Indirect. What it does to copies of numbers and pointers is not in the
  // tree.
  AccessTree lower(const clang::Stmt &S, Naming *Names, Copies C, const Asked &Clauses = {});
  AccessTree lower(const clang::Stmt &S) { return lower(S, nullptr, {}); }

  // One iteration of a loop over integers, of a function's body like the statement: its variable is a Value, and the
  // tree's facts say between which bounds it is.
  AccessTree lowerIteration(const clang::ForStmt &S, Naming *Names, Copies C, const Asked &Clauses = {});
  // Of an OpenCL kernel: the body inside one Parallel loop for each dimension.
  AccessTree lowerKernel(const clang::FunctionDecl &F, const KernelGeometry &G);

  // Work done for all trees so far, in steps: expressions and statements, and more for what costs more. No tree takes
  // many more than MostSteps; what is larger is judged by its prototype. The same for the same source.
  std::size_t steps() const;
  static constexpr unsigned MostSteps = 400000;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::cc
#endif
