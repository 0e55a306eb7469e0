// Reading the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Settings.h"
#include "base/Env.h"
#include "base/Log.h"
#include "perfmodel/ModelFile.h"
#include "sched/Policy.h"

namespace hsched::rt {
namespace {

void listPolicies(const std::string &Default) {
  for (const PolicyEntry &P : policies())
    log(LogLevel::Info, "HSCHED_SCHED=%-12s %s%s", P.Name.c_str(), P.Summary.c_str(),
        P.Name == Default ? " (default)" : "");
}

std::string chosenPolicy(const std::string &Default) {
  std::string Name = envString("HSCHED_SCHED").value_or("");
  if (Name.empty())
    return Default;
  if (Name == "help") {
    listPolicies(Default);
    return Default;
  }
  if (namesPlugin(Name) || isPolicy(Name))
    return Name;
  log(LogLevel::Warning, "HSCHED_SCHED=%s is not a policy; using %s. There are:", Name.c_str(), Default.c_str());
  listPolicies(Default);
  return Default;
}

Settings::Devices chosenStart(bool Warns) {
  const std::string Text = envString("HSCHED_DEVICES").value_or("");
  if (Text == "beside")
    return Settings::Devices::Beside;
  if (Text == "first")
    return Settings::Devices::First;
  if (Warns && !Text.empty() && Text != "auto")
    log(LogLevel::Warning, "HSCHED_DEVICES=%s is neither auto, beside nor first; taking auto", Text.c_str());
  return Settings::Devices::Auto;
}

Settings deviceSettings(bool Warns) {
  Settings S;
  S.Ncpu = static_cast<unsigned>(envUnsigned("HSCHED_NCPU", 1, 448).value_or(S.Ncpu));
  if (status Read = VersionFilter::parse(envString("HSCHED_VERSIONS").value_or(""), S.Versions); Warns && !Read.ok())
    log(LogLevel::Error, "%s; all versions are used", Read.message().c_str());
  S.Bind = S.BindMain = envFlag("HSCHED_PIN", false);
  S.OpenCL = envString("HSCHED_OPENCL").value_or("");
  S.When = chosenStart(Warns);
  S.Early = envFlag("HSCHED_EARLY");
  const MemoryLimit Memory = envMemoryLimit("HSCHED_DEVICE_MEMORY");
  S.DeviceMemoryBytes = Memory.Bytes;
  S.DeviceMemoryPercent = Memory.Percent;
  return S;
}

} // namespace

Settings readDeviceSettings() { return deviceSettings(false); }

Settings readSettings() {
  Settings S = deviceSettings(true);
  S.Scheduler = chosenPolicy(S.Scheduler);
  S.Lambda = static_cast<unsigned>(envUnsigned("HSCHED_LAMBDA", S.Lambda, 1, 1000000));
  S.Window = static_cast<unsigned>(envUnsigned("HSCHED_WINDOW", S.Window, 2, 1u << 30));
  S.InFlight = static_cast<unsigned>(envUnsigned("HSCHED_INFLIGHT", 1, 4096).value_or(S.InFlight));
  S.BundleBelow = static_cast<uint32_t>(envUnsigned("HSCHED_BUNDLE", S.BundleBelow, 0, 1000000));
  S.Sim = static_cast<unsigned>(envUnsigned("HSCHED_SIM", 0, 0, 16));
  S.Calibrate = envFlag("HSCHED_CALIBRATE");
  S.WatchdogSeconds = static_cast<unsigned>(envUnsigned("HSCHED_WATCHDOG", 0, 0, 1000000));
  const std::string Statistics = envString("HSCHED_STATS").value_or("");
  S.FullStatistics = Statistics == "full";
  S.RegretStatistics = Statistics == "regret";
  S.Statistics = S.FullStatistics || S.RegretStatistics || envFlag("HSCHED_STATS", false);
  S.ProgressSeconds = static_cast<unsigned>(envUnsigned("HSCHED_PROGRESS", 0, 0, 1000000));
  S.TracePath = envString("HSCHED_TRACE").value_or("");
  S.GraphPath = envString("HSCHED_GRAPH").value_or("");
  S.ExplainPath = envString("HSCHED_EXPLAIN").value_or("");
  S.RecordPath = envString("HSCHED_RECORD").value_or("");
  S.RecordDataPath = envString("HSCHED_RECORD_DATA").value_or("");
  S.PlatformPath = envString("HSCHED_PLATFORM").value_or("");
  S.ModelPath = modelPath();
  S.HintPath = envString("HSCHED_HINTS").value_or("");
  return S;
}

bool wantsObservers() {
  for (const char *Name : {"HSCHED_TRACE", "HSCHED_GRAPH", "HSCHED_EXPLAIN", "HSCHED_RECORD", "HSCHED_PLATFORM"})
    if (!envString(Name).value_or("").empty())
      return true;
  const std::string Statistics = envString("HSCHED_STATS").value_or("");
  return Statistics == "full" || Statistics == "regret" || envFlag("HSCHED_STATS", false) ||
         envUnsigned("HSCHED_PROGRESS", 0, 0, 1000000) != 0;
}

} // namespace hsched::rt
