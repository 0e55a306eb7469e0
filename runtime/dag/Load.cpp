// Detects the format of a file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"

#include <cstring>
#include <filesystem>
#include <map>

namespace hsched::dag {
namespace {

// True if some line of the text is exactly Line.
bool hasLine(const std::string &Text, std::string_view Line) {
  for (size_t At = Text.find(Line); At != std::string::npos; At = Text.find(Line, At + 1)) {
    size_t End = At + Line.size();
    while (End < Text.size() && (Text[End] == ' ' || Text[End] == '\r' || Text[End] == '-'))
      ++End;
    if ((At == 0 || Text[At - 1] == '\n') && (End == Text.size() || Text[End] == '\n'))
      return true;
  }
  return false;
}

Document readJson(const SourceRef &In) {
  std::vector<Repetition> Repeated;
  const Value Root = parseJson(*In, &Repeated);
  if (Root.is(Value::Array))
    return readTool(Root, Repeated);
  if (Root.is(Value::Object) && Root.find("globalWorkSize") && !Root.find("hsched-dag") && !Root.find("iris-graph") &&
      !Root.find("kernels") && !Root.find("tc"))
    return readTool(Root, Repeated);
  if (!Repeated.empty())
    Repeated.front().fail();
  if (Root.is(Value::Object)) {
    if (Root.find("hsched-dag"))
      return readHsched(Root);
    if (Root.find("iris-graph"))
      return readIris(Root);
    if (Root.find("kernels") || Root.find("tc"))
      return readPaper(Root);
    Root.fail(
        "this is not a file of kernels: it has none of 'hsched-dag', 'iris-graph', 'kernels' and 'globalWorkSize'");
  }
  Root.fail(std::string("it is ") + Root.kindName() + ", and should be a file of kernels");
}

// The JSON parser checks its own text. Other text is checked here: valid UTF-8 without control characters.
void checkText(const Source &In) {
  const std::string &S = In.Text;
  unsigned Left = 0, Line = 1;
  unsigned char Least = 0x80, Most = 0xbf; // Range of the byte behind the first one.
  for (unsigned char C : S) {
    bool Good;
    if (Left) {
      Good = C >= Least && C <= Most;
      Least = 0x80;
      Most = 0xbf;
      --Left;
    } else if (C < 0x80) {
      Good = C >= 0x20 ? C != 0x7f : C == '\t' || C == '\r' || C == '\n';
    } else {
      Good = C >= 0xc2 && C <= 0xf4;
      Left = C < 0xe0 ? 1 : C < 0xf0 ? 2 : 3;
      Least = C == 0xe0 ? 0xa0 : C == 0xf0 ? 0x90 : 0x80;
      Most = C == 0xed ? 0x9f : C == 0xf4 ? 0x8f : 0xbf;
    }
    if (!Good)
      throw Error(In.Path + ":" + std::to_string(Line) +
                  ": this is not text: it has control characters, or bytes that are not UTF-8");
    Line += C == '\n';
  }
  if (Left)
    throw Error(In.Path + ":" + std::to_string(Line) + ": this is not text: its last character is cut short");
}

// False if that is unknown. The reader gives the reason.
bool exists(const std::string &Path) {
  std::error_code Failed;
  return std::filesystem::exists(Path, Failed);
}

// PySchedCL keeps kernel sources in certain folders, which are searched if a source is not beside the file. Its
// published graphs are up to two levels below those folders, which requires AllowPath.
void findSources(Document &D, bool AllowPath) {
  std::map<std::string, std::string> Known;
  for (KernelDoc &K : D.Kernels) {
    auto [At, New] = Known.emplace(K.Src.S, K.Src.S);
    if (New && !std::filesystem::path(K.Src.S).is_absolute() && !exists(D.Folder + "/" + K.Src.S))
      for (const char *In :
           {"kernels/", "kernel_src/", "../kernels/", "../kernel_src/", "../../kernels/", "../../kernel_src/"})
        if ((AllowPath || *In != '.') && exists(D.Folder + "/" + In + K.Src.S)) {
          At->second = In + K.Src.S;
          break;
        }
    K.Src.S = At->second;
  }
}

} // namespace

Document load(const std::string &Path, const LoadOptions &Options) {
  SourceRef In = readSource(Path, Options.MostBytes);
  const std::string Folder = std::filesystem::path(Path).parent_path().string();
  const size_t First = In->Text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  Document D;
  if (First == std::string::npos || !hasLine(In->Text, "---")) {
    D = readJson(In);
  } else {
    checkText(*In);
    // The paper's figure begins with a brace, a bracket or a quote; a graph begins with an id.
    const bool Figure = std::strchr("{[\"'\xe2", In->Text[First]);
    if (In->Text.starts_with("\xef\xbb\xbf")) { // The mark of UTF-8 is no part of an id.
      auto Plain = std::make_shared<Source>(*In);
      Plain->Text.erase(0, 3);
      In = std::move(Plain);
    }
    D = Figure ? readPaperText(*In) : readToolGraph(*In, Folder, Options);
  }
  D.Sources.push_back(In);
  D.Path = Path;
  D.Folder = Folder.empty() ? "." : Folder;
  findSources(D, Options.AllowPath);
  return D;
}

} // namespace hsched::dag
