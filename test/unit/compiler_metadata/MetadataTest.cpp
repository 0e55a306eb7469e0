// The text of metadata: values in their places, form stable, odd bytes harmless. Its schema is validate.py's matter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Metadata.h"
#include "Sample.h"

#include "hsched/abi.h"

#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

llvm::json::Value parsed(const std::string &Text) {
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
  if (!V) {
    ADD_FAILURE() << llvm::toString(V.takeError()) << " in " << Text;
    return nullptr;
  }
  return *V;
}

TEST(Metadata, CarriesVersionsOfFormAndAbi) {
  const llvm::json::Value V = parsed(toJson(sampleUnit()));
  const llvm::json::Object &O = *V.getAsObject();
  EXPECT_EQ(O.getInteger("schema"), MetadataSchema);
  EXPECT_EQ(O.getObject("abi")->getInteger("major"), HSCHED_ABI_MAJOR);
  EXPECT_EQ(O.getObject("abi")->getInteger("minor"), HSCHED_ABI_MINOR);
}

TEST(Metadata, KernelsSpeakPySchedCL) {
  const llvm::json::Value V = parsed(toJson(sampleUnit()));
  const llvm::json::Value Expected = parsed(R"js({
    "name": "matmul", "src": "gemm.cl", "workDimension": 2,
    "globalWorkSize": "[M,N,1]", "localWorkSize": "[16,16,1]",
    "inputBuffers": [{"type": "float", "pos": 0, "size": "M*K"}],
    "outputBuffers": [{"type": "float", "pos": 2, "size": "M*N"}],
    "ioBuffers": [{"type": "float4", "pos": 1, "size": "K*N/4"}],
    "varArguments": [{"type": "int", "pos": 3, "value": "M"},
                     {"type": "local", "pos": 4, "value": "256 * sizeof(float)"
}]
})js");
  EXPECT_EQ((*V.getAsObject()->getArray("kernels"))[0], Expected);
}

TEST(Metadata, LocalSizesMayBeLeftToTheRuntime) {
  UnitData U = sampleUnit();
  U.Kernels[0].LocalWorkSize.clear();
  const llvm::json::Value V = parsed(toJson(U));
  EXPECT_EQ((*V.getAsObject()->getArray("kernels"))[0].getAsObject()->getString("localWorkSize"), "[]");
}

TEST(Metadata, AccessesAndVersions) {
  const llvm::json::Value V = parsed(toJson(sampleUnit()));
  const llvm::json::Object &Task = *(*V.getAsObject()->getArray("tasks"))[0].getAsObject();
  const llvm::json::Value Accesses = parsed(R"js([
    {"role": "in", "param": 3, "section": "[M][K]A", "bytes": "(M) * (K) * sizeof(float)"
},
    {"role": "out", "param": 4, "section": "B[0:K*N]", "bytes": "(K*N) * sizeof(float)"},
    {"role": "inout", "section": "Total", "bytes": "sizeof(Total)"}])js");
  EXPECT_EQ(*Task.get("accesses"), Accesses);
  EXPECT_EQ(Task.getString("priority"), "M > 64 ? 1 : 0");
  EXPECT_EQ(Task.getString("label"), "\"gemm\"");

  const llvm::json::Array &Versions = *V.getAsObject()->getArray("versions");
  EXPECT_EQ(Versions[0].getAsObject()->getString("function"), "blas::gemm");
  EXPECT_EQ(Versions[0].getAsObject()->getInteger("kernel"), std::nullopt);
  EXPECT_EQ(Versions[1].getAsObject()->getInteger("kernel"), 0);
  EXPECT_EQ(*Versions[1].getAsObject()->get("device"), parsed(R"({"kind": "opencl", "type": "gpu"})"));
}

TEST(Metadata, OneLineOrIndentedIsTheSameValue) {
  const std::string Flat = toJson(sampleUnit()), Indented = toJson(sampleUnit(), 2);
  EXPECT_EQ(Flat.find('\n'), std::string::npos);
  EXPECT_NE(Indented.find("\n  \"tasks\""), std::string::npos);
  EXPECT_EQ(parsed(Flat), parsed(Indented));
  EXPECT_EQ(Flat, toJson(sampleUnit()));
}

TEST(Metadata, OddBytesDoNoHarm) {
  UnitData U;
  U.Source = "a\"b\\c\n\xff.cpp";
  const llvm::json::Value V = parsed(toJson(U));
  EXPECT_EQ(V.getAsObject()->getString("source"), "a\"b\\c\n\xef\xbf\xbd.cpp");
}

} // namespace
