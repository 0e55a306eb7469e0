// Reader of hsched's own format: docs/dag.schema.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"

#include <cmath>

namespace hsched::dag {
namespace {

InitDoc readInit(const Value &V) {
  InitDoc Out;
  if (V.is(Value::String)) {
    if (V.string() != "zeros")
      V.fail("unknown initial contents " + quote(V.string()) +
             ": write \"zeros\", {\"constant\": n}, {\"random\": seed}, {\"npy\": file}, "
             "{\"csv\": file} or {\"raw\": file}");
    Out.K = InitDoc::Zeros;
    return Out;
  }
  Fields F(V, "what data begin as");
  unsigned Given = 0;
  for (auto [Name, K] : {std::pair("constant", InitDoc::Constant),
                         {"random", InitDoc::Random},
                         {"npy", InitDoc::Npy},
                         {"csv", InitDoc::Csv},
                         {"raw", InitDoc::Raw}})
    if (const Value *Of = F.take(Name)) {
      Out.K = K;
      Out.Value = K == InitDoc::Constant ? textOf(*Of, "a number or an expression")
                  : K == InitDoc::Random ? F.expression(Name)
                                         : F.word(Name);
      ++Given;
    }
  if (Given != 1)
    V.fail("it should have one of 'constant', 'random', 'npy', 'csv' and 'raw'");
  if (Out.K == InitDoc::Random) {
    if (const Value *Low = F.take("low"))
      Out.Low = textOf(*Low, "a number");
    if (const Value *High = F.take("high"))
      Out.High = textOf(*High, "a number");
  }
  F.finish();
  return Out;
}

double readTolerance(Fields &F, const char *Name) {
  const Value *V = F.take(Name);
  if (!V)
    return 0;
  if (!V->is(Value::Integer))
    V->expect(Value::Real, "a number");
  if (!(V->real() >= 0) || std::isinf(V->real()))
    V->fail("a tolerance is 0 or more");
  return V->real();
}

ExpectDoc readExpect(const Value &V) {
  ExpectDoc Out;
  if (V.is(Value::String)) {
    Out.Npy = textOf(V, "");
    return Out;
  }
  Fields F(V, "what results are compared with");
  Out.Npy = F.needWord("npy");
  Out.Relative = readTolerance(F, "relative");
  Out.Absolute = readTolerance(F, "absolute");
  F.finish();
  return Out;
}

// The fields common to buffers and buffer arguments.
void readData(Fields &F, BufferDoc &B) {
  B.Type = F.needWord("type");
  B.Size = F.needExpression("size");
  if (const Value *V = F.take("init"))
    B.Init = readInit(*V);
  B.Output = F.word("output");
  if (const Value *V = F.take("expect"))
    B.Expect = readExpect(*V);
}

// ["float", "x"], ["int at 8", 1, 2] or ["struct 8", [["int", 1], ["int", 2]]]: a member of a structure that is passed
// by value. The depth of the recursion is at most that of the JSON text.
MemberDoc readMember(const Value &V) {
  const std::vector<Value> &Items = V.expect(Value::Array, "a member of a structure").items();
  if (Items.size() < 2 || !Items[0].is(Value::String))
    V.fail("a member of a structure is its type and its values, as in [\"float\", 1.5]");
  MemberDoc M;
  M.Type = textOf(Items[0], "a type");
  if (const size_t At = M.Type.S.find(" at "); At != std::string::npos) {
    const std::string Offset = M.Type.S.substr(At + 4);
    if (Offset.empty() || Offset.size() > 9 || Offset.find_first_not_of("0123456789") != std::string::npos)
      Items[0].fail(quote(Offset) + " is not an offset of a member: write its bytes, as in \"int at 4\"");
    M.Offset = std::stoul(Offset);
    M.Type.S.resize(At);
  }
  for (size_t I = 1; I < Items.size(); ++I) {
    if (Items[I].is(Value::Array) != Items[1].is(Value::Array))
      Items[I].fail("a member has numbers, or an array of members for each structure, not both");
    if (!Items[I].is(Value::Array)) {
      M.Values.push_back(textOf(Items[I], "a number or an expression"));
      continue;
    }
    std::vector<MemberDoc> &Element = M.Elements.emplace_back();
    for (const Value &Inner : Items[I].items())
      Element.push_back(readMember(Inner));
  }
  return M;
}

ArgDoc readArg(const Value &V) {
  Fields F(V, "an argument");
  ArgDoc A;
  A.At = A.Own.At = V.place();
  const Text Role = F.needWord("role");
  if (Role.S == "in" || Role.S == "out" || Role.S == "io") {
    A.R = Role.S == "in" ? ArgDoc::In : Role.S == "out" ? ArgDoc::Out : ArgDoc::Io;
    A.Break = F.flag("break", false);
    A.Chunk = F.expression("chunk");
    if (A.Buffer = F.word("buffer"); A.Buffer.empty())
      readData(F, A.Own);
  } else if (Role.S == "value") {
    A.Type = F.needWord("type");
    const Value &Given = F.need("value");
    if (Given.is(Value::Array))
      for (const Value &Lane : Given.items()) {
        if (Lane.is(Value::Array) != Given.items()[0].is(Value::Array))
          Lane.fail("a value has numbers, or a structure's members, as in [[\"float\", 1.5], [\"int\", 3]], not both");
        if (Lane.is(Value::Array))
          A.Members.push_back(readMember(Lane));
        else
          A.Values.push_back(textOf(Lane, "a number or an expression"));
      }
    else
      A.Values.push_back(textOf(Given, "a number, an expression, or an array of them"));
  } else if (Role.S == "local") {
    A.R = ArgDoc::Local;
    A.Own.Type = F.needWord("type");
    A.Own.Size = F.needExpression("size");
  } else {
    Role.At.fail(quote(Role.S) + " is not a role: write in, out, io, value or local");
  }
  F.finish();
  return A;
}

std::vector<Text> readSizes(const Value &V, const char *What) {
  std::vector<Text> Out;
  const std::vector<Value> &Items = V.expect(Value::Array, What).items();
  if (Items.empty() || Items.size() > 3)
    V.fail("it has " + std::to_string(Items.size()) + " sizes: a range has 1 to 3 dimensions");
  for (const Value &I : Items) {
    if (I.is(Value::Real))
      I.fail("it is a number with a fraction, and should be an integer or an expression");
    Out.push_back(textOf(I, "an integer or an expression"));
  }
  return Out;
}

KernelDoc readKernel(const Value &V) {
  Fields F(V, "a kernel");
  KernelDoc K;
  K.At = V.place();
  K.Id = Fields::id(F.need("id"));
  K.Name = F.needWord("name");
  K.Src = F.needWord("src");
  K.Options = F.word("options");
  K.Symbols = F.assignments("symbols");
  K.Macros = F.assignments("macros");
  K.Global = readSizes(F.need("global"), "an array of sizes");
  if (const Value *Local = F.take("local"))
    K.Local = readSizes(*Local, "an array of sizes");
  if (const Value *Offset = F.take("offset"))
    K.Offset = readSizes(*Offset, "an array of global ids");
  K.Device = F.word("device");
  K.Partition = F.expression("partition");
  K.Cost = F.expression("cost");
  K.Priority = F.expression("priority");
  K.After = F.ids("after");
  for (const Value &A : F.need("args").expect(Value::Array, "an array of arguments").items())
    K.Args.push_back(readArg(A));
  F.finish();
  return K;
}

} // namespace

Document readHsched(const Value &Root) {
  Fields F(Root, "a file of kernels");
  Document D;
  const Value &Version = F.need("hsched-dag");
  if (Version.expect(Value::Integer, "the format's version, 1").integer() != 1)
    Version.fail("version " + std::to_string(Version.integer()) + " of the format is unknown: write 1");
  F.word("$schema");
  D.Symbols = F.assignments("symbols");
  D.Queues = F.assignments("queues");
  if (const Value *All = F.take("buffers"))
    for (const Value::Member &M : All->expect(Value::Object, "an object of buffers").members()) {
      Fields B(M.second, "a buffer");
      BufferDoc Doc;
      Doc.At = M.second.place();
      readData(B, Doc);
      B.finish();
      if (M.first.empty() || M.first.size() > 256)
        M.second.fail("a buffer's name has 1 to 256 characters");
      D.Buffers.push_back({{M.first, M.second.place()}, std::move(Doc)});
    }
  const Value &Kernels = F.need("kernels");
  for (const Value &K : Kernels.expect(Value::Array, "an array of kernels").items())
    D.Kernels.push_back(readKernel(K));
  if (D.Kernels.empty())
    Kernels.fail("there is no kernel in it");
  if (const Value *All = F.take("edges"))
    for (const Value &E : All->expect(Value::Array, "an array of edges").items()) {
      const std::vector<Value> &Four = E.expect(Value::Array, "an edge: [kernel, argument, kernel, argument]").items();
      if (Four.size() != 4)
        E.fail("an edge has four parts: [kernel, argument, kernel, argument]");
      for (unsigned I : {1, 3})
        Four[I].expect(Value::Integer, "an argument's position");
      D.Edges.push_back(
          {E.place(), Fields::id(Four[0]), textOf(Four[1], ""), Fields::id(Four[2]), textOf(Four[3], "")});
    }
  if (const Value *All = F.take("components"))
    for (const Value &C : All->expect(Value::Array, "an array of components").items()) {
      std::vector<Text> Ids;
      for (const Value &I : C.expect(Value::Array, "an array of kernels' ids").items())
        Ids.push_back(Fields::id(I));
      if (Ids.empty())
        C.fail("a component has no kernels");
      D.Components.push_back(std::move(Ids));
    }
  F.finish();
  return D;
}

} // namespace hsched::dag
