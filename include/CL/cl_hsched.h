/* Hsched's OpenCL platform: what it has beyond the specification. MultiCL's interface for queues that are scheduled.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions come from clGetExtensionFunctionAddressForPlatform. A queue that is not scheduled runs its commands on
 * the device that it was made for. */
#ifndef CL_HSCHED_H
#define CL_HSCHED_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values from a range that no extension of Khronos's has. */

/* A property of clCreateContext: how its scheduled queues are mapped to devices. The values follow. */
#define CL_CONTEXT_SCHEDULER_HSCHED 0x6A500
#define CL_CONTEXT_SCHEDULER_ROUND_ROBIN_HSCHED 0x6A501 /* In turn. */
#define CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED 0x6A502     /* So that all queues have ended soonest; the default. */

/* A property of clCreateCommandQueueWithProperties, and the argument of clSetCommandQueueSchedProperty: a sum of bits.
 */
#define CL_QUEUE_SCHED_HSCHED 0x6A510
typedef cl_ulong cl_queue_sched_hsched;
#define CL_QUEUE_SCHED_OFF_HSCHED 0x0          /* Not scheduled. */
#define CL_QUEUE_SCHED_AUTO_STATIC_HSCHED 0x1  /* By what is known of the devices. */
#define CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED 0x2 /* By how long its kernels took on each device. */
#define CL_QUEUE_SCHED_KERNEL_EPOCH_HSCHED 0x4 /* Decided anew at each synchronisation; the default. */
#define CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED                                                                          \
  0x8 /* Decided once, when the property is set again the region has ended. */
#define CL_QUEUE_SCHED_ITERATIVE_HSCHED                                                                                \
  0x10 /* Its later epochs are like its first ones: decided once kernels are known. */
#define CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED 0x20 /* For the static mode: its kernels compute. */
#define CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED 0x40  /* Or read and write memory. */
#define CL_QUEUE_SCHED_IO_BOUND_HSCHED 0x80      /* Or its data travel. */

/* clGetCommandQueueInfo: the device (cl_device_id) that a scheduled queue was last mapped to; null before. */
#define CL_QUEUE_SCHED_DEVICE_HSCHED 0x6A511

/* Changes how a queue is scheduled, from the next command on. CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE. */
typedef cl_int(CL_API_CALL *clSetCommandQueueSchedPropertyHSCHED_fn)(cl_command_queue queue,
                                                                     cl_queue_sched_hsched properties);

/* The launch configuration of a kernel on one device, in place of the one that it is enqueued with, when it runs there.
 * `local` may be null. CL_INVALID_KERNEL, CL_INVALID_DEVICE, CL_INVALID_WORK_DIMENSION, CL_INVALID_VALUE. */
typedef cl_int(CL_API_CALL *clSetKernelWorkGroupInfoHSCHED_fn)(cl_kernel kernel, cl_device_id device, cl_uint work_dim,
                                                               const size_t *global, const size_t *local);

#ifdef __cplusplus
}
#endif
#endif
