// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/UnitOf.h"

#include "hsched/abi.h"
#include "model/NameCharacters.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace hsched::cc {
namespace {

std::string sectionText(const Section &S) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  print(OS, S);
  return Text;
}

// Symbolic number of elements, in terms of the main version's parameters.
std::string elementCount(const Section &S) {
  switch (S.F) {
  case Section::Form::Whole:
    return "sizeof(" + S.Base.Text + ") / sizeof(" + S.Base.Text + "[0])";
  case Section::Form::Pointee:
    return "1";
  case Section::Form::Range:
    return S.Length.Text;
  case Section::Form::Shaped:
  case Section::Form::Tile:
    break;
  }
  std::string Count;
  auto times = [&](const std::string &N) {
    bool Plain =
        N.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
    Count += (Count.empty() ? "" : "*") + (Plain ? N : "(" + N + ")");
  };
  std::string Element = S.Base.Text; // The expression that determines the extents of an array's dimensions.
  for (size_t I = 0; I < std::max(S.Shape.size(), S.Subscripts.size()); ++I) {
    std::string Extent = I < S.Shape.size() ? S.Shape[I].Text : "sizeof(" + Element + ") / sizeof(" + Element + "[0])";
    Element += "[0]";
    if (I >= S.Subscripts.size())
      times(Extent);
    else if (S.Subscripts[I].K == Subscript::Kind::Index)
      continue;
    else if (!S.Subscripts[I].Length.Text.empty())
      times(S.Subscripts[I].Length.Text);
    else
      times(S.Subscripts[I].Low.Text == "0" ? Extent : Extent + " - (" + S.Subscripts[I].Low.Text + ")");
  }
  return Count.empty() ? "1" : Count;
}

std::string byteCount(const Section &S) {
  if (S.F == Section::Form::Whole)
    return "sizeof(" + S.Base.Text + ")";
  std::string Element = "*(" + S.Base.Text + ")";
  if (S.Shape.empty())
    for (size_t I = 1; I < S.Subscripts.size(); ++I)
      Element = "(" + Element + ")[0]";
  return "(" + elementCount(S) + ") * sizeof(" + Element + ")";
}

UnitRole roleOf(AccessRole R) {
  switch (R) {
  case AccessRole::In:
    return UnitRole::In;
  case AccessRole::Out:
    return UnitRole::Out;
  case AccessRole::InOut:
    return UnitRole::InOut;
  case AccessRole::Concurrent:
    return UnitRole::Concurrent;
  case AccessRole::Commutative:
    return UnitRole::Commutative;
  case AccessRole::Reduction:
    return UnitRole::Reduction;
  }
  return UnitRole::InOut;
}

// Parameter names differ between a task and its versions; positions do not. Sizes use the version's names if they are
// single names, else the task's.
std::string inWordsOf(const std::string &Text, const FunctionCode &Task, const FunctionCode &Version) {
  std::string Out, Word;
  auto flush = [&] {
    for (size_t I = 0; I < Task.Params.size() && I < Version.Params.size(); ++I)
      if (Task.Params[I].Name == Word) {
        Word = Version.Params[I].Name;
        break;
      }
    Out += Word;
    Word.clear();
  };
  for (char C : Text)
    if (inName(C)) {
      Word += C;
    } else {
      flush();
      Out += C;
    }
  flush();
  return Out;
}

UnitKernel kernelOf(const KernelCode &K, const FunctionCode &Version, const TaskCode *Task) {
  UnitKernel U;
  U.Name = K.Name;
  U.Src = K.File;
  U.WorkDimension = static_cast<unsigned>(K.Global.size());
  for (const Expr &E : K.Global)
    U.GlobalWorkSize.push_back(E.Text);
  for (const Expr &E : K.Local)
    U.LocalWorkSize.push_back(E.Text);
  for (unsigned Pos = 0; Pos < K.Args.size(); ++Pos) {
    const KernelArgCode &A = K.Args[Pos];
    switch (A.K) {
    case KernelArgCode::Kind::Buffer: {
      const AccessCode *Access = nullptr;
      bool Reads = false, Writes = false;
      if (Task)
        for (const AccessCode &C : Task->Accesses)
          if (C.Param == A.Param) {
            Access = Access ? Access : &C;
            Reads |= reads(C.Role);
            Writes |= writes(C.Role);
          }
      UnitBuffer B{A.Element, Pos, Access && Task ? inWordsOf(elementCount(Access->What), *Task, Version) : ""};
      (Reads && Writes ? U.IoBuffers : Writes ? U.OutputBuffers : U.InputBuffers).push_back(B);
      break;
    }
    case KernelArgCode::Kind::Local:
      U.VarArguments.push_back({"local", Pos, A.Text});
      break;
    case KernelArgCode::Kind::Value:
    case KernelArgCode::Kind::Computed:
      U.VarArguments.push_back({A.Element, Pos, A.Text});
      break;
    }
  }
  return U;
}

void addVersions(UnitData &U, const FunctionCode &F, const std::string &Implements, const KernelCode *K,
                 const TaskCode *Task) {
  static const char *const Kinds[] = {"cpu", "opencl", "cuda"}, *const Types[] = {"any", "cpu", "gpu", "accelerator"};
  std::optional<unsigned> Kernel;
  if (K) {
    Kernel = static_cast<unsigned>(U.Kernels.size());
    U.Kernels.push_back(kernelOf(*K, F, Task));
  }
  for (const DeviceChoice &D : F.Devices)
    U.Versions.push_back({F.Name, F.LinkerName, Implements, Kinds[D.Kind], Types[D.Type], F.File, F.Line, Kernel, {}});
}

} // namespace

UnitData unitOf(const ProgramCode &P) {
  UnitData U;
  U.Source = P.MainFile;
  auto add = [&U](const TaskCode &T, UnitTask Task) {
    Task.Name = T.Name;
    Task.LinkerName = T.LinkerName;
    Task.File = T.File;
    Task.Line = T.Line;
    for (const FieldCode &F : T.Params)
      Task.Params.push_back({F.Name, F.Spelling});
    for (const AccessCode &A : T.Accesses)
      Task.Accesses.push_back({roleOf(A.Role), A.Param, sectionText(A.What), byteCount(A.What), A.Op, A.What.Library});
    Task.Priority = T.Priority;
    Task.Label = T.Label;
    Task.If = T.If;
    Task.Final = T.Final;
    Task.Cost = T.Cost;
    Task.Where = T.Where;
    U.Tasks.push_back(std::move(Task));
    if (T.Defined)
      addVersions(U, T, T.LinkerName, T.HasKernel ? &T.Kernel : nullptr, &T);
  };
  for (const TaskCode &T : P.Tasks)
    add(T, {});
  for (const InlineCode &T : P.Inlines) {
    UnitTask Task;
    Task.Inside = T.Loop ? "loop" : "statement";
    for (const CaptureCode &C : T.Captures)
      Task.Params.push_back({C.Name, C.Type});
    add(T, std::move(Task));
  }
  for (const VersionCode &V : P.Versions) {
    const TaskCode *Main = nullptr;
    for (const TaskCode &T : P.Tasks)
      if (T.LinkerName == V.TaskLinkerName)
        Main = &T;
    const size_t Before = U.Versions.size();
    addVersions(U, V, V.TaskLinkerName, V.HasKernel ? &V.Kernel : nullptr, Main);
    for (UnitVersion &Added : llvm::MutableArrayRef(U.Versions).drop_front(Before))
      for (const AccessCode &A : V.Sections)
        Added.Accesses.push_back(
            {roleOf(A.Role), A.Param, sectionText(A.What), byteCount(A.What), A.Op, A.What.Library});
  }
  for (const WaitCode &W : P.Waits) {
    UnitTaskwait T;
    T.File = W.File;
    T.Line = W.Line;
    for (const Section &S : W.On)
      T.On.push_back(sectionText(S));
    T.NoFlush = W.NoFlush;
    U.Taskwaits.push_back(std::move(T));
  }
  return U;
}

} // namespace hsched::cc
