// A lock between processes, which ends with its holder.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_FILELOCK_H
#define HSCHED_BASE_FILELOCK_H

#include <cerrno>

#include <sys/file.h>
#include <unistd.h>

namespace hsched::rt {

// Waits for the exclusive lock of an open file or folder and holds it for its lifetime. Closes the descriptor at its
// end. A negative descriptor: there is no lock.
class FileLock {
public:
  explicit FileLock(int Descriptor) : Number(Descriptor) {
    while (Number >= 0 && flock(Number, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (Number >= 0)
      close(Number);
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  const int Number;
};

} // namespace hsched::rt

#endif
