// The parts of binding, for bind() and its tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_BIND_INTERNAL_H
#define HSCHED_ANALYSIS_BIND_INTERNAL_H

#include "analysis/Names.h"
#include "analysis/Report.h"
#include "analysis/bind/Bind.h"
#include "analysis/inline/Place.h"
#include "analysis/kernel/Check.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringSet.h"

namespace hsched::cc {

// Shared state of the parts of binding. Copies refer to the same binding.
struct BindContext {
  clang::Sema &S;
  clang::ASTContext &Context;
  clang::DiagnosticsEngine &Diags;
  const clang::SourceManager &SM;
  const BindOptions &Options;
  Binding &Out;
  std::map<const clang::FunctionDecl *, BoundFunction *> &ByFunction; // By canonical declaration.

  template <unsigned N, class... Args>
  bool fail(clang::SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    error(Diags, Loc, Format, Values...);
    Out.Failed = true;
    return false;
  }
};

// The steps of binding one function, in this order. A step that reported an error returns false or sets F.Bad.

// Checks of the directives alone, without the function (Checks.cpp).
bool completeDirective(BindContext C, BoundFunction &F);
// True if the function can be a task or a version (Checks.cpp).
bool checkFunction(BindContext C, BoundFunction &F);
// Translates clauses to the values that are emitted (Clauses.cpp).
void bindClauses(BindContext C, BoundFunction &F);
// Reports E of a clause of F if it has no meaning, or is not the number that is needed. Of: its section, or null
// (Clauses.cpp).
bool checkMeaning(BindContext C, const Names &Called, const clang::FunctionDecl &F, const Expr &E,
                  llvm::StringRef Clause, const Section *Of);
// Binds a declared reduction (Reductions.cpp).
void bindReduction(BindContext C, const Directive &D);
// True if Sec, of a parameter of F or of none, can be redirected to a private copy. Determines the reduction's
// operation (Reductions.cpp).
bool bindReduced(BindContext C, BoundFunction &F, const DataClause &Data, const Section &Sec,
                 const clang::ParmVarDecl *Param, AccessCode &Out);
// The same for a variable named by a statement task in F.
bool bindReducedVariable(BindContext C, const clang::FunctionDecl *F, const DataClause &Data, const Section &Sec,
                         const clang::ValueDecl *V, AccessCode &Out);
// Finds the main version of a version (Versions.cpp).
void bindVersion(BindContext C, BoundFunction &F);

// Binds the packed tiles of F, a version of Main. Kernel is null for a version with a body (Packed.cpp). False after an
// error.
bool bindPacked(clang::DiagnosticsEngine &Diags, BoundFunction &F, const BoundFunction &Main, const KernelCode *Kernel);

// Tasks on statements
// --------------------------------------------------------------------------------------------------

// Binds D in the body of Function (Inline.cpp).
void bindInline(BindContext C, const Directive &D, const clang::FunctionDecl *Function);

// How a statement task captures a variable of type T that a data clause names.
CaptureCode::How captureMode(clang::ASTContext &Context, clang::QualType T);

// Warns that the task of D changes a copy of a variable that is read behind the task (inline/Captures.cpp).
void warnLost(clang::DiagnosticsEngine &Diags, clang::ASTContext &Context, const Directive &D,
              const clang::ValueDecl &Variable, clang::SourceLocation Changed);

// Determines a block's captures of enclosing declarations, and whether it can become a task
// (inline/Captures.cpp). Named: the variables in data clauses. A taskloop's variable is local to each task. False
// after an error.
bool captureBlock(BindContext C, BoundInline &B, const InlinePlace &Place,
                  const std::map<const clang::ValueDecl *, CaptureCode::How> &Named,
                  const clang::ValueDecl *LoopVariable);

// A loop of a taskloop.
struct LoopHead {
  const clang::ValueDecl *Variable = nullptr;
  const clang::Stmt *Bound = nullptr, *Step = nullptr; // Null Step: 1.
  std::vector<const clang::ValueDecl *> Inner; // Variables of inner loops that are declared before the directive.
};

// Replaces "taskloop" in Text by the name of directive D.
std::string inWordsOf(const Directive &D, std::string Text);

// Reads the head of B's loop (inline/Loop.cpp). Fills B.Code.Loop and B.Head; false after an error.
bool bindLoop(BindContext C, BoundInline &B, const InlinePlace &Place, LoopHead &Head);

// A section that names the loop's Variable, for a chunk of iterations. Type gives a variable's type by name, or null
// (LoopSections.cpp).
struct LoopSection {
  std::string Problem; // Why the sections of the first and the last iteration do not determine it; empty: they do.
  bool Uneven = false; // They determine only begin and end: the sections between are at unequal distances.
};
class Expressions;
LoopSection loopSection(clang::ASTContext &Context, const Section &S, const std::string &Variable,
                        llvm::function_ref<clang::QualType(llvm::StringRef)> Type, const Expressions &Built);

// True if the loop's Variable determines the values of a list's generators (LoopSections.cpp).
bool listDependsOn(const Section &S, const std::string &Variable);

// Names and types (Identity.cpp) ------------------------------------------------------------------------------------

// The element type of a class with data() and size(), as std::span and std::vector have; null for
// others.
clang::QualType elementOfContainer(clang::ASTContext &Context, clang::QualType T);

// True if T, or the type it refers to, is hsched::tile: a strided container that clauses name only as a whole.
bool isTile(clang::QualType T);

// The error in section S, whose base has declared type T. Empty: none. Suggestion: the name of a number.
std::string sectionProblem(clang::ASTContext &Context, const Section &S, clang::QualType T,
                           const std::string &Suggestion);

// Reports an error if S names V, no parameter or local variable, as a whole and V is a pointer.
bool checkGlobal(BindContext C, const Section &S, const clang::ValueDecl *V);

// Warns if a section looks like OmpSs's bounds (OmpSsBounds.cpp).
void noteOmpSsBounds(BindContext C, const Section &S);

// True if Subscripts subscripts of a T stay inside the object that T refers to. Example: a row of a matrix, but not the
// target of a pointer in an array.
bool inOnePiece(clang::ASTContext &Context, clang::QualType T, unsigned Subscripts);

// True if S names an object that may own elements in other memory, as std::vector does. T: type of S's base; null:
// unknown.
bool mayOwn(clang::ASTContext &Context, const Section &S, clang::QualType T);
// The same for objects of the standard library, if AnyClass is false, that have memory of their own: a map its nodes.
bool hasMemory(clang::ASTContext &Context, const Section &S, clang::QualType T, bool AnyClass);

// The variable called Name of the class that F is a member of, or of its bases; or null.
const clang::ValueDecl *memberOf(clang::Sema &S, const clang::FunctionDecl *F, const std::string &Name);
// Its type as a reference parameter, or null.
clang::QualType memberType(clang::Sema &S, const clang::FunctionDecl *F, const std::string &Name);

// True if Name is declared in DC's scope.
bool visibleFrom(clang::Sema &S, const clang::DeclContext *DC, const std::string &Name, clang::SourceLocation Loc);

// The variable or member that Name, possibly qualified, finds from DC outwards, or null.
const clang::ValueDecl *valueNamed(clang::Sema &S, const clang::DeclContext *DC, llvm::StringRef Name,
                                   clang::SourceLocation Loc);

// Functions and function templates that Name, possibly qualified, finds from DC outwards.
llvm::SmallVector<const clang::NamedDecl *, 4> findFunctions(clang::Sema &S, const clang::DeclContext *DC,
                                                             llvm::StringRef Name, clang::SourceLocation Loc);

// A type as kernel checks represent it.
HostArg hostArg(clang::ASTContext &Context, clang::QualType T);

// Identity: linker name, ids, spelled scopes, instances. Fills the parts of F.code() that do not depend on clauses.
void fillIdentity(clang::Sema &S, BoundFunction &F, const std::string &MainFile, const std::string &UnitId);

// "<Float, 3>" of a specialization, fully qualified; empty when it cannot be spelled (local types, lambdas).
std::string spelledArgs(clang::ASTContext &Context, llvm::ArrayRef<clang::TemplateArgument> Args);

std::string hashed(llvm::StringRef Text); // 8 hexadecimal digits.

// Kernels (Kernels.cpp) ------------------------------------------------------------------------------------------

class Inference;

class KernelBinder {
public:
  KernelBinder(clang::Sema &S, const BindOptions &Options, Binding &Out, Inference &Infer)
      : S(S), Options(Options), Out(Out), Infer(Infer) {}
  // Loads F's kernel, checks its arguments, fills the KernelCode. Main is the task whose clauses define the
  // data.
  void bind(BoundFunction &F, const BoundFunction &Main);

private:
  clang::Sema &S;
  const BindOptions &Options;
  Binding &Out;
  Inference &Infer;
  struct Loaded {
    bool Good = false;
    KernelFile File;
  };
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Loaded>> Cache; // Keyed by path and options.

  const Loaded *load(const KernelClause &Clause, const std::string &BuildOptions);
  const KernelInfo *choose(const BoundFunction &F, const BoundFunction &Main, const KernelFile &File);
  void arguments(BoundFunction &F, const KernelInfo &Kernel, KernelCode &Code);
  void checkNamed(BoundFunction &F, const BoundFunction &Main);
  void infer(BoundFunction &F, const KernelInfo &Kernel, const KernelCode &Code);
  clang::SourceLocation placeIn(const std::string &File, unsigned Line, unsigned Column);
};

} // namespace hsched::cc
#endif
