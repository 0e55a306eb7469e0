// Lowering of one function, statement or kernel: an abstract interpreter of the AST.
//
//   Entry     roots of parameters, the tree's last touches       Expr      expressions to Values, accesses emitted
//   Stmt      statements, jumps                                  Memory    loads, stores, places, escapes
//   Loops     induction variables, bounds                        Calls     visible bodies inlined, others judged
//   Symbols   integers: interned symbols, conditions             Library   what the table knows; std containers
//   OpenCL    work-items, images, built-ins                    Prototype what is too large to be followed
//   Collective loops that work-items run together
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_LOWERER_H
#define HSCHED_ANALYSIS_LOWER_LOWERER_H

#include "analysis/lower/Condition.h"
#include "analysis/lower/Facts.h"
#include "analysis/lower/Library.h"
#include "analysis/lower/Lower.h"
#include "analysis/lower/Standard.h"
#include "analysis/lower/Value.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <set>

namespace hsched::cc {

// A call on the analysis stack, including the outermost one.
struct Frame {
  const clang::FunctionDecl *F = nullptr;
  Frame *Up = nullptr;
  std::map<const clang::ValueDecl *, unsigned>
      Objects; // The objects of variables. For a reference, the object holds a pointer.
  std::map<const clang::Stmt *, unsigned> Temporaries;
  Value This;
  llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> Captures; // For a lambda's call operator.
  clang::FieldDecl *CapturedThis = nullptr;
  std::optional<Value> Returned;
};

// Targets of break, continue and an inlined function's return.
struct JumpTarget {
  enum Kind { Break, Continue, Return, Throw } K;
  unsigned Taken = 0;
  std::size_t Cleanups = 0;    // Number of cleanups that stay.
  std::size_t Temporaries = 0; // As Cleanups, of the temporaries of full-expressions.
  State At;
  JumpTarget(Kind K) : K(K) { At.Dead = true; }
};

// The initialiser of an array of variable length, or of a pointer or reference to one, that only GCC accepts. Null: E
// is none. What else Clang does not understand makes the body incomplete.
const clang::Expr *initialiserOf(const clang::Expr *E);

class Lowerer {
  friend class LibraryCall; // LibraryCalls.cpp

public:
  // The summary of a recursive function.
  struct Summary {
    struct Key {
      const clang::VarDecl *Variable = nullptr; // Null: a parameter; -1: this.
      int Param = -1;
      bool Deep = false; // Memory behind its pointers.
      // If Deep: memory of this type behind its pointer at byte Cell, which is certainly written. -1: any.
      std::int64_t Cell = -1;
      clang::QualType Type = {};
      bool operator<(const Key &O) const {
        return std::tuple(Variable, Param, Deep, Cell, Type.getAsOpaquePtr()) <
               std::tuple(O.Variable, O.Param, O.Deep, O.Cell, O.Type.getAsOpaquePtr());
      }
    };
    struct Use {
      bool Read = false, Written = false;
      bool SurelyRead = false, SurelyWritten = false; // Not only guesses about an opaque callee.
      bool operator==(const Use &) const = default;
    };
    std::map<Key, Use> Touched;
    // A range of the memory behind a parameter; symbols are parameter numbers. Unknown: any part.
    struct Range {
      bool Unknown = false;
      unsigned ElementBytes = 0;
      std::vector<Lowering::Boxes::Part> All;
      bool operator==(const Range &) const = default;
    };
    std::map<int, Range> Ranges;
    bool Anything = false, Open = false, Provisional = false;
    bool OnMemory = false; // Conditions depend on numbers in memory.
    bool Induced = false;  // Ranges are all proved by inclusion.
    friend bool operator==(const Key &A, const Key &B) { return !(A < B) && !(B < A); }
  };
  // State that outlives one tree.
  struct Shared {
    std::map<const clang::FunctionDecl *, Summary> Summaries;
    std::map<const clang::FunctionDecl *, bool> Induced; // By function: whether induction succeeded.
    unsigned Open = 0;                                   // Number of Summaries in progress.
    Lowering::Conclusions Of = {};
    std::size_t Steps = 0;
    bool Distrusted = false; // See Lowering::distrust.
  };
  Lowerer(clang::ASTContext &Context, Shared &All, Naming *Names = nullptr, const Lowering::ClauseValues &Clauses = {});

  // True for integers that are promoted to int: their increments wrap.
  static bool isNarrow(const clang::ASTContext &Context, clang::QualType T);
  AccessTree function(const clang::FunctionDecl &F, Lowering::Elements Of);
  AccessTree iteration(const clang::ForStmt &S, Lowering::Copies C);
  AccessTree statement(const clang::Stmt &S, Lowering::Copies C);
  AccessTree kernel(const clang::FunctionDecl &F, const KernelGeometry &G);

private:
  AccessTree top(const clang::Stmt &S);
  using ByteRanges = std::vector<std::pair<std::int64_t, std::int64_t>>; // Begin and end of each range.
  struct Bytes {                                                         // For a Leaf: its place in bytes.
    Poly Offset, Count;
    bool Header = false; // For a container: its size may change.
  };

  // Entry points.
  void bindParameter(const clang::ParmVarDecl &P, unsigned Index);
  Value parameterValue(clang::QualType T, const Named &As, const clang::ParmVarDecl &P, unsigned Index, unsigned Level,
                       const clang::RecordDecl *Whole = nullptr);
  void bindCopies(const clang::Stmt &S, Lowering::Copies C);
  Place objectRoot(Root R, RootFacts F, clang::QualType T);
  void objectOfCall(const clang::CXXRecordDecl &Class, bool Const, clang::SourceLocation Loc);
  void addMembers(const clang::CXXRecordDecl &Class, std::int64_t Offset, bool Const, const BaseSet &Repeated);
  void runBody(const clang::FunctionDecl &D);
  void answer();
  Summary summaryOf(const clang::FunctionDecl &Def);
  bool isInduced(const clang::FunctionDecl &Def);
  Summary summarize(const clang::FunctionDecl &Def);
  void findRanges(const clang::FunctionDecl &Def);
  using Ranges = std::map<int, Summary::Range>;
  using ParameterSymbols = std::map<unsigned, SymbolId>; // By number of the parameter.
  Ranges rangesOf(AccessTree &T, const ParameterSymbols &Symbols, Ranges Found);
  AccessTree assuming(const clang::FunctionDecl &Def, const Ranges &Now, ParameterSymbols &Symbols, bool &Cut);
  bool settleRanges(const clang::FunctionDecl &Def, Ranges Now, Ranges &First);
  bool proveRanges(const clang::FunctionDecl &Def, Ranges Now);
  bool touchRanges(const Value &At, const Summary::Range &Of, const std::vector<Value> &Args, clang::SourceLocation Loc,
                   const std::string &Why);
  void judgePrototype(const clang::FunctionDecl &F, const std::string &Why);
  AccessTree finish();
  void demote();
  void settleOwners();
  void clean(Node &N);
  // The reason why a loop's limit is unknown. Empty: it is not the reason.
  std::string unknownLimit(SymbolId S, clang::SourceLocation &At) const;
  void joinParts(Node &N);
  void noteParts();
  bool membersIn(clang::QualType T, std::int64_t From, ByteRanges &Found, unsigned Depth = 0) const;
  void wrapRanges(Node &N);
  struct Below {
    SymbolId Counter;
    Poly Limit;
  };
  std::map<SymbolId, std::vector<Poly>> limitsOf(const std::vector<Poly> &Conditions) const;
  void refineBounds(Node &N, std::vector<Poly> &Known);
  void joinBounds(Node &N, std::vector<Below> &Above);
  void joinBoundsOf(Node &If, std::vector<Below> &Above);
  bool notNegativeForSizes(const Poly &P) const;
  bool mayWrap(const Poly &P) const;
  void pruneRoots();
  static void dropEmpty(Node &N);

  // Symbols. Each has its Identity; texts are made beside it.
  std::string nameOf(const clang::ValueDecl &D);
  Named named(const clang::ValueDecl &D) { return {pathOf(D), nameOf(D)}; }
  static AccessPath pathOf(const clang::ValueDecl &D);
  std::string memberText(const clang::RecordDecl *Class, const clang::FieldDecl &Field, bool Base = false) const;
  Poly symbolOf(Identity What, const std::string &Spelling, bool NonNegative = false);
  Poly symbolOf(const Named &N, clang::QualType T);
  Poly hostSymbol(const std::string &Text, bool NonNegative = false); // Of a kernel: what the host's side has.
  Poly memorySymbol(unsigned RootId, const Poly &Offset, clang::QualType T);
  SymbolId freshSymbol(const std::string &Name, Symbol::Kind K = Symbol::Unknown);
  bool isConstant(const Poly &P) const; // True if it consists of Value symbols only.
  std::string spell(const Poly &P, bool Primary = false) const;
  Value arithmetic(clang::BinaryOperatorKind Op, const Value &A, const Value &B, clang::QualType T);
  static constexpr std::size_t LongestName = 200; // Limit for names of opaque symbols.
  std::optional<Poly> opaque(const std::string &Before, const Poly &A, const std::string &Between, const Poly &B,
                             const std::string &After, bool NonNegative, bool OfSizes = false,
                             std::optional<Identity> What = std::nullopt);
  Condition compare(clang::BinaryOperatorKind Op, const Value &A, const Value &B, bool Unsigned);
  Condition compareIn(clang::BinaryOperatorKind Op, Value A, Value B, clang::QualType T);
  std::vector<Poly> Here; // Polynomials that are not negative in the branches and iterations around.
  // Runs Branch where Holds are not negative, but those in C.Uppers.
  void where(const std::vector<Poly> &Holds, const Condition &C, llvm::function_ref<void()> Branch);
  bool mayBeLarge(const Poly &P, unsigned Modulo) const;
  // True if P is not negative here. OfSizes: sizes are assumed not to be.
  bool notNegative(const Poly &P, bool OfSizes = true) const;
  bool staysAbove(const Poly &P) const; // True if the conditions around say that P is not negative.
  bool isSize(SymbolId S) const;        // True if it is assumed not to be negative.
  bool areSizes(const Poly &P) const;
  bool hasLargeSymbol(const Poly &P) const;
  static bool hasLargeFactor(const Poly &P);
  bool mayOverflow(const Poly &Bytes) const;
  // The number of type T for operations that are not those of polynomials. Nothing: it may have wrapped.
  Value exact(const Value &V, clang::QualType T);
  Value sumIn(const Value &A, const Value &B, bool Minus, clang::QualType T) const;
  Value cutOff(Value V, clang::QualType T);
  static bool lowerModulo(Value &V, const Value &End); // True if V changes.
  std::optional<Value> converted(const Value &A, const Value &B, bool Least, clang::QualType T);
  Value belowLimit(const Value &I, const Value &B, clang::QualType T);
  static std::string typeName(clang::QualType T);
  std::pair<Condition::Text, Condition::Text> wordsOf(clang::BinaryOperatorKind Op, const Value &A, const Value &B,
                                                      clang::QualType T) const;
  static Condition withWraps(Condition C);
  // The value if Sides, unsigned numbers, do not wrap. Nothing: it cannot be said.
  std::optional<Value> ifNotLarge(const Value &V, const std::vector<Poly> &Sides);
  void noteUppers(Condition &C, const Value &A, const Value &B, std::int64_t Slack, bool Unsigned) const;
  Condition comparePointers(clang::BinaryOperatorKind Op, const Value &A, const Value &B);
  void learn(const std::vector<Poly> &Facts); // Adds facts: polynomials that are not negative throughout the call.
  bool surelyNonNegative(const Poly &P) const;
  // An unknown value in [Low, High). OrLow: or Low, if High <= Low.
  Poly ranged(const std::string &Name, const Poly &Low, const Poly &High, bool OrLow = false);
  void quotients(Value &R, const Poly &X, std::int64_t By, bool NonNegative);
  static bool isLogical(const clang::Expr *E);
  Condition condition(const clang::Expr *E); // Evaluates a condition and emits its effects.
  static Condition negation(Condition C);
  static Condition conjunction(const Condition &A, const Condition &B);
  void emitIf(const Condition &C, Node Then, Node Else, bool OnData = false);
  Value castInteger(const Value &V, clang::QualType From, clang::QualType To);
  std::int64_t cut(std::int64_t C, clang::QualType T) const;
  // V, of type From, converted to a type that is not narrower than int.
  Value wrappedIn(Value V, clang::QualType From, clang::QualType To) const;
  // For KernelGeometry::WithNumbers: the tree is right if V, as a number of type T, is not changed by wrapping around.
  // Width: as if T had so many bits; 0: its own.
  void noteNumber(const Value &V, clang::QualType T, const clang::Expr *E, unsigned Width = 0);
  void noteUnknown(const clang::Expr *E); // Nothing makes sure of that.
  void noteConversion(const Value &V, clang::QualType From, clang::QualType To, const clang::Expr *E);
  void noteComparison(const Value &A, const Value &B, clang::QualType T, const clang::Expr *E);
  bool mayWrap(const Value &A, const Value &B, clang::QualType T) const; // What their order seems to be may be wrong.
  void noteOperands(clang::BinaryOperatorKind Op, const Value &A, const Value &B, clang::QualType T,
                    const clang::Expr *E);
  unsigned numberRoot(clang::QualType T, unsigned Width, const clang::Expr *E, std::size_t Which);
  Value leastOrGreatest(const std::vector<Value> &Of, bool Least);
  Value leastOrGreatest(const std::vector<Value> &Of, bool Least, clang::QualType T); // The numbers are of type T.
  std::string spellCondition(const Condition &C, bool Wide) const; // Empty: unknown, or not constant.
  std::optional<Value> chosen(const Condition &C, const Value &Then, const Value &Else); // For numbers.
  std::optional<Value> chosenBy(const Condition::Text &When, const Value &Then, const Value &Else);

  using Expressions = llvm::ArrayRef<const clang::Expr *>;

  // Expressions.
  Value evaluate(const clang::Expr *E); // Returns the places of a glvalue, or the value of a prvalue.
  Value lvalue(const clang::Expr *E);
  Value rvalue(const clang::Expr *E);
  Value rvalueOf(const clang::Expr *E);
  Value lvalueOf(const clang::Expr *E);
  Value castValue(const clang::CastExpr *E);
  Value unary(const clang::UnaryOperator *E);
  Value binary(const clang::BinaryOperator *E);
  Value assign(const clang::BinaryOperator *E, Value *Result); // Returns the left side's place.
  Value choice(const clang::AbstractConditionalOperator *E, bool Lvalue);
  Value subscript(const clang::ArraySubscriptExpr *E);
  Value memberOf(const clang::MemberExpr *E);
  Value variable(const clang::ValueDecl *D, const clang::DeclRefExpr *E);
  Value lambda(const clang::LambdaExpr *E);
  Value block(const clang::BlockExpr *E);
  Value unknown(const clang::Stmt *E); // Evaluates the children.
  void initialize(const Value &Target, clang::QualType T, const clang::Expr *Init);
  void initializeFrom(const Value &Target, clang::QualType T, const clang::Expr *Init);
  void initializeInherited(const Value &Target, clang::QualType T, const clang::CXXInheritedCtorInitExpr *E);
  void initializeList(const Value &Target, clang::QualType T, const clang::InitListExpr *List);
  const clang::Expr *Loaded = nullptr; // The glvalue of which only the value is used.
  std::optional<Value> oneOfArguments(const clang::CallExpr *E, LibraryMember Does, Expressions Exprs);
  Value temporary(const clang::Stmt *Key, clang::QualType T, const clang::Expr *Init);
  Value global(const clang::VarDecl *V, clang::SourceLocation Loc);
  Value opaqueValue(const clang::OpaqueValueExpr *E);
  Value unknownList(const clang::Stmt *S);
  Value newExpr(const clang::CXXNewExpr *E);
  Value baseCast(const clang::CastExpr *E);
  Value increment(const clang::UnaryOperator *E, Value *Result); // Returns the operand's place.
  Value atomicExpr(const clang::AtomicExpr *E);
  std::optional<std::int64_t> constantOf(const clang::Expr *E) const;

  // Memory.
  Value load(const Value &At, clang::QualType T, const clang::Expr *Why);
  Value storedValue(const Value &At, clang::QualType T, const clang::Expr *E); // As load(), without an access.
  bool besidePointers(const clang::Expr *E) const;
  Value inMember(Value V, const clang::FieldDecl *F) const;
  Value loadValue(const Place &P, clang::QualType T, unsigned Depth = 0); // Does not emit an access.
  void store(const Value &At, clang::QualType T, const Value &What, const clang::Expr *Why, bool Update = false);
  void storeInto(const Place &P, const Value &What, bool Strong);
  void storeObject(const Place &P, const Value &What, bool Strong);
  void touch(const Value &At, clang::QualType T, AccessKind K, clang::SourceLocation Loc,
             const clang::Expr *Why = nullptr, bool Atomic = false, bool Partial = false);
  // Emits an access to a range of elements of type T from At on. No size: any number, for the reason Why. Text: up to a
  // zero.
  void touchRange(const Value &At, clang::QualType T, std::optional<Poly> Bytes, AccessKind K,
                  clang::SourceLocation Loc, bool Maybe, bool Atomic, const std::string &Why, bool Partial = false,
                  bool Text = false);
  void escape(const Value &V, clang::SourceLocation Loc, const std::string &Why, bool ReadOnly = false);
  void escapeRoot(unsigned RootId, clang::SourceLocation Loc, const std::string &Why, bool ReadOnly, unsigned Depth = 0,
                  bool ReadBehind = false);
  void escapeBehind(unsigned RootId, clang::SourceLocation Loc, const std::string &Why, bool ReadOnly, unsigned Depth);
  void touchAnything(clang::SourceLocation Loc, const std::string &Why);
  Value moved(const Value &Pointer, const Poly &Bytes, const std::function<std::string()> &Why);
  bool isFixedLength(const clang::Expr *E);
  Poly sizeOf(clang::QualType T);
  Value index(const Value &Base, clang::QualType Element, const Value &Index, const clang::Expr *E, bool Minus = false);
  Value fieldOf(const Value &Record, const clang::FieldDecl *F);
  const Place *memberAt(const Place &P, const clang::FieldDecl *F) const; // Null: it has no root.
  void touchMembers(AccessKind K, clang::SourceLocation Loc);
  Value typePunned(Value Pointer);
  unsigned newObject(Value V = {});
  unsigned addRoot(Root R, RootFacts F);
  unsigned indirect(unsigned Parent, const Poly &Offset, clang::QualType Pointee, clang::SourceLocation Loc,
                    const std::optional<Named> &As = std::nullopt);
  unsigned behind(const Place &P, clang::QualType Pointee, clang::SourceLocation Loc);
  unsigned anything();
  Value constantElement(const Place &P, clang::QualType T) const;
  Value arrayOfPointers(const Place &P, clang::QualType T);
  std::optional<Poly> elementAround(std::int64_t E, const Poly &Offset, const Poly &Size) const;
  void toElements(const RootFacts &F, const Poly &Offset, const Poly &Size, Access &A) const;
  clang::QualType pointeeIn(clang::QualType T) const;
  clang::QualType elementOf(clang::QualType T) const;
  clang::QualType rowOf(unsigned RootId) const;
  std::optional<std::string> spellElement(unsigned RootId, const Poly &Index) const;
  clang::QualType pointerAt(clang::QualType T, std::int64_t At) const;
  std::optional<Named> spellPointer(unsigned RootId, const Poly &Offset, bool Base) const;
  // Base: for a section, where a pointer member is spelled by its own name even if it is private.
  std::optional<Named> spellPlace(unsigned RootId, const Poly &Offset, clang::QualType T, bool Base = false) const;
  clang::QualType elementType(clang::QualType T) const; // Innermost element type of arrays and std::array.
  std::uint64_t bytesOf(clang::QualType T) const;       // 0: unknown.
  bool holdsPointers(clang::QualType T, unsigned Depth = 0) const;
  bool ownsAll(clang::QualType T, unsigned Depth = 0) const; // True if it owns all memory behind it, as a string does.
  void owned(unsigned RootId, const Poly &Owner);
  bool movesAlong(unsigned RootId, const std::set<unsigned> &Moved) const;
  void describe(Root &R, RootFacts &F, clang::QualType Element) const;

  // Statements.
  void statementList(llvm::ArrayRef<const clang::Stmt *> List);
  void compound(llvm::ArrayRef<const clang::Stmt *> List);
  void lowerStmt(const clang::Stmt *S);
  bool ifStmt(const clang::IfStmt *S, llvm::ArrayRef<const clang::Stmt *> Rest); // True: Rest has been handled too.
  void switchStmt(const clang::SwitchStmt *S);
  void tryStmt(const clang::CXXTryStmt *S);
  void returnStmt(const clang::ReturnStmt *S);
  void declare(const clang::Decl *D);
  void jump(JumpTarget &T);
  JumpTarget *target(JumpTarget::Kind K);
  unsigned pendingJumps() const;
  void stop(clang::SourceLocation Loc, bool Throws);
  void unwind();
  void runCleanups(std::size_t Down);
  void destroyTemporaries(std::size_t Down);
  struct Cleanup {
    Value At;
    clang::QualType T;
    clang::SourceLocation Loc;
  };
  void destroyAll(const std::vector<Cleanup> &Of, std::size_t Down);
  // The object at At is destroyed if what follows in its constructor throws.
  void noteConstructed(const Value &At, clang::QualType T, clang::SourceLocation Loc);
  void destroy(const Value &At, clang::QualType T, clang::SourceLocation Loc);
  void destroyWhole(const Value &At, clang::QualType T, clang::SourceLocation Loc);
  Value baseAt(Value At, const clang::CXXRecordDecl &R, const clang::CXXBaseSpecifier &B) const;
  const clang::CXXRecordDecl *madeAs(const Place &P) const;
  std::vector<std::pair<Place, const clang::CXXMethodDecl *>> overriders(const clang::CXXMethodDecl &M,
                                                                         const Value &At) const;
  static bool findLabels(const clang::Stmt *S);
  bool hasLabels(const clang::Stmt *S); // The same, cached.
  void anyOrder(const clang::Stmt *S);  // For goto: every statement may run any number of times.
  Node collect(const std::function<void()> &Emit);
  void emit(Node N);
  void maybe(const std::function<void()> &Emit);

  // Loops.
  struct LoopParts {
    const clang::Stmt *Loop = nullptr;
    const clang::Expr *Cond = nullptr;
    const clang::VarDecl *CondVar = nullptr;
    std::function<void()> Before, Body, Step, After; // Before: in front of each test. After: when it ends the loop.
    bool TestLast = false;
    bool Until = false; // The loop ends when Cond holds.
  };
  bool InLoopTest = false;
  Condition loopTest(const LoopParts &L); // Holds as long as the loop goes on.
  struct Pass {
    Condition C;
    Node Test, Body;
    State End, Exit;
    bool Breaks = false;
  };
  // Phi: the symbol of a variable that the loop changes, at the begin of an iteration.
  struct Phi {
    SymbolId S;
    Poly Entry, Step; // Invalid Step: no constant increment.
    bool Seen = false;
    std::string Name;
    Poly Closed;                          // Closed form in the loop's counter.
    bool Place = false;                   // It is an offset in bytes.
    bool Wraps = false, Unsigned = false; // It may go on from its greatest number to its least.
    bool Narrow = false;                  // It may have fewer numbers than int.
    std::int64_t Past = 0;                // If Narrow: what is beyond its greatest number. 0: unknown.
  };
  struct Bound {
    bool Found = false, Exact = false, Breaks = false;
    bool Overapproximated = false; // Overapproximation: the counter takes more values than the variable.
    SymbolId Counter = 0;
    Poly Low, High;
    Poly Stride; // For Overapproximated: the variable's increment.
    std::int64_t Step = 1;
    std::string Name;
    std::vector<Poly> Guards;
    std::optional<Poly> Meets; // It meets High only if this is >= 0. Otherwise it ends elsewhere, or wraps.
    bool Wraps = false;
    std::vector<Poly> Sides; // As Condition::Upper, of Guards: these hold only if all are >= 0.
  };
  void countDown(Bound &B, Phi &F, const Poly &Whole, bool Exits, const std::vector<Phi> &Phis);
  void endsInside(LoopParts &L, const clang::Stmt *Body, bool HasStep);
  void loop(const LoopParts &L);
  bool unknownEnd(const Condition &C, const std::vector<Phi> &Phis) const;
  Pass pass(const LoopParts &L, State Head);
  Value generalize(const Value &V, const std::string &Name, std::vector<Phi> &Phis);
  bool settle(const Value &Head, const Value &End, std::vector<Phi> &Phis, std::size_t Watermark);
  const std::set<const clang::ValueDecl *> &assignedIn(const clang::Stmt *S);
  static Node assuming(const std::optional<Poly> &Meets, Node Loop, std::vector<Poly> Sides = {}); // As of Bound.
  Bound boundAtEnd(Pass &P, std::vector<Phi> &Phis, std::size_t Watermark);
  Bound boundOf(const Condition &C, std::vector<Phi> &Phis, bool Exits, std::size_t Watermark, bool TestLast = false);
  void finishLoop(const LoopParts &L, Pass P, std::vector<Phi> &Phis, std::size_t Watermark);
  void substitute(Node &N, SymbolId S, const Poly &By);
  void substitute(Value &V, SymbolId S, const Poly &By);
  static bool mentionsFrom(const Value &V, std::size_t Watermark);
  void replaceAll(Pass &P, SymbolId S, const Poly &By, std::size_t Watermark);
  void replaceBounds(std::size_t Of, SymbolId S, const Poly &By);
  void outdate(Value &V, std::size_t Watermark, std::size_t End = std::size_t(-1));
  void copyLeafBytes(Node &N); // Gives each leaf its own copy.
  bool mentions(const Node &N, SymbolId S) const;
  void rangeFor(const clang::CXXForRangeStmt *S);

  // Calls.
  Value call(const clang::CallExpr *E);
  Value construct(const clang::CXXConstructExpr *E, const Value *Target);
  Value besideBases(Value At, const clang::CXXConstructExpr *E) const;
  void constructAt(const clang::CXXConstructExpr *E, const clang::CXXConstructorDecl *C, clang::QualType T,
                   const Value &At);
  void defaultConstruct(const clang::CXXRecordDecl *R, const Value &At);
  Value invoke(const clang::FunctionDecl *F, const Value &This, std::vector<Value> Args, const clang::Expr *E,
               clang::SourceLocation Loc, llvm::ArrayRef<const clang::Expr *> Exprs = {});
  Value inlineCall(const clang::FunctionDecl &Def, const Value &This, const std::vector<Value> &Args);
  Value opaqueCall(const clang::FunctionDecl *F, const clang::FunctionProtoType *Type, const std::string &Name,
                   const Value &This, const std::vector<Value> &Args, llvm::ArrayRef<const clang::Expr *> Exprs,
                   const clang::Expr *E, clang::SourceLocation Loc = {});
  Value recursiveCall(const clang::FunctionDecl &Def, const Value &This, const std::vector<Value> &Args,
                      const clang::Expr *E, clang::SourceLocation Loc);
  void runInitializers(const clang::CXXConstructorDecl &C, const Value &This);
  std::vector<Value> arguments(llvm::ArrayRef<const clang::Expr *> Exprs);
  bool isActive(const clang::FunctionDecl &Def) const;
  bool inRecursion() const;
  void havocEscaped(const std::string &Why);

  // Library functions: the table, and compiler built-ins.
  std::optional<Value> libraryCall(const clang::CallExpr *E, const clang::FunctionDecl *F,
                                   const std::vector<Value> &Args, Expressions Exprs);
  std::optional<Value> builtinCall(const clang::CallExpr *E, unsigned Id);
  std::optional<Poly> distance(const Value &From, const Value &To) const; // The distance in bytes.
  Value contentOf(const Value &V);
  void runOwnCode(Expressions Exprs, const std::vector<Value> &Args, clang::SourceLocation Loc);
  void runOwnCode(const Value &At, clang::QualType T, clang::SourceLocation Loc);

  // The standard library.
  std::optional<Value> standardFunction(const clang::CallExpr *E, const clang::FunctionDecl *F);
  std::optional<Value> standardMember(const clang::CallExpr *E, const clang::CXXMethodDecl *M,
                                      const clang::Expr *Object, Expressions Exprs);
  std::optional<Value> iteratorMember(const clang::CallExpr *E, const StandardType &S, const Value &At,
                                      clang::QualType T, LibraryMember Does, clang::OverloadedOperatorKind Op,
                                      Expressions Exprs, const std::vector<Value> &Args);
  std::optional<Value> smartMember(const clang::CallExpr *E, const StandardType &S, const Value &At, clang::QualType T,
                                   LibraryMember Does, clang::OverloadedOperatorKind Op, Expressions Exprs,
                                   const std::vector<Value> &Args);
  std::optional<Value> atomicMember(const clang::CallExpr *E, const StandardType &S, const Value &Where,
                                    clang::QualType T, LibraryMember Does, clang::OverloadedOperatorKind Op,
                                    Expressions Exprs, const std::vector<Value> &Args, const clang::CXXMethodDecl &M);
  std::optional<Value> containerMember(const clang::CallExpr *E, const StandardType &S, const Value &At,
                                       clang::QualType T, LibraryMember Does, clang::OverloadedOperatorKind Op,
                                       Expressions Exprs, const std::vector<Value> &Args,
                                       const clang::CXXMethodDecl &M);
  std::optional<Value> unknownMember(const clang::CallExpr *E, const clang::CXXMethodDecl *M, const clang::Expr *Object,
                                     Expressions Exprs);
  Value numberArgument(Expressions Exprs, const std::vector<Value> &Args, unsigned I);
  std::optional<Value> callable(const clang::Expr &E, const Value &Its);
  std::optional<Value> calledThrough(const clang::CallExpr *E, const clang::CXXMethodDecl &M, const Value &At,
                                     std::vector<Value> Args);
  Value viewOf(const Value &At, clang::QualType T);
  void look(const Value &At);
  bool standsForAll(const Value &At, const Value &View) const;
  Value consume(Expressions Exprs, const std::vector<Value> &Args, const clang::FunctionDecl &Callee);
  void handBack(Expressions Exprs, const std::vector<Value> &Args, const clang::FunctionDecl &Callee,
                const Value &Stored);
  // Emits the effect of a deleter, with the smart pointer that has it.
  void deletedLater(const Value &V, bool ByDefault, clang::SourceLocation Loc);
  Poly sizeSymbol(const Named &Of, unsigned RootId, bool OfContainer);
  std::optional<Value> standardConstructor(const clang::CXXConstructExpr *E);
  clang::QualType standardArrayElement(clang::QualType T) const;  // For std::array; null: none.
  clang::QualType standardIterated(clang::QualType T) const;      // For iterators and smart pointers.
  bool standardView(const Place &P, clang::QualType T, Value &V); // For a container in memory.
  // For a container passed by value.
  bool standardParameter(clang::QualType T, const Root &R, const RootFacts &F, Value &V);
  std::optional<Place> standardObject(const Root &R, const RootFacts &F, clang::QualType T);
  Condition standardCondition(const clang::Expr *E, bool &Understood);

  // OpenCL.
  std::optional<Value> openclCall(const clang::CallExpr *E, const clang::FunctionDecl *F);
  Poly parseExpression(const std::string &Text); // Parses C++ over the tree's symbols. Unknown parts become symbols.
  Poly withLocalIds(Poly P) const;
  void waysToShare(const Poly &Step, llvm::function_ref<void(const Poly &, const std::vector<Poly> &)> Do) const;
  void noteShared(SymbolId Counter, const Poly &Low, const Poly &Step);
  Poly firstShared(const Poly &Entry, const Poly &Step) const;
  void shareLoops(Node &N, std::vector<Poly> &Around, bool OfNumbers, bool Repeated = false);
  bool shareLoop(Node &N, const std::vector<Poly> &Around, bool OfNumbers, bool Repeated);
  bool isShared(const Node &N, const std::vector<Poly> &Own, bool Repeated) const;
  bool endsForSome(const Node &N, bool All) const;

  std::string text(const clang::Expr *E) const;                     // Source text, shortened.
  bool spend(std::size_t Steps = 1);                                // False: the budget is exhausted.
  State joined(const State &A, const State &B, bool Widen = false); // Joins states; costs steps by their size.

  clang::ASTContext &Context;
  Shared &All;
  Naming *Names; // Null: use qualified names.
  const Lowering::ClauseValues &Clauses;
  std::map<std::string, const clang::ValueDecl *> Taken; // The declaration of each spelling.
  AccessTree Tree;
  std::vector<RootFacts> Facts;
  std::vector<SymbolFacts> SymbolTable;
  ParameterSymbols OfParameters; // Parameters that are numbers.
  // By parent, cell, name of a container there, and type.
  std::map<std::tuple<unsigned, std::int64_t, std::optional<AccessPath>, const void *>, unsigned> Indirects;
  std::map<const clang::VarDecl *, Place> Globals;
  std::set<const clang::ValueDecl *> Copied; // Variables of which a statement has copies.
  std::map<const clang::Stmt *, Value> OpaqueValues;
  std::map<const clang::Stmt *, std::set<const clang::ValueDecl *>> Assigned;
  std::map<const clang::Stmt *, bool> Labelled;
  std::map<const clang::VarDecl *, bool> Unchanged; // Lengths of array types: variables that are only read.
  std::vector<const clang::VarDecl *> Hidden;       // Hidden variables of structured bindings that must be declared.
  std::vector<RootFacts> KeptFacts;                 // By root, after the tree is complete.
  std::vector<Bytes> LeafBytes;
  std::map<std::pair<const clang::Expr *, std::string>, unsigned> Numbers; // Roots for noteNumber().
  int AnythingRoot = -1;
  std::set<unsigned> Heap; // Objects made by new.
  // The implicit object's root, and the roots of its members, keyed by field and offset of its class.
  int ThisRoot = -1;
  std::map<std::pair<const clang::FieldDecl *, std::int64_t>, Place> Members;

  State St;
  Node *Out = nullptr;
  Frame *Fr = nullptr;
  std::vector<JumpTarget *> Targets;
  std::vector<Cleanup> Cleanups;
  std::vector<Cleanup> FullExpression; // Temporaries with destructors in the current full-expressions.
  std::set<unsigned> Escaped;          // Objects whose address has escaped.
  // Escaped objects whose contents' effects are already in the current node or an enclosing one.
  std::set<unsigned> Reported;
  std::vector<unsigned> ReportedInOrder;
  // Objects that the outermost call of escape has visited, and whether as read-only ones: they may form cycles.
  std::set<std::pair<unsigned, bool>> Escaping;
  unsigned NextObject = 1, Budget = 0, Depth = 0, Calls = 0;
  bool WeakStores = false; // Every store is a weak update.
  bool Guessing = false;   // Accesses are guesses about an opaque callee.
  bool Exhausted = false, Incomplete = false;
  bool InEscape = false; // For a container, whose size may change.
  bool InWeakStatement = false, InTry = false, EscapeReturned = false;
  bool Unwinds = false;     // The destructors on an exception's way are running.
  bool MayBeCaught = false; // A handler of a caller that is not known may catch what this function throws.
  JumpTarget *TryJumps = nullptr;
  std::map<unsigned, Value> *TryStored = nullptr;  // In a try block: what its stores may leave in objects.
  std::set<unsigned> HeapObjects;                  // Objects made by new.
  std::map<unsigned, clang::QualType> ObjectTypes; // As objects are made. Null: it may be another.
  Lowering::Elements Pack;
  const KernelGeometry *Geometry = nullptr;
  std::vector<Poly> GlobalIds, GlobalSizes, LocalSizes, GroupIds, LocalIds, NumGroups;
  struct SharedLoop {
    Poly From;
    std::vector<Poly> Own; // Numbers that identify a work-item's part of the range.
  };
  std::map<SymbolId, SharedLoop> SharedLoops; // By counter.
};

} // namespace hsched::cc
#endif
