// The programs of makeProgram: tiled linear algebra, a stencil, random graphs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <random>
#include <span>
#include <string_view>

namespace hsched::rt::virt {
namespace {

constexpr size_t Word = 8; // Bytes of a double.
constexpr uintptr_t FirstAddress = uintptr_t(1) << 40;

// A program that makes the tasks of one outer step at a time.
class Stepwise : public Program {
public:
  explicit Stepwise(std::vector<std::string> Types) : Types(std::move(Types)) {}
  const std::vector<std::string> &types() const override { return Types; }
  bool next(TaskSpec &Out) override {
    while (At == Made.size()) {
      Made.clear();
      At = 0;
      if (!step(Step++))
        return false;
    }
    std::swap(Out, Made[At++]);
    return true;
  }

protected:
  // Adds the tasks of a step. False: no more steps.
  virtual bool step(uint64_t Step) = 0;
  TaskSpec &add(unsigned Type, double Work, int32_t Priority = 0) {
    TaskSpec &New = Made.emplace_back();
    New.Type = Type;
    New.Work = Work;
    New.Priority = Priority;
    return New;
  }

private:
  const std::vector<std::string> Types;
  std::vector<TaskSpec> Made;
  size_t At = 0;
  uint64_t Step = 0;
};

// Square tiles, each contiguous.
struct Tiles {
  uintptr_t Base;
  uint64_t PerRow, Bytes;
  uintptr_t at(uint64_t I, uint64_t J) const { return Base + (I * PerRow + J) * Bytes; }
  uintptr_t end() const { return Base + PerRow * PerRow * Bytes; }
};

// A = L L^T, right-looking. Priorities: the critical path first.
class Cholesky final : public Stepwise {
public:
  Cholesky(uint64_t N, uint64_t Tile)
      : Stepwise({"potrf", "trsm", "syrk", "gemm"}), Num(N / Tile), B(static_cast<double>(Tile)),
        A{FirstAddress, N / Tile, Tile * Tile * Word} {}

private:
  bool step(uint64_t K) override {
    if (K >= Num)
      return false;
    const double Cube = B * B * B;
    const auto Urgent = static_cast<int32_t>(Num - K);
    add(0, Cube / 3, 3 * Urgent).access(A.at(K, K), A.Bytes, HSCHED_INOUT);
    for (uint64_t I = K + 1; I < Num; ++I) {
      TaskSpec &T = add(1, Cube, 3 * Urgent - 1 - std::min<int32_t>(static_cast<int32_t>(I - K), 2 * Urgent));
      T.access(A.at(K, K), A.Bytes, HSCHED_IN);
      T.access(A.at(I, K), A.Bytes, HSCHED_INOUT);
    }
    for (uint64_t I = K + 1; I < Num; ++I) {
      TaskSpec &S = add(2, Cube, static_cast<int32_t>(Num - I));
      S.access(A.at(I, K), A.Bytes, HSCHED_IN);
      S.access(A.at(I, I), A.Bytes, HSCHED_INOUT);
      for (uint64_t J = K + 1; J < I; ++J) {
        TaskSpec &G = add(3, 2 * Cube, static_cast<int32_t>(Num - I));
        G.access(A.at(I, K), A.Bytes, HSCHED_IN);
        G.access(A.at(J, K), A.Bytes, HSCHED_IN);
        G.access(A.at(I, J), A.Bytes, HSCHED_INOUT);
      }
    }
    return true;
  }

  const uint64_t Num;
  const double B;
  const Tiles A;
};

// A = P L U with pivoting inside the diagonal tile: factor it, permute the tiles of its row, solve, update. After
// StarPU's blocked LU, which XKaapi's experiments modify.
class Lu final : public Stepwise {
public:
  Lu(uint64_t N, uint64_t Tile)
      : Stepwise({"getrf", "laswp", "trsm", "gemm"}), Num(N / Tile), B(static_cast<double>(Tile)),
        A{FirstAddress, N / Tile, Tile * Tile * Word}, Pivots(A.end()), PivotBytes(Tile * 4) {}

private:
  bool step(uint64_t K) override {
    if (K >= Num)
      return false;
    const double Cube = B * B * B;
    const auto Urgent = static_cast<int32_t>(Num - K);
    const uintptr_t P = Pivots + K * PivotBytes;
    TaskSpec &F = add(0, Cube * 2 / 3, 2 * Urgent);
    F.access(A.at(K, K), A.Bytes, HSCHED_INOUT);
    F.access(P, PivotBytes, HSCHED_OUT);
    for (uint64_t J = 0; J < Num; ++J) {
      if (J == K)
        continue;
      TaskSpec &S = add(1, B * B, J > K ? 2 * Urgent - 1 : 0);
      S.access(P, PivotBytes, HSCHED_IN);
      S.access(A.at(K, J), A.Bytes, HSCHED_INOUT);
    }
    for (bool Row : {true, false})
      for (uint64_t I = K + 1; I < Num; ++I) {
        TaskSpec &T = add(2, Cube, 2 * Urgent - 1);
        T.access(A.at(K, K), A.Bytes, HSCHED_IN);
        T.access(Row ? A.at(K, I) : A.at(I, K), A.Bytes, HSCHED_INOUT);
      }
    for (uint64_t I = K + 1; I < Num; ++I)
      for (uint64_t J = K + 1; J < Num; ++J) {
        TaskSpec &G = add(3, 2 * Cube, static_cast<int32_t>(Num - std::min(I, J)));
        G.access(A.at(I, K), A.Bytes, HSCHED_IN);
        G.access(A.at(K, J), A.Bytes, HSCHED_IN);
        G.access(A.at(I, J), A.Bytes, HSCHED_INOUT);
      }
    return true;
  }

  const uint64_t Num;
  const double B;
  const Tiles A;
  const uintptr_t Pivots;
  const uint64_t PivotBytes;
};

// C += A B, one product of tiles per task.
class Gemm final : public Stepwise {
public:
  Gemm(uint64_t N, uint64_t Tile)
      : Stepwise({"gemm"}), Num(N / Tile),
        Cube(static_cast<double>(Tile) * static_cast<double>(Tile) * static_cast<double>(Tile)),
        A{FirstAddress, N / Tile, Tile * Tile * Word}, B{A.end(), A.PerRow, A.Bytes}, C{B.end(), A.PerRow, A.Bytes} {}

private:
  bool step(uint64_t I) override {
    if (I >= Num)
      return false;
    for (uint64_t J = 0; J < Num; ++J)
      for (uint64_t K = 0; K < Num; ++K) {
        TaskSpec &T = add(0, 2 * Cube);
        T.access(A.at(I, K), A.Bytes, HSCHED_IN);
        T.access(B.at(K, J), B.Bytes, HSCHED_IN);
        T.access(C.at(I, J), C.Bytes, HSCHED_INOUT);
      }
    return true;
  }

  const uint64_t Num;
  const double Cube;
  const Tiles A, B, C;
};

// A 5-point stencil that alternates between two grids. Each tile has copies of its four edges, which its neighbours
// read.
class Jacobi final : public Stepwise {
public:
  Jacobi(uint64_t N, uint64_t Tile, uint64_t Steps)
      : Stepwise({"jacobi"}), Num(N / Tile), Steps(Steps), Edge(Tile * Word),
        Grids{Tiles{FirstAddress, Num, Tile * Tile * Word},
              Tiles{FirstAddress + Num * Num * Tile * Tile * Word, Num, Tile * Tile * Word}},
        Edges(Grids[1].end()), Work(5.0 * static_cast<double>(Tile * Tile)) {}

private:
  uintptr_t edge(unsigned Grid, uint64_t I, uint64_t J, unsigned Side) const {
    return Edges + (((Grid * Num + I) * Num + J) * 4 + Side) * Edge;
  }
  bool step(uint64_t S) override {
    if (S >= Steps)
      return false;
    const unsigned Old = S % 2, New = 1 - Old;
    for (uint64_t I = 0; I < Num; ++I)
      for (uint64_t J = 0; J < Num; ++J) {
        TaskSpec &T = add(0, Work);
        T.access(Grids[New].at(I, J), Grids[New].Bytes, HSCHED_OUT);
        T.access(Grids[Old].at(I, J), Grids[Old].Bytes, HSCHED_IN);
        // The side of a neighbour that faces this tile: north, south, west, east.
        if (I > 0)
          T.access(edge(Old, I - 1, J, 1), Edge, HSCHED_IN);
        if (I + 1 < Num)
          T.access(edge(Old, I + 1, J, 0), Edge, HSCHED_IN);
        if (J > 0)
          T.access(edge(Old, I, J - 1, 3), Edge, HSCHED_IN);
        if (J + 1 < Num)
          T.access(edge(Old, I, J + 1, 2), Edge, HSCHED_IN);
        for (unsigned Side = 0; Side < 4; ++Side)
          T.access(edge(New, I, J, Side), Edge, HSCHED_OUT);
      }
    return true;
  }

  const uint64_t Num, Steps, Edge;
  const std::array<Tiles, 2> Grids;
  const uintptr_t Edges;
  const double Work;
};

class Independent final : public Stepwise {
public:
  Independent(uint64_t Tasks, double Work) : Stepwise({"independent"}), Tasks(Tasks), Work(Work) {}

private:
  bool step(uint64_t S) override {
    if (S >= Tasks)
      return false;
    add(0, Work).access(FirstAddress + S * 64, 64, HSCHED_INOUT);
    return true;
  }
  const uint64_t Tasks;
  const double Work;
};

// Tasks of four types with one to four sections each, in any mode, that are the same, overlap, or lie in tiles. Only
// the seed decides. The standard library's distributions are not used, because they differ between implementations.
class Random final : public Stepwise {
public:
  Random(uint64_t Seed, uint64_t Tasks) : Stepwise({"a", "b", "c", "d"}), Tasks(Tasks), Next(Seed) {}

private:
  uint64_t below(uint64_t Bound) { return Next() % Bound; }
  bool step(uint64_t S) override {
    if (S >= Tasks)
      return false;
    static constexpr unsigned Modes[] = {HSCHED_IN,    HSCHED_IN,    HSCHED_IN,         HSCHED_OUT,
                                         HSCHED_INOUT, HSCHED_INOUT, HSCHED_CONCURRENT, HSCHED_COMMUTATIVE};
    TaskSpec &T = add(static_cast<unsigned>(below(4)), static_cast<double>(1000 + below(1000000)),
                      below(8) ? 0 : static_cast<int32_t>(below(3)));
    for (uint64_t N = 1 + below(4); N > 0; --N) {
      const uintptr_t Datum = FirstAddress + below(64) * Pitch;
      const unsigned Mode = Modes[below(std::size(Modes))];
      switch (below(4)) {
      case 0: // A part that may reach into the next datum.
        T.access(Datum + below(4) * 1024, 1024 * (1 + below(4)), Mode);
        break;
      case 1: // A tile.
        T.access(Datum + below(4) * 256, 256, Mode, 4, 1024);
        break;
      default:
        T.access(Datum, Pitch, Mode);
      }
    }
    return true;
  }
  static constexpr uint64_t Pitch = 4096;
  const uint64_t Tasks;
  std::mt19937_64 Next;
};

struct Form {
  const char *Name, *Takes;
  size_t Least, Most; // Numbers.
  std::unique_ptr<Program> (*Make)(std::span<const uint64_t>);
};

const Form Forms[] = {
    {"cholesky", "N,TILE", 2, 2,
     [](std::span<const uint64_t> A) -> std::unique_ptr<Program> { return std::make_unique<Cholesky>(A[0], A[1]); }},
    {"lu", "N,TILE", 2, 2,
     [](std::span<const uint64_t> A) -> std::unique_ptr<Program> { return std::make_unique<Lu>(A[0], A[1]); }},
    {"gemm", "N,TILE", 2, 2,
     [](std::span<const uint64_t> A) -> std::unique_ptr<Program> { return std::make_unique<Gemm>(A[0], A[1]); }},
    {"jacobi", "N,TILE[,STEPS]", 2, 3,
     [](std::span<const uint64_t> A) -> std::unique_ptr<Program> {
       return std::make_unique<Jacobi>(A[0], A[1], A.size() > 2 ? A[2] : 10);
     }},
    {"random", "SEED[,TASKS]", 1, 2,
     [](std::span<const uint64_t> A) -> std::unique_ptr<Program> {
       return std::make_unique<Random>(A[0], A.size() > 1 ? A[1] : 1000);
     }},
    {"independent", "TASKS[,WORK]", 1, 2,
     [](std::span<const uint64_t> A) -> std::unique_ptr<Program> {
       return std::make_unique<Independent>(A[0], A.size() > 1 ? static_cast<double>(A[1]) : 1e6);
     }},
};

std::string allForms() {
  std::string Text;
  for (const Form &F : Forms)
    Text += (Text.empty() ? "" : ", ") + (std::string(F.Name) + ":") + F.Takes;
  return Text;
}

class Repeated final : public Program {
public:
  Repeated(std::function<std::unique_ptr<Program>()> Make, unsigned Times)
      : Make(std::move(Make)), Left(Times), Now(this->Make()) {}
  const std::vector<std::string> &types() const override { return Now->types(); }
  bool submitsFirst() const override { return Now->submitsFirst(); }
  bool namesTasks() const override { return Now->namesTasks(); }
  bool sendsHome() const override { return Now->sendsHome(); }
  bool next(TaskSpec &Out) override {
    if (!Now->next(Out)) {
      Before = Submitted;
      if (--Left == 0)
        return false;
      Now = Make();
      if (!Now->next(Out))
        return false;
      Out.AwaitsAll = Out.Flushes = Out.BeginsRun = true;
    }
    for (std::vector<TaskId> *Ids : {&Out.After, &Out.Awaits})
      for (TaskId &Id : *Ids)
        Id += Before;
    ++Submitted;
    return true;
  }

private:
  const std::function<std::unique_ptr<Program>()> Make;
  unsigned Left;
  std::unique_ptr<Program> Now;
  TaskId Submitted = 0, Before = 0; // Tasks submitted; tasks of earlier repetitions.
};

} // namespace

std::unique_ptr<Program> repeated(std::function<std::unique_ptr<Program>()> Make, unsigned Times) {
  return std::make_unique<Repeated>(std::move(Make), Times);
}

status makeProgram(const std::string &Text, std::unique_ptr<Program> &Out) {
  auto wrong = [&](const std::string &Why) {
    return status::error(errc::invalid_argument, "graph '" + Text + "': " + Why);
  };
  if (Text.ends_with(".json"))
    return readGraph(Text, Out);
  const size_t Colon = Text.find(':');
  const std::string Name = Text.substr(0, Colon);
  auto F = std::ranges::find(Forms, Name, [](const Form &F) { return std::string_view(F.Name); });
  if (F == std::end(Forms))
    return wrong("there is no such graph; write one of: " + allForms() + ", or a file's name that ends in .json");
  const std::string Usage = "write " + Name + ":" + F->Takes;
  std::vector<uint64_t> Numbers;
  const char *At = Text.data() + (Colon == std::string::npos ? Text.size() : Colon + 1),
             *End = Text.data() + Text.size();
  while (At != End || (!Numbers.empty() && End[-1] == ',')) {
    uint64_t Number = 0;
    auto [Stop, Error] = std::from_chars(At, End, Number);
    if (Error != std::errc() || (Stop != End && *Stop != ','))
      return wrong("'" + std::string(At, End) + "' is not a list of whole numbers; " + Usage);
    Numbers.push_back(Number);
    At = Stop == End ? End : Stop + 1;
  }
  if (Numbers.size() < F->Least || Numbers.size() > F->Most)
    return wrong(std::to_string(Numbers.size()) + " numbers; " + Usage);
  if (std::string_view(F->Takes).starts_with("N,")) {
    constexpr uint64_t MostElements = uint64_t(1) << 22; // A matrix of this many elements still has addresses.
    if (!Numbers[1] || !Numbers[0] || Numbers[0] % Numbers[1])
      return wrong("TILE has to divide N; " + Usage);
    if (Numbers[0] > MostElements)
      return wrong("N is at most " + std::to_string(MostElements) + "; " + Usage);
  }
  Out = F->Make(Numbers);
  return {};
}

const char *const ProgramHelp = "  cholesky:N,TILE          A = L L^T of an N x N matrix in tiles\n"
                                "  lu:N,TILE                A = P L U\n"
                                "  gemm:N,TILE              C += A B\n"
                                "  jacobi:N,TILE[,STEPS]    a 5-point stencil, 10 steps\n"
                                "  random:SEED[,TASKS]      sections in all modes that overlap, 1000 tasks\n"
                                "  independent:TASKS[,WORK] of 10^6 units of work each\n"
                                "  FILE.json                tasks that a file describes\n";

} // namespace hsched::rt::virt
