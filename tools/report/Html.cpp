// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Html.h"
#include "trace/Table.h"

#include <algorithm>
#include <cstdio>

namespace hsched::report {

std::string escaped(const std::string &Text) {
  std::string Out;
  for (char C : Text)
    switch (C) {
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '&':
      Out += "&amp;";
      break;
    case '"':
      Out += "&quot;";
      break;
    default:
      Out += C;
    }
  return Out;
}

std::string time(rt::record::Ns T) { return rt::formatTime(static_cast<double>(T)); }
std::string share(rt::record::Ns Part, rt::record::Ns Whole) {
  return rt::formatShare(static_cast<double>(Part), static_cast<double>(Whole));
}

std::string table(const std::string &Caption, const std::vector<std::string> &Head,
                  const std::vector<std::vector<std::string>> &Rows) {
  std::string Out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(Caption) +
                    "\"><table><caption>" + escaped(Caption) + "</caption><thead><tr>";
  std::vector<const char *> Sides;
  for (const std::string &H : Head) {
    const bool Left = H.starts_with('<');
    Sides.push_back(Left ? " class=\"left\"" : "");
    Out += "<th scope=\"col\"" + std::string(Sides.back()) + ">" + escaped(H.substr(Left)) + "</th>";
  }
  Out += "</tr></thead><tbody>\n";
  for (const auto &Row : Rows) {
    Out += "<tr>";
    for (size_t I = 0; I < Row.size(); ++I)
      Out += (I ? "<td" : "<th scope=\"row\"") + std::string(Sides[I]) + ">" + Row[I] + (I ? "</td>" : "</th>");
    Out += "</tr>\n";
  }
  return Out + "</tbody></table></div>\n";
}

std::string taskLink(uint64_t Id) {
  const std::string N = std::to_string(Id);
  return "<button type=\"button\" class=\"task\" data-task=\"" + N + "\" aria-label=\"show task " + N + "\">" + N +
         "</button>";
}

std::string bar(rt::record::Ns Part, rt::record::Ns Whole) {
  char Text[160];
  const double Percent = Whole > 0 ? 100 * static_cast<double>(Part) / static_cast<double>(Whole) : 0;
  std::snprintf(Text, sizeof(Text), "<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:%.1f%%\"></i></span>",
                std::min(100.0, Percent));
  return Text;
}

} // namespace hsched::report
