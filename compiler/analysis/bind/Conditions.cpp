// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Conditions.h"

#include "clang/Lex/Lexer.h"

#include <algorithm>
#include <vector>

using namespace clang;

namespace hsched::cc {
namespace {

struct Piece {
  size_t Begin, End; // Range of a directive: from its '#' to the end of its line.
};

// The directives of conditions in Text, in order, and which of them open or close one.
struct ConditionLine : Piece {
  enum { Opens, Goes, Closes } K;
};

std::vector<ConditionLine> conditionLines(const std::string &Text, const LangOptions &Options) {
  std::vector<ConditionLine> Lines;
  const char *Begin = Text.data();
  Lexer Raw(SourceLocation(), Options, Begin, Begin, Begin + Text.size());
  auto here = [&](const Token &T) { return static_cast<size_t>(Raw.getBufferLocation() - Begin) - T.getLength(); };
  for (Token T; !Raw.LexFromRawLexer(T);) {
    if (!T.is(tok::hash) || !T.isAtStartOfLine())
      continue;
    ConditionLine L{{here(T), 0}, ConditionLine::Opens};
    Raw.setParsingPreprocessorDirective(true);
    Raw.LexFromRawLexer(T);
    llvm::StringRef Name = T.is(tok::raw_identifier) ? T.getRawIdentifier() : "";
    while (T.isNot(tok::eod) && T.isNot(tok::eof))
      Raw.LexFromRawLexer(T);
    L.End = std::min(Text.find('\n', here(T)), Text.size());
    if (Name == "endif")
      L.K = ConditionLine::Closes;
    else if (Name.starts_with("el"))
      L.K = ConditionLine::Goes;
    else if (!Name.starts_with("if"))
      continue;
    Lines.push_back(L);
  }
  return Lines;
}

} // namespace

std::string withoutConditions(std::string Text, const LangOptions &Options, bool Whole) {
  if (Text.find('#') == std::string::npos)
    return Text;
  std::vector<Piece> Dropped, Open; // Open: conditions that begin in Text, from the first to the latest directive.
  bool Skipping = false;
  for (const ConditionLine &L : conditionLines(Text, Options)) {
    if (L.K == ConditionLine::Opens) {
      Open.push_back(L);
    } else if (!Open.empty()) {
      Open.back().End = L.End;
      if (L.K == ConditionLine::Closes) {
        if (Whole)
          Dropped.push_back(Open.back());
        Open.pop_back();
      }
    } else { // It belongs to a condition that began before: the rest of that is not taken.
      if (Skipping)
        Dropped.back().End = L.End;
      else
        Dropped.push_back(L);
      Skipping = L.K != ConditionLine::Closes;
    }
  }
  // The branch that continues behind Text is the taken one.
  Dropped.insert(Dropped.end(), Open.begin(), Open.end());
  std::sort(Dropped.begin(), Dropped.end(), [](const Piece &A, const Piece &B) { return A.Begin < B.Begin; });
  std::string Out;
  size_t At = 0;
  for (const Piece &P : Dropped) {
    if (P.End <= At) // Inside the previous one.
      continue;
    Out += Text.substr(At, P.Begin - At);
    Out.append(static_cast<size_t>(std::count(Text.begin() + static_cast<std::ptrdiff_t>(P.Begin),
                                              Text.begin() + static_cast<std::ptrdiff_t>(P.End), '\n')),
               '\n');
    At = P.End;
  }
  return Out + Text.substr(At);
}

} // namespace hsched::cc
