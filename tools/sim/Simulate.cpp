// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/Simulate.h"
#include "trace/ObserverList.h"
#include "trace/Table.h"
#include "trace/Writers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>

namespace hsched::sim {

using namespace rt;

namespace {

// Empty Make: no such file was requested. False: the file cannot be written, and the log gives the reason.
bool watch(const std::string &File, ObserverList &Into, const std::function<std::unique_ptr<Observer>()> &Make) {
  if (File.empty())
    return true;
  std::unique_ptr<Observer> New = Make();
  const bool Made = New != nullptr;
  Into.add(std::move(New));
  return Made;
}

bool isDevice(const virt::PlatformModel &P, const virt::WorkerModel &W) { return P.Kinds[W.Kind].MemoryBytes != 0; }

// Additional workers are copies of the last one; the last link on a device's path is copied too.
status changeWorkers(virt::PlatformModel &P, const Change &By, bool Devices, std::string &What) {
  auto wanted = [&](const virt::WorkerModel &W) { return isDevice(P, W) == Devices; };
  const char *Called = Devices ? "devices" : "CPU workers";
  const auto There = static_cast<int>(std::ranges::count_if(P.Workers, wanted));
  const int Count = By.Relative ? There + By.By : By.By;
  if (Count < (Devices ? 0 : 1) || There == 0 || Count > (Devices ? 63 : 512 - 63))
    return status::error(errc::invalid_argument, "there are " + std::to_string(There) + " " + Called + "; " +
                                                     std::to_string(Count) + " cannot be simulated");
  std::vector<virt::WorkerModel> All;
  const virt::WorkerModel *Last = nullptr;
  int Kept = 0;
  auto addMore = [&] {
    for (; Last && Kept < Count; ++Kept) {
      virt::WorkerModel New = *Last;
      New.Name = P.Kinds[New.Kind].Name + " #" + std::to_string(Kept);
      if (!New.Way.empty()) {
        virt::LinkModel Own = P.Links[New.Way.back()];
        Own.Name += " of " + New.Name;
        New.Way.back() = static_cast<unsigned>(P.Links.size());
        P.Links.push_back(std::move(Own));
      }
      All.push_back(std::move(New));
    }
  };
  const std::vector<virt::WorkerModel> Was = P.Workers;
  for (const virt::WorkerModel &W : Was) {
    if (!wanted(W)) {
      if (!Devices && isDevice(P, W))
        addMore(); // CPU workers come first.
      All.push_back(W);
    } else if (Kept < Count) {
      All.push_back(W);
      Last = &W;
      ++Kept;
    }
  }
  addMore();
  P.Workers = std::move(All);
  What = std::to_string(Count) + " " + Called;
  return {};
}

std::string factor(double By) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), By >= 1 ? "x%.6g" : "/%.6g", By >= 1 ? By : 1 / By);
  return Text;
}

void changeLinks(virt::PlatformModel &P, double By, std::string &What) {
  for (virt::LinkModel &L : P.Links) {
    L.ToDeviceBytesPerSecond *= By;
    L.ToHostBytesPerSecond *= By;
  }
  What = "links " + factor(By);
}

// The number after the comma of "cholesky:N,TILE".
status changeTiles(std::string &Graph, double By, std::string &What) {
  static constexpr std::string_view Tiled[] = {"cholesky:", "lu:", "gemm:", "jacobi:"};
  const size_t Comma = Graph.find(',');
  unsigned long Tile = 0;
  const bool Has = std::ranges::any_of(Tiled, [&](std::string_view T) { return Graph.starts_with(T); }) &&
                   Comma != std::string::npos;
  const char *Begin = Graph.c_str() + (Has ? Comma + 1 : 0);
  const char *End = Has ? std::from_chars(Begin, Graph.c_str() + Graph.size(), Tile).ptr : Begin;
  if (!Tile)
    return status::error(errc::invalid_argument, "--tile is for graphs that have tiles: cholesky, lu, gemm, jacobi");
  const std::string New = std::to_string(std::llround(static_cast<double>(Tile) * By));
  Graph = Graph.substr(0, Comma + 1) + New + std::string(End);
  What = "tiles of " + New;
  return {};
}

} // namespace

status Input::program(std::unique_ptr<virt::Program> &Out) const {
  auto make = [Graph = Graph, Recorded = Recorded](std::unique_ptr<virt::Program> &Into) {
    if (!Recorded)
      return virt::makeProgram(Graph, Into);
    Into = Recorded->program();
    return status();
  };
  status Made = make(Out);
  if (Made.ok() && Repeat > 1)
    Out = virt::repeated(
        [make] {
          std::unique_ptr<virt::Program> Next;
          (void)make(Next);
          return Next;
        },
        Repeat);
  return Made;
}

status readReplay(const std::string &File, const virt::PlatformModel *On, Input &Out) {
  record::Record R;
  if (status Read = record::readRecord(File, R); !Read.ok())
    return Read;
  auto Made = std::make_shared<virt::Replay>();
  if (status Possible = virt::makeReplay(R, *Made); !Possible.ok())
    return status::error(Possible.code(), File + ": " + Possible.message());
  if (status Possible = On ? virt::putOn(*On, *Made) : status(); !Possible.ok())
    return Possible;
  Out.Platform = Made->Platform;
  Out.Recorded = std::move(Made);
  return {};
}

status variants(const Input &In, const WhatIf &Changes, std::vector<Variant> &Out) {
  using Apply = std::function<status(Input &, std::string &)>;
  std::vector<Apply> All;
  if (Changes.Gpus)
    All.push_back([&](Input &To, std::string &What) { return changeWorkers(To.Platform, *Changes.Gpus, true, What); });
  if (Changes.Cpus)
    All.push_back([&](Input &To, std::string &What) { return changeWorkers(To.Platform, *Changes.Cpus, false, What); });
  if (Changes.Link)
    All.push_back([&](Input &To, std::string &What) {
      changeLinks(To.Platform, *Changes.Link, What);
      return status();
    });
  if (Changes.Tile)
    All.push_back([&](Input &To, std::string &What) { return changeTiles(To.Graph, *Changes.Tile, What); });
  Out.push_back({"", In});
  for (const Apply &Each : All) {
    Variant &V = Out.emplace_back(Variant{"", In});
    if (status Done = Each(V.In, V.What); !Done.ok())
      return Done;
    std::unique_ptr<virt::Program> Unused;
    if (status Possible = V.In.program(Unused); !Possible.ok())
      return Possible;
  }
  if (All.size() > 1) {
    Variant Whole{"", In};
    for (const Apply &Each : All) {
      std::string What;
      (void)Each(Whole.In, What);
      Whole.What += (Whole.What.empty() ? "" : ", ") + What;
    }
    Out.push_back(std::move(Whole));
  }
  return {};
}

status makeNamed(const std::string &Name, std::unique_ptr<Policy> &Out) {
  if (namesPlugin(Name))
    return loadPolicy(Name, Out);
  Out = makePolicy(Name);
  return Out ? status() : status::error(errc::not_found, "there is no policy '" + Name + "'");
}

status simulate(const Settings &S, const Input &In, const std::string &PolicyName, virt::SimulationResult &Out) {
  std::unique_ptr<virt::Program> Tasks;
  if (status Made = In.program(Tasks); !Made.ok())
    return Made;
  virt::TaskTypes Types = In.Recorded ? In.Recorded->types(In.Platform) : virt::TaskTypes(In.Platform, Tasks->types());
  const bool AsInTheRun = In.Recorded && !In.Recorded->Described && !S.Warm;
  History Times(AsInTheRun ? In.Recorded->known() : History::Before());
  for (bool Last : {false, true}) {
    if (!Last && !S.Warm)
      continue;
    std::unique_ptr<Policy> P;
    if (status Found = makeNamed(PolicyName, P); !Found.ok())
      return Found;
    if (status Made = In.program(Tasks); !Made.ok())
      return Made;
    ObserverList Watching;
    virt::SimulationOptions Options = S.Options;
    if (Last && !(watch(S.Trace, Watching, [&] { return makeChromeTrace(S.Trace); }) &&
                  watch(S.Explain, Watching, [&] { return makeRecorder(S.Explain, false, PolicyName); }) &&
                  watch(S.Record, Watching, [&] { return makeRecorder(S.Record, true, PolicyName); })))
      return status::error(errc::io, "a file cannot be written");
    if (!Watching.empty())
      Options.Watch = &Watching;
    Out = {};
    virt::Simulation Machine(In.Platform, Types, *P, Times, Options);
    if (status Ran = Machine.run(*Tasks, Out); !Ran.ok())
      return Ran;
  }
  return {};
}

std::string replayed(const Input &In, const std::vector<Run> &Runs) {
  if (!In.Recorded)
    return "";
  const auto Took = static_cast<double>(In.Recorded->Recorded.count());
  std::string Text = "\nThe recorded run took " + formatTime(Took) +
                     (In.Recorded->Policy.empty() ? "" : " with " + In.Recorded->Policy) + ".";
  for (const Run &R : Runs)
    if (!In.Recorded->Described && R.What.empty() && R.Policy == In.Recorded->Policy && Took > 0) {
      const auto Once = static_cast<double>(repetitions(R.Result).front().count());
      char Off[64];
      std::snprintf(Off, sizeof(Off), "%+.1f %%", (Once / Took - 1) * 100);
      Text += " Its replay is off by " + std::string(Off) + ".";
    }
  for (const std::string &Note : In.Recorded->Notes)
    Text += " " + Note;
  return Text + "\n";
}

} // namespace hsched::sim
