// Registry of task types, versions and metadata. Units of the program register them before main, or when they are
// loaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_REGISTRY_H
#define HSCHED_API_REGISTRY_H

#include "api/VersionFilter.h"
#include "graph/TaskType.h"

#include <array>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hsched::rt {

struct RegisteredType : ::hsched_task_type {
  // For code of another ABI: the message with which submissions are refused. Written before the type is published.
  std::string Refusal;
  bool RunTime = false; // The type is a RunTimeType.
  // A different task with the same linker name; null: none. Guarded by the registry's lock.
  RegisteredType *Namesake = nullptr;
};

// Thread-safe. Types are never destroyed: generated code keeps their addresses.
class Registry {
public:
  static Registry &instance();

  RegisteredType &addTask(const hsched_task_desc &Desc);
  void addVersion(const char *TaskLinkerName, const hsched_version_desc &Desc);
  void addMetadata(std::string_view Json);

  // For types outside the registry: a number for a new one; announces one more version.
  uint32_t nextId();
  void announce(const TaskType &Type, const hsched_version_desc &Version);
  void settle(RegisteredType &T); // Its versions have changed.
  // Restricts the versions that run, registered now or later. Error if Filter names a task or version that is not
  // registered; the message lists the registered ones.
  status restrict(const VersionFilter &Filter);
  // Clears the failures of versions on these slots, which a new engine uses now.
  void forgetFailures(unsigned FirstSlot, unsigned Slots);

  // True if a version for this kind of device is registered. Called when devices are searched: if it is false, a
  // version registered later gives a warning.
  bool wants(unsigned Device);
  std::vector<std::string_view> metadata() const;

private:
  // Lock is held for the functions below.
  RegisteredType &find(std::string_view LinkerName); // Adds an unknown name.
  RegisteredType &make(std::string_view LinkerName);
  void apply(RegisteredType &T);
  void warnIfNotSearched(const TaskType &Type, const hsched_version_desc &Version);
  void warnOfTwo(const char *What, const char *Name, const char *FileA, unsigned LineA, const char *FileB,
                 unsigned LineB, const char *Outcome);

  mutable std::mutex Lock; // Guards all fields below.
  std::deque<RegisteredType> Types;
  std::unordered_map<std::string_view, RegisteredType *> ByName; // Keys are the types' own name strings.
  std::set<std::string> Logged;                                  // Names with two definitions, already logged.
  std::vector<std::string_view> Metadata;
  // By kind of device: not searched; wanted by a type outside the registry.
  std::array<bool, 3> NotSearched{}, WantedElsewhere{};
  uint32_t NumIds = 0;
  VersionFilter Filter;
};

} // namespace hsched::rt
#endif
