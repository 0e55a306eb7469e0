// hsched-kinfo's command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kinfo/Options.h"

#include <string_view>

namespace hsched::cc {

const char *const KinfoHelp = R"(Usage: hsched-kinfo [options] file.cl...

Says of each OpenCL kernel in the files what its arguments are, which memory it reads and writes, how it is to be
launched, and what it needs of a device. '-' is standard input.

  --json                    write JSON (docs/kinfo.schema.json)
  --spec                    write kernel specifications for PySchedCL: an array, or the one object for --kernel
  --minikernels             write the file with minikernels: only the first work-groups compute
  --kernel=<name>           this kernel only; may be given several times
  -D <name>[=<value>]       define a macro
  -U <name>                 undefine a macro
  -I <folder>               look for included files there
  -cl-std=<version>         CL1.0 to CL3.0, CLC++; default: the first of CL1.2, CL2.0, CL3.0 that takes the file
  -cl-<option>              any other option of OpenCL's for the build of kernels
  -w                        no warnings
  -Werror                   warnings are errors
  --help                    print this
  --version                 print the version
)";

KinfoOptions parseKinfoOptions(const std::vector<std::string> &Words) {
  KinfoOptions Out;
  auto startsWith = [](std::string_view Text, std::string_view Prefix) {
    return Text.substr(0, Prefix.size()) == Prefix;
  };
  auto fail = [&](const std::string &Why) {
    if (Out.Error.empty())
      Out.Error = Why;
  };
  auto setForm = [&](KinfoOptions::Form Form) {
    if (Out.Output != KinfoOptions::Text && Out.Output != Form)
      fail("'--json', '--spec' and '--minikernels' exclude each other");
    Out.Output = Form;
  };
  bool OnlyFiles = false;
  for (std::size_t I = 0; I != Words.size(); ++I) {
    const std::string &Word = Words[I];
    const bool HasNext = I + 1 != Words.size();
    if (OnlyFiles || Word.empty() || Word[0] != '-' || Word == "-") {
      Out.Files.push_back(Word);
    } else if (Word == "--") {
      OnlyFiles = true;
    } else if (Word == "--json") {
      setForm(KinfoOptions::Json);
    } else if (Word == "--spec") {
      setForm(KinfoOptions::Spec);
    } else if (Word == "--minikernels") {
      setForm(KinfoOptions::Mini);
    } else if (startsWith(Word, "--kernel=")) {
      Out.Kernels.push_back(Word.substr(9));
    } else if (Word == "--kernel" || Word == "-D" || Word == "-U" || Word == "-I") {
      if (!HasNext)
        fail("argument to '" + Word + "' is missing");
      else if (Word == "--kernel")
        Out.Kernels.push_back(Words[++I]);
      else
        Out.Build.push_back(Word + Words[++I]);
    } else if (startsWith(Word, "-cl-std=")) {
      Out.Standard = Word.substr(8);
      Out.Build.push_back(Word);
    } else if (startsWith(Word, "-D") || startsWith(Word, "-U") || startsWith(Word, "-I") || startsWith(Word, "-cl-") ||
               Word == "-w" || Word == "-Werror") {
      Out.Build.push_back(Word);
    } else if (Word == "--help") {
      Out.Help = true;
    } else if (Word == "--version") {
      Out.Version = true;
    } else {
      fail("unknown option '" + Word + "'; --help lists them");
    }
  }
  if (Out.Files.empty() && !Out.Help && !Out.Version)
    fail("no input files");
  return Out;
}

} // namespace hsched::cc
