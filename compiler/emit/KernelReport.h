// Reports on kernels: as text, as JSON and for PySchedCL.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_EMIT_KERNELREPORT_H
#define HSCHED_COMPILER_EMIT_KERNELREPORT_H

#include "model/Kernel.h"

#include <string>
#include <utility>
#include <vector>

namespace hsched::cc {

// Version of the format. Raised if readers of the old one would misunderstand the new one.
inline constexpr unsigned KernelReportSchema = 1;

// Lines for a terminal, columns aligned.
std::string kernelText(const std::vector<KernelFile> &Files);

// docs/kinfo.schema.json, "report". Keys are in a fixed order.
std::string kernelJson(const std::vector<KernelFile> &Files);

// Macros of the command line: name and value.
using SpecMacros = std::vector<std::pair<std::string, std::string>>;

// docs/kinfo.schema.json, "spec": an array of PySchedCL's kernel specifications, numbered from 0; Single gives the
// first one alone. Unknown values become symbols. The field "guidance" lists all symbols that need values: "$global_0$"
// (work-items of dimension 0), "$size_x$" (elements of buffer x), and the arguments passed by value.
std::string kernelSpec(const std::vector<KernelFile> &Files, bool Single, const SpecMacros &Macros);

} // namespace hsched::cc
#endif
