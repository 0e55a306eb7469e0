// Where tasks run: clause where(e) on functions, statements and loops; scopes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/hsched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

// 1: ran on the CPU; 2: on a device.
#pragma hsched task out(*x) where(place)
void ranOn(int *x, hsched::place place) {
  (void)place;
  *x = 1;
}
#pragma hsched implements(ranOn) device(opencl) kernel("where.cl") ndrange(1) args(x)
void ranOn_cl(int *x, hsched::place place);

#pragma hsched task out(*x)
void anywhere(int *x) { *x = 1; }
#pragma hsched implements(anywhere) device(opencl) kernel("where.cl", "ranOn_cl") ndrange(1)
void anywhere_cl(int *x);

// Its child is not within the scope that it was submitted in.
#pragma hsched task out(*x, *child)
void parent(int *x, int *child) {
  *x = 1;
  ranOn(child, hsched::devices());
#pragma hsched taskwait
}

static std::mutex lock;
static std::array<std::set<std::thread::id>, 3> threads;
static void note(int worker) {
  std::lock_guard guard(lock);
  threads[worker].insert(std::this_thread::get_id());
}
#pragma hsched task where(hsched::worker_at(unsigned(w))) concurrent(*x)
void onWorker(int w, int *x) {
  (void)x;
  note(w);
}

static int failures = 0;
static void expect(bool truth, const char *what) {
  if (!truth) {
    std::printf("wrong: %s\n", what);
    ++failures;
  }
}
template <class Fn> static void expectError(Fn submit, const char *part, const char *what) {
  submit();
  try {
#pragma hsched taskwait
    expect(false, what);
  } catch (const hsched::task_error &e) {
    if (!std::strstr(e.what(), part)) {
      std::printf("wrong: %s: %s\n", what, e.what());
      ++failures;
    }
  }
}

// Three CPU workers, no device.
static void cpuWorkers() {
  expect(hsched::cpus().count() == 3 && hsched::devices().count() == 0 && hsched::anywhere().count() == 3, "count");
  int x = 0;
  for (int i = 0; i < 300; ++i)
    onWorker(i % 3, &x);
#pragma hsched taskwait
  for (int w = 0; w < 3; ++w)
    expect(threads[w].size() == 1, "one thread a worker");
  expect(threads[1] != threads[2] && threads[1] != threads[0], "different threads");

  threads = {};
#pragma hsched taskloop grainsize(1) concurrent(x) where(hsched::worker_at(1) | hsched::worker_at(2))
  for (int i = 0; i < 100; ++i)
    note(1);
  for (int i = 0; i < 50; ++i) {
#pragma hsched task concurrent(x) where(hsched::worker_at(2))
    {
      x += 0;
      note(2);
    }
  }
  {
    hsched::on here(hsched::worker_at(1) | hsched::worker_at(2));
    hsched::on indeed(hsched::worker_at(2) | hsched::worker_at(0));
    for (int i = 0; i < 50; ++i) {
#pragma hsched task concurrent(x)
      {
        x += 0;
        note(2);
      }
    }
  }
#pragma hsched taskwait
  expect(threads[1].size() <= 2 && !threads[1].count(std::this_thread::get_id()), "taskloop");
  expect(threads[2].size() == 1, "statements and scopes");

  expectError([&] { ranOn(&x, hsched::gpus()); }, "none here is among GPUs) can run it", "no GPU");
  expectError([&] { ranOn(&x, hsched::worker_at(7)); }, "none here is among worker 7) can run it", "no such worker");
  expectError([&] { ranOn(&x, hsched::place()); }, "none here is among no worker) can run it", "no place");
  expectError(
      [&] {
        hsched::on here(hsched::worker_at(1));
        ranOn(&x, hsched::worker_at(2));
      },
      "none here is among worker 2; worker 1) can run it", "nothing in both");
  ranOn(&x, hsched::preferably(hsched::gpus()));
#pragma hsched taskwait
  expect(x == 1, "preferably");
#pragma hsched task where(hsched::gpus()) if (false) out(x)
  x = 3;
  try {
#pragma hsched taskwait
    expect(false, "if(false)");
  } catch (const hsched::task_error &) {
  }
  try {
    hsched::worker_at(512);
    expect(false, "worker 512");
  } catch (const std::invalid_argument &) {
  }
}

// One CPU worker, no device: most tasks are calls.
static void oneWorker() {
  int x = 0;
  for (int i = 0; i < 100; ++i)
    onWorker(0, &x);
#pragma hsched taskwait
  expect(threads[0].size() == 1, "the main thread");
  expectError([&] { onWorker(1, &x); }, "none here is among worker 1) can run it", "no second worker");
  hsched::on here(hsched::gpus());
  expectError([&] { anywhere(&x); }, "none here is among GPUs) can run it", "scope of GPUs");
}

// A device beside them.
static void devices() {
  const auto number = unsigned(hsched::devices().count());
  expect(number >= 1 && hsched::device(number - 1).count() == 1 && hsched::device(number).count() == 0, "count");
  std::vector<int> x(100), child(100);
  for (size_t i = 0; i < x.size(); ++i)
    ranOn(&x[i], i % 2 ? hsched::cpus() : hsched::device(0));
#pragma hsched taskwait
  for (size_t i = 0; i < x.size(); ++i)
    expect(x[i] == (i % 2 ? 1 : 2), "where");
  {
    hsched::on here(hsched::cpus());
    for (size_t i = 0; i < x.size(); ++i)
      parent(&x[i], &child[i]);
#pragma hsched taskwait // What it runs is not within the scope.
    for (int &v : x)
      anywhere(&v);
  }
  expectError(
      [&] {
        hsched::on here(hsched::cpus());
        ranOn(&x[0], hsched::devices());
      },
      "none here is among CPU devices, GPUs, accelerators; CPU workers) can run it", "scope against clause");
#pragma hsched taskwait
  expect(std::count(x.begin() + 1, x.end(), 1) == 99, "scope of CPU workers");
  expect(std::count(child.begin(), child.end(), 2) == 100, "children");
  {
    hsched::on here(hsched::devices());
    for (int &v : x)
      anywhere(&v);
  }
#pragma hsched taskwait
  expect(std::count(x.begin(), x.end(), 2) == 100, "scope of devices");
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  !std::strcmp(what, "device") ? devices() : !std::strcmp(what, "one") ? oneWorker() : cpuWorkers();
  std::printf("%d wrong\n", failures);
  return failures != 0;
}
