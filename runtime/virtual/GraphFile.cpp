// Task graphs in JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/JsonField.h"
#include "virtual/Program.h"

#include <algorithm>
#include <map>

namespace hsched::rt::virt {
namespace {

using namespace json;

struct Datum {
  uintptr_t Base;
  uint64_t Bytes;
};
using Data = std::map<std::string, Datum>;

class Recorded final : public Program {
public:
  const std::vector<std::string> &types() const override { return Types; }
  bool next(TaskSpec &Out) override {
    if (At == Tasks.size())
      return false;
    Out = Tasks[At++];
    return true;
  }

  bool namesTasks() const override { return true; }

  unsigned typeOf(const std::string &Name) {
    auto It = std::ranges::find(Types, Name);
    if (It == Types.end())
      It = Types.insert(It, Name);
    return static_cast<unsigned>(It - Types.begin());
  }

  std::vector<std::string> Types;
  std::vector<TaskSpec> Tasks;

private:
  size_t At = 0;
};

constexpr double MostBytes = 1e15;

uint64_t bytes(const Field &F) { return static_cast<uint64_t>(F.positive(MostBytes, ", in bytes")); }

Data dataOf(const Field &F) {
  Data All;
  uintptr_t Next = uintptr_t(1) << 40;
  F.members([&](const std::string &Name, const Field &Each) {
    All[Name] = {Next, bytes(Each)};
    Next += (All[Name].Bytes + 4095) / 4096 * 4096;
  });
  return All;
}

// Adds an access to a named datum, or to a part of it.
void addAccess(const Field &F, unsigned Mode, const Data &All, TaskSpec &T) {
  const bool Whole = F.isText();
  if (!Whole)
    F.onlyHas({"of", "from", "bytes", "rows", "stride"});
  const Field Of = Whole ? F : F["of"];
  auto It = All.find(Of.text());
  if (It == All.end())
    Of.wrong("there is no datum '" + Of.text() + "'; describe it under data");
  const Datum &D = It->second;
  if (Whole)
    return T.access(D.Base, D.Bytes, Mode);
  const uint64_t From = F.has("from") ? static_cast<uint64_t>(F["from"].notNegative(MostBytes, ", in bytes")) : 0;
  const uint64_t Bytes = bytes(F["bytes"]);
  const uint64_t Rows = F.has("rows") ? bytes(F["rows"]) : 1;
  const uint64_t Stride = Rows > 1 ? bytes(F["stride"]) : 0;
  if (Rows > 1 && Stride < Bytes)
    F["stride"].wrong("write at least the bytes of a row");
  if (From + (Rows - 1) * Stride + Bytes > D.Bytes)
    F.wrong("it ends behind '" + Of.text() + "', which has " + std::to_string(D.Bytes) + " bytes");
  T.access(D.Base + From, Bytes, Mode, Rows, Stride);
}

TaskSpec taskOf(const Field &F, size_t Earlier, const Data &All, Recorded &Into) {
  F.onlyHas({"type", "work", "priority", "in", "out", "inout", "concurrent", "commutative", "after"});
  TaskSpec T;
  T.Type = Into.typeOf(F["type"].text());
  T.Work = F["work"].notNegative(1e30, "");
  if (F.has("priority"))
    T.Priority = F["priority"].integer();
  for (auto [Name, Mode] : {std::pair("in", HSCHED_IN), std::pair("out", HSCHED_OUT), std::pair("inout", HSCHED_INOUT),
                            std::pair("concurrent", HSCHED_CONCURRENT), std::pair("commutative", HSCHED_COMMUTATIVE)})
    if (F.has(Name))
      F[Name].each([&](const Field &Each) { addAccess(Each, static_cast<unsigned>(Mode), All, T); });
  if (F.has("after"))
    F["after"].each([&](const Field &Each) { T.After.push_back(Each.index(Earlier)); });
  return T;
}

} // namespace

status readGraph(const std::string &File, std::unique_ptr<Program> &Out) {
  auto New = std::make_unique<Recorded>();
  status Read = read(File, "graph", [&](const Field &Whole) {
    Whole.onlyHas({"data", "tasks"});
    const Data All = Whole.has("data") ? dataOf(Whole["data"]) : Data();
    Whole["tasks"].each([&](const Field &Each) { New->Tasks.push_back(taskOf(Each, New->Tasks.size(), All, *New)); });
  });
  if (Read.ok())
    Out = std::move(New);
  return Read;
}

} // namespace hsched::rt::virt
