// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/OnPlatform.h"
#include "base/Log.h"
#include "trace/Record.h"
#include "trace/Table.h"
#include "virtual/Replay.h"
#include "virtual/Simulation.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace hsched::rt {
namespace {

class Simulated final : public OnPlatform {
public:
  explicit Simulated(std::string Policy) : PolicyName(std::move(Policy)) {}
  ~Simulated() override {
    std::error_code Ignored;
    if (!Path.empty())
      std::filesystem::remove(Path, Ignored);
  }

  status open(const std::string &File) {
    if (status Read = virt::readPlatform(File, Platform); !Read.ok())
      return Read;
    std::error_code Failed;
    std::string Name = (std::filesystem::temp_directory_path(Failed) / "hsched-record-XXXXXX").string();
    const int Handle = Failed ? -1 : mkstemp(Name.data());
    if (Handle < 0)
      return status::error(errc::io, "no temporary file can be made for a record of the run");
    close(Handle);
    Path = Name;
    return {};
  }
  const std::string &recordPath() const override { return Path; }

  status simulate(const std::function<void(const std::string &)> &Print) override {
    record::Record Run;
    if (status Read = record::readRecord(Path, Run); !Read.ok())
      return Read;
    virt::Replay Tasks;
    if (status Made = virt::makeReplay(Run, Tasks); !Made.ok())
      return Made;
    if (status Possible = virt::putOn(Platform, Tasks); !Possible.ok())
      return Possible;
    std::unique_ptr<Policy> Chosen;
    if (namesPlugin(PolicyName)) {
      if (status Loaded = loadPolicy(PolicyName, Chosen); !Loaded.ok())
        return Loaded;
    } else {
      Chosen = makePolicy(PolicyName);
    }
    virt::TaskTypes Types = Tasks.types(Platform);
    History Times;
    virt::SimulationResult Result;
    const std::unique_ptr<virt::Program> Program = Tasks.program();
    virt::Simulation Machine(Platform, Types, *Chosen, Times, {});
    if (status Ran = Machine.run(*Program, Result); !Ran.ok())
      return Ran;
    print(Print, Result);
    for (const std::string &Note : Tasks.Notes)
      Print(Note);
    return {};
  }

private:
  void print(const std::function<void(const std::string &)> &Print, const virt::SimulationResult &R) const {
    const auto Whole = static_cast<double>(R.Makespan.count());
    const auto ns = [](Duration D) { return static_cast<double>(D.count()); };
    Print("On platform '" + Platform.Name + "', with " + PolicyName + ", in virtual time: " + std::to_string(R.Tasks) +
          " tasks took " + formatTime(Whole) + "; " + formatBytes(R.Moved.InputBytes) + " to devices, " +
          formatBytes(R.Moved.OutputBytes) + " to the host, " + formatBytes(R.Moved.DeviceBytes) + " between devices");
    Print("");
    Table Versions({{"task", Table::Align::Left}, {"version", Table::Align::Left}, {"runs"}, {"mean"}});
    for (const virt::VersionCount &V : R.Versions)
      if (V.Runs)
        Versions.add({V.Task, V.Version, std::to_string(V.Runs), formatTime(ns(V.Ran) / static_cast<double>(V.Runs))});
    Versions.print(Print);
    Print("");
    Table Workers({{"worker", Table::Align::Left}, {"busy"}, {"share"}});
    for (size_t W = 0; W < R.Busy.size(); ++W)
      Workers.add({Platform.Workers[W].Name, formatTime(ns(R.Busy[W])), formatShare(ns(R.Busy[W]), Whole)});
    Workers.print(Print);
  }

  const std::string PolicyName;
  std::string Path;
  virt::PlatformModel Platform;
};

} // namespace

std::unique_ptr<OnPlatform> OnPlatform::make(const std::string &File, const std::string &Policy) {
  auto New = std::make_unique<Simulated>(Policy);
  if (status Opened = New->open(File); !Opened.ok()) {
    log(LogLevel::Error, "HSCHED_PLATFORM: %s; nothing is simulated", Opened.message().c_str());
    return nullptr;
  }
  return New;
}

} // namespace hsched::rt
