// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Dispatcher.h"

#include <thread>

namespace hsched::icd {

Dispatcher &Dispatcher::get() {
  static Dispatcher &Only = *new Dispatcher;
  return Only;
}

void Dispatcher::post(std::function<void()> Work) {
  std::lock_guard Hold(Lock);
  Works.push_back(std::move(Work));
  if (!Started) {
    std::thread([this] { run(); }).detach();
    Started = true;
  }
  Posted.notify_one();
}

void Dispatcher::run() {
  for (std::unique_lock Hold(Lock);;) {
    Posted.wait(Hold, [&] { return !Works.empty(); });
    std::function<void()> Work = std::move(Works.front());
    Works.pop_front();
    Hold.unlock();
    Work();
    Work = nullptr; // The closure is destroyed without the lock.
    Hold.lock();
  }
}

} // namespace hsched::icd
