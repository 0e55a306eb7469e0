// Edits files of execution times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Edit.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace hsched::model {

namespace {

void check(const status &Done) {
  if (!Done.ok())
    throw std::runtime_error(Done.message());
}

std::string counted(size_t N) { return std::to_string(N) + (N == 1 ? " entry" : " entries"); }

} // namespace

ModelFile readFile(const std::string &Path) {
  ModelFile File;
  check(File.read(Path));
  return File;
}

void requireSome(const ModelFile &File, const Selection &What, const std::string &Text) {
  if (std::ranges::any_of(File.Entries, [&](const ModelEntry &E) { return What.holds(E); }))
    return;
  if (File.Entries.empty())
    throw std::runtime_error("the file has no entries");
  std::set<std::string> Tasks;
  for (const ModelEntry &E : File.Entries)
    Tasks.insert(taskOf(E));
  std::string Known;
  for (const std::string &Task : Tasks)
    Known += (Known.empty() ? "" : ", ") + Task;
  throw std::runtime_error("no entry is of '" + Text + "'; there is: " + Known);
}

std::string mergeFiles(const std::string &To, const std::vector<std::string> &From) {
  std::vector<ModelEntry> New;
  for (const std::string &Path : From) {
    ModelFile Read = readFile(Path);
    std::ranges::move(Read.Entries, std::back_inserter(New));
  }
  if (std::filesystem::exists(To))
    readFile(To); // A damaged file stays as it is.
  check(rt::updateModels(To, New));
  return "added " + counted(New.size()) + " to " + To + "\n";
}

std::string dropEntries(const std::string &Path, const std::string &Text) {
  const Selection What(Text);
  size_t Dropped = 0;
  check(rt::editModels(Path, [&](ModelFile &File) {
    requireSome(File, What, Text);
    Dropped = std::erase_if(File.Entries, [&](const ModelEntry &E) { return What.holds(E); });
  }));
  return "dropped " + counted(Dropped) + "\n";
}

std::string exportEntries(const std::string &Path, const std::string &To, const std::string &Text) {
  ModelFile File = readFile(Path);
  const Selection What(Text);
  requireSome(File, What, Text);
  std::erase_if(File.Entries, [&](const ModelEntry &E) { return !What.holds(E); });
  if (std::filesystem::exists(To))
    throw std::runtime_error("'" + To + "' is there already; 'merge' adds to a file");
  check(File.write(To));
  return "wrote " + counted(File.Entries.size()) + " to " + To + "\n";
}

} // namespace hsched::model
