// A unit with every field filled, shared by the tests of metadata.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_COMPILER_METADATA_SAMPLE_H
#define HSCHED_TEST_COMPILER_METADATA_SAMPLE_H

#include "model/Unit.h"

namespace hsched::cc {

inline UnitData sampleUnit() {
  UnitData U;
  U.Source = "app.cpp";
  UnitTask T;
  T.Name = "blas::gemm";
  T.LinkerName = "_ZN4blas4gemmEiiiPKfS1_Pf";
  T.File = "blas.h";
  T.Line = 12;
  T.Params = {{"M", "int"},           {"N", "int"},           {"K", "int"},
              {"A", "const float *"}, {"B", "const float *"}, {"", "float *"}};
  T.Accesses = {{UnitRole::In, 3, "[M][K]A", "(M) * (K) * sizeof(float)"},
                {UnitRole::Out, 4, "B[0:K*N]", "(K*N) * sizeof(float)"},
                {UnitRole::InOut, -1, "Total", "sizeof(Total)"}};
  T.Priority = "M > 64 ? 1 : 0";
  T.Label = "\"gemm\"";
  U.Tasks = {T};

  UnitVersion Main{T.Name, T.LinkerName, T.LinkerName, "cpu", "any", T.File, T.Line, {}, {}};
  UnitVersion Device{"gemm_cl", "_Z7gemm_cl", T.LinkerName, "opencl", "gpu", "app.cpp", 40, 0, {T.Accesses.front()}};
  U.Versions = {Main, Device};

  UnitKernel K;
  K.Name = "matmul";
  K.Src = "gemm.cl";
  K.WorkDimension = 2;
  K.GlobalWorkSize = {"M", "N"};
  K.LocalWorkSize = {"16", "16"};
  K.InputBuffers = {{"float", 0, "M*K"}};
  K.OutputBuffers = {{"float", 2, "M*N"}};
  K.IoBuffers = {{"float4", 1, "K*N/4"}};
  K.VarArguments = {{"int", 3, "M"}, {"local", 4, "256 * sizeof(float)"}};
  U.Kernels = {K};

  U.Taskwaits = {{"app.cpp", 50, {}, false}, {"app.cpp", 60, {"[n]x"}, true}};
  return U;
}

} // namespace hsched::cc
#endif
