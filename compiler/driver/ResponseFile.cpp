// @file: arguments kept in a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ResponseFile.h"

#include "driver/Files.h"

#include <cctype>

namespace hsched::cc {

StringList splitQuoted(const std::string &Text) {
  StringList Result;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && I + 1 < Text.size()) {
      Word += Text[++I];
      InWord = true;
    } else if (Quote) {
      if (C == Quote)
        Quote = 0;
      else
        Word += C;
    } else if (C == '"' || C == '\'') {
      Quote = C;
      InWord = true;
    } else if (std::isspace(static_cast<unsigned char>(C))) {
      if (InWord)
        Result.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Result.push_back(std::move(Word));
  return Result;
}

std::string quoteWord(const std::string &Word) {
  if (!Word.empty() && Word.find_first_of(" \t\n\r\v\f\"'\\") == std::string::npos)
    return Word;
  std::string Result = "\"";
  for (char C : Word) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + '"';
}

bool expandResponseFiles(StringList &Words, std::string &Error) {
  // Limits the total number of files, not the depth: enough for any build, and cycles end.
  unsigned Left = 2000;
  for (size_t I = 0; I < Words.size();) {
    std::string Text;
    if (Words[I].size() < 2 || Words[I][0] != '@' || !readFile(Words[I].substr(1), Text)) {
      ++I;
      continue;
    }
    if (Left-- == 0) {
      Error = "too many response files: '" + Words[I] + "' seems to name itself";
      return false;
    }
    StringList Inner = splitQuoted(Text);
    Words.erase(Words.begin() + static_cast<std::ptrdiff_t>(I));
    Words.insert(Words.begin() + static_cast<std::ptrdiff_t>(I), Inner.begin(), Inner.end());
  }
  return true;
}

} // namespace hsched::cc
