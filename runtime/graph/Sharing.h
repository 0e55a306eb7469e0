// A domain in which several threads submit at once, each in its own part.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part has a lock, an open bundle, and the fragments and tiles of the memory that it owns; no byte is in two parts. A
// submission takes its part's lock. That suffices if its part owns the memory that it names. Otherwise it claims the
// memory: with Sharing's lock and the locks of the other owners held, their records are moved over. So a task is linked
// within one part, under one lock, and two tasks that name the same bytes are linked in one order. Memory without an
// owner is claimed by the page, if no other part owns any of the page.
//
// While only one part knows any memory, it is Sole and does not record what it owns. A program with one submitting
// thread pays only for a flag.
#ifndef HSCHED_GRAPH_SHARING_H
#define HSCHED_GRAPH_SHARING_H

#include "graph/DomainState.h"

namespace hsched::rt {

struct DependenceDomain::Sharing {
  explicit Sharing(State &First) { All[0] = &First; }
  ~Sharing();
  Sharing(const Sharing &) = delete;
  Sharing &operator=(const Sharing &) = delete;

  // The calling thread's part, made at the first call.
  State &ofThread() {
    State *S = All[numberOfThread() % MostParts].load(std::memory_order_acquire);
    return S ? *S : make(numberOfThread() % MostParts);
  }
  State *part(unsigned I) const { return All[I].load(std::memory_order_acquire); }
  unsigned parts() const { return Used.load(); }

  // Returns S's lock, under which S owns all of the sections. Records of other parts are moved to S. So are tasks that
  // became ready because their open groups and bundles were closed.
  std::unique_lock<SpinLock> claim(State &S, std::span<const ItemSection> Sections);
  std::unique_lock<SpinLock> claim(State &S, std::span<const Access> Sections);
  // The same for a thread that holds Guard, S's lock. The lock is released meanwhile if S does not own a section.
  template <class List>
  static void ensure(Sharing *Others, State &S, std::unique_lock<SpinLock> &Guard, const List &Sections) {
    if (S.Sole || S.owns(Sections)) [[likely]]
      return;
    Guard.unlock();
    Guard = Others->claim(S, Sections);
  }
  // State::sweep for all parts.
  void sweep(bool ForgetFailures);

  std::atomic<size_t> Claimed{0};

private:
  struct Range {
    uintptr_t Begin, End;
  };
  static unsigned numberOfThread(); // A small number that no other living thread has.
  State &make(unsigned Part);
  template <class List> std::unique_lock<SpinLock> claimAll(State &S, const List &Sections);
  bool concerns(unsigned Own, Range R) const; // True if another part owns some of R.
  void ownAll(unsigned Part);
  void takeOver(unsigned Own, Range R);
  void move(unsigned From, unsigned To, Range R);

  std::mutex Lock;                     // Taken before any part's.
  std::array<Claims, MostParts> Owned; // By part: a copy of its Owned, which other threads may not read.
  std::array<std::atomic<State *>, MostParts> All{};
  std::atomic<unsigned> Used{1}; // All existing parts have smaller indices.
};

} // namespace hsched::rt
#endif
