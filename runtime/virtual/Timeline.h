// The event queue of virtual time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_TIMELINE_H
#define HSCHED_VIRTUAL_TIMELINE_H

#include "base/ManualClock.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace hsched::rt::virt {

// Plain values. The same input gives the same sequence.
struct TimelineEvent {
  enum Kind : uint8_t {
    SubmissionEnds, // The main thread may submit the next task.
    RunEnds,        // On worker Index.
    LatencyEnds,    // The operation at the head of stream Index starts to move data.
    NetworkChanges, // A transfer ends, unless Stamp is outdated.
    DeviceOpens,    // Worker Index.
    DeviceIsSetUp,  // Worker Index.
    AsksAgain       // Worker Index searches for tasks.
  };
  TimePoint At;
  uint64_t Serial; // Order of simultaneous happenings: by planning.
  Kind What;
  uint32_t Index;
  uint64_t Stamp;
};

// Not thread-safe.
class Timeline {
public:
  const ManualClock &clock() const { return Time; }
  TimePoint now() const { return Time.now(); }

  void plan(TimePoint At, TimelineEvent::Kind What, uint32_t Index = 0, uint64_t Stamp = 0) {
    Planned.push({At, Serial++, What, Index, Stamp});
  }
  // Takes the next one and sets the clock to its time. False: none is left.
  bool next(TimelineEvent &Out) {
    if (Planned.empty())
      return false;
    Out = Planned.top();
    Planned.pop();
    Time.advanceTo(Out.At);
    return true;
  }

private:
  struct Later {
    bool operator()(const TimelineEvent &A, const TimelineEvent &B) const {
      return A.At != B.At ? A.At > B.At : A.Serial > B.Serial;
    }
  };
  ManualClock Time;
  uint64_t Serial = 0;
  std::priority_queue<TimelineEvent, std::vector<TimelineEvent>, Later> Planned;
};

} // namespace hsched::rt::virt
#endif
