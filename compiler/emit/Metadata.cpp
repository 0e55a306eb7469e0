// A translation unit's metadata as JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Metadata.h"

#include "hsched/abi.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace hsched::cc {
namespace {

class Writer {
public:
  Writer(llvm::raw_ostream &OS, unsigned Indent) : J(OS, Indent) {}

  void write(const UnitData &U) {
    J.object([&] {
      J.attribute("schema", MetadataSchema);
      J.attributeObject("abi", [&] {
        J.attribute("major", HSCHED_ABI_MAJOR);
        J.attribute("minor", HSCHED_ABI_MINOR);
      });
      text("source", U.Source);
      list("tasks", U.Tasks);
      list("versions", U.Versions);
      list("kernels", U.Kernels);
      list("taskwaits", U.Taskwaits);
    });
  }

private:
  void text(llvm::StringRef Key, const std::string &Value) { J.attribute(Key, llvm::json::fixUTF8(Value)); }

  void optional(llvm::StringRef Key, const std::string &Value) {
    if (!Value.empty())
      text(Key, Value);
  }

  template <class T> void list(llvm::StringRef Key, const std::vector<T> &Items) {
    J.attributeArray(Key, [&] {
      for (const T &Item : Items)
        J.object([&] { fields(Item); });
    });
  }

  // Sizes in PySchedCL's format: one string, "[M,N,1]", always three of them unless none is given.
  void sizes(llvm::StringRef Key, const std::vector<std::string> &Items) {
    std::string Out;
    for (std::size_t I = 0; I != 3 && !Items.empty(); ++I)
      Out.append(I ? "," : "").append(I < Items.size() ? Items[I] : "1");
    text(Key, "[" + Out + "]");
  }

  void fields(const UnitParam &P) {
    text("name", P.Name);
    text("type", P.Type);
  }

  void fields(const UnitAccess &A) {
    J.attribute("role", toString(A.Role));
    if (A.Param >= 0)
      J.attribute("param", A.Param);
    text("section", A.Section);
    text("bytes", A.Bytes);
    optional("operation", A.Op);
    if (A.Owns)
      J.attribute("owns", true);
  }

  void fields(const UnitTask &T) {
    text("name", T.Name);
    text("linkerName", T.LinkerName);
    text("file", T.File);
    J.attribute("line", T.Line);
    if (!T.Inside.empty())
      text("inside", T.Inside);
    list("params", T.Params);
    list("accesses", T.Accesses);
    optional("priority", T.Priority);
    optional("label", T.Label);
    optional("if", T.If);
    optional("final", T.Final);
    optional("cost", T.Cost);
    optional("where", T.Where);
  }

  void fields(const UnitVersion &V) {
    text("name", V.Name);
    text("linkerName", V.LinkerName);
    text("implements", V.Implements);
    J.attributeObject("device", [&] {
      text("kind", V.Device);
      text("type", V.Type);
    });
    text("file", V.File);
    J.attribute("line", V.Line);
    if (V.Kernel)
      J.attribute("kernel", *V.Kernel);
    else
      text("function", V.Name);
    if (!V.Accesses.empty())
      list("accesses", V.Accesses);
  }

  void fields(const UnitBuffer &B) {
    text("type", B.Type);
    J.attribute("pos", B.Pos);
    text("size", B.Size);
  }

  void fields(const UnitVariable &V) {
    text("type", V.Type);
    J.attribute("pos", V.Pos);
    text("value", V.Value);
  }

  void fields(const UnitKernel &K) {
    text("name", K.Name);
    text("src", K.Src);
    J.attribute("workDimension", K.WorkDimension);
    sizes("globalWorkSize", K.GlobalWorkSize);
    sizes("localWorkSize", K.LocalWorkSize);
    list("inputBuffers", K.InputBuffers);
    list("outputBuffers", K.OutputBuffers);
    list("ioBuffers", K.IoBuffers);
    list("varArguments", K.VarArguments);
  }

  void fields(const UnitTaskwait &W) {
    text("file", W.File);
    J.attribute("line", W.Line);
    if (!W.On.empty())
      J.attributeArray("on", [&] {
        for (const std::string &Section : W.On)
          J.value(llvm::json::fixUTF8(Section));
      });
    J.attribute("noflush", W.NoFlush);
  }

  llvm::json::OStream J;
};

} // namespace

std::string toJson(const UnitData &U, unsigned Indent) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  Writer(OS, Indent).write(U);
  OS.flush();
  return Out;
}

} // namespace hsched::cc
