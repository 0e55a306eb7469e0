// What names mean where clauses stand, and how declarations are called there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bridge between text and declarations. A clause's names become declarations here, by Clang's lookup; declarations
// that a body uses get the one spelling that means them where the clauses stand, or one that no program has.
#ifndef HSCHED_ANALYSIS_NAMES_H
#define HSCHED_ANALYSIS_NAMES_H

#include "analysis/lower/Lower.h"
#include "model/Program.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class Sema;
}

namespace hsched::cc {

class Names final : public Naming {
public:
  // Of clauses on the function Clauses. Body, which is what is looked into, may call the parameters otherwise: those
  // names hide others as well, so that a text means the same in terms of both functions.
  Names(clang::Sema &S, const clang::FunctionDecl &Clauses, const clang::FunctionDecl &Body);
  // Of clauses of a statement in F, whose directive ends at Loc. Variable is that of a taskloop, else null.
  Names(clang::Sema &S, const clang::FunctionDecl &F, clang::SourceLocation Loc, const clang::ValueDecl *Variable);

  // What Name, perhaps qualified or a member of this, means there. Null: nothing, or nothing that is one.
  const clang::NamedDecl *find(llvm::StringRef Name) const;

  // The functions and templates of functions that Name means there: all overloads that its scope has.
  std::vector<const clang::NamedDecl *> functions(llvm::StringRef Name) const;
  // Where the clauses stand, as far as macros and declarations are concerned.
  clang::SourceLocation place() const { return Place; }

  // The spelling of D, the same each time and no other declaration's. One that begins with '?' cannot be written.
  std::string of(const clang::ValueDecl &D) override;
  std::string member(const clang::FieldDecl &Field) override;

  // A with each name in its expressions as of() spells the declaration.
  AccessCode inOneSpelling(AccessCode A);
  std::string inOneSpelling(llvm::StringRef Text) { return inOneSpelling(Text, {}, nullptr); }

  // Of text with a spelling that cannot be written: what that is, and why it cannot; empty: there is none.
  std::string whyNot(llvm::StringRef Text) const;

private:
  struct Meaning {
    const clang::NamedDecl *D = nullptr;
    bool Found = false; // D null: several.
    llvm::SmallVector<const clang::NamedDecl *, 2> All = {};
  };
  clang::Sema &S;
  const clang::FunctionDecl &F, &Body;
  clang::SourceLocation Place;                     // What is declared behind it has no name yet, but in a class.
  std::vector<const clang::NamedDecl *> Innermost; // Parameters and variables; inner ones later.
  std::vector<const clang::NamedDecl *> Hiding;    // What Body calls its parameters, where no other text may be that.
  std::map<const clang::ValueDecl *, std::string> Spelled;
  std::map<std::string, const clang::ValueDecl *> Taken;
  std::map<std::string, std::string> Reasons; // By what is in the spelling behind the '?'

  static void parametersOf(const clang::FunctionDecl &Of, std::vector<const clang::NamedDecl *> &Out);
  Meaning unqualified(llvm::StringRef Name, bool OfScope) const;
  Meaning in(const clang::DeclContext *DC, llvm::StringRef Name, bool OfScope) const;
  void nominated(const clang::DeclContext *DC, llvm::StringRef Name, bool OfScope, Meaning &Out,
                 llvm::SmallPtrSetImpl<const clang::DeclContext *> &Seen) const;
  Meaning qualified(llvm::StringRef Name) const;
  const clang::NamedDecl *memberNamed(llvm::StringRef Name) const;
  bool isBody(const clang::DeclContext *DC) const;
  bool same(const clang::NamedDecl *Found, const clang::ValueDecl &D) const;
  bool means(llvm::StringRef Text, const clang::ValueDecl &D) const;
  std::string spell(const clang::ValueDecl &D, std::string &Why) const;
  std::string spellMember(const clang::FieldDecl &D) const;
  std::string path(const clang::DeclContext *DC) const;
  bool accessibleAs(const clang::NamedDecl &D) const;
  bool inherited(const clang::NamedDecl &D) const;
  std::string inOneSpelling(llvm::StringRef Text, const Section &Of, std::vector<NameUse> *Uses);
};

// A spelling without the marks of one that cannot be written, for messages.
std::string readable(llvm::StringRef Spelling);

} // namespace hsched::cc
#endif
