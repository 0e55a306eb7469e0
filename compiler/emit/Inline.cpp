// Tasks that are statements: the user's statement stays where it is, as the body of a lambda that is handed in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Code.h"

namespace hsched::cc {

// Names of one task: those of tasks nested in it differ, so that -Wshadow has nothing to say.
static std::string block(const InlineCode &I) { return "hsched_b" + I.Id; }

std::string inlineBegin(const InlineCode &I) {
  std::string Held, Captures = I.CapturesThis ? "this" : "", Names;
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
      Held += "auto " + Holder + " = ::hsched_gen_hold(" + C.Name + "); ";
      add(Holder);
      Names += "auto &" + C.Name + " = " + Holder + ".hsched_get(); (void)" + C.Name + "; ";
      break;
    }
    }
  }
  return "{ " + Held + "auto " + block(I) + " = [" + Captures + "]() mutable -> void { " + Names;
}

std::string inlineEnd(const InlineCode &I) {
  std::string Key = "hsched_inline_" + I.Id, Type = "hsched_t" + I.Id;
  std::string Out = " };\n";
  // What no one can spell, an instance of a template, is known by what the compiler calls it.
  Out += "struct " + Key + " { static const char *hsched_key() { return " +
         (I.Generic ? "__PRETTY_FUNCTION__" : quoted(I.LinkerName)) + "; } };\n";
  Out += "static ::hsched_task_type *const " + Type + " = ::hsched_gen_enroll_inline(" + block(I) + ", " + Key +
         "::hsched_key(), " + quoted(I.Name) + ", " + quoted(I.File) + ", " + std::to_string(I.Line) + "u);\n";
  Out += "::hsched_gen_frame hsched_f(" + Type + ", " + std::to_string(I.Accesses.size()) + "u);\n";
  Out += accessStatements(I) + hintStatement(I);
  Out += "::hsched_gen_keep(hsched_f, " + block(I) + ");\n" + submitStatement(I) + "}";
  return Out;
}

} // namespace hsched::cc
