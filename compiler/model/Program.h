// What is emitted for one translation unit: plain strings and numbers, no Clang.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_MODEL_PROGRAM_H
#define HSCHED_MODEL_PROGRAM_H

#include "model/Directive.h"

#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

// A parameter as a member of the packed arguments.
struct FieldCode {
  std::string Name;        // the parameter's name, or a made-up one
  std::string Declaration; // "const float *hsched_p0"
  std::string Spelling;    // its type as written, for metadata
  bool Pointed = false;    // a reference that is kept as a pointer, so that it can be turned to a private copy
  bool Pack = false;       // a parameter pack, kept in one member
  bool Late = false;       // of a class type: that it stands in may not be complete before its end
};

struct AccessCode {
  AccessRole Role;
  int Param; // -1: no one parameter
  Section What;
  unsigned Line; // of the clause
  std::string File;
  std::string Op = {};                                             // Reduction: as written
  std::string BuiltIn = {};                                        // the struct in gen.h that does it; empty: none does
  std::vector<std::string> Reductions = {};                        // names of declared ones, one a type
  std::string Element = {};                                        // Reduction, in C: the type of what is reduced
  enum class Held { Object, Array, Pointer } Holds = Held::Object; // Reduction, in C: what the variable is
  bool Iterates = false;  // of a taskloop: names the loop's variable, so that every chunk has its own
  bool EachApart = false; // and that variable decides the values of a list: every iteration has its own
};

// One type of a declared reduction.
struct ReductionCode {
  std::string Scope, Struct; // "::ns::", "hsched_reduction_merge_1"
  std::string Type;
  const DeclaredReduction *Declared; // the directive's
};

// One kernel argument.
struct KernelArgCode {
  enum class Kind { Value, Computed, Buffer, Local } K;
  int Param = -1;
  std::string Text;    // expression; of bytes for Local
  std::string Type;    // Computed: what the kernel takes, as a C++ type; empty: the expression's own
  std::string Element; // the kernel's element type, for metadata
};

// A parameter whose tile the version takes packed, and the one that is then its leading dimension.
struct PackedCode {
  size_t Tile, Leading;
};

struct KernelCode {
  std::string File, Name, Entry; // as the user named it; kernel; the kernel that the runtime creates
  std::string Source;
  std::string Options;
  std::vector<KernelArgCode> Args;
  std::vector<Expr> Global, Local, Offset;
};

// What tasks and versions share: how their generated struct is found and spelled.
struct FunctionCode {
  std::string Id;                     // unique in the program: name and hash
  std::string Name;                   // as written, qualified
  std::string LinkerName;             // mangled; of templates: the pattern's unique name
  std::string Scope;                  // "::ns::S::" in front of the generated struct's name
  std::string TemplateHead;           // "template <class T>", empty for functions that are none
  std::string TemplateArgs;           // "<T>"
  std::vector<std::string> Instances; // full names of the generated struct's instances, "::ns::hsched_task_f_1<float>";
                                      // one, plain, for what is no template
  std::vector<std::string> Unnamed;   // instances that cannot be named at namespace scope
  std::string File;
  unsigned Line = 0;
  std::vector<FieldCode> Params;
  std::vector<DeviceChoice> Devices;
  std::vector<PackedCode> Packed;
  bool InClass = false;
  std::string Object;       // of a non-static member: what it is called on, "const S", else empty
  bool ObjectFirst = false; // it is no member itself, and takes the object as a parameter more
};

struct TaskCode : FunctionCode {
  std::vector<AccessCode> Accesses;
  std::string Priority, Label, If, Final, Cost, Where;
  unsigned HintLine = 0;     // where these stand
  bool Defined = false;      // here: wrapper, body and registration are emitted
  bool Kept = false;         // internal linkage: no other unit can refer to it
  bool Weak = false;         // inline: every unit that defines it registers it
  bool OneOfSeveral = false; // Id tells definitions of one name apart
  bool UsedHere = false;     // called here but not defined here
  std::string BodyName;      // hsched_body_f
  bool Constexpr = false;    // constant expressions call the body
  bool HasKernel = false;
  KernelCode Kernel;   // a main version that is itself a kernel
  bool Inline = false; // an InlineCode
  bool templated() const { return !TemplateArgs.empty() || InTemplate; }
  bool InTemplate = false; // member of a class template
};

struct VersionCode : FunctionCode {
  std::vector<std::string> TaskKeys; // C++ expressions for the main version's linker name; parallel to Instances
  std::string TaskName, TaskLinkerName;
  bool Defined = false; // here: it is registered here
  bool HasKernel = false;
  KernelCode Kernel;
  std::string Call; // what runs a CPU version: "f" or "f<T>"
};

// A variable of the function around an inline task, as its block sees it.
struct CaptureCode {
  enum class How {
    Value,     // a copy
    Reference, // the variable itself
    Either,    // a pointer's value, but the object itself of all else: the type is known at instantiation
    Reduced,   // through a pointer that the runtime may turn to a private copy
    Own        // a variable of its own, without a value
  };
  std::string Name, Type; // Type as written
  How H = How::Value;
  bool Pack = false; // a parameter pack
  // In C:
  bool Array = false;             // an array, which the block reaches through its first element
  bool Whole = false;             // and which it names as a whole too: sizeof, &
  std::string Modified;           // of a type that depends on sizes known at run time: its declaration in the block
  std::vector<std::string> Sizes; // those sizes
  std::string From;               // what stands for it where the block stands; empty: its name
};

// A loop whose chunks are tasks. What the loop's head says is evaluated in front of it, once.
struct LoopCode {
  enum class Relation { Less, LessEqual, Greater, GreaterEqual, Unequal }; // of the variable and the bound
  std::string Variable;
  std::string Start;              // Declared: "int i = 0"; else what the variable is assigned
  bool Declared = true;           // in the loop's head
  Relation Goes = Relation::Less; // on while that holds
  std::string Bound, Step;
  bool Back = false;     // the step is subtracted
  bool Constant = false; // start, bound and step are constants, or depend on template parameters
  std::string Grain;     // empty: left to the runtime
  bool Hints = false;    // a clause other than those for data names the variable: it means the chunk's first value
  std::string File;      // where the head stands
  unsigned Line = 0;
  unsigned Resume = 0;         // the line behind the directive
  bool Shared = false;         // iterations are shared out; else chunks of them are tasks
  bool Waits = false;          // chunks are tasks, which are waited for
  std::vector<LoopCode> Inner; // those that are divided with it, outermost first
};

// A task that is a statement of a function.
struct InlineCode : TaskCode {
  InlineCode() { Inline = true; }
  std::string Function; // that contains it, as written, qualified
  std::vector<CaptureCode> Captures;
  bool CapturesThis = false;
  std::optional<LoopCode> Loop;
  bool Generic = false; // in a template: each instance is a task of its own
};

struct WaitCode {
  std::string File;
  unsigned Line;
  std::vector<Section> On;
  bool HasOn = false, NoFlush = false;
};

struct ProgramCode {
  std::string MainFile, UnitId;
  std::vector<TaskCode> Tasks;
  std::vector<VersionCode> Versions;
  std::vector<InlineCode> Inlines;
  std::vector<WaitCode> Waits;
};

} // namespace hsched::cc
#endif
