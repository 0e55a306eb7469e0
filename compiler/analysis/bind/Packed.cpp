// packed(p: ld): packed tiles of a version.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Internal.h"

using namespace clang;

namespace hsched::cc {
namespace {

class PackedBinder {
public:
  // Kernel: null if F has a body.
  PackedBinder(DiagnosticsEngine &Diags, BoundFunction &F, const BoundFunction &Main, const KernelCode *Kernel)
      : Diags(Diags), F(F), Main(Main), Kernel(Kernel), Code(F.code()), FD(*F.Annotated),
        Object(F.code().ObjectFirst ? 1 : 0) {}

  // False after an error.
  bool bind() {
    for (const PackedTile &P : F.D.Packed) {
      std::optional<size_t> Tile = paramOf(P.Tile, P.TileLoc), Leading = paramOf(P.Leading, P.LeadingLoc);
      if (!Tile || !Leading || !fresh(P, *Tile, *Leading) || !isNumber(P, *Leading) || !isTileOf(P, *Tile) ||
          (Kernel && !isHanded(P, *Tile, *Leading)))
        return false;
      Code.Packed.push_back({*Tile, *Leading});
    }
    return true;
  }

private:
  DiagnosticsEngine &Diags;
  BoundFunction &F;
  const BoundFunction &Main;
  const KernelCode *const Kernel;
  FunctionCode &Code;
  const FunctionDecl &FD;
  const size_t Object; // Number of parameters in front of the task's own.

  template <unsigned N, class... Args> bool fail(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    error(Diags, Loc, Format, Values...);
    return false;
  }

  std::optional<size_t> paramOf(const std::string &Name, SourceLocation Loc) {
    std::string Params;
    for (size_t I = Object; I < FD.getNumParams(); ++I) {
      llvm::StringRef Param = FD.getParamDecl(static_cast<unsigned>(I))->getName();
      if (Param == Name)
        return I - Object;
      if (!Param.empty())
        Params += (Params.empty() ? "'" : ", '") + Param.str() + "'";
    }
    fail(Loc, "unknown name '%0' in clause 'packed': it is not a parameter of '%1'", Name, FD.getNameAsString());
    if (!Params.empty())
      note(Diags, FD.getLocation(), "the parameters of '%0' are %1", FD.getNameAsString(), Params);
    return std::nullopt;
  }

  bool fresh(const PackedTile &P, size_t Tile, size_t Leading) {
    if (Tile == Leading)
      return fail(P.LeadingLoc, "'%0' cannot be its own leading dimension", P.Tile);
    for (const PackedCode &Before : Code.Packed)
      if (Before.Tile == Tile)
        return fail(P.TileLoc, "'%0' is packed twice", P.Tile);
    return true;
  }

  QualType typeOf(size_t Param) const { return FD.getParamDecl(static_cast<unsigned>(Param + Object))->getType(); }

  bool isNumber(const PackedTile &P, size_t Leading) {
    const QualType Type = typeOf(Leading), T = Type.getNonReferenceType();
    const bool Number = T->isDependentType() ? !isa<PackExpansionType>(T)
                                             : T->isIntegerType() && !T->isBooleanType() && !T->isEnumeralType();
    if (!Number)
      return fail(P.LeadingLoc, "a leading dimension is an integer, but '%0' is '%1'", P.Leading,
                  T.getAsString(FD.getASTContext().getPrintingPolicy()));
    if (!Kernel && Type->isLValueReferenceType() && !T.isConstQualified())
      return fail(P.LeadingLoc,
                  "'%0' is a reference that the body may write through, so that it cannot be given the device's "
                  "leading dimension: take it by value",
                  P.Leading);
    return true;
  }

  // True if the task names one tile through this parameter.
  bool isTileOf(const PackedTile &P, size_t Tile) {
    const QualType T = typeOf(Tile);
    const bool IsOwn =
        llvm::any_of(F.Version.Sections, [Tile](const AccessCode &A) { return A.Param == static_cast<int>(Tile); });
    const std::string &Theirs = IsOwn ? Code.Params[Tile].Name : Main.Task.Params[Tile].Name;
    bool Any = false;
    for (const AccessCode &A : IsOwn ? F.Version.Sections : Main.Task.Accesses) {
      if (A.Param != static_cast<int>(Tile))
        continue;
      Any = true;
      std::string Why;
      if (!A.What.Over.empty() || A.What.Pack)
        Why = "is a list, and the tiles of a list have no leading dimension in common";
      else if (A.What.tiled())
        Why = "has more dimensions than rows and columns, so that one leading dimension does not give the places of "
              "its rows";
      else if (A.What.F != Section::Form::Tile && !(A.What.F == Section::Form::Whole && isTile(T)))
        Why = "lies in one piece: a tile is written ([m][n]" + Theirs + ")[i:rows][j:columns]";
      if (Why.empty())
        continue;
      fail(P.TileLoc, "'%0' is not a tile: section '%1' of task '%2' %3", P.Tile, A.What.Text, Main.Task.Name, Why);
      note(Diags, A.What.Loc.isValid() ? A.What.Loc : Main.D.Loc, "the section is named here");
      return false;
    }
    // Without the main version's body, its inferred clauses are unknown here.
    if (Any || (!F.IsTask && !Main.Definition && Main.D.Data.empty()))
      return true;
    return fail(P.TileLoc, "'%0' is not a tile: no data clause of task '%1' names it", P.Tile, Main.Task.Name);
  }

  // The kernel must get both.
  bool isHanded(const PackedTile &P, size_t Tile, size_t Leading) {
    bool Data = false, Number = false;
    for (size_t I = 0; I < Kernel->Args.size(); ++I) {
      const KernelArgCode &A = Kernel->Args[I];
      Data |= A.K == KernelArgCode::Kind::Buffer && A.Param == static_cast<int>(Tile);
      Number |= A.K == KernelArgCode::Kind::Value && A.Param == static_cast<int>(Leading);
      if (F.D.Args && A.K == KernelArgCode::Kind::Computed)
        for (const NameUse &N : (*F.D.Args)[I].Value.Names)
          Number |= N.Name == P.Leading;
    }
    if (Data && Number)
      return true;
    fail(Data ? P.LeadingLoc : P.TileLoc, "'%0' is not among the kernel's arguments%1", Data ? P.Leading : P.Tile,
         Data ? ", so that it would not know where the tile's rows are" : "");
    note(Diags, F.D.Args ? F.D.ArgsLoc : FD.getLocation(), "the kernel's arguments are here");
    return false;
  }
};

} // namespace

bool bindPacked(DiagnosticsEngine &Diags, BoundFunction &F, const BoundFunction &Main, const KernelCode *Kernel) {
  return Main.Bad || PackedBinder(Diags, F, Main, Kernel).bind();
}

} // namespace hsched::cc
