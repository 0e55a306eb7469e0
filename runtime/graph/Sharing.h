// A domain that several threads submit in at once: each in a part of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part has the fragments and tiles of the memory that is its own, a lock, and an open bundle; no byte is in two
// parts. Who submits takes its part's lock, and that is all where the memory that it names is its part's already.
// Otherwise it claims that memory: with Sharing's lock and those of the parts concerned held, what they know of it is
// moved over. So a task is always linked within one part, with one lock held, and two tasks that name the same bytes
// have been linked in one order. Memory that nobody has is claimed by the page, where nobody else has any of that.
//
// While one part knows of no memory but its own, and the others of none, it is Sole, and keeps no account of what it
// owns: programs with one thread that submits pay for a flag.
#ifndef HSCHED_GRAPH_SHARING_H
#define HSCHED_GRAPH_SHARING_H

#include "graph/DomainState.h"

namespace hsched::rt {

struct DependenceDomain::Sharing {
  explicit Sharing(State &First) { All[0] = &First; }
  ~Sharing();
  Sharing(const Sharing &) = delete;
  Sharing &operator=(const Sharing &) = delete;

  // The calling thread's part, made if it has none yet.
  State &ofThread() {
    State *S = All[numberOfThread() % MostParts].load(std::memory_order_acquire);
    return S ? *S : make(numberOfThread() % MostParts);
  }
  State *part(unsigned I) const { return All[I].load(std::memory_order_acquire); }
  unsigned parts() const { return Used.load(); }

  // S's lock, under which S owns all of the sections. What other parts knew of them, and what became ready when their
  // open groups and bundles were closed for that, is S's.
  std::unique_lock<SpinLock> claim(State &S, std::span<const ItemSection> Sections);
  std::unique_lock<SpinLock> claim(State &S, std::span<const Access> Sections);
  // The same for a thread that has Guard, S's lock: given up meanwhile where something is not S's yet.
  template <class List>
  static void ensure(Sharing *Others, State &S, std::unique_lock<SpinLock> &Guard, const List &Sections) {
    if (S.Sole || S.owns(Sections)) [[likely]]
      return;
    Guard.unlock();
    Guard = Others->claim(S, Sections);
  }
  // State's sweep, of all parts.
  void sweep(bool ForgetFailures);

  std::atomic<size_t> Claimed{0};

private:
  struct Range {
    uintptr_t Begin, End;
  };
  static unsigned numberOfThread(); // No other living thread's, and small.
  State &make(unsigned Part);
  template <class List> std::unique_lock<SpinLock> claimAll(State &S, const List &Sections);
  bool concerns(unsigned Own, Range R) const; // Whether another part owns any of it.
  void ownAll(unsigned Part);
  void takeOver(unsigned Own, Range R);
  void move(unsigned From, unsigned To, Range R);

  std::mutex Lock;                     // Taken before any part's.
  std::array<Claims, MostParts> Owned; // By part: the same set as its own, which others may not look at.
  std::array<std::atomic<State *>, MostParts> All{};
  std::atomic<unsigned> Used{1}; // All parts there are come before.
};

} // namespace hsched::rt
#endif
