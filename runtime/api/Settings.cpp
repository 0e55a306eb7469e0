// Reading the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Settings.h"
#include "base/Env.h"
#include "base/Log.h"
#include "sched/Policy.h"

#include <algorithm>
#include <charconv>

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
  if (std::ranges::any_of(policies(), [&](const PolicyEntry &P) { return P.Name == Name; }))
    return Name;
  log(LogLevel::Warning, "HSCHED_SCHED=%s names no policy; using %s. There are:", Name.c_str(), Default.c_str());
  listPolicies(Default);
  return Default;
}

} // namespace

std::optional<MemoryLimit> parseMemoryLimit(const std::string &Text) {
  uint64_t Number = 0;
  auto [Rest, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  std::string Unit(Rest, Text.data() + Text.size());
  if (Error != std::errc())
    return std::nullopt;
  if (Unit == "%")
    return Number >= 1 && Number <= 100 ? std::optional(MemoryLimit{0, static_cast<unsigned>(Number)}) : std::nullopt;
  unsigned Shift = Unit.empty() ? 0 : Unit == "K" ? 10 : Unit == "M" ? 20 : Unit == "G" ? 30 : 64;
  if (Shift == 64 || Number == 0 || Number > (UINT64_MAX >> Shift))
    return std::nullopt;
  return MemoryLimit{Number << Shift, 0};
}

Settings readSettings() {
  Settings S;
  S.Ncpu = static_cast<unsigned>(envUnsigned("HSCHED_NCPU", 0, 1, 448));
  S.Scheduler = chosenPolicy(S.Scheduler);
  S.Lambda = static_cast<unsigned>(envUnsigned("HSCHED_LAMBDA", S.Lambda, 1, 1000000));
  S.Window = static_cast<unsigned>(envUnsigned("HSCHED_WINDOW", S.Window, 2, 1u << 30));
  S.InFlight = static_cast<unsigned>(envUnsigned("HSCHED_INFLIGHT", S.InFlight, 1, 4096));
  S.BundleBelow = static_cast<uint32_t>(envUnsigned("HSCHED_BUNDLE", S.BundleBelow, 0, 1000000));
  S.PinMain = envFlag("HSCHED_PIN", false);
  S.OpenCL = envString("HSCHED_OPENCL").value_or("");
  S.Sim = static_cast<unsigned>(envUnsigned("HSCHED_SIM", 0, 0, 16));
  if (std::string Calibrate = envString("HSCHED_CALIBRATE").value_or(""); !Calibrate.empty())
    S.Calibrate = envFlag("HSCHED_CALIBRATE", true);
  if (std::string Memory = envString("HSCHED_DEVICE_MEMORY").value_or(""); !Memory.empty()) {
    if (auto Limit = parseMemoryLimit(Memory)) {
      S.DeviceMemoryBytes = Limit->Bytes;
      S.DeviceMemoryPercent = Limit->Percent;
    } else {
      log(LogLevel::Warning, "HSCHED_DEVICE_MEMORY=%s is neither a size (512M) nor a share (50%%); not limited",
          Memory.c_str());
    }
  }
  S.WatchdogSeconds = static_cast<unsigned>(envUnsigned("HSCHED_WATCHDOG", 0, 0, 1000000));
  S.Statistics = envFlag("HSCHED_STATS", false);
  S.TracePath = envString("HSCHED_TRACE").value_or("");
  S.GraphPath = envString("HSCHED_GRAPH").value_or("");
  return S;
}

} // namespace hsched::rt
