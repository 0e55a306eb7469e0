// Runs hsched-run: executes a file of kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/Say.h"
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
using hsched::tools::print;
using run::Options;

const char hsched::tools::ToolName[] = "hsched-run";

namespace {

int wrong(const std::string &Why) {
  std::fprintf(stderr, "hsched-run: error: %s; see hsched-run --help\n", Why.c_str());
  return 2;
}
void note(const std::string &What) { std::fprintf(stderr, "hsched-run: note: %s\n", What.c_str()); }

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
    return print(dag::writeHsched(D));
  }
  std::vector<std::string> Notes;
  dag::Graph G = dag::resolveChecked(D, Resolving, O.Check, O.Kinfo, Notes);
  Notes.insert(Notes.end(), G.Notes.begin(), G.Notes.end());
  if (!O.Quiet)
    for (const std::string &N : Notes)
      note(N);
  if (O.Do == Options::Dot)
    return print(dag::writeDot(G));
  if (O.Do == Options::Tune) {
    run::tune(D, G, Resolving, O);
    return 0;
  }
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
  run::settle(O, G, Running);
  Running.Repeat = O.Repeat;
  Running.Map = O.Map;
  if (!O.Select.empty()) {
    Running.Select = run::loadSelect(O.Select);
    Running.SelectFile = O.Select;
  }
  std::atomic<unsigned> Shown{0};
  if (!O.Quiet && isatty(2) && G.Kernels.size() > 20)
    Running.Progress = [&](unsigned Run, size_t Done, size_t Of) {
      // At most a hundred updates for each run.
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

int writeSkeleton(const Options &O) {
  std::vector<std::string> Notes;
  const std::string Made = dag::skeleton(O.Files, O.Build, O.Kinfo, Notes);
  if (!O.Quiet)
    for (const std::string &N : Notes)
      note(N);
  return print(Made);
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
    return writeSkeleton(O);
  if (O.Do == Options::FromRecord) {
    for (const std::string &N : run::fromRecord(O.Files[0], O.Folder, O))
      if (!O.Quiet)
        note(N);
    return 0;
  }
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
