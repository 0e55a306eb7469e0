// Reading PySchedCL's specifications.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Specification.h"
#include "dag/ElementType.h"
#include "dag/Fields.h"

#include <algorithm>
#include <set>

namespace hsched::dag {
namespace {

constexpr unsigned MostArgs = 1024;

std::string trimmed(std::string_view S) {
  const size_t First = S.find_first_not_of(" \t\r\n");
  return First == std::string_view::npos ? "" : std::string(S.substr(First, S.find_last_not_of(" \t\r\n") - First + 1));
}

// "[M,N,1]", [M, "N", 1] or M.
std::vector<Text> readList(const Value &V) {
  std::vector<Text> Out;
  if (V.is(Value::Array)) {
    for (const Value &I : V.items())
      Out.push_back(textOf(I, "an integer or an expression"));
    return Out;
  }
  const Text All = textOf(V, "sizes, such as \"[M,N,1]\"");
  std::string S = trimmed(All.S);
  if (!S.empty() && S[0] == '[') {
    if (S.back() != ']')
      V.fail("']' is missing at the end of " + quote(S));
    S = S.substr(1, S.size() - 2);
  }
  int Depth = 0;
  size_t Begin = 0;
  for (size_t I = 0; I <= S.size(); ++I) {
    if (I < S.size() && S[I] == '(')
      ++Depth;
    if (I < S.size() && S[I] == ')')
      --Depth;
    if (I == S.size() || (S[I] == ',' && Depth == 0)) {
      std::string Item = trimmed(std::string_view(S).substr(Begin, I - Begin));
      if (!Item.empty())
        Out.push_back({Item, V.place()});
      else if (I < S.size())
        V.fail("a size is empty in " + quote(All.S));
      Begin = I + 1;
    }
  }
  return Out;
}

class Arguments {
public:
  Arguments(Specification &To, std::vector<std::string> &Notes) : To(To), Notes(Notes) {}

  void buffers(Fields &F, const char *List, ArgDoc::Role Role) {
    if (const Value *All = F.take(List))
      for (const Value &V : All->expect(Value::Array, "an array of buffers").items()) {
        Fields B(V, "a buffer");
        ArgDoc &A = at(B, V);
        A.R = Role;
        A.Own.At = V.place();
        A.Own.Type = B.needWord("type");
        A.Own.Size = B.needExpression("size");
        A.Break = B.flag("break", false);
        A.Chunk = B.expression("chunk");
        if (const Value *Source = B.take("from")) {
          Fields S(*Source, "where a buffer's data come from");
          EdgeDoc E;
          E.At = Source->place();
          E.From = Fields::id(S.need("kernel"));
          E.FromPos = S.needExpression("pos");
          E.ToPos = {std::to_string(&A - To.Kernel.Args.data()), V.place()};
          S.finish();
          To.From.push_back(std::move(E));
        }
        // hsched-kinfo --spec outputs the size of a structure.
        if (const Value *Bytes = B.take("bytes"); Bytes && !elementType(A.Own.Type.S))
          A.Own.Type.S = "struct " + std::to_string(Bytes->expect(Value::Integer, "a number of bytes").integer());
        ignoreRest(V, {"pos", "type", "size", "break", "chunk", "from", "bytes"});
      }
  }
  void variables(Fields &F) {
    if (const Value *All = F.take("varArguments"))
      for (const Value &V : All->expect(Value::Array, "an array of arguments").items()) {
        Fields B(V, "an argument");
        ArgDoc &A = at(B, V);
        A.R = ArgDoc::Value;
        A.Type = B.needWord("type");
        const Value &Given = B.need("value");
        if (Given.is(Value::Array))
          for (const Value &Lane : Given.items())
            A.Values.push_back(textOf(Lane, "a number or an expression"));
        else
          A.Values.push_back(textOf(Given, "a number, an expression, or an array of them"));
        ignoreRest(V, {"pos", "type", "value"});
      }
  }
  void locals(Fields &F) {
    if (const Value *All = F.take("localArguments"))
      for (const Value &V : All->expect(Value::Array, "an array of arguments in local memory").items()) {
        Fields B(V, "an argument in local memory");
        ArgDoc &A = at(B, V);
        A.R = ArgDoc::Local;
        A.Own.Type = B.needWord("type");
        A.Own.Size = B.needExpression("size");
        ignoreRest(V, {"pos", "type", "size"});
      }
  }
  void finish(const Value &V) const {
    for (size_t I = 0; I < Given.size(); ++I)
      if (!Given[I])
        V.fail("argument " + std::to_string(I) + " is missing: no buffer, variable or local memory has this 'pos'");
  }

private:
  ArgDoc &at(Fields &B, const Value &V) {
    const Value &Pos = B.need("pos");
    const int64_t N = Pos.expect(Value::Integer, "an argument's position").integer();
    if (N < 0 || N >= MostArgs)
      Pos.fail(std::to_string(N) + " is not the position of an argument: write one from 0 to " +
               std::to_string(MostArgs - 1));
    const auto Index = static_cast<size_t>(N);
    if (Given.size() <= Index) {
      Given.resize(Index + 1);
      To.Kernel.Args.resize(Index + 1);
    }
    if (Given[Index])
      Pos.fail("two arguments have the position " + std::to_string(N));
    Given[Index] = true;
    To.Kernel.Args[Index].At = V.place();
    return To.Kernel.Args[Index];
  }
  void ignoreRest(const Value &V, std::initializer_list<std::string_view> Known) {
    for (const Value::Member &M : V.members())
      if (std::find(Known.begin(), Known.end(), M.first) == Known.end())
        Notes.push_back(M.second.place().describe() + ": this field is not known here, and is left out");
  }

  Specification &To;
  std::vector<std::string> &Notes;
  std::vector<bool> Given;
};

} // namespace

Specification readSpecification(const Value &V, std::vector<std::string> &Notes) {
  Specification Out;
  KernelDoc &K = Out.Kernel;
  Fields F(V, "a kernel");
  K.At = V.place();
  if (const Value *Id = F.take("id"))
    K.Id = Fields::id(*Id);
  K.Name = F.needWord("name");
  K.Src = F.needWord("src");
  if (const Value *Dev = F.take("dev"); Dev && !Dev->is(Value::Null)) {
    const std::string &Name = Dev->expect(Value::String, "'cpu' or 'gpu'").string();
    if (Name != "cpu" && Name != "gpu")
      Dev->fail(quote(Name) + " is not a type of device: write 'cpu' or 'gpu'");
    K.Device = {Name, Dev->place()};
  }
  if (const Value *Part = F.take("partition"); Part && !Part->is(Value::Null))
    K.Partition = textOf(*Part, "tenths of the range, from 0 to 10");
  if (!K.Device.empty() && !K.Partition.empty()) {
    // The paper's device field. An integer can still be wrong.
    if (int64_t N = 0; F.take("partition")->is(Value::Integer) && ((N = F.take("partition")->integer()) < 0 || N > 10))
      K.Partition.At.fail(std::to_string(N) + ": a partition is between 0 and 10 tenths of the range");
    K.Partition = {};
  }

  const Value &Dims = F.need("workDimension");
  const int64_t N = Dims.expect(Value::Integer, "a number of dimensions").integer();
  if (N < 1 || N > 3)
    Dims.fail(std::to_string(N) + " dimensions: a range has 1 to 3");
  const Value &Global = F.need("globalWorkSize");
  K.Global = readList(Global);
  if (K.Global.size() < static_cast<size_t>(N))
    Global.fail("it has " + std::to_string(K.Global.size()) + " sizes for " + std::to_string(N) + " dimensions");
  K.Global.resize(static_cast<size_t>(N)); // "[M,N,1]" of two dimensions.
  if (const Value *Local = F.take("localWorkSize"); Local && !Local->is(Value::Null)) {
    K.Local = readList(*Local);
    if (!K.Local.empty() && K.Local.size() < static_cast<size_t>(N))
      Local->fail("it has " + std::to_string(K.Local.size()) + " sizes for " + std::to_string(N) + " dimensions");
    if (!K.Local.empty())
      K.Local.resize(static_cast<size_t>(N));
  }
  Arguments A(Out, Notes);
  A.buffers(F, "inputBuffers", ArgDoc::In);
  A.buffers(F, "outputBuffers", ArgDoc::Out);
  A.buffers(F, "ioBuffers", ArgDoc::Io);
  A.variables(F);
  A.locals(F);
  A.finish(V);
  K.Macros = F.assignments("macros_values");
  K.Symbols = F.assignments("symbolicVariables");
  // The published tool removes these: they are not symbols.
  K.Symbols.erase(std::remove_if(K.Symbols.begin(), K.Symbols.end(),
                                 [](const auto &S) { return S.first == "partition" || S.first == "localWorkSize"; }),
                  K.Symbols.end());
  if (const Value *After = F.take("depends"))
    for (const Value &I : After->expect(Value::Array, "an array of kernels' ids").items())
      K.After.push_back(Fields::id(I));
  if (const Value *Task = F.take("task"); Task && !Task->is(Value::Null))
    Out.Task = Fields::id(*Task);
  static const std::set<std::string> Known = {"id",
                                              "name",
                                              "src",
                                              "dev",
                                              "partition",
                                              "workDimension",
                                              "globalWorkSize",
                                              "localWorkSize",
                                              "inputBuffers",
                                              "outputBuffers",
                                              "ioBuffers",
                                              "varArguments",
                                              "localArguments",
                                              "macros_values",
                                              "symbolicVariables",
                                              "depends",
                                              "task",
                                              "guidance",
                                              "ecos"}; // The last two are for people and for another tool.
  for (const Value::Member &M : V.members())
    if (!Known.count(M.first))
      Notes.push_back(M.second.place().describe() + ": this field is not known here, and is left out");
  return Out;
}

EdgeDoc readEdge(std::string_view Line, Place At) {
  EdgeDoc E;
  E.At = At;
  Text *Parts[] = {&E.From, &E.FromPos, &E.To, &E.ToPos};
  const size_t Arrow = Line.find("->");
  if (Arrow == std::string_view::npos)
    At.fail("an edge is written 'kernel argument -> kernel argument', not " + quote(trimmed(Line)));
  unsigned Part = 0;
  for (unsigned Side = 0; Side < 2; ++Side) {
    const std::string Half = trimmed(Side ? Line.substr(Arrow + 2) : Line.substr(0, Arrow));
    const size_t Blank = Half.find_first_of(" \t");
    if (Blank == std::string::npos || trimmed(Half.substr(Blank)).find_first_of(" \t") != std::string::npos)
      At.fail("an edge is written 'kernel argument -> kernel argument', not " + quote(trimmed(Line)));
    *Parts[Part++] = {Half.substr(0, Blank), At};
    *Parts[Part++] = {trimmed(Half.substr(Blank)), At};
  }
  return E;
}

void beginAtRandom(Document &D) {
  std::set<std::pair<std::string, std::string>> Reached;
  for (const EdgeDoc &E : D.Edges)
    Reached.emplace(E.To.S, E.ToPos.S);
  for (size_t K = 0; K < D.Kernels.size(); ++K)
    for (size_t I = 0; I < D.Kernels[K].Args.size(); ++I) {
      ArgDoc &A = D.Kernels[K].Args[I];
      if ((A.R != ArgDoc::In && A.R != ArgDoc::Io) || Reached.count({D.Kernels[K].Id.S, std::to_string(I)}))
        continue;
      const std::optional<ElementType> T = elementType(A.Own.Type.S);
      if (!T || T->K == ElementType::Raw || (T->K == ElementType::Floating && T->ScalarBytes == 2))
        continue;
      A.Own.Init.K = InitDoc::Random;
      A.Own.Init.Value = {std::to_string(K * 100 + I), A.At};
    }
}

} // namespace hsched::dag
