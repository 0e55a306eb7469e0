// Compares the extents that hsched-kinfo reports for kernels with the sizes of a file's buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Expression.h"
#include "dag/Fields.h"
#include "dag/Kinfo.h"

#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace hsched::dag {
namespace {

// One of kinfo's expressions, in C over the kernel's arguments and its launch; none: the file's grammar does not have
// it.
std::optional<Expression> parse(std::string Text) {
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
  Values(const KernelDoc &Doc, const KernelInfoJson &Info, const Launch &L) : Doc(Doc), Info(Info), L(L) {}

  std::optional<int64_t> evaluate(const Expression &E) const {
    try {
      return E.evaluate([this](const std::string &Name) { return find(Name); });
    } catch (const ExpressionError &) {
      return std::nullopt;
    }
  }

private:
  std::optional<int64_t> find(const std::string &Name) const {
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
  std::optional<int64_t> integer(size_t A) const {
    const std::optional<ElementType> T = elementType(Doc.Args[A].Type.S);
    if (!T || T->Lanes != 1 || (T->K != ElementType::Signed && T->K != ElementType::Unsigned))
      return std::nullopt;
    uint64_t Bits = 0;
    std::memcpy(&Bits, L.Values.data() + L.Args[A].Offset, T->ScalarBytes);
    const unsigned Free = 64 - T->ScalarBytes * 8;
    return T->K == ElementType::Signed ? static_cast<int64_t>(Bits << Free) >> Free : static_cast<int64_t>(Bits);
  }

  const KernelDoc &Doc;
  const KernelInfoJson &Info;
  const Launch &L;
};

// 'lo' of a section "name[lo:len]".
std::optional<Expression> beginOf(const KernelArgInfo &A) {
  const std::string Head = A.Name + "[";
  const size_t Colon = A.Section.find(':');
  if (A.Name.empty() || A.Section.rfind(Head, 0) != 0 || Colon == std::string::npos ||
      A.Section.find_first_of("[]", Head.size()) + 1 != A.Section.size())
    return std::nullopt;
  return parse(A.Section.substr(Head.size(), Colon - Head.size()));
}

// The extents of one kernel function.
struct Extents {
  std::vector<std::optional<Expression>> Args, Begins, Global; // Begins: of sections of one dimension.

  explicit Extents(const KernelInfoJson &Info) {
    for (const KernelArgInfo &A : Info.Args) {
      Begins.push_back(A.Role == "out" && !A.Conditional ? beginOf(A) : std::nullopt);
      Args.push_back(A.Elements.empty() || A.Conditional ? std::nullopt : parse(A.Elements));
    }
    for (const std::string &G : Info.Global)
      Global.push_back(parse(G));
  }
  // True if a launch is at least as large as the one that the extents assume.
  bool holdFor(const Launch &L, const Values &Of) const {
    for (size_t Dim = 0; Dim < Global.size(); ++Dim) {
      const std::optional<int64_t> Shown = Global[Dim] ? Of.evaluate(*Global[Dim]) : std::nullopt;
      if (!Shown || *Shown > static_cast<int64_t>(L.Global[Dim]))
        return false;
    }
    return true;
  }
};

} // namespace

bool checkExtents(Document &D, const Graph &G, KinfoReport &Known) {
  bool Changed = false;
  std::map<uint32_t, Extents> Functions; // By program.
  std::set<std::pair<uint32_t, size_t>> Noted;
  for (size_t I = 0; Known.Asked && I < D.Kernels.size(); ++I) {
    KernelDoc &Doc = D.Kernels[I];
    const Kernel &K = G.Kernels[I];
    const KernelInfoJson *Info = Known.Of[K.Program];
    if (!Info || K.Launches.size() != 1 || Info->Args.size() != Doc.Args.size())
      continue;
    const Extents &Of = Functions.try_emplace(K.Program, *Info).first->second;
    const Values Given(Doc, *Info, K.Launches[0]);
    if (!Of.holdFor(K.Launches[0], Given))
      continue;
    for (size_t A = 0; A < Doc.Args.size(); ++A) {
      if (!Of.Args[A] || K.ArgDatum[A] == None)
        continue;
      const std::optional<int64_t> Reached = Given.evaluate(*Of.Args[A]);
      const Datum &Has = G.Data[K.ArgDatum[A]];
      const size_t Bytes = Info->Args[A].ElementBytes;
      const std::string Kernel =
          "kernel " + quote(Info->Name) + " (" + G.Programs[K.Program].File + ":" + std::to_string(Info->Line) + ")";
      const std::optional<int64_t> Begin = Of.Begins[A] ? Given.evaluate(*Of.Begins[A]) : std::nullopt;
      const bool Ends = Reached && *Reached >= 0 && Bytes && static_cast<uint64_t>(*Reached) < Has.Bytes / Bytes;
      if (Doc.Args[A].R == ArgDoc::Out && (Ends || (Begin && *Begin > 0))) {
        Doc.Args[A].R = ArgDoc::Io;
        Changed = true;
        if (Noted.insert({K.Program, A}).second)
          Known.Notes.push_back(Doc.Args[A].At.describe() + ": argument " + std::to_string(A) + ", " +
                                quote(Info->Args[A].Name) + ", is an output of " + std::to_string(Has.Bytes / Bytes) +
                                " elements here, but " + Kernel + " writes only " +
                                (Begin && *Begin > 0 ? "those from " + std::to_string(*Begin) + " on"
                                                     : "the first " + std::to_string(*Reached)) +
                                ": it is taken as 'io'");
        continue;
      }
      if (!Reached || *Reached <= 0 || !Bytes || static_cast<uint64_t>(*Reached) <= Has.Bytes / Bytes ||
          !Noted.insert({K.Program, A}).second)
        continue;
      Known.Notes.push_back(Doc.Args[A].At.describe() + ": argument " + std::to_string(A) + ", " +
                            quote(Info->Args[A].Name) + ", has " + std::to_string(Has.Bytes / Bytes) +
                            " elements, but " + Kernel + " may reach " + std::to_string(*Reached) + ": [" +
                            Info->Args[A].Elements + "]" + Info->Args[A].Name);
    }
  }
  return Changed;
}

} // namespace hsched::dag
