// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Kernel.h"

#include "base/Hash.h"
#include "icd/Queue.h"

#include <algorithm>

namespace hsched::icd {
namespace {

bool endsWith(const std::string &S, const char *End) {
  size_t N = std::strlen(End);
  return S.size() >= N && S.compare(S.size() - N, N, End) == 0;
}

// The type of images for a type of arguments. 0: it has none of its own.
cl_mem_object_type shapeOf(const std::string &TypeName) {
  static const std::map<std::string, cl_mem_object_type> All = {
      {"image1d_t", CL_MEM_OBJECT_IMAGE1D}, {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
      {"image2d_t", CL_MEM_OBJECT_IMAGE2D}, {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
      {"image3d_t", CL_MEM_OBJECT_IMAGE3D}, {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER}};
  auto I = All.find(TypeName);
  return I == All.end() ? 0 : I->second;
}

// A type that the language names, perhaps with the number of its elements.
bool isOfLanguage(const std::string &TypeName) {
  static const std::set<std::string> All = {"bool", "char", "uchar", "short", "ushort", "int",
                                            "uint", "long", "ulong", "half",  "float",  "double"};
  return TypeName.find(' ') != TypeName.npos || // Such as unsigned long.
         All.count(TypeName.substr(0, TypeName.find_last_not_of("0123456789") + 1)) != 0;
}

} // namespace

Kernel::Kernel(Ref<Program> From, std::string Called) : Object(Tag), Of(std::move(From)), Name(std::move(Called)) {
  Context &In = *Of->In;
  for (Device *D : In.vendorDevices())
    if (Of->isBuiltFor(*D))
      On.push_back(D);
  require(!On.empty(), CL_INVALID_PROGRAM_EXECUTABLE);
  cl_int Error = CL_INVALID_PROGRAM_EXECUTABLE;
  bool Any = false;
  for (const auto &P : In.Parts) {
    Parts.push_back(std::make_unique<Vendors>());
    cl_program V = Of->in(*P);
    if (!V)
      continue;
    cl_int Its = CL_SUCCESS;
    Parts.back()->K = table(V).clCreateKernel(V, Name.c_str(), &Its);
    Any |= Parts.back()->K != nullptr;
    if (Its < 0 && Its != CL_INVALID_PROGRAM_EXECUTABLE)
      Error = Its;
  }
  require(Any, Error);
  // A vendor may lack it: PoCL refuses kernels with the name of a built-in function.
  std::erase_if(On, [&](const Device *D) { return !Parts[In.partOf(D)->Number]->K; });
  require(!On.empty(), Error);
  readFormals();
  Key = Name + "@" + std::to_string(rt::fnv1a(Of->source()));
  Values = std::make_shared<Arguments>(Count);
  for (const auto &P : Parts)
    P->Applied.resize(Count), P->Places.resize(Count);
  Of->addKernel(1);
}

Kernel::Kernel(Kernel &From)
    : Object(Tag), Of(From.Of), Name(From.Name), Key(From.Key), On(From.On), Count(From.Count), Formals(From.Formals),
      Extents(From.Extents) {
  std::copy_n(From.Required, 3, Required);
  for (const auto &P : From.Parts) {
    Parts.push_back(std::make_unique<Vendors>());
    Parts.back()->Applied.resize(Count);
    Parts.back()->Places.resize(Count);
    if (!P->K)
      continue;
    cl_program V = Of->in(*Of->In->Parts[Parts.size() - 1]);
    cl_int Error = CL_SUCCESS;
    Parts.back()->K = table(V).clCreateKernel(V, Name.c_str(), &Error);
    check(Error);
  }
  std::lock_guard Hold(From.Lock);
  Values = std::make_shared<Arguments>(*From.Values);
  Launches = From.Launches;
  Infos = From.Infos;
  Of->addKernel(1);
}

Kernel::~Kernel() {
  Of->addKernel(-1);
  for (const auto &P : Parts)
    if (P->K)
      table(P->K).clReleaseKernel(P->K);
}

void Kernel::readFormals() {
  cl_kernel K = (*std::find_if(Parts.begin(), Parts.end(), [](const auto &P) { return P->K != nullptr; }))->K;
  const cl_icd_dispatch &Cl = table(K);
  check(Cl.clGetKernelInfo(K, CL_KERNEL_NUM_ARGS, sizeof(Count), &Count, nullptr));
  for (const auto &P : Parts) { // A source may differ for each vendor.
    cl_uint Its = Count;
    if (P->K)
      (void)table(P->K).clGetKernelInfo(P->K, CL_KERNEL_NUM_ARGS, sizeof(Its), &Its, nullptr);
    require(Its == Count, CL_INVALID_KERNEL_DEFINITION);
  }
  if (Cl.clGetKernelWorkGroupInfo(K, On.front()->Id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(Required), Required,
                                  nullptr) != CL_SUCCESS)
    Required[0] = 0;
  // The analysis assumes addresses of 64 bits.
  if (std::all_of(this->On.begin(), this->On.end(),
                  [](const Device *D) { return D->number<cl_uint>(CL_DEVICE_ADDRESS_BITS, 64) == 64; }))
    Extents = Of->extents(Name);
  Formals.resize(Count);
  for (cl_uint I = 0; I != Count; ++I) {
    Formal &F = Formals[I];
    cl_kernel_arg_address_qualifier Space = 0;
    if (Cl.clGetKernelArgInfo(K, I, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(Space), &Space, nullptr) != CL_SUCCESS)
      continue;
    cl_kernel_arg_access_qualifier Access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier Type = CL_KERNEL_ARG_TYPE_NONE;
    (void)Cl.clGetKernelArgInfo(K, I, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(Access), &Access, nullptr);
    (void)Cl.clGetKernelArgInfo(K, I, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(Type), &Type, nullptr);
    std::string TypeName = textOf([&](size_t Bytes, void *Text, size_t *Needed) {
      return Cl.clGetKernelArgInfo(K, I, CL_KERNEL_ARG_TYPE_NAME, Bytes, Text, Needed);
    });
    bool Pipe = Type & CL_KERNEL_ARG_TYPE_PIPE, Pointer = endsWith(TypeName, "*");
    // A name of a program's own may stand for a type of images: only images and pipes have an access.
    bool Image = (TypeName.compare(0, 5, "image") == 0 && endsWith(TypeName, "_t")) ||
                 (Access != CL_KERNEL_ARG_ACCESS_NONE && !Pipe && !Pointer);
    if (Image || Pipe)
      F = {Formal::Object, Access == CL_KERNEL_ARG_ACCESS_READ_ONLY && !Pipe, true,
           Pipe ? cl_mem_object_type(CL_MEM_OBJECT_PIPE) : shapeOf(TypeName),
           Pipe                                        ? cl_mem_flags(0)
           : Access == CL_KERNEL_ARG_ACCESS_READ_ONLY  ? CL_MEM_WRITE_ONLY
           : Access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? CL_MEM_READ_ONLY
                                                       : cl_mem_flags(0)};
    else if (TypeName == "sampler_t")
      F.What = Formal::Sampler;
    else if (Space == CL_KERNEL_ARG_ADDRESS_LOCAL)
      F.What = Formal::Local;
    else if (Space == CL_KERNEL_ARG_ADDRESS_PRIVATE)
      F.What = Formal::Value, F.MayBeSampler = !isOfLanguage(TypeName);
    else
      F = {Formal::Object,
           Space == CL_KERNEL_ARG_ADDRESS_CONSTANT || (Type & CL_KERNEL_ARG_TYPE_CONST) != 0 || Of->onlyReads(Name, I),
           Pointer,
           CL_MEM_OBJECT_BUFFER,
           0,
           false,
           Pointer && Of->isUnused(Name, I)};
  }
}

void Kernel::Formal::check(const Memory *M) const {
  if (!IsTyped)
    return;
  if (!M)
    return require(Type == CL_MEM_OBJECT_BUFFER, CL_INVALID_ARG_VALUE);
  require(Type ? M->Type == Type : M->isImage(), CL_INVALID_ARG_VALUE);
  require(!(M->Flags & Never), CL_INVALID_ARG_VALUE);
}

void Kernel::store(cl_uint Number, Argument A) {
  std::lock_guard Hold(Lock);
  if (Values.use_count() > 1) // Commands hold the old values.
    Values = std::make_shared<Arguments>(*Values);
  (*Values)[Number] = std::move(A);
}

void Kernel::set(cl_uint Number, size_t Bytes, const void *Value) {
  require(Number < Count, CL_INVALID_ARG_INDEX);
  const Formal &F = Formals[Number];
  void *Handle = nullptr;
  if (Value && Bytes == sizeof(Handle))
    std::memcpy(&Handle, Value, sizeof(Handle));
  Argument A;
  auto Known = F.What;
  if (Known == Formal::Unknown) { // Without information, a handle is recognised by its value.
    Known = !Value ? Formal::Local : Formal::Value;
    if (find<Memory>(Handle))
      Known = Formal::Object;
    else if (find<icd::Sampler>(Handle))
      Known = Formal::Sampler;
  }
  if (F.MayBeSampler && find<icd::Sampler>(Handle))
    Known = Formal::Sampler;
  switch (Known) {
  case Formal::Object: {
    require(Bytes == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
    A.What = Handle ? Argument::Object : Argument::Null;
    if (Handle) {
      Memory &M = need<Memory>(Handle, CL_INVALID_MEM_OBJECT);
      require(M.In == Of->In, CL_INVALID_MEM_OBJECT);
      F.check(&M);
      A.Handle = Handle;
      A.Serial = M.Serial;
    } else {
      F.check(nullptr);
    }
    break;
  }
  case Formal::Sampler:
    require(Value, CL_INVALID_ARG_VALUE);
    require(Bytes == sizeof(cl_sampler), CL_INVALID_ARG_SIZE);
    require(need<icd::Sampler>(Handle, CL_INVALID_SAMPLER).In == Of->In, CL_INVALID_SAMPLER);
    A.What = Argument::Sampled;
    A.Handle = Handle;
    break;
  case Formal::Local:
    require(!Value, CL_INVALID_ARG_VALUE);
    require(Bytes, CL_INVALID_ARG_SIZE);
    A.What = Argument::Local;
    A.LocalBytes = Bytes;
    break;
  default: {
    require(Value, CL_INVALID_ARG_VALUE);
    A.What = Argument::Bytes;
    A.Data.assign(static_cast<const std::byte *>(Value), static_cast<const std::byte *>(Value) + Bytes);
    // Vendors know the size of the type. Their compilers may differ in the size of a structure.
    bool Any = false;
    for (size_t I = 0; I != Parts.size(); ++I) {
      Vendors &V = *Parts[I];
      if (!V.K)
        continue;
      std::lock_guard Hold(V.Lock);
      V.Applied[Number] = {};
      if (const cl_int Error = table(V.K).clSetKernelArg(V.K, Number, Bytes, Value); Error < 0) {
        A.Refusal = A.Refusal ? A.Refusal : Error;
        A.RefusedBy |= uint64_t(1) << I;
      } else {
        V.Applied[Number] = A;
        Any = true;
      }
    }
    require(Any, A.Refusal);
  }
  }
  store(Number, std::move(A));
}

void Kernel::setPointer(cl_uint Number, const void *Value) {
  require(Number < Count, CL_INVALID_ARG_INDEX);
  require(Of->In->isSingle() && Of->In->first().Of->has(200), CL_INVALID_OPERATION);
  require(Formals[Number].What == Formal::Object || Formals[Number].What == Formal::Unknown, CL_INVALID_ARG_VALUE);
  Argument A;
  A.What = Argument::Pointer;
  A.Handle = Value;
  store(Number, std::move(A));
}

void Kernel::setExecInfo(cl_kernel_exec_info What, size_t Bytes, const void *Value) {
  const bool IsSet = What == CL_KERNEL_EXEC_INFO_SVM_PTRS;
  if (IsSet && !Bytes) // A set may be empty.
    Value = nullptr;
  else
    require(Value, CL_INVALID_VALUE);
  require(!IsSet || Bytes % sizeof(void *) == 0, CL_INVALID_VALUE);
  require(What != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || Bytes == sizeof(cl_bool), CL_INVALID_VALUE);
  auto All = std::make_shared<ExecInfos>();
  {
    std::lock_guard Hold(Lock);
    if (Infos)
      *All = *Infos;
  }
  const auto *Begin = static_cast<const std::byte *>(Value);
  (*All)[What].assign(Begin, Begin + (Value ? Bytes : 0));
  bool Any = false;
  for (const auto &P : Of->In->Parts) {
    Vendors &V = *Parts[P->Number];
    if (!V.K || !P->Of->has(200) || !table(V.K).clSetKernelExecInfo)
      continue;
    std::lock_guard Hold(V.Lock);
    V.Infos = nullptr;
    check(table(V.K).clSetKernelExecInfo(V.K, What, Bytes, Value));
    Any = true;
  }
  require(Any, CL_INVALID_OPERATION);
  std::lock_guard Hold(Lock);
  Infos = std::move(All);
}

void Kernel::Bound::checkFor(const Part &P) const {
  for (const Argument &A : *Values)
    require(!(A.RefusedBy >> P.Number & 1), A.Refusal);
}

Kernel::Bound Kernel::bind(Touch &For, const Device &On, const Sizes *Launched) {
  Bound B;
  bool Pointers;
  {
    std::lock_guard Hold(Lock);
    B.Values = Values;
    B.Infos = Infos;
    Pointers = Infos != nullptr;
    B.Special = !Launches.empty();
  }
  B.Objects.resize(Count);
  uint64_t &LocalBytes = B.LocalBytes;
  for (cl_uint I = 0; I != Count; ++I) {
    const Argument &A = (*B.Values)[I];
    switch (A.What) {
    case Argument::Unset:
      throw Failure{CL_INVALID_KERNEL_ARGS};
    case Argument::Object: {
      Memory *M = find<Memory>(A.Handle);
      require(M && M->Serial == A.Serial, CL_INVALID_KERNEL_ARGS);
      if (M->isBuffer() && M->Parent && !M->isPlain() && !On.isAuto())
        require(M->origin() % On.limits().Alignment == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
      B.Objects[I] = M;
      break;
    }
    case Argument::Sampled:
      B.Samplers.resize(Count);
      B.Samplers[I] = find<icd::Sampler>(A.Handle);
      require(bool(B.Samplers[I]), CL_INVALID_KERNEL_ARGS);
      break;
    case Argument::Pointer:
      Pointers = true;
      break;
    case Argument::Local:
      LocalBytes += std::min<uint64_t>(A.LocalBytes, UINT32_MAX);
      break;
    default:
      break;
    }
  }
  require(!LocalBytes || On.isAuto() || LocalBytes <= On.limits().LocalBytes, CL_OUT_OF_RESOURCES);
  For.Fence |= Pointers || Of->hasSideEffects();
  touch(For, B, Launched, !Pointers && !B.Special);
  return B;
}

cl_int Kernel::apply(Vendors &V, Part &P, const Bound &B) {
  const cl_icd_dispatch &Cl = table(V.K);
  if (B.Infos && B.Infos != V.Infos && Cl.clSetKernelExecInfo) {
    V.Infos = nullptr;
    for (const auto &[What, Data] : *B.Infos)
      if (cl_int Error = Cl.clSetKernelExecInfo(V.K, What, Data.size(), Data.empty() ? nullptr : Data.data());
          Error < 0)
        return Error;
    V.Infos = B.Infos;
  }
  for (cl_uint I = 0; I != Count; ++I) {
    const Argument &A = (*B.Values)[I];
    const uint64_t Place = A.What == Argument::Object ? B.Objects[I]->placeIn(P) : 0;
    if (V.Applied[I] == A && V.Places[I] == Place && A.What != Argument::Sampled)
      continue;
    V.Applied[I] = {};
    cl_int Error = CL_SUCCESS;
    switch (A.What) {
    case Argument::Bytes:
      Error = Cl.clSetKernelArg(V.K, I, A.Data.size(), A.Data.data());
      break;
    case Argument::Local:
      Error = Cl.clSetKernelArg(V.K, I, A.LocalBytes, nullptr);
      break;
    case Argument::Null:
      Error = Cl.clSetKernelArg(V.K, I, sizeof(cl_mem), nullptr);
      break;
    case Argument::Object: {
      cl_mem M = B.Objects[I]->in(P);
      Error = Cl.clSetKernelArg(V.K, I, sizeof(M), &M);
      break;
    }
    case Argument::Sampled: {
      cl_sampler S = B.Samplers[I]->in(P);
      Error = Cl.clSetKernelArg(V.K, I, sizeof(S), &S);
      break;
    }
    case Argument::Pointer:
      Error = Cl.clSetKernelArgSVMPointer(V.K, I, A.Handle);
      break;
    case Argument::Unset:
      return CL_INVALID_KERNEL_ARGS;
    }
    if (Error < 0)
      return Error;
    V.Applied[I] = A;
    V.Places[I] = Place;
  }
  return CL_SUCCESS;
}

bool Kernel::isOn(const Device &D) const { return std::find(On.begin(), On.end(), &D) != On.end(); }

void Kernel::refusedBy(const Device &D) {
  std::lock_guard Hold(Lock);
  Refusal &R = Refusals[&D];
  R.Until = Accepted + (LeastAbsence << std::min(R.Times++, MostDoublings));
  HasRefusals.store(true, std::memory_order_release);
}

void Kernel::accepted(const Device &D) {
  if (!HasRefusals.load(std::memory_order_acquire))
    return;
  std::lock_guard Hold(Lock);
  ++Accepted;
  if (Refusals.erase(&D) && Refusals.empty())
    HasRefusals.store(false, std::memory_order_release);
}

bool Kernel::isRefusedBy(const Device &D) const {
  if (!HasRefusals.load(std::memory_order_acquire))
    return false;
  std::lock_guard Hold(Lock);
  auto I = Refusals.find(&D);
  return I != Refusals.end() && Accepted < I->second.Until;
}

void Kernel::setLaunch(const Device *D, Launch L) {
  std::lock_guard Hold(Lock);
  Launches[D] = std::move(L);
}

bool Kernel::launchOn(const Device *D, Launch &L) const {
  std::lock_guard Hold(Lock);
  auto I = Launches.find(D);
  if (I == Launches.end())
    return false;
  L = I->second;
  return true;
}

} // namespace hsched::icd
