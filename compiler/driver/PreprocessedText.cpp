// Makes preprocessed text of a generated file look as if it had been made from the user's file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/PreprocessedText.h"

namespace hsched::cc {
namespace {

std::string escaped(const std::string &Path) {
  std::string Result;
  for (char C : Path) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result;
}

/// Start of the name in a line marker (# 12 "name" flags) that ends at End; npos for any other line.
size_t markerName(const std::string &Text, size_t At, size_t End) {
  if (Text.compare(At, 2, "# ") != 0)
    return std::string::npos;
  At += 2;
  size_t Digits = At;
  while (At < End && Text[At] >= '0' && Text[At] <= '9')
    ++At;
  return At > Digits && Text.compare(At, 2, " \"") == 0 ? At + 2 : std::string::npos;
}

} // namespace

std::string rewriteLineMarkers(const std::string &Text, const LineMarkers &Markers) {
  if (Markers.None)
    return Text;
  std::string Generated = escaped(Markers.GeneratedFile) + "\"", User = escaped(Markers.UserFile);
  std::string Result;
  Result.reserve(Text.size());
  for (size_t At = 0; At < Text.size();) {
    size_t End = Text.find('\n', At);
    End = End == std::string::npos ? Text.size() : End + 1;
    size_t Name = markerName(Text, At, End);
    if (Name == std::string::npos) {
      Result.append(Text, At, End - At);
    } else {
      Result.append(Text, At, Name - At);
      if (Text.compare(Name, Generated.size(), Generated) == 0) {
        Result += User;
        Name += Generated.size() - 1;
      } else if (Markers.DotRemoved && Text.compare(Name, 2, "./") == 0) {
        Name += 2;
      }
      Result.append(Text, Name, End - Name);
    }
    At = End;
  }
  for (const std::string &File : Markers.More)
    Result += "# 1 \"" + escaped(File) + "\"\n";
  if (!Markers.More.empty())
    Result += "# 1 \"" + User + "\"\n";
  return Result;
}

} // namespace hsched::cc
