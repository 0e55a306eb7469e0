// Runs hsched-model: shows and edits execution times learnt in runs of programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Edit.h"
#include "model/Model.h"

#include "base/DiskCache.h"
#include "base/SettingNames.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <getopt.h>
#include <stdexcept>

using namespace hsched::model;

namespace {

constexpr char Help[] =
    "Usage: hsched-model [options] command [argument...]\n"
    "\n"
    "Shows and edits the execution times that programs keep with HSCHED_MODELS.\n"
    "\n"
    "Commands:\n"
    "  list                   a line for each task\n"
    "  show [TASK[:VERSION]]  a line for each size, version and device\n"
    "  plot TASK OUT.svg      draw the times over the sizes\n"
    "  diff A B               what differs between two files by more than a tenth\n"
    "  merge OUT IN...        add the runs of the files IN to the file OUT\n"
    "  drop TASK[:VERSION]    forget a task, or one version of it\n"
    "  export OUT [TASK]      write a task's times, or all, to the new file OUT\n"
    "  import IN              add the runs of the file IN\n"
    "\n"
    "Options:\n"
    "  --file=<F>  the file, in place of the one that HSCHED_MODELS names (models.json in hsched's cache folder)\n"
    "  --json      with show: JSON, in the format of the files\n"
    "  --help      this text\n"
    "  --version   the version\n"
    "\n"
    "Exit status: 0; 1 where a file cannot be read or written, or no task is of that name; 2 for a wrong command "
    "line.\n";

struct WrongUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

int print(const std::string &Text) {
  if (std::fputs(Text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0)
    return 0;
  throw std::runtime_error("the output cannot be written");
}

std::string keptFile(const std::string &Given) {
  if (!Given.empty())
    return Given;
  hsched::rt::warnAboutUnknownSettings();
  if (std::string Named = hsched::rt::modelPath(); !Named.empty())
    return Named;
  const std::string Folder = hsched::rt::cacheFolder();
  if (Folder.empty())
    throw WrongUse("there is no cache folder: name a file with --file");
  return Folder + "/models.json";
}

int plot(const ModelFile &File, const std::string &Task, const std::string &Out) {
  const std::string Picture = plotEntries(File, Selection(Task));
  std::ofstream To(Out, std::ios::binary);
  To << Picture;
  To.close();
  if (!To)
    throw std::runtime_error("cannot write '" + Out + "'");
  return 0;
}

int command(const std::string &Given, bool Json, const std::string &Name, const std::vector<std::string> &Words) {
  if (Json && Name != "show")
    throw WrongUse("'" + Name + "' knows no --json");
  auto wants = [&](size_t Least, size_t Most) {
    if (Words.size() < Least || Words.size() > Most)
      throw WrongUse("'" + Name + "' takes " +
                     (Most > 1000     ? std::to_string(Least) + " or more"
                      : Least == Most ? std::to_string(Least)
                                      : std::to_string(Least) + " to " + std::to_string(Most)) +
                     " arguments");
  };
  auto some = [](const ModelFile &File, const std::string &Text) {
    requireSome(File, Selection(Text), Text);
    return Selection(Text);
  };
  if (Name == "list") {
    wants(0, 0);
    return print(listTasks(readFile(keptFile(Given))));
  }
  if (Name == "show") {
    wants(0, 1);
    ModelFile File = readFile(keptFile(Given));
    const Selection What = Words.empty() ? Selection("") : some(File, Words[0]);
    if (!Json)
      return print(showEntries(File, What));
    std::erase_if(File.Entries, [&](const ModelEntry &E) { return !What.holds(E); });
    return print(File.format());
  }
  if (Name == "plot") {
    wants(2, 2);
    const ModelFile File = readFile(keptFile(Given));
    some(File, Words[0]);
    return plot(File, Words[0], Words[1]);
  }
  if (Name == "diff") {
    wants(2, 2);
    return print(diffEntries(readFile(Words[0]), readFile(Words[1])));
  }
  if (Name == "merge") {
    wants(2, ~size_t(0));
    return print(mergeFiles(Words[0], {Words.begin() + 1, Words.end()}));
  }
  if (Name == "drop") {
    wants(1, 1);
    return print(dropEntries(keptFile(Given), Words[0]));
  }
  if (Name == "export") {
    wants(1, 2);
    return print(exportEntries(keptFile(Given), Words[0], Words.size() > 1 ? Words[1] : ""));
  }
  if (Name == "import") {
    wants(1, 1);
    return print(mergeFiles(keptFile(Given), {Words[0]}));
  }
  throw WrongUse("unknown command '" + Name + "'");
}

int run(int Argc, char **Argv) {
  enum { FileOption = 1, JsonOption, HelpOption, VersionOption };
  const option Options[] = {{"file", required_argument, nullptr, FileOption},
                            {"json", no_argument, nullptr, JsonOption},
                            {"help", no_argument, nullptr, HelpOption},
                            {"version", no_argument, nullptr, VersionOption},
                            {nullptr, 0, nullptr, 0}};
  std::string File;
  bool Json = false;
  opterr = 0;
  for (int At = optind, Option; (Option = getopt_long(Argc, Argv, "+:h", Options, nullptr)) != -1; At = optind)
    switch (Option) {
    case FileOption:
      File = optarg;
      break;
    case JsonOption:
      Json = true;
      break;
    case 'h':
    case HelpOption:
      return print(Help);
    case VersionOption:
      return print("hsched-model " HSCHED_VERSION "\n");
    case ':':
      throw WrongUse(std::string("'") + Argv[At] + "' needs a file");
    default:
      throw WrongUse(std::string("unknown option '") + Argv[At] + "'");
    }
  if (optind == Argc)
    throw WrongUse("which command?");
  return command(File, Json, Argv[optind], {Argv + optind + 1, Argv + Argc});
}

} // namespace

int main(int Argc, char **Argv) {
  try {
    return run(Argc, Argv);
  } catch (const WrongUse &E) {
    std::fprintf(stderr, "hsched-model: error: %s; see hsched-model --help\n", E.what());
    return 2;
  } catch (const std::exception &E) {
    std::fprintf(stderr, "hsched-model: error: %s\n", E.what());
    return 1;
  }
}
