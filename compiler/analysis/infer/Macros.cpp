// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Macros.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace hsched::cc {

std::string spelling(const Token &T) {
  if (const IdentifierInfo *Name = T.getIdentifierInfo())
    return Name->getName().str();
  const char *Mark = T.isLiteral() ? nullptr : tok::getPunctuatorSpelling(T.getKind());
  return Mark ? Mark : T.isLiteral() ? std::string(T.getLiteralData(), T.getLength()) : "?";
}

// Parses "(A, b)" at At and advances At behind it.
static bool arguments(const std::vector<Token> &In, size_t &At, std::vector<std::vector<Token>> &Out) {
  if (At >= In.size() || In[At].isNot(tok::l_paren))
    return false;
  Out.emplace_back();
  int Depth = 1;
  for (++At; At < In.size(); ++At) {
    Depth += In[At].is(tok::l_paren) - In[At].is(tok::r_paren);
    if (Depth == 0) {
      ++At;
      return true;
    }
    if (Depth == 1 && In[At].is(tok::comma))
      Out.emplace_back();
    else
      Out.back().push_back(In[At]);
  }
  return false;
}

Expanded::Expanded(Preprocessor &PP, SourceLocation Place, const std::string &Text) : PP(PP), Place(Place) {
  Lexer L(Place, PP.getLangOpts(), Text.data(), Text.data(), Text.data() + Text.size());
  for (Token T; !L.LexFromRawLexer(T) || T.isNot(tok::eof);) {
    if (T.is(tok::raw_identifier)) {
      IdentifierInfo *Name = PP.getIdentifierInfo(T.getRawIdentifier());
      T.setIdentifierInfo(Name);
      T.setKind(Name->getTokenID());
    }
    if (T.is(tok::eof))
      break;
    Raw.push_back(T);
  }
  std::set<const IdentifierInfo *> Inside;
  All = expanded(Raw, Inside);
  Token End;
  End.startToken();
  End.setKind(tok::eof);
  All.push_back(End);
}

const MacroInfo *Expanded::macro(const IdentifierInfo *Name) const {
  return Name ? PP.getMacroDefinitionAtLoc(Name, Place).getMacroInfo() : nullptr;
}

Expanded::Tokens Expanded::expanded(const Tokens &In, std::set<const IdentifierInfo *> &Inside) {
  Tokens Out;
  for (size_t I = 0; I < In.size(); ++I) {
    const IdentifierInfo *Name = In[I].getIdentifierInfo();
    const MacroInfo *M = !Inside.count(Name) && Inside.size() < 16 ? macro(Name) : nullptr;
    std::vector<Tokens> Arguments;
    size_t End = I + 1;
    if (!M || (M->isFunctionLike() && !arguments(In, End, Arguments))) {
      Out.push_back(In[I]);
      continue;
    }
    Good &= !M->isBuiltinMacro() && !M->isVariadic() &&
            (Arguments.size() == M->getNumParams() || (M->getNumParams() == 0 && Arguments.size() == 1));
    for (Tokens &Each : Arguments)
      Each = expanded(Each, Inside);
    Tokens Body;
    for (const Token &T : M->tokens()) {
      Good &= !T.isOneOf(tok::hash, tok::hashhash);
      const int Which = T.getIdentifierInfo() ? M->getParameterNum(T.getIdentifierInfo()) : -1;
      if (Which >= 0 && size_t(Which) < Arguments.size())
        llvm::append_range(Body, Arguments[size_t(Which)]);
      else
        Body.push_back(T);
    }
    Inside.insert(Name);
    llvm::append_range(Out, expanded(Body, Inside));
    Inside.erase(Name);
    I = End - 1;
    Good &= Out.size() < 1000;
    if (!Good) {
      if (Unclear.empty())
        Unclear = Name->getName().str();
      break;
    }
  }
  return Out;
}

std::string Expanded::text() const {
  std::string Out;
  for (const Token &T : llvm::ArrayRef(All).drop_back())
    Out += (Out.empty() ? "" : " ") + spelling(T);
  return Out;
}

bool Expanded::mayYield(llvm::StringRef Name) const {
  std::set<const IdentifierInfo *> Seen;
  return mayYield(Raw, nullptr, Name, Seen);
}

bool Expanded::hasMacro(llvm::StringRef Name) const {
  return llvm::any_of(Raw, [&](const Token &T) { return macro(T.getIdentifierInfo()); }) && mayYield(Name);
}

// In: the tokens of macro Of, or of no macro.
bool Expanded::mayYield(llvm::ArrayRef<Token> In, const MacroInfo *Of, llvm::StringRef Name,
                        std::set<const IdentifierInfo *> &Seen) const {
  return llvm::any_of(In, [&](const Token &T) {
    const IdentifierInfo *Id = T.getIdentifierInfo();
    if (Of && Id && Of->getParameterNum(Id) >= 0)
      return false;
    if (T.is(tok::hashhash) || (Id && Id->getName() == Name))
      return true;
    const MacroInfo *M = Id && Seen.insert(Id).second ? macro(Id) : nullptr;
    return M && mayYield(M->tokens(), M, Name, Seen);
  });
}

// True if T is a name or a path of members: a, s->a, s.a.b. Parentheses around all of it are left out.
static bool isPath(llvm::ArrayRef<Token> &T) {
  while (T.size() > 2 && T.front().is(tok::l_paren) && T.back().is(tok::r_paren))
    T = T.drop_front().drop_back();
  for (size_t I = 0; I != T.size(); ++I)
    if (I % 2 ? !T[I].isOneOf(tok::arrow, tok::period)
              : !(T[I].is(tok::identifier) || (I == 0 && T[I].is(tok::kw_this))))
      return false;
  return T.size() % 2 == 1;
}

Section withoutMacro(Preprocessor &PP, Section S) {
  if (S.BaseName.empty() || S.BaseName != S.Base.Text)
    return S;
  const Expanded In(PP, S.Loc, S.Base.Text);
  llvm::ArrayRef<Token> All = llvm::ArrayRef(In.All).drop_back();
  if (!In.Good || !In.hasMacro(S.BaseName) || !isPath(All))
    return S;
  std::string Text;
  for (const Token &T : All)
    Text += spelling(T);
  S.Base.Names = {{spelling(All.front()), S.Loc}};
  S.Base.Text = Text;
  S.BaseName = S.RootName = All.size() == 1 ? Text : "";
  return S;
}

} // namespace hsched::cc
