// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

namespace hsched::rt {

TestTask::TestTask(std::vector<Access> L, uint64_t Salt) : List(std::move(L)), Salt(Salt) {
  static std::atomic<uint64_t> NextId{1};
  T.Id = NextId++;
  T.AccessList = List.data();
  T.NumAccesses = static_cast<uint32_t>(List.size());
  T.Label = "test";
  for (const Access &A : List)
    if (A.param != HSCHED_NO_PARAM)
      Packed.push_back({A.param, 1});
}

void TestTask::run(const std::vector<uint8_t *> &Pointers, const std::vector<size_t> &Strides) const {
  uint64_t Hash = Salt * 0x9e3779b97f4a7c15u + 1;
  auto Each = [&](size_t I, auto F) {
    for (size_t Row = 0; Row < List[I].rows; ++Row)
      for (size_t B = 0; B < List[I].bytes; ++B)
        F(Pointers[I][Row * Strides[I] + B]);
  };
  for (size_t I = 0; I < List.size(); ++I)
    if (reads(List[I]))
      Each(I, [&](uint8_t &Byte) { Hash = (Hash ^ Byte) * 0x100000001b3u; });
  for (size_t I = 0; I < List.size(); ++I)
    if (writes(List[I]))
      Each(I, [&](uint8_t &Byte) {
        Hash = Hash * 6364136223846793005u + 1442695040888963407u;
        Byte = static_cast<uint8_t>((List[I].mode == HSCHED_OUT ? 0 : Byte * 3) + (Hash >> 56));
      });
}

void TestTask::runOnHost() const {
  std::vector<uint8_t *> Pointers;
  std::vector<size_t> Strides;
  for (const Access &A : List) {
    Pointers.push_back(static_cast<uint8_t *>(const_cast<void *>(A.base)));
    Strides.push_back(A.stride);
  }
  run(Pointers, Strides);
}

static const hsched_kernel_desc KernelDesc = [] {
  hsched_kernel_desc D{};
  D.struct_bytes = sizeof D;
  D.entry = "test_task";
  sim::simRegisterKernel("test_task", [](const hsched_ndrange &, std::span<const sim::SimArg> Args) -> status {
    auto *T = Args[0].value<const TestTask *>();
    std::vector<uint8_t *> Pointers;
    std::vector<size_t> Strides;
    for (size_t I = 1; I < Args.size(); I += 2) { // A buffer, and the distance of its rows.
      const sim::SimArg &A = Args[I];
      const Access &Of = T->List[Pointers.size()];
      auto *P = A.pointer<uint8_t>();
      auto *Block = reinterpret_cast<uint8_t *>(A.Block);
      Strides.push_back(Args[I + 1].value<uint64_t>());
      if (Of.bytes && Of.rows && (P < Block || P + (Of.rows - 1) * Strides.back() + Of.bytes > Block + A.Bytes))
        return status::error(errc::internal, "a kernel would leave its block");
      Pointers.push_back(P);
    }
    T->run(Pointers, Strides);
    return {};
  });
  return D;
}();

Harness::Harness(sim::SimOptions Options) {
  std::vector<NodeInfo> Nodes{{nullptr, 0}};
  if (!Options.In && !Options.Apart)
    Options.In = sim::makeContext();
  for (unsigned I = 0; I < Options.Devices; ++I) {
    Devices.push_back(std::make_unique<sim::SimDevice>(I, Options));
    Nodes.push_back({Devices.back().get(), I + 1});
  }
  Dir = std::make_unique<Directory>(std::move(Nodes), Time, &Seen);
}

status Harness::launch(const TestTask &T, Acquisition &A, EventRef &Done) {
  Device &Dev = device(A.Node);
  KernelRef K;
  if (status S = Dev.kernel(KernelDesc, K); !S.ok())
    return S;
  const TestTask *Self = &T;
  std::vector<BoundArg> Args(1);
  Args[0].Value = &Self;
  Args[0].Bytes = sizeof Self;
  std::vector<uint64_t> Strides;
  Strides.reserve(T.List.size());
  for (size_t I = 0; I < T.List.size(); ++I) {
    BoundArg Arg;
    if (A.Placements[I].Mem) {
      Arg.K = BoundArg::Kind::Buffer;
      Arg.Mem = A.Placements[I].Mem;
      Arg.Offset = beginOf(T.List[I]) - A.Placements[I].HostBegin;
    }
    Args.push_back(Arg);
    Strides.push_back(A.Placements[I].Stride ? A.Placements[I].Stride : T.List[I].stride);
    BoundArg Apart;
    Apart.Value = &Strides.back();
    Apart.Bytes = sizeof(uint64_t);
    Args.push_back(Apart);
  }
  for (const EventRef &E : A.Before)
    if (status S = E->wait(); !S.ok())
      return S;
  hsched_ndrange Range{1, {1, 0, 0}, {0, 0, 0}, {}};
  if (status S = Dev.launch(K, Range, Args, A.Wait, Done); !S.ok())
    return S;
  Dir->launched(T.T, A, Done);
  return {};
}

status Harness::run(const TestTask &T, MemoryNode Node) {
  Acquisition A;
  if (status S = acquire(T, Node, A); !S.ok())
    return S;
  status Result;
  if (Node == HostNode) {
    for (const EventRef &E : A.Wait)
      if (status S = E->wait(); !S.ok())
        Result = S;
    if (Result.ok())
      T.runOnHost();
  } else {
    EventRef Done;
    Result = launch(T, A, Done);
    if (Result.ok())
      Result = Done->wait();
  }
  Dir->release(T.T, A, !Result.ok());
  return Result;
}

} // namespace hsched::rt
