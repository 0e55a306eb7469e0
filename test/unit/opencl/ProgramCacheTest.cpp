// Programs kept on disk: a second build does not compile, whatever is wrong with an entry does no harm.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"
#include "backends/opencl/Programs.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <spawn.h>
#include <sys/wait.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::opencl;
using namespace hsched::rt::test;
namespace fs = std::filesystem;

extern char **environ;

namespace {

constexpr const char Twice[] = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }\n"
                               "__attribute__((reqd_work_group_size(4, 1, 1)))\n"
                               "kernel void fours(global int *x, int n) { x[get_global_id(0)] += n; }\n";

class ProgramCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<cl::Platform> Platforms;
    cl::Platform::get(&Platforms);
    std::vector<cl::Device> Devices;
    for (const cl::Platform &P : Platforms)
      if (Devices.empty())
        P.getDevices(CL_DEVICE_TYPE_ALL, &Devices);
    if (Devices.empty())
      GTEST_SKIP() << "no OpenCL device on this machine";
    Dev = Devices.front();
    std::string Pattern = fs::temp_directory_path() / "hsched-programs-XXXXXX";
    if (const char *Given = std::getenv("TEST_PROGRAMS"))
      Folder = Given;
    else if (mkdtemp(Pattern.data()))
      Folder = Own = Pattern;
  }
  void TearDown() override {
    if (!Own.empty())
      fs::remove_all(Own);
  }

  // A cache over the folder such as a new process would have.
  std::unique_ptr<ProgramCache> fresh(uint64_t MostBytes = 64 << 20) {
    Context = cl::Context(Dev);
    return std::make_unique<ProgramCache>(Context, Dev, "the device", DiskCache(Folder, MostBytes));
  }

  // Runs kernel 'twice' and looks at what it did.
  void expectTwice(ProgramCache &Programs, const hsched_kernel_desc &Desc = describe(Twice, "twice")) {
    KernelRef K;
    status S = Programs.kernel(Desc, K);
    ASSERT_TRUE(S.ok()) << S.message();
    auto &Cl = static_cast<ClKernel &>(*K);
    int Data[4] = {1, 20, 300, -4};
    cl::Buffer B(Context, CL_MEM_COPY_HOST_PTR, sizeof(Data), Data);
    cl::CommandQueue Queue(Context, Dev);
    Cl.Native.setArg(0, B);
    ASSERT_EQ(Queue.enqueueNDRangeKernel(Cl.Native, cl::NullRange, cl::NDRange(4)), CL_SUCCESS);
    ASSERT_EQ(Queue.enqueueReadBuffer(B, CL_TRUE, 0, sizeof(Data), Data), CL_SUCCESS);
    EXPECT_EQ(std::vector<int>(Data, Data + 4), (std::vector<int>{2, 40, 600, -8}));
  }

  std::string entry() {
    auto Programs = fresh();
    std::string Key = Programs->diskKey(describe(Twice, "twice"));
    return DiskCache(Folder, 1 << 20).pathOf(Key);
  }

  static std::string contents(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  static void put(const std::string &Path, const std::string &Text) {
    std::ofstream(Path, std::ios::binary | std::ios::trunc) << Text;
  }

  cl::Device Dev;
  cl::Context Context;
  std::string Folder, Own;
};

} // namespace

TEST_F(ProgramCacheTest, OnlyWhatIsOnDiskIsLoadedInAdvance) {
  auto First = fresh();
  First->preload(describe(Twice, "twice"));
  EXPECT_EQ(First->compiled(), 0u);
  expectTwice(*First);
  EXPECT_EQ(First->compiled(), 1u);
  const std::string Entry = entry();
  auto Second = fresh();
  Second->preload(describe(Twice, "twice"));
  ASSERT_TRUE(fs::remove(Entry));
  expectTwice(*Second);
  EXPECT_EQ(Second->compiled(), 0u) << "it was loaded before";
}

TEST_F(ProgramCacheTest, ASecondBuildDoesNotCompile) {
  auto First = fresh();
  expectTwice(*First);
  expectTwice(*First);
  EXPECT_EQ(First->compiled(), 1u);
  auto Second = fresh();
  expectTwice(*Second);
  EXPECT_EQ(Second->compiled(), 0u);
  // What is asked of a kernel is known of one from the disk too.
  KernelRef Was, Is;
  ASSERT_TRUE(First->kernel(describe(Twice, "fours"), Was).ok());
  ASSERT_TRUE(Second->kernel(describe(Twice, "fours"), Is).ok());
  auto &A = static_cast<ClKernel &>(*Was), &B = static_cast<ClKernel &>(*Is);
  EXPECT_EQ(B.Args, 2u);
  EXPECT_EQ(A.RequiredLocal, B.RequiredLocal);
  EXPECT_EQ(A.LocalBytes, B.LocalBytes);
  EXPECT_EQ(Second->compiled(), 0u);
}

TEST_F(ProgramCacheTest, SourceAndOptionsTellProgramsApart) {
  const char *Scaled = "kernel void twice(global int *x) { x[get_global_id(0)] *= FACTOR; }\n";
  for (unsigned Run = 0; Run < 2; ++Run) {
    auto Programs = fresh();
    expectTwice(*Programs);
    expectTwice(*Programs, describe(Scaled, "twice", 0, "-DFACTOR=2"));
    expectTwice(*Programs, describe(Scaled, "twice", 0, "-DFACTOR=6/3"));
    EXPECT_EQ(Programs->compiled(), Run ? 0u : 3u);
  }
}

TEST(BinaryKeyTest, EachFactTellsBinariesApart) {
  std::string BinaryOrigin::*const Facts[] = {
      &BinaryOrigin::Platform, &BinaryOrigin::PlatformVersion, &BinaryOrigin::Vendor,    &BinaryOrigin::Name,
      &BinaryOrigin::Version,  &BinaryOrigin::Driver,          &BinaryOrigin::Extensions};
  constexpr size_t NumFacts = std::size(Facts), All = NumFacts + 2; // Then the options, then the source.
  static_assert(sizeof(BinaryOrigin) == NumFacts * sizeof(std::string), "one that is not tried here");
  auto keyOf = [&](const std::array<std::string, All> &Texts) {
    BinaryOrigin From;
    for (size_t I = 0; I < NumFacts; ++I)
      From.*Facts[I] = Texts[I];
    return binaryKey(From, Texts[NumFacts], Texts[NumFacts + 1]);
  };
  std::array<std::string, All> Same;
  Same.fill("abc");
  std::set<std::string> Keys{keyOf(Same)};
  EXPECT_EQ(keyOf(Same), *Keys.begin());
  for (size_t I = 0; I < All; ++I)
    for (const char *Other : {"", "ab", "abcd", "abC"}) {
      auto Texts = Same;
      Texts[I] = Other;
      EXPECT_TRUE(Keys.insert(keyOf(Texts)).second) << I << " '" << Other << "'";
    }
  // One's end is not the next one's beginning.
  Keys.clear();
  for (size_t I = 0; I + 1 < All; ++I)
    for (size_t Length = 0; Length <= 3; ++Length) {
      std::array<std::string, All> Texts;
      Texts[I] = std::string("abc").substr(0, Length);
      Texts[I + 1] = std::string("abc").substr(Length);
      Keys.insert(keyOf(Texts));
    }
  // The whole of it in each, and two ways to share it between each and the next.
  EXPECT_EQ(Keys.size(), All + 2 * (All - 1));
}

TEST_F(ProgramCacheTest, TheDeviceAndItsDriverTellProgramsApart) {
  BinaryOrigin From = originOf(Dev);
  cl::Platform Platform(Dev.getInfo<CL_DEVICE_PLATFORM>());
  EXPECT_EQ(From.Platform, Platform.getInfo<CL_PLATFORM_NAME>());
  EXPECT_EQ(From.PlatformVersion, Platform.getInfo<CL_PLATFORM_VERSION>());
  EXPECT_EQ(From.Vendor, Dev.getInfo<CL_DEVICE_VENDOR>());
  EXPECT_EQ(From.Name, Dev.getInfo<CL_DEVICE_NAME>());
  EXPECT_EQ(From.Version, Dev.getInfo<CL_DEVICE_VERSION>());
  EXPECT_EQ(From.Driver, Dev.getInfo<CL_DRIVER_VERSION>());
  EXPECT_EQ(From.Extensions, Dev.getInfo<CL_DEVICE_EXTENSIONS>());
  EXPECT_NE(From.Name, "");
  EXPECT_NE(From.Driver, "");
  expectTwice(*fresh(), describe(Twice, "twice", 0, "-DA"));
  DiskCache Disk(Folder, 1 << 20);
  std::string Key = binaryKey(From, "-DA", Twice);
  EXPECT_EQ(fresh()->diskKey(describe(Twice, "twice", 0, "-DA")), Key);
  std::optional<std::string> Binary = Disk.load(Key);
  ASSERT_TRUE(Binary) << "that is where it was put";
  // What a driver of another version has left is not taken.
  fs::remove(Disk.pathOf(Key));
  From.Driver += ".1";
  Disk.store(binaryKey(From, "-DA", Twice), *Binary);
  auto Programs = fresh();
  expectTwice(*Programs, describe(Twice, "twice", 0, "-DA"));
  EXPECT_EQ(Programs->compiled(), 1u);
}

TEST_F(ProgramCacheTest, WhatDoesNotBuildIsNotKept) {
  const char *Bad = "kernel void twice(global int *x) { x = ; }\n";
  for (unsigned Run = 0; Run < 2; ++Run) {
    auto Programs = fresh();
    KernelRef K;
    EXPECT_EQ(Programs->kernel(describe(Bad, "twice"), K).code(), errc::build_failed);
    EXPECT_EQ(Programs->compiled(), 1u);
    EXPECT_TRUE(fs::is_empty(Folder));
  }
}

TEST_F(ProgramCacheTest, CutShortOrChangedIsBuiltAnew) {
  expectTwice(*fresh());
  std::string Path = entry(), Whole = contents(Path);
  ASSERT_GT(Whole.size(), 200u);
  constexpr size_t HeaderBytes = 40;
  std::vector<std::string> Bad;
  for (size_t Length = 0; Length <= HeaderBytes; ++Length)
    Bad.push_back(Whole.substr(0, Length));
  Bad.push_back(Whole.substr(0, Whole.size() / 2));
  Bad.push_back(Whole.substr(0, Whole.size() - 1));
  Bad.push_back(Whole + "more");
  for (size_t At :
       {size_t(0), size_t(8), size_t(16), size_t(24), size_t(32), HeaderBytes, Whole.size() / 2, Whole.size() - 1}) {
    Bad.push_back(Whole);
    Bad.back()[At] = static_cast<char>(Bad.back()[At] ^ 0x10);
  }
  Bad.push_back(Whole); // The next version of the format.
  ++Bad.back()[8];
  for (const std::string &Text : Bad) {
    put(Path, Text);
    auto Programs = fresh();
    expectTwice(*Programs);
    EXPECT_EQ(Programs->compiled(), 1u) << Text.size() << " of " << Whole.size() << " bytes";
    auto Again = fresh();
    expectTwice(*Again);
    EXPECT_EQ(Again->compiled(), 0u) << "and it was put right";
  }
}

TEST_F(ProgramCacheTest, WhatTheDriverRefusesIsBuiltAnew) {
  auto Programs = fresh();
  DiskCache Disk(Folder, 1 << 20);
  std::string Key = Programs->diskKey(describe(Twice, "twice"));
  Disk.store(Key, "no binary of any driver");
  expectTwice(*Programs);
  EXPECT_EQ(Programs->compiled(), 1u);

  // A program that is sound but has another kernel.
  const char *Other = "kernel void other(global int *x) { x[0] = 1; }\n";
  KernelRef K;
  ASSERT_TRUE(fresh()->kernel(describe(Other, "other"), K).ok());
  auto Binary = Disk.load(fresh()->diskKey(describe(Other, "other")));
  ASSERT_TRUE(Binary);
  Disk.store(Key, *Binary);
  auto Mixed = fresh();
  expectTwice(*Mixed);
  EXPECT_EQ(Mixed->compiled(), 1u);
  auto Again = fresh();
  expectTwice(*Again);
  EXPECT_EQ(Again->compiled(), 0u) << "and it was put right";
  // A name that no program of this source has is an error as ever.
  EXPECT_EQ(Mixed->kernel(describe(Twice, "thrice"), K).code(), errc::build_failed);
}

TEST_F(ProgramCacheTest, WithoutACacheEverythingIsCompiled) {
  for (const std::string &Nowhere : {std::string(), Folder + "/file/below"}) {
    put(Folder + "/file", "");
    for (unsigned Run = 0; Run < 2; ++Run) {
      Context = cl::Context(Dev);
      ProgramCache Programs(Context, Dev, "the device", DiskCache(Nowhere, 1 << 20));
      expectTwice(Programs);
      EXPECT_EQ(Programs.compiled(), 1u);
    }
  }
}

TEST_F(ProgramCacheTest, SourcesThatNameFilesAreNotKept) {
  put(Folder + "/factor.h", "#define FACTOR 2\n");
  std::string Options = "-I " + Folder;
  const char *Source = "#include \"factor.h\"\nkernel void twice(global int *x) { x[get_global_id(0)] *= FACTOR; }\n";
  for (unsigned Run = 0; Run < 2; ++Run) {
    auto Programs = fresh();
    EXPECT_EQ(Programs->diskKey(describe(Source, "twice", 0, Options.c_str())), "");
    expectTwice(*Programs, describe(Source, "twice", 0, Options.c_str()));
    EXPECT_EQ(Programs->compiled(), 1u);
  }
}

TEST(MayIncludeTest, LooksAtDirectivesAndOptions) {
  for (const char *Yes : {"#include <a>", " \t# include \"a\"", "x\n#\\\ninclude <a>", "#\\\r\ninclude <a>",
                          "%:include <a>", "#if __has_include(<a>)", "/* */ #include MACRO", "?\?=include <a>"})
    EXPECT_TRUE(mayInclude(Yes, "")) << Yes;
  for (const char *No : {"", "// what this may include", "#define A\n// to include", "int included;\n#if 1\n#endif"})
    EXPECT_FALSE(mayInclude(No, "-I include -DA")) << No;
  EXPECT_TRUE(mayInclude("", "-DA -include a.h"));
}

TEST_F(ProgramCacheTest, OneOfSeveralProcesses) {
  // Started by the test below; alone it is one more simple test.
  auto Programs = fresh();
  expectTwice(*Programs);
  EXPECT_LE(Programs->compiled(), 1u);
}

TEST_F(ProgramCacheTest, SeveralProcessesAtOnce) {
  setenv("TEST_PROGRAMS", Folder.c_str(), 1);
  std::string Self = fs::read_symlink("/proc/self/exe"),
              Filter = "--gtest_filter=ProgramCacheTest.OneOfSeveralProcesses";
  for (int Round = 0; Round < 2; ++Round) {
    std::vector<pid_t> Children(3);
    for (pid_t &Child : Children) {
      char *Args[] = {Self.data(), Filter.data(), nullptr};
      ASSERT_EQ(posix_spawn(&Child, Self.c_str(), nullptr, nullptr, Args, environ), 0);
    }
    for (pid_t Child : Children) {
      int Status = 0;
      ASSERT_EQ(waitpid(Child, &Status, 0), Child);
      EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0) << Status;
    }
    auto Programs = fresh();
    expectTwice(*Programs);
    EXPECT_EQ(Programs->compiled(), 0u);
    put(entry(), "cut short"); // The second round has to put that right.
  }
}
