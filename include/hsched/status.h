// The result of an operation that can fail: null on success, else a code, a message, an origin and a native code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_STATUS_H
#define HSCHED_STATUS_H

#include <memory>
#include <string>
#include <utility>

namespace hsched {

enum class errc {
  ok,
  invalid_argument, // The caller's mistake.
  not_found,
  unsupported,   // This device or build cannot do it.
  out_of_memory, // Of the host or a device.
  build_failed,  // A program did not compile; the message holds the build log.
  launch_failed,
  transfer_failed,
  device_lost,
  version_mismatch, // Of the ABI or the plugin interface.
  io,
  cancelled, // A predecessor failed.
  internal
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

  bool ok() const noexcept { return !detail_; }
  errc code() const noexcept { return detail_ ? detail_->code : errc::ok; }
  int native_code() const noexcept { return detail_ ? detail_->native_code : 0; }
  // Empty on success.
  const std::string &message() const noexcept {
    static const std::string none;
    return detail_ ? detail_->message : none;
  }
  const char *origin_file() const noexcept { return detail_ ? detail_->file : ""; }
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
