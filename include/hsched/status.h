// The result of an operation that can fail: null on success, else a code, a message, an origin and a native code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_STATUS_H
#define HSCHED_STATUS_H

#include <memory>
#include <string>
#include <utility>

namespace hsched {

// The kind of a failure. A minor version of hsched may append to it.
enum class errc {
  ok,               // No failure.
  invalid_argument, // The caller's mistake.
  not_found,        // A device, file or name does not exist.
  unsupported,      // This device or build cannot do it.
  out_of_memory,    // Memory of the host or of a device is exhausted.
  build_failed,     // A program did not compile; the message holds the build log.
  launch_failed,    // The driver refused or failed a kernel.
  transfer_failed,  // The driver refused or failed a copy.
  device_lost,      // The device does not work any more.
  version_mismatch, // The version of the ABI or of the plugin interface does not fit.
  io,               // A file could not be read or written.
  cancelled,        // A predecessor failed.
  internal          // A defect of hsched.
};

// A status is one pointer wide and null on success. Not thread-safe; cheap to move, copies share the detail.
class [[nodiscard]] status {
public:
  status() = default;

  // The origin defaults to the place of the call. native_code is the device API's error number, or 0.
  static status error(errc code, std::string message, int native_code = 0, const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
    status s;
    s.detail_ = std::make_shared<const detail>(detail{code, native_code, std::move(message), file, line});
    return s;
  }

  // True on success.
  bool ok() const noexcept { return !detail_; }
  // errc::ok on success.
  errc code() const noexcept { return detail_ ? detail_->code : errc::ok; }
  // The device API's error number, for example of OpenCL. 0: none.
  int native_code() const noexcept { return detail_ ? detail_->native_code : 0; }
  // Empty on success.
  const std::string &message() const noexcept {
    static const std::string none;
    return detail_ ? detail_->message : none;
  }
  // The source file that made the error. Empty on success. Lives as long as the program.
  const char *origin_file() const noexcept { return detail_ ? detail_->file : ""; }
  // The line in origin_file(). 0 on success.
  int origin_line() const noexcept { return detail_ ? detail_->line : 0; }

private:
  struct detail {
    errc code;
    int native_code;
    std::string message;
    const char *file;
    int line;
  };
  std::shared_ptr<const detail> detail_;
};

} // namespace hsched
#endif
