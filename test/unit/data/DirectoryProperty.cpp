// Random programs on random small devices against a serial oracle, byte for byte.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <random>
#include <set>

using namespace hsched;
using namespace hsched::rt;

namespace {

constexpr size_t Memory = 4096;

struct Part {
  size_t Begin, Bytes, Rows, Stride;
  unsigned Mode;
  bool Packed; // On devices, if it has several rows.
};

struct Step {
  enum Kind { Run, Flush, FlushPart, Tick } What;
  MemoryNode Node;
  std::vector<Part> Parts; // Run, FlushPart.
  bool Invalidate;         // Flush, FlushPart.
  bool Linger;             // Run: stays in flight on its device until something has to wait for it.
  bool Alike = false;      // Run: one parameter describes all packed tiles.
};

std::ostream &operator<<(std::ostream &Out, const Step &S) {
  const char *Names[] = {"run", "flush", "flush part", "tick"};
  Out << Names[S.What] << " on " << S.Node << (S.Linger ? " lingering" : "") << (S.Invalidate ? " invalidate" : "")
      << (S.Alike ? " alike" : "");
  for (const Part &P : S.Parts)
    Out << " [" << P.Begin << " +" << P.Bytes << " x" << P.Rows << " /" << P.Stride << (P.Packed ? " packed" : "")
        << " mode " << P.Mode << "]";
  return Out;
}

// A step is drawn from a seed of its own, so that RapidCheck shrinks a program by leaving steps out.
class Draw {
public:
  explicit Draw(uint64_t Seed) : Engine(Seed) {}
  size_t below(size_t N) { return Engine() % N; }

  // Some tiles come again and again, some beside each other: these are kept whole.
  Part frequent() {
    size_t Row = Alike ? 80 : 40 * (1 + below(3)), Bytes = Alike ? 20 : 10 + 10 * below(3);
    return {100 + 40 * below(4) + Bytes * below(3),
            Bytes,
            2 + below(4),
            Row,
            std::array<unsigned, 3>{HSCHED_IN, HSCHED_OUT, HSCHED_INOUT}[below(3)],
            below(4) > 0};
  }

  Part part() {
    if (Frequent && below(4))
      return frequent();
    Part P{};
    P.Rows = below(3) ? 1 : 2 + below(5);
    P.Bytes = P.Rows > 1 ? below(80) : below(5) ? 8 + below(700) : below(8);
    P.Stride = P.Bytes + below(60);
    P.Begin = below(Memory - ((P.Rows - 1) * P.Stride + P.Bytes));
    P.Mode = std::array<unsigned, 3>{HSCHED_IN, HSCHED_OUT, HSCHED_INOUT}[below(3)];
    P.Packed = below(2);
    return P;
  }

  Step step(unsigned Devices) {
    Frequent = below(2);
    Step S{};
    size_t What = below(16);
    S.What = What < 12 ? Step::Run : What == 12 ? Step::Flush : What == 13 ? Step::FlushPart : Step::Tick;
    S.Node = static_cast<MemoryNode>(below(Devices + 1));
    S.Invalidate = below(2);
    S.Linger = below(2);
    S.Alike = below(3) == 0;
    Alike = S.Alike && below(2);
    if (S.What == Step::Run || S.What == Step::FlushPart)
      for (size_t N = 1 + below(3); N; --N)
        S.Parts.push_back(part());
    return S;
  }

private:
  std::mt19937_64 Engine;
  bool Frequent = false, Alike = false;
};

bool conflict(const TestTask &A, const TestTask &B) {
  for (const Access &X : A.List)
    for (const Access &Y : B.List)
      if ((writes(X) || writes(Y)) && beginOf(X) < endOf(Y) && beginOf(Y) < endOf(X))
        return true;
  return false;
}

// Executes steps, keeping device tasks in flight where the graph would allow it.
class Player {
public:
  Player(sim::SimOptions Options, bool Homeless) : Own(Memory), Oracle(Memory), H(Options) {
    if (Homeless) {
      void *Made = nullptr;
      RC_ASSERT(H.Dir->makeHomeless(Memory, Made).ok());
      RC_ASSERT(H.Dir->bringHome(Made, Memory, Directory::HomeUse::Overwrite).ok());
      Home = static_cast<uint8_t *>(Made);
      Datum = Made;
    }
    for (size_t I = 0; I < Memory; ++I)
      Home[I] = Oracle[I] = static_cast<uint8_t>(I * 7 + I / 256);
  }

  void play(const Step &S) {
    switch (S.What) {
    case Step::Run:
      runTask(S);
      return;
    case Step::Tick:
      if (S.Node != HostNode)
        for (Lane L : {Lane::Compute, Lane::DeviceToHost, Lane::HostToDevice})
          H.device(S.Node).step(L);
      return;
    case Step::Flush:
      RC_ASSERT(H.flush(S.Invalidate).ok());
      if (Datum && S.Invalidate) // Which leaves it where it is.
        RC_ASSERT(H.Dir->bringHome(Datum, Memory, Directory::HomeUse::Update).ok());
      return;
    case Step::FlushPart: {
      std::vector<Access> Ranges;
      for (const Part &P : S.Parts)
        Ranges.push_back(access(Home, P));
      RC_ASSERT(H.Dir->flush(Ranges, false, S.Invalidate).ok());
      return;
    }
    }
  }

  void finish() {
    completeAll();
    RC_ASSERT(H.flush().ok());
    if (Datum)
      RC_ASSERT(H.Dir->bringHome(Datum, Memory, Directory::HomeUse::Read).ok());
    RC_ASSERT(std::equal(Oracle.begin(), Oracle.end(), Home));
    if (Datum)
      RC_ASSERT(H.Dir->dropHomeless(Datum).ok());
    RC_ASSERT(H.Dir->stats().Fragments == 0u);
    RC_ASSERT(H.Dir->shutdown().ok());
    for (auto &D : H.Devices)
      RC_ASSERT(D->bytesInUse() == 0u);
  }

private:
  struct Flight {
    std::unique_ptr<TestTask> T;
    Acquisition A;
    EventRef Done;
  };

  static Access access(uint8_t *In, const Part &P, unsigned Param = HSCHED_NO_PARAM) {
    return {In + P.Begin, P.Bytes, P.Rows, P.Stride, P.Mode, P.Packed ? Param : HSCHED_NO_PARAM};
  }

  void complete(Flight &F) {
    RC_ASSERT(F.Done->wait().ok());
    H.Dir->release(F.T->T, F.A, false);
  }
  void completeAll() {
    for (; !InFlight.empty(); InFlight.pop_front())
      complete(InFlight.front());
  }

  // Overlapping sections of one task must agree with a serial run in any order of the bytes. They do, because TestTask
  // reads everything first and then writes access by access.
  void runTask(const Step &S) {
    std::vector<Access> Here, There;
    for (const Part &P : S.Parts) {
      Here.push_back(access(Home, P, static_cast<unsigned>(Here.size())));
      There.push_back(access(Oracle.data(), P));
    }
    uint64_t Salt = ++Count;
    auto T = std::make_unique<TestTask>(Here, Salt);
    if (S.Alike)
      T->Leading.assign(T->Packed.size(), 9);
    // Chains may stay on their device; everything else that conflicts has to be complete.
    if (conflictsElsewhere(*T, S.Node))
      completeAll();
    MemoryNode Node = S.Node;
    Acquisition A;
    status Result = H.acquire(*T, Node, A);
    if (Result.code() == errc::out_of_memory && A.MemoryBusy) {
      completeAll();
      Result = H.acquire(*T, Node, A);
    }
    if (Result.code() == errc::out_of_memory) {
      // Packed tiles that overlap are in a rectangle, whose corners may take a little more than their hulls do.
      RC_ASSERT(needs(*T) * (T->Packed.empty() ? 1 : 2) >
                std::min(H.device(Node).info().MemoryBytes, H.device(Node).info().MaxAllocationBytes));
      completeAll();
      Node = HostNode;
      Result = H.acquire(*T, Node, A);
    }
    RC_ASSERT(Result.ok());
    if (S.Alike && Node != HostNode)
      checkAlike(*T, A);
    TestTask(There, Salt).runOnHost();
    if (Node == HostNode) {
      for (const EventRef &E : A.Wait)
        RC_ASSERT(E->wait().ok());
      T->runOnHost();
      H.Dir->release(T->T, A, false);
      return;
    }
    EventRef Done;
    RC_ASSERT(H.launch(*T, A, Done).ok());
    InFlight.push_back({std::move(T), std::move(A), Done});
    if (!S.Linger)
      completeAll();
  }

  // Either all of several tiles have other distances than on the host, and equal ones, or none has.
  static void checkAlike(const TestTask &T, const Acquisition &A) {
    std::set<uint64_t> Found;
    for (size_t I = 0; I < T.List.size() && T.Packed.size() > 1; ++I)
      if (T.List[I].param != HSCHED_NO_PARAM && beginOf(T.List[I]) != endOf(T.List[I]))
        Found.insert(A.Placements[I].Stride);
    RC_ASSERT(Found.size() <= 1);
  }

  bool conflictsElsewhere(const TestTask &T, MemoryNode Node) {
    return std::any_of(InFlight.begin(), InFlight.end(),
                       [&](const Flight &F) { return F.A.Node != Node && conflict(*F.T, T); });
  }

  // Bytes of the union of the sections' hulls: the most that there may have to be.
  static uint64_t needs(const TestTask &T) {
    std::map<uintptr_t, uintptr_t> Hulls; // Sections that overlap share a block, which begins on a boundary.
    for (const Access &A : T.List) {
      uintptr_t Lo = beginOf(A), Hi = endOf(A);
      if (Lo == Hi)
        continue;
      for (auto It = Hulls.begin(); It != Hulls.end();) {
        if (It->first >= Hi || It->second <= Lo) {
          ++It;
          continue;
        }
        Lo = std::min(Lo, It->first);
        Hi = std::max(Hi, It->second);
        It = Hulls.erase(It);
      }
      Hulls[Lo] = Hi;
    }
    uint64_t Bytes = 0;
    for (const auto &[Lo, Hi] : Hulls)
      Bytes += Hi - Lo / 128 * 128;
    return Bytes;
  }

  ByteVector Own, Oracle;
  uint8_t *Home = Own.data();
  void *Datum = nullptr; // Where that has no home.
  std::list<Flight> InFlight;
  uint64_t Count = 0;
  Harness H; // Last: when a property fails, what is in flight still uses the rest.
};

void property(sim::SimMode Mode) {
  bool Ok = rc::check("a random program gives what a serial run gives", [=] {
    sim::SimOptions O;
    O.Mode = Mode;
    O.Devices = *rc::gen::inRange(1u, 4u);
    // Copies by way of the host are started by a thread of their own, which virtual time does not wait for.
    O.Apart = Mode != sim::SimMode::Virtual && *rc::gen::arbitrary<bool>();
    O.MemoryBytes = *rc::gen::inRange<uint64_t>(300, 3000);
    if (Mode == sim::SimMode::Virtual)
      O.Time = std::make_shared<ManualClock>();
    const bool Homeless = *rc::gen::arbitrary<bool>();
    auto Seeds = *rc::gen::container<std::vector<uint64_t>>(rc::gen::noShrink(rc::gen::arbitrary<uint64_t>()));
    std::vector<Step> Steps;
    for (uint64_t Seed : Seeds)
      Steps.push_back(Draw(Seed).step(O.Devices));
    RC_LOG() << O.Devices << (O.Apart ? " devices apart, of " : " devices of ") << O.MemoryBytes << " bytes"
             << (Homeless ? ", data without a home\n" : "\n");
    for (const Step &S : Steps)
      RC_LOG() << S << "\n";
    Player P(O, Homeless);
    for (const Step &S : Steps)
      P.play(S);
    P.finish();
  });
  EXPECT_TRUE(Ok);
}

// RapidCheck prints its seed; RC_PARAMS="seed=... max_success=..." repeats or prolongs a run.
TEST(DirectoryProperty, Threads) { property(sim::SimMode::Threads); }
TEST(DirectoryProperty, Lazily) { property(sim::SimMode::Manual); }
TEST(DirectoryProperty, InVirtualTime) { property(sim::SimMode::Virtual); }

} // namespace
