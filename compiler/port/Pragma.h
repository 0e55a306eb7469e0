// Pragmas in a source file, read as text: the source need not compile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PORT_PRAGMA_H
#define HSCHED_PORT_PRAGMA_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hsched::port {

// A word of a pragma, and the text in the parentheses behind it.
struct Word {
  std::string Name;
  std::optional<std::string> Inside;
};

// #pragma Family Words...
struct Pragma {
  size_t Begin = 0, End = 0; // Range in the text: from '#' to the end of its last line, exclusive.
  unsigned Line = 0;         // Line of '#', from 1 on.
  unsigned NumLines = 1;     // Including lines continued by '\'.
  std::string Indent, Family;
  std::vector<Word> Words;
};

// Text with comments and literals blanked, so only code is left. Same length and lines.
std::string codeOf(std::string_view Text);

// The pragmas of the given families, in order. Code is codeOf(Text).
std::vector<Pragma> pragmasOf(std::string_view Text, const std::string &Code, const std::vector<std::string> &Families);

// The position behind the statement that begins at or after From; directives in front of it are skipped. npos: none.
size_t endOfStatement(const std::string &Code, size_t From);

// "a, b" split at commas outside brackets, trimmed.
std::vector<std::string> listOf(std::string_view Text);
// OmpSs's ndrange(dimensions, [offset...,] global..., local...) as a clause of hsched's; empty: it is wrong.
std::string ndrangeOf(const std::string &Inside);
// The variable that a section names: "x" of [n]x[0:4].
std::string baseOf(const std::string &Section);
std::string trimmed(std::string_view Text);

// Whether Body sets a variable, or elements of an array, of this name that it does not declare.
bool changes(const std::string &Body, const std::string &Name, bool Array);
// Whether the first thing that Body does with a variable is to set it.
bool setsFirst(const std::string &Body, const std::string &Name);
// Whether a name that begins with omp_ is one of OpenMP's library, not of the program.
bool isLibrarys(std::string_view Name);

} // namespace hsched::port
#endif
