// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Checks.h"

#include "analysis/Fixes.h"
#include "analysis/infer/Questions.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Checks : public BindContext {
  Sharing &Shared;

public:
  Checks(const BindContext &C, Sharing &Shared) : BindContext(C), Shared(Shared) {}

  Fixes roleFix(const BoundFunction &F, const Declared &D, const char *Role) {
    return fixRole(SM, F.D, D.A->What.Loc, Role);
  }

  // Checks the clauses. True if something was reported.
  bool check(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version) {
    if (checkParts(S, Id, Main, Version) || outsideParts(S, Id, Main, Version))
      return true;
    const RootEffect &E = S.effects().of(Id);
    std::vector<Declared> List = S.declared(Id);
    if (List.empty())
      return false;
    const std::string Name = S.nameOf(Id);
    bool MayRead = false, MayWrite = false;
    for (const Declared &D : List) {
      MayRead |= reads(D.A->Role);
      MayWrite |= writes(D.A->Role);
    }
    if (E.Written && !MayWrite && S.definite(Id, /*Write=*/true))
      return lie(S, List.front(), Main, Version, "writes", Name, E.FirstWrite, "inout");
    const auto Called = [&](const Declared &D) { return D.A->What.Text.empty() ? Name : D.A->What.Text; };
    for (const Declared &D : List)
      if (MayWrite && !writes(D.A->Role) && standsAlone(S.effects(), D, List))
        if (SourceLocation At = S.effects().writesIn(Id, *D.What); At.isValid())
          return lie(S, D, Main, Version, "writes", Called(D), At, "inout");
    // The part is unknown. But everything accessed is read, before or instead of a write.
    const auto readsIt = [](const Access &A) { return A.K != AccessKind::Write && !A.Guess; };
    const auto begins = [](const Access &A) { return A.K == AccessKind::Write; };
    const Root &R = S.Tree.Roots[Id];
    if (!MayRead && !List.front().What && R.K == Root::Indirect && !R.Owned && S.anyAccess(Id, readsIt) &&
        !S.anyAccess(Id, begins))
      return lie(S, List.front(), Main, Version, E.Written ? "reads" : "does not write", Name, E.FirstRead,
                 E.Written ? "inout" : "in");
    // Several `out` sections: each must be overwritten.
    for (const Declared &D : List) {
      if (MayRead && (reads(D.A->Role) || !standsAlone(S.effects(), D, List)))
        continue;
      SourceLocation Witness;
      const Answer Whole = D.What ? S.effects().overwrites(Id, *D.What, &Witness) : Answer::Unknown;
      if (Whole != Answer::No) {
        if (Whole == Answer::Unknown && !MayRead && onCondition(S, Id, D, Called(D), Main, Version))
          return true;
        continue;
      }
      const auto ReadThere = [&](const Access &A) { return A.K != AccessKind::Write && A.Loc == Witness; };
      const bool ReadIt =
          MayRead ? Witness != E.FirstWrite && S.anyAccess(Id, ReadThere) : E.ReadFirst && Witness == E.FirstRead;
      if (!ReadIt && S.ofTile(Id)) // The loop's other bound may be as long.
        continue;
      if (ReadIt || !E.Written)
        return lie(S, D, Main, Version, ReadIt ? "reads" : "does not write", MayRead ? Called(D) : Name, Witness,
                   ReadIt ? "inout" : "in");
      return leavesSome(S, D, Called(D), Witness, Main, Version);
    }
    return List.size() == 1 && List.front().What && !S.ofTile(Id) && leaves(S, Id, List.front(), Name, Main, Version);
  }

  // True if no other clause names another part of it.
  static bool standsAlone(const Effects &E, const Declared &D, llvm::ArrayRef<Declared> List) {
    return D.What && llvm::all_of(List, [&](const Declared &X) {
             return X.A->Role == D.A->Role || (X.What && E.apart(*D.What, *X.What));
           });
  }

  // Checks the parts that clauses name, of an object or of memory behind a pointer.
  bool checkParts(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version) {
    std::vector<Declared> List = S.inBytes(Id);
    for (Declared &D : List)
      D.What = D.Bytes;
    const Effects &E = S.effectsInBytes();
    for (const Declared &D : List) {
      if (!standsAlone(E, D, List))
        continue;
      const std::string &Name = D.A->What.Text;
      const SourceLocation Written = E.writesIn(Id, *D.What);
      if (!writes(D.A->Role)) {
        if (Written.isValid() && S.definite(Id, /*Write=*/true))
          return lie(S, D, Main, Version, "writes", Name, Written, "inout");
        continue;
      }
      if (reads(D.A->Role))
        continue;
      SourceLocation Witness;
      bool ReadIt = false;
      const Answer Whole = E.overwrites(Id, *D.What, &Witness, &ReadIt);
      const bool Any = E.of(Id).Written;
      if (Whole == Answer::No && (ReadIt || !Any))
        return lie(S, D, Main, Version, ReadIt && Any ? "reads" : "does not write", Name, Witness,
                   Any ? "inout" : "in");
      if (Whole == Answer::No)
        return (Written.isInvalid() && outsideParts(S, Id, Main, Version)) ||
               leavesSome(S, D, Name, Written, Main, Version);
      if (Whole == Answer::Unknown && E.writesInside(Id, *D.What) == Answer::Yes &&
          onCondition(S, Id, D, Name, Main, Version))
        return true;
    }
    return false;
  }

  // Written: where some of it is written, if valid.
  bool leavesSome(const Subject &S, const Declared &D, const std::string &Name, SourceLocation Written,
                  const BoundFunction &Main, const BoundFunction *Version) {
    warn(Diags, Warning::Coverage, D.A->What.Loc,
         "%0 '%1' does not overwrite all of '%2', which 'out' promises: what it leaves is lost",
         Version ? "version" : "task", calledSo(Version ? *Version : Main), Name, roleFix(Main, D, "inout"));
    if (SourceLocation At = S.At(Written); At.isValid())
      note(Diags, At, "this is all that is surely written");
    return true;
  }

  bool onCondition(const Subject &S, unsigned Id, const Declared &D, const std::string &Name, const BoundFunction &Main,
                   const BoundFunction *Version) {
    const SourceLocation At = S.writtenOnCondition(Id);
    if (At.isInvalid())
      return false;
    warn(Diags, Warning::Coverage, D.A->What.Loc,
         "%0 '%1' writes '%2' on a condition alone, but 'out' promises to overwrite it: where it does not, what was "
         "there is lost",
         Version ? "version" : "task", calledSo(Version ? *Version : Main), Name, roleFix(Main, D, "inout"));
    note(Diags, S.At(At), "it is written here, if data that was read says so");
    return true;
  }

  // True if an access leaves the only section that a clause names.
  bool leaves(const Subject &S, unsigned Id, const Declared &D, const std::string &Name, const BoundFunction &Main,
              const BoundFunction *Version) {
    const RootEffect &E = S.effects().of(Id);
    SourceLocation Witness;
    if (S.effects().inside(Id, *D.What, &Witness) != Answer::No)
      return false;
    FixItHint Fix;
    std::string Suggestion;
    bool Exact = false;
    if (E.All && D.A->What.F != Section::Form::Whole)
      if (std::optional<Section> Better = sectionOf(*E.All, Name, S.perElement(Id), S.speller(), Exact);
          Better && evaluable(Better->Text))
        Suggestion = Better->Text;
    if (!Suggestion.empty() && D.A->What.Loc.isFileID() && D.A->What.Base.End.isFileID())
      Fix = FixItHint::CreateReplacement(sectionRange(D.A->What), Suggestion);
    warn(Diags, Warning::Extent, D.A->What.Loc, "%0 '%1' touches '%2' outside '%3', the section that '%4' names",
         Version ? "version" : "task", calledSo(Version ? *Version : Main), Name, D.A->What.Text, spelling(D.A->Role),
         Fix);
    if (SourceLocation At = S.At(Witness); At.isValid()) {
      if (Suggestion.empty())
        note(Diags, At, "this access is outside");
      else
        note(Diags, At, "this access is outside; all of them are in '%0'", Suggestion);
    }
    return true;
  }

  // True if the root is read only where clauses are evaluated at the submission.
  static bool readAtSubmission(const Subject &S, unsigned Id) {
    const std::optional<Path> Way = S.pathOf(S.nameOf(Id));
    const std::string Name = Way ? Way->Name : S.nameOf(Id);
    unsigned Uses = 0, Parts = 0;
    for (const AccessCode &A : S.accesses())
      for (const auto *E : A.What.expressions())
        for (const NameUse &Use : E->Names)
          Uses += Use.Name == Name;
    for (const Declared &D : S.inBytes(Id))
      Parts += D.Bytes.has_value();
    return Uses > Parts;
  }

  // Reports accesses to a variable outside of all parts in clauses.
  bool outsideParts(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version) {
    const std::vector<Declared> Parts = S.inBytes(Id);
    if (Parts.empty())
      return false;
    for (const bool Writes : {true, false}) {
      std::vector<Box> Boxes;
      const Declared *One = nullptr;
      bool Known = Writes || !readAtSubmission(S, Id);
      for (const Declared &D : Parts)
        if (!Writes || writes(D.A->Role)) {
          One = &D;
          Known &= D.Bytes.has_value();
          Boxes.push_back(D.Bytes.value_or(Box()));
        }
      if (!One || !Known)
        continue;
      const auto say = [&Diags = Diags, Many = Boxes.size() > 1, Kind = Version ? "version" : "task",
                        What = One->A->What, Role = spelling(One->A->Role), Who = calledSo(Version ? *Version : Main),
                        Name = S.nameOf(Id)](SourceLocation At) {
        if (Many)
          warn(Diags, Warning::Extent, What.Loc, "%0 '%1' touches '%2' outside of all the parts that clauses name",
               Kind, Who, Name);
        else
          warn(Diags, Warning::Extent, What.Loc, "%0 '%1' touches '%2' outside '%3', the section that '%4' names", Kind,
               Who, Name, What.Text, Role, FixItHint());
        if (At.isValid())
          note(Diags, At, "this access is outside");
      };
      // Of several accesses, one is reported.
      auto Said = std::make_shared<bool>(false);
      const SourceLocation Witness = S.effects().outside(Id, Boxes, Writes, [&](const Access &A) {
        const std::vector<const Decl *> Member = Writes ? std::vector<const Decl *>() : S.memberOf(Id, A);
        if (Member.empty())
          return true;
        Shared.unnamedMember(Member, [say, Said, At = S.At(A.Loc)] {
          if (!std::exchange(*Said, true))
            say(At);
        });
        return false;
      });
      if (!Witness.isValid())
        continue;
      *Said = true;
      say(S.At(Witness));
      return true;
    }
    return false;
  }

  // Always true: something was reported.
  bool lie(const Subject &S, const Declared &D, const BoundFunction &Main, const BoundFunction *Version,
           const char *Does, const std::string &Name, SourceLocation Where, const char *Suggestion) {
    const std::string Who = calledSo(Version ? *Version : Main);
    SourceLocation At = S.At(Where);
    if (Version && Version->Annotated == Main.Annotated) { // A section of its own.
      warn(Diags, Warning::Versions, D.A->What.Loc, "version '%0' %1 '%2', which its clause says is '%3'", Who, Does,
           Name, spelling(D.A->Role));
    } else if (Version) {
      warn(Diags, Warning::Versions, Version->Annotated->getLocation(),
           "version '%0' %1 '%2', which its task '%3' says is '%4'", Who, Does, Name, Main.Annotated->getNameAsString(),
           spelling(D.A->Role));
      note(Diags, D.A->What.Loc.isValid() ? D.A->What.Loc : Main.D.Loc,
           "the task's clause is here; '%0' holds for both", Suggestion, roleFix(Main, D, Suggestion));
    } else {
      warn(Diags, Warning::Role, D.A->What.Loc.isValid() ? D.A->What.Loc : Main.D.Loc,
           "task '%0' %1 '%2', which its clause says is '%3': write '%4'", Who, Does, Name, spelling(D.A->Role),
           Suggestion, roleFix(Main, D, Suggestion));
    }
    if (At.isValid())
      note(Diags, At, "'%0' %1 it here", Who, Does);
    return true;
  }
};

} // namespace

bool checkClauses(const BindContext &C, const Subject &S, unsigned Id, const BoundFunction &Main,
                  const BoundFunction *Version, Sharing &Shared) {
  return Checks(C, Shared).check(S, Id, Main, Version);
}

} // namespace hsched::cc
