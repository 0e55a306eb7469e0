// Measures configurations on this machine, each in a separate process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine reads its settings once in a process, when it starts. So each configuration is measured in a child that is
// forked before any engine, driver or thread exists; results come through a pipe.
#include "run/Measure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hsched::run {
namespace {

using Json = nlohmann::json;

constexpr unsigned WarmUp = 1;           // Builds kernels.
constexpr unsigned WarmUpOfPolicies = 4; // Builds kernels and trains the model.
constexpr int MostSeconds = 600;         // Time limit of one configuration.
// Other load can disturb all of a few runs. So they are repeated until the two fastest differ by at most a tenth.
constexpr unsigned MostRounds = 4;
constexpr double SameTime = 1.1, EnoughSeconds = 10;

// Runs in the child.
Json runOnce(const dag::Document &D, const dag::ResolveOptions &Resolving, const Options &O, unsigned Repeat,
             bool Recorded) {
  dag::Graph G = dag::resolve(D, Resolving);
  for (dag::Datum &N : G.Data)
    N.Output.clear(); // A trial writes no results, but compares them.
  dag::RunOptions Running;
  settle(O, G, Running);
  Running.Map = O.Map;
  if (!O.Select.empty()) {
    Running.Select = loadSelect(O.Select);
    Running.SelectFile = O.Select;
  }
  const unsigned Skip =
      Running.How == dag::Dispatch::Engine || Running.How == dag::Dispatch::Heft ? WarmUpOfPolicies : WarmUp;
  std::vector<double> Seconds;
  dag::RunReport R;
  for (unsigned Round = 0; Round < MostRounds; ++Round) {
    const unsigned NotCounted = Round ? WarmUp : Skip;
    Running.Repeat = NotCounted + Repeat;
    R = dag::run(G, Running);
    Seconds.insert(Seconds.end(), R.Seconds.begin() + NotCounted, R.Seconds.end());
    std::sort(Seconds.begin(), Seconds.end());
    const double Total = std::accumulate(Seconds.begin(), Seconds.end(), 0.0);
    if (Recorded || Seconds.size() < 2 || Seconds[1] <= SameTime * Seconds[0] || Total > EnoughSeconds)
      break;
  }
  return {{"seconds", Seconds}, {"devices", R.Devices}, {"types", R.DeviceTypes}};
}

std::string readAll(int From, pid_t Child) {
  const auto End = std::chrono::steady_clock::now() + std::chrono::seconds(MostSeconds);
  std::string Out;
  for (;;) {
    const auto Left =
        std::chrono::duration_cast<std::chrono::milliseconds>(End - std::chrono::steady_clock::now()).count();
    pollfd P{From, POLLIN, 0};
    const int Ready = poll(&P, 1, static_cast<int>(std::max<long>(Left, 0)));
    if (Ready < 0 && errno == EINTR)
      continue;
    char Block[4096];
    const ssize_t N = Ready > 0 ? read(From, Block, sizeof(Block)) : -1;
    if (N > 0) {
      Out.append(Block, static_cast<size_t>(N));
      continue;
    }
    if (N == 0)
      return Out;
    kill(Child, SIGKILL);
    return {};
  }
}

} // namespace

Measured measure(const dag::Document &D, const dag::ResolveOptions &Resolving, const Options &O, unsigned Repeat,
                 const std::string &Record) {
  Measured Out;
  int Ends[2];
  std::fflush(nullptr);
  if (pipe2(Ends, O_CLOEXEC) != 0)
    throw dag::Error(std::string("no pipe: ") + std::strerror(errno));
  const pid_t Child = fork();
  if (Child < 0)
    throw dag::Error(std::string("no process: ") + std::strerror(errno));
  if (Child == 0) {
    Json Result;
    if (!Record.empty())
      setenv("HSCHED_RECORD", Record.c_str(), 1);
    try {
      Result = runOnce(D, Resolving, O, Repeat, !Record.empty());
    } catch (const std::exception &E) {
      Result = {{"error", E.what()}};
    }
    const std::string Text = Result.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (size_t At = 0; At < Text.size();) {
      const ssize_t N = write(Ends[1], Text.data() + At, Text.size() - At);
      if (N <= 0)
        break;
      At += static_cast<size_t>(N);
    }
    if (!Record.empty())
      std::exit(0); // The engine writes the record at exit.
    _exit(0);       // Drivers' exit handlers do not affect the measurement.
  }
  close(Ends[1]);
  const std::string Text = readAll(Ends[0], Child);
  close(Ends[0]);
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR) {
  }
  const Json Result = Json::parse(Text, nullptr, false);
  if (!Result.is_object()) {
    Out.Error = WIFSIGNALED(Status) ? "its process was ended by signal " + std::to_string(WTERMSIG(Status))
                                    : "its process ended early";
    return Out;
  }
  Out.Error = Result.value("error", "");
  if (!Out.Error.empty())
    return Out;
  const std::vector<double> Seconds = Result.at("seconds"); // In increasing order.
  Out.Least = Seconds.front();
  Out.Median = Seconds[Seconds.size() / 2];
  Out.Devices = Result.at("devices").get<std::vector<std::string>>();
  Out.Types = Result.at("types").get<std::vector<unsigned>>();
  return Out;
}

} // namespace hsched::run
