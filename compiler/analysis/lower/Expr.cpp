// Expressions: their values, and the accesses of their evaluation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

using namespace clang;
namespace hsched::cc {

namespace {

// Counts the nesting depth, because a program may nest deeper than the stack allows.
struct Deeper {
  unsigned &Depth;
  explicit Deeper(unsigned &Depth) : Depth(Depth) { ++Depth; }
  ~Deeper() { --Depth; }
};

} // namespace

const Expr *initialiserOf(const Expr *E) {
  const auto *R = dyn_cast<RecoveryExpr>(E);
  const Expr *Only = R && R->subExpressions().size() == 1 ? R->subExpressions()[0] : nullptr;
  return Only && Only->getSourceRange() == R->getSourceRange() ? Only : nullptr;
}

Value Lowerer::evaluate(const Expr *E) {
  if (!E)
    return {};
  if (const Expr *Of = initialiserOf(E))
    E = Of;
  return E->isGLValue() ? lvalue(E) : rvalue(E);
}

Value Lowerer::lvalue(const Expr *E) {
  Deeper D(Depth);
  if (!spend())
    return {}; // The partial tree is discarded.
  return E->isGLValue() ? lvalueOf(E) : temporary(E, E->getType(), E);
}

Value Lowerer::rvalue(const Expr *E) {
  Deeper D(Depth);
  if (!spend())
    return {}; // The partial tree is discarded.
  return E->isGLValue() ? load(lvalueOf(E), E->getType(), E) : rvalueOf(E);
}

std::optional<std::int64_t> Lowerer::constantOf(const Expr *E) const {
  if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  Expr::EvalResult R;
  if (!E->EvaluateAsInt(R, Context, Expr::SE_NoSideEffects))
    return std::nullopt;
  const llvm::APSInt V = R.Val.getInt();
  if (V.isUnsigned() ? V.getActiveBits() > 63 : V.getSignificantBits() > 64)
    return std::nullopt;
  return V.isUnsigned() ? std::int64_t(V.getZExtValue()) : V.getSExtValue();
}

// --- L-values --------------------------------------------------------------------------------------------------------

Value Lowerer::lvalueOf(const Expr *E) {
  switch (E->getStmtClass()) {
  case Stmt::ParenExprClass:
    return lvalue(cast<ParenExpr>(E)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
  case Stmt::ConstantExprClass: {
    const std::size_t Mine = FullExpression.size();
    const Value V = lvalue(cast<FullExpr>(E)->getSubExpr());
    destroyTemporaries(Mine);
    return V;
  }
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return lvalue(cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement());
  case Stmt::CXXBindTemporaryExprClass:
    return lvalue(cast<CXXBindTemporaryExpr>(E)->getSubExpr());
  case Stmt::CXXDefaultArgExprClass:
    return lvalue(cast<CXXDefaultArgExpr>(E)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return lvalue(cast<CXXDefaultInitExpr>(E)->getExpr());
  case Stmt::GenericSelectionExprClass:
    if (!cast<GenericSelectionExpr>(E)->isResultDependent())
      return lvalue(cast<GenericSelectionExpr>(E)->getResultExpr());
    return unknown(E);
  case Stmt::ChooseExprClass:
    if (!cast<ChooseExpr>(E)->isConditionDependent())
      return lvalue(cast<ChooseExpr>(E)->getChosenSubExpr());
    return unknown(E);
  case Stmt::DeclRefExprClass:
    return variable(cast<DeclRefExpr>(E)->getDecl(), cast<DeclRefExpr>(E));
  case Stmt::ArraySubscriptExprClass:
    return subscript(cast<ArraySubscriptExpr>(E));
  case Stmt::MemberExprClass:
    return memberOf(cast<MemberExpr>(E));
  case Stmt::ExtVectorElementExprClass: {
    const auto *V = cast<ExtVectorElementExpr>(E);
    const Value Base = V->isArrow() ? rvalue(V->getBase()) : lvalue(V->getBase());
    llvm::SmallVector<std::uint32_t, 4> Components;
    V->getEncodedElementAccess(Components);
    QualType Vector = V->getBase()->getType();
    if (V->isArrow())
      Vector = Vector->getPointeeType();
    const auto *VT = Vector->getAs<VectorType>();
    const std::uint64_t Size = VT ? bytesOf(VT->getElementType()) : 0;
    std::uint32_t First = Components.empty() ? 0 : Components[0];
    for (std::uint32_t C : Components)
      First = std::min(First, C);
    return moved(Base, std::int64_t(First * Size), [] { return std::string("a vector's component"); });
  }
  case Stmt::UnaryOperatorClass:
    return unary(cast<UnaryOperator>(E));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return binary(cast<BinaryOperator>(E));
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return choice(cast<AbstractConditionalOperator>(E), true);
  case Stmt::MaterializeTemporaryExprClass:
    return temporary(E, E->getType(), cast<MaterializeTemporaryExpr>(E)->getSubExpr());
  case Stmt::CompoundLiteralExprClass:
    return temporary(E, E->getType(), cast<CompoundLiteralExpr>(E)->getInitializer());
  case Stmt::StringLiteralClass:
  case Stmt::PredefinedExprClass:
  case Stmt::ObjCEncodeExprClass:
  case Stmt::SourceLocExprClass:
  case Stmt::CXXTypeidExprClass:
    return temporary(E, E->getType(), nullptr);
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
    return call(cast<CallExpr>(E));
  case Stmt::OpaqueValueExprClass:
    return opaqueValue(cast<OpaqueValueExpr>(E));
  case Stmt::StmtExprClass:
    return rvalueOf(E);
  case Stmt::InitListExprClass:
    if (const auto *L = cast<InitListExpr>(E); L->getNumInits() == 1)
      return lvalue(L->getInit(0));
    return unknown(E);
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return lvalue(cast<CXXRewrittenBinaryOperator>(E)->getSemanticForm());
  case Stmt::PseudoObjectExprClass:
    return unknown(E);
  default:
    if (const auto *C = dyn_cast<CastExpr>(E))
      return castValue(C);
    return unknown(E);
  }
}

Value Lowerer::opaqueValue(const OpaqueValueExpr *E) {
  if (auto It = OpaqueValues.find(E); It != OpaqueValues.end())
    return It->second;
  return E->getSourceExpr() ? evaluate(E->getSourceExpr()) : Value();
}

// An expression that is not understood: its operands are evaluated, and it may point to any of their targets.
Value Lowerer::unknown(const Stmt *S) {
  Value R;
  bool Any = false;
  for (const Stmt *Child : S->children()) {
    if (!Child)
      continue;
    if (const auto *E = dyn_cast<Expr>(Child)) {
      Value V = evaluate(E);
      R = Any ? join(R, V) : V.flat();
      Any = true;
    } else {
      lowerStmt(Child);
    }
  }
  R = R.flat();
  if (const auto *E = dyn_cast<Expr>(S))
    if (E->isGLValue() || E->isTypeDependent() || holdsPointers(E->getType())) {
      escape(R, E->getExprLoc(), "'" + text(E) + "' is not understood");
      R.Unbounded = "'" + text(E) + "' is not understood";
    }
  return R;
}

Value Lowerer::temporary(const Stmt *Key, QualType T, const Expr *Init) {
  auto [It, New] = Fr->Temporaries.try_emplace(Key, 0);
  if (New)
    It->second = NextObject++;
  const Value At = Value::pointer(Place::object(It->second));
  St.Objects.set(It->second, {});
  ObjectTypes.try_emplace(It->second, T);
  if (!isa<CXXNewExpr>(Key))
    FullExpression.push_back({At, T, Key->getBeginLoc()});
  if (Init)
    initialize(At, T, Init);
  return At;
}

Value Lowerer::variable(const ValueDecl *D, const DeclRefExpr *E) {
  if (const auto *B = dyn_cast<BindingDecl>(D)) {
    if (!Fr->Captures.count(D) && !Fr->Objects.count(D))
      return B->getHoldingVar() ? variable(B->getHoldingVar(), nullptr)
             : B->getBinding()  ? lvalue(B->getBinding())
                                : Value::unbounded("a structured binding");
  }
  if (const auto *F = dyn_cast<FunctionDecl>(D)) {
    Value V;
    V.Function = F;
    return V;
  }
  if (auto It = Fr->Captures.find(D); It != Fr->Captures.end() && (!E || E->refersToEnclosingVariableOrCapture())) {
    const FieldDecl *F = It->second;
    const Value At = fieldOf(Fr->This, F);
    return F->getType()->isReferenceType() ? load(At, F->getType(), E) : At;
  }
  const bool Reference = D->getType()->isReferenceType();
  if (auto It = Fr->Objects.find(D); It != Fr->Objects.end()) {
    if (!Reference)
      return Value::pointer(Place::object(It->second));
    const Value *Stored = St.Objects.find(It->second);
    return Stored ? *Stored : Value();
  }
  if (const auto *V = dyn_cast<VarDecl>(D)) {
    const Value At = global(V, E ? E->getLocation() : V->getLocation());
    return Reference ? load(At, D->getType(), E) : At;
  }
  if (const auto *P = dyn_cast<TemplateParamObjectDecl>(D))
    return temporary(E, P->getType(), nullptr);
  return Value::unbounded("'" + D->getNameAsString() + "' is not understood");
}

// Number of elements of a subscripted array member, if no subscript leaves the object. Not for the last member of an
// object behind a pointer, which may be a flexible array.
static std::optional<std::int64_t> countOfMember(const ASTContext &Context, const ArraySubscriptExpr *E) {
  const Expr *Array = E->getBase()->IgnoreParenImpCasts();
  const ConstantArrayType *Type = Context.getAsConstantArrayType(Array->getType());
  if (!Type || Type->getSize().ugt(1u << 30))
    return std::nullopt;
  while (const auto *Row = dyn_cast<ArraySubscriptExpr>(Array)) // An array of several dimensions.
    Array = Row->getBase()->IgnoreParenImpCasts();
  for (const auto *M = dyn_cast<MemberExpr>(Array); M; M = dyn_cast<MemberExpr>(Array)) {
    const auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (!Field || Field->getParent()->isUnion())
      return std::nullopt;
    Array = M->getBase()->IgnoreParenImpCasts();
    const bool Last =
        Field->getFieldIndex() + 1 == std::distance(Field->getParent()->field_begin(), Field->getParent()->field_end());
    if (!Last || (!M->isArrow() && isa<ArraySubscriptExpr>(Array)))
      return Type->getSize().getSExtValue();
    if (M->isArrow())
      return std::nullopt;
  }
  return std::nullopt;
}

Value Lowerer::subscript(const ArraySubscriptExpr *E) {
  Value Index = rvalue(E->getIdx());
  const Expr *Base = E->getBase();
  // An element of a vector, possibly of an rvalue.
  const Value B = Base->getType()->isPointerType() ? rvalue(Base) : lvalue(Base);
  // Within a root's element, the index inside the member is irrelevant.
  const auto Inside = [&](const Place &P) {
    const Root &R = Tree.Roots[P.Id];
    return !(R.Object && R.Count && *R.Count == Poly(1)) && bytesOf(E->getType()) % Facts[P.Id].Bytes != 0;
  };
  if (!Index.Int || !Index.Int->constant())
    if (std::any_of(B.To.begin(), B.To.end(), [&](const Place &P) { return P.Memory && Inside(P); }))
      if (const std::optional<std::int64_t> Count = countOfMember(Context, E))
        Index = Value::integer(ranged("[]", 0, *Count));
  Value R = index(B, E->getType(), Index, E->getIdx());
  for (Place &P : R.To)
    P.Element |= !P.Memory;
  return R;
}

Value Lowerer::memberOf(const MemberExpr *E) {
  const ValueDecl *D = E->getMemberDecl();
  if (const auto *V = dyn_cast<VarDecl>(D)) { // A static member.
    evaluate(E->getBase());
    return variable(V, nullptr);
  }
  const auto *F = dyn_cast<FieldDecl>(D);
  if (!F) {
    Value B = evaluate(E->getBase());
    B.Function = dyn_cast<FunctionDecl>(D);
    return B;
  }
  Value Base;
  if (E->isArrow())
    Base = rvalue(E->getBase());
  else
    Base = E->getBase()->isGLValue() ? lvalue(E->getBase())
                                     : temporary(E->getBase(), E->getBase()->getType(), E->getBase());
  Value At = fieldOf(Base, F);
  return F->getType()->isReferenceType() ? load(At, F->getType(), E) : At;
}

// --- R-values --------------------------------------------------------------------------------------------------------

Value Lowerer::rvalueOf(const Expr *E) {
  const QualType T = E->getType();
  switch (E->getStmtClass()) {
  case Stmt::ParenExprClass:
    return rvalue(cast<ParenExpr>(E)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
  case Stmt::ConstantExprClass: {
    const std::size_t Mine = FullExpression.size();
    const Value V = rvalue(cast<FullExpr>(E)->getSubExpr());
    destroyTemporaries(Mine);
    return V;
  }
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return rvalue(cast<SubstNonTypeTemplateParmExpr>(E)->getReplacement());
  case Stmt::CXXBindTemporaryExprClass: {
    const Value At = temporary(E, T, cast<CXXBindTemporaryExpr>(E)->getSubExpr());
    return loadValue(At.To[0], T);
  }
  case Stmt::CXXDefaultArgExprClass:
    return evaluate(cast<CXXDefaultArgExpr>(E)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return evaluate(cast<CXXDefaultInitExpr>(E)->getExpr());
  case Stmt::GenericSelectionExprClass:
    if (!cast<GenericSelectionExpr>(E)->isResultDependent())
      return rvalue(cast<GenericSelectionExpr>(E)->getResultExpr());
    return unknown(E);
  case Stmt::ChooseExprClass:
    if (!cast<ChooseExpr>(E)->isConditionDependent())
      return rvalue(cast<ChooseExpr>(E)->getChosenSubExpr());
    return unknown(E);
  case Stmt::IntegerLiteralClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::CXXBoolLiteralExprClass:
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::OffsetOfExprClass:
  case Stmt::SizeOfPackExprClass:
  case Stmt::CXXNoexceptExprClass:
  case Stmt::RequiresExprClass:
  case Stmt::ConceptSpecializationExprClass:
  case Stmt::ArrayTypeTraitExprClass:
  case Stmt::ExpressionTraitExprClass: {
    const std::optional<std::int64_t> C = constantOf(E);
    return C ? Value::integer(*C) : Value();
  }
  case Stmt::FloatingLiteralClass:
  case Stmt::FixedPointLiteralClass:
  case Stmt::ImaginaryLiteralClass:
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::NoInitExprClass:
  case Stmt::AddrLabelExprClass:
  case Stmt::CXXPseudoDestructorExprClass:
    return T->isIntegralOrEnumerationType() && !isa<NoInitExpr>(E) ? Value::integer(0) : Value();
  case Stmt::DeclRefExprClass: {
    if (const auto *C = dyn_cast<EnumConstantDecl>(cast<DeclRefExpr>(E)->getDecl())) {
      const std::optional<std::int64_t> Known = C->getInitVal().tryExtValue();
      return Known ? Value::integer(*Known) : Value();
    }
    return variable(cast<DeclRefExpr>(E)->getDecl(), cast<DeclRefExpr>(E));
  }
  case Stmt::CXXThisExprClass: {
    if (Fr->CapturedThis)
      return load(fieldOf(Fr->This, Fr->CapturedThis), Fr->CapturedThis->getType(), E);
    if (!Fr->F && ThisRoot < 0) { // A separate statement.
      const QualType Object = T->getPointeeType();
      if (const CXXRecordDecl *Class = Object.isNull() ? nullptr : Object->getAsCXXRecordDecl())
        objectOfCall(*Class, Object.isConstQualified(), E->getExprLoc());
    }
    return Fr->This;
  }
  case Stmt::UnaryOperatorClass:
    return unary(cast<UnaryOperator>(E));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return binary(cast<BinaryOperator>(E));
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return choice(cast<AbstractConditionalOperator>(E), false);
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
  case Stmt::CUDAKernelCallExprClass:
    return call(cast<CallExpr>(E));
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return construct(cast<CXXConstructExpr>(E), nullptr);
  case Stmt::LambdaExprClass:
    return lambda(cast<LambdaExpr>(E));
  case Stmt::BlockExprClass:
    return block(cast<BlockExpr>(E));
  case Stmt::InitListExprClass:
  case Stmt::CXXParenListInitExprClass:
  case Stmt::CXXStdInitializerListExprClass:
    if (isa<InitListExpr>(E) && !T->isRecordType() && !T->isArrayType() && !T->isVectorType()) {
      const auto *L = cast<InitListExpr>(E);
      return L->getNumInits() == 1 ? evaluate(L->getInit(0)) : Value::integer(0);
    } else {
      const Value At = temporary(E, T, nullptr);
      if (const auto *L = dyn_cast<InitListExpr>(E))
        initializeList(At, T, L);
      else
        return unknownList(E);
      return loadValue(At.To[0], T);
    }
  case Stmt::MaterializeTemporaryExprClass:
    return rvalue(cast<MaterializeTemporaryExpr>(E)->getSubExpr());
  case Stmt::CompoundLiteralExprClass:
    return rvalue(cast<CompoundLiteralExpr>(E)->getInitializer());
  case Stmt::OpaqueValueExprClass:
    return opaqueValue(cast<OpaqueValueExpr>(E));
  case Stmt::StmtExprClass: {
    const CompoundStmt *Body = cast<StmtExpr>(E)->getSubStmt();
    std::vector<const Stmt *> List(Body->body_begin(), Body->body_end());
    const Expr *Last = List.empty() ? nullptr : dyn_cast<Expr>(List.back());
    if (Last)
      List.pop_back();
    statementList(List);
    return Last ? evaluate(Last) : Value();
  }
  case Stmt::CXXThrowExprClass:
    if (const Expr *Sub = cast<CXXThrowExpr>(E)->getSubExpr())
      escape(evaluate(Sub), E->getExprLoc(), "it is thrown");
    unwind();
    stop(E->getExprLoc(), true);
    return {};
  case Stmt::CXXNewExprClass:
    return newExpr(cast<CXXNewExpr>(E));
  case Stmt::CXXDeleteExprClass: {
    const auto *D = cast<CXXDeleteExpr>(E);
    const Value V = rvalue(D->getArgument());
    if (!D->getDestroyedType().isNull())
      maybe([&] { destroyWhole(V, D->getDestroyedType(), D->getExprLoc()); });
    for (const Place &P : V.To)
      if (P.Memory)
        escapeRoot(P.Id, D->getExprLoc(), "'" + text(D->getArgument()) + "' is deleted", false);
    return {};
  }
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return rvalue(cast<CXXRewrittenBinaryOperator>(E)->getSemanticForm());
  case Stmt::ArrayInitLoopExprClass:
    return unknownList(E);
  case Stmt::ExtVectorElementExprClass: // An rvalue.
    evaluate(cast<ExtVectorElementExpr>(E)->getBase());
    return {};
  case Stmt::AsTypeExprClass: {
    const Expr *From = cast<AsTypeExpr>(E)->getSrcExpr();
    const Value V = From->isGLValue() ? load(lvalue(From), From->getType(), From) : rvalue(From);
    return holdsPointers(E->getType()) ? V : Value();
  }
  case Stmt::ShuffleVectorExprClass:
  case Stmt::ConvertVectorExprClass:
    unknown(E);
    return {};
  case Stmt::VAArgExprClass:
    evaluate(cast<VAArgExpr>(E)->getSubExpr());
    return Value::unbounded("a variadic argument");
  case Stmt::AtomicExprClass:
    return atomicExpr(cast<AtomicExpr>(E));
  case Stmt::MemberExprClass:
    return memberOf(cast<MemberExpr>(E));
  default:
    if (const auto *C = dyn_cast<CastExpr>(E))
      return castValue(C);
    if (E->isValueDependent() || E->isTypeDependent() || E->containsErrors())
      Incomplete = true;
    return unknown(E);
  }
}

// An initialiser list whose elements are kept as one value.
Value Lowerer::unknownList(const Stmt *S) {
  Value R;
  for (const Stmt *Child : S->children())
    if (const auto *E = dyn_cast_or_null<Expr>(Child))
      R = join(R, evaluate(E).flat());
  R.forgetNumber();
  return R;
}

} // namespace hsched::cc
