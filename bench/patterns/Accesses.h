// What one more access costs: tasks with 0 to 8 of them, alone and depending on each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_ACCESSES_H
#define HSCHED_BENCH_PATTERNS_ACCESSES_H

#include "Simple.h"

#include <string_view>
#include <utility>
#include <vector>

namespace bench {

inline constexpr size_t MostAccesses = 8;

// K `inout` each, all on data of the task's own.
template <size_t K> struct OwnData {
  // Without an access a task still has something to write, to be checked.
  static constexpr size_t Each = K == 0 ? 1 : K;
  struct Body {
    struct Args {
      Datum *First;
      uint64_t Step;
    };
    static void run(const Args &A) {
      for (size_t J = 0; J < Each; ++J)
        A.First[J].Value = A.First[J].Value * 3 + A.Step + J;
    }
  };
  explicit OwnData(size_t Divisor) : Count(20000 / Divisor), Data(Count * Each) {}
  size_t run() {
    ++Runs;
    rt::region([this] {
      rt::Group G;
      for (size_t I = 0; I < Count; ++I)
        [&]<size_t... J>(std::index_sequence<J...>) {
          G.submit<Body>({Data[I * Each], I}, After<0>{}, InOut{Data[I * Each + J]}...);
        }(std::make_index_sequence<K>{});
      G.wait();
    });
    return Count;
  }
  bool right() {
    for (size_t I = 0; I < Count * Each; ++I) {
      uint64_t Expected = 0;
      for (size_t R = 0; R < Runs; ++R)
        Expected = Expected * 3 + I / Each + I % Each;
      if (Data[I]->Value != Expected)
        return false;
    }
    return true;
  }
  size_t Count, Runs = 0;
  Adopted Data;
};

// Points on a ring, two buffers: K - 1 `in` around a point and 1 `out` in the other buffer; K = 4 is the stencil. With
// K = 1 each point is a chain of `inout`.
template <size_t K> struct Linked {
  static_assert(K >= 1);
  static constexpr size_t Width = 64;
  // The points that are read lie at 0, 1, -1, 2, -2, ... from the one that is written.
  static constexpr size_t neighbour(size_t I, size_t J) {
    return (J % 2 == 1 ? I + (J + 1) / 2 : I + Width - J / 2) % Width;
  }
  struct Body {
    struct Args {
      const Datum *From; // The whole buffer.
      Datum *To;
      uint64_t I, Step;
    };
    static void run(const Args &A) {
      A.To->Value = combine([&](size_t P) { return A.From[P].Value; }, A.I, A.Step);
    }
  };
  template <class F> static uint64_t combine(F Read, size_t I, size_t Step) {
    uint64_t Sum = I + Step;
    if constexpr (K == 1)
      return Read(I) * 3 + Sum;
    for (size_t J = 0; J + 1 < K; ++J)
      Sum = Sum * 3 + Read(neighbour(I, J));
    return Sum;
  }

  explicit Linked(size_t Divisor) : Steps(400 / Divisor / 2 * 2) {
    for (size_t I = 0; I < Width; ++I)
      Data[I]->Value = Serial[I] = I;
  }
  size_t run() {
    rt::region([this] {
      rt::Group G;
      for (size_t T = 0; T < Steps; ++T)
        for (size_t I = 0; I < Width; ++I)
          submit(G, T, I);
      G.wait();
    });
    ++Runs;
    return Steps * Width;
  }
  void submit(rt::Group &G, size_t T, size_t I) {
    if constexpr (K == 1) {
      G.submit<Body>({Data[0], Data[I], I, T}, After<1>{T == 0 ? -1 : static_cast<long>((T - 1) * Width + I)},
                     InOut{Data[I]});
    } else {
      size_t From = T % 2 * Width, To = Width - From;
      // Writers of what this reads, and readers of what this overwrites: the last step's tasks within this distance.
      constexpr size_t Reach = (K - 1) / 2, Earlier = 2 * Reach + 1;
      After<Earlier> Before;
      for (size_t J = 0; J < Earlier; ++J)
        Before[J] = T == 0 ? -1 : static_cast<long>((T - 1) * Width + (I + Width - Reach + J) % Width);
      [&]<size_t... J>(std::index_sequence<J...>) {
        G.submit<Body>({Data[From], Data[To + I], I, T}, Before, In{Data[From + neighbour(I, J)]}...,
                       Out{Data[To + I]});
      }(std::make_index_sequence<K - 1>{});
    }
  }
  bool right() { // Steps is even: each run ends in the first buffer.
    for (size_t T = 0; T < Steps * Runs; ++T) {
      std::vector<uint64_t> Next(Width);
      for (size_t I = 0; I < Width; ++I)
        Next[I] = combine([&](size_t P) { return Serial[P]; }, I, T % Steps);
      Serial.swap(Next);
    }
    Runs = 0;
    for (size_t I = 0; I < Width; ++I)
      if (Data[I]->Value != Serial[I])
        return false;
    return true;
  }
  size_t Steps, Runs = 0;
  std::vector<uint64_t> Serial = std::vector<uint64_t>(Width);
  Adopted Data{2 * Width};
};

// Calls Measure.operator()<Pattern>() for "accesses-K" or "linked-K"; false: it is neither.
template <class F> bool withAccesses(std::string_view Name, F Measure) {
  auto numbered = [&](std::string_view Prefix, size_t K) {
    return Name.size() == Prefix.size() + 1 && Name.starts_with(Prefix) && Name.back() == static_cast<char>('0' + K);
  };
  auto anyOwn = [&]<size_t... K>(std::index_sequence<K...>) {
    return ((numbered("accesses-", K) && (Measure.template operator()<OwnData<K>>(), true)) || ...);
  };
  auto anyLinked = [&]<size_t... K>(std::index_sequence<K...>) {
    return ((numbered("linked-", K + 1) && (Measure.template operator()<Linked<K + 1>>(), true)) || ...);
  };
  return anyOwn(std::make_index_sequence<MostAccesses + 1>{}) || anyLinked(std::make_index_sequence<MostAccesses>{});
}

} // namespace bench
#endif
