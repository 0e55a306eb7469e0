// hsched-run's parts: command line, report.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_RUN_H
#define HSCHED_TOOLS_RUN_RUN_H

#include "dag/Graph.h"
#include "dag/Run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hsched::run {

struct Options {
  enum Action { Run, Convert, Dot, Init, Tune, FromRecord };
  Action Do = Run;
  std::vector<std::string> Files;
  std::map<std::string, std::string> Symbols, Map;
  std::string Sched;   // Empty: clustering if the file has components, else the engine's default.
  std::string Devices; // As HSCHED_OPENCL.
  std::string Queues, Output, Trace, Explain, Report, Kinfo;
  std::string Gantt, Graph;       // Files for pictures.
  std::vector<std::string> Build; // For --init: build options.
  unsigned Repeat = 1;
  unsigned Beside = 0; // RunOptions::Beside of each device; 0: as settle() chooses.
  unsigned Tries = 0;  // --tune: limit of tried configurations.
  std::string Select;  // A shared object with a select function.
  std::string Folder;  // --from-record
  std::string Tuned;   // File for the best configuration; empty: none.
  bool InPlace = false, Simulate = false;
  uint64_t Memory = 0;
  bool DryRun = false, Stats = false, AllowPath = false, Check = true, Quiet = false;
  bool Help = false, Version = false;
  std::string Error; // The error in the command line; empty: none.
};

extern const char HelpText[];

// Chooses how kernels are dispatched, and sets the environment, which the engine reads at its start. Call it before.
void settle(const Options &O, const dag::Graph &G, dag::RunOptions &Out);
// Loads the select function of a shared object, which stays loaded. Throws dag::Error.
hsched_select_function loadSelect(const std::string &Path);
// Measures configurations of the graph, prints them, and writes the best one if the options name a file.
void tune(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O);

// Writes a recorded run as a file of kernels, with sources and data, into a folder. Returns notes. Throws dag::Error if
// the record is invalid, or if tasks cannot be written, which it names.
std::vector<std::string> fromRecord(const std::string &File, const std::string &Folder, const Options &O);

Options parseOptions(int Argc, char **Argv);

// Output of --dry-run.
std::string describe(const dag::Graph &G);
// Output at the end of a run.
std::string summary(const dag::Graph &G, const dag::RunReport &R);
// The same as JSON, for --report.
std::string reportJson(const dag::Graph &G, const dag::RunReport &R);

} // namespace hsched::run
#endif
