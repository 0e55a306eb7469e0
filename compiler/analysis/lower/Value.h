// Abstract values of lowering: integers as polynomials, pointers as sets of places.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_VALUE_H
#define HSCHED_ANALYSIS_LOWER_VALUE_H

#include "model/Poly.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

// A member of a record: its FieldDecl, or one of the synthetic ones below.
using FieldKey = const void *;
extern const char SizeKey; // For a std::span: number of elements.
extern const char SelfKey; // A lambda's captured this.
extern const char CallKey; // For a std::function: what it calls. Its function is the record's.
bool isSynthetic(FieldKey K);

using BaseSet = llvm::SmallPtrSet<const clang::CXXRecordDecl *, 8>;
// The bases of which Class has several. A path of members does not tell which of them it is.
BaseSet repeatedBases(const clang::CXXRecordDecl &Class);

// The target of an l-value or a pointer.
struct Place {
  bool Memory = false; // True: memory that outlives the call, and Id is a root. False: Id is an object of the lowering.
  unsigned Id = 0;     //
  Poly Offset;         // For Memory: byte offset from element 0. Invalid: anywhere, for the reason Why.
  bool Self = false;   // For Memory: the container itself; the root has its elements.
  std::vector<FieldKey> Path; // For an object: members, outermost first.
  bool Element = false;       // For an object: a summary of several elements.
  bool TypePunned = false;    // For an object: accessed as another type.
  std::string Why;            // Not part of the comparison.

  static Place object(unsigned Id);
  static Place root(unsigned Id, Poly Offset = 0, bool Self = false);
  bool operator==(const Place &O) const;
  bool operator<(const Place &O) const;
};

struct Field;

// A product, not a sum type: alternatives are joined field by field. The default value is unknown and points
// nowhere.
struct Value {
  std::optional<Poly> Int;    // For integers; nothing: unknown.
  std::vector<Poly> Min, Max; // If Int is nothing: minimum or maximum of these; at most one list is not empty.
  static constexpr unsigned Whole = ~0u;
  unsigned Modulo = Whole; // The number is Int, Min or Max modulo 2^Modulo: it has wrapped. Whole: it is that.
  std::vector<Place> To;   // For pointers, references, iterators, spans: all possible targets.
  std::string Unbounded;   // Not empty: unbounded, it may also point anywhere, for this reason.
  const clang::FunctionDecl *Function = nullptr; // Possible callee.
  std::vector<Field> Fields;                     // For records. A missing member has To and Unbounded of the record.
  bool NonNegative = false;

  static Value integer(Poly P);
  static Value pointer(Place P);
  static Value unbounded(std::string Why);

  bool pointsNowhere() const; // No member points anywhere either.
  const Value *find(FieldKey K) const;
  Value member(FieldKey K) const;
  void set(FieldKey K, Value V);
  Value &field(FieldKey K); // Adds a missing field.
  void forgetNumber() {
    Int.reset();
    Min.clear();
    Max.clear();
    Modulo = Whole;
  }
  // Merges the places of the value and all members.
  Value flat() const;
  void add(Place P); // Limits the size of To.
  bool operator==(const Value &O) const;
};

struct Field {
  FieldKey Key;
  Value What;
  bool operator==(const Field &O) const;
};

// The join of two values. Widen: merges places of one object or root.
Value join(const Value &A, const Value &B, bool Widen = false);

// Contents of objects by number, copy-on-write. States are copied and joined at each branch, and most objects
// are equal. Copies share a value until one changes it, and shared values need no comparison.
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
  const Entry *entry(unsigned Id) const; // Null: none.
  const Value *find(unsigned Id) const {
    const Entry *E = entry(Id);
    return E ? &E->value() : nullptr;
  }
  // A mutable reference, valid until the next operation on the map. Adds a missing object.
  Value &of(unsigned Id);
  void set(unsigned Id, Value V) { of(Id) = std::move(V); }
  // Changes the objects for which Which is true.
  void change(const std::function<bool(unsigned, const Value &)> &Which,
              const std::function<void(unsigned, Value &)> &How);
  // Removes objects from First on, except those for which Kept is true.
  void forget(unsigned First, const std::function<bool(unsigned)> &Kept);
  bool operator==(const ObjectMap &O) const;

  // The union. An object in both is joined; an object in one is out of scope at the join.
  static ObjectMap join(const ObjectMap &A, const ObjectMap &B, bool Widen);

private:
  std::vector<Entry> List; // By Id.
  static Value &own(Entry &E);
};

// The abstract state: objects and their contents.
struct State {
  ObjectMap Objects;
  bool Dead = false; // Unreachable.
};

State join(const State &A, const State &B, bool Widen = false);

} // namespace hsched::cc
#endif
