// Lookup of known functions, and parsing of the tables' notation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/LibraryTable.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace hsched::cc {
namespace {

constexpr unsigned AnyNumber = ~0u;

// Parses one row from the left.
class Reader {
public:
  explicit Reader(std::string_view Text) : Text(Text) {}

  bool atEnd() const { return Text.empty(); }
  bool eat(std::string_view What) {
    if (!Text.starts_with(What))
      return false;
    Text.remove_prefix(What.size());
    return true;
  }
  void skipSpaces() {
    while (eat(" "))
      ;
  }
  bool number(int &Out) {
    if (Text.empty() || Text[0] < '0' || Text[0] > '9')
      return false;
    for (Out = 0; !Text.empty() && Text[0] >= '0' && Text[0] <= '9'; Text.remove_prefix(1))
      Out = Out * 10 + (Text[0] - '0');
    return true;
  }
  std::string_view word() {
    const std::string_view W = Text.substr(0, Text.find(' '));
    Text.remove_prefix(W.size());
    skipSpaces();
    return W;
  }
  std::string_view rest() const { return Text; }

private:
  std::string_view Text;
};

bool argument(Reader &R, int &Out) { return R.eat("a") && R.number(Out); }

// Parses the inside of an extent's parenthesis, and its end.
bool parseExtent(Reader &R, LibraryEffect &E) {
  E.Known = true;
  int N;
  if (R.eat("+")) {
    if (!argument(R, E.Offset) || !R.eat("*") || !R.number(N) || !R.eat(" "))
      return false;
    E.OffsetTimes = N;
  }
  if (R.number(N)) {
    if (R.eat("..")) {
      E.Since = N == int(E.Argument) ? -1 : N;
      return R.number(E.Until) && R.eat(")");
    }
    E.Times = N;
  } else {
    if (!argument(R, E.Factor[0]))
      return false;
    if (R.eat("x") && !argument(R, E.Factor[1]))
      return false;
    if (R.eat("/") && !argument(R, E.Factor[1] < 0 ? E.Stride : E.Ld))
      return false;
    while (R.eat("*"))
      if (R.number(N))
        E.Times = N;
      else if (!argument(R, E.Factor[1]))
        return false;
  }
  while (R.eat(" ")) {
    if (R.eat("b"))
      E.Bytes = true;
    else if (R.eat("o")) {
      if (!R.number(E.Order))
        return false;
    } else if (R.eat("t")) {
      if (!R.number(E.Trans) || (R.eat(":") && !argument(R, E.Other)))
        return false;
    } else if (!R.eat("s") || !R.number(E.Side) || !R.eat(":") || !argument(R, E.Other))
      return false;
  }
  return R.eat(")");
}

bool parseEffect(Reader &R, LibraryEffect &E) {
  int Argument;
  if (!R.number(Argument))
    return false;
  E.Argument = unsigned(Argument);
  if (R.eat("(") && !parseExtent(R, E))
    return false;
  while (!R.atEnd() && !R.rest().starts_with(" ")) {
    if (R.eat("?"))
      E.Maybe = true;
    else if (R.eat("!"))
      E.Atomic = true;
    else if (R.eat("&"))
      E.Handed = true;
    else if (R.eat("+"))
      E.AlsoLaterArguments = true;
    else if (!R.eat("~") || !R.number(E.Zero))
      return false;
  }
  E.Maybe |= !E.Known;
  return true;
}

bool parseItem(Reader &R, LibraryFunction &F) {
  if (R.eat("io"))
    return F.Pure = false, true;
  if (R.eat("noreturn"))
    return F.NoReturn = true;
  if (R.eat("allocates"))
    return F.Allocates = true;
  if (R.eat("byref"))
    return F.ByReference = true;
  if (R.eat("calls"))
    return R.number(F.Calls);
  if (R.eat("==")) {
    F.ReturnsSame = true;
    return R.number(F.Returns);
  }
  if (R.eat("="))
    return R.number(F.Returns < 0 ? F.Returns : F.AlsoReturns);
  LibraryEffect E;
  if (R.eat("u"))
    E.Read = E.Written = true;
  else if (R.eat("r"))
    E.Read = true;
  else if (R.eat("w"))
    E.Written = true;
  else
    return false;
  if (!parseEffect(R, E))
    return false;
  F.Effects.push_back(E);
  return true;
}

bool parseCount(Reader &R, LibraryEntry &E) {
  int N;
  if (R.eat("*")) {
    E.Most = AnyNumber;
  } else {
    if (!R.number(N))
      return false;
    E.Fewest = E.Most = unsigned(N);
    if (R.eat("-")) {
      if (!R.number(N))
        return false;
      E.Most = unsigned(N);
    } else if (R.eat("+")) {
      E.Most = AnyNumber;
    }
  }
  return R.eat(":");
}

// Fortran passes numbers by reference, so arguments without an effect are read.
void addScalars(LibraryEntry &E) {
  for (unsigned I = 0; I != E.Most; ++I) {
    if (std::any_of(E.F.Effects.begin(), E.F.Effects.end(), [I](const LibraryEffect &L) { return L.Argument == I; }))
      continue;
    LibraryEffect Scalar;
    Scalar.Argument = I;
    Scalar.Read = Scalar.Known = true;
    E.F.Effects.push_back(Scalar);
  }
}

void eachName(std::string_view Names, LibraryEntry E, const std::function<void(LibraryEntry)> &Each) {
  struct Letter {
    char Name;
    unsigned Bytes;
  };
  static constexpr Letter All[] = {{'s', 4}, {'d', 8}, {'c', 8}, {'z', 16}};
  Reader R(Names);
  for (R.skipSpaces(); !R.atEnd();) {
    std::string Name(R.word());
    std::replace(Name.begin(), Name.end(), '~', ' ');
    const std::size_t Unbounded = Name.find_first_of("%$&");
    if (Unbounded == Name.npos) {
      E.Name = Name;
      Each(E);
      continue;
    }
    const auto Letters = Name[Unbounded] == '$'   ? std::span(All).first(2)
                         : Name[Unbounded] == '&' ? std::span(All).last(2)
                                                  : std::span(All);
    for (const Letter &L : Letters) {
      LibraryEntry One = E;
      One.Name = Name;
      One.Name[Unbounded] = L.Name;
      for (LibraryEffect &Effect : One.F.Effects)
        Effect.ElementBytes = L.Bytes;
      Each(std::move(One));
    }
  }
}

struct Tables {
  std::map<std::string, std::vector<LibraryEntry>, std::less<>> ByName[2]; // Index: [OpenCL].

  Tables() {
    for (const auto &Rows : {libraryRowsC(), libraryRowsCxx(), libraryRowsBlas(), libraryRowsLapack()})
      add(Rows, false);
    add(libraryRowsOpenCl(), true);
  }

  void add(std::span<const LibraryRow> Rows, bool OpenCL) {
    std::string Left;
    for (const LibraryRow &Row : Rows) {
      [[maybe_unused]] const bool Fine =
          parseLibraryRow(Row, [&](LibraryEntry E) { ByName[OpenCL][E.Name].push_back(std::move(E)); }, Left);
      assert(Fine && "a row is not well formed: see the unit test");
    }
  }

  const LibraryFunction *find(std::string_view Name, bool OpenCL, unsigned NumArgs) const {
    const auto It = ByName[OpenCL].find(Name);
    if (It != ByName[OpenCL].end())
      for (const LibraryEntry &E : It->second)
        if (NumArgs >= E.Fewest && NumArgs <= E.Most)
          return &E.F;
    return nullptr;
  }
};

const Tables &tables() {
  static const Tables T;
  return T;
}

// OpenCL C has conversions and group functions by the hundred; none of these touches memory.
bool isPureFamily(std::string_view Name) {
  if (Name.starts_with("convert_") || Name.starts_with("as_"))
    return true;
  if (Name.find("block_read") != Name.npos || Name.find("block_write") != Name.npos)
    return false;
  for (const std::string_view Prefix : {"sub_group_", "work_group_", "intel_sub_group_"})
    if (Name.starts_with(Prefix))
      return Name.find("_pipe") == Name.npos;
  return false;
}

} // namespace

bool parseLibraryRow(const LibraryRow &Row, const std::function<void(LibraryEntry)> &Each, std::string &Left) {
  LibraryEntry E;
  Reader R(Row.Spec);
  bool Fine = parseCount(R, E);
  while (Fine && !R.atEnd()) {
    Fine = R.eat(" ") && parseItem(R, E.F);
  }
  if (!Fine) {
    Left = R.rest();
    return false;
  }
  if (E.F.ByReference)
    addScalars(E);
  eachName(Row.Names, std::move(E), Each);
  return true;
}

void forEachLibraryEntry(bool OpenCL, const std::function<void(const LibraryEntry &)> &Each) {
  for (const auto &[Name, Entries] : tables().ByName[OpenCL])
    for (const LibraryEntry &E : Entries)
      Each(E);
}

const LibraryFunction *findLibraryFunction(std::string_view Name, bool OpenCL, unsigned NumArgs) {
  if (Name.starts_with("::"))
    Name.remove_prefix(2);
  const Tables &T = tables();
  if (const LibraryFunction *F = T.find(Name, OpenCL, NumArgs))
    return F;
  if (OpenCL) {
    static const LibraryFunction Pure;
    return isPureFamily(Name) ? &Pure : nullptr;
  }
  if (Name.starts_with("std::"))
    return T.find(Name.substr(5), false, NumArgs);
  // __builtin___memcpy_chk has an additional argument: the size to check.
  for (const std::string_view Chk : {"__builtin___", "__"})
    if (Name.starts_with(Chk) && Name.ends_with("_chk") && NumArgs > 0)
      return T.find(Name.substr(Chk.size(), Name.size() - Chk.size() - 4), false, NumArgs - 1);
  if (Name.starts_with("__builtin_"))
    return T.find(Name.substr(10), false, NumArgs);
  // __sync_fetch_and_add_8
  if (Name.starts_with("__sync_") || Name.starts_with("__atomic_"))
    if (const std::size_t Last = Name.rfind('_'); Name.find_first_not_of("0123456789", Last + 1) == Name.npos)
      return T.find(Name.substr(0, Last), false, NumArgs);
  return nullptr;
}

} // namespace hsched::cc
