// hsched-run's command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Run.h"

#include "base/Env.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <optional>
#include <string>

namespace hsched::run {

const char HelpText[] =
    "Usage: hsched-run [options] dag.json\n"
    "       hsched-run --init [options] kernels.cl...\n"
    "\n"
    "Runs the OpenCL kernels that a file describes, on all devices. The file is hsched's own format (docs/dag.md),\n"
    "PySchedCL's, or IRIS's DAGGER JSON.\n"
    "\n"
    "  -D <name>=<n>        gives a symbol of the file a value\n"
    "  --sched=<policy>     who chooses devices: clustering, eager, heft (PySchedCL's), or a policy of the engine\n"
    "                       (versioning, engine:eager, a plug-in's file); default: clustering where the file has\n"
    "                       components, else versioning\n"
    "  --select=<file>      lets a shared object choose components and devices (hsched/select.h), instead of --sched\n"
    "  --devices=<list>     OpenCL devices to use, as HSCHED_OPENCL has them; default: all\n"
    "  --map <d>=<e>        takes device e (cpu, gpu, a number, a part of a name, any) for the file's device d\n"
    "  --queues=<n>         queues for kernels of each device, or of each type of device: gpu=3,cpu=2; with "
    "clustering\n"
    "                       one component at a time uses them all; default with clustering: one on a GPU, as many as\n"
    "                       a component has kernels side by side on a CPU\n"
    "  --beside=<n>         with components, or a policy of the engine and one device: the device runs n components "
    "side\n"
    "                       by side, each on one queue, to which short inputs go too\n"
    "  --repeat=<n>         runs it n times\n"
    "  --output=<folder>    writes every result there, as .npy\n"
    "  --memory=<size>      most memory for data: 512M, 2G; default: half of the machine's\n"
    "  --allow-path         lets the file name files outside of its own folder\n"
    "  --kinfo=<program>    hsched-kinfo, which is asked what kernels do; default: beside this program, or in PATH\n"
    "  --no-check           does not ask hsched-kinfo\n"
    "  --dry-run            reads and checks, and says what would be run\n"
    "  --convert            writes the file in hsched's own format\n"
    "  --dot                writes the graph for Graphviz\n"
    "  --from-record=<d>    writes the kernels of a run that HSCHED_RECORD=<file> has recorded as a file of kernels "
    "into\n"
    "                       folder <d>; the argument is the record\n"
    "  --init               writes a file for the kernels in OpenCL C files, edges left out; -D <macro> and -I "
    "<folder>\n"
    "                       are for their build\n"
    "  --tune               measures configurations: queues, devices of components, partitions; says what it tried\n"
    "                       (at most 60); -o <file> writes the file with the best one\n"
    "  --tune=<n>           the same, n at most\n"
    "  --simulate           with --tune: measures each kernel alone and computes the times of configurations (at most\n"
    "                       2000); the best one is measured\n"
    "  --in-place           with --tune: overwrites the file with the best one\n"
    "  --trace=<file>       writes a trace for Chrome and Perfetto\n"
    "  --gantt=<file>       draws the last run as SVG: a row for each queue of a device and for transfers\n"
    "  --graph=<file>       draws the graph with the devices that kernels ran on, as SVG, or for Graphviz if the "
    "file's\n"
    "                       name does not end with .svg; with --dry-run the devices are those of the file\n"
    "  --explain=<file>     writes why each kernel ran where it did\n"
    "  --report=<file>      writes times and traffic as JSON\n"
    "  --stats              says at the end how long kernels took and what was moved\n"
    "  --quiet              says nothing of what went well\n"
    "  --help               this text\n"
    "  --version            the version\n"
    "\n"
    "Exit status: 0; 1 where the file, a kernel or a result is wrong; 2 for a wrong command line.\n";

namespace {

bool parseAssignment(const char *Text, std::map<std::string, std::string> &To) {
  const char *Equals = std::strchr(Text, '=');
  if (!Equals || Equals == Text || !Equals[1])
    return false;
  To[std::string(Text, Equals)] = Equals + 1;
  return true;
}

// Parses a size such as 512M; false if it is not a size.
bool parseSize(const char *Text, uint64_t &Out) {
  char *End = nullptr;
  errno = 0;
  const unsigned long long N = std::strtoull(Text, &End, 10);
  unsigned Shift = 0;
  switch (*End) {
  case 'K':
    Shift = 10;
    break;
  case 'M':
    Shift = 20;
    break;
  case 'G':
    Shift = 30;
    break;
  case 'T':
    Shift = 40;
    break;
  default:
    break;
  }
  End += Shift != 0;
  if (errno || *Text < '0' || *Text > '9' || *End || N == 0 || N > (UINT64_MAX >> Shift))
    return false;
  Out = N << Shift;
  return true;
}

// 4, gpu=3,cpu=2 or 0=4: for all devices, or for a type or a number of device.
bool isQueues(const std::string &Text) {
  const std::optional<rt::NamedNumbers> All = rt::parseNumbers(Text, 1, 32);
  auto IsFor = [](const std::string &Device) {
    return Device.empty() || Device == "cpu" || Device == "gpu" || Device == "accelerator" ||
           (Device.size() <= 4 && Device.find_first_not_of("0123456789") == std::string::npos);
  };
  return All && !All->empty() && std::ranges::all_of(*All, [&](const auto &Each) { return IsFor(Each.first); });
}

} // namespace

Options parseOptions(int Argc, char **Argv) {
  enum {
    SchedOption = 256,
    SelectOption,
    DevicesOption,
    MapOption,
    QueuesOption,
    BesideOption,
    RepeatOption,
    OutputOption,
    MemoryOption,
    AllowPathOption,
    KinfoOption,
    NoCheckOption,
    DryRunOption,
    ConvertOption,
    DotOption,
    InitOption,
    FromRecordOption,
    TuneOption,
    InPlaceOption,
    SimulateOption,
    TraceOption,
    GanttOption,
    GraphOption,
    ExplainOption,
    ReportOption,
    StatsOption,
    QuietOption,
    HelpOption,
    VersionOption
  };
  static const option Long[] = {{"sched", required_argument, nullptr, SchedOption},
                                {"select", required_argument, nullptr, SelectOption},
                                {"devices", required_argument, nullptr, DevicesOption},
                                {"map", required_argument, nullptr, MapOption},
                                {"queues", required_argument, nullptr, QueuesOption},
                                {"beside", required_argument, nullptr, BesideOption},
                                {"repeat", required_argument, nullptr, RepeatOption},
                                {"output", required_argument, nullptr, OutputOption},
                                {"memory", required_argument, nullptr, MemoryOption},
                                {"allow-path", no_argument, nullptr, AllowPathOption},
                                {"kinfo", required_argument, nullptr, KinfoOption},
                                {"no-check", no_argument, nullptr, NoCheckOption},
                                {"dry-run", no_argument, nullptr, DryRunOption},
                                {"convert", no_argument, nullptr, ConvertOption},
                                {"dot", no_argument, nullptr, DotOption},
                                {"init", no_argument, nullptr, InitOption},
                                {"from-record", required_argument, nullptr, FromRecordOption},
                                {"tune", optional_argument, nullptr, TuneOption},
                                {"in-place", no_argument, nullptr, InPlaceOption},
                                {"simulate", no_argument, nullptr, SimulateOption},
                                {"trace", required_argument, nullptr, TraceOption},
                                {"gantt", required_argument, nullptr, GanttOption},
                                {"graph", required_argument, nullptr, GraphOption},
                                {"explain", required_argument, nullptr, ExplainOption},
                                {"report", required_argument, nullptr, ReportOption},
                                {"stats", no_argument, nullptr, StatsOption},
                                {"quiet", no_argument, nullptr, QuietOption},
                                {"help", no_argument, nullptr, HelpOption},
                                {"version", no_argument, nullptr, VersionOption},
                                {nullptr, 0, nullptr, 0}};
  Options O;
  auto Wrong = [&](const std::string &Why) {
    if (O.Error.empty())
      O.Error = Why;
  };
  auto Number = [&](const char *Takes, unsigned long Most) {
    char *End = nullptr;
    const unsigned long N = std::strtoul(optarg, &End, 10);
    if (*optarg < '0' || *optarg > '9' || *End || N < 1 || N > Most)
      Wrong(Takes + (" from 1 to " + std::to_string(Most)) + ", not '" + optarg + "'");
    return static_cast<unsigned>(N);
  };
  auto Do = [&](Options::Action A) {
    if (O.Do != Options::Run && O.Do != A)
      Wrong("--convert, --dot, --from-record, --init and --tune exclude each other");
    O.Do = A;
  };
  const char *NoValue = nullptr;
  opterr = 0;
  for (int At = optind, Option; (Option = getopt_long(Argc, Argv, ":D:I:ho:", Long, nullptr)) != -1; At = optind)
    switch (Option) {
    case 'D':
      O.Build.push_back(std::string("-D") + optarg);
      if (!parseAssignment(optarg, O.Symbols))
        NoValue = optarg;
      break;
    case 'I':
      O.Build.push_back(std::string("-I") + optarg);
      break;
    case SchedOption:
      O.Sched = optarg;
      break;
    case SelectOption:
      O.Select = optarg;
      break;
    case DevicesOption:
      O.Devices = optarg;
      break;
    case MapOption:
      if (!parseAssignment(optarg, O.Map))
        Wrong("--map takes a device of the file and what is taken for it: --map gpu=cpu, not '" + std::string(optarg) +
              "'");
      break;
    case QueuesOption:
      O.Queues = optarg;
      if (!isQueues(O.Queues))
        Wrong("--queues takes a number from 1 to 32, or one for each type of device, as in gpu=3,cpu=2, not '" +
              O.Queues + "'");
      break;
    case BesideOption:
      O.Beside = Number("--beside takes a number", 64);
      break;
    case RepeatOption:
      O.Repeat = Number("--repeat takes a number", 1000000);
      break;
    case OutputOption:
      O.Output = optarg;
      break;
    case MemoryOption:
      if (!parseSize(optarg, O.Memory))
        Wrong("--memory takes a size such as 512M or 2G, not '" + std::string(optarg) + "'");
      break;
    case AllowPathOption:
      O.AllowPath = true;
      break;
    case KinfoOption:
      O.Kinfo = optarg;
      break;
    case NoCheckOption:
      O.Check = false;
      break;
    case DryRunOption:
      O.DryRun = true;
      break;
    case ConvertOption:
      Do(Options::Convert);
      break;
    case DotOption:
      Do(Options::Dot);
      break;
    case InitOption:
      Do(Options::Init);
      break;
    case FromRecordOption:
      Do(Options::FromRecord);
      O.Folder = optarg;
      break;
    case TuneOption:
      Do(Options::Tune);
      if (optarg)
        O.Tries = Number("--tune takes a number of configurations", 100000);
      break;
    case 'o':
      O.Tuned = optarg;
      break;
    case InPlaceOption:
      O.InPlace = true;
      break;
    case SimulateOption:
      O.Simulate = true;
      break;
    case TraceOption:
      O.Trace = optarg;
      break;
    case GanttOption:
      O.Gantt = optarg;
      break;
    case GraphOption:
      O.Graph = optarg;
      break;
    case ExplainOption:
      O.Explain = optarg;
      break;
    case ReportOption:
      O.Report = optarg;
      break;
    case StatsOption:
      O.Stats = true;
      break;
    case QuietOption:
      O.Quiet = true;
      break;
    case 'h':
    case HelpOption:
      O.Help = true;
      break;
    case VersionOption:
      O.Version = true;
      break;
    case ':':
      Wrong("option '" + std::string(Argv[At]) + "' takes a value");
      break;
    default:
      Wrong("unknown option '" + std::string(Argv[At]) + "'");
      break;
    }
  for (int I = optind; I < Argc; ++I)
    O.Files.push_back(Argv[I]);
  if (O.Help || O.Version)
    return O;
  if (O.Do != Options::Tune && (O.InPlace || O.Simulate || !O.Tuned.empty()))
    Wrong("-o, --in-place and --simulate are for --tune");
  if (NoValue && O.Do != Options::Init) // A macro needs none.
    Wrong("-D takes a symbol and its value: -D N=1024, not '" + std::string(NoValue) + "'");
  if (!O.Tries)
    O.Tries = O.Simulate ? 2000 : 60;
  if (!O.Select.empty() && !O.Sched.empty())
    Wrong("--select and --sched exclude each other");
  if (O.InPlace && !O.Tuned.empty())
    Wrong("-o and --in-place exclude each other");
  if (O.Beside && (!O.Queues.empty() || !O.Select.empty()))
    Wrong("--beside gives each component one queue; --queues and --select give a component the whole device");
  if (O.Do == Options::Tune && !O.Queues.empty())
    Wrong("--tune looks for numbers of queues; --queues is not given with it");
  if (O.Files.empty())
    Wrong("there is no file to run");
  if (O.Do != Options::Init && O.Files.size() > 1)
    Wrong("one file is run at a time; '" + O.Files[1] + "' is a second one");
  return O;
}

} // namespace hsched::run
