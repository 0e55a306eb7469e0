// One body under inference: its tree, its effects, and their names at the directive.
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

// A declared section in terms of the tree.
struct Declared {
  const AccessCode *A;
  std::optional<Box> What;       // Nothing: its expressions are not polynomials, or the element sizes do not fit.
  std::optional<Box> Bytes = {}; // As bytes, if it is a part of the root. Nothing: it is none, or unknown.
};

class Subject {
public:
  // Tree: Body's tree, with declarations spelled by Called. Clauses: the function whose parameter names the clauses
  // use. Both functions have the same parameters.
  Subject(const BindContext &C, Names &Called, AccessTree Tree, const clang::FunctionDecl &Body,
          const clang::FunctionDecl &Clauses, std::function<clang::SourceLocation(clang::SourceLocation)> At);

  Names &Called;
  AccessTree Tree;
  const clang::FunctionDecl &Body, &Clauses;
  std::function<clang::SourceLocation(clang::SourceLocation)> At;

  std::map<std::string, clang::QualType> Locals; // For a statement: the variables of its function that it uses.
  bool OfKernel = false; // Body is a kernel's prototype, and the tree's numbers are the kernel's arguments.
  // For an instance of a template with a parameter pack: the one element under inference. Nothing: everything outside
  // the pack.
  std::optional<unsigned> Only;
  // True if the root is not under inference here.
  bool ignored(unsigned Root) const;
  // The parameter of Clauses that a root of the body belongs to.
  unsigned parameterOf(const Root &R) const;

  // Reads the sections of Written, then computes the effects. Call before effects().
  void read(const std::vector<AccessCode> &Written);
  const std::vector<AccessCode> &accesses() const { return Accesses; } // In terms of the tree.
  const Effects &effects() const { return *E; }
  // The same with bytes as elements of the roots of which clauses name parts.
  const Effects &effectsInBytes() const { return InBytes ? *InBytes->E : *E; }

  // The declared sections of the root. Empty: none.
  std::vector<Declared> declared(unsigned Root) const;
  // The declared sections that are a part of the root's variable or member.
  const std::vector<Declared> &parts(unsigned Root) const { return Parts[Root]; }
  // Both, in bytes. Empty if none names a part.
  std::vector<Declared> inBytes(unsigned Root) const;

  // The body's role for the root.
  AccessRole roleOf(unsigned Root) const;

  // What A would name of the root if its pointer were at element First of it. Nothing: unknown.
  std::optional<Box> sectionFrom(const AccessCode &A, unsigned Root, std::int64_t First) const;

  // True if clauses name memory behind pointers in the root, and nothing else of it.
  bool namedOnlyBehind(unsigned Root) const { return Behind[Root] == Ways::Pointers; }

  // True if the root holds pointers that a clause dereferences: in({rows[k][0:n], k = 0; m}) dereferences those of
  // rows.
  bool isOnPath(unsigned Root) const { return Followed[Root]; }

  // The container parameter that contains the root, if a clause names the container and not the root; -1: none.
  int container(unsigned Root) const;

  // True if the root is, or holds the elements of, an hsched::tile parameter.
  bool ofTile(unsigned Root) const;
  // The tile whose elements the root holds. Nothing: no tile, or the body does not use the tile's extents.
  std::optional<Box> tile(unsigned Root) const;

  // The root's name in clauses: "y", "m.data". Empty: none.
  std::string nameOf(unsigned Root) const;
  std::string spell(const Poly &P) const;
  std::string spellWide(const Poly &P) const;
  std::function<std::string(const Poly &)> speller() const {
    return [this](const Poly &P) { return spell(P); };
  }
  // For evaluated text: each number in a type that does not wrap around.
  std::function<std::string(const Poly &)> wideSpeller() const {
    return [this](const Poly &P) { return spellWide(P); };
  }

  // Element type of the section behind a parameter, or null.
  clang::QualType elementOf(unsigned Root) const;
  // Number of the root's elements in one of the section's; 0: sizes do not fit or are unknown.
  std::int64_t perElement(unsigned Root) const;
  // The base of a section of the root, and perElement of that base. A pointer to rows of variable length is converted.
  std::pair<std::string, std::int64_t> elements(unsigned Root) const;

  // A number in B that lies in memory, so an earlier task may write it after B was evaluated. Empty: none.
  // Constant: true if a number in memory does not change from then on. Sizes of containers and tiles count as such.
  std::string changeable(const Box &B, llvm::function_ref<bool(const Symbol &)> Constant) const;

  // The path of a section's base, with the tree's member names. Nothing: no path.
  static std::optional<Path> pathOf(llvm::StringRef Text);

  // The member that an access of the root is inside of, behind those that it is a member of and the classes of all.
  // Empty: unknown, or several.
  std::vector<const clang::Decl *> memberOf(unsigned Root, const Access &A) const;
  // The class of the root's elements; null: none.
  const clang::RecordDecl *classOf(unsigned Root) const;

  // True if the root is a variable that is a pointer, possibly reached by a reference.
  bool isPointer(unsigned Root) const;

  // True if a parameter's root is used only to query the size of a container, and no clause names it.
  bool onlyQueried(unsigned Root) const;

  // True if Wanted is true for some access to the root.
  bool anyAccess(unsigned Root, llvm::function_ref<bool(const Access &)> Wanted) const;

  // True if a write (or read) is certain. Guesses about opaque callees do not contradict a clause.
  bool definite(unsigned Root, bool Write) const {
    return anyAccess(Root, [Write](const Access &A) { return (A.K != AccessKind::Read) == Write && !A.Guess; });
  }

  // True if the library reads the root up to a zero, and the task touches nothing of it elsewhere but certain elements.
  bool onlyText(unsigned Root) const {
    return anyAccess(Root, [](const Access &A) { return A.Text; }) && !anyAccess(Root, [](const Access &A) {
             return A.K != AccessKind::Read || !(A.Text || (A.Low && A.Low->constant()));
           });
  }

  // The place of a write that happens only in one branch of a condition on data. Invalid: there is no such
  // write.
  clang::SourceLocation writtenOnCondition(unsigned Root) const;

private:
  // The root of the parameter that is, or leads to, this root; null: none.
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
  // For a root behind a pointer: whether A names the pointer's target.
  SamePath namesTarget(const AccessCode &A, unsigned Root) const;
  // Whether a section with generators Over has the path To, as Named has.
  SamePath same(const Path &To, const Path &Named, llvm::ArrayRef<Generator> Over) const;
  // The type, in the body, of what clauses call Name; null: unknown. Of: its root, if it is
  // one.
  clang::QualType typeNamed(llvm::StringRef Name, const Root *Of) const;
  // True if the pointers to the root are known and A, which names it, is not known to follow all of them.
  bool followsOthers(const AccessCode &A, unsigned Root);
  // The same for pointers in an array that is a member of a parameter's target: g->p[0] is named, and g->p[k] followed.
  bool followsOtherMembers(const AccessCode &A, unsigned Root);
  std::optional<Box> boxOf(const AccessCode &A, unsigned Root);
  // S in elements of the pointer that it begins with, of which one is Per of the root's.
  static std::optional<Box> boxOf(const Section &S, Words &W, std::int64_t Per);
  // The part of a root that A names. Nothing: A does not name a part. Records in Behind what it names
  // instead.
  std::optional<Declared> partOf(const AccessCode &A, unsigned Root);
  static std::optional<Box> tileBox(const Section &S, Words &W, std::int64_t PerElement);
};

} // namespace hsched::cc
#endif
