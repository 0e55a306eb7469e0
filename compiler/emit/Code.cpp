// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CodeInternal.h"

#include "hsched/abi.h"

#include <algorithm>
#include <map>

namespace hsched::cc {

std::string quoted(const std::string &Text) {
  std::string Out = "\"";
  for (size_t I = 0; I < Text.size(); ++I) {
    auto C = static_cast<unsigned char>(Text[I]);
    switch (C) {
    case '\\':
      Out += "\\\\";
      break;
    case '"':
      Out += "\\\"";
      break;
    case '?': // Avoids trigraphs.
      Out += "\\?";
      break;
    case '\t':
      Out += "\\t";
      break;
    case '\n':
      Out += I + 1 < Text.size() ? "\\n\"\n\"" : "\\n";
      break;
    default:
      if (C < 32 || C >= 127) {
        static const char Octal[] = "01234567";
        Out += {'\\', Octal[C >> 6], Octal[C >> 3 & 7], Octal[C & 7]};
      } else {
        Out += static_cast<char>(C);
      }
    }
  }
  return Out + '"';
}

std::string lineDirective(unsigned Line, const std::string &File) {
  return "#line " + std::to_string(Line) + " " + quoted(File) + "\n";
}

static std::string range(const std::string &Base, const std::string &Low, const std::string &Count) {
  return "::hsched_gen_range(" + Base + ", " + Low + ", " + Count + ", ::hsched_gen_first())";
}

static const std::string &evaluated(const Expr &E) { return E.Wide.empty() ? E.Text : E.Wide; }

static std::string subscripts(const Section &S) {
  std::string Out;
  for (const Subscript &Sub : S.Subscripts)
    if (Sub.K == Subscript::Kind::Index)
      Out += ", ::hsched_gen_index(" + Sub.Low.Text + ")";
    else if (Sub.Length.Text.empty())
      Out += ", ::hsched_gen_from(" + Sub.Low.Text + ")";
    else
      Out += ", ::hsched_gen_part(" + evaluated(Sub.Low) + ", ::hsched_gen_count(" + evaluated(Sub.Length) + "))";
  return Out;
}

// The product of the extents.
static std::string extent(const Section &S) {
  std::string Count;
  for (const Expr &E : S.Shape)
    Count += (Count.empty() ? "" : " * ") + ("::hsched_gen_count(" + evaluated(E) + ")");
  return Count;
}

// A section of rows of variable length: no template takes their type, so it is a tile of elements.
static std::string variableSection(const Section &S) {
  const bool Shaped = S.F == Section::Form::Tile && !S.Shape.empty();
  std::string Sizes;
  for (size_t I = 0; Shaped && I < S.Shape.size(); ++I)
    Sizes += "::hsched_gen_wide(" + evaluated(S.Shape[I]) + "), ";
  for (size_t I = Shaped ? 1 : 0; I < S.Sizes.size(); ++I)
    Sizes += "::hsched_gen_wide(" + S.Sizes[I] + "), ";
  std::string Rows;
  if (S.F == Section::Form::Pointee)
    Rows = ", ::hsched_gen_index(0)";
  else if (S.F == Section::Form::Shaped)
    Rows = ", ::hsched_gen_part(" + (S.Low.Wide.empty() ? "0" : S.Low.Wide) + ", " + extent(S) + ")";
  else if (S.F == Section::Form::Range)
    Rows = ", ::hsched_gen_part(" + evaluated(S.Low) + ", ::hsched_gen_count(" + evaluated(S.Length) + "))";
  return "::hsched_gen_shaped(" + S.Elements + ", ::hsched_gen_shape<" +
         std::to_string(S.Sizes.size() + (Shaped ? S.Shape.size() - 1 : 0)) + ">{{" + Sizes + "}}" + Rows +
         subscripts(S) + ")";
}

std::string sectionExpr(const Section &S) {
  const std::string &P = S.Base.Text;
  if (!S.Sizes.empty())
    return S.F == Section::Form::Whole ? "::hsched_gen_variable(&(" + P + "), sizeof(" + P + "))" : variableSection(S);
  switch (S.F) {
  case Section::Form::Whole:
    return (S.Owner ? "::hsched_gen_owned(" : "::hsched_gen_whole(") + evaluated(S.Base) + ", ::hsched_gen_first())";
  case Section::Form::Pointee:
    return S.Owner ? "::hsched_gen_pointee(" + P + ", ::hsched_gen_first())" : range(P, "0", "1");
  case Section::Form::Shaped:
    return range(P, S.Low.Wide.empty() ? "0" : S.Low.Wide, extent(S));
  case Section::Form::Range:
    return range(P, evaluated(S.Low), "::hsched_gen_count(" + evaluated(S.Length) + ")");
  case Section::Form::Tile:
    break;
  }
  std::string Out = "::hsched_gen_tile(" + P;
  if (!S.Shape.empty()) {
    Out += ", ::hsched_gen_shape<" + std::to_string(S.Shape.size()) + ">{{";
    for (const Expr &E : S.Shape)
      Out += "::hsched_gen_wide(" + evaluated(E) + "), ";
    Out += "}}";
  }
  return Out + subscripts(S) + ")";
}

// Call, inside the loops of S's generators.
std::string repeated(const Section &S, std::string Call) {
  std::string Out, Close;
  if (S.Pack)
    Call = "{ const int hsched_e[] = {0, (" + Call.substr(0, Call.rfind(';')) + ", 0)...}; (void)hsched_e; }";
  for (size_t I = 0; I < S.Over.size(); ++I) {
    const Generator &G = S.Over[I];
    std::string K = "hsched_k" + std::to_string(I), N = "hsched_n" + std::to_string(I);
    Out += "for (::size_t " + K + " = 0, " + N + " = ::hsched_gen_count(" + G.Count.Text + "); " + K + " < " + N +
           "; ++" + K + ") { const auto " + G.Name + " = ::hsched_gen_nth(" + G.Low.Text + ", " + K + ", " +
           G.Step.Text + "); (void)" + G.Name + "; ";
    Close += " }";
  }
  return Out + Call + Close;
}

const char *modeName(AccessRole R) {
  switch (R) {
  case AccessRole::In:
    return "HSCHED_IN";
  case AccessRole::Out:
    return "HSCHED_OUT";
  case AccessRole::InOut:
    return "HSCHED_INOUT";
  case AccessRole::Concurrent:
    return "HSCHED_CONCURRENT";
  case AccessRole::Commutative:
    return "HSCHED_COMMUTATIVE";
  case AccessRole::Reduction:
    return "HSCHED_REDUCTION";
  }
  return "";
}

// The user's lines must not be shared with other code: a breakpoint there would stop in both.
std::string generatedPlace() { return lineDirective(1, "<hsched>"); }

std::string atClause(const KernelCode &K, unsigned Line, const std::string &Text) {
  return Line && !K.ClauseFile.empty() ? lineDirective(Line, K.ClauseFile) + Text + generatedPlace() : Text;
}

std::string taskStruct(const TaskCode &T) {
  std::string Out = generatedPlace();
  if (!T.TemplateHead.empty())
    Out += T.TemplateHead + " ";
  Out += "struct " + structName(T) + " {\n" + argsStruct(T);
  if (T.HasKernel)
    Out += fillFunction(T, T.Kernel);
  else
    Out += runFunctions(T, std::string(T.Object.empty() || T.TemplateArgs.empty() ? "" : "template ") + T.BodyName +
                               T.TemplateArgs);
  Out += "  static void hsched_destroy(void *hsched_v) { static_cast<hsched_args *>(hsched_v)->~hsched_args(); }\n";
  // Entities that other units cannot name, such as instances of templates, are identified by the compiler's name for
  // them. It is a constant, so the descriptions are too: at program start they only need to be registered.
  Out += "  static constexpr const char *hsched_key() { return " +
         (T.templated() ? "__PRETTY_FUNCTION__" : quoted(T.LinkerName)) + "; }\n";
  Out += "  static ::hsched_task_type *hsched_type() {\n"
         "    static ::hsched_task_type *const hsched_t = []() __attribute__((__cold__, __noinline__)) {\n"
         "      static const char *const hsched_n[] = {";
  for (const FieldCode &P : T.Params)
    Out += quoted(P.Name) + ", ";
  Out += "nullptr};\n";
  if (T.HasKernel)
    Out += "      static const char hsched_s[] =\n" + quoted(T.Kernel.Source) + ";\n" +
           kernelDesc(T, T.Kernel, "hsched_k", "hsched_s", "");
  else if (!T.Packed.empty())
    Out += bodyDesc(T, "hsched_k", "");
  Out += "      static const ::hsched_task_desc hsched_d = {sizeof(::hsched_task_desc), HSCHED_ABI_MAJOR, "
         "HSCHED_ABI_MINOR, hsched_key(), " +
         quoted(T.Name) + ", " + quoted(T.File) + ", " + number(T.Line) + ", " + number(T.Params.size()) +
         ", hsched_n, sizeof(hsched_args), alignof(hsched_args), "
         "HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_args) ? nullptr : &hsched_destroy, " +
         (T.HasKernel ? "nullptr" : "&hsched_run") + "};\n";
  Out += "      static const ::hsched_version_desc hsched_v[] = {\n" +
         versionRows(T, "hsched_key()", T.HasKernel ? "nullptr" : "&hsched_run", T.HasKernel ? "&hsched_k" : "nullptr",
                     !T.HasKernel && !T.Packed.empty() ? "&hsched_k" : "nullptr") +
         "      };\n";
  Out += "      return ::hsched_gen_enroll(&hsched_d, hsched_v, " + number(T.Devices.size()) +
         ");\n    }();\n"
         "    return hsched_t;\n  }\n};\n";
  if (T.HasKernel)
    Out += fillMember(T, T.Kernel, structName(T));
  return Out;
}

std::string shadowing(const std::string &Declaration) {
  return "_Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Wshadow\\\"\") " + Declaration +
         " _Pragma(\"GCC diagnostic pop\")";
}

// Accesses of a chunk of a loop through sections that differ by iteration.
static std::string overLoop(const TaskCode &T, const AccessCode &A, const std::string &List) {
  const auto &I = static_cast<const InlineCode &>(T);
  const std::string Begin = List + ".hsched_add(" + modeName(A.Role) + ", " + paramNumber(A.Param) + ", ",
                    Variable = "typename decltype(" + loopName(I.Id) + ")::hsched_variable " + I.Loop->Variable,
                    Names = variableNames(I, A.What);
  std::string Add;
  if (A.PerIteration)
    Add = "for (::hsched_gen_number hsched_j = 0; hsched_j < " + countName(I.Id) + "; ++hsched_j) [&](" + Variable +
          ") { " + Names + repeated(A.What, Begin + sectionExpr(A.What) + ");") + " }(" + loopName(I.Id) +
          ".hsched_value(" + firstName(I.Id) + " + hsched_j));";
  else
    Add = repeated(A.What, Begin + "::hsched_gen_over" + (A.Uneven ? "_hull" : "") +
                               (!A.What.tiled() ? "("
                                : A.Uneven      ? "_of_tiles("
                                                : "_tiles(") +
                               loopName(I.Id) + ", " + firstName(I.Id) + ", " + countName(I.Id) + ", [&](" + Variable +
                               ") { " + Names + "return " + sectionExpr(A.What) + "; }));");
  return I.Loop->Declared ? Add : shadowing(Add);
}

std::string frameStatements(const TaskCode &T, const std::string &Type) {
  // The number of accesses must be known first. If only the program knows it, they are collected in a list before.
  bool Single = std::all_of(T.Accesses.begin(), T.Accesses.end(), [](const AccessCode &A) { return A.What.single(); });
  std::string List = Single ? "hsched_f" : "hsched_l", Out, Frame = "::hsched_gen_frame hsched_f(" + Type + ", ";
  Out += Single ? Frame + number(T.Accesses.size()) + ");\n" : "::hsched_gen_list hsched_l;\n";
  for (const AccessCode &A : T.Accesses)
    Out += lineDirective(A.Line, A.File) + "  " +
           (A.Iterates ? overLoop(T, A, List)
                       : repeated(A.What, List + ".hsched_add(" + modeName(A.Role) + ", " + paramNumber(A.Param) +
                                              ", " + sectionExpr(A.What) + ");")) +
           "\n";
  return Single ? Out : Out + Frame + "hsched_l);\n";
}

std::string reductionStruct(const ReductionCode &R) {
  using Init = DeclaredReduction::Init;
  const DeclaredReduction &D = *R.Declared;
  bool Original = false;
  for (const NameUse &N : D.Initial.Names)
    Original |= N.Name == "omp_orig";
  std::string Out = "struct " + R.Struct + " { typedef " + R.Type +
                    " hsched_type; static const char *hsched_name() { return " + quoted(D.Name) +
                    "; } enum { hsched_flags = " + (Original ? "HSCHED_REDUCTION_ORIGINAL" : "0") + " }; ";
  Out += "static void hsched_make(hsched_type *hsched_p, const hsched_type *hsched_o) { ";
  if (Original)
    Out += "hsched_type &omp_orig = const_cast<hsched_type &>(*hsched_o); ";
  else
    Out += "(void)hsched_o; ";
  if (D.How == Init::None) {
    Out += "::new (::hsched_gen_place(hsched_p)) hsched_type(); } ";
  } else {
    Out += D.How == Init::Equals      ? "hsched_type omp_priv = " + D.Initial.Text + "; "
           : D.How == Init::Arguments ? "hsched_type omp_priv" + D.Initial.Text + "; "
                                      : "hsched_type omp_priv = hsched_type(); " + D.Initial.Text + "; ";
    Out += "::new (::hsched_gen_place(hsched_p)) hsched_type(static_cast<hsched_type &&>(omp_priv)); } ";
  }
  return Out + "static void hsched_join(hsched_type &omp_out, hsched_type &omp_in) { (void)omp_in; " + D.Combiner.Text +
         "; } }; ";
}

bool isReduced(const AccessCode &A) {
  return A.Role == AccessRole::Reduction && (!A.BuiltIn.empty() || !A.Reductions.empty());
}

// Offset of the pointer to the data that A reduces, in the packed arguments of T: a struct or a closure.
static std::string slotOf(const TaskCode &T, const AccessCode &A) {
  if (T.Inline)
    return "::hsched_gen_reduced_slot<" + number(static_cast<size_t>(A.Param)) + ">(hsched_f, " + blockName(T.Id) + ")";
  std::string Type = std::string(T.templated() ? "typename " : "") + structName(T) + T.TemplateArgs + "::hsched_args";
  return "::hsched_gen_slot(&static_cast<" + Type + " *>(hsched_f.hsched_memory)->hsched_p" + std::to_string(A.Param) +
         ")";
}

std::string operationsOf(const AccessCode &A) {
  std::string Ops = A.BuiltIn.empty() ? "::hsched_gen_none" : "::" + A.BuiltIn;
  for (const std::string &Declared : A.Reductions)
    Ops += ", " + Declared;
  return Ops;
}

const std::string &reducedOf(const AccessCode &A) { return A.What.Sizes.empty() ? A.What.Base.Text : A.What.Elements; }

// "const hsched_reduction hsched_q[] = {...};" of T's reduced parameters; N counts them.
static std::string reductionStatement(const TaskCode &T, size_t &N) {
  std::string Rows;
  N = 0;
  for (const AccessCode &A : T.Accesses) {
    if (!isReduced(A))
      continue;
    ++N;
    const std::string Ops = operationsOf(A);
    Rows += "{" + paramNumber(A.Param) + ", " + slotOf(T, A) + ", ::hsched_gen_reduction<" + Ops + ">(" + reducedOf(A) +
            ", ::hsched_gen_first())}, ";
  }
  return N ? "const ::hsched_reduction hsched_q[] = {" + Rows + "};" : "";
}

static bool hasHints(const TaskCode &T) {
  if (std::ranges::any_of(T.Accesses, isReduced))
    return true;
  for (const std::string *Hint : {&T.Priority, &T.Label, &T.If, &T.Final, &T.Cost, &T.Where})
    if (!Hint->empty())
      return true;
  return false;
}

std::string hintStatement(const TaskCode &T) {
  if (!hasHints(T))
    return "";
  std::string Flags;
  auto flag = [&](const std::string &Text) { Flags += (Flags.empty() ? "" : " | ") + Text; };
  if (!T.If.empty())
    flag("((" + T.If + ") ? 0u : unsigned(HSCHED_SUBMIT_UNDEFERRED))");
  if (!T.Final.empty())
    flag("((" + T.Final + ") ? unsigned(HSCHED_SUBMIT_FINAL) : 0u)");
  if (!T.Cost.empty())
    flag("HSCHED_SUBMIT_COST");
  size_t Reduced;
  std::string Reductions = reductionStatement(T, Reduced);
  const std::string Here = lineDirective(T.HintLine, T.File) + "  ";
  return Here + Reductions + (Reduced ? "\n" + Here : "") +
         (T.Where.empty() ? "" : "const ::hsched_place hsched_at = ::hsched_gen_where(" + T.Where + ");\n" + Here) +
         "const ::hsched_submit_options hsched_o = {sizeof hsched_o, " +
         (T.Priority.empty() ? "0" : "::hsched_gen_priority(" + T.Priority + ")") + ", " +
         (T.Label.empty() ? "nullptr" : T.Label) + ", " + (Flags.empty() ? "0u" : "0u | " + Flags) + ", " +
         number(Reduced) + ", " + (T.Cost.empty() ? "0.0" : "::hsched_gen_cost(" + T.Cost + ")") + ", " +
         (Reduced ? "hsched_q" : "nullptr") + (T.Where.empty() ? ", nullptr};\n" : ", &hsched_at};\n");
}

std::string submitStatement(const TaskCode &T) {
  return std::string("hsched_f.hsched_submit(") + (hasHints(T) ? "&hsched_o" : "nullptr") + ");\n";
}

std::string wrapperBody(const TaskCode &T) {
  std::string Self = structName(T) + T.TemplateArgs;
  const std::string Here = lineDirective(T.Line, T.File);
  std::string Forwarded, Packed = T.Object.empty() ? "" : "this", Out = "{ ";
  for (const FieldCode &P : T.Params) {
    std::string One = "::hsched_gen_forward<decltype(" + P.Name + ")>(" + P.Name + ")" + (P.Pack ? "..." : "");
    Forwarded += (Forwarded.empty() ? "" : ", ") + One;
    Packed += (Packed.empty() ? "" : ", ") + (P.Pack      ? "{::hsched_gen_fill(), " + One + "}"
                                              : P.Pointed ? "__builtin_addressof(" + P.Name + ")"
                                                          : One);
  }
  if (T.Constexpr) // It cannot submit, so it calls a function that can.
    Out += "if (__builtin_is_constant_evaluated()) " + T.BodyName + T.TemplateArgs + "(" + Forwarded +
           "); else [&]() -> void { ";
  if (!T.HasKernel && std::ranges::any_of(T.Devices, [](const DeviceChoice &D) { return D.Kind == HSCHED_DEVICE_CPU; }))
    Out += "if (::hsched_in_final()) { " + T.BodyName + T.TemplateArgs + "(" + Forwarded + "); return; }\n" + Here;
  Out += "  " + frameStatements(T, Self + "::hsched_type()") + hintStatement(T) + Here;
  Out += "  new (::hsched_gen_place(hsched_f.hsched_memory)) " + std::string(T.templated() ? "typename " : "") + Self +
         "::hsched_args{" + Packed;
  return Out + "}; " + submitStatement(T) + Here + (T.Constexpr ? "}(); }\n" : "}\n");
}

std::string versionStruct(const VersionCode &V) {
  std::string Out = generatedPlace();
  if (!V.TemplateHead.empty())
    Out += V.TemplateHead + " ";
  Out += "struct " + structName(V) + " {\n" + argsStruct(V);
  Out += V.HasKernel
             ? fillFunction(V, V.Kernel)
             : runFunctions(
                   V, std::string(V.Object.empty() || V.ObjectFirst || V.TemplateArgs.empty() ? "" : "template ") +
                          V.Call);
  Out += sectionsFunction(V);
  return Out + "};\n" + (V.HasKernel ? fillMember(V, V.Kernel, structName(V)) : "");
}

std::string waitStatement(const WaitCode &W) {
  std::string Flags = W.NoFlush ? "HSCHED_WAIT_NOFLUSH" : "0u";
  if (!W.HasOn)
    return "::hsched_taskwait(" + Flags + ");";
  if (!std::all_of(W.On.begin(), W.On.end(), [](const Section &S) { return S.single(); })) {
    std::string Out = "{ ::hsched_gen_list hsched_l; ";
    for (const Section &S : W.On)
      Out += repeated(S, "hsched_l.hsched_add(HSCHED_INOUT, HSCHED_NO_PARAM, " + sectionExpr(S) + ");") + " ";
    return Out + "hsched_l.hsched_wait(" + Flags + "); }";
  }
  std::string Out = "{ const ::hsched_access hsched_l[] = {";
  for (const Section &S : W.On)
    Out += "::hsched_gen_access(HSCHED_INOUT, HSCHED_NO_PARAM, " + sectionExpr(S) + "), ";
  return Out + "}; ::hsched_taskwait_on(hsched_l, " + number(W.On.size()) + ", " + Flags + "); }";
}

std::string prologue(const ProgramCode &P) {
  auto reduces = [](const TaskCode &T) { return std::ranges::any_of(T.Accesses, isReduced); };
  bool Reduces = std::ranges::any_of(P.Tasks, reduces) || std::ranges::any_of(P.Inlines, reduces);
  bool Loops = std::ranges::any_of(P.Inlines, [](const InlineCode &I) { return I.Loop.has_value(); });
  return std::string("#include <hsched/gen") +
         (Loops     ? "_loops"
          : Reduces ? "_reductions"
                    : "") +
         ".h>\nstruct hsched_loader_" + P.UnitId + ";\n";
}

std::string friendship(const ProgramCode &P) { return "friend struct ::hsched_loader_" + P.UnitId + ";\n"; }

static std::string needSymbol(const TaskCode &T) {
  return "hsched_task_must_be_compiled_with_hsched_cc_" + T.LinkerName;
}

// Registration code for one version: a static descriptor array and one registration for each instance of its task.
static std::string registerVersion(const VersionCode &V, size_t Number, std::map<std::string, std::string> &Sources) {
  std::string Out;
  if (V.HasKernel) {
    // Kernels of one file share its text.
    auto [It, New] = Sources.try_emplace(V.Kernel.Source, "hsched_s" + std::to_string(Number));
    if (New)
      Out += "    static const char " + It->second + "[] =\n" + quoted(V.Kernel.Source) + ";\n";
  }
  for (size_t I = 0; I < V.Instances.size(); ++I) {
    std::string Suffix = std::to_string(Number) + "_" + std::to_string(I), Kernel = "nullptr", Run = "nullptr",
                Body = "nullptr";
    if (V.HasKernel) {
      Kernel = "&hsched_k" + Suffix;
      Out += kernelDesc(V, V.Kernel, "hsched_k" + Suffix, Sources[V.Kernel.Source], V.Instances[I] + "::");
    } else {
      Run = "&" + V.Instances[I] + "::hsched_run";
      if (!V.Packed.empty()) {
        Body = "&hsched_k" + Suffix;
        Out += bodyDesc(V, "hsched_k" + Suffix, V.Instances[I] + "::");
      }
    }
    Out += "    static const ::hsched_version_desc hsched_v" + Suffix + "[] = {\n" +
           versionRows(V, quoted(V.LinkerName), Run, Kernel, Body,
                       V.Sections.empty() ? "nullptr" : "&" + V.Instances[I] + "::hsched_sections") +
           "    };\n";
    for (size_t D = 0; D < V.Devices.size(); ++D)
      Out +=
          "    ::hsched_register_version(" + V.TaskKeys[I] + ", &hsched_v" + Suffix + "[" + std::to_string(D) + "]);\n";
  }
  return Out;
}

std::string loader(const ProgramCode &P, const std::string &Metadata) {
  std::string Name = "hsched_loader_" + P.UnitId, Out, Symbols;
  for (const TaskCode &T : P.Tasks) {
    if (T.Kept || T.templated())
      continue;
    // A unit that calls a task refers to a symbol that only hsched-cc emits where the task is defined.
    if (T.Defined)
      Symbols += "extern \"C\" { extern __attribute__((visibility(\"default\")" + std::string(T.Weak ? ", weak" : "") +
                 ")) const char " + needSymbol(T) + "; const char " + needSymbol(T) + " = 0; }\n";
    else if (T.UsedHere)
      Symbols += "extern \"C\" { extern const char " + needSymbol(T) +
                 "; }\nnamespace { const char *const hsched_need_" + T.Id + " __attribute__((used)) = &" +
                 needSymbol(T) + "; }\n";
  }
  Out += Symbols;
  Out += "struct " + Name + " {\n  __attribute__((__cold__, __noinline__)) static void hsched_load() {\n";
  for (const TaskCode &T : P.Tasks)
    if (T.Defined)
      for (const std::string &I : T.Instances)
        Out += "    (void)" + I + "::hsched_type();\n";
  size_t Number = 0;
  std::map<std::string, std::string> Sources;
  for (const VersionCode &V : P.Versions)
    if (V.Defined)
      Out += registerVersion(V, Number++, Sources);
  if (!Metadata.empty())
    Out += "    static const char hsched_m[] =\n" + quoted(Metadata) +
           ";\n    ::hsched_register_metadata(hsched_m, sizeof(hsched_m) - 1);\n";
  Out += "  }\n};\nnamespace { struct hsched_load_now { hsched_load_now() { ::" + Name + "::hsched_load(); } } const " +
         "hsched_load_now_object __attribute__((used)); }\n";
  return Out;
}

} // namespace hsched::cc
