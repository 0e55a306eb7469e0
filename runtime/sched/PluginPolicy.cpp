// Policies in shared objects: adapts <hsched/policy.h> to Policy.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task is Stray if the plug-in threw, or gave it to a worker that cannot run it. It goes to the first worker that
// asks and can run it. So only the plug-in's order is lost.
#include "base/Log.h"
#include "sched/Policy.h"
#include <hsched/policy.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include <dlfcn.h>
#include <sys/stat.h>

namespace hsched::rt {
namespace {

double seconds(Duration D) { return std::chrono::duration<double>(D).count(); }
Duration duration(double Seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::clamp(Seconds, 0.0, 1e9)));
}

class PluginPolicy final : public Policy {
public:
  PluginPolicy(const hsched_policy &Given, std::string Path) : Path(std::move(Path)) {
    std::memcpy(&P, &Given, std::min(Given.struct_bytes, sizeof(P)));
  }
  ~PluginPolicy() override {
    if (Self && P.stop)
      guarded("stop", [&] { P.stop(Self); });
  }

  // With the numbers of hsched_policy.
  unsigned capabilities() const override { return P.capabilities & (StealsAlike | RunsCalls | MakesBundles); }
  unsigned hooks() const override {
    return (P.submitted ? HookSubmitted : 0u) | (P.edge ? HookEdges : 0u) | (P.started ? HookStarted : 0u) |
           (P.arrived ? HookArrived : 0u) | (P.steal ? StealsTasks : 0u);
  }

  void start(PolicyHost &H) override {
    Host = &H;
    Table = table();
    Table.self = this;
    guarded("start", [&] { Self = P.start(&Table); });
    if (!Self)
      log(LogLevel::Error, "policy '%s' (%s) did not start; each task goes to the first worker that can run it", P.name,
          Path.c_str());
  }

  void submitted(const Task &T, TaskId Parent) override {
    if (Self)
      guarded("submitted", [&] { P.submitted(Self, &T, Parent); });
  }
  void edge(TaskId From, TaskId To) override {
    if (Self)
      guarded("edge", [&] { P.edge(Self, From, To); });
  }

  void push(Task &T, WorkerId From) override { give(T, From, false); }
  void pushActivated(Task &T, WorkerId From) override { give(T, From, true); }

  bool pop(WorkerId W, Assignment &Out) override {
    return ask(W, Out, "pop", [&](Task *&T, uint32_t &V) { return P.pop(Self, W, &T, &V); });
  }
  bool steal(WorkerId W, WorkerId Victim, Assignment &Out) override {
    return ask(W, Out, "steal", [&](Task *&T, uint32_t &V) { return P.steal(Self, W, Victim, &T, &V); });
  }

  void busy(WorkerId W) override {
    if (Self && P.busy)
      guarded("busy", [&] { P.busy(Self, W); });
    if (NumStray.load() != 0) // A wake-up of W may have been for one of these.
      wakeFor(nullptr);
  }
  void arrived(const Task &T, WorkerId W) override {
    if (Self)
      guarded("arrived", [&] { P.arrived(Self, &T, W); });
  }
  void started(const Task &T, const Version &V, WorkerId W) override {
    if (Self)
      guarded("started", [&] { P.started(Self, &T, V.Index, W); });
  }
  void completed(const Task &T, const Version &V, WorkerId W, Duration Measured) override {
    Host->loads()[W].end(T.Predicted.count(), now());
    if (Self && P.completed)
      guarded("completed", [&] { P.completed(Self, &T, V.Index, W, seconds(Measured)); });
  }
  void refused(const Task &T, const Version &V, WorkerId W) override {
    if (Self && P.refused)
      guarded("refused", [&] { P.refused(Self, &T, V.Index, W); });
  }

private:
  // Task::PolicyNote: whether the plug-in holds the task, and for which worker it recorded a reason, with version
  // Task::Chosen.
  enum Note : uint16_t { NotHere = 0, WithPlugin = 1, OneWorker = 2 };
  static uint16_t noted(WorkerId W) { return static_cast<uint16_t>(WithPlugin + OneWorker * (W + 1)); }

  Load::Ns now() const { return Host->clock().now().time_since_epoch().count(); }

  // True if Call returned without an exception.
  template <class Fn> bool guarded(const char *Name, Fn Call) {
    try {
      Call();
      return true;
    } catch (const std::exception &E) {
      complain(std::string("its function ") + Name + " threw an exception: " + E.what());
    } catch (...) {
      complain(std::string("its function ") + Name + " threw an exception of an unknown type");
    }
    return false;
  }
  // A warning the first time, later messages at debug level.
  void complain(const std::string &What) {
    log(Complained.exchange(true) ? LogLevel::Debug : LogLevel::Warning, "policy '%s' (%s): %s", P.name, Path.c_str(),
        What.c_str());
  }

  void give(Task &T, WorkerId From, bool Activated) {
    T.PolicyNext = nullptr;
    T.ChosenWorker = NoWorker;
    T.Predicted = Duration(0);
    T.PolicyNote = WithPlugin;
    T.Chosen = nullptr;
    if (!Self || !guarded("push", [&] { P.push(Self, &T, From, Activated); }))
      stray(T);
  }

  // --- what comes out

  template <class Fn> bool ask(WorkerId W, Assignment &Out, const char *Name, Fn Ask) {
    if (NumStray.load() != 0 && takeStray(W, Out))
      return true;
    while (Self) {
      Task *T = nullptr;
      uint32_t V = 0;
      int Any = 0;
      if (!guarded(Name, [&] { Any = Ask(T, V); }) || !Any)
        return false;
      if (!T || !(T->PolicyNote & WithPlugin)) {
        complain(std::string("its function ") + Name +
                 (T ? " returned a task that it does not have" : " returned no task"));
        return false;
      }
      if (V < T->Type->numVersions() && Platform::usable(worker(W), T->Type->Versions[V], *T) && settleOn(*T, W)) {
        take(*T, T->Type->Versions[V], W, Out);
        return true;
      }
      if (V >= T->Type->numVersions() || !Platform::suits(worker(W), T->Type->Versions[V]))
        complain(std::string("its function ") + Name + " handed task '" + T->Label + "' to " + worker(W).Name +
                 (V < T->Type->numVersions() ? std::string(" as '") + T->Type->Versions[V].Desc->name + "'"
                                             : " as version " + std::to_string(V)) +
                 ", which cannot run it so");
      stray(*T);
      if (takeStray(W, Out))
        return true;
    }
    return false;
  }

  void unqueue(Task &T) {
    if (T.ChosenWorker != NoWorker)
      Host->loads()[T.ChosenWorker].unqueue(T.Predicted.count());
    T.ChosenWorker = NoWorker;
  }

  void take(Task &T, const Version &V, WorkerId W, Assignment &Out) {
    const bool Estimated = T.ChosenWorker != NoWorker;
    unqueue(T);
    if (!Estimated)
      T.Predicted = Duration(static_cast<Load::Ns>(
          Host->history().lookup(*T.Type, T.sizeClass(), V.Index, Host->platform().Workers[W].Model).MeanNs));
    if (Host->recordsDecisions() && T.Decided && (T.PolicyNote != noted(W) || T.Chosen != &V))
      decide(T, V, W, "another worker was to run it, and this one came for it first");
    T.PolicyNote = NotHere;
    T.PolicyNext = nullptr;
    T.Chosen = &V;
    T.ChosenWorker = W;
    Host->loads()[W].begin(T.Predicted.count(), now());
    Out = {&T, &V};
  }

  void stray(Task &T) {
    unqueue(T);
    T.PolicyNote = NotHere;
    {
      std::lock_guard Guard(Lock);
      Stray.push_back(&T);
      NumStray.fetch_add(1);
    }
    wakeFor(&T);
  }
  // T: null for any.
  void wakeFor(const Task *T) {
    for (const Worker &W : Host->platform().Workers)
      if (!T || firstUsable(*T, W) || !anyUsable(*T))
        Host->wake(W.Id);
  }

  bool takeStray(WorkerId W, Assignment &Out) {
    std::lock_guard Guard(Lock);
    for (auto It = Stray.begin(); It != Stray.end(); ++It) {
      Task &T = **It;
      const Version *V = firstUsable(T, worker(W));
      if (V ? !settleOn(T, W) : anyUsable(T))
        continue;
      Stray.erase(It);
      NumStray.fetch_sub(1);
      take(T, V ? *V : T.Type->Versions[0], W, Out); // Usable nowhere: the executor fails it.
      return true;
    }
    return false;
  }

  const Worker &worker(WorkerId W) const { return Host->platform().Workers[W]; }
  static const Version *firstUsable(const Task &T, const Worker &W) {
    for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
      if (const Version &V = T.Type->Versions[I]; Platform::usable(W, V, T))
        return &V;
    return nullptr;
  }
  bool anyUsable(const Task &T) const {
    return std::ranges::any_of(Host->platform().Workers, [&](const Worker &W) { return firstUsable(T, W) != nullptr; });
  }

  // --- what the plug-in may call

  static PluginPolicy &of(void *Self) { return *static_cast<PluginPolicy *>(Self); }

  static hsched_policy_host table() {
    hsched_policy_host H{};
    H.struct_bytes = sizeof(H);
    H.interface = HSCHED_POLICY_INTERFACE;
    H.workers = [](void *S) { return static_cast<uint32_t>(of(S).Host->platform().Workers.size()); };
    H.worker = [](void *S, uint32_t W, hsched_policy_worker *Out) {
      const Worker &Of = of(S).worker(W);
      *Out = {Of.Name.c_str(), static_cast<unsigned>(Of.Kind), static_cast<unsigned>(Of.Type), Of.Node};
    };
    H.now = [](void *S) { return seconds(of(S).Host->clock().now().time_since_epoch()); };
    H.lambda = [](void *S) { return of(S).Host->lambda(); };
    H.wake = [](void *S, uint32_t W) { of(S).Host->wake(W); };
    H.id = [](const Task *T) { return T->Id; };
    H.name = [](const Task *T) { return T->Type->name(); };
    H.priority = [](const Task *T) { return T->Priority; };
    H.bytes = [](const Task *T) { return T->DataBytes; };
    H.cost = [](const Task *T) { return T->Cost; };
    H.accesses = [](const Task *T, const hsched_access **Out) {
      *Out = T->AccessList;
      return T->NumAccesses;
    };
    H.versions = [](const Task *T) { return static_cast<uint32_t>(T->Type->numVersions()); };
    H.version = [](const Task *T, uint32_t V) { return T->Type->Versions[V].Desc->name; };
    H.usable = [](void *S, const Task *T, uint32_t V, uint32_t W) {
      return static_cast<int>(V < T->Type->numVersions() &&
                              Platform::usable(of(S).worker(W), T->Type->Versions[V], *T));
    };
    H.predict = [](void *S, const Task *T, hsched_candidate *Out, uint32_t Room) {
      std::vector<Prediction> All;
      of(S).Host->predict(*T, All);
      for (size_t I = 0; I < std::min<size_t>(All.size(), Room); ++I) {
        const Prediction &C = All[I];
        Out[I] = {C.W, C.V->Index, C.Runs, seconds(C.Run), seconds(C.Transfer), seconds(C.Wait), seconds(C.end())};
      }
      return static_cast<uint32_t>(All.size());
    };
    H.queued = [](void *S, Task *T, uint32_t W, double Seconds) {
      of(S).unqueue(*T);
      T->ChosenWorker = W;
      T->Predicted = duration(Seconds);
      of(S).Host->loads()[W].queue(T->Predicted.count());
    };
    H.set_data = [](Task *T, void *Data) { T->PolicyNext = static_cast<Task *>(Data); };
    H.data = [](const Task *T) { return static_cast<void *>(T->PolicyNext); };
    H.because = [](void *S, Task *T, uint32_t V, uint32_t W, const char *Why) {
      if (!of(S).Host->recordsDecisions() || V >= T->Type->numVersions() || W >= of(S).Host->platform().Workers.size())
        return;
      T->Chosen = &T->Type->Versions[V];
      T->PolicyNote = noted(W);
      of(S).decide(*T, *T->Chosen, W, Why);
    };
    return H;
  }

  void decide(Task &T, const Version &V, WorkerId W, const char *Why) {
    std::vector<Prediction> All;
    Host->predict(T, All);
    Host->decided(T, V, W, Why, All);
  }

  hsched_policy P{};
  const std::string Path;
  PolicyHost *Host = nullptr;
  hsched_policy_host Table{};
  void *Self = nullptr; // The plug-in's object. Null: it did not start.
  std::atomic<bool> Complained{false};
  std::mutex Lock;
  std::deque<Task *> Stray; // Guarded by Lock.
  std::atomic<size_t> NumStray{0};
};

} // namespace

bool namesPlugin(const std::string &Name) { return Name.find('/') != std::string::npos; }

status loadPolicy(const std::string &Path, std::unique_ptr<Policy> &Out) {
  struct stat Facts;
  if (stat(Path.c_str(), &Facts) != 0)
    return status::error(errc::not_found, "policy " + Path + ": there is no such file");
  void *Handle = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Handle) {
    const char *Why = dlerror();
    return status::error(errc::unsupported, "policy " + Path + " cannot be loaded: " + (Why ? Why : "no reason given"));
  }
  auto Entry = reinterpret_cast<const hsched_policy *(*)()>(dlsym(Handle, "hsched_policy_entry"));
  if (!Entry)
    return status::error(errc::version_mismatch,
                         "policy " + Path + " has no function hsched_policy_entry: see <hsched/policy.h>");
  const hsched_policy *P = Entry();
  if (!P)
    return status::error(errc::unsupported, "policy " + Path + ": hsched_policy_entry returned null");
  auto versionOf = [](unsigned Interface) {
    return std::to_string(Interface / 1000) + "." + std::to_string(Interface % 1000);
  };
  if (P->interface / 1000 != HSCHED_POLICY_MAJOR || P->interface % 1000 > HSCHED_POLICY_MINOR)
    return status::error(errc::version_mismatch, "policy " + Path + " is made for interface " +
                                                     versionOf(P->interface) + ", this runtime has " +
                                                     versionOf(HSCHED_POLICY_INTERFACE) +
                                                     ": compile it with this runtime's <hsched/policy.h>");
  if (P->struct_bytes < offsetof(hsched_policy, pop) + sizeof(P->pop) || !P->name || !P->start || !P->push || !P->pop)
    return status::error(errc::invalid_argument,
                         "policy " + Path + " has to have struct_bytes, name, start, push and pop");
  Out = std::make_unique<PluginPolicy>(*P, Path);
  return {};
}

} // namespace hsched::rt
