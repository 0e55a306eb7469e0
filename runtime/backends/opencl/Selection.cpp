// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Selection.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <climits>
#include <map>
#include <optional>
#include <string_view>

namespace hsched::rt::opencl {

namespace {

constexpr unsigned MostParts = 256;

// In lower case without blanks.
std::string normal(const std::string &Selection) {
  std::string Text;
  for (unsigned char C : Selection)
    if (!std::isspace(C))
      Text += static_cast<char>(std::tolower(C));
  return Text;
}

bool isAuto(const std::string &Normal) { return Normal.empty() || Normal == "auto"; }

std::optional<unsigned> number(std::string_view Text) {
  unsigned N = 0;
  auto [Rest, Bad] = std::from_chars(Text.data(), Text.data() + Text.size(), N);
  if (Bad == std::errc::result_out_of_range)
    return UINT_MAX; // More than any device has.
  return Bad == std::errc() && Rest == Text.data() + Text.size() ? std::optional(N) : std::nullopt;
}

// Calls F for each piece of Text between Separators.
template <class Fn> void forEachPiece(std::string_view Text, char Separator, Fn F) {
  for (;;) {
    size_t End = Text.find(Separator);
    F(Text.substr(0, End));
    if (End == std::string_view::npos)
      return;
    Text.remove_prefix(End + 1);
  }
}

// Parses the text behind the '/'. Null if it is no split.
std::optional<Split> parseSplit(std::string_view Text) {
  static const std::pair<std::string_view, Split::By> Words[] = {{"numa", Split::By::Numa},
                                                                 {"l1", Split::By::L1},
                                                                 {"l2", Split::By::L2},
                                                                 {"l3", Split::By::L3},
                                                                 {"l4", Split::By::L4}};
  for (const auto &[Word, How] : Words)
    if (Text == Word)
      return Split{How, {}};
  Split S{Split::By::Counts, {}};
  bool Good = true;
  forEachPiece(Text, '+', [&](std::string_view Piece) {
    std::optional<unsigned> N = number(Piece);
    Good &= N && *N >= 1 && *N <= MostParts;
    S.Units.push_back(N.value_or(0));
  });
  if (!Good || S.Units.size() > MostParts)
    return std::nullopt;
  if (S.Units.size() > 1)
    return S;
  return S.Units[0] == 1 ? Split{} : Split{Split::By::Parts, std::vector<unsigned>(S.Units[0])};
}

struct Item {
  std::string_view What;
  Split Parts;
};

// A name may contain a '/'.
Item parseItem(std::string_view Text) {
  size_t Slash = Text.rfind('/');
  if (Slash != std::string_view::npos && Slash > 0)
    if (std::optional<Split> S = parseSplit(Text.substr(Slash + 1)))
      return {Text.substr(0, Slash), std::move(*S)};
  return {Text, {}};
}

std::optional<DeviceType> typeNamed(std::string_view Word) {
  return Word == "gpu"           ? std::optional(DeviceType::Gpu)
         : Word == "cpu"         ? std::optional(DeviceType::Cpu)
         : Word == "accelerator" ? std::optional(DeviceType::Accelerator)
                                 : std::nullopt;
}

// "2" or "0-3".
bool isNumbers(std::string_view What, unsigned &First, unsigned &Last) {
  size_t Dash = What.find('-');
  std::optional<unsigned> A = number(What.substr(0, Dash));
  std::optional<unsigned> B = Dash == std::string_view::npos ? A : number(What.substr(Dash + 1));
  if (!A || !B)
    return false;
  First = *A;
  Last = *B;
  return true;
}

// The devices that What names, or the reason why there are none.
std::string devicesNamed(std::string_view What, std::span<const Candidate> There, std::vector<unsigned> &Out) {
  auto keep = [&](auto Fits) {
    for (unsigned I = 0; I < There.size(); ++I)
      if (Fits(There[I]))
        Out.push_back(I);
  };
  if (What == "all") {
    keep([](const Candidate &) { return true; });
    return "";
  }
  if (std::optional<DeviceType> Type = typeNamed(What)) {
    keep([&](const Candidate &C) { return C.Type == *Type; });
    return Out.empty() ? "there is no device of type " + std::string(What) : "";
  }
  unsigned First = 0, Last = 0;
  if (isNumbers(What, First, Last)) {
    if (Last >= There.size() || First > Last)
      return "there is no device " + std::string(What);
    for (; First <= Last; ++First)
      Out.push_back(First);
    return "";
  }
  if (!What.empty())
    keep([&](const Candidate &C) {
      return normal(C.Name).find(What) != std::string::npos || normal(C.Platform).find(What) != std::string::npos;
    });
  return Out.empty()
             ? "expected auto, all, gpu, cpu, accelerator, 0 (none), device numbers such as 0,2-3, or part of a "
               "name; no device is called '" +
                   std::string(What) + "'"
             : "";
}

} // namespace

bool selectsNoDevice(const std::string &Selection) {
  std::string Text = normal(Selection);
  return Text == "0" || Text == "none" || Text == "off";
}

bool maySelectCpu(const std::string &Selection) {
  bool May = false;
  std::string Text = normal(Selection);
  forEachPiece(Text, ',', [&](std::string_view Piece) {
    std::string_view What = parseItem(Piece).What;
    May |= What != "gpu" && What != "accelerator";
  });
  return May && !selectsNoDevice(Selection);
}

bool maySelectOthers(const std::string &Selection) {
  bool May = false;
  std::string Text = normal(Selection);
  forEachPiece(Text, ',', [&](std::string_view Piece) { May |= parseItem(Piece).What != "cpu"; });
  return May && !selectsNoDevice(Selection);
}

unsigned unitsForParts(const std::string &Selection) {
  unsigned Most = 0;
  std::string Text = normal(Selection);
  forEachPiece(Text, ',', [&](std::string_view Piece) {
    Item I = parseItem(Piece);
    if (typeNamed(I.What) == DeviceType::Gpu || I.Parts.How == Split::By::Whole)
      return;
    unsigned Units = 0;
    for (unsigned N : I.Parts.Units)
      Units += std::max(N, 1u);
    Most = std::max(Most, I.Parts.Units.empty() ? UINT_MAX : Units);
  });
  return Most;
}

status refuseSelection(const std::string &Selection, const std::string &Why, std::span<const Candidate> There) {
  std::string Message = "HSCHED_OPENCL='" + Selection + "': " + Why + "; ";
  if (There.empty())
    Message += "there is no OpenCL device";
  else
    Message += "there are: ";
  for (size_t I = 0; I < There.size(); ++I)
    Message += (I ? ", " : "") + std::to_string(I) + " = " + There[I].Name + " (" + deviceTypeName(There[I].Type) + ")";
  return status::error(errc::invalid_argument, Message);
}

status selectDevices(const std::string &Selection, std::span<const Candidate> There, std::vector<Selected> &Out) {
  std::string Text = normal(Selection);
  std::map<unsigned, Split> Chosen;
  if (isAuto(Text)) {
    for (unsigned I = 0; I < There.size(); ++I)
      if (There[I].Type != DeviceType::Cpu)
        Chosen[I];
    // At most one CPU device is taken, because two drivers on the same cores would slow each other down.
    if (Chosen.empty() && !There.empty())
      Chosen[0];
  } else if (!selectsNoDevice(Selection)) {
    if (Text.size() > 1 && Text.ends_with(',')) // "0,"
      Text.pop_back();
    std::string Wrong;
    forEachPiece(Text, ',', [&](std::string_view Piece) {
      Item I = parseItem(Piece);
      std::vector<unsigned> Numbers;
      std::string Why = devicesNamed(I.What, There, Numbers);
      for (unsigned N : Numbers)
        if (auto [At, New] = Chosen.try_emplace(N, I.Parts); !New && At->second != I.Parts)
          Why = "device " + std::to_string(N) + " is named twice, in different parts";
      if (Wrong.empty())
        Wrong = Why;
    });
    if (!Wrong.empty())
      return refuseSelection(Selection, Wrong, There);
  }
  Out.clear();
  for (const auto &[Number, Parts] : Chosen)
    Out.push_back({Number, Parts});
  return {};
}

} // namespace hsched::rt::opencl
