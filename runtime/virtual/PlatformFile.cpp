// Platforms in JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/TaskType.h"
#include "virtual/PlatformModel.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace hsched::rt::virt {
namespace {

using Json = nlohmann::ordered_json;

// Thrown inside this file only: FIELD: what is wrong, and what to write.
struct Wrong {
  std::string Why;
};

// A value with its place in the file.
class Field {
public:
  Field(const Json &Value, std::string Path) : Value(Value), Path(std::move(Path)) {}

  [[noreturn]] void wrong(const std::string &Why) const { throw Wrong{(Path.empty() ? "" : Path + ": ") + Why}; }
  void onlyHas(std::initializer_list<const char *> Known) const {
    if (!Value.is_object())
      wrong("write an object");
    for (const auto &[Name, _] : Value.items())
      if (std::ranges::none_of(Known, [&](const char *K) { return Name == K; })) {
        std::string All;
        for (const char *K : Known)
          All += (All.empty() ? "" : ", ") + std::string(K);
        Field(Value, Path.empty() ? Name : Path + "." + Name).wrong("no such field; there are " + All);
      }
  }
  bool has(const char *Name) const { return Value.contains(Name); }
  Field operator[](const std::string &Name) const {
    Field Inner(Value, Path.empty() ? Name : Path + "." + Name);
    if (!Value.is_object() || !Value.contains(Name))
      Inner.wrong("is missing");
    return {Value.at(Name), Inner.Path};
  }
  template <class Fn> void each(Fn Visit) const { // of an array
    if (!Value.is_array())
      wrong("write a list");
    for (size_t I = 0; I < Value.size(); ++I)
      Visit(Field(Value[I], Path + "[" + std::to_string(I) + "]"));
  }
  template <class Fn> void members(Fn Visit) const { // of an object
    if (!Value.is_object())
      wrong("write an object");
    for (const auto &[Name, Inner] : Value.items())
      Visit(Name, Field(Inner, Path.empty() ? Name : Path + "." + Name));
  }
  std::string text() const {
    if (!Value.is_string() || Value.get<std::string>().empty())
      wrong("write a text");
    return Value.get<std::string>();
  }
  double positive(double Most, const char *Unit) const {
    if (!Value.is_number() || !(Value.get<double>() > 0) || Value.get<double>() > Most)
      wrong(std::string("write a number above 0") + Unit);
    return Value.get<double>();
  }
  double notNegative(double Most, const char *Unit) const {
    if (!Value.is_number() || !(Value.get<double>() >= 0) || Value.get<double>() > Most)
      wrong(std::string("write a number from 0 on") + Unit);
    return Value.get<double>();
  }
  unsigned count(unsigned Most) const {
    if (!Value.is_number_integer() || Value.get<double>() < 1 || Value.get<double>() > Most)
      wrong("write a whole number from 1 to " + std::to_string(Most));
    return Value.get<unsigned>();
  }
  bool truth() const {
    if (!Value.is_boolean())
      wrong("write true or false");
    return Value.get<bool>();
  }
  bool isNull() const { return Value.is_null(); }
  bool isNumber() const { return Value.is_number(); }
  bool isArray() const { return Value.is_array(); }
  size_t size() const { return Value.size(); }

private:
  const Json &Value;
  const std::string Path;
};

constexpr double Giga = 1e9, MostGiga = 1e9;

Duration micros(const Field &F) {
  return Duration(static_cast<Duration::rep>(F.notNegative(1e9, ", in microseconds") * 1e3 + 0.5));
}

// Of "gflops" or "gbs": a number, or points [[bytes, number], ...].
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
  F.onlyHas({"device", "memory_gb", "copy_gbs", "in_flight", "speeds"});
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
  try {
    Json Whole = Json::parse(Text);
    Out = platformOf(Field(Whole, ""));
    return {};
  } catch (const Wrong &W) {
    return status::error(errc::invalid_argument, Name + ": " + W.Why);
  } catch (const Json::parse_error &E) {
    const auto Line =
        1 + std::count(Text.begin(), Text.begin() + static_cast<ptrdiff_t>(std::min(E.byte, Text.size())), '\n');
    return status::error(errc::invalid_argument, Name + ":" + std::to_string(Line) +
                                                     ": this is not JSON; write a value, a comma or a bracket here");
  } catch (const Json::exception &E) {
    return status::error(errc::invalid_argument, Name + ": " + E.what());
  }
}

status readPlatform(const std::string &File, PlatformModel &Out) {
  std::ifstream In(File, std::ios::binary);
  std::string Text{std::istreambuf_iterator<char>(In), {}};
  if (!In && !In.eof())
    return status::error(errc::not_found, File + ": cannot be read; write the name of a platform's file");
  return parsePlatform(Text, File, Out);
}

} // namespace hsched::rt::virt
