// Compares the members that a file gives for a structure with the kernel's, and writes the kernel's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Layout.h"
#include "dag/Fields.h"
#include "dag/Members.h"

#include <algorithm>
#include <cctype>

namespace hsched::dag {
namespace {

constexpr unsigned MostNested = 24; // Structures in structures. The format's depth is bounded too.
constexpr size_t MostSymbols = 16;  // In one array; the elements of a longer one have no names.
constexpr size_t MostSteps =
    size_t(1) << 22;              // Limit of one comparison. Unions in unions have exponentially many readings.
constexpr size_t MostShown = 400; // Characters of members in a message.

// The type of a member's elements if a file can give it, else bytes.
std::optional<ElementType> scalarOf(const LayoutMember &M) {
  const std::optional<ElementType> T = elementType(M.Type);
  const bool Half = T && T->K == ElementType::Floating && T->ScalarBytes == 2;
  return !T || T->K == ElementType::Raw || Half || T->bytes() * M.Count != M.Bytes ? std::nullopt : T;
}

constexpr ElementType Byte{ElementType::Unsigned, 1, 1};

// Makes the members of a file from a layout.
class MemberWriter {
public:
  MemberWriter(const Layouts &All, const ScalarText &Text) : All(All), Text(Text) {}

  std::vector<MemberDoc> structure(size_t Index, size_t Base, const std::string &Prefix, unsigned Depth) {
    const StructureLayout &S = All.at(Index);
    std::vector<MemberDoc> Out;
    size_t End = 0;
    auto Add = [&](MemberDoc M, size_t Offset, size_t Bytes) {
      if (const size_t Align = alignmentOf(M); (End + Align - 1) / Align * Align != Offset)
        M.Offset = Offset;
      End = Offset + Bytes;
      Out.push_back(std::move(M));
    };
    if (Depth > MostNested) {
      Failed = true;
      return Out;
    }
    for (const LayoutMember &M : S.Members) {
      // Of a union, a member that has all bytes.
      if (Failed || M.Bytes == 0 || (S.Union && (End || M.Bytes != S.Bytes || !scalarOf(M))))
        continue;
      Add(member(M, Base + M.Offset, Prefix + (M.Name.empty() ? "" : "_" + M.Name), Depth), M.Offset, M.Bytes);
    }
    for (const bool Again : {false, true}) {
      if (!Failed && sizeOf(Out) > S.Bytes) // Packed: a member with an offset does not align the structure.
        for (size_t I = 0, At = 0; I < Out.size(); ++I) {
          At = Out[I].Offset.value_or((At + alignmentOf(Out[I]) - 1) / alignmentOf(Out[I]) * alignmentOf(Out[I]));
          Out[I].Offset = At;
          At += sizeOf({withoutOffset(Out[I])});
        }
      if (!Failed && !Again && sizeOf(Out) < S.Bytes)
        Add(S.Union ? bytes(Base + End, S.Bytes - End) : padding(S.Bytes - End), End, S.Bytes - End);
    }
    return Out;
  }

  bool Failed = false;

private:
  static MemberDoc withoutOffset(MemberDoc M) {
    M.Offset.reset();
    return M;
  }

  MemberDoc member(const LayoutMember &M, size_t At, const std::string &Name, unsigned Depth) {
    const size_t Each = M.Bytes / M.Count;
    auto NameOf = [&](size_t I) { return M.Count > 1 ? Name + "_" + std::to_string(I) : Name; };
    MemberDoc Out;
    if (M.Structure) {
      Out.Type.S = "struct " + std::to_string(Each);
      for (size_t I = 0; I < M.Count && !Failed; ++I)
        Out.Elements.push_back(structure(*M.Structure, At + I * Each, NameOf(I), Depth + 1));
      return Out;
    }
    const std::optional<ElementType> T = scalarOf(M);
    if (!T)
      return bytes(At, M.Bytes);
    Out.Type.S = M.Type;
    const bool Named = M.Count * T->Lanes <= MostSymbols;
    for (size_t I = 0; I < M.Count; ++I)
      for (unsigned Lane = 0; Lane < T->Lanes; ++Lane)
        add(Out,
            !Named         ? ""
            : T->Lanes > 1 ? NameOf(I) + "_" + std::to_string(Lane)
                           : NameOf(I),
            {T->K, T->ScalarBytes, 1}, At + I * Each + Lane * T->ScalarBytes);
    return Out;
  }
  MemberDoc bytes(size_t At, size_t Count) {
    MemberDoc Out;
    Out.Type.S = "uchar";
    for (size_t I = 0; I < Count; ++I)
      add(Out, "", Byte, At + I);
    return Out;
  }
  static MemberDoc padding(size_t Count) {
    MemberDoc Out;
    Out.Type.S = "uchar";
    Out.Values.assign(Count, {"0", {}});
    return Out;
  }
  void add(MemberDoc &To, const std::string &Name, ElementType Scalar, size_t At) {
    const std::optional<std::string> Value = Text(Name, Scalar, At);
    Failed |= !Value;
    To.Values.push_back({Value.value_or("0"), {}});
  }

  const Layouts &All;
  const ScalarText &Text;
};

// One scalar of a file.
struct FileScalar {
  size_t Offset;
  ElementType Type; // The type of one lane.
  const MemberDoc *Doc;
  size_t Value; // Its index in Doc->Values.

  bool isByte() const { return Type.K != ElementType::Floating && Type.ScalarBytes == 1; }
  bool isPadding() const { return Doc && Doc->Type.S == "uchar" && Doc->Values[Value].S == "0"; }
};

struct Mismatch {
  const FileScalar *At = nullptr; // Null: the argument.
  std::string What;
};

// Walks through a kernel's structure and the scalars of a file, both in the order of their offsets.
class Comparison {
public:
  Comparison(const Layouts &All, std::vector<FileScalar> Scalars) : All(All), Scalars(std::move(Scalars)) {}

  std::optional<Mismatch> compare(size_t Index) {
    std::optional<Mismatch> Wrong = structure(Index, 0, "", 0);
    if (!Wrong)
      Wrong = padding(~size_t(0));
    return Steps > MostSteps ? std::nullopt : Wrong; // Not compared.
  }

private:
  // The scalars ahead of a byte are padding: zeros.
  std::optional<Mismatch> padding(size_t End) {
    for (; Next < Scalars.size() && Scalars[Next].Offset < End; ++Next)
      if (!Scalars[Next].isPadding())
        return Mismatch{&Scalars[Next], "has no member at byte " + std::to_string(Scalars[Next].Offset) + ", where a " +
                                            quote(Scalars[Next].Doc ? Scalars[Next].Doc->Type.S : "value") + " is"};
    return std::nullopt;
  }

  std::optional<Mismatch> structure(size_t Index, size_t Base, const std::string &Path, unsigned Depth) {
    const StructureLayout &S = All.at(Index);
    if (Depth > MostNested)
      Steps = MostSteps + 1;
    if (S.Union)
      return alternatives(S, Base, Path, Depth);
    for (const LayoutMember &M : S.Members)
      if (std::optional<Mismatch> Wrong = member(M, Base, Path, Depth))
        return Wrong;
    return std::nullopt;
  }

  std::optional<Mismatch> member(const LayoutMember &M, size_t Base, const std::string &Path, unsigned Depth) {
    const std::string Name = Path + (Path.empty() || M.Name.empty() ? "" : ".") + M.Name;
    const std::optional<ElementType> T = scalarOf(M);
    for (size_t I = 0; I < M.Count && M.Bytes; ++I) {
      if (++Steps > MostSteps)
        return std::nullopt;
      const size_t At = Base + M.Offset + M.Bytes / M.Count * I;
      const std::string Each = M.Count > 1 ? Name + "[" + std::to_string(I) + "]" : Name;
      std::optional<Mismatch> Wrong;
      if (M.Structure)
        Wrong = structure(*M.Structure, At, Each, Depth + 1);
      else if (T)
        for (unsigned Lane = 0; Lane < T->Lanes && !Wrong; ++Lane)
          Wrong = scalar(M, {T->K, T->ScalarBytes, 1}, At + Lane * T->ScalarBytes, Each);
      else if (Wrong = padding(At); !Wrong) // A file has no type for it: any bytes.
        while (Next < Scalars.size() && Scalars[Next].Offset < At + M.Bytes / M.Count)
          ++Next;
      if (Wrong)
        return Wrong;
    }
    return std::nullopt;
  }

  std::optional<Mismatch> scalar(const LayoutMember &M, ElementType T, size_t At, const std::string &Name) {
    auto Is = [&] {
      return "has member " + quote(Name) + " of type " + quote(M.Type) + " at byte " + std::to_string(At);
    };
    if (std::optional<Mismatch> Wrong = padding(At))
      return Wrong;
    if (Next == Scalars.size() || Scalars[Next].Offset >= At + T.ScalarBytes)
      return Mismatch{nullptr, Is() + ", which has no value here"};
    const FileScalar &G = Scalars[Next];
    const bool Floating = T.K == ElementType::Floating, FileFloating = G.Type.K == ElementType::Floating;
    if (G.Offset != At || G.Type.ScalarBytes != T.ScalarBytes || Floating != FileFloating)
      return Mismatch{&G, Is() + ", not " + (G.Doc ? quote(G.Doc->Type.S) : "a value of another type") +
                              (G.Offset == At ? "" : " at byte " + std::to_string(G.Offset))};
    ++Next;
    return std::nullopt;
  }

  // One of a union's members, or bytes.
  std::optional<Mismatch> alternatives(const StructureLayout &S, size_t Base, const std::string &Path, unsigned Depth) {
    std::optional<Mismatch> First = padding(Base);
    const size_t Begin = Next;
    for (size_t I = 0; !First && I < S.Members.size(); ++I) {
      Next = Begin;
      if (!member(S.Members[I], Base, Path, Depth) && !padding(Base + S.Bytes))
        return std::nullopt;
    }
    for (Next = Begin; !First && Next < Scalars.size() && Scalars[Next].Offset < Base + S.Bytes; ++Next)
      if (!Scalars[Next].isByte())
        First = Mismatch{&Scalars[Begin], "has " + quote(S.Name) + (Path.empty() ? "" : " " + quote(Path)) +
                                              " at byte " + std::to_string(Base) + ", none of whose members is given"};
    return First;
  }

  const Layouts &All;
  const std::vector<FileScalar> Scalars;
  size_t Next = 0, Steps = 0;
};

} // namespace

namespace {

void addIntegers(const Layouts &All, size_t Index, size_t Base, const std::string &Path, unsigned Depth,
                 std::vector<NamedInteger> &Out) {
  if (All.at(Index).Union || Depth > MostNested)
    return;
  for (const LayoutMember &M : All[Index].Members) {
    const std::string Name = Path + (Path.empty() || M.Name.empty() ? "" : ".") + M.Name;
    const std::optional<ElementType> T = scalarOf(M);
    if (M.Count != 1 || !M.Bytes)
      continue;
    if (M.Structure)
      addIntegers(All, *M.Structure, Base + M.Offset, Name, Depth + 1, Out);
    else if (T && T->Lanes == 1 && T->K != ElementType::Floating)
      Out.push_back({Name, *T, Base + M.Offset});
  }
}

} // namespace

std::vector<NamedInteger> integersOf(const Layouts &All, size_t Index) {
  std::vector<NamedInteger> Out;
  addIntegers(All, Index, 0, "", 0, Out);
  return Out;
}

std::string replaceMembers(const std::string &Text, const std::function<std::string(const std::string &)> &Symbol) {
  auto IsWord = [](char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '.'; };
  std::string Out;
  for (size_t At = 0; At < Text.size();) {
    const size_t End = static_cast<size_t>(
        std::find_if_not(Text.begin() + static_cast<ptrdiff_t>(At), Text.end(), IsWord) - Text.begin());
    const std::string Word = Text.substr(At, End - At);
    const std::string Instead = Word.find('.') == std::string::npos ? "" : Symbol(Word);
    Out += Instead.empty() ? Word : Instead;
    if (At = End; At < Text.size())
      Out += Text[At++];
  }
  return Out;
}

std::optional<std::vector<MemberDoc>> membersOf(const Layouts &All, size_t Index, const std::string &Prefix,
                                                const ScalarText &Text) {
  MemberWriter W(All, Text);
  std::vector<MemberDoc> Out = W.structure(Index, 0, Prefix, 0);
  return W.Failed ? std::nullopt : std::optional(std::move(Out));
}

std::string wantedValue(const Layouts &All, size_t Index, const std::string &Name, const std::string &File) {
  const std::string Type = "\"type\": \"struct " + std::to_string(All.at(Index).Bytes) + "\"";
  const auto Members =
      membersOf(All, Index, Name, [](const std::string &Symbol, ElementType, size_t) -> std::optional<std::string> {
        return Symbol.empty() ? "0" : Symbol;
      });
  const std::string Text = Members ? writeMembers(*Members) : "";
  return Text.empty() || Text.size() > MostShown
             ? Type + ", with the members that 'hsched-run --init " + File + "' writes"
             : Type + ", \"value\": " + Text;
}

std::optional<MemberDifference> compareMembers(const ArgDoc &Arg, const Layouts &All, size_t Index) {
  if (std::all_of(Arg.Members.begin(), Arg.Members.end(),
                  [](const MemberDoc &M) { return M.Type.S == "uchar" && !M.Offset; }))
    return std::nullopt;
  std::vector<FileScalar> Scalars;
  for (const PlacedMember &M : placeMembers(Arg))
    for (unsigned Lane = 0; Lane < M.Type.Lanes; ++Lane)
      Scalars.push_back(
          {M.Offset + Lane * M.Type.ScalarBytes, {M.Type.K, M.Type.ScalarBytes, 1}, M.Doc, M.First + Lane});
  Comparison Both(All, std::move(Scalars));
  const std::optional<Mismatch> Wrong = Both.compare(Index);
  if (!Wrong)
    return std::nullopt;
  return MemberDifference{Wrong->At ? Wrong->At->Doc->Type.At : Arg.At, Wrong->What};
}

bool isLike(const ElementType &T, const Layouts &All, size_t Index) {
  std::vector<FileScalar> Scalars;
  for (unsigned Lane = 0; Lane < T.Lanes; ++Lane)
    Scalars.push_back({Lane * size_t(T.ScalarBytes), {T.K, T.ScalarBytes, 1}, nullptr, 0});
  return !Comparison(All, std::move(Scalars)).compare(Index);
}

} // namespace hsched::dag
