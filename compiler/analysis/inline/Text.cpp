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
  Reader(llvm::ArrayRef<Token> In, llvm::function_ref<const MacroInfo *(const Token &)> Macro) : In(In), Macro(Macro) {}

  bool statement() {
    if (!prefixes())
      return false;
    if (const MacroInfo *M = Macro(In[At]); M && isHead(*M)) {
      const bool If = M->tokens()[0].getIdentifierInfo()->getName() == "if";
      if (++At, M->isFunctionLike() && (At == In.size() || In[At].isNot(tok::l_paren) || !group()))
        return false;
      return statement() && (!If || !now("else") || (++At, statement()));
    }
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
  llvm::function_ref<const MacroInfo *(const Token &)> Macro;
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
  // Labels, cases and attributes in front of a statement.
  bool prefixes() {
    while (At + 1 < In.size())
      if (In[At].is(tok::l_square) && In[At + 1].is(tok::l_square)) {
        if (!group())
          return false;
      } else if (now("__attribute__") || now("__attribute")) {
        if (++At, !group())
          return false;
      } else if (now("__extension__")) {
        ++At;
      } else if (now("case")) {
        while (At < In.size() && In[At].isNot(tok::colon))
          ++At;
        ++At;
      } else if (In[At].is(tok::raw_identifier) && In[At + 1].is(tok::colon)) {
        At += 2;
      } else {
        return true;
      }
    return At < In.size();
  }
  // True if M is the head of a loop or of an if: for (int i = 0; i < (n); ++i).
  static bool isHead(const MacroInfo &M) {
    static constexpr llvm::StringRef Words[] = {"if", "for", "while"};
    const llvm::ArrayRef<Token> All = M.tokens();
    if (All.size() < 3 || !All[0].getIdentifierInfo() ||
        !llvm::is_contained(Words, All[0].getIdentifierInfo()->getName()))
      return false;
    int Open = 0;
    for (size_t I = 1; I != All.size(); ++I) {
      Open += All[I].is(tok::l_paren) - All[I].is(tok::r_paren);
      if (Open == 0)
        return I + 1 == All.size() && I != 1;
    }
    return false;
  }
  // True if what T stands for does not begin, end or divide a statement. Behind one that does, the text tells nothing.
  bool plain(const Token &T, bool First, unsigned Depth = 0) const {
    const MacroInfo *M = Macro(T);
    if (!M)
      return true;
    int Open = 0;
    bool Begins = First;
    for (const Token &Each : M->tokens()) {
      static constexpr llvm::StringRef Words[] = {"if", "for", "while", "switch", "else", "try", "case", "default"};
      const IdentifierInfo *Name = Each.getIdentifierInfo();
      Open += Each.isOneOf(tok::l_paren, tok::l_brace, tok::l_square) -
              Each.isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
      if (Open < 0 || (Open == 0 && Each.is(tok::semi)) || (Begins && Each.is(tok::l_brace)) ||
          (Begins && Name && llvm::is_contained(Words, Name->getName())) || Depth == 16 ||
          !plain(Each, Begins, Depth + 1))
        return false;
      Begins = false;
    }
    return Open == 0;
  }
  // To the semicolon.
  bool simple() {
    for (size_t I = At; I < In.size() && In[I].isNot(tok::semi); ++I)
      if (!plain(In[I], I == At))
        return false;
    while (At < In.size() && In[At].isNot(tok::semi))
      if (In[At].isOneOf(tok::r_paren, tok::r_brace, tok::r_square) ||
          (In[At].isOneOf(tok::l_paren, tok::l_brace, tok::l_square) ? !group() : (++At, false)))
        return false;
    return At < In.size() && (++At, true);
  }
};

} // namespace

const MacroInfo *macroAt(Preprocessor &PP, const Token &T, SourceLocation Place) {
  IdentifierInfo *Name = T.is(tok::raw_identifier) ? PP.getIdentifierInfo(T.getRawIdentifier()) : T.getIdentifierInfo();
  return Name && Name->hadMacroDefinition() ? PP.getMacroDefinitionAtLoc(Name, Place).getMacroInfo() : nullptr;
}

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
  const auto spelled = [&](size_t I) -> llvm::StringRef {
    const IdentifierInfo *Name = Tokens[I].is(tok::raw_identifier) ? nullptr : Tokens[I].getIdentifierInfo();
    return Name ? Name->getName() : Tokens[I].is(tok::raw_identifier) ? Tokens[I].getRawIdentifier() : "";
  };
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

SourceLocation endOfText(llvm::ArrayRef<Token> Tokens, llvm::function_ref<const MacroInfo *(const Token &)> Macro) {
  Reader R(Tokens, Macro);
  return R.statement() ? R.last().getEndLoc() : SourceLocation();
}

} // namespace hsched::cc
