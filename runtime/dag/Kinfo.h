// What hsched-kinfo, a process of its own, says of kernels: who reads and writes what.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_KINFO_H
#define HSCHED_DAG_KINFO_H

#include "dag/Graph.h"

#include <string>
#include <vector>

namespace hsched::dag {

struct KernelArgInfo {
  std::string Name, Kind, Space, Element, Role, Elements;
  size_t ElementBytes = 0;
  bool Reads = true;   // Its old value, perhaps.
  bool Splits = false; // With the range.
};

struct KernelInfoJson {
  std::string Name, File;
  unsigned Line = 0;
  std::vector<KernelArgInfo> Args;
  std::vector<std::string> Global; // Expressions, as many as there are dimensions.
};

struct KinfoReport {
  bool Asked = false;                     // False: there is no hsched-kinfo.
  std::vector<const KernelInfoJson *> Of; // By program; null: nothing is known.
  std::vector<std::vector<KernelInfoJson>> All;
  std::vector<std::string> Notes;
};

// Asks once a source and set of options; answers are kept on disk. Program: empty: the one beside this program, or in
// PATH; none is no error then. Throws Error where a source does not compile.
KinfoReport askKinfo(const Graph &G, const std::string &Program);

// Compares what D says of its kernels' arguments with what they do. Throws Error, with the kernel's line. An output
// that reads its old value becomes one of role io: returns whether there was one, so that D is to be resolved again.
bool checkRoles(Document &D, const Graph &G, KinfoReport &Known);

// A file in our own format with the kernels of OpenCL C files, without edges. Throws Error.
std::string skeleton(const std::vector<std::string> &Files, const std::vector<std::string> &Build,
                     const std::string &Program);

} // namespace hsched::dag
#endif
