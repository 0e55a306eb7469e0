// A table keyed by task type and size class. Lookups take no lock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PERFMODEL_GROUPTABLE_H
#define HSCHED_PERFMODEL_GROUPTABLE_H

#include "base/SizeClass.h"
#include "graph/TaskType.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace hsched::rt {

// Entries are only added, and keep their address as long as the table. Thread-safe; a payload does its own locking.
// Payload is constructible from (const TaskType &, SizeClass Size).
template <class Payload> class GroupTable {
public:
  GroupTable() : Buckets(static_cast<std::atomic<Node *> *>(std::calloc(NumBuckets, sizeof(std::atomic<Node *>)))) {
    if (!Buckets)
      throw std::bad_alloc();
  }
  GroupTable(const GroupTable &) = delete;
  GroupTable &operator=(const GroupTable &) = delete;
  ~GroupTable() {
    for (Node *N = Last.load(std::memory_order_relaxed); N;)
      delete std::exchange(N, N->Earlier);
  }

  // Null when there is none yet.
  Payload *find(const TaskType &Type, SizeClass Size) const {
    return findFrom(bucketOf(Type, Size).load(std::memory_order_acquire), Type, Size);
  }

  Payload &findOrAdd(const TaskType &Type, SizeClass Size) {
    auto &Head = Buckets[indexOf(Type, Size)];
    Node *First = Head.load(std::memory_order_acquire);
    if (Payload *P = findFrom(First, Type, Size))
      return *P;
    auto Fresh = std::make_unique<Node>(Type, Size);
    for (;;) {
      Fresh->Next = First;
      if (Head.compare_exchange_weak(First, Fresh.get(), std::memory_order_acq_rel, std::memory_order_acquire)) {
        Node *New = Fresh.release();
        New->Earlier = Last.load(std::memory_order_relaxed);
        while (!Last.compare_exchange_weak(New->Earlier, New, std::memory_order_release, std::memory_order_relaxed)) {
        }
        return New->Value;
      }
      if (Payload *P = findFrom(First, Type, Size)) // Another thread added it first.
        return *P;
    }
  }

  // Visits the entries present at the call, in any order: the type's id (the type may be destroyed), size,
  // payload.
  template <class Visitor> void forEach(Visitor Visit) const {
    for (Node *N = Last.load(std::memory_order_acquire); N; N = N->Earlier)
      Visit(N->Id, N->Size, N->Value);
  }

private:
  struct Node {
    Node(const TaskType &Type, SizeClass Size) : Type(&Type), Id(Type.Id), Size(Size), Value(Type, Size) {}
    const TaskType *Type;
    uint32_t Id; // Differs if a later type got the memory of this one.
    SizeClass Size;
    Node *Next = nullptr;    // In its bucket.
    Node *Earlier = nullptr; // In the list of all entries.
    Payload Value;
  };

  // Chains stay short up to some hundred thousand sizes. Beyond that lookups become slower.
  static constexpr size_t BucketBits = 14, NumBuckets = size_t(1) << BucketBits;

  static size_t indexOf(const TaskType &Type, SizeClass Size) {
    uint64_t Mixed = (Size ^ (uint64_t(Type.Id) << 40)) * 0x9e3779b97f4a7c15u; // Fibonacci hashing.
    return Mixed >> (64 - BucketBits);
  }
  const std::atomic<Node *> &bucketOf(const TaskType &Type, SizeClass Size) const {
    return Buckets[indexOf(Type, Size)];
  }
  static Payload *findFrom(Node *N, const TaskType &Type, SizeClass Size) {
    for (; N; N = N->Next)
      if (N->Size == Size && N->Type == &Type && N->Id == Type.Id)
        return &N->Value;
    return nullptr;
  }

  struct Free {
    void operator()(std::atomic<Node *> *Memory) const { std::free(Memory); }
  };
  // From calloc, and of a size that the C library maps: pages without an entry are never touched. That saves most of
  // the table's cost in a short program.
  const std::unique_ptr<std::atomic<Node *>[], Free> Buckets;
  std::atomic<Node *> Last{nullptr}; // The latest entry.
};

} // namespace hsched::rt
#endif
