// The page's section on transfers, needless ones, and evictions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Html.h"
#include "report/Page.h"
#include "trace/Table.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace hsched::report {
namespace {

using namespace rt::record;

std::string links(const Run &Of) {
  struct Sum {
    uint64_t Bytes = 0, Count = 0;
    Ns Busy = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> All;
  for (const Transfer &T : Of.R.Transfers) {
    Sum &S = All[{Of.R.Workers[T.Worker].Name, T.Kind}];
    S.Bytes += T.Bytes;
    ++S.Count;
    S.Busy += T.End - T.Begin;
  }
  if (All.empty())
    return "<p>No transfers.</p>\n";
  std::vector<std::vector<std::string>> Rows;
  for (auto &[Key, S] : All) {
    char Rate[32] = "-";
    if (S.Busy > 0)
      std::snprintf(Rate, sizeof(Rate), "%.2f GB/s", static_cast<double>(S.Bytes) / static_cast<double>(S.Busy));
    Rows.push_back({escaped(Key.first), escaped(Key.second), std::to_string(S.Count), rt::formatBytes(S.Bytes),
                    time(S.Busy), Rate});
  }
  return table("Bytes by link", {"<device", "<way", "transfers", "bytes", "took", "rate of one"}, Rows);
}

// Needless transfers, grouped by a key of each transfer.
template <class Name> std::string needlessBy(const Run &Of, const char *Caption, const char *Head, Name NameOf) {
  struct Sum {
    uint64_t Moved = 0, Needless = 0;
    std::array<uint64_t, NumNeedless> By{};
  };
  std::map<std::string, Sum> All;
  for (size_t I = 0; I < Of.R.Transfers.size(); ++I) {
    const Transfer &T = Of.R.Transfers[I];
    const auto &N = Of.Needless.Transfers[I];
    if (T.Kind == "within device")
      continue;
    Sum &S = All[NameOf(T)];
    S.Moved += T.Bytes;
    S.Needless += N.sum();
    for (size_t K = 0; K < NumNeedless; ++K)
      S.By[K] += N.Bytes[K];
  }
  std::vector<std::string> Columns{Head, "bytes", "needless", "of that"};
  for (size_t K = 0; K < NumNeedless; ++K)
    Columns.push_back(nameOf(static_cast<Needless>(K)));
  std::vector<std::vector<std::string>> Rows;
  for (auto &[Key, S] : All) {
    Rows.push_back({escaped(Key), rt::formatBytes(S.Moved), rt::formatBytes(S.Needless),
                    rt::formatShare(static_cast<double>(S.Needless), static_cast<double>(S.Moved))});
    for (uint64_t Each : S.By)
      Rows.back().push_back(Each ? rt::formatBytes(Each) : "-");
  }
  return table(Caption, Columns, Rows);
}

std::string needless(const Run &Of) {
  if (Of.R.Transfers.empty())
    return "";
  if (!Of.Needless.Known)
    return Of.R.Whole ? "<p>Needless transfers are not known: the record does not say what moved, or has too many "
                        "sections.</p>\n"
                      : "<p>Needless transfers are found in records of HSCHED_RECORD, which have sections.</p>\n";
  auto link = [&](const Transfer &T) { return Of.R.Workers[T.Worker].Name + ", " + T.Kind; };
  auto type = [&](const Transfer &T) {
    const Task *For = T.For ? Of.R.find(T.For) : nullptr;
    return For ? For->Type : std::string("(no task)");
  };
  std::vector<size_t> Order;
  for (size_t I = 0; I < Of.R.Transfers.size(); ++I)
    if (Of.Needless.Transfers[I].sum())
      Order.push_back(I);
  std::ranges::stable_sort(Order, std::greater(), [&](size_t I) { return Of.Needless.Transfers[I].sum(); });
  Order.resize(std::min<size_t>(Order.size(), 20));
  std::vector<std::vector<std::string>> Largest;
  for (size_t I : Order) {
    const Transfer &T = Of.R.Transfers[I];
    const auto &By = Of.Needless.Transfers[I].Bytes;
    const auto Why = static_cast<Needless>(std::ranges::max_element(By) - By.begin());
    Largest.push_back({rt::formatBytes(Of.Needless.Transfers[I].sum()), time(T.Begin), escaped(link(T)), nameOf(Why),
                       T.For ? taskLink(T.For) : "-"});
  }
  return needlessBy(Of, "Needless transfers by link", "<link", link) +
         needlessBy(Of, "Needless transfers by task", "<task", type) +
         (Largest.empty() ? "<p>No transfer was needless.</p>\n"
                          : table("The largest needless transfers",
                                  {"needless", "began", "<link", "<main reason", "<for task"}, Largest));
}

std::string evictions(const Run &Of) {
  struct Sum {
    uint64_t Count = 0, Bytes = 0;
    Ns First = 0;
  };
  std::map<std::string, Sum> All;
  for (const Eviction &E : Of.R.Evictions) {
    Sum &S = All[Of.R.Workers[E.Worker].Name];
    S.First = S.Count ? std::min(S.First, E.At) : E.At;
    ++S.Count;
    S.Bytes += E.Bytes;
  }
  if (All.empty())
    return "<p>No evictions.</p>\n";
  std::vector<std::vector<std::string>> Rows;
  for (auto &[Name, S] : All)
    Rows.push_back({escaped(Name), std::to_string(S.Count), rt::formatBytes(S.Bytes), time(S.First)});
  return table("Evictions: data that a device dropped to make room for other data",
               {"<device", "blocks", "bytes", "first at"}, Rows);
}

} // namespace

std::string transfers(const Run &Of) { return links(Of) + needless(Of) + evictions(Of); }

} // namespace hsched::report
