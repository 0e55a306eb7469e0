// Many tasks that wait: what each takes of memory, and what it costs when there are a hundred times as many.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_BACKLOG_H
#define HSCHED_BENCH_PATTERNS_BACKLOG_H

#include "../Measure.h"
#include "Simple.h"

#include <atomic>

namespace bench {

struct GateBody {
  static inline std::atomic<bool> Open{false};
  struct Args {
    uint64_t *P;
  };
  static void run(const Args &A) {
    Open.wait(false); // Without taking a core from the submitting thread.
    *A.P += 1;
  }
  static void open() {
    Open.store(true);
    Open.notify_all();
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
      GateBody::open();
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

// Memory of a datum that a waiting task names for the first time. First, tasks with an `in` of something that is not
// yet written. Then as many tasks that also have two `inout` of their own. The result is the difference for each datum.
// Needs two threads and no window.
struct LiveData {
  static constexpr const char *Name = "live-data";
  static constexpr size_t Width = 64;
  struct Touch {
    struct Args {
      const uint64_t *Gate;
      Datum *Own; // Two, or null.
    };
    static void run(const Args &A) {
      for (int J = 0; A.Own && J < 2; ++J)
        A.Own[J].Value += *A.Gate + J;
    }
  };
  explicit LiveData(size_t Divisor) : Count(50000 / Divisor), Own(2 * Count) {}

  double bytesEach() {
    double Bytes = 0;
    GateBody::Open = false;
    rt::region([&] {
      rt::Group G;
      G.submit<GateBody>({&Gates[0]->Value}, After<1>{-1}, InOut{Gates[0]});
      for (size_t I = 1; I <= 2 * Width; ++I) // What the two kinds wait for: as many successors each.
        G.submit<Waiting::Opener>({&Gates[0]->Value, &Gates[I]->Value}, After<1>{0}, In{Gates[0]}, InOut{Gates[I]});
      long First = residentBytes();
      for (size_t I = 0; I < Count; ++I)
        G.submit<Touch>({&Gates[1 + I % Width]->Value, nullptr}, After<1>{0}, In{Gates[1 + I % Width]});
      long Second = residentBytes();
      rt::adopt(Own.data(), Own.size());
      for (size_t I = 0; I < Count; ++I) {
        Datum *Gate = Gates[1 + Width + I % Width];
        G.submit<Touch>({&Gate->Value, &Own[2 * I]}, After<1>{0}, In{Gate}, InOut{&Own[2 * I]}, InOut{&Own[2 * I + 1]});
      }
      long Third = residentBytes();
      Bytes = static_cast<double>((Third - Second) - (Second - First)) / static_cast<double>(Own.size());
      GateBody::open();
      G.wait();
    });
    rt::disown(Own.data(), Own.size());
    return Bytes;
  }
  bool right() {
    for (size_t I = 0; I < Own.size(); ++I)
      if (Own[I].Value != 1 + I % 2)
        return false;
    return true;
  }
  size_t Count;
  std::vector<Datum> Own;
  Adopted Gates{1 + 2 * Width};
};

// One writer and then Count readers of one datum. Nothing runs before the wait: one of two workers is held, the other
// one submits, and there is no window.
struct Readers {
  struct Body {
    struct Args {
      const uint64_t *From;
      uint64_t *Sum;
    };
    static void run(const Args &A) { std::atomic_ref(*A.Sum).fetch_add(*A.From, std::memory_order_relaxed); }
  };
  explicit Readers(size_t Count) : Count(Count) {}
  void run() {
    GateBody::Open = false;
    rt::region([this] {
      rt::Group G;
      G.submit<GateBody>({&Gate[0]->Value}, After<0>{}, InOut{Gate[0]});
      G.submit<StepBody>({&Data[0]->Value, 1}, After<0>{}, InOut{Data[0]});
      for (size_t I = 0; I < Count; ++I)
        G.submit<Body>({&Data[0]->Value, &Sum}, After<0>{}, In{Data[0]});
      GateBody::open();
      G.wait();
    });
  }
  bool right() const { return Sum == Count; }
  size_t Count;
  uint64_t Sum = 0;
  Adopted Data{1}, Gate{1};
};

// Count tasks on ranges of 4 KiB that overlap at random within 1 MiB, one in four of them a writer.
struct Overlapping {
  static constexpr size_t Words = 131072, Range = 512, Ranges = 4096;
  struct Read {
    struct Args {
      const uint64_t *From;
    };
    static void run(const Args &A) { asm volatile("" : : "r"(*A.From)); }
  };
  explicit Overlapping(size_t Count) : Count(Count), Memory(Words), Serial(Words), Data(Ranges) {
    uint64_t Seed = 7;
    for (Datum &D : Data) {
      Seed = burn(1, Seed);
      D.Base = &Memory[(Seed >> 33) % (Words - Range)];
      D.Bytes = Range * sizeof(uint64_t);
    }
  }
  void run() {
    GateBody::Open = false;
    rt::region([this] {
      rt::Group G;
      G.submit<GateBody>({&Gate[0]->Value}, After<0>{}, InOut{Gate[0]});
      uint64_t Seed = 11;
      for (size_t I = 0; I < Count; ++I) {
        Seed = burn(1, Seed);
        Datum *D = &Data[(Seed >> 33) % Ranges];
        auto *P = static_cast<uint64_t *>(D->Base);
        if (I % 4 != 0) {
          G.submit<Read>({P}, After<0>{}, In{D});
          continue;
        }
        G.submit<StepBody>({P, I}, After<0>{}, InOut{D});
        uint64_t &S = Serial[static_cast<size_t>(P - Memory.data())];
        S = S * 3 + I;
      }
      GateBody::open();
      G.wait();
    });
  }
  bool right() const { return Memory == Serial; }
  size_t Count;
  std::vector<uint64_t> Memory, Serial;
  std::vector<Datum> Data;
  Adopted Gate{1};
};

} // namespace bench
#endif
