// Pictures of a run: a Gantt chart, and the graph with the kernels' devices.
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
  double Begin = 0, Length = 0; // In microseconds.
  std::string Name;             // A kernel's id, or a transfer's kind.
  std::string Kind;             // The kernel's function; empty: a transfer.
  uint64_t Task = 0, Bytes = 0;
};

struct RunTrace {
  std::vector<TraceRow> Rows; // Rows with bars, in order.
  std::vector<TraceBar> Bars; // Ordered by begin.
};

// Reads a file of HSCHED_TRACE. Throws dag::Error.
RunTrace readTrace(const std::string &Path);
// The bars of the last run: from its first kernel or transfer on.
RunTrace lastRun(const RunTrace &Of);
// Names of the devices where kernels ran, by id; both for a kernel in two parts.
std::map<std::string, std::vector<std::string>> placesOf(const RunTrace &Of);

// Plain SVG: a row for each queue and each direction of transfers, bars with kernels' ids.
std::string drawGantt(const RunTrace &Of);
// Plain SVG: kernels in layers, components framed, colours of devices. Places: as placesOf(). Without an entry: the
// file's placement.
std::string drawGraph(const dag::Graph &G, const std::map<std::string, std::vector<std::string>> &Places);

// Pictures for --gantt and --graph. Drawn at the process's end, because the trace is written then.
struct Pictures {
  std::string Gantt, Graph; // Files; empty: none.

  bool wanted() const { return !Gantt.empty() || !Graph.empty(); }
};
// Call before the engine starts. Trace: the user's file for the trace; empty: only for the pictures. Returns the value
// for HSCHED_TRACE.
std::string expectPictures(const Pictures &Wanted, const std::string &Trace);
// Call after a successful run: pictures will be drawn.
void allowPictures(const dag::Graph &G);
// Draws the graph without a run. Throws dag::Error.
void drawPlan(const dag::Graph &G, const std::string &Path);
// Writes a file. Throws dag::Error.
void writeFile(const std::string &Path, const std::string &Text);

// Helpers for SVG.
std::string escapeXml(const std::string &Text);
// The n-th of seven colours that are distinguishable with colour blindness.
const char *colourOf(size_t N);
// Text of at most Most bytes without its middle, in whole UTF-8 characters.
std::string shorten(const std::string &Text, size_t Most);

} // namespace hsched::run
#endif
