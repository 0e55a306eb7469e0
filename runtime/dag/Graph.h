// A resolved file of kernels: the input of the runner.
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
#include <optional>
#include <string>
#include <vector>

namespace hsched::dag {

constexpr uint32_t None = ~uint32_t(0);

// One block of memory.
struct Datum {
  std::string Name; // For messages and file names: "k0.2", or the buffer's name.
  Place At;
  ElementType Type;
  int64_t Elements = 0;
  size_t Bytes = 0;
  InitDoc::Kind Init = InitDoc::None;
  double Constant = 0, Low = 0, High = 1;
  std::optional<int64_t> Whole; // A constant that is written as an integer, for elements that are integers.
  int64_t Seed = 0;
  std::string File; // Path, if Init is Npy, Csv or Raw.
  Place InitAt;
  std::string Output; // File of the result; empty: none.
  Place OutputAt;
  ExpectDoc Expect;
  std::string ExpectFile;
  bool Written = false; // A kernel writes it.
  bool Result = false;  // No kernel reads it after the last kernel that writes it.
  bool Begins = false;  // Its initial contents are used.
};

struct Program {
  std::string File; // The name as given.
  std::string Path; // The path.
  std::string Kernel, Options;
  SourceRef Text;
  Place At; // Place in the first kernel that uses it.
};

// A launch's use of one datum. A launch has one entry for each datum.
struct Touch {
  uint32_t Datum = 0;
  unsigned Mode = 0; // HSCHED_IN, HSCHED_OUT, HSCHED_INOUT
  size_t Offset = 0, Bytes = 0;
};

struct LaunchArg {
  enum Kind : uint8_t { Buffer, Value, Local };
  Kind K = Value;
  uint32_t Datum = None;
  size_t Offset = 0; // Buffer: offset of its first byte in the datum. Value: offset in the launch's Values.
  size_t Bytes = 0;  // For Value and Local.
};

// One launch of a kernel: its whole range, or a part.
struct Launch {
  unsigned Dims = 1;
  std::array<size_t, 3> Global{1, 1, 1}, Local{0, 0, 0}, Offset{0, 0, 0};
  std::vector<LaunchArg> Args;
  std::vector<Touch> Touches;
  std::vector<unsigned char> Values;
  std::string Device; // "cpu", "gpu", "accelerator" or part of a device's name. Empty: any.
};

struct Kernel {
  std::string Id;
  Place At;
  uint32_t Program = 0;
  uint32_t Component = None;
  unsigned Partition = 10; // The GPU's share of the range, in tenths. 1 to 9: two launches.
  int Priority = 0;
  double Cost = 0;
  double Rank = 0;              // Bottom level: the greatest sum of costs on a path from here to an end.
  std::vector<uint32_t> Before; // Predecessors, without duplicates.
  std::vector<uint32_t> Behind; // Successors.
  std::vector<uint32_t> After;  // Elements of Before that the data do not imply.
  std::vector<Launch> Launches;
  std::vector<uint32_t> ArgDatum; // By position; None: not a buffer.
  const KernelDoc *Doc = nullptr; // Null: a copy that the runner inserted.
};

struct Component {
  Place At;
  std::vector<uint32_t> Kernels; // In a topological order.
  std::vector<uint32_t> Front, End, Inside;
};

struct Graph {
  std::string Path; // Path of the file.
  std::vector<Datum> Data;
  std::vector<Program> Programs;
  std::vector<Kernel> Kernels;
  std::vector<uint32_t> Order; // All kernels in a topological order.
  std::vector<Component> Components;
  bool HasComponents = false; // The file defines components.
  std::map<std::string, unsigned> Queues;
  std::map<std::string, int64_t> Symbols;
  std::vector<std::string> Notes;
  uint64_t Bytes = 0; // Bytes of all data.
};

struct ResolveOptions {
  std::map<std::string, std::string> Symbols; // From the option -D.
  bool AllowPath = false;
  uint64_t MostBytes = 0;   // 0: half of the machine's memory.
  std::string OutputFolder; // Folder for results without a file of their own. Empty: none.
};

// Resolves D, and checks what can be checked without a device. D must outlive the result. Throws Error.
Graph resolve(const Document &D, const ResolveOptions &Options);

// The path of a file that a document names: in the document's folder, unless Allow.
std::string confined(const Text &Named, const std::string &Folder, bool Allow);

// Graphviz output. Places: where kernels ran, by id. Kernels without an entry have the file's placement.
std::string writeDot(const Graph &G, const std::map<std::string, std::vector<std::string>> &Places = {});

} // namespace hsched::dag
#endif
