// Compares the types in a file with those of the kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"
#include "dag/Kinfo.h"

#include <set>
#include <utility>

namespace hsched::dag {
namespace {

// One argument of a kernel.
class Check {
public:
  Check(const KernelInfoJson &Info, size_t Position, const Program &P)
      : Info(Info), Is(Info.Args[Position]), P(P),
        Name("argument " + std::to_string(Position) + (Is.Name.empty() ? "" : ", " + quote(Is.Name) + ",") + " of " +
             describeKernel(Info, P)) {}

  // Returns a note, or nothing.
  std::string value(const ArgDoc &Arg) const {
    const ElementType Given = typeOf(Arg.Type);
    if (!Is.ElementBytes)
      return "";
    if (Given.bytes() != Is.ElementBytes)
      Arg.Type.At.fail(Name + " is of type " + quote(Is.Element) +
                       (Is.Structure ? ", which has " + bytes(Is.ElementBytes) : "") + ", not " + quote(Arg.Type.S) +
                       (Is.Structure ? ": write " + wanted() : ""));
    const std::optional<ElementType> Scalar = elementType(Is.Element);
    if (!Is.Structure && !Scalar)
      return "";
    const Layouts Plain = {{Is.Element, "", 0, false, Is.ElementBytes, {{"", Is.Element, 1, 0, Is.ElementBytes, {}}}}};
    const Layouts &All = Is.Structure ? Info.Structures : Plain;
    const size_t Index = Is.Structure.value_or(0);
    if (Given.K == ElementType::Raw) {
      if (const std::optional<MemberDifference> Wrong = compareMembers(Arg, All, Index))
        Wrong->At.fail(Is.Structure ? Name + " " + Wrong->What + ": write " + wanted()
                                    : Name + " is of type " + quote(Is.Element) + ", which is not a structure");
    } else if (!isLike(Given, All, Index))
      return Arg.Type.At.describe() + ": " + Name + " is of type " + quote(Is.Element) +
             ", and takes the bits of this value of type " + quote(Arg.Type.S);
    return "";
  }

  void memory(const ArgDoc &Arg, const Datum *Of) const {
    const ElementType Given = Of ? Of->Type : typeOf(Arg.Own.Type);
    if (Given.K == ElementType::Raw && Is.ElementBytes && !elementType(Is.Element) && Given.bytes() != Is.ElementBytes)
      (Arg.Buffer.empty() ? Arg.Own.Type.At : Arg.Buffer.At)
          .fail(Name + " has elements of type " + quote(Is.Element) + ", which have " + bytes(Is.ElementBytes) +
                ", not " + std::to_string(Given.bytes()) + ": write \"type\": \"struct " +
                std::to_string(Is.ElementBytes) + "\"");
  }

private:
  static std::string bytes(size_t N) { return std::to_string(N) + (N == 1 ? " byte" : " bytes"); }
  std::string wanted() const {
    return wantedValue(Info.Structures, *Is.Structure, Is.Name.empty() ? "arg" : Is.Name, P.File);
  }

  const KernelInfoJson &Info;
  const KernelArgInfo &Is;
  const Program &P;
  const std::string Name;
};

} // namespace

void checkTypes(const Document &D, const Graph &G, KinfoReport &Report) {
  std::set<std::pair<uint32_t, size_t>> Noted; // Program and argument.
  for (size_t I = 0; Report.Available && I < D.Kernels.size(); ++I) {
    const Kernel &K = G.Kernels[I];
    const KernelInfoJson *Info = Report.Of[K.Program];
    for (size_t A = 0; Info && A < D.Kernels[I].Args.size(); ++A) {
      const ArgDoc &Arg = D.Kernels[I].Args[A];
      const Check Of(*Info, A, G.Programs[K.Program]);
      if (Arg.R != ArgDoc::Value)
        Of.memory(Arg, K.ArgDatum[A] == None ? nullptr : &G.Data[K.ArgDatum[A]]);
      else if (const std::string Note = Of.value(Arg); !Note.empty() && Noted.insert({K.Program, A}).second)
        Report.Notes.push_back(Note);
    }
  }
}

} // namespace hsched::dag
