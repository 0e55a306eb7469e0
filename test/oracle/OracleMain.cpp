// Random programs through the real engine, against the serial oracle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   oracle_test [--tasks N] [--seed S | --fresh] [--workers W] [--policy NAME] [--size T] [--print]
//
// Runs rounds with the seeds S, S + 1, ... until N tasks have been run. A round is one machine, with its workers,
// policy and window, and a few programs. A round that goes wrong is run again by its seed with --tasks 1, or with the
// environment's HSCHED_ORACLE_SEED; HSCHED_ORACLE_TASKS and HSCHED_ORACLE_WORKERS are the other two.
#include "Check.h"
#include "Shrink.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

using namespace hsched::oracle;

namespace {

struct Options {
  uint64_t Tasks = 20000, Seed = 1;
  unsigned Workers = 0, Size = 0;
  std::string Policy; // Empty: as the seed has it.
  bool Print = false, Shrink = false;
};

void fromEnvironment(const char *Name, uint64_t &Value) {
  if (const char *Text = std::getenv(Name); Text && *Text)
    Value = std::strtoull(Text, nullptr, 0);
}

bool parse(int Count, char **Given, Options &O) {
  for (int I = 1; I < Count; ++I) {
    std::string_view Name = Given[I];
    auto number = [&] { return I + 1 < Count ? std::strtoull(Given[++I], nullptr, 0) : 0; };
    if (Name == "--tasks")
      O.Tasks = number();
    else if (Name == "--seed")
      O.Seed = number();
    else if (Name == "--workers")
      O.Workers = static_cast<unsigned>(number());
    else if (Name == "--size")
      O.Size = static_cast<unsigned>(number());
    else if (Name == "--policy")
      O.Policy = I + 1 < Count ? Given[++I] : "";
    else if (Name == "--fresh")
      O.Seed = std::random_device()() + uint64_t(1000000);
    else if (Name == "--print")
      O.Print = true;
    else if (Name == "--shrink")
      O.Shrink = true;
    else
      return false;
  }
  uint64_t Workers = O.Workers;
  fromEnvironment("HSCHED_ORACLE_SEED", O.Seed);
  fromEnvironment("HSCHED_ORACLE_TASKS", O.Tasks);
  fromEnvironment("HSCHED_ORACLE_WORKERS", Workers);
  O.Workers = static_cast<unsigned>(Workers);
  return true;
}

// What is being run, for the message that it does not end.
std::atomic<uint64_t> CurrentSeed{0};

// Ends the process when nothing has happened for a long time.
class StandstillWatch {
public:
  StandstillWatch()
      : Watcher([this] {
          uint64_t Last = 0;
          for (unsigned Still = 0; !Done.load(); Still = Last == Progress.load() ? Still + 1 : 0) {
            Last = Progress.load();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            if (Still > 1200) {
              std::printf("nothing has happened for two minutes: --seed %llu\n",
                          static_cast<unsigned long long>(CurrentSeed.load()));
              std::fflush(stdout);
              std::abort();
            }
          }
        }) {}
  ~StandstillWatch() {
    Done = true;
    Watcher.join();
  }

private:
  std::atomic<bool> Done{false};
  std::thread Watcher;
};

struct Totals {
  uint64_t Tasks = 0, Rounds = 0, Programs = 0, ByWorkers[17] = {}, Ran = 0, OnDevices = 0, Nested = 0, MayFail = 0,
           Threads = 0, OfModes[7] = {}, Strided = 0, Tall = 0;

  void add(const Program &P, const Setup &S, const Observed &Seen) {
    ++Programs;
    Tasks += P.Tasks.size();
    ByWorkers[std::min(S.Workers, 16u)] += P.Tasks.size();
    for (size_t I = 0; I < P.Tasks.size(); ++I) {
      const TaskSpec &T = P.Tasks[I];
      Ran += Seen.Tasks[I].Runs;
      Nested += !T.Body.empty();
      OnDevices += T.Kind == Versions::Device || T.Kind == Versions::CpuAndDevice;
      for (const Section &Sec : T.Sections) {
        ++OfModes[Sec.Mode];
        Strided += Sec.Rows > 1;
        Tall += Sec.Rows > 32;
      }
    }
    MayFail += P.MayFail ? P.Tasks.size() : 0;
    Threads += P.Threads.size() > 1 ? P.Tasks.size() : 0;
  }
  void print() const {
    auto n = [](uint64_t V) { return static_cast<unsigned long long>(V); };
    std::printf("%llu tasks of %llu programs on %llu machines; %llu of them ran, the rest was cancelled or never come "
                "to\n%llu with children, %llu in programs that fail, %llu in programs of several threads, %llu for "
                "devices\n",
                n(Tasks), n(Programs), n(Rounds), n(Ran), n(Nested), n(MayFail), n(Threads), n(OnDevices));
    std::printf("accesses: in %llu, out %llu, inout %llu, concurrent %llu, commutative %llu, reduction %llu; %llu in "
                "several rows, %llu in more than 32\nby workers:",
                n(OfModes[1]), n(OfModes[2]), n(OfModes[3]), n(OfModes[4]), n(OfModes[5]), n(OfModes[6]), n(Strided),
                n(Tall));
    for (unsigned W = 1; W <= 16; ++W)
      std::printf(" %u:%llu", W, n(ByWorkers[W]));
    std::printf("\n");
  }
};

// A round's decisions, in the order in which they are made.
class Round {
public:
  Round(uint64_t Seed, const Options &O) : O(O), C(Seed * 0x2545f4914f6cdd1du), S(makeSetup(C, O.Workers)) {
    if (!OwnMachines) {
      uint64_t Workers = 0;
      fromEnvironment("HSCHED_NCPU", Workers);
      S.Workers = static_cast<unsigned>(Workers);
      S.Devices = 0;
    }
    if (!O.Policy.empty())
      S.Policy = O.Policy;
    Left = C.between(1, 6);
  }
  const Setup &setup() const { return S; }
  bool next(Program &Out) {
    if (Left-- == 0)
      return false;
    Out = makeProgram(C, S,
                      O.Size          ? O.Size
                      : C.percent(10) ? C.between(1, 12)
                      : C.percent(3)  ? C.between(1000, 2000)
                                      : C.between(20, 400));
    if (O.Print)
      std::printf("%s\n%s", print(S).c_str(), print(Out).c_str());
    return true;
  }

private:
  const Options &O;
  Choices C;
  Setup S;
  unsigned Left;
};

struct Found {
  std::string Wrong; // Empty: nothing is.
  Setup S;
  Program P;
};

Found oneRound(uint64_t Seed, const Options &O, Totals &Sum) {
  CurrentSeed = Seed;
  Round R(Seed, O);
  std::unique_ptr<Port> M = makeMachine(R.setup());
  for (Program P; R.next(P);) {
    Observed Seen(P);
    runOn(*M, P, Seen);
    std::string Wrong = check(P, Seen);
    Sum.add(P, R.setup(), Seen);
    if (!Wrong.empty())
      return {Wrong, R.setup(), std::move(P)};
  }
  return {};
}

void makeSmaller(const Setup &S, const Program &P, std::chrono::seconds AtMost) {
  auto Until = std::chrono::steady_clock::now() + AtMost;
  auto wrong = [&](const Program &Smaller) { return goesWrong(S, Smaller, 20, 20); };
  if (!wrong(P)) {
    std::printf("20 runs of this program alone went well\n");
    return;
  }
  Program Small = shrink(P, wrong, [Until] { return std::chrono::steady_clock::now() < Until; });
  std::printf("smaller:\n%s", print(Small).c_str());
}

int shrinkRound(const Options &O) {
  Round R(O.Seed, O);
  for (Program P; R.next(P);)
    if (goesWrong(R.setup(), P, 20, 20)) {
      std::printf("%s\n", print(R.setup()).c_str());
      makeSmaller(R.setup(), P, std::chrono::hours(1));
      return 1;
    }
  std::printf("20 runs of each of this round's programs alone went well\n");
  return 0;
}

} // namespace

int main(int Count, char **Given) {
  Options O;
  if (!parse(Count, Given, O)) {
    std::fprintf(stderr, "usage: oracle_test [--tasks N] [--seed S | --fresh] [--workers W] [--policy NAME] "
                         "[--size T] [--print] [--shrink]\n");
    return 2;
  }
  std::printf("HSCHED_ORACLE_SEED=%llu and following\n", static_cast<unsigned long long>(O.Seed));
  std::fflush(stdout);
  if (O.Shrink)
    return shrinkRound(O);
  Totals Sum;
  Found F;
  uint64_t Seed = O.Seed;
  {
    StandstillWatch Watch;
    for (; Sum.Tasks < O.Tasks; ++Seed, ++Sum.Rounds)
      if (F = oneRound(Seed, O, Sum); !F.Wrong.empty())
        break;
  }
  if (F.Wrong.empty()) {
    Sum.print();
    return 0;
  }
  std::printf("HSCHED_ORACLE_SEED=%llu: after %llu tasks: %s\n%s\n%s", static_cast<unsigned long long>(Seed),
              static_cast<unsigned long long>(Sum.Tasks), F.Wrong.c_str(), print(F.S).c_str(), print(F.P).c_str());
  std::fflush(stdout);
  std::printf("to try this seed in every run, add to test/seeds.txt: oracle %llu what it found\n",
              static_cast<unsigned long long>(Seed));
  std::fflush(stdout);
  if (OwnMachines) // The other one cannot be started again.
    makeSmaller(F.S, F.P, std::chrono::seconds(30));
  return 1;
}
