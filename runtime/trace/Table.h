// Aligned text tables and human units.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_TABLE_H
#define HSCHED_TRACE_TABLE_H

#include "base/Clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hsched::rt {

class Table {
public:
  enum class Align : uint8_t { Left, Right };
  struct Column {
    std::string Head;
    Align Side = Align::Right;
  };

  explicit Table(std::vector<Column> Columns) : Columns(std::move(Columns)) {}
  // One cell for each column.
  void add(std::vector<std::string> Cells) { Rows.push_back(std::move(Cells)); }
  bool empty() const { return Rows.empty(); }
  // Prints heads, then rows, without trailing blanks.
  void print(const std::function<void(const std::string &)> &Line) const;

private:
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

// "512 B", "4.00 KiB", "1.50 GiB".
std::string formatBytes(uint64_t Bytes);
// "120 ns", "1.50 us", "12.3 ms", "4.56 s": three digits.
std::string formatTime(double Ns);
// "34.5 %"; "-" if Whole is 0.
std::string formatShare(double Part, double Whole);

} // namespace hsched::rt
#endif
