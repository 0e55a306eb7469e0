// A file of kernels as it was read, from whichever format: expressions are text, nothing has been computed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_DOCUMENT_H
#define HSCHED_DAG_DOCUMENT_H

#include "dag/Json.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hsched::dag {

// A word or an expression, and where it stands. Empty text: there is none.
struct Text {
  std::string S;
  Place At;

  bool empty() const { return S.empty(); }
};

// What data are at the beginning.
struct InitDoc {
  enum Kind { None, Zeros, Constant, Random, Npy, Csv, Raw };
  Kind K = None;
  Text Value;     // Constant: the number; Random: the seed; else the file.
  Text Low, High; // Random: the range, by default [0, 1) or, of integers, [0, 128).
};

// What the results are compared with.
struct ExpectDoc {
  Text Npy; // File.
  double Relative = 0, Absolute = 0;
};

struct BufferDoc {
  Text Type, Size; // Elements.
  InitDoc Init;
  Text Output; // File, .npy.
  ExpectDoc Expect;
  Place At;
};

struct ArgDoc {
  enum Role { In, Out, Io, Value, Local };
  Role R = Value;
  Place At;
  Text Buffer;              // The name of one of the file's buffers; else Own.
  BufferDoc Own;            // Local: Type and Size count.
  Text Type;                // Value.
  std::vector<Text> Values; // Value: one a lane.
  bool Break = false;       // Whether it is split with the range.
  Text Chunk;               // Elements that stay together when it is split.
};

using Assignments = std::vector<std::pair<std::string, Text>>;

struct KernelDoc {
  Place At;
  Text Id, Name, Src, Options;
  Assignments Symbols, Macros;
  std::vector<Text> Global, Local;
  Text Device, Partition, Cost, Priority;
  std::vector<Text> After;
  std::vector<ArgDoc> Args; // In the order of the kernel's parameters.
};

struct EdgeDoc {
  Place At;
  Text From, FromPos, To, ToPos;
};

struct Document {
  std::vector<SourceRef> Sources; // What places point to.
  std::string Path;               // As it was named.
  std::string Folder;             // That files are looked for in.
  bool Python2 = false;           // Expressions: '/' is '//'.
  Assignments Symbols, Queues;
  std::vector<std::pair<Text, BufferDoc>> Buffers;
  std::vector<KernelDoc> Kernels;
  std::vector<EdgeDoc> Edges;
  std::vector<std::vector<Text>> Components;
  std::vector<std::string> Notes; // What the reader took for granted.
};

struct LoadOptions {
  size_t MostBytes = MostSourceBytes; // Of each file.
  bool AllowPath = false;             // Files that it names may be anywhere.
};

// Reads a file of any format. Throws Error.
Document load(const std::string &Path, const LoadOptions &Options = {});

// Each format's reader; load() tells them apart. Folder is where the file is.
Document readOurs(const Value &Root);
Document readPaper(const Value &Root);
Document readPaperText(const Source &In);
Document readTool(const Value &Root);
Document readToolGraph(const Source &In, const std::string &Folder, const LoadOptions &Options);
Document readIris(const Value &Root);

// The same in our own format.
std::string writeOurs(const Document &D);

} // namespace hsched::dag
#endif
