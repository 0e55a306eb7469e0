// Where generated functions and structs are declared in the user's text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_REWRITE_DECLARATIONS_H
#define HSCHED_REWRITE_DECLARATIONS_H

#include "rewrite/Edits.h"

#include "clang/AST/Decl.h"

namespace clang {
class Lexer;
}

namespace hsched::cc {

// If a namespace's function is declared outside of it, puts Text inside the namespace.
std::string withinNamespaces(const clang::FunctionDecl *FD, std::string Text);

// Declares the body of a task a friend of each class that the task is a friend of. Edits the class.
void befriend(const clang::FunctionDecl &Task, const std::string &BodyName, const clang::SourceManager &SM,
              const clang::LangOptions &Lang, Edits &Out);

// Puts Friendship into each class that has another one of F's as a private member, because generated code names F's
// class.
void befriendAround(const clang::FunctionDecl &F, const std::string &Friendship, const clang::SourceManager &SM,
                    Edits &Out);

// End, the offset behind a default argument that begins with the '=' at From. If Clang does not understand the
// argument, End is behind the '=': the offset at which the parameter ends, in the text that Raw reads on.
unsigned endOfDefault(clang::Lexer &Raw, const clang::SourceManager &SM, unsigned From, unsigned End);

} // namespace hsched::cc
#endif
