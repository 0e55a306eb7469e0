// The grammar of faults.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"

#include <charconv>
#include <utility>

namespace hsched::test {

static bool number(std::string_view &Text, int &Out) {
  auto [End, Code] = std::from_chars(Text.data(), Text.data() + Text.size(), Out);
  if (Code != std::errc())
    return false;
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  return true;
}

static bool parseOne(std::string_view Text, FaultPlan &Out) {
  for (auto [Word, Flag] : {std::pair("loose", &FaultPlan::Loose), std::pair("lazy", &FaultPlan::Lazy),
                            std::pair("blocking", &FaultPlan::Blocking), std::pair("gpu", &FaultPlan::Gpu),
                            std::pair("integrated", &FaultPlan::Integrated)})
    if (Text == Word)
      return Out.*Flag = true;
  size_t Colon = Text.find(':');
  if (Colon == std::string_view::npos || Colon == 0)
    return false;
  Fault F;
  F.Call = Text.substr(0, Colon);
  Text.remove_prefix(Colon + 1);
  int Nth = 0;
  if (!number(Text, Nth) || Nth < 1)
    return false;
  F.Nth = static_cast<unsigned>(Nth);
  if (F.Call == "lost") {
    F.Call = "*";
    F.What = Fault::Effect::Lose;
  } else {
    if (Text.starts_with('+')) {
      F.AndAfter = true;
      Text.remove_prefix(1);
    }
    char Kind = Text.empty() ? '\0' : Text.front();
    if (Kind != '=' && Kind != '!' && Kind != '~')
      return false;
    F.What = Kind == '=' ? Fault::Effect::Refuse : Kind == '!' ? Fault::Effect::Fail : Fault::Effect::Delay;
    Text.remove_prefix(1);
    if (!number(Text, F.Number) || (Kind == '~') != (F.Number > 0))
      return false;
  }
  if (!Text.empty())
    return false;
  Out.Faults.push_back(std::move(F));
  return true;
}

bool parseFaults(std::string_view Text, FaultPlan &Out, std::string &Error) {
  FaultPlan Plan;
  while (!Text.empty()) {
    std::string_view One = Text.substr(0, Text.find(','));
    if (!parseOne(One, Plan)) {
      Error = "'" + std::string(One) + "' is no fault";
      return false;
    }
    Text.remove_prefix(One.size() == Text.size() ? One.size() : One.size() + 1);
  }
  Out = std::move(Plan);
  return true;
}

} // namespace hsched::test
