// Builds with a callback are tasks of their own: they run beside each other, and beside commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace icdtest {
namespace {

// PoCL's builds wait in here until the test lets them go on.
class BuildsTest : public Hooked {
protected:
  void SetUp() override {
    Hooked::SetUp();
    Begun = Ended = 0;
    Threads.clear();
    Open = false;
    Table->clBuildProgram = [](cl_program P, cl_uint Count, const cl_device_id *On, const char *Options,
                               void(CL_CALLBACK * Notified)(cl_program, void *), void *UserData) {
      {
        std::unique_lock Hold(Lock);
        ++Begun;
        Threads.insert(std::this_thread::get_id());
        Changed.notify_all();
        Changed.wait(Hold, [] { return Open; });
      }
      return Real.clBuildProgram(P, Count, On, Options, Notified, UserData);
    };
  }
  static void CL_CALLBACK ended(cl_program, void *) {
    std::lock_guard Hold(Lock);
    ++Ended;
    Changed.notify_all();
  }
  template <class F> static void await(F Condition) {
    std::unique_lock Hold(Lock);
    Changed.wait(Hold, Condition);
  }
  static inline std::mutex Lock;
  static inline std::condition_variable Changed;
  static inline int Begun, Ended, Released, SeenReleased;
  static inline bool Open;
  static inline std::set<std::thread::id> Threads;
};

TEST_F(BuildsTest, BuildsOverlapEachOtherAndCommands) {
  Open = true;
  cl_kernel Add = kernel(AddSource, "add");
  cl_mem M = ints({1});
  arg(Add, 0, M);
  arg(Add, 1, 2);
  Open = false;
  Begun = 0;
  Threads.clear();
  const std::string Sources[] = {std::string(AddSource) + "// 1", std::string(AddSource) + "// 2"};
  cl_program Programs[2];
  cl_int Error;
  for (int I = 0; I != 2; ++I) {
    const char *Text = Sources[I].c_str();
    Programs[I] = clCreateProgramWithSource(Context, 1, &Text, nullptr, &Error);
    ok(Error);
    ok(clBuildProgram(Programs[I], 0, nullptr, "", ended, nullptr));
  }
  await([] { return Begun == 2; }); // Neither has ended.
  EXPECT_EQ(Threads.size(), 2u);
  EXPECT_EQ(Threads.count(std::this_thread::get_id()), 0u);
  for (cl_program P : Programs)
    EXPECT_EQ(
        info<cl_build_status>(clGetProgramBuildInfo, P, Devices[0], cl_program_build_info(CL_PROGRAM_BUILD_STATUS)),
        CL_BUILD_IN_PROGRESS);
  run(Queues[0], Add, 1);
  EXPECT_EQ(read(Queues[0], M, 1), std::vector<int>{3});
  {
    std::lock_guard Hold(Lock);
    EXPECT_EQ(Ended, 0);
    Open = true;
    Changed.notify_all();
  }
  await([] { return Ended == 2; });
  for (cl_program P : Programs) {
    cl_kernel K = clCreateKernel(P, "add", &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    arg(K, 0, M);
    arg(K, 1, 1);
    run(Queues[0], K, 1);
    ok(clFinish(Queues[0]));
    clReleaseKernel(K);
    clReleaseProgram(P);
  }
  EXPECT_EQ(read(Queues[0], M, 1), std::vector<int>{5});
  clReleaseKernel(Add);
}

// The build's thread calls no vendor after the callback: the vendor's program is released before. A process may end
// right after the callback, and a thread in a vendor's library would crash then.
TEST_F(BuildsTest, ABuildsThreadIsDoneWithTheVendorBeforeItsCallback) {
  Released = SeenReleased = 0;
  Table->clReleaseProgram = [](cl_program P) {
    {
      std::lock_guard Hold(Lock);
      ++Released;
    }
    return Real.clReleaseProgram(P);
  };
  const std::string Source = std::string(AddSource) + "// 3";
  const char *Text = Source.c_str();
  cl_int Error;
  cl_program P = clCreateProgramWithSource(Context, 1, &Text, nullptr, &Error);
  ok(Error);
  ok(clBuildProgram(
      P, 0, nullptr, "",
      [](cl_program, void *) {
        std::lock_guard Hold(Lock);
        SeenReleased = Released;
        ++Ended;
        Changed.notify_all();
      },
      nullptr));
  await([] { return Begun == 1; });
  ok(clReleaseProgram(P));
  {
    std::lock_guard Hold(Lock);
    EXPECT_EQ(Released, 0); // It is being built.
    Open = true;
    Changed.notify_all();
  }
  await([] { return Ended == 1; });
  std::lock_guard Hold(Lock);
  EXPECT_EQ(SeenReleased, 1);
}

} // namespace
} // namespace icdtest
