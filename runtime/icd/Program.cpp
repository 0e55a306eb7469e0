// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Program.h"

#include <algorithm>

namespace hsched::icd {
namespace {

constexpr char BundleMark[8] = {'h', 's', 'c', 'h', 'e', 'd', '0', '1'};

// A binary for "hsched auto" holds one for each of its devices: the length in 8 bytes, then the binary.
void append(std::vector<unsigned char> &To, const std::vector<unsigned char> &Binary) {
  uint64_t N = Binary.size();
  const auto *Length = reinterpret_cast<const unsigned char *>(&N);
  To.insert(To.end(), Length, Length + sizeof(N));
  To.insert(To.end(), Binary.begin(), Binary.end());
}

std::vector<std::pair<const unsigned char *, size_t>> unbundle(const unsigned char *Data, size_t Bytes,
                                                               size_t Devices) {
  std::vector<std::pair<const unsigned char *, size_t>> All;
  require(Bytes >= sizeof(BundleMark) && !std::memcmp(Data, BundleMark, sizeof(BundleMark)), CL_INVALID_BINARY);
  size_t At = sizeof(BundleMark);
  for (size_t I = 0; I != Devices; ++I) {
    uint64_t N;
    require(Bytes - At >= sizeof(N), CL_INVALID_BINARY);
    std::memcpy(&N, Data + At, sizeof(N));
    At += sizeof(N);
    require(N <= Bytes - At, CL_INVALID_BINARY);
    All.emplace_back(Data + At, N);
    At += N;
  }
  return All;
}

std::vector<Device *> vendorsOf(const Ref<Device> &D) {
  return D->isAuto() ? D->RealDevices : std::vector<Device *>{D.get()};
}

} // namespace

Program::Program(Ref<Context> Of, std::vector<Ref<Device>> For)
    : Object(Tag), In(std::move(Of)), Devices(std::move(For)), Vendors(In->Parts.size()) {}

Program::~Program() {
  for (cl_program P : Vendors)
    if (P)
      table(P).clReleaseProgram(P);
}

namespace {
struct Give {
  void operator()(Program *P) const { P->releaseUser(); }
};
using Owned = std::unique_ptr<Program, Give>;
} // namespace

Program *Program::fromSource(Ref<Context> In, std::string Source) {
  Owned P(new Program(In, In->Devices));
  const char *Text = Source.c_str();
  size_t Bytes = Source.size();
  for (const auto &Part : In->Parts) {
    cl_int Error = CL_SUCCESS;
    P->Vendors[Part->Number] = Part->cl().clCreateProgramWithSource(Part->Id, 1, &Text, &Bytes, &Error);
    check(Error);
  }
  P->SideEffects = false; // Until it is built.
  P->Source = std::move(Source);
  P->FromSource = true;
  return P.release();
}

static bool takesIl(const std::vector<Device *> &Devices) {
  return std::any_of(Devices.begin(), Devices.end(),
                     [](const Device *D) { return !D->text(CL_DEVICE_IL_VERSION).empty(); });
}

// The vendor's function: of OpenCL 2.1, or of the extension cl_khr_il_program. Null: it has none.
static decltype(cl_icd_dispatch::clCreateProgramWithIL) ilFunction(const Part &P) {
  if (P.Of->has(210))
    return P.cl().clCreateProgramWithIL;
  if (!takesIl(P.Devices) || !P.cl().clGetExtensionFunctionAddressForPlatform)
    return nullptr;
  return reinterpret_cast<decltype(cl_icd_dispatch::clCreateProgramWithIL)>(
      P.cl().clGetExtensionFunctionAddressForPlatform(P.Of->Id, "clCreateProgramWithILKHR"));
}

Program *Program::fromIl(Ref<Context> In, const void *Il, size_t Bytes) {
  require(takesIl(In->vendorDevices()), CL_INVALID_OPERATION);
  require(Il && Bytes, CL_INVALID_VALUE);
  std::vector<cl_program> Made(In->Parts.size());
  cl_int Error = CL_INVALID_OPERATION;
  for (const auto &Part : In->Parts)
    if (const auto Make = ilFunction(*Part)) {
      cl_int Its = CL_SUCCESS;
      Made[Part->Number] = Make(Part->Id, Il, Bytes, &Its);
      if (Its < 0)
        Error = Its;
    }
  // The program is for the devices whose vendors have taken the IL, as one from binaries is.
  std::vector<Ref<Device>> For;
  for (const auto &D : In->Devices) {
    const auto Of = vendorsOf(D);
    if (std::any_of(Of.begin(), Of.end(), [&](const Device *V) { return Made[In->partOf(V)->Number]; }))
      For.push_back(D);
  }
  require(!For.empty(), Error);
  Owned P(new Program(In, std::move(For)));
  P->Vendors = std::move(Made);
  P->Il.assign(static_cast<const unsigned char *>(Il), static_cast<const unsigned char *>(Il) + Bytes);
  return P.release();
}

Program *Program::fromBuiltIn(Ref<Context> In, const std::vector<Ref<Device>> &For, const char *Names) {
  Owned P(new Program(In, For));
  for (const auto &Part : In->Parts) {
    std::vector<cl_device_id> Ids;
    for (const auto &D : For)
      for (Device *V : vendorsOf(D))
        if (In->partOf(V) == Part.get() && std::find(Ids.begin(), Ids.end(), V->Id) == Ids.end())
          Ids.push_back(V->Id);
    if (Ids.empty())
      continue;
    require(Part->cl().clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE); // It has no such kernels.
    cl_int Error = CL_SUCCESS;
    P->Vendors[Part->Number] = Part->cl().clCreateProgramWithBuiltInKernels(Part->Id, static_cast<cl_uint>(Ids.size()),
                                                                            Ids.data(), Names, &Error);
    check(Error);
  }
  return P.release();
}

Program *Program::fromBinaries(Ref<Context> In, std::vector<Binary> &Binaries) {
  std::vector<Ref<Device>> For;
  // A vendor's part of the input, and the device whose status it sets.
  struct Piece {
    cl_device_id Id;
    const unsigned char *Data;
    size_t Bytes;
    Binary *Of;
  };
  std::vector<std::vector<Piece>> Pieces(In->Parts.size());
  auto Add = [&](Device *D, const Piece &X) { // A device behind "hsched auto" may also be named itself.
    auto &List = Pieces[In->partOf(D)->Number];
    if (std::none_of(List.begin(), List.end(), [&](const Piece &Y) { return Y.Id == X.Id; }))
      List.push_back(X);
  };
  for (Binary &B : Binaries) {
    For.emplace_back(B.For);
    B.Status = CL_SUCCESS;
    if (!B.Data || !B.Bytes) {
      B.Status = CL_INVALID_VALUE;
      continue;
    }
    if (!B.For->isAuto()) {
      Add(B.For, {B.For->Id, B.Data, B.Bytes, &B});
      continue;
    }
    cl_int Error = guarded([&] {
      auto All = unbundle(B.Data, B.Bytes, B.For->RealDevices.size());
      for (size_t I = 0; I != All.size(); ++I)
        if (All[I].second)
          Add(B.For->RealDevices[I], {B.For->RealDevices[I]->Id, All[I].first, All[I].second, &B});
    });
    if (Error)
      B.Status = Error;
  }
  cl_int Error = CL_SUCCESS;
  for (const Binary &B : Binaries)
    if (B.Status < 0)
      Error = B.Status;
  check(Error);
  Owned P(new Program(In, std::move(For)));
  for (const auto &Part : In->Parts) {
    auto &Its = Pieces[Part->Number];
    if (Its.empty())
      continue;
    std::vector<cl_device_id> Ids;
    std::vector<size_t> Lengths;
    std::vector<const unsigned char *> Data;
    for (const Piece &X : Its) {
      Ids.push_back(X.Id);
      Lengths.push_back(X.Bytes);
      Data.push_back(X.Data);
    }
    std::vector<cl_int> Status(Ids.size());
    cl_int Code = CL_SUCCESS;
    P->Vendors[Part->Number] = Part->cl().clCreateProgramWithBinary(
        Part->Id, static_cast<cl_uint>(Ids.size()), Ids.data(), Lengths.data(), Data.data(), Status.data(), &Code);
    for (size_t I = 0; I != Its.size(); ++I)
      if (Status[I] < 0)
        Its[I].Of->Status = Status[I];
    if (Code < 0)
      Error = Code;
  }
  check(Error);
  return P.release();
}

Program *Program::link(Ref<Context> In, const std::vector<Ref<Device>> &For, const char *Options,
                       const std::vector<Ref<Program>> &Inputs, Notify Notified, void *UserData, cl_int &Error) {
  Owned P(new Program(In, For.empty() ? In->Devices : For));
  P->Options = Options ? Options : "";
  Program *Its = P.get();
  Error = P->each(P->Devices, [&](const Part &In, const std::vector<cl_device_id> &Ids) {
    std::vector<cl_program> All;
    for (const auto &I : Inputs)
      if (I->in(In))
        All.push_back(I->in(In));
    cl_int Code = CL_SUCCESS;
    Its->Vendors[In.Number] =
        In.cl().clLinkProgram(In.Id, static_cast<cl_uint>(Ids.size()), Ids.data(), Options,
                              static_cast<cl_uint>(All.size()), All.data(), nullptr, nullptr, &Code);
    return Code;
  });
  P->HasArgumentInfo = std::all_of(Inputs.begin(), Inputs.end(), [](const auto &I) { return I->hasArgumentInfo(); });
  P->SideEffects = std::any_of(Inputs.begin(), Inputs.end(), [](const auto &I) { return I->SideEffects; });
  if (std::all_of(P->Vendors.begin(), P->Vendors.end(), [](cl_program V) { return !V; })) {
    check(Error);
    throw Failure{CL_LINK_PROGRAM_FAILURE};
  }
  if (Notified)
    Notified(P->handle<cl_program>(), UserData);
  return P.release();
}

bool Program::isFor(const Device *D) const {
  return std::any_of(Devices.begin(), Devices.end(), [&](const auto &Own) { return Own.get() == D; });
}

bool Program::isBuiltFor(const Device &D) const {
  const Part *P = In->partOf(&D);
  cl_program V = P ? Vendors[P->Number] : nullptr;
  if (!V)
    return false;
  cl_build_status Status = CL_BUILD_NONE;
  return table(V).clGetProgramBuildInfo(V, D.Id, CL_PROGRAM_BUILD_STATUS, sizeof(Status), &Status, nullptr) ==
             CL_SUCCESS &&
         Status == CL_BUILD_SUCCESS;
}

const Device &Program::answering(const Device &D) const {
  if (!D.isAuto())
    return D;
  for (Device *V : D.RealDevices)
    if (isBuiltFor(*V))
      return *V;
  return *D.RealDevices.front();
}

void Program::buildInfo(const Device &D, cl_program_build_info What, const Answer &To) {
  require(isFor(&D), CL_INVALID_DEVICE);
  if (What == CL_PROGRAM_BUILD_OPTIONS) {
    std::lock_guard Hold(Lock);
    return To.text(Options);
  }
  // The vendor may not have begun.
  if (What == CL_PROGRAM_BUILD_STATUS && Builds.load(std::memory_order_acquire))
    return To.value(cl_build_status(CL_BUILD_IN_PROGRESS));
  const Device &V = answering(D);
  cl_program P = Vendors[In->partOf(&V)->Number];
  require(P, CL_INVALID_DEVICE);
  check(table(P).clGetProgramBuildInfo(P, V.Id, What, To.Size, To.To, To.Needed));
}

std::vector<unsigned char> Program::binaryOf(const Device &D) const {
  if (D.isAuto()) {
    std::vector<unsigned char> All(BundleMark, BundleMark + sizeof(BundleMark));
    for (Device *V : D.RealDevices)
      append(All, binaryOf(*V));
    return All;
  }
  const Part *Of = In->partOf(&D);
  cl_program P = Of ? Vendors[Of->Number] : nullptr;
  if (!P)
    return {};
  cl_uint N = 0;
  check(table(P).clGetProgramInfo(P, CL_PROGRAM_NUM_DEVICES, sizeof(N), &N, nullptr));
  std::vector<cl_device_id> Ids(N);
  std::vector<size_t> Sizes(N);
  check(table(P).clGetProgramInfo(P, CL_PROGRAM_DEVICES, N * sizeof(Ids[0]), Ids.data(), nullptr));
  check(table(P).clGetProgramInfo(P, CL_PROGRAM_BINARY_SIZES, N * sizeof(Sizes[0]), Sizes.data(), nullptr));
  std::vector<std::vector<unsigned char>> Data(N);
  std::vector<unsigned char *> Pointers(N);
  for (cl_uint I = 0; I != N; ++I) {
    Data[I].resize(Sizes[I]);
    Pointers[I] = Sizes[I] ? Data[I].data() : nullptr;
  }
  check(table(P).clGetProgramInfo(P, CL_PROGRAM_BINARIES, N * sizeof(Pointers[0]), Pointers.data(), nullptr));
  for (cl_uint I = 0; I != N; ++I)
    if (Ids[I] == D.Id)
      return std::move(Data[I]);
  return {};
}

void Program::info(cl_program_info What, const Answer &To) {
  switch (What) {
  case CL_PROGRAM_REFERENCE_COUNT:
    return To.value(userRefs());
  case CL_PROGRAM_CONTEXT:
    return To.value(In->handle<cl_context>());
  case CL_PROGRAM_NUM_DEVICES:
    return To.value(static_cast<cl_uint>(Devices.size()));
  case CL_PROGRAM_DEVICES: {
    std::vector<cl_device_id> Ids;
    for (const auto &D : Devices)
      Ids.push_back(D->handle<cl_device_id>());
    return To.list(Ids);
  }
  case CL_PROGRAM_SOURCE:
    return To.text(Source);
  case CL_PROGRAM_IL:
    return To.list(Il);
  case CL_PROGRAM_BINARY_SIZES: {
    std::vector<size_t> Sizes;
    for (const auto &D : Devices)
      Sizes.push_back(binaryOf(*D).size());
    return To.list(Sizes);
  }
  case CL_PROGRAM_BINARIES: {
    size_t Bytes = Devices.size() * sizeof(unsigned char *);
    require(!To.To || To.Size >= Bytes, CL_INVALID_VALUE);
    if (To.To)
      for (size_t I = 0; I != Devices.size(); ++I)
        if (unsigned char *Into = static_cast<unsigned char **>(To.To)[I]) {
          auto Binary = binaryOf(*Devices[I]);
          std::copy(Binary.begin(), Binary.end(), Into);
        }
    if (To.Needed)
      *To.Needed = Bytes;
    return;
  }
  default:
    break;
  }
  // Equal for all vendors: the first vendor with a result decides.
  cl_int Error = CL_INVALID_PROGRAM_EXECUTABLE;
  for (cl_program P : Vendors)
    if (P && (Error = table(P).clGetProgramInfo(P, What, To.Size, To.To, To.Needed)) == CL_SUCCESS)
      return;
  check(Error);
}

void Program::specialize(cl_uint Id, size_t Bytes, const void *Value) {
  require(takesIl(In->vendorDevices()), CL_INVALID_OPERATION);
  require(!Il.empty(), CL_INVALID_PROGRAM);
  for (const auto &P : In->Parts)
    if (cl_program V = Vendors[P->Number]) {
      require(P->Of->has(220) && table(V).clSetProgramSpecializationConstant, CL_INVALID_OPERATION);
      check(table(V).clSetProgramSpecializationConstant(V, Id, Bytes, Value));
    }
}

} // namespace hsched::icd
