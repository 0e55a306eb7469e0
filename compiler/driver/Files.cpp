// Functions of the driver on files and paths.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Files.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hsched::cc {

bool readDescriptor(int Descriptor, std::string &Text) {
  Text.clear();
  struct stat Status;
  if (fstat(Descriptor, &Status) == 0 && S_ISREG(Status.st_mode))
    Text.reserve(static_cast<size_t>(Status.st_size) + 1);
  char Buffer[1 << 16];
  for (;;) {
    ssize_t Got = read(Descriptor, Buffer, sizeof(Buffer));
    if (Got == 0)
      return true;
    if (Got > 0)
      Text.append(Buffer, static_cast<size_t>(Got));
    else if (errno != EINTR)
      return false;
  }
}

bool readFile(const std::string &Path, std::string &Text) {
  int Descriptor = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Descriptor < 0)
    return false;
  bool Done = readDescriptor(Descriptor, Text);
  int Saved = errno;
  close(Descriptor);
  errno = Saved;
  return Done;
}

bool writeFile(const std::string &Path, const std::string &Text) {
  bool ToOutput = Path == "-";
  int Descriptor = ToOutput ? STDOUT_FILENO : open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (Descriptor < 0)
    return false;
  bool Done = true;
  for (size_t At = 0; At < Text.size() && Done;) {
    ssize_t Put = write(Descriptor, Text.data() + At, Text.size() - At);
    if (Put >= 0)
      At += static_cast<size_t>(Put);
    else
      Done = errno == EINTR;
  }
  int Saved = errno;
  if (!ToOutput && close(Descriptor) != 0)
    return false;
  errno = Saved;
  return Done;
}

bool isRegularFile(const std::string &Path) {
  struct stat Status;
  return stat(Path.c_str(), &Status) == 0 && S_ISREG(Status.st_mode);
}

std::string parentOf(const std::string &Path) {
  size_t Slash = Path.find_last_of('/');
  if (Slash == std::string::npos)
    return ".";
  return Slash == 0 ? "/" : Path.substr(0, Slash);
}

std::string nameOf(const std::string &Path) { return Path.substr(Path.find_last_of('/') + 1); }

std::string withoutSuffix(const std::string &Path) {
  size_t NameAt = Path.find_last_of('/') + 1;
  size_t Dot = Path.find_last_of('.');
  return Dot == std::string::npos || Dot <= NameAt ? Path : Path.substr(0, Dot);
}

} // namespace hsched::cc
