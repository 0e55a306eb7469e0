// Disjoint intervals in order of address, found by their beginning in constant time and by any address in logarithmic
// time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intervals form a list. A hash table finds them by their beginnings, because programs name the same data again and
// again. Other addresses are searched in sorted blocks of beginnings, indexed by a tree on the first one. The tree has
// one node for about sixty intervals, so neighbours need only one lookup.
#ifndef HSCHED_GRAPH_INTERVALINDEX_H
#define HSCHED_GRAPH_INTERVALINDEX_H

#include "base/BlockPool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace hsched::rt {

// Node has uintptr_t Begin and End, Node *Prev and *Next; it is constructible without arguments and keeps its address.
// One thread at a time. Functions that insert may throw std::bad_alloc, without effect.
template <class Node> class IntervalIndex {
public:
  IntervalIndex() = default;
  ~IntervalIndex() { clear(); }
  IntervalIndex(const IntervalIndex &) = delete;
  IntervalIndex &operator=(const IntervalIndex &) = delete;

  Node *first() const { return Head; }
  size_t size() const { return Count; }

  // The first interval that ends after Address; null: there is none.
  Node *find(uintptr_t Address) const {
    if (Near && Near->Begin <= Address) { // Programs access memory in order.
      if (Address < Near->End)
        return Near;
      Node *N = Near->Next;
      if (!N || Address < N->End)
        return N;
    }
    if (Node *N = findBegin(Address))
      return N;
    return findInBlocks(Address);
  }

  // The interval that begins at Begin, or null.
  Node *findBegin(uintptr_t Begin) const {
    if (Table.empty())
      return nullptr;
    for (size_t I = slotOf(Begin);; I = (I + 1) & Mask) {
      Node *N = Table[I];
      if (!N || N->Begin == Begin)
        return N;
    }
  }

  // Inserts [Begin, End), which overlaps no interval, in front of Next. Null: at the end.
  Node &insert(uintptr_t Begin, uintptr_t End, Node *Next) {
    if ((Count + 1) * 8 > Table.size() * 5)
      rehash(std::max<size_t>(FewSlots, Table.size() * 2));
    Node *N = new (allocateBlock(sizeof(Node))) Node();
    N->Begin = Begin;
    N->End = End;
    try {
      addToBlocks(*N);
    } catch (...) {
      destroy(*N);
      throw;
    }
    addToTable(*N);
    N->Next = Next;
    N->Prev = Next ? Next->Prev : Tail;
    (N->Prev ? N->Prev->Next : Head) = N;
    (Next ? Next->Prev : Tail) = N;
    ++Count;
    return *N;
  }

  // Returns the next interval.
  Node *erase(Node &N) {
    removeFromBlocks(N);
    removeFromTable(N);
    Node *Next = N.Next;
    (N.Prev ? N.Prev->Next : Head) = Next;
    (Next ? Next->Prev : Tail) = N.Prev;
    if (Near == &N)
      Near = nullptr;
    --Count;
    destroy(N);
    return Next;
  }

  // Erases all intervals for which Drop(Node &) is true, in order. Linear in the number of intervals.
  template <class Fn> void eraseIf(Fn Drop) {
    size_t Before = Count;
    Near = nullptr;
    Node **Link = &Head, *Last = nullptr;
    while (Node *N = *Link) {
      if (Drop(*N)) {
        *Link = N->Next;
        --Count;
        destroy(*N);
      } else {
        N->Prev = Last;
        Last = N;
        Link = &N->Next;
      }
    }
    Tail = Last;
    if (Count == Before)
      return;
    // Rebuilds everything else.
    Blocks.clear();
    Recent = nullptr;
    Table.clear();
    if (Count == 0) {
      Table.shrink_to_fit();
      return;
    }
    size_t Slots = FewSlots;
    while (Count * 8 > Slots * 5)
      Slots *= 2;
    rehash(Slots);
    for (Node *N = Head; N; N = N->Next)
      addToBlocks(*N);
  }

  // A hint: the next find is probably near N.
  void stay(Node *N) { Near = N; }

  void clear() {
    eraseIf([](Node &) { return true; });
  }

private:
  // The intervals that begin in [its key in Blocks, the next one's): at least one, but for the first block.
  struct Block {
    static constexpr unsigned Room = 60;
    uintptr_t Limit = UINTPTR_MAX; // Key of the next block.
    uintptr_t Fence = 0;           // Key of this block.
    unsigned Used = 0;
    std::array<uintptr_t, Room> Begins;
    std::array<Node *, Room> Nodes;

    // Number of beginnings at or before Address.
    unsigned upTo(uintptr_t Address) const {
      if (Used && Begins[Used - 1] <= Address) // Data are often named in ascending order.
        return Used;
      return static_cast<unsigned>(std::upper_bound(Begins.begin(), Begins.begin() + Used, Address) - Begins.begin());
    }
    void insertAt(unsigned I, Node &N) {
      std::copy_backward(Begins.begin() + I, Begins.begin() + Used, Begins.begin() + Used + 1);
      std::copy_backward(Nodes.begin() + I, Nodes.begin() + Used, Nodes.begin() + Used + 1);
      Begins[I] = N.Begin;
      Nodes[I] = &N;
      ++Used;
    }
  };
  using BlockMap = std::map<uintptr_t, Block>;

  static constexpr size_t FewSlots = 64;

  static void destroy(Node &N) {
    N.~Node();
    freeBlock(&N, sizeof(Node));
  }

  // --- by beginning: open addressing, never more than five eighths full

  size_t slotOf(uintptr_t Begin) const { return (Begin * 0x9e3779b97f4a7c15u) >> Shift & Mask; }

  void addToTable(Node &N) {
    size_t I = slotOf(N.Begin);
    while (Table[I])
      I = (I + 1) & Mask;
    Table[I] = &N;
  }

  void removeFromTable(Node &N) {
    size_t I = slotOf(N.Begin);
    while (Table[I] != &N)
      I = (I + 1) & Mask;
    // Deletion by backward shift: later entries of the probe sequence move up, so no tombstone is needed.
    for (size_t J = I;;) {
      Table[I] = nullptr;
      do {
        J = (J + 1) & Mask;
        if (!Table[J])
          return;
      } while (((J - slotOf(Table[J]->Begin)) & Mask) < ((J - I) & Mask));
      Table[I] = Table[J];
      I = J;
    }
  }

  void rehash(size_t Slots) {
    std::vector<Node *> Fresh(Slots);
    Table.swap(Fresh);
    Mask = Slots - 1;
    Shift = 64 - static_cast<unsigned>(std::countr_zero(Slots));
    for (Node *N = Head; N; N = N->Next)
      addToTable(*N);
  }

  // --- by address

  Block &blockFor(uintptr_t Address) const {
    if (Recent && Recent->Fence <= Address && Address < Recent->Limit)
      return *Recent;
    Recent = const_cast<Block *>(&std::prev(Blocks.upper_bound(Address))->second);
    return *Recent;
  }

  Node *findInBlocks(uintptr_t Address) const {
    if (Count == 0)
      return nullptr;
    const Block &B = blockFor(Address);
    unsigned I = B.upTo(Address);
    // The last interval that begins at or before Address, in this block or an earlier one. Otherwise the first of all.
    Node *N = I > 0 ? B.Nodes[I - 1] : B.Used > 0 ? B.Nodes[0]->Prev : nullptr;
    if (!N)
      return Head;
    return Address < N->End ? N : N->Next;
  }

  void addToBlocks(Node &N) {
    if (Blocks.empty())
      Recent = &Blocks[0];
    Block *B = &blockFor(N.Begin);
    unsigned I = B->upTo(N.Begin);
    if (B->Used == Block::Room) {
      // Ascending insertion fills blocks completely. Otherwise the block is halved.
      unsigned Keep = I == Block::Room ? Block::Room : Block::Room / 2;
      uintptr_t Fence = Keep == Block::Room ? N.Begin : B->Begins[Keep];
      Block &New = Blocks[Fence];
      New.Fence = Fence;
      New.Limit = std::exchange(B->Limit, Fence);
      New.Used = Block::Room - Keep;
      std::copy_n(B->Begins.begin() + Keep, New.Used, New.Begins.begin());
      std::copy_n(B->Nodes.begin() + Keep, New.Used, New.Nodes.begin());
      B->Used = Keep;
      if (I > Keep || Keep == Block::Room) {
        B = &New;
        I -= Keep;
      }
      Recent = B;
    }
    B->insertAt(I, N);
  }

  void removeFromBlocks(Node &N) {
    Block &B = blockFor(N.Begin);
    unsigned I = B.upTo(N.Begin) - 1;
    std::copy(B.Begins.begin() + I + 1, B.Begins.begin() + B.Used, B.Begins.begin() + I);
    std::copy(B.Nodes.begin() + I + 1, B.Nodes.begin() + B.Used, B.Nodes.begin() + I);
    if (--B.Used == 0 && B.Fence != 0) {
      auto It = Blocks.find(B.Fence);
      std::prev(It)->second.Limit = B.Limit;
      Recent = nullptr;
      Blocks.erase(It);
    }
  }

  Node *Head = nullptr, *Tail = nullptr;
  Node *Near = nullptr;
  size_t Count = 0;

  std::vector<Node *> Table; // A power-of-two number of slots, or none.
  size_t Mask = 0;
  unsigned Shift = 0;

  BlockMap Blocks; // Key 0 is the first block.
  mutable Block *Recent = nullptr;
};

} // namespace hsched::rt
#endif
