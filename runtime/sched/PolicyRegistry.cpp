// The registry of policies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Policy.h"

#include <algorithm>

namespace hsched::rt {

namespace {

// In a function, because registrations in other files may run before this file's static initialisation.
std::vector<PolicyEntry> &entries() {
  static std::vector<PolicyEntry> List;
  return List;
}

} // namespace

PolicyRegistration::PolicyRegistration(const char *Name, const char *Summary, PolicyFactory Make) {
  auto &List = entries();
  auto At = std::ranges::lower_bound(List, std::string_view(Name), {}, &PolicyEntry::Name);
  List.insert(At, {Name, Summary, std::move(Make)});
}

std::span<const PolicyEntry> policies() { return entries(); }

bool isPolicy(const std::string &Name) { return std::ranges::count(entries(), Name, &PolicyEntry::Name) != 0; }

std::unique_ptr<Policy> makePolicy(const std::string &Name) {
  for (const PolicyEntry &E : entries())
    if (E.Name == Name)
      return E.Make();
  return nullptr;
}

std::string policyHelp() {
  size_t Width = 0;
  for (const PolicyEntry &E : entries())
    Width = std::max(Width, E.Name.size());
  std::string Text = "scheduling policies (HSCHED_SCHED=name):\n";
  for (const PolicyEntry &E : entries())
    Text += "  " + E.Name + std::string(Width - E.Name.size() + 2, ' ') + E.Summary + "\n";
  return Text;
}

} // namespace hsched::rt
