// For versions with a body for OpenCL devices: functions with #pragma hsched implements(f) device(opencl). They enqueue
// work on opencl_queue(), themselves or through a library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only such a body may call these functions, on the thread on which it began. Elsewhere, and in the serial build, they
// throw std::logic_error. The handles belong to hsched: do not release them. This header includes none of OpenCL's, and
// works with any version of them, included before or after it.
#ifndef HSCHED_OPENCL_H
#define HSCHED_OPENCL_H

#include <cstddef>
#include <stdexcept>

#if defined(__HSCHED__)
#include <hsched/abi.h>
#endif

typedef struct _cl_context *cl_context;             // Declared as in CL/cl.h.
typedef struct _cl_device_id *cl_device_id;         // Declared as in CL/cl.h.
typedef struct _cl_command_queue *cl_command_queue; // Declared as in CL/cl.h.
typedef struct _cl_mem *cl_mem;                     // Declared as in CL/cl.h.
typedef struct _cl_event *cl_event;                 // Declared as in CL/cl.h.

namespace hsched {

#if defined(__HSCHED__)
// An in-order queue. What is enqueued on it runs after the task's predecessors, and after its data have arrived. The
// task is complete when all of it has run. Neither clFlush nor clFinish is needed. clFinish delays other tasks of the
// device, because this thread submits them too.
inline cl_command_queue opencl_queue() { return static_cast<cl_command_queue>(::hsched_opencl_queue()); }
// The context of opencl_queue(). Hold it only during the body.
inline cl_context opencl_context() { return static_cast<cl_context>(::hsched_opencl_context()); }
// The device of opencl_queue().
inline cl_device_id opencl_device() { return static_cast<cl_device_id>(::hsched_opencl_device()); }

// The buffer that holds the device's copy of *p. p is the address of an element in one of the task's sections. In a
// strided section that is not packed, it is any address from the first to the last byte. Throws std::invalid_argument
// otherwise. The section's element p[i] is at opencl_offset(p) + i in the buffer, in elements. Strides and leading
// dimensions are the host's; with packed(p: ld) rows are ld elements apart. A section without elements has a null
// buffer.
template <class T> cl_mem opencl_buffer(T *p) {
  std::size_t bytes;
  return static_cast<cl_mem>(::hsched_opencl_buffer(const_cast<void *>(static_cast<const volatile void *>(p)), &bytes));
}

// The offset of *p in opencl_buffer(p), in elements of p's type. Bytes for a pointer to char.
template <class T> std::size_t opencl_offset(T *p) {
  std::size_t bytes;
  ::hsched_opencl_buffer(const_cast<void *>(static_cast<const volatile void *>(p)), &bytes);
  if (bytes % sizeof(T))
    throw std::invalid_argument("hsched::opencl_offset(): the element is not at a multiple of its size in the buffer: "
                                "ask with a pointer to char, for an offset in bytes");
  return bytes / sizeof(T);
}

// The task is not complete before `event` is, and fails if the event does. For work on other queues of the same
// context, and for events of the task's own queue. Not every driver reports a failed command to the commands after it.
// The event is retained.
inline void opencl_await(cl_event event) { ::hsched_opencl_await(static_cast<void *>(event)); }

#else
namespace opencl_detail {
[[noreturn]] inline void refuse() {
  throw std::logic_error("<hsched/opencl.h>: this was not compiled by hsched-cc, so that no device runs anything");
}
} // namespace opencl_detail
inline cl_command_queue opencl_queue() { opencl_detail::refuse(); }
inline cl_context opencl_context() { opencl_detail::refuse(); }
inline cl_device_id opencl_device() { opencl_detail::refuse(); }
template <class T> cl_mem opencl_buffer(T *) { opencl_detail::refuse(); }
template <class T> std::size_t opencl_offset(T *) { opencl_detail::refuse(); }
inline void opencl_await(cl_event) { opencl_detail::refuse(); }
#endif

} // namespace hsched
#endif
