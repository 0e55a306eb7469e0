// A version's generated struct and the descriptors that refer to it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CodeInternal.h"

#include <set>

namespace hsched::cc {

// All names of the generated struct begin with hsched_. Within it, the user's types must keep their meaning, and a
// parameter may have the name of its type.
static std::string field(size_t Param) { return "hsched_a.hsched_p" + std::to_string(Param); }

// A member whose type needs the class around it is declared in a template, which is not instantiated before the class
// ends.
std::string argsStruct(const FunctionCode &F) {
  std::string Types, Members = F.Object.empty() ? "" : " " + F.Object + " *hsched_this;";
  for (size_t I = 0; I < F.Params.size(); ++I) {
    const FieldCode &P = F.Params[I];
    const std::string Name = "hsched_p" + std::to_string(I);
    if (P.Late)
      Types += " typedef " + P.Declaration + ";";
    Members +=
        " " +
        (P.Late ? "typename ::hsched_gen_later<typename hsched_types::" + Name + ", hsched_c>::hsched_type " + Name
                : P.Declaration) +
        ";";
  }
  if (Types.empty())
    return "  struct hsched_args {" + Members + " };\n";
  return "  struct hsched_types {" + Types + " };\n  template <class hsched_c> struct hsched_late_args {" + Members +
         " };\n  typedef hsched_late_args<void> hsched_args;\n";
}

// Expression that replaces parameter P's member for a body that gets the tiles' locations in hsched_h; empty: the
// member itself is passed.
static std::string packedParam(const FunctionCode &F, size_t P) {
  for (size_t I = 0; I < F.Packed.size(); ++I) {
    const std::string Place = "hsched_h[" + std::to_string(I) + "]";
    if (F.Packed[I].Leading == P)
      return "::hsched_gen_leading(" + field(P) + ", " + Place + ".leading)";
    if (F.Packed[I].Tile == P && !F.Params[P].Pointed)
      return "::hsched_gen_seen<decltype(" + field(P) + ")>::hsched_get(" + field(P) + ", " + Place + ")";
  }
  return "";
}

// A function that unpacks the arguments and makes a call. WithTiles: it also gets the locations of packed tiles.
static std::string runFunction(const FunctionCode &F, const std::string &Callee, bool WithTiles) {
  std::string Call = std::string(F.Object.empty() || F.ObjectFirst ? "" : "hsched_a.hsched_this->") + Callee +
                     (F.ObjectFirst ? "(*hsched_a.hsched_this" : "("),
              Pack;
  const char *Separator = F.ObjectFirst ? ", " : "";
  for (size_t I = 0; I < F.Params.size(); ++I) {
    if (F.Params[I].Pack)
      Pack = field(I);
    std::string Given = WithTiles ? packedParam(F, I) : "";
    if (Given.empty())
      Given = F.Params[I].Pack      ? "::hsched_gen_element<hsched_i>::hsched_get(" + field(I) + ")..."
              : F.Params[I].Pointed ? "*" + field(I)
                                    : "::hsched_gen_forward<decltype(" + field(I) + ")>(" + field(I) + ")";
    Call += Separator + Given;
    Separator = ", ";
  }
  Call += ");\n";
  const std::string Suffix = WithTiles ? "_packed" : "",
                    Places = WithTiles ? ", const ::hsched_packed_place *hsched_h" : "";
  std::string Out;
  if (!Pack.empty()) {
    const std::string Spread = "hsched_spread" + Suffix;
    Out = "  template < ::size_t... hsched_i> static void " + Spread + "(hsched_args &hsched_a" + Places +
          ", ::hsched_gen_indices<hsched_i...>) {\n    (void)hsched_a;\n    " + Call + "  }\n";
    Call = Spread + "(hsched_a, " + (WithTiles ? "hsched_h, " : "") + "typename ::hsched_gen_up_to<decltype(" + Pack +
           ")::hsched_size>::hsched_type());\n";
  }
  return Out + "  static void hsched_run" + Suffix + "(void *hsched_v" + Places +
         ") {\n    hsched_args &hsched_a = *static_cast<hsched_args *>(hsched_v);\n    (void)hsched_a;\n    " + Call +
         "  }\n";
}

std::string runFunctions(const FunctionCode &F, const std::string &Callee) {
  return runFunction(F, Callee, false) + (F.Packed.empty() ? "" : runFunction(F, Callee, true));
}

// Parameters of the functions that fill a kernel's arguments: hsched_fill, and, if it has packed tiles,
// hsched_fill_packed.
static std::string fillParams(bool Packed) {
  return std::string("(const void *hsched_v, ") + (Packed ? "const unsigned long long *hsched_h, " : "") +
         "::hsched_ndrange *hsched_r, ::hsched_kernel_arg *hsched_o)";
}
static std::string fillName(const FunctionCode &F) { return F.Packed.empty() ? "hsched_fill" : "hsched_fill_packed"; }

// Fills hsched_o[I]. Leading: the parameter is a leading dimension, whose value on the device may differ.
static std::string fillArgument(const KernelArgCode &A, size_t I, bool Leading) {
  std::string Slot = "hsched_o[" + std::to_string(I) + "]";
  switch (A.K) {
  case KernelArgCode::Kind::Value:
    if (Leading)
      return "    ::hsched_gen_computed(" + Slot + ", " + A.Text + ");\n";
    return "    ::hsched_gen_value(" + Slot + ", " + paramNumber(A.Param) + ", " + A.Text + ");\n";
  case KernelArgCode::Kind::Computed:
    return "    ::hsched_gen_computed(" + Slot + ", " +
           (A.Type.empty() ? A.Text : "static_cast<" + A.Type + ">(" + A.Text + ")") + ");\n";
  case KernelArgCode::Kind::Buffer:
    return "    ::hsched_gen_buffer(" + Slot + ", " + paramNumber(A.Param) + ", " + A.Text + ");\n";
  case KernelArgCode::Kind::Local:
    return "    ::hsched_gen_local_memory(" + Slot + ", ::hsched_gen_count(" + A.Text + "));\n";
  }
  return "";
}

// Addresses are the host's, and so are leading dimensions in them; all other arguments of the kernel are the device's.
static std::string fillArguments(const FunctionCode &F, const KernelCode &K) {
  std::string Addresses, Out, Leading;
  std::set<size_t> Known; // Leading dimensions: tiles that share one get the same value.
  for (size_t I = 0; I < F.Packed.size(); ++I) {
    const FieldCode &P = F.Params[F.Packed[I].Leading];
    if (!Known.insert(F.Packed[I].Leading).second)
      continue;
    Leading += "    " +
               shadowing("const auto " + P.Name + " = ::hsched_gen_leading(" + (P.Pointed ? "*" : "") +
                         field(F.Packed[I].Leading) + ", hsched_h[" + std::to_string(I) + "]);") +
               " (void)" + P.Name + ";\n";
  }
  for (size_t I = 0; I < K.Args.size(); ++I) {
    const KernelArgCode &A = K.Args[I];
    bool IsLeading = A.Param >= 0 && Known.count(static_cast<size_t>(A.Param));
    (!F.Packed.empty() && A.K == KernelArgCode::Kind::Buffer ? Addresses : Out) +=
        atClause(K, A.Line, fillArgument(A, I, IsLeading));
  }
  return F.Packed.empty() ? Out : Addresses + "    {\n" + Leading + Out + "    }\n";
}

// The body that fills a kernel's arguments. Struct is that of F.
static std::string fillBody(const FunctionCode &F, const KernelCode &K, const std::string &Struct) {
  std::string Args = (Struct.empty() ? "" : Struct + "::") + std::string("hsched_args");
  std::string Out = " {\n    const " + (F.TemplateArgs.empty() || Struct.empty() ? "" : std::string("typename ")) +
                    Args + " &hsched_a = *static_cast<const " +
                    (F.TemplateArgs.empty() || Struct.empty() ? "" : std::string("typename ")) + Args +
                    " *>(hsched_v);\n    (void)hsched_a;\n    (void)hsched_o;\n";
  for (size_t I = 0; I < F.Params.size(); ++I)
    Out += "    auto &" + F.Params[I].Name + " = " + (F.Params[I].Pointed ? "*" : "") + field(I) + ";\n    (void)" +
           F.Params[I].Name + ";\n";
  std::string Range;
  for (size_t I = 0; I < 3; ++I) {
    std::string Global = I < K.Global.size() ? "::hsched_gen_count(" + K.Global[I].Text + ")" : "1";
    std::string Local = K.Local.empty()      ? "0"
                        : I < K.Local.size() ? "::hsched_gen_count(" + K.Local[I].Text + ")"
                                             : "1";
    Range += "    ::hsched_gen_geometry(hsched_r, " + number(K.Global.size()) + ", " + number(I) + ", " + Global +
             ", " + Local + ");";
    if (I < K.Offset.size())
      Range += "    ::hsched_gen_offset(hsched_r, " + number(I) + ", ::hsched_gen_count(" + K.Offset[I].Text + "));";
  }
  Out += atClause(K, K.RangeLine, Range + "\n");
  Out += fillArguments(F, K);
  return Out + "  }\n";
}

std::string fillFunction(const FunctionCode &F, const KernelCode &K) {
  const bool Packed = !F.Packed.empty();
  const std::string Handed = std::string("(hsched_v, ") + (Packed ? "hsched_h, " : "") + "hsched_r, hsched_o);\n  }\n";
  std::string Out = "  static void " + fillName(F) + fillParams(Packed);
  if (F.Object.empty())
    Out += fillBody(F, K, "");
  else // Expressions mean the same as in a member of the class.
    Out += " {\n    static_cast<const hsched_args *>(hsched_v)->hsched_this->" +
           (F.TemplateArgs.empty() ? "" : std::string("template ")) + "hsched_fill_" + F.Id + F.TemplateArgs + Handed;
  if (Packed) // For runtimes that do not support packed tiles.
    Out += "  static void hsched_fill" + fillParams(false) + " {\n    const unsigned long long hsched_h[" +
           number(F.Packed.size()) + "] = {};\n    hsched_fill_packed" + Handed;
  return Out;
}

std::string fillMember(const FunctionCode &F, const KernelCode &K, const std::string &Struct) {
  if (F.Object.empty())
    return "";
  return F.TemplateHead + (F.TemplateHead.empty() ? "" : " ") + "void hsched_fill_" + F.Id +
         fillParams(!F.Packed.empty()) + " const" + fillBody(F, K, Struct + F.TemplateArgs);
}

std::string versionRows(const FunctionCode &F, const std::string &LinkerName, const std::string &Run,
                        const std::string &Kernel, const std::string &Body, const std::string &Sections) {
  std::string Out;
  for (const DeviceChoice &D : F.Devices)
    Out += "      {sizeof(::hsched_version_desc), " + LinkerName + ", " + quoted(F.Name) + ", " + quoted(F.File) +
           ", " + number(F.Line) + ", " + number(D.Kind) + ", " + number(D.Type) + ", " + Run + ", " + Kernel + ", " +
           Body + ", " + Sections + "},\n";
  return Out;
}

std::string sectionsFunction(const VersionCode &V) {
  if (V.Sections.empty())
    return "";
  std::string Out = "  static void hsched_sections(const void *hsched_v, void (*hsched_add)(void *, const "
                    "::hsched_access *), void *hsched_to) {\n    const hsched_args &hsched_a = *static_cast<const "
                    "hsched_args *>(hsched_v);\n    (void)hsched_a;\n";
  for (size_t I = 0; I < V.Params.size(); ++I)
    if (!V.Params[I].Name.empty())
      Out += "    auto &" + V.Params[I].Name + " = " + (V.Params[I].Pointed ? "*" : "") + field(I) + ";\n    (void)" +
             V.Params[I].Name + ";\n";
  Out += "    ::hsched_gen_list hsched_l;\n";
  for (const AccessCode &A : V.Sections)
    Out += lineDirective(A.Line, A.File) + "    " +
           repeated(A.What, std::string("hsched_l.hsched_add(") + modeName(A.Role) + ", " + paramNumber(A.Param) +
                                ", " + sectionExpr(A.What) + ");") +
           "\n";
  return Out + lineDirective(V.Line, V.File) + "    hsched_l.hsched_hand(hsched_add, hsched_to);\n  }\n";
}

// Descriptor text of F's packed tiles: the constants that they refer to, whose names begin with Name.
namespace {
struct PackedText {
  std::string Constants, Tiles, Leading; // Initialisers: number and list of them; list of leading dimensions.
};
} // namespace
static PackedText packedText(const FunctionCode &F, const std::string &Name, const std::string &Struct) {
  if (F.Packed.empty())
    return {"", "0u, nullptr", "nullptr"};
  std::string Tiles, Params;
  std::set<size_t> Leading;
  for (const PackedCode &P : F.Packed) {
    Tiles += "{" + number(P.Tile) + ", ::hsched_gen_leaf<decltype(" + Struct + "hsched_args::hsched_p" +
             std::to_string(P.Tile) + ")>::hsched_bytes()}, ";
    Params += number(P.Leading) + ", ";
    Leading.insert(P.Leading);
  }
  PackedText Out{"      static const ::hsched_packed " + Name + "_packed[] = {" + Tiles + "};\n",
                 number(F.Packed.size()) + ", " + Name + "_packed", "nullptr"};
  if (Leading.size() < F.Packed.size()) {
    Out.Constants += "      static const unsigned " + Name + "_leading[] = {" + Params + "};\n";
    Out.Leading = Name + "_leading";
  }
  return Out;
}

std::string kernelDesc(const FunctionCode &F, const KernelCode &K, const std::string &Name, const std::string &Source,
                       const std::string &Struct) {
  const PackedText Packed = packedText(F, Name, Struct);
  return Packed.Constants + "      static const ::hsched_kernel_desc " + Name + " = {sizeof(::hsched_kernel_desc), " +
         quoted(K.File) + ", " + quoted(K.Name) + ", " + quoted(K.Entry) + ", " + Source + ", sizeof(" + Source +
         ") - 1, " + quoted(K.Options) + ", " + number(K.Args.size()) + ", HSCHED_KERNEL_OFFSETS, &" + Struct +
         "hsched_fill, " + Packed.Tiles + ", " + (F.Packed.empty() ? "nullptr" : "&" + Struct + "hsched_fill_packed") +
         ", " + Packed.Leading + "};\n";
}

std::string bodyDesc(const FunctionCode &F, const std::string &Name, const std::string &Struct) {
  const PackedText Packed = packedText(F, Name, Struct);
  return Packed.Constants + "      static const ::hsched_packed_body " + Name + " = {sizeof(::hsched_packed_body), " +
         Packed.Tiles + ", " + Packed.Leading + ", &" + Struct + "hsched_run_packed};\n";
}

} // namespace hsched::cc
