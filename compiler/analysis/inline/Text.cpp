// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/inline/Text.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hsched::cc {
namespace {

// Reads one statement. Each function moves At behind what it reads; false at the end of the tokens.
class Reader {
public:
  explicit Reader(llvm::ArrayRef<Token> In) : In(In) {}

  bool statement() {
    if (now("if") || now("while") || now("switch") || now("for")) {
      const bool If = now("if");
      for (++At; At < In.size() && In[At].isNot(tok::l_paren) && In[At].isNot(tok::l_brace);
           ++At) { // A word, as constexpr, is in front.
      }
      if ((At < In.size() && In[At].is(tok::l_paren) && !group()) || !statement())
        return false;
      return !If || !now("else") || (++At, statement());
    }
    if (now("else"))
      return false;
    if (now("do"))
      return ++At, statement() && simple();
    if (now("try")) {
      if (++At, !statement())
        return false;
      while (now("catch"))
        if (++At, !group() || !statement())
          return false;
      return true;
    }
    return At < In.size() && In[At].is(tok::l_brace) ? group() : simple();
  }
  const Token &last() const { return In[At - 1]; }

private:
  llvm::ArrayRef<Token> In;
  size_t At = 0;

  bool now(llvm::StringRef Word) const {
    return At < In.size() && In[At].is(tok::raw_identifier) && In[At].getRawIdentifier() == Word;
  }
  // From an opening bracket to its closing one.
  bool group() {
    int Depth = 0;
    for (; At < In.size(); ++At) {
      Depth += In[At].isOneOf(tok::l_paren, tok::l_brace, tok::l_square) -
               In[At].isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
      if (Depth == 0)
        return ++At, true;
    }
    return false;
  }
  // To the semicolon.
  bool simple() {
    while (At < In.size() && In[At].isNot(tok::semi))
      if (In[At].isOneOf(tok::r_paren, tok::r_brace, tok::r_square) ||
          (In[At].isOneOf(tok::l_paren, tok::l_brace, tok::l_square) ? !group() : (++At, false)))
        return false;
    return At < In.size() && (++At, true);
  }
};

} // namespace

std::vector<Token> tokensFrom(const ASTContext &Context, SourceLocation Loc) {
  const SourceManager &SM = Context.getSourceManager();
  Loc = SM.getExpansionLoc(Loc);
  const llvm::StringRef Buffer = SM.getBufferData(SM.getFileID(Loc));
  Lexer Text(SM.getLocForStartOfFile(SM.getFileID(Loc)), Context.getLangOpts(), Buffer.begin(),
             SM.getCharacterData(Loc), Buffer.end());
  std::vector<Token> Out;
  bool Directive = false;
  for (Token T; !Text.LexFromRawLexer(T);) {
    Directive = T.isAtStartOfLine() ? T.is(tok::hash) : Directive;
    if (!Directive)
      Out.push_back(T);
  }
  return Out;
}

size_t behindFunction(llvm::ArrayRef<Token> Tokens, size_t At) {
  if (At == 0 || Tokens[At].isNot(tok::l_brace) || !Tokens[At - 1].isOneOf(tok::r_paren, tok::r_square))
    return At;
  size_t Open = At - 1; // The parameters, or a lambda's captures.
  for (int Depth = 0; Open != 0; --Open) {
    Depth += Tokens[Open].isOneOf(tok::r_paren, tok::r_square) - Tokens[Open].isOneOf(tok::l_paren, tok::l_square);
    if (Depth == 0)
      break;
  }
  const auto spelled = [&](size_t I) { return Tokens[I].is(tok::raw_identifier) ? Tokens[I].getRawIdentifier() : ""; };
  const bool Captures = Tokens[Open].is(tok::l_square) || (Open != 0 && Tokens[Open - 1].is(tok::r_square));
  const llvm::StringRef Name = Open != 0 ? spelled(Open - 1) : "";
  const bool Named = Open > 1 && !Name.empty() && Name != "if" && Name != "for" && Name != "while" &&
                     Name != "switch" && Name != "catch" &&
                     (Tokens[Open - 2].is(tok::star) || !spelled(Open - 2).empty());
  if (!Captures && !Named)
    return At;
  size_t End = At;
  for (int Depth = 0; End != Tokens.size(); ++End) {
    Depth += Tokens[End].is(tok::l_brace) - Tokens[End].is(tok::r_brace);
    if (Depth == 0)
      return End + 1;
  }
  return At;
}

SourceLocation endOfText(llvm::ArrayRef<Token> Tokens) {
  Reader R(Tokens);
  return R.statement() ? R.last().getEndLoc() : SourceLocation();
}

} // namespace hsched::cc
