// Checks of functions and directives: what can be a task or a version.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Internal.h"
#include "hsched/abi.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Checks : public BindContext {
public:
  explicit Checks(const BindContext &C) : BindContext(C) {}

  // Checks of the directives alone, without the function.
  bool completeDirective(BoundFunction &F) {
    Directive &D = F.D;
    if (D.Kind == DirectiveKind::Device && !D.Implements.empty())
      D.Kind = DirectiveKind::Implements;
    if (D.Kind == DirectiveKind::Device)
      return fail(D.Loc, "'device' says where a version runs: add 'task' or 'implements(f)' to this function");
    F.IsTask = D.Kind == DirectiveKind::Task;
    assert((F.IsTask || !D.Implements.empty()) && "the parser asks for the name");
    if (D.Kernel && !D.Range)
      return fail(D.Kernel->Loc, "a version that is a kernel needs its geometry: add ndrange(global...; local...)");
    const DeviceChoice *Away = firstAway(D);
    // A version with a body for a device cannot use them either.
    const std::string Fix = std::string("add kernel(\"file.cl\")") +
                            (Away ? ", or leave it out where a body enqueues the work itself" : "");
    if (!D.Kernel && D.Range)
      return fail(D.Range->Loc, "clause 'ndrange' belongs to a kernel: %0", Fix);
    if (!D.Kernel && D.Args)
      return fail(D.ArgsLoc, "clause 'args' belongs to a kernel: %0", Fix);
    if (!D.Kernel && D.Options)
      return fail(D.Options->Loc, "clause 'options' belongs to a kernel: %0", Fix);
    if (!D.Kernel && !Away && !D.Packed.empty())
      return fail(
          D.Packed.front().TileLoc,
          "clause 'packed' has an effect only on a device: add kernel(\"file.cl\"), or device(opencl) where a body "
          "enqueues the work itself");
    if (!F.IsTask)
      for (auto [Given, What] :
           {std::pair(&D.Priority, "priority"), std::pair(&D.Label, "label"), std::pair(&D.If, "if"),
            std::pair(&D.Final, "final"), std::pair(&D.Cost, "cost"), std::pair(&D.Where, "where")})
        if (*Given)
          return fail((*Given)->Begin, "clause '%0' belongs to the main version: tasks have it, versions do not", What);
    for (const NamedVariable &V : D.Variables) {
      const char *Clause = spelling(V.H);
      if (!F.IsTask)
        return fail(V.Loc, "clause '%0' belongs to the main version: tasks have it, versions do not", Clause);
      if (V.H == NamedVariable::How::FirstPrivate || V.H == NamedVariable::How::Private)
        return fail(V.Loc, "clause '%0' belongs to a statement: a function's task has what its parameters are given",
                    Clause);
      if (llvm::none_of(F.Annotated->parameters(), [&](const ParmVarDecl *P) { return P->getName() == V.Name; }) &&
          !visibleFrom(S, F.Annotated, V.Name, V.Loc))
        return fail(V.Loc, "unknown name '%0' in clause '%1'", V.Name, Clause);
    }
    if (D.Devices.empty())
      D.Devices.push_back(D.Kernel ? DeviceChoice{HSCHED_DEVICE_OPENCL, HSCHED_TYPE_ANY, "opencl", D.Loc}
                                   : DeviceChoice{HSCHED_DEVICE_CPU, HSCHED_TYPE_ANY, "cpu", D.Loc});
    for (const DeviceChoice &C : D.Devices)
      if (D.Kernel && C.Kind != HSCHED_DEVICE_OPENCL)
        return fail(C.Loc, "an OpenCL kernel cannot run on device '%0': use 'opencl'", C.Text);
    if (!D.Kernel && Away)
      for (const DeviceChoice &C : D.Devices)
        if (C.Kind != Away->Kind)
          return fail(C.Loc,
                      "one body cannot be for '%0' and for '%1', where it enqueues work on the device: write a version "
                      "for each",
                      D.Devices.front().Text, C.Kind == D.Devices.front().Kind ? Away->Text : C.Text);
    return true;
  }

  // The first device of D that is not the CPU; null: none.
  static const DeviceChoice *firstAway(const Directive &D) {
    auto At = llvm::find_if(D.Devices, [](const DeviceChoice &C) { return C.Kind != HSCHED_DEVICE_CPU; });
    return At == D.Devices.end() ? nullptr : &*At;
  }

  // A non-static member: its object is an additional argument.
  bool checkMember(const CXXMethodDecl *M, const char *What) {
    SourceLocation Loc = M->getLocation();
    std::string Name = M->getNameAsString();
    if (M->isExplicitObjectMemberFunction())
      return fail(Loc, "'%0' names its object itself, so that it cannot be a %1: leave 'this' out of its parameters",
                  Name, What);
    if (M->getRefQualifier() == RQ_RValue)
      return fail(Loc,
                  "'%0' is called on temporary objects, which are gone when the %1 runs: leave the '&&' behind its "
                  "parameters out",
                  Name, What);
    if (M->isPureVirtual())
      return fail(Loc, "'%0' is pure virtual and has nothing to run: put the directive before what overrides it", Name);
    if (!M->getParent()->getIdentifier())
      return fail(Loc, "'%0' is a member of a class without a name, so that it cannot be a %1: name the class", Name,
                  What);
    return true;
  }

  bool checkFunction(BoundFunction &F) {
    const FunctionDecl *FD = F.Annotated;
    const char *What = F.IsTask ? "task" : "version";
    std::string Name = FD->getNameAsString();
    SourceLocation Loc = FD->getLocation();
    if (Loc.isMacroID())
      return fail(Loc, "the name of a %0 must be written out: it cannot come from a macro", What);
    if (FD->getLexicalDeclContext() != FD->getDeclContext() && !FD->getPreviousDecl())
      return fail(Loc, "a friend cannot be a %0: put the directive before a declaration at namespace scope", What);
    if (isa<CXXConstructorDecl, CXXDestructorDecl, CXXConversionDecl, CXXDeductionGuideDecl>(FD) ||
        FD->isOverloadedOperator())
      return fail(Loc, "'%0' cannot be a %1: only functions with a plain name can", Name, What);
    if (const auto *M = dyn_cast<CXXMethodDecl>(FD); M && !M->isStatic() && !checkMember(M, What))
      return false;
    if (FD->isMain())
      return fail(Loc, "main cannot be a %0", What);
    if (!FD->getReturnType()->isVoidType())
      return fail(Loc,
                  "a %0 returns void, because its caller does not wait for it; '%1' returns '%2': pass the result "
                  "through a pointer or reference",
                  What, Name, FD->getReturnType().getAsString(Context.getPrintingPolicy()));
    if (FD->isConsteval())
      return fail(Loc, "a consteval function cannot be a %0: it never runs in the program; write constexpr", What);
    if (FD->isConstexpr() && !Context.getLangOpts().CPlusPlus17)
      return fail(
          Loc, "a constexpr function can be a %0 from C++17 on: compile with -std=c++17, or leave constexpr out", What);
    if (FD->isVariadic())
      return fail(Loc,
                  "a function with '...' cannot be a %0, because its arguments cannot be copied: take a "
                  "pointer and a number, or write a template, 'template <class... T> void %1(T... values)'",
                  What, Name);
    const bool Specialization = FD->getTemplateSpecializationKind() == TSK_ExplicitSpecialization;
    if (Specialization && isa<CXXRecordDecl>(FD->getDeclContext()))
      return fail(Loc,
                  "an explicit specialization of a member cannot be a %0: put the directive before the template, or "
                  "call a function of another name",
                  What);
    if (Specialization && F.D.Kernel)
      return fail(Loc,
                  "an explicit specialization has a body, and a kernel has none: put the directive before an overload");
    if (FD->isDeleted() || FD->isDefaulted())
      return fail(Loc, "a deleted function cannot be a %0", What);
    if (F.Template) {
      // It would replace the function that submits.
      for (const FunctionDecl *I : F.Template->specializations())
        if (I->getTemplateSpecializationKind() == TSK_ExplicitSpecialization &&
            !ByFunction.count(I->getCanonicalDecl())) {
          fail(I->getLocation(),
               "an explicit specialization of %0 '%1' would be called like any function, not as a task: put 'task' "
               "before "
               "it, with the clauses that hold there",
               What, Name);
          note(Diags, Loc, "the %0 is here", What);
          return false;
        }
      for (const NamedDecl *P : *F.Template->getTemplateParameters()) {
        if (P->isImplicit() || P->getName().empty())
          return fail(Loc,
                      "the template parameters of a %0 need names: write 'template <class T>' in place of 'auto', and "
                      "name every parameter",
                      What);
      }
    }
    for (const ParmVarDecl *P : FD->parameters()) {
      QualType T = P->getType();
      if (const auto *Pack = T->getAs<PackExpansionType>()) {
        if (P != FD->parameters().back())
          return fail(P->getLocation(), "the parameter pack of a %0 is its last parameter", What);
        if (F.D.Kernel)
          return fail(P->getLocation(), "a kernel has a fixed number of arguments: '%0' cannot be a parameter pack",
                      P->getNameAsString());
        T = Pack->getPattern();
      }
      if (T->isRValueReferenceType())
        return fail(P->getLocation(),
                    "parameter '%0' is an rvalue reference, which may be gone when the task runs: take it "
                    "by value",
                    P->getNameAsString());
    }
    if (const auto *R = dyn_cast<CXXRecordDecl>(FD->getDeclContext())) {
      if (FD->isOutOfLine())
        return fail(Loc, "'%0' is a member: put the directive before its declaration in the class", Name);
      F.InClass = true;
      F.InClassTemplate = R->isDependentContext();
    }
    const FunctionDecl *Definition = nullptr;
    if (FD->hasBody(Definition) || FD->isDefined(Definition))
      F.Definition = Definition;
    if (F.Definition && F.Definition->getLexicalDeclContext() != F.Definition->getDeclContext() &&
        isa<CXXRecordDecl>(F.Definition->getLexicalDeclContext()) && !isa<CXXMethodDecl>(F.Definition))
      return fail(F.Definition->getLocation(),
                  "the %0 '%1' is defined as a friend, inside of a class: define it at namespace scope", What, Name);
    if (F.D.Kernel && F.Definition)
      return fail(F.Definition->getLocation(),
                  "'%0' is a kernel by its directive, but has a body here: leave the body out, or the clause 'kernel'",
                  Name);
    return true;
  }
};

} // namespace

bool completeDirective(BindContext C, BoundFunction &F) { return Checks(C).completeDirective(F); }
bool checkFunction(BindContext C, BoundFunction &F) { return Checks(C).checkFunction(F); }

} // namespace hsched::cc
