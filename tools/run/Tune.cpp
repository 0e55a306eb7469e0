// --tune: configurations of a graph, measured on this machine or simulated.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Measure.h"
#include "run/Picture.h"
#include "run/Profile.h"
#include "run/Run.h"
#include "run/TuneSearch.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hsched::run {
namespace {

constexpr unsigned RunsThatCount = 5; // Unless --repeat gives more.

class Tuner {
public:
  Tuner(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O)
      : D(D), G(G), Resolving(Resolving), O(quiet(O)), Repeat(O.Repeat > 1 ? O.Repeat : RunsThatCount) {}

  void run() {
    const Measured Probe = measure(D, Resolving, O, 1);
    if (!Probe.Error.empty())
      throw dag::Error(Probe.Error);
    nameDevices(Probe);
    makeSpace();
    if (O.Simulate)
      profile(Probe);
    say("| | queues | components | partitions | least | median | |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    const Setting Best = search(Space, [&](const Setting &S) -> std::optional<double> { return time(S); });
    conclude(Best);
  }

private:
  // Trials write none of the files that a run writes.
  static Options quiet(Options O) {
    O.Trace = O.Gantt = O.Graph = O.Explain = "";
    O.Stats = false;
    return O;
  }

  void say(const std::string &Text) const {
    if (!O.Quiet && (std::fputs(Text.c_str(), stdout) < 0 || std::fflush(stdout) != 0))
      throw dag::Error("the output cannot be written");
  }

  // A word for each device; one of the file's own words if it matches only that device.
  void nameDevices(const Measured &Probe) {
    std::vector<std::string> Words;
    for (const dag::KernelDoc &K : D.Kernels)
      if (!K.Device.empty() && std::find(Words.begin(), Words.end(), K.Device.S) == Words.end())
        Words.push_back(K.Device.S);
    for (const char *Type : {"gpu", "cpu", "accelerator"})
      Words.push_back(Type);
    for (unsigned N = 0; N < Probe.Devices.size(); ++N) {
      const std::string Number = std::to_string(N);
      std::string Word = Number, Key = Number;
      for (auto At = Words.rbegin(); At != Words.rend(); ++At) // The file's words come last.
        if (dag::devicesMeant(*At, O.Map, Probe.Devices, Probe.Types) == std::vector<unsigned>{N})
          Word = *At;
      // Queues are counted by types and numbers; keys of maps are not.
      for (const char *Type : {"gpu", "cpu", "accelerator"})
        if (dag::devicesMeant(Type, {}, Probe.Devices, Probe.Types) == std::vector<unsigned>{N})
          Key = Type;
      Space.Devices.push_back(Word);
      QueueKeys.push_back(Key);
    }
  }

  // Measures each kernel on each device, for simulation.
  void profile(const Measured &Probe) {
    if (O.Sched == "eager" || O.Sched == "heft" || !O.Select.empty())
      throw dag::Error("--simulate knows clustering and the engine's policies, which --sched=" +
                       (O.Select.empty() ? O.Sched : O.Select) + " is not");
    Known = makeProfile(D, G, Resolving, O, Repeat, Space.Devices, QueueKeys, Probe);
    for (size_t N = 0; N < Space.Devices.size(); ++N)
      say("Measured alone on " + Space.Devices[N] + ": " + Known->Notes[N] + "\n");
    say("\n");
  }

  // A simulated time; the other values are of a measured one.
  Measured predicted(const Setting &S) const {
    Measured Out;
    try {
      const dag::Document Changed = apply(S); // The graph points to it.
      const dag::Graph Now = dag::resolve(Changed, Resolving);
      Out.Least = Out.Median = simulate(modelOf(Now, *Known, O));
      if (Out.Least < 0)
        Out.Error = "a kernel has no device that runs it";
    } catch (const dag::Error &E) {
      Out.Error = E.what();
    }
    return Out;
  }

  // Whether a kernel's component has other kernels of the file: then its partition only says where the component goes.
  bool hasCompanions(uint32_t I) const {
    const std::vector<uint32_t> &All = G.Components[G.Kernels[I].Component].Kernels;
    return std::count_if(All.begin(), All.end(), [&](uint32_t K) { return K < D.Kernels.size(); }) > 1;
  }

  bool mayBeSplit(uint32_t I) const {
    const dag::KernelDoc &K = D.Kernels[I];
    if (hasCompanions(I))
      return false;
    if (!K.Partition.empty())
      return true;
    auto Has = [&](const char *Word) {
      return std::find(Space.Devices.begin(), Space.Devices.end(), Word) != Space.Devices.end();
    };
    bool Any = false;
    for (const dag::ArgDoc &A : K.Args)
      if (A.R == dag::ArgDoc::Out || A.R == dag::ArgDoc::Io) {
        if (!A.Break)
          return false;
        Any = true;
      }
    return Any && K.Device.empty() && Has("gpu") && Has("cpu") &&
           G.Components[G.Kernels[I].Component].Kernels.size() == 1;
  }

  void makeSpace() {
    Space.Most = O.Tries;
    Space.Kernels = G.Kernels.size();
    for (const std::string &Key : QueueKeys) {
      const auto At = G.Queues.find(Key);
      Space.Begin.Queues.push_back(At == G.Queues.end() ? 0 : At->second);
    }
    Space.Begin.Component.resize(G.Components.size());
    std::map<std::string, size_t> ClassOf;
    for (uint32_t I = 0; I < D.Kernels.size(); ++I)
      if (mayBeSplit(I)) {
        const std::string Function = D.Kernels[I].Name.S + " of " + D.Kernels[I].Src.S;
        const unsigned Now = D.Kernels[I].Partition.empty() ? Setting::Unsplit : G.Kernels[I].Partition;
        auto At = std::find(Functions.begin(), Functions.end(), Function);
        if (At == Functions.end()) {
          Functions.push_back(Function);
          Split.emplace_back();
          Space.Begin.Split.push_back(Now);
          At = Functions.end() - 1;
        }
        Split[static_cast<size_t>(At - Functions.begin())].push_back(I);
      }
    for (uint32_t C = 0; C < G.Components.size(); ++C) {
      std::string Signature;
      bool Fixed = true;
      for (uint32_t I : G.Components[C].Kernels)
        if (I < D.Kernels.size()) {
          const dag::Launch &L = G.Kernels[I].Launches[0];
          Signature += G.Programs[G.Kernels[I].Program].Kernel + "\n" + std::to_string(L.Global[0]) + "," +
                       std::to_string(L.Global[1]) + "," + std::to_string(L.Global[2]) + "," +
                       std::to_string(G.Kernels[I].Before.size()) + "\n";
          Space.Begin.Component[C] = L.Device;
          Fixed = !D.Kernels[I].Partition.empty() && !hasCompanions(I);
        }
      if (Fixed)
        continue;
      auto [At, New] = ClassOf.emplace(Signature, Space.Classes.size());
      if (New)
        Space.Classes.emplace_back();
      Space.Classes[At->second].push_back(C);
    }
  }

  dag::Document apply(const Setting &S) const {
    dag::Document Out = D;
    for (size_t N = 0; N < S.Queues.size(); ++N) {
      if (S.Queues[N] == Space.Begin.Queues[N])
        continue;
      auto At =
          std::find_if(Out.Queues.begin(), Out.Queues.end(), [&](const auto &Q) { return Q.first == QueueKeys[N]; });
      if (At == Out.Queues.end())
        At = Out.Queues.insert(At, {QueueKeys[N], {"", D.Kernels[0].Id.At}});
      At->second.S = std::to_string(S.Queues[N]);
    }
    for (uint32_t C = 0; C < S.Component.size(); ++C)
      if (S.Component[C] != Space.Begin.Component[C])
        for (uint32_t I : G.Components[C].Kernels)
          if (I < Out.Kernels.size()) {
            Out.Kernels[I].Device = {S.Component[C], Out.Kernels[I].Id.At};
            Out.Kernels[I].Partition = {};
          }
    for (size_t F = 0; F < S.Split.size(); ++F)
      if (S.Split[F] != Space.Begin.Split[F])
        for (uint32_t I : Split[F])
          Out.Kernels[I].Partition = {std::to_string(S.Split[F]), Out.Kernels[I].Id.At};
    return Out;
  }

  static std::string milliseconds(double Seconds) {
    char Text[40];
    std::snprintf(Text, sizeof(Text), Seconds < 1e-2 ? "%.3f ms" : "%.1f ms", Seconds * 1e3);
    return Text;
  }

  std::string describe(const Setting &S) const {
    std::string Queues, Places, Splits;
    auto Add = [](std::string &To, const std::string &What) { To += (To.empty() ? "" : ", ") + What; };
    for (size_t N = 0; N < S.Queues.size(); ++N)
      if (S.Queues[N])
        Add(Queues, Space.Devices[N] + " " + std::to_string(S.Queues[N]));
    for (size_t K = 0; K < Space.Classes.size(); ++K) {
      std::map<std::string, unsigned> Count;
      for (uint32_t C : Space.Classes[K])
        ++Count[S.Component[C]];
      std::string Text;
      for (const auto &[Word, N] : Count)
        Add(Text, (Word.empty() ? "any" : Word) + " " + std::to_string(N));
      if (K == 4) { // A table instead of a list of all.
        Places += "; ...";
        break;
      }
      Places += (K ? "; " : "") + Text;
    }
    for (size_t F = 0; F < S.Split.size(); ++F)
      if (S.Split[F] != Setting::Unsplit)
        Add(Splits, Functions[F].substr(0, Functions[F].find(' ')) + " " + std::to_string(S.Split[F]));
    return (Queues.empty() ? "default" : Queues) + " | " + Places + " | " + Splits;
  }

  std::optional<double> time(const Setting &S) {
    const Measured M = Known ? predicted(S) : measure(apply(S), Resolving, O, Repeat);
    std::string Row = "| " + std::to_string(++Number) + " | " + describe(S) + " | ";
    if (!M.Error.empty()) {
      std::string Why = M.Error;
      std::replace_if(Why.begin(), Why.end(), [](char C) { return C == '\n' || C == '|'; }, ' ');
      say(Row + "| | not possible: " + Why + " |\n");
      if (S == Space.Begin)
        throw dag::Error(M.Error);
      return std::nullopt;
    }
    const bool First = S == Space.Begin, Better = !First && M.Least < Least;
    if (First || Better)
      Least = M.Least;
    say(Row + milliseconds(M.Least) + " | " + (Known ? "" : milliseconds(M.Median)) + " | " +
        (First    ? "as the file has it"
         : Better ? "the best so far"
                  : "") +
        " |\n");
    return M.Least;
  }

  // Alternates runs of both, so that other load on the machine does not decide.
  void conclude(const Setting &Best) {
    double Before = 0, After = 0;
    for (unsigned Round = 0; Round < 3 && !(Best == Space.Begin); ++Round) {
      const Measured A = measure(D, Resolving, O, Repeat), B = measure(apply(Best), Resolving, O, Repeat);
      if (!A.Error.empty() || !B.Error.empty())
        throw dag::Error(A.Error.empty() ? B.Error : A.Error);
      Before = Round ? std::min(Before, A.Least) : A.Least;
      After = Round ? std::min(After, B.Least) : B.Least;
    }
    const bool Gained = After < Before;
    if (Gained) {
      char Times[40];
      std::snprintf(Times, sizeof(Times), "%.2f", Before / After);
      say("\nBest: queues, components and partitions | " + describe(Best) + " |\n" +
          (Known ? "Simulated: " + milliseconds(Least) + ". Measured" : "Measured again") +
          ", three times in turn: " + milliseconds(Before) + " as the file has it, " + milliseconds(After) +
          " with the best, " + Times + " times as fast.\n");
    } else {
      say(Best == Space.Begin ? "\nNothing is at least 2 % faster than the file as it is.\n"
                              : "\nMeasured again, three times in turn, the file as it is was as fast: it stays so.\n");
    }
    if (O.Tuned.empty() && !O.InPlace)
      return;
    const std::string Path = O.InPlace ? O.Files[0] : O.Tuned;
    if (O.InPlace && !Gained)
      return;
    writeFile(Path + ".part", dag::writeHsched(Gained ? apply(Best) : D));
    if (std::rename((Path + ".part").c_str(), Path.c_str()) != 0)
      throw dag::Error("file '" + Path + "' cannot be written: " + std::strerror(errno));
    say("Written to " + Path + ".\n");
  }

  const dag::Document &D;
  const dag::Graph &G;
  const dag::ResolveOptions &Resolving;
  const Options O;
  const unsigned Repeat;
  SearchSpace Space;
  std::vector<std::string> QueueKeys;       // By device.
  std::vector<std::string> Functions;       // Functions that may be split.
  std::vector<std::vector<uint32_t>> Split; // By function: kernels.
  std::optional<Profile> Known;             // --simulate
  unsigned Number = 0;
  double Least = 0;
};

} // namespace

void tune(const dag::Document &D, const dag::Graph &G, const dag::ResolveOptions &Resolving, const Options &O) {
  if (O.InPlace) {
    std::ifstream In(O.Files[0]);
    const std::string Text((std::istreambuf_iterator<char>(In)), std::istreambuf_iterator<char>());
    if (Text.find("\"hsched-dag\"") == std::string::npos)
      throw dag::Error(O.Files[0] +
                       ": --in-place writes hsched's own format, which this file does not have; -o names another one");
  }
  Tuner(D, G, Resolving, O).run();
}

} // namespace hsched::run
