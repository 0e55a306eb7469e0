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

SourceLocation endOfText(llvm::ArrayRef<Token> Tokens) {
  Reader R(Tokens);
  return R.statement() ? R.last().getEndLoc() : SourceLocation();
}

} // namespace hsched::cc
