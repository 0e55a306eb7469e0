// The runtime as programs have it, through the C ABI: the environment says what it is like, and there is one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.h"

#include <cstdlib>

namespace hsched::oracle {
namespace {

class AbiPort final : public Port {
public:
  hsched_task *begin(Versions Kind, unsigned N, hsched_access *&Accesses, void *&Args) override {
    return hsched_task_begin(typeOf(Kind), N, &Accesses, &Args);
  }
  void submit(hsched_task *Task, const hsched_submit_options &How) override { hsched_task_submit(Task, &How); }
  void taskwait(bool Flush) override { hsched_taskwait(Flush ? 0 : HSCHED_WAIT_NOFLUSH); }
  void taskwaitOn(std::span<const hsched_access> Sections, bool Flush) override {
    hsched_taskwait_on(Sections.data(), static_cast<unsigned>(Sections.size()), Flush ? 0 : HSCHED_WAIT_NOFLUSH);
  }
  bool inFinal() override { return hsched_in_final() != 0; }

  void submit(Versions Kind, hsched_submission &What, hsched_ref **Ref) override {
    What.type = typeOf(Kind);
    What.placement = nullptr; // The environment says how many workers there are.
    hsched_submit(nullptr, &What, Ref);
  }
  void release(hsched_ref *Ref) override { hsched_ref_release(Ref); }
  std::function<void()> detach() override {
    return [D = hsched_detach()] { hsched_detached_end(D, nullptr, nullptr); };
  }

private:
  static hsched_task_type *typeOf(Versions Kind) {
    static hsched_task_type *const Types[] = {registered(Versions::Cpu), registered(Versions::TwoCpu)};
    return Types[static_cast<int>(Kind)];
  }
  static hsched_task_type *registered(Versions Kind) {
    const TaskDescription &D = describe(Kind);
    for (const hsched_version_desc *V : D.All)
      hsched_register_version(D.Task.linker_name, V);
    return hsched_register_task(&D.Task);
  }
};

} // namespace

const bool OwnMachines = false;

std::unique_ptr<Port> makeMachine(const Setup &) {
  setenv("HSCHED_LOG", "silent", 0); // No log of failures that no wait throws.
  return std::make_unique<AbiPort>();
}

} // namespace hsched::oracle
