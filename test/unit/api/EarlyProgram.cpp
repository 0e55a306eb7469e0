// Takes the steps that its arguments name: what a program may do while devices are being opened, since its start.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EarlyGate.h"
#include "Incrementer.h"
#include "Processes.h"

#include <hsched/engine_abi.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::test;

#pragma GCC visibility push(default)
extern "C" {
EarlyGate early_gate; // The plug-in looks for it.
void early_constructor();
int __lsan_is_turned_off();
}
#pragma GCC visibility pop

// What a child of fork has inherited from other threads' stacks counts as lost there.
int __lsan_is_turned_off() { return InForkedChild; }

namespace {

Incrementer OnDevice("early_increment"); // Registered before main, as generated code does it.

[[gnu::format(printf, 1, 2)]] void say(const char *Format, ...) {
  va_list Values;
  va_start(Values, Format);
  std::vprintf(Format, Values);
  va_end(Values);
  std::fflush(stdout);
}

void runOnDevice() {
  unsigned char X = 1;
  try {
    OnDevice.submit(&X, 1);
    hsched_taskwait(0);
    say("device %d\n", X);
  } catch (const std::exception &E) {
    say("device: %s\n", E.what());
  }
}

void runOnCore() {
  int X = 1;
  submit({section(HSCHED_INOUT, X)}, [&X] { ++X; });
  hsched_taskwait(0);
  say("core %d\n", X);
}

void letGo() {
  early_gate.Open = true;
  early_gate.Open.notify_all();
}

void bindToOneCore() {
  cpu_set_t One;
  CPU_ZERO(&One);
  CPU_SET(sched_getcpu(), &One);
  if (sched_setaffinity(0, sizeof(One), &One) != 0)
    say("cannot be bound\n");
}

// Returns in the child. The parent takes the rest of the steps afterwards, if Both.
void forkHere(bool Both) {
  const pid_t Child = fork();
  if (Child == 0) {
    InForkedChild = true;
    alarm(60);
    return;
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  say("child %d\n", WIFEXITED(Status) ? WEXITSTATUS(Status) : -WTERMSIG(Status));
  if (!Both)
    std::exit(0);
}

bool step(std::string_view What, std::string_view Value) {
  if (What == "entered")
    early_gate.Entered.wait(false);
  else if (What == "go")
    letGo();
  else if (What == "opened")
    while (early_gate.Built == 0) // The thread loads kernels when the device is open.
      std::this_thread::yield();
  else if (What == "over")
    while (std::filesystem::exists("/proc/self/task/" + std::to_string(early_gate.Thread)))
      std::this_thread::yield();
  else if (What == "core")
    runOnCore();
  else if (What == "device")
    runOnDevice();
  else if (What == "fork")
    forkHere(false);
  else if (What == "forkboth")
    forkHere(true);
  else if (What == "set")
    setenv(std::string(Value.substr(0, Value.find('='))).c_str(), Value.data() + Value.find('=') + 1, 1);
  else if (What == "bind")
    bindToOneCore();
  else if (What == "load")
    say(dlopen(Value.data(), RTLD_NOW) ? "loaded\n" : "not loaded\n");
  else if (What == "engine") {
    hsched_config Config{};
    Config.struct_bytes = sizeof(Config);
    Config.opencl = "all";
    hsched_engine_destroy(hsched_engine_make(&Config));
  } else if (What == "report")
    say("enumerated %d early %d live %d cores %d blocked %d\n", early_gate.Enumerated.load(), early_gate.Early.load(),
        early_gate.Live.load(), early_gate.Cores.load(), early_gate.Blocked.load());
  else if (What == "built")
    say("built %d\n", early_gate.Built.load());
  else if (What == "exit") { // Lets go while exit() waits, or before.
    std::thread(letGo).detach();
    std::exit(3);
  } else if (What == "quick")
    std::quick_exit(4);
  else if (What == "threw")
    throw std::runtime_error("of the program");
  else if (What == "otherexit")
    std::thread([] { std::exit(5); }).join();
  else if (What == "threadexit") {
    std::thread([Main = pthread_self()] {
      pthread_join(Main, nullptr);
      std::exit(6);
    }).detach();
    std::thread(letGo).detach();
    pthread_exit(nullptr);
  } else
    return false;
  return true;
}

} // namespace

void early_constructor() {
  if (std::getenv("TEST_EXIT"))
    std::exit(7);
  runOnCore();
  say("in a constructor\n");
}

int main(int Count, char **Steps) {
  alarm(60); // Instead of for ever.
  for (int I = 1; I < Count; ++I) {
    const std::string_view Step = Steps[I];
    const size_t Colon = std::min(Step.find(':'), Step.size());
    if (!step(Step.substr(0, Colon), Step.substr(std::min(Colon + 1, Step.size())))) {
      std::fprintf(stderr, "no step '%s'\n", Steps[I]);
      return 9;
    }
  }
  return 0;
}
