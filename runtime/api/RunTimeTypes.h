// Task types that the program makes and drops while it runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A version's code may go away when it has been removed and the tasks that may still run it are complete. Each task
// holds the epoch of its submission, and each epoch all later ones; the removal of a version ends an epoch. So an epoch
// ends when no task of it or of an earlier one is left, and then the owners of what was removed in it are told.
#ifndef HSCHED_API_RUNTIMETYPES_H
#define HSCHED_API_RUNTIMETYPES_H

#include "api/Registry.h"
#include "exec/Executor.h"

#include <deque>
#include <memory>
#include <mutex>

namespace hsched::rt {

class RunTimeType : public RegisteredType {
public:
  static RunTimeType &make(const hsched_task_desc &Desc);

  unsigned add(const hsched_version_desc &Desc, void *Owner, void (*Release)(void *));
  void remove(unsigned Version);
  void drop();
  // What a task that is submitted now holds.
  Executor::RunTimeType held();

private:
  struct Owned {
    void *Owner = nullptr;
    void (*Release)(void *) = nullptr;
  };
  struct Epoch {
    std::shared_ptr<Epoch> Next;
    std::vector<Owned> Removed;
    ~Epoch();
  };
  RunTimeType() = default;
  void reset();
  const char *keep(const char *Text); // Null stays null.
  void recycle();

  std::mutex Lock; // Guards the rest.
  std::shared_ptr<Epoch> Now;
  std::shared_ptr<void> Alive; // Until it is dropped; tasks hold it too.
  std::vector<Owned> Owners;   // By version.
  std::deque<std::string> Texts;
  std::vector<const char *> ParamNames;
  hsched_task_desc OwnDesc{};
  std::deque<hsched_version_desc> OwnVersions;
  bool OnDevices = false; // Devices remember versions by their address.
};

} // namespace hsched::rt
#endif
