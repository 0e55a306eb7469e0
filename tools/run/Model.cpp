// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Model.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace hsched::run {
namespace {

constexpr size_t MostAhead = 8; // The same constant as in dag/Dispatch.cpp.
constexpr double Never = std::numeric_limits<double>::infinity();

class Run {
public:
  explicit Run(const Model &M)
      : M(M), Launches(M.Launches.size()), Units(M.Units.size()), Devices(M.Devices.size()),
        ValidAt(M.Fragments.size(), std::vector<double>(M.Devices.size() + 1, Never)) {
    for (std::vector<double> &V : ValidAt)
      V[0] = 0; // Entry 0 is host memory.
    for (size_t D = 0; D < Devices.size(); ++D)
      Devices[D].Queues.resize(M.Devices[D].Queues);
    for (uint32_t U = 0; U < M.Units.size(); ++U) {
      for (uint32_t L : M.Units[U].Launches)
        Launches[L].Unit = U;
      Order.push_back(U);
      Units[U].Left = M.Units[U].Launches.size();
    }
    std::stable_sort(Order.begin(), Order.end(),
                     [&](uint32_t A, uint32_t B) { return M.Units[A].Rank > M.Units[B].Rank; });
    for (uint32_t L = 0; L < M.Launches.size(); ++L) {
      Launches[L].Waits = M.Launches[L].Before.size();
      for (uint32_t B : M.Launches[L].Before) {
        Launches[B].Behind.push_back(L);
        Units[Launches[L].Unit].Waits += Launches[B].Unit != Launches[L].Unit;
      }
    }
  }

  double run() {
    size_t Left = M.Launches.size();
    while (Left) {
      while (send())
        ;
      begin();
      double Next = Never;
      for (Device &D : Devices) {
        for (uint32_t L : D.Running)
          Next = std::min(Next, Now + Launches[L].Left / rate(D));
        for (const std::deque<uint32_t> &Q : D.Queues)
          if (!Q.empty() && !Launches[Q.front()].Begun && mayBegin(Q.front()))
            Next = std::min(Next, Launches[Q.front()].DataAt);
      }
      if (Next == Never)
        return -1; // Units wait for each other, or no device can run them.
      Left -= advance(std::max(Next, Now));
    }
    return bringHome();
  }

private:
  struct Launch {
    uint32_t Unit = 0;
    size_t Waits = 0;
    std::vector<uint32_t> Behind;
    bool Begun = false;
    double Left = 0;       // Remaining seconds if it runs alone.
    double DataAt = Never; // Time at which its inputs are available.
  };
  struct Unit {
    size_t Waits = 0, Left = 0;
    unsigned Device = 0;
  };
  struct Device {
    std::deque<uint32_t> Line;                // Units; the first one occupies the device.
    std::vector<std::deque<uint32_t>> Queues; // Launches.
    std::vector<uint32_t> Running;
    size_t Turn = 0; // The queue of the next launch.
    double UpFree = 0, DownFree = 0, Busy = 0;
  };

  // Progress of each kernel that runs there, relative to running alone.
  double rate(const Device &D) const {
    const auto N = static_cast<double>(D.Running.size());
    return std::min(N, M.Devices[static_cast<size_t>(&D - Devices.data())].Overlap) / N;
  }

  bool runsOn(const ModelUnit &U, unsigned D) const {
    return std::all_of(U.Launches.begin(), U.Launches.end(), [&](uint32_t L) { return M.Launches[L].Seconds[D] >= 0; });
  }

  // Sends one unit to a device. False: no unit can be sent now.
  bool send() {
    for (size_t I = 0; I < Order.size(); ++I) {
      const uint32_t U = Order[I];
      const ModelUnit &Of = M.Units[U];
      if (Units[U].Waits)
        continue;
      const int To = M.Exclusive ? freeDevice(U) : soonest(Of);
      if (To < 0)
        continue;
      Order.erase(Order.begin() + static_cast<long>(I));
      Units[U].Device = static_cast<unsigned>(To);
      Device &D = Devices[static_cast<size_t>(To)];
      D.Line.push_back(U);
      for (uint32_t L : Of.Launches) {
        D.Queues[D.Turn++ % D.Queues.size()].push_back(L);
        Launches[L].Left = M.Launches[L].Seconds[static_cast<size_t>(To)] + M.Devices[static_cast<size_t>(To)].Overhead;
        D.Busy = std::max(D.Busy, Now) + Launches[L].Left;
      }
      return true;
    }
    return false;
  }

  // For clustering: a device without a unit; else the only one allowed for U, if no other unit precedes it there.
  int freeDevice(uint32_t U) const {
    const ModelUnit &Of = M.Units[U];
    for (unsigned D : Of.Devices)
      if (Devices[D].Line.empty() && runsOn(Of, D))
        return static_cast<int>(D);
    if (Of.Devices.size() > 1 || !runsOn(Of, Of.Devices[0]) || Devices[Of.Devices[0]].Line.size() > MostAhead)
      return -1;
    for (uint32_t Other : Order) {
      if (Other == U)
        return static_cast<int>(Of.Devices[0]);
      const std::vector<unsigned> &There = M.Units[Other].Devices;
      if (M.Units[Other].Rank > Of.Rank && std::find(There.begin(), There.end(), Of.Devices[0]) != There.end())
        return -1;
    }
    return -1;
  }

  int soonest(const ModelUnit &Of) const {
    int Best = -1;
    double BestEnd = Never;
    for (unsigned D : Of.Devices) {
      if (!runsOn(Of, D))
        continue;
      double End = std::max(Now, Devices[D].Busy);
      for (uint32_t L : Of.Launches) {
        End += M.Launches[L].Seconds[D] + M.Devices[D].Overhead;
        for (uint32_t F : M.Launches[L].Reads)
          if (ValidAt[F][D + 1] == Never)
            End += M.Devices[D].UpLatency + static_cast<double>(M.Fragments[F].Bytes) * M.Devices[D].UpSecondsPerByte;
      }
      if (End < BestEnd) {
        Best = static_cast<int>(D);
        BestEnd = End;
      }
    }
    return Best;
  }

  bool mayBegin(uint32_t L) const {
    return !Launches[L].Waits &&
           (!M.Exclusive || Devices[Units[Launches[L].Unit].Device].Line.front() == Launches[L].Unit);
  }

  // The earliest time at which a fragment is in host memory.
  double fetchHome(uint32_t F) {
    if (ValidAt[F][0] < Never)
      return ValidAt[F][0];
    for (size_t D = 0; D < Devices.size(); ++D)
      if (ValidAt[F][D + 1] < Never) {
        double &Free = Devices[D].DownFree;
        Free = std::max({Free, Now, ValidAt[F][D + 1]}) + M.Devices[D].DownLatency +
               static_cast<double>(M.Fragments[F].Bytes) * M.Devices[D].DownSecondsPerByte;
        return ValidAt[F][0] = Free;
      }
    return Now;
  }

  void fetch(uint32_t L, unsigned D) {
    Launches[L].DataAt = Now;
    for (uint32_t F : M.Launches[L].Reads) {
      double &There = ValidAt[F][D + 1];
      if (There == Never) {
        const double Home = fetchHome(F);
        const ModelDevice &To = M.Devices[D];
        There = Home;
        if (To.UpSecondsPerByte > 0 || To.UpLatency > 0)
          There = Devices[D].UpFree = std::max({Devices[D].UpFree, Now, Home}) + To.UpLatency +
                                      static_cast<double>(M.Fragments[F].Bytes) * To.UpSecondsPerByte;
      }
      Launches[L].DataAt = std::max(Launches[L].DataAt, There);
    }
  }

  void begin() {
    for (unsigned D = 0; D < Devices.size(); ++D) {
      for (uint32_t U : Devices[D].Line)
        for (uint32_t L : M.Units[U].Launches)
          if (!Launches[L].Waits && Launches[L].DataAt == Never)
            fetch(L, D);
      for (std::deque<uint32_t> &Q : Devices[D].Queues)
        if (!Q.empty() && !Launches[Q.front()].Begun && mayBegin(Q.front()) && Launches[Q.front()].DataAt <= Now) {
          Launches[Q.front()].Begun = true;
          Devices[D].Running.push_back(Q.front());
        }
    }
  }

  // Returns the number of finished launches.
  size_t advance(double To) {
    size_t Count = 0;
    std::vector<std::pair<unsigned, uint32_t>> Ended;
    for (unsigned D = 0; D < Devices.size(); ++D) {
      if (Devices[D].Running.empty())
        continue;
      const double Done = (To - Now) * rate(Devices[D]);
      for (uint32_t L : Devices[D].Running)
        if ((Launches[L].Left -= Done) < 1e-12)
          Ended.emplace_back(D, L);
    }
    Now = To;
    for (auto [D, L] : Ended) {
      std::erase(Devices[D].Running, L);
      for (std::deque<uint32_t> &Q : Devices[D].Queues)
        if (!Q.empty() && Q.front() == L)
          Q.pop_front();
      for (uint32_t F : M.Launches[L].Writes) {
        std::fill(ValidAt[F].begin(), ValidAt[F].end(), Never);
        ValidAt[F][D + 1] = Now;
        if (!(M.Devices[D].DownSecondsPerByte > 0 || M.Devices[D].DownLatency > 0))
          ValidAt[F][0] = Now;
      }
      Unit &U = Units[Launches[L].Unit];
      for (uint32_t B : Launches[L].Behind) {
        --Launches[B].Waits;
        Units[Launches[B].Unit].Waits -= Launches[B].Unit != Launches[L].Unit;
      }
      if (!--U.Left)
        std::erase(Devices[D].Line, Launches[L].Unit);
      ++Count;
    }
    return Count;
  }

  double bringHome() {
    double End = Now;
    for (uint32_t F = 0; F < M.Fragments.size(); ++F)
      if (M.Fragments[F].Result)
        End = std::max(End, fetchHome(F));
    return End;
  }

  const Model &M;
  double Now = 0;
  std::vector<Launch> Launches;
  std::vector<Unit> Units;
  std::vector<Device> Devices;
  std::vector<std::vector<double>> ValidAt; // By fragment: time of validity in host memory, then by device.
  std::vector<uint32_t> Order;              // Units without a device yet.
};

} // namespace

double simulate(const Model &M) { return Run(M).run(); }

} // namespace hsched::run
