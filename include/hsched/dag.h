// A file of kernels, run from a C++ program: what hsched-run does, with the program's own memory in and out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/dag.md says what such a file has. C++17; link libhsched_dag (CMake: hsched::dag). The engine is that of the
// process: its devices, queues and policy are those of the environment (HSCHED_OPENCL, HSCHED_QUEUES, HSCHED_SCHED).
#ifndef HSCHED_DAG_H
#define HSCHED_DAG_H

#include <hsched/abi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hsched {
namespace dag {

// What is wrong with a file, a kernel or a result: the line that hsched-run says, with file, line and field.
class HSCHED_EXPORT error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  ~error() override;
};

struct settings {
  std::map<std::string, std::string> symbols; // Values, as -D gives them.
  std::map<std::string, std::string> devices; // A device of the file, and what is taken for it, as with --map.
  std::string policy;  // Clustering, eager, heft, engine; empty: clustering if the file has components, else engine.
  std::string output;  // A folder that all results are written to; empty: only those for which the file says where.
  unsigned repeat = 1; // Runs, one behind the other; each begins with the same data.
  std::uint64_t most_bytes = 0; // Of all data; 0: half of the machine's memory.
  bool allow_path = false;      // The file may name files outside of its folder.
  bool check = true;            // hsched-kinfo is asked what kernels do, if it is beside the program or in PATH.
};

struct datum {
  std::string name; // A buffer's, or a kernel's id, a dot and the argument's position.
  std::size_t bytes;
  bool input;  // What it begins as counts.
  bool result; // No other kernel takes it.
};

struct report {
  std::vector<double> seconds;          // Of each run.
  std::map<std::string, double> errors; // The greatest relative error of each result that the file compares.
};

// Loaded and checked when it is made. One thread uses it at a time; each function but the destructor may throw error.
class HSCHED_EXPORT graph {
public:
  explicit graph(const std::string &path, const settings &how = settings());
  ~graph();
  graph(graph &&) noexcept;
  graph &operator=(graph &&) noexcept;

  std::vector<datum> data() const;
  // What hsched-run would note: what was taken for granted, and what looks wrong.
  const std::vector<std::string> &notes() const;
  // The datum begins as these bytes, as many as it has, instead of what the file says. They are read by run().
  void input(const std::string &name, const void *from, std::size_t bytes);
  // run() writes the datum there, as it is at the end.
  void output(const std::string &name, void *to, std::size_t bytes);
  report run();

private:
  struct state;
  std::unique_ptr<state> own;
};

} // namespace dag
} // namespace hsched
#endif
