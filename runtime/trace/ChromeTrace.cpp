// The Chrome trace writer: JSON that chrome://tracing and Perfetto open.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format: "Trace Event Format", Google, 2016. The writer uses M for names and the order of rows, X for runs and
// transfers, and i for cancelled tasks. Dependences are s and f. Sums of bytes and of look-ups are C, for each device.
// Times are microseconds from the first event, with nanoseconds as decimals.
#include "base/Log.h"
#include "trace/Shards.h"
#include "trace/Writers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cfloat>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hsched::rt {
namespace {

struct Run {
  RunRecord Record; // Label is dangling: see OwnLabel.
  std::string OwnLabel;
};

struct Collected {
  std::vector<RowRecord> Rows;
  std::vector<std::pair<TaskId, TaskId>> Dependences;
  std::vector<std::pair<TaskId, TaskId>> Parents;    // Child and parent; nested tasks only.
  std::vector<std::pair<TaskId, std::string>> Modes; // Modes of tasks with unordered sections.
  std::vector<Run> Runs;
  std::vector<TransferRecord> Transfers;
  std::vector<LookupRecord> Lookups;
};

// A JSON string literal. Bytes that are no UTF-8 are replaced.
std::string quoted(const std::string &Text) {
  return nlohmann::json(Text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const char *nameOf(Outcome How) {
  switch (How) {
  case Outcome::Done:
    return "done";
  case Outcome::Failed:
    return "failed";
  case Outcome::Cancelled:
    return "cancelled";
  }
  return "";
}

const char *nameOf(TransferKind Kind) {
  switch (Kind) {
  case TransferKind::HostToDevice:
    return "host to device";
  case TransferKind::DeviceToHost:
    return "device to host";
  case TransferKind::DeviceToDevice:
    return "device to device";
  case TransferKind::WithinDevice:
    return "within the device";
  }
  return "";
}

class ChromeTrace final : public Observer {
public:
  ChromeTrace(std::string Path, FILE *File) : Path(std::move(Path)), File(File) {}
  ~ChromeTrace() override {
    if (File)
      std::fclose(File);
  }

  bool wantsEachTask() const override { return false; }
  bool wantsLog() const override { return true; }
  void rowAdded(const RowRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Rows.push_back(R); });
  }
  void submitted(const SubmitRecord &R) override {
    if (R.Parent)
      Parts.withOwn([&](Collected &C) { C.Parents.emplace_back(R.Id, R.Parent); });
    if (std::strstr(R.Modes, "co") || std::strstr(R.Modes, "red"))
      Parts.withOwn([&](Collected &C) { C.Modes.emplace_back(R.Id, R.Modes); });
  }
  void dependence(TaskId From, TaskId To) override {
    Parts.withOwn([&](Collected &C) { C.Dependences.emplace_back(From, To); });
  }
  void ran(const RunRecord &R) override {
    std::string Label = R.Label && R.Label != R.Task ? R.Label : "";
    Parts.withOwn([&](Collected &C) { C.Runs.push_back({R, std::move(Label)}); });
  }
  void transferred(const TransferRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Transfers.push_back(R); });
  }
  void cacheLookup(const LookupRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Lookups.push_back(R); });
  }

  void finished() override {
    if (!File)
      return;
    gather();
    print("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"hsched\"}}");
    writeRows();
    writeRuns();
    writeTransfers();
    writeCounters();
    writeFlows();
    print("\n]}\n");
    bool Bad = std::ferror(File) != 0;
    Bad = std::fclose(std::exchange(File, nullptr)) != 0 || Bad;
    if (Bad)
      log(LogLevel::Warning, "the trace %s is incomplete: %s", Path.c_str(), std::strerror(errno));
  }

private:
  void print(const char *Format, ...) __attribute__((format(printf, 2, 3))) {
    va_list Args;
    va_start(Args, Format);
    std::vfprintf(File, Format, Args);
    va_end(Args);
  }

  void gather() {
    Parts.forEach([&](Collected &C) {
      moveAll(C.Rows, All.Rows);
      moveAll(C.Dependences, All.Dependences);
      moveAll(C.Parents, All.Parents);
      moveAll(C.Modes, All.Modes);
      moveAll(C.Runs, All.Runs);
      moveAll(C.Transfers, All.Transfers);
      moveAll(C.Lookups, All.Lookups);
    });
    std::ranges::sort(All.Rows, {}, &RowRecord::Id);
    Origin = TimePoint::max();
    for (const Run &R : All.Runs)
      Origin = std::min(Origin, R.Record.Ran.Begin);
    for (const TransferRecord &R : All.Transfers)
      Origin = std::min(Origin, R.Ran.Begin);
  }

  // A row is a thread of the one process. Numbers start at 1, because thread 0 has a special meaning for some readers.
  static unsigned threadOf(RowId Row) { return Row + 1; }

  std::string stamp(TimePoint At) const { return decimals(At - Origin); }
  static std::string decimals(Duration D) {
    int64_t Ns = std::max<int64_t>(D.count(), 0);
    char Text[32];
    std::snprintf(Text, sizeof(Text), "%" PRId64 ".%03d", Ns / 1000, static_cast<int>(Ns % 1000));
    return Text;
  }

  void writeRows() {
    unsigned Order = 0;
    for (const RowRecord &R : All.Rows) {
      print(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":%s}}", threadOf(R.Id),
            quoted(R.Name).c_str());
      print(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
            threadOf(R.Id), Order++);
    }
  }

  void writeRuns() {
    std::unordered_map<TaskId, TaskId> ParentOf(All.Parents.begin(), All.Parents.end());
    std::unordered_map<TaskId, std::string> ModesOf(All.Modes.begin(), All.Modes.end());
    for (const Run &Each : All.Runs) {
      const RunRecord &R = Each.Record;
      const std::string Task = R.Task ? R.Task : "", &Label = Each.OwnLabel.empty() ? Task : Each.OwnLabel;
      if (R.How == Outcome::Cancelled)
        print(",\n{\"ph\":\"i\",\"s\":\"t\"");
      else
        print(",\n{\"ph\":\"X\",\"dur\":%s", decimals(R.Ran.length()).c_str());
      print(",\"pid\":1,\"tid\":%u,\"ts\":%s,\"cat\":\"task\",\"name\":%s,\"args\":{\"id\":%" PRIu64
            ",\"task\":%s,\"version\":%s,\"bytes\":%" PRIu64 ",\"outcome\":\"%s\"",
            threadOf(R.Row), stamp(R.Ran.Begin).c_str(), quoted(Label).c_str(), R.Id, quoted(Task).c_str(),
            R.Version ? quoted(R.Version).c_str() : "null", R.DataBytes, nameOf(R.How));
      if (R.Cost >= 0 && R.Cost <= DBL_MAX)
        print(",\"cost\":%.17g", R.Cost);
      if (auto It = ModesOf.find(R.Id); It != ModesOf.end())
        print(",\"modes\":%s", quoted(std::as_const(It->second)).c_str());
      if (auto It = ParentOf.find(R.Id); It != ParentOf.end())
        print(",\"parent\":%" PRIu64, It->second);
      print("}}");
    }
  }

  void writeTransfers() {
    for (const TransferRecord &R : All.Transfers) {
      Duration Took = R.Ran.length();
      print(",\n{\"ph\":\"X\",\"dur\":%s,\"pid\":1,\"tid\":%u,\"ts\":%s,\"cat\":\"transfer\",\"name\":\"%s\","
            "\"args\":{\"bytes\":%" PRIu64,
            decimals(Took).c_str(), threadOf(R.Row), stamp(R.Ran.Begin).c_str(), nameOf(R.Kind), R.Bytes);
      if (Took > Duration(0)) // Bytes per nanosecond are GB/s.
        print(",\"GB/s\":%.3f", static_cast<double>(R.Bytes) / static_cast<double>(Took.count()));
      if (R.For)
        print(",\"task\":%" PRIu64, R.For);
      if (R.Task)
        print(",\"type\":%s", quoted(R.Task).c_str());
      if (R.From != NoWorker)
        print(",\"from\":%s", quoted(deviceName(R.From)).c_str());
      print("}}");
    }
  }

  // A device's name, from the name of its upload row.
  std::string deviceName(uint32_t Worker) const {
    for (const RowRecord &R : All.Rows)
      if (R.Worker == Worker && R.Kind == RowKind::DeviceUpload)
        return R.Name.substr(0, R.Name.rfind(' '));
    return "device " + std::to_string(Worker);
  }

  // Cumulative transfers to and from each device, and its hit counts, as counter tracks.
  void writeCounters() {
    std::ranges::stable_sort(All.Transfers, {}, [](const TransferRecord &R) { return R.Ran.End; });
    std::ranges::stable_sort(All.Lookups, {}, &LookupRecord::At);
    std::unordered_map<uint32_t, std::string> Names;
    auto begin = [&](uint32_t Worker, TimePoint At, const char *What) {
      auto [It, New] = Names.try_emplace(Worker);
      if (New)
        It->second = deviceName(Worker);
      print(",\n{\"ph\":\"C\",\"pid\":1,\"ts\":%s,\"name\":%s,\"args\":{", stamp(At).c_str(),
            quoted(It->second + What).c_str());
    };
    std::unordered_map<uint32_t, std::array<uint64_t, NumTransferKinds>> Moved;
    for (const TransferRecord &R : All.Transfers) {
      auto &Sum = Moved[R.Worker];
      Sum[static_cast<size_t>(R.Kind)] += R.Bytes;
      begin(R.Worker, R.Ran.End, " bytes");
      print("\"input\":%" PRIu64 ",\"output\":%" PRIu64 ",\"device\":%" PRIu64 "}}",
            Sum[static_cast<size_t>(TransferKind::HostToDevice)], Sum[static_cast<size_t>(TransferKind::DeviceToHost)],
            Sum[static_cast<size_t>(TransferKind::DeviceToDevice)]);
    }
    std::unordered_map<uint32_t, std::pair<uint64_t, uint64_t>> Found;
    for (const LookupRecord &R : All.Lookups) {
      auto &[Hits, Lookups] = Found[R.Worker];
      Hits += R.Hit;
      ++Lookups;
      begin(R.Worker, R.At, " cache");
      print("\"hits\":%" PRIu64 ",\"misses\":%" PRIu64 "}}", Hits, Lookups - Hits);
    }
  }

  // An arrow binds to the slice that encloses its end. So it begins within the last nanosecond of one run and ends at
  // the beginning of the other. Tasks that never ran have no arrows.
  void writeFlows() {
    std::unordered_map<TaskId, const RunRecord *> RunOf;
    for (const Run &R : All.Runs)
      if (R.Record.How != Outcome::Cancelled)
        RunOf[R.Record.Id] = &R.Record;
    uint64_t Id = 0;
    for (auto [From, To] : All.Dependences) {
      auto A = RunOf.find(From), B = RunOf.find(To);
      if (A == RunOf.end() || B == RunOf.end())
        continue;
      const Interval &Ran = A->second->Ran;
      TimePoint Leaves = std::max(Ran.Begin, Ran.End - Duration(1));
      ++Id;
      print(",\n{\"ph\":\"s\",\"id\":%" PRIu64
            ",\"pid\":1,\"tid\":%u,\"ts\":%s,\"cat\":\"dependence\",\"name\":\"dependence\"}",
            Id, threadOf(A->second->Row), stamp(Leaves).c_str());
      print(",\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":%" PRIu64
            ",\"pid\":1,\"tid\":%u,\"ts\":%s,\"cat\":\"dependence\",\"name\":\"dependence\"}",
            Id, threadOf(B->second->Row), stamp(B->second->Ran.Begin).c_str());
    }
  }

  std::string Path;
  FILE *File; // Null once written.
  Shards<Collected> Parts;
  Collected All; // Used only in finished().
  TimePoint Origin{};
};

} // namespace

std::unique_ptr<Observer> makeChromeTrace(std::string Path) {
  FILE *File = std::fopen(Path.c_str(), "w");
  if (!File) {
    log(LogLevel::Warning, "no trace will be written to %s: %s", Path.c_str(), std::strerror(errno));
    return nullptr;
  }
  return std::make_unique<ChromeTrace>(std::move(Path), File);
}

} // namespace hsched::rt
