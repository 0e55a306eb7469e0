// Task types, their versions and metadata, as units of the program register them: before main, or when they are loaded.
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
  // Code of another ABI: not empty, and submissions are refused with it. Written before the type is handed out.
  std::string Refusal;
  bool RunTime = false; // A RunTimeType.
  // Another task of the same linker name, which is defined in another way; null: none. The registry's lock.
  RegisteredType *Namesake = nullptr;
};

// Thread-safe. Types are never destroyed: their addresses are the program's.
class Registry {
public:
  static Registry &instance();

  RegisteredType &addTask(const hsched_task_desc &Desc);
  void addVersion(const char *TaskLinkerName, const hsched_version_desc &Desc);
  void addMetadata(std::string_view Json);

  // Of types that are not in the registry: a number for a new one; it has one more version.
  uint32_t nextId();
  void announce(const TaskType &Type, const hsched_version_desc &Version);
  // Which versions run, of what is registered and of what will be. What Filter names and nobody has registered so far
  // is an error, which says what there is.
  status restrict(const VersionFilter &Filter);
  // Versions have not failed on workers with these slots: a new engine has them now.
  void forgetFailures(unsigned FirstSlot, unsigned Slots);

  // Whether a version for this kind of device is known. Asked when devices are looked for: where none is known, the
  // first one that is registered later is warned about.
  bool wants(unsigned Device);
  std::vector<std::string_view> metadata() const;

private:
  // Lock is held.
  RegisteredType &find(std::string_view LinkerName); // Made if unknown.
  RegisteredType &make(std::string_view LinkerName);
  void apply(RegisteredType &T);
  void warnIfNotLookedFor(const TaskType &Type, const hsched_version_desc &Version);
  void warnOfTwo(const char *What, const char *Name, const char *FileA, unsigned LineA, const char *FileB,
                 unsigned LineB, const char *Outcome);

  mutable std::mutex Lock; // Guards all.
  std::deque<RegisteredType> Types;
  std::unordered_map<std::string_view, RegisteredType *> ByName; // Keys are the types' own names.
  std::set<std::string> Told;                                    // What is defined in two ways.
  std::vector<std::string_view> Metadata;
  std::array<bool, 3> NotLookedFor{}, WantedElsewhere{}; // By kind of device; of types that are not here.
  uint32_t NumIds = 0;
  VersionFilter Filter;
};

} // namespace hsched::rt
#endif
