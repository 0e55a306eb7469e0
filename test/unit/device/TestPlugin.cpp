// Plugins that the loader must refuse, and one without devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/Device.h"

#if defined(TEST_NOPLUGIN)
extern "C" HSCHED_EXPORT int hsched_test_something_else() { return 1; }
#else
namespace {
struct EmptyBackend final : hsched::rt::Backend {
  const char *name() const override { return "nothing"; }
  hsched::status enumerate(const hsched::rt::BackendOptions &Options,
                           std::vector<std::unique_ptr<hsched::rt::Device>> &) override {
    if (Options.Selection == "bad")
      return hsched::status::error(hsched::errc::invalid_argument, "nothing: bad selection");
    return {};
  }
};
} // namespace

extern "C" HSCHED_EXPORT unsigned hsched_backend_version() {
#if defined(TEST_OLDVERSION)
  return hsched::rt::BackendInterfaceVersion + 1000;
#else
  return hsched::rt::BackendInterfaceVersion;
#endif
}

extern "C" HSCHED_EXPORT hsched::rt::Backend *hsched_backend_create() { return new EmptyBackend; }
#endif
