// What a checked run has found, and how it is told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_REPORT_H
#define HSCHED_CHECK_REPORT_H

#include "check/Memory.h"

#include <string>

namespace hsched::check {

// "a.cpp:6" of an instruction, or where it lies in which file of the process. The line before a return address is the
// call's. Runs addr2line, of binutils.
std::string lineOf(Address Pc);

// One finding: the sentence, then lines with more about it, then what to write ("": nothing is known). Place and Kind
// tell findings apart: the second of both is not told, and after HSCHED_CHECK_REPORTS findings only their number is.
struct Place {
  Address Pc = 0;
  const void *Task = nullptr, *Other = nullptr;
  unsigned Kind = 0, Section = 0;
  auto operator<=>(const Place &) const = default;
};
// Whether it would be told: what costs time to find out can be left out else.
bool isNew(const Place &P);
void tell(const Place &P, const std::string &Sentence, const std::string &More, const std::string &Write);

// Has the program end with code 1 instead of 0 where something was found. Once.
void watchExit();

} // namespace hsched::check
#endif
