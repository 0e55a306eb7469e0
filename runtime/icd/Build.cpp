// Builds programs for all vendors concurrently, and analyses sources.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Program.h"

#include <algorithm>
#include <future>
#include <sstream>
#include <string_view>
#include <thread>

namespace hsched::icd {
namespace {

// The platform needs to know which arguments are objects, and which of them are only read.
std::string withArgInfo(const char *Options) { return std::string(Options ? Options : "") + " -cl-kernel-arg-info"; }
// The program sees it only where it asks for it.
bool asksForArguments(const char *Options) { return Options && std::strstr(Options, "-cl-kernel-arg-info"); }

} // namespace

cl_int Program::each(const std::vector<Ref<Device>> &For, const Each &One) const {
  bool Lenient = false; // "hsched auto" accepts devices for which the build fails.
  std::vector<std::vector<cl_device_id>> Ids(In->Parts.size());
  for (const auto &D : For.empty() ? Devices : For) {
    Lenient |= D->isAuto();
    for (Device *V : D->isAuto() ? D->RealDevices : std::vector<Device *>{D.get()})
      if (const Part *P = In->partOf(V)) {
        auto &List = Ids[P->Number];
        if (std::find(List.begin(), List.end(), V->Id) == List.end())
          List.push_back(V->Id);
      }
  }
  std::vector<std::pair<const Part *, std::future<cl_int>>> Running;
  cl_int Error = CL_SUCCESS;
  bool Any = false;
  auto Take = [&](cl_int Code) {
    Any |= Code == CL_SUCCESS;
    if (Code < 0 && !Error)
      Error = Code;
  };
  const Part *Last = nullptr; // Built on this thread.
  for (const auto &P : In->Parts) {
    if (Ids[P->Number].empty())
      continue;
    if (Last)
      Running.emplace_back(Last, std::async(std::launch::async, [&, Last] { return One(*Last, Ids[Last->Number]); }));
    Last = P.get();
  }
  if (Last)
    Take(One(*Last, Ids[Last->Number]));
  for (auto &[P, Result] : Running)
    Take(Result.get());
  if (Any)
    HasCode.store(true, std::memory_order_release);
  return Lenient && Any ? CL_SUCCESS : Error;
}

void Program::startOrRun(const std::vector<Ref<Device>> &For, Each One, Notify Notified, void *UserData) {
  if (!Notified)
    return check(each(For, One));
  Builds.fetch_add(1, std::memory_order_relaxed);
  try {
    // The thread releases the program before it calls the callback. The process may end right after the callback, and
    // then no thread may be in a vendor's library.
    std::thread([Own = Ref<Program>(this), For, One = std::move(One), Notified, UserData]() mutable {
      (void)guarded([&] { (void)Own->each(For, One); });
      Own->Builds.fetch_sub(1, std::memory_order_release);
      const auto Handle = Own->handle<cl_program>();
      Own = nullptr;
      Notified(Handle, UserData);
    }).detach();
  } catch (...) { // No thread, so no build.
    Builds.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
}

void Program::build(const std::vector<Ref<Device>> &For, const char *Given, Notify Notified, void *UserData) {
  require(!Kernels.load() && !Builds.load(), CL_INVALID_OPERATION);
  {
    std::lock_guard Hold(Lock);
    if (Options != (Given ? Given : "") || Analyses.empty())
      Analyses.push_back(Roles::of(Source, Given ? Given : "")); // Null: nothing is known about kernels built this way.
    Options = Given ? Given : "";
    Minis.reset();
    MiniText = {};
    if (FromSource)
      SideEffects |= mayHaveSideEffects(Source, Options);
    if (FromSource && In->Scheduler) // The program means to have scheduled queues.
      MiniText = askForMinikernels(Source, Options);
  }
  bool Compiles = FromSource || !Il.empty();
  HasArgumentInfo = !FromSource || asksForArguments(Given);
  std::string Its = Compiles ? withArgInfo(Given) : Given ? Given : "";
  startOrRun(
      For,
      [this, Its](const Part &P, const std::vector<cl_device_id> &Ids) {
        cl_program V = Vendors[P.Number];
        return V ? table(V).clBuildProgram(V, static_cast<cl_uint>(Ids.size()), Ids.data(), Its.c_str(), nullptr,
                                           nullptr)
                 : CL_INVALID_BINARY;
      },
      Notified, UserData);
}

std::string Program::options() const {
  std::lock_guard Hold(Lock);
  return Options;
}

bool Program::allSay(bool (Roles::*What)(const std::string &, unsigned) const, const std::string &Kernel,
                     cl_uint Argument) const {
  std::vector<std::shared_ptr<const Roles>> All;
  {
    std::lock_guard Hold(Lock);
    All = Analyses;
  }
  return !All.empty() &&
         std::all_of(All.begin(), All.end(), [&](const auto &A) { return A && ((*A).*What)(Kernel, Argument); });
}

bool Program::onlyReads(const std::string &Kernel, cl_uint Argument) const {
  return allSay(&Roles::onlyReads, Kernel, Argument);
}
bool Program::isUnused(const std::string &Kernel, cl_uint Argument) const {
  return allSay(&Roles::isUnused, Kernel, Argument);
}

std::shared_ptr<const KernelExtents> Program::extents(const std::string &Kernel) const {
  std::shared_ptr<const Roles> Its;
  {
    std::lock_guard Hold(Lock);
    if (Analyses.size() == 1) // Devices may have got different kernels otherwise.
      Its = Analyses.front();
  }
  const KernelExtents *E = Its ? Its->extents(Kernel) : nullptr;
  return E ? std::shared_ptr<const KernelExtents>(Its, E) : nullptr;
}

void Program::compile(const std::vector<Ref<Device>> &For, const char *Given, const std::vector<Header> &Headers,
                      Notify Notified, void *UserData) {
  require(FromSource || !Il.empty(), CL_INVALID_OPERATION);
  require(!Kernels.load() && !Builds.load(), CL_INVALID_OPERATION);
  HasArgumentInfo = !FromSource || asksForArguments(Given);
  {
    std::lock_guard Hold(Lock);
    Options = Given ? Given : "";
  }
  SideEffects |= !Headers.empty() || (FromSource && mayHaveSideEffects(Source, Given ? Given : ""));
  startOrRun(
      For,
      [this, Its = withArgInfo(Given), Headers](const Part &P, const std::vector<cl_device_id> &Ids) {
        std::vector<cl_program> Texts;
        std::vector<const char *> Names;
        for (const Header &H : Headers) {
          Texts.push_back(H.Text->in(P));
          Names.push_back(H.Name.c_str());
        }
        cl_program V = Vendors[P.Number];
        return V ? table(V).clCompileProgram(V, static_cast<cl_uint>(Ids.size()), Ids.data(), Its.c_str(),
                                             static_cast<cl_uint>(Texts.size()), Texts.empty() ? nullptr : Texts.data(),
                                             Names.empty() ? nullptr : Names.data(), nullptr, nullptr)
                 : CL_INVALID_PROGRAM;
      },
      Notified, UserData);
}

std::shared_ptr<Minikernels> Program::minikernels() {
  std::string Given;
  std::shared_future<std::string> Text;
  {
    std::lock_guard Hold(Lock);
    if (Minis || !FromSource || Analyses.empty())
      return Minis;
    if (!MiniText.valid())
      MiniText = askForMinikernels(Source, Options);
    Text = MiniText;
    Given = Options;
  }
  auto Made = std::make_shared<Minikernels>(In, answer(Text), Given);
  std::lock_guard Hold(Lock);
  if (!Minis)
    Minis = std::move(Made);
  return Minis;
}

Minikernels::Minikernels(Ref<Context> In, std::string Source, std::string Given)
    : In(std::move(In)), Text(std::move(Source)), Options(std::move(Given)) {
  constexpr std::string_view Mark = "// Any launch:"; // The first line.
  if (Text.compare(0, Mark.size(), Mark) != 0)
    return;
  std::istringstream Names(Text.substr(Mark.size(), Text.find('\n') - Mark.size()));
  for (std::string Name; Names >> Name;)
    Free.insert(Name);
}

Minikernels::~Minikernels() {
  if (Its)
    Its->releaseUser();
}

Program *Minikernels::program() {
  std::call_once(Built, [&] {
    if (Text.empty())
      return;
    (void)guarded([&] {
      Its = Program::fromSource(In, Text);
      Its->build({}, Options.c_str(), nullptr, nullptr);
    });
  });
  return Its;
}

} // namespace hsched::icd
