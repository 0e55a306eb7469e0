// Records: what the observer writes is what is read again; damaged files are refused with their place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/Record.h"
#include "Records.h"
#include "trace/Writers.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace hsched::rt;
using namespace hsched::rt::test;
using record::Record;
using record::TaskOutcome;

namespace {

char Memory[4096];

hsched_access access(size_t From, size_t Bytes, unsigned Mode, size_t Rows = 1, size_t Stride = 0) {
  return {Memory + From, Bytes, Rows, Stride, Mode, 0};
}

// Reports to O a run of two tasks on a core and a device.
void twoTasks(Observer &O) {
  O.rowAdded({0, RowKind::CpuWorker, 0, "CPU 0", "cpu"});
  O.rowAdded({64, RowKind::DeviceUpload, 1, "Some GPU #0 upload"});
  O.rowAdded({66, RowKind::DeviceCompute, 1, "Some GPU #0 queue 0", "some gpu, 8 units", "gpu", 1});
  const hsched_access First[] = {access(0, 256, HSCHED_OUT), access(1024, 100, HSCHED_IN)};
  const hsched_access Second[] = {access(64, 16, HSCHED_INOUT, 3, 64)};
  SubmitRecord S = submit(1, "make");
  S.Sections = First;
  O.submitted(S);
  S = submit(2, "use", 0, "the second");
  S.At = TimePoint(1000s) + 1ms;
  S.Sections = Second;
  S.Priority = 7;
  S.Cost = 2.5;
  O.dependence(1, 2);
  O.submitted(S);
  const CandidateRecord Some[] = {{0, "use", 4ms, 3, 0ms, 1ms}, {1, "use_cl", 1ms, 2, 2ms, 0ms}};
  O.decided({2, "use", TimePoint(1000s) + 2ms, 0, "use", "it came next", Some});
  O.decided({2, "use", TimePoint(1000s) + 3ms, 1, "use_cl", "it is predicted to end first there", Some});
  O.ran(run(2, "use", "use_cl", 66, 1, during(6ms, 8ms), Outcome::Done, 4096, "the second"));
  O.ran(run(1, "make", "make", 0, 0, during(1ms, 5ms)));
  O.transferred({TransferKind::HostToDevice, 64, 1, 2, 48, during(5ms, 6ms), "use"});
  O.waited({0, during(2ms, 9ms), true});
  O.linkMeasured({1, {10e3, 5e9}, {20e3, 4e9}});
}

Record recorded(bool Whole, std::string *Text = nullptr) {
  TempFile File(".json");
  auto O = makeRecorder(File.name(), Whole);
  twoTasks(*O);
  O->finished();
  Record R;
  const hsched::status Read = record::readRecord(File.name(), R);
  EXPECT_TRUE(Read.ok()) << Read.message();
  if (Text)
    *Text = File.text();
  return R;
}

TEST(Recorder, TellsAllOfARun) {
  const Record R = recorded(true);
  EXPECT_TRUE(R.Whole);
  ASSERT_EQ(R.Workers.size(), 2u);
  EXPECT_EQ(R.Workers[1].Name, "Some GPU #0");
  EXPECT_EQ(R.Workers[1].Type, "gpu");
  EXPECT_EQ(R.Workers[1].Model, "some gpu, 8 units");
  EXPECT_TRUE(R.Workers[1].HasMemory && R.Workers[1].isDevice() && !R.Workers[0].isDevice());
  ASSERT_TRUE(R.Workers[1].ToDevice && R.Workers[1].ToHost && !R.Workers[0].ToDevice);
  EXPECT_EQ(R.Workers[1].ToDevice->BytesPerSecond, 5e9);
  EXPECT_EQ(R.Workers[1].ToHost->LatencyNs, 20e3);
  EXPECT_EQ(R.Data, (std::vector<uint64_t>{256, 100})); // What overlaps is one datum.
  ASSERT_EQ(R.Tasks.size(), 2u);
  const record::Task &T = R.Tasks[1];
  EXPECT_EQ(T.Id, 2u);
  EXPECT_EQ(T.Type, "use");
  EXPECT_EQ(T.Label, "the second");
  EXPECT_EQ(T.Priority, 7);
  EXPECT_EQ(T.After, std::vector<uint64_t>{1});
  EXPECT_EQ(T.Submitted, 1'000'000);
  EXPECT_EQ(T.Begin, 6'000'000);
  EXPECT_EQ(T.End, 8'000'000);
  EXPECT_EQ(T.Version, "use_cl");
  EXPECT_EQ(T.How, TaskOutcome::Done);
  ASSERT_EQ(T.Sections.size(), 1u);
  EXPECT_EQ(T.Sections[0].Datum, 0u);
  EXPECT_EQ(T.Sections[0].From, 64u);
  EXPECT_EQ(T.Sections[0].Rows, 3u);
  EXPECT_EQ(T.Sections[0].Stride, 64u);
  EXPECT_EQ(T.Sections[0].Mode, "inout");
  ASSERT_EQ(T.Choices.size(), 2u);
  EXPECT_EQ(T.Choices[1].Why, "it is predicted to end first there");
  ASSERT_EQ(T.Choices[1].Candidates.size(), 2u);
  EXPECT_EQ(T.Choices[1].Candidates[0].Run, 4'000'000);
  EXPECT_EQ(T.Choices[1].Candidates[1].Transfer, 2'000'000);
  ASSERT_EQ(R.Transfers.size(), 1u);
  EXPECT_EQ(R.Transfers[0].Kind, "to device");
  EXPECT_EQ(R.Transfers[0].Bytes, 48u);
  ASSERT_EQ(R.Waits.size(), 1u);
  EXPECT_EQ(R.Waits[0].Behind, 2u);
  EXPECT_EQ(R.Waits[0].End, 9'000'000);
}

TEST(Recorder, LeavesSectionsOutOfExplanations) {
  std::string Text;
  const Record R = recorded(false, &Text);
  EXPECT_FALSE(R.Whole);
  EXPECT_TRUE(R.Data.empty() && R.Tasks[1].Sections.empty());
  EXPECT_EQ(Text.find("sections"), std::string::npos);
  EXPECT_EQ(R.Tasks[1].Choices.size(), 2u);
}

TEST(Recorder, OfAlikeWorkersTheFirstToEndIsACandidate) {
  TempFile File(".json");
  auto O = makeRecorder(File.name(), false);
  for (uint32_t W = 0; W < 4; ++W)
    O->rowAdded({W * 64, RowKind::CpuWorker, W, "CPU " + std::to_string(W), "cpu"});
  const CandidateRecord Some[] = {
      {0, "f", 4ms, 3, 0ms, 9ms}, {1, "f", 4ms, 3, 0ms, 5ms}, {2, "f", 4ms, 3, 0ms, 7ms}, {3, "f", 4ms, 3, 0ms, 8ms}};
  O->submitted(submit(1, "f"));
  O->decided({1, "f", TimePoint(1000s), 3, "f", "it was drawn at random", Some});
  O->ran(run(1, "f", "f", 192, 3, during(0ms, 1ms)));
  O->finished();
  Record R;
  ASSERT_TRUE(record::readRecord(File.name(), R).ok());
  const auto &Kept = R.Tasks[0].Choices[0].Candidates;
  ASSERT_EQ(Kept.size(), 2u);
  EXPECT_EQ(Kept[0].Worker, 1u); // Ends first.
  EXPECT_EQ(Kept[1].Worker, 3u); // Was chosen.
}

TEST(Recorder, AFileThatCannotBeWrittenIsAWarning) {
  Warnings Seen;
  EXPECT_EQ(makeRecorder("/no/such/folder/r.json", true), nullptr);
  ASSERT_EQ(Seen.All.size(), 1u);
  EXPECT_NE(Seen.All[0].find("/no/such/folder/r.json"), std::string::npos);
}

TEST(RecordFile, IsReadAsItWasWritten) {
  std::string Text;
  const Record R = recorded(true, &Text);
  std::ostringstream Again;
  EXPECT_TRUE(record::writeRecord(Again, R));
  EXPECT_EQ(Again.str(), Text);
}

struct Damage {
  const char *From, *To, *Message;
};

// The message names the field.
TEST(RecordFile, DamagedOnesAreRefused) {
  std::string Text;
  (void)recorded(true, &Text);
  for (auto [From, To, Message] : {
           Damage{"hsched-record", "something",
                  "r.json: format: it is 'something'; a record of a run has 'hsched-record'"},
           Damage{"\"format\":\"hsched-record\",", "", "r.json: this is not a record of a run"},
           Damage{"\"version\":1,", "\"version\":2,", "r.json: version: this program reads version 1"},
           Damage{"\"id\":1,\"task\":\"make\"", "\"id\":2,\"task\":\"make\"",
                  "r.json: tasks[1].id: tasks are in order"},
           Damage{"\"id\":0,\"name\"", "\"id\":5,\"name\"", "r.json: workers[0].id: workers are numbered from 0 on"},
           Damage{"\"id\":1,\"version\":\"use_cl\",\"why\"", "\"id\":9,\"version\":\"use_cl\",\"why\"",
                  "r.json: tasks[1].choices[1].id: there is no such worker; workers lists 2"},
           Damage{"\"end_us\":8000.0", "\"end_us\":1.0", "r.json: tasks[1].ran.end_us: it ends before it begins"},
           Damage{"\"end_us\":8000.0", "\"end_us\":-1", "r.json: tasks[1].ran.end_us: write a number from 0 on"},
           Damage{"\"outcome\":\"done\"", "\"outcome\":\"well\"",
                  "r.json: tasks[0].ran.outcome: there is no outcome 'well'"},
           Damage{"\"of\":0", "\"of\":7", "r.json: tasks[0].sections[0].of: there is no such datum; data lists 2"},
           Damage{"\"bytes\":16", "\"bytes\":999",
                  "r.json: tasks[1].sections[0]: it is empty, or ends behind its datum"},
           Damage{"\"mode\":\"inout\"", "\"mode\":\"maybe\"",
                  "r.json: tasks[1].sections[0].mode: there is no mode 'maybe'"},
           Damage{"\"label\":\"the second\"", "\"label\":[]", "r.json: tasks[1].label: write a text"},
           Damage{"\"flush\":true", "\"flush\":1", "r.json: waits[0].flush: write true or false"},
           Damage{"\"tasks\":[", "\"tasks\":[,", "r.json:10: this is not JSON"},
       }) {
    std::string Spoiled = Text;
    const size_t At = Spoiled.find(From);
    ASSERT_NE(At, std::string::npos) << From << "\n" << Text;
    Spoiled.replace(At, std::string_view(From).size(), To);
    Record R;
    const hsched::status Read = record::parseRecord(Spoiled, "r.json", R);
    EXPECT_FALSE(Read.ok()) << From;
    EXPECT_TRUE(Read.message().starts_with(Message)) << Read.message() << "\nnot\n" << Message;
  }
}

TEST(RecordFile, CutShortItIsRefused) {
  std::string Text;
  (void)recorded(true, &Text);
  Record R;
  for (size_t Length = 0; Length + 2 < Text.size(); ++Length)
    EXPECT_FALSE(record::parseRecord(Text.substr(0, Length), "r.json", R).ok()) << Length;
  EXPECT_FALSE(record::readRecord("/no/such/file.json", R).ok());
}

TEST(RecordFile, OtherJsonIsRefused) {
  Record R;
  for (const char *Text : {"[]", "[[1]]", "3", "null", "{}", "{\"tasks\":{}}", "{\"tasks\":[3]}", "{\"tasks\":[[]]}"})
    EXPECT_FALSE(record::parseRecord(Text, "r.json", R).ok()) << Text;
}

} // namespace
