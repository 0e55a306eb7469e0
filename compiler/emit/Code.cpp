// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Code.h"

#include "hsched/abi.h"

#include <algorithm>
#include <map>

namespace hsched::cc {

static constexpr char NoParam[] = "HSCHED_NO_PARAM";

static std::string number(size_t N) { return std::to_string(N) + "u"; }
static std::string paramNumber(int P) { return P < 0 ? NoParam : number(static_cast<size_t>(P)); }

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
    case '?': // no trigraphs
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

std::string sectionExpr(const Section &S) {
  const std::string &P = S.Base.Text;
  switch (S.F) {
  case Section::Form::Whole:
    return "::hsched_gen_whole(" + P + ", ::hsched_gen_first())";
  case Section::Form::Pointee:
    return range(P, "0", "1");
  case Section::Form::Shaped: {
    std::string Count;
    for (const Expr &E : S.Shape)
      Count += (Count.empty() ? "" : " * ") + ("::hsched_gen_count(" + E.Text + ")");
    return range(P, "0", Count);
  }
  case Section::Form::Range:
    return range(P, S.Low.Text, "::hsched_gen_count(" + S.Length.Text + ")");
  case Section::Form::Tile:
    break;
  }
  std::string Out = "::hsched_gen_tile(" + P;
  if (!S.Shape.empty()) {
    Out += ", ::hsched_gen_shape<" + std::to_string(S.Shape.size()) + ">{{";
    for (const Expr &E : S.Shape)
      Out += "::hsched_gen_count(" + E.Text + "), ";
    Out += "}}";
  }
  for (const Subscript &Sub : S.Subscripts)
    if (Sub.K == Subscript::Kind::Index)
      Out += ", ::hsched_gen_index(" + Sub.Low.Text + ")";
    else if (Sub.Length.Text.empty())
      Out += ", ::hsched_gen_from(" + Sub.Low.Text + ")";
    else
      Out += ", ::hsched_gen_part(" + Sub.Low.Text + ", ::hsched_gen_count(" + Sub.Length.Text + "))";
  return Out + ")";
}

// Call, inside the loops of S's generators.
static std::string repeated(const Section &S, std::string Call) {
  std::string Out, Close;
  if (S.Pack)
    Call = "{ const int hsched_e[] = {0, (" + Call.substr(0, Call.rfind(';')) + ", 0)...}; (void)hsched_e; }";
  for (size_t I = 0; I < S.Over.size(); ++I) {
    const Generator &G = S.Over[I];
    std::string K = "hsched_k" + std::to_string(I), N = "hsched_n" + std::to_string(I);
    Out += "for (size_t " + K + " = 0, " + N + " = ::hsched_gen_count(" + G.Count.Text + "); " + K + " < " + N +
           "; ++" + K + ") { const auto " + G.Name + " = ::hsched_gen_nth(" + G.Low.Text + ", " + K + ", " +
           G.Step.Text + "); (void)" + G.Name + "; ";
    Close += " }";
  }
  return Out + Call + Close;
}

static const char *modeName(AccessRole R) {
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

// The generated struct's names all begin with hsched_: within it, the user's types must keep their meaning, and a
// parameter may be called like its type.
static std::string field(size_t Param) { return "hsched_a.hsched_p" + std::to_string(Param); }

// struct hsched_args { ... };
static std::string argsStruct(const FunctionCode &F) {
  std::string Out = "  struct hsched_args {";
  if (!F.Object.empty())
    Out += " " + F.Object + " *hsched_this;";
  for (const FieldCode &P : F.Params)
    Out += " " + P.Declaration + ";";
  return Out + " };\n";
}

// A function that unpacks the arguments and makes a call.
static std::string runFunction(const FunctionCode &F, const std::string &Callee) {
  std::string Call = std::string(F.Object.empty() ? "" : "hsched_a.hsched_this->") + Callee + "(", Pack;
  const char *Separator = "";
  for (size_t I = 0; I < F.Params.size(); ++I) {
    if (F.Params[I].Pack)
      Pack = field(I);
    Call += Separator + (F.Params[I].Pack      ? "::hsched_gen_element<hsched_i>::hsched_get(" + field(I) + ")..."
                         : F.Params[I].Pointed ? "*" + field(I)
                                               : "::hsched_gen_forward<decltype(" + field(I) + ")>(" + field(I) + ")");
    Separator = ", ";
  }
  Call += ");\n";
  std::string Out;
  if (!Pack.empty()) {
    Out = "  template <size_t... hsched_i> static void hsched_spread(hsched_args &hsched_a, "
          "::hsched_gen_indices<hsched_i...>) {\n    (void)hsched_a;\n    " +
          Call + "  }\n";
    Call =
        "hsched_spread(hsched_a, typename ::hsched_gen_up_to<decltype(" + Pack + ")::hsched_size>::hsched_type());\n";
  }
  return Out +
         "  static void hsched_run(void *hsched_v) {\n"
         "    hsched_args &hsched_a = *static_cast<hsched_args *>(hsched_v);\n    (void)hsched_a;\n    " +
         Call + "  }\n";
}

static constexpr char FillParams[] =
    "(const void *hsched_v, ::hsched_ndrange *hsched_r, ::hsched_kernel_arg *hsched_o)";

// What fills a kernel's arguments. Struct is that of F.
static std::string fillBody(const FunctionCode &F, const KernelCode &K, const std::string &Struct) {
  std::string Args = (Struct.empty() ? "" : Struct + "::") + std::string("hsched_args");
  std::string Out = " {\n    const " + (F.TemplateArgs.empty() || Struct.empty() ? "" : std::string("typename ")) +
                    Args + " &hsched_a = *static_cast<const " +
                    (F.TemplateArgs.empty() || Struct.empty() ? "" : std::string("typename ")) + Args +
                    " *>(hsched_v);\n    (void)hsched_a;\n    (void)hsched_o;\n";
  for (size_t I = 0; I < F.Params.size(); ++I)
    Out += "    auto &" + F.Params[I].Name + " = " + (F.Params[I].Pointed ? "*" : "") + field(I) + ";\n    (void)" +
           F.Params[I].Name + ";\n";
  for (size_t I = 0; I < 3; ++I) {
    std::string Global = I < K.Global.size() ? "::hsched_gen_count(" + K.Global[I].Text + ")" : "1";
    std::string Local = K.Local.empty()      ? "0"
                        : I < K.Local.size() ? "::hsched_gen_count(" + K.Local[I].Text + ")"
                                             : "1";
    Out += "    ::hsched_gen_geometry(hsched_r, " + number(K.Global.size()) + ", " + number(I) + ", " + Global + ", " +
           Local + ");\n";
  }
  for (size_t I = 0; I < K.Args.size(); ++I) {
    const KernelArgCode &A = K.Args[I];
    std::string Slot = "hsched_o[" + std::to_string(I) + "]";
    switch (A.K) {
    case KernelArgCode::Kind::Value:
      Out += "    ::hsched_gen_value(" + Slot + ", " + paramNumber(A.Param) + ", " + A.Text + ");\n";
      break;
    case KernelArgCode::Kind::Computed:
      Out += "    ::hsched_gen_computed(" + Slot + ", " +
             (A.Type.empty() ? A.Text : "static_cast<" + A.Type + ">(" + A.Text + ")") + ");\n";
      break;
    case KernelArgCode::Kind::Buffer:
      Out += "    ::hsched_gen_buffer(" + Slot + ", " + paramNumber(A.Param) + ", " + A.Text + ");\n";
      break;
    case KernelArgCode::Kind::Local:
      Out += "    ::hsched_gen_local_memory(" + Slot + ", ::hsched_gen_count(" + A.Text + "));\n";
      break;
    }
  }
  return Out + "  }\n";
}

static std::string fillFunction(const FunctionCode &F, const KernelCode &K) {
  std::string Out = "  static void hsched_fill" + std::string(FillParams);
  if (F.Object.empty())
    return Out + fillBody(F, K, "");
  // Expressions mean what they mean in a member of the class.
  return Out + " {\n    static_cast<const hsched_args *>(hsched_v)->hsched_this->" +
         (F.TemplateArgs.empty() ? "" : "template ") + "hsched_fill_" + F.Id + F.TemplateArgs +
         "(hsched_v, hsched_r, hsched_o);\n  }\n";
}

// Behind the struct of a member that is a kernel.
static std::string fillMember(const FunctionCode &F, const KernelCode &K, const std::string &Struct) {
  if (F.Object.empty())
    return "";
  return F.TemplateHead + (F.TemplateHead.empty() ? "" : " ") + "void hsched_fill_" + F.Id + FillParams + " const" +
         fillBody(F, K, Struct + F.TemplateArgs);
}

// Initialisers of version descriptors, one a device.
static std::string versionRows(const FunctionCode &F, const std::string &LinkerName, const std::string &Run,
                               const std::string &Kernel) {
  std::string Out;
  for (const DeviceChoice &D : F.Devices)
    Out += "      {sizeof(::hsched_version_desc), " + LinkerName + ", " + quoted(F.Name) + ", " + quoted(F.File) +
           ", " + number(F.Line) + ", " + number(D.Kind) + ", " + number(D.Type) + ", " + Run + ", " + Kernel + "},\n";
  return Out;
}

static std::string kernelDesc(const KernelCode &K, const std::string &Source, const std::string &Fill) {
  return "{sizeof(::hsched_kernel_desc), " + quoted(K.File) + ", " + quoted(K.Name) + ", " + quoted(K.Entry) + ", " +
         Source + ", sizeof(" + Source + ") - 1, " + quoted(K.Options) + ", " + number(K.Args.size()) +
         ", HSCHED_KERNEL_OFFSETS, " + Fill + "}";
}

// Lines that are the user's must not be shared with code that is not: a breakpoint there would stop in both.
static std::string generatedPlace() { return lineDirective(1, "<hsched>"); }

std::string taskStruct(const TaskCode &T) {
  std::string Out = generatedPlace();
  if (!T.TemplateHead.empty())
    Out += T.TemplateHead + " ";
  Out += "struct " + structName(T) + " {\n" + argsStruct(T);
  if (T.HasKernel)
    Out += fillFunction(T, T.Kernel);
  else
    Out += runFunction(T, std::string(T.Object.empty() || T.TemplateArgs.empty() ? "" : "template ") + T.BodyName +
                              T.TemplateArgs);
  Out += "  static void hsched_destroy(void *hsched_v) { static_cast<hsched_args *>(hsched_v)->~hsched_args(); }\n";
  // What no one can spell in another unit, templates' instances, is known by what the compiler calls it.
  Out += "  static const char *hsched_key() { return " +
         (T.templated() ? "__PRETTY_FUNCTION__" : quoted(T.LinkerName)) + "; }\n";
  Out += "  static ::hsched_task_type *hsched_type() {\n"
         "    static ::hsched_task_type *const hsched_t = [] {\n"
         "      static const char *const hsched_n[] = {";
  for (const FieldCode &P : T.Params)
    Out += quoted(P.Name) + ", ";
  Out += "nullptr};\n";
  if (T.HasKernel)
    Out += "      static const char hsched_s[] =\n" + quoted(T.Kernel.Source) + ";\n" +
           "      static const ::hsched_kernel_desc hsched_k = " + kernelDesc(T.Kernel, "hsched_s", "&hsched_fill") +
           ";\n";
  Out += "      static const ::hsched_task_desc hsched_d = {sizeof(::hsched_task_desc), HSCHED_ABI_MAJOR, "
         "HSCHED_ABI_MINOR, hsched_key(), " +
         quoted(T.Name) + ", " + quoted(T.File) + ", " + number(T.Line) + ", " + number(T.Params.size()) +
         ", hsched_n, sizeof(hsched_args), alignof(hsched_args), "
         "HSCHED_GEN_TRIVIAL_DESTRUCTOR(hsched_args) ? nullptr : &hsched_destroy};\n";
  Out +=
      "      static const ::hsched_version_desc hsched_v[] = {\n" +
      versionRows(T, "hsched_key()", T.HasKernel ? "nullptr" : "&hsched_run", T.HasKernel ? "&hsched_k" : "nullptr") +
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

// What a chunk of a loop touches through sections that its iterations have each their own of.
static std::string overLoop(const TaskCode &T, const AccessCode &A, const std::string &List) {
  const auto &I = static_cast<const InlineCode &>(T);
  std::string Add = List + ".hsched_add(" + std::string(modeName(A.Role)) + ", " + paramNumber(A.Param) +
                    ", ::hsched_gen_over(" + loopName(I.Id) + ", " + firstName(I.Id) + ", " + countName(I.Id) +
                    ", [&](typename decltype(" + loopName(I.Id) + ")::hsched_variable " + I.Loop->Variable +
                    ") { return " + sectionExpr(A.What) + "; }));";
  return I.Loop->Declared ? Add : shadowing(Add);
}

std::string frameStatements(const TaskCode &T, const std::string &Type) {
  // How many accesses there are must be known first: where only the program knows, they are listed before.
  bool Single = std::all_of(T.Accesses.begin(), T.Accesses.end(), [](const AccessCode &A) { return A.What.single(); });
  std::string List = Single ? "hsched_f" : "hsched_l", Out, Frame = "::hsched_gen_frame hsched_f(" + Type + ", ";
  Out += Single ? Frame + number(T.Accesses.size()) + ");\n" : "::hsched_gen_list hsched_l;\n";
  for (const AccessCode &A : T.Accesses)
    Out += lineDirective(A.Line, A.File) + "  " +
           repeated(A.What, A.Iterates ? overLoop(T, A, List)
                                       : List + ".hsched_add(" + modeName(A.Role) + ", " + paramNumber(A.Param) + ", " +
                                             sectionExpr(A.What) + ");") +
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
    Out += "const hsched_type &omp_orig = *hsched_o; ";
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

static bool isReduced(const AccessCode &A) {
  return A.Role == AccessRole::Reduction && (!A.BuiltIn.empty() || !A.Reductions.empty());
}

// "const hsched_reduction hsched_q[] = {...};" of T's reduced parameters; N counts them.
static std::string reductionStatement(const TaskCode &T, size_t &N) {
  std::string Rows,
      Type = std::string(T.TemplateArgs.empty() ? "" : "typename ") + structName(T) + T.TemplateArgs + "::hsched_args";
  N = 0;
  for (const AccessCode &A : T.Accesses) {
    if (!isReduced(A))
      continue;
    ++N;
    std::string Ops = A.BuiltIn.empty() ? "::hsched_gen_none" : "::" + A.BuiltIn;
    for (const std::string &Declared : A.Reductions)
      Ops += ", " + Declared;
    Rows += "{" + paramNumber(A.Param) + ", ::hsched_gen_slot(&static_cast<" + Type +
            " *>(hsched_f.hsched_memory)->hsched_p" + std::to_string(A.Param) + "), ::hsched_gen_reduction<" + Ops +
            ">(" + A.What.Base.Text + ", ::hsched_gen_first())}, ";
  }
  return N ? "const ::hsched_reduction hsched_q[] = {" + Rows + "};" : "";
}

static bool hasHints(const TaskCode &T) {
  if (std::ranges::any_of(T.Accesses, isReduced))
    return true;
  for (const std::string *Hint : {&T.Priority, &T.Label, &T.If, &T.Final, &T.Cost})
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
  return lineDirective(T.HintLine, T.File) + "  " + Reductions +
         (Reduced ? "\n" + lineDirective(T.HintLine, T.File) + "  " : "") +
         "const ::hsched_submit_options hsched_o = {sizeof hsched_o, " +
         (T.Priority.empty() ? "0" : "::hsched_gen_priority(" + T.Priority + ")") + ", " +
         (T.Label.empty() ? "nullptr" : T.Label) + ", " + (Flags.empty() ? "0u" : "0u | " + Flags) + ", " +
         number(Reduced) + ", " + (T.Cost.empty() ? "0.0" : "::hsched_gen_cost(" + T.Cost + ")") + ", " +
         (Reduced ? "hsched_q" : "nullptr") + "};\n";
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
  if (!T.HasKernel && std::ranges::any_of(T.Devices, [](const DeviceChoice &D) { return D.Kind == HSCHED_DEVICE_CPU; }))
    Out += "if (::hsched_in_final()) { " + T.BodyName + T.TemplateArgs + "(" + Forwarded + "); return; }\n" + Here;
  Out += "  " + frameStatements(T, Self + "::hsched_type()") + hintStatement(T) + Here;
  Out += "  new (::hsched_gen_place(hsched_f.hsched_memory)) " +
         std::string(T.TemplateArgs.empty() ? "" : "typename ") + Self + "::hsched_args{" + Packed;
  return Out + "}; " + submitStatement(T) + Here + "}\n";
}

std::string versionStruct(const VersionCode &V) {
  std::string Out = generatedPlace();
  if (!V.TemplateHead.empty())
    Out += V.TemplateHead + " ";
  Out += "struct " + structName(V) + " {\n" + argsStruct(V);
  Out += V.HasKernel
             ? fillFunction(V, V.Kernel)
             : runFunction(V, std::string(V.Object.empty() || V.TemplateArgs.empty() ? "" : "template ") + V.Call);
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
  bool Reduces =
      std::ranges::any_of(P.Tasks, [](const TaskCode &T) { return std::ranges::any_of(T.Accesses, isReduced); });
  return std::string("#include <hsched/gen") + (Reduces ? "_reductions" : "") + ".h>\nstruct hsched_loader_" +
         P.UnitId + ";\n";
}

std::string friendship(const ProgramCode &P) { return "friend struct ::hsched_loader_" + P.UnitId + ";\n"; }

static std::string needSymbol(const TaskCode &T) {
  return "hsched_task_must_be_compiled_with_hsched_cc_" + T.LinkerName;
}

// The loader's code for one version: a static descriptor array and a registration for each instance of its task.
static std::string registerVersion(const VersionCode &V, size_t Number, std::map<std::string, std::string> &Sources) {
  std::string Out;
  if (V.HasKernel) {
    // Kernels of one file share its text.
    auto [It, New] = Sources.try_emplace(V.Kernel.Source, "hsched_s" + std::to_string(Number));
    if (New)
      Out += "    static const char " + It->second + "[] =\n" + quoted(V.Kernel.Source) + ";\n";
  }
  for (size_t I = 0; I < V.Instances.size(); ++I) {
    std::string Suffix = std::to_string(Number) + "_" + std::to_string(I), Kernel = "nullptr", Run = "nullptr";
    if (V.HasKernel) {
      Kernel = "&hsched_k" + Suffix;
      Out += "    static const ::hsched_kernel_desc hsched_k" + Suffix + " = " +
             kernelDesc(V.Kernel, Sources[V.Kernel.Source], "&" + V.Instances[I] + "::hsched_fill") + ";\n";
    } else {
      Run = "&" + V.Instances[I] + "::hsched_run";
    }
    Out += "    static const ::hsched_version_desc hsched_v" + Suffix + "[] = {\n" +
           versionRows(V, quoted(V.LinkerName), Run, Kernel) + "    };\n";
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
    // A unit that calls a task refers to a symbol that only hsched-cc makes where the task is defined.
    if (T.Defined)
      Symbols += "extern \"C\" { extern __attribute__((visibility(\"default\")" + std::string(T.Weak ? ", weak" : "") +
                 ")) const char " + needSymbol(T) + "; const char " + needSymbol(T) + " = 0; }\n";
    else if (T.UsedHere)
      Symbols += "extern \"C\" { extern const char " + needSymbol(T) +
                 "; }\nnamespace { const char *const hsched_need_" + T.Id + " __attribute__((used)) = &" +
                 needSymbol(T) + "; }\n";
  }
  Out += Symbols;
  Out += "struct " + Name + " {\n  static void hsched_load() {\n";
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
