// A Gantt chart of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hsched::run {

std::string escapeXml(const std::string &Text) {
  std::string Out;
  for (const char C : Text)
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '"':
      Out += "&quot;";
      break;
    default: // Control characters are invalid in XML.
      Out += static_cast<unsigned char>(C) < 0x20 || C == 0x7f ? ' ' : C;
    }
  return Out;
}

const char *colourOf(size_t N) {
  static const char *const All[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"};
  return All[N % (sizeof(All) / sizeof(All[0]))];
}

std::string shorten(const std::string &Text, size_t Most) {
  if (Text.size() <= Most)
    return Text;
  auto Inside = [&](size_t At) { return (static_cast<unsigned char>(Text[At]) & 0xc0) == 0x80; };
  size_t Head = Most / 3, Tail = Text.size() - (Most - Head);
  while (Head && Inside(Head))
    --Head;
  while (Tail < Text.size() && Inside(Tail))
    ++Tail;
  return Text.substr(0, Head) + "…" + Text.substr(Tail);
}

namespace {

constexpr double Left = 210, Width = 1200, Right = 12, Top = 40, RowHeight = 26, Gap = 6;
constexpr double LetterWidth = 6.6; // For a font of about 11 pixels.
const char *const TransferColour = "#888888";

std::string format(const char *Format, double A, double B = 0, double C = 0, double D = 0) {
  char Text[200];
  std::snprintf(Text, sizeof(Text), Format, A, B, C, D);
  return Text;
}

// 1, 2 or 5 times a power of ten, so that about eight ticks fit.
double tickOf(double Span) {
  const double Rough = Span / 8, Power = std::pow(10, std::floor(std::log10(Rough)));
  for (double Times : {1.0, 2.0, 5.0})
    if (Rough <= Times * Power)
      return Times * Power;
  return 10 * Power;
}

std::string milliseconds(double Us) { return format("%.3f ms", Us / 1000); }

} // namespace

std::string drawGantt(const RunTrace &Of) {
  double Begin = Of.Bars.empty() ? 0 : Of.Bars.front().Begin, End = Begin;
  std::vector<std::string> Kinds;
  for (const TraceBar &B : Of.Bars) {
    End = std::max(End, B.Begin + B.Length);
    if (!B.Kind.empty() && std::find(Kinds.begin(), Kinds.end(), B.Kind) == Kinds.end())
      Kinds.push_back(B.Kind);
  }
  const double Span = std::max(End - Begin, 1e-3), Scale = (Width - Left - Right) / Span;
  const double Bottom = Top + static_cast<double>(Of.Rows.size()) * (RowHeight + Gap), Height = Bottom + 26;
  const size_t Kernels = static_cast<size_t>(
      std::count_if(Of.Bars.begin(), Of.Bars.end(), [](const TraceBar &B) { return !B.Kind.empty(); }));
  std::string Out =
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" ",
             Width, Height, Width, Height) +
      "font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>" + std::to_string(Kernels) + " kernels in " +
      milliseconds(Span) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  double X = Left;
  auto Legend = [&](const std::string &Name, const char *Colour) {
    Out += format("<rect x=\"%.0f\" y=\"12\" width=\"12\" height=\"12\" fill=\"", X) + Colour +
           format("\"/><text x=\"%.0f\" y=\"22\">", X + 16) + escapeXml(Name) + "</text>\n";
    X += 34 + LetterWidth * static_cast<double>(Name.size());
  };
  for (size_t I = 0; I < Kinds.size(); ++I)
    Legend(shorten(Kinds[I], 40), colourOf(I));
  if (Kernels < Of.Bars.size())
    Legend("transfer", TransferColour);
  for (size_t I = 0; I < Of.Rows.size(); ++I) {
    const double Y = Top + static_cast<double>(I) * (RowHeight + Gap);
    Out += format("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", Left - 8, Y + RowHeight / 2 + 4) + "<title>" +
           escapeXml(Of.Rows[I].Name) + "</title>" + escapeXml(shorten(Of.Rows[I].Name, 27)) + "</text>" +
           format("<rect x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"#f2f2f2\"/>\n", Left, Y,
                  Width - Left - Right, RowHeight);
  }
  for (double At = 0, Tick = tickOf(Span); At <= Span; At += Tick)
    Out += format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" ", Left + At * Scale, Left + At * Scale, Top - 4) +
           format("y2=\"%.1f\" stroke=\"#cccccc\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", Bottom,
                  Left + At * Scale, Bottom + 14) +
           format(Tick < 10     ? "%.3f"
                  : Tick < 1000 ? "%.2f"
                                : "%.0f",
                  At / 1000) +
           (At == 0 ? " ms" : "") + "</text>\n";
  for (const TraceBar &B : Of.Bars) {
    const double Y = Top + B.Row * (RowHeight + Gap), W = std::max(B.Length * Scale, 0.4);
    const auto Kind = std::find(Kinds.begin(), Kinds.end(), B.Kind);
    std::string Tip = B.Name + (B.Kind.empty() ? "" : ": " + B.Kind) + ", " + milliseconds(B.Length) + " from " +
                      milliseconds(B.Begin - Begin);
    if (B.Kind.empty())
      Tip += ", " + std::to_string(B.Bytes) + " bytes";
    Out += format("<g><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" ", Left + (B.Begin - Begin) * Scale, Y,
                  W, RowHeight) +
           "fill=\"" + (Kind == Kinds.end() ? TransferColour : colourOf(static_cast<size_t>(Kind - Kinds.begin()))) +
           "\" stroke=\"white\" stroke-width=\"0.4\"/>";
    if (!B.Kind.empty() && W > LetterWidth * static_cast<double>(B.Name.size()) + 4)
      Out += format("<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"white\">",
                    Left + (B.Begin - Begin) * Scale + W / 2, Y + RowHeight / 2 + 4) +
             escapeXml(B.Name) + "</text>";
    Out += "<title>" + escapeXml(Tip) + "</title></g>\n";
  }
  return Out + "</svg>\n";
}

} // namespace hsched::run
