// The TaskVersionSet table: one group a task and data-set size, one set of statistics a version in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/History.h"

#include "perfmodel/GroupTable.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <tuple>

namespace hsched::rt {

double RunStats::deviationNs() const { return Runs < 2 ? 0 : std::sqrt(M2 / static_cast<double>(Runs - 1)); }

namespace {

// Lock is held for a few instructions; only users of the same task and size meet there.
struct VersionGroup {
  VersionGroup(const TaskType &, SizeClass) {}
  std::mutex Lock;
  std::vector<RunStats> Stats; // by version; guarded by Lock
};

} // namespace

struct History::Impl {
  GroupTable<VersionGroup> Groups;
  std::atomic<uint64_t> Changes{0};
};

History::History() : I(std::make_unique<Impl>()) {}
History::~History() = default;

void History::record(const TaskType &Type, SizeClass Size, unsigned Version, Duration Ran) {
  VersionGroup &G = I->Groups.findOrAdd(Type, Size);
  std::lock_guard Guard(G.Lock);
  if (G.Stats.size() <= Version)
    G.Stats.resize(Version + 1);
  G.Stats[Version].add(static_cast<double>(Ran.count()));
  I->Changes.fetch_add(1, std::memory_order_release);
}

uint64_t History::changes() const { return I->Changes.load(std::memory_order_acquire); }

RunStats History::lookup(const TaskType &Type, SizeClass Size, unsigned Version) const {
  VersionGroup *G = I->Groups.find(Type, Size);
  if (!G)
    return {};
  std::lock_guard Guard(G->Lock);
  return Version < G->Stats.size() ? G->Stats[Version] : RunStats{};
}

std::vector<HistoryRow> History::rows() const {
  std::vector<HistoryRow> Rows;
  I->Groups.forEach([&](const TaskType &Type, SizeClass Size, VersionGroup &G) {
    std::lock_guard Guard(G.Lock);
    for (unsigned V = 0; V < G.Stats.size(); ++V)
      if (G.Stats[V].Runs)
        Rows.push_back({&Type, Size, V, G.Stats[V]});
  });
  std::ranges::sort(Rows, {}, [](const HistoryRow &R) { return std::tuple(R.Type->Id, R.Size, R.Version); });
  return Rows;
}

} // namespace hsched::rt
