// Names and levels of hsched-cc's own warnings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Warnings.h"

#include <algorithm>
#include <optional>

namespace hsched::cc {
namespace {

constexpr std::array<WarningInfo, NumWarnings> Table = {{
    {Warning::Capture, "capture", true, "a copy in a task on a statement that is not what the program would use"},
    {Warning::Const, "const", true, "an out or inout section behind a pointer to const"},
    {Warning::Coverage, "coverage", true, "an out section that the task does not overwrite wholly"},
    {Warning::Extent, "extent", true, "an access outside the section that its clause names"},
    {Warning::Instances, "instances", true, "a version that no instance of its task can use"},
    {Warning::KernelCode, "kernel-code", true, "what Clang warns of in a kernel file"},
    {Warning::KernelRange, "kernel-range", true, "an ndrange that the kernel itself contradicts"},
    {Warning::OmpssBound, "ompss-bound", true, "a section's length that looks like one of OmpSs's upper bounds"},
    {Warning::Role, "role", true,
     "a clause that the task's body contradicts: in that is written, out that is read first"},
    {Warning::Unnamed, "unnamed", true, "data that a task touches and no clause names"},
    {Warning::Versions, "versions", true,
     "a version whose data clauses or whose body differ from the main version's clauses"},
}};

constexpr bool inOrder() {
  for (std::size_t I = 0; I < NumWarnings; ++I)
    if (Table[I].Which != static_cast<Warning>(I))
      return false;
  return true;
}
static_assert(inOrder(), "the table stands in the enum's order");

bool consume(std::string_view &Text, std::string_view Prefix) {
  if (Text.substr(0, Prefix.size()) != Prefix)
    return false;
  Text.remove_prefix(Prefix.size());
  return true;
}

// The parts of a flag: -W, no- or not, error= or not, hsched or hsched-name.
struct Flag {
  bool Off = false, Error = false, Ours = false;
  std::string_view Rest; // For hsched's flags: the text after "hsched"; otherwise all of it.
};

// The warning of "-name", the text after "hsched".
const WarningInfo *named(std::string_view Rest) { return consume(Rest, "-") ? findWarning(Rest) : nullptr; }

std::optional<Flag> takeApart(std::string_view Text) {
  Flag F;
  if (!consume(Text, "-W"))
    return std::nullopt;
  F.Off = consume(Text, "no-");
  F.Error = consume(Text, "error=");
  std::string_view Name = Text;
  F.Ours = consume(Name, "hsched");
  F.Rest = F.Ours ? Name : Text;
  return F;
}

// The edit distance between A and B.
std::size_t distance(std::string_view A, std::string_view B) {
  std::vector<std::size_t> Row(B.size() + 1);
  for (std::size_t J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (std::size_t I = 1; I <= A.size(); ++I) {
    std::size_t Before = Row[0];
    Row[0] = I;
    for (std::size_t J = 1; J <= B.size(); ++J) {
      std::size_t Changed = Before + (A[I - 1] != B[J - 1]);
      Before = Row[J];
      Row[J] = std::min({Changed, Row[J] + 1, Row[J - 1] + 1});
    }
  }
  return Row[B.size()];
}

std::string_view nearest(std::string_view Name) {
  auto Best = std::min_element(Table.begin(), Table.end(), [Name](const WarningInfo &A, const WarningInfo &B) {
    return distance(Name, A.Name) < distance(Name, B.Name);
  });
  return distance(Name, Best->Name) <= std::max<std::size_t>(2, Name.size() / 3) ? Best->Name : std::string_view();
}

} // namespace

const std::array<WarningInfo, NumWarnings> &allWarnings() { return Table; }

const WarningInfo *findWarning(std::string_view Name) {
  for (const WarningInfo &I : Table)
    if (I.Name == Name)
      return &I;
  return nullptr;
}

std::string suffixOf(Warning W) { return "[-Whsched-" + std::string(infoOf(W).Name) + "]"; }

WarningLevels::WarningLevels(const std::vector<std::string> &Flags) {
  struct State {
    std::optional<bool> On, Error;
  };
  std::array<State, NumWarnings> Named;
  State Group, General;
  bool Silent = false;
  for (const std::string &Text : Flags) {
    Silent |= Text == "-w";
    if (Text == "-Werror" || Text == "-Wno-error")
      General.Error = Text == "-Werror";
    if (Text == "-Wall" || Text == "-Wno-all")
      General.On = Text == "-Wall";
    std::optional<Flag> F = takeApart(Text);
    if (!F || !F->Ours)
      continue;
    const WarningInfo *Info = named(F->Rest);
    if (!F->Rest.empty() && !Info)
      continue;
    State &S = Info ? Named[static_cast<std::size_t>(Info->Which)] : Group;
    if (F->Error)
      S.Error = !F->Off;
    if (!F->Error || (!F->Off && Info)) // -Werror=x enables x.
      S.On = !F->Off;
  }
  for (std::size_t I = 0; I < NumWarnings; ++I) {
    bool On = Named[I].On.value_or(Group.On.value_or(Table[I].OnByDefault || General.On.value_or(false)));
    bool Error = Named[I].Error.value_or(Group.Error.value_or(General.Error.value_or(false)));
    Levels[I] = !On || Silent ? WarningLevel::Off : Error ? WarningLevel::Error : WarningLevel::On;
  }
}

std::string problemWithFlag(std::string_view Text, bool &Fatal) {
  std::optional<Flag> F = takeApart(Text);
  if (!F || !F->Ours || F->Rest.empty() || named(F->Rest))
    return "";
  Fatal = !F->Off;
  std::string_view Near = nearest(F->Rest.substr(1));
  std::string Message = "unknown warning option '" + std::string(Text) + "'; ";
  if (Near.empty())
    return Message + "--hsched-help=warnings lists them";
  std::string_view Begin = Text.substr(0, Text.size() - F->Rest.size());
  return Message + "did you mean '" + std::string(Begin) + "-" + std::string(Near) + "'?";
}

} // namespace hsched::cc
