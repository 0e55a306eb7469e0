// The search of hsched-run --tune on times that are computed, and the model that computes times for --simulate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Model.h"
#include "run/TuneSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <tuple>

using namespace hsched::run;

namespace {

unsigned Wrong = 0;

void expect(bool Truth, const char *What) {
  if (Truth)
    return;
  std::printf("wrong: %s\n", What);
  ++Wrong;
}

size_t onDevice(const Setting &S, const std::string &Word) {
  return static_cast<size_t>(std::count(S.Component.begin(), S.Component.end(), Word));
}

// The paper's: 16 heads that are alike on a GPU, of which a CPU may take some, at a twelfth of the speed.
SearchSpace heads() {
  SearchSpace Space;
  Space.Devices = {"gpu", "cpu"};
  Space.Classes.resize(1);
  for (uint32_t I = 0; I < 16; ++I)
    Space.Classes[0].push_back(I);
  Space.Begin.Queues = {1, 0};
  Space.Begin.Component.assign(16, "gpu");
  return Space;
}

double headsTime(const Setting &S) {
  const double Queues = S.Queues[0] ? S.Queues[0] : 8;
  const double Gpu = static_cast<double>(onDevice(S, "gpu")) * (1 + 0.1 * std::abs(Queues - 3));
  return std::max(Gpu, 14.5 * static_cast<double>(onDevice(S, "cpu")));
}

void findsQueuesAndDevices() {
  std::set<Setting> Tried;
  unsigned Twice = 0;
  const SearchSpace Space = heads();
  const Setting Best = search(Space, [&](const Setting &S) -> std::optional<double> {
    Twice += !Tried.insert(S).second;
    return headsTime(S);
  });
  expect(Best.Queues[0] == 3, "three queues");
  expect(onDevice(Best, "cpu") == 1 && Best.Component[15] == "cpu", "one head, the last, goes to the CPU");
  expect(std::none_of(Tried.begin(), Tried.end(), [](const Setting &S) { return S.Queues[1] && !onDevice(S, "cpu"); }),
         "no queues of a device without components are tried");
  expect(Twice == 0, "nothing is measured twice");
  expect(Tried.size() <= Space.Most, "the bound holds");
}

void staysInItsBound() {
  for (unsigned Most : {1u, 2u, 7u}) {
    SearchSpace Space = heads();
    Space.Most = Most;
    unsigned Tried = 0;
    const Setting Best = search(Space, [&](const Setting &S) -> std::optional<double> {
      ++Tried;
      return headsTime(S);
    });
    expect(Tried == Most, "as many as may be");
    expect(headsTime(Best) <= headsTime(Space.Begin), "never worse than the file");
  }
}

void movesMany() {
  // All are on the slow device, and one by itself gains nothing: its data would be elsewhere.
  SearchSpace Space = heads();
  Space.Begin.Component.assign(16, "cpu");
  const Setting Best = search(Space, [](const Setting &S) -> std::optional<double> {
    return onDevice(S, "cpu") && onDevice(S, "gpu") ? 100.0 : onDevice(S, "cpu") ? 50.0 : 10.0;
  });
  expect(onDevice(Best, "gpu") == 16, "all at once");
  // Evenly between two devices that are alike, from "any device".
  Space.Begin.Component.assign(16, "");
  Space.Most = 200;
  const Setting Even = search(Space, [](const Setting &S) -> std::optional<double> {
    return static_cast<double>(std::max(onDevice(S, "cpu"), onDevice(S, "gpu")) + 3 * onDevice(S, ""));
  });
  expect(onDevice(Even, "cpu") == 8 && onDevice(Even, "gpu") == 8, "eight each");
}

void findsSplits() {
  SearchSpace Space;
  Space.Devices = {"gpu", "cpu"};
  Space.Begin.Queues = {0, 0};
  Space.Begin.Component = {"", ""};
  Space.Classes = {{0}, {1}};
  Space.Begin.Split = {10, Setting::Unsplit};
  Space.Most = 300;
  const Setting Best = search(Space, [](const Setting &S) -> std::optional<double> {
    if (S.Split[1] == 9)
      return std::nullopt; // Cannot be split there.
    const double First = std::abs(S.Split[0] - 7.0),
                 Second = S.Split[1] == Setting::Unsplit ? 20 : std::abs(S.Split[1] - 8.0);
    return 10 + First + Second;
  });
  expect(Best.Split[0] == 7 && Best.Split[1] == 8, "seven and eight tenths");
}

// With few kernels, further queues change nothing.
void noMoreQueuesThanKernels() {
  for (auto [Kernels, Greatest] : {std::pair{1u, 0u}, {2u, 2u}, {5u, 6u}, {100u, 8u}}) {
    SearchSpace Space = heads();
    Space.Kernels = Kernels;
    unsigned Seen = 0;
    (void)search(Space, [&](const Setting &S) -> std::optional<double> {
      if (!(S == Space.Begin))
        Seen = std::max(Seen,
                        S.Queues[0] == Space.Begin.Queues[0] && !S.Queues[1] ? 0 : std::max(S.Queues[0], S.Queues[1]));
      return 1;
    });
    expect(Seen == Greatest, "as many queues as kernels, or the next number");
  }
}

void noiseIsNoGain() {
  const SearchSpace Space = heads();
  unsigned N = 0;
  const Setting Best =
      search(Space, [&](const Setting &) -> std::optional<double> { return 1 - 0.0001 * static_cast<double>(N++); });
  expect(Best == Space.Begin, "less than two percent changes nothing");
}

bool near(double A, double B) { return std::abs(A - B) < 1e-9; }

// A device with links of 1 second a transfer and 0.1 a byte, and launches of 4 seconds.
Model one(unsigned Queues, double Overlap) {
  Model M;
  M.Devices = {{0.1, 0.1, 1, 1, Overlap, 0, Queues}};
  return M;
}

void timesOfOneDevice() {
  // A chain of two in one unit: an input of 10 bytes, a result of 20; what is between them is not moved.
  Model M = one(1, 1);
  M.Fragments = {{10, false}, {40, false}, {20, true}};
  M.Launches = {{{4}, {}, {0}, {1}}, {{4}, {0}, {1}, {2}}};
  M.Units = {{{0, 1}, {0}, 8}};
  expect(near(simulate(M), 2 + 8 + 3), "in, two kernels, out");
  M.Devices[0].Overhead = 0.5;
  expect(near(simulate(M), 2 + 9 + 3), "with what is between kernels");
  // Kernels that are independent overlap as far as the device has room and queues.
  for (auto [Queues, Overlap, Time] :
       {std::tuple(1u, 2.0, 12.0), {2u, 1.0, 12.0}, {3u, 3.0, 4.0}, {3u, 1.5, 8.0}, {2u, 3.0, 8.0}}) {
    M = one(Queues, Overlap);
    M.Launches = {{{4}, {}, {}, {}}, {{4}, {}, {}, {}}, {{4}, {}, {}, {}}};
    M.Units = {{{0, 1, 2}, {0}, 4}};
    expect(near(simulate(M), Time), "overlapping kernels");
  }
  // The next unit's data are moved while the first one has the device.
  M = one(1, 1);
  M.Fragments = {{10, false}, {10, false}};
  M.Launches = {{{4}, {}, {0}, {}}, {{4}, {}, {1}, {}}};
  M.Units = {{{0}, {0}, 4}, {{1}, {0}, 4}};
  expect(near(simulate(M), 2 + 4 + 4), "ahead");
}

void timesOfTwoDevices() {
  Model M = one(1, 1);
  M.Devices.push_back(M.Devices[0]);
  M.Fragments = {{10, true}};
  // The second one runs elsewhere: through host memory. The result is on the second device.
  M.Launches = {{{4, 1}, {}, {}, {0}}, {{-1, 3}, {0}, {0}, {0}}};
  M.Units = {{{0}, {0}, 7}, {{1}, {1}, 3}};
  expect(near(simulate(M), 4 + 2 + 2 + 3 + 2), "from one device to the other");
  M.Units[0].Devices = {1};
  expect(near(simulate(M), 1 + 3 + 2), "both on one");
  M.Units[1].Devices = {0};
  expect(simulate(M) < 0, "it cannot run there");
  // Units that may go anywhere: the first that is free with clustering, the one that ends first otherwise.
  M.Units = {{{0}, {0, 1}, 7}, {{1}, {0, 1}, 3}};
  expect(near(simulate(M), 4 + 2 + 2 + 3 + 2), "the first device");
  M.Exclusive = false;
  expect(near(simulate(M), 1 + 3 + 2), "the quicker device");
  // Host memory is a device's own: no transfers.
  for (ModelDevice &D : M.Devices)
    D.UpSecondsPerByte = D.DownSecondsPerByte = D.UpLatency = D.DownLatency = 0;
  expect(near(simulate(M), 1 + 3), "no transfers");
  M.Launches[0].Before = {1};
  expect(simulate(M) < 0, "a circle");
}

} // namespace

int main() {
  findsQueuesAndDevices();
  staysInItsBound();
  timesOfOneDevice();
  timesOfTwoDevices();
  movesMany();
  findsSplits();
  noMoreQueuesThanKernels();
  noiseIsNoGain();
  if (Wrong == 0)
    std::printf("in order\n");
  return Wrong != 0;
}
