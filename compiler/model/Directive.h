// Directives as they were written: plain values between parsing, binding and emission.
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

// A name inside an expression that has to mean something where the expression is evaluated: not a member, not
// qualified, not a macro.
struct NameUse {
  std::string Name;
  clang::SourceLocation Loc;
  bool Called = false;  // With arguments, by whose types a function may be found.
  bool Index = false;   // Stands in a subscript.
  bool Operand = false; // Is added to something, or an argument: where it is a number, it only counts.
};

// A C++ expression as the user wrote it, on one line.
struct Expr {
  std::string Text;
  std::string
      Wide; // What is evaluated in place of Text, in numbers that do not wrap; empty: Text. Of what is inferred.
  clang::SourceLocation Begin, End; // Of the first and the last token.
  std::vector<NameUse> Names;
};

// One subscript of a tile, outermost dimension first.
struct Subscript {
  enum class Kind {
    Index, // [Low]
    Range  // [Low:Length] or [Low;Length]: Length elements from Low on
  };
  Kind K = Kind::Range;
  Expr Low;    // Text is "0" when left out.
  Expr Length; // Text is empty when left out: all that follows, up to the dimension's end.
};

// Of {sections, Name = Low; Count : Step}: Name takes Count values, Low, Low + Step, Low + 2 * Step, ...
struct Generator {
  std::string Name;
  clang::SourceLocation Loc; // Of Name.
  Expr Low, Count, Step;     // Step.Text is "1" when left out.
};

// One element of a data clause.
struct Section {
  enum class Form {
    Whole,   // x          an object whose type tells its size
    Pointee, // *p         one element
    Shaped,  // [m][n]p    the product of the extents, from p on
    Range,   // p[lo:len]  or p[lo;len].
    Tile     // t[i:bm][j:bn], ([m][n]p)[i:bm][j:bn], t[:][j], p[lo:]: whatever else has a subscript with ':'
  };
  Form F = Form::Whole;
  Expr Base;                         // X, p, t.
  std::string BaseName;              // When the base is one plain name: that name, else empty.
  std::string RootName;              // When the base is a plain name with subscripts, a[i][j], or without: that name.
  unsigned RootSubscripts = 0;       // How many.
  std::vector<Expr> Shape;           // Shaped: extents. Tile: those of a shaped pointer, else none.
  Expr Low, Length;                  // Range; Low.Text is "0" when left out.
  std::vector<Subscript> Subscripts; // Tile: at least one; dimensions without one are taken whole.
  bool Pack = false;                 // S...: for each element of the parameter packs that it names.
  bool Owner = false; // Whole, Pointee: maybe of an object that has its elements elsewhere: they are meant too.
  std::vector<Generator> Over; // What repeats this section, outermost first; usually none.
  std::string Text;            // The section as written.
  clang::SourceLocation Loc;

  // Whether it is one access, contiguous or rows at one distance; else the program alone knows how many it takes.
  bool single() const;
  // Whether it is a tile that may be several accesses.
  bool tiled() const;
  // Every expression in it, with the generators' own.
  std::vector<const Expr *> expressions() const;
  // Whether a generator of this section is called Name.
  bool generates(const std::string &Name) const;
};

// Declare reduction(name : types : combiner) [initializer(...)].
struct DeclaredReduction {
  std::string Name; // or one of + * & | ^ && ||
  clang::SourceLocation NameLoc;
  std::vector<Expr> Types;
  Expr Combiner; // Of omp_out and omp_in.
  enum class Init { None, Equals, Arguments, Call } How = Init::None;
  Expr Initial; // Equals: what omp_priv begins as; Arguments: of its constructor; Call: the whole call.
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
  std::vector<Expr> Global, Local;
  clang::SourceLocation Loc;
};

// One kernel argument of args(...): an expression, or local(bytes).
struct KernelArgument {
  bool Local = false;
  Expr Value; // The bytes where Local.
};

// One tile of packed(p: ld).
struct PackedTile {
  std::string Tile, Leading; // names.
  clang::SourceLocation TileLoc, LeadingLoc;
};

// One variable of shared(list), firstprivate(list), private(list), unused(list).
struct NamedVariable {
  enum class How {
    Shared,       // The variable itself, without order.
    FirstPrivate, // A copy.
    Private,      // A new one.
    Unused        // Shared, of what the task only hands on.
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
  clang::SourceLocation Hash;   // Of '#'.
  clang::SourceLocation Loc;    // Of the directive's name.
  clang::SourceLocation End;    // Of the end of the directive's last line.
  clang::SourceLocation Behind; // Of the end of its last token: comments and blanks may follow.
  bool Known = false;           // Kind was understood.
  bool Bad = false;             // An error was reported: parsed as far as possible.

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

  std::vector<NamedVariable> Variables; // Of task and loops.

  // Taskloop, for.
  std::optional<Expr> Grainsize;
  unsigned Collapse = 1; // Loops that are divided as one.
  clang::SourceLocation CollapseLoc;
  bool NoWait = false; // For.
  // Whether its iterations are shared out among threads, and no tasks are made.
  bool isShared() const { return Kind == DirectiveKind::For && !NoWait && !hasAccesses(); }
  bool isLoop() const { return Kind == DirectiveKind::For || Kind == DirectiveKind::Taskloop; }
  bool hasAccesses() const; // A data clause that orders.

  // declare.
  std::optional<DeclaredReduction> Reduction;

  // taskwait.
  std::optional<std::vector<Section>> On;
  bool NoFlush = false;

  // Every name in clauses that is looked up where the directive stands.
  std::vector<const NameUse *> names() const;
};

// One line a directive, for tests and --hsched-keep's comments.
void print(llvm::raw_ostream &OS, const Directive &D);
void print(llvm::raw_ostream &OS, const Section &S);

} // namespace hsched::cc
#endif
