// Writes a file of kernels from what hsched-kinfo knows of OpenCL C files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/ElementType.h"
#include "dag/Expression.h"
#include "dag/Fields.h"
#include "dag/Kinfo.h"
#include "dag/Process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hsched::dag {
namespace {

// Words of expressions, such as 'and', are names in C.
bool isSymbol(const std::string &Name) {
  try {
    (void)Expression::parse(Name, false);
    return true;
  } catch (const ExpressionError &) {
    return false;
  }
}

// Values for the symbols of a skeleton, so that it runs as it is.
class Guidance {
public:
  void add(const std::string &Symbol, int64_t Value = Usual) {
    int64_t &Now = Values.emplace(Symbol, Value).first->second;
    Now = std::min(Now, Value); // An argument of one byte may be in an expression before.
  }
  // A member of a structure. It is 1 if no size depends on it, because it may be an index or a divisor.
  void addMember(const std::string &Symbol) { Members.insert(Symbol); }
  // An expression that has to be positive: Bytes for each, or 0 for a size of a range.
  void need(const Expression &E, size_t Bytes) {
    for (const std::string &S : E.symbols())
      add(S);
    Needs.push_back({E, Bytes});
  }

  const std::map<std::string, int64_t> &choose() {
    for (const std::string &M : Members)
      Values.emplace(M, 1);
    makePositive();
    for (; Most > Least && !isSmall(); Most /= 2) {
      for (auto &[Symbol, Value] : Values)
        Value = Value == Most ? Most / 2 : Value;
      makePositive();
    }
    return Values;
  }

private:
  static constexpr int64_t Usual = 1024, Least = 16;
  static constexpr double MostBytes = 1 << 28; // Of one buffer, and of a range in each dimension.

  struct Need {
    Expression E;
    size_t Bytes;
  };
  int64_t evaluate(const Need &N) const {
    try {
      return N.E.evaluate([this](const std::string &Name) -> std::optional<int64_t> {
        const auto At = Values.find(Name);
        return At == Values.end() ? std::nullopt : std::optional(At->second);
      });
    } catch (const ExpressionError &) {
      return -1;
    }
  }
  size_t numPositive() const {
    return static_cast<size_t>(
        std::count_if(Needs.begin(), Needs.end(), [this](const Need &N) { return evaluate(N) > 0; }));
  }
  // Sets symbols such as k of n - k - 1 to 1, one at a time, while that makes more expressions positive.
  void makePositive() {
    for (size_t Now = numPositive(); Now < Needs.size();) {
      std::string Best;
      size_t Most = Now;
      for (auto &[Symbol, Value] : Values) {
        const int64_t Was = std::exchange(Value, 1);
        if (const size_t Then = numPositive(); Then > Most) {
          Most = Then;
          Best = Symbol;
        }
        Value = Was;
      }
      if (Best.empty())
        return;
      Values[Best] = 1;
      Now = Most;
    }
  }
  bool isSmall() const {
    return std::all_of(Needs.begin(), Needs.end(), [this](const Need &N) {
      return static_cast<double>(evaluate(N)) * static_cast<double>(std::max<size_t>(N.Bytes, 1)) <= MostBytes;
    });
  }

  std::map<std::string, int64_t> Values;
  std::set<std::string> Members;
  std::vector<Need> Needs;
  int64_t Most = Usual;
};

class Skeleton {
public:
  Skeleton(const std::vector<std::string> &Build, std::string Program) : Build(Build), Program(std::move(Program)) {}

  void addFile(const std::string &File) {
    std::vector<std::string> Words = {Program, "--json", "-w"};
    Words.insert(Words.end(), Build.begin(), Build.end());
    Words.push_back(File);
    Finished Done = runProcess(Words);
    if (Done.Code != 0)
      throw Error("file '" + File +
                  "': " + (Done.Code == -1 ? "'" + Program + "' cannot be run" : firstError(Done.Err)));
    std::vector<KernelInfoJson> Found;
    try {
      Found = parseReport(Done.Out);
    } catch (const nlohmann::json::exception &E) {
      throw Error("what '" + Program + "' says of file '" + File + "' cannot be read: " + E.what());
    }
    for (const KernelInfoJson &I : Found) {
      const Guidance Before = Symbols;
      try {
        addKernel(File, I);
      } catch (const Error &E) {
        Symbols = Before;
        LeftOut.emplace_back(E.what());
      }
    }
  }

  std::string write() {
    for (const auto &[Symbol, Value] : Symbols.choose())
      D.Symbols.push_back({Symbol, {std::to_string(Value), {}}});
    return writeHsched(D);
  }
  bool empty() const { return D.Kernels.empty(); }
  // Why kernels are not in it.
  const std::vector<std::string> &leftOut() const { return LeftOut; }

private:
  // Translates kinfo's C expression over the kernel's arguments to a guidance expression. Symbol if that is impossible.
  dag::Text translate(std::string Text, const std::string &Symbol, size_t Bytes) {
    for (unsigned Dim = 0; Dim < 3; ++Dim) {
      const std::string Call = "get_global_size(" + std::to_string(Dim) + ")";
      for (size_t At; (At = Text.find(Call)) != std::string::npos;)
        Text.replace(At, Call.size(), "global_" + std::to_string(Dim));
    }
    Text = replaceMembers(Text, [this](const std::string &Path) -> std::string {
      const auto At = MemberSymbols.find(Path);
      return At == MemberSymbols.end() ? "" : At->second;
    });
    try {
      Symbols.need(Expression::parse(Text, true), Bytes);
      for (size_t At = Text.find('/'); At != std::string::npos; At = Text.find('/', At + 2))
        Text.insert(At, "/");
      return {Text, {}};
    } catch (const ExpressionError &) {
      Symbols.add(Symbol);
      return {Symbol, {}};
    }
  }

  // Adds a symbol for each lane.
  void addValues(ArgDoc &Arg, const std::string &Name, const ElementType &T) {
    for (unsigned Lane = 0; Lane < T.Lanes; ++Lane) {
      std::string Symbol = T.Lanes > 1 ? Name + "_" + std::to_string(Lane) : Name;
      if (!isSymbol(Symbol))
        Symbol += "_";
      Arg.Values.push_back({Symbol, {}});
      if (T.K != ElementType::Floating && T.ScalarBytes == 1)
        Symbols.add(Symbol, 1);
      else
        Symbols.add(Symbol);
    }
  }

  // A structure's members with a symbol for each.
  void addMembers(ArgDoc &Arg, const Layouts &Structures, const KernelArgInfo &Is, const std::string &Name) {
    if (Is.Structure) {
      auto Value = [this](std::string Symbol, const ElementType &T, size_t) -> std::optional<std::string> {
        if (Symbol.empty())
          return "0";
        if (!isSymbol(Symbol))
          Symbol += "_";
        if (T.K != ElementType::Floating && T.ScalarBytes == 1)
          Symbols.add(Symbol, 1);
        else
          Symbols.addMember(Symbol);
        return Symbol;
      };
      if (auto Members = membersOf(Structures, *Is.Structure, Name, Value)) {
        Arg.Members = std::move(*Members);
        return;
      }
    }
    MemberDoc Bytes{{"uchar", {}}, {}, {}, {}};
    Bytes.Values.assign(std::max<size_t>(Is.ElementBytes, 1), {"0", {}});
    Arg.Members.push_back(std::move(Bytes));
  }

  ArgDoc argument(const KernelInfoJson &I, const KernelArgInfo &Is, const std::string &Name, const std::string &Where) {
    const std::optional<ElementType> T = elementType(Is.Element);
    const dag::Text Type{T ? Is.Element : "struct " + std::to_string(std::max<size_t>(Is.ElementBytes, 1)), {}};
    ArgDoc Arg;
    if (Is.Kind == "value") {
      Arg.Type = Type;
      if (T)
        addValues(Arg, Name, *T);
      else
        addMembers(Arg, I.Structures, Is, Name);
    } else if (Is.Kind == "pointer") {
      Arg.R = Is.Space == "local"                      ? ArgDoc::Local
              : Is.Role == "out" && !Is.Partly         ? ArgDoc::Out
              : Is.Role == "out" || Is.Role == "inout" ? ArgDoc::Io
                                                       : ArgDoc::In;
      Arg.Own.Type = Type;
      Arg.Break = Is.Splits;
      if (Is.Role == "unused")
        Arg.Own.Size.S = "1";
      else
        Arg.Own.Size = translate(Is.Elements, "size_" + Name, std::max<size_t>(Is.ElementBytes, 1));
    } else {
      throw Error(Where + " is " + articled(Is.Kind) + ", which a file of kernels cannot give");
    }
    return Arg;
  }

  void addKernel(const std::string &File, const KernelInfoJson &I) {
    KernelDoc K;
    K.Name.S = I.Name;
    K.Src.S = File;
    for (const std::string &B : Build)
      K.Options.S += (K.Options.S.empty() ? "" : " ") + B;
    MemberSymbols.clear();
    for (const KernelArgInfo &A : I.Args)
      if (A.Kind == "value" && A.Structure)
        for (const NamedInteger &N : integersOf(I.Structures, *A.Structure)) {
          std::string Symbol = A.Name + "_" + N.Path;
          std::replace(Symbol.begin(), Symbol.end(), '.', '_');
          MemberSymbols.emplace(A.Name + "." + N.Path, std::move(Symbol));
        }
    for (size_t Dim = 0; Dim < I.Global.size(); ++Dim)
      K.Global.push_back(translate(I.Global[Dim], "global_" + std::to_string(Dim), 0));
    for (size_t A = 0; A < I.Args.size(); ++A) {
      const std::string Name = I.Args[A].Name.empty() ? "arg" + std::to_string(A) : I.Args[A].Name;
      K.Args.push_back(
          argument(I, I.Args[A], Name, "file '" + File + "': argument '" + Name + "' of kernel '" + I.Name + "'"));
    }
    K.Id.S = I.Name;
    for (unsigned N = 2; !Ids.insert(K.Id.S).second; ++N)
      K.Id.S = I.Name + "_" + std::to_string(N);
    D.Kernels.push_back(std::move(K));
  }

  const std::vector<std::string> &Build;
  const std::string Program;
  Document D;
  std::set<std::string> Ids;
  Guidance Symbols;
  std::map<std::string, std::string> MemberSymbols; // "p.n" to "p_n", in the kernel that is added.
  std::vector<std::string> LeftOut;
};

} // namespace

std::string skeleton(const std::vector<std::string> &Files, const std::vector<std::string> &Build,
                     const std::string &Given, std::vector<std::string> &Notes) {
  const std::string Program = findKinfo(Given);
  if (Program.empty())
    throw Error("hsched-kinfo is neither beside this program nor in PATH");
  Skeleton Made(Build, Program);
  for (const std::string &File : Files)
    Made.addFile(File);
  if (Made.empty())
    throw Error(Made.leftOut().empty() ? "there is no kernel in " +
                                             std::string(Files.size() == 1 ? "file " + quote(Files[0]) : "these files")
                                       : Made.leftOut()[0]);
  for (const std::string &Why : Made.leftOut())
    Notes.push_back(Why + ": the kernel is left out");
  return Made.write();
}

} // namespace hsched::dag
