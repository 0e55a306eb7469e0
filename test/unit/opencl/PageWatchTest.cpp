// Memory that is given back while it is pinned.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/PageWatch.h"
#include "AnyDevice.h"
#include "backends/opencl/PinnedRanges.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::rt::opencl;

// What happens around the next time that a range begins to be watched, which the watch itself does not see.
static std::function<void()> BeforeRegistering, AfterRegistering;

extern "C" int ioctl(int File, unsigned long What, ...) noexcept {
  va_list More;
  va_start(More, What);
  void *Argument = va_arg(More, void *);
  va_end(More);
  std::function<void()> Before, After;
  if (What == UFFDIO_REGISTER) {
    std::swap(Before, BeforeRegistering);
    std::swap(After, AfterRegistering);
  }
  if (Before)
    Before();
  auto Result = static_cast<int>(syscall(SYS_ioctl, File, What, Argument));
  if (After)
    After();
  return Result;
}

namespace {

constexpr size_t MiB = 1 << 20;

char *mapped(size_t Bytes, void *Where = nullptr, int Flags = 0) {
  void *At = mmap(Where, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | Flags, -1, 0);
  return At == MAP_FAILED ? nullptr : static_cast<char *>(At);
}

struct PageWatchTest : testing::Test {
  void SetUp() override {
    const cl::Device Native = anyDevice();
    if (!Native())
      GTEST_SKIP() << "no OpenCL device on this machine";
    if (!PageWatch::get())
      GTEST_SKIP() << "the system does not report freed pages";
    Context = cl::Context(Native);
    Pins = std::make_unique<PinnedRanges>(Context, PinLazily::Watched, 1024 * MiB);
    // Room for Memory within one granule, with holes on either side, so that it is one with nothing else. It lies far
    // below all other mappings. The system places a new mapping into the highest gap that is large enough. So none
    // takes the place of memory that a test gave back.
    Room = mapped(96 * MiB);
    ASSERT_NE(Room, nullptr);
    ASSERT_EQ(munmap(Room, 96 * MiB), 0);
    Room = mapped(96 * MiB, Room - (size_t{64} << 30), MAP_FIXED_NOREPLACE);
    ASSERT_NE(Room, nullptr);
    mprotect(Room, 96 * MiB, PROT_NONE);
    Memory = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(Room) / (32 * MiB) + 1) * 32 * MiB + 4 * MiB);
    ASSERT_EQ(mapped(Bytes, Memory, MAP_FIXED), Memory);
  }
  void TearDown() override {
    Pins.reset();
    if (Room)
      munmap(Room, 96 * MiB);
  }
  PinRef pinned(const char *At, size_t Size) {
    // Something else may be given back this moment.
    for (;;)
      if (std::vector<PinRef> Found = Pins->find(At, Size); !Found.empty())
        return Found.front();
  }

  const size_t Bytes = 8 * MiB;
  char *Room = nullptr, *Memory = nullptr;
  cl::Context Context;
  std::unique_ptr<PinnedRanges> Pins;
};

TEST_F(PageWatchTest, MemoryThatStaysStaysPinned) {
  PinRef First = pinned(Memory, Bytes);
  EXPECT_EQ(First, pinned(Memory + MiB, MiB));
  EXPECT_EQ(Pins->bytes(), Bytes);
}

TEST_F(PageWatchTest, MappedAnew) {
  PinRef Old = pinned(Memory, Bytes);
  ASSERT_EQ(munmap(Memory, Bytes), 0);
  ASSERT_EQ(mapped(Bytes, Memory, MAP_FIXED), Memory);
  EXPECT_NE(pinned(Memory, Bytes), Old);
  // In one step.
  Old = pinned(Memory, Bytes);
  ASSERT_EQ(mapped(MiB, Memory + 3 * MiB, MAP_FIXED), Memory + 3 * MiB);
  EXPECT_NE(pinned(Memory + 3 * MiB, MiB), Old);
}

TEST_F(PageWatchTest, PagesDiscarded) {
  PinRef Old = pinned(Memory, Bytes);
  ASSERT_EQ(madvise(Memory + MiB, 4096, MADV_DONTNEED), 0);
  PinRef New = pinned(Memory + 512, MiB);
  EXPECT_NE(New, Old);
  // From here on it covers only what is moved: that is not discarded meanwhile.
  EXPECT_EQ(New->Begin, reinterpret_cast<uintptr_t>(Memory));
  EXPECT_EQ(New->End, reinterpret_cast<uintptr_t>(Memory) + MiB + 4096);
}

// The same if another device had the pages pinned: they are unmapped as well.
TEST_F(PageWatchTest, PagesDiscardedThatWereNotPinnedHere) {
  PinnedRanges Other(Context, PinLazily::Watched, 1024 * MiB);
  (void)pinned(Memory, Bytes);
  ASSERT_EQ(madvise(Memory + 4 * MiB, 4096, MADV_DONTNEED), 0);
  std::vector<PinRef> Found;
  while ((Found = Other.find(Memory, MiB)).empty())
    std::this_thread::yield();
  EXPECT_EQ(Found.front()->End, reinterpret_cast<uintptr_t>(Memory) + MiB);
}

// Another thread gives memory back and gets it anew while the granule is being pinned: the new pages are not watched.
TEST_F(PageWatchTest, MappedAnewWhileItBeginsToBeWatched) {
  char *Neighbour = Memory + 4 * MiB;
  BeforeRegistering = [&] { std::thread([&] { munmap(Neighbour, 2 * MiB); }).join(); };
  AfterRegistering = [&] { std::thread([&] { mapped(2 * MiB, Neighbour, MAP_FIXED_NOREPLACE); }).join(); };
  (void)pinned(Memory, MiB);
  PinRef Old = pinned(Neighbour, MiB);
  ASSERT_EQ(munmap(Neighbour, 2 * MiB), 0);
  ASSERT_EQ(mapped(2 * MiB, Neighbour, MAP_FIXED_NOREPLACE), Neighbour);
  EXPECT_NE(pinned(Neighbour, MiB), Old);
}

// Its number is the watch's too, and no thread would read an unmapping of that time.
TEST_F(PageWatchTest, AForkedChildOutlivesTheWatch) {
  (void)pinned(Memory, Bytes);
  int Ends[2];
  ASSERT_EQ(pipe2(Ends, O_CLOEXEC), 0);
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    close(Ends[1]);
    pollfd Closed{Ends[0], POLLIN, 0};
    _exit(poll(&Closed, 1, 10000) == 1 ? 0 : 1);
  }
  Pins.reset();
  EXPECT_EQ(munmap(Memory, Bytes), 0);
  close(Ends[1]);
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0) << "what the parent did had to wait for the child's end";
  close(Ends[0]);
}

TEST_F(PageWatchTest, Moved) {
  PinRef Old = pinned(Memory, Bytes);
  char *Other = Memory + 16 * MiB;
  ASSERT_EQ(mremap(Memory, Bytes, Bytes, MREMAP_MAYMOVE | MREMAP_FIXED, Other), Other);
  EXPECT_NE(pinned(Other, Bytes), Old);
  ASSERT_EQ(mapped(Bytes, Memory, MAP_FIXED), Memory);
  PinRef Here = pinned(Memory, Bytes);
  EXPECT_NE(Here, Old);
  // To where something pinned was.
  ASSERT_EQ(mremap(Other, Bytes, Bytes, MREMAP_MAYMOVE | MREMAP_FIXED, Memory), Memory);
  EXPECT_NE(pinned(Memory, Bytes), Here);
}

TEST_F(PageWatchTest, ShrunkAndGrown) {
  PinRef Old = pinned(Memory, Bytes);
  ASSERT_EQ(mremap(Memory, Bytes, MiB, 0), Memory);
  ASSERT_EQ(munmap(Memory + Bytes, 4 * MiB), 0); // Room to grow.
  ASSERT_EQ(mremap(Memory, MiB, Bytes, 0), Memory);
  EXPECT_NE(pinned(Memory + 2 * MiB, MiB), Old);
}

// A thread gives its stack's pages back when it ends, the watching one too.
TEST_F(PageWatchTest, TheWatchersOwnStackIsWatched) {
  std::shared_ptr<PageWatch> Watch = PageWatch::get();
  std::ifstream Maps("/proc/self/maps");
  int Watched = 0;
  for (std::string Line; std::getline(Maps, Line);) {
    uintptr_t Begin, End;
    int Ordinary = 0;
    std::sscanf(Line.c_str(), "%" SCNxPTR "-%" SCNxPTR " rw-p 00000000 00:00 0%n", &Begin, &End, &Ordinary);
    if (Ordinary > 0 && !Line.ends_with(']'))
      Watched += Watch->watch(Begin, End);
  }
  EXPECT_GT(Watched, 0);
  Pins.reset();
  Watch.reset(); // Waits for the thread's end.
}

// That needs no transfer.
TEST_F(PageWatchTest, PagesGivenBackAreFreeSoon) {
  (void)pinned(Memory, Bytes);
  ASSERT_EQ(munmap(Memory, Bytes), 0);
  while (Pins->count() != 0)
    std::this_thread::yield();
  EXPECT_EQ(Pins->bytes(), 0u);
}

TEST_F(PageWatchTest, MemoryThatCannotBeWatchedIsNotPinned) {
  int File = memfd_create("hsched", MFD_CLOEXEC);
  ASSERT_GE(File, 0);
  ASSERT_EQ(ftruncate(File, static_cast<off_t>(Bytes)), 0);
  ASSERT_EQ(mmap(Memory, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, File, 0), Memory);
  close(File);
  EXPECT_TRUE(Pins->find(Memory, Bytes).empty());
  EXPECT_TRUE(Pins->find(Memory, Bytes).empty());
}

// One thread gives memory back, another gets it the moment that it is free and uses it at once.
TEST_F(PageWatchTest, FromHandToHand) {
  constexpr int Turns = 200;
  std::atomic<int> Mapped{0}; // The turn of the mapping that is there.
  std::set<PinRef> Seen;      // Kept, so that a new one has an address of its own.
  auto take = [&](int Mine) {
    for (int Turn = Mine; Turn < Turns; Turn += 2) {
      while (Turn && Mapped.load() != Turn)
        std::this_thread::yield();
      while (Turn && !mapped(Bytes, Memory, MAP_FIXED_NOREPLACE))
        ;
      const std::set<PinRef> Old = Seen;
      for (int I = 0; I < 4; ++I) // None where it is not certain.
        for (const PinRef &P : Pins->find(Memory, Bytes)) {
          EXPECT_FALSE(Old.contains(P)) << "turn " << Turn << " goes on with pages that were given back";
          Seen.insert(P);
        }
      if (Turn % 5)
        Seen.insert(pinned(Memory, Bytes));
      Mapped.store(Turn + 1); // The other one tries from here on.
      munmap(Memory, Bytes);
    }
  };
  std::thread Other([&] { take(1); });
  take(0);
  Other.join();
  ASSERT_EQ(mapped(Bytes, Memory, MAP_FIXED), Memory);
}

// More than is kept: everything is taken as gone.
TEST_F(PageWatchTest, TooMuchAtOnce) {
  auto Watch = PageWatch::get();
  PageWatch::Cursor At = Watch->now(), Late = At;
  std::vector<PageWatch::Range> IsReported;
  auto Begin = reinterpret_cast<uintptr_t>(Memory);
  ASSERT_TRUE(Watch->watch(Begin, Begin + Bytes));
  for (int I = 0; I < 3; ++I)
    ASSERT_EQ(madvise(Memory + I * 4096, 4096, MADV_DONTNEED), 0);
  PageWatch::WatchResult WatchResult;
  while ((WatchResult = Watch->read(At, IsReported)) == PageWatch::WatchResult::Pending)
    ;
  ASSERT_EQ(WatchResult, PageWatch::WatchResult::Some);
  ASSERT_EQ(IsReported.size(), 3u);
  EXPECT_EQ(IsReported[2].Begin, Begin + 2 * 4096);
  EXPECT_EQ(IsReported[2].End, Begin + 3 * 4096);
  EXPECT_EQ(Watch->read(At, IsReported), PageWatch::WatchResult::None);
  for (int I = 0; I < 2000; ++I)
    ASSERT_EQ(madvise(Memory, 4096, MADV_DONTNEED), 0);
  IsReported.clear();
  while ((WatchResult = Watch->read(Late, IsReported)) == PageWatch::WatchResult::Pending)
    ;
  EXPECT_EQ(WatchResult, PageWatch::WatchResult::Missed);
  EXPECT_TRUE(IsReported.empty());
  EXPECT_EQ(Watch->read(Late, IsReported), PageWatch::WatchResult::None);
}

} // namespace
