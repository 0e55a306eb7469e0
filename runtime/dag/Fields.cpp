// Access to the members of JSON objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace hsched::dag {

std::string quote(std::string_view Text) {
  return "'" + printable(std::string(Text.substr(0, 80))) + (Text.size() > 80 ? "...'" : "'");
}

bool isName(const std::string &S) {
  return !S.empty() && !std::isdigit(static_cast<unsigned char>(S[0])) &&
         std::all_of(S.begin(), S.end(), [](unsigned char C) { return std::isalnum(C) || C == '_'; });
}

ElementType typeOf(const Text &T) {
  if (std::optional<ElementType> Known = elementType(T.S))
    return *Known;
  T.At.fail("unknown type of elements " + quote(T.S) + ": write a type of OpenCL C such as float, int or double2");
}

Text textOf(const Value &V, const char *What) {
  if (V.is(Value::Integer))
    return {std::to_string(V.integer()), V.place()};
  if (V.is(Value::Real)) {
    char Digits[64];
    auto [End, Failed] = std::to_chars(Digits, Digits + sizeof(Digits), V.real());
    return {std::string(Digits, End), V.place()};
  }
  const std::string &S = V.expect(Value::String, What).string();
  if (S.find_first_not_of(" \t") == std::string::npos)
    V.fail("it is empty");
  if (S.find('\0') != std::string::npos)
    V.fail("it has a NUL character");
  return {S, V.place()};
}

Text Fields::word(const char *Name) {
  const Value *V = take(Name);
  if (!V)
    return {};
  const std::string &S = V->expect(Value::String, "a string").string();
  if (S.empty())
    V->fail("it is empty");
  if (S.find('\0') != std::string::npos)
    V->fail("it has a NUL character");
  return {S, V->place()};
}

Text Fields::needWord(const char *Name) {
  need(Name);
  return word(Name);
}

Text Fields::expression(const char *Name) {
  const Value *V = take(Name);
  if (!V)
    return {};
  if (V->is(Value::Real))
    V->fail("it is a number with a fraction, and should be an integer or an expression");
  return textOf(*V, "an integer or an expression");
}

Text Fields::needExpression(const char *Name) {
  need(Name);
  return expression(Name);
}

Assignments Fields::assignments(const char *Name) {
  Assignments Out;
  if (const Value *V = take(Name))
    for (const Value::Member &M : V->expect(Value::Object, "an object of names and values").members()) {
      if (M.first.empty() || M.first.find_first_of(std::string_view("\0 \t\n\"'=", 7)) != std::string::npos)
        M.second.fail(quote(M.first) + " is not a name: it is empty, or has a space, a quote or '='");
      Out.push_back({M.first, textOf(M.second, "a number or an expression")});
    }
  return Out;
}

bool Fields::flag(const char *Name, bool Default) {
  const Value *V = take(Name);
  if (!V)
    return Default;
  if (V->is(Value::Bool))
    return V->boolean();
  if (V->is(Value::Integer) && (V->integer() == 0 || V->integer() == 1))
    return V->integer() == 1;
  V->fail(std::string("it is ") + V->kindName() + ", and should be 0, 1, true or false");
}

Text Fields::id(const Value &V) {
  if (V.is(Value::Integer))
    return {std::to_string(V.integer()), V.place()};
  const std::string &S = V.expect(Value::String, "an id: a string or an integer").string();
  if (S.empty() || S.size() > 256 || S.find('\0') != std::string::npos)
    V.fail("an id has 1 to 256 characters");
  return {S, V.place()};
}

std::vector<Text> Fields::ids(const char *Name) {
  std::vector<Text> Out;
  if (const Value *V = take(Name))
    for (const Value &I : V->expect(Value::Array, "an array of ids").items())
      Out.push_back(id(I));
  return Out;
}

void Fields::finish() const {
  for (const Value::Member &M : Of.members())
    if (std::none_of(ReadFields.begin(), ReadFields.end(), [&](const char *T) { return M.first == T; }))
      M.second.fail(std::string(What) + " has no field " + quote(M.first));
}

} // namespace hsched::dag
