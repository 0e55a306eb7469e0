// Task types that the program makes and drops at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A version's code may be unloaded when it has been removed and all tasks that may run it are complete. Each task holds
// the epoch of its submission, and each epoch holds the later ones. A removal ends an epoch. So an epoch is destroyed
// when no task of it or an earlier one is left; then the owners of its removed versions are released.
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
  // The owners that a task submitted now must hold.
  Executor::RunTimeType currentOwners();

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
  const char *keep(const char *Text); // Copies Text. Null stays null.
  void recycle();

  std::mutex Lock; // Guards the fields below.
  std::shared_ptr<Epoch> Now;
  std::shared_ptr<void> Alive; // Held until the type is dropped. Tasks hold it too.
  std::vector<Owned> Owners;   // By version.
  std::deque<std::string> Texts;
  std::vector<const char *> ParamNames;
  hsched_task_desc OwnDesc{};
  std::deque<hsched_version_desc> OwnVersions;
  bool OnDevices = false; // Devices identify versions by address.
};

} // namespace hsched::rt
#endif
