// Child processes and temporary files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Process.h"

#include "driver/Diagnostics.h"
#include "driver/Files.h"
#include "driver/ResponseFile.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace hsched::cc {
namespace {

// State of the signal handler: async-signal-safe, and written only while the signals are blocked.
constexpr size_t MaxFiles = 4096;
volatile pid_t Child = 0;
char *Folder = nullptr;
char *Files[MaxFiles];
volatile size_t NumFiles = 0;

constexpr int EndingSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// Blocks the terminating signals while the handler's state changes.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t Set;
    sigemptyset(&Set);
    for (int Signal : EndingSignals)
      sigaddset(&Set, Signal);
    sigprocmask(SIG_BLOCK, &Set, &Before);
  }
  ~SignalsBlocked() { sigprocmask(SIG_SETMASK, &Before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

  sigset_t Before;
};

void removeFiles() {
  for (size_t I = 0; I < NumFiles; ++I)
    unlink(Files[I]);
  if (Folder)
    rmdir(Folder);
}

void endBySignal(int Signal) {
  if (Child > 0) {
    kill(Child, Signal);
    while (waitpid(Child, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  removeFiles();
  // The handler was installed with SA_RESETHAND: the second signal ends the process.
  raise(Signal);
}

void installHandlers() {
  for (int Signal : EndingSignals) {
    struct sigaction Before;
    if (sigaction(Signal, nullptr, &Before) == 0 && Before.sa_handler == SIG_IGN)
      continue;
    struct sigaction Action = {};
    Action.sa_handler = endBySignal;
    Action.sa_flags = SA_RESETHAND | SA_NODEFER;
    sigemptyset(&Action.sa_mask);
    sigaction(Signal, &Action, nullptr);
  }
}

std::vector<char *> argvOf(const StringList &Words) {
  std::vector<char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);
  return Argv;
}

int reportStart(const StringList &Words, int Code) {
  reportError("cannot run '" + Words[0] + "': " + std::strerror(Code));
  return 127;
}

int codeOf(int Status) {
  if (WIFSIGNALED(Status))
    return 128 + WTERMSIG(Status);
  return WEXITSTATUS(Status);
}

/// Starts the child with default signal handlers. Returns an error number, or 0.
int start(const StringList &Words, posix_spawn_file_actions_t *Actions) {
  SignalsBlocked Blocked;
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&Attributes, &Blocked.Before);
  pid_t Id = 0;
  int Code = posix_spawnp(&Id, Words[0].c_str(), Actions, &Attributes, argvOf(Words).data(), environ);
  posix_spawnattr_destroy(&Attributes);
  if (Code == 0)
    Child = Id;
  return Code;
}

int finish() {
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  Child = 0;
  return codeOf(Status);
}

} // namespace

int runProgram(const StringList &Words) {
  int Code = start(Words, nullptr);
  return Code != 0 ? reportStart(Words, Code) : finish();
}

int runCaptured(const StringList &Words, std::string &Output) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return 127;
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&Actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int Code = start(Words, &Actions);
  posix_spawn_file_actions_destroy(&Actions);
  close(Ends[1]);
  if (Code == 0)
    readDescriptor(Ends[0], Output);
  close(Ends[0]);
  return Code != 0 ? 127 : finish();
}

int execProgram(const StringList &Words) {
  execvp(Words[0].c_str(), argvOf(Words).data());
  return reportStart(Words, errno);
}

TemporaryFiles::TemporaryFiles() { installHandlers(); }

TemporaryFiles::~TemporaryFiles() { removeAll(); }

void TemporaryFiles::removeAll() {
  SignalsBlocked Blocked;
  removeFiles();
  for (size_t I = 0; I < NumFiles; ++I)
    std::free(Files[I]);
  NumFiles = 0;
  std::free(Folder);
  Folder = nullptr;
}

std::string TemporaryFiles::path(const std::string &Name) {
  SignalsBlocked Blocked;
  if (!Folder) {
    const char *Setting = std::getenv("TMPDIR");
    std::string Pattern = std::string(Setting && *Setting ? Setting : "/tmp") + "/hsched-XXXXXX";
    char *Made = strdup(Pattern.c_str());
    if (!mkdtemp(Made)) {
      std::free(Made);
      return "";
    }
    Folder = Made;
  }
  if (NumFiles == MaxFiles) {
    errno = EMFILE;
    return "";
  }
  std::string Path = std::string(Folder) + "/" + std::to_string(NumFiles) + "-" + Name;
  Files[NumFiles] = strdup(Path.c_str());
  NumFiles = NumFiles + 1;
  return Path;
}

} // namespace hsched::cc
