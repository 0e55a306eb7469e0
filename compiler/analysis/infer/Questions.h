// Simple queries of inference about functions, statements and clauses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_QUESTIONS_H
#define HSCHED_ANALYSIS_INFER_QUESTIONS_H

#include "analysis/uses/Uses.h"
#include "model/AccessTree.h"
#include "model/Program.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

#include <map>

namespace hsched::cc {

struct BoundFunction;

// The bodies to analyse for F: its definition, or its instances.
std::vector<const clang::FunctionDecl *> bodiesOf(const BoundFunction &F);
// The instances of Function if it is a template; otherwise Function itself.
std::vector<const clang::FunctionDecl *> instancesAround(const clang::FunctionDecl &Function);

// Index of the first element of FD's parameter pack among an instance's parameters. Without a pack: greater than any
// index.
unsigned firstOfPack(const clang::FunctionDecl &FD);

// True if St, in an instance, uses a parameter with index >= First.
bool usesParametersFrom(unsigned First, const clang::Stmt *St);

// True if the wrapper can name Name. It can name parameters of FD, the Locals of a statement in it, and public fields
// of these.
bool reachable(const clang::FunctionDecl *FD, llvm::StringRef Name,
               const std::map<std::string, clang::QualType> &Locals);

// True if root Id is only read and is one of two kinds. It is a member or pointer that Clauses evaluate at submission,
// or a pointer member whose target has a root.
bool evaluatedByClauses(const AccessTree &Tree, unsigned Id, llvm::ArrayRef<AccessCode> Clauses);

// Automatic variables declared outside the statement that it uses, and the Counter of a taskloop, in the order of their
// first use.
std::vector<const clang::ValueDecl *> collectLocals(const clang::Stmt &Whole, const clang::ValueDecl *Counter,
                                                    std::map<std::string, clang::QualType> &Names);

// Removes from Names the variables that a statement accesses directly, without a copy, because clauses name them or
// parts of them.
void eraseDirectlyUsed(clang::ASTContext &Context, llvm::ArrayRef<AccessCode> Clauses,
                       std::map<std::string, clang::QualType> &Names);

// The statements in In, an instance's body, that are instances of Wanted. There may be several, or none, in a generic
// lambda.
std::vector<const clang::Stmt *> instancesOf(const clang::Stmt &Wanted, const clang::Stmt *In);

// Reduces the tree of a loop over Variable to one iteration, with Variable inside the loop's bounds. False if the loop
// does not allow that.
bool eachIteration(AccessTree &Tree, const std::string &Variable);

// The number of accesses and loops in N whose range Tree does not know.
unsigned unknownRanges(const AccessTree &Tree, const Node &N);
// True if two numbers bound a loop's counter, and Variable is in one of them.
bool hasOtherLimits(const AccessTree &Tree, const Node &N, llvm::StringRef Variable, const Node *Around = nullptr);

// True if Text can be evaluated at submission: in particular, its names denote the same declarations there.
bool evaluable(const std::string &Text);

// True if an expression's text contains Name as a word that is not a member of something else.
bool mentions(llvm::StringRef Text, llvm::StringRef Name);

// True if two lists of accesses have the same sections and roles.
bool sameAccesses(const std::vector<AccessCode> &A, const std::vector<AccessCode> &B);

// True if two lists of accesses have the same sections. Where roles differ, A's become inout.
bool sameSections(std::vector<AccessCode> &A, std::vector<AccessCode> B);

// For a statement with these variables: true if the statement has a copy of the root's reference, binding or class.
bool ownObject(const AccessTree &Tree, unsigned Id, const std::map<std::string, clang::QualType> &Locals);

// The variable, parameter or object that is the root, or from which pointers lead to it.
const Root &above(const AccessTree &Tree, unsigned Id);

// True if the root is a function's static variable that neither the function nor its callers change, but for the
// initialiser.
using StaticChanges = std::map<const clang::FunctionDecl *, Changes>;
bool neverWritten(const Root &R, StaticChanges &Known);

// The source range of a section. Invalid if its end is unknown.
clang::CharSourceRange sectionRange(const Section &S);

} // namespace hsched::cc
#endif
