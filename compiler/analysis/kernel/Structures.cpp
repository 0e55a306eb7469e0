// Finds the layouts of the structures that a kernel's parameters have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Internal.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {
namespace {

// A type's definition. Null: no structure, or offsets in bytes do not describe its layout.
const RecordDecl *structureOf(QualType T, const ASTContext &Context) {
  const auto *Record = Context.getBaseElementType(T).getCanonicalType()->getAs<RecordType>();
  const RecordDecl *D = Record ? Record->getDecl()->getDefinition() : nullptr;
  if (!D || D->isInvalidDecl() || D->isDependentType())
    return nullptr;
  if (const auto *Class = dyn_cast<CXXRecordDecl>(D); Class && (Class->getNumBases() || Class->isDynamicClass()))
    return nullptr;
  for (const FieldDecl *F : D->fields())
    if (F->isBitField() || F->isInvalidDecl())
      return nullptr;
  return D;
}

KernelMember memberOf(const FieldDecl &F, const ASTRecordLayout &Layout) {
  const ASTContext &Context = F.getASTContext();
  KernelMember Out;
  Out.Name = F.getNameAsString();
  Out.Element = elementName(F.getType(), Context);
  Out.Offset = Layout.getFieldOffset(F.getFieldIndex()) / 8;
  QualType T = F.getType();
  while (const ArrayType *Array = Context.getAsArrayType(T)) {
    const auto *Sized = dyn_cast<ConstantArrayType>(Array);
    Out.Sizes.push_back(Sized ? Sized->getZExtSize() : 0);
    T = Array->getElementType();
  }
  if (!F.getType()->isIncompleteType())
    Out.Bytes = std::uint64_t(Context.getTypeSizeInChars(F.getType()).getQuantity());
  return Out;
}

} // namespace

std::optional<unsigned> StructureTable::find(QualType T) {
  const RecordDecl *Asked = structureOf(T, Context);
  if (!Asked)
    return std::nullopt;
  const unsigned Index = indexOf(Asked);
  // Structures in structures may form a long chain, so there is no recursion.
  for (; Described < Known.size(); ++Described) {
    const RecordDecl *D = Known[Described];
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(D);
    KernelStructure S;
    S.Name = elementName(Context.getRecordType(D), Context);
    S.Union = D->isUnion();
    S.Packed = D->hasAttr<PackedAttr>();
    const SourceManager &SM = Context.getSourceManager();
    if (const PresumedLoc Place = SM.getPresumedLoc(SM.getFileLoc(D->getLocation())); Place.isValid()) {
      S.File = Place.getFilename();
      S.Line = Place.getLine();
    }
    S.Bytes = std::uint64_t(Layout.getSize().getQuantity());
    S.Alignment = std::uint64_t(Layout.getAlignment().getQuantity());
    for (const FieldDecl *F : D->fields()) {
      KernelMember &M = S.Members.emplace_back(memberOf(*F, Layout));
      if (const RecordDecl *Inner = structureOf(F->getType(), Context))
        M.Structure = indexOf(Inner);
    }
    Structures.push_back(std::move(S));
  }
  return Index;
}

unsigned StructureTable::indexOf(const RecordDecl *D) {
  auto [At, New] = Indices.try_emplace(D, unsigned(Known.size()));
  if (New)
    Known.push_back(D);
  return At->second;
}

} // namespace hsched::cc
