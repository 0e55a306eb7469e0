// Kernels as JSON: the report of hsched-kinfo.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/KernelReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <functional>

namespace hsched::cc {
namespace {

using llvm::json::OStream;

std::string nameOf(const KernelParam &P, unsigned Pos) { return P.Name.empty() ? "arg" + std::to_string(Pos) : P.Name; }

// The role for all elements from the pointer on, as counted by a size.
llvm::StringRef roleFromStart(const KernelParam &P) {
  const llvm::StringRef Role = roleOf(P);
  if (Role == "unused") // It is still passed to the kernel.
    return "in";
  return Role == "out" && !P.OverwrittenWhole ? "inout" : Role;
}

unsigned dimensionsOf(const KernelInfo &K) { return std::max(1u, K.WorkDim); }

// One string, "[M,N,1]", in PySchedCL's format.
std::string listOf(const std::array<std::string, 3> &Items) {
  return "[" + Items[0] + "," + Items[1] + "," + Items[2] + "]";
}

std::string sizesOf(const std::array<std::uint64_t, 3> &Items) {
  if (!Items[0])
    return "[]";
  return listOf({std::to_string(Items[0]), std::to_string(Items[1]), std::to_string(Items[2])});
}

// Names of sizes that the kernel does not determine.
struct Names {
  std::function<std::string(unsigned)> Global = [](unsigned Dim) {
    return "get_global_size(" + std::to_string(Dim) + ")";
  };
  std::function<std::string(std::string)> Expression = [](std::string Text) { return Text; };
};

std::array<std::string, 3> globalSizes(const KernelInfo &K, const Names &Called) {
  std::array<std::string, 3> Out = {"1", "1", "1"};
  for (unsigned D = 0; D != dimensionsOf(K); ++D)
    Out[D] = K.GlobalSize[D].empty() ? Called.Global(D) : Called.Expression(K.GlobalSize[D]);
  return Out;
}

class Writer {
public:
  Writer(OStream &J, Names Called) : J(J), Called(std::move(Called)) {}

  void text(llvm::StringRef Key, const std::string &Value) { J.attribute(Key, llvm::json::fixUTF8(Value)); }

  // The fields that metadata, report and specification share.
  void launch(const KernelInfo &K) {
    J.attribute("workDimension", dimensionsOf(K));
    text("globalWorkSize", listOf(globalSizes(K, Called)));
    J.attribute("localWorkSize", sizesOf(K.ReqdWorkGroup));
  }

  void buffers(const KernelInfo &K) {
    for (auto [Key, Role] : {std::pair("inputBuffers", "in"), {"outputBuffers", "out"}, {"ioBuffers", "inout"}})
      J.attributeArray(Key, [&, Role = llvm::StringRef(Role)] {
        for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos) {
          const KernelParam &P = K.Params[Pos];
          if (P.isBuffer() && roleFromStart(P) == Role)
            J.object([&] {
              text("type", P.Element);
              J.attribute("pos", Pos);
              text("size", P.Elements.empty() ? "size_" + nameOf(P, Pos) : Called.Expression(P.Elements));
            });
        }
      });
  }

  void variables(const KernelInfo &K, bool WithLocal) {
    J.attributeArray("varArguments", [&] {
      for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos) {
        const KernelParam &P = K.Params[Pos];
        const bool Local = P.Where == KernelParam::Local;
        if (P.isBuffer() || (Local && !WithLocal))
          continue;
        J.object([&] {
          text("type", Local ? "local" : P.Element);
          J.attribute("pos", Pos);
          text("value", (Local ? "bytes_" : "") + nameOf(P, Pos));
        });
      }
    });
  }

  void argument(const KernelParam &P, unsigned Pos) {
    text("name", P.Name);
    J.attribute("pos", Pos);
    text("type", P.Spelling);
    J.attribute("kind", P.Pointer ? "pointer" : P.Image ? "image" : P.Sampler ? "sampler" : P.Pipe ? "pipe" : "value");
    if (P.Pointer)
      J.attribute("addressSpace", llvm::StringRef(toString(P.Where)).ltrim('_'));
    text("element", P.Element);
    if (P.ElementBytes)
      J.attribute("elementBytes", P.ElementBytes);
    if (P.Structure)
      J.attribute("structure", *P.Structure);
    if (*roleOf(P))
      J.attribute("role", roleOf(P));
    if (!P.isBuffer())
      return;
    J.attribute("reads", P.Read);
    J.attribute("splits", P.Splits);
    if (!P.Elements.empty())
      text("elements", P.Elements);
    if (!P.Section.empty())
      text("section", P.Section);
    if (!P.OnlyWhere.empty())
      J.attributeArray("onlyWhere", [&] {
        for (const std::string &Each : P.OnlyWhere)
          J.value(llvm::json::fixUTF8(Each));
      });
    if (!P.Why.empty())
      J.attributeObject("unknown", [&] {
        text("why", P.Why);
        J.attribute("line", P.WhyLine);
      });
  }

  void structure(const KernelStructure &S) {
    text("name", S.Name);
    J.attribute("union", S.Union);
    J.attribute("packed", S.Packed);
    text("file", S.File);
    J.attribute("line", S.Line);
    J.attribute("bytes", S.Bytes);
    J.attribute("alignment", S.Alignment);
    J.attributeArray("members", [&] {
      for (const KernelMember &M : S.Members)
        J.object([&] {
          text("name", M.Name);
          text("type", M.Element);
          if (!M.Sizes.empty())
            J.attributeArray("array", [&] {
              for (std::uint64_t N : M.Sizes)
                J.value(N);
            });
          J.attribute("offset", M.Offset);
          J.attribute("bytes", M.Bytes);
          if (M.Structure)
            J.attribute("structure", *M.Structure);
        });
    });
  }

  void facts(const KernelInfo &K) {
    J.attribute("mayBeLarger", K.MayBeLarger);
    if (K.HoldsWhere)
      J.attributeArray("holdsWhere", [&] {
        for (const std::string &Each : *K.HoldsWhere)
          J.value(llvm::json::fixUTF8(Each));
      });
    J.attributeArray("arguments", [&] {
      for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos)
        J.object([&] { argument(K.Params[Pos], Pos); });
    });
    if (!K.Structures.empty())
      J.attributeArray("structures", [&] {
        for (const KernelStructure &S : K.Structures)
          J.object([&] { structure(S); });
      });
    J.attribute("workGroupSizeHint", sizesOf(K.WorkGroupHint));
    if (!K.VecTypeHint.empty())
      text("vecTypeHint", K.VecTypeHint);
    if (K.SubGroupSize)
      J.attribute("subGroupSize", K.SubGroupSize);
    J.attributeObject("localMemory", [&] {
      J.attribute("bytes", K.LocalBytes);
      J.attributeArray("arguments", [&] {
        for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos)
          if (K.Params[Pos].Where == KernelParam::Local)
            J.value(Pos);
      });
    });
    J.attributeArray("uses", [&] {
      for (KernelFeature F : K.Features)
        J.value(toString(F));
    });
    J.attributeArray("extensions", [&] {
      for (const std::string &E : K.Extensions)
        J.value(llvm::json::fixUTF8(E));
    });
  }

private:
  OStream &J;
  const Names Called;
};

std::string print(const std::function<void(OStream &)> &Write) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  OStream J(OS, 2);
  Write(J);
  OS << '\n';
  OS.flush();
  return Out;
}

} // namespace

std::string kernelJson(const std::vector<KernelFile> &Files) {
  return print([&](OStream &J) {
    Writer W(J, Names());
    J.object([&] {
      J.attribute("schema", KernelReportSchema);
      J.attributeArray("files", [&] {
        for (const KernelFile &File : Files)
          J.object([&] {
            W.text("src", File.Path);
            W.text("standard", File.Standard);
            J.attributeArray("kernels", [&] {
              for (const KernelInfo &K : File.Kernels)
                J.object([&] {
                  W.text("name", K.Name);
                  W.text("src", File.Path);
                  W.text("file", K.File);
                  J.attribute("line", K.Line);
                  W.launch(K);
                  W.buffers(K);
                  W.variables(K, /*WithLocal=*/true);
                  W.facts(K);
                });
            });
          });
      });
    });
  });
}

} // namespace hsched::cc
