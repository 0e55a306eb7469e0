// Launches of kernels and of host functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"
#include "icd/Minikernel.h"
#include "icd/Reporter.h"

#include <CL/cl_hsched.h>

#include <algorithm>

namespace hsched::icd {
namespace {

// The local sizes do not fit the global ones, or the kernel requires others.
bool isUneven(const Kernel &K, const Device &D, const Sizes &S) {
  bool Uneven = false;
  for (cl_uint I = 0; I != 3; ++I) {
    const size_t Local = I < S.Dimensions ? S.Local[I] : 1;
    Uneven |= (I < S.Dimensions && !D.limits().UnevenGroups && S.Global[I] % Local) ||
              (K.required()[0] && K.required()[I] != Local);
  }
  return Uneven;
}

// Throws the error of a launch whose work-groups do not fit the device.
void checkOn(const Kernel &K, const Device &D, const Sizes &S) {
  const Device::Limits &Most = D.limits();
  size_t Items = 1;
  for (cl_uint I = 0; I != S.Dimensions; ++I) {
    require(S.Local[I], CL_INVALID_WORK_GROUP_SIZE);
    require(S.Local[I] <= Most.ItemSizes[I], CL_INVALID_WORK_ITEM_SIZE);
    Items *= S.Local[I];
  }
  require(Items <= Most.GroupSize, CL_INVALID_WORK_GROUP_SIZE);
  Kernel::Launch Its; // It replaces these sizes.
  require(!isUneven(K, D, S) || K.launchOn(&D, Its), CL_INVALID_WORK_GROUP_SIZE);
}

// Checks that the launch fits a device of a scheduled queue. Throws the first one's error if there is none.
void checkOnAny(const Kernel &K, const Context &In, const Sizes &S, uint64_t LocalBytes) {
  cl_int Error = CL_SUCCESS;
  for (const Device *D : In.vendorDevices())
    if (K.isOn(*D)) {
      const cl_int Its = guarded([&] {
        Kernel::Launch Given;
        if (S.HasLocal && !K.launchOn(D, Given))
          checkOn(K, *D, S);
        require(LocalBytes <= D->limits().LocalBytes, CL_OUT_OF_RESOURCES);
      });
      if (!Its)
        return;
      Error = Error ? Error : Its;
    }
  check(Error);
}

void launch(const Enqueueing &E, cl_kernel Handle, const Sizes &S, cl_command_type Type, cl_event *Event) {
  Ref<Kernel> K = &need<Kernel>(Handle, CL_INVALID_KERNEL);
  require(K->Of->In == E.Q.In, CL_INVALID_CONTEXT);
  bool Fixed = !E.Q.isScheduled();
  const Device &On = Fixed ? E.Q.device() : *E.Q.On;
  if (Fixed) {
    require(K->isOn(On), CL_INVALID_PROGRAM_EXECUTABLE);
    if (S.HasLocal)
      checkOn(*K, On, S);
    for (cl_uint I = 0; I != S.Dimensions; ++I)
      require(S.Global[I] || On.Version >= 210, CL_INVALID_GLOBAL_WORK_SIZE);
  }
  Touch Uses;
  Kernel::Bound Args = K->bind(Uses, On, &S);
  if (Fixed)
    Args.checkFor(*E.Q.In->partOf(&On));
  else
    checkOnAny(*K, *E.Q.In, S, Args.LocalBytes);
  bool Empty = S.items() == 0;
  auto Start = [K, S, Empty](const Kernel::Bound &Args, const Target &T, cl_uint N, const cl_event *Waits,
                             cl_event *Out) {
    if (Empty)
      return N ? T.cl().clEnqueueMarkerWithWaitList(T.Queue, N, Waits, Out) : CL_SUCCESS;
    const Sizes Its = Args.Special ? S.on(*K, T.On) : S;
    return K->with(*T.In, Args, [&](cl_kernel V) {
      return T.cl().clEnqueueNDRangeKernel(T.Queue, V, Its.Dimensions, Its.Offset, Its.Global,
                                           Its.HasLocal ? Its.Local : nullptr, N, Waits, Out);
    });
  };
  if (!Event && E.After.empty() && !Empty) {
    cl_int Error = CL_SUCCESS;
    auto Now = [&](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
      return Start(Args, T, N, Waits, Out);
    };
    if (E.Q.direct(Uses, Now, Error))
      return check(Error);
  }
  auto C = E.command(Type);
  C->uses(std::move(Uses));
  C->Kernel = K->key();
  C->Size = S.items();
  C->Runs = K;
  C->FollowsLane = !Empty;
  if (!Fixed && (S.HasLocal || Args.LocalBytes))
    C->Accepts = [K, S, Bytes = Args.LocalBytes](const Device &D) {
      Kernel::Launch Given;
      return Bytes <= D.limits().LocalBytes &&
             (!S.HasLocal || K->launchOn(&D, Given) || guarded([&] { checkOn(*K, D, S); }) == CL_SUCCESS);
    };
  constexpr cl_ulong Estimated = CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED | CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED;
  if (!Fixed && !Empty && (E.Q.Sched.load(std::memory_order_acquire) & Estimated) == Estimated)
    C->Mini = std::make_shared<const Minikernel>(K, Args, S);
  if (Reporter *Report = Reporter::get(); Report && Report->wantsLaunches())
    C->Describe = [C = C.get(), K, Args, S](Reporter &To) { To.launching(*C, *K, Args, S); };
  C->Start = [Start, Args = std::move(Args)](const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) {
    return Start(Args, T, N, Waits, Out);
  };
  E(C, CL_FALSE, Event);
}

cl_int CL_API_CALL enqueueNdRange(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                  const size_t *Global, const size_t *Local, cl_uint N, const cl_event *List,
                                  cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    (void)need<Kernel>(K, CL_INVALID_KERNEL);
    require(Dimensions >= 1 && Dimensions <= 3, CL_INVALID_WORK_DIMENSION);
    Sizes S;
    require(Global || E.Q.On->Version >= 210, CL_INVALID_GLOBAL_WORK_SIZE);
    S.Dimensions = Dimensions;
    S.HasLocal = Local != nullptr;
    for (cl_uint I = 0; I != Dimensions; ++I) {
      S.Global[I] = Global ? Global[I] : 0;
      S.Offset[I] = Offset ? Offset[I] : 0;
      S.Local[I] = Local ? Local[I] : 0;
      require(S.Global[I] + S.Offset[I] >= S.Offset[I], CL_INVALID_GLOBAL_OFFSET);
    }
    launch(E, K, S, CL_COMMAND_NDRANGE_KERNEL, Event);
  });
}

cl_int CL_API_CALL enqueueTask(cl_command_queue Q, cl_kernel K, cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Sizes S;
    S.Local[0] = 1;
    S.HasLocal = true;
    launch(Enqueueing(Q, N, List), K, S, CL_COMMAND_TASK, Event);
  });
}

cl_int CL_API_CALL enqueueNativeKernel(cl_command_queue Q, void(CL_CALLBACK *Function)(void *), void *Args,
                                       size_t ArgBytes, cl_uint ObjectCount, const cl_mem *Objects, const void **Places,
                                       cl_uint N, const cl_event *List, cl_event *Event) {
  return guarded([&] {
    Enqueueing E(Q, N, List);
    require(Function && !Args == !ArgBytes && !ObjectCount == !Objects && !ObjectCount == !Places, CL_INVALID_VALUE);
    require(!ObjectCount || ArgBytes >= sizeof(void *), CL_INVALID_VALUE);
    auto Capable = E.Q.On->number<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES);
    require((Capable & CL_EXEC_NATIVE_KERNEL) && !E.Q.On->isAuto(), CL_INVALID_OPERATION);
    std::vector<Ref<Memory>> All;
    std::vector<size_t> Offsets;
    for (cl_uint I = 0; I != ObjectCount; ++I) {
      All.emplace_back(&E.buffer(Objects[I]));
      auto Offset = static_cast<size_t>(static_cast<const std::byte *>(static_cast<const void *>(Places[I])) -
                                        static_cast<const std::byte *>(Args));
      require(Offset <= ArgBytes - sizeof(void *), CL_INVALID_VALUE);
      Offsets.push_back(Offset);
    }
    auto C = E.command(CL_COMMAND_NATIVE_KERNEL);
    C->Fence = true;
    for (const auto &M : All)
      C->uses(*M, true, true);
    const auto *Begin = static_cast<const std::byte *>(Args);
    C->Start = [=, Copy = std::vector<std::byte>(Begin, Begin + ArgBytes)](
                   const Target &T, cl_uint N, const cl_event *Waits, cl_event *Out) -> cl_int {
      auto Block = Copy;
      std::vector<cl_mem> Vendors;
      std::vector<const void *> Where;
      for (size_t I = 0; I != All.size(); ++I) {
        Vendors.push_back(All[I]->in(*T.In));
        Where.push_back(Block.data() + Offsets[I]);
      }
      if (!T.cl().clEnqueueNativeKernel)
        return CL_INVALID_OPERATION;
      return T.cl().clEnqueueNativeKernel(
          T.Queue, Function, Block.empty() ? nullptr : Block.data(), Block.size(), static_cast<cl_uint>(Vendors.size()),
          Vendors.empty() ? nullptr : Vendors.data(), Where.empty() ? nullptr : Where.data(), N, Waits, Out);
    };
    E(C, CL_FALSE, Event);
  });
}

} // namespace

void addKernelCommands(cl_icd_dispatch &T) {
  T.clEnqueueNDRangeKernel = enqueueNdRange;
  T.clEnqueueTask = enqueueTask;
  T.clEnqueueNativeKernel = enqueueNativeKernel;
}

} // namespace hsched::icd
