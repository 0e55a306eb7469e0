// IRIS's DAGGER JSON: tasks of commands on named memory. The inputs of its host program become symbols.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"

#include <algorithm>
#include <map>
#include <set>

namespace hsched::dag {
namespace {

// An input's name as a symbol: user-size becomes user_size.
Text symbol(const Value &V, const char *What) {
  Text T = textOf(V, What);
  const size_t Digit = T.S.find_first_not_of("+-.");
  if (Digit == std::string::npos || !std::isdigit(static_cast<unsigned char>(T.S[Digit]))) // No number.
    std::replace_if(T.S.begin(), T.S.end(), [](unsigned char C) { return !std::isalnum(C) && C != '_'; }, '_');
  return T;
}

class IrisReader {
public:
  explicit IrisReader(const Value &Root) : Root(Root) {}

  Document read() {
    const Value *Graph = Root.find("iris-graph");
    Fields G(*Graph, "an IRIS graph");
    if (const Value *Inputs = G.take("inputs"))
      for (const Value &I : Inputs->expect(Value::Array, "an array of names").items())
        (void)textOf(I.expect(Value::String, "a name"), "");
    Fields Inner(G.need("graph"), "an IRIS graph");
    const Value &All = Inner.need("tasks");
    const std::vector<Value> &Tasks = All.expect(Value::Array, "an array of tasks").items();
    for (size_t I = 0; I < Tasks.size(); ++I) {
      Fields T(Tasks[I], "a task");
      const Text Name = T.needWord("name");
      if (!ByName.emplace(Name.S, I).second)
        Name.At.fail("two tasks have the name " + quote(Name.S));
      Names.push_back(Name);
    }
    // Named memory follows the order of the file, so the tasks are sorted topologically.
    Behind.resize(Tasks.size());
    for (size_t I = 0; I < Tasks.size(); ++I)
      if (const Value *After = Tasks[I].find("depends"))
        for (const Value &D : After->expect(Value::Array, "an array of tasks' names").items()) {
          auto At = ByName.find(D.expect(Value::String, "a task's name").string());
          if (At == ByName.end())
            D.fail("there is no task " + quote(D.string()));
          Before[I].push_back({At->second, D.place()});
        }
    Kernels.resize(Tasks.size());
    for (size_t I : order(Tasks.size()))
      task(Tasks[I], I);
    if (Out.Kernels.empty())
      All.fail("there is no kernel in it");
    for (auto &[Name, B] : Memory) {
      if (B.Size.empty())
        B.At.fail("nothing says how many bytes memory " + quote(Name) + " has");
      Out.Buffers.push_back({{Name, B.At}, B});
    }
    Out.Notes.push_back("IRIS does not say of which type memory is: it is taken as bytes; data begin as random bytes");
    return std::move(Out);
  }

private:
  // Without recursion, because a chain may be long.
  std::vector<size_t> order(size_t N) {
    std::vector<size_t> Waits(N), Order;
    for (const auto &[I, List] : Before)
      for (const auto &[First, At] : List) {
        Behind[First].push_back(I);
        ++Waits[I];
      }
    std::set<size_t> Ready;
    for (size_t I = 0; I < N; ++I)
      if (!Waits[I])
        Ready.insert(I);
    while (!Ready.empty()) {
      const size_t I = *Ready.begin();
      Ready.erase(Ready.begin());
      Order.push_back(I);
      for (size_t Next : Behind[I])
        if (!--Waits[Next])
          Ready.insert(Next);
    }
    for (size_t I = 0; Order.size() != N && I < N; ++I)
      if (Waits[I])
        Names[I].At.fail("task " + quote(Names[I].S) + " waits for itself, or for tasks that do");
    return Order;
  }

  void task(const Value &V, size_t Index) {
    Fields T(V, "a task");
    Text Device;
    if (const Value *Target = T.take("target"); Target && Target->is(Value::Integer)) {
      if (Target->integer() < 0)
        Target->fail(std::to_string(Target->integer()) + " is not the number of a device: they begin at 0");
      Device = {std::to_string(Target->integer()), Target->place()};
    } else if (Target) { // Other words are IRIS policies or inputs.
      if (const Text Word = textOf(*Target, "a device or a policy"); Word.S == "cpu" || Word.S == "gpu")
        Device = Word;
    }
    // Representatives of the predecessors: their last kernels or, without kernels, their own predecessors.
    std::vector<Text> After;
    std::set<std::string> Had;
    for (const auto &[First, At] : Before[Index])
      for (const Text &K : Kernels[First])
        if (Had.insert(K.S).second)
          After.push_back({K.S, At});
    unsigned N = 0;
    for (const Value &C : T.need("commands").expect(Value::Array, "an array of commands").items()) {
      C.expect(Value::Object, "a command");
      if (const Value *K = C.find("kernel")) {
        KernelDoc Doc = kernel(*K);
        Doc.Id = {Names[Index].S + (N ? "." + std::to_string(N) : ""), K->place()};
        Doc.Device = Device;
        Doc.After = After;
        After = {Doc.Id};
        Out.Kernels.push_back(std::move(Doc));
        ++N;
      } else if (const Value *To = C.find("h2d")) {
        transfer(*To, true);
      } else if (const Value *From = C.find("d2h")) {
        transfer(*From, false);
      } else {
        C.fail("a command is a 'kernel', an 'h2d' or a 'd2h'");
      }
    }
    Kernels[Index] = std::move(After);
  }

  BufferDoc &memory(const std::string &Name, Place At) {
    auto [B, New] = Memory.emplace(Name, BufferDoc());
    if (New) {
      B->second.At = At;
      B->second.Type = {"uchar", At};
    }
    return B->second;
  }
  // All places with a memory's size have the same one.
  static void size(BufferDoc &B, const Value *Size) {
    if (!Size)
      return;
    const Text Here = symbol(*Size, "a number of bytes");
    if (!B.Size.empty() && B.Size.S != Here.S)
      Size->fail(quote(Here.S) + " bytes here, but " + quote(B.Size.S) + " at " + B.Size.At.describe() +
                 ": only transfers of whole buffers are known here");
    B.Size = Here;
  }

  void transfer(const Value &V, bool ToDevice) {
    Fields F(V, "a transfer");
    (void)F.word("name");
    const Text Device = F.needWord("device_memory");
    BufferDoc &B = memory(Device.S, Device.At);
    const Value *Offset = F.take("offset");
    if (Offset && textOf(*Offset, "a number of bytes").S != "0")
      Offset->fail("only transfers of whole buffers are known here, from byte 0");
    size(B, F.take("size"));
    const Text Host = F.word("host_memory");
    if (!ToDevice)
      return;
    if (Written.count(Device.S))
      V.fail("memory " + quote(Device.S) + " is sent again after a kernel has written it: that is not known here");
    B.Init.K = InitDoc::Random;
    // Equal host memory has equal bytes.
    const std::string From = Host.empty() ? Device.S : Host.S;
    auto [Seed, New] = Seeds.emplace(From, Seeds.size());
    B.Init.Value = {std::to_string(Seed->second), V.place()};
  }

  KernelDoc kernel(const Value &V) {
    Fields F(V, "a kernel");
    KernelDoc K;
    K.At = V.place();
    K.Name = F.needWord("name");
    K.Src = {"kernel.cl", V.place()};
    const Value &Global = F.need("global_size");
    for (const Value &S : Global.expect(Value::Array, "an array of sizes").items())
      K.Global.push_back(symbol(S, "a size"));
    if (K.Global.empty() || K.Global.size() > 3)
      Global.fail("a range has 1 to 3 dimensions");
    if (const Value *Local = F.take("local_size"))
      for (const Value &S : Local->expect(Value::Array, "an array of sizes").items())
        K.Local.push_back(symbol(S, "a size"));
    if (const Value *Offset = F.take("offset"))
      for (const Value &S : Offset->expect(Value::Array, "an array of sizes").items())
        if (textOf(S, "an offset").S != "0")
          S.fail("a range that does not begin at 0 is not known here");
    for (const Value &P : F.need("parameters").expect(Value::Array, "an array of parameters").items())
      K.Args.push_back(parameter(P));
    return K;
  }

  ArgDoc parameter(const Value &V) {
    Fields F(V, "a parameter");
    ArgDoc A;
    A.At = V.place();
    const Text Type = F.needWord("type");
    // Earlier versions of IRIS call it 'name'.
    const char *Field = !V.find("value") && V.find("name") ? "name" : "value";
    if (Type.S == "memory_object") {
      A.Buffer = F.needWord(Field);
      const Value *Permission = F.take("permissions");
      if (!Permission)
        Permission = F.take("permission");
      if (!Permission)
        V.fail("'permissions' is missing: memory has r, w or rw");
      const std::string &P = Permission->expect(Value::String, "r, w or rw").string();
      if (P != "r" && P != "w" && P != "rw")
        Permission->fail(quote(P) + " is not a permission: write r, w or rw");
      A.R = P == "r" ? ArgDoc::In : P == "w" ? ArgDoc::Out : ArgDoc::Io;
      size(memory(A.Buffer.S, A.Buffer.At), F.take("size_bytes"));
      if (A.R != ArgDoc::In)
        Written.insert(A.Buffer.S);
      return A;
    }
    if (Type.S != "scalar")
      Type.At.fail(quote(Type.S) + " is not a kind of parameter: write memory_object or scalar");
    A.Values.push_back(symbol(F.need(Field), "a number or a name"));
    if (A.Type = F.word("data_type"); A.Type.empty()) {
      const Value *Size = F.take("data_size");
      const std::string Bytes = Size ? symbol(*Size, "a number of bytes").S : "4";
      if (Size && !Size->is(Value::String) && Bytes != "4" && Bytes != "8")
        Size->fail("a scalar without 'data_type' has 4 or 8 bytes, not " + Bytes);
      if (Bytes != "4" && Bytes != "8")
        Out.Notes.push_back(V.place().describe() + ": the scalar's type is not said; it is taken as an int");
      A.Type = {Bytes == "8" ? "long" : "int", V.place()};
    }
    return A;
  }

  const Value &Root;
  Document Out;
  std::set<std::string> Written;
  std::map<std::string, size_t> ByName, Seeds;
  std::vector<Text> Names;
  std::map<size_t, std::vector<std::pair<size_t, Place>>> Before;
  std::vector<std::vector<size_t>> Behind;
  std::vector<std::vector<Text>> Kernels; // By task: its representatives.
  std::map<std::string, BufferDoc> Memory;
};

} // namespace

Document readIris(const Value &Root) { return IrisReader(Root).read(); }

} // namespace hsched::dag
