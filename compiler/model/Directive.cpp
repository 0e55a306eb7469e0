// Printing of directives.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Directive.h"

#include "llvm/Support/raw_ostream.h"

namespace hsched::cc {

const char *spelling(AccessRole Role) {
  switch (Role) {
  case AccessRole::In:
    return "in";
  case AccessRole::Out:
    return "out";
  case AccessRole::InOut:
    return "inout";
  case AccessRole::Concurrent:
    return "concurrent";
  case AccessRole::Commutative:
    return "commutative";
  case AccessRole::Reduction:
    return "reduction";
  }
  return "";
}

const char *spelling(DirectiveKind Kind) {
  switch (Kind) {
  case DirectiveKind::Task:
    return "task";
  case DirectiveKind::Implements:
    return "implements";
  case DirectiveKind::Device:
    return "device";
  case DirectiveKind::Taskwait:
    return "taskwait";
  case DirectiveKind::Declare:
    return "declare";
  case DirectiveKind::Taskloop:
    return "taskloop";
  case DirectiveKind::For:
    return "for";
  case DirectiveKind::Taskgroup:
    return "taskgroup";
  }
  return "";
}

const char *spelling(NamedVariable::How H) {
  switch (H) {
  case NamedVariable::How::Shared:
    return "shared";
  case NamedVariable::How::FirstPrivate:
    return "firstprivate";
  case NamedVariable::How::Private:
    return "private";
  case NamedVariable::How::Unused:
    return "unused";
  }
  return "";
}

bool Directive::hasAccesses() const {
  for (const DataClause &C : Data)
    if (C.Role != AccessRole::Reduction)
      return true;
  return false;
}

bool Section::single() const { return Over.empty() && !Pack && !Owner && !tiled(); }

bool Section::tiled() const {
  if (F != Form::Tile)
    return false;
  // Each extent is a distance between rows, except the innermost one, which is the row's length.
  size_t Ranges = Shape.size() > Subscripts.size() ? Shape.size() - Subscripts.size() : 0;
  bool Row = Ranges > 0 || Subscripts.back().K == Subscript::Kind::Range;
  for (const Subscript &Sub : Subscripts)
    Ranges += Sub.K == Subscript::Kind::Range;
  return Ranges > (Row ? 2u : 1u);
}

std::vector<const Expr *> Section::expressions() const {
  std::vector<const Expr *> Out = {&Base, &Low, &Length};
  for (const Expr &E : Shape)
    Out.push_back(&E);
  for (const Subscript &Sub : Subscripts) {
    Out.push_back(&Sub.Low);
    Out.push_back(&Sub.Length);
  }
  for (const Generator &G : Over) {
    Out.push_back(&G.Low);
    Out.push_back(&G.Count);
    Out.push_back(&G.Step);
  }
  return Out;
}

std::vector<const NameUse *> Directive::names() const {
  std::vector<const NameUse *> Out;
  auto add = [&](const Expr &E, const Section *Of = nullptr) {
    for (const NameUse &N : E.Names)
      if (!Of || !Of->generates(N.Name))
        Out.push_back(&N);
  };
  auto addSections = [&](const std::vector<Section> &List) {
    for (const Section &S : List)
      for (const Expr *E : S.expressions())
        add(*E, &S);
  };
  for (const DataClause &Clause : Data)
    addSections(Clause.Sections);
  if (On)
    addSections(*On);
  for (const std::optional<Expr> *Hint : {&Priority, &Label, &If, &Final, &Cost, &Where, &Grainsize})
    if (*Hint)
      add(**Hint);
  return Out;
}

bool Section::generates(const std::string &Name) const {
  for (const Generator &G : Over)
    if (G.Name == Name)
      return true;
  return false;
}

static void printShape(llvm::raw_ostream &OS, const Section &S) {
  for (const Expr &E : S.Shape)
    OS << '[' << E.Text << ']';
  OS << S.Base.Text;
}

static void printOne(llvm::raw_ostream &OS, const Section &S) {
  switch (S.F) {
  case Section::Form::Whole:
    OS << S.Base.Text;
    return;
  case Section::Form::Pointee:
    OS << '*' << S.Base.Text;
    return;
  case Section::Form::Shaped:
    printShape(OS, S);
    return;
  case Section::Form::Range:
    OS << S.Base.Text << '[' << S.Low.Text << ':' << S.Length.Text << ']';
    return;
  case Section::Form::Tile:
    OS << (S.Shape.empty() ? "" : "(");
    printShape(OS, S);
    OS << (S.Shape.empty() ? "" : ")");
    for (const Subscript &Sub : S.Subscripts)
      if (Sub.K == Subscript::Kind::Index)
        OS << '[' << Sub.Low.Text << ']';
      else
        OS << '[' << Sub.Low.Text << ':' << Sub.Length.Text << ']';
    return;
  }
}

void print(llvm::raw_ostream &OS, const Section &S) {
  if (!S.Over.empty())
    OS << '{';
  printOne(OS, S);
  OS << (S.Pack ? "..." : "");
  for (const Generator &G : S.Over) {
    OS << ", " << G.Name << " = " << G.Low.Text << "; " << G.Count.Text;
    if (G.Step.Text != "1")
      OS << " : " << G.Step.Text;
  }
  if (!S.Over.empty())
    OS << '}';
}

static void printList(llvm::raw_ostream &OS, const std::vector<Section> &List) {
  const char *Separator = "";
  for (const Section &S : List) {
    OS << Separator;
    print(OS, S);
    Separator = ", ";
  }
}

static void printList(llvm::raw_ostream &OS, const std::vector<Expr> &List) {
  const char *Separator = "";
  for (const Expr &E : List) {
    OS << Separator << E.Text;
    Separator = ", ";
  }
}

void print(llvm::raw_ostream &OS, const Directive &D) {
  OS << spelling(D.Kind);
  if (D.Kind == DirectiveKind::Implements)
    OS << '(' << D.Implements << ')';
  for (const DataClause &C : D.Data) {
    OS << ' ' << spelling(C.Role) << '(';
    if (C.Role == AccessRole::Reduction)
      OS << C.Op << ": ";
    printList(OS, C.Sections);
    OS << ')';
  }
  for (const DeviceChoice &C : D.Devices)
    OS << " device(" << C.Text << ')';
  if (D.Kernel) {
    OS << " kernel(\"" << D.Kernel->File.Value << '"';
    if (D.Kernel->Name)
      OS << ", \"" << D.Kernel->Name->Value << '"';
    OS << ')';
  }
  if (D.Range) {
    OS << " ndrange(";
    printList(OS, D.Range->Global);
    if (!D.Range->Local.empty() || !D.Range->Offset.empty())
      OS << (D.Range->Local.empty() ? ";" : "; ");
    printList(OS, D.Range->Local);
    if (!D.Range->Offset.empty())
      OS << "; ";
    printList(OS, D.Range->Offset);
    OS << ')';
  }
  if (D.Args) {
    OS << " args(";
    const char *Separator = "";
    for (const KernelArgument &A : *D.Args) {
      OS << Separator << (A.Local ? "local(" + A.Value.Text + ")" : A.Value.Text);
      Separator = ", ";
    }
    OS << ')';
  }
  if (D.Options)
    OS << " options(\"" << D.Options->Value << "\")";
  for (const PackedTile &P : D.Packed)
    OS << " packed(" << P.Tile << ": " << P.Leading << ')';
  if (D.Priority)
    OS << " priority(" << D.Priority->Text << ')';
  if (D.Label)
    OS << " label(" << D.Label->Text << ')';
  if (D.If)
    OS << " if(" << D.If->Text << ')';
  if (D.Final)
    OS << " final(" << D.Final->Text << ')';
  if (D.Cost)
    OS << " cost(" << D.Cost->Text << ')';
  if (D.Where)
    OS << " where(" << D.Where->Text << ')';
  for (const NamedVariable &V : D.Variables)
    OS << ' ' << spelling(V.H) << '(' << V.Name << ')';
  if (D.Collapse > 1)
    OS << " collapse(" << D.Collapse << ')';
  if (D.NoWait)
    OS << " nowait";
  if (D.Grainsize)
    OS << " grainsize(" << D.Grainsize->Text << ')';
  if (D.On) {
    OS << " on(";
    printList(OS, *D.On);
    OS << ')';
  }
  if (D.NoFlush)
    OS << " noflush";
}

} // namespace hsched::cc
