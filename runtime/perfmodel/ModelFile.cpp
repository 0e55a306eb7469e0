// The file of execution times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/ModelFile.h"

#include "base/DiskCache.h"
#include "base/Env.h"
#include "base/FileLock.h"
#include "base/Log.h"
#include "perfmodel/RunStats.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace hsched::rt {

using Json = nlohmann::ordered_json;

namespace {

constexpr int Format = 1;
constexpr uintmax_t MostFileBytes = uintmax_t(64) << 20;
constexpr double MostNs = 1e18; // 30 years.

// An error in a file, with its place.
struct Problem {
  std::string Where, What;
};

std::string textOf(const Json &Entry, const char *Name, const std::string &Where, bool Needed) {
  const auto It = Entry.find(Name);
  if (It == Entry.end()) {
    if (Needed)
      throw Problem{Where, std::string("needs \"") + Name + "\", a string"};
    return "";
  }
  if (!It->is_string() || (Needed && It->get_ref<const std::string &>().empty()))
    throw Problem{Where + "." + Name, "is not a string"};
  return *It;
}

double numberOf(const Json &Value, const std::string &Where, double Most) {
  const double N = Value.is_number() ? Value.get<double>() : NAN;
  if (!(N >= 0 && N <= Most))
    throw Problem{Where, "is not a number from 0 on"};
  return N;
}

SizeClass sizeOf(const Json &Entry, const std::string &Where) {
  const bool Bytes = Entry.contains("bytes");
  if (Bytes == Entry.contains("cost"))
    throw Problem{Where, "needs one of \"bytes\" and \"cost\""};
  if (!Bytes)
    return sizeClassOf(0, numberOf(Entry["cost"], Where + ".cost", 1e300));
  if (!Entry["bytes"].is_number_unsigned() || Entry["bytes"].get<uint64_t>() >= CostBit)
    throw Problem{Where + ".bytes", "is not a whole number from 0 on"};
  return Entry["bytes"].get<uint64_t>();
}

ModelEntry entryOf(const Json &Entry, const std::string &Where) {
  if (!Entry.is_object())
    throw Problem{Where, "is not an object"};
  for (const auto &[Name, Value] : Entry.items())
    if (std::ranges::none_of(std::initializer_list<const char *>{"task", "task_name", "version", "version_name", "code",
                                                                 "device", "bytes", "cost", "runs", "recent_ns",
                                                                 "expected_ns"},
                             [&](const char *Known) { return Name == Known; }))
      throw Problem{Where, "has an unknown field \"" + Name + "\""};
  ModelEntry E;
  E.Task = textOf(Entry, "task", Where, true);
  E.TaskName = textOf(Entry, "task_name", Where, false);
  E.Version = textOf(Entry, "version", Where, true);
  E.VersionName = textOf(Entry, "version_name", Where, false);
  E.Code = textOf(Entry, "code", Where, false);
  E.Device = textOf(Entry, "device", Where, false);
  E.Size = sizeOf(Entry, Where);
  if (Entry.contains("recent_ns") == Entry.contains("expected_ns"))
    throw Problem{Where, "needs one of \"recent_ns\" and \"expected_ns\""};
  if (Entry.contains("expected_ns")) // A hint counts as this many runs: as many different measurements override it.
    E.Recent.assign(RunStats::ChangeAfter,
                    static_cast<float>(numberOf(Entry["expected_ns"], Where + ".expected_ns", MostNs)));
  else {
    const Json &Recent = Entry["recent_ns"];
    if (!Recent.is_array() || Recent.empty() || Recent.size() > RunStats::MostRecent)
      throw Problem{Where + ".recent_ns", "is not a list of 1 to " + std::to_string(RunStats::MostRecent) + " numbers"};
    for (size_t I = 0; I < Recent.size(); ++I)
      E.Recent.push_back(
          static_cast<float>(numberOf(Recent[I], Where + ".recent_ns[" + std::to_string(I) + "]", MostNs)));
  }
  E.Runs = E.Recent.size();
  if (Entry.contains("runs")) {
    if (!Entry["runs"].is_number_unsigned())
      throw Problem{Where + ".runs", "is not a whole number from 0 on"};
    E.Runs = std::max(E.Runs, Entry["runs"].get<uint64_t>());
  }
  return E;
}

// For a FileLock. If there is no lock, concurrent processes may lose runs.
int openLock(const std::string &File) { return open((File + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600); }

} // namespace

double ModelEntry::medianNs() const {
  RunStats S;
  S.seed(0, Recent);
  return S.medianNs();
}

status ModelFile::parse(std::string_view Text, const std::string &Path) {
  try {
    const Json All = Json::parse(Text);
    if (!All.is_object() || !All.contains("hsched_models") || !All["hsched_models"].is_number_integer())
      throw Problem{"", "is not a file of execution times: it needs \"hsched_models\": " + std::to_string(Format)};
    if (All["hsched_models"] != Format)
      throw Problem{"hsched_models", "is not " + std::to_string(Format) + ", the version that this hsched reads"};
    if (!All.contains("entries") || !All["entries"].is_array())
      throw Problem{"", "needs \"entries\", a list"};
    std::vector<ModelEntry> Read;
    for (size_t I = 0; I < All["entries"].size(); ++I)
      Read.push_back(entryOf(All["entries"][I], "entries[" + std::to_string(I) + "]"));
    Entries = std::move(Read);
    return {};
  } catch (const Problem &P) {
    return status::error(errc::invalid_argument, Path + ": " + P.Where + (P.Where.empty() ? "" : " ") + P.What);
  } catch (const Json::exception &E) {
    return status::error(errc::invalid_argument, Path + ": no JSON: " + E.what());
  }
}

status ModelFile::read(const std::string &Path) {
  std::error_code Failed;
  const uintmax_t Bytes = std::filesystem::file_size(Path, Failed);
  if (Failed)
    return status::error(Failed == std::errc::no_such_file_or_directory ? errc::not_found : errc::io,
                         "cannot read '" + Path + "': " + Failed.message());
  if (Bytes > MostFileBytes)
    return status::error(errc::invalid_argument, Path + ": is larger than 64 MiB");
  std::ifstream In(Path, std::ios::binary);
  std::string Text(Bytes, '\0');
  In.read(Text.data(), static_cast<std::streamsize>(Bytes));
  if (!In)
    return status::error(errc::io, "cannot read '" + Path + "'");
  return parse(Text, Path);
}

std::string ModelFile::format() const {
  std::string Out = "{\n  \"hsched_models\": " + std::to_string(Format) + ",\n  \"entries\": [";
  const char *Before = "\n    ";
  for (const ModelEntry &E : Entries) {
    Json J;
    J["task"] = E.Task;
    if (!E.TaskName.empty())
      J["task_name"] = E.TaskName;
    J["version"] = E.Version;
    if (!E.VersionName.empty())
      J["version_name"] = E.VersionName;
    if (!E.Code.empty())
      J["code"] = E.Code;
    if (!E.Device.empty())
      J["device"] = E.Device;
    if (const std::optional<double> Cost = costOf(E.Size))
      J["cost"] = *Cost;
    else
      J["bytes"] = E.Size;
    J["runs"] = E.Runs;
    for (float Ns : E.Recent)
      J["recent_ns"].push_back(std::round(double(Ns) * 10) / 10);
    Out += Before + J.dump(-1, ' ', false, Json::error_handler_t::replace);
    Before = ",\n    ";
  }
  return Out + "\n  ]\n}\n";
}

status ModelFile::write(const std::string &Path) const {
  const std::string Apart = Path + "." + std::to_string(getpid()) + ".new";
  const std::string Text = format();
  std::FILE *Out = std::fopen(Apart.c_str(), "wbe");
  bool Good = Out && std::fwrite(Text.data(), 1, Text.size(), Out) == Text.size();
  if (Out)
    Good = std::fclose(Out) == 0 && Good;
  if (Good)
    Good = std::rename(Apart.c_str(), Path.c_str()) == 0;
  if (Good)
    return {};
  const std::string Why = std::strerror(errno);
  std::remove(Apart.c_str());
  return status::error(errc::io, "cannot write '" + Path + "': " + Why);
}

void ModelFile::add(const ModelEntry &New) {
  const auto It = std::ranges::find_if(Entries, [&](const ModelEntry &E) { return E.sameAs(New); });
  if (It == Entries.end()) {
    Entries.push_back(New);
    return;
  }
  // As in RunStats: a lasting change replaces the earlier runs.
  RunStats S;
  S.seed(It->Runs, It->Recent);
  for (float Ns : New.Recent)
    S.add(Ns);
  It->Recent.assign(S.recent().begin(), S.recent().end());
  const uint64_t More = std::max<uint64_t>(New.Runs, New.Recent.size());
  It->Runs += std::min(More, std::numeric_limits<uint64_t>::max() - It->Runs);
}

// The file that a link leads to. All names of a file need the same lock, and a rename must not replace a link.
static std::string withoutLink(const std::string &Path) {
  std::error_code Failed;
  if (!std::filesystem::is_symlink(Path, Failed))
    return Path;
  const std::filesystem::path Real = std::filesystem::canonical(Path, Failed);
  return Failed ? Path : Real.string();
}

status updateModels(const std::string &Path, const std::vector<ModelEntry> &New) {
  if (New.empty())
    return {};
  std::error_code Ignored;
  if (const auto Folder = std::filesystem::path(Path).parent_path(); !Folder.empty())
    std::filesystem::create_directories(Folder, Ignored);
  const std::string File = withoutLink(Path);
  const FileLock Lock(openLock(File));
  ModelFile All;
  status Damaged;
  if (status Read = All.read(Path); Read.code() == errc::invalid_argument) {
    std::filesystem::rename(File, File + ".damaged", Ignored);
    Damaged = status::error(errc::invalid_argument, Read.message() + "; it is kept as '" + File + ".damaged'");
  } else if (!Read.ok() && Read.code() != errc::not_found)
    return Read;
  for (const ModelEntry &E : New)
    All.add(E);
  if (status Written = All.write(File); !Written.ok())
    return Written;
  return Damaged;
}

status editModels(const std::string &Path, const std::function<void(ModelFile &)> &Change) {
  const std::string File = withoutLink(Path);
  const FileLock Lock(openLock(File));
  ModelFile All;
  if (status Read = All.read(Path); !Read.ok())
    return Read;
  Change(All);
  return All.write(File);
}

std::string modelPath() {
  const std::string Value = envString("HSCHED_MODELS").value_or("");
  if (Value.empty() || Value == "0" || Value == "off")
    return "";
  if (Value.find('/') != std::string::npos)
    return Value;
  if (Value == "1" || Value == "on") {
    const std::string Folder = cacheFolder();
    return Folder.empty() ? "" : Folder + "/models.json";
  }
  log(LogLevel::Warning, "HSCHED_MODELS=%s is neither 0, 1 nor a file with a '/' in its name; no times are kept",
      Value.c_str());
  return "";
}

} // namespace hsched::rt
