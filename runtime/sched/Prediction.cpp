// Predictions for all candidates of a task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Policy.h"

#include <array>
#include <optional>

namespace hsched::rt {

void PolicyHost::predict(const Task &T, std::vector<Prediction> &Out) {
  const Load::Ns Now = clock().now().time_since_epoch().count();
  const unsigned N = T.Type->numVersions();
  struct Mean {
    ModelId Model = CpuModel;
    Duration Run{0};
    uint64_t Runs = 0;
  };
  std::array<std::optional<Mean>, MaxVersions> Known; // Means of the last kind of worker.
  // Workers of one memory node are adjacent, so their transfer time is queried once.
  MemoryNode Asked = HostNode;
  std::optional<Duration> Travel;
  for (const Worker &W : platform().Workers)
    for (unsigned I = 0; I < N; ++I) {
      const Version &V = T.Type->Versions[I];
      if (!Platform::usable(W, V, T))
        continue;
      if (!Known[I] || Known[I]->Model != W.Model) {
        const RunStats Stats = history().lookup(*T.Type, T.sizeClass(), I, W.Model);
        Known[I] = Mean{W.Model, Duration(static_cast<Load::Ns>(Stats.MeanNs + 0.5)), Stats.Runs};
      }
      if (!Travel || Asked != W.Node)
        Travel = transferTime(T, Asked = W.Node);
      Duration Wait(0);
      if (W.Id < Busy.size())
        Wait = Duration(Busy[W.Id].remaining(Now) + Busy[W.Id].queuedNs());
      Out.push_back({W.Id, &V, Known[I]->Run, Known[I]->Runs, *Travel, Wait, W.Kind != DeviceKind::Cpu});
    }
}

} // namespace hsched::rt
