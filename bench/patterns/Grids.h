// Grids of tasks in time: the stencil, the FFT's butterfly, a random DAG.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_GRIDS_H
#define HSCHED_BENCH_PATTERNS_GRIDS_H

#include "../Measure.h"
#include "Simple.h"

namespace bench {

// What a task does besides: nothing, `Grain` iterations, or `Grain` ticks of the clock.
enum class Work { None, Iterations, Ticks };

// Points on a ring; each step reads three neighbours and overwrites one point of the other buffer: 3 in, 1 out.
template <Work Doing> struct StencilOf {
  static constexpr const char *Name = "stencil";
  static constexpr size_t Width = 64;
  static inline uint64_t Grain = 0;
  struct Body {
    struct Args {
      const uint64_t *Left, *Mid, *Right;
      uint64_t *To;
    };
    static void run(const Args &A) {
      if constexpr (Doing == Work::Iterations)
        (void)burn(Grain, *A.Mid);
      if constexpr (Doing == Work::Ticks)
        spin(Grain);
      *A.To = combine(*A.Left, *A.Mid, *A.Right);
    }
  };
  static uint64_t combine(uint64_t L, uint64_t M, uint64_t R) { return 3 * L + 5 * M + 7 * R + 1; }

  explicit StencilOf(size_t Divisor, size_t Steps = 2000) : Steps(Steps / Divisor / 2 * 2) {
    for (size_t I = 0; I < Width; ++I)
      Data[I]->Value = Serial[I] = I;
  }
  // Width * 2 data: the buffers of even and odd steps.
  size_t run() {
    rt::region([this] {
      rt::Group G;
      for (size_t T = 0; T < Steps; ++T)
        for (size_t I = 0; I < Width; ++I) {
          size_t From = T % 2 * Width, To = Width - From, L = (I + Width - 1) % Width, R = (I + 1) % Width;
          auto Before = [&](size_t J) { return T == 0 ? -1 : static_cast<long>((T - 1) * Width + J); };
          G.submit<Body>({&Data[From + L]->Value, &Data[From + I]->Value, &Data[From + R]->Value, &Data[To + I]->Value},
                         After<3>{Before(L), Before(I), Before(R)}, In{Data[From + L]}, In{Data[From + I]},
                         In{Data[From + R]}, Out{Data[To + I]});
        }
      G.wait();
    });
    ++Runs;
    return Steps * Width;
  }
  bool right() { // Steps is even: each run ends in the first buffer.
    for (size_t T = 0; T < Steps * Runs; ++T) {
      std::vector<uint64_t> Next(Width);
      for (size_t I = 0; I < Width; ++I)
        Next[I] = combine(Serial[(I + Width - 1) % Width], Serial[I], Serial[(I + 1) % Width]);
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
using Stencil = StencilOf<Work::None>;

// Stage s combines points whose numbers differ in bit s: 2 in, 1 out. Sum and difference of the factors are odd:
// otherwise the values would lose a bit a stage and soon be the same whatever was read.
struct Butterfly {
  static constexpr const char *Name = "butterfly";
  static constexpr size_t Bits = 6, Width = 1 << Bits;
  struct Body {
    struct Args {
      const uint64_t *Mine, *Other;
      uint64_t *To;
    };
    static void run(const Args &A) { *A.To = *A.Mine * 3 + *A.Other * 6 + 1; }
  };
  explicit Butterfly(size_t Divisor) : Stages(200 / Divisor * Bits) {
    for (size_t I = 0; I < Width; ++I)
      Data[I]->Value = Serial[I] = I;
  }
  size_t run() {
    rt::region([this] {
      rt::Group G;
      for (size_t S = 0; S < Stages; ++S)
        for (size_t I = 0; I < Width; ++I) {
          size_t From = S % 2 * Width, To = Width - From, Other = I ^ (1u << S % Bits);
          size_t Reader = I ^ (1u << (S + Bits - 1) % Bits); // Read what this overwrites.
          auto Before = [&](size_t J) { return S == 0 ? -1 : static_cast<long>((S - 1) * Width + J); };
          G.submit<Body>({&Data[From + I]->Value, &Data[From + Other]->Value, &Data[To + I]->Value},
                         After<3>{Before(I), Before(Other), Before(Reader)}, In{Data[From + I]}, In{Data[From + Other]},
                         Out{Data[To + I]});
        }
      G.wait();
    });
    ++Runs;
    return Stages * Width;
  }
  bool right() { // Stages is even.
    for (size_t S = 0; S < Stages * Runs; ++S) {
      std::vector<uint64_t> Next(Width);
      for (size_t I = 0; I < Width; ++I)
        Next[I] = Serial[I] * 3 + Serial[I ^ (1u << S % Bits)] * 6 + 1;
      Serial.swap(Next);
    }
    Runs = 0;
    for (size_t I = 0; I < Width; ++I)
      if (Data[I]->Value != Serial[I])
        return false;
    return true;
  }
  size_t Stages, Runs = 0;
  std::vector<uint64_t> Serial = std::vector<uint64_t>(Width);
  Adopted Data{2 * Width};
};

// Each task writes a datum of its own and reads two of the 256 before it, chosen at random from a fixed seed.
struct RandomDag {
  static constexpr const char *Name = "random DAG";
  explicit RandomDag(size_t Divisor) : Data(40000 / Divisor), Sources(Data.size()) {
    uint64_t Seed = 42;
    for (size_t K = 2; K < Data.size(); ++K)
      for (size_t &From : Sources[K]) {
        Seed = burn(1, Seed);
        From = K - 1 - (Seed >> 33) % std::min<size_t>(K, 256);
      }
    for (size_t K = 2; K < Data.size(); ++K)
      if (Sources[K][0] == Sources[K][1])
        Sources[K][1] = Sources[K][0] == 0 ? 1 : Sources[K][0] - 1;
  }
  size_t run() {
    Data[0]->Value = ++Runs;
    rt::region([this] {
      rt::Group G;
      for (size_t K = 2; K < Data.size(); ++K) {
        auto [X, Y] = Sources[K];
        G.submit<Butterfly::Body>({&Data[X]->Value, &Data[Y]->Value, &Data[K]->Value},
                                  After<2>{static_cast<long>(X) - 2, static_cast<long>(Y) - 2}, In{Data[X]},
                                  In{Data[Y]}, Out{Data[K]});
      }
      G.wait();
    });
    return Data.size() - 2;
  }
  bool right() {
    for (size_t K = 2; K < Data.size(); ++K)
      if (Data[K]->Value != Data[Sources[K][0]]->Value * 3 + Data[Sources[K][1]]->Value * 6 + 1)
        return false;
    return Data[0]->Value == Runs;
  }
  Adopted Data;
  std::vector<std::array<size_t, 2>> Sources;
  size_t Runs = 0;
};

} // namespace bench
#endif
