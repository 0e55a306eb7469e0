// Observers that write files and reports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them collect while the program runs and write in finished(). If a path cannot be written, the maker warns once
// and returns null; the program goes on.
#ifndef HSCHED_TRACE_WRITERS_H
#define HSCHED_TRACE_WRITERS_H

#include "trace/Observer.h"

#include <functional>
#include <memory>
#include <string>

namespace hsched::rt {

// HSCHED_TRACE: a Chrome trace (JSON), which Perfetto opens. One line a row; dependences as flows between runs.
std::unique_ptr<Observer> makeChromeTrace(std::string Path);

// HSCHED_GRAPH: the task graph with its critical path, as Graphviz (.dot) or GraphML (.graphml).
std::unique_ptr<Observer> makeGraphWriter(std::string Path);

// HSCHED_EXPLAIN, and, if Whole, HSCHED_RECORD: what each task's candidates were, the choice, and what happened; with
// sections and data if Whole (JSON, docs/explain.md). Print, if any, gets some lines of what the choices cost. Path:
// empty: no file.
// Contents: HSCHED_RECORD_DATA, a folder for what kernels' data are before their first task; empty: they are not kept.
std::unique_ptr<Observer> makeRecorder(std::string Path, bool Whole, std::string Policy = "",
                                       std::function<void(const std::string &)> Print = {}, std::string Contents = "");

// HSCHED_PROGRESS: a line of what is done and what is left, every so often while tasks run. Print gets one line at a
// time, from any thread.
std::unique_ptr<Observer> makeProgress(Duration Every, std::function<void(const std::string &)> Print);

// HSCHED_STATS: tables of runs, workers and transfers. Print gets one line at a time, without a newline. Full: each
// size and version, also where they are many.
std::unique_ptr<Observer> makeStatistics(std::function<void(const std::string &)> Print, bool Full = false);

} // namespace hsched::rt
#endif
