// Makes KernelInfo from a kernel's definition in the AST.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AstVisitor.h"
#include "analysis/kernel/Internal.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace hsched::cc {
namespace {

// The place for the user: after #line, and at a macro's use rather than its definition.
PresumedLoc placeOf(SourceLocation Loc, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  return SM.getPresumedLoc(SM.getFileLoc(Loc));
}

std::string builtinName(const BuiltinType &T) {
  switch (T.getKind()) {
  case BuiltinType::Void:
    return "void";
  case BuiltinType::Bool:
    return "bool";
  case BuiltinType::Char_S:
  case BuiltinType::Char_U:
  case BuiltinType::SChar:
    return "char";
  case BuiltinType::UChar:
    return "uchar";
  case BuiltinType::Short:
    return "short";
  case BuiltinType::UShort:
    return "ushort";
  case BuiltinType::Int:
    return "int";
  case BuiltinType::UInt:
    return "uint";
  case BuiltinType::Long:
  case BuiltinType::LongLong:
    return "long";
  case BuiltinType::ULong:
  case BuiltinType::ULongLong:
    return "ulong";
  case BuiltinType::Half:
  case BuiltinType::Float16:
    return "half";
  case BuiltinType::Float:
    return "float";
  case BuiltinType::Double:
    return "double";
  default:
    return {};
  }
}

KernelParam::Space spaceOf(LangAS AS) {
  switch (AS) {
  case LangAS::opencl_constant:
    return KernelParam::Constant;
  case LangAS::opencl_local:
    return KernelParam::Local;
  default:
    return KernelParam::Global;
  }
}

std::uint64_t bytesOf(QualType T, const ASTContext &Context) {
  if (T->isVoidType() || T->isIncompleteType() || T->isFunctionType())
    return 0;
  return Context.getTypeSizeInChars(T).getQuantity();
}

// The type as written, without the address space that the AST gives to the parameter itself.
std::string spellingOf(const ParmVarDecl &P) {
  const PrintingPolicy &Policy = P.getASTContext().getPrintingPolicy();
  const QualType T = P.getOriginalType();
  Qualifiers Own = T.getLocalQualifiers();
  if (Own.getAddressSpace() == LangAS::opencl_private)
    Own.removeAddressSpace();
  return P.getASTContext().getQualifiedType(T.getLocalUnqualifiedType(), Own).getAsString(Policy);
}

// The language's default is read_only.
KernelParam::Qualifier accessOf(const ParmVarDecl &P) {
  if (const auto *Pipe = P.getType()->getAs<PipeType>())
    return Pipe->isReadOnly() ? KernelParam::ReadOnly : KernelParam::WriteOnly;
  const auto *Access = P.getAttr<OpenCLAccessAttr>();
  return !Access || Access->isReadOnly() ? KernelParam::ReadOnly
         : Access->isWriteOnly()         ? KernelParam::WriteOnly
                                         : KernelParam::ReadWrite;
}

KernelParam collectParam(const ParmVarDecl &P, StructureTable &Structures) {
  const ASTContext &Context = P.getASTContext();
  KernelParam Out;
  Out.Name = P.getNameAsString();
  Out.Spelling = spellingOf(P);
  if (PresumedLoc Place = placeOf(P.getLocation(), Context); Place.isValid()) {
    Out.Line = Place.getLine();
    Out.Column = Place.getColumn();
  }
  QualType T = P.getType();
  if (const auto *Pointer = T->getAs<PointerType>()) {
    QualType Pointee = Pointer->getPointeeType();
    Out.Pointer = true;
    Out.Where = spaceOf(Pointee.getAddressSpace());
    Out.PointeeConst = Pointee.isConstQualified() || Out.Where == KernelParam::Constant;
    T = Pointee;
  } else {
    Out.Image = T->isImageType();
    Out.Sampler = T->isSamplerT();
    Out.Pipe = T->isPipeType();
    if (Out.Image || Out.Pipe)
      Out.Access = accessOf(P);
  }
  if (const auto *Pipe = T->getAs<PipeType>()) // Printed by Clang: a vector in it is not an OpenCL vector.
    Out.Element = std::string(Pipe->isReadOnly() ? "read_only" : "write_only") + " pipe " +
                  elementName(Pipe->getElementType(), Context);
  else
    Out.Element = elementName(T, Context);
  if (!Out.Image && !Out.Sampler && !Out.Pipe)
    Out.ElementBytes = bytesOf(Context.getBaseElementType(T), Context);
  Out.Structure = Structures.find(T);
  return Out;
}

// Local memory that a body declares.
class LocalVariables : public AstVisitor {
public:
  LocalVariables(KernelInfo &Kernel, const ASTContext &Context) : Kernel(Kernel), Context(Context) {}

  bool visit(Decl &D) override {
    const auto *V = dyn_cast<VarDecl>(&D);
    if (V && !isa<ParmVarDecl>(V) && V->getType().getAddressSpace() == LangAS::opencl_local) {
      Kernel.HasLocalVariables = true;
      Kernel.LocalBytes += bytesOf(V->getType(), Context);
    }
    return true;
  }

private:
  KernelInfo &Kernel;
  const ASTContext &Context;
};

} // namespace

std::string elementName(QualType T, const ASTContext &Context) {
  T = T.getCanonicalType().getUnqualifiedType();
  if (const auto *Array = Context.getAsArrayType(T))
    return elementName(Array->getElementType(), Context);
  if (const auto *Vector = T->getAs<VectorType>())
    return elementName(Vector->getElementType(), Context) + std::to_string(Vector->getNumElements());
  if (const auto *Enum = T->getAs<EnumType>())
    return elementName(Enum->getDecl()->getIntegerType(), Context);
  if (const auto *Record = T->getAs<RecordType>()) {
    const RecordDecl *D = Record->getDecl();
    const TypedefNameDecl *Alias = D->getTypedefNameForAnonDecl();
    const std::string Name = Alias ? Alias->getNameAsString() : D->getNameAsString();
    return D->getKindName().str() + (Name.empty() ? "" : " " + Name);
  }
  if (const auto *Builtin = T->getAs<BuiltinType>())
    if (std::string Name = builtinName(*Builtin); !Name.empty())
      return Name;
  return T.getAsString(Context.getPrintingPolicy());
}

KernelInfo collectKernel(const FunctionDecl &Def) {
  const ASTContext &Context = Def.getASTContext();
  KernelInfo Out;
  Out.Name = Def.getNameAsString();
  if (PresumedLoc Place = placeOf(Def.getLocation(), Context); Place.isValid()) {
    Out.File = Place.getFilename();
    Out.Line = Place.getLine();
    Out.Column = Place.getColumn();
  }
  StructureTable Structures(Context, Out.Structures);
  for (const ParmVarDecl *P : Def.parameters())
    Out.Params.push_back(collectParam(*P, Structures));
  if (const auto *Required = Def.getAttr<ReqdWorkGroupSizeAttr>())
    Out.ReqdWorkGroup = {Required->getXDim(), Required->getYDim(), Required->getZDim()};
  LocalVariables(Out, Context).visitAll(Def.getBody());
  return Out;
}

} // namespace hsched::cc
