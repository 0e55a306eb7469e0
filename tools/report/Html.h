// HTML helpers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_REPORT_HTML_H
#define HSCHED_TOOLS_REPORT_HTML_H

#include "trace/Record.h"

#include <string>
#include <vector>

namespace hsched::report {

std::string escaped(const std::string &Text);
std::string time(rt::record::Ns T);
std::string share(rt::record::Ns Part, rt::record::Ns Whole);
// Head: a '<' in front left-aligns the column. The first cell of a row is its heading. Cells are HTML.
std::string table(const std::string &Caption, const std::vector<std::string> &Head,
                  const std::vector<std::vector<std::string>> &Rows);
// A button that shows the task.
std::string taskLink(uint64_t Id);
std::string bar(rt::record::Ns Part, rt::record::Ns Whole);

} // namespace hsched::report
#endif
