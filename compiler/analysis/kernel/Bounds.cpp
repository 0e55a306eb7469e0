// Kernels of checked programs: each access to global memory first checks whether it is in the task's
// sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Bounds.h"
#include "analysis/AstVisitor.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Lex/Lexer.h"

#include <map>
#include <optional>

using namespace clang;

namespace hsched::cc {

// The runtime's part is runtime/check/Kernels.cpp: t[0] counts findings, t[1] is the number of rows from t[8] on. A row
// is a buffer's number, first byte and end relative to its pointer, and 1 for read, 2 for write, 3 for both. 6 stands
// for data that are only written, and hold a pattern. The row's fifth number is then the index in t of a bit for each
// byte, which is set by a write. Its sixth number is the pattern's value at the buffer's pointer. After 2048 rows
// follow 1024 findings of 6 numbers, and 16 numbers to which accesses outside are redirected.
const char *boundsPreamble() {
  return R"(typedef struct { __global ulong *t; ulong base[16]; } hsched_bounds;
uint hsched_written(__global ulong *t, __global ulong *row, ulong base, ulong a, uint bytes, uint mark) {
  volatile __global uint *w = (volatile __global uint *)(t + row[4]);
  uint all = 1;
  for (ulong b = a - base - row[1]; b < a - base - row[1] + bytes; ++b) {
    volatile __global uint *at = w + (b >> 5);
    uint bit = 1u << (b & 31);
    if (*at & bit) continue;
    if (mark) atomic_or(at, bit);
    else if (*(volatile __global uchar *)(base + row[1] + b) == (uchar)(row[5] + (row[1] + b) * 167ul)) all = 0;
  }
  return all;
}
ulong hsched_checked(hsched_bounds *c, ulong a, uint bytes, uint how, uint line) {
  __global ulong *t = c->t;
  uint n = (uint)t[1], best = 0, may = 0, of = how >> 2;
  ulong least = ~0ul;
  for (uint r = 0; r < n; ++r) {
    __global ulong *row = t + 8 + 6 * r;
    if (of && row[0] + 1 != of) continue;
    ulong low = c->base[row[0]] + row[1], high = c->base[row[0]] + row[2];
    if (a >= low && a + bytes <= high) {
      may |= (uint)row[3];
      best = r;
      least = 0;
    } else {
      ulong d = a < low ? low - a : a + bytes - high;
      if (d < least) { least = d; best = r; }
    }
  }
  how &= 3;
  if (may & 4) {
    __global ulong *row = t + 8 + 6 * best;
    if (!(row[3] & 4)) may |= 1;
    else if (!(how & 1) || hsched_written(t, row, c->base[row[0]], a, bytes, 0)) may |= 1;
    if ((row[3] & 4) && (how & 2)) hsched_written(t, row, c->base[row[0]], a, bytes, 1);
  }
  if ((how & ~may) == 0) return a;
  uint at = atomic_inc((volatile __global uint *)t);
  if (at < 1024) {
    __global ulong *f = t + 8 + 6 * 2048 + 6 * at;
    f[0] = best; f[1] = n ? a - c->base[t[8 + 6 * best]] : a; f[2] = bytes; f[3] = how; f[4] = line;
    f[5] = may;
  }
  return may ? a : (ulong)(t + 8 + 6 * 2048 + 6 * 1024);
}
)";
}

namespace {

enum { Reads = 1, Writes = 2 };

class Finder : public AstVisitor {
public:
  Finder(const FunctionDecl &F, const std::set<const FunctionDecl *> &Checked, const MacroTokens &Expanded)
      : Context(F.getASTContext()), SM(Context.getSourceManager()), Checked(Checked), Expanded(Expanded),
        File(SM.getFileID(SM.getExpansionLoc(F.getBody()->getBeginLoc()))) {
    if (!F.hasAttr<OpenCLKernelAttr>())
      return;
    unsigned Number = 0;
    for (const ParmVarDecl *P : F.parameters())
      if (const auto *Pointer = P->getType()->getAs<PointerType>())
        if (const LangAS AS = Pointer->getPointeeType().getAddressSpace();
            AS == LangAS::opencl_global || AS == LangAS::opencl_constant) {
          ++Number;
          // A pointer that is changed may point elsewhere.
          if (P->getType().isConstQualified() || !changes(*F.getBody(), *P))
            Buffers[P] = Number;
        }
  }

  bool visit(Stmt &S) override {
    if (!first(S))
      return true;
    if (const auto *C = dyn_cast<ImplicitCastExpr>(&S); C && C->getCastKind() == CK_LValueToRValue)
      access(C->getSubExpr(), Reads);
    else if (const auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
      access(B->getLHS(), B->isCompoundAssignmentOp() ? Reads | Writes : Writes);
    else if (const auto *U = dyn_cast<UnaryOperator>(&S); U && U->isIncrementDecrementOp())
      access(U->getSubExpr(), Reads | Writes);
    else if (const auto *C = dyn_cast<CallExpr>(&S))
      call(*C);
    return true;
  }

  // In the order of the places; at one place, the inner expression ends first.
  std::vector<BoundsEdit> edits() {
    std::vector<BoundsEdit> Out;
    std::map<unsigned, bool> Replaced; // By the offset of a macro's use.
    Found.insert(Found.end(), Ends.rbegin(), Ends.rend());
    for (const Insertion &E : Found) {
      if (E.Begin.isFileID()) {
        const unsigned Begin = SM.getFileOffset(E.Begin) + (E.Behind ? length(E.Begin) : 0);
        Out.push_back({Begin, E.Replaces ? Begin + length(E.Begin) : Begin, E.Text});
      } else if (Replaced.emplace(SM.getFileOffset(SM.getExpansionLoc(E.Begin)), true).second) {
        Out.push_back(expansion(E.Begin));
      }
    }
    return Out;
  }

private:
  void call(const CallExpr &C) {
    const FunctionDecl *F = C.getDirectCallee();
    if (!F)
      return;
    const std::string Name = F->getNameAsString();
    if (const FunctionDecl *Def = F->getDefinition(); Def && Checked.count(Def))
      call(C, Name);
    else if (C.getNumArgs() > 0 &&
             (llvm::StringRef(Name).starts_with("atomic_") || llvm::StringRef(Name).starts_with("atom_")))
      pointer(C.getArg(0), Reads | Writes, "", 1);
    else if (C.getNumArgs() == 2 && llvm::StringRef(Name).starts_with("vload"))
      vector(C, Name.substr(5), 0, 1, Reads);
    else if (C.getNumArgs() == 3 && llvm::StringRef(Name).starts_with("vstore"))
      vector(C, Name.substr(6), 1, 2, Writes);
  }

  // Initialisers are visited in both forms.
  bool first(const Stmt &S) { return Seen.insert(&S).second; }

  static bool changes(const Stmt &Body, const ValueDecl &P) {
    if (const auto *B = dyn_cast<BinaryOperator>(&Body); B && B->isAssignmentOp())
      if (const auto *R = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens());
          R && R->getDecl() == &P && !B->isCompoundAssignmentOp())
        return true;
    return llvm::any_of(Body.children(), [&](const Stmt *S) { return S && changes(*S, P); });
  }

  static bool isGlobal(QualType T) { return T.getAddressSpace() == LangAS::opencl_global; }

  // Text before or behind the token at Begin, or instead of it.
  struct Insertion {
    SourceLocation Begin;
    std::string Text;
    bool Behind = false, Replaces = false;
  };

  unsigned length(SourceLocation Token) const { return Lexer::MeasureTokenLength(Token, SM, Context.getLangOpts()); }
  bool isKnown(SourceLocation L) const {
    return L.isValid() && SM.getFileID(SM.getExpansionLoc(L)) == File &&
           (L.isFileID() || llvm::any_of(Expanded, [&](const Token &T) { return T.getLocation() == L; }));
  }
  // Whether the first and the last token are in File, or were made by macros used there.
  bool isKnown(const Expr &E) const { return isKnown(E.getBeginLoc()) && isKnown(E.getEndLoc()); }

  std::string spelling(const Token &T) const { return Lexer::getSpelling(T, SM, Context.getLangOpts()); }

  // The text of E, or of the macro's tokens that it comes from.
  std::string textOf(const Expr &E) const {
    const SourceLocation Begin = E.getBeginLoc(), Last = E.getEndLoc();
    if (Begin.isFileID() && Last.isFileID())
      return SM.getBufferData(File).slice(SM.getFileOffset(Begin), SM.getFileOffset(Last) + length(Last)).str();
    std::string Out;
    bool In = false;
    for (const Token &T : Expanded) {
      In |= T.getLocation() == Begin;
      if (In)
        Out += spelling(T) + " ";
      if (In && T.getLocation() == Last)
        return Out;
    }
    return "";
  }

  // The use of a macro that made the token at Made, replaced by its tokens.
  BoundsEdit expansion(SourceLocation Made) const {
    const CharSourceRange Use = SM.getExpansionRange(Made);
    BoundsEdit Out{SM.getFileOffset(Use.getBegin()),
                   SM.getFileOffset(Use.getEnd()) + (Use.isTokenRange() ? length(Use.getEnd()) : 0), ""};
    for (const Token &T : Expanded) {
      const SourceLocation At = T.getLocation();
      if (SM.getExpansionLoc(At) != Use.getBegin())
        continue;
      std::string Word = spelling(T), Before, Behind;
      for (const Insertion &E : Found) {
        if (E.Begin != At)
          continue;
        if (E.Replaces)
          Word = E.Text;
        else
          (E.Behind ? Behind : Before) += E.Text;
      }
      Out.Text += " " + Before + Word + Behind;
    }
    Out.Text += " " + std::string(SM.getBufferData(File).slice(Out.Begin, Out.End).count('\n'), '\n');
    return Out;
  }

  std::string printed(QualType Pointer) const {
    std::string Text;
    PrintingPolicy Policy = Context.getPrintingPolicy();
    Policy.SuppressTagKeyword = false;
    Pointer.getAsStringInternal(Text, Policy);
    return Text;
  }
  std::string lineOf(const Expr &E) const { return std::to_string(SM.getPresumedLoc(E.getBeginLoc()).getLine()) + "u"; }

  // 4 times the number (from 1) of the buffer through which E is reached; 0: unknown.
  unsigned bufferOf(const Expr *E) const {
    for (;;) {
      E = E->IgnoreParenCasts();
      if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
        E = S->getBase();
      else if (const auto *M = dyn_cast<MemberExpr>(E))
        E = M->getBase();
      else if (const auto *U = dyn_cast<UnaryOperator>(E))
        E = U->getSubExpr();
      else if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
        E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
      else
        break;
    }
    const auto *R = dyn_cast<DeclRefExpr>(E);
    const auto Found = R ? Buffers.find(R->getDecl()) : Buffers.end();
    return Found == Buffers.end() ? 0 : 4 * Found->second;
  }

  void access(const Expr *E, unsigned How) {
    E = E->IgnoreParens();
    // For one element of a vector: the vector.
    for (;;) {
      if (const auto *V = dyn_cast<ExtVectorElementExpr>(E); V && !V->isArrow())
        E = V->getBase()->IgnoreParens();
      else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E); S && S->getBase()->getType()->isVectorType())
        E = S->getBase()->IgnoreParens();
      else
        break;
    }
    const auto *U = dyn_cast<UnaryOperator>(E);
    if (!isGlobal(E->getType()) || E->refersToBitField() ||
        !(isa<ArraySubscriptExpr>(E) || isa<MemberExpr>(E) || (U && U->getOpcode() == UO_Deref)))
      return;
    if (!isKnown(*E))
      return;
    const std::string Type = printed(Context.getPointerType(E->getType()));
    Found.push_back({E->getBeginLoc(), "(*(" + Type + ")hsched_checked(hsched_c, (ulong)&("});
    Ends.push_back({E->getEndLoc(),
                    "), " + std::to_string(Context.getTypeSizeInChars(E->getType()).getQuantity()) + "u, " +
                        std::to_string(How | bufferOf(E)) + "u, " + lineOf(*E) + "))",
                    true});
  }

  // Checks an argument that points to Count elements, Shift elements further ("": none).
  void pointer(const Expr *E, unsigned How, const std::string &Shift, unsigned Count) {
    const auto *P = E->getType()->getAs<PointerType>();
    if (!P || !isGlobal(P->getPointeeType()) || !isKnown(*E))
      return;
    const auto Each = static_cast<unsigned>(Context.getTypeSizeInChars(P->getPointeeType()).getQuantity());
    const std::string Bytes = std::to_string(Each * Count) + "u",
                      Way = Shift.empty() ? "0ul" : "(ulong)(" + Shift + ") * " + Bytes;
    Found.push_back({E->getBeginLoc(), "((" + printed(E->getType().getUnqualifiedType()) +
                                           ")(hsched_checked(hsched_c, " + Way + " + (ulong)("});
    Ends.push_back({E->getEndLoc(),
                    "), " + Bytes + ", " + std::to_string(How | bufferOf(E)) + "u, " + lineOf(*E) + ") - " + Way + "))",
                    true});
  }

  void vector(const CallExpr &C, const std::string &Width, unsigned Offset, unsigned Pointer, unsigned How) {
    unsigned N = 0;
    const Expr &Shift = *C.getArg(Offset)->IgnoreImpCasts();
    if (llvm::StringRef(Width).getAsInteger(10, N) || !isKnown(Shift))
      return;
    if (const std::string Text = textOf(Shift); !Text.empty())
      pointer(C.getArg(Pointer)->IgnoreImpCasts(), How, Text, N);
  }

  void call(const CallExpr &C, const std::string &Name) {
    const Expr &Callee = *C.getCallee()->IgnoreImpCasts();
    const SourceLocation Close = C.getRParenLoc();
    if (!isKnown(Callee) || Callee.getBeginLoc() != Callee.getEndLoc() || !isKnown(Close))
      return;
    Found.push_back({Callee.getBeginLoc(), "hsched_checked_" + Name, false, true});
    Ends.push_back({Close, C.getNumArgs() ? ", hsched_c" : "hsched_c"});
  }

  const ASTContext &Context;
  const SourceManager &SM;
  const std::set<const FunctionDecl *> &Checked;
  const MacroTokens &Expanded;
  const FileID File;
  std::map<const ValueDecl *, unsigned> Buffers; // Number of the kernel's buffer, from 1.
  std::vector<Insertion> Found, Ends;            // Ends: those behind the ones in Found, in the order of these.
  std::set<const Stmt *> Seen;
};

} // namespace

std::vector<BoundsEdit> boundsEdits(const FunctionDecl &F, const std::set<const FunctionDecl *> &Checked,
                                    const MacroTokens &Expanded) {
  Finder Edits(F, Checked, Expanded);
  Edits.visitAll(F.getBody());
  return Edits.edits();
}

} // namespace hsched::cc
