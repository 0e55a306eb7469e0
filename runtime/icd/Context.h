// A context: devices of one or several vendors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_CONTEXT_H
#define HSCHED_ICD_CONTEXT_H

#include "icd/Device.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace hsched::icd {

class ContextData;
class Queue;

// One vendor's part of a context: its devices share the vendor's own context and memory objects.
struct Part {
  Driver *Of = nullptr;
  cl_context Id = nullptr;
  std::vector<Device *> Devices;
  unsigned Number = 0;
  const cl_icd_dispatch &cl() const { return table(Id); }
};

class Context : public Object {
public:
  static constexpr Kind Tag = Kind::Context;
  static constexpr unsigned MostParts = 63; // Limit of memory nodes of a directory, minus the host.
  using Notify = void(CL_CALLBACK *)(const char *, const void *, size_t, void *);

  Context(const cl_context_properties *Properties, const std::vector<Device *> &Devices, Notify Notified,
          void *UserData);
  ~Context() override;

  void info(cl_context_info What, const Answer &To) const;
  // True if the program made it for this device.
  bool has(const Device *D) const;
  // The part of a vendor's device; null for "hsched auto" and others.
  Part *partOf(const Device *D) const;
  bool isSingle() const { return Parts.size() == 1; }
  Part &first() const { return *Parts.front(); }
  // Used if memory objects are data of the engine. Null with one vendor whose memory is the host's and unlimited: its
  // objects are used directly.
  ContextData *data() const { return Data.get(); }
  // True if an object of Bytes may be plain: there is one vendor, and it has room. The caller must return the room.
  bool takePlain(uint64_t Bytes);
  void givePlain(uint64_t Bytes) { PlainBytes.fetch_sub(Bytes, std::memory_order_relaxed); }
  void onDestruction(std::function<void()> Notified);
  // All vendors' devices in it, including those behind "hsched auto".
  std::vector<Device *> vendorDevices() const;

  std::vector<Ref<Device>> Devices;
  std::vector<std::unique_ptr<Part>> Parts;
  cl_uint Scheduler = 0;            // Value of CL_CONTEXT_SCHEDULER; 0: none.
  const Device *Computed = nullptr; // Under the scheduler's lock: the device of the last kernels that it mapped.

  // Live queues, for operations on all of them. Not counted references.
  void add(Queue *Q);
  void remove(Queue *Q);
  std::vector<Ref<Queue>> queues();

  // Shared virtual memory of the context's vendor. A command's free leaves it in the list: an object there is plain
  // then.
  void addSvm(const void *At, size_t Bytes);
  void removeSvm(const void *At);
  bool isSvm(const void *At);

private:
  void setData();

  std::vector<cl_context_properties> Properties;
  std::unique_ptr<ContextData> Data;
  std::atomic<uint64_t> PlainBytes{0};
  uint64_t MostPlain = UINT64_MAX;
  std::mutex Lock;
  std::vector<std::function<void()>> Destructors;
  std::vector<Queue *> Queues;
  std::map<const std::byte *, size_t> Svm;
};

} // namespace hsched::icd
#endif
