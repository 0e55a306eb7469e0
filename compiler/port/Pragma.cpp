// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/Pragma.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace hsched::port {
namespace {

bool isSpace(char C) { return std::isspace(static_cast<unsigned char>(C)) != 0; }
bool isWord(char C) { return std::isalnum(static_cast<unsigned char>(C)) != 0 || C == '_'; }

size_t skipSpace(std::string_view Text, size_t At) {
  while (At < Text.size() && isSpace(Text[At]))
    ++At;
  return At;
}

// Position after the bracket that closes the one at At; npos: it is not closed.
size_t behindBracket(std::string_view Text, size_t At) {
  int Depth = 0;
  for (; At < Text.size(); ++At) {
    if (std::string_view("([{").find(Text[At]) != std::string_view::npos)
      ++Depth;
    else if (std::string_view(")]}").find(Text[At]) != std::string_view::npos && --Depth == 0)
      return At + 1;
  }
  return std::string_view::npos;
}

// Whether the word Which begins at At.
bool wordAt(const std::string &Code, size_t At, std::string_view Which) {
  return Code.compare(At, Which.size(), Which) == 0 &&
         (At + Which.size() == Code.size() || !isWord(Code[At + Which.size()]));
}

// Position after the directive whose '#' is at At. Blanks may follow a backslash, for example the CR of CR LF.
size_t behindDirective(const std::string &Code, size_t At) {
  for (;; ++At) {
    At = std::min(Code.find('\n', At), Code.size());
    if (At == Code.size() || Code[Code.find_last_not_of(" \t\r", At - 1)] != '\\')
      return At;
  }
}

} // namespace

std::string trimmed(std::string_view Text) {
  while (!Text.empty() && isSpace(Text.front()))
    Text.remove_prefix(1);
  while (!Text.empty() && isSpace(Text.back()))
    Text.remove_suffix(1);
  return std::string(Text);
}

std::vector<std::string> listOf(std::string_view Text) {
  std::vector<std::string> Out;
  int Depth = 0;
  size_t Begin = 0;
  for (size_t I = 0; I <= Text.size(); ++I) {
    if (I < Text.size()) {
      Depth += std::string_view("([{").find(Text[I]) != std::string_view::npos;
      Depth -= std::string_view(")]}").find(Text[I]) != std::string_view::npos;
      if (Text[I] != ',' || Depth > 0)
        continue;
    }
    if (std::string Part = trimmed(Text.substr(Begin, I - Begin)); !Part.empty())
      Out.push_back(std::move(Part));
    Begin = I + 1;
  }
  return Out;
}

std::string ndrangeOf(const std::string &Inside) {
  const std::vector<std::string> List = listOf(Inside);
  const size_t Dims = List.empty() || List[0].size() != 1 ? 0 : static_cast<size_t>(List[0][0] - '0');
  if (Dims < 1 || Dims > 3 || List.size() % Dims != 1 % Dims || List.size() < 1 + Dims || List.size() > 1 + 3 * Dims)
    return "";
  std::string Out = " ndrange(";
  const bool Offset = List.size() == 1 + 3 * Dims;
  for (size_t I = 1 + (Offset ? Dims : 0), First = I; I < List.size(); ++I)
    Out += (I == First ? "" : I == First + Dims ? "; " : ", ") + List[I];
  for (size_t I = 0; Offset && I < Dims; ++I)
    Out += (I == 0 ? "; " : ", ") + List[1 + I];
  return Out + ")";
}

std::string baseOf(const std::string &Section) {
  size_t At = 0;
  while (At < Section.size() && Section[At] == '[') { // Shapes.
    const size_t Close = Section.find(']', At);
    At = Close == std::string::npos ? Section.size() : Close + 1;
  }
  while (At < Section.size() && !std::isalnum(static_cast<unsigned char>(Section[At])) && Section[At] != '_')
    ++At;
  size_t End = At;
  while (End < Section.size() && (std::isalnum(static_cast<unsigned char>(Section[End])) || Section[End] == '_'))
    ++End;
  return Section.substr(At, End - At);
}

std::string codeOf(std::string_view Text) {
  std::string Out(Text);
  auto blank = [&](size_t From, size_t To) {
    for (size_t I = From; I < std::min(To, Out.size()); ++I)
      if (Out[I] != '\n')
        Out[I] = ' ';
  };
  for (size_t I = 0; I < Text.size();) {
    const std::string_view Rest = Text.substr(I);
    size_t End = I + 1;
    if (Rest.starts_with("//")) {
      End = std::min(Text.find('\n', I), Text.size());
      blank(I, End);
    } else if (Rest.starts_with("/*")) {
      End = Text.find("*/", I + 2);
      End = End == std::string_view::npos ? Text.size() : End + 2;
      blank(I, End);
    } else if (Rest.starts_with("R\"") && (I == 0 || !isWord(Text[I - 1]))) {
      const size_t Open = Text.find('(', I);
      const std::string Close =
          Open == std::string_view::npos ? "" : ")" + std::string(Text.substr(I + 2, Open - I - 2)) + "\"";
      End = Close.empty() ? Text.size() : Text.find(Close, Open);
      End = End >= Text.size() ? Text.size() : End + Close.size();
      blank(I, End);
    } else if (Text[I] == '"' ||
               (Text[I] == '\'' && (I == 0 || !std::isdigit(static_cast<unsigned char>(Text[I - 1]))))) {
      while (End < Text.size() && Text[End] != Text[I] && Text[End] != '\n')
        End += Text[End] == '\\' ? 2 : 1;
      blank(I + 1, End);
      ++End;
    }
    I = std::max(End, I + 1);
  }
  return Out;
}

std::vector<Pragma> pragmasOf(std::string_view Text, const std::string &Code,
                              const std::vector<std::string> &Families) {
  std::vector<Pragma> Out;
  unsigned Line = 1;
  for (size_t Begin = 0; Begin < Code.size(); ++Line) {
    const size_t LineEnd = std::min(Code.find('\n', Begin), Code.size());
    size_t At = skipSpace(Code, Begin);
    if (At >= LineEnd || Code[At] != '#' || !wordAt(Code, skipSpace(Code, At + 1), "pragma")) {
      Begin = LineEnd + 1;
      continue;
    }
    Pragma P;
    P.Indent = std::string(Text.substr(Begin, At - Begin));
    P.Begin = At;
    P.End = behindDirective(Code, At);
    P.Line = Line;
    P.NumLines = 1 + static_cast<unsigned>(std::count(Code.begin() + static_cast<ptrdiff_t>(At),
                                                      Code.begin() + static_cast<ptrdiff_t>(P.End), '\n'));
    // Literals belong to clauses, comments do not: text is copied where the code is not blank.
    std::string Words;
    for (size_t I = skipSpace(Code, At + 1) + 6; I < P.End; ++I) {
      const bool Comment = Text.substr(I).starts_with("//") || Text.substr(I).starts_with("/*");
      if (Comment && Code[I] == ' ') {
        const size_t End = Text[I + 1] == '/' ? P.End : Text.find("*/", I) + 2;
        I = std::min(End, P.End) - 1;
        continue;
      }
      Words += Text[I] == '\\' || Text[I] == '\n' ? ' ' : Text[I];
    }
    for (size_t I = skipSpace(Words, 0); I < Words.size(); I = skipSpace(Words, I)) {
      size_t End = I;
      while (End < Words.size() && isWord(Words[End]))
        ++End;
      if (End == I) { // A comma between clauses.
        ++I;
        continue;
      }
      Word W{Words.substr(I, End - I), std::nullopt};
      I = skipSpace(Words, End);
      if (I < Words.size() && Words[I] == '(') {
        const size_t Behind = behindBracket(codeOf(Words), I);
        W.Inside =
            trimmed(std::string_view(Words).substr(I + 1, Behind == std::string::npos ? Behind : Behind - I - 2));
        I = std::min(Behind, Words.size());
      }
      if (P.Family.empty())
        P.Family = W.Name;
      else
        P.Words.push_back(std::move(W));
    }
    Begin = P.End + 1;
    Line += P.NumLines - 1;
    if (std::find(Families.begin(), Families.end(), P.Family) != Families.end())
      Out.push_back(std::move(P));
  }
  return Out;
}

size_t endOfStatement(const std::string &Code, size_t From) {
  size_t At = skipSpace(Code, From);
  while (At < Code.size() && Code[At] == '#')
    At = skipSpace(Code, behindDirective(Code, At));
  if (At >= Code.size())
    return std::string::npos;
  if (Code[At] == '{')
    return behindBracket(Code, At);
  if (wordAt(Code, At, "do")) {
    At = endOfStatement(Code, At + 2);
    return At == std::string::npos ? At : Code.find(';', At) == std::string::npos ? At : Code.find(';', At) + 1;
  }
  for (const char *Head : {"for", "while", "if", "switch"})
    if (wordAt(Code, At, Head)) {
      const size_t Open = Code.find('(', At), Behind = Open == std::string::npos ? Open : behindBracket(Code, Open);
      size_t End = Behind == std::string::npos ? Behind : endOfStatement(Code, Behind);
      if (End != std::string::npos && Head[0] == 'i')
        if (const size_t Else = skipSpace(Code, End); Else < Code.size() && wordAt(Code, Else, "else"))
          End = endOfStatement(Code, Else + 4);
      return End;
    }
  for (int Depth = 0; At < Code.size(); ++At) {
    Depth += std::string_view("([{").find(Code[At]) != std::string_view::npos;
    Depth -= std::string_view(")]}").find(Code[At]) != std::string_view::npos;
    if (Depth < 0)
      return std::string::npos;
    if (Depth == 0 && Code[At] == ';')
      return At + 1;
  }
  return std::string::npos;
}

// Words that stand before a name without declaring it.
static std::string notTypes() {
  std::string Out;
  for (const char *Word : {"return", "else", "goto", "case"})
    Out += (Out.empty() ? "" : "|") + std::string(Word);
  return Out;
}

bool changes(const std::string &Body, const std::string &Name, bool Array) {
  const std::string Use = "(^|[^\\w.>])" + Name + "\\s*" + (Array ? "(\\[[^;]*?\\])+\\s*" : "(\\.\\s*\\w+\\s*)*");
  return std::regex_search(Body,
                           std::regex("(\\+\\+|--)\\s*" + Name + "\\b|" + Use + "(([-+*/|&^%]|<<|>>)?=[^=]|\\+\\+|--)" +
                                      (Array ? "|[(,]\\s*" + Name + "\\s*[,)]" : "|&\\s*" + Name + "\\b"))) &&
         !std::regex_search(
             Body, std::regex("(^|[;{}(])\\s*((?!" + notTypes() + ")[A-Za-z_]\\w*[\\s*]+)+" + Name + "\\s*[=;,\\[]"));
}
bool setsFirst(const std::string &Body, const std::string &Name) {
  std::smatch Use;
  return std::regex_search(Body, Use, std::regex("\\b" + Name + "\\b\\s*(.)(.)")) && Use[1] == "=" && Use[2] != "=";
}

bool isLibrarys(std::string_view Name) {
  static const char *const Begins[] = {"get_",    "set_", "in_",     "init_",    "destroy_", "unset_",  "test_",
                                       "target_", "is_",  "fulfill", "display_", "capture_", "control", "pause_",
                                       "alloc",   "free", "calloc",  "realloc",  "aligned_"};
  return std::ranges::any_of(Begins, [&](const char *B) { return Name.substr(4).starts_with(B); });
}

} // namespace hsched::port
