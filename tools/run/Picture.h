// Pictures of a run: what ran when, and the graph with where its kernels ran.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_RUN_PICTURE_H
#define HSCHED_TOOLS_RUN_PICTURE_H

#include "dag/Graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hsched::run {

// One row of a trace: a queue of a device, or its transfers in one direction.
struct TraceRow {
  std::string Name; // "device queue 0", "device upload".
  std::string Device;
};

struct TraceBar {
  unsigned Row = 0;
  double Begin = 0, Length = 0; // Microseconds.
  std::string Name;             // A kernel's id, or what a transfer does.
  std::string Kind;             // The kernel's function; empty: a transfer.
  uint64_t Task = 0, Bytes = 0;
};

struct RunTrace {
  std::vector<TraceRow> Rows; // That have bars, in order.
  std::vector<TraceBar> Bars; // By beginning.
};

// Reads what HSCHED_TRACE has written. Throws dag::Error.
RunTrace readTrace(const std::string &Path);
// The last one of several runs: bars from the last run's first kernel or transfer on.
RunTrace lastRun(const RunTrace &Of);
// Where kernels ran, by id: devices' names, of a kernel in two parts both.
std::map<std::string, std::vector<std::string>> placesOf(const RunTrace &Of);

// Plain SVG: a row for each queue and each direction of transfers, bars with kernels' ids.
std::string drawGantt(const RunTrace &Of);
// Plain SVG: kernels in layers, components framed, colours of devices. Places: as placesOf(); without, what the file
// says.
std::string drawGraph(const dag::Graph &G, const std::map<std::string, std::vector<std::string>> &Places);

// --gantt and --graph: what is drawn when the process ends, since the trace is written then.
struct Pictures {
  std::string Gantt, Graph; // Files; empty: none.

  bool wanted() const { return !Gantt.empty() || !Graph.empty(); }
};
// Before the engine starts. Trace: where the user wants the trace; empty: it is kept only for the pictures. Returns the
// file that HSCHED_TRACE is to name.
std::string expectPictures(const Pictures &Wanted, const std::string &Trace);
// The run went well: pictures are drawn.
void allowPictures(const dag::Graph &G);
// Without a run: the graph as the file has it. Throws dag::Error.
void drawPlan(const dag::Graph &G, const std::string &Path);
// Throws dag::Error.
void writeFile(const std::string &Path, const std::string &Text);

// Parts of an SVG.
std::string escapeXml(const std::string &Text);
// The n-th of seven colours that the colour-blind tell apart.
const char *colourOf(size_t N);
// At most Most bytes, its middle left out, whole characters of UTF-8.
std::string shorten(const std::string &Text, size_t Most);

} // namespace hsched::run
#endif
