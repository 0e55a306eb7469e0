// Roles and sections from a tree.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Infer.h"

using namespace clang;

namespace hsched::cc::corpus {
namespace {

bool isLocalMemory(const FunctionDecl &F, const Root &R) {
  if (R.K != Root::Param || R.Index >= F.getNumParams())
    return false;
  const QualType T = F.getParamDecl(R.Index)->getType();
  return T->isPointerType() && (T->getPointeeType().getAddressSpace() == LangAS::opencl_local ||
                                T->getPointeeType().getAddressSpace() == LangAS::opencl_private);
}

} // namespace

void conclude(Inferred &I, const FunctionDecl &F) {
  I.E = std::make_unique<Effects>(I.Tree);
  for (unsigned Id = 0; Id != I.Tree.Roots.size(); ++Id) {
    const Root &R = I.Tree.Roots[Id];
    const RootEffect &E = I.E->of(Id);
    if (isLocalMemory(F, R))
      continue;
    if (R.K == Root::Anything || R.Name.find("[...]") != std::string::npos) {
      I.Opaque |= E.Read || E.Written;
      continue;
    }
    if (R.K == Root::Global && !E.Written && (R.PointeeConst || !E.Read))
      continue;
    InferredAccess A;
    A.Root = Id;
    const bool Sized = R.Object && R.Count;
    A.Whole = R.Object;
    A.Section = E.All;
    if (!E.Read && !E.Written)
      A.Role = "none";
    else if (!E.Written)
      A.Role = "in";
    else {
      A.Role = "inout";
      std::optional<Box> What = E.All;
      if (Sized)
        What = Box{0, {{*R.Count, 1}}};
      if (!E.ReadFirst && What &&
          (I.E->overwrites(Id, *What) == Answer::Yes || (E.All && I.E->overwrites(Id, *E.All) == Answer::Yes)))
        A.Role = "out";
    }
    I.Accesses.push_back(std::move(A));
  }
}

std::string print(const InferredAccess &A, const AccessTree &T) {
  std::string S = A.Role + "(" + T.Roots[A.Root].Name;
  if (A.Role == "none")
    return S + ")";
  if (!A.Section)
    return S + (A.Whole ? "" : "[?]") + ")";
  const Box &B = *A.Section;
  if (B.Dims.size() == 1 && B.Dims[0].Stride == Poly(1))
    return S + "[" + T.spelling(B.Base) + " : " + T.spelling(B.Dims[0].Count) + "])";
  S += "<" + T.spelling(B.Base) + ";";
  for (std::size_t D = 0; D != B.Dims.size(); ++D)
    S += (D ? ", " : " ") + T.spelling(B.Dims[D].Count) + " x " + T.spelling(B.Dims[D].Stride);
  return S + ">)";
}

} // namespace hsched::cc::corpus
