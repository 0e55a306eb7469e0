// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Bind.h"

#include "analysis/BindInternal.h"
#include "analysis/Functions.h"
#include "hsched/abi.h"

#include "clang/Lex/Lexer.h"
#include "clang/Sema/Template.h"
#include "clang/Sema/TemplateDeduction.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Binder {
public:
  Binder(Sema &S, const BindOptions &Options)
      : S(S), Context(S.Context), Diags(S.getDiagnostics()), SM(S.getSourceManager()), Options(Options),
        Places(Context) {}

  Binding run(const std::vector<Directive> &Directives) {
    for (const Directive &D : Directives) {
      Out.Failed |= D.Bad;
      if (!D.Known || (D.Bad && D.Kind == DirectiveKind::Taskwait))
        continue;
      if (D.Kind == DirectiveKind::Taskwait)
        bindWait(D);
      else
        attach(D);
    }
    Out.UnitId = hashed(Options.MainFile + "\n" + Options.Salt);
    // A function with an error is left out of later steps, so that one mistake is told once and all are told at once.
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && completeDirective(F) && checkFunction(F))
        fillIdentity(S, F, Options.MainFile, Out.UnitId);
      else
        F.Bad = Out.Failed = true;
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad)
        bindClauses(F);
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && !F.IsTask)
        bindVersion(F);
    KernelBinder Kernels(S, Options, Out);
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && F.D.Kernel && (F.IsTask || (F.Main && !F.Main->Bad)))
        Kernels.bind(F, F.IsTask ? F : *F.Main);
    return std::move(Out);
  }

private:
  Sema &S;
  ASTContext &Context;
  DiagnosticsEngine &Diags;
  const SourceManager &SM;
  const BindOptions &Options;
  Sites Places;
  Binding Out;
  std::map<const FunctionDecl *, BoundFunction *> ByFunction; // by canonical declaration

  template <unsigned N, class... Args> bool fail(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    error(Diags, Loc, Format, Values...);
    Out.Failed = true;
    return false;
  }

  // Whether only directives, comments, attributes and names of macros stand between the directive and the declaration.
  bool adjacent(const Directive &D, SourceLocation Begin) {
    auto [File, From] = SM.getDecomposedLoc(D.End);
    unsigned To = SM.getDecomposedLoc(Begin).second;
    llvm::StringRef Buffer = SM.getBufferData(File);
    Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(), Buffer.begin(), Buffer.begin() + From,
              Buffer.end());
    Token T;
    int Depth = 0;
    bool InDirective = false;
    while (!Raw.LexFromRawLexer(T) && SM.getFileOffset(T.getLocation()) < To) {
      if (T.isAtStartOfLine())
        InDirective = T.is(tok::hash);
      if (InDirective)
        continue;
      if (T.isOneOf(tok::l_paren, tok::l_square))
        ++Depth;
      else if (T.isOneOf(tok::r_paren, tok::r_square))
        --Depth;
      else if (Depth == 0 && T.isOneOf(tok::semi, tok::l_brace, tok::r_brace, tok::equal))
        return false;
    }
    return true;
  }

  void attach(const Directive &D) {
    const char *Name = spelling(D.Kind);
    if (const FunctionDecl *Around = Places.around(D.Hash)) {
      fail(D.Loc,
           "'%0' inside the body of '%1': it stands on a function; tasks on statements are not supported, so make "
           "the statement a function of its own",
           Name, Around->getNameAsString());
      return;
    }
    const Site *At = Places.after(D.End);
    if (!At || !adjacent(D, At->Begin)) {
      fail(D.Loc, "'%0' must be followed by a function", Name);
      return;
    }
    const FunctionDecl *F = At->Function;
    if (!F) {
      fail(D.Loc, "'%0' stands on a function, but what follows is none", Name);
      note(Diags, At->D->getBeginLoc(), "this follows");
      return;
    }
    BoundFunction *&B = ByFunction[F->getCanonicalDecl()];
    if (!B) {
      B = &Out.Functions.emplace_back();
      B->Annotated = F;
      B->Template = At->Template;
      B->D = D;
      B->Bad = D.Bad;
      B->IsTask = D.Kind == DirectiveKind::Task;
      B->Written.push_back(&D);
      return;
    }
    B->Bad |= D.Bad;
    if (B->Annotated == F) {
      merge(*B, D);
      B->Written.push_back(&D);
      return;
    }
    // Said again on another declaration: it must say the same.
    std::string First, Again;
    llvm::raw_string_ostream FirstStream(First), AgainStream(Again);
    print(FirstStream, *B->Written.front());
    print(AgainStream, D);
    if (First != Again) {
      fail(D.Loc, "this says something else about '%0' than an earlier declaration", F->getNameAsString());
      note(Diags, B->Written.front()->Loc, "the earlier directive is here; one declaration is enough");
    }
    B->Written.push_back(&D);
  }

  void merge(BoundFunction &B, const Directive &D) {
    Directive &M = B.D;
    if (D.Kind != DirectiveKind::Device) {
      if (M.Kind != DirectiveKind::Device) {
        fail(D.Loc, "a second '%0' on one function", spelling(D.Kind));
        note(Diags, M.Loc, "the first directive is here");
        return;
      }
      M.Kind = D.Kind;
      M.Loc = D.Loc;
    }
    if (!D.Implements.empty()) {
      M.Implements = D.Implements;
      M.ImplementsLoc = D.ImplementsLoc;
    }
    M.Data.insert(M.Data.end(), D.Data.begin(), D.Data.end());
    M.Devices.insert(M.Devices.end(), D.Devices.begin(), D.Devices.end());
    auto once = [&](auto &To, const auto &From, const char *Clause) {
      if (!From)
        return;
      if (To)
        fail(D.Loc, "clause '%0' is given twice on one function", Clause);
      To = From;
    };
    once(M.Priority, D.Priority, "priority");
    once(M.Label, D.Label, "label");
    once(M.Kernel, D.Kernel, "kernel");
    once(M.Range, D.Range, "ndrange");
    once(M.Args, D.Args, "args");
    once(M.Options, D.Options, "options");
    if (D.Args)
      M.ArgsLoc = D.ArgsLoc;
  }

  // What can be said about the directives of one function without looking at it.
  bool completeDirective(BoundFunction &F) {
    Directive &D = F.D;
    if (D.Kind == DirectiveKind::Device && !D.Implements.empty())
      D.Kind = DirectiveKind::Implements;
    if (D.Kind == DirectiveKind::Device)
      return fail(D.Loc, "'device' says where a version runs: add 'task' or 'implements(f)' to this function");
    F.IsTask = D.Kind == DirectiveKind::Task;
    if (!F.IsTask && D.Implements.empty())
      return fail(D.Loc, "'implements' needs the name of the main version: implements(f)");
    if (D.Kernel && !D.Range)
      return fail(D.Kernel->Loc, "a version that is a kernel needs its geometry: add ndrange(global...; local...)");
    if (!D.Kernel && D.Range)
      return fail(D.Range->Loc, "clause 'ndrange' belongs to a kernel: add kernel(\"file.cl\")");
    if (!D.Kernel && D.Args)
      return fail(D.ArgsLoc, "clause 'args' belongs to a kernel: add kernel(\"file.cl\")");
    if (!D.Kernel && D.Options)
      return fail(D.Options->Loc, "clause 'options' belongs to a kernel: add kernel(\"file.cl\")");
    if (!F.IsTask)
      for (auto [Given, What] : {std::pair(&D.Priority, "priority"), std::pair(&D.Label, "label")})
        if (*Given)
          return fail((*Given)->Begin, "clause '%0' belongs to the main version: tasks have it, versions do not", What);
    if (D.Devices.empty())
      D.Devices.push_back(D.Kernel ? DeviceChoice{HSCHED_DEVICE_OPENCL, HSCHED_TYPE_ANY, "opencl", D.Loc}
                                   : DeviceChoice{HSCHED_DEVICE_CPU, HSCHED_TYPE_ANY, "cpu", D.Loc});
    for (const DeviceChoice &C : D.Devices)
      if (D.Kernel && C.Kind != HSCHED_DEVICE_OPENCL)
        return fail(C.Loc, "an OpenCL kernel cannot run on device '%0': use 'opencl'", C.Text);
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
      return fail(Loc, "a friend cannot be a %0: put the directive on a declaration at namespace scope", What);
    if (!isa<DeclContext>(FD) ||
        isa<CXXConstructorDecl, CXXDestructorDecl, CXXConversionDecl, CXXDeductionGuideDecl>(FD) ||
        FD->isOverloadedOperator())
      return fail(Loc, "'%0' cannot be a %1: only functions with a plain name can", Name, What);
    if (const auto *M = dyn_cast<CXXMethodDecl>(FD); M && !M->isStatic())
      return fail(Loc,
                  "a non-static member function cannot be a %0: make '%1' static, or a free function that takes the "
                  "object's data",
                  What, Name);
    if (!FD->getReturnType()->isVoidType())
      return fail(Loc,
                  "a %0 returns void, for no one waits for its result; '%1' returns '%2': hand the result out through "
                  "a pointer or reference",
                  What, Name, FD->getReturnType().getAsString(Context.getPrintingPolicy()));
    if (FD->isConstexpr())
      return fail(Loc, "a constexpr function cannot be a %0", What);
    if (FD->isVariadic())
      return fail(Loc, "a function with '...' cannot be a %0: its arguments cannot be kept", What);
    if (FD->isMain())
      return fail(Loc, "main cannot be a %0", What);
    if (FD->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      return fail(Loc, "an explicit specialization cannot be a %0: put the directive on the template", What);
    if (FD->isDeleted() || FD->isDefaulted())
      return fail(Loc, "a deleted function cannot be a %0", What);
    if (F.Template) {
      for (const NamedDecl *P : *F.Template->getTemplateParameters()) {
        if (P->isTemplateParameterPack())
          return fail(P->getLocation(), "a variadic template cannot be a %0", What);
        if (P->isImplicit() || P->getName().empty())
          return fail(Loc,
                      "the template parameters of a %0 need names: write 'template <class T>' in place of 'auto', and "
                      "name every parameter",
                      What);
      }
    }
    for (const ParmVarDecl *P : FD->parameters()) {
      if (P->isParameterPack())
        return fail(P->getLocation(), "a parameter pack cannot be handed to a %0", What);
      QualType T = P->getType();
      if (T->isRValueReferenceType())
        return fail(P->getLocation(),
                    "parameter '%0' is an rvalue reference, which may be gone when the task runs: take it "
                    "by value",
                    P->getNameAsString());
    }
    if (const auto *R = dyn_cast<CXXRecordDecl>(FD->getDeclContext())) {
      F.InClass = true;
      F.InClassTemplate = R->isDependentContext();
    }
    const FunctionDecl *Definition = nullptr;
    if (FD->hasBody(Definition) || FD->isDefined(Definition))
      F.Definition = Definition;
    if (F.D.Kernel && F.Definition)
      return fail(F.Definition->getLocation(),
                  "'%0' is a kernel by its directive, but has a body here: leave the body out, or the clause 'kernel'",
                  Name);
    return true;
  }

  // Names in E must mean something here.
  bool checkNames(const BoundFunction &F, const Expr &E, const char *Clause) {
    bool Good = true;
    const FunctionDecl *FD = F.Annotated;
    for (const NameUse &N : E.Names) {
      bool Known = false;
      std::string Params;
      for (const ParmVarDecl *P : FD->parameters()) {
        Known |= P->getName() == N.Name;
        if (!P->getName().empty())
          Params += (Params.empty() ? "'" : ", '") + P->getNameAsString() + "'";
      }
      if (F.Template)
        for (const NamedDecl *P : *F.Template->getTemplateParameters())
          Known |= P->getName() == N.Name;
      if (Known || visibleFrom(S, FD->getDeclContext(), N.Name, N.Loc))
        continue;
      Good = false;
      fail(N.Loc,
           "unknown name '%0' in clause '%1': it is no parameter of '%2' and nothing of that name is in scope here",
           N.Name, Clause, FD->getNameAsString());
      if (!Params.empty())
        note(Diags, FD->getLocation(), "the parameters of '%0' are %1", FD->getNameAsString(), Params);
    }
    return Good;
  }
  bool checkNames(const BoundFunction &F, const std::vector<Expr> &List, const char *Clause) {
    bool Good = true;
    for (const Expr &E : List)
      Good &= checkNames(F, E, Clause);
    return Good;
  }

  void bindClauses(BoundFunction &F) {
    const Directive &D = F.D;
    FunctionCode &C = F.code();
    C.Devices = D.Devices;
    std::vector<AccessCode> Accesses;
    for (const DataClause &Data : D.Data)
      for (const Section &Sec : Data.Sections)
        bindSection(F, Data, Sec, Accesses);
    if (D.Range) {
      checkNames(F, D.Range->Global, "ndrange");
      checkNames(F, D.Range->Local, "ndrange");
    }
    if (D.Args)
      for (const KernelArgument &A : *D.Args)
        checkNames(F, A.Value, "args");
    if (F.IsTask) {
      if (D.Priority && checkNames(F, *D.Priority, "priority"))
        F.Task.Priority = D.Priority->Text;
      if (D.Label && checkNames(F, *D.Label, "label"))
        F.Task.Label = D.Label->Text;
      F.Task.HintLine = SM.getPresumedLineNumber(D.Loc);
      F.Task.Accesses = std::move(Accesses);
      F.Task.BodyName = "hsched_body_" + F.Annotated->getNameAsString();
      F.Task.Defined = F.Definition || D.Kernel;
      F.Task.UsedHere = F.Annotated->getCanonicalDecl()->isUsed(false) || F.Annotated->isReferenced();
      if (D.Kernel)
        F.Task.Weak = true;
    } else {
      F.Version.Defined = F.Definition || D.Kernel || F.InClass;
      F.Version.Call = F.Annotated->getNameAsString() + C.TemplateArgs;
    }
    F.Roles = rolesOf(Accesses.empty() && F.IsTask ? F.Task.Accesses : Accesses);
  }

  static std::map<std::pair<int, std::string>, AccessRole> rolesOf(const std::vector<AccessCode> &List) {
    std::map<std::pair<int, std::string>, AccessRole> Roles;
    for (const AccessCode &A : List) {
      auto [It, New] = Roles.try_emplace({A.Param, A.Param < 0 ? A.What.Text : ""}, A.Role);
      if (!New && It->second != A.Role)
        It->second = AccessRole::InOut;
    }
    return Roles;
  }

  void bindSection(BoundFunction &F, const DataClause &Data, const Section &Sec, std::vector<AccessCode> &Out) {
    const FunctionDecl *FD = F.Annotated;
    const char *Clause = spelling(Data.Role);
    bool Good = checkNames(F, Sec.Base, Clause);
    Good &= checkNames(F, Sec.Shape, Clause);
    Good &= checkNames(F, Sec.Low, Clause);
    Good &= checkNames(F, Sec.Length, Clause);
    if (!Good) {
      F.Bad = true;
      return;
    }
    AccessCode A{Data.Role, -1, Sec, SM.getPresumedLineNumber(Sec.Loc), ""};
    if (PresumedLoc Place = SM.getPresumedLoc(Sec.Loc); Place.isValid())
      A.File = Place.getFilename();
    std::string Number = "n";
    const ParmVarDecl *Param = nullptr;
    for (unsigned I = FD->getNumParams(); I-- > 0;) {
      const ParmVarDecl *P = FD->getParamDecl(I);
      if (P->getType().getNonReferenceType()->isIntegerType() && !P->getName().empty())
        Number = P->getNameAsString();
      // A cast pointer is still that parameter; what is reached through one is not.
      bool Through = Sec.Base.Text.find("->") != std::string::npos || Sec.Base.Text.find('.') != std::string::npos ||
                     Sec.Base.Text.find('[') != std::string::npos;
      if (!Through && Sec.Base.Names.size() == 1 && Sec.Base.Names[0].Name == P->getName()) {
        Param = P;
        A.Param = static_cast<int>(I);
      }
    }
    if (Param && !Sec.BaseName.empty()) {
      std::string Problem = sectionProblem(Context, Sec, Param->getType(), Number);
      if (!Problem.empty()) {
        fail(Sec.Loc, "%0", Problem);
        note(Diags, Param->getLocation(), "parameter '%0' is declared here", Param->getNameAsString());
        F.Bad = true;
        return;
      }
      HostArg H = hostArg(Context, Param->getType());
      if (Data.Role != AccessRole::In && H.PointeeConst) {
        warnAbout(Sec.Loc,
                  "'%0' cannot be '%1': what it refers to is const, so that only 'in' is possible [-Whsched-const]",
                  Sec.BaseName, Clause);
        note(Diags, Param->getLocation(), "parameter '%0' is declared here", Param->getNameAsString());
      }
    }
    Out.push_back(std::move(A));
  }

  template <unsigned N, class... Args>
  void warnAbout(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    report(Diags, Options.WarningsAreErrors ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning, Loc, Format,
           Values...);
    Out.Failed |= Options.WarningsAreErrors;
  }

  void bindVersion(BoundFunction &F) {
    const FunctionDecl *FD = F.Annotated;
    const Directive &D = F.D;
    auto Found = findFunctions(S, FD->getDeclContext(), D.Implements, D.ImplementsLoc);
    if (Found.empty()) {
      fail(D.ImplementsLoc,
           "no function '%0' is visible here: declare the main version, with its 'task' directive, before "
           "its versions",
           D.Implements);
      return;
    }
    BoundFunction *Best = nullptr, *Main = nullptr;
    const FunctionDecl *Near = nullptr;
    for (const NamedDecl *N : Found) {
      const auto *T = dyn_cast<FunctionTemplateDecl>(N);
      const FunctionDecl *Candidate = T ? T->getTemplatedDecl() : dyn_cast<FunctionDecl>(N);
      if (!Candidate)
        continue;
      Near = Near ? Near : Candidate;
      auto It = ByFunction.find(Candidate->getCanonicalDecl());
      if (It == ByFunction.end() || !It->second->IsTask) {
        if (It != ByFunction.end())
          Near = Candidate;
        continue;
      }
      Best = Best ? Best : It->second;
      if (!It->second->Bad && sameParams(F, *It->second)) {
        Main = It->second;
        break;
      }
    }
    if (!Best) {
      auto It = Near ? ByFunction.find(Near->getCanonicalDecl()) : ByFunction.end();
      if (It != ByFunction.end())
        fail(D.ImplementsLoc, "'%0' is itself a version of '%1', not a main version: write implements(%1)",
             D.Implements, It->second->D.Implements);
      else
        fail(D.ImplementsLoc, "'%0' is no main version: put '#pragma hsched task' on it", D.Implements);
      if (Near)
        note(Diags, Near->getLocation(), "'%0' is declared here", D.Implements);
      return;
    }
    if (!Main) {
      if (!Best->Bad)
        differentParams(F, *Best);
      return;
    }
    F.Main = Main;
    F.Version.TaskName = Main->Task.Name;
    F.Version.TaskLinkerName = Main->Task.LinkerName;
    bindInstances(F, *Main);
    if (!D.Data.empty() && F.Roles != Main->Roles) {
      warnAbout(D.Data.front().Loc,
                "this version says something else about its data than the main version '%0', whose "
                "clauses hold [-Whsched-versions]",
                Main->Task.Name);
      note(Diags, Main->D.Loc, "the main version's clauses are here");
    }
  }

  // Parameter types are the same, template parameters taken by position.
  bool sameParams(const BoundFunction &V, const BoundFunction &M) {
    const FunctionDecl *A = V.Annotated, *B = M.Annotated;
    if (V.Template || !M.Template) {
      if (A->getNumParams() != B->getNumParams() || !V.Template != !M.Template ||
          (V.Template && V.Template->getTemplateParameters()->size() != M.Template->getTemplateParameters()->size()))
        return false;
      for (unsigned I = 0; I < A->getNumParams(); ++I)
        if (!Context.hasSameType(A->getParamDecl(I)->getType(), B->getParamDecl(I)->getType()))
          return false;
      return true;
    }
    return instanceFor(V, M) != nullptr;
  }

  // The instance of the task template M that a plain version V serves.
  const FunctionDecl *instanceFor(const BoundFunction &V, const BoundFunction &M) {
    FunctionDecl *Instance = nullptr;
    sema::TemplateDeductionInfo Info(V.D.ImplementsLoc);
    auto Result = S.DeduceTemplateArguments(const_cast<FunctionTemplateDecl *>(M.Template), nullptr,
                                            V.Annotated->getType(), Instance, Info, /*IsAddressOfFunction=*/true);
    return Result == TemplateDeductionResult::Success ? Instance : nullptr;
  }

  void bindInstances(BoundFunction &F, const BoundFunction &M) {
    VersionCode &V = F.Version;
    std::string MainStruct = "hsched_task_" + M.Task.Id, OwnStruct = "hsched_version_" + V.Id;
    if (F.Template) {
      // A template's versions are made for the instances of its task: nobody calls the version itself.
      V.Instances.clear();
      for (const std::string &I : M.Task.Instances) {
        V.Instances.push_back(V.Scope + OwnStruct + I.substr(I.find(MainStruct) + MainStruct.size()));
        V.TaskKeys.push_back(I + "::key()");
      }
    } else if (M.Template) {
      const FunctionDecl *I = instanceFor(F, M);
      V.TaskKeys.push_back(M.Task.Scope + MainStruct +
                           spelledArgs(Context, I->getTemplateSpecializationArgs()->asArray()) + "::key()");
    } else if (M.InClassTemplate) {
      for (const std::string &I : M.Task.Instances)
        V.TaskKeys.push_back(I + "::key()");
      V.TaskKeys.resize(V.Instances.size(), M.Task.Instances.empty() ? "" : M.Task.Instances.front() + "::key()");
    } else {
      V.TaskKeys.assign(V.Instances.size(), quotedName(M.Task.LinkerName));
    }
  }

  static std::string quotedName(const std::string &S) { return "\"" + S + "\""; }

  void differentParams(const BoundFunction &F, const BoundFunction &Main) {
    const FunctionDecl *V = F.Annotated, *M = Main.Annotated;
    PrintingPolicy Policy = Context.getPrintingPolicy();
    Out.Failed = true;
    if (V->getNumParams() != M->getNumParams()) {
      fail(V->getLocation(), "'%0' has %1 parameters, but the task '%2' that it implements has %3",
           V->getNameAsString(), std::to_string(V->getNumParams()), Main.Task.Name, std::to_string(M->getNumParams()));
      note(Diags, M->getLocation(), "the main version is here");
      return;
    }
    for (unsigned I = 0; I < V->getNumParams(); ++I) {
      const ParmVarDecl *P = V->getParamDecl(I), *Q = M->getParamDecl(I);
      if (Context.hasSameType(P->getType(), Q->getType()))
        continue;
      fail(P->getLocation(), "parameter %0 of version '%1' is '%2', but '%3' in the task '%4' that it implements",
           std::to_string(I + 1), V->getNameAsString(), P->getType().getAsString(Policy),
           Q->getType().getAsString(Policy), Main.Task.Name);
      note(Diags, Q->getLocation(), "the main version's parameter is here");
      return;
    }
    fail(V->getLocation(), "version '%0' and the task '%1' are not templates of the same shape", V->getNameAsString(),
         Main.Task.Name);
    note(Diags, M->getLocation(), "the main version is here");
  }

  void bindWait(const Directive &D) {
    const FunctionDecl *F = Places.around(D.Hash);
    StatementPlace Place;
    if (F)
      Place = placeOf(Context, F, D.Hash);
    if (!Place.Valid) {
      fail(D.Loc,
           "'taskwait' stands where a statement can: directly inside a block; after 'if', 'for' and the like put "
           "braces around it");
      return;
    }
    BoundWait W;
    W.D = &D;
    if (PresumedLoc Where = SM.getPresumedLoc(D.Loc); Where.isValid()) {
      W.Code.File = Where.getFilename();
      W.Code.Line = Where.getLine();
    }
    W.Code.NoFlush = D.NoFlush;
    W.Code.HasOn = D.On.has_value();
    if (D.On) {
      for (const Section &Sec : *D.On) {
        std::vector<NameUse> Names = Sec.Base.Names;
        for (const Expr *E : {&Sec.Low, &Sec.Length})
          Names.insert(Names.end(), E->Names.begin(), E->Names.end());
        for (const Expr &E : Sec.Shape)
          Names.insert(Names.end(), E.Names.begin(), E.Names.end());
        const VarDecl *Base = nullptr;
        for (const NameUse &N : Names) {
          bool Known = false;
          for (const VarDecl *V : Place.Locals)
            if (V->getName() == N.Name) {
              Known = true;
              if (N.Name == Sec.BaseName)
                Base = V;
            }
          if (const FunctionTemplateDecl *T = F->getDescribedFunctionTemplate())
            for (const NamedDecl *P : *T->getTemplateParameters())
              Known |= P->getName() == N.Name;
          if (!Known && !visibleFrom(S, F->getDeclContext(), N.Name, N.Loc))
            fail(N.Loc, "unknown name '%0' in clause 'on'", N.Name);
        }
        if (Base) {
          // A local object is named as itself: a reference to it would be.
          QualType T = Base->getType();
          if (!T->isReferenceType())
            T = Context.getLValueReferenceType(T);
          if (std::string Problem = sectionProblem(Context, Sec, T, "n"); !Problem.empty())
            fail(Sec.Loc, "%0", Problem);
        }
      }
      W.Code.On = *D.On;
    }
    Out.Waits.push_back(std::move(W));
  }
};

} // namespace

Binding bind(Sema &S, const std::vector<Directive> &Directives, const BindOptions &Options) {
  return Binder(S, Options).run(Directives);
}

} // namespace hsched::cc
