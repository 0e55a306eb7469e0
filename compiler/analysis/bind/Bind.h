// Binds directives to declarations: the function of a directive, the meaning of its clauses, the main version of a
// version. Reports every misuse with a caret in the user's file.
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

// A function with directives.
struct BoundFunction {
  bool IsTask = false; // False: a version.
  bool Bad = false;    // An error was reported: later steps skip it.
  Directive D;         // The merged directives.
  std::vector<const Directive *> Written;
  const clang::FunctionDecl *Annotated = nullptr;  // The declaration with the directives.
  const clang::FunctionDecl *Definition = nullptr; // Definition in this unit, or null.
  const clang::FunctionTemplateDecl *Template = nullptr;
  bool InClass = false, InClassTemplate = false;
  const BoundFunction *Main = nullptr; // For a version.
  // Roles in its clauses, by parameter. Sections without one parameter are keyed by their text.
  std::map<std::pair<int, std::string>, AccessRole> Roles;
  TaskCode Task;       // If IsTask.
  VersionCode Version; // Otherwise.

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
  bool Bad = false;                              // An error was reported: later steps skip it.
  const clang::FunctionDecl *Function = nullptr; // The function whose body contains it.
  const clang::Stmt *Target = nullptr;           // The statement.
  clang::SourceLocation End;                     // The location behind it.
  // For a loop: the begin and end expressions of its head, which are replaced by the chunk's.
  struct Replacement {
    clang::SourceLocation Begin;
    unsigned Length;
    std::string Text;
  };
  std::vector<Replacement> Head;
  // Copied objects that are read behind the task and that no visible statement changes.
  std::vector<const clang::ValueDecl *> ReadAfter;
  // In C: places where the statement names variables that it accesses through pointers, with their names.
  std::vector<std::pair<clang::SourceLocation, std::string>> References;
  InlineCode Code;
};

// A taskgroup.
struct BoundGroup {
  const Directive *D;
  clang::SourceLocation End; // The location behind its block.
};

struct Binding {
  const std::vector<Directive> *Directives = nullptr; // The unit's directives, while they are bound.
  std::string UnitId;                                 // Identifies this translation unit.
  std::deque<BoundFunction> Functions;                // Elements keep their address.
  std::vector<BoundWait> Waits;
  std::vector<BoundReduction> Reductions;
  std::vector<BoundInline> Inlines;
  std::vector<BoundGroup> Groups;
  std::vector<std::string> KernelFiles; // Kernel files read, by the path found.
  bool Failed = false;
};

struct BindOptions {
  std::string MainFile;                // The name as given by the user.
  std::string Salt;                    // Distinguishes units with one file name: contents, flags.
  bool Checks = false;                 // Kernels get checked entries.
  std::vector<std::string> KernelDirs; // Searched after the folder of the file with the directive.
  bool Explain = false;                // Report inferred clauses as remarks.
  // Something that Clang does not understand and the host compiler does: parts of the AST may be missing. Invalid:
  // none.
  clang::SourceLocation Missing = {};
};

Binding bind(clang::Sema &S, const std::vector<Directive> &Directives, const BindOptions &Options);

} // namespace hsched::cc
#endif
