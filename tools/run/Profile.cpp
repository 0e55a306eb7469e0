// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Profile.h"

#include "trace/Record.h"

#include <hsched/abi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <unordered_map>

namespace hsched::run {
namespace {

namespace record = rt::record;

constexpr unsigned DefaultQueues = 8; // The default of HSCHED_QUEUES in docs/runtime.md.
constexpr unsigned QueuesThatOverlap = 4;
constexpr double MostOverlap = 32;

// The document with all kernels on one device, with so many queues.
dag::Document onDevice(const dag::Document &D, const std::string &Word, const std::string &QueueKey, unsigned Queues) {
  dag::Document Out = D;
  for (dag::KernelDoc &K : Out.Kernels) {
    K.Device = {Word, K.Id.At};
    K.Partition = {};
  }
  Out.Queues = {{QueueKey, {std::to_string(Queues), D.Kernels[0].Id.At}}};
  return Out;
}

record::Record runAlone(const dag::Document &D, const dag::ResolveOptions &Resolving, const Options &O, unsigned Repeat,
                        Measured &Out) {
  std::string Folder = (std::filesystem::temp_directory_path() / "hsched-tune-XXXXXX").string();
  if (!mkdtemp(Folder.data())) {
    Out.Error = "no temporary folder can be made in " + std::filesystem::temp_directory_path().string();
    return {};
  }
  const std::string File = Folder + "/record.json";
  Out = measure(D, Resolving, O, Repeat, File);
  record::Record R;
  if (Out.Error.empty())
    if (status Read = record::readRecord(File, R); !Read.ok())
      Out.Error = Read.message();
  std::error_code Ignored;
  std::filesystem::remove_all(Folder, Ignored);
  return R;
}

// Time = transfers * latency + bytes * seconds per byte; the fastest transfer is taken as the latency.
void fitLink(const record::Record &R, const char *Kind, double &Latency, double &SecondsPerByte) {
  double Bytes = 0, Time = 0, Least = 1e9, Count = 0;
  for (const record::Transfer &T : R.Transfers)
    if (T.Kind == Kind) {
      const double Took = static_cast<double>(T.End - T.Begin) * 1e-9;
      Bytes += static_cast<double>(T.Bytes);
      Time += Took;
      Least = std::min(Least, Took);
      ++Count;
    }
  if (Count == 0 || Bytes == 0)
    return;
  Latency = Least / 2; // The fastest transfer has bytes too.
  SecondsPerByte = std::max(0.0, Time - Count * Latency) / Bytes;
}

// For each run of the graph, the times by kernel; kernels that did not run are omitted.
struct RunTimes {
  std::vector<std::vector<double>> Seconds; // Seconds by run and kernel; negative: it did not run.
  double LeastBusy = 0;                     // Time in which any kernel ran, of the run with the least.
};

RunTimes timesOf(const record::Record &R, const dag::Graph &G) {
  std::unordered_map<std::string, uint32_t> Index;
  for (uint32_t K = 0; K < G.Kernels.size(); ++K)
    Index[G.Kernels[K].Id] = K;
  RunTimes Out;
  std::vector<size_t> Count(G.Kernels.size());
  std::vector<std::vector<std::pair<record::Ns, record::Ns>>> Spans;
  for (const record::Task &T : R.Tasks) // Sorted by id: one run after the other.
    if (auto At = Index.find(T.Label); At != Index.end() && T.How == record::TaskOutcome::Done) {
      const size_t Run = Count[At->second]++;
      if (Run >= Out.Seconds.size()) {
        Out.Seconds.resize(Run + 1, std::vector<double>(G.Kernels.size(), -1));
        Spans.resize(Run + 1);
      }
      Out.Seconds[Run][At->second] = static_cast<double>(T.End - T.Begin) * 1e-9;
      Spans[Run].emplace_back(T.Begin, T.End);
    }
  for (std::vector<std::pair<record::Ns, record::Ns>> &All : Spans) {
    std::ranges::sort(All);
    record::Ns Busy = 0, End = 0;
    for (auto [From, To] : All) {
      Busy += std::max<record::Ns>(0, To - std::max(From, End));
      End = std::max(End, To);
    }
    const double Seconds = static_cast<double>(Busy) * 1e-9;
    Out.LeastBusy = Out.LeastBusy > 0 ? std::min(Out.LeastBusy, Seconds) : Seconds;
  }
  return Out;
}

bool exclusive(const Options &O, const dag::Graph &G) {
  return O.Sched == "clustering" || (O.Sched.empty() && G.HasComponents);
}

} // namespace

Profile makeProfile(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O,
                    unsigned Repeat, const std::vector<std::string> &Words, const std::vector<std::string> &QueueKeys,
                    const Measured &Probe) {
  Profile P;
  P.Names = Probe.Devices;
  P.Types = Probe.Types;
  P.QueueKeys = QueueKeys;
  P.Devices.resize(Words.size());
  P.Notes.resize(Words.size());
  P.Seconds.assign(G.Kernels.size(), std::vector<double>(Words.size(), -1));
  std::string LastError;
  size_t Usable = 0;
  for (size_t N = 0; N < Words.size(); ++N) {
    ModelDevice &To = P.Devices[N];
    const dag::Document Alone = onDevice(D, Words[N], QueueKeys[N], 1);
    Measured Serial, Wide;
    const record::Record R = runAlone(Alone, Resolving, O, Repeat, Serial);
    if (!Serial.Error.empty()) {
      LastError = Serial.Error;
      P.Notes[N] = "not possible: " + Serial.Error;
      continue;
    }
    ++Usable;
    const RunTimes Times = timesOf(R, G);
    double Sum = 0; // Sum of the minimum times, because a configuration also counts by its minimum.
    for (uint32_t K = 0; K < G.Kernels.size(); ++K) {
      double &Least = P.Seconds[K][N];
      for (const std::vector<double> &Run : Times.Seconds)
        if (Run[K] >= 0)
          Least = Least < 0 ? Run[K] : std::min(Least, Run[K]);
      Sum += std::max(Least, 0.0);
    }
    fitLink(R, "to device", To.UpLatency, To.UpSecondsPerByte);
    fitLink(R, "to host", To.DownLatency, To.DownSecondsPerByte);
    const record::Record Four =
        runAlone(onDevice(D, Words[N], QueueKeys[N], QueuesThatOverlap), Resolving, O, Repeat, Wide);
    if (const double Busy = timesOf(Four, G).LeastBusy; Wide.Error.empty() && Busy > 0)
      To.Overlap = std::clamp(Sum / Busy, 1.0, MostOverlap);
    // The time between kernels is the time that the simulation of the same run omits.
    const dag::Graph Same = dag::resolve(Alone, Resolving);
    const double Predicted = simulate(modelOf(Same, P, O));
    if (Predicted >= 0)
      To.Overhead = std::max(0.0, (Serial.Least - Predicted) / static_cast<double>(G.Kernels.size()));
    char Text[200];
    std::snprintf(Text, sizeof(Text), "%.3f ms, of which kernels %.3f ms; with %u queues %.3f ms", Serial.Least * 1e3,
                  Sum * 1e3, QueuesThatOverlap, Wide.Least * 1e3);
    P.Notes[N] = Text;
  }
  if (!Usable)
    throw dag::Error(LastError);
  return P;
}

Model modelOf(const dag::Graph &G, const Profile &P, const Options &O) {
  Model M;
  M.Devices = P.Devices;
  M.Exclusive = exclusive(O, G);
  for (size_t N = 0; N < M.Devices.size(); ++N) {
    M.Devices[N].Queues = DefaultQueues;
    for (const std::string &Key : {std::string("all"), P.QueueKeys[N]})
      if (auto At = G.Queues.find(Key); At != G.Queues.end())
        M.Devices[N].Queues = At->second;
  }
  // Fragments: boundaries of accesses.
  std::vector<std::vector<size_t>> Cuts(G.Data.size());
  for (const dag::Kernel &K : G.Kernels)
    for (const dag::Launch &L : K.Launches)
      for (const dag::Touch &T : L.Touches)
        for (size_t At : {T.Offset, T.Offset + T.Bytes})
          Cuts[T.Datum].push_back(At);
  std::vector<uint32_t> First(G.Data.size());
  for (size_t N = 0; N < G.Data.size(); ++N) {
    std::ranges::sort(Cuts[N]);
    Cuts[N].erase(std::unique(Cuts[N].begin(), Cuts[N].end()), Cuts[N].end());
    First[N] = static_cast<uint32_t>(M.Fragments.size());
    for (size_t I = 0; I + 1 < Cuts[N].size(); ++I)
      M.Fragments.push_back({Cuts[N][I + 1] - Cuts[N][I], G.Data[N].Result});
  }
  std::vector<std::vector<uint32_t>> Of(G.Kernels.size()); // Launches.
  for (uint32_t K = 0; K < G.Kernels.size(); ++K)
    for (size_t Part = 0; Part < G.Kernels[K].Launches.size(); ++Part)
      Of[K].push_back(static_cast<uint32_t>(M.Launches.size() + Part)), M.Launches.emplace_back();
  for (uint32_t K = 0; K < G.Kernels.size(); ++K) {
    size_t Whole = 0;
    for (const dag::Launch &L : G.Kernels[K].Launches)
      Whole += L.Global[0];
    for (size_t Part = 0; Part < Of[K].size(); ++Part) {
      ModelLaunch &To = M.Launches[Of[K][Part]];
      const dag::Launch &L = G.Kernels[K].Launches[Part];
      const double Share = static_cast<double>(L.Global[0]) / static_cast<double>(Whole);
      for (double Seconds : P.Seconds[K])
        To.Seconds.push_back(Seconds < 0 ? -1 : Seconds * Share);
      for (uint32_t B : G.Kernels[K].Before)
        To.Before.insert(To.Before.end(), Of[B].begin(), Of[B].end());
      for (const dag::Touch &T : L.Touches) {
        const std::vector<size_t> &At = Cuts[T.Datum];
        for (size_t I = 0; I + 1 < At.size(); ++I)
          if (At[I] >= T.Offset && At[I] < T.Offset + T.Bytes) {
            if (T.Mode != HSCHED_OUT)
              To.Reads.push_back(First[T.Datum] + static_cast<uint32_t>(I));
            if (T.Mode != HSCHED_IN)
              To.Writes.push_back(First[T.Datum] + static_cast<uint32_t>(I));
          }
      }
    }
  }
  for (const dag::Component &C : G.Components)
    for (size_t Part = 0; Part < Of[C.Kernels[0]].size(); ++Part) {
      ModelUnit &U = M.Units.emplace_back();
      for (uint32_t K : C.Kernels) {
        U.Launches.push_back(Of[K][Part]);
        U.Rank = std::max(U.Rank, G.Kernels[K].Rank);
      }
      U.Devices = dag::devicesMeant(G.Kernels[C.Kernels[0]].Launches[Part].Device, O.Map, P.Names, P.Types);
      if (U.Devices.empty())
        throw dag::Error("there is no such device");
    }
  return M;
}

} // namespace hsched::run
