// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Edits.h"

#include "emit/Code.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>

using namespace clang;

namespace hsched::cc {

void Edits::replace(SourceLocation Loc, unsigned Length, std::string Text) {
  auto [File, Offset] = SM.getDecomposedLoc(Loc);
  ByFile[File].push_back({Offset, Length, std::move(Text)});
}

std::vector<FileID> Edits::files() const {
  std::vector<FileID> Out;
  for (const auto &[File, List] : ByFile)
    Out.push_back(File);
  return Out;
}

std::string Edits::apply(FileID File) {
  llvm::StringRef Text = SM.getBufferData(File);
  std::vector<Edit> &List = ByFile[File];
  std::stable_sort(List.begin(), List.end(), [](const Edit &A, const Edit &B) { return A.Offset < B.Offset; });
  std::string Out;
  size_t At = Text.starts_with("\xEF\xBB\xBF") ? 3 : 0; // A byte order mark is only valid at the beginning of a file.
  for (const Edit &E : List) {
    Out += Text.slice(At, E.Offset);
    Out += E.Text;
    At = E.Offset + E.Length;
  }
  Out += Text.drop_front(std::min(At, Text.size()));
  return Out;
}

namespace {
class Recorder : public PPCallbacks {
public:
  Recorder(Preprocessor &PP, std::vector<Inclusion> &Out) : PP(PP), SM(PP.getSourceManager()), Out(Out) {}

  void InclusionDirective(SourceLocation Hash, const Token &, llvm::StringRef Name, bool Angled, CharSourceRange Range,
                          OptionalFileEntryRef File, llvm::StringRef, llvm::StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    if (Hash.isMacroID() || SM.isInSystemHeader(Hash))
      return;
    auto [In, Begin] = SM.getDecomposedLoc(Hash);
    unsigned End = SM.getDecomposedLoc(Range.getEnd()).second;
    if (Range.getEnd().isMacroID()) {
      SourceLocation Last = SM.getExpansionRange(Range.getEnd()).getEnd();
      End = SM.getDecomposedLoc(Last).second + Lexer::MeasureTokenLength(Last, SM, PP.getLangOpts());
    }
    Out.push_back({In, Begin, End, Angled, Name.str(), File, false});
  }
  void FileSkipped(const FileEntryRef &File, const Token &, SrcMgr::CharacteristicKind) override {
    if (!Out.empty() && Out.back().File && &Out.back().File->getFileEntry() == &File.getFileEntry())
      Out.back().Skipped = true;
  }

private:
  Preprocessor &PP;
  const SourceManager &SM;
  std::vector<Inclusion> &Out;
};

// Offsets and lengths of '#pragma once' lines, which must not stand in the middle of a file.
void dropPragmaOnce(const SourceManager &SM, FileID File, Edits &All) {
  llvm::StringRef Text = SM.getBufferData(File);
  for (size_t Line = 0; Line < Text.size();) {
    size_t End = std::min(Text.find('\n', Line), Text.size());
    llvm::StringRef L = Text.slice(Line, End).trim();
    if (L.consume_front("#") && (L = L.ltrim()).consume_front("pragma") && L.trim().starts_with("once"))
      All.of(File).push_back({static_cast<unsigned>(Line), static_cast<unsigned>(End - Line), ""});
    Line = End + 1;
  }
}

// A name under which a quoted include in the main file finds the header Path. The host compiler looks in MainDir, then
// in Dirs, and names the header by the folder and this name.
std::string spelledFromMain(llvm::StringRef Path, llvm::StringRef MainDir, const std::vector<std::string> &Dirs) {
  std::vector<llvm::StringRef> Places = {MainDir};
  Places.insert(Places.end(), Dirs.begin(), Dirs.end());
  for (size_t I = 0; I < Places.size(); ++I) {
    llvm::StringRef Name = Path;
    if (!Places[I].empty() && Places[I] != ".") {
      if (!Name.consume_front(Places[I]) || Name.empty())
        continue;
      if (!llvm::sys::path::is_separator(Places[I].back()) && !llvm::sys::path::is_separator(Name[0]))
        continue;
      Name = Name.ltrim("/");
    } else if (llvm::sys::path::is_absolute(Name)) {
      continue;
    }
    // An earlier folder may have another header of that name.
    bool Hidden = false;
    for (size_t J = 0; J < I; ++J) {
      llvm::SmallString<256> Other(Places[J]);
      llvm::sys::path::append(Other, Name);
      Hidden |= llvm::sys::fs::exists(Other);
    }
    if (!Hidden)
      return Name.str();
  }
  llvm::SmallString<256> Absolute(Path);
  llvm::sys::fs::make_absolute(Absolute);
  return Absolute.str().str();
}
} // namespace

void recordInclusions(Preprocessor &PP, std::vector<Inclusion> &Out) {
  PP.addPPCallbacks(std::make_unique<Recorder>(PP, Out));
}

std::vector<std::string> inlineHeaders(const SourceManager &SM, const std::vector<Inclusion> &Inclusions,
                                       const std::vector<std::string> &Dirs, Edits &All) {
  // The inclusion of a FileID: its include location lies within the directive.
  auto directiveOf = [&](FileID File) -> const Inclusion * {
    auto [In, Offset] = SM.getDecomposedIncludedLoc(File);
    for (const Inclusion &I : Inclusions)
      if (I.In == In && I.Begin <= Offset && Offset <= I.End)
        return &I;
    return nullptr;
  };
  // Every file that includes an edited one is inlined, and so is every file that includes an inlined header, even if
  // include guards skip it. The host compiler would not know that it was included before.
  std::set<FileID> Inlined;
  std::set<const FileEntry *> Entries;
  auto add = [&](FileID File) {
    for (; File.isValid() && File != SM.getMainFileID(); File = SM.getDecomposedIncludedLoc(File).first) {
      if (!Inlined.insert(File).second)
        return;
      if (auto Ref = SM.getFileEntryRefForID(File))
        Entries.insert(&Ref->getFileEntry());
    }
  };
  for (FileID File : All.files())
    add(File);
  for (size_t Before = 0; Before != Inlined.size();) {
    Before = Inlined.size();
    for (const Inclusion &I : Inclusions)
      if (I.File && Entries.count(&I.File->getFileEntry()))
        add(I.In);
  }
  std::vector<std::string> Names;
  llvm::StringSet<> Seen;
  llvm::StringRef MainName;
  if (auto Main = SM.getFileEntryRefForID(SM.getMainFileID()))
    MainName = Main->getName();
  llvm::StringRef MainDir = llvm::sys::path::parent_path(MainName);

  // Where an inlined header was skipped, the host compiler must not include it: its guard is not known there.
  for (const Inclusion &I : Inclusions)
    if (I.Skipped && I.File && Entries.count(&I.File->getFileEntry()))
      All.of(I.In).push_back({I.Begin, I.End - I.Begin, ""});

  // Inner inclusions have greater FileIDs than outer ones.
  for (auto It = Inlined.rbegin(); It != Inlined.rend(); ++It) {
    FileID File = *It;
    const Inclusion *From = directiveOf(File);
    auto Ref = SM.getFileEntryRefForID(File);
    if (!From || !Ref)
      continue;
    std::string Name = Ref->getName().str();
    if (Seen.insert(Name).second)
      Names.push_back(Name);
    dropPragmaOnce(SM, File, All);
    // Quoted includes were relative to this header; the text now stands in the main file.
    for (const Inclusion &I : Inclusions) {
      if (I.In != File || I.Angled || !I.File)
        continue;
      bool Replaced = false;
      for (const Edits::Edit &E : All.of(File))
        Replaced |= E.Offset == I.Begin;
      if (Replaced)
        continue;
      std::string Path = spelledFromMain(I.File->getName(), MainDir, Dirs);
      if (Path != I.Spelled)
        All.of(File).push_back({I.Begin, I.End - I.Begin, "#include \"" + Path + "\""});
    }
    PresumedLoc Outer = SM.getPresumedLoc(SM.getComposedLoc(From->In, From->Begin)); // The position of the '#include'.
    std::string Text = All.apply(File);
    if (!Text.empty() && Text.back() != '\n')
      Text += '\n';
    All.of(From->In).push_back({From->Begin, From->End - From->Begin,
                                "\n" + lineDirective(1, Name) + Text +
                                    (Outer.isValid() ? lineDirective(Outer.getLine(), Outer.getFilename()) : "")});
  }
  return Names;
}

std::string forcedHeaders(const std::vector<Inclusion> &Inclusions, FileID Predefines, Edits &All) {
  std::string Out;
  if (!All.any(Predefines))
    return Out;
  for (const Inclusion &I : Inclusions) {
    if (I.In != Predefines || !I.File)
      continue;
    const Edits::Edit *Inlined = nullptr;
    for (const Edits::Edit &E : All.of(Predefines))
      if (E.Offset == I.Begin)
        Inlined = &E;
    // The host looks beside the main file first where Clang looked in the current folder.
    llvm::SmallString<256> Path(I.File->getName());
    llvm::sys::fs::make_absolute(Path);
    Out += Inlined ? Inlined->Text : "\n#include \"" + Path.str().str() + "\"\n";
  }
  return Out;
}

} // namespace hsched::cc
