// A run as one self-contained HTML page.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_REPORT_PAGE_H
#define HSCHED_TOOLS_REPORT_PAGE_H

#include "trace/Assessment.h"
#include "trace/Needless.h"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace hsched::report {

struct Run {
  std::string Name; // Name of the file.
  rt::record::Record R;
  rt::record::Assessment A;
  rt::record::NeedlessMoves Needless;
};

// Transfers between memories.
struct Moved {
  uint64_t Bytes = 0, Needless = 0;
  std::array<uint64_t, rt::record::NumNeedless> By{}; // By reason.
};
Moved moved(const Run &Of);

using Json = nlohmann::ordered_json;

// The data of the page: arrays, because objects would be five times as long.
Json dataOf(const Run &Of);
// The page. Other: a second run to compare with; null: none.
std::string page(const Run &Of, const Run *Other);
// The section about transfers.
std::string transfers(const Run &Of);
// Advice, one sentence each.
std::vector<std::string> advice(const Run &Of);

// The files page.html, page.css, timeline.js and page.js.
extern const char *const page_html, *const page_css, *const timeline_js, *const page_js;

} // namespace hsched::report
#endif
