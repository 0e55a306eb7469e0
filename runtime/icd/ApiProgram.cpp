// Programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"

#include <algorithm>

namespace hsched::icd {
namespace {

cl_program CL_API_CALL createProgramWithSource(cl_context C, cl_uint N, const char **Texts, const size_t *Lengths,
                                               cl_int *Error) {
  return guardedMake<cl_program>(Error, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(N && Texts, CL_INVALID_VALUE);
    std::string Source;
    for (cl_uint I = 0; I != N; ++I) {
      require(Texts[I], CL_INVALID_VALUE);
      Source += Lengths && Lengths[I] ? std::string(Texts[I], strnlen(Texts[I], Lengths[I])) : std::string(Texts[I]);
    }
    return Program::fromSource(&In, std::move(Source))->handle<cl_program>();
  });
}

// The named devices, which must be in the context.
std::vector<Ref<Device>> devicesIn(const Context &In, cl_uint N, const cl_device_id *List) {
  auto All = deviceList(N, List);
  for (const auto &D : All)
    require(In.has(D.get()), CL_INVALID_DEVICE);
  return All;
}

cl_program CL_API_CALL createProgramWithBinary(cl_context C, cl_uint N, const cl_device_id *List, const size_t *Lengths,
                                               const unsigned char **Data, cl_int *Status, cl_int *Error) {
  return guardedMake<cl_program>(Error, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    auto Devices = devicesIn(In, N, List);
    require(Lengths && Data, CL_INVALID_VALUE);
    std::vector<Program::Binary> All;
    for (cl_uint I = 0; I != N; ++I)
      All.push_back({Devices[I].get(), Data[I], Lengths[I], CL_SUCCESS});
    auto Report = [&] {
      for (cl_uint I = 0; Status && I != N; ++I)
        Status[I] = All[I].Status;
    };
    try {
      Program *P = Program::fromBinaries(&In, All);
      Report();
      return P->handle<cl_program>();
    } catch (...) {
      Report();
      throw;
    }
  });
}

cl_program CL_API_CALL createProgramWithBuiltInKernels(cl_context C, cl_uint N, const cl_device_id *List,
                                                       const char *Names, cl_int *Error) {
  return guardedMake<cl_program>(Error, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    auto Devices = devicesIn(In, N, List);
    require(Names, CL_INVALID_VALUE);
    return Program::fromBuiltIn(&In, Devices, Names)->handle<cl_program>();
  });
}

cl_program CL_API_CALL createProgramWithIl(cl_context C, const void *Il, size_t Bytes, cl_int *Error) {
  return guardedMake<cl_program>(
      Error, [&] { return Program::fromIl(&need<Context>(C, CL_INVALID_CONTEXT), Il, Bytes)->handle<cl_program>(); });
}

cl_int CL_API_CALL retainProgram(cl_program P) {
  return guarded([&] { need<Program>(P, CL_INVALID_PROGRAM).retainUser(); });
}
cl_int CL_API_CALL releaseProgram(cl_program P) {
  return guarded([&] { need<Program>(P, CL_INVALID_PROGRAM).releaseUser(); });
}

std::vector<Ref<Device>> devicesOf(const Program &P, cl_uint N, const cl_device_id *List) {
  if (!N && !List)
    return {};
  auto All = deviceList(N, List);
  for (const auto &D : All)
    require(P.isFor(D.get()), CL_INVALID_DEVICE);
  return All;
}

cl_int CL_API_CALL buildProgram(cl_program P, cl_uint N, const cl_device_id *List, const char *Options,
                                Program::Notify Notified, void *UserData) {
  return guarded([&] {
    Program &Its = need<Program>(P, CL_INVALID_PROGRAM);
    require(Notified || !UserData, CL_INVALID_VALUE);
    Its.build(devicesOf(Its, N, List), Options, Notified, UserData);
  });
}

cl_int CL_API_CALL compileProgram(cl_program P, cl_uint N, const cl_device_id *List, const char *Options,
                                  cl_uint HeaderCount, const cl_program *Headers, const char **Names,
                                  Program::Notify Notified, void *UserData) {
  return guarded([&] {
    Program &Its = need<Program>(P, CL_INVALID_PROGRAM);
    require(Notified || !UserData, CL_INVALID_VALUE);
    require(!HeaderCount == !Headers && !HeaderCount == !Names, CL_INVALID_VALUE);
    std::vector<Program::Header> All;
    for (cl_uint I = 0; I != HeaderCount; ++I) {
      require(Names[I], CL_INVALID_VALUE);
      All.push_back({&need<Program>(Headers[I], CL_INVALID_PROGRAM), Names[I]});
      require(All.back().Text->In == Its.In, CL_INVALID_PROGRAM);
    }
    Its.compile(devicesOf(Its, N, List), Options, All, Notified, UserData);
  });
}

cl_program CL_API_CALL linkProgram(cl_context C, cl_uint N, const cl_device_id *List, const char *Options,
                                   cl_uint InputCount, const cl_program *Inputs, Program::Notify Notified,
                                   void *UserData, cl_int *Error) {
  cl_int Linked = CL_SUCCESS, Refused = CL_SUCCESS;
  auto Made = guardedMake<cl_program>(&Refused, [&] {
    Context &In = need<Context>(C, CL_INVALID_CONTEXT);
    require(Notified || !UserData, CL_INVALID_VALUE);
    require(InputCount && Inputs, CL_INVALID_VALUE);
    require(!N == !List, CL_INVALID_VALUE);
    std::vector<Ref<Program>> All;
    for (cl_uint I = 0; I != InputCount; ++I) {
      All.emplace_back(&need<Program>(Inputs[I], CL_INVALID_PROGRAM));
      require(All.back()->In.get() == &In, CL_INVALID_PROGRAM);
      require(All.back()->hasCode(), CL_INVALID_OPERATION);
    }
    return Program::link(&In, N ? devicesIn(In, N, List) : std::vector<Ref<Device>>{}, Options, All, Notified, UserData,
                         Linked)
        ->handle<cl_program>();
  });
  if (Error)
    *Error = Refused < 0 ? Refused : Linked;
  return Made;
}

cl_int CL_API_CALL getProgramInfo(cl_program P, cl_program_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Program>(P, CL_INVALID_PROGRAM).info(What, {Bytes, To, Needed}); });
}
cl_int CL_API_CALL getProgramBuildInfo(cl_program P, cl_device_id D, cl_program_build_info What, size_t Bytes, void *To,
                                       size_t *Needed) {
  return guarded([&] {
    Program &Its = need<Program>(P, CL_INVALID_PROGRAM);
    Its.buildInfo(need<Device>(D, CL_INVALID_DEVICE), What, {Bytes, To, Needed});
  });
}
cl_int CL_API_CALL setProgramReleaseCallback(cl_program P, Program::Notify Notified, void *) {
  return guarded([&] {
    (void)need<Program>(P, CL_INVALID_PROGRAM);
    require(Notified, CL_INVALID_VALUE);
    throw Failure{CL_INVALID_OPERATION}; // Destructors of program-scope variables are not supported.
  });
}
cl_int CL_API_CALL setProgramSpecializationConstant(cl_program P, cl_uint Id, size_t Bytes, const void *Value) {
  return guarded([&] { need<Program>(P, CL_INVALID_PROGRAM).specialize(Id, Bytes, Value); });
}

} // namespace

void addPrograms(cl_icd_dispatch &T) {
  T.clCreateProgramWithSource = createProgramWithSource;
  T.clCreateProgramWithBinary = createProgramWithBinary;
  T.clCreateProgramWithBuiltInKernels = createProgramWithBuiltInKernels;
  T.clCreateProgramWithIL = createProgramWithIl;
  T.clRetainProgram = retainProgram;
  T.clReleaseProgram = releaseProgram;
  T.clBuildProgram = buildProgram;
  T.clCompileProgram = compileProgram;
  T.clLinkProgram = linkProgram;
  T.clGetProgramInfo = getProgramInfo;
  T.clGetProgramBuildInfo = getProgramBuildInfo;
  T.clSetProgramReleaseCallback = setProgramReleaseCallback;
  T.clSetProgramSpecializationConstant = setProgramSpecializationConstant;
}

} // namespace hsched::icd
