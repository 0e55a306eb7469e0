// Aligned text tables and human units.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace hsched::rt {

namespace {

// Number of terminal columns of UTF-8 text: continuation bytes take none.
size_t widthOf(const std::string &Text) {
  return static_cast<size_t>(std::ranges::count_if(Text, [](char C) { return (C & 0xc0) != 0x80; }));
}

// Three digits, or more if there are more before the decimal point.
std::string threeFigures(double Value, const char *Unit) {
  int Decimals = Value < 9.995 ? 2 : Value < 99.95 ? 1 : 0;
  char Text[48];
  std::snprintf(Text, sizeof(Text), "%.*f %s", Decimals, Value, Unit);
  return Text;
}

} // namespace

void Table::print(const std::function<void(const std::string &)> &Line) const {
  std::vector<size_t> Width;
  for (const Column &C : Columns)
    Width.push_back(widthOf(C.Head));
  for (const auto &Row : Rows)
    for (size_t I = 0; I < Columns.size(); ++I)
      Width[I] = std::max(Width[I], widthOf(Row[I]));

  auto lineOf = [&](auto CellAt) {
    std::string Text;
    for (size_t I = 0; I < Columns.size(); ++I) {
      const std::string &Cell = CellAt(I);
      std::string Blanks(Width[I] - widthOf(Cell), ' ');
      Text += I ? "  " : "";
      Text += Columns[I].Side == Align::Left ? Cell + Blanks : Blanks + Cell;
    }
    Text.erase(Text.find_last_not_of(' ') + 1);
    Line(Text);
  };
  lineOf([&](size_t I) -> const std::string & { return Columns[I].Head; });
  for (const auto &Row : Rows)
    lineOf([&](size_t I) -> const std::string & { return Row[I]; });
}

std::string formatBytes(uint64_t Bytes) {
  if (Bytes < 1024)
    return std::to_string(Bytes) + " B";
  static constexpr std::array<const char *, 6> Units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double Value = static_cast<double>(Bytes) / 1024;
  size_t Unit = 0;
  for (; Value >= 1023.5 && Unit + 1 < Units.size(); ++Unit)
    Value /= 1024;
  return threeFigures(Value, Units[Unit]);
}

std::string formatTime(double Ns) {
  if (Ns < 999.5) {
    char Text[32];
    std::snprintf(Text, sizeof(Text), "%.0f ns", Ns);
    return Text;
  }
  if (Ns < 999.5e3)
    return threeFigures(Ns / 1e3, "us");
  if (Ns < 999.5e6)
    return threeFigures(Ns / 1e6, "ms");
  return threeFigures(Ns / 1e9, "s");
}

std::string formatShare(double Part, double Whole) {
  if (Whole <= 0)
    return "-";
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.1f %%", 100 * Part / Whole);
  return Text;
}

} // namespace hsched::rt
