// Parser of memory sections, in the notations of OmpSs and OpenMP.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PARSE_SECTIONPARSER_H
#define HSCHED_PARSE_SECTIONPARSER_H

#include "parse/Tokens.h"

namespace hsched::cc {

// Message is empty on success.
struct SectionError {
  clang::SourceLocation Loc;
  std::string Message;
};

//   section   := '[' expr ']' ... base                   shape
//              | base subscript ...                      range or tile, where a subscript has a separator
//              | '(' '[' expr ']' ... base ')' subscript ...
//              | '*' base                                one element
//              | base                                    an object whose type tells its size
//   subscript := '[' expr ']' | '[' [expr] (':' | ';') [expr] ']'
SectionError parseSection(TokRange Tokens, Section &Out);

//   list      := section | '{' list ',' ... generator ',' ... '}'
//   generator := name '=' expr ';' expr [':' expr]
// Appends the sections of one element of a clause's list, each with its generators.
SectionError parseSections(TokRange Tokens, std::vector<Section> &Out);

} // namespace hsched::cc
#endif
