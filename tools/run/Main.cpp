// hsched-run: a file of kernels is a program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Picture.h"
#include "run/Run.h"

#include "dag/Kinfo.h"

#include <hsched/engine.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

using namespace hsched;
using run::Options;

namespace {

int wrong(const std::string &Why) {
  std::fprintf(stderr, "hsched-run: error: %s; see hsched-run --help\n", Why.c_str());
  return 2;
}
void note(const std::string &What) { std::fprintf(stderr, "hsched-run: note: %s\n", What.c_str()); }

// Nothing may be lost without a word, on a full disk for one.
int print(const std::string &Text) {
  if (std::fputs(Text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0)
    return 0;
  std::fprintf(stderr, "hsched-run: error: the output cannot be written\n");
  return 1;
}

// What the environment says stays, unless the command line says otherwise.
void prefer(const char *Name, const std::string &Given, const char *Default = nullptr) {
  if (!Given.empty())
    setenv(Name, Given.c_str(), 1);
  else if (Default)
    setenv(Name, Default, 0);
}

// The engine's settings are read when it starts, which is after this.
dag::Dispatch settle(const Options &O, const dag::Graph &G) {
  dag::Dispatch How = dag::Dispatch::Engine;
  std::string Policy;
  if (O.Sched == "clustering" || (O.Sched.empty() && G.HasComponents))
    How = dag::Dispatch::Clustering;
  else if (O.Sched == "eager")
    How = dag::Dispatch::Eager;
  else if (O.Sched == "heft")
    How = dag::Dispatch::Heft;
  else
    Policy = O.Sched.rfind("engine:", 0) == 0 ? O.Sched.substr(7) : O.Sched;
  if (!Policy.empty()) {
    // An engine that cannot be made, for it would have too many workers; a policy that there is not is said first.
    hsched::config Trial;
    Trial.workers = 100000;
    Trial.policy = Policy;
    try {
      hsched::engine Try(Trial);
    } catch (const std::invalid_argument &E) {
      if (std::string(E.what()).find("no policy is called") != std::string::npos)
        throw dag::Error("--sched=" + O.Sched +
                         ": there is no such policy: clustering, eager, heft, versioning and engine:eager are, and the "
                         "file of a plug-in");
    }
  }
  prefer("HSCHED_SCHED", Policy);
  prefer("HSCHED_OPENCL", O.Devices, "all");
  // Kernels run on devices; a core of ours only waits.
  prefer("HSCHED_NCPU", "", "1");
  std::string Queues = O.Queues;
  if (Queues.empty())
    for (const auto &[Device, N] : G.Queues)
      Queues += (Queues.empty() ? "" : ",") + (Device == "all" ? "" : Device + "=") + std::to_string(N);
  // "Each device uses only one command queue", as the paper has these two.
  prefer("HSCHED_QUEUES", Queues, How == dag::Dispatch::Eager || How == dag::Dispatch::Heft ? "1" : nullptr);
  std::string Trace = O.Trace;
  if (const run::Pictures Drawn{O.Gantt, O.Graph}; Drawn.wanted())
    Trace = run::expectPictures(Drawn, O.Trace);
  prefer("HSCHED_TRACE", Trace);
  prefer("HSCHED_EXPLAIN", O.Explain);
  if (O.Stats)
    setenv("HSCHED_STATS", "1", 1);
  // What is wrong with a kernel is said once, with its place in the file.
  prefer("HSCHED_LOG", "", O.Stats ? "info" : "error");
  return How;
}

int runFile(const Options &O) {
  dag::LoadOptions Loading;
  Loading.AllowPath = O.AllowPath;
  dag::Document D = dag::load(O.Files[0], Loading);
  dag::ResolveOptions Resolving;
  Resolving.Symbols = O.Symbols;
  Resolving.AllowPath = O.AllowPath;
  Resolving.MostBytes = O.Memory;
  Resolving.OutputFolder = O.Output;
  if (O.Do == Options::Convert) {
    for (const std::string &N : D.Notes)
      if (!O.Quiet)
        note(N);
    return print(dag::writeOurs(D));
  }
  dag::Graph G = dag::resolve(D, Resolving);
  if (O.Check) {
    dag::KinfoReport Known = dag::askKinfo(G, O.Kinfo);
    if (dag::checkRoles(D, G, Known))
      G = dag::resolve(D, Resolving);
    if (!O.Quiet)
      for (const std::string &N : Known.Notes)
        note(N);
  }
  if (!O.Quiet)
    for (const std::string &N : G.Notes)
      note(N);
  if (O.Do == Options::Dot)
    return print(dag::writeDot(G));
  if (O.DryRun) {
    if (!O.Graph.empty())
      run::drawPlan(G, O.Graph);
    return print(run::describe(G));
  }

  if (!O.Output.empty()) {
    std::error_code Failed;
    std::filesystem::create_directories(O.Output, Failed);
    if (Failed)
      throw dag::Error("folder '" + O.Output + "' cannot be made: " + Failed.message());
  }
  dag::RunOptions Running;
  Running.How = settle(O, G);
  Running.Repeat = O.Repeat;
  Running.Map = O.Map;
  std::atomic<unsigned> Shown{0};
  if (!O.Quiet && isatty(2) && G.Kernels.size() > 20)
    Running.Progress = [&](unsigned Run, size_t Done, size_t Of) {
      // A hundred times a run at most.
      const unsigned Now = Run * 101 + static_cast<unsigned>(Done * 100 / Of) + 1;
      if (unsigned Before = Shown.load(); Now > Before && Shown.compare_exchange_strong(Before, Now))
        std::fprintf(stderr, "\r%zu of %zu kernels%s", Done, Of, Done == Of ? "\r\033[K" : "");
    };
  const dag::RunReport R = dag::run(G, Running);
  run::allowPictures(G);
  if (!O.Report.empty())
    run::writeFile(O.Report, run::reportJson(G, R));
  return O.Quiet ? 0 : print(run::summary(G, R));
}

int runAll(int Argc, char **Argv) {
  const Options O = run::parseOptions(Argc, Argv);
  if (!O.Error.empty())
    return wrong(O.Error);
  if (O.Help)
    return print(run::HelpText);
  if (O.Version)
    return print("hsched-run " HSCHED_VERSION "\n");
  if (O.Do == Options::Init)
    return print(dag::skeleton(O.Files, O.Build, O.Kinfo));
  return runFile(O);
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return runAll(Argc, Argv);
  } catch (const std::exception &E) {
    std::fprintf(stderr, "hsched-run: error: %s\n", E.what());
    return 1;
  }
}
