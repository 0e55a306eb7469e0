// A front end of a few lines for the driver's tests. It knows, each on a line of its own:
//   #pragma hsched kernel file   the file's text goes into the generated source
//   #pragma hsched inline file   so does that of a header, once
//   #pragma hsched fail          an error
//   #pragma hsched               nothing but a mark that the file is annotated
//   #pragma hsched job           what the driver handed over, on standard error
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Frontend.h"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace hsched::cc {
namespace {

std::string textOf(const std::string &Path) {
  std::ifstream File(Path);
  std::stringstream Text;
  Text << File.rdbuf();
  return Text.str();
}

void print(const FrontendJob &Job) {
  std::fprintf(stderr, "input: %s\nclang:", Job.Input.c_str());
  for (const std::string &Word : Job.ClangArgs)
    std::fprintf(stderr, " %s", Word.c_str());
  std::fprintf(stderr, "\nkernel dirs:");
  for (const std::string &Dir : Job.KernelDirs)
    std::fprintf(stderr, " %s", Dir.c_str());
  std::fprintf(stderr, "\nwarnings:");
  for (const WarningInfo &I : allWarnings())
    std::fprintf(stderr, " %s=%d", std::string(I.Name).c_str(), static_cast<int>(Job.Warnings.of(I.Which)));
  std::fprintf(stderr, "\ncolor: %d\nmetadata: %d\n", Job.Color, Job.WantMetadata);
}

} // namespace

FrontendResult runFrontend(const FrontendJob &Job) {
  FrontendResult Result;
  std::string Body;
  std::istringstream Text(textOf(Job.Input));
  for (std::string Line; std::getline(Text, Line); Body += Line + "\n") {
    std::istringstream Words(Line);
    std::string Pragma, Mark, What, File;
    Words >> Pragma >> Mark >> What >> File;
    if (Pragma != "#pragma" || Mark != "hsched")
      continue;
    Result.HasDirectives = true;
    Line.clear();
    if (What == "kernel") {
      Line = "extern const char Kernel[] = R\"(" + textOf(File) + ")\";";
      Result.KernelFiles.push_back(File);
    } else if (What == "inline") {
      Line = textOf(File);
      Line.pop_back();
      Result.InlinedHeaders.push_back(File);
    } else if (What == "fail") {
      std::fprintf(stderr, "%s: error: asked to fail\n", Job.Input.c_str());
      Result.Failed = true;
    } else if (What == "job") {
      print(Job);
    }
  }
  if (Result.HasDirectives)
    Result.Source = "extern \"C\" int fakeRuntime();\n"
                    "extern \"C\" __attribute__((weak)) int annotated() { return fakeRuntime(); }\n"
                    "#line 1 \"" +
                    Job.Input + "\"\n" + Body;
  if (Job.WantMetadata)
    Result.Metadata = "{\"file\": \"" + Job.Input + "\"}\n";
  return Result;
}

} // namespace hsched::cc
