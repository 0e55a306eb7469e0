// Compares the extents that hsched-kinfo reports for kernels with the sizes of a file's buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Expression.h"
#include "dag/Fields.h"
#include "dag/Kinfo.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hsched::dag {
namespace {

// One of kinfo's expressions, in C over the kernel's arguments and its launch; none: the file's grammar does not have
// it. Integers: by argument, those of a structure that is passed by value.
std::optional<Expression> parse(std::string Text, const KernelInfoJson &Info,
                                const std::vector<std::vector<NamedInteger>> &Integers) {
  Text = replaceMembers(Text, [&](const std::string &Path) -> std::string {
    for (size_t A = 0; A < Integers.size(); ++A)
      for (size_t I = 0; I < Integers[A].size(); ++I)
        if (Path == Info.Args[A].Name + "." + Integers[A][I].Path)
          return "hsched_member_" + std::to_string(A) + "_" + std::to_string(I);
    return "";
  });
  for (const auto &[Call, Symbol] : {std::pair("get_global_size(", "hsched_global_"),
                                     {"get_num_groups(", "hsched_groups_"},
                                     {"get_local_size(", "hsched_local_"}})
    for (size_t At; (At = Text.find(Call)) != std::string::npos;) {
      const size_t Digit = At + std::strlen(Call);
      if (Digit + 1 >= Text.size() || Text[Digit] < '0' || Text[Digit] > '2' || Text[Digit + 1] != ')')
        return std::nullopt;
      Text.replace(At, Digit + 2 - At, Symbol + std::string(1, Text[Digit]));
    }
  try {
    return Expression::parse(Text, true);
  } catch (const ExpressionError &) {
    return std::nullopt;
  }
}

// The value of a name in a launch.
class Values {
public:
  Values(const KernelDoc &Doc, const KernelInfoJson &Info, const Launch &L,
         const std::vector<std::vector<NamedInteger>> &Integers)
      : Doc(Doc), Info(Info), L(L), Integers(Integers) {}

  std::optional<int64_t> evaluate(const Expression &E) const {
    try {
      return E.evaluate([this](const std::string &Name) { return find(Name); });
    } catch (const ExpressionError &) {
      return std::nullopt;
    }
  }

private:
  std::optional<int64_t> find(const std::string &Name) const {
    if (constexpr std::string_view Member = "hsched_member_"; Name.rfind(Member, 0) == 0) {
      char *Rest = nullptr;
      const size_t A = std::strtoul(Name.c_str() + Member.size(), &Rest, 10);
      const NamedInteger &I = Integers[A][std::strtoul(Rest + 1, nullptr, 10)];
      if (Doc.Args[A].R != ArgDoc::Value || L.Args[A].Bytes != Info.Args[A].ElementBytes)
        return std::nullopt;
      return integer(I.Type, L.Args[A].Offset + I.Offset);
    }
    if (Name.rfind("hsched_", 0) == 0) {
      const auto Dim = static_cast<unsigned>(Name.back() - '0');
      if (Name[7] == 'g' && Name[8] == 'l')
        return static_cast<int64_t>(L.Global[Dim]);
      if (!L.Local[0])
        return std::nullopt; // The driver chooses it.
      const size_t Local = Dim < L.Dims ? L.Local[Dim] : 1;
      return static_cast<int64_t>(Name[7] == 'l' ? Local : L.Global[Dim] / Local);
    }
    for (size_t A = 0; A < Info.Args.size(); ++A)
      if (Info.Args[A].Name == Name && Doc.Args[A].R == ArgDoc::Value)
        return integer(A);
    return std::nullopt;
  }
  // The value as the kernel's type has it: the file's type may have another sign.
  std::optional<int64_t> integer(size_t A) const {
    const std::optional<ElementType> T = elementType(Info.Args[A].Element);
    if (!T || T->Lanes != 1 || (T->K != ElementType::Signed && T->K != ElementType::Unsigned) ||
        L.Args[A].Bytes != T->ScalarBytes)
      return std::nullopt;
    return integer(*T, L.Args[A].Offset);
  }
  int64_t integer(const ElementType &T, size_t Offset) const {
    uint64_t Bits = 0;
    std::memcpy(&Bits, L.Values.data() + Offset, T.ScalarBytes);
    const unsigned Free = 64 - T.ScalarBytes * 8;
    return T.K == ElementType::Signed ? static_cast<int64_t>(Bits << Free) >> Free : static_cast<int64_t>(Bits);
  }

  const KernelDoc &Doc;
  const KernelInfoJson &Info;
  const Launch &L;
  const std::vector<std::vector<NamedInteger>> &Integers;
};

// The extents of one kernel function.
struct Extents {
  std::vector<std::optional<Expression>> Args, Global, Where;
  std::vector<std::vector<NamedInteger>> Integers; // By argument: of a structure that is passed by value.
  bool MayBeLarger, MayBeCertain;

  explicit Extents(const KernelInfoJson &Info) : MayBeLarger(Info.MayBeLarger), MayBeCertain(Info.Where) {
    for (const KernelArgInfo &A : Info.Args)
      Integers.push_back(A.Kind == "value" && A.Structure ? integersOf(Info.Structures, *A.Structure)
                                                          : std::vector<NamedInteger>());
    for (const KernelArgInfo &A : Info.Args)
      Args.push_back(A.Elements.empty() || A.Conditional ? std::nullopt : parse(A.Elements, Info, Integers));
    for (const std::string &G : Info.Global)
      Global.push_back(parse(G, Info, Integers));
    if (Info.Where)
      for (const std::string &W : *Info.Where)
        Where.push_back(parse(W, Info, Integers));
  }
  // The extents are those of a range that begins at 0.
  static bool beginsAtZero(const Launch &L) { return L.Offset == std::array<size_t, 3>{}; }
  // True if a launch is at least as large as the one that the extents assume.
  bool holdFor(const Launch &L, const Values &Of) const {
    if (!beginsAtZero(L))
      return false;
    for (size_t Dim = 0; Dim < Global.size(); ++Dim) {
      const std::optional<int64_t> Shown = Global[Dim] ? Of.evaluate(*Global[Dim]) : std::nullopt;
      if (!Shown || *Shown > static_cast<int64_t>(L.Global[Dim]))
        return false;
    }
    return true;
  }
  // True if a launch overwrites what kinfo says: no integer wraps, and no further work-item writes elsewhere.
  bool certainFor(const Launch &L, const Values &Of) const {
    if (!beginsAtZero(L))
      return false;
    for (size_t Dim = 0; Dim < Global.size(); ++Dim) {
      const std::optional<int64_t> Shown = Global[Dim] ? Of.evaluate(*Global[Dim]) : std::nullopt;
      const auto Is = static_cast<int64_t>(L.Global[Dim]);
      if (!Shown || *Shown > Is || (*Shown < Is && !MayBeLarger))
        return false;
    }
    return MayBeCertain && std::all_of(Where.begin(), Where.end(), [&](const std::optional<Expression> &W) {
             return W && Of.evaluate(*W).value_or(-1) >= 0;
           });
  }
};

} // namespace

bool keepContents(Document &D, const Graph &G, KinfoReport &Report) {
  bool Changed = false;
  std::map<uint32_t, Extents> Functions; // By program.
  std::set<std::pair<uint32_t, size_t>> Noted;
  std::set<uint32_t> Filled; // Named buffers that an earlier kernel writes.
  std::map<std::string, const BufferDoc *> Named;
  for (const auto &[Name, Doc] : D.Buffers)
    Named.emplace(Name.S, &Doc);
  for (size_t I = 0; I < D.Kernels.size(); ++I) {
    KernelDoc &Doc = D.Kernels[I];
    const Kernel &K = G.Kernels[I];
    const KernelInfoJson *Info = Report.Available ? Report.Of[K.Program] : nullptr;
    if (Info && Info->Args.size() != Doc.Args.size())
      Info = nullptr;
    auto Overwrites = [&](size_t A) {
      if (!Info || Info->Args[A].Role != "out" || Info->Args[A].Partly || K.Launches.size() != 1)
        return false;
      const Extents &Of = Functions.try_emplace(K.Program, *Info).first->second;
      const Values Given(Doc, *Info, K.Launches[0], Of.Integers);
      const std::optional<int64_t> All = Of.Args[A] ? Given.evaluate(*Of.Args[A]) : std::nullopt;
      const size_t Bytes = Info->Args[A].ElementBytes;
      return All && *All > 0 && Bytes &&
             static_cast<uint64_t>(*All) >= (G.Data[K.ArgDatum[A]].Bytes + Bytes - 1) / Bytes &&
             Of.certainFor(K.Launches[0], Given);
    };
    std::vector<uint32_t> Writes;
    for (size_t A = 0; A < Doc.Args.size(); ++A) {
      ArgDoc &Arg = Doc.Args[A];
      if (Arg.R != ArgDoc::Out && Arg.R != ArgDoc::Io)
        continue;
      const bool IsNamed = !Arg.Buffer.empty();
      if (IsNamed)
        Writes.push_back(K.ArgDatum[A]);
      const bool Begins = (IsNamed ? *Named.at(Arg.Buffer.S) : Arg.Own).Init.K != InitDoc::None;
      // Without kinfo an output of a second kernel is what the file says.
      const bool Written = IsNamed && Info && Filled.count(K.ArgDatum[A]);
      if (Arg.R == ArgDoc::Io || !(Begins || Written) || Overwrites(A))
        continue;
      Arg.R = ArgDoc::Io;
      Changed = true;
      if (!Noted.insert({K.Program, A}).second)
        continue;
      Report.Notes.push_back(Arg.At.describe() + ": argument " + std::to_string(A) +
                             (Info ? ", " + quote(Info->Args[A].Name) + "," : "") +
                             " is an output here, but its buffer has contents before, and " +
                             (Info ? describeKernel(*Info, G.Programs[K.Program]) + " may leave some of them"
                                   : "not all of it may be overwritten") +
                             ": it is taken as 'io'");
    }
    Filled.insert(Writes.begin(), Writes.end());
  }
  return Changed;
}

void checkExtents(const Document &D, const Graph &G, KinfoReport &Report) {
  std::map<uint32_t, Extents> Functions; // By program.
  std::set<std::pair<uint32_t, size_t>> Noted;
  for (size_t I = 0; Report.Available && I < D.Kernels.size(); ++I) {
    const KernelDoc &Doc = D.Kernels[I];
    const Kernel &K = G.Kernels[I];
    const KernelInfoJson *Info = Report.Of[K.Program];
    if (!Info || K.Launches.size() != 1 || Info->Args.size() != Doc.Args.size())
      continue;
    const Extents &Of = Functions.try_emplace(K.Program, *Info).first->second;
    const Values Given(Doc, *Info, K.Launches[0], Of.Integers);
    if (!Of.holdFor(K.Launches[0], Given))
      continue;
    for (size_t A = 0; A < Doc.Args.size(); ++A) {
      if (!Of.Args[A] || K.ArgDatum[A] == None)
        continue;
      const std::optional<int64_t> Reached = Given.evaluate(*Of.Args[A]);
      const Datum &Has = G.Data[K.ArgDatum[A]];
      const size_t Bytes = Info->Args[A].ElementBytes;
      if (!Reached || *Reached <= 0 || !Bytes || static_cast<uint64_t>(*Reached) <= Has.Bytes / Bytes ||
          !Noted.insert({K.Program, A}).second)
        continue;
      Report.Notes.push_back(Doc.Args[A].At.describe() + ": argument " + std::to_string(A) + ", " +
                             quote(Info->Args[A].Name) + ", has " + std::to_string(Has.Bytes / Bytes) +
                             " elements, but " + describeKernel(*Info, G.Programs[K.Program]) + " may reach " +
                             std::to_string(*Reached) + ": [" + Info->Args[A].Elements + "]" + Info->Args[A].Name);
    }
  }
}

} // namespace hsched::dag
