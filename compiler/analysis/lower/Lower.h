// Lowering of Clang's AST to access trees, for host C++ and OpenCL C.
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

// The known geometry of a kernel launch. Global[k]: number of work-items in dimension k. Nothing: the tree gets a Value
// symbol "get_global_size(k)".
struct KernelGeometry {
  unsigned Dims = 1;                                // As the kernel queries; the launch may have more.
  std::array<std::optional<std::string>, 3> Global; // C++ expressions over Params below, as in ndrange.
  std::array<std::optional<std::string>, 3> Local;  // If given, Global is rounded up to it.
  // By index: the caller's spelling of the kernel's arguments. Empty: the kernel's own names.
  std::vector<std::string> Arguments;
  // The tree also has roots without a parameter (isNumber). Their elements are the values of integers that must not
  // wrap around.
  bool WithNumbers = false;
};

// Spellings of declarations at the clauses with which a tree is compared.
class Naming {
public:
  virtual ~Naming() = default;
  // The spelling of a variable, or of a member of the implicit object: stable and unique. One that begins with '?'
  // cannot occur in a clause.
  virtual std::string of(const clang::ValueDecl &D) = 0;
  // The spelling of a member behind '.' or '->': "n"; "n()" if a function returns it; "?n" if it is not accessible.
  virtual std::string member(const clang::FieldDecl &Field) = 0;
  // What precedes a member of the base Base of an object of class Of: "Base::". Empty: it cannot be named.
  virtual std::string qualifier(const clang::CXXRecordDecl &Base, const clang::CXXRecordDecl &Of) = 0;
};

// Makes the trees of one AST. Keeps summaries of called functions, so one object serves a whole translation unit. Not
// thread-safe.
class Lowering {
public:
  explicit Lowering(clang::ASTContext &Context);
  ~Lowering();

  // Boxes around all reads and all writes of a root, for every call. Known: such boxes exist.
  struct Boxes {
    struct Part {
      Box What;
      AccessKind K;
      bool operator==(const Part &) const = default;
    };
    bool Known = false;
    std::vector<Part> All;
  };
  // Used for recursive functions. Without it, their accesses count as anywhere in their roots.
  struct Conclusions {
    std::function<std::vector<Boxes>(AccessTree &)> BoxesOf;
    // True if it is proved, without assumptions on sizes, that each access to the root lies in a part of its kind.
    std::function<bool(AccessTree &, unsigned Root, const std::vector<Boxes::Part> &)> Inside;
  };
  void concludeWith(Conclusions Of);
  // Parts of the program may be missing in the AST: each tree says that anything may be touched.
  void distrust();

  // For a function, a lambda's call operator, or a template's instance. Dependent functions give a tree that is not
  // Complete. Never fails: constructs that are not understood make the tree less precise. Elements: the parameters of
  // an instance from First on are elements of a pack and share one name. Here the name denotes Named; the others'
  // spellings begin with '?'.
  struct Elements {
    unsigned First = ~0u, Named = ~0u;
  };
  AccessTree lower(const clang::FunctionDecl &F) { return lower(F, Elements()); }
  // Expressions of clauses by their text, as rvalues over Body's declarations. The tree's ClauseValues has their values
  // at the body's begin.
  using ClauseValues = std::vector<std::pair<std::string, const clang::Expr *>>;
  // Names null, here and below: variables have their qualified names, with "::" in front if the plain name is
  // ambiguous.
  AccessTree lower(const clang::FunctionDecl &F, Elements Of, Naming *Names = nullptr,
                   const ClauseValues &Clauses = {});
  // Variables and structured bindings of which a statement has copies. No other code changes these, unless it
  // gets their addresses. EachIteration: the statement is a loop, and later iterations may begin with changed
  // copies.
  struct Copies {
    llvm::ArrayRef<const clang::ValueDecl *> Of = {};
    bool EachIteration = false;
    bool HandsOut = false; // What it returns pointers or references to may be changed by others.
  };
  // For a statement (an inline task's block, a loop): its accesses to outer declarations. Roots are Global for
  // such variables, and Indirect for memory behind them. Accesses to copies of numbers and pointers are not in the
  // tree.
  AccessTree lower(const clang::Stmt &S, Naming *Names, Copies C, const ClauseValues &Clauses = {});
  AccessTree lower(const clang::Stmt &S) { return lower(S, nullptr, {}); }

  // One iteration of an integer loop. Its variable is a Value, and the tree's facts hold its
  // bounds.
  AccessTree lowerIteration(const clang::ForStmt &S, Naming *Names, Copies C, const ClauseValues &Clauses = {});
  // For an OpenCL kernel: the body inside one Parallel loop for each dimension.
  AccessTree lowerKernel(const clang::FunctionDecl &F, const KernelGeometry &G);

  // Work for all trees so far, in steps: expressions, statements, and weighted expensive operations. A tree stops at
  // about MostSteps; a larger function is judged by its prototype. Deterministic for one source.
  std::size_t steps() const;
  static constexpr unsigned MostSteps = 400000;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::cc
#endif
