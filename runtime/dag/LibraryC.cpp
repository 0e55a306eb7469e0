// Implements hsched/dag_c.h over hsched/dag.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hsched/dag.h>
#include <hsched/dag_c.h>

#include <algorithm>
#include <cstring>
#include <exception>

namespace {

thread_local std::string LastError;

} // namespace

struct hsched_dag {
  hsched_dag(const char *Path, const hsched::dag::settings &How) : Graph(Path, How), Data(Graph.data()) {}
  hsched::dag::graph Graph;
  const std::vector<hsched::dag::datum> Data;
  hsched::dag::report Last;
};

// No exception leaves the library.
template <class Fn> static bool succeeds(Fn &&Do) noexcept {
  try {
    try {
      Do();
      return true;
    } catch (const std::exception &E) {
      LastError = E.what();
    }
  } catch (const std::bad_alloc &) {
    LastError.clear();
  }
  return false;
}

static std::map<std::string, std::string> pairs(const char *const *Words) {
  std::map<std::string, std::string> Out;
  for (; Words && *Words; ++Words) {
    const char *Equal = std::strchr(*Words, '=');
    if (!Equal)
      throw hsched::dag::error("'" + std::string(*Words) + "' is not of the form name=value");
    Out[std::string(*Words, static_cast<size_t>(Equal - *Words))] = Equal + 1;
  }
  return Out;
}

// A struct that the caller forgot to give a size would be taken for one without members.
static size_t sizeOf(size_t StructBytes, size_t All) {
  if (StructBytes <= sizeof(size_t))
    throw hsched::dag::error("struct_bytes is not set: it is the size of the struct, " + std::to_string(All));
  return std::min(StructBytes, All);
}

static const char *required(const char *Text, const char *What) {
  if (!Text)
    throw hsched::dag::error(std::string(What) + " is null");
  return Text;
}

extern "C" {

hsched_dag *hsched_dag_open(const char *Path, const hsched_dag_settings *Settings) {
  hsched_dag *Out = nullptr;
  succeeds([&] {
    hsched_dag_settings S{};
    if (Settings)
      std::memcpy(&S, Settings, sizeOf(Settings->struct_bytes, sizeof(S)));
    hsched::dag::settings How;
    How.symbols = pairs(S.symbols);
    How.devices = pairs(S.devices);
    How.policy = S.policy ? S.policy : "";
    How.output = S.output ? S.output : "";
    How.repeat = S.repeat ? S.repeat : 1;
    How.most_bytes = S.most_bytes;
    How.allow_path = S.allow_path != 0;
    How.check = S.no_check == 0;
    Out = new hsched_dag(required(Path, "the path"), How);
  });
  return Out;
}

void hsched_dag_close(hsched_dag *Graph) { delete Graph; }

size_t hsched_dag_size(const hsched_dag *Graph) { return Graph->Data.size(); }

int hsched_dag_describe(hsched_dag *Graph, size_t Number, hsched_dag_datum *To) {
  return succeeds([&] {
    if (Number >= Graph->Data.size())
      throw hsched::dag::error("there are " + std::to_string(Graph->Data.size()) + " data, so none has number " +
                               std::to_string(Number));
    const hsched::dag::datum &D = Graph->Data[Number];
    const hsched_dag_datum All{To->struct_bytes, D.name.c_str(), D.numpy.c_str(), D.bytes, D.input, D.result};
    std::memcpy(To, &All, sizeOf(To->struct_bytes, sizeof(All)));
  });
}

int hsched_dag_input(hsched_dag *Graph, const char *Name, const void *From, size_t Bytes) {
  return succeeds([&] { Graph->Graph.input(required(Name, "the name"), From, Bytes); });
}

int hsched_dag_output(hsched_dag *Graph, const char *Name, void *To, size_t Bytes) {
  return succeeds([&] { Graph->Graph.output(required(Name, "the name"), To, Bytes); });
}

int hsched_dag_run(hsched_dag *Graph, double *Seconds, size_t N) {
  return succeeds([&] {
    Graph->Last = Graph->Graph.run();
    if (Seconds)
      std::copy_n(Graph->Last.seconds.begin(), std::min(N, Graph->Last.seconds.size()), Seconds);
  });
}

double hsched_dag_difference(const hsched_dag *Graph, const char *Name) {
  double Out = -1;
  succeeds([&] {
    if (auto At = Graph->Last.errors.find(Name); At != Graph->Last.errors.end())
      Out = At->second;
  });
  return Out;
}

const char *hsched_dag_error(void) { return LastError.empty() ? "there is no memory" : LastError.c_str(); }

} // extern "C"
