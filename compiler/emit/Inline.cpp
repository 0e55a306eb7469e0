// Tasks that are statements: the user's statement stays in place as the body of a lambda argument.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CodeInternal.h"

namespace hsched::cc {

static const char *constantOf(LoopCode::Relation R) {
  switch (R) {
  case LoopCode::Relation::Less:
    return "HSCHED_GEN_LESS";
  case LoopCode::Relation::LessEqual:
    return "HSCHED_GEN_LESS_EQUAL";
  case LoopCode::Relation::Greater:
    return "HSCHED_GEN_GREATER";
  case LoopCode::Relation::GreaterEqual:
    return "HSCHED_GEN_GREATER_EQUAL";
  case LoopCode::Relation::Unequal:
    break;
  }
  return "HSCHED_GEN_UNEQUAL";
}

static std::string recordName(const InlineCode &I) { return "hsched_s" + I.Id; } // Record of a loop, for its times.

// "const auto Name = ...;" of loop L; Own is a variable for a counter that the loop does not declare.
static std::string loopObject(const InlineCode &I, const LoopCode &L, const std::string &Name, const std::string &Own) {
  std::string Variable = L.Variable, Declaration = L.Start;
  if (!L.Declared) {
    Variable = Own;
    Declaration = "typename ::hsched_gen_plain<decltype(" + L.Variable + ")>::hsched_type " + Own + " = " + L.Start;
  }
  return "const auto " + Name + " = [&] { " + variableNames(I, L.Start + " " + L.Bound + " " + L.Step) + Declaration +
         "; return ::hsched_gen_loop<" + constantOf(L.Goes) + ", " + (L.Back ? "true" : "false") + ">(" + Variable +
         ", " + L.Bound + ", " + L.Step + "); }();\n";
}

// The same for loops that are divided together.
static std::string loopObjects(const InlineCode &I) {
  const LoopCode &L = *I.Loop;
  if (L.Inner.empty())
    return loopObject(I, L, loopName(I.Id), "hsched_i" + I.Id);
  std::string Out = loopObject(I, L, loopName(I.Id) + "_0", "hsched_i" + I.Id), Nest = loopName(I.Id) + "_0", Close;
  for (size_t N = 1; N <= L.Inner.size(); ++N) {
    const std::string Name = loopName(I.Id) + "_" + std::to_string(N);
    Out += lineDirective(L.Inner[N - 1].Line, L.Inner[N - 1].File) +
           loopObject(I, L.Inner[N - 1], Name, "hsched_i" + I.Id + "_" + std::to_string(N));
    Nest += N == L.Inner.size() ? ", " + Name : ", ::hsched_gen_nest(" + Name;
    Close += ")";
  }
  return Out + "const auto " + loopName(I.Id) + " = ::hsched_gen_nest(" + Nest + Close + ";\n";
}

// The loop, and, if its iterations become tasks, the loop over chunks up to the submission.
static std::string loopHead(const InlineCode &I) {
  const LoopCode &L = *I.Loop;
  const std::string Id = I.Id;
  std::string Grain = !L.Grain.empty() ? "::hsched_gen_grain(" + loopName(Id) + ".hsched_count, " + L.Grain + ")"
                      : L.Shared       ? "::hsched_gen_number(0)"
                                 : "::hsched_loop_grain(&" + recordName(I) + ", " + loopName(Id) + ".hsched_count)";
  std::string Out = "\n" + lineDirective(L.Line, L.File) + "{ ";
  Out += variableHolders(I) + loopObjects(I) + lineDirective(I.HintLine, I.File);
  if (L.Shared || L.Grain.empty()) // Otherwise nothing reads it.
    Out += "static ::hsched_shared_loop " + recordName(I) + " = {sizeof(::hsched_shared_loop), " + quoted(I.Name) +
           ", " + quoted(I.File) + ", " + std::to_string(I.Line) + "u, {}}; ";
  Out += "const ::hsched_gen_number hsched_g" + Id + " = " + Grain + ";\n";
  if (L.Shared)
    return Out + lineDirective(I.Line, I.File);
  return Out + "for (::hsched_gen_number " + firstName(Id) + " = 0, " + countName(Id) + " = 0; " + firstName(Id) +
         " < " + loopName(Id) + ".hsched_count; " + firstName(Id) + " += " + countName(Id) + ") { " + countName(Id) +
         " = ::hsched_gen_least(hsched_g" + Id + ", " + loopName(Id) + ".hsched_count - " + firstName(Id) +
         "); const auto " + chunkName(Id) + " = " + loopName(Id) + ".hsched_chunk(" + firstName(Id) + ", " +
         countName(Id) + ");\n" + lineDirective(I.Line, I.File);
}

// Name of the pointer to the data that A reduces.
static std::string holderName(const InlineCode &I, const AccessCode &A) {
  return "hsched_h" + std::to_string(A.Param) + "_" + I.Id;
}

std::string inlineBegin(const InlineCode &I) {
  std::string Out = I.Loop ? loopHead(I) : "{ " + variableHolders(I), Captures = I.CapturesThis ? "this" : "", Names;
  auto add = [&](const std::string &Capture) { Captures += (Captures.empty() ? "" : ", ") + Capture; };
  for (const CaptureCode &C : I.Captures) {
    std::string Dots = C.Pack ? "..." : "";
    if (!C.Modified.empty()) {
      if (C.ForClauses)
        continue;
      for (size_t S = 0; S < C.Sizes.size(); ++S)
        add(sizeName(C, S));
      if (C.H == CaptureCode::How::Reduced) // See below.
        continue;
      if (C.H != CaptureCode::How::Own)
        add(holderName(C));
      Names += shadowing(variableInBlock(C)) + " (void)" + C.Name + "; ";
      continue;
    }
    switch (C.H) {
    case CaptureCode::How::Value:
      add(C.Name + Dots);
      break;
    case CaptureCode::How::Reference:
      add("&" + C.Name + Dots);
      break;
    case CaptureCode::How::Either: {
      std::string Holder = "hsched_h" + std::to_string(I.Line) + C.Name;
      Out += "auto " + Holder + " = ::hsched_gen_take(" + C.Name + "); ";
      add(Holder);
      Names += shadowing("auto &" + C.Name + " = " + Holder + ".hsched_get();") + " (void)" + C.Name + "; ";
      break;
    }
    case CaptureCode::How::Own:
      Names += shadowing("typename ::hsched_gen_plain<decltype(" + C.Name + ")>::hsched_type " + C.Name + ";") +
               " (void)" + C.Name + "; ";
      break;
    case CaptureCode::How::Reduced: // Never captured: see below.
      break;
    }
  }
  // Reduced data are accessed through pointers beside the closure, whose offsets the runtime knows.
  std::string Params;
  for (const AccessCode &A : I.Accesses)
    if (isReduced(A)) {
      std::string Holder = holderName(I, A), Handed = "hsched_r" + std::to_string(A.Param) + "_" + I.Id;
      Out += "auto " + Holder + " = ::hsched_gen_hold(" + reducedOf(A) + "); ";
      Params += (Params.empty() ? "decltype(" : ", decltype(") + Holder + ") &" + Handed;
      std::string Named = "auto &" + A.What.Base.Text + " = " + Handed + ".hsched_get();";
      for (const CaptureCode &C : I.Captures)
        if (!C.Modified.empty() && C.Name == A.What.Base.Text)
          Named = variableAgain(C, Handed + ".hsched_get()");
      Names += shadowing(Named) + " (void)" + A.What.Base.Text + "; ";
    }
  const bool Shared = I.Loop && I.Loop->Shared;
  if (I.Loop && !Shared) {
    add(chunkName(I.Id));
    if (I.Loop->Grain.empty()) {
      add(countName(I.Id));
      Names += "::hsched_gen_timed hsched_w(&" + recordName(I) + ", " + countName(I.Id) + "); ";
    }
  }
  if (Shared)
    Params = (I.Loop->Inner.empty() ? "const decltype(" + loopName(I.Id) + ".hsched_chunk(0, 1)) &"
                                    : "decltype(" + loopName(I.Id) + ".hsched_chunk(0, 1)) ") +
             chunkName(I.Id) + (Params.empty() ? "" : ", " + Params);
  if (I.Loop && !I.Loop->Declared)
    Names += shadowing("decltype(" + chunkName(I.Id) + ".hsched_first) " + I.Loop->Variable + ";") + " ";
  Out += "auto " + blockName(I.Id) + " = " + (Shared || Params.empty() ? "[" : "::hsched_gen_reduce([") + Captures +
         "](" + Params + (Shared ? ") HSCHED_GEN_INLINE_MUTABLE -> void { " : ") mutable -> void { ") + Names;
  if (I.Loop) {
    Out += "\n" + lineDirective(I.Loop->Resume, I.File);
    Out.pop_back(); // The directive's own line end follows.
  }
  return Out;
}

// After a loop whose iterations are distributed to threads.
static std::string sharedEnd(const InlineCode &I) {
  std::string Reductions;
  for (const AccessCode &A : I.Accesses)
    if (isReduced(A))
      Reductions += ", ::hsched_gen_share_reduction<" + operationsOf(A) + ">(" + holderName(I, A) +
                    ", ::hsched_gen_one(" + sectionExpr(A.What) + "), ::hsched_gen_reduction<" + operationsOf(A) +
                    ">(" + reducedOf(A) + ", ::hsched_gen_first()))";
  bool Constant = I.Loop->Constant;
  for (const LoopCode &Inner : I.Loop->Inner)
    Constant &= Inner.Constant;
  const std::string Kind = Constant ? "<true>(" : "<false>(";
  const std::string Call = "::hsched_gen_for" + Kind + recordName(I) + ", " + loopName(I.Id) + ", hsched_g" + I.Id +
                           ", " + blockName(I.Id) + Reductions + ");";
  const std::string Whole =
      "::hsched_gen_whole_loop" + Kind + loopName(I.Id) + ", " + blockName(I.Id) + Reductions + ");";
  return " };\n" + lineDirective(I.Line, I.File) +
         (I.If.empty() ? Call : "if (" + I.If + ") " + Call + " else " + Whole) + " }";
}

std::string inlineEnd(const InlineCode &I) {
  if (I.Loop && I.Loop->Shared)
    return sharedEnd(I);
  std::string Key = "hsched_inline_" + I.Id, Type = "hsched_t" + I.Id;
  // A final task's own tasks are not submitted.
  std::string Holders;
  for (const AccessCode &A : I.Accesses)
    if (isReduced(A))
      Holders += ", " + holderName(I, A);
  // Generated code has the directive's line: the lines that follow it are the user's, and a debugger stops in those.
  const std::string Here = lineDirective(I.Line, I.File);
  std::string Out = " }" + Holders + (Holders.empty() ? ";" : ");") + "\n" + Here + "if (::hsched_in_final()) " +
                    blockName(I.Id) + "(); else {\n" + Here;
  // Entities that other units cannot name, such as instances of templates, are identified by the compiler's name for
  // them.
  Out += "struct " + Key + " { static const char *hsched_key() { return " +
         (I.Generic ? "__PRETTY_FUNCTION__" : quoted(I.LinkerName)) + "; } };\n" + Here;
  Out += "static ::hsched_task_type *const " + Type + " = ::hsched_gen_enroll_inline(" + blockName(I.Id) + ", " + Key +
         "::hsched_key(), " + quoted(I.Name) + ", " + quoted(I.File) + ", " + std::to_string(I.Line) + "u);\n" + Here;
  Out += frameStatements(I, Type) + Here;
  if (I.Loop && I.Loop->Hints)
    Out += "const auto " + I.Loop->Variable + " = " + chunkName(I.Id) + ".hsched_first;\n";
  Out += hintStatement(I) + Here;
  Out += "::hsched_gen_keep(hsched_f, " + blockName(I.Id) + "); " + submitStatement(I) + Here + (I.Loop ? "}" : "") +
         (I.Loop && I.Loop->Waits ? "} ::hsched_taskwait(0u); }" : "}}");
  return Out;
}

} // namespace hsched::cc
