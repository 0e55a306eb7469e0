// Results of hsched-kinfo, a separate process: which arguments kernels read and write.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_KINFO_H
#define HSCHED_DAG_KINFO_H

#include "dag/Graph.h"
#include "dag/Layout.h"

#include <optional>
#include <string>
#include <vector>

namespace hsched::dag {

struct KernelArgInfo {
  std::string Name, Kind, Space, Element, Role, Elements;
  size_t ElementBytes = 0;
  std::optional<size_t> Structure; // Its index in KernelInfoJson::Structures.
  bool Reads = true;               // May read its old value.
  bool Partly = false;      // Role out: it is not proved that all elements from the beginning on are overwritten.
  bool Splits = false;      // It is split with the range.
  bool Conditional = false; // Elements holds for some arguments only.
};

struct KernelInfoJson {
  std::string Name, File;
  unsigned Line = 0;
  std::vector<KernelArgInfo> Args;
  Layouts Structures;
  std::vector<std::string> Global; // Expressions, one for each dimension.
  // Roles are certain if none of these expressions is negative. None: they are certain for no launch.
  std::optional<std::vector<std::string>> Where;
  bool MayBeLarger = false; // A launch that is larger than Global touches the same elements.
};

struct KinfoReport {
  bool Available = false;                 // False: hsched-kinfo was not found.
  std::vector<const KernelInfoJson *> Of; // By program; null: unknown.
  std::vector<std::vector<KernelInfoJson>> All;
  std::vector<std::string> Notes;
};

// The path of hsched-kinfo: Configured, or that beside this program or in PATH. Empty: not found.
std::string findKinfo(const std::string &Configured);
// Reads its output. Throws nlohmann's exceptions.
std::vector<KernelInfoJson> parseReport(const std::string &Text);
// The first error in its error output, or the first line.
std::string firstError(const std::string &Text);
// "kernel 'k' (k.cl:3)": the place is in an included file if the kernel is there.
std::string describeKernel(const KernelInfoJson &Info, const Program &P);
// "an image", "a sampler".
std::string articled(const std::string &Kind);

// Runs it once for each source and set of options; results are cached on disk. Program: empty for the one beside this
// program or in PATH, which may be absent. Throws Error if a source does not compile.
KinfoReport askKinfo(const Graph &G, const std::string &Program);

// Compares the roles in D with the accesses of the kernels. Throws Error with the kernel's line. An output whose old
// value is read becomes role io; returns true if there was one: D must then be resolved again.
bool checkRoles(Document &D, const Graph &G, KinfoReport &Report);

// Compares the types of values, the members of structures, and the sizes of structures in buffers with those of the
// kernels. Throws Error with the kernel's line and with what to write instead. Notes values whose bits the kernel takes
// as another type. checkRoles was called before.
void checkTypes(const Document &D, const Graph &G, KinfoReport &Report);

// An output becomes role io if the buffer has contents before, and it is not proved that the kernel overwrites all of
// it. Such contents are what 'init' says, and what an earlier kernel writes to a named buffer. Returns true if there
// was one, as checkRoles does.
bool keepContents(Document &D, const Graph &G, KinfoReport &Report);

// Notes buffers that are smaller than their kernels may access: the first one for each function and argument.
void checkExtents(const Document &D, const Graph &G, KinfoReport &Report);

// resolve(), with these four. Ask: false if hsched-kinfo is not used. Notes: what they say is added.
Graph resolveChecked(Document &D, const ResolveOptions &Options, bool Ask, const std::string &Program,
                     std::vector<std::string> &Notes);

// A file in hsched's format with the kernels of OpenCL C files, without edges. Notes: kernels that such a file cannot
// have are left out. Throws Error, also if no kernel remains.
std::string skeleton(const std::vector<std::string> &Files, const std::vector<std::string> &Build,
                     const std::string &Program, std::vector<std::string> &Notes);

} // namespace hsched::dag
#endif
