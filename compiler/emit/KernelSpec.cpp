// Kernels as PySchedCL specifications, in the format that its published tool accepts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That tool replaces a symbol's letters anywhere in the text of all fields, and then evaluates the result with Python.
// So symbols are written $n$, and expressions mean the same in Python 2 and 3.
#include "emit/KernelReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cctype>

namespace hsched::cc {
namespace {

using llvm::json::OStream;

std::string nameOf(const KernelParam &P, unsigned Pos) { return P.Name.empty() ? "arg" + std::to_string(Pos) : P.Name; }
unsigned dimensionsOf(const KernelInfo &K) { return std::max(1u, K.WorkDim); }

// The role for all elements from the pointer on, as counted by a size.
llvm::StringRef roleFromStart(const KernelParam &P) {
  const llvm::StringRef Role = roleOf(P);
  if (Role == "unused") // It is still passed to the kernel.
    return "in";
  return Role == "out" && !P.OverwrittenWhole ? "inout" : Role;
}

// Symbols that the reader of a specification has to replace, each once.
class Symbols {
public:
  explicit Symbols(const KernelInfo &K) : K(K) {}

  // C text over the kernel's arguments as Python text. For anything else, such as memory, the symbol Else.
  std::string expression(const std::string &Text, const std::string &Else) {
    std::string Out;
    bool Operand = false; // Whether an operand precedes.
    for (std::size_t I = 0; I != Text.size();) {
      const auto C = static_cast<unsigned char>(Text[I]);
      if (C == ' ') {
        Out += Text[I++];
        continue;
      }
      if (std::isalnum(C) || C == '_') {
        std::size_t End = I;
        while (End != Text.size() && (std::isalnum(static_cast<unsigned char>(Text[End])) || Text[End] == '_'))
          ++End;
        std::string Word = Text.substr(I, End - I);
        I = End;
        if (Operand)
          return symbol(Else);
        Operand = true;
        if (std::isdigit(C)) {
          Word.erase(std::remove_if(Word.begin(), Word.end(), [](char L) { return L == 'u' || L == 'l' || L == 'L'; }),
                     Word.end());
          Out += Word;
        } else if (std::string Size = sizeOf(Word, Text, I); !Size.empty()) {
          Out += symbol(Size);
        } else if (isValue(Word)) {
          Out += symbol(Word);
        } else {
          return symbol(Else);
        }
        continue;
      }
      // Brackets and binary operators of integers; '-' may be a sign.
      if (C == '('                                                   ? Operand
          : C == ')' || C == '*' || C == '/' || C == '%' || C == '+' ? !Operand
                                                                     : C != '-' && C != '(')
        return symbol(Else);
      Operand = C == ')';
      Out += C == '/' ? "//" : std::string(1, Text[I]);
      ++I;
    }
    return Operand ? Out : symbol(Else);
  }

  std::string symbol(const std::string &Name) {
    if (std::find(Met.begin(), Met.end(), Name) == Met.end())
      Met.push_back(Name);
    return "$" + Name + "$";
  }
  const std::vector<std::string> &all() const { return Met; }

private:
  // Symbol name of get_global_size(0) or another launch parameter. I is behind the function's name, and behind the call
  // afterwards.
  static std::string sizeOf(const std::string &Function, const std::string &Text, std::size_t &I) {
    for (auto [Name, Symbol] :
         {std::pair("get_global_size", "global_"), {"get_local_size", "local_"}, {"get_num_groups", "groups_"}})
      if (Function == Name && Text.size() >= I + 3 && Text[I] == '(' && Text[I + 1] >= '0' && Text[I + 1] <= '2' &&
          Text[I + 2] == ')') {
        I += 3;
        return Symbol + std::string(1, Text[I - 2]);
      }
    return "";
  }
  bool isValue(const std::string &Name) const {
    return std::any_of(K.Params.begin(), K.Params.end(),
                       [&](const KernelParam &P) { return P.Name == Name && !P.Pointer; });
  }

  const KernelInfo &K;
  std::vector<std::string> Met;
};

class Writer {
public:
  Writer(OStream &J, const KernelFile &File, const KernelInfo &K) : J(J), File(File), K(K), Given(K) {}

  void write(unsigned Id, const SpecMacros &Macros) {
    J.object([&] {
      J.attribute("id", Id);
      text("name", K.Name);
      text("src", File.Path);
      J.attribute("dev", nullptr);
      J.attribute("partition", nullptr);
      J.attribute("workDimension", dimensionsOf(K));
      std::string Sizes, Groups;
      for (unsigned D = 0; D != dimensionsOf(K); ++D) {
        const std::string Symbol = "global_" + std::to_string(D);
        Sizes += (D ? "," : "") +
                 (K.GlobalSize[D].empty() ? Given.symbol(Symbol) : Given.expression(K.GlobalSize[D], Symbol));
        if (K.ReqdWorkGroup[0])
          Groups += (D ? "," : "") + std::to_string(K.ReqdWorkGroup[D]);
      }
      text("globalWorkSize", "[" + Sizes + "]");
      text("localWorkSize", "[" + Groups + "]");
      for (auto [Key, Role] : {std::pair("inputBuffers", "in"), {"outputBuffers", "out"}, {"ioBuffers", "inout"}})
        buffers(Key, Role);
      variables();
      locals();
      J.attributeObject("macros_values", [&] {
        for (const auto &[Name, Value] : Macros)
          text(Name, Value);
      });
      J.attributeArray("guidance", [&] {
        J.value("dev");
        J.value("partition");
        for (const std::string &Symbol : Given.all())
          J.value(llvm::json::fixUTF8("$" + Symbol + "$"));
      });
    });
  }

private:
  void text(llvm::StringRef Key, const std::string &Value) { J.attribute(Key, llvm::json::fixUTF8(Value)); }

  void buffers(llvm::StringRef Key, llvm::StringRef Role) {
    J.attributeArray(Key, [&] {
      for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos) {
        const KernelParam &P = K.Params[Pos];
        if (!P.isBuffer() || roleFromStart(P) != Role)
          continue;
        const std::string Symbol = "size_" + nameOf(P, Pos);
        const bool Unused = llvm::StringRef(roleOf(P)) == "unused";
        J.object([&] {
          text("type", P.Element);
          J.attribute("pos", Pos);
          text("size", Unused ? "1" : P.Elements.empty() ? Given.symbol(Symbol) : Given.expression(P.Elements, Symbol));
          J.attribute("break", P.Splits ? 1 : 0);
          if (llvm::StringRef(P.Element).starts_with("struct") || llvm::StringRef(P.Element).starts_with("union"))
            J.attribute("bytes", P.ElementBytes);
        });
      }
    });
  }
  void variables() {
    J.attributeArray("varArguments", [&] {
      for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos)
        if (const KernelParam &P = K.Params[Pos]; !P.isBuffer() && P.Where != KernelParam::Local)
          J.object([&] {
            text("type", P.Element);
            J.attribute("pos", Pos);
            text("value", Given.symbol(nameOf(P, Pos)));
          });
    });
  }
  void locals() {
    J.attributeArray("localArguments", [&] {
      for (unsigned Pos = 0; Pos != K.Params.size(); ++Pos)
        if (const KernelParam &P = K.Params[Pos]; P.Where == KernelParam::Local)
          J.object([&] {
            text("type", P.Element);
            J.attribute("pos", Pos);
            text("size", Given.symbol("size_" + nameOf(P, Pos)));
          });
    });
  }

  OStream &J;
  const KernelFile &File;
  const KernelInfo &K;
  Symbols Given;
};

} // namespace

std::string kernelSpec(const std::vector<KernelFile> &Files, bool Single, const SpecMacros &Macros) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  OStream J(OS, 2);
  unsigned Id = 0;
  auto each = [&] {
    for (const KernelFile &File : Files)
      for (const KernelInfo &K : File.Kernels)
        if (!Single || Id == 0)
          Writer(J, File, K).write(Id++, Macros);
  };
  if (Single)
    each();
  else
    J.array(each);
  OS << '\n';
  OS.flush();
  return Out;
}

} // namespace hsched::cc
