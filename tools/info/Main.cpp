// Runs hsched-info: lists the devices and CPUs that can run tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/Say.h"
#include "info/Info.h"

#include "base/SettingNames.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <getopt.h>

using hsched::tools::print;

const char hsched::tools::ToolName[] = "hsched-info";

namespace {

constexpr char Help[] = "Usage: hsched-info [options]\n"
                        "\n"
                        "Says what there is to run tasks on: the machine, its devices, and how fast data are copied.\n"
                        "\n"
                        "  --json       JSON, as docs/info.schema.json has it\n"
                        "  --calibrate  measure the links of all devices anew, and keep that for programs\n"
                        "  --help       this text\n"
                        "  --version    the version\n"
                        "\n"
                        "Exit status: 0, also where there is no device; 1 where HSCHED_OPENCL names devices that are "
                        "not there, or the output\n"
                        "cannot be written; 2 for a wrong command line.\n";

int wrong(const char *Why, const char *What) {
  std::fprintf(stderr, "hsched-info: error: %s '%s'; see hsched-info --help\n", Why, What);
  return 2;
}

int run(int Argc, char **Argv) {
  enum { JsonOption = 1, CalibrateOption, HelpOption, VersionOption };
  const option Options[] = {{"json", no_argument, nullptr, JsonOption},
                            {"calibrate", no_argument, nullptr, CalibrateOption},
                            {"help", no_argument, nullptr, HelpOption},
                            {"version", no_argument, nullptr, VersionOption},
                            {nullptr, 0, nullptr, 0}};
  bool Json = false, Calibrate = false;
  opterr = 0;
  for (int At = optind, Option; (Option = getopt_long(Argc, Argv, "+h", Options, nullptr)) != -1; At = optind)
    switch (Option) {
    case JsonOption:
      Json = true;
      break;
    case CalibrateOption:
      Calibrate = true;
      break;
    case 'h':
    case HelpOption:
      return print(Help);
    case VersionOption:
      return print("hsched-info " HSCHED_VERSION "\n");
    default:
      return wrong(std::strchr(Argv[At], '=') ? "wrong option" : "unknown option", Argv[At]);
    }
  if (optind < Argc)
    return wrong("unexpected argument", Argv[optind]);

  hsched::rt::warnAboutUnknownSettings();
  hsched::info::Info I = hsched::info::collect(Calibrate);
  if (int Failed = print(Json ? writeJson(I) : writeText(I)))
    return Failed;
  if (I.BadSelection.empty())
    return 0;
  std::fprintf(stderr, "hsched-info: error: %s\n", I.BadSelection.c_str());
  return 1;
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return run(Argc, Argv);
  } catch (const std::exception &E) {
    std::fprintf(stderr, "hsched-info: error: %s\n", E.what());
    return 1;
  }
}
