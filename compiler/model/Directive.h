// Directives as written: plain values between parsing, binding and emission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   #pragma hsched task in([n]x) priority(p)     one Directive, Kind Task, two clauses
//   #pragma hsched device(cpu)                   one Directive, Kind Device, one clause
//
// Several function directives may stack on one function; taskwait, taskgroup, loops and a task on a statement stand
// alone.
#ifndef HSCHED_MODEL_DIRECTIVE_H
#define HSCHED_MODEL_DIRECTIVE_H

#include "clang/Basic/SourceLocation.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace hsched::cc {

enum class AccessRole { In, Out, InOut, Concurrent, Commutative, Reduction };
const char *spelling(AccessRole Role); // "in", "out", ...: the clause's name.
// What the task may do with the data; the later roles update it.
inline bool reads(AccessRole Role) { return Role != AccessRole::Out; }
inline bool writes(AccessRole Role) { return Role != AccessRole::In; }

// A name in an expression that is looked up where the expression is evaluated: not a member, not qualified, not a
// macro.
struct NameUse {
  std::string Name;
  clang::SourceLocation Loc;
  bool Called = false;  // It is called with arguments, so argument-dependent lookup applies.
  bool Index = false;   // It is inside a subscript.
  bool Operand = false; // It is a summand or an argument: a number there is only a count.
};

// A C++ expression as the user wrote it, on one line.
struct Expr {
  std::string Text;
  std::string
      Wide; // For inferred expressions: the text that is evaluated, in a type that does not wrap around; empty: Text.
  clang::SourceLocation Begin, End; // The first and the last token.
  std::vector<NameUse> Names;
};

// One subscript of a tile, outermost dimension first.
struct Subscript {
  enum class Kind {
    Index, // [Low]
    Range  // [Low:Length] or [Low;Length]: Length elements from Low on.
  };
  Kind K = Kind::Range;
  Expr Low;    // Text is "0" when left out.
  Expr Length; // Empty if left out: up to the dimension's end.
};

// {Sections, Name = Low; Count : Step}: Name takes Count values, Low, Low + Step, Low + 2 * Step, ...
struct Generator {
  std::string Name;
  clang::SourceLocation Loc; // Place of Name.
  Expr Low, Count, Step;     // Step.Text is "1" when left out.
};

// One element of a data clause.
struct Section {
  enum class Form {
    Whole,   // x          an object whose type tells its size
    Pointee, // *p         one element
    Shaped,  // [m][n]p    the product of the extents, from p on
    Range,   // p[lo:len]  or p[lo;len].
    Tile     // t[i:bm][j:bn], ([m][n]p)[i:bm][j:bn], t[:][j], p[lo:]: any other subscript with ':'.
  };
  Form F = Form::Whole;
  Expr Base;                         // X, p, t.
  std::string BaseName;              // If the base is one plain name: that name, else empty.
  std::string RootName;              // If the base is a plain name, possibly with subscripts a[i][j]: that name.
  unsigned RootSubscripts = 0;       // Number of these subscripts.
  std::vector<Expr> Shape;           // Shaped: extents. Tile: those of a shaped pointer, else empty.
  Expr Low, Length;                  // For Range. Low.Text is "0" when left out.
  std::vector<Subscript> Subscripts; // For Tile: at least one; missing dimensions are whole.
  bool Pack = false;                 // S...: repeated for each element of its parameter packs.
  // C++: the base is an array of variable length, or a pointer to rows of variable length. Sizes: the number of
  // elements of each dimension; the first is 0 if the base is a pointer. Elements: a pointer to the first element.
  std::vector<std::string> Sizes;
  std::string Elements;
  bool Owner = false; // Whole, Pointee: the object may own elements in other memory, which then belong to the section.
  bool Library = false;        // Whole, Pointee: an object with memory of its own, as a map's nodes.
  std::vector<Generator> Over; // Generators, outermost first; usually none.
  std::string Text;            // The section as written.
  clang::SourceLocation Loc;

  // True if it is one access: contiguous, or equidistant rows. Otherwise the number is known only at run time.
  bool single() const;
  // True if it is a tile that may need several accesses.
  bool tiled() const;
  // All expressions in it, including those of the generators.
  std::vector<const Expr *> expressions() const;
  // True if a generator of this section is called Name.
  bool generates(const std::string &Name) const;
};

// Declare reduction(name : types : combiner) [initializer(...)].
struct DeclaredReduction {
  std::string Name; // or one of + * & | ^ && ||
  clang::SourceLocation NameLoc;
  std::vector<Expr> Types;
  Expr Combiner; // An expression in omp_out and omp_in.
  enum class Init { None, Equals, Arguments, Call } How = Init::None;
  Expr Initial; // Equals: the initial value of omp_priv. Arguments: the arguments of its constructor. Call: the whole
                // call.
};

struct DataClause {
  AccessRole Role;
  clang::SourceLocation Loc;
  std::vector<Section> Sections;
  std::string Op = {}; // Reduction: "+", "max", or the name of a declared one, possibly qualified.
  clang::SourceLocation OpLoc = {};
};

// device(kind[:type])
struct DeviceChoice {
  unsigned Kind = 0; // HSCHED_DEVICE_...
  unsigned Type = 0; // HSCHED_TYPE_...
  std::string Text;
  clang::SourceLocation Loc;
};

struct StringArg {
  std::string Value;
  clang::SourceLocation Loc;
};

struct KernelClause {
  StringArg File;
  std::optional<StringArg> Name;
  clang::SourceLocation Loc;
};

struct RangeClause {
  std::vector<Expr> Global, Local, Offset;
  clang::SourceLocation Loc;
};

// One kernel argument of args(...): an expression, or local(bytes).
struct KernelArgument {
  bool Local = false;
  Expr Value; // Bytes, if Local.
};

// One tile of packed(p: ld).
struct PackedTile {
  std::string Tile, Leading; // names.
  clang::SourceLocation TileLoc, LeadingLoc;
};

// One variable of shared(list), firstprivate(list), private(list), unused(list).
struct NamedVariable {
  enum class How {
    Shared,       // The variable itself, without an order.
    FirstPrivate, // A copy.
    Private,      // A new variable.
    Unused        // As Shared, for a variable that the task only passes on.
  };
  How H;
  std::string Name;
  clang::SourceLocation Loc;
};
const char *spelling(NamedVariable::How H);

enum class DirectiveKind { Task, Implements, Device, Taskwait, Taskloop, For, Taskgroup, Declare };
const char *spelling(DirectiveKind Kind);

struct Directive {
  DirectiveKind Kind;
  clang::SourceLocation Hash;   // Place of '#'.
  clang::SourceLocation Loc;    // Place of the directive's name.
  clang::SourceLocation End;    // End of the directive's last line.
  clang::SourceLocation Behind; // End of its last token: comments and blanks may follow.
  bool Known = false;           // Kind is valid.
  bool Bad = false;             // An error was reported; parsed as far as possible.

  // Function directives.
  std::string Implements; // The name as written, possibly qualified.
  clang::SourceLocation ImplementsLoc;
  std::vector<DataClause> Data;
  std::vector<DeviceChoice> Devices;
  std::optional<Expr> Priority, Label, If, Final, Cost, Where;
  std::optional<KernelClause> Kernel;
  std::optional<RangeClause> Range;
  std::optional<std::vector<KernelArgument>> Args;
  clang::SourceLocation ArgsLoc;
  std::optional<StringArg> Options;
  std::vector<PackedTile> Packed;

  std::vector<NamedVariable> Variables; // For task and loops.

  // For taskloop and for.
  std::optional<Expr> Grainsize;
  unsigned Collapse = 1; // Number of nested loops that are divided as one.
  clang::SourceLocation CollapseLoc;
  bool NoWait = false; // For `for`.
  // True for a shared loop: threads share its iterations, without tasks.
  bool isShared() const { return Kind == DirectiveKind::For && !NoWait && !hasAccesses(); }
  bool isLoop() const { return Kind == DirectiveKind::For || Kind == DirectiveKind::Taskloop; }
  bool hasAccesses() const; // True if it has a data clause that orders.

  // For declare.
  std::optional<DeclaredReduction> Reduction;

  // For taskwait.
  std::optional<std::vector<Section>> On;
  bool NoFlush = false;

  // All names in clauses that are looked up at the directive.
  std::vector<const NameUse *> names() const;
};

// One line for each directive, for tests and --hsched-keep's comments.
void print(llvm::raw_ostream &OS, const Directive &D);
void print(llvm::raw_ostream &OS, const Section &S);

} // namespace hsched::cc
#endif
