// A run as one page of HTML, which needs nothing else.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_REPORT_PAGE_H
#define HSCHED_TOOLS_REPORT_PAGE_H

#include "trace/Assessment.h"

#include <nlohmann/json.hpp>

#include <string>

namespace hsched::report {

struct Run {
  std::string Name; // Of the file.
  rt::record::Record R;
  rt::record::Assessment A;
};

using Json = nlohmann::ordered_json;

// What the timeline and the details are made of: arrays, since objects would be five times as long.
Json dataOf(const Run &Of);
// The page. Other: a second run to compare with; null: none.
std::string page(const Run &Of, const Run *Other);
// Hints of what to change, a sentence each.
std::vector<std::string> advice(const Run &Of);

// The files page.html, page.css, timeline.js and page.js.
extern const char *const page_html, *const page_css, *const timeline_js, *const page_js;

} // namespace hsched::report
#endif
