// Measured execution times (OmpSs's TaskVersionSet table) and predictions from them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Planas et al., "Self-adaptive OmpSs tasks in heterogeneous environments", table I. For each task and data-set
// size, each version's mean execution time and number of executions. Beyond the paper, kinds of workers are
// distinguished: a kernel's time on a GPU differs from its time on the CPU's OpenCL device.
#ifndef HSCHED_PERFMODEL_HISTORY_H
#define HSCHED_PERFMODEL_HISTORY_H

#include "base/Clock.h"
#include "base/SizeClass.h"
#include "graph/TaskType.h"
#include "perfmodel/RunStats.h"
#include "perfmodel/SizeFit.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace hsched::rt {

// A kind of worker. Workers of one kind take the same time for the same work and share measurements. 0: CPU cores.
// Kinds of devices are numbered from 1 on (Worker::Model).
using ModelId = uint8_t;
inline constexpr ModelId CpuModel = 0;
inline constexpr unsigned MaxModels = 64;
// In times of earlier runs: any device without measurements of its own.
inline constexpr ModelId AnyDevice = MaxModels - 1;

struct HistoryRow {
  uint32_t Type; // TaskType::Id; the type itself may be destroyed.
  SizeClass Size;
  unsigned Version;
  ModelId Model;
  RunStats Stats;
};

// Thread-safe.
class History {
public:
  // Returns times of earlier program runs for a type's versions. Called once for a type and number of versions, at the
  // first record or lookup. Only Size, Version, Model and Stats are used. Any thread; must not use this History.
  using Before = std::function<std::vector<HistoryRow>(const TaskType &)>;

  explicit History(Before Known = {});
  ~History();
  // Throws std::bad_alloc if memory for a new size is exhausted.
  void record(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model, Duration Ran);
  // Zero runs if nothing is known.
  RunStats lookup(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model) const;
  // Predicts from runs of other sizes; null if they do not suffice (SizeFit.h). Sizes in bytes and costs are fitted
  // separately.
  std::optional<SizeFit::Guess> predict(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model) const;
  // The same from runs of sizes that hardly differ (SizeFit::neighbour).
  std::optional<SizeFit::Neighbour> neighbour(const TaskType &Type, SizeClass Size, unsigned Version,
                                              ModelId Model) const;
  // A version counter: it changes whenever a lookup may give another result. Read it before a lookup to tell later
  // whether the result is current.
  uint64_t changes() const;
  // All rows, ordered by task id, size, version, model.
  std::vector<HistoryRow> rows() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::rt
#endif
