// Requirements of a kernel on its device (doubles, images, atomics, barriers, ...), from its body and its callees; and
// its attributes and preceding pragmas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Internal.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtVisitor.h"

#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

class ExtensionRecorder : public PPCallbacks {
public:
  explicit ExtensionRecorder(ExtensionPragmas &Out) : Out(Out) {}

  void PragmaOpenCLExtension(SourceLocation NameLoc, const IdentifierInfo *Name, SourceLocation,
                             unsigned State) override {
    if (Name)
      Out.push_back({NameLoc, Name->getName().str(), State != 0});
  }

private:
  ExtensionPragmas &Out;
};

// Walks statements and callees; each function once.
class Facts : public ConstStmtVisitor<Facts> {
public:
  Facts(const ASTContext &Context, std::set<KernelFeature> &Features) : Context(Context), Features(Features) {}

  void function(const FunctionDecl &F) {
    Waiting.push_back(&F);
    Seen.insert(F.getCanonicalDecl());
    while (!Waiting.empty()) {
      const FunctionDecl *Next = Waiting.back();
      Waiting.pop_back();
      for (const ParmVarDecl *P : Next->parameters())
        variable(*P);
      type(Next->getReturnType());
      statement(Next->getBody());
    }
    if (Features.count(KernelFeature::Fp64))
      Features.erase(KernelFeature::Fp64Literals);
  }

  void VisitDeclStmt(const DeclStmt *S) {
    for (const Decl *D : S->decls())
      if (const auto *V = dyn_cast<VarDecl>(D))
        variable(*V);
  }

  void VisitDeclRefExpr(const DeclRefExpr *E) {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V)
      return;
    if (V->hasGlobalStorage() && !V->isStaticLocal() && V->getType().getAddressSpace() == LangAS::opencl_global)
      add(KernelFeature::ProgramVariables);
    if (V->hasGlobalStorage())
      variable(*V);
  }

  void VisitMemberExpr(const MemberExpr *E) { value(E->getType()); }
  void VisitArraySubscriptExpr(const ArraySubscriptExpr *E) { value(E->getType()); }
  void VisitUnaryDeref(const UnaryOperator *E) { value(E->getType()); }
  void VisitExplicitCastExpr(const ExplicitCastExpr *E) { value(E->getTypeAsWritten()); }
  void VisitCompoundLiteralExpr(const CompoundLiteralExpr *E) { value(E->getType()); }
  void VisitFloatingLiteral(const FloatingLiteral *E) {
    // A double from a literal without f: devices without doubles read it as a float.
    if (isElement(E->getType(), BuiltinType::Double))
      add(KernelFeature::Fp64Literals);
    else
      value(E->getType());
  }
  void VisitAsmStmt(const AsmStmt *) { add(KernelFeature::Assembly); }
  void VisitBlockExpr(const BlockExpr *E) {
    add(KernelFeature::DeviceEnqueue);
    statement(E->getBody());
  }
  void VisitAtomicExpr(const AtomicExpr *E) { atomic(E->getPtr()->getType()); }

  void VisitCallExpr(const CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (!Callee)
      return;
    const FunctionDecl *Body = nullptr;
    if (Callee->hasBody(Body)) {
      if (Seen.insert(Body->getCanonicalDecl()).second)
        Waiting.push_back(Body);
      return;
    }
    // Mathematical functions of a literal without f are double only because of the literal.
    if (!bornOfLiterals(E))
      value(E->getType());
    if (Callee->getIdentifier())
      builtin(Callee->getName(), *E);
  }

private:
  void add(KernelFeature F) { Features.insert(F); }

  // A loop, because bodies may be nested deeper than the stack allows.
  void statement(const Stmt *Root) {
    std::vector<const Stmt *> Todo = {Root};
    while (!Todo.empty()) {
      const Stmt *S = Todo.back();
      Todo.pop_back();
      if (!S)
        continue;
      Visit(S);
      // Operands of sizeof and similar are not evaluated.
      if (isa<UnaryExprOrTypeTraitExpr>(S))
        continue;
      for (const Stmt *Child : S->children())
        Todo.push_back(Child);
    }
  }

  static bool isElement(QualType T, BuiltinType::Kind K) {
    T = T.getCanonicalType();
    if (const auto *V = T->getAs<VectorType>())
      T = V->getElementType().getCanonicalType();
    const auto *B = T->getAs<BuiltinType>();
    return B && B->getKind() == K;
  }

  // Whether a double is one only because of literals without f in it.
  static bool bornOfLiterals(const Expr *E) {
    E = E->IgnoreParens();
    if (!isElement(E->getType(), BuiltinType::Double) || isa<FloatingLiteral>(E))
      return true;
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E))
      return Cast->getCastKind() != CK_LValueToRValue && bornOfLiterals(Cast->getSubExpr());
    if (const auto *Unary = dyn_cast<UnaryOperator>(E))
      return Unary->getOpcode() != UO_Deref && bornOfLiterals(Unary->getSubExpr());
    if (const auto *Binary = dyn_cast<BinaryOperator>(E))
      return bornOfLiterals(Binary->getLHS()) && bornOfLiterals(Binary->getRHS());
    if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
      return bornOfLiterals(Choice->getTrueExpr()) && bornOfLiterals(Choice->getFalseExpr());
    const auto *Call = dyn_cast<CallExpr>(E);
    return Call &&
           llvm::any_of(Call->arguments(),
                        [](const Expr *A) { return isElement(A->getType(), BuiltinType::Double); }) &&
           llvm::all_of(Call->arguments(), [](const Expr *A) { return bornOfLiterals(A); });
  }

  // A value of this type is used in a computation.
  void value(QualType T) {
    if (isElement(T, BuiltinType::Double))
      add(KernelFeature::Fp64);
    else if (isElement(T, BuiltinType::Half))
      add(KernelFeature::Fp16);
    type(T);
  }

  void variable(const VarDecl &V) {
    QualType T = V.getType();
    while (const ArrayType *A = Context.getAsArrayType(T))
      T = A->getElementType();
    value(T);
    if (T->isImageType() && T.getAsString().find("image3d") != std::string::npos) {
      const auto *Access = V.getAttr<OpenCLAccessAttr>();
      if (Access && !Access->isReadOnly())
        add(KernelFeature::ImageWrites3d);
    }
    if (V.hasInit() && V.hasGlobalStorage())
      statement(V.getInit());
  }

  // Something has this type.
  void type(QualType T) {
    T = T.getCanonicalType();
    if (T->isImageType() || T->isSamplerT())
      add(KernelFeature::Images);
    else if (T->isPipeType() || T->isReserveIDT())
      add(KernelFeature::Pipes);
    else if (T->isQueueT() || T->isClkEventT() || T->isBlockPointerType())
      add(KernelFeature::DeviceEnqueue);
    else if (T->isPointerType() && T->getPointeeType().getAddressSpace() == LangAS::opencl_generic)
      add(KernelFeature::GenericPointers);
  }

  void atomic(QualType Pointer) {
    QualType T = Pointer->getPointeeType();
    if (T.isNull())
      return;
    if (const auto *A = T->getAs<AtomicType>())
      T = A->getValueType();
    add(!T->isIncompleteType() && Context.getTypeSize(T) == 64 ? KernelFeature::Atomics64 : KernelFeature::Atomics32);
  }

  void builtin(StringRef Name, const CallExpr &E) {
    if (Name == "printf")
      return add(KernelFeature::Printf);
    if (Name == "barrier" || Name == "work_group_barrier")
      return add(KernelFeature::Barriers);
    if (Name.starts_with("sub_group_") || Name.contains("_sub_group") || Name.contains("_num_sub_groups")) {
      if (Name == "sub_group_barrier")
        add(KernelFeature::Barriers);
      return add(KernelFeature::SubGroups);
    }
    if (Name.starts_with("work_group_"))
      return add(Name.contains("_pipe") ? KernelFeature::Pipes : KernelFeature::WorkGroupFunctions);
    if (Name.starts_with("async_work_group_") || Name == "wait_group_events")
      return add(KernelFeature::AsyncCopies);
    if (Name.ends_with("_pipe") || Name.contains("_pipe_"))
      return add(KernelFeature::Pipes);
    if (Name == "enqueue_kernel" || Name == "enqueue_marker" || Name == "get_default_queue" ||
        Name.starts_with("get_kernel_"))
      return add(KernelFeature::DeviceEnqueue);
    if ((Name.starts_with("atomic_") || Name.starts_with("atom_")) && E.getNumArgs() != 0 &&
        E.getArg(0)->getType()->isPointerType())
      // The prototype's type: an argument may have been cast on its way.
      atomic(E.getArg(0)->getType());
  }

  const ASTContext &Context;
  std::set<KernelFeature> &Features;
  std::vector<const FunctionDecl *> Waiting;
  std::set<const FunctionDecl *> Seen;
};

} // namespace

std::unique_ptr<PPCallbacks> recordExtensions(ExtensionPragmas &Out) {
  return std::make_unique<ExtensionRecorder>(Out);
}

void findFacts(const FunctionDecl &Def, const ExtensionPragmas &Pragmas, KernelInfo &Kernel) {
  const ASTContext &Context = Def.getASTContext();
  Facts(Context, Kernel.Features).function(Def);

  if (const auto *Hint = Def.getAttr<WorkGroupSizeHintAttr>())
    Kernel.WorkGroupHint = {Hint->getXDim(), Hint->getYDim(), Hint->getZDim()};
  if (const auto *Hint = Def.getAttr<VecTypeHintAttr>())
    Kernel.VecTypeHint = elementName(Hint->getTypeHint(), Context);
  if (const auto *Size = Def.getAttr<OpenCLIntelReqdSubGroupSizeAttr>())
    Kernel.SubGroupSize = Size->getSubGroupSize();

  std::set<std::string> On;
  for (const ExtensionPragma &P : Pragmas) {
    if (!Context.getSourceManager().isBeforeInTranslationUnit(P.Loc, Def.getLocation()))
      continue;
    if (P.Enabled)
      On.insert(P.Name);
    else if (P.Name == "all")
      On.clear();
    else
      On.erase(P.Name);
  }
  Kernel.Extensions.assign(On.begin(), On.end());
}

} // namespace hsched::cc
