// One body under inference: its tree, its effects, and how they are named where its directive stands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_SUBJECT_H
#define HSCHED_ANALYSIS_INFER_SUBJECT_H

#include "analysis/Names.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Paths.h"
#include "analysis/infer/Words.h"
#include "analysis/regions/Effects.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>
#include <vector>

namespace hsched::cc {

// A declared section, as far as it is understood.
struct Declared {
  const AccessCode *A;
  std::optional<Box> What;       // Nothing: its expressions are not sums and products, or the element sizes do not fit.
  std::optional<Box> Bytes = {}; // Of the part of the root that it is; nothing: it is none, or not known which.
};

class Subject {
public:
  // Body's tree, in which declarations are called as Called says; Clauses is the function whose parameters' names the
  // clauses use. Both have the same parameters.
  Subject(const BindContext &C, Names &Called, AccessTree Tree, const clang::FunctionDecl &Body,
          const clang::FunctionDecl &Clauses, std::function<clang::SourceLocation(clang::SourceLocation)> At);

  Names &Called;
  AccessTree Tree;
  const clang::FunctionDecl &Body, &Clauses;
  std::function<clang::SourceLocation(clang::SourceLocation)> At;

  std::map<std::string, clang::QualType> Locals; // Of a statement: the variables of its function that it uses.
  bool OfKernel = false; // Body is the prototype of a kernel, and the tree's numbers are the kernel's arguments.
  // Of an instance of a template with a parameter pack: the one parameter that it is about; else what is not of the
  // pack.
  std::optional<unsigned> Only;
  // Whether the root is not what this is about.
  bool aside(unsigned Root) const;
  // The parameter, where clauses stand, that a root of the body belongs to.
  unsigned parameterOf(const Root &R) const;

  // Reads the sections of Accesses, then draws the conclusions: effects() may be called from here on.
  void read(const std::vector<AccessCode> &Written);
  const std::vector<AccessCode> &accesses() const { return Accesses; } // In the words of the tree.
  const Effects &effects() const { return *E; }
  // The same, the elements of roots being bytes where clauses name parts of them.
  const Effects &effectsInBytes() const { return InBytes ? *InBytes->E : *E; }

  // Those of the accesses that name the root; empty where none does.
  std::vector<Declared> declared(unsigned Root) const;
  // Those that name a part of the variable or member that the root is.
  const std::vector<Declared> &parts(unsigned Root) const { return Parts[Root]; }
  // Both, the sections in bytes: empty where none names a part.
  std::vector<Declared> inBytes(unsigned Root) const;

  // What the body does with it, as far as a section can say that.
  AccessRole roleOf(unsigned Root) const;

  // Whether all that clauses name by way of the root, and they do name some, is what pointers in it lead to.
  bool namedOnlyBehind(unsigned Root) const { return Behind[Root] == Ways::Pointers; }

  // Whether the root holds pointers that a clause follows: in({rows[k][0:n], k = 0; m}) follows those of rows.
  bool onTheWay(unsigned Root) const { return Followed[Root]; }

  // The container parameter in whose insides the root lies, where a clause names the container and not them; -1: none.
  int container(unsigned Root) const;

  // Whether the root is, or holds the elements of, a parameter that is an hsched::tile.
  bool ofTile(unsigned Root) const;
  // The tile whose elements the root has; nothing: it is no tile's, or the body does not look at the tile's extents.
  std::optional<Box> tile(unsigned Root) const;

  // What the clauses call the root: "y", "m.data". Empty where they cannot.
  std::string nameOf(unsigned Root) const;
  std::string spell(const Poly &P) const;
  std::string spellWide(const Poly &P) const;
  std::function<std::string(const Poly &)> speller() const {
    return [this](const Poly &P) { return spell(P); };
  }
  // For what is evaluated: each number as one that does not wrap.
  std::function<std::string(const Poly &)> wideSpeller() const {
    return [this](const Poly &P) { return spellWide(P); };
  }

  // Type behind a parameter, or null: of an element of the section.
  clang::QualType elementOf(unsigned Root) const;
  // How many of the root's elements are one of the section's; 0 where sizes do not fit or are unknown.
  std::int64_t perElement(unsigned Root) const;

  // A number in B that is in memory, which a task before this one may write when B has already been told; empty: there
  // is none. Own: whether a root is the task's own copy. Sizes of containers and tiles are those at submission
  // throughout.
  std::string changeable(const Box &B, llvm::function_ref<bool(unsigned Root)> Own) const;

  // What the base of a section leads along, with members called as the tree calls them; nothing: no such way.
  static std::optional<Path> pathOf(llvm::StringRef Text);

  // Whether all that is done with a parameter's root is to ask a container there for its size, and no clause names it.
  bool onlyLooked(unsigned Root) const;

  // Whether some access to the root is as Wanted says.
  bool anyAccess(unsigned Root, llvm::function_ref<bool(const Access &)> Wanted) const;

  // Whether a write (or read) is more than a guess: what an opaque callee might do is no reason to doubt a clause.
  bool definite(unsigned Root, bool Write) const {
    return anyAccess(Root, [Write](const Access &A) { return (A.K != AccessKind::Read) == Write && !A.Guess; });
  }

  // Where the root is written, if that is done on one side of one condition on data alone: on the other side it is
  // left.
  clang::SourceLocation writtenOnCondition(unsigned Root) const;

private:
  // The root of the parameter that leads to this one, or that it is; null: there is none.
  const Root *parameterAbove(unsigned Id) const;
  BindContext C;
  std::unique_ptr<Effects> E;
  std::vector<AccessCode> Accesses;
  std::vector<std::pair<const AccessCode *, std::optional<Box>>> Sections;
  std::vector<std::vector<unsigned>> ByRoot;
  std::vector<std::vector<Declared>> Parts;
  std::vector<bool> Followed;
  struct BytesTree {
    AccessTree Tree;
    std::unique_ptr<Effects> E;
  };
  std::unique_ptr<BytesTree> InBytes; // Null: no clause names a part.
  enum class Ways { None, Pointers, Other };
  std::vector<Ways> Behind;

  std::optional<std::int64_t> constantOf(llvm::StringRef Name) const;
  std::string inTree(llvm::StringRef Name) const;
  bool names(const AccessCode &A, unsigned Root) const;
  // Of a root behind a pointer: whether A names what that pointer leads to.
  SamePath leadsTo(const AccessCode &A, unsigned Root) const;
  // Whether a section that goes over Over leads To as Named does.
  SamePath same(const Path &To, const Path &Named, llvm::ArrayRef<Generator> Over) const;
  // The type of what clauses call Name, as the body has it; null: not known. Of: which of the roots it is, if it is
  // one.
  clang::QualType typeNamed(llvm::StringRef Name, const Root *Of) const;
  // Whether it is known which pointers lead to the root, and not known that A, which names it, follows all of them.
  bool followsOthers(const AccessCode &A, unsigned Root);
  std::optional<Box> boxOf(const AccessCode &A, unsigned Root);
  // What A names of a root, if that is less than the root is; nothing: it does not name a part of it. Notes in Behind
  // what it names instead.
  std::optional<Declared> partOf(const AccessCode &A, unsigned Root);
  static std::optional<Box> tileBox(const Section &S, Words &W, std::int64_t PerElement);
};

} // namespace hsched::cc
#endif
