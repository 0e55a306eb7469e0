// Versions with sections of their own, through the C ABI.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"
#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace {

struct Args {
  int *X, *Y;
};
unsigned NextMode = HSCHED_INOUT;
std::atomic<int> Ran{0}, LateRan{0};

void body(void *) { Ran.fetch_add(1); }
void lateBody(void *) { LateRan.fetch_add(1); }

// The task names X, its other version Y.
void other(const void *A, void (*Add)(void *, const hsched_access *), void *To) {
  const hsched_access Y = {static_cast<const Args *>(A)->Y, sizeof(int), 1, 0, NextMode, 0};
  Add(To, &Y);
}

hsched_version_desc versionOf(const char *Name, bool HasOwn, void (*Run)(void *) = body) {
  hsched_version_desc V{};
  V.struct_bytes = sizeof(V);
  V.linker_name = V.name = Name;
  V.file = __FILE__;
  V.run = Run;
  V.sections = HasOwn ? other : nullptr;
  return V;
}
const hsched_version_desc Main = versionOf("sections_main", false), Own = versionOf("sections_own", true),
                          Late = versionOf("sections_late", true, lateBody);

hsched_task_desc taskOf(const char *Name) {
  hsched_task_desc D{};
  D.struct_bytes = sizeof(D);
  D.abi_major = HSCHED_ABI_MAJOR;
  D.abi_minor = HSCHED_ABI_MINOR;
  D.linker_name = D.name = Name;
  D.file = __FILE__;
  D.args_bytes = sizeof(Args);
  D.args_align = alignof(Args);
  return D;
}
const hsched_task_desc Task = taskOf("sections"), LateTask = taskOf("late_sections");

void submit(hsched_task_type *Type, int &X, int &Y, unsigned Mode = HSCHED_INOUT) {
  hsched_access *Accesses;
  void *Memory;
  hsched_task *T = hsched_task_begin(Type, 1, &Accesses, &Memory);
  new (Memory) Args{&X, &Y};
  Accesses[0] = {&X, sizeof(int), 1, 0, Mode, 0};
  hsched_task_submit(T, nullptr);
}

hsched_task_type *type() {
  static hsched_task_type *Type = [] {
    hsched_task_type *T = hsched_register_task(&Task);
    hsched_register_version(Task.linker_name, &Main);
    hsched_register_version(Task.linker_name, &Own);
    return T;
  }();
  return Type;
}

TEST(VersionSections, AWaitForWhatOnlyOneVersionNamesCoversTheTask) {
  for (int Round = 0; Round < 100; ++Round) {
    int X = 0, Y = 0;
    Ran.store(0);
    submit(type(), X, Y);
    const hsched_access OnY = hsched::test::section(HSCHED_INOUT, Y);
    hsched_taskwait_on(&OnY, 1, 0);
    EXPECT_EQ(Ran.load(), 1);
    hsched_taskwait(0);
  }
}

TEST(VersionSections, TasksThatOnlyOneVersionBringsTogetherAreOrdered) {
  for (int Round = 0; Round < 100; ++Round) {
    int X = 0, Y = 0, Seen = -1;
    Ran.store(0);
    submit(type(), X, Y);
    hsched::test::submit({hsched::test::section(HSCHED_IN, Y)}, [&] { Seen = Ran.load(); });
    hsched_taskwait(0);
    EXPECT_EQ(Seen, 1);
  }
}

TEST(VersionSections, ModesThatTasksShareAreRefused) {
  int X = 0, Y = 0;
  Ran.store(0);
  NextMode = HSCHED_CONCURRENT;
  try {
    submit(type(), X, Y);
    ADD_FAILURE() << "a concurrent section of a version was accepted";
  } catch (const hsched::task_error &E) {
    EXPECT_NE(std::string(E.what()).find("'sections_own' has a section of its own that is neither in, out nor inout"),
              std::string::npos)
        << E.what();
  }
  NextMode = HSCHED_INOUT;
  EXPECT_THROW(submit(type(), X, Y, HSCHED_COMMUTATIVE), hsched::task_error);
  hsched_taskwait(0);
  EXPECT_EQ(Ran.load(), 0);
  submit(type(), X, Y);
  hsched_taskwait(0);
  EXPECT_EQ(Ran.load(), 1);
}

// The sections of the late version are unknown for a task that was submitted before.
TEST(VersionSections, AVersionThatComesAfterTheSubmissionIsNotUsedForTheTask) {
  hsched_task_type *Type = hsched_register_task(&LateTask);
  hsched_register_version(LateTask.linker_name, &Main);
  int X = 0, Y = 0;
  Ran.store(0);
  std::atomic<bool> Submitted{false};
  hsched::test::submit({hsched::test::section(HSCHED_INOUT, X)}, [&] {
    while (!Submitted.load())
      std::this_thread::yield();
    hsched_register_version(LateTask.linker_name, &Late);
  });
  for (int I = 0; I < 20; ++I)
    submit(Type, X, Y);
  Submitted.store(true);
  hsched_taskwait(0);
  EXPECT_EQ(Ran.load(), 20);
  EXPECT_EQ(LateRan.load(), 0);
  // It was not refused: those tasks only came before it. The policy tries it now.
  for (int I = 0; I < 20; ++I)
    submit(Type, X, Y);
  hsched_taskwait(0);
  EXPECT_EQ(Ran.load() + LateRan.load(), 40);
  EXPECT_GT(LateRan.load(), 0);
}

} // namespace
