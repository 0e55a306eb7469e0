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

// The program runs normally, and its tasks are recorded. After its end they are simulated. Not
// thread-safe.
class OnPlatform {
public:
  // Null for an invalid file, which is logged.
  static std::unique_ptr<OnPlatform> make(const std::string &File, const std::string &Policy);
  virtual ~OnPlatform() = default;
  // File of the complete record.
  virtual const std::string &recordPath() const = 0;
  // Call when the record has been written. Prints the times, line by line.
  virtual status simulate(const std::function<void(const std::string &)> &Print) = 0;
};

} // namespace hsched::rt
#endif
