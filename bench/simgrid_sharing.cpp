// Fair sharing of links: runtime/virtual/Network against SimGrid's CM02, on random links and transfers. By hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   apt-get install libsimgrid-dev
//   g++ -O1 -std=c++20 -Iruntime -Iinclude bench/simgrid_sharing.cpp runtime/virtual/Network.cpp -lsimgrid -o sharing
//   ./sharing SEED LINKS TRANSFERS
#include "virtual/Network.h"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

namespace sg4 = simgrid::s4u;
using namespace hsched::rt;

struct Transfer {
  double Begin; // Seconds.
  std::vector<unsigned> Way;
  uint64_t Bytes;
};

// When each transfer ends, in seconds.
static std::vector<double> inSimGrid(sg4::Engine &Engine, const std::vector<double> &Capacity,
                                     const std::vector<Transfer> &All) {
  auto *Root = sg4::create_full_zone("root");
  std::vector<const sg4::Link *> Links;
  for (size_t L = 0; L < Capacity.size(); ++L)
    Links.push_back(Root->create_link("link" + std::to_string(L), Capacity[L])->set_latency(0)->seal());
  std::vector<double> Ends(All.size());
  static int Message;
  for (size_t I = 0; I < All.size(); ++I) {
    auto *From = Root->create_host("from" + std::to_string(I), 1e9)->seal();
    auto *To = Root->create_host("to" + std::to_string(I), 1e9)->seal();
    std::vector<sg4::LinkInRoute> Way;
    for (unsigned L : All[I].Way)
      Way.emplace_back(Links[L]);
    Root->add_route(From->get_netpoint(), To->get_netpoint(), nullptr, nullptr, Way, true);
    auto *Box = sg4::Mailbox::by_name(std::to_string(I));
    sg4::Actor::create("sends", From, [Box, &T = All[I]] {
      sg4::this_actor::sleep_for(T.Begin);
      Box->put(&Message, T.Bytes);
    });
    sg4::Actor::create("takes", To, [Box, &End = Ends[I]] {
      (void)Box->get<int>();
      End = sg4::Engine::get_clock();
    });
  }
  Root->seal();
  Engine.run();
  return Ends;
}

static std::vector<double> inNetwork(const std::vector<double> &Capacity, const std::vector<Transfer> &All) {
  std::vector<double> BytesPerNs;
  for (double C : Capacity)
    BytesPerNs.push_back(C / 1e9);
  virt::Network Net(BytesPerNs);
  std::vector<uint32_t> Order(All.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::ranges::stable_sort(Order, {}, [&](uint32_t I) { return All[I].Begin; });
  std::vector<double> Ends(All.size());
  auto goOn = [&](TimePoint Until) {
    for (auto Next = Net.nextEnd(); Next && *Next <= Until; Next = Net.nextEnd())
      for (uint32_t Id : Net.ended(*Next))
        Ends[Id] = std::chrono::duration<double>(Next->time_since_epoch()).count();
  };
  for (uint32_t I : Order) {
    const TimePoint Now(Duration(std::llround(All[I].Begin * 1e9)));
    goOn(Now);
    Net.begin(I, All[I].Way, All[I].Bytes, Now);
  }
  goOn(TimePoint::max());
  return Ends;
}

int main(int Argc, char **Argv) {
  sg4::Engine Engine(&Argc, Argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/crosstraffic:0");
  if (Argc != 4)
    return 2;
  std::mt19937 Next(static_cast<unsigned>(std::atoi(Argv[1])));
  std::vector<double> Capacity(static_cast<size_t>(std::atoi(Argv[2]))); // Bytes a second.
  for (double &C : Capacity)
    C = (1 + Next() % 20) * 5e8;
  std::vector<Transfer> All(static_cast<size_t>(std::atoi(Argv[3])));
  for (Transfer &T : All) {
    T.Begin = static_cast<double>(Next() % 1000) * 1e-4;
    for (unsigned L = 0; L < Capacity.size(); ++L)
      if (Next() % 3 == 0)
        T.Way.push_back(L);
    if (T.Way.empty())
      T.Way.push_back(static_cast<unsigned>(Next() % Capacity.size()));
    T.Bytes = 1'000'000 + Next() % 100'000'000;
  }
  const std::vector<double> Theirs = inSimGrid(Engine, Capacity, All), Ours = inNetwork(Capacity, All);
  double Most = 0;
  for (size_t I = 0; I < All.size(); ++I)
    Most = std::max(Most, std::abs(Ours[I] - Theirs[I]) / (Theirs[I] - All[I].Begin));
  std::printf(
      "seed %s, %s links, %s transfers: the last one ends after %.6f s, in SimGrid after %.6f s; the time of one "
      "differs by %.1e at most\n",
      Argv[1], Argv[2], Argv[3], *std::ranges::max_element(Ours), *std::ranges::max_element(Theirs), Most);
}
