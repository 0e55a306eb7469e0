// Runs hsched-explain: why tasks ran where they did, and what that cost.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/Say.h"
#include "explain/Tables.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <getopt.h>

using namespace hsched;
using tools::fail;
using tools::print;
using namespace hsched::rt::record;

const char hsched::tools::ToolName[] = "hsched-explain";

namespace {

constexpr char Help[] =
    "Usage: hsched-explain [options] <file>\n"
    "\n"
    "Says why tasks ran where they did, and what that cost. The file is what a program wrote with "
    "HSCHED_EXPLAIN=<file>\n"
    "or HSCHED_RECORD=<file>.\n"
    "\n"
    "  --task=<n>    why task n ran where it did and not elsewhere, and its candidates\n"
    "  --summary     the run against its bounds, regret by type, the greatest regrets (default)\n"
    "  --most=<n>    how many regrets (default: 10)\n"
    "  --replay      how long the run takes in simulation under each policy; of a file of HSCHED_RECORD\n"
    "  --json        the summary as JSON\n"
    "  --help        this text\n"
    "  --version     the version\n"
    "\n"
    "Exit status: 0; 1 where the output cannot be written; 2 for a wrong command line, or a file that is not a "
    "record.\n";

template <class Number> bool readNumber(const char *Text, Number &Out) {
  auto [End, Error] = std::from_chars(Text, Text + std::strlen(Text), Out);
  return Error == std::errc() && *End == 0 && End != Text;
}

int run(int Argc, char **Argv) {
  enum { TaskOption = 1, SummaryOption, MostOption, ReplayOption, JsonOption, HelpOption, VersionOption };
  const option Options[] = {
      {"task", required_argument, nullptr, TaskOption}, {"summary", no_argument, nullptr, SummaryOption},
      {"most", required_argument, nullptr, MostOption}, {"replay", no_argument, nullptr, ReplayOption},
      {"json", no_argument, nullptr, JsonOption},       {"help", no_argument, nullptr, HelpOption},
      {"version", no_argument, nullptr, VersionOption}, {nullptr, 0, nullptr, 0}};
  uint64_t Wanted = 0;
  unsigned Most = 10;
  bool Json = false, Replay = false;
  opterr = 0;
  for (int Option; (Option = getopt_long(Argc, Argv, ":h", Options, nullptr)) != -1;) {
    bool Good = true;
    switch (Option) {
    case TaskOption:
      Good = readNumber(optarg, Wanted) && Wanted > 0;
      break;
    case SummaryOption:
      break;
    case MostOption:
      Good = readNumber(optarg, Most);
      break;
    case ReplayOption:
      Replay = true;
      break;
    case JsonOption:
      Json = true;
      break;
    case 'h':
    case HelpOption:
      return print(Help);
    case VersionOption:
      return print("hsched-explain " HSCHED_VERSION "\n");
    case ':':
      return fail("option '" + std::string(Argv[optind - 1]) + "' needs a value; see hsched-explain --help");
    default:
      return fail("unknown option '" + std::string(Argv[optind - 1]) + "'; see hsched-explain --help");
    }
    if (!Good)
      return fail("wrong value '" + std::string(optarg) + "'; see hsched-explain --help");
  }
  if (optind + 1 != Argc)
    return fail(optind == Argc
                    ? "no file; see hsched-explain --help"
                    : "unexpected argument '" + std::string(Argv[optind + 1]) + "'; see hsched-explain --help");
  Record R;
  if (status Read = readRecord(Argv[optind], R); !Read.ok())
    return fail(Read.message());
  if (Replay) {
    std::string Text;
    if (status Ran = explain::replays(R, Text); !Ran.ok())
      return fail(std::string(Argv[optind]) + ": " + Ran.message());
    return print(Text);
  }
  const Assessment A = assess(R);
  if (!Wanted)
    return print(Json ? explain::json(R, A, Most) : explain::summary(R, A, Most));
  const Task *T = R.find(Wanted);
  if (!T)
    return fail("there is no task " + std::to_string(Wanted) + "; the file has " + std::to_string(R.Tasks.size()) +
                (R.Tasks.empty() ? " tasks"
                                 : " tasks, from " + std::to_string(R.Tasks.front().Id) + " to " +
                                       std::to_string(R.Tasks.back().Id)));
  return print(explain::task(R, A, static_cast<size_t>(T - R.Tasks.data())));
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return run(Argc, Argv);
  } catch (const std::exception &E) {
    return fail(E.what(), 1);
  }
}
