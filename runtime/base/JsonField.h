// Reader for hand-written JSON files: each field knows its place, and an error is one line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_JSONFIELD_H
#define HSCHED_BASE_JSONFIELD_H

#include <hsched/status.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>

namespace hsched::rt::json {

using Json = nlohmann::ordered_json;

// Thrown inside this file only. Text: FIELD: the error, and the expected form.
struct Wrong {
  std::string Why;
};

// A value with its place in the file.
class Field {
public:
  Field(const Json &Value, std::string Path) : Value(Value), Path(std::move(Path)) {}

  [[noreturn]] void wrong(const std::string &Why) const { throw Wrong{(Path.empty() ? "" : Path + ": ") + Why}; }
  void onlyHas(std::initializer_list<const char *> Known) const {
    if (!Value.is_object())
      wrong("write an object");
    for (const auto &[Name, _] : Value.items())
      if (std::ranges::none_of(Known, [&](const char *K) { return Name == K; })) {
        std::string All;
        for (const char *K : Known)
          All += (All.empty() ? "" : ", ") + std::string(K);
        Field(Value, Path.empty() ? Name : Path + "." + Name).wrong("no such field; there are " + All);
      }
  }
  bool has(const char *Name) const { return Value.contains(Name); }
  Field operator[](const std::string &Name) const {
    Field Inner(Value, Path.empty() ? Name : Path + "." + Name);
    if (!Value.is_object() || !Value.contains(Name))
      Inner.wrong("is missing");
    return {Value.at(Name), Inner.Path};
  }
  template <class Fn> void each(Fn Visit) const { // For an array.
    if (!Value.is_array())
      wrong("write a list");
    for (size_t I = 0; I < Value.size(); ++I)
      Visit(Field(Value[I], Path + "[" + std::to_string(I) + "]"));
  }
  template <class Fn> void members(Fn Visit) const { // For an object.
    if (!Value.is_object())
      wrong("write an object");
    for (const auto &[Name, Inner] : Value.items())
      Visit(Name, Field(Inner, Path.empty() ? Name : Path + "." + Name));
  }
  std::string text() const {
    if (!Value.is_string() || Value.get<std::string>().empty())
      wrong("write a text");
    return Value.get<std::string>();
  }
  double positive(double Most, const char *Unit) const {
    if (!Value.is_number() || !(Value.get<double>() > 0) || Value.get<double>() > Most)
      wrong(std::string("write a number above 0") + Unit);
    return Value.get<double>();
  }
  double notNegative(double Most, const char *Unit) const {
    if (!Value.is_number() || !(Value.get<double>() >= 0) || Value.get<double>() > Most)
      wrong(std::string("write a number from 0 on") + Unit);
    return Value.get<double>();
  }
  unsigned count(unsigned Most) const {
    if (!Value.is_number_integer() || Value.get<double>() < 1 || Value.get<double>() > Most)
      wrong("write a whole number from 1 to " + std::to_string(Most));
    return Value.get<unsigned>();
  }
  bool truth() const {
    if (!Value.is_boolean())
      wrong("write true or false");
    return Value.get<bool>();
  }
  unsigned index(size_t Most) const { // A number from 1 on.
    if (!Value.is_number_integer() || Value.get<double>() < 1 || Value.get<double>() > static_cast<double>(Most))
      wrong("write the number of an earlier task, the first of which is 1");
    return Value.get<unsigned>();
  }
  int32_t integer() const {
    if (!Value.is_number_integer() || Value.get<double>() < INT32_MIN || Value.get<double>() > INT32_MAX)
      wrong("write a whole number");
    return Value.get<int32_t>();
  }
  std::string string() const { // May be empty.
    if (!Value.is_string())
      wrong("write a text");
    return Value.get<std::string>();
  }
  bool isText() const { return Value.is_string(); }
  bool isNull() const { return Value.is_null(); }
  bool isNumber() const { return Value.is_number(); }
  bool isArray() const { return Value.is_array(); }
  size_t size() const { return Value.size(); }

private:
  const Json &Value;
  const std::string Path;
};

// Runs Read and turns its exceptions into a status. Name: the file, for messages.
template <class Fn> status guarded(const std::string &Text, const std::string &Name, Fn Read) {
  try {
    Read();
    return {};
  } catch (const Wrong &W) {
    return status::error(errc::invalid_argument, Name + ": " + W.Why);
  } catch (const Json::parse_error &E) {
    const auto Line =
        1 + std::count(Text.begin(), Text.begin() + static_cast<ptrdiff_t>(std::min(E.byte, Text.size())), '\n');
    return status::error(errc::invalid_argument, Name + ":" + std::to_string(Line) +
                                                     ": this is not JSON; write a value, a comma or a bracket here");
  } catch (const Json::exception &E) {
    return status::error(errc::invalid_argument, Name + ": " + E.what());
  }
}

// Reads Text with Read, which throws Wrong.
template <class Fn> status parse(const std::string &Text, const std::string &Name, Fn Read) {
  return guarded(Text, Name, [&] {
    Json Whole = Json::parse(Text);
    Read(Field(Whole, ""));
  });
}

// Reads an object whose members are lists, or plain values: Element(list, field) and Plain(member, field), in the order
// of the file. An element is freed once it has been read, so a long list is never in memory as a whole.
template <class ElementFn, class PlainFn>
status parseElements(const std::string &Text, const std::string &Name, ElementFn Element, PlainFn Plain) {
  return guarded(Text, Name, [&] {
    std::string Member;
    size_t Index = 0;
    bool InList = false;
    auto see = [&](int Depth, Json::parse_event_t Event, Json &Value) {
      using Of = Json::parse_event_t;
      const bool Opens = Event == Of::object_start || Event == Of::array_start;
      if (Depth == 0 && Event == Of::array_start)
        throw Wrong{"write an object"};
      if (Depth == 1 && Event == Of::key) {
        Member = Value.template get<std::string>();
        Index = 0;
        InList = false;
      } else if (Depth == 1 && Event == Of::array_start) {
        InList = true;
      } else if (Depth == 1 && Event == Of::value) {
        Plain(Member, Field(Value, Member));
      } else if (Depth == 2 && InList && !Opens && Event != Of::key) {
        Element(Member, Field(Value, Member + "[" + std::to_string(Index++) + "]"));
        return false;
      }
      return true;
    };
    [[maybe_unused]] const Json Left = Json::parse(Text, see);
  });
}

// Loads a file's text. What: its content, for messages.
inline status load(const std::string &File, const char *What, std::string &Text) {
  std::ifstream In(File, std::ios::binary);
  Text.assign(std::istreambuf_iterator<char>(In), {});
  if (!In && !In.eof())
    return status::error(errc::not_found, File + ": cannot be read; write the name of a " + What + "'s file");
  return {};
}

// The same as parse with a file's text.
template <class Fn> status read(const std::string &File, const char *What, Fn Read) {
  std::string Text;
  if (status Loaded = load(File, What, Text); !Loaded.ok())
    return Loaded;
  return parse(Text, File, Read);
}

} // namespace hsched::rt::json
#endif
