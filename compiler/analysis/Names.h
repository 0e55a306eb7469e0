// Name lookup at a clause: names to declarations, and declarations to spellings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bridge between text and declarations. Clang's lookup resolves the names of clauses to declarations. A declaration
// used by a body gets the unique spelling that denotes it at the clause, or a spelling that no program can have.
#ifndef HSCHED_ANALYSIS_NAMES_H
#define HSCHED_ANALYSIS_NAMES_H

#include "analysis/lower/Lower.h"
#include "model/Program.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/TemplateBase.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Sema;
}

namespace hsched::cc {

class Names final : public Naming {
public:
  // For clauses on the function Clauses. Body, which is analysed, may name the parameters differently. Its names also
  // hide others, so a text means the same in both functions.
  Names(clang::Sema &S, const clang::FunctionDecl &Clauses, const clang::FunctionDecl &Body);
  // For clauses of a statement in F whose directive ends at Loc. Variable: that of a taskloop, or null.
  Names(clang::Sema &S, const clang::FunctionDecl &F, clang::SourceLocation Loc, const clang::ValueDecl *Variable);

  // The declaration of Name, possibly qualified or a member of this. Null: none, or ambiguous.
  const clang::NamedDecl *find(llvm::StringRef Name) const;

  // The type that Text denotes there: "const T *", "typename Base<T>::value_type". Null: none.
  clang::QualType type(llvm::StringRef Text) const;
  // The value of D for Body, if D is a constant. Nothing: it is none.
  std::optional<std::int64_t> constant(const clang::NamedDecl *D) const;

  // The qualified name at the start of Text. A '<' belongs to it where it begins template arguments.
  llvm::StringRef qualifiedId(llvm::StringRef Text) const;

  // The functions and function templates called Name there: all overloads of its scope.
  std::vector<const clang::NamedDecl *> functions(llvm::StringRef Name) const;
  // The template arguments that Name ends with. False: it has none, or they are not understood.
  bool argumentsOf(llvm::StringRef Name, clang::TemplateArgumentListInfo &Out) const;
  // The place of the clauses, for macros and declarations.
  clang::SourceLocation place() const { return Place; }

  // The spelling of D: stable and unique. One that begins with '?' cannot be written in a clause.
  std::string of(const clang::ValueDecl &D) override;
  std::string member(const clang::FieldDecl &Field) override;
  std::string qualifier(const clang::CXXRecordDecl &Base, const clang::CXXRecordDecl &Of) override;

  // A with every name in its expressions replaced by the spelling of its declaration.
  AccessCode inOneSpelling(AccessCode A);
  std::string inOneSpelling(llvm::StringRef Text) { return inOneSpelling(Text, {}, nullptr); }

  // For text with a spelling that cannot be written: the declaration and the reason. Empty: there is none.
  std::string whyNot(llvm::StringRef Text) const;

private:
  struct Meaning {
    const clang::NamedDecl *D = nullptr;
    bool Found = false; // With D null: ambiguous.
    llvm::SmallVector<const clang::NamedDecl *, 2> All = {};
    clang::QualType T = {}; // For an alias or class template with arguments.
  };
  clang::Sema &S;
  const clang::FunctionDecl &F, &Body;
  clang::SourceLocation Place;                         // Declarations behind it are not visible yet, except in a class.
  std::vector<const clang::NamedDecl *> Innermost;     // Parameters and variables; inner ones later.
  std::vector<const clang::NamespaceDecl *> Nominated; // By using directives of functions.
  std::vector<const clang::NamedDecl *> Hiding;        // Body's names of its parameters, which no other text may use.
  std::map<const clang::ValueDecl *, std::string> Spelled;
  std::map<std::string, const clang::ValueDecl *> Taken;
  std::map<std::string, std::string> Reasons; // By the part of the spelling behind the '?'.

  static void parametersOf(const clang::FunctionDecl &Of, std::vector<const clang::NamedDecl *> &Out);
  Meaning unqualified(llvm::StringRef Name, bool OfScope) const;
  Meaning inInstance(Meaning M, const clang::DeclContext *DC, const clang::DeclContext *In, llvm::StringRef Name,
                     bool OfScope) const;
  Meaning specialised(const clang::NamedDecl *Template, llvm::StringRef Args) const;
  bool arguments(llvm::StringRef Text, clang::TemplateArgumentListInfo &Out) const;
  clang::QualType typeOf(const Meaning &M) const;
  bool isTemplate(llvm::StringRef Name) const;
  // The class of the implicit object, as the body has it. Null: there is none.
  const clang::CXXRecordDecl *object() const;
  static void merge(Meaning &Out, const Meaning &M); // What a using directive brings in.
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
  std::pair<const clang::VarDecl *, size_t> staticMember(const clang::ValueDecl &Object, llvm::StringRef Text) const;
  std::string inOneSpelling(llvm::StringRef Text, const Section &Of, std::vector<NameUse> *Uses);
};

// The argument that instance In has for parameter P of its template or of a class around it. Null: none.
const clang::TemplateArgument *argumentOf(const clang::NamedDecl &P, const clang::FunctionDecl &In);

// A spelling without the '?' marks, for messages.
std::string readable(llvm::StringRef Spelling);

} // namespace hsched::cc
#endif
