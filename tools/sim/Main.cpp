// Runs hsched-sim: simulates a program's task graph on a described machine under one policy or several.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/Say.h"
#include "sim/Simulate.h"
#include "sim/Table.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <getopt.h>

using namespace hsched;
using tools::fail;
using tools::print;
using namespace hsched::rt;

const char hsched::tools::ToolName[] = "hsched-sim";

namespace {

const std::string Help =
    "Usage: hsched-sim [options] <platform> --graph=<graph>\n"
    "       hsched-sim [options] [<platform>] --replay=<record>\n"
    "\n"
    "Runs a program's tasks on a described machine in virtual time, and prints what each policy makes of them. "
    "Platform:\n"
    "a file of JSON, or the name of one that is shipped (--list).\n"
    "\n"
    "  --graph=<graph>   the tasks; see below\n"
    "  --replay=<file>   the tasks and the machine of a run that HSCHED_RECORD=<file> has recorded; with a platform, "
    "its\n"
    "                    tasks alone\n"
    "  --sched=<a,...>   the policies, by name or by file (default: all that have a name)\n"
    "  --only=<t:k,...>  tasks of type t run on workers of kind k only (XKaapi's SetArch); 'gpu' and 'cpu' are kinds "
    "too\n"
    "  --warm            execution times are known: each policy runs once unseen before\n"
    "  --repeat=<n>      the tasks n times, with a wait between: the first one's time, the median of the others'\n"
    "  --gpus=<n>        what if there were n devices; +<n>, -<n>: so many more or fewer, like the last one\n"
    "  --cpus=<n>        what if there were n CPU workers; +<n>, -<n>\n"
    "  --link=<f>        what if all links were faster; x2, /2\n"
    "  --tile=<f>        what if tiles were larger or smaller, of a graph that has some; x2, /2\n"
    "  --window=<n>      outstanding tasks at most; 0: any number (default: 4096)\n"
    "  --inflight=<n>    tasks that a device has at once (default: as the platform says)\n"
    "  --lambda=<n>      runs of a version until it counts as measured (default: 3)\n"
    "  --seed=<n>        of policies that choose at random (default: 1)\n"
    "  --stay            the end is the last task's: data are not brought back to host memory\n"
    "  --trace=<file>    a Chrome trace of the run, as HSCHED_TRACE writes it; of one policy\n"
    "  --explain=<file>  why each task ran where it did, as HSCHED_EXPLAIN writes it; of one policy\n"
    "  --record=<file>   a record of the run, as HSCHED_RECORD writes it; of one policy\n"
    "  --json            JSON, with each worker's and each version's time\n"
    "  --list            the platforms that are shipped, and the policies\n"
    "  --help            this text\n"
    "  --version         the version\n"
    "\n"
    "Graphs; N and TILE are numbers of elements of 8 bytes:\n" +
    std::string(virt::ProgramHelp) +
    "\n"
    "Exit status: 0; 1 where a simulation fails or the output cannot be written; 2 for wrong input.\n";

std::filesystem::path shipped() {
  std::error_code Ignored;
  return std::filesystem::read_symlink("/proc/self/exe", Ignored).parent_path().parent_path() / HSCHED_PLATFORMS;
}

std::vector<std::string> shippedNames() {
  std::vector<std::string> Names;
  std::error_code Ignored;
  for (const auto &Entry : std::filesystem::directory_iterator(shipped(), Ignored))
    if (Entry.path().extension() == ".json")
      Names.push_back(Entry.path().stem().string());
  std::ranges::sort(Names);
  return Names;
}

std::string joined(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ", ") + Name;
  return Text;
}

std::vector<std::string> policyNames() {
  std::vector<std::string> Names;
  for (const PolicyEntry &E : policies())
    Names.push_back(E.Name);
  return Names;
}

int list() { return print("platforms: " + joined(shippedNames()) + "\n" + policyHelp()); }

template <class Number> bool readNumber(const char *Text, Number &Out) {
  auto [End, Error] = std::from_chars(Text, Text + std::strlen(Text), Out);
  return Error == std::errc() && *End == 0 && End != Text;
}

status readPolicy(const std::string &Name, std::unique_ptr<Policy> &Out) {
  status Made = sim::makeNamed(Name, Out);
  return Made.ok() || namesPlugin(Name)
             ? Made
             : status::error(errc::invalid_argument, "--sched: there is no policy '" + Name + "'; write some of: " +
                                                         joined(policyNames()) + ", or a file's name with a slash");
}

// Loads a platform by its file or by the name of a shipped one.
status findPlatform(const std::string &Name, virt::PlatformModel &Out) {
  if (Name.find('/') == std::string::npos && !std::filesystem::exists(Name)) {
    const auto File = shipped() / (Name + ".json");
    if (!std::filesystem::exists(File))
      return status::error(errc::not_found, "there is no platform '" + Name +
                                                "'; write a file's name, or one of: " + joined(shippedNames()));
    return virt::readPlatform(File.string(), Out);
  }
  return virt::readPlatform(Name, Out);
}

const char *deviceOf(const virt::WorkerKind &K) { return K.Device == DeviceKind::Cpu ? "cpu" : deviceTypeName(K.Type); }

// Removes what S.Only forbids from the platform.
status restrict(const sim::Settings &S, virt::PlatformModel &P, const std::vector<std::string> &Types) {
  for (const auto &[Task, Kind] : S.Only) {
    const std::string Field = "--only=" + Task + ":" + Kind + ": ";
    if (!std::ranges::count(Types, Task))
      return status::error(errc::invalid_argument,
                           Field + "the graph has no such task; its tasks are " + joined(Types));
    bool Any = false;
    std::string All;
    for (virt::WorkerKind &K : P.Kinds) {
      All += (All.empty() ? "" : ", ") + K.Name;
      if (K.Name == Kind || Kind == deviceOf(K))
        Any = true;
      else
        K.Speeds[Task] = std::nullopt;
    }
    if (!Any)
      return status::error(errc::invalid_argument, Field + "the platform has no such workers; write one of: " + All);
  }
  return {};
}

// Parses "a:b,c:d".
bool readOnly(std::string_view Text, std::vector<std::pair<std::string, std::string>> &Out) {
  while (!Text.empty()) {
    const std::string_view Each = Text.substr(0, Text.find(','));
    const size_t Colon = Each.find(':');
    if (Colon == 0 || Colon == std::string_view::npos || Colon + 1 == Each.size())
      return false;
    Out.emplace_back(Each.substr(0, Colon), Each.substr(Colon + 1));
    Text.remove_prefix(std::min(Each.size() + 1, Text.size()));
  }
  return !Out.empty();
}

// Parses "+1", "-2" or "3".
bool readChange(std::string_view Text, sim::Change &Out) {
  Out.Relative = Text.starts_with('+') || Text.starts_with('-');
  if (Text.starts_with('+'))
    Text.remove_prefix(1);
  auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Out.By);
  return Error == std::errc() && End == Text.data() + Text.size() && std::abs(Out.By) < 512 &&
         (Out.Relative || Out.By >= 0);
}

// Parses "x2" or "/4".
bool readFactor(std::string_view Text, double &Out) {
  double By = 0;
  if (!Text.starts_with('x') && !Text.starts_with('/'))
    return false;
  auto [End, Error] = std::from_chars(Text.data() + 1, Text.data() + Text.size(), By);
  if (Error != std::errc() || End != Text.data() + Text.size() || !(By > 0) || By > 1e6)
    return false;
  Out = Text[0] == 'x' ? By : 1 / By;
  return true;
}

int simulate(const sim::Settings &S, const sim::WhatIf &Changes) {
  sim::Input In;
  if (!S.Replay.empty()) {
    virt::PlatformModel On;
    if (status Read = S.Platform.empty() ? status() : findPlatform(S.Platform, On); !Read.ok())
      return fail(Read.message());
    if (status Read = sim::readReplay(S.Replay, S.Platform.empty() ? nullptr : &On, In); !Read.ok())
      return fail(Read.message());
  } else {
    if (status Read = findPlatform(S.Platform, In.Platform); !Read.ok())
      return fail(Read.message());
    In.Graph = S.Graph;
  }
  In.Repeat = S.Repeat;
  std::unique_ptr<virt::Program> Tasks;
  if (status Made = In.program(Tasks); !Made.ok())
    return fail("--graph: " + Made.message());
  if (status Possible = restrict(S, In.Platform, Tasks->types()); !Possible.ok())
    return fail(Possible.message());
  for (const std::string &Name : S.Policies) {
    std::unique_ptr<Policy> P;
    if (status Found = readPolicy(Name, P); !Found.ok())
      return fail(Found.message());
  }
  std::vector<sim::Variant> Variants;
  if (status Possible = sim::variants(In, Changes, Variants); !Possible.ok())
    return fail(Possible.message());
  std::vector<sim::Run> Runs;
  for (const sim::Variant &V : Variants)
    for (const std::string &Name : S.Policies) {
      sim::Run &R = Runs.emplace_back();
      R.Policy = Name;
      R.What = V.What;
      for (const virt::WorkerModel &W : V.In.Platform.Workers)
        R.Workers.push_back(W.Name);
      if (status Ran = sim::simulate(S, V.In, Name, R.Result); !Ran.ok())
        return fail("policy '" + Name + "'" + (V.What.empty() ? "" : " with " + V.What) + ": " + Ran.message(), 1);
    }
  if (S.Json)
    return print(sim::writeJson(Runs, In.Platform.Name, In.Graph.empty() ? S.Replay : In.Graph));
  if (Variants.size() > 1)
    return print(sim::writeWhatIf(Runs) + sim::replayed(In, Runs));
  return print(sim::writeTable(Runs, In.Platform) + sim::replayed(In, Runs));
}

int run(int Argc, char **Argv) {
  enum {
    Graph = 1,
    Sched,
    Only,
    Trace,
    Explain,
    Record,
    Replay,
    Gpus,
    Cpus,
    Link,
    Tile,
    Warm,
    Repeat,
    Window,
    InFlight,
    Lambda,
    Seed,
    Stay,
    Json,
    List,
    HelpOption,
    VersionOption
  };
  const option Options[] = {{"graph", required_argument, nullptr, Graph},
                            {"sched", required_argument, nullptr, Sched},
                            {"only", required_argument, nullptr, Only},
                            {"trace", required_argument, nullptr, Trace},
                            {"explain", required_argument, nullptr, Explain},
                            {"record", required_argument, nullptr, Record},
                            {"replay", required_argument, nullptr, Replay},
                            {"gpus", required_argument, nullptr, Gpus},
                            {"cpus", required_argument, nullptr, Cpus},
                            {"link", required_argument, nullptr, Link},
                            {"tile", required_argument, nullptr, Tile},
                            {"warm", no_argument, nullptr, Warm},
                            {"repeat", required_argument, nullptr, Repeat},
                            {"window", required_argument, nullptr, Window},
                            {"inflight", required_argument, nullptr, InFlight},
                            {"lambda", required_argument, nullptr, Lambda},
                            {"seed", required_argument, nullptr, Seed},
                            {"stay", no_argument, nullptr, Stay},
                            {"json", no_argument, nullptr, Json},
                            {"list", no_argument, nullptr, List},
                            {"help", no_argument, nullptr, HelpOption},
                            {"version", no_argument, nullptr, VersionOption},
                            {nullptr, 0, nullptr, 0}};
  sim::Settings S;
  sim::WhatIf Changes;
  S.Policies = policyNames();
  opterr = 0;
  for (int Option; (Option = getopt_long(Argc, Argv, ":h", Options, nullptr)) != -1;) {
    bool Good = true;
    switch (Option) {
    case Graph:
      S.Graph = optarg;
      break;
    case Sched:
      S.Policies.clear();
      for (std::string_view Left = optarg; !Left.empty();) {
        const size_t Comma = std::min(Left.find(','), Left.size());
        S.Policies.emplace_back(Left.substr(0, Comma));
        Left.remove_prefix(std::min(Comma + 1, Left.size()));
      }
      Good = !S.Policies.empty();
      break;
    case Only:
      Good = readOnly(optarg, S.Only);
      break;
    case Trace:
      S.Trace = optarg;
      break;
    case Explain:
      S.Explain = optarg;
      break;
    case Record:
      S.Record = optarg;
      break;
    case Replay:
      S.Replay = optarg;
      break;
    case Gpus:
      Good = readChange(optarg, Changes.Gpus.emplace());
      break;
    case Cpus:
      Good = readChange(optarg, Changes.Cpus.emplace());
      break;
    case Link:
      Good = readFactor(optarg, Changes.Link.emplace());
      break;
    case Tile:
      Good = readFactor(optarg, Changes.Tile.emplace());
      break;
    case Warm:
      S.Warm = true;
      break;
    case Repeat:
      Good = readNumber(optarg, S.Repeat) && S.Repeat > 0 && S.Repeat <= 1000;
      break;
    case Window:
      Good = readNumber(optarg, S.Options.Window);
      break;
    case InFlight:
      Good = readNumber(optarg, S.Options.InFlight) && S.Options.InFlight > 0 && S.Options.InFlight <= 4096;
      break;
    case Lambda:
      Good = readNumber(optarg, S.Options.Lambda);
      break;
    case Seed:
      Good = readNumber(optarg, S.Options.Seed);
      break;
    case Stay:
      S.Options.BringHome = false;
      break;
    case Json:
      S.Json = true;
      break;
    case List:
      return list();
    case 'h':
    case HelpOption:
      return print(Help);
    case VersionOption:
      return print("hsched-sim " HSCHED_VERSION "\n");
    case ':':
      return fail("option '" + std::string(Argv[optind - 1]) + "' needs a value; see hsched-sim --help");
    default:
      return fail("unknown option '" + std::string(Argv[optind - 1]) + "'; see hsched-sim --help");
    }
    if (!Good)
      return fail("wrong value '" + std::string(optarg) + "'; see hsched-sim --help");
  }
  if (!S.Replay.empty() && !S.Graph.empty())
    return fail("--replay has the tasks in its file; leave --graph out");
  if (!S.Replay.empty() && !S.Only.empty() && optind == Argc)
    return fail("--only restricts tasks on a described platform; --replay needs one for it");
  if (S.Policies.size() > 1 && !(S.Trace.empty() && S.Explain.empty() && S.Record.empty()))
    return fail("--trace, --explain and --record write of one policy; name it with --sched");
  if (Changes.any() && !(S.Trace.empty() && S.Explain.empty() && S.Record.empty()))
    return fail("--trace, --explain and --record write of one run; leave --gpus, --cpus, --link and --tile out");
  if (!S.Replay.empty() && optind == Argc)
    return simulate(S, Changes);
  if (optind == Argc)
    return fail("no platform; write a file's name, or one of: " + joined(shippedNames()));
  S.Platform = Argv[optind++];
  if (optind < Argc)
    return fail("unexpected argument '" + std::string(Argv[optind]) + "'; see hsched-sim --help");
  if (S.Graph.empty() && S.Replay.empty())
    return fail("no graph; see --graph in hsched-sim --help");
  return simulate(S, Changes);
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return run(Argc, Argv);
  } catch (const std::exception &E) {
    return fail(E.what(), 1);
  }
}
