// Packs launches contiguously for the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/RunState.h"

#include <algorithm>

namespace hsched::dag {

void RunState::packLaunches() {
  size_t NumLaunches = 0, NumArgs = 0, NumAccesses = 0, NumValues = 0, NumLabels = 0;
  for (const Kernel &K : G.Kernels) {
    NumLaunches += K.Launches.size();
    NumLabels += K.Id.size() + 1;
    for (const Launch &L : K.Launches) {
      NumArgs += L.Args.size();
      NumAccesses += L.Touches.size();
      NumValues += (L.Values.size() + 15) / 16 * 16;
    }
  }
  // Packed elements point to each other: nothing may move.
  Packed.reserve(NumLaunches);
  PackedArgs.reserve(NumArgs);
  PackedAccesses.reserve(NumAccesses);
  PackedValues.reserve(NumValues);
  Labels.reserve(NumLabels);
  FirstPacked.resize(G.Kernels.size());
  for (uint32_t I : G.Order) {
    const Kernel &K = G.Kernels[I];
    const char *Label = Labels.data() + Labels.size();
    Labels.append(K.Id.c_str(), K.Id.size() + 1);
    FirstPacked[I] = Packed.size();
    for (unsigned Part = 0; Part < K.Launches.size(); ++Part) {
      const Launch &L = K.Launches[Part];
      PackedLaunch &To = Packed.emplace_back();
      To.Kernel = I;
      To.Part = Part;
      To.Type = typeOf(K);
      To.Range.dims = L.Dims;
      std::copy(L.Global.begin(), L.Global.end(), To.Range.global);
      std::copy(L.Local.begin(), L.Local.end(), To.Range.local);
      std::copy(L.Offset.begin(), L.Offset.end(), To.Range.offset);
      To.Hints.struct_bytes = sizeof(To.Hints);
      To.Hints.priority = K.Priority;
      To.Hints.label = Label;
      if (K.Doc && !K.Doc->Cost.empty()) {
        To.Hints.flags = HSCHED_SUBMIT_COST;
        To.Hints.cost = K.Cost;
      }
      const bool Alone = !G.HasComponents || G.Components[K.Component].Kernels.size() == 1;
      To.Plain = Alone && K.After.empty() && !Options.Progress && allowed(I, Part).size() == Devices.size();
      const unsigned char *Values = PackedValues.data() + PackedValues.size();
      PackedValues.insert(PackedValues.end(), L.Values.begin(), L.Values.end());
      PackedValues.resize((PackedValues.size() + 15) / 16 * 16);
      To.Args = PackedArgs.data() + PackedArgs.size();
      To.NumArgs = static_cast<unsigned>(L.Args.size());
      for (const LaunchArg &A : L.Args)
        PackedArgs.push_back(A.K == LaunchArg::Buffer
                                 ? PackedLaunch::Arg{HSCHED_ARG_BUFFER, A.Bytes, Memory[A.Datum] + A.Offset}
                             : A.K == LaunchArg::Value ? PackedLaunch::Arg{HSCHED_ARG_VALUE, A.Bytes, Values + A.Offset}
                                                       : PackedLaunch::Arg{HSCHED_ARG_LOCAL, A.Bytes, nullptr});
      To.Accesses = PackedAccesses.data() + PackedAccesses.size();
      To.NumAccesses = static_cast<unsigned>(L.Touches.size());
      for (const Touch &T : L.Touches)
        PackedAccesses.push_back({Memory[T.Datum] + T.Offset, T.Bytes, 1, 0, T.Mode, HSCHED_NO_PARAM});
    }
  }
  for (uint32_t I = 0; I < G.Data.size(); ++I)
    if (G.Data[I].Result)
      Home.push_back({Memory[I], G.Data[I].Bytes, 1, 0, HSCHED_IN, HSCHED_NO_PARAM});
}

} // namespace hsched::dag
