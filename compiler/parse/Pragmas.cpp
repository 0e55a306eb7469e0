// Handlers of pragmas in the preprocessor.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/DirectiveParser.h"
#include "parse/Tokens.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Pragma.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Handler final : public PragmaHandler {
public:
  explicit Handler(std::vector<Directive> &Out) : PragmaHandler("hsched"), Out(Out) {}

  void HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer, Token &) override {
    std::vector<Tok> Tokens;
    Token T;
    // Macros stay unexpanded, so that the output reads like the source and is expanded where it is compiled.
    for (PP.LexUnexpandedToken(T); T.isNot(tok::eod); PP.LexUnexpandedToken(T)) {
      Tok K{T, PP.getSpelling(T), false};
      const IdentifierInfo *II = T.getIdentifierInfo();
      K.IsMacro = II && PP.getMacroInfo(II);
      // One text for all spellings, since names and expressions are compared: [ for <:, & for bitand, a letter for
      // \u00e9.
      if (const char *Punctuator = tok::getPunctuatorSpelling(T.getKind()))
        K.Text = Punctuator;
      else if (II && T.hasUCN())
        K.Text = II->getName();
      Tokens.push_back(std::move(K));
    }
    Directive D{};
    D.Hash = D.Loc = Introducer.Loc;
    D.End = T.getLocation();
    D.Behind = Tokens.empty() ? D.End : PP.getLocForEndOfToken(Tokens.back().loc());
    if (Introducer.Loc.isMacroID() || Introducer.Kind != PIK_HashPragma) {
      unsigned Id = PP.getDiagnostics().getCustomDiagID(
          DiagnosticsEngine::Error,
          "an hsched directive must be written as '#pragma hsched': it cannot come from a macro");
      PP.getDiagnostics().Report(Introducer.Loc, Id);
      return;
    }
    parseDirective(PP, Tokens, D);
    Out.push_back(std::move(D));
  }

private:
  std::vector<Directive> &Out;
};

} // namespace

void addDirectiveHandler(Preprocessor &PP, std::vector<Directive> &Out) { PP.AddPragmaHandler(new Handler(Out)); }

} // namespace hsched::cc
