// A task's clauses as written in the source, from the metadata that hsched-cc embeds.
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
  std::string Role;             // "in", ...; empty: unknown.
  std::string Section;          // "[n]x"
  std::string Root;             // "x"
  size_t ElementBytes = 0;      // Bytes of an element that is a number; 0: unknown, or not a number.
  std::vector<size_t> Row = {}; // Of a pointer to arrays: their extents; an element is such an array. 0: unknown.
  bool Owns = false;            // An object of a library's class, or a reduced one, with memory of its own.
  std::string text() const { return Role + "(" + Section + ")"; }
};

class Names {
public:
  explicit Names(const rt::CheckedProgram &P) : Program(P) {}
  // The clauses of a task's accesses. With the run's lock.
  std::vector<Clause> of(const hsched_task_type *Type, std::span<const hsched_access> Accesses);
  // The clauses of a version's own sections.
  std::vector<Clause> ofVersion(const hsched_version_desc &Version, std::span<const hsched_access> Own);

private:
  struct ClausesOfTask {
    std::vector<Clause> Clauses;
    std::vector<int> Params; // Parameter of each access; -1: none.
  };
  static std::vector<Clause> match(const ClausesOfTask &K, std::span<const hsched_access> Accesses);
  void read();
  const rt::CheckedProgram &Program;
  size_t NumRead = 0;
  std::map<std::string, ClausesOfTask> Tasks;    // By linker name.
  std::map<std::string, ClausesOfTask> Versions; // With sections of their own: the same.
};

// Bytes of what the subscripts of a section count, if it begins with a plain name; 0: unknown.
size_t countedBytes(const Clause &C);
// "y[64]": element Index of a section, counted from the section's first.
std::string elementName(const Clause &C, long long Index);
// The text of a clause's section, widened to elements [From, To). Count: its present number of elements. Empty:
// unknown.
std::string widened(const Clause &C, long long From, long long To, long long Count);

} // namespace hsched::check
#endif
