// Versions that are host code for OpenCL devices, by hand through the C ABI, on any OpenCL device. If it makes a
// difference, they run on host memory in place and on copies (HSCHED_OPENCL_COPY).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClBody.h"

#include <algorithm>
#include <cstddef>

using namespace hsched::test;

namespace {

TEST_F(OpenClBody, FindsItsDataOnTheDevice) {
  Ints X(1000), Y(1000, -1);
  for (int I = 0; I < 1000; ++I)
    X[I] = I;
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] { copy(X.data(), Y.data(), 1000); });
  hsched_taskwait(0);
  EXPECT_EQ(X, Y);
}

TEST_F(OpenClBody, TakesTurnsWithTheCpu) {
  Ints X(100, 1), Y(100);
  for (int Round = 0; Round < 20; ++Round) {
    submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] { copy(X.data(), Y.data(), 100); });
    submitTo(onCpu(), {all(HSCHED_IN, Y), all(HSCHED_INOUT, X)}, [&] {
      for (int I = 0; I < 100; ++I)
        X[I] += Y[I] % 1000;
    });
  }
  hsched_taskwait(0);
  int Expected = 1;
  for (int Round = 0; Round < 20; ++Round)
    Expected += Expected % 1000;
  EXPECT_EQ(X, Ints(100, Expected));
}

TEST_F(OpenClBody, SectionsMayBeginAnywhereAndOverlap) {
  Ints X(400), Y(400, -1);
  for (int I = 0; I < 400; ++I)
    X[I] = I;
  bool Same = false;
  submitTo(onDevice(), {part(HSCHED_IN, X, 3, 200), part(HSCHED_IN, X, 101, 150), part(HSCHED_OUT, Y, 7, 248)}, [&] {
    // What two sections name is in one place.
    Same = hsched::opencl_buffer(&X[150]) == hsched::opencl_buffer(&X[199]) &&
           hsched::opencl_offset(&X[150]) + 49 == hsched::opencl_offset(&X[199]);
    copy(&X[3], &Y[7], 100);
    copy(&X[103], &Y[107], 100);
    copy(&X[203], &Y[207], 48);
  });
  hsched_taskwait(0);
  EXPECT_TRUE(Same);
  for (int I = 0; I < 400; ++I)
    EXPECT_EQ(Y[I], I < 7 || I >= 255 ? -1 : I - 4) << I;
}

// Rows of 4 in a matrix whose rows have 10: the device has the host's strides.
TEST_F(OpenClBody, TilesKeepTheHostsStrides) {
  Ints X(100), Y(100, -1);
  for (int I = 0; I < 100; ++I)
    X[I] = I;
  hsched_access From = {&X[23], 4 * sizeof(int), 5, 10 * sizeof(int), HSCHED_IN, 0};
  hsched_access To = {&Y[41], 4 * sizeof(int), 5, 10 * sizeof(int), HSCHED_OUT, 1};
  submitTo(onDevice(), {From, To}, [&] {
    const size_t Extent[3] = {4 * sizeof(int), 5, 1};
    size_t FromAt[3] = {hsched::opencl_offset(&X[23]) * sizeof(int), 0, 0},
           ToAt[3] = {hsched::opencl_offset(&Y[41]) * sizeof(int), 0, 0};
    // The origin's offsets are taken row by row: of less than one each.
    for (size_t *At : {FromAt, ToAt}) {
      At[1] = At[0] / (10 * sizeof(int));
      At[0] %= 10 * sizeof(int);
    }
    check(clEnqueueCopyBufferRect(hsched::opencl_queue(), hsched::opencl_buffer(&X[23]), hsched::opencl_buffer(&Y[41]),
                                  FromAt, ToAt, Extent, 10 * sizeof(int), 0, 10 * sizeof(int), 0, 0, nullptr, nullptr));
  });
  hsched_taskwait(0);
  for (int I = 0; I < 100; ++I) {
    bool In = I >= 41 && (I - 41) / 10 < 5 && (I - 41) % 10 < 4;
    EXPECT_EQ(Y[I], In ? I - 18 : -1) << I;
  }
}

// Packed tiles as reported to the last body.
std::vector<hsched_packed_place> LastPlaces;
// A task whose two parameters lead to tiles of ints, which it takes packed. Old: for a runtime that knew nothing of it.
template <unsigned Number> hsched_task_type *packing(const char *Name, const unsigned *Leading, bool Old = false) {
  static const hsched_packed Tiles[] = {{0, sizeof(int)}, {1, sizeof(int)}};
  static const hsched_packed_body Body = {sizeof Body, 2, Tiles, Leading,
                                          [](void *A, const hsched_packed_place *Places) {
                                            LastPlaces.assign(Places, Places + 2);
                                            static_cast<FunctionArgs *>(A)->Body();
                                          }};
  static hsched_task_desc Task = FunctionTask;
  static hsched_version_desc Version = FunctionVersion;
  static hsched_task_type *const Type = [&] {
    Version.linker_name = Version.name = Task.linker_name = Task.name = Name;
    Version.device = HSCHED_DEVICE_OPENCL;
    Version.packed_body = &Body;
    if (Old)
      Version.struct_bytes = offsetof(hsched_version_desc, packed_body);
    hsched_register_version(Name, &Version);
    return hsched_register_task(&Task);
  }();
  LastPlaces.clear();
  return Type;
}
bool copied() { return std::getenv("HSCHED_OPENCL_COPY") != nullptr; }
// Memory that no task has named in another shape: a block of its own, and never freed.
Ints &untouched(Ints *Mine = new Ints(100000)) { return *Mine; }
// 5 rows of 4, of a matrix whose rows have 10.
hsched_access tileOf(unsigned Mode, unsigned Param, Ints &X, size_t From) {
  return {&X[From], 4 * sizeof(int), 5, 10 * sizeof(int), Mode, Param};
}

TEST_F(OpenClBody, PackedTilesLieAtTheReportedPlaces) {
  static Ints &X = untouched(), &Y = untouched();
  std::fill(Y.begin(), Y.end(), -1);
  Ints Want = Y;
  for (int I = 0; I < 100; ++I)
    X[I] = I;
  size_t First = 0, Later = 0, Across = 0;
  bool Between = true;
  submitTo(packing<0>("packing", nullptr), {tileOf(HSCHED_IN, 0, X, 23), tileOf(HSCHED_OUT, 1, Y, 41)}, [&] {
    const size_t Bytes = sizeof(int);
    for (size_t Row = 0; Row < 5; ++Row)
      check(clEnqueueCopyBuffer(hsched::opencl_queue(), hsched::opencl_buffer(&X[23]), hsched::opencl_buffer(&Y[41]),
                                (hsched::opencl_offset(&X[23]) + Row * LastPlaces[0].leading) * Bytes,
                                (hsched::opencl_offset(&Y[41]) + Row * LastPlaces[1].leading) * Bytes, 4 * Bytes, 0,
                                nullptr, nullptr));
    // Addresses are the host's.
    First = hsched::opencl_offset(&X[23]);
    Across = hsched::opencl_offset(&X[26]);
    Later = hsched::opencl_offset(&X[44]);
    try {
      hsched::opencl_offset(&X[29]);
    } catch (const std::invalid_argument &) {
      Between = false;
    }
  });
  hsched_taskwait(0);
  ASSERT_EQ(LastPlaces.size(), 2u);
  EXPECT_EQ(LastPlaces[0].base, &X[23]);
  EXPECT_EQ(LastPlaces[1].base, &Y[41]);
  for (const hsched_packed_place &P : LastPlaces) {
    EXPECT_EQ(P.stride, 10 * sizeof(int));
    EXPECT_TRUE(P.leading == 4 || (P.leading == 10 && !copied())) << P.leading;
  }
  EXPECT_EQ(Across, First + 3);
  EXPECT_EQ(Later, First + 2 * LastPlaces[0].leading + 1);
  EXPECT_EQ(Between, LastPlaces[0].leading == 10); // Is nowhere where the tile is packed.
  for (int Row = 0; Row < 5; ++Row)
    for (int I = 0; I < 4; ++I)
      Want[41 + 10 * Row + I] = 23 + 10 * Row + I;
  EXPECT_EQ(Y, Want);
}

// Side by side in one matrix, so that each begins between the first and the last byte of the other.
TEST_F(OpenClBody, PackedTilesBesideEachOther) {
  static const unsigned Leading[] = {2, 2};
  static Ints &X = untouched();
  size_t Offsets[2] = {};
  cl_mem Buffers[2] = {};
  auto Ask = [&] {
    for (size_t I = 0; I < 2; ++I) {
      Buffers[I] = hsched::opencl_buffer(&X[12 + 4 * I]);
      Offsets[I] = hsched::opencl_offset(&X[12 + 4 * I]);
    }
  };
  hsched_task_type *Type = packing<1>("packing_alike", Leading);
  submitTo(Type, {tileOf(HSCHED_IN, 0, X, 12), tileOf(HSCHED_INOUT, 1, X, 16)}, Ask);
  hsched_taskwait(0);
  ASSERT_EQ(LastPlaces.size(), 2u);
  EXPECT_EQ(LastPlaces[0].leading, LastPlaces[1].leading);
  if (copied()) {
    EXPECT_EQ(LastPlaces[0].leading, 4u);
    EXPECT_NE(Buffers[0], Buffers[1]);
    EXPECT_EQ(Offsets[0], 0u);
    EXPECT_EQ(Offsets[1], 0u);
  }
  // One of them has other strides there, and so has the other, which the program reports.
  submitTo(onDevice(), {tileOf(HSCHED_INOUT, 0, X, 12)}, [] {});
  submitTo(Type, {tileOf(HSCHED_IN, 0, X, 12), tileOf(HSCHED_INOUT, 1, X, 16)}, Ask);
  hsched_taskwait(0);
  EXPECT_EQ(LastPlaces[0].leading, 0u);
  EXPECT_EQ(LastPlaces[1].leading, 0u);
  if (copied()) {
    EXPECT_EQ(Buffers[0], Buffers[1]);
    EXPECT_EQ(Offsets[1], Offsets[0] + 4);
  }
}

TEST_F(OpenClBody, CodeOfAnOlderAbiPacksNothing) {
  Ints X(100), Y(100);
  size_t Offsets[2] = {};
  submitTo(packing<2>("packing_not", nullptr, true), {tileOf(HSCHED_IN, 0, X, 23), tileOf(HSCHED_OUT, 1, Y, 41)}, [&] {
    Offsets[0] = hsched::opencl_offset(&X[23]);
    Offsets[1] = hsched::opencl_offset(&X[33]);
  });
  hsched_taskwait(0);
  EXPECT_TRUE(LastPlaces.empty());
  EXPECT_EQ(Offsets[1], Offsets[0] + 10);
}

TEST_F(OpenClBody, ASectionWithoutElementsHasNoBuffer) {
  Ints X(10), Y(10, 1);
  cl_mem Found = reinterpret_cast<cl_mem>(&X);
  submitTo(onDevice(), {part(HSCHED_IN, X, 5, 0), all(HSCHED_INOUT, Y)}, [&] { Found = hsched::opencl_buffer(&X[5]); });
  hsched_taskwait(0);
  EXPECT_EQ(Found, nullptr);
}

// What comes after two tasks on different queues comes after both, though its body ran before either had.
TEST_F(OpenClBody, WorkComesAfterWhatTheTaskDependsOn) {
  Ints Source(64, 5), A(64, 1), B(64, 2), C(128);
  Gate OfA, OfB;
  std::atomic<bool> BodyRan{false};
  cl_event Copied[2] = {};
  submitTo(onDevice(), {all(HSCHED_IN, Source), all(HSCHED_OUT, A)}, [&] {
    OfA.make();
    copy(Source.data(), A.data(), 64, OfA.Event);
  });
  submitTo(onDevice(), {all(HSCHED_IN, Source), all(HSCHED_OUT, B)}, [&] {
    OfB.make();
    copy(Source.data(), B.data(), 64, OfB.Event);
  });
  submitTo(onDevice(), {all(HSCHED_IN, A), all(HSCHED_IN, B), all(HSCHED_OUT, C)}, [&] {
    copy(A.data(), C.data(), 64, nullptr, &Copied[0]);
    copy(B.data(), C.data() + 64, 64, nullptr, &Copied[1]);
    BodyRan = true;
  });
  bool Early = eventually([&] { return BodyRan.load(); });
  EXPECT_TRUE(Early) << "a successor is not given to the device early";
  if (Early) {
    OfA.open();
    giveTimeTo([&] { return statusOf(Copied[1]) == CL_COMPLETE; });
    EXPECT_NE(statusOf(Copied[1]), CL_COMPLETE);
    OfB.open();
  }
  hsched_taskwait(0);
  EXPECT_EQ(C, Ints(128, 5));
  for (cl_event E : Copied)
    clReleaseEvent(E);
}

TEST_F(OpenClBody, TheTaskIsCompleteWhenItsWorkIs) {
  Ints X(64, 3), Y(64);
  Gate G;
  std::atomic<bool> Ran{false}, AfterRan{false};
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] {
    G.make();
    copy(X.data(), Y.data(), 64, G.Event);
    Ran = true;
  });
  submitTo(onCpu(), {all(HSCHED_INOUT, Y)}, [&] {
    AfterRan = true;
    for (int &I : Y)
      ++I;
  });
  std::thread Opener = openWhenRan(G, Ran, AfterRan);
  hsched_taskwait(0);
  Opener.join();
  EXPECT_EQ(Y, Ints(64, 4));
}

// A body may use queues of its own, of the same context.
TEST_F(OpenClBody, WorkOnAnotherQueueIsWaitedForByItsEvent) {
  Ints X(64, 3), Y(64);
  Gate G;
  cl_command_queue Own = nullptr;
  std::atomic<bool> Ran{false}, AfterRan{false};
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] {
    cl_int Code;
    Own = clCreateCommandQueue(hsched::opencl_context(), hsched::opencl_device(), 0, &Code);
    check(Code);
    G.make();
    // Behind what the task depends on.
    cl_event Begun;
    check(clEnqueueMarkerWithWaitList(hsched::opencl_queue(), 0, nullptr, &Begun));
    cl_event Both[2] = {G.Event, Begun}, Done;
    check(clEnqueueBarrierWithWaitList(Own, 2, Both, nullptr));
    check(clFlush(hsched::opencl_queue()));
    copy(X.data(), Y.data(), 64, nullptr, &Done, Own);
    check(clFlush(Own));
    hsched::opencl_await(Done);
    clReleaseEvent(Begun);
    clReleaseEvent(Done);
    Ran = true;
  });
  submitTo(onCpu(), {all(HSCHED_INOUT, Y)}, [&] {
    AfterRan = true;
    for (int &I : Y)
      ++I;
  });
  std::thread Opener = openWhenRan(G, Ran, AfterRan);
  hsched_taskwait(0);
  Opener.join();
  EXPECT_EQ(Y, Ints(64, 4));
  clReleaseCommandQueue(Own);
}

TEST_F(OpenClBody, WhatItCannotAskIsSaidClearly) {
  Ints X(64), Y(64);
  submitTo(onDevice(), {part(HSCHED_INOUT, X, 8, 8)}, [&] { hsched::opencl_buffer(&X[16]); });
  std::string Message = failure();
  EXPECT_HAS(Message, "hsched::opencl_buffer(): 0x");
  EXPECT_HAS(Message, " lies in no section of task 'on_device': ask with the address of an element that a data clause");
  submitTo(onDevice(), {part(HSCHED_INOUT, X, 8, 8)}, [&] { hsched::opencl_offset(X.data()); });
  EXPECT_HAS(failure(), " lies in no section of task 'on_device'");
  submitTo(onDevice(), {part(HSCHED_INOUT, X, 8, 8)},
           [&] { hsched::opencl_offset(reinterpret_cast<double *>(reinterpret_cast<char *>(&X[8]) + 4)); });
  EXPECT_HAS(failure(), "not at a multiple of its size");
  submitTo(onDevice(), {all(HSCHED_INOUT, X)}, [&] { hsched::opencl_await(nullptr); });
  EXPECT_HAS(failure(), "hsched::opencl_await(): this is not an event");
  // A type that did nothing wrong but ask.
  submitTo(onDevice(), {all(HSCHED_IN, X), all(HSCHED_OUT, Y)}, [&] { copy(X.data(), Y.data(), 64); });
  EXPECT_EQ(failure(), "");
}

TEST_F(OpenClBody, AskedElsewhereItSaysWhereToAsk) {
  auto refused = [](auto Ask) {
    try {
      Ask();
    } catch (const std::logic_error &E) {
      return std::string(E.what());
    }
    return std::string("it answered");
  };
  int X = 0;
  const char *Where = "It can be asked in the body of a function with '#pragma hsched implements(f) device(opencl)'";
  EXPECT_HAS(refused([] { hsched::opencl_queue(); }), "hsched::opencl_queue(): this thread runs no version");
  EXPECT_HAS(refused([] { hsched::opencl_queue(); }), Where);
  EXPECT_HAS(refused([] { hsched::opencl_context(); }), Where);
  EXPECT_HAS(refused([] { hsched::opencl_device(); }), Where);
  EXPECT_HAS(refused([&] { hsched::opencl_buffer(&X); }), Where);
  EXPECT_HAS(refused([&] { hsched::opencl_offset(&X); }), Where);
  EXPECT_HAS(refused([] { hsched::opencl_await(nullptr); }), Where);
  std::string OnCpu;
  submitTo(onCpu(), {}, [&] { OnCpu = refused([] { hsched::opencl_queue(); }); });
  hsched_taskwait(0);
  EXPECT_HAS(OnCpu, Where);
}

TEST_F(OpenClBody, LeavesTasksToTheHost) {
  int X = 0;
  submitTo(onDevice(), {}, [&] { submit({section(HSCHED_INOUT, X)}, [&] { X = 1; }); });
  EXPECT_HAS(failure(), "a task was submitted in a version of task 'on_device' for a device");
  submitTo(onDevice(), {}, [] { hsched_taskwait(0); });
  EXPECT_HAS(failure(), "taskwait in a version of task 'on_device' for a device");
  hsched_access Named = section(HSCHED_IN, X);
  submitTo(onDevice(), {}, [&] { hsched_taskwait_on(&Named, 1, 0); });
  EXPECT_HAS(failure(), "taskwait in a version of task 'on_device' for a device");
  EXPECT_EQ(X, 0);
}

} // namespace
