// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CCode.h"

#include "emit/Code.h"
#include "emit/CodeInternal.h"
#include "hsched/abi.h"

#include <algorithm>
#include <map>
#include <set>

namespace hsched::cc::c {
namespace {

// The end of the parenthesis that opens at Text[Open]: one past its closing parenthesis.
size_t closing(const std::string &Text, size_t Open) {
  int Depth = 0;
  for (size_t I = Open; I < Text.size(); ++I) {
    Depth += Text[I] == '(';
    if (Text[I] == ')' && --Depth == 0)
      return I + 1;
  }
  return Text.size();
}

void replaceAll(std::string &Text, const std::string &From, const std::string &To) {
  for (size_t At = 0; (At = Text.find(From, At)) != std::string::npos; At += To.size())
    Text.replace(At, From.size(), To);
}

const std::string &evaluated(const Expr &E) { return E.Wide.empty() ? E.Text : E.Wide; }
std::string count(const Expr &E) { return "hsched_c_count(" + inC(evaluated(E)) + ")"; }
std::string wide(const std::string &Text) { return "hsched_c_wide(" + inC(Text) + ")"; }

// A section that is one row: a pointer, the bytes from there to the row, and the row's bytes. The pointer may be null.
struct Row {
  std::string Pointer, Skip, Bytes;
  std::string arguments() const { return Pointer + ", " + Skip + ", " + Bytes; }
};
Row rowOf(const Section &S) {
  const std::string P = "(" + S.Base.Text + ")";
  const std::string Element = " * sizeof(*" + P + ")";
  auto skipped = [&](const std::string &Low) {
    return "(__PTRDIFF_TYPE__)(" + Low + ") * (__PTRDIFF_TYPE__)sizeof(*" + P + ")";
  };
  switch (S.F) {
  case Section::Form::Whole:
    return {"&" + P, "0", "sizeof" + P};
  case Section::Form::Pointee:
    return {P, "0", "sizeof(*" + P + ")"};
  case Section::Form::Shaped: {
    std::string Elements;
    for (const Expr &E : S.Shape)
      Elements += (Elements.empty() ? "" : " * ") + count(E);
    return {P, S.Low.Wide.empty() ? "0" : skipped(inC(S.Low.Wide)), Elements + Element};
  }
  case Section::Form::Range:
    return {P, skipped(inC(evaluated(S.Low))), count(S.Length) + Element};
  case Section::Form::Tile:
    break;
  }
  return {};
}

} // namespace

std::string boxOf(const Section &S) {
  if (S.F != Section::Form::Tile) {
    return "hsched_c_row(" + rowOf(S).arguments() + ")";
  }
  const std::string P = "(" + S.Base.Text + ")";
  std::string Out = "hsched_c_row(" + P + ", 0, 0)", Element = P;
  const size_t Dims = S.Shape.empty() ? S.Subscripts.size() : S.Shape.size();
  for (size_t D = 0; D < Dims; ++D) {
    std::string Size, Extent;
    if (S.Shape.empty()) {
      const std::string Outer = Element;
      Element += "[0]";
      Size = "(__PTRDIFF_TYPE__)sizeof(" + Element + ")";
      Extent = "(__PTRDIFF_TYPE__)(sizeof(" + Outer + ") / sizeof(" + Element + "))";
    } else {
      Size = "(__PTRDIFF_TYPE__)sizeof(*" + P + ")";
      for (size_t I = D + 1; I < Dims; ++I)
        Size += " * " + wide(evaluated(S.Shape[I]));
      Extent = wide(evaluated(S.Shape[D]));
    }
    std::string Low = "0", Length = "0";
    bool Rest = true;
    if (D < S.Subscripts.size()) {
      const Subscript &Sub = S.Subscripts[D];
      Low = wide(evaluated(Sub.Low));
      Rest = Sub.K == Subscript::Kind::Range && Sub.Length.Text.empty();
      Length = Sub.K == Subscript::Kind::Index ? "1" : Rest ? "0" : count(Sub.Length);
    }
    Out = "hsched_c_cut(" + Out + ", " + Low + ", " + Length + ", " + (Rest ? "1" : "0") + ", " +
          (Rest ? Extent : "0") + ", " + Size + ")";
  }
  return Out;
}

namespace {

std::string inLoops(const Section &S, const std::string &Call) {
  std::string Out, Close;
  for (size_t I = 0; I < S.Over.size(); ++I) {
    const Generator &G = S.Over[I];
    const std::string K = "hsched_k" + std::to_string(I), N = "hsched_n" + std::to_string(I);
    Out += "{ size_t " + K + ", " + N + " = " + count(G.Count) + "; for (" + K + " = 0; " + K + " < " + N + "; ++" + K +
           ") { const __typeof__((" + G.Low.Text + ") + 0) " + G.Name + " = (" + G.Low.Text + ") + (__typeof__((" +
           G.Low.Text + ") + 0))" + K + " * (" + G.Step.Text + "); (void)" + G.Name + "; ";
    Close += " } }";
  }
  return Out + Call + Close;
}

std::string added(const TaskCode &T, const AccessCode &A) {
  const std::string Begin = std::string("hsched_l, ") + modeName(A.Role) + ", " + paramNumber(A.Param) + ", ";
  if (!A.Iterates)
    return inLoops(A.What, "hsched_c_add(&" + Begin + boxOf(A.What) + ");");
  const auto &I = static_cast<const InlineCode &>(T);
  const std::string Loop = loopName(I.Id), Type = "hsched_v" + I.Id, First = firstName(I.Id), Count = countName(I.Id);
  auto variable = [&](const std::string &K) {
    return "const " + Type + " " + I.Loop->Variable + " = (" + Type + ")hsched_c_value(" + Loop + ", " + K +
           "); (void)" + I.Loop->Variable + "; ";
  };
  if (A.PerIteration)
    return "{ hsched_c_number hsched_j; for (hsched_j = 0; hsched_j < " + Count + "; ++hsched_j) { " +
           shadowing(variable(First + " + hsched_j")) +
           inLoops(A.What, "hsched_c_add(&" + Begin + boxOf(A.What) + ");") + " } }";
  return inLoops(A.What, "{ hsched_c_box hsched_one, hsched_two; { " + shadowing(variable(First)) +
                             "hsched_one = " + boxOf(A.What) + "; } { " +
                             shadowing(variable(First + " + " + Count + " - 1")) + "hsched_two = " + boxOf(A.What) +
                             "; } " + (A.Uneven ? "hsched_c_over_hull(&" : "hsched_c_over(&") + Begin +
                             "hsched_one, hsched_two, " + Count + "); }");
}

bool reduced(const AccessCode &A) {
  return A.Role == AccessRole::Reduction && (!A.BuiltIn.empty() || !A.Reductions.empty());
}

bool hasHints(const TaskCode &T) {
  return std::ranges::any_of(T.Accesses, reduced) || !T.Priority.empty() || !T.Label.empty() || !T.If.empty() ||
         !T.Final.empty() || !T.Cost.empty() || !T.Where.empty();
}

std::string hints(const TaskCode &T, const std::string &Args) {
  if (!hasHints(T))
    return "";
  std::string Rows, Flags = "0u";
  size_t N = 0;
  for (const AccessCode &A : T.Accesses)
    if (reduced(A)) {
      ++N;
      const std::string Member = T.Inline ? A.What.BaseName : "hsched_p" + std::to_string(A.Param);
      Rows += "{" + paramNumber(A.Param) + ", &((struct " + Args + " *)hsched_m)->" + Member + ", &" +
              reductionName(A) + "}, ";
    }
  if (!T.If.empty())
    Flags += " | ((" + T.If + ") ? 0u : (unsigned)HSCHED_SUBMIT_UNDEFERRED)";
  if (!T.Final.empty())
    Flags += " | ((" + T.Final + ") ? (unsigned)HSCHED_SUBMIT_FINAL : 0u)";
  if (!T.Cost.empty())
    Flags += " | HSCHED_SUBMIT_COST";
  return (N ? "  hsched_reduction hsched_r[] = {" + Rows + "};\n" : "") +
         (T.Where.empty() ? "" : "  hsched_place hsched_at = (" + T.Where + ");\n") +
         "  hsched_submit_options hsched_o = {sizeof(hsched_submit_options), " +
         (T.Priority.empty() ? "0" : "(int)(" + T.Priority + ")") + ", " + (T.Label.empty() ? "0" : T.Label) + ", " +
         Flags + ", " + number(N) + ", " + (T.Cost.empty() ? "0.0" : "(double)(" + T.Cost + ")") + ", " +
         (N ? "hsched_r" : "0") + (T.Where.empty() ? ", 0};\n" : ", &hsched_at};\n");
}

std::string argsName(const FunctionCode &F) { return "hsched_args_" + F.Id; }

std::string field(size_t I) { return "hsched_a->hsched_p" + std::to_string(I); }

std::string structOf(const FunctionCode &F) {
  std::string Members;
  for (const FieldCode &P : F.Params)
    Members += " " + P.Declaration + ";";
  return "struct " + argsName(F) + " {" + (Members.empty() ? " char hsched_none;" : Members) + " };\n";
}

std::string argsOf(const FunctionCode &F, const char *Const) {
  return std::string("  ") + Const + "struct " + argsName(F) + " *hsched_a = (" + Const + "struct " + argsName(F) +
         " *)hsched_v;\n  (void)hsched_a;\n";
}

std::string runFunction(const FunctionCode &F, const std::string &Callee) {
  std::string Args;
  for (size_t I = 0; I < F.Params.size(); ++I)
    Args += (I ? ", " : "") + field(I);
  return "static void hsched_run_" + F.Id + "(void *hsched_v) {\n" + argsOf(F, "") + "  " + Callee + "(" + Args +
         ");\n}\n";
}

// The parameters as variables.
std::string paramsOf(const FunctionCode &F) {
  std::string Out;
  for (size_t I = 0; I < F.Params.size(); ++I) {
    const FieldCode &P = F.Params[I];
    std::string Type = P.Declaration;
    replaceAll(Type, "hsched_p" + std::to_string(I), P.Name);
    Out += "  " + Type + " = " + field(I) + ";\n";
  }
  for (const FieldCode &P : F.Params)
    Out += "  (void)" + P.Name + ";\n";
  return Out;
}

std::string fillOf(const FunctionCode &F, const KernelCode &K) {
  std::string Out = "static void hsched_fill_" + F.Id +
                    "(const void *hsched_v, hsched_ndrange *hsched_r, hsched_kernel_arg *hsched_o) {\n" +
                    argsOf(F, "const ");
  Out += paramsOf(F);
  std::string Range;
  for (size_t I = 0; I < 3; ++I)
    Range += "  hsched_c_geometry(hsched_r, " + number(K.Global.size()) + ", " + number(I) + ", " +
             (I < K.Global.size() ? count(K.Global[I]) : "1") + ", " +
             (K.Local.empty()      ? "0"
              : I < K.Local.size() ? count(K.Local[I])
                                   : "1") +
             ");";
  for (size_t I = 0; I < K.Offset.size(); ++I)
    Range += "  hsched_r->offset[" + number(I) + "] = " + count(K.Offset[I]) + ";";
  Out += atClause(K, K.RangeLine, Range + "\n");
  if (K.Args.empty())
    Out += "  (void)hsched_o;\n";
  for (size_t I = 0; I < K.Args.size(); ++I) {
    const KernelArgCode &A = K.Args[I];
    const std::string Slot = "&hsched_o[" + std::to_string(I) + "]", Text = inC(A.Text);
    std::string Argument;
    switch (A.K) {
    case KernelArgCode::Kind::Value:
      Argument = "  hsched_c_argument(" + Slot + ", HSCHED_ARG_VALUE, " + paramNumber(A.Param) + ", sizeof(" +
                 field(static_cast<size_t>(A.Param)) + "), &" + field(static_cast<size_t>(A.Param)) + ", 0);\n";
      break;
    case KernelArgCode::Kind::Computed:
      Argument = "  hsched_c_computed(" + Slot + ", " + (A.Type.empty() ? "__typeof__(" + Text + ")" : A.Type) + ", " +
                 Text + ");\n";
      break;
    case KernelArgCode::Kind::Buffer:
      Argument =
          "  hsched_c_argument(" + Slot + ", HSCHED_ARG_BUFFER, " + paramNumber(A.Param) + ", 0, 0, " + Text + ");\n";
      break;
    case KernelArgCode::Kind::Local:
      Argument =
          "  hsched_c_argument(" + Slot + ", HSCHED_ARG_LOCAL, HSCHED_NO_PARAM, hsched_c_count(" + Text + "), 0, 0);\n";
      break;
    }
    Out += atClause(K, A.Line, Argument);
  }
  return Out + "}\n";
}

// ISO C guarantees 4095 bytes.
std::string ofAnyLength(const std::string &Declaration) {
  return "_Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Woverlength-strings\\\"\")\n" +
         Declaration + "\n_Pragma(\"GCC diagnostic pop\")\n";
}

std::string kernelOf(const FunctionCode &F, const KernelCode &K) {
  return ofAnyLength("static const char hsched_source_" + F.Id + "[] =\n" + quoted(K.Source) + ";") +
         "\nstatic const hsched_kernel_desc hsched_kernel_" + F.Id + " = {sizeof(hsched_kernel_desc), " +
         quoted(K.File) + ", " + quoted(K.Name) + ", " + quoted(K.Entry) + ", hsched_source_" + F.Id +
         ", sizeof(hsched_source_" + F.Id + ") - 1, " + quoted(K.Options) + ", " + number(K.Args.size()) +
         ", HSCHED_KERNEL_OFFSETS, &hsched_fill_" + F.Id + ", 0u, 0, 0, 0};\n";
}

std::string sectionsOf(const VersionCode &V) {
  if (V.Sections.empty())
    return "";
  std::string Out =
      "static void hsched_sections_" + V.Id +
      "(const void *hsched_v, void (*hsched_to_add)(void *, const hsched_access *), void *hsched_to) {\n" +
      argsOf(V, "const ") + paramsOf(V) +
      "  hsched_c_list hsched_l; size_t hsched_i;\n  hsched_c_begin_list(&hsched_l);\n";
  for (const AccessCode &A : V.Sections)
    Out += lineDirective(A.Line, A.File) + "  " +
           inLoops(A.What, "hsched_c_add(&hsched_l, " + std::string(modeName(A.Role)) + ", " + paramNumber(A.Param) +
                               ", " + boxOf(A.What) + ");") +
           "\n";
  return Out + lineDirective(V.Line, V.File) +
         "  for (hsched_i = 0; hsched_i < hsched_l.hsched_n; ++hsched_i)\n    hsched_to_add(hsched_to, "
         "&hsched_l.hsched_all[hsched_i]);\n  hsched_c_end_list(&hsched_l);\n}\n";
}

std::string versionDescs(const FunctionCode &F, const std::string &LinkerName, bool Kernel,
                         const std::string &Sections) {
  std::string Out = "static hsched_version_desc hsched_versions_" + F.Id + "[] = {\n";
  for (const DeviceChoice &D : F.Devices)
    Out += "  {sizeof(hsched_version_desc), " + quoted(LinkerName) + ", " + quoted(F.Name) + ", " + quoted(F.File) +
           ", " + number(F.Line) + ", " + number(D.Kind) + ", " + number(D.Type) + ", " +
           (Kernel ? "0, &hsched_kernel_" + F.Id : "&hsched_run_" + F.Id + ", 0") + ", 0, " + Sections + "},\n";
  return Out + "};\n";
}

} // namespace

std::string inC(const std::string &Text) {
  std::string Out = Text;
  const std::string Reach = "::hsched_gen_reach(", Along = ".hsched_along(";
  for (size_t At; (At = Out.find(Reach)) != std::string::npos;) {
    size_t End = closing(Out, At + Reach.size() - 1);
    auto inside = [&](size_t Open) { return Out.substr(Open + 1, closing(Out, Open) - Open - 2); };
    std::string C = "hsched_c_from(" + inC(inside(At + Reach.size() - 1)) + ")";
    while (Out.compare(End, Along.size(), Along) == 0) {
      const size_t Open = End + Along.size() - 1;
      C = "hsched_c_along(" + C + ", " + inC(inside(Open)) + ")";
      End = closing(Out, Open);
    }
    const bool Low = Out.compare(End, 12, ".hsched_low(") == 0;
    const size_t Open = Out.find('(', End);
    C = (Low ? "hsched_c_low(" : "hsched_c_reached(") + C + ", " + inside(Open) + ")";
    Out.replace(At, closing(Out, Open) - At, C);
  }
  replaceAll(Out, "::hsched_gen_", "hsched_c_");
  for (size_t At; (At = Out.find("static_cast<")) != std::string::npos;) {
    const size_t End = Out.find(">(", At);
    if (End == std::string::npos)
      break;
    Out.replace(At, End + 1 - At, "(" + Out.substr(At + 12, End - At - 12) + ")");
  }
  return Out;
}

bool listed(const TaskCode &T) {
  return !std::ranges::all_of(T.Accesses, [](const AccessCode &A) {
    return !A.Iterates && A.What.Over.empty() && A.What.F != Section::Form::Tile;
  });
}

// Args names the struct of the arguments; hsched_x is an object of it.
std::string submission(const TaskCode &T, const std::string &Type, const std::string &Args) {
  const std::string Here = lineDirective(T.Line, T.File);
  std::string Out = "{\n" + Here;
  const bool List = listed(T);
  std::string N = number(T.Accesses.size()), From = "hsched_l";
  if (List) {
    Out += "  hsched_c_list hsched_l; hsched_access *hsched_q; void *hsched_m; hsched_task *hsched_t;\n"
           "  hsched_c_begin_list(&hsched_l);\n";
    for (const AccessCode &A : T.Accesses)
      Out += lineDirective(A.Line, A.File) + "  " + added(T, A) + "\n";
    Out += Here;
    N = "(unsigned)hsched_l.hsched_n";
    From = "hsched_l.hsched_all";
  } else {
    if (!T.Accesses.empty())
      Out += "  const hsched_access hsched_l[] = {\n";
    for (const AccessCode &A : T.Accesses) {
      Out += lineDirective(A.Line, A.File) + "    hsched_c_access(" + rowOf(A.What).arguments() + ", " +
             modeName(A.Role) + ", " + paramNumber(A.Param) + "),\n";
    }
    if (!T.Accesses.empty())
      Out += "  };\n" + Here;
    Out += "  hsched_access *hsched_q; void *hsched_m; hsched_task *hsched_t;\n";
  }
  Out += "  hsched_t = hsched_task_begin(" + Type + ", " + N + ", &hsched_q, &hsched_m);\n" + Here;
  if (!T.Accesses.empty())
    Out += "  __builtin_memcpy(hsched_q, " + From + ", " + N + " * sizeof(hsched_access));\n" + Here;
  if (List)
    Out += "  hsched_c_end_list(&hsched_l);\n" + Here;
  Out += "  __builtin_memcpy(hsched_m, &hsched_x, sizeof hsched_x);\n" + lineDirective(T.HintLine, T.File);
  Out += "  {\n" + hints(T, Args) + Here + "  hsched_task_submit(hsched_t, " + (hasHints(T) ? "&hsched_o" : "0") +
         "); } }\n";
  return Out + Here;
}

std::string task(const TaskCode &T) {
  std::string Out = generatedPlace() + structOf(T), Names;
  Out += T.HasKernel ? fillOf(T, T.Kernel) + kernelOf(T, T.Kernel) : runFunction(T, T.BodyName);
  for (const FieldCode &P : T.Params)
    Names += quoted(P.Name) + ", ";
  Out += "static const char *const hsched_names_" + T.Id + "[] = {" + Names + "0};\n";
  Out += "static hsched_task_desc hsched_desc_" + T.Id +
         " = {sizeof(hsched_task_desc), HSCHED_ABI_MAJOR, HSCHED_ABI_MINOR, " + quoted(T.LinkerName) + ", " +
         quoted(T.Name) + ", " + quoted(T.File) + ", " + number(T.Line) + ", " + number(T.Params.size()) +
         ", hsched_names_" + T.Id + ", sizeof(struct " + argsName(T) + "), __alignof__(struct " + argsName(T) +
         "), 0, " + (T.HasKernel ? "0" : "&hsched_run_" + T.Id) + "};\n" +
         versionDescs(T, T.LinkerName, T.HasKernel, "0");
  return Out + "static hsched_task_type *hsched_type_" + T.Id +
         "(void) {\n  static hsched_task_type *hsched_t;\n  return hsched_c_enroll(&hsched_t, &hsched_desc_" + T.Id +
         ", hsched_versions_" + T.Id + ", " + number(T.Devices.size()) + ", 0);\n}\n";
}

std::string version(const VersionCode &V) {
  return generatedPlace() + structOf(V) +
         (V.HasKernel ? fillOf(V, V.Kernel) + kernelOf(V, V.Kernel) : runFunction(V, V.Call)) + sectionsOf(V) +
         versionDescs(V, V.LinkerName, V.HasKernel, V.Sections.empty() ? "0" : "&hsched_sections_" + V.Id);
}

std::string wrapperBody(const TaskCode &T) {
  const std::string Here = lineDirective(T.Line, T.File);
  std::string Forwarded, Packed;
  for (const FieldCode &P : T.Params) {
    Forwarded += (Forwarded.empty() ? "" : ", ") + P.Name;
    Packed += (Packed.empty() ? "" : ", ") + P.Name;
  }
  std::string Out = "{ ";
  if (!T.HasKernel && std::ranges::any_of(T.Devices, [](const DeviceChoice &D) { return D.Kind == HSCHED_DEVICE_CPU; }))
    Out += "if (hsched_in_final()) { " + T.BodyName + "(" + Forwarded + "); return; }\n" + Here;
  return Out + "{ const struct " + argsName(T) + " hsched_x = {" + (Packed.empty() ? "0" : Packed) + "};\n" + Here +
         submission(T, "hsched_type_" + T.Id + "()", argsName(T)) + "} }\n";
}

std::string reduction(const ReductionCode &R) {
  using Init = DeclaredReduction::Init;
  const DeclaredReduction &D = *R.Declared;
  bool Original = false;
  for (const NameUse &N : D.Initial.Names)
    Original |= N.Name == "omp_orig";
  const std::string Type = R.Type + " ", Cast = "((" + R.Type + " *)";
  std::string Out = "typedef " + Type + R.Struct + "_type; static void " + R.Struct +
                    "_make(void *hsched_c, const void *hsched_o, size_t hsched_n) { size_t hsched_i; (void)hsched_o; "
                    "for (hsched_i = 0; hsched_i < hsched_n; ++hsched_i) { ";
  if (Original)
    Out += "const " + Type + "omp_orig = ((const " + R.Type + " *)hsched_o)[hsched_i]; ";
  if (D.How == Init::Equals)
    Out += Type + "omp_priv = " + D.Initial.Text + "; ";
  else
    Out += Type + "omp_priv; __builtin_memset(&omp_priv, 0, sizeof omp_priv); " +
           (D.How == Init::Call ? D.Initial.Text + "; " : "");
  Out +=
      Cast + "hsched_c)[hsched_i] = omp_priv; } } static void " + R.Struct +
      "_join(void *hsched_p, const void *hsched_q, size_t hsched_n) { size_t hsched_i; for (hsched_i = 0; hsched_i < "
      "hsched_n; ++hsched_i) { " +
      Type + "omp_out = " + Cast + "hsched_p)[hsched_i]; " + Type + "omp_in = ((const " + R.Type +
      " *)hsched_q)[hsched_i]; (void)omp_in; " + D.Combiner.Text + "; " + Cast +
      "hsched_p)[hsched_i] = omp_out; } } static const hsched_reduction_op " + R.Struct +
      " __attribute__((__unused__)) = {sizeof(hsched_reduction_op), " + quoted(D.Name) + ", sizeof(" + R.Type +
      "), __alignof__(" + R.Type + "), &" + R.Struct + "_make, &" + R.Struct + "_join, 0, " +
      (Original ? "HSCHED_REDUCTION_ORIGINAL" : "0") + "}; ";
  return Out;
}

std::string waitStatement(const WaitCode &W) {
  const std::string Flags = W.NoFlush ? "HSCHED_WAIT_NOFLUSH" : "0u";
  if (!W.HasOn)
    return "hsched_taskwait(" + Flags + ");";
  std::string Out = "{ hsched_c_list hsched_l; hsched_c_begin_list(&hsched_l); ";
  for (const Section &S : W.On)
    Out += inLoops(S, "hsched_c_add(&hsched_l, HSCHED_INOUT, HSCHED_NO_PARAM, " + boxOf(S) + ");") + " ";
  return Out + "hsched_taskwait_on(hsched_l.hsched_all, (unsigned)hsched_l.hsched_n, " + Flags +
         "); hsched_c_end_list(&hsched_l); }";
}

std::string prologue(const ProgramCode &P) {
  std::string Out = "#include <hsched/gen_c.h>\n";
  std::set<std::string> Made;
  auto add = [&](const TaskCode &T) {
    for (const AccessCode &A : T.Accesses)
      if (reduced(A) && A.Reductions.empty() && Made.insert(reductionName(A)).second)
        Out += builtInReduction(A);
  };
  for (const TaskCode &T : P.Tasks)
    add(T);
  for (const InlineCode &I : P.Inlines)
    add(I);
  return Out;
}

std::string loader(const ProgramCode &P, const std::string &Metadata) {
  std::string Out, Load;
  for (const TaskCode &T : P.Tasks) {
    if (T.Defined)
      Load += "  (void)hsched_type_" + T.Id + "();\n";
    if (T.Kept)
      continue;
    const std::string Symbol = "hsched_task_must_be_compiled_with_hsched_cc_" + T.LinkerName;
    if (T.Defined)
      Out += "extern __attribute__((visibility(\"default\")" + std::string(T.Weak ? ", weak" : "") + ")) const char " +
             Symbol + "; const char " + Symbol + " = 0;\n";
    else if (T.UsedHere)
      Out += "extern const char " + Symbol + "; static const char *const hsched_need_" + T.Id +
             " __attribute__((used)) = &" + Symbol + ";\n";
  }
  for (const VersionCode &V : P.Versions)
    if (V.Defined)
      for (size_t D = 0; D < V.Devices.size(); ++D)
        Load += "  hsched_register_version(" + quoted(V.TaskLinkerName) + ", &hsched_versions_" + V.Id + "[" +
                std::to_string(D) + "]);\n";
  if (!Metadata.empty())
    Load += "  hsched_register_metadata(hsched_metadata, sizeof(hsched_metadata) - 1);\n";
  return Out +
         (Metadata.empty() ? "" : ofAnyLength("static const char hsched_metadata[] =\n" + quoted(Metadata) + ";")) +
         "\nstatic __attribute__((__constructor__, __cold__)) void hsched_load_" + P.UnitId + "(void) {\n" + Load +
         "}\n";
}

} // namespace hsched::cc::c
