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
  std::string Sched;   // Empty: clustering where the file has components, else the engine's default.
  std::string Devices; // As HSCHED_OPENCL.
  std::string Queues, Output, Trace, Explain, Report, Kinfo;
  std::string Gantt, Graph;       // Files for pictures.
  std::vector<std::string> Build; // For --init: what a build takes.
  unsigned Repeat = 1;
  unsigned Tries = 0; // --tune: configurations to try at most.
  std::string Select; // A shared object.
  std::string Folder; // --from-record
  std::string Tuned;  // Where the best one goes; empty: nowhere.
  bool InPlace = false, Simulate = false;
  uint64_t Memory = 0;
  bool DryRun = false, Stats = false, AllowPath = false, Check = true, Quiet = false;
  bool Help = false, Version = false;
  std::string Error; // What is wrong with the command line; empty: nothing.
};

extern const char HelpText[];

// How kernels are sent. The environment is set for the engine, which reads it when it starts, after this.
dag::Dispatch settle(const Options &O, const dag::Graph &G);
// Of a shared object, which stays loaded. Throws dag::Error.
hsched_select_function loadSelect(const std::string &Path);
// Measures configurations of the graph, prints what was tried, and writes the best one where the options say.
void tune(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O);

// Writes a recorded run as a file of kernels, with sources and data, into a folder. Returns notes. Throws dag::Error:
// the record is wrong, or some of its tasks cannot be written, which are named.
std::vector<std::string> fromRecord(const std::string &File, const std::string &Folder, const Options &O);

Options parseOptions(int Argc, char **Argv);

// What --dry-run says of a graph.
std::string describe(const dag::Graph &G);
// What a run says at its end.
std::string summary(const dag::Graph &G, const dag::RunReport &R);
// The same as JSON, for --report.
std::string reportJson(const dag::Graph &G, const dag::RunReport &R);

} // namespace hsched::run
#endif
