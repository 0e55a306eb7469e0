// Generated C from plain values, as Code.h has it for C++. Everything here returns text; rewrite/ puts it where it
// belongs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a task f, at its definition:
//
//   void hsched_body_f(P);                          the body's declaration           (cut from the user's text)
//   struct hsched_args_ID; hsched_run_ID(); hsched_type_ID();                        taskC()
//   void f(P) { ... }                               head cut from the user's text + wrapperC()
//   void hsched_body_f(P) { B }                     the user's text, renamed
//
// A statement stays in place, as the body of a nested function of GNU C that uses no variable of the user's function.
// So it needs neither a static chain nor a trampoline. Iterations of a shared 'for' are handled the same way.
#ifndef HSCHED_EMIT_CCODE_H
#define HSCHED_EMIT_CCODE_H

#include "model/Program.h"

#include <string>

namespace hsched::cc::c {

// Translates Text, whose inferred parts call C++ helpers, to C.
std::string inC(const std::string &Text);
std::string task(const TaskCode &T);
std::string version(const VersionCode &V);
std::string wrapperBody(const TaskCode &T);
std::string reduction(const ReductionCode &R);
std::string waitStatement(const WaitCode &W);
std::string inlineBegin(const InlineCode &I);
std::string inlineEnd(const InlineCode &I);
std::string prologue(const ProgramCode &P);
std::string loader(const ProgramCode &P, const std::string &Metadata);

// An expression of type hsched_c_box for S.
std::string boxOf(const Section &S);

// The block's spelling of a variable that is captured by reference.
inline std::string derefCapture(const std::string &Name) { return "(*hsched_w_" + Name + ")"; }

// Statements of a submission, for CInline.cpp. With a list hsched_l if Single is false.
bool listed(const TaskCode &T);
std::string submission(const TaskCode &T, const std::string &Type, const std::string &Args);

} // namespace hsched::cc::c
#endif
