// Assigns arguments to data, and initial contents to data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"
#include "dag/Resolve.h"

#include <hsched/abi.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace hsched::dag {
namespace {

constexpr int64_t MostElements = std::numeric_limits<int64_t>::max();

constexpr char CopySource[] = R"(kernel void hsched_copy(global const uchar *from, global uchar *to, ulong bytes) {
  ulong at = (ulong)get_global_id(0) * 16;
  if (at + 16 <= bytes)
    vstore16(vload16(0, from + at), 0, to + at);
  else
    for (; at < bytes; ++at)
      to[at] = from[at];
}
)";

std::string posName(const Kernel &K, size_t Pos) { return K.Id + "." + std::to_string(Pos); }

} // namespace

void Resolver::setInit(Datum &N, const BufferDoc &B) {
  const InitDoc &I = B.Init;
  N.Init = I.K == InitDoc::None ? InitDoc::Zeros : I.K;
  N.InitAt = I.Value.At.In ? I.Value.At : B.At;
  if (N.Type.K == ElementType::Raw && (I.K == InitDoc::Constant || I.K == InitDoc::Random || I.K == InitDoc::Csv))
    N.InitAt.fail("a structure's bytes begin as zeros, or are read from a file");
  const bool Fraction = N.Type.K == ElementType::Floating;
  if (I.K == InitDoc::Constant) {
    if (Fraction)
      N.Constant = Symbols.number(I.Value);
    else if (I.Value.S.find_first_of(".eE") == std::string::npos || !Scope::isLiteral(I.Value, N.Constant))
      N.Whole = Symbols.integer(I.Value);
    else if (N.Constant != std::floor(N.Constant))
      N.InitAt.fail(quote(I.Value.S) + " is not an integer");
  }
  if (I.K == InitDoc::Random) {
    N.Seed = Symbols.integer(I.Value);
    N.High = Fraction ? 1 : 128;
    if (!I.Low.empty())
      N.Low = Symbols.number(I.Low);
    if (!I.High.empty())
      N.High = Symbols.number(I.High);
    if (!(N.Low < N.High))
      N.InitAt.fail("the range of random numbers is empty");
  }
  if (I.K == InitDoc::Npy || I.K == InitDoc::Csv || I.K == InitDoc::Raw)
    N.File = path(I.Value);
}

uint32_t Resolver::addDatum(const BufferDoc &B, std::string Name) {
  Datum N;
  N.Name = std::move(Name);
  N.At = B.Size.At;
  N.Type = typeOf(B.Type);
  N.Elements = Symbols.integer(B.Size, 1, MostElements, "a buffer's number of elements");
  if (__builtin_mul_overflow(static_cast<size_t>(N.Elements), N.Type.bytes(), &N.Bytes) || N.Bytes > MostBytes ||
      (G.Bytes += N.Bytes) > MostBytes)
    B.Size.At.fail("buffer " + quote(N.Name) + " of " + std::to_string(N.Elements) +
                   " elements makes all data larger than " + std::to_string(MostBytes) +
                   " bytes; --memory allows more");
  setInit(N, B);
  if (!B.Output.empty()) {
    N.Output = path(B.Output);
    N.OutputAt = B.Output.At;
  }
  if (!B.Expect.Npy.empty()) {
    N.Expect = B.Expect;
    N.ExpectFile = path(B.Expect.Npy);
  }
  G.Data.push_back(std::move(N));
  return static_cast<uint32_t>(G.Data.size() - 1);
}

// Adds a kernel that copies From, so that kernel For may overwrite the copy.
uint32_t Resolver::addCopy(uint32_t From, uint32_t For) {
  static const auto Text = [] {
    auto S = std::make_shared<Source>();
    S->Path = "hsched_copy";
    S->Text = CopySource;
    return S;
  }();
  uint32_t P = 0;
  while (P < G.Programs.size() && G.Programs[P].Text != Text)
    ++P;
  if (P == G.Programs.size())
    G.Programs.push_back({"hsched_copy", "", "hsched_copy", "", Text, G.Kernels[For].At});
  Datum To;
  To.Name = G.Data[From].Name + "'";
  To.At = G.Kernels[For].At;
  To.Type = G.Data[From].Type;
  To.Elements = G.Data[From].Elements;
  To.Bytes = G.Data[From].Bytes;
  if ((G.Bytes += To.Bytes) > MostBytes)
    To.At.fail("a copy of buffer " + quote(G.Data[From].Name) + " makes all data larger than " +
               std::to_string(MostBytes) + " bytes; --memory allows more");
  const auto D2 = static_cast<uint32_t>(G.Data.size());
  G.Data.push_back(To);
  Kernel K;
  K.Id = "copy of " + G.Data[From].Name + " for " + G.Kernels[For].Id;
  K.At = G.Kernels[For].At;
  K.Program = P;
  Launch L;
  L.Global[0] = (To.Bytes + 15) / 16;
  L.Args = {{LaunchArg::Buffer, From, 0, 0}, {LaunchArg::Buffer, D2, 0, 0}, {LaunchArg::Value, None, 0, 8}};
  L.Touches = {{From, HSCHED_IN, 0, To.Bytes}, {D2, HSCHED_OUT, 0, To.Bytes}};
  const uint64_t Bytes = To.Bytes;
  L.Values.resize(8);
  std::memcpy(L.Values.data(), &Bytes, 8);
  K.Cost = static_cast<double>(2 * To.Bytes);
  K.Launches.push_back(std::move(L));
  G.Kernels.push_back(std::move(K));
  return D2;
}

void Resolver::makeData() {
  for (const auto &[Name, Doc] : D.Buffers)
    BufferDatum.push_back(addDatum(Doc, Name.S));
  std::vector<uint32_t> Order;
  for (uint32_t I : G.Order) {
    const KernelDoc &Doc = *G.Kernels[I].Doc;
    Symbols.add(Doc.Symbols);
    for (uint32_t A = 0; A < Doc.Args.size(); ++A) {
      const ArgDoc &Arg = Doc.Args[A];
      if (Arg.R == ArgDoc::Value || Arg.R == ArgDoc::Local)
        continue;
      uint32_t &Datum = G.Kernels[I].ArgDatum[A];
      if (!Arg.Buffer.empty()) {
        Datum = BufferDatum[BufferByName.at(Arg.Buffer.S)];
        continue;
      }
      const Ref Before = From[I][A];
      if (Before.Kernel == None) {
        const std::string Name = posName(G.Kernels[I], A);
        if (auto At = BufferByName.find(Name); At != BufferByName.end())
          D.Buffers[At->second].first.At.fail("the buffer has the name of argument " + std::to_string(A) +
                                              " of kernel " + quote(Doc.Id.S) + ", a buffer of its own: rename one");
        Datum = addDatum(Arg.Own, Name);
        continue;
      }
      const uint32_t Source = G.Kernels[Before.Kernel].ArgDatum[Before.Arg];
      const ElementType Type = typeOf(Arg.Own.Type);
      const int64_t N = Symbols.integer(Arg.Own.Size, 1, MostElements, "a buffer's number of elements");
      size_t Bytes;
      if (__builtin_mul_overflow(static_cast<size_t>(N), Type.bytes(), &Bytes) || Bytes != G.Data[Source].Bytes)
        Arg.Own.Size.At.fail("it has " + std::to_string(N) + " elements of " + std::to_string(Type.bytes()) +
                             " bytes, but buffer " + quote(G.Data[Source].Name) +
                             ", from which an edge leads to it, has " + std::to_string(G.Data[Source].Elements) +
                             " of " + std::to_string(G.Data[Source].Type.bytes()));
      Datum = Source;
      if (Arg.R == ArgDoc::In) {
        if (!Arg.Own.Output.empty() || !Arg.Own.Expect.Npy.empty())
          Arg.At.fail("an input is not a result: 'output' and 'expect' belong to the kernel that writes the buffer");
        continue;
      }
      // Updated in place if no other kernel needs the old contents.
      const ArgDoc &Made = argOf(Before);
      if (Edges[Before.Kernel][Before.Arg].size() > 1 || !Made.Own.Output.empty() || !Made.Own.Expect.Npy.empty()) {
        const uint32_t Copy = addCopy(Source, I);
        G.Kernels[I].ArgDatum[A] = Copy;
        const auto CopyKernel = static_cast<uint32_t>(G.Kernels.size() - 1);
        precede(Before.Kernel, CopyKernel, true);
        precede(CopyKernel, I, true);
        Order.push_back(CopyKernel);
      }
      dag::Datum &Now = G.Data[G.Kernels[I].ArgDatum[A]];
      Now.Name = posName(G.Kernels[I], A);
      if (!Arg.Own.Output.empty()) {
        Now.Output = path(Arg.Own.Output);
        Now.OutputAt = Arg.Own.Output.At;
      }
      if (!Arg.Own.Expect.Npy.empty()) {
        Now.Expect = Arg.Own.Expect;
        Now.ExpectFile = path(Arg.Own.Expect.Npy);
      }
    }
    Symbols.leave();
    Order.push_back(I);
  }
  G.Order = std::move(Order);
}

} // namespace hsched::dag
