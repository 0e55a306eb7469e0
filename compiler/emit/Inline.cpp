// Tasks that are statements: the user's statement stays where it is, as the body of a lambda that is handed in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Code.h"

namespace hsched::cc {

// Names of one task: those of tasks nested in it differ, so that -Wshadow has nothing to say.
static std::string block(const InlineCode &I) { return "hsched_b" + I.Id; }

// The loop over chunks, up to where each becomes a task.
static std::string loopHead(const InlineCode &I) {
  const LoopCode &L = *I.Loop;
  std::string Id = I.Id, Variable = L.Variable, Declaration = L.Start;
  if (!L.Declared) {
    Variable = "hsched_i" + Id;
    Declaration =
        "typename ::hsched_gen_plain<decltype(" + L.Variable + ")>::hsched_type " + Variable + " = " + L.Start;
  }
  std::string Grain = "::hsched_gen_grain(" + loopName(Id) + ".hsched_count" + (L.Grain.empty() ? "" : ", " + L.Grain);
  return "\n" + lineDirective(L.Line, L.File) + "{ const auto " + loopName(Id) + " = [&] { " + Declaration +
         "; return ::hsched_gen_loop<" + L.Relation + ", " + (L.Back ? "true" : "false") + ">(" + Variable + ", " +
         L.Bound + ", " + L.Step + "); }();\n" + lineDirective(I.HintLine, I.File) + "const auto hsched_g" + Id +
         " = " + Grain + ");\nfor (::hsched_gen_number " + firstName(Id) + " = 0, " + countName(Id) + " = 0; " +
         firstName(Id) + " < " + loopName(Id) + ".hsched_count; " + firstName(Id) + " += " + countName(Id) + ") { " +
         countName(Id) + " = ::hsched_gen_least(hsched_g" + Id + ", " + loopName(Id) + ".hsched_count - " +
         firstName(Id) + "); const auto " + chunkName(Id) + " = " + loopName(Id) + ".hsched_chunk(" + firstName(Id) +
         ", " + countName(Id) + ");\n";
}

std::string inlineBegin(const InlineCode &I) {
  std::string Out = I.Loop ? loopHead(I) : "{ ", Captures = I.CapturesThis ? "this" : "", Names;
  auto add = [&](const std::string &Capture) { Captures += (Captures.empty() ? "" : ", ") + Capture; };
  for (const CaptureCode &C : I.Captures) {
    std::string Dots = C.Pack ? "..." : "";
    switch (C.H) {
    case CaptureCode::How::Value:
      add(C.Name + Dots);
      break;
    case CaptureCode::How::Reference:
      add("&" + C.Name + Dots);
      break;
    case CaptureCode::How::Either: {
      std::string Holder = "hsched_h" + std::to_string(I.Line) + C.Name;
      Out += "auto " + Holder + " = ::hsched_gen_hold(" + C.Name + "); ";
      add(Holder);
      Names += shadowing("auto &" + C.Name + " = " + Holder + ".hsched_get();") + " (void)" + C.Name + "; ";
      break;
    }
    }
  }
  if (I.Loop)
    add(chunkName(I.Id));
  if (I.Loop && !I.Loop->Declared)
    Names += shadowing("decltype(" + chunkName(I.Id) + ".hsched_first) " + I.Loop->Variable + ";") + " ";
  Out += "auto " + block(I) + " = [" + Captures + "]() mutable -> void { " + Names;
  if (I.Loop) {
    Out += "\n" + lineDirective(I.Loop->Resume, I.File);
    Out.pop_back(); // the directive's own line end follows
  }
  return Out;
}

std::string inlineEnd(const InlineCode &I) {
  std::string Key = "hsched_inline_" + I.Id, Type = "hsched_t" + I.Id;
  // A final task's own tasks are not submitted.
  std::string Out = " };\nif (::hsched_in_final()) " + block(I) + "(); else {\n";
  // What no one can spell, an instance of a template, is known by what the compiler calls it.
  Out += "struct " + Key + " { static const char *hsched_key() { return " +
         (I.Generic ? "__PRETTY_FUNCTION__" : quoted(I.LinkerName)) + "; } };\n";
  Out += "static ::hsched_task_type *const " + Type + " = ::hsched_gen_enroll_inline(" + block(I) + ", " + Key +
         "::hsched_key(), " + quoted(I.Name) + ", " + quoted(I.File) + ", " + std::to_string(I.Line) + "u);\n";
  Out += frameStatements(I, Type);
  if (I.Loop && I.Loop->Hints)
    Out += "const auto " + I.Loop->Variable + " = " + chunkName(I.Id) + ".hsched_first;\n";
  Out += hintStatement(I);
  Out += "::hsched_gen_keep(hsched_f, " + block(I) + ");\n" + submitStatement(I) + (I.Loop ? "}" : "") + "}}";
  return Out;
}

} // namespace hsched::cc
