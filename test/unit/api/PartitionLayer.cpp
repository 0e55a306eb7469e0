// An OpenCL layer for drivers that split devices by counts only: OPENCL_LAYERS names it, HSCHED_TEST_PARTS says what
// else devices can be split by, and into what ("numa:1+1"). It counts what runs on which part, and loses parts for the
// asking.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CL_TARGET_OPENCL_VERSION 300
#include "PartitionLayer.h"
#include "../../LayerInfo.h"

#include <CL/cl_layer.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Layer {
  const cl_icd_dispatch *Next = nullptr; // What comes after this layer.
  cl_icd_dispatch Own{};
  cl_device_affinity_domain Domain = 0; // That devices can be split by, and nothing else; 0: as the driver says.
  std::vector<cl_device_partition_property> Instead;

  std::mutex Lock;                 // Guards all fields below.
  std::vector<cl_device_id> Parts; // In the order in which they were made.
  std::map<cl_command_queue, size_t> Queues;
  std::map<size_t, unsigned> Ran;
  std::set<size_t> Lost;

  // "numa:1+1"; empty: nothing is changed.
  bool set(const std::string &Text) {
    if (Text.empty())
      return true;
    const std::map<std::string, cl_device_affinity_domain> Names = {{"numa", CL_DEVICE_AFFINITY_DOMAIN_NUMA},
                                                                    {"l1", CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE},
                                                                    {"l2", CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
                                                                    {"l3", CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE}};
    size_t Colon = Text.find(':');
    auto Name = Names.find(Text.substr(0, Colon));
    if (Colon == std::string::npos || Name == Names.end())
      return false;
    Domain = Name->second;
    Instead = {CL_DEVICE_PARTITION_BY_COUNTS};
    std::istringstream Counts(Text.substr(Colon + 1));
    for (std::string Each; std::getline(Counts, Each, '+');)
      Instead.push_back(std::atol(Each.c_str()));
    Instead.insert(Instead.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
    return true;
  }
  bool isPart(cl_device_id D) {
    std::lock_guard Guard(Lock);
    return std::ranges::find(Parts, D) != Parts.end();
  }
  cl_command_queue made(cl_command_queue Q, cl_device_id D) {
    std::lock_guard Guard(Lock);
    auto At = std::ranges::find(Parts, D);
    Queues.erase(Q); // A handle that was another queue's once.
    if (Q && At != Parts.end())
      Queues[Q] = static_cast<size_t>(At - Parts.begin());
    return Q;
  }
  bool lost(cl_command_queue Q) {
    std::lock_guard Guard(Lock);
    auto At = Queues.find(Q);
    return At != Queues.end() && Lost.contains(At->second);
  }
  void ran(cl_command_queue Q) {
    std::lock_guard Guard(Lock);
    if (auto At = Queues.find(Q); At != Queues.end())
      ++Ran[At->second];
  }
};

Layer &layer() {
  static auto *Made = new Layer; // Drivers' threads may outlive static objects.
  return *Made;
}

template <class T> cl_int answer(const T &Is, size_t Bytes, void *Value, size_t *Needed) {
  if (Value && Bytes < sizeof(T))
    return CL_INVALID_VALUE;
  if (Value)
    std::memcpy(Value, &Is, sizeof(T));
  if (Needed)
    *Needed = sizeof(T);
  return CL_SUCCESS;
}

cl_int CL_API_CALL getDeviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *Value, size_t *Needed) {
  Layer &L = layer();
  if (L.Domain && !L.isPart(D)) {
    if (What == CL_DEVICE_PARTITION_PROPERTIES)
      return answer<cl_device_partition_property>(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, Bytes, Value, Needed);
    if (What == CL_DEVICE_PARTITION_AFFINITY_DOMAIN)
      return answer(L.Domain, Bytes, Value, Needed);
  }
  return L.Next->clGetDeviceInfo(D, What, Bytes, Value, Needed);
}

cl_int CL_API_CALL createSubDevices(cl_device_id D, const cl_device_partition_property *How, cl_uint N,
                                    cl_device_id *Out, cl_uint *NumOut) {
  Layer &L = layer();
  if (L.Domain) {
    if (How[0] != CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN ||
        static_cast<cl_device_affinity_domain>(How[1]) != L.Domain || How[2] != 0)
      return CL_INVALID_VALUE;
    How = L.Instead.data();
  }
  cl_uint Made = 0;
  cl_int Code = L.Next->clCreateSubDevices(D, How, N, Out, &Made);
  if (NumOut)
    *NumOut = Made;
  std::lock_guard Guard(L.Lock);
  if (Code == CL_SUCCESS && Out)
    L.Parts.insert(L.Parts.end(), Out, Out + std::min(N, Made));
  return Code;
}

cl_command_queue CL_API_CALL createQueue(cl_context C, cl_device_id D, cl_command_queue_properties P, cl_int *Code) {
  return layer().made(layer().Next->clCreateCommandQueue(C, D, P, Code), D);
}
cl_command_queue CL_API_CALL createQueueWithProperties(cl_context C, cl_device_id D, const cl_queue_properties *P,
                                                       cl_int *Code) {
  return layer().made(layer().Next->clCreateCommandQueueWithProperties(C, D, P, Code), D);
}

cl_int CL_API_CALL enqueueKernel(cl_command_queue Q, cl_kernel K, cl_uint Dims, const size_t *Offset,
                                 const size_t *Global, const size_t *Local, cl_uint N, const cl_event *Wait,
                                 cl_event *Out) {
  Layer &L = layer();
  if (L.lost(Q))
    return CL_DEVICE_NOT_AVAILABLE;
  L.ran(Q);
  return L.Next->clEnqueueNDRangeKernel(Q, K, Dims, Offset, Global, Local, N, Wait, Out);
}
cl_int CL_API_CALL enqueueWrite(cl_command_queue Q, cl_mem M, cl_bool Blocking, size_t At, size_t Bytes,
                                const void *From, cl_uint N, const cl_event *Wait, cl_event *Out) {
  Layer &L = layer();
  return L.lost(Q) ? CL_DEVICE_NOT_AVAILABLE
                   : L.Next->clEnqueueWriteBuffer(Q, M, Blocking, At, Bytes, From, N, Wait, Out);
}
cl_int CL_API_CALL enqueueRead(cl_command_queue Q, cl_mem M, cl_bool Blocking, size_t At, size_t Bytes, void *To,
                               cl_uint N, const cl_event *Wait, cl_event *Out) {
  Layer &L = layer();
  return L.lost(Q) ? CL_DEVICE_NOT_AVAILABLE : L.Next->clEnqueueReadBuffer(Q, M, Blocking, At, Bytes, To, N, Wait, Out);
}

} // namespace

unsigned hsched_test_parts_made() {
  std::lock_guard Guard(layer().Lock);
  return static_cast<unsigned>(layer().Parts.size());
}
unsigned hsched_test_parts_ran(unsigned Part) {
  std::lock_guard Guard(layer().Lock);
  return layer().Ran[Part];
}
void hsched_test_parts_forget() {
  std::lock_guard Guard(layer().Lock);
  layer().Ran.clear();
}
void hsched_test_parts_lose(unsigned Part) {
  std::lock_guard Guard(layer().Lock);
  layer().Lost.insert(Part);
}

#pragma GCC visibility push(default)
cl_int CL_API_CALL clGetLayerInfo(cl_layer_info What, size_t Bytes, void *Value, size_t *Needed) {
  return hsched::rt::test::layerInfo("hsched test parts", What, Bytes, Value, Needed);
}

cl_int CL_API_CALL clInitLayer(cl_uint Entries, const cl_icd_dispatch *Target, cl_uint *EntriesOut,
                               const cl_icd_dispatch **Out) {
  Layer &L = layer();
  const char *Parts = std::getenv("HSCHED_TEST_PARTS");
  if (!Target || !EntriesOut || !Out || Entries < sizeof(cl_icd_dispatch) / sizeof(void *) ||
      !L.set(Parts ? Parts : ""))
    return CL_INVALID_VALUE;
  L.Next = Target;
  L.Own = *Target;
  L.Own.clGetDeviceInfo = getDeviceInfo;
  L.Own.clCreateSubDevices = createSubDevices;
  L.Own.clCreateCommandQueue = createQueue;
  L.Own.clCreateCommandQueueWithProperties = createQueueWithProperties;
  L.Own.clEnqueueNDRangeKernel = enqueueKernel;
  L.Own.clEnqueueWriteBuffer = enqueueWrite;
  L.Own.clEnqueueReadBuffer = enqueueRead;
  *EntriesOut = sizeof(cl_icd_dispatch) / sizeof(void *);
  *Out = &L.Own;
  return CL_SUCCESS;
}
#pragma GCC visibility pop
