// A program whose run is recorded: chains over tiles, a task with children, waits for all and for some data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/engine.h>
#include <hsched/hsched.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using hsched::submission;

static void work(int Microseconds) {
  const auto End = std::chrono::steady_clock::now() + std::chrono::microseconds(Microseconds);
  while (std::chrono::steady_clock::now() < End) {
  }
}

int main(int Argc, char **Argv) {
  const bool Nested = Argc > 1 && !std::strcmp(Argv[1], "nested");
  const int Tiles = 8, Steps = Argc > 2 ? std::atoi(Argv[2]) : 10, TileSize = 512;
  std::vector<double> Data(Tiles * TileSize);
  static const double Unit = 1;
  hsched::engine &Engine = hsched::engine::process();
  auto tile = [&](int I) { return Data.data() + I * TileSize; };
  for (int Step = 0; Step < Steps; ++Step)
    for (int I = 0; I < Tiles; ++I)
      Engine.submit(submission().inout(tile(I), TileSize).in(&Unit, 1).label("step").priority(I % 2), [At = tile(I)] {
        work(400);
        for (int K = 1; K < TileSize; ++K)
          At[K] += Unit;
      });
  Engine.wait();
  Engine.submit(submission().out(tile(0), 1).label("first"), [At = tile(0)] { *At = 41; });
  if (Nested)
    Engine.submit(submission().inout(tile(1), TileSize).label("parent"), [&] {
      for (int K = 0; K < 2; ++K)
        Engine.submit(submission().inout(tile(1) + K * 8, 8).label("child"), [] { work(100); });
      Engine.wait();
    });
  Engine.submit(submission().inout(tile(0), 1).label("last"), [At = tile(0)] { *At += 1; });
  Engine.wait();
  double Sum = 0;
  for (double V : Data)
    Sum += V;
  std::printf("%.0f\n", Sum);
  return Sum == 42 + double(Tiles) * (TileSize - 1) * Steps ? 0 : 1;
}
