// What tasks share: which variables and members tasks of a translation unit may write, and which pointers lead to where
// others do. It decides whether data that no clause names are worth a warning.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_SHARING_H
#define HSCHED_ANALYSIS_INFER_SHARING_H

#include "analysis/infer/Subject.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace hsched::cc {

class Sharing {
public:
  explicit Sharing(clang::ASTContext &Context) : Context(Context) {}

  // Notes what a task's body writes, and what its clauses say that it does. Of each task, before say().
  void add(const Subject &S);
  void add(const Names &Called, const std::vector<AccessCode> &Clauses);
  // Whether clauses that allow what is done with the root name what it leads to by another pointer: J is J_buf + n
  // wherever it is assigned, and a clause names J_buf.
  bool namedOtherwise(const Subject &S, unsigned Root, const std::vector<AccessCode> &Clauses);
  // The root is read, and no clause names it: Say is for the case that some task may write it, by this name or by one
  // of a pointer that is assigned the other somewhere.
  void unnamedRead(const Subject &S, unsigned Root, std::function<void()> Say) {
    Reads.emplace_back(of(S, Root), std::move(Say));
  }
  // When all tasks have been added.
  void say();

private:
  // A variable, or a member of any object: of two objects of a class nobody knows which is which. Those of a template's
  // instances are the template's. Null: not known.
  using Data = const void *;
  Data of(const clang::ValueDecl &D);
  // What a root is in: the last member on the way to it, else its variable.
  Data of(const Subject &S, unsigned Root);
  // The members that a way leads along, and the variable, or the member of this, where it leads along none.
  std::vector<Data> along(const Names &Called, const std::optional<Path> &Way);
  std::set<Data> namedBy(const Names &Called, const AccessCode &A);
  bool isWritten(const Data &D);

  clang::ASTContext &Context;
  std::vector<std::pair<Data, std::function<void()>>> Reads;
  std::set<Data> Written;
  bool Walked = false;
  std::map<clang::SourceLocation, Data> Members; // By where they are declared.
  std::map<Data, std::set<Data>> Sources;        // What a pointer is assigned; null among them: something else.
  std::map<Data, Data> Above;                    // Trees of pointers that may lead to the same.

  class Finder;
  void walk();
  Data top(Data D) const;
};

} // namespace hsched::cc
#endif
