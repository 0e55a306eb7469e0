// Draws the graph: kernels in layers, with their planned or actual devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Picture.h"

#include <algorithm>
#include <cstdio>

namespace hsched::run {
namespace {

constexpr double BoxWidth = 112, BoxHeight = 44, StepX = 128, StepY = 84, Edge = 18, Top = 44;

std::string format(const char *Format, double A, double B = 0, double C = 0, double D = 0) {
  char Text[200];
  std::snprintf(Text, sizeof(Text), Format, A, B, C, D);
  return Text;
}

// Positions of kernels. Each component has its own columns; without components the graph is one component.
struct Layout {
  std::vector<unsigned> Layer; // The number of kernels on the longest path to it.
  std::vector<double> Column;  // By kernel.
  struct Frame {
    double Begin = 0, End = 0; // Columns.
    unsigned First = ~0u, Last = 0;
    bool Drawn = false;
  };
  std::vector<Frame> Frames;
  double Columns = 0;
  unsigned Layers = 0;

  explicit Layout(const dag::Graph &G) : Layer(G.Kernels.size()), Column(G.Kernels.size()) {
    for (uint32_t I : G.Order) {
      for (uint32_t B : G.Kernels[I].Before)
        Layer[I] = std::max(Layer[I], Layer[B] + 1);
      Layers = std::max(Layers, Layer[I] + 1);
    }
    if (!G.HasComponents) {
      place(G, G.Order, false);
      return;
    }
    for (const dag::Component &C : G.Components)
      place(G, C.Kernels, C.Kernels.size() > 1);
  }

private:
  void place(const dag::Graph &G, const std::vector<uint32_t> &Kernels, bool Drawn) {
    std::vector<std::vector<uint32_t>> In(Layers);
    for (uint32_t I : Kernels)
      In[Layer[I]].push_back(I);
    size_t Widest = 0;
    for (const std::vector<uint32_t> &L : In)
      Widest = std::max(Widest, L.size());
    Frame F{Columns, Columns + static_cast<double>(Widest), ~0u, 0, Drawn};
    for (unsigned L = 0; L < Layers; ++L) {
      if (In[L].empty())
        continue;
      F.First = std::min(F.First, L);
      F.Last = L;
      // Below the mean position of its predecessors, so that few edges cross.
      std::vector<std::pair<double, uint32_t>> Wanted;
      for (uint32_t I : In[L]) {
        double Sum = 0;
        for (uint32_t B : G.Kernels[I].Before)
          Sum += Column[B];
        Wanted.emplace_back(G.Kernels[I].Before.empty() ? 0 : Sum / static_cast<double>(G.Kernels[I].Before.size()), I);
      }
      std::stable_sort(Wanted.begin(), Wanted.end(), [](const auto &A, const auto &B) { return A.first < B.first; });
      const double Begin = F.Begin + (static_cast<double>(Widest) - static_cast<double>(In[L].size())) / 2;
      for (size_t At = 0; At < Wanted.size(); ++At)
        Column[Wanted[At].second] = Begin + static_cast<double>(At);
    }
    Columns = F.End;
    Frames.push_back(F);
  }
};

} // namespace

std::string drawGraph(const dag::Graph &G, const std::map<std::string, std::vector<std::string>> &Places) {
  auto PlacesOf = [&](const dag::Kernel &K) {
    if (auto At = Places.find(K.Id); At != Places.end())
      return At->second;
    std::vector<std::string> Out;
    for (const dag::Launch &L : K.Launches)
      Out.push_back(L.Device.empty() ? "any device" : L.Device);
    return Out;
  };
  const Layout At(G);
  std::vector<std::string> Devices;
  for (const dag::Kernel &K : G.Kernels)
    for (const std::string &D : PlacesOf(K))
      if (std::find(Devices.begin(), Devices.end(), D) == Devices.end())
        Devices.push_back(D);
  std::sort(Devices.begin(), Devices.end());
  auto ColourOf = [&](const std::string &D) {
    return colourOf(static_cast<size_t>(std::lower_bound(Devices.begin(), Devices.end(), D) - Devices.begin()));
  };
  auto X = [&](uint32_t I) { return Edge + At.Column[I] * StepX + (StepX - BoxWidth) / 2; };
  auto Y = [&](uint32_t I) { return Top + At.Layer[I] * StepY + (StepY - BoxHeight) / 2; };
  double Legend = Edge;
  for (const std::string &D : Devices)
    Legend += 36 + 6.6 * static_cast<double>(D.size());
  const double Width = std::max(2 * Edge + At.Columns * StepX, Legend), Height = Top + At.Layers * StepY + 10;
  std::string Out =
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" ",
             Width, Height, Width, Height) +
      "font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n<title>" + escapeXml(G.Path) +
      "</title>\n<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" "
      "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555555\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  double Next = Edge;
  for (const std::string &D : Devices) {
    Out += format("<rect x=\"%.0f\" y=\"12\" width=\"12\" height=\"12\" fill=\"", Next) + ColourOf(D) +
           format("\"/><text x=\"%.0f\" y=\"22\">", Next + 16) + escapeXml(D) + "</text>\n";
    Next += 36 + 6.6 * static_cast<double>(D.size());
  }
  for (const Layout::Frame &F : At.Frames)
    if (F.Drawn)
      Out += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" ", Edge + F.Begin * StepX + 2,
                    Top + F.First * StepY + 4, (F.End - F.Begin) * StepX - 4, (F.Last - F.First + 1) * StepY - 8) +
             "rx=\"8\" fill=\"#f4f4f4\" stroke=\"#bbbbbb\"/>\n";
  for (uint32_t I : G.Order)
    for (uint32_t To : G.Kernels[I].Behind) {
      const std::vector<uint32_t> &After = G.Kernels[To].After;
      const double X1 = X(I) + BoxWidth / 2, Y1 = Y(I) + BoxHeight, X2 = X(To) + BoxWidth / 2, Y2 = Y(To);
      Out += format("<path d=\"M%.1f %.1fC%.1f %.1f ", X1, Y1, X1, (Y1 + Y2) / 2) +
             format("%.1f %.1f %.1f %.1f\" ", X2, (Y1 + Y2) / 2, X2, Y2) +
             "fill=\"none\" stroke=\"#555555\" marker-end=\"url(#arrow)\"" +
             (std::find(After.begin(), After.end(), I) != After.end() ? " stroke-dasharray=\"4 3\"" : "") + "/>\n";
    }
  for (uint32_t I : G.Order) {
    const dag::Kernel &K = G.Kernels[I];
    const std::vector<std::string> On = PlacesOf(K);
    std::string Names;
    Out += "<g>";
    for (size_t P = 0; P < On.size(); ++P) {
      const double Part = BoxWidth / static_cast<double>(On.size());
      Out += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" ", X(I) + static_cast<double>(P) * Part,
                    Y(I), Part, BoxHeight) +
             "rx=\"4\" fill=\"" + ColourOf(On[P]) + "\"/>";
      Names += (P ? " and " : "") + On[P];
    }
    const std::string &Function = G.Programs[K.Program].Kernel;
    Out += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"white\" font-weight=\"bold\">",
                  X(I) + BoxWidth / 2, Y(I) + 18) +
           escapeXml(shorten(K.Id, 16)) +
           format("</text><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"white\">", X(I) + BoxWidth / 2,
                  Y(I) + 33) +
           escapeXml(shorten(Function, 17)) + "</text><title>" + escapeXml(K.Id + ": " + Function + " on " + Names) +
           "</title></g>\n";
  }
  return Out + "</svg>\n";
}

} // namespace hsched::run
