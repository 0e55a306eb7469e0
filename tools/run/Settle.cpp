// The engine's settings, from the command line and the file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Picture.h"
#include "run/Run.h"

#include "base/SettingNames.h"
#include <hsched/engine.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <stdexcept>

namespace hsched::run {
namespace {

// The environment's value stays, unless the command line gives another one.
void prefer(const char *Name, const std::string &Given, const char *Default = nullptr) {
  if (!Given.empty())
    setenv(Name, Given.c_str(), 1);
  else if (Default)
    setenv(Name, Default, 0);
}

// The engine only logs that it cannot write a file.
void needWritable(const std::string &Path) {
  if (Path.empty())
    return;
  std::FILE *Out = std::fopen(Path.c_str(), "ae");
  if (!Out)
    throw dag::Error("file '" + Path + "' cannot be written: " + std::strerror(errno));
  std::fclose(Out);
}

// For kernels without components: so many groups run side by side on a GPU, each on a queue of its own. Its kernels
// then need no events (docs/decisions/0088-components-side-by-side.md).
constexpr unsigned BesideOnGpu = 4;

// For the CPU, as many queues as a component has kernels beside each other, at most what a device has by default. A
// device runs one component at a time. Further queues only cost events between them. A GPU gets one: on an H100 these
// events cost as much as kernels beside each other save.
std::string queuesWanted(const dag::Graph &G) {
  constexpr unsigned Most = 8;
  std::vector<unsigned> Depth(G.Kernels.size()); // In its component.
  std::map<std::pair<uint32_t, unsigned>, unsigned> Width;
  unsigned Greatest = 1;
  for (uint32_t K : G.Order) {
    for (uint32_t B : G.Kernels[K].Before)
      if (G.Kernels[B].Component == G.Kernels[K].Component)
        Depth[K] = std::max(Depth[K], Depth[B] + 1);
    Greatest = std::max(Greatest, ++Width[{G.Kernels[K].Component, Depth[K]}]);
  }
  return std::to_string(std::min(Greatest, Most));
}

} // namespace

void settle(const Options &O, const dag::Graph &G, dag::RunOptions &Out) {
  dag::Dispatch How = dag::Dispatch::Engine;
  std::string Policy;
  if (O.Sched == "clustering" || !O.Select.empty() || (O.Sched.empty() && G.HasComponents))
    How = dag::Dispatch::Clustering;
  else if (O.Sched == "eager")
    How = dag::Dispatch::Eager;
  else if (O.Sched == "heft")
    How = dag::Dispatch::Heft;
  else
    Policy = O.Sched.rfind("engine:", 0) == 0 ? O.Sched.substr(7) : O.Sched;
  if (!Policy.empty()) {
    // An engine that cannot be created, because it has too many workers; an unknown policy is reported first.
    hsched::config Trial;
    Trial.workers = 100000;
    Trial.policy = Policy;
    try {
      hsched::engine Try(Trial);
    } catch (const std::invalid_argument &E) {
      const std::string Why = E.what();
      if (const size_t At = Why.find("policy " + Policy); At != std::string::npos) // A plug-in that cannot be loaded.
        throw dag::Error("--sched=" + O.Sched + ": " + Why.substr(At));
      if (Why.find("no policy is called") != std::string::npos)
        throw dag::Error(
            "--sched=" + O.Sched +
            ": there is no such policy: write clustering, eager, heft, versioning, engine:eager or the file of a "
            "plug-in");
    }
  }
  prefer("HSCHED_SCHED", Policy);
  prefer("HSCHED_OPENCL", O.Devices, "all");
  // Kernels run on devices; one CPU worker only waits.
  prefer("HSCHED_NCPU", "", "1");
  std::string Queues = O.Queues;
  if (Queues.empty())
    for (const auto &[Device, N] : G.Queues)
      Queues += (Queues.empty() ? "" : ",") + (Device == "all" ? "" : Device + "=") + std::to_string(N);
  // The paper's rule for eager and heft: "Each device uses only one command queue".
  if (O.Beside && (How == dag::Dispatch::Clustering || How == dag::Dispatch::Engine))
    for (unsigned Type : {HSCHED_TYPE_CPU, HSCHED_TYPE_GPU, HSCHED_TYPE_ACCELERATOR})
      Out.Beside[Type] = O.Beside;
  else if (How == dag::Dispatch::Engine && (Policy.empty() || Policy == "versioning" || Policy == "adaptive") &&
           Queues.empty() && !getenv("HSCHED_QUEUES"))
    Out.Beside[HSCHED_TYPE_GPU] = BesideOnGpu;
  const std::string Default = O.Beside                                                    ? std::to_string(O.Beside)
                              : How == dag::Dispatch::Clustering                          ? queuesWanted(G) + ",gpu=1"
                              : How == dag::Dispatch::Eager || How == dag::Dispatch::Heft ? "1"
                                                                                          : "";
  prefer("HSCHED_QUEUES", Queues, Default.empty() ? nullptr : Default.c_str());
  std::string Trace = O.Trace;
  if (const Pictures Drawn{O.Gantt, O.Graph}; Drawn.wanted())
    Trace = expectPictures(Drawn, O.Trace);
  for (const std::string &Path : {Trace, O.Explain})
    needWritable(Path);
  prefer("HSCHED_TRACE", Trace);
  prefer("HSCHED_EXPLAIN", O.Explain);
  if (O.Stats)
    setenv("HSCHED_STATS", "1", 1);
  // If the engine is to log errors only because nothing else is set, it does not warn about misspelt settings.
  if (!O.Stats && !std::getenv("HSCHED_LOG"))
    rt::warnAboutUnknownSettings();
  // An error in a kernel is reported once, with its position in the file.
  prefer("HSCHED_LOG", "", O.Stats ? "info" : "error");
  Out.How = How;
}

hsched_select_function loadSelect(const std::string &Path) {
  // dlopen() would search a name without a slash in the system's library folders.
  void *Object = dlopen((Path.find('/') == std::string::npos ? "./" + Path : Path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Object)
    throw dag::Error("--select=" + Path + ": " + dlerror());
  void *Found = dlsym(Object, "hsched_select_1");
  if (!Found)
    throw dag::Error("--select=" + Path + ": it has no function hsched_select_1; hsched/select.h says what it does");
  return reinterpret_cast<hsched_select_function>(Found);
}

} // namespace hsched::run
