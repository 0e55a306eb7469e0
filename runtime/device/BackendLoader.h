// Finds and loads backends' plugins, and enumerates their devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DEVICE_BACKENDLOADER_H
#define HSCHED_DEVICE_BACKENDLOADER_H

#include "device/Device.h"

#include <memory>
#include <string>
#include <vector>

namespace hsched::rt {

// Any thread. For each name, loads libhsched-backend-<name>.so and appends its devices to Out. The folders of
// HSCHED_PLUGIN_PATH (colon-separated) are searched first, then hsched/ beside the shared object that contains this
// code. If its path is a symbolic link, hsched/ beside the link's target is searched too. Programs that contain the
// runtime themselves also search ../<libdir>/hsched.
//
// A plugin that fails does not stop the others: Out holds the devices of the working ones. The status is that of the
// first failure; its message has one line for each. Errors: `not_found`. `unsupported`: the plugin cannot be loaded,
// usually for lack of a library. `version_mismatch`: it was made for another runtime. `invalid_argument`: it refused
// Options (for example unknown devices).
//
// Plugins, once loaded, stay loaded: devices and their vendors' drivers have threads of their own.
status loadBackends(const std::vector<std::string> &Names, const BackendOptions &Options,
                    std::vector<std::unique_ptr<Device>> &Out);

// True if HSCHED_OPENCL's value leaves the choice of devices to the runtime. A CPU device then shares the workers'
// cores.
bool leavesChoice(const std::string &Selection);
// True if a vendor's driver is installed in a place that OpenCL's loader searches. Quick: loads no driver.
bool anyVendorInstalled();

// The file that loadBackends would load for a name. Empty: none.
std::string pluginPath(const std::string &Name);

// The folders that loadBackends searches, in order.
std::vector<std::string> pluginFolders();

} // namespace hsched::rt
#endif
