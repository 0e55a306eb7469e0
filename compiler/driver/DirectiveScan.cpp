// A fast test for whether a file can contain a directive at all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/DirectiveScan.h"

#include "driver/Files.h"
#include "model/NameCharacters.h"

#include <cstdlib>
#include <string_view>
#include <unordered_set>

namespace hsched::cc {
namespace {

bool isBlank(char C) { return C == ' ' || C == '\t' || C == '\f' || C == '\v'; }

void removeSplices(std::string &Text) {
  size_t To = Text.find("\\\n");
  if (size_t Dos = Text.find("\\\r\n"); Dos < To)
    To = Dos;
  if (To == std::string::npos)
    return;
  for (size_t From = To; From < Text.size();) {
    if (Text.compare(From, 2, "\\\n") == 0)
      From += 2;
    else if (Text.compare(From, 3, "\\\r\n") == 0)
      From += 3;
    else
      Text[To++] = Text[From++];
  }
  Text.resize(To);
}

class Walk {
public:
  explicit Walk(const CommandLine &Line) {
    for (const Argument &A : Line.Arguments) {
      if (A.Kind != ArgumentKind::Plain)
        continue;
      if (A.Name == "-iquote")
        QuoteDirs.push_back(A.Value);
      else if (A.Name == "-I" || A.Name == "-isystem" || A.Name == "-idirafter")
        addDir(A.Value);
      else if (A.Name == "-imacros")
        Forced.push_back(A.Value);
    }
    for (ForcedInclude &F : forcedIncludes(Line))
      if (!F.Header.empty())
        Forced.push_back(std::move(F.Header));
    addVariable("CPATH");
    addVariable("CPLUS_INCLUDE_PATH");
    addVariable("C_INCLUDE_PATH");
  }

  bool run(const std::string &Path, const std::string &Folder) {
    if (names(Path, Folder))
      return true;
    for (const std::string &File : Forced)
      if (included(File, ".", true, false))
        return true;
    return false;
  }

private:
  void addDir(const std::string &Dir) {
    if (Dir != "/usr/include" && Dir != "/usr/local/include")
      Dirs.push_back(Dir);
  }

  void addVariable(const char *Name) {
    const char *Setting = std::getenv(Name);
    std::string Text = Setting ? Setting : "";
    for (size_t Begin = 0; Begin < Text.size();) {
      size_t End = std::min(Text.find(':', Begin), Text.size());
      addDir(End == Begin ? "." : Text.substr(Begin, End - Begin));
      Begin = End + 1;
    }
  }

  /// Whether the file, or a file that it includes, names hsched. A file already scanned adds nothing.
  bool names(const std::string &Path, const std::string &Folder) {
    std::string Text;
    if (!Seen.insert(Path).second || !readFile(Path, Text))
      return false;
    removeSplices(Text);
    if (Text.find("hsched") != std::string::npos)
      return true;
    for (const std::string_view Word : {"include", "import"})
      for (size_t At = 0; (At = Text.find(Word, At)) != std::string::npos; At += Word.size())
        if (directive(Text, At, Word.size(), Folder))
          return true;
    return false;
  }

  /// Text[At] begins the word "include" or "import" of that length: follows the include if it is a directive.
  bool directive(const std::string &Text, size_t At, size_t Length, const std::string &Folder) {
    size_t Mark = At;
    while (Mark > 0 && isBlank(Text[Mark - 1]))
      --Mark;
    bool Hash = Mark > 0 && (Text[Mark - 1] == '#' || (Mark > 1 && Text.compare(Mark - 2, 2, "%:") == 0) ||
                             (Mark > 2 && Text.compare(Mark - 3, 3, "?\?=") == 0));
    // A comment may stand between '#' and the word.
    bool AfterComment = Mark > 1 && Text.compare(Mark - 2, 2, "*/") == 0;
    if (!Hash && !AfterComment)
      return false;
    At += Length;
    bool IsNext = Text.compare(At, 5, "_next") == 0;
    if (IsNext)
      At += 5;
    else if (At < Text.size() && inName(Text[At]))
      return false;
    while (At < Text.size() && isBlank(Text[At]))
      ++At;
    char Open = At < Text.size() ? Text[At] : '\n';
    if (Open != '"' && Open != '<') // A macro gives the name, or a comment precedes it: the answer is unknown.
      return Hash;
    size_t End = Text.find_first_of(Open == '"' ? "\"\n" : ">\n", At + 1);
    if (End == std::string::npos || Text[End] == '\n')
      return false;
    return included(Text.substr(At + 1, End - At - 1), Folder, Open == '"', IsNext);
  }

  /// Whether the header, where it is first found, names hsched; #include_next may refer to any of the folders.
  bool included(const std::string &Name, const std::string &Folder, bool Quoted, bool AllPlaces) {
    if (!Name.empty() && Name[0] == '/')
      return names(Name, parentOf(Name));
    std::vector<const std::string *> Places;
    if (Quoted) {
      Places.push_back(&Folder);
      for (const std::string &Dir : QuoteDirs)
        Places.push_back(&Dir);
    }
    for (const std::string &Dir : Dirs)
      Places.push_back(&Dir);
    for (const std::string *Place : Places) {
      std::string Path = *Place == "." ? Name : *Place + "/" + Name;
      if (!Seen.count(Path) && !isRegularFile(Path))
        continue;
      if (names(Path, parentOf(Path)))
        return true;
      if (!AllPlaces)
        return false;
    }
    return false;
  }

  StringList QuoteDirs, Dirs, Forced;
  std::unordered_set<std::string> Seen;
};

/// In preprocessed text the includes are already expanded, and directives begin their lines. The front end must not see
/// such a file without need: it may contain text that only GCC accepts.
bool hasPragmaLine(std::string_view Text) {
  for (size_t At = 0; (At = Text.find("hsched", At)) != std::string_view::npos; At += 6) {
    size_t Begin = Text.find_last_of('\n', At);
    Begin = Begin == std::string_view::npos ? 0 : Begin + 1;
    std::string_view Start = Text.substr(Begin, At - Begin);
    if (Start.find('#') != std::string_view::npos && Start.find("pragma") != std::string_view::npos)
      return true;
    if (Start.find("_Pragma") != std::string_view::npos || Start.find("[[") != std::string_view::npos)
      return true;
  }
  return false;
}

} // namespace

bool mayHaveDirectives(const std::string &Path, const std::string &Folder, const Argument &Input,
                       const CommandLine &Line) {
  if (!isPreprocessed(Input.InputLanguage))
    return Walk(Line).run(Path, Folder);
  std::string Text;
  return readFile(Path, Text) && hasPragmaLine(Text);
}

} // namespace hsched::cc
