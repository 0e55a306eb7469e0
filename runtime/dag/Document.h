// A parsed file of kernels, of any format. Expressions are text; nothing is computed.
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

// A word or an expression, with its place. Empty text: absent.
struct Text {
  std::string S;
  Place At;

  bool empty() const { return S.empty(); }
};

// Initial contents of data.
struct InitDoc {
  enum Kind { None, Zeros, Constant, Random, Npy, Csv, Raw };
  Kind K = None;
  Text Value;     // Constant: the number. Random: the seed. Otherwise the file.
  Text Low, High; // Random: the range. Default: [0, 1), or [0, 128) for integers.
};

// The reference that results are compared with.
struct ExpectDoc {
  Text Npy; // File name.
  double Relative = 0, Absolute = 0;
};

struct BufferDoc {
  Text Type, Size; // Type and number of elements.
  InitDoc Init;
  Text Output; // File, .npy.
  ExpectDoc Expect;
  Place At;
};

// A member of a structure that is passed by value.
struct MemberDoc {
  Text Type;
  std::optional<uint64_t> Offset;               // In bytes. Empty: where C places it.
  std::vector<Text> Values;                     // One for each lane of each element of an array.
  std::vector<std::vector<MemberDoc>> Elements; // For a structure in a structure: the members of each element.
};

struct ArgDoc {
  enum Role { In, Out, Io, Value, Local };
  Role R = Value;
  Place At;
  Text Buffer;                    // Name of one of the file's buffers. Empty: Own.
  BufferDoc Own;                  // For Local: Type and Size are used.
  Text Type;                      // For Value.
  std::vector<Text> Values;       // For Value: one for each lane.
  std::vector<MemberDoc> Members; // For a structure's Value.
  bool Break = false;             // It is split with the range.
  Text Chunk;                     // Number of elements that a split keeps together.
};

using Assignments = std::vector<std::pair<std::string, Text>>;

struct KernelDoc {
  Place At;
  Text Id, Name, Src, Options;
  Assignments Symbols, Macros;
  std::vector<Text> Global, Local, Offset; // Offset: empty, or as many as Global.
  Text Device, Partition, Cost, Priority;
  std::vector<Text> After;
  std::vector<ArgDoc> Args; // In the order of the kernel's parameters.
};

struct EdgeDoc {
  Place At;
  Text From, FromPos, To, ToPos;
};

struct Document {
  std::vector<SourceRef> Sources; // Sources to which places point.
  std::string Path;               // The file's name as given.
  std::string Folder;             // Folder for relative file names.
  bool Python2 = false;           // In expressions '/' means '//'.
  Assignments Symbols, Queues;
  std::vector<std::pair<Text, BufferDoc>> Buffers;
  std::vector<KernelDoc> Kernels;
  std::vector<EdgeDoc> Edges;
  std::vector<std::vector<Text>> Components;
  std::vector<std::string> Notes; // Assumptions of the reader.
};

struct LoadOptions {
  size_t MostBytes = MostSourceBytes; // Size limit of each file.
  bool AllowPath = false;             // Files may be outside of the document's folder.
};

// Reads a file of any format. Throws Error.
Document load(const std::string &Path, const LoadOptions &Options = {});

// The readers of each format; load() chooses. Folder contains the file.
Document readHsched(const Value &Root);
Document readPaper(const Value &Root);
Document readPaperText(const Source &In);
Document readTool(const Value &Root, const std::vector<Repetition> &Repeated);
Document readToolGraph(const Source &In, const std::string &Folder, const LoadOptions &Options);
Document readIris(const Value &Root);

// Writes the document in hsched's own format.
std::string writeHsched(const Document &D);
// The members of a structure in that format.
std::string writeMembers(const std::vector<MemberDoc> &Members);

} // namespace hsched::dag
#endif
