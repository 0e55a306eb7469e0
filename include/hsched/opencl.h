// For versions that are host code for OpenCL devices: #pragma hsched implements(f) device(opencl) on a function with a
// body, which enqueues its work on opencl_queue(), itself or through a library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only such a body can ask, on the thread that it began on; anywhere else, and in the serial build, where nobody calls
// it, these throw std::logic_error. Handles belong to hsched: they are not released. Includes none of OpenCL's headers,
// and goes with any version of them, before or behind.
#ifndef HSCHED_OPENCL_H
#define HSCHED_OPENCL_H

#include <cstddef>
#include <stdexcept>

#if defined(__HSCHED__)
#include <hsched/abi.h>
#endif

// As in CL/cl.h.
typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;

namespace hsched {

#if defined(__HSCHED__)
// An in-order queue. What is enqueued on it comes after what the task depends on and after its data's arrival; the task
// is complete, and its results may be read or sent home, when all of it has run. Neither clFlush nor clFinish is
// needed, and clFinish keeps the device from being fed with other tasks.
inline cl_command_queue opencl_queue() { return static_cast<cl_command_queue>(::hsched_opencl_queue()); }
inline cl_context opencl_context() { return static_cast<cl_context>(::hsched_opencl_context()); }
inline cl_device_id opencl_device() { return static_cast<cl_device_id>(::hsched_opencl_device()); }

// The buffer in which the device has *p, where p is the address of an element in one of the task's sections (or
// anywhere in a strided one from its first to its last byte, unless that is packed); throws std::invalid_argument for
// any other. An element of the section at p[i] is at opencl_offset(p) + i in it, in elements: strides and leading
// dimensions are the host's, but for those of packed(p: ld), where rows are ld elements apart. A section without
// elements has a null buffer.
template <class T> cl_mem opencl_buffer(T *p) {
  std::size_t bytes;
  return static_cast<cl_mem>(::hsched_opencl_buffer(const_cast<void *>(static_cast<const volatile void *>(p)), &bytes));
}

// Where *p is in opencl_buffer(p), in elements of p's type. For bytes, ask with a pointer to char.
template <class T> std::size_t opencl_offset(T *p) {
  std::size_t bytes;
  ::hsched_opencl_buffer(const_cast<void *>(static_cast<const volatile void *>(p)), &bytes);
  if (bytes % sizeof(T))
    throw std::invalid_argument("hsched::opencl_offset(): the element is not at a multiple of its size in the buffer: "
                                "ask with a pointer to char, for an offset in bytes");
  return bytes / sizeof(T);
}

// Work on other queues of the same context: the task is not complete before event is, and fails if it does. The event
// is retained. Also for an event on the task's own queue: not every driver lets those behind a command that failed
// know.
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
