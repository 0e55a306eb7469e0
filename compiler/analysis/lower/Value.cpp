// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Value.h"

#include <algorithm>

namespace hsched::cc {

const char SizeKey = 0;
const char SelfKey = 0;
const char CallKey = 0;

bool isSynthetic(FieldKey K) { return K == &SizeKey || K == &SelfKey || K == &CallKey; }

Place Place::object(unsigned Id) {
  Place P;
  P.Id = Id;
  return P;
}

Place Place::root(unsigned Id, Poly Offset, bool Self) {
  Place P;
  P.Memory = true;
  P.Id = Id;
  P.Offset = std::move(Offset);
  P.Self = Self;
  return P;
}

bool Place::operator==(const Place &O) const { return !(*this < O) && !(O < *this); }

bool Place::operator<(const Place &O) const {
  return std::tie(Memory, Id, Self, Offset, Path, Element, TypePunned) <
         std::tie(O.Memory, O.Id, O.Self, O.Offset, O.Path, O.Element, O.TypePunned);
}

Value Value::integer(Poly P) {
  Value V;
  if (P.valid())
    V.Int = std::move(P);
  return V;
}

Value Value::pointer(Place P) {
  Value V;
  V.To.push_back(std::move(P));
  return V;
}

Value Value::unbounded(std::string Why) {
  Value V;
  V.Unbounded = std::move(Why);
  return V;
}

bool Value::pointsNowhere() const {
  return To.empty() && Unbounded.empty() &&
         std::all_of(Fields.begin(), Fields.end(), [](const Field &F) { return F.What.pointsNowhere(); });
}

const Value *Value::find(FieldKey K) const {
  for (const Field &F : Fields)
    if (F.Key == K)
      return &F.What;
  return nullptr;
}

Value Value::member(FieldKey K) const {
  if (const Value *V = find(K))
    return *V;
  Value V;
  V.To = To;
  V.Unbounded = Unbounded;
  return V;
}

void Value::set(FieldKey K, Value V) {
  for (Field &F : Fields)
    if (F.Key == K) {
      F.What = std::move(V);
      return;
    }
  Fields.push_back({K, std::move(V)});
}

Value &Value::field(FieldKey K) {
  for (Field &F : Fields)
    if (F.Key == K)
      return F.What;
  Fields.push_back({K, member(K)});
  return Fields.back().What;
}

Value Value::flat() const {
  Value V;
  V.Unbounded = Unbounded;
  for (const Place &P : To)
    V.add(P);
  for (const Field &F : Fields) {
    const Value M = F.What.flat();
    if (V.Unbounded.empty())
      V.Unbounded = M.Unbounded;
    for (const Place &P : M.To)
      V.add(P);
  }
  return V;
}

namespace {

// One place for a whole object or root.
Place widened(Place P) {
  if (P.Memory) {
    if (P.Offset.valid() && P.Why.empty())
      P.Why = "the pointer differs from one iteration or branch to another";
    P.Offset = Poly::invalid();
    return P;
  }
  P.TypePunned = P.Element = true;
  P.Path.clear();
  return P;
}

constexpr std::size_t MaxPlaces = 6;

} // namespace

void Value::add(Place P) {
  if (std::find(To.begin(), To.end(), P) != To.end())
    return;
  const auto Same = [&](const Place &O) { return O.Memory == P.Memory && O.Id == P.Id && O.Self == P.Self; };
  if (To.size() >= MaxPlaces && std::any_of(To.begin(), To.end(), Same)) {
    To.erase(std::remove_if(To.begin(), To.end(), Same), To.end());
    P = widened(std::move(P));
  } else if (P.Memory && !P.Offset.valid()) {
    To.erase(std::remove_if(To.begin(), To.end(), Same), To.end());
  } else {
    for (const Place &O : To)
      if (Same(O) && O.Memory && !O.Offset.valid())
        return;
  }
  To.insert(std::lower_bound(To.begin(), To.end(), P), std::move(P));
}

bool Value::operator==(const Value &O) const {
  return Int.has_value() == O.Int.has_value() && (!Int || *Int == *O.Int) && Min == O.Min && Max == O.Max &&
         Modulo == O.Modulo && To == O.To && Unbounded.empty() == O.Unbounded.empty() && Function == O.Function &&
         Fields == O.Fields;
}

bool Field::operator==(const Field &O) const { return Key == O.Key && What == O.What; }

Value join(const Value &A, const Value &B, bool Widen) {
  Value R;
  if (A.Int && B.Int && *A.Int == *B.Int)
    R.Int = A.Int;
  if (A.Min == B.Min && A.Max == B.Max && !A.Int && !B.Int) {
    R.Min = A.Min;
    R.Max = A.Max;
  }
  R.NonNegative = A.NonNegative && B.NonNegative;
  R.Modulo = std::min(A.Modulo, B.Modulo);
  R.Unbounded = A.Unbounded.empty() ? B.Unbounded : A.Unbounded;
  if (A.Function == B.Function)
    R.Function = A.Function;
  for (const Value *V : {&A, &B})
    for (const Place &P : V->To) {
      const Value &Other = V == &A ? B : A;
      const auto Differs = [&](const Place &O) { return O.Memory == P.Memory && O.Id == P.Id && !(O == P); };
      R.add(Widen && std::any_of(Other.To.begin(), Other.To.end(), Differs) ? widened(P) : P);
    }
  for (const Field &F : A.Fields)
    R.set(F.Key, join(F.What, B.member(F.Key), Widen));
  for (const Field &F : B.Fields)
    if (!A.find(F.Key))
      R.set(F.Key, join(A.member(F.Key), F.What, Widen));
  return R;
}

// --- Objects ---------------------------------------------------------------------------------------------------------

Value &ObjectMap::own(Entry &E) {
  if (E.C->UseCount() > 1) {
    const auto Was = E.C;
    E.C = llvm::makeIntrusiveRefCnt<Cell>();
    E.C->What = Was->What;
  }
  return E.C->What;
}

const ObjectMap::Entry *ObjectMap::entry(unsigned Id) const {
  const auto It = std::lower_bound(List.begin(), List.end(), Id, [](const Entry &E, unsigned I) { return E.Id < I; });
  return It == List.end() || It->Id != Id ? nullptr : &*It;
}

Value &ObjectMap::of(unsigned Id) {
  auto It = std::lower_bound(List.begin(), List.end(), Id, [](const Entry &E, unsigned I) { return E.Id < I; });
  if (It == List.end() || It->Id != Id) {
    It = List.emplace(It);
    It->Id = Id;
    It->C = llvm::makeIntrusiveRefCnt<Cell>();
  }
  return own(*It);
}

void ObjectMap::change(const std::function<bool(unsigned, const Value &)> &Which,
                       const std::function<void(unsigned, Value &)> &How) {
  for (Entry &E : List)
    if (Which(E.Id, E.value()))
      How(E.Id, own(E));
}

void ObjectMap::forget(unsigned First, const std::function<bool(unsigned)> &Kept) {
  const auto From =
      std::lower_bound(List.begin(), List.end(), First, [](const Entry &E, unsigned I) { return E.Id < I; });
  List.erase(std::remove_if(From, List.end(), [&](const Entry &E) { return !Kept(E.Id); }), List.end());
}

bool ObjectMap::operator==(const ObjectMap &O) const {
  return std::equal(List.begin(), List.end(), O.List.begin(), O.List.end(), [](const Entry &A, const Entry &B) {
    return A.Id == B.Id && (A.shares(B) || A.value() == B.value());
  });
}

ObjectMap ObjectMap::join(const ObjectMap &A, const ObjectMap &B, bool Widen) {
  ObjectMap R;
  R.List.reserve(std::max(A.size(), B.size()));
  auto I = A.begin(), J = B.begin();
  while (I != A.end() || J != B.end()) {
    if (J == B.end() || (I != A.end() && I->Id < J->Id)) {
      R.List.push_back(*I++);
    } else if (I == A.end() || J->Id < I->Id) {
      R.List.push_back(*J++);
    } else {
      R.List.push_back(*I);
      if (!I->shares(*J) && !(I->value() == J->value())) {
        R.List.back().C = llvm::makeIntrusiveRefCnt<Cell>();
        R.List.back().C->What = cc::join(I->value(), J->value(), Widen);
      }
      ++I, ++J;
    }
  }
  return R;
}

State join(const State &A, const State &B, bool Widen) {
  if (A.Dead)
    return B;
  if (B.Dead)
    return A;
  return {ObjectMap::join(A.Objects, B.Objects, Widen), false};
}

} // namespace hsched::cc
