// Dependency files: rules for make, as GCC writes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/DependencyFile.h"

#include <unordered_set>

namespace hsched::cc {
namespace {

constexpr size_t LineWidth = 76;

/// The words of one logical line, unquoted.
StringList prerequisites(const std::string &Text) {
  StringList Words;
  std::string Word;
  auto Flush = [&] {
    if (!Word.empty())
      Words.push_back(std::move(Word));
    Word.clear();
  };
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I], After = I + 1 < Text.size() ? Text[I + 1] : '\0';
    if (C == '\\' && (After == ' ' || After == '#' || After == '\t' || After == '\\')) {
      // A backslash is literal unless the run of backslashes ends at a blank or a special character.
      size_t End = Text.find_first_not_of('\\', I);
      bool Quotes = End != std::string::npos && (Text[End] == ' ' || Text[End] == '#' || Text[End] == '\t');
      if (!Quotes) {
        Word += C;
      } else {
        Word.append((End - I) / 2, '\\');
        if ((End - I) % 2 != 0)
          Word += Text[End];
        else
          --End;
        I = End;
      }
    } else if (C == '$' && After == '$') {
      Word += '$';
      ++I;
    } else if (C == ' ' || C == '\t') {
      Flush();
    } else {
      Word += C;
    }
  }
  Flush();
  return Words;
}

/// The first logical line, continuations joined.
std::string firstRule(const std::string &Rules) {
  std::string Result;
  for (size_t I = 0; I < Rules.size() && Rules[I] != '\n'; ++I) {
    if (Rules[I] == '\\' && I + 1 < Rules.size() && Rules[I + 1] == '\n') {
      Result += ' ';
      ++I;
    } else if (Rules[I] != '\r') {
      Result += Rules[I];
    }
  }
  return Result;
}

/// The colon that ends the targets: the first one before a blank or the end.
size_t colonOf(const std::string &Rule) {
  size_t At = 0;
  while ((At = Rule.find(':', At)) != std::string::npos && At + 1 < Rule.size() && Rule[At + 1] != ' ')
    ++At;
  return At;
}

} // namespace

std::string quoteForMake(const std::string &Path) {
  std::string Result;
  for (size_t I = 0; I < Path.size(); ++I) {
    if (Path[I] == ' ' || Path[I] == '\t') {
      for (size_t J = I; J > 0 && Path[J - 1] == '\\'; --J)
        Result += '\\';
      Result += '\\';
    } else if (Path[I] == '#') {
      Result += '\\';
    } else if (Path[I] == '$') {
      Result += '$';
    }
    Result += Path[I];
  }
  return Result;
}

std::string rewriteDependencies(const std::string &Rules, const DependencyRewrite &Rewrite) {
  std::string Rule = firstRule(Rules);
  size_t Colon = colonOf(Rule);
  if (Colon == std::string::npos)
    return Rules;
  StringList Found = {Rewrite.UserFile};
  for (std::string &Word : prerequisites(Rule.substr(Colon + 1))) {
    if (Word == Rewrite.GeneratedFile)
      continue;
    bool HasDot = Rewrite.DotRemoved && Word.compare(0, 2, "./") == 0;
    Found.push_back(HasDot ? Word.substr(2) : std::move(Word));
  }
  Found.insert(Found.end(), Rewrite.More.begin(), Rewrite.More.end());

  std::unordered_set<std::string> Seen;
  std::string Result = Rule.substr(0, Colon + 1), Phony;
  size_t Column = Result.size();
  for (const std::string &Word : Found) {
    if (!Seen.insert(Word).second)
      continue;
    std::string Quoted = quoteForMake(Word);
    if (Column + Quoted.size() + 1 > LineWidth && Column > 1) {
      Result += " \\\n";
      Column = 0;
    }
    Result += " " + Quoted;
    Column += Quoted.size() + 1;
    if (Rewrite.Phony && Word != Rewrite.UserFile)
      Phony += Quoted + ":\n";
  }
  return Result + "\n" + Phony;
}

} // namespace hsched::cc
