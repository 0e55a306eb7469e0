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
  std::string Name;        // The parameter's name, or a made-up one.
  std::string Declaration; // "const float *hsched_p0".
  std::string Spelling;    // Its type as written, for metadata.
  bool Pointed = false;    // A reference that is kept as a pointer, so that it can be turned to a private copy.
  bool Pack = false;       // A parameter pack, kept in one member.
  bool Late = false;       // Of a class type: that it stands in may not be complete before its end.
};

struct AccessCode {
  AccessRole Role;
  int Param; // -1: no one parameter.
  Section What;
  unsigned Line; // Of the clause.
  std::string File;
  std::string Op = {};                      // Reduction: as written.
  std::string BuiltIn = {};                 // The struct in gen.h that does it; empty: none does.
  std::vector<std::string> Reductions = {}; // Names of declared ones, one a type.
  std::string Element = {};                 // Reduction, in C: the type of what is reduced.
  enum class Held { Object, Array, Pointer } Holds = Held::Object; // Reduction, in C: what the variable is.
  bool Iterates = false;  // Of a taskloop: names the loop's variable, so that every chunk has its own.
  bool EachApart = false; // And that variable decides the values of a list: every iteration has its own.
};

// One type of a declared reduction.
struct ReductionCode {
  std::string Scope, Struct; // "::ns::", "hsched_reduction_merge_1".
  std::string Type;
  const DeclaredReduction *Declared; // The directive's.
};

// One kernel argument.
struct KernelArgCode {
  enum class Kind { Value, Computed, Buffer, Local } K;
  int Param = -1;
  std::string Text;    // Expression; of bytes for Local.
  std::string Type;    // Computed: what the kernel takes, as a C++ type; empty: the expression's own.
  std::string Element; // The kernel's element type, for metadata.
};

// A parameter whose tile the version takes packed, and the one that is then its leading dimension.
struct PackedCode {
  size_t Tile, Leading;
};

struct KernelCode {
  std::string File, Name, Entry; // As the user named it; kernel; the kernel that the runtime creates.
  std::string Source;
  std::string Options;
  std::vector<KernelArgCode> Args;
  std::vector<Expr> Global, Local;
};

// What tasks and versions share: how their generated struct is found and spelled.
struct FunctionCode {
  std::string Id;                     // Unique in the program: name and hash.
  std::string Name;                   // As written, qualified.
  std::string LinkerName;             // Mangled; of templates: the pattern's unique name.
  std::string Scope;                  // "::ns::S::" in front of the generated struct's name.
  std::string TemplateHead;           // "template <class T>", empty for functions that are none.
  std::string TemplateArgs;           // "<T>"
  std::vector<std::string> Instances; // Full names of the generated struct's instances, "::ns::hsched_task_f_1<float>";
                                      // one, plain, for what is no template.
  std::vector<std::string> Unnamed;   // Instances that cannot be named at namespace scope.
  std::string File;
  unsigned Line = 0;
  std::vector<FieldCode> Params;
  std::vector<DeviceChoice> Devices;
  std::vector<PackedCode> Packed;
  bool InClass = false;
  std::string Object;       // Of a non-static member: what it is called on, "const S", else empty.
  bool ObjectFirst = false; // It is no member itself, and takes the object as a parameter more.
};

struct TaskCode : FunctionCode {
  std::vector<AccessCode> Accesses;
  std::string Priority, Label, If, Final, Cost, Where;
  unsigned HintLine = 0;     // Where these stand.
  bool Defined = false;      // Here: wrapper, body and registration are emitted.
  bool Kept = false;         // Internal linkage: no other unit can refer to it.
  bool Weak = false;         // Inline: every unit that defines it registers it.
  bool OneOfSeveral = false; // Id tells definitions of one name apart.
  bool UsedHere = false;     // Called here but not defined here.
  std::string BodyName;      // hsched_body_f
  bool Constexpr = false;    // Constant expressions call the body.
  bool HasKernel = false;
  KernelCode Kernel;   // A main version that is itself a kernel.
  bool Inline = false; // An InlineCode.
  bool templated() const { return !TemplateArgs.empty() || InTemplate; }
  bool InTemplate = false; // Member of a class template.
};

struct VersionCode : FunctionCode {
  std::vector<std::string> TaskKeys; // C++ expressions for the main version's linker name; parallel to Instances.
  std::string TaskName, TaskLinkerName;
  bool Defined = false; // Here: it is registered here.
  bool HasKernel = false;
  KernelCode Kernel;
  std::string Call; // What runs a CPU version: "f" or "f<T>".
};

// A variable of the function around an inline task, as its block sees it.
struct CaptureCode {
  enum class How {
    Value,     // A copy.
    Reference, // The variable itself.
    Either,    // A pointer's value, but the object itself of all else: the type is known at instantiation.
    Reduced,   // Through a pointer that the runtime may turn to a private copy.
    Own        // A variable of its own, without a value.
  };
  std::string Name, Type; // Type as written.
  How H = How::Value;
  bool Pack = false; // A parameter pack.
  // In C:
  bool Array = false;             // An array, which the block reaches through its first element.
  bool Whole = false;             // And which it names as a whole too: sizeof, &.
  std::string Modified;           // Of a type that depends on sizes known at run time: its declaration in the block.
  std::vector<std::string> Sizes; // Those sizes.
  std::string From;               // What stands for it where the block stands; empty: its name.
};

// A loop whose chunks are tasks. What the loop's head says is evaluated in front of it, once.
struct LoopCode {
  enum class Relation { Less, LessEqual, Greater, GreaterEqual, Unequal }; // Of the variable and the bound.
  std::string Variable;
  std::string Start;              // Declared: "int i = 0"; else what the variable is assigned.
  bool Declared = true;           // In the loop's head.
  Relation Goes = Relation::Less; // On while that holds.
  std::string Bound, Step;
  bool Back = false;  // The step is subtracted.
  std::string Grain;  // Empty: left to the runtime.
  bool Hints = false; // A clause other than those for data names the variable: it means the chunk's first value.
  std::string File;   // Where the head stands.
  unsigned Line = 0;
  unsigned Resume = 0;         // The line behind the directive.
  bool Shared = false;         // Iterations are shared out; else chunks of them are tasks.
  bool Waits = false;          // Chunks are tasks, which are waited for.
  std::vector<LoopCode> Inner; // Those that are divided with it, outermost first.
};

// A task that is a statement of a function.
struct InlineCode : TaskCode {
  InlineCode() { Inline = true; }
  std::string Function; // That contains it, as written, qualified.
  std::vector<CaptureCode> Captures;
  bool CapturesThis = false;
  std::optional<LoopCode> Loop;
  bool Generic = false; // In a template: each instance is a task of its own.
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
