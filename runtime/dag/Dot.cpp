// The graph for Graphviz.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Graph.h"

#include <algorithm>

namespace hsched::dag {

std::string writeDot(const Graph &G, const std::map<std::string, std::vector<std::string>> &Places) {
  auto Escaped = [](const std::string &S) {
    std::string Out;
    for (char C : S)
      Out += C == '"' || C == '\\'                               ? std::string("\\") + C
             : static_cast<unsigned char>(C) < 0x20 || C == 0x7f ? " "
                                                                 : std::string(1, C);
    return Out;
  };
  std::string Out = "digraph \"" + Escaped(G.Path) + "\" {\n  node [shape=ellipse];\n";
  for (size_t C = 0; C < G.Components.size(); ++C) {
    const bool Drawn = G.HasComponents && G.Components[C].Kernels.size() > 1;
    if (Drawn)
      Out += "  subgraph cluster_" + std::to_string(C) + " {\n";
    for (uint32_t I : G.Components[C].Kernels) {
      const Kernel &K = G.Kernels[I];
      std::string Device = K.Launches.size() > 1 ? "gpu and cpu" : K.Launches[0].Device;
      if (auto At = Places.find(K.Id); At != Places.end()) {
        Device = At->second[0];
        for (size_t P = 1; P < At->second.size(); ++P)
          Device += " and " + At->second[P];
      }
      Out += "  k" + std::to_string(I) + " [label=\"" + Escaped(K.Id) + "\\n" + Escaped(G.Programs[K.Program].Kernel) +
             (Device.empty() ? "" : "\\n" + Escaped(Device)) + "\"];\n";
    }
    if (Drawn)
      Out += "  }\n";
  }
  for (uint32_t I : G.Order)
    for (uint32_t Next : G.Kernels[I].Behind) {
      const std::vector<uint32_t> &After = G.Kernels[Next].After;
      const bool Plain = std::find(After.begin(), After.end(), I) != After.end();
      Out += "  k" + std::to_string(I) + " -> k" + std::to_string(Next) + (Plain ? " [style=dashed]" : "") + ";\n";
    }
  return Out + "}\n";
}

} // namespace hsched::dag
