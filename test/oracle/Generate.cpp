// Makes random programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program has a few of the possible features, and those often, so that rare combinations come about.
#include "Program.h"
#include "Run.h"

#include <algorithm>
#include <array>

namespace hsched::oracle {

uint32_t Choices::below(uint32_t N) {
  if (N <= 1)
    return 0;
  if (!Random)
    return Used < Given.size() ? Given[Used++] % N : 0;
  // splitmix64
  uint64_t Z = State += 0x9e3779b97f4a7c15u;
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9u;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<uint32_t>((Z ^ (Z >> 31)) >> 33) % N;
}

namespace {

// A part of memory, and what may be done there.
struct Area {
  enum Right { Anything, Read, Add, AddAtomically, Reduce } May = Anything;
  Section Shape; // Its Via is what sections in it get.
};

struct Scope {
  std::vector<Area> Areas;
  unsigned Depth = 0;
};

class Generator {
public:
  Generator(Choices &C, const Setup &S, unsigned AboutTasks)
      : C(C), OnDevices(S.Devices > 0), Workers(S.Workers), Left(AboutTasks) {
    pickFeatures();
  }

  Program make() {
    unsigned Threads = OnDevices || !C.percent(30) ? 1 : C.between(2, 4);
    P.MayFail = Threads == 1 && !OnDevices && C.percent(25);
    P.SharedWords = Threads == 1 ? 0 : C.between(1, 6) * 16;
    P.FarApart = C.percent(12);
    uint32_t Slice = P.FarApart ? 65536 : C.percent(20) ? 1024 : 16 * C.between(1, 12);
    P.RootWords = P.AllWords = P.SharedWords + Threads * Slice;
    unsigned Each = std::max(1u, Left / Threads);
    for (unsigned T = 0; T < Threads; ++T) {
      Scope S;
      S.Areas.push_back({Area::Anything, row(P.SharedWords + T * Slice, Slice)});
      if (Threads > 1)
        S.Areas.push_back({Area::Add, row(0, P.SharedWords)});
      Left = Each;
      std::vector<Action> Body;
      while (Left > 0)
        addAction(S, Body);
      P.Threads.push_back(std::move(Body));
    }
    return std::move(P);
  }

private:
  static Section row(uint32_t Begin, uint32_t Words) {
    Section S;
    S.Begin = Begin;
    S.Words = Words;
    return S;
  }

  void pickFeatures() {
    for (unsigned M = HSCHED_IN; M <= HSCHED_REDUCTION; ++M)
      for (unsigned N = C.percent(65) ? C.between(1, 4) : 0; N > 0; --N)
        Modes.push_back(M);
    if (Modes.empty())
      Modes.push_back(HSCHED_INOUT);
    for (unsigned S = 0; S < NumShapes; ++S)
      for (unsigned N = C.percent(50) ? C.between(1, 3) : 0; N > 0; --N)
        Shapes.push_back(S);
    if (Shapes.empty())
      Shapes.push_back(Block);
    auto often = [this](uint32_t Chance, uint32_t Most) { return C.percent(Chance) ? C.between(1, Most) : 0; };
    BlockWords = 1u << C.between(0, 5);
    MostSections = C.between(1, TaskSpec::MostSections);
    NestPercent = often(60, 30);
    Deep = C.percent(10);
    WaitPercent = often(60, 8);
    WaitOnPercent = often(50, 8);
    If0Percent = often(30, 15);
    FinalPercent = often(25, 10);
    PriorityPercent = often(30, 60);
    TwoPercent = often(20, 50);
    YieldPercent = often(70, 30);
    LocalPercent = often(50, 50);
    FailPercent = C.between(1, 6);
    DevicePercent = C.between(10, 80);
    KeepOnDevice = C.percent(30);
  }

  void addAction(const Scope &S, std::vector<Action> &Body) {
    Action A;
    A.Id = P.Actions++;
    if (C.percent(WaitPercent)) {
      A.What = Action::Wait;
      A.Flush = !KeepOnDevice || C.percent(50);
      if (A.Flush)
        for (unsigned N = C.below(3); N > 0; --N)
          A.Sections.push_back(ownWork(S));
    } else if (C.percent(WaitOnPercent)) {
      A.What = Action::WaitOn;
      for (unsigned N = C.between(1, 2); N > 0; --N)
        A.Sections.push_back(ownWork(S));
    } else {
      A.What = Action::Submit;
      A.Task = makeTask(S);
      describe(A, Body);
    }
    Body.push_back(std::move(A));
  }

  // What few programs have takes no choices: those of kept seeds mean what they meant.
  void describe(const Action &A, const std::vector<Action> &Body) {
    const uint32_t Program = mix(P.RootWords * 31 + BlockWords * 7 + YieldPercent * 1021 + MostSections);
    auto percent = [&](uint32_t Salt, uint32_t Percent) {
      return Program >> Salt % 24 & 1 && mix(Program + A.Id * 64 + Salt) % 100 < Percent;
    };
    TaskSpec &T = P.Tasks[A.Task];
    T.Detached = percent(1, 20);
    T.Named = percent(2, 50);
    if (percent(3, 25))
      for (unsigned W = 0; W < Workers; ++W)
        if (mix(Program + A.Id * 64 + 8 + W) % 2 || (W + 1 == Workers && T.AllowedOn.empty()))
          T.AllowedOn.push_back(W);
    if (T.Kind == Versions::Device)
      T.AllowedOn.clear();
    for (uint32_t Salt = 4; Salt < 7; ++Salt)
      if (!Body.empty() && percent(2, 50) && mix(Program + A.Id * 64 + Salt) % 2)
        if (const Action &Before = Body[mix(Program + A.Id * 64 + 32 + Salt) % Body.size()];
            Before.What == Action::Submit) {
          P.Tasks[Before.Task].Named = true;
          T.After.push_back(Before.Task);
        }
    T.Named = T.Named || !T.After.empty() || !T.AllowedOn.empty();
  }

  // What a body may do by itself, when it has waited: also to what others update meanwhile.
  Section ownWork(const Scope &S) {
    for (;;) {
      const Area &Where = S.Areas[C.below(static_cast<uint32_t>(S.Areas.size()))];
      if (Where.Shape.Via == ViaRoot && Where.May != Area::Anything)
        continue; // Other threads' tasks are at work there.
      Section Out = anySection(Where);
      if (Where.May == Area::Anything && Out.Mode > HSCHED_INOUT)
        Out.Mode = HSCHED_INOUT;
      return Out;
    }
  }

  uint32_t makeTask(const Scope &S) {
    auto Index = static_cast<uint32_t>(P.Tasks.size());
    P.Tasks.emplace_back();
    Left -= Left > 0;
    TaskSpec T;
    bool HostOnly = false;
    for (unsigned N = C.percent(3) ? 0 : C.between(1, MostSections); N > 0; --N) {
      const Area &Where = S.Areas[C.below(static_cast<uint32_t>(S.Areas.size()))];
      // Others that are not children of the same parent may be at work there, on the host.
      HostOnly |= Where.May == Area::AddAtomically;
      T.Sections.push_back(!T.Sections.empty() && C.percent(3) ? T.Sections[0] : anySection(Where));
    }
    if (C.percent(PriorityPercent))
      T.Priority = static_cast<int>(C.below(5)) - 2;
    T.If0 = C.percent(If0Percent);
    T.Final = C.percent(FinalPercent);
    T.Labelled = C.percent(5);
    if (C.percent(YieldPercent))
      T.Yields = static_cast<uint8_t>(C.between(1, 3));
    T.Catches = C.percent(50);
    if (P.MayFail && C.percent(FailPercent))
      T.Fail = C.percent(50) ? Fails::AtOnce : Fails::AtTheEnd;
    if (C.percent(TwoPercent))
      T.Kind = Versions::TwoCpu;
    bool Leaf = false;
    if (OnDevices && C.percent(DevicePercent) && !HostOnly) {
      Leaf = true;
      T.Kind = C.percent(50) ? Versions::CpuAndDevice : Versions::Device;
    }
    if (!Leaf && Left > 0 && (C.percent(NestPercent) || (Deep && S.Depth > 0 && C.percent(90))))
      makeChildren(S, T);
    P.Tasks[Index] = std::move(T);
    return Index;
  }

  void makeChildren(const Scope &S, TaskSpec &T) {
    if (S.Depth >= (Deep ? 45 : 5))
      return;
    Scope Inner;
    Inner.Depth = S.Depth + 1;
    for (size_t I = 0; I < T.Sections.size(); ++I) {
      Area A;
      A.Shape = T.Sections[I];
      A.Shape.Via = static_cast<int>(I);
      if (A.Shape.Words == 0)
        continue;
      static constexpr std::array Rights = {Area::Read,          Area::Read, Area::Anything, Area::Anything,
                                            Area::AddAtomically, Area::Add,  Area::Reduce};
      A.May = Rights[A.Shape.Mode];
      Inner.Areas.push_back(A);
    }
    if (Inner.Areas.empty() || C.percent(LocalPercent)) {
      T.LocalBegin = P.AllWords;
      T.LocalWords = 2 * C.between(1, 16);
      P.AllWords += T.LocalWords;
      T.Catches = true; // The local memory must outlive its users.
      Area A{Area::Anything, row(T.LocalBegin, T.LocalWords)};
      A.Shape.Via = ViaLocal;
      Inner.Areas.push_back(A);
    }
    for (unsigned N = Deep ? C.between(1, 2) : C.between(1, 8); N > 0 && Left > 0; --N)
      addAction(Inner, T.Body);
    if (T.LocalWords) {
      Action A;
      A.What = Action::Wait;
      A.Id = P.Actions++;
      Section All = row(T.LocalBegin, T.LocalWords);
      All.Via = ViaLocal;
      A.Sections.push_back(All);
      T.Body.push_back(std::move(A));
    }
  }

  unsigned modeFor(const Area &Where, const Section &S, Reduction &Op) {
    bool Even = S.Begin % 2 == 0 && S.Words % 2 == 0 && (S.Rows <= 1 || S.Stride % 2 == 0);
    switch (Where.May) {
    case Area::Read:
      return HSCHED_IN;
    case Area::AddAtomically:
      return HSCHED_CONCURRENT;
    case Area::Reduce:
      Op = Where.Shape.Op;
      if (Op != Reduction::Sum || C.percent(50))
        return HSCHED_REDUCTION;
      break;
    case Area::Add:
      break;
    case Area::Anything:
      Op = static_cast<Reduction>(C.below(Even ? 4 : 3));
      for (int Tries = 0; Tries < 4; ++Tries)
        if (unsigned Mode = Modes[C.below(static_cast<uint32_t>(Modes.size()))]; Mode != HSCHED_REDUCTION || !P.MayFail)
          return Mode;
      return HSCHED_INOUT;
    }
    // With a group that fails go its members' updates: no private copies where tasks may fail.
    static constexpr std::array Adding = {HSCHED_COMMUTATIVE, HSCHED_CONCURRENT, HSCHED_REDUCTION};
    return static_cast<unsigned>(Adding[C.below(P.MayFail ? 2 : 3)]);
  }

  Section anySection(const Area &Where) {
    const Section &In = Where.Shape;
    Section S = In.Rows > 1 ? partOfTile(In) : partOfRow(In);
    S.Via = In.Via;
    if (Where.May == Area::Reduce && In.Op == Reduction::Pair &&
        (S.Begin % 2 || S.Words % 2 || (S.Rows > 1 && S.Stride % 2))) {
      int Via = S.Via;
      S = In;
      S.Via = Via;
    }
    S.Op = Reduction::Sum;
    S.Mode = modeFor(Where, S, S.Op);
    return S;
  }

  Section partOfTile(const Section &In) {
    Section S = In;
    uint32_t FirstRow = C.below(In.Rows), FirstColumn = C.below(In.Words);
    S.Begin = In.Begin + FirstRow * In.Stride + FirstColumn;
    S.Rows = C.between(1, In.Rows - FirstRow);
    S.Words = C.between(1, In.Words - FirstColumn);
    if (S.Rows == 1)
      S.Stride = 0;
    return S;
  }

  enum { Block, Range, Tile, Comb, WholeArea, OneWord, Nothing, NumShapes };
  Section partOfRow(const Section &In) {
    uint32_t N = In.Words, Shape = Shapes[C.below(static_cast<uint32_t>(Shapes.size()))];
    if (N >= 4 * PageWords)
      return partOfManyPages(In, Shape);
    Section S;
    switch (Shape) {
    case Block: {
      uint32_t Blocks = std::max(1u, N / BlockWords), At = C.below(std::min(Blocks, 12u));
      S.Begin = At * BlockWords;
      S.Words = std::min(BlockWords, N - S.Begin);
      break;
    }
    case Range:
      S.Begin = C.below(N);
      S.Words = C.between(1, std::min(N - S.Begin, 24u));
      break;
    case Tile: { // A tile of a matrix.
      bool Tall = C.percent(25);
      uint32_t Columns = std::min(N, C.percent(80) ? 8u : C.between(1, 16));
      uint32_t Rows = Tall ? N / Columns : std::min(N / Columns, 16u), FirstRow = C.below(std::min(Rows, 16u));
      uint32_t FirstColumn = C.percent(70) ? C.below(Columns) / 4 * 4 : C.below(Columns);
      S.Begin = FirstRow * Columns + FirstColumn;
      S.Rows = C.between(1, Tall ? Rows - FirstRow : std::min(Rows - FirstRow, 6u));
      S.Words = std::min(Columns - FirstColumn, C.percent(70) ? 4u : C.between(1, 8));
      S.Stride = Columns;
      break;
    }
    case Comb: // Many short rows.
      S.Stride = C.between(1, 4);
      S.Words = C.between(1, S.Stride);
      S.Begin = C.below(std::min(N, 8u));
      S.Words = std::min(S.Words, N - S.Begin);
      S.Rows = 1 + (N - S.Begin - S.Words) / S.Stride;
      S.Rows = C.percent(50) ? S.Rows : C.between(1, S.Rows);
      break;
    case WholeArea:
      S.Words = C.percent(20) ? N : (N + 1) / 2;
      break;
    case OneWord:
      S.Begin = C.below(std::min(N, 16u));
      S.Words = 1;
      break;
    case Nothing:
      S.Begin = C.below(N);
      if (!C.percent(30))
        S.Words = 1;
      break;
    }
    if (S.Rows <= 1)
      S.Stride = 0;
    S.Begin += In.Begin;
    return S;
  }

  // A section of memory so large that it is divided by address: about the beginnings of pages, and across
  // them.
  static constexpr uint32_t PageWords = 4096;
  Section partOfManyPages(const Section &In, uint32_t Shape) {
    Section S;
    uint32_t N = In.Words, Pages = N / PageWords, Page = PageWords * (1 + C.below(Pages - 1));
    switch (Shape) {
    case Block:
      S.Begin = Page + BlockWords * C.below(4);
      S.Words = BlockWords;
      break;
    case Range:
      S.Begin = Page - C.below(24);
      S.Words = C.between(1, 32);
      break;
    case Tile: {
      static constexpr std::array<uint32_t, 5> Strides = {64, 72, 1000, PageWords, 2 * PageWords};
      S.Stride = Strides[C.below(Strides.size())];
      S.Words = 4 * C.between(1, 8);
      S.Begin = Page - (C.percent(30) ? 4 * C.below(8) : 0);
      S.Rows = C.between(1, std::min(1 + (N - S.Begin - S.Words) / S.Stride, C.percent(25) ? 300u : 8u));
      break;
    }
    case Comb:
      S.Stride = C.between(2, 4);
      S.Words = 1;
      S.Rows = C.between(2, 400);
      S.Begin = Page - C.below(400);
      break;
    case WholeArea:
      S.Begin = Page - 64 * C.below(64);
      S.Words = std::min(64 * C.between(1, 128), N - S.Begin);
      break;
    default:
      S.Begin = C.below(N);
      S.Words = 1;
      break;
    }
    if (S.Rows <= 1)
      S.Stride = 0;
    if (S.end() > N)
      S = row(Page, 1);
    S.Begin += In.Begin;
    return S;
  }

  Choices &C;
  const bool OnDevices;
  const unsigned Workers;
  unsigned Left;
  Program P;
  std::vector<unsigned> Modes, Shapes;
  uint32_t BlockWords = 1, MostSections = 1, NestPercent = 0, WaitPercent = 0, WaitOnPercent = 0, If0Percent = 0,
           FinalPercent = 0, PriorityPercent = 0, TwoPercent = 0, YieldPercent = 0, LocalPercent = 0, FailPercent = 0,
           DevicePercent = 0;
  bool Deep = false, KeepOnDevice = false;
};

} // namespace

Setup makeSetup(Choices &C, unsigned Workers) {
  Setup S;
  S.Workers = Workers ? Workers : C.percent(60) ? C.between(1, 4) : C.between(1, 16);
  S.Policy = C.percent(50) ? "versioning" : "eager";
  static constexpr std::array<unsigned, 8> Windows = {4096, 4096, 4096, 256, 32, 8, 3, 2};
  S.Window = Windows[C.below(Windows.size())];
  S.Watched = C.percent(12);
  S.Devices = C.percent(8) ? C.between(1, 2) : 0;
  return S;
}

Program makeProgram(Choices &C, const Setup &S, unsigned AboutTasks) { return Generator(C, S, AboutTasks).make(); }

} // namespace hsched::oracle
