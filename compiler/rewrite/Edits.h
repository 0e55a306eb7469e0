// Edits to the text of the user's files, and the resulting text. The only place that changes source.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits are kept per inclusion (FileID), because a header that is included twice may be edited differently. A header
// with edits is inlined at its #include, between #line directives. So is every file that includes one.
#ifndef HSCHED_REWRITE_EDITS_H
#define HSCHED_REWRITE_EDITS_H

#include "clang/Basic/FileEntry.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"

#include <map>
#include <string>
#include <vector>

namespace hsched::cc {

class Edits {
public:
  explicit Edits(const clang::SourceManager &SM) : SM(SM) {}

  // Replaces Length characters from Loc on. Edits of one file must not overlap; insertions at one place keep their
  // order.
  void replace(clang::SourceLocation Loc, unsigned Length, std::string Text);
  void insert(clang::SourceLocation Loc, std::string Text) { replace(Loc, 0, std::move(Text)); }

  struct Edit {
    unsigned Offset, Length;
    std::string Text;
  };
  std::vector<Edit> &of(clang::FileID File) { return ByFile[File]; }
  bool any(clang::FileID File) const { return ByFile.count(File) != 0; }
  std::vector<clang::FileID> files() const;

  // Text[From, To) of File with its edits. Sorts them.
  std::string apply(clang::FileID File);

private:
  const clang::SourceManager &SM;
  std::map<clang::FileID, std::vector<Edit>> ByFile;
};

// One #include as the preprocessor saw it.
struct Inclusion {
  clang::FileID In;    // The file with the directive.
  unsigned Begin, End; // Offsets of '#' and behind the file name.
  bool Angled;
  std::string Spelled;
  clang::OptionalFileEntryRef File;
  bool Skipped = false; // '#pragma once' or an include guard skipped it.
};

// Makes PP record every #include in Out, which must outlive PP's use.
void recordInclusions(clang::Preprocessor &PP, std::vector<Inclusion> &Out);

// Inlines edited headers, innermost first. Afterwards only the main file has edits. Dirs: the -I folders. Returns the
// inlined headers by Clang's names.
std::vector<std::string> inlineHeaders(const clang::SourceManager &SM, const std::vector<Inclusion> &Inclusions,
                                       const std::vector<std::string> &Dirs, Edits &All);

// Call it next: the text of all headers named by -include, in order, if one of them was inlined; else empty.
std::string forcedHeaders(const std::vector<Inclusion> &Inclusions, clang::FileID Predefines, Edits &All);

} // namespace hsched::cc
#endif
