// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Names.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace hsched::check {
namespace {

bool isWord(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }

std::string rootOf(const std::string &Section) {
  // The name is behind a shape, [n][m]p, or before subscripts, p[i:n]. Generators follow a comma inside braces.
  std::string Text = Section.substr(Section.find_first_not_of("{ "));
  Text = Text.substr(0, Text.find(", "));
  size_t Begin = 0;
  while (Begin < Text.size() && Text[Begin] == '[') {
    int Depth = 0;
    do
      Depth += Text[Begin] == '[' ? 1 : Text[Begin] == ']' ? -1 : 0;
    while (++Begin < Text.size() && Depth > 0);
  }
  Text = Text.substr(Begin);
  return Text.substr(0, Text.find('['));
}

// Bytes of the number in "const float *" or "std::vector<double>"; 0 if there is none.
size_t numberBytes(std::string Type) {
  for (const char *Drop : {"const", "volatile", "restrict", "__restrict", "std::vector", "std::span", "std::array",
                           "hsched::tile", "struct", "signed", "unsigned", "std::"})
    for (size_t At; (At = Type.find(Drop)) != std::string::npos;)
      Type.erase(At, std::string(Drop).size());
  std::string Name;
  for (char C : Type) {
    if (isWord(C))
      Name += C;
    else if (!Name.empty() && C != ' ')
      break;
  }
  static const std::map<std::string, size_t> Sizes = {
      {"char", 1},     {"bool", 1},     {"int8_t", 1},  {"uint8_t", 1},   {"short", 2},
      {"int16_t", 2},  {"uint16_t", 2}, {"int", 4},     {"float", 4},     {"int32_t", 4},
      {"uint32_t", 4}, {"double", 8},   {"long", 8},    {"longlong", 8},  {"int64_t", 8},
      {"uint64_t", 8}, {"size_t", 8},   {"longint", 8}, {"ptrdiff_t", 8}, {"shortint", 2}};
  if (Name.empty() && Type.size()) // "unsigned *".
    return 4;
  auto Found = Sizes.find(Name);
  return Found == Sizes.end() ? 0 : Found->second;
}

std::string sum(const std::string &Text, long long More) {
  if (More == 0)
    return Text;
  if (!Text.empty() && std::ranges::all_of(Text, [](unsigned char C) { return std::isdigit(C); }) && Text.size() < 18)
    return std::to_string(std::stoll(Text) + More);
  const bool Plain = Text.find_first_of("?:<>=&|^,") == std::string::npos;
  // "n - 1" and 1 give "n".
  for (const char *Sign : {" - ", " + "})
    if (size_t At = Text.rfind(Sign); Plain && At != std::string::npos && At + 3 < Text.size() &&
                                      std::all_of(Text.begin() + static_cast<ptrdiff_t>(At) + 3, Text.end(),
                                                  [](unsigned char C) { return std::isdigit(C); }) &&
                                      Text.size() - At < 18) {
      const long long Old = std::stoll(Text.substr(At + 3));
      return sum(Text.substr(0, At), (Sign[1] == '-' ? -Old : Old) + More);
    }
  const std::string Left = Plain ? Text : "(" + Text + ")";
  return Left + (More > 0 ? " + " : " - ") + std::to_string(More > 0 ? More : -More);
}

// The extents of the arrays that "double (*)[8]" points to; of "double (&)[4][8]" those of a row.
std::vector<size_t> rowsOf(const std::string &Type) {
  std::vector<size_t> All;
  const size_t Open = Type.find('('), Close = Type.find(')');
  if (Open == std::string::npos || Close == std::string::npos || Open + 1 == Type.size())
    return {};
  const bool Pointer = Type[Open + 1] == '*';
  for (size_t At = Type.find('[', Close); At != std::string::npos; At = Type.find('[', At + 1)) {
    const std::string Extent = Type.substr(At + 1, Type.find(']', At) - At - 1);
    const bool Number = !Extent.empty() && Extent.size() < 10 &&
                        std::ranges::all_of(Extent, [](unsigned char C) { return std::isdigit(C); });
    All.push_back(Number ? std::stoul(Extent) : 0);
  }
  if (!Pointer && !All.empty())
    All.erase(All.begin());
  return All;
}

// The parts of a one-dimensional section.
struct Line {
  bool Sound = false;
  std::string Root, From, Count; // From is empty if the section begins at the root's first element.
  char Colon = ':';
};
Line lineOf(const Clause &C) {
  Line L;
  const std::string &S = C.Section;
  if (std::ranges::count(S, '[') != 1 || S.find('{') != std::string::npos || S.back() == '}')
    return L;
  const size_t Open = S.find('['), Close = S.rfind(']');
  const std::string Inside = S.substr(Open + 1, Close - Open - 1);
  L.Root = C.Root;
  if (Open == 0) {
    L.Sound = true;
    L.Count = Inside;
    return L;
  }
  int Depth = 0, Questions = 0;
  for (size_t I = 0; I < Inside.size(); ++I) {
    Depth += Inside[I] == '(' ? 1 : Inside[I] == ')' ? -1 : 0;
    Questions += Inside[I] == '?';
    if (Inside[I] == ':' && Questions > 0) {
      --Questions;
      continue;
    }
    if ((Inside[I] != ':' && Inside[I] != ';') || Depth != 0 || (I + 1 < Inside.size() && Inside[I + 1] == ':') ||
        (I && Inside[I - 1] == ':'))
      continue;
    auto trimmed = [](std::string T) {
      T.erase(0, std::min(T.find_first_not_of(' '), T.size()));
      while (!T.empty() && T.back() == ' ')
        T.pop_back();
      return T;
    };
    L.Colon = Inside[I];
    L.From = trimmed(Inside.substr(0, I));
    L.Count = trimmed(Inside.substr(I + 1));
    L.Sound = Close + 1 == S.size() && !L.Count.empty();
    return L;
  }
  if (Close + 1 == S.size()) { // One element.
    L.From = Inside;
    L.Count = "1";
    L.Sound = true;
  }
  return L;
}

} // namespace

// Adds the clauses of a task or version. Types: of its parameters, by name or by position.
template <class K>
static void addClauses(K &To, const nlohmann::json &From, const std::map<std::string, std::string> &Types,
                       const std::vector<std::string> &ByPosition) {
  for (const auto &A : From["accesses"]) {
    Clause C{A.value("role", ""), A.value("section", ""), ""};
    if (C.Section.empty())
      continue;
    const int Param = A.value("param", -1);
    C.Root = rootOf(C.Section);
    if (C.Role == "reduction")
      C.Role += "(" + A.value("operation", "+") + ":"; // Never suggested as a clause.
    C.Owns = A.value("owns", false);
    std::string Of;
    if (auto Type = Types.find(C.Root); Type != Types.end())
      Of = Type->second;
    else if (Param >= 0 && static_cast<size_t>(Param) < ByPosition.size())
      Of = ByPosition[static_cast<size_t>(Param)];
    C.ElementBytes = Of.empty() ? 0 : numberBytes(Of);
    C.Row = rowsOf(Of);
    To.Clauses.push_back(C);
    To.Params.push_back(Param);
  }
}

void Names::read() {
  for (const size_t N = Program.NumMetadata(); NumRead < N; ++NumRead) {
    const auto Json = nlohmann::json::parse(Program.Metadata(NumRead), nullptr, false);
    if (Json.is_discarded() || !Json.contains("tasks"))
      continue;
    std::map<std::string, std::vector<std::string>> Params; // Types, by linker name of the task.
    for (const auto &Task : Json["tasks"]) {
      const std::string Name = Task.value("linkerName", "");
      ClausesOfTask &To = Tasks[Name];
      std::map<std::string, std::string> Types;
      for (const auto &P : Task["params"]) {
        Types[P.value("name", "")] = P.value("type", "");
        Params[Name].push_back(P.value("type", ""));
      }
      if (To.Clauses.empty())
        addClauses(To, Task, Types, {});
    }
    for (const auto &Version : Json["versions"])
      if (ClausesOfTask &To = Versions[Version.value("linkerName", "")];
          To.Clauses.empty() && Version.contains("accesses"))
        addClauses(To, Version, {}, Params[Version.value("implements", "")]);
  }
}

std::vector<Clause> Names::of(const hsched_task_type *Type, std::span<const hsched_access> Accesses) {
  std::vector<Clause> Result(Accesses.size());
  const hsched_task_desc *Desc = Program.Description(Type);
  if (!Desc)
    return Result;
  if (NumRead < Program.NumMetadata())
    read();
  const auto Found = Tasks.find(Desc->linker_name);
  if (Found == Tasks.end())
    return Result;
  return match(Found->second, Accesses);
}

std::vector<Clause> Names::ofVersion(const hsched_version_desc &Version, std::span<const hsched_access> Own) {
  if (NumRead < Program.NumMetadata())
    read();
  const auto Found = Versions.find(Version.linker_name);
  return Found == Versions.end() ? std::vector<Clause>(Own.size()) : match(Found->second, Own);
}

std::vector<Clause> Names::match(const ClausesOfTask &K, std::span<const hsched_access> Accesses) {
  std::vector<Clause> Result(Accesses.size());
  static const char *const Roles[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
  size_t Next = 0; // Index into the clauses, in the order of accesses.
  for (size_t I = 0; I < Accesses.size(); ++I) {
    const hsched_access &X = Accesses[I];
    const std::string Role = X.mode < std::size(Roles) ? Roles[X.mode] : "";
    auto fits = [&](size_t J) {
      return K.Clauses[J].Role.compare(0, Role.size(), Role) == 0 || (Role == "inout" && K.Clauses[J].Role == "out");
    };
    size_t Chosen = K.Clauses.size();
    if (X.param != HSCHED_NO_PARAM)
      for (size_t J = 0; J < K.Clauses.size() && Chosen == K.Clauses.size(); ++J)
        if (K.Params[J] == static_cast<int>(X.param) && K.Clauses[J].Role.compare(0, Role.size(), Role) == 0)
          Chosen = J;
    // Clauses without one parameter come in order, each with at least one access.
    if (Chosen == K.Clauses.size()) {
      if (Accesses.size() == K.Clauses.size())
        Chosen = I;
      else if (Accesses.size() == 2 * K.Clauses.size()) // Containers: one access for the object, one for its elements.
        Chosen = I / 2;
      else
        for (size_t J = Next; J < K.Clauses.size() && Chosen == K.Clauses.size(); ++J)
          if (fits(J))
            Chosen = J;
    }
    if (Chosen == K.Clauses.size())
      continue;
    Next = std::max(Next, Chosen);
    Result[I] = K.Clauses[Chosen];
  }
  return Result;
}

size_t countedBytes(const Clause &C) {
  const bool Counts = lineOf(C).Sound || C.Section == C.Root;
  size_t Bytes = C.ElementBytes;
  for (const size_t Extent : Counts ? C.Row : std::vector<size_t>())
    Bytes *= Extent;
  return Bytes;
}

std::string elementName(const Clause &C, long long Index) {
  if (C.Root.empty())
    return "";
  const Line L = lineOf(C);
  if (L.Sound && !L.From.empty())
    return C.Root + "[" + sum(L.From, Index) + "]";
  if (L.Sound || C.Section == C.Root)
    return C.Root + "[" + std::to_string(Index) + "]";
  return Index == 0 ? C.Root : "element " + std::to_string(Index) + " of " + C.Section;
}

std::string widened(const Clause &C, long long From, long long To, long long Count) {
  const Line L = lineOf(C);
  if (!L.Sound)
    return "";
  const long long Before = From < 0 ? -From : 0, Behind = To > Count ? To - Count : 0;
  if (Before == 0 && L.From.empty())
    return "[" + sum(L.Count, Behind) + "]" + L.Root;
  return L.Root + "[" + (L.From.empty() ? "-" + std::to_string(Before) : sum(L.From, -Before)) + L.Colon +
         sum(L.Count, Before + Behind) + "]";
}

} // namespace hsched::check
