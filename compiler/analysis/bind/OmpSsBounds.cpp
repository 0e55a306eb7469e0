// Detects sections in OmpSs notation, where p[lo:hi] has two inclusive bounds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Here p[lo:len] is a start and a length. p[0:n - 1] and p[i:i + bs - 1] are valid in both languages with different
// meanings. There is no guess: an improbable length gives a warning, unless a body proves it. 'p[lo;len]' is a length
// in both.
#include "analysis/bind/Internal.h"

#include "clang/Basic/CharInfo.h"

using namespace clang;

namespace hsched::cc {
namespace {

bool isNumber(llvm::StringRef Text) {
  unsigned long long Value;
  return !Text.getAsInteger(0, Value);
}

// False if Text has an operator of lower precedence than '+' at its outermost level: removing terms would then change
// its meaning.
bool isSum(llvm::StringRef Text) {
  int Depth = 0;
  for (char C : Text) {
    Depth += C == '(' || C == '[' || C == '{';
    Depth -= C == ')' || C == ']' || C == '}';
    if (Depth == 0 && llvm::StringRef("?:<>=&|^,").contains(C))
      return false;
  }
  return Depth == 0;
}

// The intended length if Length is an upper bound. Empty: it does not look like one. Low: the begin.
std::string meantLength(llvm::StringRef Low, llvm::StringRef Length) {
  if (!isSum(Length))
    return "";
  llvm::StringRef Rest = Length;
  bool Inclusive = Rest.consume_back("-1");
  if (Low == "0" || Low.empty())
    return Inclusive && !Rest.empty() && !isNumber(Rest) ? Rest.str() : "";
  if (isNumber(Low) || !Rest.consume_front(Low) || !Rest.consume_front("+") || Rest.empty())
    return ""; // p[1:n - 1] is all but the first of n in both languages.
  return Inclusive ? Rest.str() : Rest.str() + " + 1";
}

// Text with only the blanks that separate words.
std::string squeezed(llvm::StringRef Text) {
  std::string Out;
  bool Apart = false;
  for (char C : Text) {
    if (isWhitespace(C)) {
      Apart = true;
      continue;
    }
    if (Apart && !Out.empty() && isAsciiIdentifierContinue(Out.back()) && isAsciiIdentifierContinue(C))
      Out += ' ';
    Apart = false;
    Out += C;
  }
  return Out;
}

} // namespace

void noteOmpSsBounds(BindContext C, const Section &S) {
  auto look = [&](const Expr &Low, const Expr &Length) {
    if (Length.Text.empty() || Length.Begin.isInvalid() || Length.Begin.isMacroID())
      return;
    std::string Meant = meantLength(squeezed(Low.Text), squeezed(Length.Text));
    if (Meant.empty())
      return;
    // The separator is the last non-blank character before the length.
    auto [File, At] = C.SM.getDecomposedLoc(Length.Begin);
    llvm::StringRef Before = C.SM.getBufferData(File).substr(0, At).rtrim(" \t\r\n\\");
    if (!Before.ends_with(":"))
      return;
    warn(C.Diags, Warning::OmpssBound, Length.Begin,
         "'%0' looks like an upper bound, as in OmpSs, but what follows ':' is a length here: write '%1:%2', or "
         "'%1;%0' if it is the length",
         Length.Text, Low.Text, Meant);
    if (Length.End.isMacroID())
      return;
    // The programmer must decide between the two.
    const SourceLocation Colon = C.SM.getComposedLoc(File, static_cast<unsigned>(Before.size() - 1));
    note(C.Diags, Length.Begin, "if it is a bound, the length is '%0'", Meant,
         FixItHint::CreateReplacement(CharSourceRange::getTokenRange(Length.Begin, Length.End), Meant));
    note(C.Diags, Colon, "if it is the length, ';' says so here as well as in OmpSs",
         FixItHint::CreateReplacement(CharSourceRange::getTokenRange(Colon, Colon), ";"));
  };
  if (S.F == Section::Form::Range)
    look(S.Low, S.Length);
  for (const Subscript &Sub : S.Subscripts)
    if (Sub.K == Subscript::Kind::Range)
      look(Sub.Low, Sub.Length);
}

} // namespace hsched::cc
