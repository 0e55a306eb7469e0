// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Instances.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace hsched::cc {

// Clang does not record what a class local to a function is instantiated from: its place says it.
static bool isLocalInstance(const CXXRecordDecl &I, const CXXRecordDecl &Pattern) {
  return I.isLambda() == Pattern.isLambda() && I.getLocation() == Pattern.getLocation();
}

std::vector<const CXXRecordDecl *> instancesOf(const CXXRecordDecl &Pattern) {
  std::vector<const CXXRecordDecl *> Out;
  const auto add = [&](const CXXRecordDecl *I) {
    const CXXRecordDecl *Of = I->getTemplateInstantiationPattern();
    if (I->hasDefinition() && Of && Of->getCanonicalDecl() == Pattern.getCanonicalDecl())
      Out.push_back(I->getDefinition());
  };
  const auto addAll = [&](const ClassTemplateDecl &T) {
    for (const ClassTemplateSpecializationDecl *I : T.specializations())
      add(I);
  };
  const DeclContext *Around = Pattern.getDeclContext();
  if (const auto *F = dyn_cast<FunctionDecl>(Around); F && F->isDependentContext()) {
    for (const FunctionDecl *In : instancesOf(*F))
      for (const Decl *D : In->decls())
        if (const auto *I = dyn_cast<CXXRecordDecl>(D); I && I->hasDefinition() && isLocalInstance(*I, Pattern))
          Out.push_back(I->getDefinition());
    return Out;
  }
  if (const auto *Class = dyn_cast<CXXRecordDecl>(Around); Class && Class->isDependentContext()) {
    for (const CXXRecordDecl *In : instancesOf(*Class))
      for (const Decl *D : In->decls())
        if (const auto *T = dyn_cast<ClassTemplateDecl>(D))
          addAll(*T);
        else if (const auto *I = dyn_cast<CXXRecordDecl>(D); I && !I->isInjectedClassName())
          add(I);
    return Out;
  }
  const auto *Partial = dyn_cast<ClassTemplatePartialSpecializationDecl>(&Pattern);
  if (const ClassTemplateDecl *T = Partial ? Partial->getSpecializedTemplate() : Pattern.getDescribedClassTemplate())
    addAll(*T);
  return Out;
}

std::vector<const FunctionDecl *> instancesOf(const FunctionDecl &F) {
  std::vector<const FunctionDecl *> Out;
  const FunctionTemplateDecl *Template = F.getDescribedFunctionTemplate();
  const auto addAll = [&](const FunctionTemplateDecl &T) {
    for (const FunctionDecl *I : T.specializations())
      if (I->getTemplateSpecializationKind() != TSK_ExplicitSpecialization)
        Out.push_back(I);
  };
  const auto isOf = [&](const FunctionTemplateDecl *T) {
    while (T->getInstantiatedFromMemberTemplate() && !T->isMemberSpecialization())
      T = T->getInstantiatedFromMemberTemplate();
    return T->getCanonicalDecl() == Template->getCanonicalDecl();
  };
  const bool Friend = F.getFriendObjectKind() != Decl::FOK_None;
  const DeclContext *Around = Friend ? F.getLexicalDeclContext() : F.getDeclContext();
  const auto *Class = dyn_cast<CXXRecordDecl>(Around);
  if (!Class || !Class->isDependentContext()) {
    if (Template)
      addAll(*Template);
    else
      Out.push_back(&F);
    return Out;
  }
  // Clang does not record the pattern of each friend and of each member of a local class: their place says it.
  const bool ByPlace = Friend || isa<FunctionDecl>(Class->getDeclContext());
  const auto isInstance = [&](const FunctionDecl *I) {
    const FunctionDecl *Of = I->getTemplateInstantiationPattern(/*ForDefinition=*/false);
    return I->getTemplateSpecializationKind() != TSK_ExplicitSpecialization &&
           ((Of && Of->getCanonicalDecl() == F.getCanonicalDecl()) || (ByPlace && I->getLocation() == F.getLocation()));
  };
  for (const CXXRecordDecl *In : instancesOf(*Class))
    for (const Decl *D : In->decls()) {
      const auto *AsFriend = dyn_cast<FriendDecl>(D);
      D = AsFriend ? AsFriend->getFriendDecl() : D;
      const auto *T = dyn_cast_or_null<FunctionTemplateDecl>(D);
      const auto *I = dyn_cast_or_null<FunctionDecl>(D);
      if (T && Template && (isOf(T) || (Friend && T->getLocation() == F.getLocation())))
        addAll(*T);
      else if (I && !Template && isInstance(I))
        Out.push_back(I);
    }
  return Out;
}

} // namespace hsched::cc
