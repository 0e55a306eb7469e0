// Policies are found although nothing refers to their files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

using namespace hsched::rt;

namespace {

TEST(Registry, KnowsThePoliciesInOrder) {
  std::vector<std::string> Names;
  for (const PolicyEntry &E : policies())
    Names.push_back(E.Name);
  EXPECT_TRUE(std::ranges::is_sorted(Names));
  for (const char *Name : {"darts", "dmdas", "eager", "heft", "prio", "random", "round-robin", "versioning", "ws",
                           "ws-data", "ws-locality"}) {
    EXPECT_TRUE(std::ranges::count(Names, Name) == 1) << Name;
    EXPECT_NE(makePolicy(Name), nullptr) << Name;
  }
}

TEST(Registry, UnknownNameIsNull) { EXPECT_EQ(makePolicy("no such policy"), nullptr); }

TEST(Registry, HelpHasOneLineAPolicy) {
  std::string Help = policyHelp();
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(Help, '\n')), policies().size() + 1);
  EXPECT_TRUE(std::regex_search(Help, std::regex("\n  eager +the first free worker"))) << Help;
  EXPECT_TRUE(std::regex_search(Help, std::regex("\n  versioning +learns"))) << Help;
  EXPECT_TRUE(std::regex_search(Help, std::regex("\n  versioning-locality +the same"))) << Help;
}

} // namespace
