// Made-up records, and files to write them to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_RECORDS_H
#define HSCHED_TEST_RECORDS_H

#include "base/Log.h"
#include "trace/Observer.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace hsched::rt::test {

using namespace std::chrono_literals;

inline Interval during(Duration Begin, Duration End) {
  return {TimePoint(1000s) + Begin, TimePoint(1000s) + End}; // A clock does not begin at 0.
}

inline SubmitRecord submit(TaskId Id, const char *Task, TaskId Parent = 0, const char *Label = nullptr) {
  return {Id, Parent, Task, Label ? Label : Task, 4096, TimePoint(1000s)};
}

inline RunRecord run(TaskId Id, const char *Task, const char *Version, RowId Row, uint32_t Worker, Interval Ran,
                     Outcome How = Outcome::Done, uint64_t DataBytes = 4096, const char *Label = nullptr) {
  return {Id, Task, Version, Label ? Label : Task, Row, Worker, DataBytes, Ran, How};
}

// A file name that is gone with the object.
class TempFile {
public:
  explicit TempFile(const std::string &Ending) {
    static int Count = 0;
    Name = std::filesystem::temp_directory_path() /
           ("hsched-" + std::to_string(getpid()) + "-" + std::to_string(Count++) + Ending);
  }
  ~TempFile() { std::filesystem::remove(Name); }
  std::string name() const { return Name.string(); }
  std::string text() const {
    std::stringstream Text;
    Text << std::ifstream(Name).rdbuf();
    return Text.str();
  }

private:
  std::filesystem::path Name;
};

// The warnings that are logged during its life.
class Warnings {
public:
  Warnings() {
    setLogSink([this](LogLevel Level, std::string_view Text) {
      if (Level == LogLevel::Warning)
        All.emplace_back(Text);
    });
  }
  ~Warnings() { setLogSink({}); }
  std::vector<std::string> All;
};

} // namespace hsched::rt::test
#endif
