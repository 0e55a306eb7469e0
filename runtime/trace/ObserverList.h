// A list of observers as one observer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_OBSERVERLIST_H
#define HSCHED_TRACE_OBSERVERLIST_H

#include "trace/Observer.h"

#include <memory>
#include <vector>

namespace hsched::rt {

// Calls each of its observers in order. add() before the first callback, by one thread.
class ObserverList final : public Observer {
public:
  // Null is ignored.
  void add(std::unique_ptr<Observer> O) {
    if (O)
      All.push_back(std::move(O));
  }
  // True without observers: the runtime need not call it.
  bool empty() const { return All.empty(); }

  void rowAdded(const RowRecord &R) override;
  void submitted(const SubmitRecord &R) override;
  void dependence(TaskId From, TaskId To) override;
  void decided(const DecisionRecord &R) override;
  bool wantsDecisions() const override;
  void launching(const LaunchRecord &R) override;
  bool wantsLaunches() const override;
  bool wantsEachTask() const override;
  bool wantsLog() const override;
  void counted(const CountRecord &R) override;
  void ran(const RunRecord &R) override;
  void transferred(const TransferRecord &R) override;
  void evicted(const EvictionRecord &R) override;
  void cacheLookup(const LookupRecord &R) override;
  void waited(const WaitRecord &R) override;
  void linkMeasured(const LinkRecord &R) override;
  void finished() override;

private:
  std::vector<std::unique_ptr<Observer>> All;
};

} // namespace hsched::rt
#endif
