// Homeless data in the C ABI: include/hsched/engine_abi.h documents the functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Runtime.h"
#include "base/Log.h"
#include "base/NoMemory.h"
#include "exec/DeviceBody.h"
#include <hsched/engine_abi.h>
#include <hsched/hsched.h>

#include <new>
#include <optional>
#include <stdexcept>

using namespace hsched::rt;

namespace {

Runtime &runtimeOf(hsched_engine *E) { return E ? *reinterpret_cast<Runtime *>(E) : Runtime::get("datum"); }

void checkOutsideDevices(const char *What) {
  if (const DeviceBody *Body = DeviceBody::current())
    throw std::logic_error(std::string(What) + " in a version of task '" + Body->task().Type->name() +
                           "' for a device: such a version only enqueues work");
}

} // namespace

extern "C" {

void *hsched_datum_make(hsched_engine *Engine, size_t Bytes, unsigned Flags) {
  if (Flags)
    throw std::invalid_argument("hsched_datum_make: unknown flags " + std::to_string(Flags));
  if (Bytes == 0)
    throw std::invalid_argument("hsched_datum_make: a datum of 0 bytes");
  void *Made = nullptr;
  if (hsched::status Result = runtimeOf(Engine).data().makeHomeless(Bytes, Made); !Result.ok()) {
    log(LogLevel::Debug, "%s", Result.message().c_str());
    throw std::bad_alloc();
  }
  return Made;
}

void hsched_datum_home(hsched_engine *Engine, void *Address, size_t Bytes, unsigned Use) {
  checkOutsideDevices("hsched_datum_home");
  if (Use > HSCHED_HOME_OVERWRITE)
    throw std::invalid_argument("hsched_datum_home: unknown use " + std::to_string(Use));
  Runtime &R = runtimeOf(Engine);
  if (!R.data().isHomeless(Address, Bytes))
    throw std::invalid_argument("hsched_datum_home: " + std::to_string(Bytes) + " bytes that are not inside a datum");
  if (Bytes == 0)
    return;
  Executor &E = R.executor();
  ThreadState &Me = threadState();
  std::optional<Executor::Call> Entered;
  if (Engine)
    Entered.emplace(E, Me);
  // A reader waits only for writers.
  const hsched_access Part{
      Address, Bytes, 1, 0, Use == HSCHED_HOME_READ ? unsigned(HSCHED_IN) : unsigned(HSCHED_INOUT), HSCHED_NO_PARAM};
  E.taskwaitOn(Me, {&Part, 1}, false);
  WorkerId Blame = NoWorker;
  if (hsched::status Home = R.data().bringHome(Address, Bytes, static_cast<Directory::HomeUse>(Use), &Blame);
      !Home.ok())
    throw hsched::task_error("hsched_datum_home", Blame == NoWorker ? "" : E.platform().Workers[Blame].Name,
                             "data could not be brought home: " + Home.message());
}

void hsched_datum_drop(hsched_engine *Engine, void *Datum) {
  if (!Datum)
    return;
  Runtime *R = Engine ? reinterpret_cast<Runtime *>(Engine) : Runtime::usable();
  if (!R) // The program ends.
    return;
  if (const uint64_t Bytes = R->data().homelessBytes(Datum); Bytes && !DeviceBody::current()) {
    Executor &E = R->executor();
    ThreadState &Me = threadState();
    std::optional<Executor::Call> Entered;
    if (Engine)
      Entered.emplace(E, Me);
    retryUntilAllocated([&] { E.awaitUsers(Me, {Datum, Bytes, 1, 0, HSCHED_INOUT, HSCHED_NO_PARAM}); });
  }
  // A destructor calls this: it does not fail for lack of memory.
  hsched::status Result;
  retryUntilAllocated([&] { Result = R->data().dropHomeless(Datum); });
  if (!Result.ok())
    throw std::invalid_argument("hsched_datum_drop: " + Result.message());
}

} // extern "C".
