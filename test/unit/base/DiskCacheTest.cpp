// Entries on disk: what comes back, what does not, several processes, the bound.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/DiskCache.h"
#include "base/Log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace hsched::rt;
namespace fs = std::filesystem;

namespace {

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = fs::temp_directory_path() / "hsched-cache-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
  }
  void TearDown() override { fs::remove_all(Folder); }

  static std::string contents(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  static void put(const std::string &Path, const std::string &Text) {
    std::ofstream(Path, std::ios::binary | std::ios::trunc) << Text;
  }
  static size_t bytesIn(const fs::path &Dir) {
    size_t All = 0;
    for (const auto &E : fs::directory_iterator(Dir))
      All += E.file_size();
    return All;
  }
  static size_t filesIn(const fs::path &Dir) {
    return static_cast<size_t>(std::distance(fs::directory_iterator(Dir), fs::directory_iterator()));
  }

  fs::path Folder;
};

const std::string Zeros("a\0b\0", 4);

} // namespace

TEST_F(DiskCacheTest, WhatWasStoredComesBack) {
  DiskCache C(Folder / "not" / "there" / "yet", 1 << 20);
  EXPECT_FALSE(C.load("key"));
  C.store("key", Zeros);
  C.store("empty", "");
  EXPECT_EQ(C.load("key"), Zeros);
  EXPECT_EQ(C.load("empty"), "");
  EXPECT_FALSE(C.load("key2"));
  C.store("key", "new");
  EXPECT_EQ(DiskCache(Folder / "not" / "there" / "yet", 1 << 20).load("key"), "new") << "by another object too";
  EXPECT_EQ(filesIn(Folder / "not" / "there" / "yet"), 2u) << "nothing is left behind";
  struct stat About;
  ASSERT_EQ(stat((Folder / "not" / "there" / "yet").c_str(), &About), 0);
  EXPECT_EQ(About.st_mode & 0777, 0700u) << "nobody else may put programs there";
}

TEST_F(DiskCacheTest, CutShortAtEveryLengthIsNotThere) {
  DiskCache C(Folder, 1 << 20);
  C.store("key", "value");
  std::string Path = C.pathOf("key"), Whole = contents(Path);
  ASSERT_EQ(Whole.size(), 48u) << "header, key, value";
  for (size_t Length = 0; Length < Whole.size(); ++Length) {
    put(Path, Whole.substr(0, Length));
    EXPECT_FALSE(C.load("key")) << Length;
  }
  put(Path, Whole + '\0');
  EXPECT_FALSE(C.load("key")) << "nor with more than it had";
  put(Path, Whole);
  EXPECT_EQ(C.load("key"), "value");
}

TEST_F(DiskCacheTest, EveryFlippedBitIsSeen) {
  DiskCache C(Folder, 1 << 20);
  C.store("key", "value");
  std::string Path = C.pathOf("key"), Whole = contents(Path);
  for (size_t Bit = 0; Bit < Whole.size() * 8; ++Bit) {
    std::string Bad = Whole;
    Bad[Bit / 8] = static_cast<char>(Bad[Bit / 8] ^ (1 << Bit % 8));
    put(Path, Bad);
    EXPECT_FALSE(C.load("key")) << "bit " << Bit;
    C.store("key", "again");
    EXPECT_EQ(C.load("key"), "again") << "and it is written anew";
  }
}

TEST_F(DiskCacheTest, ForeignThingsAreNotThere) {
  DiskCache C(Folder, 1 << 20);
  C.store("other key", "value");
  std::string Other = contents(C.pathOf("other key"));
  put(C.pathOf("key"), Other);
  EXPECT_FALSE(C.load("key")) << "another key's entry under this one's name";
  put(C.pathOf("key"), "");
  EXPECT_FALSE(C.load("key"));
  fs::remove(C.pathOf("key"));
  fs::create_symlink(C.pathOf("other key"), C.pathOf("key"));
  EXPECT_FALSE(C.load("key")) << "no links";
  fs::remove(C.pathOf("key"));
  fs::create_directory(C.pathOf("key"));
  EXPECT_FALSE(C.load("key"));
  C.store("key", "value"); // Cannot replace a folder.
  EXPECT_FALSE(C.load("key"));
  fs::remove(C.pathOf("key"));
  ASSERT_EQ(mkfifo(C.pathOf("key").c_str(), 0600), 0);
  EXPECT_FALSE(C.load("key")) << "and nobody waits for a pipe's other end";
  EXPECT_EQ(filesIn(Folder), 2u) << "nothing half written is left";
}

TEST_F(DiskCacheTest, AFolderThatCannotBeIsNoError) {
  put(Folder / "file", "");
  unsigned Warnings = 0;
  setLogSink([&](LogLevel Level, std::string_view) { Warnings += Level < LogLevel::Debug; });
  for (const fs::path &Bad : {Folder / "file", Folder / "file" / "below", fs::path("/proc/no/such")}) {
    DiskCache C(Bad, 1 << 20);
    C.store("key", "value");
    EXPECT_FALSE(C.load("key"));
  }
  DiskCache Off("", 1 << 20);
  EXPECT_FALSE(Off.on());
  Off.store("key", "value");
  EXPECT_FALSE(Off.load("key"));
  setLogSink({});
  EXPECT_EQ(Warnings, 0u);
}

TEST_F(DiskCacheTest, WhatIsNotUsedGoesFirst) {
  constexpr size_t Most = 64 << 10;
  DiskCache C(Folder, Most);
  std::string Value(4 << 10, 'x');
  using Clock = fs::file_time_type::clock;
  put(Folder / "new-stale", "left by a process that died");
  fs::last_write_time(Folder / "new-stale", Clock::now() - std::chrono::hours(2));
  put(Folder / "new-fresh", "somebody writes");
  C.store("loved", Value);
  for (int I = 0; I < 100; ++I) {
    std::string Key = "key " + std::to_string(I);
    C.store(Key, Value);
    EXPECT_EQ(C.load(Key), Value);
    // As if each had been a minute ago; what is used becomes young again.
    fs::last_write_time(C.pathOf(Key), Clock::now() - std::chrono::minutes(200 - I));
    EXPECT_LE(bytesIn(Folder), Most + 15);
    EXPECT_EQ(C.load("loved"), Value);
    EXPECT_GT(fs::last_write_time(C.pathOf("loved")), Clock::now() - std::chrono::minutes(1));
    fs::last_write_time(C.pathOf("loved"), Clock::now() - std::chrono::minutes(50));
    C.load("loved");
  }
  EXPECT_TRUE(C.load("key 99"));
  EXPECT_FALSE(C.load("key 0"));
  EXPECT_FALSE(fs::exists(Folder / "new-stale"));
  EXPECT_TRUE(fs::exists(Folder / "new-fresh"));
  C.store("huge", std::string(Most / 4, 'x'));
  EXPECT_FALSE(C.load("huge")) << "would drive everything else out";
}

TEST_F(DiskCacheTest, ManyProcessesAtOnce) {
  constexpr unsigned Processes = 4, Rounds = 1500, Keys = 6;
  // Small enough that entries are dropped all the time.
  DiskCache C(Folder, 24 << 10);
  auto valueOf = [](unsigned Key, unsigned Version) {
    return std::to_string(Key) + ":" + std::string(200 * (Version % 23), static_cast<char>('a' + Version % 26));
  };
  auto valid = [&](unsigned Key, const std::string &Value) {
    for (unsigned Version = 0; Version < 23 * 26; ++Version)
      if (Value == valueOf(Key, Version))
        return true;
    return false;
  };
  std::vector<pid_t> Children;
  for (unsigned P = 0; P < Processes; ++P) {
    pid_t Child = fork();
    ASSERT_GE(Child, 0);
    if (Child == 0) {
      std::mt19937 Random(P + 1);
      int Bad = 0;
      unsigned Hits = 0;
      for (unsigned R = 0; R < Rounds; ++R) {
        unsigned Key = Random() % Keys;
        std::string Name = "key " + std::to_string(Key);
        if (Random() % 2) {
          C.store(Name, valueOf(Key, Random() % (23 * 26)));
        } else if (auto Value = C.load(Name)) {
          ++Hits;
          Bad |= !valid(Key, *Value);
        }
      }
      _exit(Bad ? 1 : Hits == 0 ? 2 : 0);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = 0;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_TRUE(WIFEXITED(Status));
    EXPECT_EQ(WEXITSTATUS(Status), 0) << "1: a wrong value, 2: never a value";
  }
  for (const auto &E : fs::directory_iterator(Folder))
    EXPECT_FALSE(E.path().filename().native().starts_with("new-")) << E.path();
}

TEST(CacheFolderTest, FollowsTheEnvironment) {
  unsetenv("HSCHED_CACHE");
  setenv("HOME", "/home/me", 1);
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cacheFolder(), "/home/me/.cache/hsched");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cacheFolder(), "/home/me/.cache/hsched");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cacheFolder(), "/cache/hsched");
  EXPECT_EQ(DiskCache::ofUser("kind", 1).pathOf("").substr(0, 20), "/cache/hsched/kind/c");
  setenv("HSCHED_CACHE", "1", 1);
  EXPECT_EQ(cacheFolder(), "/cache/hsched");
  for (const char *Off : {"0", "off", "no"}) {
    setenv("HSCHED_CACHE", Off, 1);
    EXPECT_EQ(cacheFolder(), "");
    EXPECT_FALSE(DiskCache::ofUser("kind", 1).on());
  }
  setenv("HSCHED_CACHE", "./here", 1);
  EXPECT_EQ(cacheFolder(), "./here");
  unsetenv("HSCHED_CACHE");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(cacheFolder(), "");
}

TEST(CacheKeyTest, FieldsAreApart) {
  EXPECT_NE(cacheKey({"ab", "c"}), cacheKey({"a", "bc"}));
  EXPECT_NE(cacheKey({"a", ""}), cacheKey({"a"}));
  EXPECT_NE(cacheKey({"1:a"}), cacheKey({"a"}));
}
