// What expressions evaluate to while a function is lowered: integers as polynomials, pointers as sets of places.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_VALUE_H
#define HSCHED_ANALYSIS_LOWER_VALUE_H

#include "model/Poly.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

// A member of a record: its FieldDecl, or one of the made-up ones below.
using FieldKey = const void *;
extern const char SizeKey; // Of a std::span: the number of its elements.
extern const char SelfKey; // What a lambda's captured this is.

// What an l-value names, or a pointer points at.
struct Place {
  bool Memory = false; // In memory that outlives the call: Id is a root; else Id is an object of the lowering.
  unsigned Id = 0;     //
  Poly Offset;         // Memory: in bytes from the root's element 0; not valid: anywhere in it, and Why says why.
  bool Self = false;   // Memory: the container itself, whose elements the root is.
  std::vector<FieldKey> Path; // Of an object: members, outermost first.
  bool Element = false;       // Of an object: one of many elements that are kept as one.
  bool Blurred = false;       // Of an object: seen as another type.
  std::string Why;            // Not part of the value.

  static Place object(unsigned Id);
  static Place root(unsigned Id, Poly Offset = 0, bool Self = false);
  bool operator==(const Place &O) const;
  bool operator<(const Place &O) const;
};

struct Field;

// Not a sum type: a value that may be several things has the union of them. A default one is what nothing is known of
// and that points nowhere.
struct Value {
  std::optional<Poly> Int;    // Of integers; nothing: any.
  std::vector<Poly> Min, Max; // Int is nothing: the least, or the greatest, of these; at most one of both is not empty.
  std::vector<Place> To;      // Of pointers, references, iterators, spans: all that it may point at.
  std::string Wild;           // Not empty: it may point anywhere else too, and this says why.
  const clang::FunctionDecl *Function = nullptr; // What it calls.
  std::vector<Field> Fields;                     // Of records; a member that is missing has To and Wild of the record.
  bool NonNegative = false;

  static Value integer(Poly P);
  static Value pointer(Place P);
  static Value wild(std::string Why);

  bool pointsNowhere() const; // And neither does any member.
  const Value *find(FieldKey K) const;
  Value member(FieldKey K) const;
  void set(FieldKey K, Value V);
  Value &field(FieldKey K); // Made where it is missing.
  // All places of it and of its members as one value.
  Value flat() const;
  void add(Place P); // Keeps To small.
  bool operator==(const Value &O) const;
};

struct Field {
  FieldKey Key;
  Value What;
  bool operator==(const Field &O) const;
};

// May be either. Widen: places of one object or root become one.
Value join(const Value &A, const Value &B, bool Widen = false);

// What is in objects, by their numbers. States are copied and joined at each branch, and most of their objects are the
// same in all of them: copies share a value until one of them changes it, and what is shared is not compared.
class ObjectMap {
  struct Cell : llvm::RefCountedBase<Cell> {
    Value What;
  };

public:
  class Entry {
  public:
    unsigned id() const { return Id; }
    const Value &value() const { return C->What; }
    bool shares(const Entry &O) const { return C == O.C; }

  private:
    friend class ObjectMap;
    unsigned Id = 0;
    llvm::IntrusiveRefCntPtr<Cell> C;
  };

  std::size_t size() const { return List.size(); }
  std::vector<Entry>::const_iterator begin() const { return List.begin(); }
  std::vector<Entry>::const_iterator end() const { return List.end(); }
  const Entry *entry(unsigned Id) const; // Null: there is none.
  const Value *find(unsigned Id) const {
    const Entry *E = entry(Id);
    return E ? &E->value() : nullptr;
  }
  // To be changed, until something else is done with the map; where there is none it is made.
  Value &of(unsigned Id);
  void set(unsigned Id, Value V) { of(Id) = std::move(V); }
  // Changes those that Which chooses.
  void change(const std::function<bool(unsigned, const Value &)> &Which,
              const std::function<void(unsigned, Value &)> &How);
  // Forgets objects from First on, but for those that Kept chooses.
  void forget(unsigned First, const std::function<bool(unsigned)> &Kept);
  bool operator==(const ObjectMap &O) const;

  // All of both. An object that both have is joined; one that only one of both has is not in scope where they meet.
  static ObjectMap join(const ObjectMap &A, const ObjectMap &B, bool Widen);

private:
  std::vector<Entry> List; // By Id.
  static Value &own(Entry &E);
};

// The objects of the lowering and what is in them.
struct State {
  ObjectMap Objects;
  bool Dead = false; // Control does not come here.
};

State join(const State &A, const State &B, bool Widen = false);

} // namespace hsched::cc
#endif
