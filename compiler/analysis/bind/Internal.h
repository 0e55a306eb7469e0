// The parts of binding, for bind() and its tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_BIND_INTERNAL_H
#define HSCHED_ANALYSIS_BIND_INTERNAL_H

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

// What the parts of binding share. Copies refer to the same binding.
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

// Steps of binding one function, in this order; a step returns or leaves F.Bad where it told of an error.

// What can be said about the directives of one function without looking at it (Checks.cpp).
bool completeDirective(BindContext C, BoundFunction &F);
// Whether the function can be a task or a version (Checks.cpp).
bool checkFunction(BindContext C, BoundFunction &F);
// Clauses to what is emitted for them (Clauses.cpp).
void bindClauses(BindContext C, BoundFunction &F);
// A declared reduction finds its place (Reductions.cpp).
void bindReduction(BindContext C, const Directive &D);
// Whether what Sec names, a parameter of F or null, can be turned to a private copy, and what does the reduction
// (Reductions.cpp).
bool bindReduced(BindContext C, BoundFunction &F, const DataClause &Data, const Section &Sec,
                 const clang::ParmVarDecl *Param, AccessCode &Out);
// The same of a variable that a task on a statement of F names.
bool bindReducedVariable(BindContext C, const clang::FunctionDecl *F, const DataClause &Data, const Section &Sec,
                         const clang::ValueDecl *V, AccessCode &Out);
// A version finds its main version (Versions.cpp).
void bindVersion(BindContext C, BoundFunction &F);

// Tiles that F, whose main version is Main, takes packed; Kernel is null where it has a body (Packed.cpp). False
// when an error was reported.
bool bindPacked(clang::DiagnosticsEngine &Diags, BoundFunction &F, const BoundFunction &Main, const KernelCode *Kernel);

// Tasks on statements
// --------------------------------------------------------------------------------------------------

// D stands in the body of Function (Inline.cpp).
void bindInline(BindContext C, const Directive &D, const clang::FunctionDecl *Function);

// How a task on a statement has a variable of type T that a data clause names.
CaptureCode::How howNamed(clang::ASTContext &Context, clang::QualType T);

// Says that the task of D changes a copy of the variable, which is looked at behind it (inline/Captures.cpp).
void warnLost(clang::DiagnosticsEngine &Diags, clang::ASTContext &Context, const Directive &D,
              const clang::ValueDecl &Variable, clang::SourceLocation Changed);

// What a block uses of what is declared around it, and whether it can be moved into a task (inline/Captures.cpp).
// Named are the variables that data clauses name; a taskloop's own is in each task. Fills captures; false when an error
// was reported.
bool captureBlock(BindContext C, BoundInline &B, const InlinePlace &Place,
                  const std::map<const clang::ValueDecl *, CaptureCode::How> &Named,
                  const clang::ValueDecl *LoopVariable);

// A loop of a taskloop.
struct LoopHead {
  const clang::ValueDecl *Variable = nullptr;
  const clang::Stmt *Bound = nullptr, *Step = nullptr; // Step null: 1.
  std::vector<const clang::ValueDecl *> Inner; // Variables of the loops in it, declared in front of the directive.
};

// Text, which is about taskloops, where D is another directive.
std::string inWordsOf(const Directive &D, std::string Text);

// Reads the head of B's loop (inline/Loop.cpp). Fills B.Code.Loop and B.Head; false when an error was reported.
bool bindLoop(BindContext C, BoundInline &B, const InlinePlace &Place, LoopHead &Head);

// Why the section of a chunk cannot be had from those of its first and last iteration, where Variable, of a loop,
// stands in S; empty where it can. Type is the type of a variable by its name, null for others (LoopSections.cpp).
std::string loopSectionProblem(clang::ASTContext &Context, const Section &S, const std::string &Variable,
                               llvm::function_ref<clang::QualType(llvm::StringRef)> Type);

// Whether Variable, of a loop, decides which values a list's own variables take (LoopSections.cpp).
bool listDependsOn(const Section &S, const std::string &Variable);

// Names and types (Identity.cpp) ------------------------------------------------------------------------------------

// The class of a value that has data() and size(), as std::span and std::vector do: what data() points to; null for
// others.
clang::QualType elementOfContainer(clang::ASTContext &Context, clang::QualType T);

// Whether T, or what it refers to, is an hsched::tile: such a container is strided, and named as a whole only.
bool isTile(clang::QualType T);

// What is wrong with section S, whose base has declared type T; empty when nothing is. Suggestion is a number's name.
std::string sectionProblem(clang::ASTContext &Context, const Section &S, clang::QualType T,
                           const std::string &Suggestion);

// Warns where a section looks like OmpSs's bounds (OmpSsBounds.cpp).
void noteOmpSsBounds(BindContext C, const Section &S);

// Whether what Subscripts subscripts of a T lead to lies in the data that a T itself leads to: a row of a matrix, but
// not what a pointer in an array points to.
bool inOnePiece(clang::ASTContext &Context, clang::QualType T, unsigned Subscripts);

// Whether S names an object that may have its elements elsewhere, as a std::vector has. T: S's base's; null: unknown.
bool mayOwn(clang::ASTContext &Context, const Section &S, clang::QualType T);

// The variable called Name of the class that F is a member of, or of its bases; null where there is none.
const clang::ValueDecl *memberOf(clang::Sema &S, const clang::FunctionDecl *F, const std::string &Name);
// Its type as if it were a parameter that refers to it; null where there is none.
clang::QualType memberType(clang::Sema &S, const clang::FunctionDecl *F, const std::string &Name);

// Whether Name means something in DC's scope.
bool visibleFrom(clang::Sema &S, const clang::DeclContext *DC, const std::string &Name, clang::SourceLocation Loc);

// The variable or member that Name, possibly qualified, finds from DC outwards; null where there is none.
const clang::ValueDecl *valueNamed(clang::Sema &S, const clang::DeclContext *DC, llvm::StringRef Name,
                                   clang::SourceLocation Loc);

// Functions and function templates that Name, possibly qualified, finds from DC outwards.
llvm::SmallVector<const clang::NamedDecl *, 4> findFunctions(clang::Sema &S, const clang::DeclContext *DC,
                                                             llvm::StringRef Name, clang::SourceLocation Loc);

// A type in the words of kernel checks.
HostArg hostArg(clang::ASTContext &Context, clang::QualType T);

// Identity: linker name, ids, spelled scopes, instances. Fills everything of F.code() that does not depend on clauses.
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
  // Loads F's kernel, checks its arguments, fills the KernelCode. Main is the task whose clauses say what data there
  // is.
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
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Loaded>> Cache; // By path and options.

  const Loaded *load(const KernelClause &Clause, const std::string &BuildOptions);
  const KernelInfo *choose(const BoundFunction &F, const BoundFunction &Main, const KernelFile &File);
  void arguments(BoundFunction &F, const KernelInfo &Kernel, KernelCode &Code);
  void checkNamed(BoundFunction &F, const BoundFunction &Main);
  void infer(BoundFunction &F, const KernelInfo &Kernel, const KernelCode &Code);
  clang::SourceLocation placeIn(const std::string &File, unsigned Line, unsigned Column);
};

} // namespace hsched::cc
#endif
