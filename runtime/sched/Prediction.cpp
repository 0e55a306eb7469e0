// What is known of a task's candidates, in one call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Policy.h"

#include <array>
#include <optional>

namespace hsched::rt {

void PolicyHost::predict(const Task &T, std::vector<Prediction> &Out) {
  const Load::Ns Now = clock().now().time_since_epoch().count();
  const unsigned N = T.Type->numVersions();
  std::array<std::optional<RunStats>, MaxVersions> Known;
  // Workers of one memory stand side by side: what their data would take is asked once.
  MemoryNode Asked = HostNode;
  std::optional<Duration> Travel;
  for (const Worker &W : platform().Workers)
    for (unsigned I = 0; I < N; ++I) {
      const Version &V = T.Type->Versions[I];
      if (!Platform::usable(W, V, T))
        continue;
      if (!Known[I])
        Known[I] = history().lookup(*T.Type, T.sizeClass(), I);
      if (!Travel || Asked != W.Node)
        Travel = transferTime(T, Asked = W.Node);
      Duration Wait(0);
      if (W.Id < Busy.size())
        Wait = Duration(Busy[W.Id].remaining(Now) + Busy[W.Id].queuedNs());
      Out.push_back({W.Id, &V, Duration(static_cast<Load::Ns>(Known[I]->MeanNs + 0.5)), Known[I]->Runs, *Travel, Wait,
                     W.Kind != DeviceKind::Cpu});
    }
}

} // namespace hsched::rt
