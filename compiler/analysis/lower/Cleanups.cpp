// Jumps, and the destructors that they run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {

unsigned Lowerer::pendingJumps() const {
  unsigned N = 0;
  for (const JumpTarget *T : Targets)
    N += T->Taken;
  return N;
}

JumpTarget *Lowerer::target(JumpTarget::Kind K) {
  for (auto It = Targets.rbegin(); It != Targets.rend(); ++It) {
    if ((*It)->K == K)
      return *It;
    if ((*It)->K == JumpTarget::Return)
      return nullptr;
  }
  return nullptr;
}

void Lowerer::jump(JumpTarget &T) {
  if (St.Dead)
    return;
  runCleanups(T.Cleanups);
  T.At = joined(T.At, St);
  ++T.Taken;
  if (!WeakStores)
    St.Dead = true;
}

// An exception leaves to the innermost handler, or the task.
void Lowerer::unwind() {
  if (St.Dead || Unwinds) // Twice at a time is the end of the program.
    return;
  Unwinds = true;
  destroyAll(FullExpression, InTry ? TryJumps->Temporaries : 0);
  runCleanups(InTry ? TryJumps->Cleanups : 0);
  Unwinds = false;
}

void Lowerer::stop(SourceLocation Loc, bool Throws) {
  if (St.Dead)
    return;
  // Inside a try block, an exception continues in a handler.
  if (Throws && InTry) {
    ++TryJumps->Taken;
    TryJumps->At = joined(TryJumps->At, St);
    St.Dead = !WeakStores;
    return;
  }
  Node N;
  N.K = Node::Stop;
  N.Throws = Throws;
  N.Loc = Loc;
  if (WeakStores) {
    Node Seq;
    Seq.Children.push_back(std::move(N));
    emitIf(Condition(), std::move(Seq), Node());
    return;
  }
  emit(std::move(N));
  St.Dead = true;
}

void Lowerer::runCleanups(std::size_t Down) {
  // A destructor may declare variables itself. If it throws, the others are destroyed.
  const std::vector<Cleanup> All = Cleanups;
  for (std::size_t I = All.size(); I-- > Down;) {
    Cleanups.resize(I);
    destroy(All[I].At, All[I].T, All[I].Loc);
  }
  Cleanups = All;
}

// At the end of a full expression. Conditional construction and lifetime extension are not modelled: destructors may
// run here, which is the earliest possible time.
void Lowerer::destroyTemporaries(std::size_t Down) {
  const std::vector<Cleanup> Now = FullExpression;
  FullExpression.resize(std::min(Down, FullExpression.size()));
  destroyAll(Now, Down);
}

// The temporaries from number Down on may be destroyed.
void Lowerer::destroyAll(const std::vector<Cleanup> &Of, std::size_t Down) {
  const std::vector<Cleanup> Now(Of.begin() + std::ptrdiff_t(std::min(Down, Of.size())), Of.end());
  const bool Before = std::exchange(Guessing, true);
  for (auto It = Now.rbegin(); It != Now.rend(); ++It)
    maybe([&] { destroy(It->At, It->T, It->Loc); });
  Guessing = Before;
}

void Lowerer::destroy(const Value &At, QualType T, SourceLocation Loc) {
  T = elementType(T);
  CXXRecordDecl *R = T->getAsCXXRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  if (!R || R->isDependentType() || R->hasTrivialDestructor() || St.Dead)
    return;
  if (R->isInStdNamespace()) {
    if (destructorsRun(T)) // Destructors of its elements.
      escape(contentOf(At), Loc, "what is in a '" + R->getNameAsString() + "' is destroyed");
    return;
  }
  CXXDestructorDecl *D = R->getDestructor();
  if (!D)
    return;
  const FunctionDecl *Def = nullptr;
  if (D->isDefaulted() || D->isImplicit()) {
    Def = nullptr;
  } else if (D->hasBody(Def) && Def) {
    maybe([&] { invoke(Def, At, {}, nullptr, Loc); });
  } else {
    escape(At, Loc, "the destructor of '" + R->getNameAsString() + "' is not visible");
    return;
  }
  for (const FieldDecl *F : R->fields())
    if (F->getType()->getAsCXXRecordDecl() || F->getType()->isArrayType())
      destroy(fieldOf(At, F), F->getType(), Loc);
  for (const CXXBaseSpecifier &B : R->bases())
    destroy(baseAt(At, *R, B), B.getType(), Loc);
}

void Lowerer::noteConstructed(const Value &At, QualType T, SourceLocation Loc) {
  if (destructorsRun(T))
    Cleanups.push_back({At, T, Loc});
}

// The base class's part of the object of class R at At.
Value Lowerer::baseAt(Value At, const CXXRecordDecl &R, const CXXBaseSpecifier &B) const {
  const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
  const bool Known = Base && !B.isVirtual() && !R.isInvalidDecl() && !R.isDependentType();
  const bool Repeats = !repeatedBases(R).empty();
  for (Place &P : At.To)
    if (!P.Memory)
      P.TypePunned |= Repeats;
    else if (!P.Self)
      P.Offset = Known ? P.Offset + Poly(Context.getASTRecordLayout(&R).getBaseClassOffset(Base).getQuantity())
                       : Poly::invalid();
  return At;
}

// The class of the whole object at P. Null: not known.
const CXXRecordDecl *Lowerer::madeAs(const Place &P) const {
  const auto Whole = ObjectTypes.find(P.Id);
  if (P.Memory || P.TypePunned || Whole == ObjectTypes.end() || Whole->second.isNull())
    return nullptr;
  QualType T = Whole->second;
  if (!P.Path.empty()) {
    if (isSynthetic(P.Path.back()))
      return nullptr;
    T = static_cast<const FieldDecl *>(P.Path.back())->getType();
  }
  const CXXRecordDecl *R = T->isReferenceType() ? nullptr : elementType(T)->getAsCXXRecordDecl();
  return R ? R->getDefinition() : nullptr;
}

// The final overriders of M for the objects at At, by place. Empty: not known.
std::vector<std::pair<Place, const CXXMethodDecl *>> Lowerer::overriders(const CXXMethodDecl &M,
                                                                         const Value &At) const {
  for (const Frame *F = Fr; F; F = F->Up) // There, the object's class is the function's.
    if (F->F && isa<CXXConstructorDecl, CXXDestructorDecl>(F->F))
      return {};
  std::vector<std::pair<Place, const CXXMethodDecl *>> Found;
  for (const Place &P : At.To) {
    const CXXRecordDecl *Made = madeAs(P);
    const CXXRecordDecl *Class = M.getParent();
    if (!Made || !At.Unbounded.empty() ||
        !(Made->getCanonicalDecl() == Class->getCanonicalDecl() || Made->isDerivedFrom(Class)))
      return {};
    const CXXMethodDecl *Last = const_cast<CXXMethodDecl &>(M).getCorrespondingMethodInClass(Made, /*MayBeBase=*/true);
    if (!Last || Last->isPureVirtual())
      return {};
    Found.emplace_back(P, Last);
  }
  return Found;
}

// Destroys the object at At by its virtual destructor, or by that of T.
void Lowerer::destroyWhole(const Value &At, QualType T, SourceLocation Loc) {
  const CXXRecordDecl *R = elementType(T)->getAsCXXRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  const CXXDestructorDecl *D = R ? R->getDestructor() : nullptr;
  if (!D || !D->isVirtual() || R->isEffectivelyFinal()) {
    destroy(At, T, Loc);
    return;
  }
  const auto Last = overriders(*D, At);
  for (const auto &[P, M] : Last)
    maybe([&] { destroy(Value::pointer(P), Context.getRecordType(M->getParent()), Loc); });
  if (Last.empty())
    escape(At, Loc, "its destructor is virtual");
}

} // namespace hsched::cc
