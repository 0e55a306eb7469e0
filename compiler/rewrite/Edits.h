// Edits to the text of the user's files, and the one text that results: the only place that changes source.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits are kept per inclusion (FileID), because a header that is included twice may be edited differently. A header
// with edits is inlined where it is included, between #line directives; so is every file that leads to one.
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
  bool Skipped = false; // '#pragma once' or an include guard kept it out.
};

// Makes PP record every #include in Out, which must outlive PP's use.
void recordInclusions(clang::Preprocessor &PP, std::vector<Inclusion> &Out);

// Turns includes of edited headers into their text, innermost first; afterwards the main file's edits are all there
// is. Dirs are those given with -I. Returns the inlined headers, as Clang named them.
std::vector<std::string> inlineHeaders(const clang::SourceManager &SM, const std::vector<Inclusion> &Inclusions,
                                       const std::vector<std::string> &Dirs, Edits &All);

// To be called next: the text of all headers named by -include, in order, if one of them was inlined; else empty.
std::string forcedHeaders(const std::vector<Inclusion> &Inclusions, clang::FileID Predefines, Edits &All);

} // namespace hsched::cc
#endif
