// The access tree: a function's accesses to memory that outlives the call, in the order of execution. The component
// analysis/lower/ makes it from Clang's AST, for host C++ and OpenCL C. The component analysis/regions/ derives roles,
// extents and coverage from it. Plain values; of Clang only source locations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (int i = 0; i < n; ++i) {        Loop i in [0, n)
//     if (i < m)                           If m - i - 1 >= 0
//       y[i] = 0;                            Access y write [i, i + 1)
//     y[i] += x[2 * i];                    Access x read [2 * i, ...), Access y read and write
//   }
//
// A function's own variables are not in it. A tree is sound: every access of an execution is
// an instance of one of its Access nodes. An Access that is not Maybe is executed whenever control reaches it. For code
// that is not understood, the lowering adds accesses that are Maybe and Anywhere.
#ifndef HSCHED_MODEL_ACCESSTREE_H
#define HSCHED_MODEL_ACCESSTREE_H

#include "model/Identity.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class ValueDecl;
}

namespace hsched::cc {

struct Symbol {
  enum Kind {
    Value,  // Constant during the call: a parameter that is never assigned, a field of one, v.size(), n / 2, ...
    Loop,   // The counter of a Loop node.
    Unknown // Any value, not constant.
  };
  Kind K = Unknown;
  // C++ text at the clauses, with one spelling for each declaration. It is for messages and generated code: what the
  // symbol is, its Identity says.
  std::string Spelling;
  bool NonNegative = false;
  bool OfEnum = false;   // For an enumeration: its values are probably only the enumerators.
  int From = -1;         // For Value: the root that holds it or a part of it at the call's begin: "s->n"; -1: none.
  std::string Wide = {}; // For Value: Spelling in a type that does not wrap around; empty: as for any name.
  std::string Why = {};  // For a Loop without bounds: the reason, and its place.
  clang::SourceLocation WhyLoc = {};
  std::vector<Poly> Greatest = {}, Least = {}; // For Value: the maximum, or the minimum, of these; empty: unknown.
  Poly Dividend = {};                          // For Value: it is Dividend / Divisor, rounded to zero.
  std::int64_t Divisor = 0;                    // 0: it is no such quotient.
};

// An object, or the array that a pointer points into. Element 0 is the pointer's target at the call. Arrays of arrays
// are flat: elements are the innermost ones. Two parameters are assumed not to alias, as the sections of a task
// imply.
struct Root {
  enum Kind {
    Param,    // The memory behind a pointer, reference or container parameter. For a struct passed by value: behind a
              // pointer in it, so several roots may have one Index.
    This,     // The object that a member function is called on.
    Global,   // A variable of namespace scope, or a static variable.
    Indirect, // The memory behind a pointer that itself lies in root Parent.
    Anything  // Unknown memory: from an opaque call, or from a pointer made from an integer.
  };
  Kind K = Anything;
  unsigned Index = 0;  // If K == Param: index of the parameter.
  unsigned Parent = 0; // If K == Indirect.
  const clang::ValueDecl *Decl =
      nullptr;               // The declaration that is, contains or leads to it; null: Indirect, Anything, all of This.
  std::string Name;          // The name of Decl, spelled as in Symbol::Spelling: "y", "table", "m.data".
  std::string Element;       // Element type as spelled in C++ or OpenCL C.
  bool OfPointers = false;   // Its elements are pointers.
  bool Library = false;      // It is a class of the standard library, or hsched::tile.
  unsigned ElementBytes = 0; // 0: unknown, as for void; subscripts then count bytes.
  unsigned PerOuter = 1;     // Elements in one row of an array of arrays; 0: unknown.
  bool Object = false; // A bare name implies its size: reference, array, std::array, std::vector, std::span, global.
  std::optional<Poly> Count; // Number of elements, if the type or the object defines it.
  bool PointeeConst = false;
  bool OfFunction = false;      // If K == Global: a function's static variable, not nameable elsewhere.
  bool PerThread = false;       // If K == Global: thread-local.
  bool PartlyUnwritten = false; // Some member of its elements is never written, but others are.
  bool SizeQueried =
      false;          // It is, or begins with, a container whose size is queried: that is no access to an element.
  bool Owned = false; // If K == Indirect: storage owned by an object in Parent, as a vector owns its elements.
  std::optional<Poly> Owner; // If Owned: the owner's first element in Parent; nothing: one of several.
  clang::SourceLocation Loc; // Place of the declaration.
};

// See KernelGeometry::WithNumbers. Element is the type of the integers: "u32", "s32".
constexpr unsigned NumberIndex = ~0u;
inline bool isNumber(const Root &R) { return R.K == Root::Param && R.Index == NumberIndex; }

enum class AccessKind { Read, Write, Update }; // Update: reads an element, then writes the same one.

struct Access {
  unsigned RootId = 0;
  AccessKind K = AccessKind::Read;
  // Elements [Low, Low + Count) of the root. Low nothing: anywhere in it, for the reason Why: "subscript 'idx[i]' is
  // not affine", "'p' is handed to 'f', whose body is not visible".
  std::optional<Poly> Low;
  Poly Count = 1;
  std::optional<Poly> Byte; // The first of the Bytes accessed, counted from element 0; nothing: unknown.
  Poly Bytes = 0;
  bool Partial = false; // Does not touch all bytes of each element.
  bool Maybe = false;   // May be skipped when control reaches it.
  bool Guess = false;   // Assumed, not seen: a possible effect of an opaque callee.
  bool Atomic = false;
  bool Text = false; // A function of the library reads characters up to a zero.
  std::string Why;
  clang::SourceLocation WhyLoc = {}; // Place of what Why names; invalid: Loc.
  clang::SourceLocation Loc;
};

struct Node {
  enum Kind { Seq, Loop, If, Leaf, Stop };
  Kind K = Seq;
  // Seq: any number, in order. Loop: the body. If: the branch for a true condition and, as second child, the one for a
  // false condition.
  std::vector<Node> Children;

  // Loop: Counter takes the values Low, Low + Step, ... below High; Step > 0. The lowering reverses a loop that counts
  // down if the order is irrelevant; otherwise it has no bounds. Low or High nothing: any number of iterations,
  // possibly none, and any value of Counter.
  SymbolId Counter = 0;
  std::optional<Poly> Low, High;
  std::int64_t Step = 1;
  bool Parallel = false; // Work-items of a kernel: all of them, in any order.
  bool Breaks = false;   // May end before High.

  // If: the first child runs only if all of When are >= 0. Exact: if and only if; the second child runs otherwise. Not
  // Exact: either child may run when they are >= 0.
  std::vector<Poly> When;
  bool Exact = false;
  bool Given = false;       // All of When are >= 0 whenever control comes here. During lowering: are not 0.
  std::vector<Poly> Differ; // Not 0 whenever control comes here, of unknown sign.
  bool OnData = false;      // The condition depends on data in memory.
  // The program does not test When. The accesses of the first child are described only if all of When are >= 0.
  bool Assumed = false;
  std::optional<SymbolId> Number; // If Assumed: the Value that is right only then. Nothing: the bounds of a loop are.

  Access A; // Leaf.

  // Stop: control leaves the work-item (inside a Parallel loop) or the call. Later parts of the enclosing nodes do not
  // run. Throws: by an exception; writes of a task that throws are irrelevant.
  bool Throws = false;
  clang::SourceLocation Loc;
};

struct AccessTree {
  std::vector<Symbol> Symbols;
  std::map<Identity, SymbolId> Identities; // They are those of the Values.
  std::vector<Root> Roots;
  Node Body;
  // Facts about Value symbols besides NonNegative: each is >= 0 in every call. For R = n rounded up to 64: R - n and n
  // + 63 - R. For h = n / 2 with n >= 0: n - 2 * h and 2 * h + 1 - n.
  std::vector<Poly> Facts;
  std::map<std::string, Poly> ClauseValues; // Values of clause expressions at the body's begin, by their text.
  bool Complete = true; // False: the body is not visible, and the tree holds the assumptions from the prototype.

  // True if no coefficient is negative and each symbol is known not to be.
  bool surelyNonNegative(const Poly &P) const;
  // The maximum or minimum of A and B as a Value symbol, added if needed. Nothing: A or B contains other symbols, or
  // depends on the memory of several roots. Invalidates references to Symbols, not to nodes.
  std::optional<Poly> extreme(const Poly &A, const Poly &B, bool Least);
  // A / By for By > 0, rounded to zero, as extreme().
  std::optional<Poly> quotient(const Poly &A, std::int64_t By);
  std::optional<Poly> knownQuotient(const Poly &A, std::int64_t By) const; // Nothing: there is no such symbol.
  // False if P contains other symbols than Values, or with New depends on the memory of several roots.
  bool computedFrom(Symbol &New, const Poly &P) const;
  std::optional<SymbolId> find(const Identity &What) const; // The Value that is What.
  std::pair<Poly, bool> added(Symbol New, Identity What);   // The Value that is What, and whether it is New.

  // The C++ text. Opaque parts that need it, such as n / 2, get parentheses.
  std::string spelling(const Poly &P) const {
    return P.print([this](SymbolId S) { return asOperand(Symbols[S].Spelling); });
  }
  // The text for evaluation: each number in a type that does not wrap around.
  std::string wideSpelling(const Poly &P) const {
    return P.print([this](SymbolId S) {
      return Symbols[S].Wide.empty() ? "::hsched_gen_wide(" + Symbols[S].Spelling + ")" : Symbols[S].Wide;
    });
  }
  static std::string asOperand(const std::string &Text) {
    int Depth = 0;
    for (std::size_t I = 0; I != Text.size(); ++I) {
      const char C = Text[I];
      Depth += C == '(' || C == '[' ? 1 : C == ')' || C == ']' ? -1 : 0;
      if (Depth == 0 && std::string("+-*/%<>&|^?=!~").find(C) != std::string::npos) {
        if (C == '-' && I + 1 != Text.size() && Text[I + 1] == '>') {
          ++I;
          continue;
        }
        return "(" + Text + ")";
      }
    }
    return Text;
  }
};

// Facts about the remainder of a division by By, so that n / 2 is not unconstrained. The remainder is less than By and
// has the sign of the dividend.
std::vector<Poly> quotientFacts(const Poly &Rest, std::int64_t By, bool NonNegative);

// One line for each node, children indented: "write y[i]", "loop i [0, n)", "if n - i - 1 >= 0"; "?" marks inexact
// ones. Calls Do with each leaf below N, and with N if it is one, in order.
void eachLeaf(Node &N, const std::function<void(Node &)> &Do);

std::ostream &operator<<(std::ostream &OS, const AccessTree &T);
std::ostream &operator<<(std::ostream &OS, const Root &R);

// Elements Base + k0 * Stride0 + k1 * Stride1 + ..., 0 <= k < Count for each dimension; outermost dimension first. No
// dimensions: the one element Base. A contiguous range has one dimension of stride 1.
struct Box {
  struct Dim {
    Poly Count, Stride = 1;
    bool Factored = false; // Empty unless each factor of Count is positive, whatever their product is.
    bool operator==(const Dim &O) const { return Count == O.Count && Stride == O.Stride; }
  };
  Poly Base;
  std::vector<Dim> Dims;
  bool operator==(const Box &) const = default;

  // The last element, for non-negative strides and a non-empty box.
  Poly last() const {
    Poly P = Base;
    for (const Dim &D : Dims)
      P = P + (D.Count - 1) * D.Stride;
    return P;
  }
};

} // namespace hsched::cc
#endif
