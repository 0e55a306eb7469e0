// Fuzz target: a file of kernels in any format, from the text to what would be run, and written in hsched's format.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid input is refused with an Error. Valid input is written in hsched's format, which is accepted too and has the
// same meaning.
#include "Targets.h"

#include "dag/Graph.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace hsched::dag;

namespace {

class Folder {
public:
  Folder() {
    char Name[] = "/tmp/hsched-fuzz-XXXXXX";
    if (!mkdtemp(Name))
      std::abort();
    Path = Name;
    std::ofstream(file("k.cl")) << "kernel void add(global float *x) { x[0] = 1; }\n";
    std::ofstream(file("kernel.cl")) << "kernel void process(global float *x) { x[0] = 1; }\n";
    std::ofstream(file("spec.json"))
        << R"({"name":"add","src":"k.cl","workDimension":1,"globalWorkSize":"[N]","ioBuffers":[{"type":"float","pos":0,)"
        << R"("size":"N","break":1}]})";
  }
  ~Folder() {
    std::error_code Ignored;
    std::filesystem::remove_all(Path, Ignored);
  }
  std::string file(const char *Name) const { return Path + "/" + Name; }

private:
  std::string Path;
};

[[noreturn]] void wrong(const char *What, const std::string &Text) {
  std::fprintf(stderr, "%s: %s\n", What, Text.c_str());
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *Data, std::size_t Size) {
  static const Folder Here;
  static const std::string Given = Here.file("given"), Written = Here.file("written");
  std::ofstream(Given).write(reinterpret_cast<const char *>(Data), static_cast<std::streamsize>(Size));
  ResolveOptions Options;
  Options.MostBytes = 1 << 20;
  Options.Symbols = {{"N", "64"}, {"user_size", "64"}, {"user_size_cb", "256"}};
  std::string Ours, Dot;
  Graph G;
  Document D;
  try {
    D = load(Given);
  } catch (const Error &) {
    return 0;
  }
  Ours = writeHsched(D);
  bool Good = true;
  std::string Why;
  try {
    G = resolve(D, Options);
    Dot = writeDot(G);
  } catch (const Error &E) {
    Good = false;
    Why = E.what();
  }
  std::ofstream(Written) << Ours;
  try {
    const Document Again = load(Written);
    if (writeHsched(Again) != Ours)
      wrong("what was written is read as something else", Ours);
    if (Good) {
      const Graph H = resolve(Again, Options);
      if (H.Order != G.Order || H.Bytes != G.Bytes || H.Components.size() != G.Components.size() ||
          H.Programs.size() != G.Programs.size())
        wrong("what was written is resolved to something else", Ours);
    }
  } catch (const Error &E) {
    if (Good)
      wrong(E.what(), Ours);
  }
  return 0;
}
