// Direct commands: passed to their vendor in the call, without a command object in the platform.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most commands have no event for the program. Such a command is passed on at once if all commands before it in
// its queue have been. It goes to the in-order vendor queue (lane) with its conflicting predecessors. The
// platform only records its data in the lane's record: no object, no vendor event. A command that conflicts with
// several lanes waits for a marker in each of the others. Commands with an event or a wait list have a node in
// the graph. Before such a node is linked, one node is made that represents all direct commands
// (Queue::standIn).
#ifndef HSCHED_ICD_DIRECT_H
#define HSCHED_ICD_DIRECT_H

#include "icd/Command.h"

namespace hsched::icd {

// The data of a command.
struct Touch {
  std::vector<Use> Uses;
  std::vector<HostUse> HostUses;
  bool Fence = false; // It conflicts with everything.

  void uses(Memory &M, size_t First, size_t Bytes, bool Reads, bool Writes);
  void uses(Memory &M, bool Reads, bool Writes) { uses(M, 0, M.bytes(), Reads, Writes); }
  void usesHost(const void *First, size_t Bytes, bool Writes) { HostUses.push_back({First, Bytes, Writes}); }
  // True if it accesses objects that are not plain.
  bool usesData() const;
};

// The data used by a lane's commands since it was last empty. On overflow it conflicts with everything.
class Record {
public:
  bool conflicts(const Touch &T) const;
  void add(const Touch &T) { add(T.Uses, T.HostUses, T.Fence); }
  void add(const std::vector<Use> &Uses, const std::vector<HostUse> &HostUses, bool Fence);
  void add(const Record &R) { add(R.Used); }
  bool isEmpty() const { return Used.Uses.empty() && Used.HostUses.empty() && !Used.Fence; }
  bool isFull() const { return Used.Uses.size() >= MostPlaces || Used.HostUses.size() >= MostPlaces; }
  const Touch &used() const { return Used; }

private:
  static constexpr size_t MostPlaces = 128;
  void add(const Use &U);
  void add(const HostUse &U);
  Touch Used;
};

bool conflict(const std::vector<Use> &A, const std::vector<HostUse> &AHost, const std::vector<Use> &B,
              const std::vector<HostUse> &BHost);

// A reference to the function that starts a command at a vendor.
class Start {
public:
  template <class F>
  Start(F &Do)
      : Its(&Do), Call([](void *Its, const Target &To, cl_uint N, const cl_event *Waits, cl_event *Out) -> cl_int {
          return (*static_cast<F *>(Its))(To, N, Waits, Out);
        }) {}
  cl_int operator()(const Target &To, cl_uint N, const cl_event *Waits, cl_event *Out) const {
    return Call(Its, To, N, Waits, Out);
  }

private:
  void *Its;
  cl_int (*Call)(void *, const Target &, cl_uint, const cl_event *, cl_event *);
};

} // namespace hsched::icd
#endif
