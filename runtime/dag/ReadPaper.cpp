// The format of PySchedCL's paper (Ghose et al., 2020, figure 8): kernels, components, queues, edges in one file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As JSON: {"kernels": [...], "tc": ..., "cq": ..., "edges": [...]}. As the figure has it, which is not JSON: the
// kernels one behind the other, "cq": "{r1: 4}", "tc": "{{0,2},{1}}", a line ---, a line an edge; quotes of any kind.
#include "dag/Fields.h"
#include "dag/Specification.h"

#include <algorithm>

namespace hsched::dag {
namespace {

// "{{0,2},{1}}" or [[0,2],[1]].
void readComponents(Document &D, const Value &V) {
  if (V.is(Value::Array)) {
    for (const Value &C : V.items()) {
      std::vector<Text> Ids;
      for (const Value &I : C.expect(Value::Array, "an array of kernels' ids").items())
        Ids.push_back(Fields::id(I));
      if (Ids.empty())
        C.fail("a component has no kernels");
      D.Components.push_back(std::move(Ids));
    }
    return;
  }
  const std::string S = textOf(V.expect(Value::String, "components, such as \"{{0,2},{1}}\""), "").S;
  auto Bad = [&] { V.fail(quote(S) + " is not a list of components: write it as in {{0,2},{1}}"); };
  int Depth = 0;
  std::string Word;
  auto EndWord = [&] {
    if (Word.empty())
      return;
    if (Depth != 2)
      Bad();
    D.Components.back().push_back({Word, V.place()});
    Word.clear();
  };
  for (char C : S) {
    if (C == '{' || C == '[') {
      if (++Depth > 2)
        Bad();
      if (Depth == 2)
        D.Components.emplace_back();
    } else if (C == '}' || C == ']') {
      EndWord();
      if (--Depth < 0)
        Bad();
    } else if (C == ',' || C == ' ') {
      EndWord();
    } else {
      Word += C;
    }
  }
  if (Depth != 0 || !Word.empty())
    Bad();
}

// "{r1: 4, r2: 2}" or {"r1": 4}: device 1 has 4 queues. Here devices count from 0.
void readQueues(Document &D, const Value &V) {
  auto Add = [&](std::string Name, const Text &N) {
    if (Name.size() < 2 || Name.size() > 4 || Name[0] != 'r' ||
        Name.find_first_not_of("0123456789", 1) != std::string::npos || Name[1] == '0')
      V.fail(quote(Name) + " is not a device: write r1 for the first one");
    D.Queues.push_back({std::to_string(std::stoul(Name.substr(1)) - 1), N});
  };
  if (V.is(Value::Object)) {
    for (const Value::Member &M : V.members())
      Add(M.first, textOf(M.second, "a number of queues"));
    return;
  }
  std::string S = textOf(V.expect(Value::String, "queues, such as \"{r1: 4, r2: 2}\""), "").S;
  S.erase(std::remove_if(S.begin(), S.end(), [](char C) { return C == ' ' || C == '{' || C == '}'; }), S.end());
  for (size_t Begin = 0; Begin < S.size();) {
    const size_t End = std::min(S.find(',', Begin), S.size());
    const std::string Item = S.substr(Begin, End - Begin);
    const size_t Colon = Item.find(':');
    if (Colon == std::string::npos || Colon + 1 == Item.size())
      V.fail(quote(Item) + " is not a device with its number of queues: write it as in r1: 4");
    Add(Item.substr(0, Colon), {Item.substr(Colon + 1), V.place()});
    Begin = End + 1;
  }
}

void addKernel(Document &D, const Value &V) {
  Specification S = readSpecification(V, D.Notes);
  if (S.Kernel.Id.empty())
    V.fail("'id' is missing: a kernel has one");
  if (!S.From.empty())
    V.fail("a buffer's data come 'from' a kernel: in this format edges say so");
  D.Kernels.push_back(std::move(S.Kernel));
}

} // namespace

Document readPaper(const Value &Root) {
  Document D;
  D.Python2 = true;
  Fields F(Root, "a file of kernels");
  const Value &Kernels = F.need("kernels");
  for (const Value &K : Kernels.expect(Value::Array, "an array of kernels").items())
    addKernel(D, K);
  if (D.Kernels.empty())
    Kernels.fail("there is no kernel in it");
  if (const Value *V = F.take("tc"))
    readComponents(D, *V);
  if (const Value *V = F.take("cq"))
    readQueues(D, *V);
  D.Symbols = F.assignments("symbols");
  if (const Value *All = F.take("edges"))
    for (const Value &E : All->expect(Value::Array, "an array of edges").items()) {
      if (E.is(Value::String)) {
        D.Edges.push_back(readEdge(E.string(), E.place()));
        continue;
      }
      const std::vector<Value> &Four = E.expect(Value::Array, "an edge: \"0 2 -> 2 0\" or [0, 2, 2, 0]").items();
      if (Four.size() != 4)
        E.fail("an edge has four parts: [kernel, argument, kernel, argument]");
      D.Edges.push_back(
          {E.place(), Fields::id(Four[0]), Fields::id(Four[1]), Fields::id(Four[2]), Fields::id(Four[3])});
    }
  F.finish();
  beginAtRandom(D);
  return D;
}

Document readPaperText(const Source &In) {
  Document D;
  D.Python2 = true;
  // The part before '---' as JSON: other kinds of quotes become JSON's, commas and braces are put where it wants them.
  auto Json = std::make_shared<Source>();
  Json->Path = In.Path;
  size_t Begin = 0, Edges = std::string::npos;
  unsigned Number = 0;
  std::string Head;
  for (; Begin < In.Text.size() && Edges == std::string::npos; ++Number) {
    const size_t End = std::min(In.Text.find('\n', Begin), In.Text.size());
    const std::string_view Line = std::string_view(In.Text).substr(Begin, End - Begin);
    if (Line.substr(0, 3) == "---")
      Edges = End;
    else
      Head += std::string(Line) + '\n';
    Begin = End + 1;
  }
  for (const char *Curly : {"\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x98", "\xe2\x80\x99"})
    for (size_t At; (At = Head.find(Curly)) != std::string::npos;)
      Head.replace(At, 3, "\"");
  std::replace(Head.begin(), Head.end(), '\'', '"');
  // Separates top-level objects and the members between them.
  std::string Kernels, Members;
  int Depth = 0;
  bool Quoted = false;
  std::string Piece, KernelPiece;
  unsigned Lines = 0;
  for (size_t I = 0; I < Head.size(); ++I) {
    const char C = Head[I];
    Lines += C == '\n';
    if (Quoted && C == '\\' && I + 1 < Head.size()) {
      (Depth ? KernelPiece : Piece) += C;
      (Depth ? KernelPiece : Piece) += Head[++I];
      continue;
    }
    if (C == '"')
      Quoted = !Quoted;
    if (!Quoted && C == '{' && Depth++ == 0 && Piece.find_last_not_of(" \t\r\n,") != std::string::npos &&
        Piece[Piece.find_last_not_of(" \t\r\n")] == ':') {
      // "cq": {...}: a member's value.
      --Depth;
      size_t Close = Head.find('}', I);
      Close = Close == std::string::npos ? Head.size() : Close + 1;
      Piece += Head.substr(I, Close - I);
      I = Close - 1;
      continue;
    }
    if (Depth == 0) {
      Piece += C;
      continue;
    }
    KernelPiece += C;
    if (!Quoted && C == '}' && --Depth == 0) {
      auto One = std::make_shared<Source>();
      One->Path = In.Path;
      One->FirstLine = Lines + 1 - static_cast<unsigned>(std::count(KernelPiece.begin(), KernelPiece.end(), '\n'));
      One->Text = std::move(KernelPiece);
      KernelPiece.clear();
      D.Sources.push_back(One);
      addKernel(D, parseJson(*One));
      Piece += ' ';
    }
  }
  if (Depth)
    throw Error(In.Path + ": a kernel's '}' is missing before '---'");
  // The rest: commas and members.
  std::string Rest;
  for (size_t I = 0; I < Piece.size(); ++I)
    Rest += Piece[I] == '\n' || Piece[I] == '\r' ? ' ' : Piece[I];
  const size_t First = Rest.find_first_not_of(" ,[]{"), Last = Rest.find_last_not_of(" ,]");
  Json->Text = First == std::string::npos ? "{}" : "{" + Rest.substr(First, Last + 1 - First) + "}";
  D.Sources.push_back(Json);
  const Value Top = parseJson(*Json);
  Fields F(Top, "a file of kernels");
  if (const Value *V = F.take("tc"))
    readComponents(D, *V);
  if (const Value *V = F.take("cq"))
    readQueues(D, *V);
  F.finish();

  for (++Number; Begin < In.Text.size(); ++Number) {
    const size_t End = std::min(In.Text.find('\n', Begin), In.Text.size());
    std::string_view Line = std::string_view(In.Text).substr(Begin, End - Begin);
    Begin = End + 1;
    if (Line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    if (Line.substr(0, 3) == "---")
      break;
    auto Where = std::make_shared<Source>();
    Where->Path = In.Path;
    Where->FirstLine = Number;
    Where->Begin = Where->End = 0;
    D.Sources.push_back(Where);
    // "0,2 -> 2,0" is accepted too.
    std::string Words(Line);
    std::replace(Words.begin(), Words.end(), ',', ' ');
    D.Edges.push_back(readEdge(Words, {Where.get(), 0}));
  }
  beginAtRandom(D);
  return D;
}

} // namespace hsched::dag
