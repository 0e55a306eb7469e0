// The area bound: a lower bound of the makespan from the work alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_AREABOUND_H
#define HSCHED_TRACE_AREABOUND_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hsched::rt {

// A class of tasks with equal times. Time: by kind of worker, in nanoseconds; negative if that kind cannot run them.
struct WorkClass {
  uint64_t Tasks = 0;
  std::vector<double> Time;
};

// A lower bound of the makespan on Workers[k] workers of kind k, with divisible tasks and without dependences: the
// value of the linear program.
//
//   minimise T,  sum over k of x[c][k] = Tasks[c],  sum over c of x[c][k] Time[c][k] <= Workers[k] T.
//
// (The area bound of Agullo, Beaumont, Eyraud-Dubois, Kumar, "Are static schedules so bad?".) It is computed from its
// dual: maximise `sum over c of Tasks[c] min over k of p[k] Time[c][k]` with `sum over k of p[k] Workers[k] = 1`. Each
// p gives a lower bound, so the result is one even if the search ends early. Exact, to five digits, for up to four
// kinds. Classes that no kind can run are left out.
double areaBound(const std::vector<WorkClass> &Classes, const std::vector<uint64_t> &Workers);

} // namespace hsched::rt
#endif
