// Tasks that are statements, and loops, in C: the statement is the body of a function nested in the user's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CCode.h"
#include "emit/Code.h"
#include "emit/CodeInternal.h"

#include <algorithm>

namespace hsched::cc::c {
namespace {

std::string argsName(const InlineCode &I) { return "hsched_a" + I.Id; }
std::string variableType(const InlineCode &I) { return "hsched_v" + I.Id; }
std::string recordName(const InlineCode &I) { return "hsched_s" + I.Id; }
std::string innerType(const InlineCode &I, size_t D) { return variableType(I) + "_" + std::to_string(D); }

bool reduced(const AccessCode &A) {
  return A.Role == AccessRole::Reduction && (!A.BuiltIn.empty() || !A.Reductions.empty());
}

std::string typeOf(const std::string &Name) { return "__typeof__(" + Name + ")"; }

// "typedef ... Type; const hsched_c_loop Name = ...;"
std::string loopObject(const LoopCode &L, const std::string &Type, const std::string &Name) {
  const std::string Begin =
      L.Declared ? "__extension__({ " + L.Start + "; " + L.Variable + "; })" : "(" + L.Start + ")";
  const std::string First = Name + "_f", Bound = Name + "_e", Number = "(hsched_c_number)";
  static const char *const Signs[] = {"<", "<=", ">", ">=", "!="};
  const auto Relation = static_cast<size_t>(L.Goes);
  const std::string R = std::to_string(Relation == 2 ? 2 : Relation); // The order is gen_c_tasks.h's.
  return "typedef __typeof__(" + (L.Declared ? Begin : "(" + L.Variable + ") + 0") + ") " + Type + "; const " + Type +
         " " + First + " = " + Begin + "; const __typeof__((" + L.Bound + ") + 0) " + Bound + " = (" + L.Bound +
         "); const hsched_c_loop " + Name + " = hsched_c_loop_of(" + Number + First + ", " + Number + Bound + ", " +
         First + " " + Signs[Relation] + " " + Bound + ", " + (L.Back ? "-" : "") + "(long long)(" + L.Step + "), " +
         Number + "((" + Type + ")0 + 1), " + R + ");\n";
}

std::string grainOf(const InlineCode &I) {
  const LoopCode &L = *I.Loop;
  if (!L.Grain.empty())
    return "hsched_c_count(" + L.Grain + ")";
  return L.Shared ? "0" : "hsched_loop_grain(&" + recordName(I) + ", " + loopName(I.Id) + ".hsched_count)";
}

std::string countOf(const InlineCode &I) {
  return I.Loop->Inner.empty() ? loopName(I.Id) + ".hsched_count"
                               : "hsched_x" + I.Id + ".hsched_each[0] * " + loopName(I.Id) + ".hsched_count";
}

// The loops, their descriptions, and, if chunks are tasks, the loop over chunks.
std::string loopHead(const InlineCode &I) {
  const LoopCode &L = *I.Loop;
  const std::string Id = I.Id, Nest = "hsched_x" + Id;
  std::string Out = "\n" + lineDirective(L.Line, L.File) + "{ " + loopObject(L, variableType(I), loopName(Id));
  for (size_t D = 0; D < L.Inner.size(); ++D)
    Out += lineDirective(L.Inner[D].Line, L.Inner[D].File) +
           loopObject(L.Inner[D], innerType(I, D + 1), loopName(Id) + "_" + std::to_string(D + 1));
  Out += lineDirective(I.HintLine, I.File);
  if (L.Shared || L.Grain.empty())
    Out += "static hsched_shared_loop " + recordName(I) + " = {sizeof(hsched_shared_loop), " + quoted(I.Name) + ", " +
           quoted(I.File) + ", " + std::to_string(I.Line) + "u, {0}}; ";
  if (!L.Inner.empty()) {
    const size_t N = L.Inner.size() + 1;
    Out += "hsched_c_nest " + Nest + "; (void)" + Nest + "; ";
    for (size_t D = N; D-- > 0;) {
      const std::string At = "[" + std::to_string(D) + "]", Next = "[" + std::to_string(D + 1) + "]";
      Out +=
          Nest + ".hsched_loops" + At + " = " + loopName(Id) + (D ? "_" + std::to_string(D) : "") + "; " + Nest +
          ".hsched_each" + At + " = " +
          (D + 1 == N ? "1" : Nest + ".hsched_each" + Next + " * " + Nest + ".hsched_loops" + Next + ".hsched_count") +
          "; ";
    }
  }
  Out += "const hsched_c_number hsched_g" + Id + " = " + grainOf(I) + "; ";
  if (L.Inner.empty())
    Out += "struct hsched_k" + Id + " { " + variableType(I) + " hsched_first, hsched_last; };";
  Out += "\n";
  if (L.Shared)
    return Out + lineDirective(I.Line, I.File);
  return Out + "hsched_c_number " + firstName(Id) + "_0, " + countName(Id) + "; for (" + firstName(Id) + "_0 = 0; " +
         firstName(Id) + "_0 < " + loopName(Id) + ".hsched_count; " + firstName(Id) + "_0 += " + countName(Id) +
         ") { const hsched_c_number " + firstName(Id) + " = " + firstName(Id) + "_0; " + countName(Id) +
         " = hsched_c_least(hsched_g" + Id + " ? hsched_g" + Id + " : 1, " + loopName(Id) + ".hsched_count - " +
         firstName(Id) + ");\n" + lineDirective(I.Line, I.File);
}

// Chunk [k, k + n) in the block's parameter type.
std::string chunkOf(const InlineCode &I, const std::string &K, const std::string &N) {
  if (!I.Loop->Inner.empty())
    return "hsched_c_chunk(hsched_x" + I.Id + ", " + K + ", " + N + ")";
  const std::string Cast = "(" + variableType(I) + ")", L = loopName(I.Id);
  return "(struct hsched_k" + I.Id + "){" + Cast + "hsched_c_value(" + L + ", " + K + "), " + Cast + "hsched_c_last(" +
         L + ", (" + K + ") + (" + N + "))}";
}

std::string chunkType(const InlineCode &I) {
  return I.Loop->Inner.empty() ? "struct hsched_k" + I.Id : "hsched_c_nest";
}

// For one capture: its struct member, its initialiser, the statements after initialisation, and the names in the block.
struct Parts {
  std::string Members, Values, Copies, Names;
};

// The expression that derefCapture() dereferences.
std::string whole(const std::string &Name, const std::string &Address) {
  return shadowing(typeOf(Name) + " *const hsched_w_" + Name + " = " + Address + ";") + " (void)hsched_w_" + Name +
         "; ";
}

void addValue(Parts &P, const std::string &V) { P.Values += (P.Values.empty() ? "" : ", ") + V; }

// The declaration of a variable whose type's sizes are known at run time only.
std::string declared(const CaptureCode &C, const std::string &Name) {
  std::string Out = C.Modified;
  return Out.replace(Out.find('@'), 1, Name);
}

void addSizes(const CaptureCode &C, Parts &P) {
  for (size_t D = 0; D < C.Sizes.size(); ++D) {
    const std::string Size = "hsched_d" + std::to_string(D) + "_" + C.Name;
    P.Members += "size_t " + Size + "; ";
    addValue(P, C.Sizes[D]);
    P.Names += "const size_t " + Size + " = hsched_a->" + Size + "; (void)" + Size + "; ";
  }
}

// Names in the block for such a variable. An array is known by its address and by a pointer to its first element.
void addModified(const CaptureCode &C, const std::string &At, Parts &P) {
  if (!C.Array) {
    P.Names += shadowing(declared(C, C.Name) + " = (void *)" + At + ";") + " (void)" + C.Name + "; ";
    return;
  }
  const std::string Whole = "hsched_w_" + C.Name;
  P.Names += shadowing(declared(C, "(*const " + Whole + ")") + " = (void *)" + At + "; " +
                       typeOf("&(*" + Whole + ")[0]") + " " + C.Name + " = *" + Whole + ";") +
             " (void)" + C.Name + "; ";
}

void captureModified(const CaptureCode &C, Parts &P) {
  const std::string From = C.From.empty() ? C.Name : C.From, At = "hsched_a->" + C.Name;
  addSizes(C, P);
  if (C.H == CaptureCode::How::Own) {
    P.Names += shadowing(declared(C, C.Name) + ";") + " (void)" + C.Name + "; ";
    return;
  }
  if (C.H == CaptureCode::How::Reduced) // See addReduced.
    return;
  P.Members += "const volatile void *" + C.Name + "; ";
  if (!C.Array && C.H == CaptureCode::How::Reference) {
    addValue(P, "&" + From);
    P.Names += shadowing(declared(C, "(*const hsched_w_" + C.Name + ")") + " = (void *)" + At + ";") +
               " (void)hsched_w_" + C.Name + "; ";
    return;
  }
  const bool Copied = C.Array && C.H != CaptureCode::How::Reference;
  addValue(P, Copied ? "0" : From);
  if (Copied)
    P.Copies +=
        "hsched_x." + C.Name + " = hsched_c_copied(&hsched_x.hsched_copies, " + From + ", sizeof(" + From + ")); ";
  addModified(C, At, P);
}

// True if the block has copies of arrays that are in no struct.
bool hasCopies(const InlineCode &I) {
  return std::ranges::any_of(I.Captures, [](const CaptureCode &C) {
    return !C.Modified.empty() && C.Array && (C.H == CaptureCode::How::Value || C.H == CaptureCode::How::Either);
  });
}

const CaptureCode *modified(const InlineCode &I, const std::string &Name) {
  for (const CaptureCode &C : I.Captures)
    if (C.Name == Name && !C.Modified.empty())
      return &C;
  return nullptr;
}

void addCapture(const CaptureCode &C, Parts &P) {
  if (!C.Modified.empty()) {
    captureModified(C, P);
    return;
  }
  const std::string From = C.From.empty() ? C.Name : C.From, At = "hsched_a->" + C.Name,
                    Used = " (void)" + C.Name + "; ";
  auto value = [&](const std::string &V) { addValue(P, V); };
  switch (C.H) {
  case CaptureCode::How::Own:
    P.Names += shadowing(typeOf(C.Name) + " " + C.Name + ";") + Used;
    return;
  case CaptureCode::How::Reduced:
    return;
  case CaptureCode::How::Reference:
    P.Members += typeOf(C.Name) + " *" + C.Name + "; ";
    value("&" + From);
    if (!C.Array) {
      P.Names += whole(C.Name, At);
      return;
    }
    if (C.Whole)
      P.Names += whole(C.Name, At);
    P.Names += shadowing(typeOf("&" + C.Name + "[0]") + " " + C.Name + " = *" + At + ";") + Used;
    return;
  case CaptureCode::How::Value:
  case CaptureCode::How::Either:
    P.Members += typeOf(C.Name) + " " + C.Name + "; ";
    if (!C.Array) {
      value(From);
      P.Names += shadowing(typeOf(C.Name) + " " + C.Name + " = " + At + ";") + Used;
      return;
    }
    value("{0}");
    P.Copies += "__builtin_memcpy((void *)&hsched_x." + C.Name + ", &" + From + ", sizeof hsched_x." + C.Name + "); ";
    if (C.Whole)
      P.Names += whole(C.Name, "&" + At);
    P.Names += shadowing(typeOf("&" + C.Name + "[0]") + " " + C.Name + " = " + At + ";") + Used;
    return;
  }
}

// Declares storage of the reduced variable and its name in the block. Ends gets the statements after the block.
void addReduced(const InlineCode &I, const AccessCode &A, Parts &P, std::string &Ends) {
  const bool Shared = I.Loop && I.Loop->Shared;
  const std::string &Name = A.What.BaseName;
  const std::string At = Shared ? "hsched_r_" + Name : "hsched_a->" + Name;
  if (const CaptureCode *C = modified(I, Name)) {
    if (!Shared) {
      P.Members += "void *" + Name + "; ";
      addValue(P, "(void *)" + Name);
    }
    addModified(*C, At, P);
    return;
  }
  if (!Shared) {
    P.Members += typeOf(Name) + (A.Holds == AccessCode::VariableKind::Pointer ? " " : " *") + Name + "; ";
    P.Values +=
        (P.Values.empty() ? "" : ", ") + std::string(A.Holds == AccessCode::VariableKind::Pointer ? "" : "&") + Name;
  }
  switch (A.Holds) {
  case AccessCode::VariableKind::Object:
    P.Names += shadowing(typeOf(Name) + " " + Name + " = *" + At + ";") + " ";
    Ends += " *" + At + " = " + Name + ";";
    break;
  case AccessCode::VariableKind::Array:
    P.Names += shadowing(typeOf("&" + Name + "[0]") + " " + Name + " = *" + At + ";") + " (void)" + Name + "; ";
    break;
  case AccessCode::VariableKind::Pointer:
    P.Names += shadowing(typeOf(Name) + " " + Name + " = " + At + ";") + " (void)" + Name + "; ";
    break;
  }
}

Parts partsOf(const InlineCode &I, std::string &Ends) {
  const bool Shared = I.Loop && I.Loop->Shared;
  Parts P;
  for (const CaptureCode &C : I.Captures)
    addCapture(C, P);
  for (const AccessCode &A : I.Accesses)
    if (reduced(A))
      addReduced(I, A, P, Ends);
  if (I.Loop && !Shared) {
    P.Members += chunkType(I) + " hsched_chunk; hsched_c_number hsched_many; ";
    P.Values += (P.Values.empty() ? "" : ", ") + chunkOf(I, firstName(I.Id), countName(I.Id)) + ", " + countName(I.Id);
    P.Names += "const " + chunkType(I) + " " + chunkName(I.Id) + " = hsched_a->hsched_chunk; ";
    if (I.Loop->Grain.empty()) {
      P.Names += "const hsched_c_number hsched_began = hsched_loop_clock(); ";
      Ends += " hsched_loop_ran(&" + recordName(I) + ", hsched_a->hsched_many, hsched_began);";
    }
  }
  if (I.Loop && !I.Loop->Declared)
    P.Names += shadowing(variableType(I) + " " + I.Loop->Variable + ";") + " ";
  return P;
}

// "Head { First" of a nested function, which ISO C does not have; names in it hide those of the function around it.
std::string nested(const std::string &Head, const std::string &First) {
  return "_Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Wpedantic\\\"\") _Pragma(\"GCC "
         "diagnostic ignored \\\"-Wshadow\\\"\") " +
         Head + " { " + First + " (void)hsched_a; _Pragma(\"GCC diagnostic pop\") ";
}

// The type of a pointer to what A reduces.
std::string reducedType(const InlineCode &I, const AccessCode &A) {
  if (modified(I, A.What.BaseName))
    return "void *";
  return typeOf(A.What.BaseName) + (A.Holds == AccessCode::VariableKind::Pointer ? " " : " *");
}

// ", __typeof__(sum) *hsched_r_sum" for each variable that a shared loop reduces.
std::string reducedParams(const InlineCode &I) {
  std::string Out;
  for (const AccessCode &A : I.Accesses)
    if (reduced(A))
      Out += ", " + reducedType(I, A) + "hsched_r_" + A.What.BaseName;
  return Out;
}

// The number of elements that are copied, and where the first one is, in bytes behind the variable's own address.
std::string elementsOf(const AccessCode &A) {
  const std::string Bytes = A.Holds == AccessCode::VariableKind::Pointer ? "hsched_c_reach_bytes(" + boxOf(A.What) + ")"
                                                                         : "sizeof(" + A.What.BaseName + ")";
  return Bytes + " / " + reductionName(A) + ".element_bytes";
}
std::string beginOf(const AccessCode &A) {
  return A.Holds == AccessCode::VariableKind::Pointer
             ? "hsched_c_reach_at(" + boxOf(A.What) + ", " + A.What.BaseName + ")"
             : "0";
}

// A shared loop: the body of each thread, and the call.
std::string sharedEnd(const InlineCode &I) {
  const std::string Id = I.Id, Block = blockName(Id), Work = "hsched_w" + Id, Args = argsName(I), L = loopName(Id);
  std::string Copies, Handed, Joined, Freed, Own, Ends, KeptValues;
  size_t Number = 0;
  for (const AccessCode &A : I.Accesses) {
    if (!reduced(A))
      continue;
    const std::string &Name = A.What.BaseName, Op = reductionName(A), N = "hsched_y" + std::to_string(Number++);
    const bool Pointer = A.Holds == AccessCode::VariableKind::Pointer;
    const std::string To = "hsched_a->hsched_to_" + Name;
    const std::string Given = modified(I, Name) ? "(void *)" + Name : (Pointer ? "" : "&") + Name;
    KeptValues += ", " + Given + ", " + elementsOf(A) + ", " + beginOf(A);
    if (A.Holds == AccessCode::VariableKind::Object) {
      Copies +=
          typeOf(Name) + " " + N + "; " + Op + ".init(&" + N + ", " + To + ", hsched_a->hsched_of_" + Name + "); ";
      Handed += ", &" + N;
      Joined += Op + ".combine(" + To + ", &" + N + ", hsched_a->hsched_of_" + Name + "); ";
    } else {
      const std::string Begin = "((char *)" + To + " + hsched_a->hsched_at_" + Name + ")";
      Copies += "char *" + N + " = (char *)__builtin_malloc(hsched_a->hsched_of_" + Name + " * " + Op +
                ".element_bytes + 1); if (!" + N + ") __builtin_abort(); " + Op + ".init(" + N + ", " + Begin +
                ", hsched_a->hsched_of_" + Name + "); ";
      Handed += ", (void *)(" + N + " - hsched_a->hsched_at_" + Name + ")";
      Joined += Op + ".combine(" + Begin + ", " + N + ", hsched_a->hsched_of_" + Name + "); ";
      Freed += "__builtin_free(" + N + "); ";
    }
    Own += ", " + Given;
  }
  const Parts P = partsOf(I, Ends);
  const std::string Loop =
      shadowing(I.Loop->Inner.empty() ? "const hsched_c_loop " + L + " = hsched_a->hsched_loop;"
                                      : "hsched_c_nest hsched_x" + Id + " = hsched_a->hsched_nest;") +
      " ";
  std::string Out = Ends + " }\n" + lineDirective(I.Line, I.File);
  const std::string Next = "hsched_loop_next(hsched_h, &hsched_k, &hsched_n)";
  std::string Body = Block + "(hsched_a, " + chunkOf(I, "hsched_k", "hsched_n") + Handed + ");";
  if (I.Loop->Inner.empty()) // A loop over a constant number of iterations is vectorised like the serial loop.
    Body = "if (hsched_a->hsched_blocks) for (; hsched_n >= 64; hsched_k += 64, hsched_n -= 64) " + Block +
           "(hsched_a, " + chunkOf(I, "hsched_k", "64") + Handed + "); if (hsched_n) " + Body;
  Out +=
      nested("void " + Work + "(void *hsched_v, hsched_loop_share *hsched_h)",
             "struct " + Args + " *hsched_a = (struct " + Args + " *)hsched_v; hsched_c_number hsched_k, hsched_n;") +
      "if (!" + Next + ") return; " + Loop + Copies + "do { " + Body + " } while (" + Next + "); " +
      (Joined.empty() ? ""
                      : "hsched_c_lock(&hsched_a->hsched_locked); " + Joined +
                            "hsched_c_unlock(&hsched_a->hsched_locked); " + Freed) +
      "}\n" + lineDirective(I.Line, I.File);
  const std::string Count = countOf(I);
  std::string Values = P.Values + (P.Values.empty() ? "" : ", ") + (I.Loop->Inner.empty() ? L : "hsched_x" + Id) +
                       ", __builtin_constant_p(" + Count + "), 0" + KeptValues;
  Out += "{ struct " + Args + " hsched_x = {" + Values + "}; const hsched_c_number hsched_many = " + Count +
         "; hsched_c_number hsched_began; " + P.Copies;
  const std::string Whole = Block + "(&hsched_x, " + chunkOf(I, "0", "hsched_many") + Own + ");";
  Out += "if (hsched_many == 0) {} else ";
  if (!I.If.empty())
    Out += "if (!(" + I.If + ")) { " + Whole + " } else ";
  Out += "if (!hsched_loop_begin(&" + recordName(I) + ", hsched_many, &hsched_began)) { " + Whole +
         " hsched_loop_end(&" + recordName(I) + ", hsched_many, hsched_began); } else hsched_loop_run(&" +
         recordName(I) + ", hsched_many, hsched_g" + Id + ", &" + Work + ", &hsched_x); } }";
  return Out;
}

std::string sharedMembers(const InlineCode &I) {
  std::string Out = (I.Loop->Inner.empty() ? "hsched_c_loop hsched_loop" : "hsched_c_nest hsched_nest") +
                    std::string("; int hsched_blocks; char hsched_locked; ");
  for (const AccessCode &A : I.Accesses)
    if (reduced(A))
      Out += reducedType(I, A) + "hsched_to_" + A.What.BaseName + "; size_t hsched_of_" + A.What.BaseName +
             "; __PTRDIFF_TYPE__ hsched_at_" + A.What.BaseName + "; ";
  return Out;
}

} // namespace

std::string inlineBegin(const InlineCode &I) {
  std::string Ends, Out = I.Loop ? loopHead(I) : "{ ";
  const Parts P = partsOf(I, Ends);
  const bool Shared = I.Loop && I.Loop->Shared;
  const std::string Members =
      (hasCopies(I) ? "void *hsched_copies; " : "") + P.Members + (Shared ? sharedMembers(I) : "");
  Out += "struct " + argsName(I) + " { " + (Members.empty() ? "char hsched_none; " : Members) + "}; ";
  if (Shared)
    Out += nested("__inline__ __attribute__((__always_inline__)) void " + blockName(I.Id) + "(struct " + argsName(I) +
                      " *hsched_a, " + (I.Loop->Inner.empty() ? "const " : "") + chunkType(I) + " " + chunkName(I.Id) +
                      reducedParams(I) + ")",
                  "");
  else
    Out += nested("void " + blockName(I.Id) + "(void *hsched_v)",
                  "struct " + argsName(I) + " *hsched_a = (struct " + argsName(I) + " *)hsched_v;");
  Out += P.Names;
  if (I.Loop) {
    Out += "\n" + lineDirective(I.Loop->Resume, I.File);
    Out.pop_back(); // The directive's own line end follows.
  }
  return Out;
}

std::string inlineEnd(const InlineCode &I) {
  if (I.Loop && I.Loop->Shared)
    return sharedEnd(I);
  std::string Ends;
  const Parts P = partsOf(I, Ends);
  const std::string Here = lineDirective(I.Line, I.File), Block = blockName(I.Id), Kept = "hsched_t" + I.Id;
  const bool Copies = hasCopies(I);
  std::string Out = Ends + " }\n" + Here + "{ struct " + argsName(I) + " hsched_x = {" + (Copies ? "0, " : "") +
                    (P.Values.empty() ? "0" : P.Values) + "}; " + P.Copies + "\n" + Here + "if (hsched_in_final()) " +
                    (Copies ? "{ " + Block + "(&hsched_x); hsched_c_forget(&hsched_x); }" : Block + "(&hsched_x);") +
                    " else {\n" + Here;
  Out += "static hsched_task_desc hsched_d = {sizeof(hsched_task_desc), HSCHED_ABI_MAJOR, HSCHED_ABI_MINOR, " +
         quoted(I.LinkerName) + ", " + quoted(I.Name) + ", " + quoted(I.File) + ", " + number(I.Line) +
         ", 0u, 0, sizeof(struct " + argsName(I) + "), __alignof__(struct " + argsName(I) + "), 0, 0}; " +
         "static hsched_version_desc hsched_e = {sizeof(hsched_version_desc), " + quoted(I.LinkerName) + ", " +
         quoted(I.Name) + ", " + quoted(I.File) + ", " + number(I.Line) +
         ", HSCHED_DEVICE_CPU, HSCHED_TYPE_ANY, 0, 0, 0, 0}; " + "static hsched_task_type *" + Kept + ";\n" + Here;
  if (I.Loop && I.Loop->Hints)
    Out += "const " + variableType(I) + " " + I.Loop->Variable + " = hsched_x.hsched_chunk.hsched_first;\n" + Here;
  Out += submission(I, "hsched_c_enroll(&" + Kept + ", &hsched_d, &hsched_e, 1u, &" + Block + ")", argsName(I));
  return Out + "} }" + (I.Loop ? " }" : "") + (I.Loop && I.Loop->Waits ? " hsched_taskwait(0u); }" : " }");
}

} // namespace hsched::cc::c
