// Finds backends' plugins, loads them and asks them for their devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DEVICE_BACKENDLOADER_H
#define HSCHED_DEVICE_BACKENDLOADER_H

#include "device/Device.h"

#include <memory>
#include <string>
#include <vector>

namespace hsched::rt {

// Any thread. For each name, loads libhsched-backend-<name>.so and appends its devices to Out. Looked for in the
// folders of HSCHED_PLUGIN_PATH (colon-separated), then in hsched/ beside the shared object that contains this code,
// then, for programs that contain the runtime themselves, in ../<libdir>/hsched.
//
// A plugin that fails does not stop the others: Out holds the devices of those that work, and the status is that of
// the first that failed, its message one line for each that did. not_found: no such file. unsupported: it cannot be
// loaded here, most often because a library it needs is not installed. version_mismatch: made for another runtime.
// invalid_argument: the plugin did not accept Options (a selection of devices that are not there).
//
// Plugins, once loaded, stay loaded: devices and their vendors' drivers have threads of their own.
status loadBackends(const std::vector<std::string> &Names, const BackendOptions &Options,
                    std::vector<std::unique_ptr<Device>> &Out);

// Whether HSCHED_OPENCL's value leaves the choice of devices to the runtime. A CPU device shares the workers' cores
// then.
bool leavesChoice(const std::string &Selection);
// Whether a vendor's driver is installed, as far as OpenCL's loader says where it looks. Quick: none is loaded.
bool anyVendorInstalled();

// The file that loadBackends takes for a name; empty where there is none.
std::string pluginPath(const std::string &Name);

// The folders that loadBackends looks in, in order.
std::vector<std::string> pluginFolders();

} // namespace hsched::rt
#endif
