// Compares host arguments with a kernel's parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Check.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace hsched::cc {
namespace {

enum class Kind { Unknown, Void, Integer, Floating, Vector, Struct };

struct ElementClass {
  Kind What = Kind::Unknown;
  std::string Scalar; // Element type of a vector.
};

Kind scalarKind(const std::string &Name) {
  static const char *const Integers[] = {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
  if (std::find(std::begin(Integers), std::end(Integers), Name) != std::end(Integers))
    return Kind::Integer;
  return Name == "half" || Name == "float" || Name == "double" ? Kind::Floating : Kind::Unknown;
}

ElementClass classify(const std::string &Name) {
  if (Name.empty())
    return {};
  if (Name == "void")
    return {Kind::Void, {}};
  if (Name.rfind("struct", 0) == 0 || Name.rfind("union", 0) == 0)
    return {Kind::Struct, {}};
  if (Kind K = scalarKind(Name); K != Kind::Unknown)
    return {K, Name};
  std::string Scalar = Name;
  while (!Scalar.empty() && std::isdigit(static_cast<unsigned char>(Scalar.back())))
    Scalar.pop_back();
  if (Scalar.size() < Name.size() && scalarKind(Scalar) != Kind::Unknown)
    return {Kind::Vector, Scalar};
  return {};
}

std::string quote(const std::string &Text) { return "'" + Text + "'"; }

std::string bytesOf(std::uint64_t Bytes) { return std::to_string(Bytes) + (Bytes == 1 ? " byte" : " bytes"); }

// True for equal types up to signedness.
bool sameScalar(const std::string &A, const std::string &B) {
  auto plain = [](const std::string &S) { return S.size() > 1 && S[0] == 'u' ? S.substr(1) : S; };
  return plain(A) == plain(B);
}

// Null if Arg's bytes have the same meaning for kernel and host.
std::optional<std::string> elementMismatch(const KernelParam &Param, const HostArg &Arg) {
  const ElementClass Theirs = classify(Param.Element), Ours = classify(Arg.Element);
  if (Theirs.What == Kind::Unknown || Theirs.What == Kind::Void || Ours.What == Kind::Unknown ||
      Ours.What == Kind::Void)
    return std::nullopt;
  const std::string What = Arg.Pointer ? "points to " : "is ";
  auto explain = [&] {
    std::string Host = quote(Arg.Element), Kernel = quote(Param.Element);
    if (Arg.Bytes && Param.ElementBytes && Arg.Bytes != Param.ElementBytes) {
      Host += " (" + bytesOf(Arg.Bytes) + ")";
      Kernel += " (" + bytesOf(Param.ElementBytes) + ")";
    }
    return What + Host + " but the kernel's parameter " + What + Kernel;
  };
  const bool HostScalar = Ours.What == Kind::Integer || Ours.What == Kind::Floating;
  const bool SizesDiffer = Arg.Bytes && Param.ElementBytes && Arg.Bytes != Param.ElementBytes;
  if (Theirs.What == Kind::Vector && HostScalar && Arg.Pointer && sameScalar(Theirs.Scalar, Arg.Element))
    return std::nullopt;
  if (SizesDiffer)
    return explain();
  const bool KernelScalar = Theirs.What == Kind::Integer || Theirs.What == Kind::Floating;
  if (HostScalar && KernelScalar && Ours.What != Theirs.What)
    return explain();
  if (Ours.What == Kind::Vector && Theirs.What == Kind::Vector && !sameScalar(Ours.Scalar, Theirs.Scalar))
    return explain();
  if (HostScalar && Theirs.What == Kind::Struct)
    return explain();
  return std::nullopt;
}

std::string describe(const KernelParam &Param) {
  if (Param.Pointer)
    return "a " + std::string(toString(Param.Where)) + " pointer";
  return "a value of type " + quote(Param.Element);
}

} // namespace

std::optional<std::string> mismatch(const KernelParam &Param, const HostArg &Arg) {
  if (Param.Image || Param.Sampler || Param.Pipe)
    return "the kernel's parameter is of type " + quote(Param.Element) + ", which cannot be passed";
  if (Param.Where == KernelParam::Local) {
    if (Arg.Local)
      return std::nullopt;
    return "the kernel's parameter is a __local pointer: it takes local(bytes) in args()";
  }
  if (Arg.Local)
    return "it is local memory but the kernel's parameter is " + describe(Param);
  if (Param.Pointer != Arg.Pointer)
    return "it is " +
           (Arg.Pointer            ? "a pointer"
            : Arg.Spelling.empty() ? "a value"
                                   : "a value of type " + quote(Arg.Spelling)) +
           " but the kernel's parameter is " + describe(Param);
  if (std::optional<std::string> Why = elementMismatch(Param, Arg))
    return "it " + *Why;
  if (Param.Where == KernelParam::Global && Arg.PointeeConst && !Param.PointeeConst && Param.Written)
    return "it points to const data but the kernel writes through its parameter";
  return std::nullopt;
}

std::optional<std::string> wrongCount(const KernelInfo &Kernel, std::size_t Passed) {
  const std::size_t Taken = Kernel.Params.size();
  if (Passed == Taken)
    return std::nullopt;
  return "kernel " + quote(Kernel.Name) + " takes " + std::to_string(Taken) +
         (Taken == 1 ? " argument" : " arguments") + " but " + std::to_string(Passed) + (Passed == 1 ? " is" : " are") +
         " passed";
}

std::vector<RangeProblem> checkRange(const KernelInfo &Kernel, const HostRange &Range) {
  std::vector<RangeProblem> Out;
  if (Kernel.WorkDim > Range.Dims)
    Out.push_back({"kernel " + quote(Kernel.Name) + " asks for dimension " + std::to_string(Kernel.WorkDim - 1) +
                       " but ndrange has " + std::to_string(Range.Dims) +
                       (Range.Dims == 1 ? " dimension" : " dimensions"),
                   ""});
  if (Kernel.ReqdWorkGroup[0] == 0)
    return Out;
  std::string Locals;
  for (unsigned I = 0; I != Range.Dims; ++I)
    Locals += (I ? ", " : "") + std::to_string(Kernel.ReqdWorkGroup[I]);
  for (unsigned I = Range.Dims; I != 3; ++I)
    if (Kernel.ReqdWorkGroup[I] != 1) // The kernel needs more dimensions.
      Locals.clear();
  if (!Range.HasLocal) {
    // The runtime would have to guess a size that the kernel fixes.
    Out.push_back({"kernel " + quote(Kernel.Name) + " requires work groups of (" +
                       std::to_string(Kernel.ReqdWorkGroup[0]) + ", " + std::to_string(Kernel.ReqdWorkGroup[1]) + ", " +
                       std::to_string(Kernel.ReqdWorkGroup[2]) + ") but ndrange names no local sizes",
                   Locals});
    return Out;
  }
  for (unsigned I = 0; I != 3; ++I) {
    const std::optional<std::uint64_t> Given = I < Range.Dims ? Range.Local[I] : std::optional<std::uint64_t>(1);
    if (Given && *Given != Kernel.ReqdWorkGroup[I])
      Out.push_back({"kernel " + quote(Kernel.Name) + " requires a work-group size of " +
                         std::to_string(Kernel.ReqdWorkGroup[I]) + " in dimension " + std::to_string(I) +
                         " but ndrange says " + std::to_string(*Given),
                     std::exchange(Locals, "")}); // One edit for all dimensions.
  }
  return Out;
}

} // namespace hsched::cc
