// Effects of functions without visible bodies: the C and C++ libraries, BLAS and LAPACK, OpenCL's built-ins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_LIBRARY_H
#define HSCHED_ANALYSIS_LOWER_LIBRARY_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hsched::cc {

// The effect of a call through one argument. "Elements" have the pointer's own type or, for void,
// ElementBytes bytes. A reference counts as a pointer. If an argument that the extent needs is missing
// in a call (a default argument), the extent is unknown. If Argument itself is missing, there is no
// effect.
struct LibraryEffect {
  unsigned Argument = 0;              // From 0.
  bool AlsoLaterArguments = false;    // Also through all pointers among the later arguments (sscanf).
  bool Read = false, Written = false; // Both: each element is read before it is written.
  bool Atomic = false;
  // The call may access only a part (strncpy's source, fread's target). Always true if the extent is not Known.
  bool Maybe = false;
  // Elements are also passed to the callback (LibraryFunction::Calls), by reference if it takes references:
  // std::for_each.
  bool Handed = false;
  // If argument Zero is the constant 0, it is written and not read (beta of gemm). Otherwise only a part may be
  // accessed.
  int Zero = -1;

  // The extent from the pointer on: a product of arguments and a constant. Factor -1: no such factor. Bytes: in bytes,
  // else in elements. Known false: unknown extent, before or behind the pointer.
  bool Known = false, Bytes = false;
  int Factor[2] = {-1, -1};
  std::int64_t Times = 1;
  unsigned ElementBytes = 0;
  // Until >= 0: the extent is the distance between arguments Since (-1: Argument itself) and Until, which are iterators
  // or pointers: std::fill(first, last, x), the target of std::copy(first, last, target).
  int Until = -1, Since = -1;
  // Offset >= 0: begins argument Offset * OffsetTimes elements behind the pointer: vloadN.
  int Offset = -1;
  std::int64_t OffsetTimes = 1;
  // Stride >= 0: a BLAS vector: Factor[0] elements, argument Stride apart; Times is 1. A constant 1 makes it
  // contiguous. A negative stride counts from the far end: the same elements as with -Stride. If argument Trans is a
  // transposition, argument Other replaces Factor[0].
  int Stride = -1;
  // Ld >= 0: a BLAS matrix: Factor[1] columns of Factor[0] elements each, argument Ld elements apart; Times is 1.
  // Factor[0] and Factor[1] are exchanged if exactly one of these holds: argument Order is row-major (101); argument
  // Trans is a transposition (not 111, 'N' or 'n'). If argument Side is right (142, 'R' or 'r'), both factors are
  // argument Other. If one of these arguments is not constant, the extent is unknown.
  int Ld = -1, Order = -1, Trans = -1, Side = -1, Other = -1;
};

struct LibraryFunction {
  std::vector<LibraryEffect> Effects; // Other arguments are values, or pointers that are not dereferenced.
  int Returns = -1;                   // Returns this argument, or a pointer or reference into what it points to.
  int AlsoReturns = -1;               // Or this one: std::max.
  bool ReturnsSame = false;           // It returns argument Returns unchanged: memcpy, std::move.
  bool Allocates = false;             // Returns memory without aliases, or null.
  bool Pure = true;                   // No other effect visible to tasks. Not for printf and rand.
  bool NoReturn = false;
  bool ByReference = false; // Fortran: arguments for extents are pointers to numbers.
  // Index of a callback argument (qsort, std::for_each), if present. Its effects are analysed as a callee's.
  int Calls = -1;
};

// Null if the function is unknown, or unknown with this number of arguments. Name is qualified, without template
// arguments and inline namespaces: "memcpy", "std::fill", "cblas_dgemm", "get_global_id", "vload4". OpenCL: the
// caller is OpenCL C. An execution policy does not count as an argument. Only for functions without a visible body,
// or with a body in a system header. Members of classes are not in the table. The result lives as long as the
// program.
const LibraryFunction *findLibraryFunction(std::string_view Name, bool OpenCL, unsigned NumArgs);

// What a class of the C++ library is: a set of these.
enum LibraryClass : unsigned {
  ClassContainer = 1u << 0, // It owns its elements, which lie in one array.
  ClassArray = 1u << 1,     // It is an array.
  ClassView = 1u << 2,      // A pointer to elements, and their number.
  ClassConstView = 1u << 3, // Such a view that cannot change them.
  ClassPointer = 1u << 4,   // A smart pointer.
  ClassIterator = 1u << 5,  // A class around a pointer.
  ClassAtomic = 1u << 6,
  ClassAtomicRef = 1u << 7,
  ClassOwner = 1u << 8,           // It owns its elements, wherever they are.
  ClassInside = 1u << 9,          // Its elements lie inside it, though the class is an owner.
  ClassCopiesElements = 1u << 10, // It says that it can be copied, whatever its elements are.
  ClassPolicy = 1u << 11,         // Without state.
  ClassAnalysed = 1u << 12,       // Members' bodies are analysed.
  ClassPlain = 1u << 13,          // All its bytes are elements.
  ClassSynchronizes = 1u << 14,   // Mutexes and the like.
  ClassThread = 1u << 15,         // Runs what it is made with.
  ClassFunction = 1u << 16,       // Holds a callable.
  ClassCounted = 1u << 17,        // The second template argument is the number of elements.
  ClassBits = 1u << 18,           // Packs bools.
  ClassDeleter = 1u << 19,        // The default deleter.
  ClassDeletes = 1u << 20,        // The second template argument is a deleter.
  ClassMoves = 1u << 21,          // An iterator that moves elements.
  ClassPosition = 1u << 22,       // Another iterator of the library.
  ClassStream = 1u << 23          // A stream, without what its base class does.
};
// The number of a class in namespace std, by the name of its template.
unsigned libraryClass(std::string_view Name);

// What a member function of such a class does, or a function of namespace std that gets the object.
enum class LibraryMember {
  Other,
  First,    // The first element, or a pointer to it.
  Last,     // The last element.
  End,      // The position behind it.
  At,       // The element of an index.
  Count,    // The number of elements.
  Bytes,    // Their size.
  Query,    // Something that no element decides.
  Look,     // A position or an element. Nothing changes.
  Leading,  // A view of the first elements.
  Trailing, // A view of the last ones.
  Part,     // A view of those from an index on.
  Fill,
  Assign,
  Base,
  Reset,
  Release,
  Swap,
  Exchange,
  Load,
  Store,
  Nothing, // No access.
  Same,    // Returns its argument.
  Address, // Returns its argument's address.
  Next,
  Previous,
  Distance,
  Least,
  Greatest,
  Clamp,
  Make,      // A smart pointer to a new object.
  MakeValue, // Another object made of its arguments.
  Thread     // Runs its arguments.
};
LibraryMember libraryMember(std::string_view Name);

// For functions of namespace std with bodies that say more than a row of the table. Before C++20 they are no constants,
// so that the parser would skip them. True: calls are followed there. False: only through another one. Nothing: no such
// function.
std::optional<bool> libraryBody(std::string_view Name);

} // namespace hsched::cc
#endif
