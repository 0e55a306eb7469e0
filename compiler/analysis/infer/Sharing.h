// Sharing between tasks: variables and members that tasks of a unit may write, and pointers that may alias. It decides
// whether data without a clause deserve a warning.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_SHARING_H
#define HSCHED_ANALYSIS_INFER_SHARING_H

#include "analysis/infer/Origins.h"
#include "analysis/infer/Subject.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace hsched::cc {

class Sharing {
public:
  explicit Sharing(clang::ASTContext &Context) : Context(Context), Blocks(Context) {}

  // Records what a task's body writes, and what its clauses say. Call for each task, before say().
  void add(const Subject &S);
  void add(const Names &Called, const std::vector<AccessCode> &Clauses);
  // True if clauses with sufficient roles name the memory by another pointer: J is J_buf + n in every assignment, and a
  // clause names J_buf.
  bool namedByAlias(const Subject &S, unsigned Root, const std::vector<AccessCode> &Clauses);
  // The root is read and no clause names it. Say is called later if some task may write it, by this name or through a
  // pointer that may alias it.
  void unnamedRead(const Subject &S, unsigned Root, std::function<void()> Say) {
    // A write to what a pointer points to is no write to the pointer.
    (S.Tree.Roots[Root].OfPointers ? PointerReads : Reads).emplace_back(of(S, Root), std::move(Say));
  }
  // A member is read beside others that clauses name: Member is what Subject::memberOf() says of it. Say is called
  // later if some task may write it.
  void unnamedMember(const std::vector<const clang::Decl *> &Member, std::function<void()> Say);
  // True if this number in memory is a variable or a part of one.
  bool isVariable(const Subject &S, const std::string &Number) { return !along(S.Called, S.pathOf(Number)).empty(); }
  // An inferred extent is counted by this number. Say is called later if a clause of some task names the number, or
  // some task may write it.
  void keepConstant(const Subject &S, const std::string &Number, std::function<void()> Say);
  // Calls the pending reports. Call when all tasks have been added.
  void say();

private:
  // A variable, or a member of any object, because objects of a class are not distinguished. Instances count as their
  // template. Null: unknown.
  using Data = const void *;
  Data of(const clang::ValueDecl &D);
  Data of(const clang::Decl &MemberOrClass);
  // The datum of a root: the last member on its path, else its variable.
  Data of(const Subject &S, unsigned Root);
  // The members on a path. Without members: the variable, or the member of this.
  std::vector<Data> along(const Names &Called, const std::optional<Path> &Way);
  const clang::RecordDecl *classNamed(const Names &Called, const AccessCode &A);
  std::set<Data> namedBy(const Names &Called, const AccessCode &A);
  // A task writes D, a member or a class: then also the classes of its members, bases and elements.
  void writes(const clang::Decl &D);
  bool isWritten(const Data &D, const std::set<Data> &Written);

  clang::ASTContext &Context;
  std::vector<std::pair<Data, std::function<void()>>> Reads, PointerReads, Constant;
  std::vector<std::pair<std::vector<Data>, std::function<void()>>> MemberReads;
  std::set<Data> Written, WrittenPointers, NamedByClauses; // Written: pointers' targets, too.
  bool Walked = false;
  std::map<clang::SourceLocation, Data> Members; // By place of their declaration.
  std::map<Data, std::set<Data>> Sources;        // What a pointer is assigned; null: something unknown.
  std::map<Data, Data> Copies; // Pointers that are assigned once, and of these the other pointer; null: something else.
  Origins Blocks;
  std::map<Data, Data> Above; // Union-find forest of pointers that may alias.

  class Finder;
  void walk();
  // True if the root's pointer is at a constant distance from A's, and no access is known to be outside of A.
  bool namedFromOther(const Subject &S, unsigned Root, const AccessCode &A);
  bool leadsTo(const Data &D, const std::set<Data> &Named, unsigned Depth) const;
  Data top(Data D) const;
};

} // namespace hsched::cc
#endif
