// Where generated functions and structs are declared in the user's text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Declarations.h"

#include "analysis/bind/Conditions.h"
#include "emit/Code.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hsched::cc {

std::string withinNamespaces(const FunctionDecl *FD, std::string Text) {
  const DeclContext *Here = FD->getLexicalDeclContext()->getPrimaryContext();
  for (const DeclContext *DC = FD->getDeclContext(); DC && !DC->isTranslationUnit(); DC = DC->getParent()) {
    const auto *NS = dyn_cast<NamespaceDecl>(DC);
    if (DC->getPrimaryContext() == Here || isa<CXXRecordDecl>(DC))
      break;
    if (NS)
      Text = (NS->isInline() ? "inline namespace " : "namespace ") + NS->getNameAsString() + " {\n" + Text + "}\n";
  }
  return Text;
}

void befriend(const FunctionDecl &Task, const std::string &BodyName, const SourceManager &SM, const LangOptions &Lang,
              Edits &Out) {
  for (const FunctionDecl *Friend : Task.redecls()) {
    const FunctionTemplateDecl *Template = Friend->getDescribedFunctionTemplate();
    const SourceLocation Begin = Template ? Template->getBeginLoc() : Friend->getOuterLocStart();
    const SourceLocation Name = Friend->getLocation();
    const SourceLocation End = Lexer::getLocForEndOfToken(Friend->getEndLoc(), 0, SM, Lang);
    if (Friend->getFriendObjectKind() == Decl::FOK_None || Friend->getQualifier() || !Friend->isExternallyVisible() ||
        Friend->doesThisDeclarationHaveABody() || Begin.isMacroID() || Name.isMacroID() || End.isInvalid())
      continue;
    const llvm::StringRef All = SM.getBufferData(SM.getFileID(Begin));
    const unsigned From = SM.getFileOffset(Begin), At = SM.getFileOffset(Name);
    const std::string Text =
        All.slice(From, At).str() + BodyName +
        All.slice(At + static_cast<unsigned>(Task.getNameAsString().size()), SM.getFileOffset(End)).str();
    const PresumedLoc Place = SM.getPresumedLoc(Begin);
    Out.insert(Begin,
               "\n" + withoutConditions(Text, Lang) + "\n;\n" + lineDirective(Place.getLine(), Place.getFilename()));
  }
}

void befriendAround(const FunctionDecl &F, const std::string &Friendship, const SourceManager &SM, Edits &Out) {
  const auto *Class = dyn_cast<CXXRecordDecl>(F.getDeclContext());
  const std::string Text = llvm::StringRef(Friendship).trim().str();
  for (; Class && isa<CXXRecordDecl>(Class->getDeclContext()); Class = cast<CXXRecordDecl>(Class->getDeclContext())) {
    const CXXRecordDecl *Around = cast<CXXRecordDecl>(Class->getDeclContext())->getDefinition();
    const SourceLocation Brace = Around ? Around->getBraceRange().getBegin() : SourceLocation();
    if (Class->getAccess() == AS_public || Brace.isInvalid() || Brace.isMacroID())
      continue;
    const SourceLocation Inside = Brace.getLocWithOffset(1);
    const unsigned Offset = SM.getFileOffset(Inside);
    if (llvm::none_of(Out.of(SM.getFileID(Inside)),
                      [&](const Edits::Edit &E) { return E.Offset == Offset && E.Text == Text; }))
      Out.insert(Inside, Text);
  }
}

unsigned endOfDefault(Lexer &Raw, const SourceManager &SM, unsigned From, unsigned End) {
  if (End > From + 1)
    return End;
  Token T;
  for (int Depth = 0; !Raw.LexFromRawLexer(T); End = SM.getFileOffset(T.getEndLoc())) {
    if (Depth == 0 && T.isOneOf(tok::comma, tok::r_paren))
      break;
    Depth +=
        T.isOneOf(tok::l_paren, tok::l_brace, tok::l_square) - T.isOneOf(tok::r_paren, tok::r_brace, tok::r_square);
  }
  return End;
}

} // namespace hsched::cc
