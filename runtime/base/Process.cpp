// Running another program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Process.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hsched::rt {
namespace {

class Pipe {
public:
  Pipe() {
    if (pipe2(Ends, O_CLOEXEC) != 0)
      Ends[0] = Ends[1] = -1;
  }
  ~Pipe() {
    shut(0);
    shut(1);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  int end(unsigned I) const { return Ends[I]; }
  void shut(unsigned I) {
    if (Ends[I] >= 0)
      close(Ends[I]);
    Ends[I] = -1;
  }

private:
  int Ends[2];
};

} // namespace

Finished runProcess(const std::vector<std::string> &Words, size_t MostBytes) {
  Finished Done;
  Pipe Out, Err;
  if (Out.end(0) < 0 || Err.end(0) < 0)
    return Done;
  std::vector<char *> Arguments;
  for (const std::string &W : Words)
    Arguments.push_back(const_cast<char *>(W.c_str()));
  Arguments.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&Actions, Out.end(1), 1);
  posix_spawn_file_actions_adddup2(&Actions, Err.end(1), 2);
  pid_t Child = -1;
  const int Failed = posix_spawnp(&Child, Arguments[0], &Actions, nullptr, Arguments.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  Out.shut(1);
  Err.shut(1);
  if (Failed)
    return Done;
  for (;;) {
    pollfd Wanted[2] = {{Out.end(0), POLLIN, 0}, {Err.end(0), POLLIN, 0}};
    if (Out.end(0) < 0 && Err.end(0) < 0)
      break;
    if (poll(Wanted, 2, -1) < 0 && errno != EINTR)
      break;
    for (unsigned I = 0; I < 2; ++I) {
      if (Wanted[I].fd < 0 || !Wanted[I].revents)
        continue;
      char Text[16384];
      const ssize_t Got = read(Wanted[I].fd, Text, sizeof(Text));
      if (Got > 0) {
        std::string &To = I ? Done.Err : Done.Out;
        if (To.size() < MostBytes)
          To.append(Text, static_cast<size_t>(Got));
      } else if (Got == 0 || errno != EINTR) {
        (I ? Err : Out).shut(0);
      }
    }
  }
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  Done.Code = WIFEXITED(Status) && WEXITSTATUS(Status) != 127 ? WEXITSTATUS(Status) : -1;
  return Done;
}

} // namespace hsched::rt
