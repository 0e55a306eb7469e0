// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shrink.h"
#include "Check.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace hsched::oracle {
namespace {

class Shrinker {
public:
  Shrinker(Program P, const std::function<bool(const Program &)> &Wrong, const std::function<bool()> &More)
      : P(std::move(P)), Wrong(Wrong), More(More) {}

  Program run() {
    while (More() && round()) {
    }
    return std::move(P);
  }

private:
  bool attempt(Program Smaller) {
    if (!More() || !Wrong(Smaller))
      return false;
    P = std::move(Smaller);
    return true;
  }

  // Returns whether something could be left out.
  bool round() {
    bool Less = false;
    for (size_t T = 0; P.Threads.size() > 1 && T < P.Threads.size();) {
      Program Smaller = P;
      Smaller.Threads.erase(Smaller.Threads.begin() + static_cast<ptrdiff_t>(T));
      attempt(std::move(Smaller)) ? Less = true : ++T;
    }
    for (size_t T = 0; T < P.Threads.size(); ++T)
      Less |= fewer([T](Program &In) -> std::vector<Action> & { return In.Threads[T]; });
    for (uint32_t T : reachable()) {
      Less |= fewer([T](Program &In) -> std::vector<Action> & { return In.Tasks[T].Body; });
      Less |= simpler(T);
    }
    return Less;
  }

  // Leaves out actions of a body: halves, quarters, ... single ones.
  template <class Body> bool fewer(Body In) {
    bool Less = false;
    for (size_t Chunk = std::max<size_t>(In(P).size() / 2, 1);; Chunk /= 2) {
      for (size_t At = 0; At < In(P).size();) {
        Program Smaller = P;
        std::vector<Action> &List = In(Smaller);
        size_t End = std::min(At + Chunk, List.size());
        // The wait at the end of a body with local memory has to stay.
        if (End == List.size() && isLocalsWait(List.back()))
          --End;
        if (End <= At)
          break;
        List.erase(List.begin() + static_cast<ptrdiff_t>(At), List.begin() + static_cast<ptrdiff_t>(End));
        attempt(std::move(Smaller)) ? Less = true : At += Chunk;
      }
      if (Chunk <= 1)
        return Less;
    }
  }
  static bool isLocalsWait(const Action &A) {
    return A.What == Action::Wait && A.Sections.size() == 1 && A.Sections[0].Via == ViaLocal;
  }

  bool simpler(uint32_t T) {
    bool Less = false;
    auto change = [&](auto Fn) {
      Program Smaller = P;
      if (Fn(Smaller.Tasks[T]))
        Less |= attempt(std::move(Smaller));
    };
    if (P.Tasks[T].Body.empty())
      for (size_t S = P.Tasks[T].Sections.size(); S-- > 0;)
        change([S](TaskSpec &X) {
          X.Sections.erase(X.Sections.begin() + static_cast<ptrdiff_t>(S));
          return true;
        });
    for (size_t S = 0; S < P.Tasks[T].Sections.size(); ++S)
      change([S](TaskSpec &X) {
        bool Many = X.Sections[S].Rows > 1 && X.Body.empty();
        X.Sections[S].Rows = Many ? 1 : X.Sections[S].Rows;
        return Many;
      });
    change([](TaskSpec &X) { return std::exchange(X.Priority, 0) != 0; });
    change([](TaskSpec &X) { return std::exchange(X.If0, false); });
    change([](TaskSpec &X) { return std::exchange(X.Final, false); });
    change([](TaskSpec &X) { return std::exchange(X.Labelled, false); });
    change([](TaskSpec &X) { return std::exchange(X.Yields, uint8_t(0)) != 0; });
    change([](TaskSpec &X) { return std::exchange(X.Kind, Versions::Cpu) != Versions::Cpu; });
    change([](TaskSpec &X) { return std::exchange(X.Fail, Fails::Never) != Fails::Never; });
    return Less;
  }

  std::vector<uint32_t> reachable() const {
    std::vector<uint32_t> Found;
    auto visit = [&](const std::vector<Action> &Body) {
      for (const Action &A : Body)
        if (A.What == Action::Submit)
          Found.push_back(A.Task);
    };
    for (const auto &Body : P.Threads)
      visit(Body);
    for (size_t I = 0; I < Found.size(); ++I)
      visit(P.Tasks[Found[I]].Body);
    return Found;
  }

  Program P;
  const std::function<bool(const Program &)> &Wrong;
  const std::function<bool()> &More;
};

} // namespace

Program shrink(Program P, const std::function<bool(const Program &)> &Wrong, const std::function<bool()> &More) {
  return Shrinker(std::move(P), Wrong, More).run();
}

bool goesWrong(const Setup &S, const Program &P, unsigned Times, unsigned SecondsEach) {
  std::fflush(stdout);
  pid_t Child = fork();
  if (Child < 0)
    return false;
  if (Child == 0) {
    int Nowhere = open("/dev/null", O_WRONLY);
    dup2(Nowhere, STDOUT_FILENO);
    dup2(Nowhere, STDERR_FILENO);
    for (unsigned T = 0; T < Times; ++T) {
      alarm(SecondsEach);
      std::unique_ptr<Port> M = makeMachine(S);
      Observed Seen(P);
      runOn(*M, P, Seen);
      if (!check(P, Seen).empty())
        _exit(1);
    }
    _exit(0);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  return !WIFEXITED(Status) || WEXITSTATUS(Status) != 0;
}

} // namespace hsched::oracle
