// Draws pictures at exit: the engine writes its trace when the process ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Picture.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace hsched::run {
namespace {

// Exit handlers run in the reverse order of their registration. This one is registered before the engine's.
struct Pending {
  Pictures Wanted;
  std::string Trace;
  bool Temporary = false;
  std::unique_ptr<dag::Graph> G; // Null: the run failed.
};
Pending *Expected = nullptr; // Never destroyed before the process ends.

bool isSvg(const std::string &Path) { return Path.size() >= 4 && Path.compare(Path.size() - 4, 4, ".svg") == 0; }

void draw() {
  const RunTrace Ran = readTrace(Expected->Trace);
  const RunTrace Last = lastRun(Ran);
  if (!Expected->Wanted.Gantt.empty())
    writeFile(Expected->Wanted.Gantt, drawGantt(Last));
  if (const std::string &Path = Expected->Wanted.Graph; !Path.empty())
    writeFile(Path,
              isSvg(Path) ? drawGraph(*Expected->G, placesOf(Last)) : dag::writeDot(*Expected->G, placesOf(Last)));
}

void atExit() {
  bool Good = true;
  if (Expected->G)
    try {
      draw();
    } catch (const std::exception &E) {
      std::fprintf(stderr, "hsched-run: error: %s\n", E.what());
      Good = false;
    }
  if (Expected->Temporary)
    std::remove(Expected->Trace.c_str());
  if (!Good) {
    std::fflush(nullptr);
    _exit(1);
  }
}

} // namespace

void writeFile(const std::string &Path, const std::string &Text) {
  std::FILE *Out = std::fopen(Path.c_str(), "we");
  const bool Good = Out && std::fwrite(Text.data(), 1, Text.size(), Out) == Text.size();
  if (!Out || std::fclose(Out) != 0 || !Good)
    throw dag::Error("file '" + Path + "' cannot be written: " + std::strerror(errno));
}

std::string expectPictures(const Pictures &Wanted, const std::string &Trace) {
  Expected = new Pending{Wanted, Trace, false, nullptr};
  if (const char *Set = std::getenv("HSCHED_TRACE"); Trace.empty() && Set)
    Expected->Trace = Set;
  if (Expected->Trace.empty()) {
    std::string Name = (std::filesystem::temp_directory_path() / "hsched-run-XXXXXX").string();
    const int File = mkstemp(Name.data());
    if (File < 0)
      throw dag::Error("file '" + Name + "' cannot be made: " + std::strerror(errno));
    close(File);
    Expected->Trace = Name;
    Expected->Temporary = true;
  }
  std::atexit(atExit);
  return Expected->Trace;
}

void allowPictures(const dag::Graph &G) {
  if (Expected)
    Expected->G = std::make_unique<dag::Graph>(G);
}

void drawPlan(const dag::Graph &G, const std::string &Path) {
  writeFile(Path, isSvg(Path) ? drawGraph(G, {}) : dag::writeDot(G));
}

} // namespace hsched::run
