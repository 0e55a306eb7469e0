// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/DeviceProfile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::icd;
using hsched::rt::DiskCache;

namespace {

DeviceProfile profile(double Operations) { return {Operations, 1e10, {1e-5, 1e9}, {2e-5, 2e9}}; }

class ProfileTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string Name = (std::filesystem::temp_directory_path() / "hsched-XXXXXX").string();
    ASSERT_NE(mkdtemp(Name.data()), nullptr);
    Folder = Name;
  }
  void TearDown() override { std::filesystem::remove_all(Folder); }
  DiskCache cache() const { return {Folder + "/profiles", 1 << 20}; }
  // A profile of a process that begins now. Counts measurements.
  std::optional<DeviceProfile> ask(const std::string &Key, double Operations) {
    DeviceProfiles Process(cache());
    const DeviceProfile *P = Process.of(Key, [&] {
      ++Measured;
      return profile(Operations);
    });
    return P ? std::optional(*P) : std::nullopt;
  }

  std::string Folder;
  int Measured = 0;
};

TEST_F(ProfileTest, TheNextProcessReadsIt) {
  EXPECT_EQ(ask("gpu driver 1", 7e12)->Operations, 7e12);
  const auto Its = ask("gpu driver 1", 9);
  EXPECT_EQ(Measured, 1);
  EXPECT_EQ(Its->text(), profile(7e12).text());
}

TEST_F(ProfileTest, AnotherDriverIsMeasured) {
  ask("gpu driver 1", 1);
  EXPECT_EQ(ask("gpu driver 2", 2)->Operations, 2);
  EXPECT_EQ(Measured, 2);
}

TEST_F(ProfileTest, ADamagedFileIsMeasuredAgain) {
  for (const char *Text :
       {"", "1 2 3", "1 2 3 4 5 6 7", "0 1 1 1 1 1", "1 -1 1 1 1 1", "nan 1 1 1 1 1", "1 1 1 1 1 x"}) {
    EXPECT_FALSE(DeviceProfile::read(Text)) << Text;
    cache().store("gpu", Text);
    Measured = 0;
    EXPECT_EQ(ask("gpu", 5)->Operations, 5) << Text;
    EXPECT_EQ(ask("gpu", 6)->Operations, 5) << Text;
    EXPECT_EQ(Measured, 1) << Text;
  }
  std::ofstream(cache().pathOf("gpu")) << "garbage";
  EXPECT_EQ(ask("gpu", 7)->Operations, 7);
}

TEST_F(ProfileTest, ADeviceThatCannotBeMeasuredIsAskedOnce) {
  DeviceProfiles Process(cache());
  int Asked = 0;
  for (int I = 0; I != 3; ++I)
    EXPECT_EQ(Process.of("gpu", [&] { return ++Asked, std::optional<DeviceProfile>(); }), nullptr);
  EXPECT_EQ(Asked, 1);
  EXPECT_FALSE(cache().load("gpu"));
}

TEST_F(ProfileTest, WithoutAFolderEachProcessMeasures) {
  for (int I = 0; I != 2; ++I) {
    DeviceProfiles Process(DiskCache("", 0));
    for (int Again = 0; Again != 2; ++Again)
      EXPECT_NE(Process.of("gpu", [&] { return ++Measured, profile(1); }), nullptr);
  }
  EXPECT_EQ(Measured, 2);
}

// The second process begins while the first one measures. It waits for the result.
TEST_F(ProfileTest, OneProcessMeasures) {
  int Begun[2], Go[2];
  ASSERT_EQ(pipe(Begun), 0);
  ASSERT_EQ(pipe(Go), 0);
  char Byte = 0;
  const pid_t First = fork();
  if (First == 0) {
    DeviceProfiles Process(cache());
    const auto *P = Process.of("gpu", [&] {
      (void)!write(Begun[1], &Byte, 1);
      (void)!read(Go[0], &Byte, 1);
      return profile(3);
    });
    _exit(P && P->Operations == 3 ? 0 : 1);
  }
  ASSERT_EQ(read(Begun[0], &Byte, 1), 1);
  const pid_t Second = fork();
  if (Second == 0) {
    (void)!write(Go[1], &Byte, 1); // The first one ends its measurement some time from now.
    DeviceProfiles Process(cache());
    const auto *P = Process.of("gpu", [] { return profile(4); });
    _exit(P && P->Operations == 3 ? 0 : 1);
  }
  for (pid_t Its : {First, Second}) {
    int Status = -1;
    EXPECT_EQ(waitpid(Its, &Status, 0), Its);
    EXPECT_EQ(Status, 0);
  }
  for (int F : {Begun[0], Begun[1], Go[0], Go[1]})
    close(F);
}

TEST(ProfileSeconds, TheResourceThatBoundsTheQueueCounts) {
  const DeviceProfile Fast{100e9, 1e9, {0, 1e9}, {0, 1e9}}, Wide{1e9, 100e9, {0, 1e9}, {0, 1e9}},
      Near{1e9, 1e9, {0, 100e9}, {0, 100e9}};
  const Work W{1e6, 1e6, 1e6};
  auto Best = [&](Bound By) {
    const double S[] = {secondsOf(W, By, Fast, 1), secondsOf(W, By, Wide, 1), secondsOf(W, By, Near, 1)};
    return std::min_element(S, S + 3) - S;
  };
  EXPECT_EQ(Best(Bound::Compute), 0);
  EXPECT_EQ(Best(Bound::Memory), 1);
  EXPECT_EQ(secondsOf(W, Bound::Unknown, Fast, 1), 2e-3);     // Its memory.
  EXPECT_EQ(secondsOf(W, Bound::Unknown, Wide, 1), 64e-3);    // Its computing.
  EXPECT_EQ(secondsOf(W, Bound::Compute, Wide, 0.5), 128e-3); // Half of it is used.
  EXPECT_LT(secondsOf({1, 1e8, 1e8}, Bound::Transfers, Near, 1), secondsOf({1, 1e8, 1e8}, Bound::Transfers, Fast, 1));
}

} // namespace
