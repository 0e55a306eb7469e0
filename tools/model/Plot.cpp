// Execution times as a picture.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Model.h"

#include "perfmodel/SizeFit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>

namespace hsched::model {

namespace {

constexpr double Width = 760, Height = 460, Left = 80, Right = 20, Top = 20, Bottom = 50;
// Distinguishable with colour blindness.
constexpr const char *Colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777"};

std::string escaped(const std::string &Text) {
  std::string Out;
  for (char C : Text)
    Out += C == '&' ? "&amp;" : C == '<' ? "&lt;" : C == '>' ? "&gt;" : C == '"' ? "&quot;" : std::string(1, C);
  return Out;
}

std::string print(const char *Format, auto... Values) {
  char Text[512];
  std::snprintf(Text, sizeof(Text), Format, Values...);
  return Text;
}

// A logarithmic axis, slightly wider than Least to Most, as pixels from Begin to End.
struct Axis {
  double Least, Most, Begin, End;
  Axis(double Low, double High, double Begin, double End)
      : Least(std::log10(Low) - 0.1), Most(std::log10(High) + 0.1), Begin(Begin), End(End) {}
  double at(double Value) const { return Begin + (std::log10(Value) - Least) / (Most - Least) * (End - Begin); }
};

struct Series {
  std::vector<const ModelEntry *> Points;
  rt::SizeFit Fit;
};

double valueOf(const ModelEntry &E) { return rt::costOf(E.Size).value_or(static_cast<double>(E.Size)); }

} // namespace

std::string plotEntries(const ModelFile &File, const Selection &What) {
  std::map<std::string, Series> All;
  double LeastX = std::numeric_limits<double>::max(), MostX = 0, LeastY = LeastX, MostY = 0;
  for (const ModelEntry &E : File.Entries) {
    if (!What.holds(E) || !(valueOf(E) > 0) || !(E.medianNs() > 0))
      continue;
    Series &S = All[taskOf(E) + " as " + versionOf(E) + " on " + E.Device];
    S.Points.push_back(&E);
    for (float Ns : E.Recent)
      S.Fit.add(valueOf(E), Ns);
    LeastX = std::min(LeastX, valueOf(E));
    MostX = std::max(MostX, valueOf(E));
    LeastY = std::min<double>(LeastY, std::max(0.1f, std::ranges::min(E.Recent)));
    MostY = std::max<double>(MostY, std::ranges::max(E.Recent));
  }
  if (All.empty())
    throw std::runtime_error("nothing to draw");
  const Axis X(LeastX, MostX, Left, Width - Right), Y(LeastY, MostY, Height - Bottom, Top);
  const double Legend = 18.0 * static_cast<double>(All.size());
  std::string Out = print("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
                          "font-size=\"12\" role=\"img\">\n<title>Execution times by size</title>\n"
                          "<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
                          Width, Height + Legend, Width, Height + Legend);
  for (double Power = std::ceil(X.Least); Power <= X.Most; ++Power) {
    const double At = X.at(std::pow(10, Power));
    Out += print(
        "<path d=\"M%.1f %g V%g\" stroke=\"#dddddd\"/><text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">1e%g</text>\n",
        At, Top, Height - Bottom, At, Height - Bottom + 18, Power);
  }
  for (double Power = std::ceil(Y.Least); Power <= Y.Most; ++Power) {
    const double At = Y.at(std::pow(10, Power));
    Out +=
        print("<path d=\"M%g %.1f H%g\" stroke=\"#dddddd\"/><text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
              Left, At, Width - Right, Left - 6, At + 4, timeOf(std::pow(10, Power)).c_str());
  }
  Out += print("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">size in bytes, or cost</text>\n",
               (Left + Width - Right) / 2, Height - 12);
  size_t Index = 0;
  for (const auto &[Name, S] : All) {
    const char *Colour = Colours[Index % std::size(Colours)];
    for (const ModelEntry *E : S.Points) {
      const auto [Least, Most] = std::ranges::minmax(E->Recent);
      const double At = X.at(valueOf(*E));
      Out += print("<path d=\"M%.1f %.1f V%.1f\" stroke=\"%s\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\">",
                   At, Y.at(std::max(0.1, double(Least))), Y.at(std::max(0.1, double(Most))), Colour, At,
                   Y.at(E->medianNs()), Colour) +
             "<title>" + escaped(sizeOf(*E) + ": " + timeOf(E->medianNs()) + ", " + std::to_string(E->Runs) + " runs") +
             "</title></circle>\n";
    }
    if (const auto Line = S.Fit.line())
      Out += print("<path d=\"M%.1f %.1f L%.1f %.1f\" stroke=\"%s\" stroke-dasharray=\"4 3\"/>\n", X.at(Line->Smallest),
                   Y.at(Line->at(Line->Smallest)), X.at(Line->Largest), Y.at(Line->at(Line->Largest)), Colour);
    const double At = Height + 18.0 * static_cast<double>(Index) + 4;
    Out += print("<rect x=\"%g\" y=\"%g\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%g\" y=\"%g\">", Left,
                 At - 10, Colour, Left + 18, At) +
           escaped(Name) + "</text>\n";
    ++Index;
  }
  return Out + "</svg>\n";
}

} // namespace hsched::model
