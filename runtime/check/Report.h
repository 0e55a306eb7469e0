// Findings of a checked run, and their output.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_REPORT_H
#define HSCHED_CHECK_REPORT_H

#include "check/Memory.h"

#include <string>

namespace hsched::check {

// "a.cpp:6" for an instruction, or its file and offset in the process. For a return address, the line of the call. Runs
// addr2line of binutils.
std::string lineOf(Address Pc);

// One finding: a sentence, lines with details, and the suggested clause ("": none). Findings with the same Place and
// Kind are reported once. After HSCHED_CHECK_REPORTS findings, only their number is.
struct Place {
  Address Pc = 0;
  const void *Task = nullptr, *Other = nullptr;
  unsigned Kind = 0, Section = 0;
  auto operator<=>(const Place &) const = default;
};
// True if a finding at P would be reported. If not, expensive details need not be computed.
bool isNew(const Place &P);
void reportFinding(const Place &P, const std::string &Sentence, const std::string &More, const std::string &Write);

// Makes the program exit with code 1 instead of 0 after a finding. Once.
void watchExit();

} // namespace hsched::check
#endif
