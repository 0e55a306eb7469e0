// Does a program do anything besides what its kernels' arguments say? Its source is read token by token.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Program.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace hsched::icd {
namespace {

using Tokens = std::vector<std::string>;

bool isWord(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }
bool isWord(const std::string &Token) { return isWord(Token.front()); }
bool has(const Tokens &All, std::string_view What) { return std::find(All.begin(), All.end(), What) != All.end(); }
bool isConstant(const std::string &T) { return T == "constant" || T == "__constant"; }
bool isEffect(const std::string &T) {
  return T.ends_with("printf") || T == "asm" || T == "__asm" || T == "__asm__"; // __builtin_printf.
}
bool isGlobal(const std::string &T) { return T == "global" || T == "__global"; }

// Joins continued lines, and leaves comments out.
std::string stripped(const std::string &Source) {
  std::string Joined, Text;
  for (size_t I = 0; I < Source.size(); ++I)
    if (Source.compare(I, 2, "\\\n") == 0)
      ++I;
    else if (Source.compare(I, 3, "\\\r\n") == 0)
      I += 2;
    else
      Joined += Source[I];
  for (size_t I = 0, End; I < Joined.size(); I = End)
    if (Joined.compare(I, 2, "//") == 0) {
      End = std::min(Joined.find('\n', I), Joined.size());
    } else if (Joined.compare(I, 2, "/*") == 0) {
      End = Joined.find("*/", I + 2);
      End = End == Joined.npos ? Joined.size() : End + 2;
      Text += ' ';
    } else {
      End = I + 1;
      if (Joined[I] == '"' || Joined[I] == '\'') { // A string or a character, to its end or the line's.
        while (End < Joined.size() && Joined[End] != Joined[I] && Joined[End] != '\n')
          End += Joined[End] == '\\' ? 2 : 1;
        End = std::min(End + 1, Joined.size());
      }
      Text.append(Joined, I, End - I);
    }
  return Text;
}

// Words and single characters. A string or a character constant is one token.
Tokens tokens(const std::string &Text) {
  Tokens All;
  for (size_t I = 0, End; I < Text.size(); I = End) {
    End = I + 1;
    if (Text[I] == '"' || Text[I] == '\'') {
      while (End < Text.size() && Text[End] != Text[I] && Text[End] != '\n')
        End += Text[End] == '\\' ? 2 : 1;
      End = std::min(End + 1, Text.size());
      All.emplace_back("\"");
    } else if (isWord(Text[I])) {
      while (End < Text.size() && isWord(Text[End]))
        ++End;
      All.push_back(Text.substr(I, End - I));
    } else if (!std::isspace(static_cast<unsigned char>(Text[I]))) {
      All.emplace_back(1, Text[I]);
    }
  }
  return All;
}

struct Macro {
  bool EndsStatements = false; // It has a semicolon outside braces, or braces that are not closed.
  bool HasBraces = false, HasConstant = false;
  bool EndsWithParenthesis = false; // Such as the head of a function.
  bool HasStatic = false;           // Anywhere.
  bool KeepsStatic = false;         // Inside braces: a variable that lives on.
};

class Source {
public:
  void define(const std::string &Name, const Tokens &Body) {
    Macro M;
    int Braces = 0;
    for (const std::string &T : Body) {
      Braces += (T == "{") - (T == "}");
      M.HasBraces |= T == "{";
      M.EndsStatements |= Braces < 0 || (!Braces && T == ";");
      M.HasConstant |= isConstant(T);
      M.HasStatic |= T == "static";
      M.KeepsStatic |= T == "static" && Braces;
    }
    M.EndsStatements |= Braces != 0;
    M.EndsWithParenthesis = !Body.empty() && Body.back() == ")";
    Macros[Name] = M;
    Bodies.insert(Bodies.end(), Body.begin(), Body.end());
  }
  const Macro *macro(const std::string &Name) const {
    auto I = Macros.find(Name);
    return I == Macros.end() ? nullptr : &I->second;
  }
  // A macro has an effect, or uses a macro that has "static": its uses are not followed.
  bool hidesEffects() const {
    return std::any_of(Bodies.begin(), Bodies.end(), [&](const std::string &T) {
      const Macro *M = macro(T);
      return isEffect(T) || (M && M->HasStatic);
    });
  }

  // True if the statement declares more than one thing: int x, f(int).
  static bool hasCommaOutside(const Tokens &S) {
    int Depth = 0;
    return std::any_of(S.begin(), S.end(), [&](const std::string &T) {
      Depth += (T == "(") - (T == ")");
      return T == "," && !Depth;
    });
  }
  // A statement outside braces up to its semicolon. Contents of braces and attributes are left out.
  bool keepsState(const Tokens &S) const {
    if (S.empty() || S.front() == "typedef")
      return false;
    const size_t Open = static_cast<size_t>(std::find(S.begin(), S.end(), "(") - S.begin());
    if (const bool Assigns = has(S, "="); Open != S.size() && !Assigns) {
      const std::string &Called = Open ? S[Open - 1] : S[Open];
      if (const Macro *M = macro(Called); M && S.back() == ")") // As a statement of its own.
        return !M->HasBraces;
      const bool HasMore = hasCommaOutside(S);
      const bool InGlobal = std::any_of(S.begin(), S.begin() + Open, isGlobal);
      const bool ToPointer = std::find(S.begin(), S.begin() + Open, "*") != S.begin() + Open;
      if (Open >= 2 && isWord(Called) && S.back() == ")" && !HasMore && (!InGlobal || ToPointer))
        return false; // A function is declared.
    }
    if (S.front() == "struct" || S.front() == "union" || S.front() == "enum")
      if (S.size() <= 2 || (S.size() == 3 && S[2] == "{"))
        return false; // A type.
    const auto End = std::find(S.begin(), S.end(), "=");
    const bool Constant = std::any_of(S.begin(), End, [&](const std::string &T) {
      const Macro *M = macro(T);
      return isConstant(T) || (M && M->HasConstant);
    });
    return !has(S, "sampler_t") && !(Constant && std::find(S.begin(), End, "*") == End);
  }

private:
  std::map<std::string, Macro> Macros;
  Tokens Bodies;
};

// Reads the macros that options define. False: there is more than that.
bool readOptions(const std::string &Options, Source &Its) {
  for (const char *Word : {"-include", "-imacros"})
    if (Options.find(Word) != Options.npos)
      return false;
  if (Options.find_first_of("\"'\\") != Options.npos) // A value may have spaces.
    for (const char *Word : {"static", "global", "printf", "asm", ";", "{"})
      if (Options.find(Word) != Options.npos)
        return false;
  std::istringstream Words(Options);
  for (std::string W; Words >> W;)
    if (W.compare(0, 2, "-D") == 0) {
      if (W.size() == 2 && !(Words >> W))
        break;
      const Tokens T = tokens(W.compare(0, 2, "-D") == 0 ? W.substr(2) : W);
      if (!T.empty())
        Its.define(T[0], Tokens(T.begin() + 1, T.end()));
    }
  return true;
}

// Leaves preprocessor lines out, and reads the macros that they define. False: another file is included.
bool readMacros(const std::string &Text, Source &Its, std::string &Rest) {
  std::istringstream Lines(Text);
  for (std::string Line; std::getline(Lines, Line); Rest += '\n') {
    const size_t Hash = Line.find_first_not_of(" \t\r\f\v");
    if (Hash == Line.npos || Line[Hash] != '#') {
      Rest += Line;
      continue;
    }
    const Tokens T = tokens(Line.substr(Hash + 1));
    if (!T.empty() && (T[0].find("include") != std::string::npos || T[0] == "import"))
      return false;
    if (T.size() >= 2 && T[0] == "define")
      Its.define(T[1], Tokens(T.begin() + 2, T.end()));
  }
  return true;
}

// The end of the group that begins at I.
size_t endOfGroup(const Tokens &All, size_t I, const char *Opens, const char *Closes) {
  unsigned Depth = 0;
  for (; I < All.size(); ++I)
    if (All[I] == Opens)
      ++Depth;
    else if (All[I] == Closes && --Depth == 0)
      return I;
  return All.size() - 1;
}

} // namespace

bool mayHaveSideEffects(const std::string &Text, const std::string &Options) {
  icd::Source Its;
  std::string Code;
  if (!readOptions(Options, Its) || !readMacros(stripped(Text), Its, Code) || Its.hidesEffects())
    return true;
  const Tokens All = tokens(Code);
  Tokens Statement;
  unsigned Braces = 0;
  bool IsBody = false;
  for (size_t I = 0; I != All.size(); ++I) {
    const std::string &T = All[I];
    const Macro *M = Its.macro(T);
    if (isEffect(T) || (M && (M->KeepsStatic || (M->EndsStatements && !Braces))))
      return true;
    if (T == "{") {
      if (!Braces++) {
        const Macro *Head = Statement.size() == 1 ? Its.macro(Statement.back()) : nullptr;
        IsBody = !Statement.empty() && !has(Statement, "=") &&
                 (Statement.back() == ")" || (Head && Head->EndsWithParenthesis));
        Statement.push_back(T);
      }
    } else if (T == "}") {
      if (!Braces)
        return true; // Not understood.
      if (!--Braces && IsBody)
        Statement.clear();
    } else if (Braces) {
      if (T == "static" || (M && M->HasStatic))
        return true;
    } else if (T == "__attribute__" || T == "__attribute") {
      I = endOfGroup(All, I + 1, "(", ")");
    } else if (T == "[") {
      I = endOfGroup(All, I, "[", "]");
    } else if (T == ";") {
      if (Its.keepsState(Statement))
        return true;
      Statement.clear();
    } else {
      Statement.push_back(T);
    }
  }
  const Macro *Last = Statement.empty() ? nullptr : Its.macro(Statement.front());
  return Braces || (!Statement.empty() && !(Last && Last->HasBraces));
}

} // namespace hsched::icd
