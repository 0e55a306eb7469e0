// Commands as tasks: what HSCHED_RECORD, HSCHED_TRACE, HSCHED_GRAPH and HSCHED_STATS say of an OpenCL program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include "trace/Record.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

// Whether a program below leaves its objects to the system.
static bool leavesObjects() { return std::getenv("HSCHED_TEST_LEAVES"); }
// LeakSanitizer asks before it looks for leaks.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return leavesObjects(); }

namespace icdtest {
namespace {

namespace record = hsched::rt::record;

// Run by the tests below, in a process that is watched.
class Program : public Platform {};

TEST_F(Program, DISABLED_Chains) {
  cl_command_queue Q = Queues[0];
  cl_mem A = ints({1, 2}), B = ints({3, 4});
  cl_kernel Add = kernel(AddSource, "add"), Put = kernel(AddSource, "put");
  std::vector<int> Ones(2, 1);
  ok(clEnqueueWriteBuffer(Q, A, CL_FALSE, 0, sizeof(int), Ones.data(), 0, nullptr, nullptr)); // 1
  arg(Add, 0, A);
  arg(Add, 1, 5);
  run(Q, Add, 2); // 2, after 1.
  arg(Put, 0, B);
  arg(Put, 1, 0);
  arg(Put, 2, 9);
  run(Q, Put, 2); // 3, after nothing.
  arg(Add, 0, B);
  run(Q, Add, 2);                                                                            // 4, after 3.
  std::vector<int> X(2), Y(2);                                                               // Memory of its own each.
  ok(clEnqueueReadBuffer(Q, A, CL_TRUE, 0, 2 * sizeof(int), X.data(), 0, nullptr, nullptr)); // 5, after 1 and 2.
  ok(clEnqueueReadBuffer(Q, B, CL_TRUE, 0, 2 * sizeof(int), Y.data(), 0, nullptr, nullptr)); // 6, after 3 and 4.
  EXPECT_EQ(X, (std::vector<int>{6, 7}));
  EXPECT_EQ(Y, (std::vector<int>{14, 14}));
  cl_int Error;
  cl_event User = clCreateUserEvent(Context, &Error), Last = nullptr;
  run(Queues[1], Put, 2, {User}, &Last); // 7, does not run.
  ok(clSetUserEventStatus(User, -5));
  EXPECT_LT(clWaitForEvents(1, &Last), 0);
  for (cl_event E : {User, Last})
    clReleaseEvent(E);
  for (cl_kernel K : {Add, Put})
    clReleaseKernel(K);
}

TEST_F(Program, DISABLED_Scheduled) {
  cl_int Error;
  cl_context Own = clCreateContext(nullptr, 1, &Auto, nullptr, nullptr, &Error);
  ok(Error);
  cl_command_queue Q = clCreateCommandQueue(Own, Auto, 0, &Error);
  ok(Error);
  const char *Source = AddSource;
  cl_program P = clCreateProgramWithSource(Own, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  cl_kernel Add = clCreateKernel(P, "add", &Error);
  cl_mem M = clCreateBuffer(Own, CL_MEM_READ_WRITE, 1024 * sizeof(int), nullptr, &Error);
  arg(Add, 0, M);
  arg(Add, 1, 1);
  for (int Epoch = 0; Epoch != 6; ++Epoch) { // Each of two devices is measured twice.
    run(Q, Add, 1024);
    ok(clFinish(Q));
  }
  clReleaseMemObject(M);
  clReleaseKernel(Add);
  clReleaseProgram(P);
  clReleaseCommandQueue(Q);
  clReleaseContext(Own);
}

// As clpeak measures launches: each is waited for.
TEST_F(Program, DISABLED_Launches) {
  cl_int Error;
  cl_context Own = clCreateContext(nullptr, 1, &Auto, nullptr, nullptr, &Error);
  ok(Error);
  cl_command_queue Q = clCreateCommandQueue(Own, Auto, CL_QUEUE_PROFILING_ENABLE, &Error);
  ok(Error);
  const char *Source = "kernel void nothing() {}";
  cl_program P = clCreateProgramWithSource(Own, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
  cl_kernel K = clCreateKernel(P, "nothing", &Error);
  for (int I = 0; I != 80; ++I) {
    cl_event E = nullptr;
    run(Q, K, 64, {}, &E);
    ok(clFinish(Q));
    EXPECT_LE(info<cl_ulong>(clGetEventProfilingInfo, E, cl_profiling_info(CL_PROFILING_COMMAND_QUEUED)),
              info<cl_ulong>(clGetEventProfilingInfo, E, cl_profiling_info(CL_PROFILING_COMMAND_START)));
    clReleaseEvent(E);
  }
  if (leavesObjects())
    return;
  clReleaseKernel(K);
  clReleaseProgram(P);
  clReleaseCommandQueue(Q);
  clReleaseContext(Own);
}

// A launch with an offset, and one whose sizes a record does not have: a device has its own.
TEST_F(Program, DISABLED_Sized) {
  cl_mem A = ints({1, 2, 3, 4});
  cl_kernel Add = kernel(AddSource, "add");
  arg(Add, 0, A);
  arg(Add, 1, 5);
  run(Queues[0], Add, 4);
  const size_t Offset = 1, Items = 2;
  ok(clEnqueueNDRangeKernel(Queues[0], Add, 1, &Offset, &Items, nullptr, 0, nullptr, nullptr));
  auto SetInfo = reinterpret_cast<clSetKernelWorkGroupInfoHSCHED_fn>(
      clGetExtensionFunctionAddressForPlatform(Id, "clSetKernelWorkGroupInfo"));
  ASSERT_NE(SetInfo, nullptr);
  ok(SetInfo(Add, Devices[0], 1, &Items, &Items));
  run(Queues[0], Add, 4);
  EXPECT_EQ(read(Queues[0], A, 4), (std::vector<int>{11, 17, 13, 9}));
  clReleaseKernel(Add);
}

// What a file of kernels computes, too: transfers only before the first kernel and after the last one.
TEST_F(Program, DISABLED_Whole) {
  std::vector<int> Zeros(4, 0);
  cl_mem A = buffer(sizeof(int) * 4);
  ok(clEnqueueWriteBuffer(Queues[0], A, CL_FALSE, 0, sizeof(int) * 4, Zeros.data(), 0, nullptr, nullptr));
  cl_kernel Put = kernel("kernel void number(global int *x) { x[get_global_id(0)] = get_global_id(0); }", "number"),
            Add = kernel(AddSource, "add");
  arg(Put, 0, A);
  run(Queues[0], Put, 4);
  ok(clEnqueueMarkerWithWaitList(Queues[0], 0, nullptr, nullptr));
  arg(Add, 0, A);
  arg(Add, 1, 5);
  const size_t Offset = 1, Items = 2;
  ok(clEnqueueNDRangeKernel(Queues[0], Add, 1, &Offset, &Items, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(read(Queues[0], A, 4), (std::vector<int>{0, 6, 7, 3}));
  if (std::getenv("HSCHED_TEST_BETWEEN")) {
    ok(clEnqueueWriteBuffer(Queues[0], A, CL_TRUE, 0, sizeof(int), Zeros.data(), 0, nullptr, nullptr));
    run(Queues[0], Add, 4);
    ok(clFinish(Queues[0]));
  }
  clReleaseKernel(Put);
  clReleaseKernel(Add);
}

TEST_F(Program, DISABLED_Image) {
  cl_int Error;
  cl_image_format F{CL_RGBA, CL_SIGNED_INT32};
  cl_image_desc Desc{};
  Desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  Desc.image_width = Desc.image_height = 4;
  cl_mem Image = clCreateImage(Context, CL_MEM_READ_WRITE, &F, &Desc, nullptr, &Error);
  ok(Error);
  cl_sampler S = clCreateSampler(Context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &Error);
  ok(Error);
  const int Color[4] = {1, 2, 3, 4};
  const size_t Zero[3] = {}, Extent[3] = {4, 4, 1};
  ok(clEnqueueFillImage(Queues[0], Image, Color, Zero, Extent, 0, nullptr, nullptr));
  cl_kernel K = kernel("kernel void look(read_only image2d_t a, sampler_t s, global int *out) {\n"
                       "  int i = get_global_id(0); out[i] = read_imagei(a, s, (int2)(i, 0)).y; }",
                       "look");
  cl_mem Out = ints({0, 0});
  arg(K, 0, Image);
  ok(clSetKernelArg(K, 1, sizeof(S), &S));
  arg(K, 2, Out);
  run(Queues[0], K, 2);
  EXPECT_EQ(read(Queues[0], Out, 2), (std::vector<int>{2, 2}));
  clReleaseKernel(K);
  clReleaseSampler(S);
  clReleaseMemObject(Image);
}

// Kernels that do not say const.
TEST_F(Program, DISABLED_Roles) {
  cl_mem A = ints({1, 2}), B = ints({3, 4}), C = ints({0, 0}), D = ints({0, 0});
  cl_kernel K = kernel("kernel void sum(global int *a, global int *b, global int *c) {\n"
                       "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n",
                       "sum");
  arg(K, 0, A);
  arg(K, 1, B);
  arg(K, 2, C);
  run(Queues[0], K, 2);
  arg(K, 2, D);
  run(Queues[0], K, 2);
  arg(K, 0, D);
  run(Queues[0], K, 2); // Also after the first one: both read B, but this one writes D.
  ok(clFinish(Queues[0]));
  EXPECT_EQ(read(Queues[0], C, 2), (std::vector<int>{4, 6}));
  clReleaseKernel(K);
}

class WatchedTest : public ::testing::Test {
protected:
  void SetUp() override {
    Folder = std::filesystem::temp_directory_path() / ("hsched-watched-" + std::to_string(getpid()));
    std::filesystem::create_directories(Folder);
  }
  void TearDown() override { std::filesystem::remove_all(Folder); }

  // Runs a test above with more variables; returns what it wrote to its standard streams.
  std::string program(const std::string &Name, std::vector<std::string> Variables) {
    for (char **E = environ; *E; ++E)
      if (std::string Old = *E; std::none_of(Variables.begin(), Variables.end(), [&](const std::string &V) {
            return Old.compare(0, V.find('=') + 1, V, 0, V.find('=') + 1) == 0;
          }))
        Variables.push_back(Old);
    std::vector<char *> Its;
    for (std::string &V : Variables)
      Its.push_back(V.data());
    Its.push_back(nullptr);
    return run({std::filesystem::read_symlink("/proc/self/exe"), "--gtest_filter=Program.DISABLED_" + Name,
                "--gtest_also_run_disabled_tests"},
               Its.data());
  }
  // What a tool writes to its standard streams.
  std::string output(std::vector<std::string> Words) { return run(std::move(Words), environ); }
  std::string run(std::vector<std::string> Words, char **Variables) {
    std::string Out = Folder / "out";
    std::vector<char *> Its;
    for (std::string &W : Words)
      Its.push_back(W.data());
    Its.push_back(nullptr);
    posix_spawn_file_actions_t Actions;
    posix_spawn_file_actions_init(&Actions);
    posix_spawn_file_actions_addopen(&Actions, 1, Out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&Actions, 1, 2);
    pid_t Child = -1;
    EXPECT_EQ(posix_spawn(&Child, Its[0], &Actions, nullptr, Its.data(), Variables), 0);
    posix_spawn_file_actions_destroy(&Actions);
    int Status = -1;
    EXPECT_EQ(waitpid(Child, &Status, 0), Child);
    std::string Said = contents("out");
    EXPECT_EQ(Status, 0) << Said;
    return Said;
  }
  std::string contents(const std::string &File) const {
    std::ifstream In(Folder / File);
    std::ostringstream Text;
    Text << In.rdbuf();
    return Text.str();
  }
  record::Record recordOf(const std::string &Name, std::vector<std::string> Variables = {},
                          const std::string &Setting = "HSCHED_RECORD") {
    std::string File = Folder / "record.json";
    Variables.push_back(Setting + "=" + File);
    program(Name, std::move(Variables));
    record::Record R;
    hsched::status Read = record::readRecord(File, R);
    EXPECT_TRUE(Read.ok()) << Read.message();
    return R;
  }
  std::filesystem::path Folder;
};

TEST_F(WatchedTest, CommandsAreTasksWithTheirDependences) {
  record::Record R = recordOf("Chains");
  ASSERT_EQ(R.Tasks.size(), 7u);
  std::vector<std::string> Types;
  std::vector<std::vector<uint64_t>> After;
  for (const record::Task &T : R.Tasks) {
    Types.push_back(T.Type);
    After.push_back({});
    for (uint64_t A : T.After)
      After.back().push_back(A - R.Tasks[0].Id + 1);
    EXPECT_EQ(T.How, T.Id == R.Tasks[6].Id ? record::TaskOutcome::Cancelled : record::TaskOutcome::Done);
    EXPECT_LE(T.Begin, T.End);
  }
  EXPECT_EQ(Types,
            (std::vector<std::string>{"write buffer", "add", "put", "add", "read buffer", "read buffer", "put"}));
  EXPECT_EQ(After, (std::vector<std::vector<uint64_t>>{{}, {1}, {}, {3}, {1, 2}, {3, 4}, {}}));
  // The write reads the program's memory and writes half of a buffer; the kernel behind it updates all of it.
  const auto &Write = R.Tasks[0].Sections, &Add = R.Tasks[1].Sections;
  ASSERT_EQ(Write.size(), 2u);
  ASSERT_EQ(Add.size(), 1u);
  EXPECT_EQ(Write[0].Mode, "out");
  EXPECT_EQ(Write[0].Bytes, sizeof(int));
  EXPECT_EQ(Write[1].Mode, "in");
  EXPECT_EQ(Add[0].Mode, "inout");
  EXPECT_EQ(Add[0].Bytes, 2 * sizeof(int));
  EXPECT_EQ(Add[0].Datum, Write[0].Datum);
  EXPECT_NE(Add[0].Datum, R.Tasks[3].Sections[0].Datum);
  EXPECT_TRUE(R.Workers[R.Tasks[1].Worker].isDevice());
  EXPECT_FALSE(R.Waits.empty());
}

TEST_F(WatchedTest, RecordsHaveTheKernels) {
  const record::Record R = recordOf("Chains");
  ASSERT_EQ(R.Tasks.size(), 7u);
  ASSERT_EQ(R.Kernels.size(), 2u);
  for (const record::Kernel &K : R.Kernels)
    EXPECT_EQ(K.Source, AddSource);
  EXPECT_FALSE(R.Tasks[0].Launched); // It writes a buffer.
  const auto &Add = R.Tasks[1].Launched, &Put = R.Tasks[2].Launched, &Again = R.Tasks[3].Launched;
  ASSERT_TRUE(Add && Put && Again);
  EXPECT_EQ(R.Kernels[Add->Kernel].Name, "add");
  EXPECT_EQ(R.Kernels[Put->Kernel].Name, "put");
  EXPECT_EQ(Again->Kernel, Add->Kernel);
  EXPECT_EQ(Add->Global, std::vector<uint64_t>{2});
  ASSERT_EQ(Add->Args.size(), 2u);
  EXPECT_TRUE(Add->Args[0].Known);
  EXPECT_EQ(Add->Args[0].Datum, R.Tasks[1].Sections[0].Datum);
  EXPECT_NE(Add->Args[0].Datum, Again->Args[0].Datum);
  EXPECT_EQ(Add->Args[1].ValueBytes, (std::vector<unsigned char>{5, 0, 0, 0}));
}

TEST_F(WatchedTest, RecordsHaveOffsetsAndTheLogSaysWhatTheyHaveNot) {
  const record::Record R = recordOf("Sized", {"HSCHED_LOG=warning"});
  ASSERT_GE(R.Tasks.size(), 3u);
  ASSERT_TRUE(R.Tasks[0].Launched);
  EXPECT_TRUE(R.Tasks[0].Launched->Offset.empty());
  ASSERT_TRUE(R.Tasks[1].Launched);
  EXPECT_EQ(R.Tasks[1].Launched->Offset, std::vector<uint64_t>{1});
  EXPECT_EQ(R.Tasks[1].Launched->Global, std::vector<uint64_t>{2});
  EXPECT_FALSE(R.Tasks[2].Launched);
  const std::string Said = contents("out");
  EXPECT_NE(Said.find("the record has not what kernel 'add' was launched with: it has sizes of a device's own"),
            std::string::npos)
      << Said;
}

// The record becomes a file of kernels that computes the same on the vendor's own platform.
TEST_F(WatchedTest, AnOpenClProgramBecomesAFileOfKernels) {
  const char *Run = std::getenv("HSCHED_TEST_RUN");
  if (!Run)
    GTEST_SKIP() << "hsched-run is not built";
  (void)recordOf("Whole");
  const std::string Record = Folder / "record.json", Files = Folder / "files";
  const std::string Noted = output({Run, "--from-record=" + Files, Record});
  EXPECT_NE(Noted.find("3 commands that are no kernel"), std::string::npos) << Noted;
  const std::string Command =
      "cd '" + Files + "' && OCL_ICD_VENDORS=\"$HSCHED_OPENCL_VENDORS\" HSCHED_OPENCL=all '" + Run + "' dag.json 2>&1";
  (void)output({"/bin/sh", "-c", Command});
  std::string Result; // The contents of the only buffer that kernels write.
  for (const auto &F : std::filesystem::directory_iterator(Files))
    if (F.path().extension() == ".npy")
      Result += contents("files/" + F.path().filename().string());
  const int Wanted[4] = {0, 6, 7, 3};
  ASSERT_GE(Result.size(), sizeof(Wanted));
  EXPECT_EQ(Result.compare(Result.size() - sizeof(Wanted), sizeof(Wanted),
                           std::string(reinterpret_cast<const char *>(Wanted), sizeof(Wanted))),
            0);
  EXPECT_NE(contents("files/dag.json").find("\"offset\""), std::string::npos) << contents("files/dag.json");
  // A write between kernels has no place there.
  (void)recordOf("Whole", {"HSCHED_TEST_BETWEEN=1"});
  const std::string Refused =
      output({"/bin/sh", "-c",
              "'" + std::string(Run) + "' --from-record='" + Files + "2' '" + Record + "' 2>&1; test $? = 1"});
  EXPECT_NE(Refused.find("'write buffer': it writes data that kernels used before"), std::string::npos) << Refused;
}

TEST_F(WatchedTest, RecordsHaveImagesAndSamplers) {
  const record::Record R = recordOf("Image");
  ASSERT_EQ(R.Tasks.size(), 3u);
  ASSERT_TRUE(R.Tasks[1].Launched);
  const auto &Args = R.Tasks[1].Launched->Args;
  ASSERT_EQ(Args.size(), 3u);
  EXPECT_EQ(Args[0].K, record::Argument::Other);
  EXPECT_EQ(Args[0].What, "an image");
  EXPECT_TRUE(Args[0].Known);
  EXPECT_EQ(Args[0].Datum, R.Tasks[0].Sections[0].Datum);
  EXPECT_EQ(Args[1].K, record::Argument::Other);
  EXPECT_EQ(Args[1].What, "a sampler");
  EXPECT_FALSE(Args[1].Known);
  EXPECT_EQ(Args[2].K, record::Argument::Buffer);
  const char *Run = std::getenv("HSCHED_TEST_RUN");
  if (!Run)
    GTEST_SKIP() << "hsched-run is not built";
  const std::string Refused = output({"/bin/sh", "-c",
                                      "'" + std::string(Run) + "' --from-record='" + (Folder / "files").string() +
                                          "' '" + (Folder / "record.json").string() + "' 2>&1; test $? = 1"});
  EXPECT_NE(Refused.find("argument 0 of its kernel is an image, which a file of kernels cannot have"),
            std::string::npos)
      << Refused;
}

TEST_F(WatchedTest, ChoicesOfScheduledQueuesHaveTheirCandidates) {
  record::Record R = recordOf("Scheduled");
  ASSERT_EQ(R.Tasks.size(), 6u);
  for (const record::Task &T : R.Tasks) {
    ASSERT_EQ(T.Choices.size(), 1u);
    EXPECT_EQ(T.Choices[0].Worker, T.Worker);
  }
  EXPECT_NE(R.Tasks[0].Choices[0].Why.find("measure"), std::string::npos);
  const record::Choice &Last = R.Tasks[5].Choices[0];
  EXPECT_EQ(Last.Why.find("measure"), std::string::npos);
  EXPECT_GE(Last.Candidates.size(), 2u);
  for (const record::Candidate &C : Last.Candidates)
    EXPECT_GE(C.Runs, 1u);
}

// Modes of the sections, and whether the second of two kernels that share only what they read waits for the first.
TEST_F(WatchedTest, AnalysisOfTheSourceSaysWhatIsOnlyRead) {
  const char *Kinfo = std::getenv("HSCHED_TEST_KINFO");
  if (!Kinfo)
    GTEST_SKIP() << "hsched-kinfo is not built";
  auto Modes = [](const record::Task &T) {
    std::vector<std::string> All;
    for (const record::Section &S : T.Sections)
      All.push_back(S.Mode);
    return All;
  };
  record::Record R = recordOf("Roles", {std::string("HSCHED_KINFO=") + Kinfo});
  ASSERT_EQ(R.Tasks.size(), 4u);
  EXPECT_EQ(Modes(R.Tasks[0]), (std::vector<std::string>{"in", "in", "out"}));
  EXPECT_TRUE(R.Tasks[1].After.empty());
  EXPECT_EQ(R.Tasks[2].After, (std::vector<uint64_t>{R.Tasks[1].Id}));
  // Without it, and where it cannot be asked or says nothing that can be read.
  std::string Garbage = Folder / "garbage";
  std::ofstream(Garbage) << "#!/bin/sh\necho '{\"files\": [3'\n";
  std::filesystem::permissions(Garbage, std::filesystem::perms::owner_all);
  for (const std::string &Other : {std::string("0"), std::string("/bin/false"), Garbage, Folder.string()}) {
    R = recordOf("Roles", {"HSCHED_KINFO=" + Other});
    ASSERT_EQ(R.Tasks.size(), 4u) << Other;
    EXPECT_EQ(Modes(R.Tasks[0]), (std::vector<std::string>{"inout", "inout", "inout"})) << Other;
    EXPECT_EQ(R.Tasks[1].After, (std::vector<uint64_t>{R.Tasks[0].Id})) << Other;
  }
}

// Not with each of many short kernels: clpeak --kernel-latency took minutes.
TEST_F(WatchedTest, TimesAreWrittenNowAndThenAndAtTheEnd) {
  for (const char *Leaves : {"HSCHED_TEST_RELEASES=1", "HSCHED_TEST_LEAVES=1"}) {
    const std::filesystem::path Cache = Folder / Leaves, Times = Cache / "opencl-times";
    std::filesystem::create_directories(Times);
    std::filesystem::permissions(Times, std::filesystem::perms::owner_all);
    const int Watch = inotify_init1(IN_NONBLOCK);
    ASSERT_GE(Watch, 0);
    ASSERT_GE(inotify_add_watch(Watch, Times.c_str(), IN_MOVED_TO), 0);
    const auto Before = std::chrono::steady_clock::now();
    program("Launches", {"HSCHED_CACHE=" + Cache.string(), Leaves});
    const auto Seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - Before).count();
    long Writes = 0, Bytes;
    alignas(inotify_event) char Events[4096];
    while ((Bytes = ::read(Watch, Events, sizeof(Events))) > 0)
      for (long At = 0; At < Bytes; ++Writes)
        At += static_cast<long>(sizeof(inotify_event) + reinterpret_cast<const inotify_event *>(Events + At)->len);
    close(Watch);
    EXPECT_GE(Writes, 1) << Leaves;
    EXPECT_LE(Writes, 2 * (Seconds + 2)) << Leaves; // Two devices: in each second, and at the end.
    unsigned Most = 0;
    for (const auto &F :
         std::filesystem::directory_iterator(Times)) { // One size: one line, whose last number is that of runs.
      std::string Text = contents(F.path());
      Most = std::max(Most, static_cast<unsigned>(std::stoul(Text.substr(Text.rfind(' ') + 1))));
    }
    EXPECT_GE(Most, 32u) << Leaves; // There are 80 runs on two devices.
  }
}

// HSCHED_EXPLAIN, and what the tools say of its file.
TEST_F(WatchedTest, AScheduledCommandIsExplained) {
  const std::string File = Folder / "record.json", Page = Folder / "why.html";
  record::Record R = recordOf("Scheduled", {}, "HSCHED_EXPLAIN");
  ASSERT_EQ(R.Tasks.size(), 6u);
  for (const record::Task &T : R.Tasks) {
    EXPECT_EQ(T.Type, "add");
    ASSERT_EQ(T.Choices.size(), 1u);
    EXPECT_EQ(T.Choices[0].Worker, T.Worker);
    EXPECT_FALSE(T.Choices[0].Why.empty());
  }
  EXPECT_GE(R.Tasks[5].Choices[0].Candidates.size(), 2u);
  const char *Explain = std::getenv("HSCHED_TEST_EXPLAIN"), *Report = std::getenv("HSCHED_TEST_REPORT");
  if (!Explain || !Report)
    GTEST_SKIP() << "hsched-explain or hsched-report is not built";
  const std::string Summary = output({Explain, File});
  EXPECT_NE(Summary.find("add"), std::string::npos) << Summary;
  EXPECT_NE(Summary.find("choices"), std::string::npos) << Summary;
  const std::string One = output({Explain, File, "--task=6"});
  EXPECT_NE(One.find("Task 6 (add, 4.00 KiB) ran as opencl on "), std::string::npos) << One;
  EXPECT_NE(One.find("(chosen)"), std::string::npos) << One;
  EXPECT_NE(One.find(R.Workers[R.Tasks[5].Worker].Name), std::string::npos) << One;
  (void)output({Report, File, "-o", Page});
  EXPECT_NE(contents("why.html").find("add"), std::string::npos);
}

// A queue of one device has no choice, and says so.
TEST_F(WatchedTest, ACommandOfOneDeviceIsExplained) {
  const std::string File = Folder / "record.json";
  record::Record R = recordOf("Chains", {}, "HSCHED_EXPLAIN");
  ASSERT_EQ(R.Tasks.size(), 7u);
  for (const record::Task &T : R.Tasks) {
    ASSERT_EQ(T.Choices.size(), 1u);
    EXPECT_EQ(T.Choices[0].Why, "its queue is of this device");
  }
  if (const char *Explain = std::getenv("HSCHED_TEST_EXPLAIN")) {
    const std::string One = output({Explain, File, "--task=3"});
    EXPECT_NE(One.find("Task 3 (put, 8 B) ran as opencl on "), std::string::npos) << One;
    EXPECT_NE(One.find("its queue is of this device"), std::string::npos) << One;
  }
}

TEST_F(WatchedTest, TraceGraphAndStatistics) {
  std::string Said =
      program("Chains", {"HSCHED_TRACE=" + (Folder / "trace.json").string(),
                         "HSCHED_GRAPH=" + (Folder / "graph.dot").string(), "HSCHED_STATS=1", "HSCHED_LOG=info"});
  EXPECT_NE(Said.find("6 tasks ran"), std::string::npos) << Said;
  std::string Graph = contents("graph.dot");
  EXPECT_EQ(std::count(Graph.begin(), Graph.end(), '>'), 6) << Graph; // Edges.
  std::string Trace = contents("trace.json");
  EXPECT_NE(Trace.find("\"name\":\"put\""), std::string::npos) << Trace;
  EXPECT_NE(Trace.find("queue 0"), std::string::npos);
}

} // namespace
} // namespace icdtest
