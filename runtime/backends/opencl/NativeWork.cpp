// Commands that a program enqueues itself: between a barrier, after which its inputs are available, and a marker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"

namespace hsched::rt::opencl {

class ClNativeWork final : public NativeWork {
public:
  ClNativeWork(ClDevice &D, const char *Name, std::shared_ptr<Stream> Target)
      : D(D), What("what version '" + std::string(Name) + "' enqueued"), Target(std::move(Target)) {}

  status begin(std::span<const EventRef> Wait) {
    WaitList Before;
    if (status S = makeWaitList(Wait, *Target, Before); !S.ok())
      return S;
    // Reports of earlier kernels must not depend on this work, nor fail with it.
    std::shared_ptr<Mark> Unreported;
    {
      std::lock_guard Guard(Target->Lock);
      Unreported = Target->Open;
    }
    if (Unreported)
      Target->requestReport(*Unreported);
    // The user's commands may block.
    if (!Target->flushTo(Target->Enqueued.load(std::memory_order_acquire)))
      Target->finish();
    std::lock_guard Guard(Target->Lock);
    cl_event Raw = nullptr;
    BeginsAt = SteadyClock().now();
    cl_int Code = Target->choose(true);
    Target->noteLaunch(true);
    if (Code == CL_SUCCESS)
      Code = clEnqueueBarrierWithWaitList(Target->native(), Before.size(), Before.data(), &Raw);
    if (Code != CL_SUCCESS)
      return clError(errc::launch_failed, Code, "a barrier before " + What + " on " + D.Title);
    BeginMarker = cl::Event(Raw);
    Inputs = Before.Unsettled.list();
    return {};
  }

  void *context() const override { return D.Context(); }
  void *device() const override { return D.Native(); }
  void *queue() const override { return Target->native(); }

  void *memory(const BufferRef &Mem) override {
    Owned.push_back(Mem);
    return static_cast<ClBuffer &>(*Mem).Native();
  }

  status await(void *Handle) override {
    cl::Event E(static_cast<cl_event>(Handle), true);
    cl_context Of = nullptr;
    cl_int Code = Handle ? clGetEventInfo(E(), CL_EVENT_CONTEXT, sizeof(Of), static_cast<void *>(&Of), nullptr)
                         : CL_INVALID_EVENT;
    if (Code != CL_SUCCESS)
      return clError(errc::invalid_argument, Code, "this is not an event");
    if (Of != D.Context())
      return status::error(errc::invalid_argument, "the event is of another context");
    cl_command_queue On = nullptr;
    clGetEventInfo(E(), CL_EVENT_COMMAND_QUEUE, sizeof(On), static_cast<void *>(&On), nullptr);
    if (On != Target->native()) {
      cl::Event Ends;
      if (status S = followEvent(E, D.Context, Ends); !S.ok())
        return S;
      Elsewhere.push_back(std::move(Ends));
      if (On && clFlush(On) != CL_SUCCESS) { // A user event is on no queue.
        Target->finish();                    // Predecessors of E may begin only if they are awaited.
        E.wait();
      }
    }
    Awaited.push_back(std::move(E));
    return {};
  }

  status end(EventRef &Done) override try {
    std::vector<cl_event> List;
    for (const cl::Event &E : Elsewhere)
      List.push_back(E());
    status S =
        D.enqueue(Target, {}, errc::launch_failed, What, std::move(Owned), Done, [&](const WaitList &, cl_event *E) {
          return clEnqueueMarkerWithWaitList(Target->native(), static_cast<cl_uint>(List.size()),
                                             List.empty() ? nullptr : List.data(), E);
        });
    if (!S.ok()) {
      finish();
      return S;
    }
    auto &Own = static_cast<ClEvent &>(*Done);
    Own.startsAfter(std::move(BeginMarker), BeginsAt);
    Own.comesAfter(std::move(Inputs));
    Own.needsAlso(std::move(Awaited));
    return {};
  } catch (...) {
    finish();
    return caughtException();
  }

private:
  void finish() {
    Target->finish();
    for (const cl::Event &E : Elsewhere)
      E.wait();
  }

  ClDevice &D;
  const std::string What;
  const std::shared_ptr<Stream> Target;
  cl::Event BeginMarker;
  TimePoint BeginsAt;                        // Begun was enqueued at that time or later.
  std::vector<EventRef> Inputs;              // Inputs that had not been seen to end.
  std::vector<cl::Event> Awaited, Elsewhere; // Awaited by the work. Elsewhere: events of inputs on other queues.
  std::vector<std::shared_ptr<void>> Owned;
};

status ClDevice::beginNative(const char *Name, std::span<const EventRef> Wait, std::unique_ptr<NativeWork> &Out,
                             unsigned Queue) try {
  if (status S = checkQueue(Queue); !S.ok())
    return S;
  auto Work = std::make_unique<ClNativeWork>(*this, Name, Queue == AnyQueue ? chooseCompute(Wait) : Compute[Queue]);
  if (status S = Work->begin(Wait); !S.ok())
    return S;
  Out = std::move(Work);
  return {};
} catch (...) {
  return caughtException();
}

} // namespace hsched::rt::opencl
