// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Memory.h"

#include "icd/ContextData.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace hsched::icd {
namespace {

constexpr cl_mem_flags AccessFlags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags HostAccessFlags = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags PointerFlags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr size_t PageBytes = 4096;

uint64_t nextSerial() {
  static std::atomic<uint64_t> Next{1};
  return Next.fetch_add(1, std::memory_order_relaxed);
}

bool atMostOne(cl_mem_flags Flags) { return std::popcount(Flags) <= 1; }

void checkProperties(const std::vector<cl_mem_properties> &P) {
  require(P.empty() || P.front() == 0, CL_INVALID_PROPERTY); // No properties are supported.
}

} // namespace

void checkFlags(cl_mem_flags Flags, const void *HostData) {
  require(!(Flags & ~(AccessFlags | HostAccessFlags | PointerFlags | CL_MEM_KERNEL_READ_AND_WRITE)) &&
              atMostOne(Flags & AccessFlags) && atMostOne(Flags & HostAccessFlags) &&
              !(Flags & CL_MEM_USE_HOST_PTR && Flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)),
          CL_INVALID_VALUE);
  require(!HostData == !(Flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)), CL_INVALID_HOST_PTR);
}

Memory::Memory(Ref<Context> Of, cl_mem_object_type Type, cl_mem_flags Flags, size_t Bytes, void *HostData,
               Ref<Memory> Parent, size_t First)
    : Object(Tag), In(std::move(Of)), Type(Type), Flags(Flags), Parent(std::move(Parent)), First(First),
      Serial(nextSerial()), Bytes(Bytes), HostPointer(Flags & CL_MEM_USE_HOST_PTR ? HostData : nullptr),
      IsCounted(!this->Parent && !isVendors() && In->takePlain(Bytes)),
      IsPlain(this->Parent ? this->Parent->IsPlain : IsCounted || isVendors()), Host(nullptr, std::free) {}

Memory::~Memory() {
  if (Plain)
    table(Plain).clReleaseMemObject(Plain);
  if (IsCounted)
    In->givePlain(Bytes);
  for (const auto &S : Seen)
    if (auto Still = S.lock())
      Still->remove(Serial);
  if (Datum)
    (void)In->data()->directory().dropHomeless(Datum);
  for (auto I = Destructors.rbegin(); I != Destructors.rend(); ++I)
    (*I)();
}

Memory *Memory::buffer(Ref<Context> In, std::vector<cl_mem_properties> Properties, cl_mem_flags Flags, size_t Bytes,
                       void *HostData) {
  checkProperties(Properties);
  checkFlags(Flags, HostData);
  cl_ulong Most = 0;
  for (Device *D : In->vendorDevices())
    Most = std::max(Most, D->number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  require(Bytes && Bytes <= Most, CL_INVALID_BUFFER_SIZE);
  if (!(Flags & AccessFlags))
    Flags |= CL_MEM_READ_WRITE;
  std::unique_ptr<Memory, void (*)(Memory *)> M(
      new Memory(std::move(In), CL_MEM_OBJECT_BUFFER, Flags, Bytes, HostData, {}, 0),
      [](Memory *M) { M->releaseUser(); });
  M->Properties = std::move(Properties);
  M->start(HostData);
  return M.release();
}

Memory *Memory::subBuffer(Ref<Memory> Of, cl_mem_flags Flags, size_t First, size_t Bytes) {
  cl_mem_flags Its = Of->Flags;
  require(Of->isBuffer() && !Of->Parent, CL_INVALID_MEM_OBJECT);
  require(!(Flags & ~(AccessFlags | HostAccessFlags)) && atMostOne(Flags & AccessFlags) &&
              atMostOne(Flags & HostAccessFlags),
          CL_INVALID_VALUE);
  auto Widens = [&](cl_mem_flags If, cl_mem_flags Not) { return Its & If && Flags & Not; };
  require(!Widens(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY) &&
              !Widens(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY) &&
              !Widens(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY) &&
              !Widens(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY) &&
              !Widens(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY),
          CL_INVALID_VALUE);
  require(Bytes, CL_INVALID_BUFFER_SIZE);
  require(First <= Of->Bytes && Bytes <= Of->Bytes - First, CL_INVALID_VALUE);
  bool Aligned = false;
  for (Device *D : Of->In->vendorDevices()) {
    cl_uint Bits = D->number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8);
    Aligned |= First % std::max<size_t>(Bits / 8, 1) == 0;
  }
  // The vendor of a plain object decides: rusticl accepts all offsets.
  require(Aligned || Of->isPlain(), CL_MISALIGNED_SUB_BUFFER_OFFSET);
  if (!(Flags & AccessFlags))
    Flags |= Its & AccessFlags;
  if (!(Flags & HostAccessFlags))
    Flags |= Its & HostAccessFlags;
  Flags |= Its & PointerFlags;
  Ref<Context> In = Of->In;
  void *At = Of->HostPointer ? static_cast<std::byte *>(Of->HostPointer) + First : nullptr;
  std::unique_ptr<Memory, void (*)(Memory *)> M(
      new Memory(std::move(In), CL_MEM_OBJECT_BUFFER, Flags, Bytes, At, std::move(Of), First),
      [](Memory *M) { M->releaseUser(); });
  M->start(nullptr);
  return M.release();
}

Memory *Memory::pipe(Ref<Context> In, cl_mem_flags Flags, cl_uint PacketBytes, cl_uint MaxPackets) {
  require(In->isSingle() && In->first().Of->has(200) && In->first().cl().clCreatePipe, CL_INVALID_OPERATION);
  std::unique_ptr<Memory, void (*)(Memory *)> M(
      new Memory(std::move(In), CL_MEM_OBJECT_PIPE, Flags, size_t(PacketBytes) * MaxPackets, nullptr, {}, 0),
      [](Memory *M) { M->releaseUser(); });
  M->PacketBytes = PacketBytes;
  M->MaxPackets = MaxPackets;
  M->start(nullptr);
  return M.release();
}

void Memory::start(void *HostData) {
  if (!IsPlain || !startPlain(HostData))
    startData(HostData);
}

void Memory::startData(void *HostData) {
  if (Parent) {
    Seen.resize(In->Parts.size());
    return;
  }
  Places.reset(new std::atomic<VendorBuffer *>[In->Parts.size()]());
  rt::Directory &Dir = In->data()->directory();
  void *At = nullptr;
  check(codeOf(Dir.makeHomeless(Bytes, At, this)));
  Datum = static_cast<std::byte *>(At);
  if (!HostData)
    return;
  check(codeOf(Dir.bringHome(Datum, Bytes, rt::Directory::HomeUse::Overwrite)));
  if (!HostPointer)
    std::memcpy(Datum, HostData, Bytes);
}

bool Memory::startPlain(void *HostData) {
  Part &P = In->first();
  cl_int Error = CL_SUCCESS;
  cl_mem Made = nullptr;
  const cl_icd_dispatch &Cl = P.cl();
  if (isImage()) {
    cl_image_desc D = Description;
    D.mem_object = Parent ? Parent->in(P) : nullptr;
    if (!HostData && !Parent)
      D.image_row_pitch = D.image_slice_pitch = 0;
    Made = Cl.clCreateImage(P.Id, Flags, &Format, &D, HostData, &Error);
  } else if (Type == CL_MEM_OBJECT_PIPE) {
    Made = Cl.clCreatePipe(P.Id, Flags, PacketBytes, MaxPackets, nullptr, &Error);
  } else if (Parent) {
    cl_buffer_region R{First, Bytes};
    cl_mem Of = Parent->in(P);
    Made = table(Of).clCreateSubBuffer(Of, Flags & ~PointerFlags, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
  } else {
    Made = Cl.clCreateBuffer(P.Id, Flags, Bytes, HostData, &Error);
  }
  // Other programs may use the device. Objects that have been released may still be on their way back to the vendor.
  if (!Made && Error == CL_MEM_OBJECT_ALLOCATION_FAILURE && IsCounted && In->data()) {
    In->givePlain(Bytes);
    IsCounted = IsPlain = false;
    return false;
  }
  check(Made ? CL_SUCCESS : Error < 0 ? Error : CL_OUT_OF_RESOURCES);
  Plain = Made;
  return true;
}

uint64_t Memory::placeOf(const Part &P) {
  VendorBuffer *There = root().Places[P.Number].load(std::memory_order_acquire);
  return There ? There->Serial : 0;
}

cl_mem Memory::in(Part &P) {
  if (Plain)
    return Plain;
  VendorBuffer *There = root().Places[P.Number].load(std::memory_order_acquire);
  require(There, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  if (!Parent)
    return There->Made;
  {
    std::lock_guard Hold(Lock);
    Seen[P.Number] = There->Parts;
  }
  return There->Parts->get(Serial, [&] { return make(P); });
}

status Memory::allocate(rt::MemoryNode Node, rt::BufferRef &Out) {
  try {
    Out = std::make_shared<VendorBuffer>(*this, make(*In->Parts[Node - 1]));
    return {};
  } catch (const Failure &F) {
    return status::error(errc::out_of_memory, "OpenCL error " + std::to_string(F.Code), F.Code);
  }
}

cl_mem Memory::make(Part &P) const {
  cl_int Error = CL_SUCCESS;
  cl_mem Made = nullptr;
  cl_mem_flags Its = Flags & AccessFlags;
  if (isImage()) {
    cl_image_desc D = Description;
    D.mem_object = Parent ? Parent->in(P) : nullptr;
    if (!Parent)
      D.image_row_pitch = D.image_slice_pitch = 0;
    Made = P.cl().clCreateImage(P.Id, Its, &Format, &D, nullptr, &Error);
  } else if (Parent) {
    cl_buffer_region R{First, Bytes};
    cl_mem Of = Parent->in(P);
    Made = table(Of).clCreateSubBuffer(Of, Its, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
  } else {
    Made = P.cl().clCreateBuffer(P.Id, Its, Bytes, nullptr, &Error);
  }
  check(Made ? CL_SUCCESS : Error < 0 ? Error : CL_OUT_OF_RESOURCES);
  return Made;
}

std::byte *Memory::hostBytes() {
  if (HostPointer)
    return static_cast<std::byte *>(HostPointer);
  if (Datum)
    return Datum;
  std::lock_guard Hold(Lock);
  if (!Host) {
    Host.reset(
        static_cast<std::byte *>(std::aligned_alloc(PageBytes, (Bytes + PageBytes - 1) / PageBytes * PageBytes)));
    if (!Host)
      throw std::bad_alloc();
  }
  return Host.get();
}

void Memory::mapped(const Mapping &M) {
  std::lock_guard Hold(Lock);
  Mappings.push_back(M);
}

Memory::Mapping Memory::unmapped(void *At) {
  std::lock_guard Hold(Lock);
  auto I = std::find_if(Mappings.begin(), Mappings.end(), [&](const Mapping &M) { return M.At == At; });
  require(I != Mappings.end(), CL_INVALID_VALUE);
  Mapping M = *I;
  Mappings.erase(I);
  return M;
}

void Memory::onDestruction(std::function<void()> Notified) {
  std::lock_guard Hold(Lock);
  Destructors.push_back(std::move(Notified));
}

void Memory::info(cl_mem_info What, const Answer &To) const {
  switch (What) {
  case CL_MEM_TYPE:
    return To.value(Type);
  case CL_MEM_FLAGS:
    return To.value(Flags);
  case CL_MEM_SIZE: {
    size_t Its = Bytes;
    if (Plain && !isBuffer())
      check(table(Plain).clGetMemObjectInfo(Plain, What, sizeof(Its), &Its, nullptr));
    return To.value(Its);
  }
  case CL_MEM_HOST_PTR:
    return To.value(HostPointer);
  case CL_MEM_MAP_COUNT: {
    std::lock_guard Hold(Lock);
    return To.value(static_cast<cl_uint>(Mappings.size()));
  }
  case CL_MEM_REFERENCE_COUNT:
    return To.value(userRefs());
  case CL_MEM_CONTEXT:
    return To.value(In->handle<cl_context>());
  case CL_MEM_ASSOCIATED_MEMOBJECT:
    return To.value(Parent ? Parent->handle<cl_mem>() : nullptr);
  case CL_MEM_OFFSET:
    return To.value(isBuffer() ? First : size_t(0));
  case CL_MEM_USES_SVM_POINTER: {
    cl_bool Its = CL_FALSE;
    if (Plain && In->first().Of->has(200))
      (void)table(Plain).clGetMemObjectInfo(Plain, What, sizeof(Its), &Its, nullptr);
    return To.value(Its);
  }
  case CL_MEM_PROPERTIES:
    return To.list(Properties);
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

} // namespace hsched::icd
