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
  }
  return "";
}

void print(llvm::raw_ostream &OS, const Section &S) {
  switch (S.F) {
  case Section::Form::Whole:
    OS << S.Base.Text;
    return;
  case Section::Form::Pointee:
    OS << '*' << S.Base.Text;
    return;
  case Section::Form::Shaped:
    for (const Expr &E : S.Shape)
      OS << '[' << E.Text << ']';
    OS << S.Base.Text;
    return;
  case Section::Form::Range:
    OS << S.Base.Text << '[' << S.Low.Text << ':' << S.Length.Text << ']';
    return;
  }
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
    if (!D.Range->Local.empty()) {
      OS << "; ";
      printList(OS, D.Range->Local);
    }
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
  if (D.Priority)
    OS << " priority(" << D.Priority->Text << ')';
  if (D.Label)
    OS << " label(" << D.Label->Text << ')';
  if (D.On) {
    OS << " on(";
    printList(OS, *D.On);
    OS << ')';
  }
  if (D.NoFlush)
    OS << " noflush";
}

} // namespace hsched::cc
