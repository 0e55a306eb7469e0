// The members of a JSON object, taken one by one. Members that were not taken are an error.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DAG_FIELDS_H
#define HSCHED_DAG_FIELDS_H

#include "dag/Document.h"
#include "dag/ElementType.h"

#include <string>
#include <vector>

namespace hsched::dag {

// 'text', shortened and without control characters.
std::string quote(std::string_view Text);

// True if it is an identifier of C.
bool isName(const std::string &S);

// The type that a text names. Throws Error.
ElementType typeOf(const Text &T);

// The text of an expression, from a number or string.
Text textOf(const Value &V, const char *What);

class Fields {
public:
  // What: the kind of object, for messages: "a kernel".
  Fields(const Value &Of, const char *What) : Of(Of.expect(Value::Object, What)), What(What) {}

  // Null: it is absent.
  const Value *take(const char *Name) {
    ReadFields.push_back(Name);
    return Of.find(Name);
  }
  const Value &need(const char *Name) {
    if (const Value *V = take(Name))
      return *V;
    Of.fail(std::string("'") + Name + "' is missing: " + What + " has one");
  }
  // A non-empty string. Empty if absent.
  Text word(const char *Name);
  Text needWord(const char *Name);
  // An integer or an expression. Empty if absent.
  Text expression(const char *Name);
  Text needExpression(const char *Name);
  // Name -> expression.
  Assignments assignments(const char *Name);
  // 0, 1, true or false.
  bool flag(const char *Name, bool Default);
  // An id: a string or an integer.
  static Text id(const Value &V);
  std::vector<Text> ids(const char *Name);

  // Fails with the first member that has not been taken.
  void finish() const;

private:
  const Value &Of;
  const char *What;
  std::vector<const char *> ReadFields;
};

} // namespace hsched::dag
#endif
