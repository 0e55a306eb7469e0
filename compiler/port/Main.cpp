// hsched-port: rewrites the pragmas of OpenMP or OmpSs-2 programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/Convert.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

using namespace hsched::port;

static constexpr const char *Help = "Usage: hsched-port --from openmp|ompss [--print] FILE...\n"
                                    "\n"
                                    "Rewrites the pragmas of OpenMP or OmpSs-2 in the files as hsched's, in place, and "
                                    "lists the places to change by hand.\n"
                                    "\n"
                                    "  --from openmp|ompss  the language that the pragmas are in\n"
                                    "  --print              print the result, and leave the files as they are\n"
                                    "  --help, --version\n"
                                    "\n"
                                    "It exits with 0 if all is converted, with 1 if there are places to change by "
                                    "hand, with 2 if a file cannot be converted.\n";

int main(int Count, char **Words) {
  std::optional<Source> From;
  bool Print = false;
  std::vector<std::string> Files;
  auto wrong = [](const std::string &Message) {
    std::fprintf(stderr, "hsched-port: error: %s\n", Message.c_str());
    return 2;
  };
  for (int I = 1; I < Count; ++I) {
    const std::string Arg = Words[I];
    if (Arg == "--help") {
      std::fputs(Help, stdout);
      return 0;
    }
    if (Arg == "--version") {
      std::puts("hsched-port " HSCHED_VERSION);
      return 0;
    }
    if (Arg == "--print") {
      Print = true;
    } else if (Arg == "--from" || Arg.starts_with("--from=")) {
      const std::string Value = Arg.size() > 6 ? Arg.substr(7) : I + 1 < Count ? Words[++I] : "";
      if (Value != "openmp" && Value != "ompss")
        return wrong("--from takes openmp or ompss, not '" + Value + "'");
      From = Value == "openmp" ? Source::OpenMP : Source::OmpSs;
    } else if (Arg.starts_with("-")) {
      return wrong("unknown option '" + Arg + "'; see hsched-port --help");
    } else {
      Files.push_back(Arg);
    }
  }
  if (!From)
    return wrong("say what the pragmas are: --from openmp or --from ompss");
  if (Files.empty())
    return wrong("no file to convert");
  size_t Pragmas = 0, ByHand = 0;
  for (const std::string &File : Files) {
    std::ifstream In(File, std::ios::binary);
    if (!In)
      return wrong("cannot read '" + File + "'");
    const std::string Text{std::istreambuf_iterator<char>(In), {}};
    const Converted Result = convert(Text, *From);
    Pragmas += Result.NumPragmas;
    ByHand += static_cast<size_t>(std::ranges::count_if(Result.Notes, &Note::NeedsHand));
    if (Print) {
      std::fwrite(Result.Text.data(), 1, Result.Text.size(), stdout);
    } else if (Result.Text != Text) {
      std::ofstream Out(File, std::ios::binary | std::ios::trunc);
      Out << Result.Text;
      if (!Out.flush())
        return wrong("cannot write '" + File + "'");
    }
    for (const Note &N : Result.Notes)
      std::fprintf(stderr, "%s:%u: %s: %s\n", File.c_str(), N.Line, N.NeedsHand ? "by hand" : "note", N.Text.c_str());
  }
  std::fprintf(stderr, "hsched-port: %zu pragmas, %zu places left to convert\n", Pragmas, ByHand);
  return ByHand != 0;
}
