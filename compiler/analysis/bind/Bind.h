// Directives meet declarations: which function a directive stands on, what its clauses mean there, which main version
// a version implements. Reports every misuse with a caret in the user's file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   directives + AST -> bind() -> Binding -> (rewrite/) edits and ProgramCode
#ifndef HSCHED_ANALYSIS_BIND_BIND_H
#define HSCHED_ANALYSIS_BIND_BIND_H

#include "model/Directive.h"
#include "model/Kernel.h"
#include "model/Program.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class Sema;
}

namespace hsched::cc {

// A function with directives on it.
struct BoundFunction {
  bool IsTask = false; // Else a version.
  bool Bad = false;    // An error was reported: later steps leave it out.
  Directive D;         // All its directives in one.
  std::vector<const Directive *> Written;
  const clang::FunctionDecl *Annotated = nullptr;  // The declaration that they stand on.
  const clang::FunctionDecl *Definition = nullptr; // Here, or null.
  const clang::FunctionTemplateDecl *Template = nullptr;
  bool InClass = false, InClassTemplate = false;
  const BoundFunction *Main = nullptr; // Of a version.
  // What its clauses say, by parameter; sections of no one parameter by their text.
  std::map<std::pair<int, std::string>, AccessRole> Roles;
  TaskCode Task;       // IsTask.
  VersionCode Version; // Else.

  FunctionCode &code() { return IsTask ? static_cast<FunctionCode &>(Task) : Version; }
};

struct BoundReduction {
  const Directive *D;
  std::vector<ReductionCode> Code;
};

struct BoundWait {
  const Directive *D;
  WaitCode Code;
};

// A task that is a statement of a function.
struct BoundInline {
  const Directive *D;
  bool Bad = false;                              // An error was reported: later steps leave it out.
  const clang::FunctionDecl *Function = nullptr; // Whose body contains it.
  const clang::Stmt *Target = nullptr;           // The statement.
  clang::SourceLocation End;                     // Behind it.
  // Of a loop: what its head says of where to begin and to end, which becomes the chunk's.
  struct Replacement {
    clang::SourceLocation Begin;
    unsigned Length;
    std::string Text;
  };
  std::vector<Replacement> Head;
  // Copies of objects that are looked at behind the task, and that no statement is seen to change.
  std::vector<const clang::ValueDecl *> SeenLater;
  // In C, where the statement names variables that it has through pointers, and their names.
  std::vector<std::pair<clang::SourceLocation, std::string>> References;
  InlineCode Code;
};

// A taskgroup.
struct BoundGroup {
  const Directive *D;
  clang::SourceLocation End; // Behind its block.
};

struct Binding {
  const std::vector<Directive> *Directives = nullptr; // The unit's; while it is bound.
  std::string UnitId;                                 // Tells this translation unit from others.
  std::deque<BoundFunction> Functions;                // Addresses stay.
  std::vector<BoundWait> Waits;
  std::vector<BoundReduction> Reductions;
  std::vector<BoundInline> Inlines;
  std::vector<BoundGroup> Groups;
  std::vector<std::string> KernelFiles; // Files read, as they were found.
  bool Failed = false;
};

struct BindOptions {
  std::string MainFile;                // As the user named it.
  std::string Salt;                    // Tells units of one file name apart: contents, flags.
  bool Checks = false;                 // Kernels get checked entries.
  std::vector<std::string> KernelDirs; // Searched after the folder of the file with the directive.
  bool Explain = false;                // Remarks on what is inferred.
};

Binding bind(clang::Sema &S, const std::vector<Directive> &Directives, const BindOptions &Options);

} // namespace hsched::cc
#endif
