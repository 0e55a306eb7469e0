// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/NeededBodies.h"

#include "clang/Basic/IdentifierTable.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace clang;

namespace hsched::cc {
namespace {

using Words = llvm::StringSet<>;

// Functions that are called without being named.
bool calledUnseen(llvm::StringRef Name) { return Name == "begin" || Name == "end" || Name == "get" || Name == "swap"; }

class Scan {
public:
  Scan(llvm::StringRef Text, const LangOptions &Lang)
      : Raw(SourceLocation::getFromRawEncoding(1), Lang, Text.begin(), Text.begin(), Text.end()), Identifiers(Lang),
        Lang(Lang) {}

  // A function, or another construct with braces, and the names between them.
  struct Body {
    std::vector<llvm::StringRef> Keys;
    std::vector<llvm::StringRef> Mentions;
    struct Assignment {
      llvm::StringRef To;
      std::vector<llvm::StringRef> From; // The names behind the '='.
      bool Declares;                     // To is declared there, or what it points to is assigned.
    };
    std::vector<Assignment> Assigns;
    std::vector<llvm::StringRef> Returns; // The names behind 'return'.
    bool Annotated = false;               // A directive precedes it.
    bool HasDirective = false;            // It contains a directive.
    bool Always = false;                  // Its name does not tell when it is called.
  };
  std::vector<Body> Bodies;
  Words InDirectives;
  bool Unclear = false;

  void run() {
    while (next()) {
      if (T.is(tok::hash) && T.isAtStartOfLine())
        directive(nullptr);
      else if (T.is(tok::l_brace))
        brace();
      else if (T.is(tok::r_brace)) {
        Unclear |= Depth-- == 0;
        Head.clear();
      } else if (T.is(tok::semi) && Parens == 0)
        endOfDeclaration();
      else {
        Parens += T.is(tok::l_paren) ? 1 : T.is(tok::r_paren) ? -1 : 0;
        Head.push_back(word());
      }
    }
    Unclear |= Depth != 0;
  }

private:
  Lexer Raw;
  IdentifierTable Identifiers;
  const LangOptions &Lang;
  Token T;
  struct Word {
    tok::TokenKind Kind;
    llvm::StringRef Text; // The identifier's text.
  };
  std::vector<Word> Head; // The words of the current declaration.
  bool Pending = false;   // A directive stands before it.
  int Parens = 0, Depth = 0;

  bool next() {
    if (Kept) {
      Kept = false;
      return !T.is(tok::eof);
    }
    Raw.LexFromRawLexer(T);
    return !T.is(tok::eof);
  }
  bool Kept = false;        // The next step must read T again.
  bool InTemplates = false; // A class template has begun.

  llvm::StringRef text() const { return T.is(tok::raw_identifier) ? T.getRawIdentifier() : llvm::StringRef(); }
  Word word() const { return {T.getKind(), text()}; }
  bool isKeyword(llvm::StringRef Name) { return Identifiers.get(Name).isKeyword(Lang); }

  // T is the '#'. In is the body around it, if any.
  void directive(Body *In) {
    next();
    llvm::StringRef Kind = text();
    std::vector<llvm::StringRef> Line;
    while (next() && !T.isAtStartOfLine())
      if (!text().empty())
        Line.push_back(text());
    Kept = true;
    if (Kind == "pragma" && !Line.empty() && Line[0] == "hsched") {
      for (llvm::StringRef Name : Line)
        InDirectives.insert(Name);
      if (In)
        In->HasDirective = true;
      else
        Pending = true;
    } else if (Kind == "define" && !Line.empty()) {
      Body Macro;
      Macro.Keys = {Line[0]};
      Macro.Mentions.assign(Line.begin() + 1, Line.end());
      for (llvm::StringRef Name : Macro.Mentions)
        Unclear |= Name == "_Pragma" || Name == "hsched"; // The directive's origin is unknown.
      Bodies.push_back(std::move(Macro));
    }
  }

  void endOfDeclaration() {
    if (Pending) { // A task that is only declared: functions that name it are needed.
      Body B = headed();
      B.Annotated = true;
      Bodies.push_back(std::move(B));
    }
    Pending = false;
    Head.clear();
  }

  // Builds the body's entry from the words of its head.
  Body headed() {
    Body B;
    std::vector<llvm::StringRef> Called, Others;
    bool Assigned = false, Template = false;
    int Depth = 0;
    for (size_t I = 0; I < Head.size(); ++I) {
      const Word &W = Head[I];
      Depth += W.Kind == tok::l_paren ? 1 : W.Kind == tok::r_paren ? -1 : 0;
      Assigned |= W.Kind == tok::equal && Depth == 0;
      Template |= W.Text == "template";
      B.Always |= W.Kind == tok::tilde || W.Text == "operator";
      if (W.Text.empty() || isKeyword(W.Text))
        continue;
      if (I + 1 < Head.size() && Head[I + 1].Kind == tok::l_paren)
        Called.push_back(W.Text);
      else
        Others.push_back(W.Text);
    }
    // A variable is initialized with functions that its users call through it.
    if (Assigned || Called.empty())
      Called.insert(Called.end(), Others.begin(), Others.end());
    B.Keys = std::move(Called);
    B.Always |= isConstructor();
    Unclear |= Pending && Template; // Functions that instantiate a task are needed.
    return B;
  }

  // "X(", "explicit X(", "X::X(": no type precedes the name.
  bool isConstructor() {
    size_t I = 0;
    while (I < Head.size() && isKeyword(Head[I].Text))
      ++I;
    while (I + 2 < Head.size() && Head[I + 1].Kind == tok::coloncolon && !Head[I + 2].Text.empty())
      I += 2;
    return I + 1 < Head.size() && !Head[I].Text.empty() && Head[I + 1].Kind == tok::l_paren &&
           std::none_of(Head.begin(), Head.begin() + static_cast<std::ptrdiff_t>(I), [](const Word &W) {
             return W.Text == "void" || W.Text == "int" || W.Text == "double" || W.Text == "float" ||
                    W.Text == "auto" || W.Text == "bool" || W.Text == "char" || W.Text == "long" || W.Text == "short" ||
                    W.Text == "unsigned" || W.Text == "signed";
           });
  }

  // T is a '{' outside of any body.
  void brace() {
    bool Scope = Parens == 0, HasParens = false;
    for (const Word &W : Head)
      HasParens |= W.Kind == tok::l_paren || W.Kind == tok::equal;
    bool Named = false;
    for (const Word &W : Head)
      Named |= W.Text == "namespace" || W.Text == "extern" || W.Text == "class" || W.Text == "struct" ||
               W.Text == "union" || W.Text == "enum";
    for (const Word &W : Head) // A class's head may have parentheses too.
      Unclear |= Named && (W.Text == "alignas" || W.Text == "__attribute__" || W.Text == "__declspec");
    Scope &= Named && !HasParens;
    if (Scope) {
      for (const Word &W : Head)
        InTemplates |= W.Text == "template";
      ++Depth;
      Head.clear();
      Pending = false;
      return;
    }
    bool Template = InTemplates;
    for (const Word &W : Head)
      Template |= W.Text == "template";
    Body B = headed();
    B.Annotated = Pending;
    Pending = false;
    int Inner = 1;
    std::array<Word, 2> Last = {}; // The tokens before T.
    bool Assigned = false, Returned = false;
    while (Inner > 0 && next()) {
      if (T.is(tok::equal) && !Last[1].Text.empty()) {
        B.Assigns.push_back({Last[1].Text, {}, !Last[0].Text.empty() || Last[0].Kind == tok::star});
        Assigned = true;
      } else if (T.isOneOf(tok::semi, tok::l_brace, tok::r_brace)) {
        Assigned = Returned = false;
      } else if (text() == "return") {
        Returned = true;
      } else if (!text().empty()) {
        if (Assigned)
          B.Assigns.back().From.push_back(text());
        if (Returned)
          B.Returns.push_back(text());
      }
      Last = {Last[1], word()};
      if (T.is(tok::hash) && T.isAtStartOfLine())
        directive(&B);
      else if (T.is(tok::l_brace))
        ++Inner;
      else if (T.is(tok::r_brace))
        --Inner;
      else if (!text().empty())
        B.Mentions.push_back(text());
    }
    Unclear |=
        Inner != 0 || (B.HasDirective && Template); // Functions that instantiate a statement's template are needed.
    Bodies.push_back(std::move(B));
    // A constructor's initializers may have braces; the body that follows belongs to the same function.
    next();
    Kept = true;
    if (!T.is(tok::comma) && !T.is(tok::l_brace))
      Head.clear();
  }
};

} // namespace

NeededBodies::NeededBodies(llvm::StringRef Text, const LangOptions &Lang) {
  Scan S(Text, Lang);
  S.run();
  All = S.Unclear;
  if (All)
    return;
  llvm::StringMap<std::vector<const Scan::Body *>> ByName;
  Words Tasks, Reached;
  std::vector<llvm::StringRef> Work;
  auto reach = [&](llvm::StringRef Name) {
    if (Reached.insert(Name).second)
      Work.push_back(Name);
  };
  for (const Scan::Body &B : S.Bodies) {
    bool Unseen = B.Always;
    for (llvm::StringRef Name : B.Keys) {
      ByName[Name].push_back(&B);
      if (B.Annotated)
        Tasks.insert(Name);
      Unseen |= calledUnseen(Name);
    }
    if (B.Annotated || B.HasDirective || Unseen) {
      for (llvm::StringRef Name : B.Keys)
        reach(Name);
      for (llvm::StringRef Name : B.Mentions)
        reach(Name);
    }
  }
  for (const auto &Name : S.InDirectives) // Clauses call functions and are compared with bodies.
    if (const auto Found = ByName.find(Name.getKey()); Found != ByName.end())
      reach(Found->getKey());
  while (!Work.empty()) {
    llvm::StringRef Name = Work.back();
    Work.pop_back();
    auto Found = ByName.find(Name);
    if (Found == ByName.end())
      continue;
    for (const Scan::Body *B : Found->second)
      for (llvm::StringRef Mention : B->Mentions)
        reach(Mention);
  }
  // Pointers that are assigned what a clause names, also by way of others: functions that assign to them are needed.
  Words Pointers;
  const auto Named = [&](llvm::StringRef Name) { return S.InDirectives.contains(Name) || Pointers.contains(Name); };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Scan::Body &B : S.Bodies) {
      Words Own; // Variables of the body, and what is assigned to names in clauses.
      // A clause may name inside, of inside = buffer + 1, and a body use buffer; or both may be assigned block.
      llvm::StringMap<Words> Given;
      for (const Scan::Body::Assignment &A : B.Assigns)
        for (llvm::StringRef From : Reached.contains(A.To) ? A.From : std::vector<llvm::StringRef>())
          Given[From].insert(A.To);
      for (const Scan::Body::Assignment &A : B.Assigns)
        for (llvm::StringRef From : Named(A.To) ? A.From : std::vector<llvm::StringRef>())
          if (const auto To = Given.find(From); Reached.contains(From)) {
            Changed |= Pointers.insert(A.To).second | Pointers.insert(From).second;
          } else if (To != Given.end() && To->second.size() > To->second.count(A.To)) {
            Own.insert(From);
            Changed |= Pointers.insert(A.To).second;
          }
      const auto leads = [&](llvm::StringRef Name) { return Named(Name) || Own.contains(Name); };
      for (const Scan::Body::Assignment &A : B.Assigns)
        if (llvm::any_of(A.From, leads)) {
          Own.insert(A.To);
          Changed |= !A.Declares && Reached.contains(A.To) && Pointers.insert(A.To).second;
        }
    }
  }
  const auto assigns = [&](const Scan::Body::Assignment &A) { return !A.Declares && Pointers.contains(A.To); };
  // Callers of tasks are kept, but of the other functions that they call only those that return what tasks mention.
  const auto callsTask = [&](const Scan::Body &B) {
    return llvm::any_of(B.Mentions, [&](llvm::StringRef Name) { return Tasks.contains(Name); });
  };
  const auto returnsReached = [&](const Scan::Body *B) {
    return llvm::any_of(B->Returns, [&](llvm::StringRef Name) { return Reached.contains(Name); });
  };
  std::vector<llvm::StringRef> More;
  for (const Scan::Body &B : S.Bodies) {
    const bool Calls = callsTask(B);
    if (Calls || llvm::any_of(B.Assigns, assigns))
      More.insert(More.end(), B.Keys.begin(), B.Keys.end());
    for (llvm::StringRef Mention : Calls ? B.Mentions : std::vector<llvm::StringRef>())
      if (const auto Found = ByName.find(Mention); Found != ByName.end() && llvm::any_of(Found->second, returnsReached))
        More.push_back(Mention);
  }
  for (llvm::StringRef Name : More)
    Reached.insert(Name);
  Names = std::move(Reached);
}

} // namespace hsched::cc
