// Parses JSON with nlohmann's SAX parser, which does not recurse.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_set>

namespace hsched::dag {
namespace {

// An input that knows the parser's position.
class Cursor {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  Cursor(const char *At, const char **Last) : At(At), Last(Last) {}
  reference operator*() const { return *At; }
  Cursor &operator++() {
    *Last = ++At;
    return *this;
  }
  Cursor operator++(int) {
    Cursor Before = *this;
    ++*this;
    return Before;
  }
  bool operator==(const Cursor &Other) const { return At == Other.At; }
  bool operator!=(const Cursor &Other) const { return At != Other.At; }

private:
  const char *At;
  const char **Last;
};

std::string shortened(std::string_view Text) {
  return "'" + printable(std::string(Text.substr(0, 60))) + (Text.size() > 60 ? "...'" : "'");
}

unsigned lineOf(const Source &In, size_t At) {
  const std::string &Text = In.Text;
  return In.FirstLine + static_cast<unsigned>(std::count(
                            Text.begin(), Text.begin() + static_cast<long>(std::min(At, Text.size())), '\n'));
}

// Finds the field at a byte by parsing the document again: there are thousands of places, and at most one is
// reported.
class FieldFinder : public nlohmann::json_sax<nlohmann::json> {
public:
  FieldFinder(const Source &In, size_t Expected) : In(In), Expected(Expected), Last(In.Text.data() + In.Begin) {}

  std::string find() {
    const char *End = In.Text.data() + std::min(In.End, In.Text.size());
    nlohmann::json::sax_parse(Cursor(Last, &Last), Cursor(End, &Last), this);
    return Found;
  }

  bool null() override { return leaf(); }
  bool boolean(bool) override { return leaf(); }
  bool number_integer(number_integer_t) override { return leaf(); }
  bool number_unsigned(number_unsigned_t) override { return leaf(); }
  bool number_float(number_float_t, const string_t &) override { return leaf(); }
  bool string(string_t &) override { return leaf(); }
  bool binary(binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool key(string_t &Name) override {
    Levels.back().Name = Name;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override { return false; }

private:
  struct Level {
    bool IsArray;
    size_t Index = 0;
    std::string Name;
  };
  bool reached() {
    if (static_cast<size_t>(Last - In.Text.data()) - 1 < Expected)
      return false;
    for (const Level &L : Levels)
      if (L.IsArray)
        Found += "[" + std::to_string(L.Index) + "]";
      else
        Found += (Found.empty() ? "" : ".") + L.Name;
    return true;
  }
  void next() {
    if (!Levels.empty())
      ++Levels.back().Index;
  }
  bool leaf() {
    if (reached())
      return false;
    next();
    return true;
  }
  bool open(bool IsArray) {
    if (reached())
      return false;
    Levels.push_back({IsArray, 0, ""});
    return Levels.size() <= MostDepth + 1;
  }
  bool close() {
    Levels.pop_back();
    next();
    return true;
  }

  const Source &In;
  size_t Expected;
  const char *Last;
  std::vector<Level> Levels;
  std::string Found;
};

} // namespace

std::string printable(std::string Text) {
  std::replace_if(Text.begin(), Text.end(), [](unsigned char C) { return C < 0x20 || C == 0x7f; }, '?');
  return Text;
}

unsigned Place::line() const { return In ? lineOf(*In, At) : 0; }

std::string Place::describe() const {
  if (!In)
    return "";
  std::string Out = In->Path + ":" + std::to_string(line());
  if (std::string Field = In->Begin < In->End ? FieldFinder(*In, At).find() : ""; !Field.empty())
    Out += ": " + printable(std::move(Field));
  return Out;
}

void Place::fail(const std::string &Why) const { throw Error(In ? describe() + ": " + Why : Why); }

SourceRef readSource(const std::string &Path, size_t Most, const Place *At) {
  auto Fail = [&](const std::string &Why) {
    const std::string Text = "file '" + printable(Path) + "' " + Why;
    if (At)
      At->fail(Text);
    throw Error(Text);
  };
  // Not blocked by a pipe that a file names.
  const int File = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct Closing {
    int File;
    ~Closing() {
      if (File >= 0)
        close(File);
    }
  } Closed{File};
  struct stat Info;
  if (File < 0 || fstat(File, &Info) != 0)
    Fail("cannot be opened: " + std::string(std::strerror(errno)));
  if (!S_ISREG(Info.st_mode))
    Fail("is not a regular file");
  if (static_cast<uint64_t>(Info.st_size) > Most)
    Fail("has " + std::to_string(Info.st_size) + " bytes; at most " + std::to_string(Most) + " are read");
  auto Read = std::make_shared<Source>();
  Read->Path = Path;
  Read->Text.resize(static_cast<size_t>(Info.st_size));
  size_t Have = 0;
  while (Have < Read->Text.size()) {
    const ssize_t Got = read(File, Read->Text.data() + Have, Read->Text.size() - Have);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      Fail("cannot be read: " + std::string(std::strerror(errno)));
    if (Got == 0)
      break;
    Have += static_cast<size_t>(Got);
  }
  Read->Text.resize(Have);
  return Read;
}

const char *Value::kindName() const {
  static const char *const Names[] = {"null",     "true or false", "an integer", "a number",
                                      "a string", "an array",      "an object"};
  return Names[K];
}

const Value *Value::find(std::string_view Name) const {
  for (const Member &M : Members)
    if (M.first == Name)
      return &M.second;
  return nullptr;
}

const Value &Value::expect(Kind Expected, const char *What) const {
  if (K != Expected)
    fail(std::string("it is ") + kindName() + ", and should be " + What);
  return *this;
}

// Builds values from the parser's callbacks.
class Reader : public nlohmann::json_sax<nlohmann::json> {
public:
  Reader(const Source &In, std::vector<Repetition> *Repeated)
      : In(&In), Last(In.Text.data() + In.Begin), Repeated(Repeated) {}

  Value read() {
    const char *const Begin = Last, *const End = In->Text.data() + std::min(In->End, In->Text.size());
    nlohmann::json::sax_parse(Cursor(Last, &Last), Cursor(End, &Last), this);
    // The parser takes a NUL for the end of the text.
    if (const char *Nul = std::find(Begin, End, '\0'); Nul != End)
      refuse(static_cast<size_t>(Nul - In->Text.data()), "there is a NUL character behind it");
    return std::move(Root);
  }

  bool null() override {
    return put(Value::Null, [](Value &) {});
  }
  bool boolean(bool B) override {
    return put(Value::Bool, [&](Value &V) { V.Number.I = B; });
  }
  bool number_integer(number_integer_t N) override {
    return put(Value::Integer, [&](Value &V) { V.Number.I = N; });
  }
  bool number_unsigned(number_unsigned_t N) override {
    if (N > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      here().fail("the number " + std::to_string(N) + " is too large: integers have 64 bits");
    return number_integer(static_cast<int64_t>(N));
  }
  bool number_float(number_float_t N, const string_t &Spelled) override {
    // An integer out of range is reported as a floating-point number.
    if (Spelled.find_first_of(".eE") == std::string::npos)
      here().fail("the number " + shortened(Spelled) + " is too large: integers have 64 bits");
    return put(Value::Real, [&](Value &V) { V.Number.R = N; });
  }
  bool string(string_t &Text) override {
    return put(Value::String, [&](Value &V) { V.Text = std::move(Text); });
  }
  bool binary(binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(Value::Object); }
  bool start_array(std::size_t) override { return open(Value::Array); }
  bool key(string_t &Name) override {
    Key = std::move(Name);
    Open &Top = Stack.back();
    if (Top.V->Members.size() < 32 ? Top.V->find(Key) == nullptr : Top.insert(Key))
      return true;
    const Repetition Again{Key, here()};
    if (!Repeated)
      Again.fail();
    Repeated->push_back(Again);
    std::erase_if(Top.V->Members, [&](const Value::Member &M) { return M.first == Key; });
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &E) override {
    // The text behind it is for people.
    std::string Why = E.what();
    if (size_t At = Why.find("column "); At != std::string::npos)
      if (size_t Colon = Why.find(": ", At); Colon != std::string::npos)
        Why = Why.substr(Colon + 2);
    if (Why[0] == '[') // The exception's name.
      Why.erase(0, Why.find("] ") + 2);
    constexpr size_t Most = 200;
    if (Why.size() > Most)
      Why = Why.substr(0, Most) + "...";
    std::replace_if(Why.begin(), Why.end(), [](char C) { return static_cast<unsigned char>(C) < 0x20; }, ' ');
    refuse(here().At, Why);
  }

private:
  [[noreturn]] void refuse(size_t At, const std::string &Why) const {
    throw Error(In->Path + ":" + std::to_string(lineOf(*In, At)) + ": this is not JSON: " + Why);
  }
  Place here() const {
    const size_t Read = static_cast<size_t>(Last - In->Text.data());
    return {In, Read > In->Begin ? Read - 1 : Read};
  }
  template <class Fill> bool put(Value::Kind K, Fill F) {
    Value &V = slot();
    V.K = K;
    V.In = In;
    V.At = static_cast<uint32_t>(here().At);
    F(V);
    return true;
  }
  Value &slot() {
    if (Stack.empty())
      return Root;
    Value &Top = *Stack.back().V;
    if (Top.K == Value::Array)
      return Top.Items.emplace_back();
    return Top.Members.emplace_back(std::move(Key), Value()).second;
  }
  bool open(Value::Kind K) {
    if (Stack.size() == MostDepth)
      throw Error(In->Path + ":" + std::to_string(here().line()) + ": more than " + std::to_string(MostDepth) +
                  " arrays and objects are in each other");
    Value &V = slot();
    V.K = K;
    V.In = In;
    V.At = static_cast<uint32_t>(here().At);
    Stack.push_back({&V, {}});
    return true;
  }
  bool close() {
    Stack.pop_back();
    return true;
  }

  // An array or object that is still open.
  struct Open {
    Value *V;
    std::unordered_set<std::string> Names; // For an object with many members.

    bool insert(const std::string &Name) {
      if (Names.empty())
        for (const Value::Member &M : V->Members)
          Names.insert(M.first);
      return Names.insert(Name).second;
    }
  };

  const Source *In;
  const char *Last;
  std::vector<Repetition> *Repeated;
  Value Root;
  std::vector<Open> Stack; // Only the elements of the last one move.
  std::string Key;
};

void Repetition::fail() const { At.fail("the name " + shortened(Name) + " is there twice"); }

Value parseJson(const Source &In, std::vector<Repetition> *Repeated) { return Reader(In, Repeated).read(); }

} // namespace hsched::dag
