// JSON files of recorded runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/JsonField.h"
#include "trace/Record.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace hsched::rt::record {
namespace {

using json::Field;
using json::Json;

constexpr const char *Format = "hsched-record";
constexpr unsigned Version = 1;
constexpr const char *Fates[] = {"done", "failed", "cancelled", "unknown"};
constexpr double MostUs = 1e15, MostCount = 9e15;

// --- writing

double us(Ns Time) { return static_cast<double>(Time) / 1e3; }

std::string text(const Json &J) { return J.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json linkJson(const Link &L) { return {{"gbs", L.BytesPerSecond / 1e9}, {"latency_us", L.LatencyNs / 1e3}}; }

Json workerJson(const Worker &W) {
  Json J{{"id", W.Id}, {"name", W.Name}, {"type", W.Type}, {"model", W.Model}, {"memory", W.HasMemory}};
  if (W.ToDevice)
    J["to_device"] = linkJson(*W.ToDevice);
  if (W.ToHost)
    J["to_host"] = linkJson(*W.ToHost);
  return J;
}

Json sectionsJson(const std::vector<Section> &All) {
  Json List = Json::array();
  for (const Section &S : All) {
    Json J{{"of", S.Datum}, {"from", S.From}, {"bytes", S.Bytes}};
    if (!S.Mode.empty())
      J["mode"] = S.Mode;
    if (S.Rows > 1) {
      J["rows"] = S.Rows;
      J["stride"] = S.Stride;
    }
    List.push_back(std::move(J));
  }
  return List;
}

std::string hex(const std::vector<unsigned char> &Bytes) {
  std::string Out;
  for (unsigned char B : Bytes) {
    Out += "0123456789abcdef"[B >> 4];
    Out += "0123456789abcdef"[B & 15];
  }
  return Out;
}

Json otherJson(const Argument &A) {
  Json J{{"other", A.What}};
  if (A.Known)
    J["of"] = A.Datum;
  return J;
}

Json launchJson(const Launch &L) {
  Json Args = Json::array();
  for (const Argument &A : L.Args)
    Args.push_back(A.K == Argument::Value   ? Json{{"value", hex(A.ValueBytes)}}
                   : A.K == Argument::Other ? otherJson(A)
                   : A.K == Argument::Local ? Json{{"local", A.Bytes}}
                   : A.Known                ? Json{{"of", A.Datum}, {"from", A.From}}
                                            : Json{{"of", nullptr}});
  Json J{{"kernel", L.Kernel}, {"global", L.Global}, {"local", L.Local}, {"args", std::move(Args)}};
  if (!L.Offset.empty())
    J["offset"] = L.Offset;
  return J;
}

Json taskJson(const Record &R, const Task &T) {
  auto nameOf = [&](uint32_t W) { return R.Workers[W].Name; };
  Json J{{"id", T.Id}, {"task", T.Type}, {"label", T.Label}, {"bytes", T.Bytes}};
  if (T.Cost >= 0)
    J["cost"] = T.Cost;
  if (T.Parent)
    J["parent"] = T.Parent;
  if (T.Priority)
    J["priority"] = T.Priority;
  J["submitted_us"] = us(T.Submitted);
  J["after"] = T.After;
  if (R.Whole)
    J["sections"] = sectionsJson(T.Sections);
  Json Choices = Json::array();
  for (const Choice &C : T.Choices) {
    Json Candidates = Json::array();
    for (const Candidate &K : C.Candidates)
      Candidates.push_back({{"worker", nameOf(K.Worker)},
                            {"id", K.Worker},
                            {"version", K.Version},
                            {"run_us", K.Runs ? Json(us(K.Run)) : Json()},
                            {"runs", K.Runs},
                            {"transfer_us", us(K.Transfer)},
                            {"wait_us", us(K.Wait)}});
    Choices.push_back({{"at_us", us(C.At)},
                       {"worker", nameOf(C.Worker)},
                       {"id", C.Worker},
                       {"version", C.Version},
                       {"why", C.Why},
                       {"candidates", std::move(Candidates)}});
  }
  if (T.Launched)
    J["launch"] = launchJson(*T.Launched);
  J["choices"] = std::move(Choices); // Empty: it ran at its submission, or there was no choice.
  if (T.How != TaskOutcome::Unknown)
    J["ran"] = {
        {"worker", nameOf(T.Worker)}, {"id", T.Worker},      {"version", T.Version.empty() ? Json() : Json(T.Version)},
        {"begin_us", us(T.Begin)},    {"end_us", us(T.End)}, {"outcome", Fates[static_cast<size_t>(T.How)]}};
  return J;
}

template <class List, class Fn> void writeList(std::ostream &Out, const char *Name, const List &All, Fn Each) {
  Out << ",\n\"" << Name << "\":[";
  const char *Between = "\n";
  for (const auto &One : All)
    Out << std::exchange(Between, ",\n") << text(Each(One));
  Out << "\n]";
}

// --- reading

struct Reader {
  Record &R;
  bool AnyFormat = false;

  static Ns ns(const Field &F) { return static_cast<Ns>(F.notNegative(MostUs, ", in microseconds") * 1e3 + 0.5); }
  static uint64_t whole(const Field &F) { return static_cast<uint64_t>(F.notNegative(MostCount, "")); }
  static std::string anyText(const Field &F) { return F.string(); }
  uint32_t worker(const Field &F) const {
    const double Id = F.notNegative(4e9, "");
    if (Id >= static_cast<double>(R.Workers.size()))
      F.wrong("there is no such worker; workers lists " + std::to_string(R.Workers.size()));
    return static_cast<uint32_t>(Id);
  }

  void header(const std::string &Name, const Field &F) {
    if (Name == "format") {
      if (F.text() != Format)
        F.wrong(std::string("it is '") + F.text() + "'; a record of a run has '" + Format + "'");
      AnyFormat = true;
    } else if (Name == "policy") {
      R.Policy = F.text();
    } else if (Name == "contents") {
      R.Contents = F.text();
    } else if (Name == "version" && F.count(1000) != Version) {
      F.wrong("this program reads version 1 of records");
    }
  }

  void addWorker(const Field &F) {
    Worker W;
    W.Id = static_cast<uint32_t>(F["id"].notNegative(1e6, ""));
    if (W.Id != R.Workers.size())
      F["id"].wrong("workers are numbered from 0 on");
    W.Name = F["name"].text();
    W.Type = F["type"].text();
    W.Model = F["model"].text();
    W.HasMemory = F["memory"].truth();
    auto link = [&](const char *Name) -> std::optional<Link> {
      if (!F.has(Name))
        return std::nullopt;
      return Link{F[Name]["latency_us"].notNegative(1e9, "") * 1e3, F[Name]["gbs"].notNegative(1e9, "") * 1e9};
    };
    W.ToDevice = link("to_device");
    W.ToHost = link("to_host");
    R.Workers.push_back(std::move(W));
  }

  std::vector<Section> sections(const Field &F, bool WithModes = true) const {
    static constexpr const char *Modes[] = {"in", "out", "inout", "concurrent", "commutative", "reduction"};
    std::vector<Section> All;
    F.each([&](const Field &Each) {
      Section S;
      const uint64_t Datum = whole(Each["of"]);
      if (Datum >= R.Data.size())
        Each["of"].wrong("there is no such datum; data lists " + std::to_string(R.Data.size()));
      S.Datum = static_cast<uint32_t>(Datum);
      if (WithModes)
        S.Mode = Each["mode"].text();
      if (WithModes && std::ranges::find(Modes, S.Mode) == std::end(Modes))
        Each["mode"].wrong("there is no mode '" + S.Mode + "'");
      S.From = whole(Each["from"]);
      S.Bytes = whole(Each["bytes"]);
      if (Each.has("rows")) {
        S.Rows = whole(Each["rows"]);
        S.Stride = whole(Each["stride"]);
      }
      const double End = static_cast<double>(S.From) +
                         (static_cast<double>(S.Rows) - 1) * static_cast<double>(S.Stride) +
                         static_cast<double>(S.Bytes);
      if (!S.Rows || !S.Bytes || End > static_cast<double>(R.Data[S.Datum]))
        Each.wrong("it is empty, or ends behind its datum");
      All.push_back(std::move(S));
    });
    return All;
  }

  static std::vector<unsigned char> bytes(const Field &F) {
    const std::string Hex = anyText(F);
    auto digit = [&](char C) {
      const size_t At = std::string_view("0123456789abcdef").find(C);
      if (At == std::string_view::npos)
        F.wrong("a value is written as its bytes, in hexadecimal digits");
      return static_cast<unsigned char>(At);
    };
    std::vector<unsigned char> Out;
    for (size_t I = 0; I + 1 < Hex.size(); I += 2)
      Out.push_back(static_cast<unsigned char>(digit(Hex[I]) << 4 | digit(Hex[I + 1])));
    if (Hex.size() % 2)
      F.wrong("a byte has two digits");
    return Out;
  }

  uint32_t datum(const Field &F) const {
    const uint64_t Datum = whole(F);
    if (Datum >= R.Data.size())
      F.wrong("there is no such datum; data lists " + std::to_string(R.Data.size()));
    return static_cast<uint32_t>(Datum);
  }

  Launch launch(const Field &F) const {
    Launch L;
    const uint64_t Kernel = whole(F["kernel"]);
    if (Kernel >= R.Kernels.size())
      F["kernel"].wrong("there is no such kernel; kernels lists " + std::to_string(R.Kernels.size()));
    L.Kernel = static_cast<uint32_t>(Kernel);
    F["global"].each([&](const Field &Each) { L.Global.push_back(whole(Each)); });
    F["local"].each([&](const Field &Each) { L.Local.push_back(whole(Each)); });
    if (L.Global.empty() || L.Global.size() > 3 || (!L.Local.empty() && L.Local.size() != L.Global.size()))
      F["global"].wrong("a range has one to three sizes, and its work-groups as many or none");
    if (F.has("offset"))
      F["offset"].each([&](const Field &Each) { L.Offset.push_back(whole(Each)); });
    if (!L.Offset.empty() && L.Offset.size() != L.Global.size())
      F["offset"].wrong("an offset has as many numbers as the range has sizes");
    F["args"].each([&](const Field &Each) {
      Argument &A = L.Args.emplace_back();
      if (Each.has("value")) {
        A.ValueBytes = bytes(Each["value"]);
      } else if (Each.has("other")) {
        A.K = Argument::Other;
        A.What = anyText(Each["other"]);
        if ((A.Known = Each.has("of")))
          A.Datum = datum(Each["of"]);
      } else if (Each.has("local")) {
        A.K = Argument::Local;
        A.Bytes = whole(Each["local"]);
      } else {
        A.K = Argument::Buffer;
        A.Known = !Each["of"].isNull();
        if (!A.Known)
          return;
        A.Datum = datum(Each["of"]);
        A.From = whole(Each["from"]);
      }
    });
    return L;
  }

  Candidate candidate(const Field &F) const {
    Candidate C;
    C.Worker = worker(F["id"]);
    C.Version = F["version"].text();
    C.Runs = whole(F["runs"]);
    C.Run = F["run_us"].isNull() ? 0 : ns(F["run_us"]);
    C.Transfer = ns(F["transfer_us"]);
    C.Wait = ns(F["wait_us"]);
    return C;
  }

  void addTask(const Field &F) {
    Task T;
    T.Id = whole(F["id"]);
    if (!R.Tasks.empty() && T.Id <= R.Tasks.back().Id)
      F["id"].wrong("tasks are in order of their ids, each once");
    T.Type = anyText(F["task"]);
    T.Label = anyText(F["label"]);
    T.Bytes = whole(F["bytes"]);
    if (F.has("cost"))
      T.Cost = F["cost"].notNegative(1e300, "");
    if (F.has("parent"))
      T.Parent = whole(F["parent"]);
    if (F.has("priority"))
      T.Priority = F["priority"].integer();
    T.Submitted = ns(F["submitted_us"]);
    F["after"].each([&](const Field &Each) { T.After.push_back(whole(Each)); });
    if (F.has("sections")) {
      R.Whole = true;
      T.Sections = sections(F["sections"]);
    }
    if (F.has("launch"))
      T.Launched = launch(F["launch"]);
    F["choices"].each([&](const Field &Each) {
      Choice C{ns(Each["at_us"]), worker(Each["id"]), anyText(Each["version"]), anyText(Each["why"]), {}};
      Each["candidates"].each([&](const Field &K) { C.Candidates.push_back(candidate(K)); });
      T.Choices.push_back(std::move(C));
    });
    if (F.has("ran"))
      addRun(F["ran"], T);
    R.Tasks.push_back(std::move(T));
  }

  void addRun(const Field &F, Task &T) const {
    T.Worker = worker(F["id"]);
    T.Version = F["version"].isNull() ? "" : anyText(F["version"]);
    T.Begin = ns(F["begin_us"]);
    T.End = ns(F["end_us"]);
    if (T.End < T.Begin)
      F["end_us"].wrong("it ends before it begins");
    const std::string How = F["outcome"].text();
    auto It = std::ranges::find(Fates, How);
    if (It == std::end(Fates))
      F["outcome"].wrong("there is no outcome '" + How + "'; write done, failed, cancelled or unknown");
    T.How = static_cast<TaskOutcome>(It - std::begin(Fates));
  }

  void addTransfer(const Field &F) {
    R.Transfers.push_back({F["kind"].text(), worker(F["id"]), whole(F["for"]), whole(F["bytes"]), ns(F["begin_us"]),
                           ns(F["end_us"]), F.has("moved") ? sections(F["moved"], false) : std::vector<Section>()});
  }

  void addEviction(const Field &F) {
    R.Evictions.push_back({worker(F["id"]), ns(F["at_us"]), whole(F["bytes"]),
                           F.has("dropped") ? sections(F["dropped"], false) : std::vector<Section>()});
  }

  void addWait(const Field &F) {
    R.Waits.push_back({whole(F["within"]), whole(F["behind"]), ns(F["begin_us"]), ns(F["end_us"]), F["flush"].truth(),
                       F.has("sections") ? sections(F["sections"]) : std::vector<Section>()});
  }

  // Elements are converted while parsing, so a record of 100,000 tasks is not in memory twice.
  void element(const std::string &List, const Field &F) {
    if (List == "workers")
      addWorker(F);
    else if (List == "data")
      R.Data.push_back(whole(F));
    else if (List == "kernels")
      R.Kernels.push_back({F["name"].text(), anyText(F["file"]), anyText(F["options"]), anyText(F["source"])});
    else if (List == "tasks")
      addTask(F);
    else if (List == "transfers")
      addTransfer(F);
    else if (List == "evictions")
      addEviction(F);
    else if (List == "waits")
      addWait(F);
  }
};

} // namespace

const Task *Record::find(uint64_t Id) const {
  auto It = std::ranges::lower_bound(Tasks, Id, {}, &Task::Id);
  return It != Tasks.end() && It->Id == Id ? &*It : nullptr;
}

bool writeRecord(std::ostream &Out, const Record &R) {
  Out << "{\"format\":\"" << Format << "\",\"version\":" << Version;
  if (!R.Policy.empty())
    Out << ",\"policy\":" << text(Json(R.Policy));
  writeList(Out, "workers", R.Workers, workerJson);
  if (!R.Contents.empty())
    Out << ",\"contents\":" << text(Json(R.Contents));
  if (R.Whole)
    writeList(Out, "data", R.Data, [](uint64_t Bytes) { return Json(Bytes); });
  if (!R.Kernels.empty())
    writeList(Out, "kernels", R.Kernels, [](const Kernel &K) {
      return Json{{"name", K.Name}, {"file", K.File}, {"options", K.Options}, {"source", K.Source}};
    });
  writeList(Out, "tasks", R.Tasks, [&](const Task &T) { return taskJson(R, T); });
  writeList(Out, "transfers", R.Transfers, [&](const Transfer &T) {
    Json J{{"kind", T.Kind},     {"worker", R.Workers[T.Worker].Name},
           {"id", T.Worker},     {"for", T.For},
           {"bytes", T.Bytes},   {"begin_us", us(T.Begin)},
           {"end_us", us(T.End)}};
    if (!T.Moved.empty())
      J["moved"] = sectionsJson(T.Moved);
    return J;
  });
  if (!R.Evictions.empty())
    writeList(Out, "evictions", R.Evictions, [&](const Eviction &E) {
      Json J{{"worker", R.Workers[E.Worker].Name}, {"id", E.Worker}, {"at_us", us(E.At)}, {"bytes", E.Bytes}};
      if (!E.Dropped.empty())
        J["dropped"] = sectionsJson(E.Dropped);
      return J;
    });
  writeList(Out, "waits", R.Waits, [&](const Wait &W) {
    Json J{{"within", W.Within},
           {"behind", W.Behind},
           {"begin_us", us(W.Begin)},
           {"end_us", us(W.End)},
           {"flush", W.Flush}};
    if (!W.Sections.empty())
      J["sections"] = sectionsJson(W.Sections);
    return J;
  });
  Out << "\n}\n";
  return static_cast<bool>(Out.flush());
}

status parseRecord(const std::string &Text, const std::string &Name, Record &Out) {
  Record New;
  Reader Read{New};
  status Parsed = json::parseElements(
      Text, Name, [&](const std::string &List, const Field &F) { Read.element(List, F); },
      [&](const std::string &Member, const Field &F) { Read.header(Member, F); });
  if (!Parsed.ok())
    return Parsed;
  if (!Read.AnyFormat)
    return status::error(errc::invalid_argument,
                         Name + ": this is not a record of a run; HSCHED_EXPLAIN and HSCHED_RECORD write them");
  Out = std::move(New);
  return {};
}

status readRecord(const std::string &File, Record &Out) {
  std::string Text;
  if (status Loaded = json::load(File, "record", Text); !Loaded.ok())
    return Loaded;
  return parseRecord(Text, File, Out);
}

} // namespace hsched::rt::record
