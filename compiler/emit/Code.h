// Generated C++ from plain values. Everything here returns text; rewrite/ puts it where it belongs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a task f, at its definition (at its first annotated declaration where it is a template or a member):
//
//   void hsched_body_f(P);                              the body's declaration          (cut from the user's text)
//   struct hsched_task_f_ID { hsched_args; hsched_run; hsched_type; };       taskStruct()
//   void f(P) { ... }                                   head cut from the user's text + wrapperBody()
//   void hsched_body_f(P) { B }                         the user's text, renamed
//
// For a task that is a statement of a function, inlineBegin() and inlineEnd() around it:
//
//   { auto hsched_b = [a, &b, this]() mutable -> void { S };    a task's arguments are this object
//     struct hsched_inline_ID { hsched_key(); }; ... hsched_gen_frame hsched_f(...); ... hsched_f.hsched_submit(...); }
//
// For a version, at its declaration or after its body: versionStruct(). At the end of the unit: loader().
#ifndef HSCHED_EMIT_CODE_H
#define HSCHED_EMIT_CODE_H

#include "model/Program.h"

#include <string>

namespace hsched::cc {

// "text" as a C++ string literal, split in lines.
std::string quoted(const std::string &Text);
// An expression of type hsched_gen_section; of hsched_gen_box for a tile; possibly of hsched_gen_owner for an owner.
// The names of S's generators are in scope.
std::string sectionExpr(const Section &S);
// "#line N "file"\n".
std::string lineDirective(unsigned Line, const std::string &File);

std::string taskStruct(const TaskCode &T);
// A declared reduction for one of its types, on one line.
std::string reductionStruct(const ReductionCode &R);
// "{ ... }" of the function that submits.
std::string wrapperBody(const TaskCode &T);
// Statements of a submission in hsched_f, each on its own lines: begin and accesses, hints, end. Type: an expression
// for the task's type.
std::string frameStatements(const TaskCode &T, const std::string &Type);
std::string hintStatement(const TaskCode &T);
// True if A is a reduction, declared or built in.
bool isReduced(const AccessCode &A);
std::string submitStatement(const TaskCode &T);
std::string versionStruct(const VersionCode &V);
// One statement, on one line, in place of a taskwait.
std::string waitStatement(const WaitCode &W);
// A declaration that shadows the user's own intentionally, without a -Wshadow warning.
std::string shadowing(const std::string &Declaration);
// Generated names of the taskloop with Id.
inline std::string loopName(const std::string &Id) { return "hsched_l" + Id; } // The loop.
// The function or closure that runs any statement task.
inline std::string blockName(const std::string &Id) { return "hsched_b" + Id; }
inline std::string firstName(const std::string &Id) { return "hsched_k" + Id; } // The first iteration of the chunk.
inline std::string countName(const std::string &Id) { return "hsched_n" + Id; } // The number of its iterations.
inline std::string chunkName(const std::string &Id) { return "hsched_c" + Id; } // The values of the chunk.
// Text around a statement task (Inline.cpp): it replaces the directive, on one line except for a loop's head; and the
// text behind the statement.
std::string inlineBegin(const InlineCode &I);
std::string inlineEnd(const InlineCode &I);
// Text before the user's first line: the header, and a name for friend declarations.
std::string prologue(const ProgramCode &P);
// The friend declaration that lets the loader see private members.
std::string friendship(const ProgramCode &P);
// Registration of everything at load time; Metadata is embedded.
std::string loader(const ProgramCode &P, const std::string &Metadata);

// Names of generated structs.
inline std::string structName(const TaskCode &T) { return "hsched_task_" + T.Id; }
inline std::string structName(const VersionCode &V) { return "hsched_version_" + V.Id; }

} // namespace hsched::cc
#endif
