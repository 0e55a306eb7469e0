// Command queues.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <CL/cl_hsched.h>

#include <optional>

namespace hsched::icd {
namespace {

constexpr cl_ulong KnownSched = 0xFF;

cl_command_queue make(cl_context C, cl_device_id D, cl_command_queue_properties Bits,
                      std::vector<cl_queue_properties> Properties, std::optional<cl_ulong> Sched) {
  Context &In = need<Context>(C, CL_INVALID_CONTEXT);
  Device &On = need<Device>(D, CL_INVALID_DEVICE);
  require(In.has(&On), CL_INVALID_DEVICE);
  constexpr cl_command_queue_properties Known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
  require(!(Bits & ~(Known | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)), CL_INVALID_VALUE);
  require(!(Bits & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)), CL_INVALID_QUEUE_PROPERTIES);
  require(!Sched || !(*Sched & ~KnownSched), CL_INVALID_VALUE);
  return (new Queue(&In, &On, Bits, std::move(Properties), Sched.value_or(CL_QUEUE_SCHED_OFF_HSCHED)))
      ->handle<cl_command_queue>();
}

cl_command_queue CL_API_CALL createCommandQueue(cl_context C, cl_device_id D, cl_command_queue_properties Bits,
                                                cl_int *Error) {
  return guardedMake<cl_command_queue>(Error, [&] { return make(C, D, Bits, {}, {}); });
}

cl_command_queue CL_API_CALL createCommandQueueWithProperties(cl_context C, cl_device_id D,
                                                              const cl_queue_properties *Properties, cl_int *Error) {
  return guardedMake<cl_command_queue>(Error, [&] {
    (void)need<Context>(C, CL_INVALID_CONTEXT);
    cl_command_queue_properties Bits = 0;
    std::optional<cl_ulong> Sched;
    std::vector<cl_queue_properties> All;
    for (const cl_queue_properties *P = Properties; P && *P; P += 2) {
      All.insert(All.end(), P, P + 2);
      switch (*P) {
      case CL_QUEUE_PROPERTIES:
        Bits = P[1];
        break;
      case CL_QUEUE_SCHED_HSCHED:
        Sched = P[1];
        break;
      case CL_QUEUE_SIZE: // Only for queues on devices.
        throw Failure{CL_INVALID_QUEUE_PROPERTIES};
      default:
        throw Failure{CL_INVALID_VALUE};
      }
    }
    if (Properties)
      All.push_back(0);
    return make(C, D, Bits, std::move(All), Sched);
  });
}

cl_int CL_API_CALL retainCommandQueue(cl_command_queue Q) {
  return guarded([&] { need<Queue>(Q, CL_INVALID_COMMAND_QUEUE).retainUser(); });
}
cl_int CL_API_CALL releaseCommandQueue(cl_command_queue Q) {
  return guarded([&] {
    Queue &Its = need<Queue>(Q, CL_INVALID_COMMAND_QUEUE);
    Its.flush();
    Its.releaseUser();
  });
}
cl_int CL_API_CALL getCommandQueueInfo(cl_command_queue Q, cl_command_queue_info What, size_t Bytes, void *To,
                                       size_t *Needed) {
  return guarded([&] { need<Queue>(Q, CL_INVALID_COMMAND_QUEUE).info(What, {Bytes, To, Needed}); });
}
cl_int CL_API_CALL setCommandQueueProperty(cl_command_queue Q, cl_command_queue_properties, cl_bool,
                                           cl_command_queue_properties *) {
  return guarded([&] {
    (void)need<Queue>(Q, CL_INVALID_COMMAND_QUEUE);
    throw Failure{CL_INVALID_OPERATION}; // Removed since OpenCL 1.1.
  });
}
cl_int CL_API_CALL flushQueue(cl_command_queue Q) {
  return guarded([&] { need<Queue>(Q, CL_INVALID_COMMAND_QUEUE).flush(); });
}
cl_int CL_API_CALL finishQueue(cl_command_queue Q) {
  return guarded([&] { need<Queue>(Q, CL_INVALID_COMMAND_QUEUE).finish(); });
}

} // namespace

cl_int CL_API_CALL setCommandQueueSchedProperty(cl_command_queue Q, cl_ulong Properties) {
  return guarded([&] {
    Queue &Its = need<Queue>(Q, CL_INVALID_COMMAND_QUEUE);
    require(!(Properties & ~KnownSched), CL_INVALID_VALUE);
    Its.flush(); // Commands enqueued so far keep their device.
    Its.setSched(Properties);
  });
}

void addQueues(cl_icd_dispatch &T) {
  T.clCreateCommandQueue = createCommandQueue;
  T.clCreateCommandQueueWithProperties = createCommandQueueWithProperties;
  T.clRetainCommandQueue = retainCommandQueue;
  T.clReleaseCommandQueue = releaseCommandQueue;
  T.clGetCommandQueueInfo = getCommandQueueInfo;
  T.clSetCommandQueueProperty = setCommandQueueProperty;
  T.clFlush = flushQueue;
  T.clFinish = finishQueue;
}

} // namespace hsched::icd
