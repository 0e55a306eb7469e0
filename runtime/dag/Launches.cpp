// Computes ranges, arguments, parts and components.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"
#include "dag/Members.h"
#include "dag/Resolve.h"

#include <hsched/abi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hsched::dag {
namespace {

constexpr int64_t Most = std::numeric_limits<int64_t>::max();
// Alignment of parts: what devices require of sub-buffers.
constexpr size_t PartAlign = 512;

} // namespace

// The index in the first dimension at which a kernel's range is split. It is the nearest to its tenths at which all
// split arguments can be divided.
int64_t Resolver::splitAt(uint32_t Index) {
  const KernelDoc &Doc = *G.Kernels[Index].Doc;
  const int64_t Whole = Symbols.integer(Doc.Global[0]);
  const int64_t Unit = Doc.Local.empty() ? 1 : Symbols.integer(Doc.Local[0]);
  auto Possible = [&](int64_t At) {
    if (At <= 0 || At >= Whole || At % Unit)
      return false;
    for (uint32_t A = 0; A < Doc.Args.size(); ++A)
      if (Doc.Args[A].Break && G.Kernels[Index].ArgDatum[A] != None) {
        const Datum &Of = G.Data[G.Kernels[Index].ArgDatum[A]];
        const Wide Scaled = static_cast<Wide>(Of.Elements) * At;
        if (Scaled % Whole)
          return false;
        const auto First = static_cast<int64_t>(Scaled / Whole);
        const int64_t Chunk = Doc.Args[A].Chunk.empty() ? 1 : Symbols.integer(Doc.Args[A].Chunk, 1, Most, "a chunk");
        if (First % Chunk || static_cast<size_t>(First) * Of.Type.bytes() % PartAlign)
          return false;
      }
    return true;
  };
  const int64_t Wanted = static_cast<int64_t>(static_cast<Wide>(Whole) * G.Kernels[Index].Partition / 10);
  for (int64_t Far = 0; Far < std::min<int64_t>(Whole, 1 << 22); ++Far)
    for (int64_t At : {Wanted - Far, Wanted + Far})
      if (Possible(At))
        return At;
  Doc.Partition.At.fail("a range of " + std::to_string(Whole) +
                        " cannot be split: there is no place at which work-groups, chunks and " +
                        std::to_string(PartAlign) + "-byte blocks of all buffers with 'break' end");
}

// Writes one scalar or vector; Lanes has a value for each lane.
void Resolver::putElement(unsigned char *Bytes, const Text &Type, const Text *Lanes, const Part &Of) {
  const ElementType T = typeOf(Type);
  for (unsigned I = 0; I < T.Lanes; ++I) {
    unsigned char *To = Bytes + size_t(I) * T.ScalarBytes;
    if (T.K == ElementType::Floating) {
      const double N = Symbols.number(Lanes[I], Of);
      if (T.ScalarBytes == 2)
        Type.At.fail("an argument of type 'half' cannot be passed to a kernel");
      if (T.ScalarBytes == 8)
        std::memcpy(To, &N, 8);
      const auto F = static_cast<float>(N);
      if (T.ScalarBytes == 4 && !std::isfinite(F))
        Lanes[I].At.fail(quote(Lanes[I].S) + " does not fit in " + quote(Type.S));
      if (T.ScalarBytes == 4)
        std::memcpy(To, &F, 4);
      continue;
    }
    const unsigned Bits = T.ScalarBytes * 8;
    const int64_t Least = T.K == ElementType::Unsigned ? 0
                          : Bits == 64                 ? std::numeric_limits<int64_t>::min()
                                                       : -(int64_t(1) << (Bits - 1));
    const int64_t Greatest = Bits == 64 ? Most : (int64_t(1) << (T.K == ElementType::Unsigned ? Bits : Bits - 1)) - 1;
    const int64_t N = Symbols.integer(Lanes[I], Of);
    if (N < Least || N > Greatest)
      Lanes[I].At.fail(std::to_string(N) + " does not fit in " + quote(Type.S));
    std::memcpy(To, &N, T.ScalarBytes); // Little-endian, as all OpenCL hosts here.
  }
}

void Resolver::putValue(Launch &L, const ArgDoc &A, const Part &Of) {
  const ElementType T = typeOf(A.Type);
  const bool Structure = T.K == ElementType::Raw;
  if (Structure == A.Members.empty())
    A.At.fail("an argument of type " + quote(A.Type.S) +
              (Structure ? " has its members' types and values, as in [[\"float\", 1.5], [\"int\", 3]]"
                         : " has no members: write a plain value, or the type of a structure, as in 'struct 8'"));
  if (!Structure && A.Values.size() != T.Lanes)
    A.At.fail("an argument of type " + quote(A.Type.S) + " has " + std::to_string(T.Lanes) +
              (T.Lanes == 1 ? " value, not " : " values, not ") + std::to_string(A.Values.size()));
  const size_t Offset = (L.Values.size() + 15) / 16 * 16;
  L.Values.resize(Offset + T.bytes());
  if (Structure)
    for (const PlacedMember &M : placeMembers(A))
      putElement(L.Values.data() + Offset + M.Offset, M.Doc->Type, &M.Doc->Values[M.First], Of);
  else
    putElement(L.Values.data() + Offset, A.Type, A.Values.data(), Of);
  L.Args.push_back({LaunchArg::Value, None, Offset, T.bytes()});
}

Launch Resolver::launch(uint32_t Index, const Part &Of) {
  const Kernel &K = G.Kernels[Index];
  const KernelDoc &Doc = *K.Doc;
  const bool Split = Of.End - Of.Begin != Of.Of;
  Launch L;
  L.Dims = static_cast<unsigned>(Doc.Global.size());
  if (!Doc.Local.empty() && Doc.Local.size() != Doc.Global.size())
    Doc.Local[0].At.fail("the range has " + std::to_string(Doc.Global.size()) + " dimensions, its work-groups have " +
                         std::to_string(Doc.Local.size()));
  if (!Doc.Offset.empty() && Doc.Offset.size() != Doc.Global.size())
    Doc.Offset[0].At.fail("the range has " + std::to_string(Doc.Global.size()) + " dimensions, its offset has " +
                          std::to_string(Doc.Offset.size()));
  if (!Doc.Offset.empty() && Split) // Its buffers begin with the first work-item of the range.
    Doc.Offset[0].At.fail("a range with an offset cannot be split");
  size_t Items = 1, Group = 1;
  for (unsigned I = 0; I < L.Dims; ++I) {
    L.Global[I] = static_cast<size_t>(Symbols.integer(Doc.Global[I], 1, Most, "a size of a range"));
    if (I == 0)
      L.Global[I] = static_cast<size_t>(Of.End - Of.Begin);
    if (__builtin_mul_overflow(Items, L.Global[I], &Items))
      Doc.Global[I].At.fail("the range has more than 2^64 work-items");
    if (!Doc.Offset.empty())
      L.Offset[I] = static_cast<size_t>(Symbols.integer(Doc.Offset[I], 0, Most, "a first global id"));
    if (Doc.Local.empty())
      continue;
    L.Local[I] = static_cast<size_t>(Symbols.integer(Doc.Local[I], 1, Most, "a size of a work-group"));
    if (__builtin_mul_overflow(Group, L.Local[I], &Group))
      Doc.Local[I].At.fail("a work-group has more than 2^64 work-items");
    if (L.Global[I] % L.Local[I])
      Doc.Local[I].At.fail("the range's size " + std::to_string(L.Global[I]) +
                           " is not a multiple of the work-group's, " + std::to_string(L.Local[I]));
  }
  for (uint32_t A = 0; A < Doc.Args.size(); ++A) {
    const ArgDoc &Arg = Doc.Args[A];
    if (Arg.R == ArgDoc::Value) {
      putValue(L, Arg, Of);
      continue;
    }
    if (Arg.R == ArgDoc::Local) {
      const int64_t N = Symbols.integer(Arg.Own.Size, 1, Most, "a number of elements in local memory", Of);
      size_t Bytes;
      if (__builtin_mul_overflow(static_cast<size_t>(N), typeOf(Arg.Own.Type).bytes(), &Bytes) || Bytes > (64u << 20))
        Arg.Own.Size.At.fail("no device has so much local memory");
      L.Args.push_back({LaunchArg::Local, None, 0, Bytes});
      continue;
    }
    if (!Arg.Chunk.empty())
      (void)Symbols.integer(Arg.Chunk, 1, Most, "a chunk");
    const Datum &Of2 = G.Data[K.ArgDatum[A]];
    Touch T{K.ArgDatum[A], 0, 0, Of2.Bytes};
    T.Mode = Arg.R == ArgDoc::In ? HSCHED_IN : Arg.R == ArgDoc::Out ? HSCHED_OUT : HSCHED_INOUT;
    if (Split && Arg.Break) {
      const auto First = static_cast<size_t>(static_cast<Wide>(Of2.Elements) * Of.Begin / Of.Of);
      const auto Last = static_cast<size_t>(static_cast<Wide>(Of2.Elements) * Of.End / Of.Of);
      T.Offset = First * Of2.Type.bytes();
      T.Bytes = (Last - First) * Of2.Type.bytes();
    } else if (Split && Arg.R != ArgDoc::In) {
      Arg.At.fail("the kernel's range is split, so a buffer that it writes is split too: it needs 'break'");
    }
    L.Args.push_back({LaunchArg::Buffer, T.Datum, T.Offset, 0});
    auto Same =
        std::find_if(L.Touches.begin(), L.Touches.end(), [&](const Touch &Had) { return Had.Datum == T.Datum; });
    if (Same == L.Touches.end()) {
      L.Touches.push_back(T);
      continue;
    }
    Same->Mode = Same->Mode == T.Mode ? T.Mode : static_cast<unsigned>(HSCHED_INOUT);
    const size_t End = std::max(Same->Offset + Same->Bytes, T.Offset + T.Bytes);
    Same->Offset = std::min(Same->Offset, T.Offset);
    Same->Bytes = End - Same->Offset;
  }
  return L;
}

void Resolver::makeLaunches() {
  for (uint32_t I : G.Order) {
    Kernel &K = G.Kernels[I];
    if (!K.Doc)
      continue;
    const KernelDoc &Doc = *K.Doc;
    Symbols.add(Doc.Symbols);
    const int64_t Whole = Symbols.integer(Doc.Global[0], 1, Most, "a size of a range");
    std::string Device = Doc.Device.S == "any" ? "" : Doc.Device.S;
    if (!Doc.Partition.empty()) {
      K.Partition =
          static_cast<unsigned>(Symbols.integer(Doc.Partition, 0, 10, "a partition, in tenths of the range,"));
      if (!Device.empty() && (K.Partition % 10 || Device != (K.Partition ? "gpu" : "cpu")))
        Doc.Partition.At.fail("a partition of " + std::to_string(K.Partition) + " and the device " +
                              quote(Doc.Device.S) + " contradict each other");
      Device = K.Partition == 10 ? "gpu" : "cpu";
    }
    if (K.Partition % 10 == 0) {
      K.Launches.push_back(launch(I, {0, Whole, Whole}));
      K.Launches.back().Device = Device;
    } else {
      const int64_t At = splitAt(I);
      K.Launches.push_back(launch(I, {0, At, Whole}));
      K.Launches.back().Device = "gpu";
      K.Launches.push_back(launch(I, {At, Whole, Whole}));
      K.Launches.back().Device = "cpu";
      if (At * 10 != Whole * static_cast<int64_t>(K.Partition))
        G.Notes.push_back(Doc.Partition.At.describe() + ": the range of " + std::to_string(Whole) + " is split at " +
                          std::to_string(At) + ", where buffers can be split too");
    }
    if (!Doc.Priority.empty())
      K.Priority = static_cast<int>(Symbols.integer(Doc.Priority, -1000000, 1000000, "a priority"));
    if (!Doc.Cost.empty()) {
      K.Cost = static_cast<double>(Symbols.integer(Doc.Cost, 0, Most, "a cost"));
    } else {
      for (const Launch &L : K.Launches) {
        K.Cost +=
            static_cast<double>(L.Global[0]) * static_cast<double>(L.Global[1]) * static_cast<double>(L.Global[2]);
        for (const Touch &T : L.Touches)
          K.Cost += static_cast<double>(T.Bytes);
      }
    }
    Symbols.leave();
  }
}

void Resolver::makeComponents() {
  G.HasComponents = !D.Components.empty();
  for (const std::vector<Text> &Ids : D.Components) {
    if (Ids.empty())
      throw Error(D.Path + ": a component has no kernels");
    Component C;
    C.At = Ids[0].At;
    for (const Text &Id : Ids) {
      Kernel &K = G.Kernels[kernelOf(Id)];
      if (K.Component != None)
        Id.At.fail("kernel " + quote(Id.S) + " is in two components");
      K.Component = static_cast<uint32_t>(G.Components.size());
      if (K.Launches.size() > 1 && Ids.size() > 1)
        Id.At.fail("kernel " + quote(Id.S) + " is split between devices: it is a component by itself");
      const std::string &First = G.Kernels[kernelOf(Ids[0])].Launches[0].Device;
      if (K.Launches[0].Device != First)
        Id.At.fail("a component goes to one device, but kernel " + quote(Id.S) + " is for " +
                   quote(K.Launches[0].Device.empty() ? "any" : K.Launches[0].Device) + ", kernel " + quote(Ids[0].S) +
                   " for " + quote(First.empty() ? "any" : First));
    }
    G.Components.push_back(std::move(C));
  }
  for (Kernel &K : G.Kernels)
    if (K.Doc && K.Component == None) {
      K.Component = static_cast<uint32_t>(G.Components.size());
      G.Components.emplace_back().At = K.At;
    }
  // A copy runs on the device of its user, which may be another copy.
  for (auto At = G.Order.rbegin(); At != G.Order.rend(); ++At)
    if (Kernel &K = G.Kernels[*At]; !K.Doc) {
      K.Component = G.Kernels[K.Behind[0]].Component;
      K.Launches[0].Device = G.Kernels[K.Behind[0]].Launches[0].Device;
    }
  for (uint32_t I : G.Order) {
    const Kernel &K = G.Kernels[I];
    Component &C = G.Components[K.Component];
    C.Kernels.push_back(I);
    auto Elsewhere = [&](uint32_t Other) { return G.Kernels[Other].Component != K.Component; };
    const bool Front = K.Before.empty() || std::any_of(K.Before.begin(), K.Before.end(), Elsewhere);
    const bool End = K.Behind.empty() || std::any_of(K.Behind.begin(), K.Behind.end(), Elsewhere);
    if (Front)
      C.Front.push_back(I);
    if (End)
      C.End.push_back(I);
    if (!Front && !End)
      C.Inside.push_back(I);
  }
}

void Resolver::results() {
  // One kernel at a time: parts of one kernel do not depend on each other.
  for (uint32_t I : G.Order) {
    for (const Launch &L : G.Kernels[I].Launches)
      for (const Touch &T : L.Touches)
        if (T.Mode != HSCHED_OUT && !G.Data[T.Datum].Written)
          G.Data[T.Datum].Begins = true;
    for (const Launch &L : G.Kernels[I].Launches)
      for (const Touch &T : L.Touches)
        if (T.Mode != HSCHED_IN)
          G.Data[T.Datum].Written = true;
  }
  for (uint32_t I = 0; I < D.Kernels.size(); ++I)
    for (uint32_t A = 0; A < D.Kernels[I].Args.size(); ++A) {
      const ArgDoc &Arg = D.Kernels[I].Args[A];
      if ((Arg.R == ArgDoc::Out || Arg.R == ArgDoc::Io) && (!Arg.Buffer.empty() || Edges[I][A].empty()))
        G.Data[G.Kernels[I].ArgDatum[A]].Result = true;
    }
  for (Datum &N : G.Data) {
    N.Result |= !N.Output.empty() || !N.ExpectFile.empty();
    N.Begins |= N.Result && !N.Written;
  }
}

} // namespace hsched::dag
