// Pragmas in a source file, read as text: what is converted need not compile yet.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_PORT_PRAGMA_H
#define HSCHED_PORT_PRAGMA_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hsched::port {

// A word of a pragma, and what stands in parentheses behind it.
struct Word {
  std::string Name;
  std::optional<std::string> Inside;
};

// #pragma Family Words...
struct Pragma {
  size_t Begin = 0, End = 0; // In the text: from '#' to the end of its last line, which is left out.
  unsigned Line = 0;         // Of '#', from 1 on.
  unsigned NumLines = 1;     // With those that '\' continues.
  std::string Indent, Family;
  std::vector<Word> Words;
};

// A text with comments and literals blanked, so that what is left is code; as long as the text, lines as they are.
std::string codeOf(std::string_view Text);

// Those of the given families, in their order. Code is codeOf(Text).
std::vector<Pragma> pragmasOf(std::string_view Text, const std::string &Code, const std::vector<std::string> &Families);

// Behind the statement that begins at or behind From, other directives in front of it left out; npos: there is none.
size_t endOfStatement(const std::string &Code, size_t From);

// "a, b" split at commas outside brackets, trimmed.
std::vector<std::string> listOf(std::string_view Text);
std::string trimmed(std::string_view Text);

} // namespace hsched::port
#endif
