// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Reporter.h"

#include "api/Watch.h"
#include "base/Hash.h"
#include "base/Log.h"

#include <algorithm>
#include <pthread.h>

namespace hsched::icd {
namespace {

// Every command has this version: a vendor's device runs it.
constexpr const char *Version = "opencl";

rt::TimePoint at(cl_ulong Ns) { return rt::TimePoint(rt::Duration(static_cast<int64_t>(Ns))); }
rt::Duration length(double Seconds) { return rt::Duration(static_cast<int64_t>(Seconds * 1e9)); }

const char *nameOfType(cl_command_type Type) {
  switch (Type) {
  case CL_COMMAND_NDRANGE_KERNEL: // One of the program's has its kernel's name.
    return "minikernel";
  case CL_COMMAND_NATIVE_KERNEL:
    return "native kernel";
  case CL_COMMAND_READ_BUFFER:
  case CL_COMMAND_READ_BUFFER_RECT:
    return "read buffer";
  case CL_COMMAND_WRITE_BUFFER:
  case CL_COMMAND_WRITE_BUFFER_RECT:
    return "write buffer";
  case CL_COMMAND_COPY_BUFFER:
  case CL_COMMAND_COPY_BUFFER_RECT:
    return "copy buffer";
  case CL_COMMAND_FILL_BUFFER:
    return "fill buffer";
  case CL_COMMAND_READ_IMAGE:
    return "read image";
  case CL_COMMAND_WRITE_IMAGE:
    return "write image";
  case CL_COMMAND_COPY_IMAGE:
    return "copy image";
  case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    return "copy image to buffer";
  case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
    return "copy buffer to image";
  case CL_COMMAND_FILL_IMAGE:
    return "fill image";
  case CL_COMMAND_MAP_BUFFER:
    return "map buffer";
  case CL_COMMAND_MAP_IMAGE:
    return "map image";
  case CL_COMMAND_UNMAP_MEM_OBJECT:
    return "unmap";
  case CL_COMMAND_MARKER:
    return "marker";
  case CL_COMMAND_BARRIER:
    return "barrier";
  case CL_COMMAND_MIGRATE_MEM_OBJECTS:
    return "migrate";
  case CL_COMMAND_SVM_FREE:
    return "free SVM";
  case CL_COMMAND_SVM_MEMCPY:
    return "copy SVM";
  case CL_COMMAND_SVM_MEMFILL:
    return "fill SVM";
  case CL_COMMAND_SVM_MAP:
    return "map SVM";
  case CL_COMMAND_SVM_UNMAP:
    return "unmap SVM";
  case CL_COMMAND_SVM_MIGRATE_MEM:
    return "migrate SVM";
  default:
    return "command";
  }
}

const char *typeName(cl_device_type Type) {
  return Type & CL_DEVICE_TYPE_CPU ? "cpu" : Type & CL_DEVICE_TYPE_GPU ? "gpu" : "accelerator";
}

// Bytes of a memory object have no address. Each object gets a unique range that no process uses.
void *address(const Use &U) {
  return reinterpret_cast<void *>((uintptr_t(1) << 63 | uintptr_t(U.Root->Serial) << 36) + U.First);
}

unsigned modeOf(bool Reads, bool Writes) { return !Writes ? HSCHED_IN : Reads ? HSCHED_INOUT : HSCHED_OUT; }

} // namespace

Reporter *Reporter::Only = nullptr;

Reporter *Reporter::make() {
  rt::Observer *Found = hsched_watch();
  if (!Found)
    return nullptr;
  Only = new Reporter(*Found);
  pthread_atfork(nullptr, nullptr, [] { Only = nullptr; });
  return Only;
}

Reporter *Reporter::get() {
  static const bool Made = make() != nullptr;
  return Made ? Only : nullptr;
}

Reporter::Worker &Reporter::workerOf(const Device &D) {
  auto I = Workers.find(&D);
  if (I != Workers.end())
    return I->second;
  Worker &W = Workers[&D];
  W.Id = hsched_watch_worker();
  W.Name = D.Name + " #" + std::to_string(Workers.size() - 1);
  To.rowAdded({rt::uploadRow(W.Id), rt::RowKind::DeviceUpload, W.Id, W.Name + " upload"});
  To.rowAdded({rt::downloadRow(W.Id), rt::RowKind::DeviceDownload, W.Id, W.Name + " download"});
  return W;
}

rt::WorkerId Reporter::idOf(const Device &D) {
  std::lock_guard Hold(Lock);
  return workerOf(D).Id;
}

rt::RowId Reporter::stream(const Device &D) {
  std::lock_guard Hold(Lock);
  Worker &W = workerOf(D);
  unsigned Number = W.Streams++;
  rt::RowId Row = rt::computeRow(W.Id, Number);
  if (Number < rt::RowsPerWorker - 2) {
    To.rowAdded({Row, rt::RowKind::DeviceCompute, W.Id, W.Name + " queue " + std::to_string(Number), D.Key,
                 typeName(D.Type), W.Id});
  }
  return Row;
}

const char *Reporter::nameOf(const Command &C) {
  if (C.Kernel.empty())
    return nameOfType(C.Type);
  std::lock_guard Hold(Lock);
  return Names.emplace(C.Kernel.substr(0, C.Kernel.rfind('@'))).first->c_str();
}

void Reporter::submitted(Command &C) {
  std::vector<hsched_access> All;
  std::string Modes;
  uint64_t Bytes = 0;
  auto Add = [&](const void *At, size_t N, unsigned Mode) {
    All.push_back({const_cast<void *>(At), N, 1, 0, Mode, HSCHED_NO_PARAM});
    Modes += Modes.empty() ? "" : ", ";
    Modes += Mode == HSCHED_IN ? "in" : Mode == HSCHED_OUT ? "out" : "inout";
  };
  for (const Use &U : C.Uses) {
    Add(address(U), U.Bytes, modeOf(U.Reads, U.Writes));
    Bytes += U.Bytes;
  }
  for (const HostUse &U : C.HostUses)
    Add(U.First, U.Bytes, U.Writes ? HSCHED_OUT : HSCHED_IN);
  C.Name = nameOf(C);
  C.Task = hsched_watch_task();
  C.DataBytes = Bytes;
  To.submitted({C.Task, 0, C.Name, C.Name, Bytes, at(hostTime()), rt::NoCost, Modes.c_str(), All});
  if (auto Describe = std::exchange(C.Describe, {}))
    Describe(*this);
}

const hsched_kernel_desc *Reporter::descriptionOf(const Kernel &K) {
  std::lock_guard Hold(Lock);
  const auto [I, New] = Kernels.try_emplace({K.Name, K.Of->options(), K.Of->source()});
  hsched_kernel_desc &Its = I->second;
  if (New) {
    const auto &[Name, Options, Source] = I->first;
    Its.struct_bytes = sizeof(Its);
    Its.name = Its.entry = Name.c_str();
    Its.file = Names.emplace(std::to_string(rt::fnv1a(Source)) + ".cl").first->c_str();
    Its.source = Source.c_str();
    Its.source_bytes = Source.size();
    Its.options = Options.c_str();
    Its.n_args = K.count();
  }
  return &Its;
}

void Reporter::launching(const Command &C, const Kernel &K, const Kernel::Bound &Args, const Sizes &S) {
  if (!C.Task)
    return;
  bool Uneven = false;
  for (cl_uint I = 0; I != S.Dimensions && S.HasLocal; ++I)
    Uneven |= S.Local[I] && S.Global[I] % S.Local[I];
  if (const char *Why = K.Of->source().empty() ? "its program has no source"
                        : Args.Special         ? "it has sizes of a device's own"
                        : Uneven               ? "its last work-group is smaller than the others"
                                               : nullptr) {
    std::lock_guard Hold(Lock);
    if (LeftOut.emplace(K.Name, Why).second)
      rt::log(rt::LogLevel::Warning, "OpenCL platform: the record has not what kernel '%s' was launched with: %s",
              K.Name.c_str(), Why);
    return;
  }
  hsched_ndrange Range{};
  Range.dims = S.Dimensions;
  std::copy_n(S.Global, 3, Range.global);
  std::copy_n(S.Offset, 3, Range.offset);
  if (S.HasLocal)
    std::copy_n(S.Local, 3, Range.local);
  std::vector<hsched_kernel_arg> All;
  std::vector<const char *> Others(Args.Values->size());
  for (size_t I = 0; I != Args.Values->size(); ++I) {
    const Argument &From = (*Args.Values)[I];
    hsched_kernel_arg &A = All.emplace_back();
    A = {HSCHED_ARG_BUFFER, HSCHED_NO_PARAM, 0, nullptr, nullptr, {}};
    switch (From.What) {
    case Argument::Bytes:
      A.kind = HSCHED_ARG_VALUE, A.bytes = From.Data.size(), A.value = From.Data.data();
      break;
    case Argument::Local:
      A.kind = HSCHED_ARG_LOCAL, A.bytes = From.LocalBytes;
      break;
    case Argument::Pointer:
      Others[I] = "shared memory";
      break;
    case Argument::Sampled:
      Others[I] = "a sampler";
      break;
    default:
      if (Memory *M = I < Args.Objects.size() ? Args.Objects[I].get() : nullptr) {
        A.pointer = address({&M->root(), M->origin(), 0, false, false});
        Others[I] = M->isBuffer() ? nullptr : M->isImage() ? "an image" : "a pipe";
      }
    }
  }
  To.launching(
      {C.Task, descriptionOf(K), &Range, All, {}, Others}); // The contents of memory objects are not in host memory.
}

void Reporter::dependence(const std::vector<uint64_t> &From, const Command &C) {
  std::set<uint64_t> Once(From.begin(), From.end());
  for (uint64_t F : Once)
    To.dependence(F, C.Task);
}

void Reporter::placed(const Command &C, const Device &On) {
  if (To.wantsDecisions())
    To.decided({C.Task, C.Name, at(hostTime()), idOf(On), Version, "its queue is of this device", {}});
}

void Reporter::mapped(const Command &C, const Device &Where, const char *Why, std::span<const Prediction> All) {
  if (!C.Task || !To.wantsDecisions())
    return;
  std::vector<rt::CandidateRecord> Candidates;
  for (const Prediction &P : All)
    Candidates.push_back({idOf(*P.On), Version, length(std::max(P.Run, 0.0)), P.Run < 0 ? 0 : P.Runs,
                          length(P.Transfer), length(P.Wait)});
  To.decided({C.Task, C.Name, at(hostTime()), idOf(Where), Version, Why, Candidates});
}

void Reporter::ran(const Command &C) {
  rt::WorkerId W = C.Where.On ? idOf(*C.Where.On) : 0;
  bool Began = !C.Failed && C.Submitted;
  rt::Outcome How = C.Outcome >= 0 ? rt::Outcome::Done : C.Failed ? rt::Outcome::Cancelled : rt::Outcome::Failed;
  rt::RowId Row = C.Row ? C.Row : C.Where.On ? rt::computeRow(W, 0) : rt::cpuRow(0);
  To.ran({C.Task, C.Name, Began ? Version : nullptr, C.Name, Row, W, C.DataBytes, {at(C.Begin), at(C.End)}, How});
}

rt::TaskType *Reporter::typeOf(const char *Name) {
  std::lock_guard Hold(Lock);
  auto [I, New] = Types.try_emplace(Name);
  if (New)
    I->second.LinkerName = Name;
  return &I->second;
}

void Reporter::waited(cl_ulong Begin) { To.waited({0, {at(Begin), at(hostTime())}, false, {}}); }

} // namespace hsched::icd
