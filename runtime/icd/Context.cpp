// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Context.h"

#include "icd/ContextData.h"
#include "icd/Queue.h"
#include "icd/Scheduler.h"

#include <CL/cl_hsched.h>

#include <algorithm>

namespace hsched::icd {

Context::Context(const cl_context_properties *Given, const std::vector<Device *> &For, Notify Notified, void *UserData)
    : Object(Tag) {
  for (const cl_context_properties *P = Given; P && *P; P += 2) {
    for (size_t I = 0; I != Properties.size(); I += 2)
      require(Properties[I] != *P, CL_INVALID_PROPERTY); // Twice.
    Properties.insert(Properties.end(), P, P + 2);
    switch (*P) {
    case CL_CONTEXT_PLATFORM:
      require(find<Platform>(reinterpret_cast<void *>(P[1])), CL_INVALID_PLATFORM);
      break;
    case CL_CONTEXT_INTEROP_USER_SYNC:
      require(P[1] == CL_TRUE || P[1] == CL_FALSE, CL_INVALID_PROPERTY);
      break;
    case CL_CONTEXT_SCHEDULER_HSCHED:
      require(P[1] == CL_CONTEXT_SCHEDULER_ROUND_ROBIN_HSCHED || P[1] == CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED,
              CL_INVALID_PROPERTY);
      Scheduler = static_cast<cl_uint>(P[1]);
      break;
    default:
      throw Failure{CL_INVALID_PROPERTY};
    }
  }
  if (Given)
    Properties.push_back(0);
  for (Device *D : For)
    if (!has(D))
      Devices.emplace_back(D);

  std::map<Driver *, std::vector<Device *>> ByDriver;
  std::vector<Driver *> Order;
  auto Add = [&](Device *D) {
    auto &List = ByDriver[D->Of];
    if (List.empty())
      Order.push_back(D->Of);
    if (std::find(List.begin(), List.end(), D) == List.end())
      List.push_back(D);
  };
  for (const auto &D : Devices)
    for (Device *Real : D->isAuto() ? D->RealDevices : std::vector<Device *>{D.get()})
      Add(Real);
  require(Order.size() <= MostParts, CL_OUT_OF_RESOURCES);
  try {
    for (Driver *Of : Order) {
      auto P = std::make_unique<Part>();
      P->Of = Of;
      P->Devices = ByDriver[Of];
      P->Number = static_cast<unsigned>(Parts.size());
      std::vector<cl_device_id> Ids;
      for (Device *D : P->Devices)
        Ids.push_back(D->Id);
      cl_context_properties Its[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(Of->Id), 0};
      cl_int Error = CL_SUCCESS;
      P->Id = Of->cl().clCreateContext(Its, static_cast<cl_uint>(Ids.size()), Ids.data(), Notified, UserData, &Error);
      check(P->Id ? CL_SUCCESS : Error < 0 ? Error : CL_OUT_OF_RESOURCES);
      Parts.push_back(std::move(P));
    }
    setData();
  } catch (...) {
    for (const auto &P : Parts)
      P->cl().clReleaseContext(P->Id);
    throw;
  }
}

// For a vendor with separate memory: if most of it is taken, further objects share the rest, out of core.
void Context::setData() {
  uint64_t Limit = ContextData::limitOf(*first().Devices.front());
  if (!isSingle() || Limit) {
    MostPlain = 0;
  } else {
    uint64_t Memory = UINT64_MAX;
    for (const Device *D : first().Devices) {
      if (D->number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE))
        return;
      Memory = std::min<uint64_t>(Memory, D->number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE));
    }
    Limit = Memory / 4;
    MostPlain = Memory - Limit;
  }
  Data = std::make_unique<ContextData>(*this, Limit);
}

bool Context::takePlain(uint64_t Bytes) {
  if (PlainBytes.fetch_add(Bytes, std::memory_order_relaxed) + Bytes <= MostPlain)
    return true;
  givePlain(Bytes);
  return false;
}

Context::~Context() {
  (void)guarded([] { icd::Scheduler::get().save(); });
  Data.reset();
  for (const auto &P : Parts)
    P->cl().clReleaseContext(P->Id);
  for (auto I = Destructors.rbegin(); I != Destructors.rend(); ++I)
    (*I)();
}

void Context::info(cl_context_info What, const Answer &To) const {
  switch (What) {
  case CL_CONTEXT_REFERENCE_COUNT:
    return To.value(userRefs());
  case CL_CONTEXT_NUM_DEVICES:
    return To.value(static_cast<cl_uint>(Devices.size()));
  case CL_CONTEXT_DEVICES: {
    std::vector<cl_device_id> Ids;
    for (const auto &D : Devices)
      Ids.push_back(D->handle<cl_device_id>());
    return To.list(Ids);
  }
  case CL_CONTEXT_PROPERTIES:
    return To.list(Properties);
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

bool Context::has(const Device *D) const {
  return std::any_of(Devices.begin(), Devices.end(), [&](const auto &Own) { return Own.get() == D; });
}

Part *Context::partOf(const Device *D) const {
  for (const auto &P : Parts)
    if (std::find(P->Devices.begin(), P->Devices.end(), D) != P->Devices.end())
      return P.get();
  return nullptr;
}

std::vector<Device *> Context::vendorDevices() const {
  std::vector<Device *> All;
  for (const auto &P : Parts)
    All.insert(All.end(), P->Devices.begin(), P->Devices.end());
  return All;
}

void Context::onDestruction(std::function<void()> Notified) {
  std::lock_guard Hold(Lock);
  Destructors.push_back(std::move(Notified));
}

void Context::add(Queue *Q) {
  std::lock_guard Hold(Lock);
  Queues.push_back(Q);
}

void Context::remove(Queue *Q) {
  std::lock_guard Hold(Lock);
  std::erase(Queues, Q);
}

void Context::addSvm(const void *At, size_t Bytes) {
  std::lock_guard Hold(Lock);
  Svm[static_cast<const std::byte *>(At)] = Bytes;
}

void Context::removeSvm(const void *At) {
  std::lock_guard Hold(Lock);
  Svm.erase(static_cast<const std::byte *>(At));
}

bool Context::isSvm(const void *At) {
  std::lock_guard Hold(Lock);
  const auto *Byte = static_cast<const std::byte *>(At);
  auto I = Svm.upper_bound(Byte);
  return I != Svm.begin() && Byte < std::prev(I)->first + std::prev(I)->second;
}

std::vector<Ref<Queue>> Context::queues() {
  std::lock_guard Hold(Lock);
  std::vector<Ref<Queue>> All;
  for (Queue *Q : Queues)
    All.emplace_back(Q);
  return All;
}

} // namespace hsched::icd
