// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Report.h"

#include "base/Env.h"
#include "base/Log.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>

namespace hsched::check {
namespace {

struct Findings {
  std::mutex Lock;
  std::set<Place> Reported;
  std::map<Address, std::string> Lines;
  uint64_t Most = rt::envUnsigned("HSCHED_CHECK_REPORTS", 20, 0, 1000000);
};
Findings &findings() {
  static auto *Made = new Findings;
  return *Made;
}

std::string shellWord(const std::string &Word) {
  std::string Text = "'";
  for (char C : Word)
    Text += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Text + "'";
}

std::string answerOf(const std::string &Command) {
  std::string Text;
  // LD_PRELOAD is removed: the tool must not load the program's libraries.
  if (FILE *Pipe = popen(("env -u LD_PRELOAD " + Command + " 2>/dev/null").c_str(), "re")) {
    char Part[512];
    while (size_t N = fread(Part, 1, sizeof Part, Pipe))
      Text.append(Part, N);
    pclose(Pipe);
  }
  return Text;
}

// Among the lines of an inlined instruction, the innermost one in the program's own code.
std::string programLine(const std::string &Answer) {
  std::string First;
  for (size_t Begin = 0; Begin < Answer.size();) {
    const size_t End = std::min(Answer.find('\n', Begin), Answer.size());
    std::string Line = Answer.substr(Begin, End - Begin);
    Begin = End + 1;
    Line.resize(std::min(Line.find(" (disc"), Line.size()));
    if (Line.empty() || Line[0] == '?' || Line.ends_with(":?") || Line.ends_with(":0"))
      continue;
    char Folder[4096];
    if (getcwd(Folder, sizeof Folder) && Line.starts_with(std::string(Folder) + "/"))
      Line.erase(0, std::strlen(Folder) + 1);
    if (First.empty())
      First = Line;
    if (!Line.starts_with("/usr/") && Line.find("/include/hsched/") == std::string::npos)
      return Line;
  }
  return First;
}

void atExit(int Status, void *) {
  Findings &F = findings();
  size_t Count;
  {
    std::lock_guard Guard(F.Lock);
    Count = F.Reported.size();
  }
  if (Count == 0)
    return;
  if (Count > F.Most)
    rt::log(rt::LogLevel::Error, "checked run: %zu findings, of which %llu were reported (HSCHED_CHECK_REPORTS)", Count,
            static_cast<unsigned long long>(F.Most));
  else
    rt::log(rt::LogLevel::Error, "checked run: %zu finding%s", Count, Count == 1 ? "" : "s");
  if (Status == 0) { // Other handlers have run: this one was registered first.
    fflush(nullptr);
    _exit(1);
  }
}

} // namespace

std::string lineOf(Address Pc) {
  Findings &F = findings();
  {
    std::lock_guard Guard(F.Lock);
    if (auto Known = F.Lines.find(Pc); Known != F.Lines.end())
      return Known->second;
  }
  Dl_info Info{};
  link_map *Map = nullptr;
  std::string Text;
  if (Pc && dladdr1(reinterpret_cast<void *>(Pc), &Info, reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP) && Map) {
    std::string File = Map->l_name;
    if (char Self[4096]; File.empty() && realpath("/proc/self/exe", Self))
      File = Self;
    char Offset[32];
    snprintf(Offset, sizeof Offset, "0x%zx", static_cast<size_t>(Pc - Map->l_addr));
    Text = programLine(answerOf("addr2line -i -e " + shellWord(File) + " " + Offset));
    if (Text.empty())
      Text = File.substr(File.find_last_of('/') + 1) + "+" + Offset;
  }
  std::lock_guard Guard(F.Lock);
  return F.Lines[Pc] = Text;
}

bool isNew(const Place &P) {
  Findings &F = findings();
  std::lock_guard Guard(F.Lock);
  return !F.Reported.contains(P);
}

void reportFinding(const Place &P, const std::string &Sentence, const std::string &More, const std::string &Write) {
  Findings &F = findings();
  {
    std::lock_guard Guard(F.Lock);
    if (!F.Reported.insert(P).second || F.Reported.size() > F.Most)
      return;
  }
  rt::log(rt::LogLevel::Error, "checked run: %s%s%s%s%s", Sentence.c_str(), More.empty() ? "" : "\n  ", More.c_str(),
          Write.empty() ? "" : "\n  write ", Write.c_str());
}

void watchExit() {
  (void)findings();
  on_exit(atExit, nullptr);
}

} // namespace hsched::check
