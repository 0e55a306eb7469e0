// Commands that go to their vendor in the call, and that the platform keeps no command for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most commands have no event that the program asks for. Such a command is handed over at once if all before it in its
// queue has been handed over: it goes behind what it conflicts with, in the same in-order queue of the vendor's. The
// platform keeps what it uses, in the record of that queue (its lane), and nothing else: no object, no vendor's event.
// A command that conflicts with several lanes waits for a marker in each of the others. Commands that have an event, or
// wait for one, have a node in the graph; before such a node is linked, one node is made that stands for all that went
// directly (Queue::standIn).
#ifndef HSCHED_ICD_DIRECT_H
#define HSCHED_ICD_DIRECT_H

#include "icd/Command.h"

namespace hsched::icd {

// What a command uses.
struct Touch {
  std::vector<Use> Uses;
  std::vector<HostUse> HostUses;
  bool Fence = false; // Conflicts with everything.

  void uses(Memory &M, size_t First, size_t Bytes, bool Reads, bool Writes);
  void uses(Memory &M, bool Reads, bool Writes) { uses(M, 0, M.bytes(), Reads, Writes); }
  void usesHost(const void *First, size_t Bytes, bool Writes) { HostUses.push_back({First, Bytes, Writes}); }
};

// What the commands of a lane have used since nothing was in it. What does not find room is a conflict with everything.
class Record {
public:
  bool conflicts(const Touch &T) const;
  void add(const Touch &T);
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

// Calls what a command does at a vendor, without a copy of it.
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
