// A file of kernels with everything computed: what the runner takes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_GRAPH_H
#define HSCHED_DAG_GRAPH_H

#include "dag/Document.h"
#include "dag/ElementType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hsched::dag {

constexpr uint32_t None = ~uint32_t(0);

// One stretch of memory.
struct Datum {
  std::string Name; // For messages and file names: "k0.2", or the buffer's own.
  Place At;
  ElementType Type;
  int64_t Elements = 0;
  size_t Bytes = 0;
  InitDoc::Kind Init = InitDoc::None;
  double Constant = 0, Low = 0, High = 1;
  int64_t Seed = 0;
  std::string File; // Init is Npy, Csv or Raw: where it is.
  Place InitAt;
  std::string Output; // Where the result goes; empty: nowhere.
  ExpectDoc Expect;
  std::string ExpectFile;
  bool Written = false; // By a kernel.
  bool Result = false;  // And by the last of its kernels for nobody else.
  bool Begins = false;  // What it is before the first kernel counts.
};

struct Program {
  std::string File; // As the user named it.
  std::string Path; // Where it is.
  std::string Kernel, Options;
  SourceRef Text;
  Place At; // Of the first kernel that wants it.
};

// What a launch does with one datum: no datum is there twice.
struct Touch {
  uint32_t Datum = 0;
  unsigned Mode = 0; // HSCHED_IN, HSCHED_OUT, HSCHED_INOUT
  size_t Offset = 0, Bytes = 0;
};

struct LaunchArg {
  enum Kind : uint8_t { Buffer, Value, Local };
  Kind K = Value;
  uint32_t Datum = None;
  size_t Offset = 0; // Buffer: of its first byte in the datum; Value: of its bytes in the launch's Values.
  size_t Bytes = 0;  // Value, Local.
};

// One launch of a kernel: all of its range, or a part.
struct Launch {
  unsigned Dims = 1;
  std::array<size_t, 3> Global{1, 1, 1}, Local{0, 0, 0};
  std::vector<LaunchArg> Args;
  std::vector<Touch> Touches;
  std::vector<unsigned char> Values;
  std::string Device; // "Cpu", "gpu", "accelerator", part of a device's name; empty: any.
};

struct Kernel {
  std::string Id;
  Place At;
  uint32_t Program = 0;
  uint32_t Component = None;
  unsigned Partition = 10; // Tenths of the range that the GPU has; 1 to 9: two launches.
  int Priority = 0;
  double Cost = 0;
  double Rank = 0;              // Bottom level: the greatest sum of costs from here to an end.
  std::vector<uint32_t> Before; // Kernels that precede it, each once.
  std::vector<uint32_t> Behind; // Kernels that it precedes.
  std::vector<uint32_t> After;  // Those of Before that no data say.
  std::vector<Launch> Launches;
  std::vector<uint32_t> ArgDatum; // By position; None: no buffer.
  const KernelDoc *Doc = nullptr; // Null: a copy that the file does not name.
};

struct Component {
  Place At;
  std::vector<uint32_t> Kernels; // In an order that the edges allow.
  std::vector<uint32_t> Front, End, Inside;
};

struct Graph {
  std::string Path; // Of the file.
  std::vector<Datum> Data;
  std::vector<Program> Programs;
  std::vector<Kernel> Kernels;
  std::vector<uint32_t> Order; // All kernels, in an order that the edges allow.
  std::vector<Component> Components;
  bool HasComponents = false; // The file says which.
  std::map<std::string, unsigned> Queues;
  std::map<std::string, int64_t> Symbols;
  std::vector<std::string> Notes;
  uint64_t Bytes = 0; // Of all data.
};

struct ResolveOptions {
  std::map<std::string, std::string> Symbols; // -D
  bool AllowPath = false;
  uint64_t MostBytes = 0;   // 0: half of the machine's memory.
  std::string OutputFolder; // Results without a file of their own go there; empty: nowhere.
};

// Computes everything, and checks what can be checked without a device. D lives as long as the result. Throws Error.
Graph resolve(const Document &D, const ResolveOptions &Options);

// The path of a file that a document names: in the document's folder, unless Allow.
std::string confined(const Text &Named, const std::string &Folder, bool Allow);

// Graphviz. Places: where kernels ran, by id; of others, and without, what the file says.
std::string writeDot(const Graph &G, const std::map<std::string, std::vector<std::string>> &Places = {});

} // namespace hsched::dag
#endif
