// Execution times, measured: OmpSs's TaskVersionSet table, and what is predicted from it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: Planas et al., "Self-adaptive OmpSs tasks in heterogeneous environments", table I: for each task and data-set
// size, each version's mean execution time and number of executions. Beyond the paper, kinds of workers are told apart:
// a kernel takes one time on a GPU and another one on the CPU's own device.
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

// A kind of worker: those of one kind take alike long for the same work, and share what is known. 0: CPU cores. Kinds
// of devices are numbered from 1 on (Worker::Model).
using ModelId = uint8_t;
inline constexpr ModelId CpuModel = 0;
inline constexpr unsigned MaxModels = 64;
// Of what is known from before: any device that has nothing of its own yet.
inline constexpr ModelId AnyDevice = MaxModels - 1;

struct HistoryRow {
  uint32_t Type; // TaskType::Id: the type itself may be gone.
  SizeClass Size;
  unsigned Version;
  ModelId Model;
  RunStats Stats;
};

// Thread-safe.
class History {
public:
  // What is known of a type's versions from before, asked for once a type and number of versions, when the first of its
  // tasks is recorded or looked up. Only Size, Version, Model and Stats count. Any thread; does not use this History.
  using Before = std::function<std::vector<HistoryRow>(const TaskType &)>;

  explicit History(Before Known = {});
  ~History();
  // Throws std::bad_alloc where there is no room for a new size.
  void record(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model, Duration Ran);
  // Zero runs when nothing is known.
  RunStats lookup(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model) const;
  // From runs of other sizes; null where they do not tell (SizeFit.h). Sizes in bytes and costs are apart.
  std::optional<SizeFit::Guess> predict(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model) const;
  // Differs from what it was before wherever lookup may answer otherwise now. Read before a look-up, it says later
  // whether that one still holds.
  uint64_t changes() const;
  // Everything, ordered by task id, size, version, model.
  std::vector<HistoryRow> rows() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::rt
#endif
