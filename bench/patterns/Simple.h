// Independent tasks, a chain, fork-join, a binary tree.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pattern: the constructor takes a divisor of its size. A call of run() submits, executes and waits, and returns
// the number of tasks. A call of right() returns true if all runs so far computed what serial execution computes.
#ifndef HSCHED_BENCH_PATTERNS_SIMPLE_H
#define HSCHED_BENCH_PATTERNS_SIMPLE_H

#include "../Access.h"

#include <vector>

namespace bench {

// Data that the runtime knows of while it lives.
class Adopted {
public:
  explicit Adopted(size_t Count) : Data(Count) { rt::adopt(Data.data(), Count); }
  ~Adopted() { rt::disown(Data.data(), Data.size()); }
  Adopted(const Adopted &) = delete;
  Adopted &operator=(const Adopted &) = delete;
  Datum *operator[](size_t I) { return &Data[I]; }
  size_t size() const { return Data.size(); }

private:
  std::vector<Datum> Data;
};

struct StepBody {
  struct Args {
    uint64_t *P;
    uint64_t Step;
  };
  static void run(const Args &A) { *A.P = *A.P * 3 + A.Step; }
};

// One inout each, on data of its own.
struct Independent {
  static constexpr const char *Name = "independent";
  explicit Independent(size_t Divisor) : Data(100000 / Divisor) {}
  size_t run() {
    ++Runs;
    rt::region([this] {
      rt::Group G;
      for (size_t I = 0; I < Data.size(); ++I)
        G.submit<StepBody>({&Data[I]->Value, I}, After<0>{}, InOut{Data[I]});
      G.wait();
    });
    return Data.size();
  }
  bool right() {
    for (size_t I = 0; I < Data.size(); ++I) {
      uint64_t Expected = 0;
      for (size_t R = 0; R < Runs; ++R)
        Expected = Expected * 3 + I;
      if (Data[I]->Value != Expected)
        return false;
    }
    return true;
  }
  Adopted Data;
  size_t Runs = 0;
};

// All on one datum, each after the last.
struct Chain {
  static constexpr const char *Name = "chain";
  explicit Chain(size_t Divisor) : Length(100000 / Divisor) {}
  size_t run() {
    rt::region([this] {
      rt::Group G;
      for (size_t I = 0; I < Length; ++I)
        G.submit<StepBody>({&Data[0]->Value, I}, After<1>{static_cast<long>(I) - 1}, InOut{Data[0]});
      G.wait();
    });
    ++Runs;
    return Length;
  }
  bool right() {
    uint64_t Expected = 0;
    for (size_t I = 0; I < Length * Runs; ++I)
      Expected = Expected * 3 + I % Length;
    return Data[0]->Value == Expected;
  }
  size_t Length, Runs = 0;
  Adopted Data{1};
};

// Sixteen tasks and a wait, again and again.
struct ForkJoin {
  static constexpr const char *Name = "fork-join";
  static constexpr size_t Width = 16;
  explicit ForkJoin(size_t Divisor) : Rounds(4000 / Divisor) {}
  size_t run() {
    rt::region([this] {
      rt::Group G;
      for (size_t R = 0; R < Rounds; ++R) {
        for (size_t I = 0; I < Width; ++I)
          G.submit<StepBody>({&Data[I]->Value, R ^ I}, After<0>{}, InOut{Data[I]});
        G.wait();
      }
    });
    ++Runs;
    return Rounds * Width;
  }
  bool right() {
    for (size_t I = 0; I < Width; ++I) {
      uint64_t Expected = 0;
      for (size_t R = 0; R < Rounds * Runs; ++R)
        Expected = Expected * 3 + (R % Rounds ^ I);
      if (Data[I]->Value != Expected)
        return false;
    }
    return true;
  }
  size_t Rounds, Runs = 0;
  Adopted Data{Width};
};

// Every task reads what its parent wrote: 1 in, 1 out.
struct Tree {
  static constexpr const char *Name = "tree";
  struct Body {
    struct Args {
      const uint64_t *Parent;
      uint64_t *Mine, K;
    };
    static void run(const Args &A) { *A.Mine = *A.Parent * 3 + A.K; }
  };
  explicit Tree(size_t Divisor) : Data(65536 / Divisor) {}
  size_t run() {
    Data[0]->Value = ++Runs;
    rt::region([this] {
      rt::Group G;
      for (size_t K = 1; K < Data.size(); ++K) {
        size_t Parent = (K - 1) / 2;
        G.submit<Body>({&Data[Parent]->Value, &Data[K]->Value, K}, After<1>{static_cast<long>(Parent) - 1},
                       In{Data[Parent]}, Out{Data[K]});
      }
      G.wait();
    });
    return Data.size() - 1;
  }
  bool right() {
    for (size_t K = 1; K < Data.size(); ++K)
      if (Data[K]->Value != Data[(K - 1) / 2]->Value * 3 + K)
        return false;
    return Data[0]->Value == Runs;
  }
  Adopted Data;
  size_t Runs = 0;
};

} // namespace bench
#endif
