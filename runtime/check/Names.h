// A task's clauses as the program wrote them, from the metadata that hsched-cc embeds.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_NAMES_H
#define HSCHED_CHECK_NAMES_H

#include "base/Checking.h"
#include "check/Memory.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace hsched::check {

struct Clause {
  std::string Role;        // "In"; empty: nothing is known.
  std::string Section;     // "[n]x"
  std::string Root;        // "x"
  size_t ElementBytes = 0; // Of a number; 0: unknown, or no number.
  std::string text() const { return Role + "(" + Section + ")"; }
};

class Names {
public:
  explicit Names(const rt::CheckedProgram &P) : Program(P) {}
  // The clause of each of a task's accesses. With the run's lock.
  std::vector<Clause> of(const hsched_task_type *Type, std::span<const hsched_access> Accesses);

private:
  struct Known {
    std::vector<Clause> Clauses;
    std::vector<int> Params; // -1: no one parameter.
  };
  void read();
  const rt::CheckedProgram &Program;
  size_t NumRead = 0;
  std::map<std::string, Known> Tasks; // By linker name.
};

// "y[64]": element Index of a section, counted from the section's first.
std::string elementName(const Clause &C, long long Index);
// The section of a clause that holds elements [From, To) as well; Count: how many it has. Empty: not known.
std::string widened(const Clause &C, long long From, long long To, long long Count);

} // namespace hsched::check
#endif
