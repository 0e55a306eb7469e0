// Ranks in a ring: each step sends a row to the right, receives one from the left and works on both. Messages are
// detached tasks, so that no worker waits for them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/completion.h>
#include <hsched/hsched.h>

#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>

// Requests under way, each with the task that it ends. One thread looks after them.
class requests {
public:
  requests() : looking_([this] { look(); }) {}
  ~requests() {
    {
      std::lock_guard guard(lock_);
      over_ = true;
    }
    looking_.join();
  }
  void add(MPI_Request request, hsched::completion done) {
    if (!done) { // The serial program.
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      return;
    }
    std::lock_guard guard(lock_);
    all_.push_back({request, std::move(done)});
  }

private:
  struct entry {
    MPI_Request request;
    hsched::completion done;
  };
  void look() {
    for (;;) {
      std::vector<hsched::completion> ended;
      {
        std::lock_guard guard(lock_);
        if (over_ && all_.empty())
          return;
        std::erase_if(all_, [&](entry &e) {
          int flag = 0;
          MPI_Test(&e.request, &flag, MPI_STATUS_IGNORE);
          if (flag)
            ended.push_back(std::move(e.done));
          return flag != 0;
        });
      }
      for (hsched::completion &done : ended) // Without the lock: what comes after it may begin here.
        done.complete();
      std::this_thread::yield();
    }
  }

  std::mutex lock_;
  std::vector<entry> all_;
  bool over_ = false;
  std::thread looking_; // Last: it uses the others.
};
static requests *under_way;

#pragma hsched task in([n]x)
void send(int n, const double *x, int to, int tag) {
  MPI_Request request;
  MPI_Isend(x, n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &request);
  under_way->add(request, hsched::detach());
}

#pragma hsched task out([n]x)
void receive(int n, double *x, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(x, n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &request);
  under_way->add(request, hsched::detach());
}

#pragma hsched task inout([n]x) in([n]left)
void step(int n, double *x, const double *left) {
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 * (x[i] + left[i]) + 1;
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::puts("this MPI library does not let several threads call it");
    MPI_Finalize();
    return 77;
  }
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr int Rows = 16, N = 20000, Steps = 20; // Beyond what is sent without the receiver's help.
  int wrong = 0;
  {
    requests own;
    under_way = &own;
    std::vector<std::vector<double>> rows(Rows, std::vector<double>(N, rank)), lefts(Rows, std::vector<double>(N));
    for (int s = 0; s < Steps; ++s)
      for (int r = 0; r < Rows; ++r) {
        int tag = s * Rows + r;
        send(N, rows[r].data(), (rank + 1) % size, tag);
        receive(N, lefts[r].data(), (rank + size - 1) % size, tag);
        step(N, rows[r].data(), lefts[r].data());
      }
#pragma hsched taskwait
    std::vector<double> expected(size), before(size);
    for (int i = 0; i < size; ++i)
      expected[i] = i;
    for (int s = 0; s < Steps; ++s) {
      before = expected;
      for (int i = 0; i < size; ++i)
        expected[i] = 0.5 * (before[i] + before[(i + size - 1) % size]) + 1;
    }
    for (const std::vector<double> &row : rows)
      for (double x : row)
        wrong += x != expected[rank];
  }
  if (wrong)
    std::printf("rank %d: %d values are wrong\n", rank, wrong);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && !all)
    std::printf("%d ranks agree\n", size);
  MPI_Finalize();
  return all != 0;
}
