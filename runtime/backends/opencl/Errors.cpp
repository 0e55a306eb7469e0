// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Errors.h"

#include "backends/opencl/ClHeader.h"

#include <new>

namespace hsched::rt::opencl {

const char *errorName(int Code) {
#define NAME(X)                                                                                                        \
  case X:                                                                                                              \
    return #X
  switch (Code) {
    NAME(CL_SUCCESS);
    NAME(CL_DEVICE_NOT_FOUND);
    NAME(CL_DEVICE_NOT_AVAILABLE);
    NAME(CL_COMPILER_NOT_AVAILABLE);
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(CL_OUT_OF_RESOURCES);
    NAME(CL_OUT_OF_HOST_MEMORY);
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
    NAME(CL_MEM_COPY_OVERLAP);
    NAME(CL_IMAGE_FORMAT_MISMATCH);
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    NAME(CL_BUILD_PROGRAM_FAILURE);
    NAME(CL_MAP_FAILURE);
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    NAME(CL_COMPILE_PROGRAM_FAILURE);
    NAME(CL_LINKER_NOT_AVAILABLE);
    NAME(CL_LINK_PROGRAM_FAILURE);
    NAME(CL_DEVICE_PARTITION_FAILED);
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    NAME(CL_INVALID_VALUE);
    NAME(CL_INVALID_DEVICE_TYPE);
    NAME(CL_INVALID_PLATFORM);
    NAME(CL_INVALID_DEVICE);
    NAME(CL_INVALID_CONTEXT);
    NAME(CL_INVALID_QUEUE_PROPERTIES);
    NAME(CL_INVALID_COMMAND_QUEUE);
    NAME(CL_INVALID_HOST_PTR);
    NAME(CL_INVALID_MEM_OBJECT);
    NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    NAME(CL_INVALID_IMAGE_SIZE);
    NAME(CL_INVALID_SAMPLER);
    NAME(CL_INVALID_BINARY);
    NAME(CL_INVALID_BUILD_OPTIONS);
    NAME(CL_INVALID_PROGRAM);
    NAME(CL_INVALID_PROGRAM_EXECUTABLE);
    NAME(CL_INVALID_KERNEL_NAME);
    NAME(CL_INVALID_KERNEL_DEFINITION);
    NAME(CL_INVALID_KERNEL);
    NAME(CL_INVALID_ARG_INDEX);
    NAME(CL_INVALID_ARG_VALUE);
    NAME(CL_INVALID_ARG_SIZE);
    NAME(CL_INVALID_KERNEL_ARGS);
    NAME(CL_INVALID_WORK_DIMENSION);
    NAME(CL_INVALID_WORK_GROUP_SIZE);
    NAME(CL_INVALID_WORK_ITEM_SIZE);
    NAME(CL_INVALID_GLOBAL_OFFSET);
    NAME(CL_INVALID_EVENT_WAIT_LIST);
    NAME(CL_INVALID_EVENT);
    NAME(CL_INVALID_OPERATION);
    NAME(CL_INVALID_GL_OBJECT);
    NAME(CL_INVALID_BUFFER_SIZE);
    NAME(CL_INVALID_MIP_LEVEL);
    NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    NAME(CL_INVALID_PROPERTY);
    NAME(CL_INVALID_IMAGE_DESCRIPTOR);
    NAME(CL_INVALID_COMPILER_OPTIONS);
    NAME(CL_INVALID_LINKER_OPTIONS);
    NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
    NAME(CL_INVALID_PIPE_SIZE);
    NAME(CL_INVALID_DEVICE_QUEUE);
    NAME(CL_INVALID_SPEC_ID);
    NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED);
  case -1001:
    return "CL_PLATFORM_NOT_FOUND_KHR";
  case -9999: // NVIDIA's driver; in no header.
    return "NVIDIA: illegal read or write to a buffer";
  default:
    return nullptr;
  }
#undef NAME
}

std::string describeError(int Code) {
  if (const char *Name = errorName(Code))
    return std::string(Name) + " (" + std::to_string(Code) + ")";
  return "error " + std::to_string(Code);
}

status clError(errc Otherwise, int Code, const std::string &What, const char *File, int Line) {
  errc Meaning = Otherwise;
  switch (Code) {
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_OUT_OF_HOST_MEMORY:
    Meaning = errc::out_of_memory;
    break;
  case CL_DEVICE_NOT_AVAILABLE:
  case CL_INVALID_CONTEXT: // The code for a context that a fault has ended.
  case CL_INVALID_COMMAND_QUEUE:
    Meaning = errc::device_lost;
    break;
  case CL_INVALID_WORK_GROUP_SIZE: // An error of this launch: other launches of the kernel may succeed.
  case CL_INVALID_WORK_ITEM_SIZE:
  case CL_INVALID_GLOBAL_WORK_SIZE:
    Meaning = errc::unsupported;
    break;
  case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    Meaning = errc::cancelled;
    break;
  default:
    break;
  }
  return status::error(Meaning, What + ": " + describeError(Code), Code, File, Line);
}

status caughtException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return status::error(errc::out_of_memory, "no host memory for the OpenCL backend");
  } catch (const std::exception &E) {
    return status::error(errc::internal, std::string("in the OpenCL backend: ") + E.what());
  } catch (...) {
    return status::error(errc::internal, "an unknown exception in the OpenCL backend");
  }
}

} // namespace hsched::rt::opencl
