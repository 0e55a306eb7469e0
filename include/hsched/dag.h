// Runs a file of kernels from a C++ program: like hsched-run, with the program's own memory as input and output.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/dag.md describes the file. C++17; link libhsched_dag (CMake: hsched::dag). It uses the process's engine:
// devices, queues and policy come from the environment (HSCHED_OPENCL, HSCHED_QUEUES, HSCHED_SCHED).
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
// Files of kernels, run from C++.
namespace dag {

// An error in a file, a kernel or a result: the message of hsched-run, with file, line and field.
class HSCHED_EXPORT error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
  // Defined in the library, so that all of a program's parts know one type.
  ~error() override;
};

// How a graph is read and run.
struct settings {
  std::map<std::string, std::string> symbols; // Values of symbols, as with -D.
  std::map<std::string, std::string> devices; // Replacements of the file's devices, as with --map.
  // One of clustering, eager, heft, engine; empty: clustering if the file has components, else engine.
  std::string policy;
  std::string output;  // A folder for all results; empty: only results with a file name in the file are written.
  unsigned repeat = 1; // Number of consecutive runs; each begins with the same data.
  std::uint64_t most_bytes = 0; // Limit of bytes of all data; 0: half of the machine's memory.
  bool allow_path = false;      // True: the file may name files outside of its folder.
  bool check = true;            // True: hsched-kinfo checks the kernels, if it is beside the program or in PATH.
};

// A buffer of a graph, or what a kernel has made.
struct datum {
  std::string name;  // The id of a buffer, or of a kernel followed by a dot and the argument's position.
  std::size_t bytes; // Size of its content.
  bool input;        // Its initial content matters.
  bool result;       // No other kernel reads it.
  std::string numpy; // The type of a number in it, as .npy files have it: "<f4".
};

// What a run took, and how far its results are off.
struct report {
  std::vector<double> seconds; // Time of each run.
  std::map<std::string, double>
      errors; // The greatest relative error, beyond the absolute tolerance, of each result that the file compares.
};

// A loaded and checked graph. Not thread-safe: one thread uses it at a time. Each function except the destructor may
// throw error.
class HSCHED_EXPORT graph {
public:
  // Reads and checks the file. Throws error for what hsched-run would refuse.
  explicit graph(const std::string &path, const settings &how = settings());
  // Releases the kernels and the data.
  ~graph();
  // Afterwards the argument may only be destroyed or assigned to.
  graph(graph &&) noexcept;
  // The same. This graph's data are released.
  graph &operator=(graph &&) noexcept;

  // The buffers and results.
  std::vector<datum> data() const;
  // The notes of hsched-run: assumptions and suspicious fields.
  const std::vector<std::string> &notes() const;
  // Sets the datum's initial content to these bytes instead of the file's. bytes must be the datum's size. run() reads
  // them.
  void input(const std::string &name, const void *from, std::size_t bytes);
  // run() copies the datum's final content to `to`. bytes must be the datum's size.
  void output(const std::string &name, void *to, std::size_t bytes);
  // Runs all kernels, settings::repeat times, and waits for their end. Writes and copies the results. Throws error if a
  // kernel fails, or if a result differs from what the file compares it with.
  report run();

private:
  struct state;
  std::unique_ptr<state> own;
};

} // namespace dag
} // namespace hsched
#endif
