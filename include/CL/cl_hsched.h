/* Hsched's OpenCL platform: what it has beyond the specification. MultiCL's interface for queues that are scheduled.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions come from clGetExtensionFunctionAddressForPlatform, or from libhsched_cl.a. A queue that is not
 * scheduled runs its commands on the device that it was made for. */
#ifndef CL_HSCHED_H
#define CL_HSCHED_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values from a range that no extension of Khronos's has. */

/* A property of clCreateContext: how its scheduled queues are mapped to devices. The values follow. */
#define CL_CONTEXT_SCHEDULER_HSCHED 0x6A500
#define CL_CONTEXT_SCHEDULER_ROUND_ROBIN_HSCHED 0x6A501 /* Devices in rotation. */
#define CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED 0x6A502 /* Minimises the time until all queues have ended. The default. */

/* A property of clCreateCommandQueueWithProperties, and the argument of clSetCommandQueueSchedProperty: a sum of bits.
 */
#define CL_QUEUE_SCHED_HSCHED 0x6A510
typedef cl_ulong cl_queue_sched_hsched;
#define CL_QUEUE_SCHED_OFF_HSCHED 0x0          /* Not scheduled. */
#define CL_QUEUE_SCHED_AUTO_STATIC_HSCHED 0x1  /* Mapped by the device's properties. */
#define CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED 0x2 /* Mapped by the measured times of its kernels on each device. */
#define CL_QUEUE_SCHED_KERNEL_EPOCH_HSCHED 0x4 /* Mapped anew at each synchronisation. The default. */
#define CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED                                                                          \
  0x8 /* A mode begins a region, CL_QUEUE_SCHED_OFF_HSCHED ends it: the queue stays on the device of the region. */
#define CL_QUEUE_SCHED_ITERATIVE_HSCHED                                                                                \
  0x10 /* Its later epochs resemble its first ones: mapped once its kernels are known. */
/* Its kernels are bound by computation. In the dynamic mode, a few of their work-groups are measured on each device
 * before the queue is mapped. In the static mode, as the next two: the device's property that counts. */
#define CL_QUEUE_SCHED_COMPUTE_BOUND_HSCHED 0x20
#define CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED 0x40 /* By memory. */
#define CL_QUEUE_SCHED_IO_BOUND_HSCHED 0x80     /* By transfers. */

/* clGetCommandQueueInfo: the device (cl_device_id) that a scheduled queue was last mapped to; null before. */
#define CL_QUEUE_SCHED_DEVICE_HSCHED 0x6A511

/* Changes how a queue is scheduled, from the next command on. Errors: CL_INVALID_COMMAND_QUEUE, CL_INVALID_VALUE. */
typedef cl_int(CL_API_CALL *clSetCommandQueueSchedPropertyHSCHED_fn)(cl_command_queue queue,
                                                                     cl_queue_sched_hsched properties);

/* The launch configuration of a kernel on one device, which replaces the one given at the enqueue. `local` may be null.
 * Errors: CL_INVALID_KERNEL, CL_INVALID_DEVICE, CL_INVALID_WORK_DIMENSION, CL_INVALID_VALUE. */
typedef cl_int(CL_API_CALL *clSetKernelWorkGroupInfoHSCHED_fn)(cl_kernel kernel, cl_device_id device, cl_uint work_dim,
                                                               const size_t *global, const size_t *local);

/* The same functions in libhsched_cl.a. CL_INVALID_OPERATION: the object is of another platform. */
cl_int CL_API_CALL clSetCommandQueueSchedProperty(cl_command_queue queue, cl_queue_sched_hsched properties);
cl_int CL_API_CALL clSetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_uint work_dim,
                                            const size_t *global, const size_t *local);

#ifdef __cplusplus
}
#endif
#endif
