// Reads "// expect:" and "// ndrange:" comments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Expectations.h"

#include <sstream>

namespace hsched::cc::corpus {
namespace {

std::string trimmed(const std::string &S) {
  const std::size_t First = S.find_first_not_of(' ');
  return First == S.npos ? "" : S.substr(First, S.find_last_not_of(' ') - First + 1);
}

// At the commas and so on that stand in no bracket.
std::vector<std::string> split(const std::string &S, char At) {
  std::vector<std::string> Parts(1);
  int Depth = 0;
  for (char C : S) {
    Depth += C == '(' || C == '[';
    Depth -= C == ')' || C == ']';
    if (C == At && Depth == 0)
      Parts.emplace_back();
    else
      Parts.back() += C;
  }
  for (std::string &P : Parts)
    P = trimmed(P);
  return Parts;
}

bool parseSection(const std::string &S, ExpectedAccess &A) {
  A.Text = S;
  if (S.starts_with("[")) {
    std::string Count, Rest = S;
    while (Rest.starts_with("[")) {
      const std::size_t End = Rest.find(']');
      if (End == Rest.npos)
        return false;
      Count += (Count.empty() ? "(" : " * (") + Rest.substr(1, End - 1) + ")";
      Rest = Rest.substr(End + 1);
    }
    A.Name = Rest;
    A.Extent = ExpectedAccess::Section;
    A.Base = "0";
    A.Dims = {{Count, "1"}};
    return !A.Name.empty();
  }
  const std::size_t Open = S.find_first_of("[<");
  A.Name = S.substr(0, Open);
  if (A.Name.empty())
    return false;
  if (Open == S.npos)
    return true;
  const std::string Inside = S.substr(Open + 1, S.size() - Open - 2);
  if (Inside == "?") {
    A.Extent = ExpectedAccess::Unknown;
    return true;
  }
  A.Extent = ExpectedAccess::Section;
  if (S[Open] == '[') {
    const std::vector<std::string> Parts = split(Inside, ':');
    if (Parts.size() != 2 || S.back() != ']')
      return false;
    A.Base = Parts[0];
    A.Dims = {{Parts[1], "1"}};
    return true;
  }
  const std::vector<std::string> Parts = split(Inside, ';');
  if (Parts.size() != 2 || S.back() != '>')
    return false;
  A.Base = Parts[0];
  for (const std::string &Dim : split(Parts[1], ',')) {
    const std::size_t Times = Dim.find(" x ");
    A.Dims.push_back(Times == Dim.npos ? std::pair<std::string, std::string>(Dim, "1")
                                       : std::pair(Dim.substr(0, Times), Dim.substr(Times + 3)));
  }
  return true;
}

bool parseLine(const std::string &Line, Expectation &E) {
  for (std::size_t At = Line.find_first_not_of(' '); At < Line.size(); At = Line.find_first_not_of(' ', At)) {
    std::size_t Open = Line.find_first_of("( ", At);
    if (Line.substr(At, Open - At) == "opaque") {
      E.Opaque = true;
      At = Open;
      continue;
    }
    if (Open == Line.npos || Line[Open] != '(')
      return false;
    ExpectedAccess A;
    A.Role = Line.substr(At, Open - At);
    if (A.Role.ends_with("!")) {
      A.Role.pop_back();
      A.Conceded = true;
    }
    if (A.Role != "in" && A.Role != "out" && A.Role != "inout" && A.Role != "none")
      return false;
    int Depth = 0;
    for (At = Open; At < Line.size(); ++At) {
      Depth += Line[At] == '(';
      Depth -= Line[At] == ')';
      if (Depth == 0)
        break;
    }
    if (At == Line.size() || !parseSection(Line.substr(Open + 1, At - Open - 1), A))
      return false;
    ++At;
    E.Accesses.push_back(std::move(A));
  }
  return true;
}

} // namespace

bool readExpectations(const std::string &Text, std::vector<Expectation> &Out, std::string &Error) {
  std::istringstream In(Text);
  Expectation E;
  bool Any = false;
  std::string Line;
  for (unsigned Number = 1; std::getline(In, Line); ++Number) {
    const auto Rest = [&](const char *Prefix) { return Line.substr(std::string(Prefix).size()); };
    if (Line.starts_with("// expect:")) {
      Any = true;
      if (!parseLine(Rest("// expect:"), E)) {
        Error = "line " + std::to_string(Number) + ": " + Line;
        return false;
      }
    } else if (Line.starts_with("// ndrange:")) {
      const std::vector<std::string> Parts = split(Rest("// ndrange:"), ';');
      E.Global = split(Parts[0], ',');
      if (Parts.size() > 1)
        E.Local = split(Parts[1], ',');
    } else if (!Line.starts_with("//") && !Line.empty()) {
      if (Any) {
        E.Line = Number;
        Out.push_back(std::move(E));
      }
      E = Expectation();
      Any = false;
    }
  }
  return true;
}

std::optional<Elements> elements(const ExpectedAccess &A, Values &V) {
  const std::optional<std::int64_t> Base = evaluate(A.Base, V);
  if (!Base)
    return {};
  Elements E = {*Base};
  for (const auto &[CountText, StrideText] : A.Dims) {
    const auto Count = evaluate(CountText, V), Stride = evaluate(StrideText, V);
    if (!Count || !Stride)
      return {};
    Elements Next;
    for (std::int64_t I : E)
      for (std::int64_t K = 0; K < *Count; ++K)
        Next.insert(I + K * *Stride);
    E = std::move(Next);
  }
  return E;
}

} // namespace hsched::cc::corpus
