// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Paths.h"

#include "analysis/infer/Words.h"
#include "model/NameCharacters.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace hsched::cc {
namespace {

using Step = Path::Step;

class Reader {
public:
  explicit Reader(llvm::StringRef Text) : Rest(Text) {}

  std::optional<Path> all() {
    Path P;
    return lvalue(P) && Rest.empty() ? std::optional(P) : std::nullopt;
  }

private:
  llvm::StringRef Rest;

  bool lvalue(Path &P) {
    if (!Rest.consume_front("*"))
      return postfix(P);
    if (!lvalue(P))
      return false;
    P.Steps.push_back({Step::Deref, ""});
    return true;
  }

  std::string word() {
    int Depth = 0; // In template arguments.
    const llvm::StringRef W = Rest.take_while([&](char C) {
      Depth += (C == '<') - (C == '>');
      return inName(C) || C == ':' || C == '<' || Depth > 0 || (C == '>' && Depth == 0);
    });
    Rest = Rest.drop_front(W.size());
    return W.empty() || llvm::isDigit(W.front()) ? "" : W.str();
  }

  bool postfix(Path &P) {
    if (Rest.consume_front("(")) {
      if (!lvalue(P) || !Rest.consume_front(")"))
        return false;
    } else if ((P.Name = word()).empty()) {
      return false;
    }
    while (true) {
      const bool Arrow = Rest.consume_front("->");
      if (Arrow)
        P.Steps.push_back({Step::Deref, ""});
      if (Arrow || Rest.consume_front(".")) {
        std::string Member = word();
        if (Member.empty())
          return false;
        P.Steps.push_back({Step::Member, std::move(Member)});
      } else if (Rest.consume_front("[")) {
        if (!subscript(P))
          return false;
      } else {
        return true;
      }
    }
  }

  bool subscript(Path &P) {
    int Depth = 1;
    std::size_t End = 0;
    for (; End != Rest.size(); ++End)
      if (const char C = Rest[End]; C == '[' || C == '(')
        ++Depth;
      else if ((C == ']' || C == ')') && --Depth == 0)
        break;
    if (End == Rest.size() || Rest[End] != ']')
      return false;
    llvm::StringRef Text = Rest.take_front(End);
    P.Steps.push_back({Text == "..." ? Step::Any : Step::Index, Text.str()});
    Rest = Rest.drop_front(End + 1);
    return true;
  }
};

bool leads(const Step &S) { return S.K == Step::Deref || S.K == Step::Index; }

SamePath compareStep(const Step &Root, const Step &Clause, const PathWords &W) {
  if (!leads(Root) || !leads(Clause))
    return Root.K == Clause.K && Root.Text == Clause.Text ? SamePath::Yes : SamePath::No;
  auto constant = [&](const Step &S) {
    return S.K == Step::Deref ? std::optional<std::int64_t>(0) : W.Constant(S.Text);
  };
  const std::optional<std::int64_t> A = constant(Root), B = constant(Clause);
  if (A && B)
    return *A == *B ? SamePath::Yes : SamePath::No;
  return !A || W.Generated(Clause.Text) ? SamePath::Possibly : SamePath::No;
}

SamePath compareSteps(llvm::ArrayRef<Step> Root, llvm::ArrayRef<Step> Clause, const PathWords &W) {
  if (Root.empty())
    return Clause.empty() ? SamePath::Yes : leads(Clause.front()) ? SamePath::OnPath : SamePath::No;
  if (Clause.empty())
    return SamePath::No;
  if (Root.front().K != Step::Any) {
    const SamePath Here = compareStep(Root.front(), Clause.front(), W);
    return Here == SamePath::No ? Here : std::min(Here, compareSteps(Root.drop_front(), Clause.drop_front(), W));
  }
  // One pointer of an array or in a structure: possibly a member of an array of structures, or an element of an array
  // member.
  SamePath Best = SamePath::No;
  // Number of steps that may stay inside the first step's target.
  const std::size_t First = leads(Clause.front()) ? 2 : 1;
  for (std::size_t N = 1; N <= Clause.size(); ++N) {
    if (N > 1 && Clause[N - 1].K != Step::Member &&
        (Clause[N - 1].K != Step::Index || Clause[N - 2].K == Step::Deref || N == First))
      break;
    Best = std::max(Best, std::min(SamePath::Possibly, compareSteps(Root.drop_front(), Clause.drop_front(N), W)));
  }
  return Best;
}

} // namespace

std::optional<Path> Path::of(llvm::StringRef Text) { return Reader(withoutBlanks(Text)).all(); }

SamePath compare(const Path &Root, const Path &Clause, const PathWords &W) {
  return Root.Name == Clause.Name ? compareSteps(Root.Steps, Clause.Steps, W) : SamePath::No;
}

} // namespace hsched::cc
