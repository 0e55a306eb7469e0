// Runs hsched-report: writes a run as one HTML page.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/Say.h"
#include "report/Page.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <getopt.h>
#include <optional>

using namespace hsched;
using tools::fail;
using tools::print;

const char hsched::tools::ToolName[] = "hsched-report";

namespace {

constexpr char Help[] =
    "Usage: hsched-report [options] <file>\n"
    "\n"
    "Writes one page of HTML that shows a run, and needs nothing else: no network, no other files. The file is what a\n"
    "program wrote with HSCHED_RECORD=<file> or HSCHED_EXPLAIN=<file>.\n"
    "\n"
    "  --output=<file>   the page, also as -o <file> (default: the file's name, ending in .html)\n"
    "  --against=<file>  a record of another run, to compare with\n"
    "  --help            this text\n"
    "  --version         the version\n"
    "\n"
    "Exit status: 0; 1 where the page cannot be written; 2 for a wrong command line, or a file that is not a record.\n";

status read(const std::string &File, report::Run &Out) {
  if (status Read = rt::record::readRecord(File, Out.R); !Read.ok())
    return Read;
  Out.Name = std::filesystem::path(File).filename().string();
  Out.A = rt::record::assess(Out.R);
  Out.Needless = rt::record::needlessMoves(Out.R);
  return {};
}

int run(int Argc, char **Argv) {
  enum { OutputOption = 1, AgainstOption, HelpOption, VersionOption };
  const option Options[] = {{"output", required_argument, nullptr, OutputOption},
                            {"against", required_argument, nullptr, AgainstOption},
                            {"help", no_argument, nullptr, HelpOption},
                            {"version", no_argument, nullptr, VersionOption},
                            {nullptr, 0, nullptr, 0}};
  std::string Output, Against;
  opterr = 0;
  for (int Option; (Option = getopt_long(Argc, Argv, ":ho:", Options, nullptr)) != -1;)
    switch (Option) {
    case 'o':
    case OutputOption:
      Output = optarg;
      break;
    case AgainstOption:
      Against = optarg;
      break;
    case 'h':
    case HelpOption:
      return print(Help);
    case VersionOption:
      return print("hsched-report " HSCHED_VERSION "\n");
    case ':':
      return fail("option '" + std::string(Argv[optind - 1]) + "' needs a value; see hsched-report --help");
    default:
      return fail("unknown option '" + std::string(Argv[optind - 1]) + "'; see hsched-report --help");
    }
  if (optind + 1 != Argc)
    return fail(optind == Argc ? "no file; see hsched-report --help"
                               : "unexpected argument '" + std::string(Argv[optind + 1]) +
                                     "'; --against names a second record, see hsched-report --help");
  report::Run Of, Other;
  if (status Read = read(Argv[optind], Of); !Read.ok())
    return fail(Read.message());
  if (!Against.empty())
    if (status Read = read(Against, Other); !Read.ok())
      return fail(Read.message());
  if (Output.empty())
    Output = std::filesystem::path(Argv[optind]).replace_extension(".html").string();
  if (std::filesystem::path(Output) == std::filesystem::path(Argv[optind]))
    return fail("the page would take the place of the record; name it with --output");
  std::ofstream To(Output, std::ios::binary);
  To << report::page(Of, Against.empty() ? nullptr : &Other);
  To.close();
  if (!To)
    return fail("'" + Output + "' cannot be written", 1);
  return print(Output + "\n");
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return run(Argc, Argv);
  } catch (const std::exception &E) {
    return fail(E.what(), 1);
  }
}
