// HSCHED_PLATFORM: the program's tasks once more, in virtual time, on a platform that a file describes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_ONPLATFORM_H
#define HSCHED_API_ONPLATFORM_H

#include <hsched/status.h>

#include <functional>
#include <memory>
#include <string>

namespace hsched::rt {

// The program runs as always, and so computes what it computes. Its tasks are recorded; when it has ended, they are
// simulated. One thread at a time.
class OnPlatform {
public:
  // Null where the file is wrong; the log has said why.
  static std::unique_ptr<OnPlatform> make(const std::string &File, const std::string &Policy);
  virtual ~OnPlatform() = default;
  // Where the run is to be recorded to, whole.
  virtual const std::string &recordPath() const = 0;
  // Once the record has been written: the times, line by line.
  virtual status simulate(const std::function<void(const std::string &)> &Print) = 0;
};

} // namespace hsched::rt
#endif
