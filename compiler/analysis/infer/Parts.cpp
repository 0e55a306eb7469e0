// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Parts.h"

#include "analysis/bind/Internal.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Walk {
public:
  using Reader = llvm::function_ref<std::optional<Poly>(llvm::StringRef)>;

  Walk(ASTContext &Context, QualType T, Reader Number) : Context(Context), Number(Number), T(T) {}

  std::optional<Part> all(const Section &S, llvm::ArrayRef<Path::Step> Steps) {
    const bool Pointer = T->isPointerType();
    if (Pointer || T->isReferenceType())
      T = T->getPointeeType();
    if (Pointer) { // The pointer's target begins at element 0.
      if (Steps.empty() || Steps.front().K == Path::Step::Member)
        return std::nullopt;
      along(Steps.front().Text, T);
      Steps = Steps.drop_front();
    }
    for (const Path::Step &Step : Steps) {
      if (Step.K != Path::Step::Member && T->isPointerType())
        return Part{std::nullopt, /*Behind=*/true};
      if (!(Step.K == Path::Step::Member ? member(Step.Text) : element(Step.Text)))
        return std::nullopt;
    }
    if (S.F == Section::Form::Whole)
      return S.Over.empty() ? box({{size(T), 1}}) : Part();
    if (T->isPointerType())
      return Part{std::nullopt, /*Behind=*/true};
    QualType Each = elementWithin(T);
    if (Each.isNull())
      return std::nullopt;
    return S.Over.empty() ? elements(S, Each) : Part();
  }

  std::vector<const FieldDecl *> Members; // Members passed so far.

  QualType end(llvm::ArrayRef<Path::Step> Steps) {
    for (const Path::Step &Step : Steps) {
      T = T.getNonReferenceType();
      if (Step.K == Path::Step::Member) {
        if (!member(Step.Text) && !T->isReferenceType())
          return {};
      } else if (T->isPointerType()) {
        T = T->getPointeeType();
      } else if (!element(Step.Text)) {
        return {};
      }
    }
    return T;
  }

private:
  ASTContext &Context;
  Reader Number;
  QualType T;
  std::optional<Poly> At = Poly(0); // Offset in bytes; nothing: unknown.

  // 0: unknown.
  std::int64_t size(QualType Of) const {
    if (Of->isDependentType() || Of->isIncompleteType() || Of->isFunctionType() || !Of->isConstantSizeType())
      return 0;
    if (const RecordDecl *D = Of->getAsRecordDecl(); D && D->isInvalidDecl())
      return 0;
    return Context.getTypeSizeInChars(Of).getQuantity();
  }

  // Element type of an array or std::array; null for others.
  QualType elementWithin(QualType Of) const {
    if (const ArrayType *Array = Context.getAsArrayType(Of))
      return Array->getElementType();
    const CXXRecordDecl *Record = Of->getAsCXXRecordDecl();
    return Record && Record->hasDefinition() && Record->isAggregate() && Of.isTriviallyCopyableType(Context)
               ? elementOfContainer(Context, Of)
               : QualType();
  }

  // Advances by Text elements; an empty text means the first element.
  void along(llvm::StringRef Text, QualType Element) {
    const std::optional<Poly> Index = Text.empty() ? Poly(0) : Number(Text);
    const std::int64_t Bytes = size(Element);
    if (At && Index && Bytes)
      At = *At + *Index * Poly(Bytes);
    else
      At.reset();
  }

  bool element(llvm::StringRef Text) {
    const QualType Each = elementWithin(T);
    if (Each.isNull())
      return false;
    if (const CXXRecordDecl *Record = T->getAsCXXRecordDecl(); Record && !isStandard(Record))
      At.reset(); // The begin inside it is unknown.
    along(Text, Each);
    T = Each;
    return true;
  }

  bool member(llvm::StringRef Name) {
    const RecordDecl *Record = T->getAsRecordDecl(), *Whole = Record ? Record->getDefinition() : nullptr;
    return Whole && memberIn(*Whole, Name);
  }

  void on(std::optional<std::int64_t> Bytes) {
    if (At && Bytes)
      At = *At + Poly(*Bytes);
    else
      At.reset();
  }

  // Also searches unnamed records and bases.
  bool memberIn(const RecordDecl &Record, llvm::StringRef Name) {
    const bool Known = !Record.isDependentType() && !Record.isInvalidDecl();
    const std::optional<Poly> Before = At;
    for (const FieldDecl *Field : Record.fields()) {
      const bool Found = Field->getIdentifier() && Field->getName() == Name;
      if (!Found && !Field->isAnonymousStructOrUnion())
        continue;
      At = Before;
      on(Known ? std::optional<std::int64_t>(
                     Context.getASTRecordLayout(&Record).getFieldOffset(Field->getFieldIndex()) / 8)
               : std::nullopt);
      if (Found) {
        T = Field->getType();
        Members.push_back(Field);
        if (Field->isBitField()) // A bit-field shares its bytes with others.
          At.reset();
        return !T->isReferenceType();
      }
      if (const RecordDecl *Inner = Field->getType()->getAsRecordDecl(); Inner && memberIn(*Inner, Name))
        return true;
    }
    const auto *Class = dyn_cast<CXXRecordDecl>(&Record);
    for (const CXXBaseSpecifier &Base :
         Class ? Class->bases() : CXXRecordDecl::base_class_const_range(nullptr, nullptr)) {
      const CXXRecordDecl *Of = Base.getType()->getAsCXXRecordDecl();
      Of = Of ? Of->getDefinition() : nullptr;
      if (!Of)
        continue;
      At = Before;
      on(Known && !Base.isVirtual()
             ? std::optional<std::int64_t>(Context.getASTRecordLayout(&Record).getBaseClassOffset(Of).getQuantity())
             : std::nullopt);
      if (memberIn(*Of, Name))
        return true;
    }
    At = Before;
    return false;
  }

  Part box(std::vector<Box::Dim> Dims) const {
    bool Valid = At && At->valid();
    for (const Box::Dim &D : Dims)
      Valid = Valid && D.Count.valid() && !D.Count.isZero();
    return Valid ? Part{Box{*At, std::move(Dims)}} : Part();
  }

  Part elements(const Section &S, QualType Each) {
    const std::int64_t Bytes = size(Each);
    if (const CXXRecordDecl *Record = T->getAsCXXRecordDecl(); !Bytes || (Record && !isStandard(Record)))
      return {};
    switch (S.F) {
    case Section::Form::Pointee:
      along("", Each);
      return box({{Bytes, 1}});
    case Section::Form::Range: {
      const std::optional<Poly> Length = Number(S.Length.Text);
      along(S.Low.Text, Each);
      return Length ? box({{*Length * Poly(Bytes), 1}}) : Part();
    }
    case Section::Form::Shaped: {
      Poly Count = Bytes;
      for (const Expr &E : S.Shape) {
        const std::optional<Poly> P = Number(E.Text);
        if (!P)
          return {};
        Count = Count * *P;
      }
      return box({{Count, 1}});
    }
    default:
      return S.Shape.empty() ? tile(S) : Part();
    }
  }

  // t[i][j:bn], with dimensions from the type.
  Part tile(const Section &S) {
    std::vector<Box::Dim> Dims;
    for (const Subscript &Sub : S.Subscripts) {
      const auto *Array = Context.getAsConstantArrayType(T);
      const std::optional<Poly> Low = Number(Sub.Low.Text);
      if (!Array || !Low)
        return {};
      const QualType Each = Array->getElementType();
      if (Sub.K == Subscript::Kind::Range) {
        const std::optional<Poly> Length = Sub.Length.Text.empty()
                                               ? Poly(std::int64_t(Array->getSize().getZExtValue())) - *Low
                                               : Number(Sub.Length.Text);
        if (!Length || !size(Each))
          return {};
        Dims.push_back({*Length, size(Each)});
      }
      along(Sub.Low.Text, Each);
      T = Each;
    }
    Dims.push_back({size(T), 1});
    return box(std::move(Dims));
  }
};

} // namespace

std::optional<Part> partOf(ASTContext &Context, const Section &S, const Path &Base, QualType Whole,
                           llvm::function_ref<std::optional<Poly>(llvm::StringRef)> Number) {
  return Walk(Context, Whole, Number).all(S, Base.Steps);
}

QualType typeOfPath(ASTContext &Context, QualType T, llvm::ArrayRef<Path::Step> Steps) {
  return Walk(Context, T, [](llvm::StringRef) { return std::nullopt; }).end(Steps);
}

std::vector<const FieldDecl *> membersOfPath(ASTContext &Context, QualType T, llvm::ArrayRef<Path::Step> Steps) {
  Walk W(Context, T, [](llvm::StringRef) { return std::nullopt; });
  W.end(Steps);
  return std::move(W.Members);
}

} // namespace hsched::cc
