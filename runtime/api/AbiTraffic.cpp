// The directory's counters in the C ABI: include/hsched/abi.h documents them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Runtime.h"
#include <hsched/abi.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

using namespace hsched::rt;

extern "C" size_t hsched_traffic_snapshot(unsigned By, hsched_traffic *Entries, size_t N, size_t EntryBytes) {
  Runtime *R = Runtime::usable();
  if (!R)
    return 0;
  const Platform &Machine = R->executor().platform();
  // Keyed by name, because one task may be registered as several types. "": transfers that no task needed; NoWorker: no
  // device.
  std::map<std::pair<WorkerId, std::string_view>, std::pair<const char *, Traffic>> Sums;
  for (const Directory::TrafficEntry &E : R->data().traffic()) {
    const char *Task = By & HSCHED_TRAFFIC_BY_TASK ? (E.Task ? E.Task : "") : "";
    auto &[Name, Sum] = Sums[{By & HSCHED_TRAFFIC_BY_DEVICE ? E.Worker : NoWorker, Task}];
    Name = By & HSCHED_TRAFFIC_BY_TASK ? Task : nullptr;
    Sum += E.Sum;
  }
  size_t Count = 0;
  for (const auto &[Key, Value] : Sums) {
    if (Count++ >= N)
      continue;
    const Traffic &Sum = Value.second;
    hsched_traffic Entry{};
    Entry.struct_bytes = std::min(EntryBytes, sizeof(Entry));
    Entry.device = Key.first == NoWorker ? nullptr : Machine.Workers[Key.first].Name.c_str();
    Entry.task = Value.first;
    Entry.input_bytes = Sum.InputBytes;
    Entry.output_bytes = Sum.OutputBytes;
    Entry.device_bytes = Sum.DeviceBytes;
    Entry.inputs = Sum.Inputs;
    Entry.outputs = Sum.Outputs;
    Entry.device_copies = Sum.DeviceCopies;
    Entry.lookups = Sum.Lookups;
    Entry.hits = Sum.Hits;
    // Entries of older programs are shorter, of newer ones longer.
    std::memcpy(reinterpret_cast<char *>(Entries) + (Count - 1) * EntryBytes, &Entry, Entry.struct_bytes);
  }
  return Count;
}
