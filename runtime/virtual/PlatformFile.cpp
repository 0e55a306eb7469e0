// Platforms in JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/JsonField.h"
#include "graph/TaskType.h"
#include "virtual/PlatformModel.h"

#include <algorithm>
#include <set>

namespace hsched::rt::virt {
namespace {

using namespace json;

constexpr double Giga = 1e9, MostGiga = 1e9;

Duration micros(const Field &F) {
  return Duration(static_cast<Duration::rep>(F.notNegative(1e9, ", in microseconds") * 1e3 + 0.5));
}

// Reads "gflops" or "gbs": a number, or points [[bytes, number], ...].
std::vector<Speed::Point> pointsOf(const Field &F) {
  std::vector<Speed::Point> Points;
  if (!F.isArray()) {
    Points.push_back({1, F.positive(MostGiga, ", or points [[bytes, number], ...]") * Giga});
    return Points;
  }
  F.each([&](const Field &Each) {
    if (!Each.isArray() || Each.size() != 2)
      Each.wrong("write [bytes, number]");
    std::vector<double> Pair;
    Each.each([&](const Field &N) { Pair.push_back(N.positive(1e18, "")); });
    if (!Points.empty() && Pair[0] <= Points.back().Bytes)
      Each.wrong("write points in order of bytes");
    Points.push_back({Pair[0], Pair[1] * Giga});
  });
  if (Points.empty())
    F.wrong("write at least one point [bytes, number]");
  return Points;
}

std::optional<Speed> speedOf(const Field &F) {
  if (F.isNull())
    return std::nullopt;
  Speed S;
  if (F.isNumber()) {
    S.Points = pointsOf(F);
    return S;
  }
  F.onlyHas({"gflops", "gbs", "overhead_us"});
  if (F.has("gflops") == F.has("gbs"))
    F.wrong("write either gflops, billions of units of work a second, or gbs, billions of bytes a second");
  S.OfBytes = F.has("gbs");
  S.Points = pointsOf(F[S.OfBytes ? "gbs" : "gflops"]);
  if (F.has("overhead_us"))
    S.Overhead = micros(F["overhead_us"]);
  return S;
}

WorkerKind kindOf(const std::string &Name, const Field &F) {
  F.onlyHas({"device", "memory_gb", "copy_gbs", "in_flight", "opens_ms", "first_run_ms", "overlap", "units", "speeds"});
  WorkerKind K;
  K.Name = Name;
  const std::string Device = F["device"].text();
  if (Device == "gpu" || Device == "accelerator") {
    K.Device = DeviceKind::OpenCL;
    K.Type = Device == "gpu" ? DeviceType::Gpu : DeviceType::Accelerator;
    K.MemoryBytes = static_cast<uint64_t>(F["memory_gb"].positive(1e6, ", in GB of 10^9 bytes") * Giga);
  } else if (Device != "cpu") {
    F["device"].wrong("there is no device '" + Device + "'; write cpu, gpu or accelerator");
  } else if (F.has("memory_gb")) {
    F["memory_gb"].wrong("CPU workers work on host memory; leave it out");
  }
  if (F.has("copy_gbs"))
    K.CopyBytesPerSecond = F["copy_gbs"].positive(MostGiga, ", in GB a second") * Giga;
  if (F.has("in_flight"))
    K.InFlight = F["in_flight"].count(4096);
  if (F.has("units"))
    K.Units = F["units"].count(1 << 20);
  for (const auto &[Name, Into] : {std::pair("opens_ms", &K.Opens), std::pair("first_run_ms", &K.FirstRun)})
    if (F.has(Name)) {
      if (!K.MemoryBytes)
        F[Name].wrong("CPU workers are there from the first task on; leave it out");
      *Into = Duration(static_cast<Duration::rep>(F[Name].notNegative(1e6, ", in milliseconds") * 1e6 + 0.5));
    }
  if (F.has("overlap")) {
    if (!K.MemoryBytes)
      F["overlap"].wrong("CPU workers have no transfers; leave it out");
    K.Overlaps = F["overlap"].truth();
  }
  F["speeds"].members([&](const std::string &Task, const Field &Each) { K.Speeds[Task] = speedOf(Each); });
  return K;
}

LinkModel linkOf(const std::string &Name, const Field &F) {
  F.onlyHas({"gbs", "to_device_gbs", "to_host_gbs", "latency_us", "duplex"});
  LinkModel L;
  L.Name = Name;
  auto bandwidth = [&](const char *Direction) {
    return F[F.has(Direction) ? Direction : "gbs"].positive(MostGiga, ", in GB a second") * Giga;
  };
  L.ToDeviceBytesPerSecond = bandwidth("to_device_gbs");
  L.ToHostBytesPerSecond = bandwidth("to_host_gbs");
  L.Latency = micros(F["latency_us"]);
  if (F.has("duplex"))
    L.Duplex = F["duplex"].truth();
  return L;
}

template <class List> unsigned named(const List &Known, const std::string &Name, const Field &F, const char *What) {
  auto It = std::ranges::find(Known, Name, [](const auto &Each) { return Each.Name; });
  if (It != Known.end())
    return static_cast<unsigned>(It - Known.begin());
  std::string All;
  for (const auto &Each : Known)
    All += (All.empty() ? "" : ", ") + Each.Name;
  F.wrong(std::string("there is no ") + What + " '" + Name + "'; " +
          (All.empty() ? "none is described" : "write one of: " + All));
}

void addWorkers(const Field &F, PlatformModel &P) {
  F.onlyHas({"kind", "count", "name", "links"});
  WorkerModel W;
  W.Kind = named(P.Kinds, F["kind"].text(), F["kind"], "kind");
  const WorkerKind &K = P.Kinds[W.Kind];
  if (K.MemoryBytes) {
    F["links"].each([&](const Field &Each) { W.Way.push_back(named(P.Links, Each.text(), Each, "link")); });
    if (W.Way.empty())
      F["links"].wrong("write the links from host memory to the device's");
    if (std::set<unsigned>(W.Way.begin(), W.Way.end()).size() != W.Way.size())
      F["links"].wrong("write each link once");
  } else if (F.has("links")) {
    F["links"].wrong("CPU workers work on host memory; leave it out");
  }
  if (!K.MemoryBytes && !P.Workers.empty() && P.Kinds[P.Workers.back().Kind].MemoryBytes)
    F.wrong("write CPU workers before devices");
  const unsigned Count = F.has("count") ? F["count"].count(MaxWorkers) : 1;
  const std::string Name = F.has("name") ? F["name"].text() : K.Name;
  for (unsigned I = 0; I < Count; ++I) {
    size_t Alike = static_cast<size_t>(
        std::ranges::count_if(P.Workers, [&](const WorkerModel &O) { return O.Name.starts_with(Name + " #"); }));
    W.Name = Name + " #" + std::to_string(Alike);
    P.Workers.push_back(W);
  }
  size_t Memories = 0;
  for (const WorkerModel &Each : P.Workers)
    Memories += P.Kinds[Each.Kind].MemoryBytes != 0;
  if (P.Workers.size() > MaxWorkers || Memories > 63)
    F.wrong("at most 512 workers, 63 of them devices, can be simulated");
}

PlatformModel platformOf(const Field &F) {
  F.onlyHas({"name", "sources", "notes", "submission_us", "peers", "kinds", "links", "workers"});
  PlatformModel P;
  P.Name = F["name"].text();
  F["sources"].each([&](const Field &Each) { P.Sources.push_back(Each.text()); });
  if (F.has("notes"))
    F["notes"].each([](const Field &Each) { (void)Each.text(); });
  if (F.has("submission_us"))
    P.Submission = micros(F["submission_us"]);
  if (F.has("peers"))
    P.Peers = F["peers"].truth();
  F["kinds"].members([&](const std::string &Name, const Field &Each) { P.Kinds.push_back(kindOf(Name, Each)); });
  if (F.has("links"))
    F["links"].members([&](const std::string &Name, const Field &Each) { P.Links.push_back(linkOf(Name, Each)); });
  F["workers"].each([&](const Field &Each) { addWorkers(Each, P); });
  if (P.Workers.empty() || P.Kinds[P.Workers[0].Kind].MemoryBytes)
    F["workers"].wrong("write at least one CPU worker: the main thread's");
  return P;
}

} // namespace

status parsePlatform(const std::string &Text, const std::string &Name, PlatformModel &Out) {
  return json::parse(Text, Name, [&](const Field &Whole) { Out = platformOf(Whole); });
}

status readPlatform(const std::string &File, PlatformModel &Out) {
  return json::read(File, "platform", [&](const Field &Whole) { Out = platformOf(Whole); });
}

} // namespace hsched::rt::virt
