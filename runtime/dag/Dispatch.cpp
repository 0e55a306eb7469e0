// PySchedCL's scheduling loop over ready components and free devices.
//
// A component's kernels begin after the last kernel of the previous component on the device. If the next component is
// certain (Ahead), it is submitted early with that order. That saves a round trip to the host and overlaps transfers.
// docs/decisions/0038-the-next-component.md.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"
#include "dag/RunState.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <set>
#include <tuple>
#include <utility>

namespace hsched::dag {
namespace {

// The unit of dispatch: a component; one part of a split kernel; with Eager and Heft, a kernel.
struct Unit {
  std::vector<uint32_t> Kernels; // In a topological order.
  size_t Part = 0;
  double Rank = 0;
  uint32_t First = None; // The first of its kernels in the file, to order units of equal rank.
  size_t Waits = 0;      // Number of unfinished predecessors outside of it.
  size_t Left = 0;       // Number of its unfinished kernels.
  unsigned Slot = 0;
  bool Submitted = false;         // All of its kernels are submitted.
  std::vector<hsched::task> Ends; // Tasks of its last kernels, those without successors in it.
};

using Clock = std::chrono::steady_clock;

// A device, or one of the queues on which it runs components side by side. The first slot of a device has its number.
constexpr unsigned SlotStep = 1 << 16;
unsigned deviceOf(unsigned Slot) { return Slot % SlotStep; }

// Limit of components submitted behind the running one: small ones end faster than the host
// notices.
constexpr size_t MostAhead = 8;

class Dispatcher {
public:
  explicit Dispatcher(RunState &S) : S(S), G(S.G), Coarse(S.Options.How != Dispatch::Clustering) { makeUnits(); }

  void run() {
    try {
      loop();
    } catch (...) {
      S.wait();
      throw;
    }
    S.wait(); // The last callbacks have then returned.
    if (!SelectError.empty())
      throw Error(SelectError);
    if (!Failed && Sent < Units.size())
      reportWaiting();
  }

private:
  void loop() {
    for (unsigned D : S.devices())
      for (unsigned I = 0; I < slotsOf(D); ++I)
        Free.insert(D + I * SlotStep);
    for (uint32_t U = 0; U < Units.size(); ++U)
      if (!Units[U].Waits)
        Frontier.push_back(U);
      else if (!Coarse)
        for (unsigned D : S.allowed(Units[U].Kernels[0], Units[U].Part))
          Unready[D].insert(Units[U].Rank);
    send();
    std::unique_lock Guard(Lock);
    while (Running || (!Failed && !Frontier.empty())) {
      const size_t Seen = Events;
      Guard.unlock();
      // The calling thread runs tasks meanwhile. finish() throws failures.
      S.wait();
      send();
      Guard.lock();
      if (Events == Seen && Running)
        Changed.wait(Guard, [&] { return Events != Seen; });
    }
  }

  // True if a component has one queue, for its inputs too.
  bool isBeside(unsigned Device) const { return !Coarse && !S.Options.Select && S.besideOn(Device); }
  unsigned slotsOf(unsigned Device) const { return isBeside(Device) ? S.besideOn(Device) : 1; }

  // A free slot of the device; null: none.
  const unsigned *freeSlot(unsigned Device) const {
    auto At = std::find_if(Free.begin(), Free.end(), [&](unsigned Slot) { return deviceOf(Slot) == Device; });
    return At == Free.end() ? nullptr : &*At;
  }

  void makeUnits() {
    std::vector<std::vector<uint32_t>> UnitsOf(G.Kernels.size());
    auto Add = [&](std::vector<uint32_t> Kernels) {
      for (size_t Part = 0; Part < G.Kernels[Kernels[0]].Launches.size(); ++Part) {
        for (uint32_t K : Kernels)
          UnitsOf[K].push_back(static_cast<uint32_t>(Units.size()));
        Unit &U = Units.emplace_back();
        U.Kernels = Kernels;
        U.Part = Part;
        U.Left = Kernels.size();
        for (uint32_t K : Kernels) {
          U.Rank = std::max(U.Rank, G.Kernels[K].Rank);
          U.First = std::min(U.First, K);
        }
      }
    };
    if (Coarse)
      for (uint32_t K : G.Order)
        Add({K});
    else
      for (const Component &C : G.Components)
        Add(C.Kernels);
    std::map<std::pair<uint32_t, std::array<size_t, 3>>, uint32_t> Kinds;
    for (const Kernel &K : G.Kernels)
      KindOf.push_back(
          Kinds.emplace(std::pair(K.Program, K.Launches[0].Global), static_cast<uint32_t>(Kinds.size())).first->second);
    PartsLeft.resize(G.Kernels.size());
    NeedsReference.resize(G.Kernels.size());
    for (const Kernel &K : G.Kernels)
      for (uint32_t First : K.After)
        NeedsReference[First] = true;
    WaitingFor.resize(G.Kernels.size());
    for (uint32_t U = 0; U < Units.size(); ++U) {
      std::set<uint32_t> Before;
      for (uint32_t K : Units[U].Kernels)
        for (uint32_t B : G.Kernels[K].Before)
          if (std::find(UnitsOf[B].begin(), UnitsOf[B].end(), U) == UnitsOf[B].end())
            Before.insert(B);
      Units[U].Waits = Before.size();
      for (uint32_t B : Before)
        WaitingFor[B].push_back(U);
    }
    for (uint32_t K = 0; K < G.Kernels.size(); ++K)
      PartsLeft[K] = G.Kernels[K].Launches.size();
  }

  // Components can have a cycle although their kernels have none.
  [[noreturn]] void reportWaiting() const {
    for (const Unit &U : Units)
      if (U.Waits)
        G.Components[G.Kernels[U.Kernels[0]].Component].At.fail(
            "components wait for each other in a circle, that of kernel " + quote(G.Kernels[U.Kernels[0]].Id) +
            " among them: a component begins when all kernels outside of it that precede it have ended");
    throw Error(G.Path + ": components wait for each other in a circle");
  }

  void sortFrontier() {
    if (std::exchange(Sorted, true))
      return;
    auto Comes = [&](uint32_t U) { return std::tuple(-Units[U].Rank, Units[U].First, Units[U].Part); };
    std::sort(Frontier.begin(), Frontier.end(), [&](uint32_t A, uint32_t B) { return Comes(A) < Comes(B); });
  }

  // Chooses a unit and a free device for it. False: nothing can begin now. With Lock held.
  bool select(uint32_t &Chosen, unsigned &Slot) {
    if (Free.empty() || Failed)
      return false;
    sortFrontier();
    if (S.Options.Select)
      return !Frontier.empty() && ask(Chosen, Slot);
    for (size_t I = 0; I < Frontier.size(); ++I) {
      const Unit &U = Units[Frontier[I]];
      const std::vector<unsigned> &Allowed = Coarse ? S.devices() : S.allowed(U.Kernels[0], U.Part);
      const unsigned *Best = nullptr;
      if (S.Options.How == Dispatch::Heft) {
        Best = earliest(U, Allowed);
        if (Best && !Free.count(*Best))
          return false; // Waiting for its device is faster.
      } else {
        for (unsigned D : Allowed)
          if (!Best)
            Best = freeSlot(D);
      }
      if (!Best)
        continue;
      Chosen = Frontier[I];
      Slot = *Best;
      Frontier.erase(Frontier.begin() + static_cast<long>(I));
      return true;
    }
    return false;
  }

  // Calls the user's select. An invalid result ends the run.
  bool ask(uint32_t &Chosen, unsigned &Device) {
    const std::vector<unsigned> &All = S.devices();
    auto NumberOf = [&](unsigned Worker) {
      return static_cast<uint32_t>(std::find(All.begin(), All.end(), Worker) - All.begin());
    };
    auto Seconds = [](Clock::time_point T) { return std::chrono::duration<double>(T.time_since_epoch()).count(); };
    std::vector<hsched_select_component> Ready;
    std::vector<std::vector<const char *>> Ids;
    std::vector<std::vector<uint32_t>> Allowed;
    for (uint32_t F : Frontier) {
      const Unit &U = Units[F];
      std::vector<const char *> &Names = Ids.emplace_back();
      for (uint32_t K : U.Kernels)
        Names.push_back(G.Kernels[K].Id.c_str());
      std::vector<uint32_t> &On = Allowed.emplace_back();
      for (unsigned D : S.allowed(U.Kernels[0], U.Part))
        On.push_back(NumberOf(D));
      Ready.push_back(
          {F, static_cast<uint32_t>(Names.size()), Names.data(), U.Rank, static_cast<uint32_t>(On.size()), On.data()});
    }
    std::vector<hsched_select_device> Devices;
    for (size_t N = 0; N < All.size(); ++N)
      Devices.push_back({S.Report.Devices[N].c_str(), S.Report.DeviceTypes[N], Free.count(All[N]) != 0,
                         Free.count(All[N]) ? 0 : Seconds(Began[All[N]])});
    const hsched_select_state State{sizeof(State),
                                    Seconds(Clock::now()),
                                    static_cast<uint32_t>(Ready.size()),
                                    static_cast<uint32_t>(Devices.size()),
                                    Ready.data(),
                                    Devices.data()};
    uint32_t At = UINT32_MAX, On = UINT32_MAX;
    auto Wrong = [&](const std::string &What) {
      Failed = true;
      SelectError = S.Options.SelectFile + ": hsched_select_1 " + What;
      return false;
    };
    if (!S.Options.Select(&State, &At, &On))
      return Running ? false : Wrong("chooses nothing, though nothing runs and a component is ready");
    if (At >= Ready.size())
      return Wrong("chooses component " + std::to_string(At) + " of " + std::to_string(Ready.size()));
    if (On >= All.size() || !Devices[On].available)
      return Wrong("chooses device " + std::to_string(On) + ", which is not available");
    if (std::find(Allowed[At].begin(), Allowed[At].end(), On) == Allowed[At].end())
      return Wrong("chooses device " + std::to_string(On) + " for the component of kernel " + quote(Ids[At][0]) +
                   ", which may not go there");
    Chosen = Frontier[At];
    Device = All[On];
    Began[Device] = Clock::now();
    Frontier.erase(Frontier.begin() + static_cast<long>(At));
    return true;
  }

  // The device with the earliest finish; running units count with their mean time. A device without measurements comes
  // first, so that its time becomes known.
  const unsigned *earliest(const Unit &U, const std::vector<unsigned> &Allowed) {
    const unsigned *Best = nullptr;
    double BestEnd = 0;
    const auto Now = Clock::now();
    for (const unsigned &D : Allowed) {
      const KernelTimes::Mean *M = S.Times.find(KindOf[U.Kernels[0]], D);
      double End = M ? M->Seconds : 0;
      if (auto At = BusyUntil.find(D); !Free.count(D) && At != BusyUntil.end())
        End += std::max(0.0, std::chrono::duration<double>(At->second - Now).count());
      if (!M && !Free.count(D))
        continue; // Without measurements, waiting is not worthwhile.
      if (!Best || End < BestEnd) {
        Best = &D;
        BestEnd = End;
      }
    }
    return Best;
  }

  // A component that select() will certainly choose for a device when its present ones have ended. It has no other
  // device, and no other component for that device, ready or not, comes before it. With Lock held.
  bool selectAhead(uint32_t &Chosen, unsigned &Slot) {
    if (Coarse || S.Options.Select || Failed || Frontier.empty())
      return false;
    sortFrontier();
    std::vector<std::pair<size_t, unsigned>> Shortest; // First the slots with the fewest components.
    for (const auto &[At, There] : Line)
      if (!There.empty() && There.size() <= MostAhead && Units[There.back()].Submitted)
        Shortest.push_back({There.size(), At});
    std::sort(Shortest.begin(), Shortest.end());
    for (const auto &[Size, At] : Shortest) {
      const unsigned D = deviceOf(At);
      auto First = std::find_if(Frontier.begin(), Frontier.end(), [&](uint32_t U) {
        const std::vector<unsigned> &Allowed = S.allowed(Units[U].Kernels[0], Units[U].Part);
        return std::find(Allowed.begin(), Allowed.end(), D) != Allowed.end();
      });
      if (First == Frontier.end() || S.allowed(Units[*First].Kernels[0], Units[*First].Part).size() > 1)
        continue;
      if (auto Later = Unready.find(D);
          Later != Unready.end() && !Later->second.empty() && *Later->second.rbegin() > Units[*First].Rank)
        continue;
      Chosen = *First;
      Slot = At;
      Frontier.erase(First);
      return true;
    }
    return false;
  }

  // Dispatches units while there are free devices. Any thread, without Lock, because a submission may run other tasks.
  void send() {
    for (;;) {
      uint32_t Chosen;
      unsigned Slot;
      std::vector<hsched::task> Before; // The last tasks of the unit that has the device.
      {
        std::lock_guard Guard(Lock);
        if (select(Chosen, Slot)) {
          Free.erase(Slot);
        } else if (selectAhead(Chosen, Slot)) {
          Before = Units[Line[Slot].back()].Ends;
          ++S.Report.Ahead;
        } else {
          return;
        }
        Line[Slot].push_back(Chosen);
        Units[Chosen].Slot = Slot;
        ++Running;
        ++Sent;
        if (S.Options.How == Dispatch::Heft) {
          Began[Slot] = Clock::now();
          const KernelTimes::Mean *M = S.Times.find(KindOf[Units[Chosen].Kernels[0]], Slot);
          BusyUntil[Slot] = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                               std::chrono::duration<double>(M ? M->Seconds : 0));
        }
      }
      const Unit &U = Units[Chosen];
      const unsigned Device = deviceOf(Slot);
      const bool Beside = isBeside(Device); // The slot's queue then orders components.
      auto Outside = [&](uint32_t Other) {
        return Coarse || G.Kernels[Other].Component != G.Kernels[U.Kernels[0]].Component;
      };
      // Kernels without common data are also ordered.
      std::map<uint32_t, hsched::task> Tasks;
      std::vector<hsched::task> Ends;
      for (uint32_t K : U.Kernels) {
        RunState::TaskOptions How;
        How.Workers = {Device};
        if (Beside)
          How.Queue = Slot / SlotStep;
        for (uint32_t First : G.Kernels[K].After)
          if (auto At = Tasks.find(First); At != Tasks.end())
            How.After.push_back(At->second);
        if (std::all_of(G.Kernels[K].Before.begin(), G.Kernels[K].Before.end(), Outside))
          How.After.insert(How.After.end(), Before.begin(), Before.end());
        const bool End =
            !Coarse && !Beside && std::all_of(G.Kernels[K].Behind.begin(), G.Kernels[K].Behind.end(), Outside);
        How.NeedsReference = NeedsReference[K] || End;
        How.OnEnd = [this, Chosen, K](hsched::outcome Outcome) { ended(Chosen, K, Outcome); };
        S.placed(K, Device);
        try {
          hsched::task T = S.submit(K, U.Part, How);
          if (End)
            Ends.push_back(T);
          if (NeedsReference[K])
            Tasks[K] = std::move(T);
        } catch (...) {
          std::lock_guard Guard(Lock);
          Failed = true;
          --Running;
          throw;
        }
      }
      std::lock_guard Guard(Lock);
      if (Units[Chosen].Left) // Otherwise no unit comes behind it.
        Units[Chosen].Ends = std::move(Ends);
      Units[Chosen].Submitted = true;
    }
  }

  // Called when a kernel of a unit has ended, on any thread.
  void ended(uint32_t Index, uint32_t K, hsched::outcome How) {
    {
      std::lock_guard Guard(Lock);
      Unit &U = Units[Index];
      if (How != hsched::outcome::done)
        Failed = true;
      if (--PartsLeft[K] == 0)
        for (uint32_t W : WaitingFor[K])
          if (--Units[W].Waits == 0) {
            Frontier.push_back(W);
            Sorted = false;
            noLongerUnready(Units[W]);
          }
      if (--U.Left == 0) {
        if (S.Options.How == Dispatch::Heft)
          S.Times.note(KindOf[K], U.Slot, std::chrono::duration<double>(Clock::now() - Began[U.Slot]).count());
        U.Ends.clear();
        std::deque<uint32_t> &There = Line[U.Slot];
        There.erase(std::find(There.begin(), There.end(), Index)); // The first one, unless an earlier one failed.
        if (There.empty())
          Free.insert(U.Slot);
        --Running;
      }
    }
    send();
    std::lock_guard Guard(Lock);
    // The thread that waits has nothing to do before the end, and waking it costs more than a short kernel. The paper's
    // eager and heft tell the host of each kernel.
    if (!Coarse && Running && !Failed)
      return;
    ++Events;
    Changed.notify_all();
  }

  void noLongerUnready(const Unit &U) {
    if (Coarse)
      return;
    for (unsigned D : S.allowed(U.Kernels[0], U.Part))
      Unready[D].erase(Unready[D].find(U.Rank));
  }

  RunState &S;
  const Graph &G;
  const bool Coarse;
  std::vector<Unit> Units;
  std::vector<std::vector<uint32_t>> WaitingFor; // By kernel: units.
  std::vector<uint32_t> KindOf;     // By kernel: an index shared by kernels with the same function and range, for Heft.
  std::vector<bool> NeedsReference; // By kernel: it has successors that the data do not imply.
  std::mutex Lock;                  // Guards the fields below, and Units' Waits and Left.
  std::condition_variable Changed;
  std::vector<size_t> PartsLeft; // By kernel.
  std::vector<uint32_t> Frontier;
  std::set<unsigned> Free;                           // Slots.
  std::map<unsigned, std::deque<uint32_t>> Line;     // By slot: the running unit, and those submitted behind it.
  std::map<unsigned, std::multiset<double>> Unready; // By device: ranks of units for it that are not ready.
  std::map<unsigned, Clock::time_point> BusyUntil, Began;
  size_t Running = 0, Sent = 0, Events = 0;
  bool Failed = false, Sorted = false; // Sorted: Frontier is sorted.
  std::string SelectError;
};

} // namespace

void dispatch(RunState &S) { Dispatcher(S).run(); }

} // namespace hsched::dag
