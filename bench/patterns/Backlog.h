// Many tasks that wait: what each takes of memory, and what it costs when there are a hundred times as many.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_BACKLOG_H
#define HSCHED_BENCH_PATTERNS_BACKLOG_H

#include "../Measure.h"
#include "Simple.h"

#include <atomic>
#include <thread>

namespace bench {

struct GateBody {
  static inline std::atomic<bool> Open{false};
  struct Args {
    uint64_t *P;
  };
  static void run(const Args &A) {
    while (!Open.load())
      std::this_thread::yield();
    *A.P += 1;
  }
};

struct ThreeBody {
  struct Args {
    const uint64_t *X, *Y;
    uint64_t *To;
  };
  static void run(const Args &A) { *A.To = *A.To * 3 + *A.X + *A.Y; }
};

// Bytes of resident memory for each task that waits: 64 chains of tasks with 2 in and 1 inout each, whose first tasks
// read what a task writes that another worker is held in. Needs two threads and no window.
struct Waiting {
  static constexpr const char *Name = "memory";
  static constexpr size_t Width = 64, Count = 50000;
  struct Opener {
    struct Args {
      const uint64_t *Gate;
      uint64_t *To;
    };
    static void run(const Args &A) { *A.To = *A.Gate; }
  };
  Adopted Data{1 + 3 * Width};

  double bytesEach() {
    double Bytes = 0;
    GateBody::Open = false;
    rt::region([&] {
      rt::Group G;
      G.submit<GateBody>({&Data[0]->Value}, After<1>{-1}, InOut{Data[0]});
      for (size_t C = 0; C < Width; ++C)
        G.submit<Opener>({&Data[0]->Value, &Data[3 + 3 * C]->Value}, After<1>{0}, In{Data[0]}, InOut{Data[3 + 3 * C]});
      long Before = residentBytes();
      for (size_t I = 0; I < Count; ++I) {
        Datum *X = Data[1 + 3 * (I % Width)], *Y = Data[2 + 3 * (I % Width)], *To = Data[3 + 3 * (I % Width)];
        G.submit<ThreeBody>({&X->Value, &Y->Value, &To->Value}, After<1>{static_cast<long>(I) + 1}, In{X}, In{Y},
                            InOut{To});
      }
      Bytes = static_cast<double>(residentBytes() - Before) / Count;
      GateBody::Open = true;
      G.wait();
    });
    return Bytes;
  }
  bool right() {
    for (size_t C = 0; C < Width; ++C) {
      uint64_t Serial = 1;
      for (size_t I = C; I < Count; I += Width)
        Serial = Serial * 3;
      if (Data[3 + 3 * C]->Value != Serial)
        return false;
    }
    return true;
  }
};

} // namespace bench
#endif
