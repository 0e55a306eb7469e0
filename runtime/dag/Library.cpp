// Implements hsched/dag.h with the loader and the runner.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/dag.h>

#include "dag/Fields.h"
#include "dag/Kinfo.h"
#include "dag/Run.h"

namespace hsched::dag {
namespace {

// The position in Name, which is a kernel's Id, a dot and the position of an argument. False: it is not.
bool argumentIn(const std::string &Name, const std::string &Id, size_t &Position) {
  constexpr size_t MostDigits = 4;
  const size_t Dot = Id.size();
  if (Name.size() <= Dot + 1 || Name.size() > Dot + 1 + MostDigits || !Name.starts_with(Id) || Name[Dot] != '.' ||
      Name.find_first_not_of("0123456789", Dot + 1) != std::string::npos)
    return false;
  Position = std::stoul(Name.substr(Dot + 1));
  return true;
}

// This library only throws its own error or bad_alloc.
template <class Fn> auto withOwnError(Fn &&Do) {
  try {
    return Do();
  } catch (const Error &E) {
    throw error(E.what());
  }
}

} // namespace

error::~error() = default;

struct graph::state {
  state(const std::string &Path, const settings &How) : How(How) {
    LoadOptions Loading;
    Loading.AllowPath = How.allow_path;
    Read = load(Path, Loading);
    ResolveOptions Resolving;
    Resolving.Symbols = How.symbols;
    Resolving.AllowPath = How.allow_path;
    Resolving.MostBytes = How.most_bytes;
    Resolving.OutputFolder = How.output;
    Whole = resolveChecked(Read, Resolving, How.check, "", Notes);
    Notes.insert(Notes.end(), Whole.Notes.begin(), Whole.Notes.end());
    Running.Repeat = How.repeat ? How.repeat : 1;
    Running.Map = How.devices;
    if (How.policy == "clustering" || (How.policy.empty() && Whole.HasComponents))
      Running.How = Dispatch::Clustering;
    else if (How.policy == "eager")
      Running.How = Dispatch::Eager;
    else if (How.policy == "heft")
      Running.How = Dispatch::Heft;
    else if (!How.policy.empty() && How.policy != "engine")
      throw Error("there is no policy " + quote(How.policy) + ": write clustering, eager, heft or engine");
  }

  uint32_t find(const std::string &Name, size_t Bytes) const {
    uint32_t Found = None;
    for (uint32_t I = 0; I < Whole.Data.size(); ++I)
      if (Whole.Data[I].Name == Name)
        Found = I;
    // The argument at an edge's end has the datum of the argument at its start.
    size_t Position = 0;
    for (const Kernel &K : Whole.Kernels)
      if (Found == None && argumentIn(Name, K.Id, Position) && Position < K.ArgDatum.size())
        Found = K.ArgDatum[Position];
    if (Found == None)
      throw Error(Whole.Path + ": there is no datum " + quote(Name));
    if (Whole.Data[Found].Bytes != Bytes)
      throw Error(Whole.Path + ": datum " + quote(Name) + " has " + std::to_string(Whole.Data[Found].Bytes) +
                  " bytes, not " + std::to_string(Bytes));
    return Found;
  }

  const settings How;
  Document Read; // Whole points into it.
  Graph Whole;
  RunOptions Running;
  std::vector<std::string> Notes;
};

graph::graph(const std::string &path, const settings &how)
    : own(withOwnError([&] { return std::make_unique<state>(path, how); })) {}
graph::~graph() = default;
graph::graph(graph &&) noexcept = default;
graph &graph::operator=(graph &&) noexcept = default;

std::vector<datum> graph::data() const {
  std::vector<datum> Out;
  for (const Datum &N : own->Whole.Data)
    Out.push_back({N.Name, N.Bytes, N.Begins, N.Result, N.Type.numpy()});
  return Out;
}

const std::vector<std::string> &graph::notes() const { return own->Notes; }

void graph::input(const std::string &name, const void *from, std::size_t bytes) {
  withOwnError([&] {
    const uint32_t N = own->find(name, bytes);
    if (!own->Whole.Data[N].Begins)
      throw Error(own->Whole.Path + ": datum " + quote(name) + " is not an input: a kernel overwrites it first");
    own->Running.InitialContents[N] = from;
  });
}

void graph::output(const std::string &name, void *to, std::size_t bytes) {
  withOwnError([&] {
    const uint32_t N = own->find(name, bytes);
    own->Whole.Data[N].Result |= own->Whole.Data[N].Written;
    own->Running.Destinations[N] = to;
  });
}

report graph::run() {
  return withOwnError([&] {
    RunReport Ran = dag::run(own->Whole, own->Running);
    return report{std::move(Ran.Seconds), std::move(Ran.Errors)};
  });
}

} // namespace hsched::dag
