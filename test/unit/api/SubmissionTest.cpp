// Submissions described by one value: explicit order, callbacks at the end, detached work, bad descriptions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HandWritten.h"

#include <hsched/engine_abi.h>
#include <hsched/hsched.h>

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace hsched::test;

namespace {

// A submission of a function, and references that are given up with it.
struct Described {
  explicit Described(std::function<void()> Body) : Args{std::move(Body)} {
    What.struct_bytes = sizeof(What);
    What.type = functionType();
    What.args = &Args;
    What.move = [](void *To, void *From) { new (To) FunctionArgs(std::move(*static_cast<FunctionArgs *>(From))); };
    Options.struct_bytes = sizeof(Options);
    What.options = &Options;
  }
  Described &after(std::vector<hsched_ref *> Refs) {
    Before = std::move(Refs);
    What.after = Before.data();
    What.n_after = static_cast<unsigned>(Before.size());
    return *this;
  }
  Described &label(const char *Text) {
    Options.label = Text;
    return *this;
  }
  Described &as(hsched_ref *Declared) {
    What.declared = Declared;
    return *this;
  }
  Described &onEnd(void (*Fn)(void *, int), void *Data) {
    What.ended = Fn;
    What.ended_data = Data;
    return *this;
  }
  hsched_ref *submit() {
    hsched_ref *Ref = nullptr;
    hsched_submit(nullptr, &What, &Ref);
    Refs.push_back(Ref);
    return Ref;
  }

  FunctionArgs Args;
  hsched_submission What{};
  hsched_submit_options Options{};
  std::vector<hsched_ref *> Before;
  static inline std::vector<hsched_ref *> Refs;
};

class Submission : public testing::Test {
protected:
  void TearDown() override {
    for (hsched_ref *R : std::exchange(Described::Refs, {}))
      hsched_ref_release(R);
  }
};

std::string messageOf(const std::function<void()> &Do) {
  try {
    Do();
  } catch (const std::exception &E) {
    return E.what();
  }
  return "";
}
bool contains(const std::string &Text, const std::string &Part) { return Text.find(Part) != std::string::npos; }

TEST_F(Submission, RunsAndCanBeNamedAfterwards) {
  int X = 0;
  hsched_ref *T = Described([&] { X = 1; }).submit();
  EXPECT_EQ(hsched_ref_wait(T), HSCHED_DONE);
  EXPECT_EQ(X, 1);
  EXPECT_EQ(hsched_ref_state(T), HSCHED_DONE);
  hsched_taskwait(0);
}

TEST_F(Submission, ComesAfterItsExplicitPredecessors) {
  std::vector<int> Order; // No access says so: only the order that was asked for does.
  hsched_ref *Last = nullptr;
  for (int I = 0; I < 1000; ++I) {
    Described D([&Order, I] { Order.push_back(I); });
    Last = D.after(Last ? std::vector{Last, Last} : std::vector<hsched_ref *>{}).submit();
  }
  hsched_taskwait(0);
  ASSERT_EQ(Order.size(), 1000u);
  for (int I = 0; I < 1000; ++I)
    EXPECT_EQ(Order[static_cast<size_t>(I)], I);
}

TEST_F(Submission, ComesAfterBothWhatItNamesAndWhatItTouches) {
  int X = 0, Seen = 0;
  std::atomic<bool> Other{false};
  submit({section(HSCHED_OUT, X)}, [&] { X = 1; });
  hsched_ref *Before = Described([&] { Other = true; }).submit();
  hsched_access In = section(HSCHED_IN, X);
  Described D([&] { Seen = X + 10 * Other; });
  D.What.accesses = &In;
  D.What.n_accesses = 1;
  D.after({Before}).submit();
  hsched_taskwait(0);
  EXPECT_EQ(Seen, 11);
}

TEST_F(Submission, ADeclaredTaskIsNamedBeforeItIsSubmitted) {
  std::vector<char> Order;
  hsched_ref *First = hsched_declare(nullptr, "first"), *Second = hsched_declare(nullptr, "second");
  Described([&] { Order.push_back('c'); }).after({Second}).submit();
  Described([&] { Order.push_back('b'); }).as(Second).after({First}).submit();
  EXPECT_EQ(hsched_ref_state(Second), HSCHED_UNFINISHED);
  Described([&] { Order.push_back('a'); }).as(First).submit();
  hsched_taskwait(0);
  EXPECT_EQ(Order, (std::vector{'a', 'b', 'c'}));
  hsched_ref_release(First);
  hsched_ref_release(Second);
}

TEST_F(Submission, ACircleIsRefusedByName) {
  hsched_ref *A = hsched_declare(nullptr, "a"), *B = hsched_declare(nullptr, "b"), *C = hsched_declare(nullptr, "c");
  int Ran = 0;
  auto Count = [&] { ++Ran; };
  Described(Count).as(B).after({A}).submit();
  Described(Count).as(C).after({B}).submit();
  std::string Why = messageOf([&] { Described(Count).as(A).after({C}).submit(); });
  EXPECT_TRUE(contains(Why, "task 'a' cannot be submitted: it would come after itself: it comes after task 'c', which "
                            "comes after 'b', which comes after 'a'"))
      << Why;
  Why = messageOf([&] { Described(Count).as(A).after({A}).submit(); });
  EXPECT_TRUE(contains(Why, "it would come after itself: it comes after task 'a'")) << Why;
  Described(Count).as(A).submit(); // As it should be.
  EXPECT_TRUE(contains(messageOf([&] { Described(Count).as(A).submit(); }), "submitted already"));
  hsched_taskwait(0);
  EXPECT_EQ(Ran, 3);
  for (hsched_ref *R : {A, B, C})
    hsched_ref_release(R);
}

TEST_F(Submission, NothingComesAfterWhatItIsInside) {
  std::string Why;
  hsched_ref *Outer = hsched_declare(nullptr, "outer");
  Described([&] { Why = messageOf([&] { Described([] {}).label("inner").after({Outer}).submit(); }); })
      .as(Outer)
      .submit();
  hsched_taskwait(0);
  EXPECT_EQ(Why, "task 'inner' cannot be submitted: it comes after task 'outer', inside which it is submitted");
  hsched_ref_release(Outer);
}

TEST_F(Submission, ATaskThatIsNeverSubmittedFails) {
  hsched_ref *Never = hsched_declare(nullptr, "never");
  bool Ran = false;
  hsched_ref *After = Described([&] { Ran = true; }).after({Never}).submit();
  hsched_ref_release(Never);
  std::string Why = messageOf([] { hsched_taskwait(0); });
  EXPECT_TRUE(contains(Why, "task 'never' failed: it was declared, and its last reference was released")) << Why;
  EXPECT_EQ(hsched_ref_state(After), HSCHED_CANCELLED);
  EXPECT_FALSE(Ran);
  hsched_ref_release(hsched_declare(nullptr, "nobody comes after this one"));
  hsched_taskwait(0);
}

TEST_F(Submission, AFailureCancelsWhatComesAfter) {
  hsched_ref *Bad = Described([] { throw std::runtime_error("bad"); }).submit();
  bool Ran = false;
  hsched_ref *After = Described([&] { Ran = true; }).after({Bad}).submit();
  EXPECT_EQ(hsched_ref_wait(After), HSCHED_CANCELLED);
  EXPECT_EQ(hsched_ref_state(Bad), HSCHED_FAILED);
  hsched_ref *Late = Described([&] { Ran = true; }).after({Bad}).submit(); // Also when it has failed already.
  EXPECT_EQ(hsched_ref_wait(Late), HSCHED_CANCELLED);
  EXPECT_EQ(messageOf([] { hsched_taskwait(0); }), "bad");
  EXPECT_FALSE(Ran);
}

TEST_F(Submission, TheEndCallbackRunsOnce) {
  struct Notification {
    std::atomic<int> Times{0}, How{-1};
  } Good, Bad;
  auto Note = [](void *Data, int How) {
    static_cast<Notification *>(Data)->Times++;
    static_cast<Notification *>(Data)->How = How;
  };
  Described([] {}).onEnd(Note, &Good).submit();
  hsched_ref *Thrower = Described([] { throw 1; }).onEnd(Note, &Bad).submit();
  EXPECT_EQ(hsched_ref_wait(Thrower), HSCHED_FAILED);
  EXPECT_ANY_THROW(hsched_taskwait(0));
  EXPECT_EQ(Good.Times, 1);
  EXPECT_EQ(Good.How, HSCHED_DONE);
  EXPECT_EQ(Bad.Times, 1);
  EXPECT_EQ(Bad.How, HSCHED_FAILED);
}

TEST_F(Submission, AnEndCallbackMaySubmit) {
  static std::atomic<int> Ran;
  Ran = 0;
  auto More = [](void *, int) {
    for (int I = 0; I < 10; ++I)
      Described([] { ++Ran; }).submit();
  };
  Described([] {}).onEnd(More, nullptr).submit();
  hsched_taskwait(0);
  EXPECT_EQ(Ran, 10);
}

TEST_F(Submission, ACallbackThatThrowsNamesItsTask) {
  Described([] {}).label("teller").onEnd([](void *, int) { throw std::runtime_error("no"); }, nullptr).submit();
  std::string Why = messageOf([] { hsched_taskwait(0); });
  EXPECT_EQ(Why, "task 'teller' failed: the callback for its end threw: no");
}

TEST_F(Submission, WhatMovesItsArgumentsMayThrow) {
  hsched_ref *A = hsched_declare(nullptr, "a");
  Described D([] {});
  D.as(A);
  D.What.move = [](void *, void *) { throw std::runtime_error("not today"); };
  EXPECT_EQ(messageOf([&] { D.submit(); }), "not today");
  bool Ran = false;
  Described([&] { Ran = true; }).as(A).submit();
  hsched_taskwait(0);
  EXPECT_TRUE(Ran);
  hsched_ref_release(A);
}

TEST_F(Submission, ManyThreadsOrderTasksAcrossEachOther) {
  constexpr int Threads = 4, Each = 200;
  std::vector<hsched_ref *> Declared;
  for (int I = 0; I < Threads * Each; ++I)
    Declared.push_back(hsched_declare(nullptr, std::to_string(I).c_str()));
  std::vector<int> Order;
  std::vector<std::thread> All;
  for (int T = 0; T < Threads; ++T)
    All.emplace_back([&, T] {
      for (int I = Threads * Each - Threads + T; I >= 0; I -= Threads) {
        hsched_submission What{};
        FunctionArgs Args{[&Order, I] { Order.push_back(I); }};
        What = Described([] {}).What;
        What.options = nullptr;
        What.args = &Args;
        What.declared = Declared[static_cast<size_t>(I)];
        What.after = I ? &Declared[static_cast<size_t>(I) - 1] : nullptr;
        What.n_after = I != 0;
        hsched_submit(nullptr, &What, nullptr);
      }
    });
  for (std::thread &T : All)
    T.join();
  hsched_taskwait(0);
  ASSERT_EQ(Order.size(), size_t(Threads * Each));
  EXPECT_TRUE(std::is_sorted(Order.begin(), Order.end()));
  for (hsched_ref *R : Declared)
    hsched_ref_release(R);
}

TEST_F(Submission, TheWholeWindowMayComeAfterADeclaredTask) {
  hsched_ref *Gate = hsched_declare(nullptr, "gate");
  std::atomic<int> Ran{0};
  for (int I = 0; I < 10000; ++I) // More than the window has room for.
    Described([&] { ++Ran; }).after({Gate}).submit();
  EXPECT_EQ(Ran, 0);
  Described([] {}).as(Gate).submit();
  hsched_taskwait(0);
  EXPECT_EQ(Ran, 10000);
  hsched_ref_release(Gate);
}

// --- detached work

class Detached : public Submission {
protected:
  static void SetUpTestSuite() { hsched_will_detach(); }
};

TEST_F(Detached, IsCompleteWhenItsWorkIs) {
  std::atomic<hsched_detached *> Work{nullptr};
  int X = 0, Seen = 0;
  submit({section(HSCHED_OUT, X)}, [&] { Work = hsched_detach(); });
  submit({section(HSCHED_IN, X)}, [&] { Seen = X; });
  while (true) { // The body runs while a thread waits.
    hsched_ref *Turn = Described([] {}).submit();
    hsched_ref_wait(Turn);
    if (Work.load())
      break;
  }
  EXPECT_EQ(Seen, 0);
  std::thread Other([&] {
    X = 7;
    hsched_detached_end(Work, nullptr, nullptr);
  });
  hsched_taskwait(0);
  Other.join();
  EXPECT_EQ(Seen, 7);
}

TEST_F(Detached, MayEndBeforeItsBodyDoes) {
  int X = 0;
  submit({section(HSCHED_INOUT, X)}, [&] {
    hsched_detached *Work = hsched_detach();
    std::thread([&] { hsched_detached_end(Work, nullptr, nullptr); }).join();
    X = 1;
  });
  submit({section(HSCHED_INOUT, X)}, [&] { X *= 5; });
  hsched_taskwait(0);
  EXPECT_EQ(X, 5);
}

TEST_F(Detached, FailsAsItSays) {
  int X = 0;
  bool Ran = false;
  submit({section(HSCHED_OUT, X)}, [&] { hsched_detached_end(hsched_detach(), "the network is down", nullptr); });
  submit({section(HSCHED_IN, X)}, [&] { Ran = true; });
  EXPECT_EQ(messageOf([] { hsched_taskwait(0); }), "task 'function' failed: the network is down");
  submit({section(HSCHED_OUT, X)}, [&] {
    auto Own = std::make_exception_ptr(std::out_of_range("mine"));
    hsched_detached_end(hsched_detach(), nullptr, &Own);
  });
  EXPECT_THROW(hsched_taskwait(0), std::out_of_range);
  EXPECT_FALSE(Ran);
}

TEST_F(Detached, OnlyInABodyAndOnce) {
  EXPECT_THROW(hsched_detach(), std::logic_error);
  std::string Why;
  Described([&] {
    hsched_detached *Work = hsched_detach();
    Why = messageOf([] { hsched_detach(); });
    hsched_detached_end(Work, nullptr, nullptr);
  })
      .label("twice")
      .submit();
  hsched_taskwait(0);
  EXPECT_EQ(Why, "hsched::detach(): task 'twice' has been detached already");
}

// The one's work is ended by the other's body, whatever the number of workers.
TEST_F(Detached, LaterTasksMayEndEarlierOnes) {
  constexpr int N = 300;
  std::mutex Lock;
  std::vector<hsched_detached *> Open;
  std::vector<int> Data(N);
  for (int I = 0; I < N; ++I)
    submit({section(HSCHED_OUT, Data[static_cast<size_t>(I)])}, [&] {
      std::lock_guard Guard(Lock);
      Open.push_back(hsched_detach());
    });
  int Ended = 0;
  for (int I = 0; I < N; ++I)
    submit({section(HSCHED_IN, Data[static_cast<size_t>(I)])}, [&] {
      std::lock_guard Guard(Lock);
      ++Ended;
    });
  struct Poll {
    static void run(std::mutex &Lock, std::vector<hsched_detached *> &Open, int Left) {
      std::vector<hsched_detached *> Now;
      {
        std::lock_guard Guard(Lock);
        Now.swap(Open);
      }
      for (hsched_detached *D : Now)
        hsched_detached_end(D, nullptr, nullptr);
      if (Left -= static_cast<int>(Now.size()))
        submit({}, [&Lock, &Open, Left] { run(Lock, Open, Left); });
    }
  };
  Poll::run(Lock, Open, N);
  hsched_taskwait(0);
  EXPECT_EQ(Ended, N);
}

} // namespace
