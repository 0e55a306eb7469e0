// A JSON parser for untrusted files: values know their place; depth and size are bounded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_JSON_H
#define HSCHED_DAG_JSON_H

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hsched::dag {

// An error in a file or a run. The message is one line: "file:line: field: why".
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file's text. Values and places point to it, so it must outlive them.
struct Source {
  std::string Path; // The name as given, for messages.
  std::string Text;
  // Range of the JSON document: a file may hold several.
  size_t Begin = 0, End = std::string::npos;
  unsigned FirstLine = 1; // Line number of Text's first line in the file.
};
using SourceRef = std::shared_ptr<const Source>;

// A place: a byte of a source.
struct Place {
  const Source *In = nullptr;
  size_t At = 0;

  unsigned line() const;
  // "file:line: kernels[3].args[1].size". Without the field if the source is not JSON.
  std::string describe() const;
  [[noreturn]] void fail(const std::string &Why) const;
};

// The text without control characters, which a terminal or a reader of lines would obey.
std::string printable(std::string Text);

constexpr size_t MostSourceBytes = size_t(1) << 30;

// Reads a regular file of at most Most bytes. At: the place that names it. Throws Error.
SourceRef readSource(const std::string &Path, size_t Most = MostSourceBytes, const Place *At = nullptr);

class Value {
public:
  enum Kind { Null, Bool, Integer, Real, String, Array, Object };
  using Member = std::pair<std::string, Value>;

  Kind kind() const { return K; }
  bool is(Kind Expected) const { return K == Expected; }
  const char *kindName() const; // "a string".
  Place place() const { return {In, At}; }
  [[noreturn]] void fail(const std::string &Why) const { place().fail(Why); }

  bool boolean() const { return Number.I != 0; }
  int64_t integer() const { return Number.I; }
  double real() const { return K == Integer ? static_cast<double>(Number.I) : Number.R; }
  const std::string &string() const { return Text; }
  const std::vector<Value> &items() const { return Items; }
  const std::vector<Member> &members() const { return Members; }
  const Value *find(std::string_view Name) const; // Null: absent.

  // The same, with an error that names the expected value.
  const Value &expect(Kind Expected, const char *What) const;

private:
  friend class Reader;
  Kind K = Null;
  uint32_t At = 0;
  const Source *In = nullptr;
  union {
    int64_t I;
    double R;
  } Number{0};
  std::string Text;
  std::vector<Value> Items;
  std::vector<Member> Members;
};

constexpr unsigned MostDepth = 64; // Limit of nested arrays and objects.

// A duplicate name in an object.
struct Repetition {
  std::string Name;
  Place At; // Place of the second one.

  [[noreturn]] void fail() const;
};

// Throws Error with the line and the reason: a syntax error, too deep, a duplicate name in an object, a number beyond
// 64 bits. With Repeated, the last member of a name counts, as in Python, and duplicates are listed there.
Value parseJson(const Source &In, std::vector<Repetition> *Repeated = nullptr);

} // namespace hsched::dag
#endif
