// The layer's contexts, queues, buffers, programs, kernels, and what is done to queues as a whole.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Layer.h"

namespace hsched::test {

namespace {

cl_context CL_API_CALL createContext(const cl_context_properties *P, cl_uint N, const cl_device_id *D,
                                     void(CL_CALLBACK *Notify)(const char *, const void *, size_t, void *), void *User,
                                     cl_int *Code) {
  return create("clCreateContext", Code, [&] { return layer().Next->clCreateContext(P, N, D, Notify, User, Code); });
}

// Both ways to make a queue are called by the older one's name.
cl_command_queue CL_API_CALL createQueue(cl_context C, cl_device_id D, cl_command_queue_properties P, cl_int *Code) {
  return create("clCreateCommandQueue", Code, [&] { return layer().Next->clCreateCommandQueue(C, D, P, Code); });
}
cl_command_queue CL_API_CALL createQueueWithProperties(cl_context C, cl_device_id D, const cl_queue_properties *P,
                                                       cl_int *Code) {
  return create("clCreateCommandQueue", Code,
                [&] { return layer().Next->clCreateCommandQueueWithProperties(C, D, P, Code); });
}

cl_mem CL_API_CALL createBuffer(cl_context C, cl_mem_flags Flags, size_t Bytes, void *Host, cl_int *Code) {
  const char *Also = Flags & CL_MEM_USE_HOST_PTR ? "host" : Flags & CL_MEM_ALLOC_HOST_PTR ? "pinned" : nullptr;
  return create(
      "clCreateBuffer", Code, [&] { return layer().Next->clCreateBuffer(C, Flags, Bytes, Host, Code); }, Also);
}

cl_mem CL_API_CALL createSubBuffer(cl_mem Of, cl_mem_flags Flags, cl_buffer_create_type How, const void *Where,
                                   cl_int *Code) {
  return create("clCreateSubBuffer", Code,
                [&] { return layer().Next->clCreateSubBuffer(Of, Flags, How, Where, Code); });
}

cl_program CL_API_CALL createProgramFromSource(cl_context C, cl_uint N, const char **Texts, const size_t *Bytes,
                                               cl_int *Code) {
  return create("clCreateProgramWithSource", Code,
                [&] { return layer().Next->clCreateProgramWithSource(C, N, Texts, Bytes, Code); });
}
cl_program CL_API_CALL createProgramFromBinary(cl_context C, cl_uint N, const cl_device_id *D, const size_t *Bytes,
                                               const unsigned char **Binaries, cl_int *Each, cl_int *Code) {
  return create("clCreateProgramWithBinary", Code,
                [&] { return layer().Next->clCreateProgramWithBinary(C, N, D, Bytes, Binaries, Each, Code); });
}

cl_int CL_API_CALL buildProgram(cl_program P, cl_uint N, const cl_device_id *D, const char *Options,
                                void(CL_CALLBACK *Notify)(cl_program, void *), void *User) {
  if (auto F = layer().fate("clBuildProgram"); F.Refused != CL_SUCCESS)
    return F.Refused;
  return layer().Next->clBuildProgram(P, N, D, Options, Notify, User);
}

cl_kernel CL_API_CALL createKernel(cl_program P, const char *Name, cl_int *Code) {
  return create("clCreateKernel", Code, [&] { return layer().Next->clCreateKernel(P, Name, Code); });
}

cl_int CL_API_CALL setKernelArg(cl_kernel K, cl_uint Index, size_t Bytes, const void *Value) {
  if (auto F = layer().fate("clSetKernelArg"); F.Refused != CL_SUCCESS)
    return F.Refused;
  return layer().Next->clSetKernelArg(K, Index, Bytes, Value);
}

cl_int CL_API_CALL flush(cl_command_queue Q) {
  if (auto F = layer().fate("clFlush"); F.Refused != CL_SUCCESS)
    return F.Refused;
  layer().letGo(Q);
  return layer().Next->clFlush(Q);
}

// Releases what waits on a queue that is not flushed any more.
cl_int CL_API_CALL releaseQueue(cl_command_queue Q) {
  cl_uint Owners = 0;
  if (layer().Next->clGetCommandQueueInfo(Q, CL_QUEUE_REFERENCE_COUNT, sizeof(Owners), &Owners, nullptr) ==
          CL_SUCCESS &&
      Owners == 1)
    layer().letGo(Q);
  return layer().Next->clReleaseCommandQueue(Q);
}

cl_int CL_API_CALL finish(cl_command_queue Q) {
  auto F = layer().fate("clFinish");
  if (F.Refused != CL_SUCCESS && !F.Lost)
    return F.Refused;
  layer().letGo(Q);
  cl_int Code = layer().Next->clFinish(Q); // On a device that is lost nothing touches memory any more.
  return F.Lost ? F.Refused : Code;
}

} // namespace

void wrapObjects(cl_icd_dispatch &Own) {
  Own.clCreateContext = createContext;
  Own.clCreateCommandQueue = createQueue;
  Own.clCreateCommandQueueWithProperties = createQueueWithProperties;
  Own.clCreateBuffer = createBuffer;
  Own.clCreateSubBuffer = createSubBuffer;
  Own.clCreateProgramWithSource = createProgramFromSource;
  Own.clCreateProgramWithBinary = createProgramFromBinary;
  Own.clBuildProgram = buildProgram;
  Own.clCreateKernel = createKernel;
  Own.clSetKernelArg = setKernelArg;
  Own.clFlush = flush;
  Own.clFinish = finish;
  Own.clReleaseCommandQueue = releaseQueue;
}

} // namespace hsched::test
