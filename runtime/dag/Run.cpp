// Runs a graph as tasks of the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Run.h"
#include "dag/Data.h"
#include "dag/Fields.h"
#include "dag/RunState.h"

#include <hsched/hsched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace hsched::dag {
namespace {

// Alignment of data: what devices require of buffers.
constexpr size_t Alignment = 4096, SmallAlignment = 512;

void fillLaunch(const void *Args, hsched_ndrange *Range, hsched_kernel_arg *Out) {
  const PackedLaunch &L = *static_cast<const LaunchArgs *>(Args)->What;
  *Range = L.Range;
  for (unsigned I = 0; I < L.NumArgs; ++I) {
    const PackedLaunch::Arg &From = L.Args[I];
    hsched_kernel_arg &To = Out[I];
    To.kind = From.Kind;
    To.param = HSCHED_NO_PARAM;
    To.bytes = From.Bytes;
    (From.Kind == HSCHED_ARG_BUFFER ? To.pointer : To.value) = From.At;
  }
}

std::vector<Traffic> moved() {
  std::vector<hsched_traffic> Raw(
      hsched_traffic_snapshot(HSCHED_TRAFFIC_BY_DEVICE, nullptr, 0, sizeof(hsched_traffic)));
  Raw.resize(
      std::min(Raw.size(), hsched_traffic_snapshot(HSCHED_TRAFFIC_BY_DEVICE, Raw.data(), Raw.size(), sizeof(Raw[0]))));
  std::vector<Traffic> Out;
  for (const hsched_traffic &T : Raw)
    Out.push_back({T.device, T.input_bytes, T.output_bytes, T.device_bytes, T.inputs, T.outputs, T.device_copies});
  return Out;
}

} // namespace

std::vector<unsigned> devicesMeant(std::string Word, const std::map<std::string, std::string> &Map,
                                   const std::vector<std::string> &Names, const std::vector<unsigned> &Types) {
  if (auto At = Map.find(Word); At != Map.end())
    Word = At->second == "any" ? "" : At->second;
  std::vector<unsigned> Out;
  if (!Word.empty() && Word.size() <= 4 && Word.find_first_not_of("0123456789") == std::string::npos) {
    if (const unsigned long N = std::stoul(Word); N < Names.size())
      Out.push_back(static_cast<unsigned>(N));
    return Out;
  }
  const unsigned Type = Word == "cpu"           ? HSCHED_TYPE_CPU
                        : Word == "gpu"         ? HSCHED_TYPE_GPU
                        : Word == "accelerator" ? HSCHED_TYPE_ACCELERATOR
                                                : HSCHED_TYPE_ANY;
  for (unsigned N = 0; N < Names.size(); ++N)
    if (Type != HSCHED_TYPE_ANY ? Types[N] == Type : Names[N].find(Word) != std::string::npos)
      Out.push_back(N);
  return Out;
}

// A kernel function as a type of tasks. The engine keeps its description by pointer, so it lives as long as the
// process. Graphs with the same function share one.
struct RunState::Type {
  Type(const Program &From, unsigned NumArgs, size_t Number)
      : NumArgs(NumArgs), Name(From.Kernel + (From.File.empty() ? "" : " of " + From.File)), File(From.File),
        Function(From.Kernel), Options(From.Options), LinkerName("hsched_dag." + std::to_string(Number)),
        Text(From.Text) {
    Kernel.struct_bytes = sizeof(Kernel);
    Kernel.file = File.c_str();
    Kernel.name = Kernel.entry = Function.c_str();
    Kernel.source = Text->Text.data();
    Kernel.source_bytes = Text->Text.size();
    Kernel.options = Options.c_str();
    Kernel.n_args = NumArgs;
    Kernel.fill = fillLaunch;
    Version.struct_bytes = sizeof(Version);
    Version.linker_name = LinkerName.c_str();
    Version.name = Function.c_str();
    Version.file = File.c_str();
    Version.device = HSCHED_DEVICE_OPENCL;
    Version.kernel = &Kernel;
    Task.struct_bytes = sizeof(Task);
    Task.abi_major = HSCHED_ABI_MAJOR;
    Task.abi_minor = HSCHED_ABI_MINOR;
    Task.linker_name = LinkerName.c_str();
    Task.name = Name.c_str();
    Task.file = File.c_str();
    Task.args_bytes = sizeof(LaunchArgs);
    Task.args_align = alignof(LaunchArgs);
    hsched_register_version(LinkerName.c_str(), &Version);
    Engine = hsched_register_task(&Task);
  }

  static Type &of(const Program &P, unsigned NumArgs) {
    static std::mutex Lock;
    static auto *const All = new std::map<std::string, std::unique_ptr<Type>>;
    std::string Key =
        P.Kernel + '\n' + P.File + '\n' + P.Options + '\n' + std::to_string(NumArgs) + '\n' + P.Text->Text;
    std::lock_guard Guard(Lock);
    std::unique_ptr<Type> &Known = (*All)[std::move(Key)];
    if (!Known)
      Known = std::make_unique<Type>(P, NumArgs, All->size());
    return *Known;
  }

  const unsigned NumArgs;
  const std::string Name, File, Function, Options, LinkerName;
  const SourceRef Text;
  hsched_kernel_desc Kernel{};
  hsched_version_desc Version{};
  hsched_task_desc Task{};
  hsched_task_type *Engine = nullptr;
};

RunState::RunState(const Graph &G, const RunOptions &Options)
    : G(G), Options(Options), Engine(hsched::engine::process()), Placed(G.Kernels.size()) {
  makeTypes(); // First, because the engine searches for devices at its start only if some version needs them.
  findDevices();
  for (const Datum &N : G.Data) {
    const size_t To = N.Bytes < Alignment ? SmallAlignment : Alignment;
    ArenaBytes = (ArenaBytes + To - 1) / To * To + N.Bytes;
  }
  Arena = static_cast<std::byte *>(hsched_malloc(std::max<size_t>(ArenaBytes, 1)));
  if (!Arena)
    throw Error(G.Path + ": there is no memory for " + std::to_string(ArenaBytes) + " bytes of data");
  size_t At = 0;
  for (const Datum &N : G.Data) {
    const size_t To = N.Bytes < Alignment ? SmallAlignment : Alignment;
    At = (At + To - 1) / To * To;
    Memory.push_back(Arena + At);
    At += N.Bytes;
  }
  packLaunches();
}

hsched_task_type *RunState::typeOf(const Kernel &K) const { return Types[K.Program]->Engine; }

RunState::~RunState() { hsched_free(Arena); }

void RunState::findDevices() {
  Workers = Engine.workers();
  for (unsigned I = 0; I < Workers.size(); ++I)
    if (Workers[I].device == HSCHED_DEVICE_OPENCL) {
      Devices.push_back(I);
      Report.Devices.push_back(Workers[I].name);
      Report.DeviceTypes.push_back(Workers[I].device_type);
    }
  if (Devices.empty()) {
    const char *Chosen = std::getenv("HSCHED_OPENCL");
    const bool Any = !Chosen || !*Chosen || std::strcmp(Chosen, "all") == 0 || std::strcmp(Chosen, "auto") == 0;
    throw Error(G.Path + ": there is no OpenCL device to run kernels on" +
                (Any ? "" : " where " + quote(Chosen) + " are the devices to use") +
                "; hsched-info says what there is");
  }
  for (const Kernel &K : G.Kernels)
    for (const Launch &L : K.Launches) {
      auto [At, New] = ByDevice.emplace(L.Device, std::vector<unsigned>());
      if (!New)
        continue;
      At->second = matching(L.Device);
      if (At->second.empty()) {
        std::string Names;
        for (unsigned D : Devices)
          Names += (Names.empty() ? quote(Workers[D].name) : ", " + quote(Workers[D].name));
        deviceAt(K).fail("there is no device " + quote(L.Device) + ": there " + (Devices.size() == 1 ? "is " : "are ") +
                         Names + "; --map " + L.Device + "=... takes another one for it");
      }
    }
}

Place RunState::deviceAt(const Kernel &K) const {
  if (K.Doc && !K.Doc->Device.empty())
    return K.Doc->Device.At;
  return K.Doc && !K.Doc->Partition.empty() ? K.Doc->Partition.At : K.At;
}

std::vector<unsigned> RunState::matching(const std::string &Device) const {
  std::vector<unsigned> Out;
  for (unsigned N : devicesMeant(Device, Options.Map, Report.Devices, Report.DeviceTypes))
    Out.push_back(Devices[N]);
  return Out;
}

void RunState::makeTypes() {
  Types.resize(G.Programs.size());
  for (const Kernel &K : G.Kernels) {
    if (!Types[K.Program]) // All kernels of a program have the same number of arguments.
      Types[K.Program] = &Type::of(G.Programs[K.Program], static_cast<unsigned>(K.Launches[0].Args.size()));
  }
}

const std::vector<unsigned> &RunState::allowed(uint32_t Kernel, size_t Part) const {
  return ByDevice.at(G.Kernels[Kernel].Launches[Part].Device);
}

unsigned RunState::besideOn(unsigned Worker) const {
  auto At = Options.Beside.find(Workers[Worker].device_type);
  return At == Options.Beside.end() ? 0 : std::min(At->second, Workers[Worker].queues);
}

void RunState::placed(uint32_t Kernel, unsigned Worker) {
  std::lock_guard Guard(Lock);
  Placed[Kernel] += (Placed[Kernel].empty() ? "" : "+") + Workers[Worker].name;
}

void RunState::begin() {
  hsched_discard(Arena, ArenaBytes);
  for (uint32_t I = 0; I < G.Data.size(); ++I)
    if (G.Data[I].Begins && (Number == 0 || G.Data[I].Written)) {
      if (auto Own = Options.InitialContents.find(I); Own != Options.InitialContents.end())
        std::memcpy(Memory[I], Own->second, G.Data[I].Bytes);
      else
        fill(G.Data[I], Memory[I]);
    }
  Ended = 0;
  Placed.assign(G.Kernels.size(), "");
}

void RunState::noteFailure(uint32_t Kernel) {
  std::lock_guard Guard(Lock);
  if (Failed == None)
    Failed = Kernel;
}

namespace {

// Context of a completion callback.
struct Ending {
  RunState &S;
  uint32_t Kernel;
  std::function<void(hsched::outcome)> OnEnd;
};

} // namespace

void RunState::submitPlain(const PackedLaunch &L) { // As in generated code.
  hsched_access *Accesses;
  void *To;
  hsched_task *Task = hsched_task_begin(L.Type, L.NumAccesses, &Accesses, &To);
  new (To) LaunchArgs{&L};
  std::copy_n(L.Accesses, L.NumAccesses, Accesses);
  hsched_task_submit(Task, &L.Hints);
}

hsched::task RunState::submit(const PackedLaunch &L, const TaskOptions &How) {
  if (How.plain() && !Options.Progress) {
    submitPlain(L);
    return {};
  }
  LaunchArgs Args{&L};
  std::vector<hsched_ref *> After;
  for (const hsched::task &T : How.After)
    After.push_back(T.get());
  hsched_placement Where{};
  Where.struct_bytes = sizeof(Where);
  Where.workers = How.Workers.empty() ? nullptr : How.Workers.data();
  Where.n_workers = static_cast<unsigned>(How.Workers.size());
  Where.component = How.Together;
  if (How.Queue) {
    Where.flags = HSCHED_PLACEMENT_QUEUE;
    Where.queue = *How.Queue;
  }
  auto End = std::make_unique<Ending>(Ending{*this, L.Kernel, How.OnEnd});
  hsched_submission What{};
  What.struct_bytes = sizeof(What);
  What.type = L.Type;
  What.options = &L.Hints;
  What.accesses = L.Accesses;
  What.n_accesses = L.NumAccesses;
  What.args = &Args;
  What.after = After.data();
  What.n_after = static_cast<unsigned>(After.size());
  What.placement = &Where;
  What.ended_data = End.get();
  What.ended = [](void *Data, int Outcome) {
    const std::unique_ptr<Ending> Own(static_cast<Ending *>(Data));
    RunState &S = Own->S;
    if (Outcome == HSCHED_FAILED)
      S.noteFailure(Own->Kernel);
    const size_t Now = ++S.Ended;
    if (S.Options.Progress)
      S.Options.Progress(S.Number, Now, S.G.Kernels.size());
    if (Own->OnEnd)
      Own->OnEnd(static_cast<hsched::outcome>(Outcome));
  };
  hsched_ref *Ref = nullptr;
  hsched_submit(nullptr, &What, How.NeedsReference ? &Ref : nullptr);
  (void)End.release();
  return hsched::task(Ref);
}

void RunState::wait() {
  try {
    hsched_taskwait(HSCHED_WAIT_NOFLUSH);
  } catch (const hsched::task_error &E) {
    if (!Why.empty())
      return;
    Why = E.what();
    // Its label is the kernel's id.
    for (uint32_t I = 0; I < G.Kernels.size(); ++I)
      if (G.Kernels[I].Id == E.task()) {
        std::lock_guard Guard(Lock);
        Failed = I;
      }
  } catch (const std::exception &E) {
    if (Why.empty())
      Why = E.what();
  }
}

namespace {

// The value that a driver refused because of its size, from the OpenCL backend's message; null: it was something else.
const ArgDoc *refusedSize(const Kernel &K, const std::string &Why) {
  constexpr std::string_view Word = "argument ";
  const size_t End = Why.find(" bytes: CL_INVALID_ARG_SIZE");
  const size_t At = End == std::string::npos ? End : Why.rfind(Word, End);
  if (At == std::string::npos || !K.Doc)
    return nullptr;
  const size_t Position = std::strtoul(Why.c_str() + At + Word.size(), nullptr, 10);
  return Position < K.Doc->Args.size() && K.Doc->Args[Position].R == ArgDoc::Value ? &K.Doc->Args[Position] : nullptr;
}

} // namespace

void RunState::finish() {
  wait();
  try {
    if (!Home.empty() && Why.empty())
      hsched_taskwait_on(Home.data(), static_cast<unsigned>(Home.size()), 0);
  } catch (const std::exception &E) {
    Why = E.what();
  }
  std::lock_guard Guard(Lock);
  if (Failed != None) {
    const Kernel &K = G.Kernels[Failed];
    const std::string Name =
        "kernel " + quote(G.Programs[K.Program].Kernel) + " of " + quote(G.Programs[K.Program].File);
    // The engine ignores disabled versions; the log has the reason.
    if (Why.find("needs an OpenCL device") != std::string::npos)
      K.At.fail(Name + " could be neither built nor run on its device; HSCHED_LOG=warning says why");
    std::replace(Why.begin(), Why.end(), '\n', ' ');
    if (const ArgDoc *Arg = refusedSize(K, Why))
      Arg->Type.At.fail(Name + " has a parameter of another size there: a value of type " + quote(Arg->Type.S) +
                        " has " + std::to_string(dag::typeOf(Arg->Type).bytes()) + " bytes (" +
                        Why.substr(std::min(Why.rfind("kernel '"), Why.size())) + ")");
    K.At.fail(Name + ": " + (Why.empty() ? "it failed" : Why));
  }
  if (!Why.empty())
    throw Error(G.Path + ": " + Why);
  Report.PlacedOn = Placed;
}

namespace {

// A queue for each kernel, the same one for all that edges connect; groups of equal cost take turns. Empty: the engine
// chooses. A policy chooses among devices: with one device the graph tells all that matters, unless kernels have
// priorities.
std::vector<unsigned> queuesByEdges(const RunState &S) {
  const Graph &G = S.G;
  const unsigned Queues = S.devices().size() == 1 ? S.besideOn(S.devices()[0]) : 0;
  if (!Queues || std::any_of(G.Kernels.begin(), G.Kernels.end(), [](const Kernel &K) { return K.Priority != 0; }))
    return {};
  std::vector<uint32_t> Group(G.Kernels.size());
  std::iota(Group.begin(), Group.end(), 0);
  auto Find = [&](uint32_t K) {
    while (Group[K] != K)
      K = Group[K] = Group[Group[K]];
    return K;
  };
  for (uint32_t K : G.Order)
    for (uint32_t B : G.Kernels[K].Before)
      Group[Find(K)] = Find(B);
  std::vector<double> Cost(G.Kernels.size()), Load(Queues);
  size_t Groups = 0;
  for (uint32_t K : G.Order) {
    Cost[Find(K)] += G.Kernels[K].Cost;
    Groups += Find(K) == K;
  }
  if (Groups < 2 && Queues > 1)
    return {};
  std::vector<unsigned> Out(G.Kernels.size(), Queues);
  for (uint32_t K : G.Order) {
    unsigned &Of = Out[Find(K)];
    if (Of == Queues) {
      Of = static_cast<unsigned>(std::min_element(Load.begin(), Load.end()) - Load.begin());
      Load[Of] += Cost[Find(K)];
    }
    Out[K] = Of;
  }
  return Out;
}

} // namespace

void submitAll(RunState &S) {
  const Graph &G = S.G;
  const std::vector<unsigned> Queues = queuesByEdges(S);
  std::vector<hsched::component> Together;
  std::vector<size_t> ComponentOf(G.Components.size(), SIZE_MAX);
  if (G.HasComponents)
    for (size_t C = 0; C < G.Components.size(); ++C)
      if (G.Components[C].Kernels.size() > 1) {
        ComponentOf[C] = Together.size();
        Together.push_back(S.Engine.make_component("component " + std::to_string(C)));
      }
  // Kernels with successors that the data do not imply.
  std::vector<bool> NeedsReference(G.Kernels.size());
  for (const Kernel &K : G.Kernels)
    for (uint32_t First : K.After)
      NeedsReference[First] = true;
  std::map<uint32_t, std::vector<hsched::task>> Earlier;
  for (const PackedLaunch &L : S.launches()) {
    if (L.Plain && !NeedsReference[L.Kernel] && Queues.empty()) {
      S.submitPlain(L);
      continue;
    }
    const Kernel &K = G.Kernels[L.Kernel];
    RunState::TaskOptions How;
    if (const std::vector<unsigned> &Allowed = S.allowed(L.Kernel, L.Part); Allowed.size() < S.devices().size())
      How.Workers = Allowed;
    if (!Queues.empty()) {
      How.Workers = S.devices();
      How.Queue = Queues[L.Kernel];
    }
    if (ComponentOf[K.Component] != SIZE_MAX && Queues.empty())
      How.Together = Together[ComponentOf[K.Component]].get();
    for (uint32_t First : K.After)
      for (const hsched::task &T : Earlier[First])
        How.After.push_back(T);
    How.NeedsReference = NeedsReference[L.Kernel];
    hsched::task T = S.submit(L, How);
    if (How.NeedsReference)
      Earlier[L.Kernel].push_back(std::move(T));
  }
}

RunReport run(const Graph &G, const RunOptions &Options) {
  RunState S(G, Options);
  for (; S.Number < Options.Repeat; ++S.Number) {
    S.begin();
    const auto Begin = std::chrono::steady_clock::now();
    try {
      Options.How == Dispatch::Engine ? submitAll(S) : dispatch(S);
    } catch (...) {
      S.wait(); // No task may run that points to freed memory.
      throw;
    }
    S.finish();
    S.Report.Seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin).count());
  }
  for (const auto &[I, To] : Options.Destinations)
    std::memcpy(To, S.memory(I), G.Data[I].Bytes);
  for (uint32_t I = 0; I < G.Data.size(); ++I) {
    if (!G.Data[I].Output.empty())
      save(G.Data[I], S.memory(I), G.Data[I].Output);
    if (!G.Data[I].ExpectFile.empty())
      S.Report.Errors[G.Data[I].Name] = compare(G.Data[I], S.memory(I));
  }
  S.Report.Moved = moved();
  return std::move(S.Report);
}

} // namespace hsched::dag
