// Fan-out to several observers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/ObserverList.h"
#include "Records.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

struct Noting final : Observer {
  Noting(std::string &Notes, char Name) : Notes(Notes), Name(Name) {}
  void note(const char *What) { Notes += std::string(1, Name) + What + " "; }
  void rowAdded(const RowRecord &) override { note("row"); }
  void submitted(const SubmitRecord &) override { note("submit"); }
  void dependence(TaskId, TaskId) override { note("dep"); }
  void ran(const RunRecord &) override { note("ran"); }
  void transferred(const TransferRecord &) override { note("move"); }
  void cacheLookup(const LookupRecord &) override { note("cache"); }
  void finished() override { note("end"); }
  std::string &Notes;
  char Name;
};

TEST(ObserverList, TellsAllInOrder) {
  std::string Notes;
  ObserverList L;
  EXPECT_TRUE(L.empty());
  L.add(nullptr);
  EXPECT_TRUE(L.empty());
  L.add(std::make_unique<Noting>(Notes, 'a'));
  L.add(std::make_unique<Noting>(Notes, 'b'));
  EXPECT_FALSE(L.empty());
  L.rowAdded({});
  L.submitted(submit(1, "t"));
  L.dependence(1, 2);
  L.ran(run(1, "t", "v", 0, 0, during(0us, 1us)));
  L.transferred({});
  L.cacheLookup({});
  L.finished();
  EXPECT_EQ(Notes, "arow brow asubmit bsubmit adep bdep aran bran amove bmove acache bcache aend bend ");
}

} // namespace
