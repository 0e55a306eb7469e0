// Tiled Cholesky, lower, OpenBLAS kernels of one thread each, tiles stored one after the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_CHOLESKY_H
#define HSCHED_BENCH_PATTERNS_CHOLESKY_H

#include "../Measure.h"
#include "Simple.h"

#include <cblas.h>

#include <cmath>
#include <filesystem>
#include <sched.h>
#include <string>
#include <utility>

extern "C" void dpotrf_(const char *Uplo, const int *N, double *A, const int *Lda, int *Info);

namespace bench {

// While it lives, the process's threads may use all CPUs, also those that a runtime has bound.
class AllCpus {
public:
  AllCpus() {
    cpu_set_t All;
    for (int Cpu = 0; Cpu < CPU_SETSIZE; ++Cpu)
      CPU_SET(Cpu, &All); // The system leaves out what there is not.
    for (const auto &Entry : std::filesystem::directory_iterator("/proc/self/task")) {
      const pid_t Thread = std::stoi(Entry.path().filename());
      cpu_set_t Old;
      if (sched_getaffinity(Thread, sizeof(Old), &Old) == 0 && sched_setaffinity(Thread, sizeof(All), &All) == 0)
        Before.emplace_back(Thread, Old);
    }
  }
  ~AllCpus() {
    for (const auto &[Thread, Old] : Before)
      (void)sched_setaffinity(Thread, sizeof(Old), &Old);
  }
  AllCpus(const AllCpus &) = delete;
  AllCpus &operator=(const AllCpus &) = delete;

private:
  std::vector<std::pair<pid_t, cpu_set_t>> Before;
};

struct Cholesky {
  static constexpr const char *Name = "cholesky";
  static constexpr int N = 2048, Tile = 128, Tiles = N / Tile;
  static constexpr size_t TileBytes = sizeof(double) * Tile * Tile;

  struct Potrf {
    struct Args {
      double *A;
    };
    static void run(const Args &T) {
      int Size = Tile, Info = 0;
      dpotrf_("L", &Size, T.A, &Size, &Info);
    }
  };
  struct Trsm {
    struct Args {
      const double *L;
      double *B;
    };
    static void run(const Args &T) {
      cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, Tile, Tile, 1, T.L, Tile, T.B, Tile);
    }
  };
  struct Syrk {
    struct Args {
      const double *A;
      double *C;
    };
    static void run(const Args &T) {
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, Tile, Tile, -1, T.A, Tile, 1, T.C, Tile);
    }
  };
  struct Gemm {
    struct Args {
      const double *A, *B;
      double *C;
    };
    static void run(const Args &T) {
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, Tile, Tile, Tile, -1, T.A, Tile, T.B, Tile, 1, T.C, Tile);
    }
  };

  Cholesky() : Whole(static_cast<size_t>(N) * N), Stored(Whole.size()), Data(Tiles * Tiles) {
    for (int J = 0; J < N; ++J)
      for (int I = 0; I < N; ++I)
        Whole[index(I, J)] = (I == J ? N : 0) + 1.0 / (1 + std::abs(I - J));
    for (size_t K = 0; K < Data.size(); ++K) {
      Data[K].Base = &Stored[K * Tile * Tile];
      Data[K].Bytes = TileBytes;
    }
  }
  Cholesky(const Cholesky &) = delete;
  Cholesky &operator=(const Cholesky &) = delete;

  static size_t index(int I, int J) { return static_cast<size_t>(J) * N + static_cast<size_t>(I); }
  Datum *tile(int I, int J) { return &Data[static_cast<size_t>(J * Tiles + I)]; }
  double *at(int I, int J) { return static_cast<double *>(tile(I, J)->base()); }

  // Around all calls of ns().
  void adopt() { rt::adopt(Data.data(), Data.size()); }
  void disown() { rt::disown(Data.data(), Data.size()); }

  // Wall time of the tasks; the copy into tiles is not counted.
  double ns() {
    openblas_set_num_threads(1);
    for (int J = 0; J < N; ++J)
      for (int I = 0; I < N; ++I)
        at(I / Tile, J / Tile)[J % Tile * Tile + I % Tile] = Whole[index(I, J)];
    return nsOf([this] { rt::region([this] { submitAll(); }); });
  }
  void submitAll() {
    rt::Group G;
    std::vector<long> Last(Tiles * Tiles, -1); // The task that wrote each tile; a tile read is written no more.
    long Number = 0;
    auto last = [&](int I, int J) -> long & { return Last[static_cast<size_t>(J * Tiles + I)]; };
    for (int K = 0; K < Tiles; ++K) {
      G.submit<Potrf>({at(K, K)}, After<1>{last(K, K)}, InOut{tile(K, K)});
      last(K, K) = Number++;
      for (int I = K + 1; I < Tiles; ++I) {
        G.submit<Trsm>({at(K, K), at(I, K)}, After<2>{last(K, K), last(I, K)}, In{tile(K, K)}, InOut{tile(I, K)});
        last(I, K) = Number++;
      }
      for (int I = K + 1; I < Tiles; ++I) {
        G.submit<Syrk>({at(I, K), at(I, I)}, After<2>{last(I, K), last(I, I)}, In{tile(I, K)}, InOut{tile(I, I)});
        last(I, I) = Number++;
        for (int J = K + 1; J < I; ++J) {
          G.submit<Gemm>({at(I, K), at(J, K), at(I, J)}, After<3>{last(I, K), last(J, K), last(I, J)}, In{tile(I, K)},
                         In{tile(J, K)}, InOut{tile(I, J)});
          last(I, J) = Number++;
        }
      }
    }
    G.wait();
  }

  // What OpenBLAS's own dpotrf takes with Threads threads; keeps its result to compare with. To be called before the
  // runtime starts: some runtimes' workers spin while they have nothing to do.
  double referenceNs(int Threads) {
    const AllCpus Everywhere; // Loading libgomp binds the main thread, and OpenBLAS's threads with it.
    openblas_set_num_threads(Threads);
    Reference = Whole;
    int Size = N, Info = 0;
    double Ns = nsOf([&] { dpotrf_("L", &Size, Reference.data(), &Size, &Info); });
    openblas_set_num_threads(1);
    return Ns;
  }
  bool right() {
    double Worst = 0;
    for (int J = 0; J < N; ++J)
      for (int I = J; I < N; ++I)
        Worst = std::max(Worst, std::abs(at(I / Tile, J / Tile)[J % Tile * Tile + I % Tile] - Reference[index(I, J)]));
    return Worst < 1e-9;
  }
  std::vector<double> Whole, Stored, Reference;
  std::vector<Datum> Data;
};

} // namespace bench
#endif
