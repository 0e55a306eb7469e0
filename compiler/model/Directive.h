// Directives as they were written: plain values between parsing, binding and emission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   #pragma hsched task in([n]x) priority(p)     one Directive, Kind Task, two clauses
//   #pragma hsched device(cpu)                   one Directive, Kind Device, one clause
//
// Several function directives may stack on one function; taskwait stands alone.
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

enum class AccessRole { In, Out, InOut };
const char *spelling(AccessRole Role); // "in", "out", "inout"

// A name inside an expression that has to mean something where the expression is evaluated: not a member, not
// qualified, not a macro.
struct NameUse {
  std::string Name;
  clang::SourceLocation Loc;
  bool Called = false; // with arguments, by whose types a function may be found
};

// A C++ expression as the user wrote it, on one line.
struct Expr {
  std::string Text;
  clang::SourceLocation Begin, End; // of the first and the last token
  std::vector<NameUse> Names;
};

// One element of a data clause.
struct Section {
  enum class Form {
    Whole,   // x          an object whose type tells its size
    Pointee, // *p         one element
    Shaped,  // [m][n]p    the product of the extents, from p on
    Range    // p[lo:len]  or p[lo;len]
  };
  Form F = Form::Whole;
  Expr Base;               // x, p
  std::string BaseName;    // when the base is one plain name: that name, else empty
  std::vector<Expr> Shape; // Shaped: extents
  Expr Low, Length;        // Range; Low.Text is "0" when left out
  std::string Text;        // the section as written
  clang::SourceLocation Loc;
};

struct DataClause {
  AccessRole Role;
  clang::SourceLocation Loc;
  std::vector<Section> Sections;
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
  Expr Value; // the bytes where Local
};

enum class DirectiveKind { Task, Implements, Device, Taskwait };
const char *spelling(DirectiveKind Kind);

struct Directive {
  DirectiveKind Kind;
  clang::SourceLocation Hash; // of '#'
  clang::SourceLocation Loc;  // of the directive's name
  clang::SourceLocation End;  // of the end of the directive's last line
  bool Known = false;         // Kind was understood
  bool Bad = false;           // an error was reported: parsed as far as possible

  // Function directives.
  std::string Implements; // the name as written, possibly qualified
  clang::SourceLocation ImplementsLoc;
  std::vector<DataClause> Data;
  std::vector<DeviceChoice> Devices;
  std::optional<Expr> Priority, Label;
  std::optional<KernelClause> Kernel;
  std::optional<RangeClause> Range;
  std::optional<std::vector<KernelArgument>> Args;
  clang::SourceLocation ArgsLoc;
  std::optional<StringArg> Options;

  // taskwait.
  std::optional<std::vector<Section>> On;
  bool NoFlush = false;
};

// One line a directive, for tests and --hsched-keep's comments.
void print(llvm::raw_ostream &OS, const Directive &D);
void print(llvm::raw_ostream &OS, const Section &S);

} // namespace hsched::cc
#endif
