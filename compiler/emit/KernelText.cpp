// Kernels as text for users: aligned columns, words of the language.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/KernelReport.h"

#include <algorithm>
#include <sstream>

namespace hsched::cc {
namespace {

using Row = std::vector<std::string>;

// Each column is as wide as its widest entry; lines have no trailing blanks.
void table(std::ostream &OS, const std::string &Indent, const std::vector<Row> &Rows) {
  std::vector<std::size_t> Widths;
  for (const Row &R : Rows)
    for (std::size_t C = 0; C != R.size(); ++C) {
      Widths.resize(std::max(Widths.size(), C + 1));
      Widths[C] = std::max(Widths[C], R[C].size());
    }
  for (const Row &R : Rows) {
    std::string Line = Indent;
    for (std::size_t C = 0; C != R.size(); ++C)
      Line += R[C] + std::string(C + 1 == R.size() ? 0 : Widths[C] - R[C].size() + 2, ' ');
    Line.erase(Line.find_last_not_of(' ') + 1);
    OS << Line << '\n';
  }
}

std::string plural(std::uint64_t N, const std::string &Word) {
  return std::to_string(N) + " " + Word + (N == 1 ? "" : "s");
}

std::string sizes(const std::array<std::uint64_t, 3> &S) {
  return std::to_string(S[0]) + " x " + std::to_string(S[1]) + " x " + std::to_string(S[2]);
}

std::string what(const KernelParam &P) {
  if (P.Where == KernelParam::Local)
    return "local";
  if (P.Sampler)
    return "sampler";
  return *roleOf(P) ? roleOf(P) : "value";
}

std::string extent(const KernelParam &P) {
  if (!P.isBuffer() || (!P.Read && !P.Written))
    return "";
  if (!P.Section.empty()) {
    std::string Out = P.Section;
    for (const std::string &Each : P.OnlyWhere)
      Out += (&Each == &P.OnlyWhere.front() ? "  only where " : " and ") + Each + " >= 0";
    return Out;
  }
  return P.Why.empty() ? "extent unknown" : "extent unknown: " + P.Why + " (line " + std::to_string(P.WhyLine) + ")";
}

std::string launch(const KernelInfo &K) {
  if (K.WorkDim == 0)
    return "no dimension asked for";
  std::string Out = plural(K.WorkDim, "dimension");
  for (unsigned D = 0; D != K.WorkDim; ++D)
    Out += (D == 0 ? ", global size " : " x ") +
           (K.GlobalSize[D].empty() ? "get_global_size(" + std::to_string(D) + ")" : K.GlobalSize[D]);
  return Out;
}

std::string list(const std::vector<std::string> &Words) {
  std::string Out;
  for (const std::string &W : Words)
    Out += (Out.empty() ? "" : ", ") + W;
  return Out;
}

// "float x, char c at 4, short s[3] at 8".
std::string members(const KernelStructure &S) {
  std::vector<std::string> Words;
  for (const KernelMember &M : S.Members) {
    std::string Word = M.Element + (M.Name.empty() ? "" : " " + M.Name);
    for (std::uint64_t N : M.Sizes)
      Word += "[" + std::to_string(N) + "]";
    Words.push_back(Word + (M.Offset ? " at " + std::to_string(M.Offset) : ""));
  }
  return list(Words);
}

void describe(std::ostream &OS, const KernelInfo &K) {
  OS << "\nkernel " << K.Name << "  (" << K.File << ':' << K.Line << ")\n";
  std::vector<Row> Args;
  std::vector<std::string> LocalArgs, Uses;
  for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos) {
    const KernelParam &P = K.Params[Pos];
    Args.push_back({std::to_string(Pos), P.Name, P.Spelling, what(P), extent(P)});
    if (P.Where == KernelParam::Local)
      LocalArgs.push_back(P.Name.empty() ? "argument " + std::to_string(Pos) : P.Name);
  }
  table(OS, "  ", Args);

  std::vector<Row> Facts = {{"launch", launch(K)}};
  if (K.ReqdWorkGroup[0])
    Facts.push_back({"work-group", sizes(K.ReqdWorkGroup) + " required"});
  if (K.WorkGroupHint[0])
    Facts.push_back({"work-group", sizes(K.WorkGroupHint) + " hinted"});
  if (!K.VecTypeHint.empty())
    Facts.push_back({"vector", K.VecTypeHint + " hinted"});
  if (K.SubGroupSize)
    Facts.push_back({"sub-group", std::to_string(K.SubGroupSize) + " required"});
  if (K.LocalBytes)
    LocalArgs.insert(LocalArgs.begin(), plural(K.LocalBytes, "byte"));
  if (!LocalArgs.empty())
    Facts.push_back({"local memory", list(LocalArgs)});
  for (const KernelStructure &S : K.Structures)
    Facts.push_back({S.Union ? "union" : "structure", S.Name + ", " + plural(S.Bytes, "byte") +
                                                          (S.Packed ? ", packed" : "") +
                                                          (S.Members.empty() ? "" : ": " + members(S))});
  for (KernelFeature F : K.Features)
    Uses.push_back(toString(F));
  if (!Uses.empty())
    Facts.push_back({"uses", list(Uses)});
  if (!K.Extensions.empty())
    Facts.push_back({"extensions", list(K.Extensions)});
  table(OS, "  ", Facts);
}

} // namespace

std::string kernelText(const std::vector<KernelFile> &Files) {
  std::ostringstream OS;
  for (const KernelFile &File : Files) {
    OS << (&File == &Files.front() ? "" : "\n") << File.Path << ": " << File.Standard << ", "
       << plural(File.Kernels.size(), "kernel") << '\n';
    for (const KernelInfo &K : File.Kernels)
      describe(OS, K);
  }
  return OS.str();
}

} // namespace hsched::cc
