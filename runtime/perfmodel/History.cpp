// The TaskVersionSet table: one group per task type and size class, with statistics per version and kind of
// worker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/History.h"

#include "perfmodel/GroupTable.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

namespace hsched::rt {

namespace {

unsigned slotOf(unsigned Version, ModelId Model) { return Model * MaxVersions + Version; }
unsigned versionOf(unsigned Slot) { return Slot % MaxVersions; }
ModelId modelOf(unsigned Slot) { return static_cast<ModelId>(Slot / MaxVersions); }

// Lock is held for a few instructions; only users of one task type and size contend.
struct SizeGroup {
  SizeGroup(const TaskType &, SizeClass) {}
  std::mutex Lock;
  std::vector<std::pair<unsigned, RunStats>> Stats; // By slot, unordered because there are few; guarded by Lock.

  const RunStats *find(unsigned Slot) const {
    const auto It = std::ranges::find(Stats, Slot, &std::pair<unsigned, RunStats>::first);
    return It != Stats.end() ? &It->second : nullptr;
  }
  // Statistics of the slot itself, or of any device.
  const RunStats *known(unsigned Slot) const {
    const RunStats *Own = find(Slot);
    return Own || modelOf(Slot) == CpuModel ? Own : find(slotOf(versionOf(Slot), AnyDevice));
  }
  RunStats &at(unsigned Slot) {
    for (auto &[Of, Own] : Stats)
      if (Of == Slot)
        return Own;
    const RunStats *From = known(Slot);
    return Stats.emplace_back(Slot, From ? RunStats(*From) : RunStats()).second;
  }
};

// The fit of one version on one kind of worker over all sizes. Its key has a slot in place of a size.
struct Curve {
  Curve(const TaskType &, SizeClass) {}
  std::mutex Lock;
  std::array<SizeFit, 2> Fits; // By bytes, by cost; guarded by Lock.
};

// Runs of one size improve the fit only in the beginning.
constexpr uint64_t FittedAlways = 32, FittedEach = 16;

} // namespace

struct History::Impl {
  GroupTable<SizeGroup> Groups;
  GroupTable<Curve> Curves;
  std::atomic<uint64_t> Changes{0};

  const Before Known;
  std::mutex SeedLock;
  std::set<std::pair<const TaskType *, uint32_t>> Asked; // Types, with their ids; guarded by SeedLock.

  explicit Impl(Before Known) : Known(std::move(Known)) {}

  void fit(const TaskType &Type, SizeClass Size, unsigned Slot, double Ns) {
    Curve &C = Curves.findOrAdd(Type, Slot);
    std::lock_guard Guard(C.Lock);
    C.Fits[costOf(Size) ? 1 : 0].add(valueOf(Size), Ns);
  }

  // Called before the first lookup of a type.
  void seed(const TaskType &Type) {
    if (!Known)
      return;
    std::lock_guard Guard(SeedLock);
    if (!Asked.emplace(&Type, Type.Id).second)
      return;
    for (const HistoryRow &Row : Known(Type)) {
      const unsigned Slot = slotOf(Row.Version, Row.Model);
      for (float Ns : Row.Stats.recent())
        fit(Type, Row.Size, Slot, Ns);
      SizeGroup &G = Groups.findOrAdd(Type, Row.Size);
      std::lock_guard GroupGuard(G.Lock);
      if (RunStats &S = G.at(Slot); S.Runs == 0)
        S = Row.Stats;
    }
    Changes.fetch_add(1, std::memory_order_release);
  }
};

History::History(Before Known) : I(std::make_unique<Impl>(std::move(Known))) {}
History::~History() = default;

void History::record(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model, Duration Ran) {
  const unsigned Slot = slotOf(Version, Model);
  const auto Ns = static_cast<double>(Ran.count());
  SizeGroup *G = I->Groups.find(Type, Size);
  if (!G) {
    I->seed(Type);
    G = &I->Groups.findOrAdd(Type, Size);
  }
  uint64_t Runs;
  {
    std::lock_guard Guard(G->Lock);
    RunStats &S = G->at(Slot);
    S.add(Ns);
    Runs = S.Runs;
  }
  if (Runs <= FittedAlways || Runs % FittedEach == 0)
    I->fit(Type, Size, Slot, Ns);
  I->Changes.fetch_add(1, std::memory_order_release);
}

uint64_t History::changes() const { return I->Changes.load(std::memory_order_acquire); }

RunStats History::lookup(const TaskType &Type, SizeClass Size, unsigned Version, ModelId Model) const {
  SizeGroup *G = I->Groups.find(Type, Size);
  if (!G && I->Known) {
    I->seed(Type);
    G = I->Groups.find(Type, Size);
  }
  if (!G)
    return {};
  std::lock_guard Guard(G->Lock);
  const RunStats *Known = G->known(slotOf(Version, Model));
  return Known ? *Known : RunStats{};
}

// Calls Ask(fit) for a version on one kind of worker. Null: nothing is known.
template <class Fn>
static auto askFit(const GroupTable<Curve> &Curves, const TaskType &Type, SizeClass Size, unsigned Version,
                   ModelId Model, Fn Ask) {
  Curve *C = Curves.find(Type, slotOf(Version, Model));
  if (!C && Model != CpuModel)
    C = Curves.find(Type, slotOf(Version, AnyDevice));
  if (!C)
    return decltype(Ask(SizeFit()))();
  std::lock_guard Guard(C->Lock);
  return Ask(C->Fits[costOf(Size) ? 1 : 0]);
}

std::optional<SizeFit::Guess> History::predict(const TaskType &Type, SizeClass Size, unsigned Version,
                                               ModelId Model) const {
  I->seed(Type);
  return askFit(I->Curves, Type, Size, Version, Model, [&](const SizeFit &F) { return F.predict(valueOf(Size)); });
}

std::optional<SizeFit::Neighbour> History::neighbour(const TaskType &Type, SizeClass Size, unsigned Version,
                                                     ModelId Model) const {
  I->seed(Type);
  return askFit(I->Curves, Type, Size, Version, Model, [&](const SizeFit &F) { return F.neighbour(valueOf(Size)); });
}

std::vector<HistoryRow> History::rows() const {
  std::vector<HistoryRow> Rows;
  I->Groups.forEach([&](uint32_t Type, SizeClass Size, SizeGroup &G) {
    std::lock_guard Guard(G.Lock);
    for (const auto &[Slot, Stats] : G.Stats)
      if (Stats.Runs && modelOf(Slot) != AnyDevice)
        Rows.push_back({Type, Size, versionOf(Slot), modelOf(Slot), Stats});
  });
  std::ranges::sort(Rows, {}, [](const HistoryRow &R) { return std::tuple(R.Type, R.Size, R.Version, R.Model); });
  return Rows;
}

} // namespace hsched::rt
