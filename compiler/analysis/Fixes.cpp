// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Fixes.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hsched::cc {
namespace {

constexpr llvm::StringRef Blanks = " \t";

// The range from offset From to offset To in At's file.
CharSourceRange range(SourceLocation Loc, unsigned At, size_t From, size_t To) {
  auto place = [&](size_t X) { return Loc.getLocWithOffset(static_cast<int>(X) - static_cast<int>(At)); };
  return CharSourceRange::getCharRange(place(From), place(To));
}

// Extends the range from a section to the list with its generators, if the section is the only one in it.
bool wholeList(llvm::StringRef Text, const DataClause &Clause, const SourceManager &SM, size_t &From, size_t &To) {
  From = Text.find_last_not_of(Blanks, From);
  if (From == llvm::StringRef::npos || Text[From] != '{')
    return false;
  // Not across a string, a comment, the next line, or another list.
  To = Text.find_first_of("}\"'\n/{", From + 1);
  if (To == llvm::StringRef::npos || Text[To++] != '}')
    return false;
  return llvm::count_if(Clause.Sections, [&](const Section &S) {
           const size_t At = SM.getDecomposedLoc(S.Loc).second;
           return From < At && At < To;
         }) == 1;
}

} // namespace

Fixes fixRole(const SourceManager &SM, const Directive &D, SourceLocation Loc, const std::string &Role) {
  for (const DataClause &Clause : D.Data)
    for (const Section &S : Clause.Sections) {
      if (S.Loc != Loc || !Clause.Loc.isFileID() || !Loc.isFileID())
        continue;
      // reduction(+: x) and depend(in: x) say more in front of the list.
      if (Clause.Role == AccessRole::Reduction ||
          llvm::StringRef(SM.getCharacterData(Clause.Loc)).starts_with("depend"))
        return {};
      if (Clause.Sections.size() == 1)
        return {FixItHint::CreateReplacement(CharSourceRange::getTokenRange(Clause.Loc, Clause.Loc), Role)};
      const auto [File, At] = SM.getDecomposedLoc(Loc);
      const llvm::StringRef Text = SM.getBufferData(File);
      if (S.Text.empty() || !Text.substr(At).starts_with(S.Text))
        return {};
      size_t From = At, To = At + S.Text.size();
      if (!S.Over.empty() && !wholeList(Text, Clause, SM, From, To))
        return {};
      const std::string Item = Text.slice(From, To).str();
      // With the comma that follows or, for the last one, the comma before.
      const size_t After = Text.find_first_not_of(Blanks, To), Before = Text.find_last_not_of(Blanks, From);
      if (Text[Before] != ',' && Text[Before] != '(')
        return {};
      if (After != llvm::StringRef::npos && Text[After] == ',')
        To = Text.find_first_not_of(Blanks, After + 1);
      else if (After != llvm::StringRef::npos && Text[After] == ')' && Text[Before] == ',')
        From = Before;
      else
        return {};
      return {FixItHint::CreateInsertion(Clause.Loc, Role + "(" + Item + ") "),
              FixItHint::CreateRemoval(range(Loc, At, From, To))};
    }
  return {};
}

Fixes fixWithoutData(const SourceManager &SM, const Directive &D) {
  Fixes All;
  for (const DataClause &Clause : D.Data) {
    if (!Clause.Loc.isFileID())
      return {};
    const auto [File, At] = SM.getDecomposedLoc(Clause.Loc);
    const llvm::StringRef Text = SM.getBufferData(File);
    size_t To = Text.find('(', At);
    for (int Depth = 0; To < Text.size(); ++To) {
      if (llvm::StringRef("\"'\n/").contains(Text[To])) // Not across a string, a comment, or the next line.
        return {};
      Depth += Text[To] == '(';
      Depth -= Text[To] == ')';
      if (Depth == 0)
        break;
    }
    if (To >= Text.size())
      return {};
    const size_t Before = Text.find_last_not_of(Blanks, At);
    All.push_back(FixItHint::CreateRemoval(range(Clause.Loc, At, Before + 1, To + 1)));
  }
  return All;
}

Fixes fixLocalSizes(const SourceManager &SM, const LangOptions &Lang, const RangeClause &Range,
                    const std::string &Sizes) {
  if (Sizes.empty() || Range.Global.empty())
    return {};
  const SourceLocation Begin = Range.Local.empty() ? Range.Global.back().End : Range.Local.front().Begin;
  const SourceLocation End = Range.Local.empty() ? Begin : Range.Local.back().End;
  if (!Begin.isFileID() || !End.isFileID())
    return {};
  if (Range.Local.empty())
    return {FixItHint::CreateInsertion(Lexer::getLocForEndOfToken(Begin, 0, SM, Lang), "; " + Sizes)};
  return {FixItHint::CreateReplacement(CharSourceRange::getTokenRange(Begin, End), Sizes)};
}

Fixes fixWith(const Directive &D, const std::string &Clause) {
  if (Clause.empty() || !D.Behind.isFileID())
    return {};
  return {FixItHint::CreateInsertion(D.Behind, " " + Clause)};
}

} // namespace hsched::cc
