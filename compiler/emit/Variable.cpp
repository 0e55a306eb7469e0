// Variables whose types have sizes that are known at run time only: neither a lambda nor a template takes them. The
// block declares them again, from a pointer and the sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CodeInternal.h"
#include "model/NameCharacters.h"

namespace hsched::cc {
namespace {

std::string declared(const CaptureCode &C, const std::string &Name) {
  std::string Out = C.Modified;
  return Out.replace(Out.find('@'), 1, Name);
}

std::string elementType(const CaptureCode &C) { return "hsched_e" + C.Of; }

bool names(const std::string &Text, const std::string &Name) {
  for (size_t At = 0; (At = Text.find(Name, At)) != std::string::npos; At += Name.size())
    if ((At == 0 || !inName(Text[At - 1])) && (At + Name.size() == Text.size() || !inName(Text[At + Name.size()])))
      return true;
  return false;
}

} // namespace

std::string holderName(const CaptureCode &C) { return "hsched_h" + C.Of; }

std::string sizeName(const CaptureCode &C, size_t I) { return "hsched_d" + std::to_string(I) + "_" + C.Of; }

static std::string variableHolder(const CaptureCode &C) {
  const std::string Element = elementType(C), Holder = holderName(C);
  std::string Out = "typedef __typeof__(" + C.Element + ") " + Element + "; ";
  for (size_t I = 0; I < C.Sizes.size(); ++I)
    Out += "const ::size_t " + sizeName(C, I) + " = " + C.Sizes[I] + "; (void)" + sizeName(C, I) + "; ";
  switch (C.H) {
  case CaptureCode::How::Value:
    if (C.Array && !C.ForClauses)
      return Out + "auto " + Holder + " = ::hsched_gen_copies_of(reinterpret_cast<const " + Element + " *>(" + C.Name +
             "), sizeof(" + C.Name + ") / sizeof(" + Element + ")); ";
    break;
  case CaptureCode::How::Reference:
  case CaptureCode::How::Either:
    if (!C.Array)
      return Out + "auto *const " + Holder + " = &reinterpret_cast<const char &>(" + C.Name + "); ";
    break;
  case CaptureCode::How::Own: // Nothing leads to the program's variable.
  case CaptureCode::How::Reduced:
    if (!C.ForClauses)
      return Out;
  }
  return Out + "auto *const " + Holder + " = reinterpret_cast<" + Element + " *>(" + C.Name + "); (void)" + Holder +
         "; ";
}

std::string variableHolders(const InlineCode &I) {
  std::string Out;
  for (const CaptureCode &C : I.Captures)
    if (!C.Modified.empty())
      Out += variableHolder(C);
  return Out;
}

std::string variableAgain(const CaptureCode &C, const std::string &Pointer) {
  const std::string Element = elementType(C);
  if (C.Array)
    return "auto &" + C.Name + " = *reinterpret_cast<" + Element + " " + declared(C, "(*)") + ">(" + Pointer + ");";
  return "auto " + C.Name + " = reinterpret_cast<" + Element + " " + declared(C, "") + ">(" + Pointer + ");";
}

std::string variableInBlock(const CaptureCode &C) {
  const std::string Element = elementType(C), Holder = holderName(C);
  const bool Reference = C.H == CaptureCode::How::Reference || C.H == CaptureCode::How::Either;
  if (C.H == CaptureCode::How::Own)
    return Element + " " + declared(C, C.Name) + ";";
  if (Reference && !C.Array)
    return "auto &" + C.Name + " = *reinterpret_cast<" + Element + " " + declared(C, "*") + ">(const_cast<char *>(" +
           Holder + "));";
  return variableAgain(C, C.Array && C.H == CaptureCode::How::Value ? Holder + ".hsched_get()" : Holder);
}

std::string variableNames(const InlineCode &I, const std::string &Text) {
  std::string Out;
  for (const CaptureCode &C : I.Captures)
    if (!C.Modified.empty() && names(Text, C.Name))
      Out += shadowing(C.ForClauses ? variableAgain(C, holderName(C)) : variableInBlock(C)) + " (void)" + C.Name + "; ";
  return Out;
}

std::string variableNames(const InlineCode &I, const Section &S) {
  std::string Text;
  for (const Expr *E : S.expressions())
    Text += E->Text + " ";
  return variableNames(I, Text);
}

} // namespace hsched::cc
