// What a function does to memory that others can see, in the order in which it does it: the form between Clang's AST
// (analysis/lower/ makes it, of host C++ and of OpenCL C alike) and what is concluded about roles, extents and coverage
// (analysis/regions/). Plain values, no Clang but places in the source.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (int i = 0; i < n; ++i) {        Loop i in [0, n)
//     if (i < m)                           If m - i - 1 >= 0
//       y[i] = 0;                            Access y write [i, i + 1)
//     y[i] += x[2 * i];                    Access x read [2 * i, ...), Access y read and write
//   }
//
// Only memory that outlives the call is in it: a function's own variables are not. A tree is sound: every access that
// an execution makes is an instance of one of its Access nodes; and an Access that is not Maybe is made whenever
// control reaches it. Where the lowering does not understand something it adds accesses that are Maybe and Anywhere.
#ifndef HSCHED_MODEL_ACCESSTREE_H
#define HSCHED_MODEL_ACCESSTREE_H

#include "model/Poly.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace clang {
class ValueDecl;
}

namespace hsched::cc {

struct Symbol {
  enum Kind {
    Value,  // The same during the whole call: a parameter that is never assigned, a field of one, v.size(), n / 2, ...
    Loop,   // The counter of a Loop node.
    Unknown // Anything, and not the same each time.
  };
  Kind K = Unknown;
  std::string Spelling; // C++ where the clauses stand, each declaration in one spelling: of Value no two have the same.
  bool NonNegative = false;
  bool OfEnum = false; // Of an enumeration: it may well have no values but those with names.
  int From = -1; // Value: the root in whose memory it, or a part of it, is when the call begins: "s->n"; -1: none.
  std::string Wide = {}; // Value: Spelling in numbers that do not wrap around; empty: as of any name.
  std::string Why = {};  // Loop without bounds: what defeats the analysis, and where that stands.
  clang::SourceLocation WhyLoc = {};
  std::vector<Poly> Greatest = {},
                    Least = {}; // Value: the greatest, or the least, of these; empty: it is not known so.
};

// An object, or the array that a pointer points into; element 0 is what the pointer, as handed in, points at. Arrays of
// arrays are flat: their elements are the innermost ones. Two parameters are taken to lead to different memory: that is
// what the sections of a task say too.
struct Root {
  enum Kind {
    Param,  // What a pointer, reference or container parameter leads to; of a struct passed by value: what a pointer in
            // it leads to, so that several roots may have one Index.
    This,   // The object that a member function is called on.
    Global, // A variable of namespace scope, a static.
    Indirect, // What a pointer leads to that is itself in memory of root Parent.
    Anything  // Memory that nothing is known of: of an opaque call, of a pointer made from an integer.
  };
  Kind K = Anything;
  unsigned Index = 0;  // K == Param: the parameter's.
  unsigned Parent = 0; // K == Indirect.
  const clang::ValueDecl *Decl =
      nullptr;               // That it is, is in, or that leads to it; null: Indirect, Anything, all of This.
  std::string Name;          // Of Decl, as Symbol::Spelling: "y", "table", "m.data".
  std::string Element;       // Type, as C++ or OpenCL C spells it.
  bool Library = false;      // Which is a class of the standard library, or hsched::tile.
  unsigned ElementBytes = 0; // 0: unknown, as of void; subscripts count bytes then.
  unsigned PerOuter = 1;     // Elements in one of an array of arrays; 0: unknown.
  bool Object = false;       // A bare name says its size: reference, array, std::array, std::vector, std::span, global.
  std::optional<Poly> Count; // Elements in all, where the type or the object itself tells.
  bool PointeeConst = false;
  bool OfFunction = false; // K == Global: a static of some function, whose name means nothing elsewhere.
  bool PerThread = false;  // K == Global: each thread has its own.
  bool LeftInPart = false; // Some member of its elements is never written, though others are.
  bool Looked = false; // A container there, its first element or it, is asked for its size: it is no element's access.
  bool Owned = false;  // K == Indirect: storage that an object in Parent has for itself, as a vector has its elements.
  std::optional<Poly> Owner; // Owned: the element of Parent that the object is, or begins in; nothing: one of several.
  clang::SourceLocation Loc; // Of the declaration.
};

enum class AccessKind { Read, Write, Update }; // Update: reads an element, then writes the same one.

struct Access {
  unsigned RootId = 0;
  AccessKind K = AccessKind::Read;
  // Elements [Low, Low + Count) of the root; Low nothing: anywhere in it, and Why says what defeats the analysis:
  // "subscript 'idx[i]' is not affine", "'p' is handed to 'f', whose body is not visible".
  std::optional<Poly> Low;
  Poly Count = 1;
  std::optional<Poly> Byte; // The first byte, from element 0 on, of Bytes that are touched; nothing: not known.
  Poly Bytes = 0;
  bool Partial = false; // Does not touch all bytes of each element.
  bool Maybe = false;   // May be skipped even though control comes by.
  bool Guess = false;   // Supposed, not seen: what an opaque callee may do with what it is handed.
  bool Atomic = false;
  std::string Why;
  clang::SourceLocation WhyLoc = {}; // Of what Why names; invalid: Loc.
  clang::SourceLocation Loc;
};

struct Node {
  enum Kind { Seq, Loop, If, Leaf, Stop };
  Kind K = Seq;
  // Seq: any number, in order. Loop: the body. If: what happens when the condition holds, and, as second child, what
  // happens when it does not.
  std::vector<Node> Children;

  // Loop: Counter takes the values Low, Low + Step, ... below High; Step > 0. A loop that counts down is turned round
  // by the lowering where the order cannot matter to what is asked, else it has no bounds. Low or High nothing: any
  // number of iterations, none included, and Counter can be anything.
  SymbolId Counter = 0;
  std::optional<Poly> Low, High;
  std::int64_t Step = 1;
  bool Parallel = false; // work-items of a kernel: in any order, all of them.
  bool Breaks = false;   // May end before High.

  // If: the first child is run only if all of When are >= 0. Exact: and whenever they are; the second child then runs
  // in all other cases. Not Exact: either child may run when they are.
  std::vector<Poly> When;
  bool Exact = false;
  bool OnData = false; // What is read from memory decides it, among other things.

  Access A; // Leaf.

  // Stop: control leaves here: the work-item inside a Parallel loop, else the call. Nothing that follows in the
  // enclosing nodes is run. Throws: by an exception; what a task that throws has overwritten does not matter.
  bool Throws = false;
  clang::SourceLocation Loc;
};

struct AccessTree {
  std::vector<Symbol> Symbols;
  std::vector<Root> Roots;
  Node Body;
  // What is known of Value symbols beside NonNegative: each is >= 0 whatever the call. Of R = n rounded up to 64: R - n
  // and n + 63 - R; of h = n / 2 where n is not negative: n - 2 * h and 2 * h + 1 - n.
  std::vector<Poly> Facts;
  std::map<std::string, Poly> Asked; // What expressions of clauses are when the body begins, by their text.
  bool Complete = true; // False: the body was not visible, and the tree says what the prototype lets suppose.

  // The greatest or the least of A and B as a Value symbol, a new one if none is there. Nothing: A or B is not made of
  // Values, or is in the memory of more than one root. Places of nodes stay; references to Symbols do not.
  std::optional<Poly> extreme(const Poly &A, const Poly &B, bool Least);

  // As C++. What is opaque and no operand by itself, n / 2, gets brackets.
  std::string spelling(const Poly &P) const {
    return P.print([this](SymbolId S) { return asOperand(Symbols[S].Spelling); });
  }
  // For what is evaluated: each number as one that does not wrap.
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

// One line a node, children indented: "write y[i]", "loop i [0, n)", "if n - i - 1 >= 0"; "?" behind what is not exact.
// Calls Do with each leaf below N, and with N if it is one, in order.
void eachLeaf(Node &N, const std::function<void(Node &)> &Do);

std::ostream &operator<<(std::ostream &OS, const AccessTree &T);
std::ostream &operator<<(std::ostream &OS, const Root &R);

// Elements Base + k0 * Stride0 + k1 * Stride1 + ..., 0 <= k < Count for each dimension; outermost dimension first. No
// dimensions: the one element Base. A contiguous range has one dimension of stride 1.
struct Box {
  struct Dim {
    Poly Count, Stride = 1;
    bool Factored = false; // No elements unless each factor of Count is positive, whatever the product of others is.
    bool operator==(const Dim &O) const { return Count == O.Count && Stride == O.Stride; }
  };
  Poly Base;
  std::vector<Dim> Dims;
  bool operator==(const Box &) const = default;

  // The last element, where no stride is negative and it has any.
  Poly last() const {
    Poly P = Base;
    for (const Dim &D : Dims)
      P = P + (D.Count - 1) * D.Stride;
    return P;
  }
};

} // namespace hsched::cc
#endif
