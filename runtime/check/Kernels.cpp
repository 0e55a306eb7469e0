// Kernels with bounds checks: the section table, and findings. compiler/analysis/kernel/Bounds.cpp has the device
// side.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Judge.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>

namespace hsched::check {
namespace {

// In units of 8 bytes.
constexpr size_t FirstRow = 8, RowNumbers = 6, MostRows = 2048, MostFindings = 1024, FindingNumbers = 6, Room = 16;
constexpr size_t FirstFinding = FirstRow + RowNumbers * MostRows;

constexpr size_t FirstBit = FirstFinding + FindingNumbers * MostFindings + Room;

// The section table. The bits of written bytes follow the findings.
struct Table {
  uint64_t *Numbers = nullptr;
  size_t Bytes = 0;

  // Only grows, so that few tables are ever made.
  void hold(size_t Words) {
    const size_t Pages = (FirstBit + Words) * 8 / 4096 + 1;
    if (Bytes < Pages * 4096) {
      std::free(Numbers);
      Numbers = static_cast<uint64_t *>(std::aligned_alloc(4096, Pages * 4096));
      if (!Numbers)
        throw std::bad_alloc();
      Bytes = Pages * 4096;
    }
    std::memset(Numbers + FirstBit, 0, Words * 8);
  }
};

// A row: the access, and the host address of the buffer's pointer.
struct Row {
  unsigned Access;
  Address Base;
};

// Whether [Low, High) holds the pattern of data that are only overwritten.
bool holdsPattern(const Running &R, Address Low, Address High) {
  return std::ranges::any_of(R.Before, [&](const Running::Saved &Old) {
    return Old.Filled.Low <= Low && High <= Old.Filled.High && !Old.Filled.empty();
  });
}

std::vector<Row> fillTable(Table &T, const Running &R, const hsched_kernel_desc &K, const void *Args) {
  std::vector<hsched_kernel_arg> Out(K.n_args);
  hsched_ndrange Range{};
  K.fill(Args, &Range, Out.data());
  std::vector<Row> Rows;
  uint64_t Buffer = 0;
  size_t Words = 0; // Words of bits.
  T.hold(0);
  for (const hsched_kernel_arg &Arg : Out) {
    if (Arg.kind != HSCHED_ARG_BUFFER)
      continue;
    const auto Base = reinterpret_cast<Address>(Arg.pointer);
    for (unsigned I = 0; I < R.Accesses.size(); ++I) {
      const hsched_access &X = R.Accesses[I];
      if (X.param != Arg.param && X.param != HSCHED_NO_PARAM && Arg.param != HSCHED_NO_PARAM)
        continue;
      const uint64_t May = X.mode == HSCHED_IN ? 1 : 3;
      forEachRow(X, [&](Address Low, Address High) {
        if (Rows.size() == MostRows)
          return;
        uint64_t *To = T.Numbers + FirstRow + RowNumbers * Rows.size();
        To[0] = Buffer;
        To[1] = Low - Base;
        To[2] = High - Base;
        To[3] = May;
        To[4] = To[5] = 0;
        if (X.mode == HSCHED_OUT && holdsPattern(R, Low, High)) {
          To[3] = 6;
          To[4] = FirstBit + Words;
          To[5] = patternAt(Base);
          Words += (High - Low) / 64 + 1;
        }
        Rows.push_back({I, Base});
      });
    }
    ++Buffer;
  }
  T.Numbers[0] = 0;
  T.Numbers[1] = Rows.size();
  std::vector<uint64_t> Head(T.Numbers, T.Numbers + FirstRow + RowNumbers * Rows.size());
  T.hold(Words);
  std::ranges::copy(Head, T.Numbers);
  return Rows;
}

void readFindings(const Table &T, Running &R, const std::vector<Row> &Rows, const hsched_kernel_desc &K) {
  // Findings with one line and one section are merged.
  std::map<std::tuple<unsigned, unsigned, bool, bool>, KernelFinding> Found;
  const size_t N = std::min<size_t>(static_cast<uint32_t>(T.Numbers[0]), MostFindings);
  for (size_t I = 0; I < N; ++I) {
    const uint64_t *F = T.Numbers + FirstFinding + FindingNumbers * I;
    if (F[0] >= Rows.size())
      continue;
    const Row &At = Rows[F[0]];
    const Address Low = At.Base + F[1];
    const bool Inside = F[5] != 0, Writes = F[3] & ~(Inside ? F[5] : 0) & 2;
    const auto Line = static_cast<unsigned>(F[4]);
    auto [Existing, New] = Found.try_emplace({At.Access, Line, Writes, Inside},
                                             KernelFinding{At.Access, Low, Low + F[2], F[2], Writes, Inside, Line});
    Existing->second.Low = std::min(Existing->second.Low, Low);
    Existing->second.High = std::max(Existing->second.High, Low + F[2]);
  }
  for (const auto &[Key, X] : Found)
    reportKernel(R, X, std::string(K.file) + ":" + std::to_string(X.Line));
}

// Bytes that the kernel has written count as overwritten.
void noteWritten(const Table &T, Running &R, const std::vector<Row> &Rows) {
  for (size_t I = 0; I < Rows.size(); ++I) {
    const uint64_t *Row = T.Numbers + FirstRow + RowNumbers * I;
    const Address Low = Rows[I].Base + Row[1], High = Rows[I].Base + Row[2];
    for (Address A = Low; Row[4] && A < High; ++A)
      if (T.Numbers[Row[4] + (A - Low) / 64] >> (A - Low) % 64 & 1)
        if (Segment *S = R.Where.find(A); S && S->Overwritten)
          *R.Where.written(*S, A) = 1;
  }
}

} // namespace

void runOnDevice(Running &R, unsigned Version, void *Args) {
  static Table T; // Used by one task at a time.
  const hsched_kernel_desc *K = TheProgram->Version(R.Record.Type, Version)->kernel;
  if (!K || !rt::checksBounds(*K))
    return TheProgram->RunOnEngine(R.Record.Type, Version, R.Accesses.data(), R.Accesses.size(), Args, nullptr);
  const std::vector<Row> Rows = fillTable(T, R, *K, Args);
  std::vector<hsched_access> Accesses(R.Accesses.begin(), R.Accesses.end());
  for (hsched_access &X : Accesses) // The pattern goes to the device.
    if (X.mode == HSCHED_OUT)
      X.mode = HSCHED_INOUT;
  Accesses.push_back({T.Numbers, T.Bytes, 1, T.Bytes, HSCHED_INOUT, HSCHED_NO_PARAM});
  TheProgram->RunOnEngine(R.Record.Type, Version, Accesses.data(), Accesses.size(), Args, T.Numbers);
  readFindings(T, R, Rows, *K);
  noteWritten(T, R, Rows);
}

} // namespace hsched::check
