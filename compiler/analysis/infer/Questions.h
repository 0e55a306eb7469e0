// What inference asks about functions, statements and clauses, and what has a plain answer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_QUESTIONS_H
#define HSCHED_ANALYSIS_INFER_QUESTIONS_H

#include "model/AccessTree.h"
#include "model/Program.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

#include <map>

namespace hsched::cc {

struct BoundFunction;

// The bodies that are to be looked at for F: its definition, or instances of it.
std::vector<const clang::FunctionDecl *> bodiesOf(const BoundFunction &F);
// The instances of the template that Function is; it alone, where it is none.
std::vector<const clang::FunctionDecl *> instancesAround(const clang::FunctionDecl &Function);

// Where the elements of FD's parameter pack begin among the parameters of an instance; of a function without, no number
// is as great.
unsigned firstOfPack(const clang::FunctionDecl &FD);

// Whether St, in an instance, uses a parameter from First on.
bool usesParametersFrom(unsigned First, const clang::Stmt *St);

// Whether Name, of FD's parameters or the Locals of a statement in it, or of their public fields, can be written where
// the wrapper stands.
bool reachable(const clang::FunctionDecl *FD, llvm::StringRef Name,
               const std::map<std::string, clang::QualType> &Locals);

// Whether root Id, which is only read, is no more than what Clauses look at when the task is submitted, a member or
// a pointer, or a pointer member to what has a root of its own.
bool looksOnly(const AccessTree &Tree, unsigned Id, llvm::ArrayRef<AccessCode> Clauses);

// Variables with automatic storage, declared outside the statement, that it uses, and the Counter of a taskloop. The
// result: them, in the order of their first use.
std::vector<const clang::ValueDecl *> collectLocals(const clang::Stmt &Whole, const clang::ValueDecl *Counter,
                                                    std::map<std::string, clang::QualType> &Names);

// Takes those from Names that a statement works on itself, and has no copies of, since clauses name them or parts of
// them.
void eraseReferred(clang::ASTContext &Context, llvm::ArrayRef<AccessCode> Clauses,
                   std::map<std::string, clang::QualType> &Names);

// The statement that an instance, whose body is In, makes of Wanted, in a template; null where there is none.
const clang::Stmt *instanceOf(const clang::Stmt *Wanted, const clang::Stmt *In);

// Makes of the tree of a loop over Variable that of one iteration, whose Variable is in the loop's bounds; false where
// the loop is not understood so.
bool eachIteration(AccessTree &Tree, const std::string &Variable);

// Not: what nobody can evaluate at submission, a name that does not mean its declaration there among it.
bool evaluable(const std::string &Text);

// Whether an expression's text has Name as a word that is no other's member.
bool mentions(llvm::StringRef Text, llvm::StringRef Name);

// Whether two lists of accesses say the same of the same data.
bool sameAccesses(const std::vector<AccessCode> &A, const std::vector<AccessCode> &B);

// Whether two lists of accesses are to the same data; where the roles differ, A's become inout.
bool sameSections(std::vector<AccessCode> &A, std::vector<AccessCode> B);

// Of a statement with these variables: whether the root is what a reference, a binding or a class leads to of which the
// statement has a copy.
bool ownObject(const AccessTree &Tree, unsigned Id, const std::map<std::string, clang::QualType> &Locals);

// The variable, parameter or object that the root is, or that pointers lead from to it.
const Root &above(const AccessTree &Tree, unsigned Id);

// Whether the root is a static of a function that nothing in the function changes.
bool neverWritten(const Root &R);

// Where a section stands; nothing where its end is not known.
clang::CharSourceRange sectionRange(const Section &S);

} // namespace hsched::cc
#endif
