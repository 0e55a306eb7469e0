// The description of a unit's generated code: plain strings and numbers, no Clang.
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
  std::string Name;        // The parameter's name, or a generated one.
  std::string Declaration; // "const float *hsched_p0".
  std::string Spelling;    // Its type as written, for metadata.
  bool Pointed = false;    // A reference kept as a pointer, so that it can be redirected to a private copy.
  bool Pack = false;       // A parameter pack, kept in one member.
  bool Late = false;       // It has a class type that may be incomplete until the enclosing class ends.
};

struct AccessCode {
  AccessRole Role;
  int Param; // Index of the parameter; -1: none.
  Section What;
  unsigned Line; // Line of the clause.
  std::string File;
  std::string Op = {};                      // For a reduction: the operation as written.
  std::string BuiltIn = {};                 // Its struct in gen.h; empty: none.
  std::vector<std::string> Reductions = {}; // Names of declared reductions, one for each type.
  std::string Element = {};                 // For a reduction in C: type of the reduced object.
  enum class VariableKind {
    Object,
    Array,
    Pointer
  } Holds = VariableKind::Object; // For a reduction in C: kind of the variable.
  bool Iterates = false;          // For a taskloop: it names the loop's variable, so every chunk has its own access.
  bool Uneven = false;            // Sections of iterations are at unequal distances: a chunk touches their hull.
  bool PerIteration = false;      // That variable determines a list's generators: every iteration has its own accesses.
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
  std::string Text;    // Expression; for Local: of the number of bytes.
  std::string Type;    // For Computed: the kernel's C++ type; empty: the expression's own.
  std::string Element; // The kernel's element type, for metadata.
  unsigned Line = 0;   // Line of the expression in args; 0: there is no clause args.
};

// A parameter with a packed tile, and the parameter that is its leading dimension.
struct PackedCode {
  size_t Tile, Leading;
};

struct KernelCode {
  std::string File, Name, Entry; // File as given by the user; kernel; the kernel that the runtime creates.
  std::string Source;
  std::string Options;
  std::vector<KernelArgCode> Args;
  std::vector<Expr> Global, Local, Offset;
  std::string ClauseFile; // File of the clauses ndrange and args.
  unsigned RangeLine = 0;
};

// Common part of tasks and versions: names of their generated struct.
struct FunctionCode {
  std::string Id;                     // Unique in the program: name and hash.
  std::string Name;                   // As written, qualified.
  std::string LinkerName;             // Mangled. For templates: the pattern's unique name.
  std::string Scope;                  // "::ns::S::" in front of the generated struct's name.
  std::string TemplateHead;           // "template <class T>"; empty without a template.
  std::string TemplateArgs;           // "<T>"
  std::vector<std::string> Instances; // Full names of the generated struct's instances, "::ns::hsched_task_f_1<float>".
                                      // Exactly one without a template.
  std::vector<std::string> Unnamed;   // Instances that cannot be named at namespace scope.
  std::string File;
  unsigned Line = 0;
  std::vector<FieldCode> Params;
  std::vector<DeviceChoice> Devices;
  std::vector<PackedCode> Packed;
  bool InClass = false;
  std::string Object;       // For a non-static member: type of the implicit object, "const S"; else empty.
  bool ObjectFirst = false; // It is not a member and takes the object as an extra parameter.
};

struct TaskCode : FunctionCode {
  std::vector<AccessCode> Accesses;
  std::string Priority, Label, If, Final, Cost, Where;
  unsigned HintLine = 0;   // Line of these clauses.
  bool Defined = false;    // Defined in this unit: wrapper, body and registration are emitted.
  bool Kept = false;       // Internal linkage: other units cannot refer to it.
  bool Weak = false;       // Inline: every defining unit registers it.
  bool SharesName = false; // Id distinguishes several definitions of one name.
  bool UsedHere = false;   // Called in this unit but not defined here.
  std::string BodyName;    // hsched_body_f
  bool Constexpr = false;  // Constant expressions call the body.
  bool HasKernel = false;
  KernelCode Kernel;   // A main version that is itself a kernel.
  bool Inline = false; // It is an InlineCode.
  bool templated() const { return !TemplateArgs.empty() || InTemplate; }
  bool InTemplate = false; // Member of a class template.
};

struct VersionCode : FunctionCode {
  std::vector<std::string> TaskKeys; // C++ expressions for the main version's linker name; parallel to Instances.
  std::string TaskName, TaskLinkerName;
  bool Defined = false; // Defined in this unit: registered here.
  bool HasKernel = false;
  KernelCode Kernel;
  std::vector<AccessCode> Sections; // Sections in place of the task's, over this function's parameters.
  std::string Call;                 // The call that runs a CPU version: "f" or "f<T>".
};

// A captured variable of the function around an inline task.
struct CaptureCode {
  enum class How {
    Value,     // A copy.
    Reference, // The variable itself.
    Either,    // A pointer by value, anything else by reference: decided at instantiation.
    Reduced,   // Through a pointer that the runtime may redirect to a private copy.
    Own        // A new variable without a value.
  };
  std::string Name, Type; // Type as written.
  How H = How::Value;
  bool Pack = false;  // A parameter pack.
  bool Array = false; // An array, accessed through a pointer to its first element. In C++: one of variable length.
  // For a variably modified type:
  std::string Modified;           // Its declaration in the block, @ for the name. C++: without the elements' type.
  std::vector<std::string> Sizes; // The sizes in Modified, "hsched_d0_" and Of, and so on.
  std::string Of;
  std::string Element;     // An element: its type is the elements' type.
  bool ForClauses = false; // Only clauses name it.
  // For C:
  bool Whole = false; // It is also used as a whole: sizeof, &.
  std::string From;   // The spelling in the enclosing block; empty: its name.
};

// A loop whose chunks are tasks. The loop's head is evaluated once, before the loop.
struct LoopCode {
  enum class Relation { Less, LessEqual, Greater, GreaterEqual, Unequal }; // Comparison of the variable with the bound.
  std::string Variable;
  std::string Start;              // If Declared: "int i = 0"; else the assigned value.
  bool Declared = true;           // The variable is declared in the loop's head.
  Relation Goes = Relation::Less; // The loop goes on while this holds.
  std::string Bound, Step;
  bool Back = false;     // The step is subtracted.
  bool Constant = false; // Start, bound and step are constants, or depend on template parameters.
  std::string Grain;     // Empty: left to the runtime.
  bool Hints = false;    // A clause other than a data clause names the variable: it means the chunk's first value.
  std::string File;      // Place of the head.
  unsigned Line = 0;
  unsigned Resume = 0;         // Line behind the directive.
  bool Shared = false;         // A shared loop; false: chunks are tasks.
  bool Waits = false;          // Chunks are tasks, and the loop waits for them.
  std::vector<LoopCode> Inner; // Inner loops that are divided with it, outermost first.
};

// A task that is a statement of a function.
struct InlineCode : TaskCode {
  InlineCode() { Inline = true; }
  std::string Function; // The enclosing function as written, qualified.
  std::vector<CaptureCode> Captures;
  bool CapturesThis = false;
  std::optional<LoopCode> Loop;
  bool Generic = false; // In a template: each instance is a separate task.
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
