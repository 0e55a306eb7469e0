// hsched/dag.h as a program uses it. Arguments: a folder to work in. Exit code 77: there is no OpenCL device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/dag.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>

namespace {

int Wrong = 0;

void expect(bool True, const std::string &What) {
  if (True)
    return;
  std::printf("wrong: %s\n", What.c_str());
  Wrong = 1;
}

void fails(const std::string &With, const std::function<void()> &Do) {
  try {
    Do();
    expect(false, "no error: " + With);
  } catch (const hsched::dag::error &E) {
    expect(std::string(E.what()).find(With) != std::string::npos, With + " in: " + E.what());
  }
}

} // namespace

int main(int, char **Argv) try {
  const std::string Folder = std::string(Argv[1]) + "/";
  std::ofstream(Folder + "k.cl") << R"(
kernel void scale(global const int *x, global int *y, int a) { y[get_global_id(0)] = a * x[get_global_id(0)]; }
kernel void add(global const int *x, global int *y) { y[get_global_id(0)] += x[get_global_id(0)]; }
)";
  std::ofstream(Folder + "dag.json") << R"({"hsched-dag": 1, "kernels": [
  {"id": "scale", "name": "scale", "src": "k.cl", "global": ["N"], "args": [
    {"role": "in", "type": "int", "size": "N", "init": {"constant": 1}}, {"role": "out", "type": "int", "size": "N"},
    {"role": "value", "type": "int", "value": "A"}]},
  {"id": "add", "name": "add", "src": "k.cl", "global": ["N"], "args": [
    {"role": "in", "type": "int", "size": "N"}, {"role": "io", "type": "int", "size": "N", "init": {"constant": 5}}]}],
  "edges": [["scale", 1, "add", 0]]})";
  constexpr int N = 1000;
  hsched::dag::settings How;
  How.symbols = {{"N", "1000"}, {"A", "3"}};
  How.check = false;
  How.repeat = 3; // Each run begins with the same data.
  const auto Size = N * sizeof(int);
  hsched::dag::graph G(Folder + "dag.json", How);
  const auto Data = G.data();
  expect(Data.size() == 3 && Data[0].name == "scale.0" && Data[0].bytes == Size && Data[0].input && !Data[0].result &&
             !Data[1].input && Data[2].name == "add.1" && Data[2].input && Data[2].result,
         "the data");
  fails("there is no datum 'scale.7'", [&] { G.input("scale.7", &How, Size); });
  fails("there is no datum 'scale.99999999'", [&] { G.input("scale.99999999", &How, Size); });
  fails("has 4000 bytes, not 4", [&] { G.input("scale.0", &How, 4); });
  fails("is not an input: a kernel overwrites it first", [&] { G.input("scale.1", &How, Size); });
  std::vector<int> Sum(N), Between(N), X(N), Y(N, 7);
  std::iota(X.begin(), X.end(), -N / 2);
  try {
    G.output("add.1", Sum.data(), Size);
    expect(G.run().seconds.size() == 3 && Sum == std::vector<int>(N, 8), "what the file says");
  } catch (const hsched::dag::error &E) {
    if (std::strstr(E.what(), "there is no OpenCL device"))
      return 77;
    throw;
  }
  G.input("scale.0", X.data(), Size);
  G.input("add.1", Y.data(), Size);
  G.output("add.0", Between.data(), Size); // What an edge leads to.
  G.run();
  bool Right = true;
  for (int I = 0; I < N; ++I)
    Right &= Between[I] == 3 * X[I] && Sum[I] == 3 * X[I] + 7;
  expect(Right && Y == std::vector<int>(N, 7), "the program's own data");
  hsched::dag::graph Moved = std::move(G);
  X.assign(N, 2); // Is read again.
  Moved.run();
  expect(Sum == std::vector<int>(N, 13), "after a move, with other data");

  fails("symbol 'A' has no value",
        [&] { hsched::dag::graph(Folder + "dag.json", {{{"N", "4"}}, {}, "", "", 1, 0, false, false}); });
  How.policy = "best";
  fails("there is no policy 'best'", [&] { hsched::dag::graph(Folder + "dag.json", How); });
  fails("cannot be opened", [&] { hsched::dag::graph(Folder + "none.json"); });
  How.policy = "eager";
  hsched::dag::graph Again(Folder + "dag.json", How);
  Again.output("add.1", Sum.data(), Size);
  Again.run();
  expect(Sum == std::vector<int>(N, 8), "a second graph in the process");
  return Wrong;
} catch (const std::exception &E) {
  std::printf("wrong: %s\n", E.what());
  return 1;
}
