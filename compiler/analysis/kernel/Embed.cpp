// The embedded source: the user's file with its active includes inlined and, after each kernel, its entry. An entry is
// a copy that takes a byte offset for each buffer (abi.h, HSCHED_KERNEL_OFFSETS).
//
// An entry is the kernel's own text if that can be edited, so macros, directives and vendor extensions keep their
// meaning on the device. Three forms, from best to worst:
//   1. The text, each buffer parameter renamed in place;
//   2. The text, the parameter list printed anew, where names in it come from macros;
//   3. A call of the kernel, where the definition's own frame comes from a macro.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AstVisitor.h"
#include "analysis/kernel/Bounds.h"
#include "analysis/kernel/Internal.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {
namespace {

// Replaces [Begin, End) of a file by Text, or by a whole file.
struct Edit {
  unsigned Begin, End;
  std::string Text;
  FileID Child = FileID();
};

const char *spaceName(LangAS AS) { return AS == LangAS::opencl_constant ? "__constant" : "__global"; }

class LocalFinder : public AstVisitor {
public:
  bool visit(Decl &D) override {
    const auto *V = dyn_cast<VarDecl>(&D);
    Found |= V && !isa<ParmVarDecl>(V) && V->getType().getAddressSpace() == LangAS::opencl_local;
    return !Found;
  }
  bool Found = false;
};

class Embedder {
public:
  using Reporter = std::function<void(SourceLocation, const std::string &)>;

  Embedder(ASTContext &Context, const DirectiveMap &Directives, bool Checks, const MacroTokens &Expanded,
           const Reporter &Report)
      : Context(Context), SM(Context.getSourceManager()), Checks(Checks), Expanded(Expanded), Report(Report) {
    for (const auto &[File, List] : Directives)
      for (const InlinedDirective &D : List)
        Directive[File].push_back({D.Begin, D.End, D.Child.isValid() ? "" : newlines(File, D.Begin, D.End), D.Child});
  }

  std::string run(const std::vector<const FunctionDecl *> &Kernels) {
    if (Checks)
      addCheckedFunctions();
    for (const FunctionDecl *K : Kernels)
      if (std::optional<std::string> Text = entry(*K)) {
        if (std::optional<std::string> Checked = Checks ? copy(*K, true) : std::nullopt)
          *Text += "\n" + lineMarker(SM.getExpansionLoc(K->getBeginLoc())) + *Checked;
        const auto [File, After] = endOf(K->getEndLoc());
        Entries[File].push_back({After, After,
                                 "\n" + lineMarker(SM.getExpansionLoc(K->getBeginLoc())) + *Text + "\n" +
                                     lineMarker(SM.getComposedLoc(File, After))});
      }
    return (Checks ? boundsPreamble() : "") + wholeFile(SM.getMainFileID());
  }

private:
  StringRef text(FileID File) const { return SM.getBufferData(File); }

  std::string lineMarker(SourceLocation Loc, unsigned Add = 0) const {
    const PresumedLoc Place = SM.getPresumedLoc(Loc);
    if (Place.isInvalid())
      return "";
    std::string Out = "#line " + std::to_string(Place.getLine() + Add) + " \"";
    for (const char *C = Place.getFilename(); *C; ++C) {
      if (*C == '"' || *C == '\\')
        Out += '\\';
      Out += *C;
    }
    return Out + "\"\n";
  }

  // Offset just after the token at Loc, or after the macro call that made it.
  std::pair<FileID, unsigned> endOf(SourceLocation Loc) const {
    const CharSourceRange Range = SM.getExpansionRange(Loc);
    auto [File, Offset] = SM.getDecomposedLoc(Range.getEnd());
    if (Range.isTokenRange())
      Offset += Lexer::MeasureTokenLength(Range.getEnd(), SM, Context.getLangOpts());
    return {File, Offset};
  }

  std::string wholeFile(FileID File) {
    std::vector<Edit> Edits = Directive[File];
    const std::vector<Edit> &Mine = Entries[File];
    Edits.insert(Edits.end(), Mine.begin(), Mine.end());
    // A byte order mark is allowed only at the beginning, and is not needed.
    const unsigned Begin = text(File).starts_with("\xEF\xBB\xBF") ? 3 : 0;
    return lineMarker(SM.getLocForStartOfFile(File)) + render(File, Begin, text(File).size(), Edits);
  }

  // Text order: insertions before replacements, longer before shorter.
  static bool before(const Edit &A, const Edit &B) {
    if (A.Begin != B.Begin)
      return A.Begin < B.Begin;
    if ((A.Begin == A.End) != (B.Begin == B.End))
      return A.Begin == A.End;
    return A.End > B.End;
  }

  // [Begin, End) of File with Edits applied; of two that overlap the first wins. Insertions at one place keep their
  // order.
  std::string render(FileID File, unsigned Begin, unsigned End, const std::vector<Edit> &Edits) {
    std::vector<const Edit *> Sorted;
    for (const Edit &E : Edits)
      Sorted.insert(std::upper_bound(Sorted.begin(), Sorted.end(), &E,
                                     [](const Edit *A, const Edit *B) { return before(*A, *B); }),
                    &E);
    const StringRef All = text(File);
    std::string Out;
    unsigned At = Begin;
    for (const Edit *Next : Sorted) {
      const Edit &E = *Next;
      if (E.Begin < At || E.End > End)
        continue;
      Out += All.slice(At, E.Begin);
      Out += E.Text;
      if (E.Child.isValid()) {
        Out += "\n" + wholeFile(E.Child);
        if (Out.back() != '\n')
          Out += '\n';
        // The directive's own newline ends this marker, which describes the next line.
        std::string Back = lineMarker(SM.getComposedLoc(File, E.End), 1);
        if (!Back.empty())
          Back.pop_back();
        Out += Back;
      }
      At = E.End;
    }
    return Out += All.slice(At, End);
  }

  bool isBuffer(const ParmVarDecl &P) const {
    const auto *Pointer = P.getType()->getAs<PointerType>();
    const LangAS AS = Pointer ? Pointer->getPointeeType().getAddressSpace() : LangAS::Default;
    return AS == LangAS::opencl_global || AS == LangAS::opencl_constant;
  }

  static std::string nameOf(const ParmVarDecl &P) {
    return P.getName().empty() ? std::to_string(P.getFunctionScopeIndex()) : P.getName().str();
  }

  // A declaration of Name with type T, or T alone where Name is empty.
  std::string declare(QualType T, std::string Name) const {
    PrintingPolicy Policy = Context.getPrintingPolicy();
    Policy.SuppressTagKeyword = false;
    T.getAsStringInternal(Name, Policy);
    return Name;
  }

  // Parameters are spelled without the address space that the AST gives to the parameter itself.
  static QualType plainType(const ParmVarDecl &P) {
    const QualType T = P.getType();
    return T.isRestrictQualified() ? T.getUnqualifiedType().withRestrict() : T.getUnqualifiedType();
  }

  // The offset parameters. For a checked entry, the section table comes first.
  std::string offsetParams(const FunctionDecl &K, bool Checked = false) const {
    std::string Out = Checked ? ", __global ulong *hsched_table" : "";
    for (const ParmVarDecl *P : K.parameters())
      if (isBuffer(*P))
        Out += ", ulong hsched_off_" + nameOf(*P);
    return Out + (Checked ? ", ulong hsched_table_off" : "");
  }

  // Before a checked entry's body: the begins of its buffers.
  std::string bounds(const FunctionDecl &K) const {
    std::string Out = " hsched_bounds hsched_b; hsched_bounds *hsched_c = &hsched_b; hsched_b.t = (__global ulong "
                      "*)((__global char *)hsched_table + hsched_table_off);";
    unsigned Number = 0;
    for (const ParmVarDecl *P : K.parameters())
      if (isBuffer(*P))
        Out += " hsched_b.base[" + std::to_string(Number++) + "] = (ulong)" +
               (P->getName().empty() ? pointer(*P) : P->getNameAsString()) + ";";
    return Out;
  }

  // Adds copies of functions with checks behind the functions. Calls of functions that are defined later are not
  // checked.
  void addCheckedFunctions() {
    for (const Decl *D : Context.getTranslationUnitDecl()->decls()) {
      const auto *F = dyn_cast<FunctionDecl>(D);
      if (!F || !F->isThisDeclarationADefinition() || F->hasAttr<OpenCLKernelAttr>() || F->isInvalidDecl() ||
          F->isVariadic() || F->hasAttr<OverloadableAttr>() || !F->getIdentifier())
        continue;
      const auto [File, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(F->getBeginLoc()));
      const FunctionTypeLoc Type = F->getFunctionTypeLoc();
      if (!Type)
        continue;
      const auto Name = offsetIn(File, F->getLocation()), LParen = offsetIn(File, Type.getLParenLoc()),
                 RParen = offsetIn(File, Type.getRParenLoc());
      const auto Open = offsetIn(File, F->getBody()->getBeginLoc()), Close = offsetIn(File, F->getBody()->getEndLoc());
      if (!Name || !LParen || !RParen || !Open || !Close || *Name < Begin)
        continue;
      std::vector<Edit> Edits = Directive[File];
      Edits.push_back({*Name, *Name + Lexer::MeasureTokenLength(F->getLocation(), SM, Context.getLangOpts()),
                       "hsched_checked_" + F->getNameAsString()});
      if (F->param_empty()) // (Void), ().
        Edits.push_back({*LParen + 1, *RParen, "hsched_bounds *hsched_c"});
      else
        Edits.push_back({*RParen, *RParen, ", hsched_bounds *hsched_c"});
      Checkable.insert(F); // So that recursive calls are found.
      for (const BoundsEdit &E : boundsEdits(*F, Checkable, Expanded))
        Edits.push_back({E.Begin, E.End, E.Text});
      Entries[File].push_back({*Close + 1, *Close + 1,
                               "\n" + lineMarker(SM.getExpansionLoc(F->getBeginLoc())) +
                                   render(File, Begin, *Close + 1, Edits) + "\n" +
                                   lineMarker(SM.getComposedLoc(File, *Close + 1))});
    }
  }

  // The user's pointer: (__global T *)((__global char *)hsched_buf_p + hsched_off_p).
  std::string pointer(const ParmVarDecl &P) const {
    const QualType Pointee = P.getType()->getAs<PointerType>()->getPointeeType();
    const std::string Bytes = std::string(spaceName(Pointee.getAddressSpace())) + " const char *";
    return "(" + declare(Context.getPointerType(Pointee), "") + ")((" + Bytes + ")hsched_buf_" + nameOf(P) +
           " + hsched_off_" + nameOf(P) + ")";
  }

  std::string printedParams(const FunctionDecl &K) const {
    std::string Out;
    for (const ParmVarDecl *P : K.parameters())
      Out += (Out.empty() ? "" : ", ") +
             declare(plainType(*P), isBuffer(*P) ? "hsched_buf_" + nameOf(*P) : "hsched_arg_" + nameOf(*P));
    return Out;
  }

  // Attributes that the definition has from an earlier declaration, so that its own text lacks them.
  std::string attributes(const FunctionDecl &K, bool OnlyInherited) const {
    std::string Out;
    auto sizes = [](unsigned X, unsigned Y, unsigned Z) {
      return "(" + std::to_string(X) + ", " + std::to_string(Y) + ", " + std::to_string(Z) + "))) ";
    };
    if (const auto *A = K.getAttr<ReqdWorkGroupSizeAttr>(); A && (A->isInherited() || !OnlyInherited))
      Out += "__attribute__((reqd_work_group_size" + sizes(A->getXDim(), A->getYDim(), A->getZDim());
    if (const auto *A = K.getAttr<WorkGroupSizeHintAttr>(); A && (A->isInherited() || !OnlyInherited))
      Out += "__attribute__((work_group_size_hint" + sizes(A->getXDim(), A->getYDim(), A->getZDim());
    return Out;
  }

  // The offset in File of a token that stands there itself.
  std::optional<unsigned> offsetIn(FileID File, SourceLocation Loc) const {
    if (Loc.isInvalid() || Loc.isMacroID())
      return std::nullopt;
    const auto [In, Offset] = SM.getDecomposedLoc(Loc);
    return In == File ? std::optional<unsigned>(Offset) : std::nullopt;
  }

  // The range in File that stands for the kernel's name: the token, or a macro's use that makes it and no more.
  std::optional<std::pair<unsigned, unsigned>> nameRange(const FunctionDecl &K, FileID File, unsigned LParen) const {
    const SourceLocation Loc = K.getLocation();
    const auto [Begin, BeginOffset] = SM.getDecomposedLoc(SM.getExpansionLoc(Loc));
    const auto [End, EndOffset] = endOf(Loc);
    if (Begin != File || End != File)
      return std::nullopt;
    if (Loc.isMacroID()) {
      // The type before the name, or the parenthesis after it, may come from the same macro.
      const SourceRange Type = K.getReturnTypeSourceRange();
      if (Type.isInvalid() || SM.getExpansionLoc(Type.getEnd()) == SM.getExpansionLoc(Loc))
        return std::nullopt;
      if (!text(File).slice(EndOffset, LParen).trim().empty())
        return std::nullopt;
    }
    return std::make_pair(BeginOffset, EndOffset);
  }

  // Forms 1 and 2; nothing if the definition's frame is not in one file's own text.
  std::optional<std::string> copy(const FunctionDecl &K, bool Checked = false) {
    if (Checked && llvm::count_if(K.parameters(), [&](const ParmVarDecl *P) { return isBuffer(*P); }) > 16)
      return std::nullopt;
    const auto [File, Begin] = SM.getDecomposedLoc(SM.getExpansionLoc(K.getBeginLoc()));
    const FunctionTypeLoc Type = K.getFunctionTypeLoc();
    if (!Type)
      return std::nullopt;
    const auto LParen = offsetIn(File, Type.getLParenLoc()), RParen = offsetIn(File, Type.getRParenLoc());
    const auto Open = offsetIn(File, K.getBody()->getBeginLoc()), Close = offsetIn(File, K.getBody()->getEndLoc());
    if (!LParen || !RParen || !Open || !Close)
      return std::nullopt;
    const auto Name = nameRange(K, File, *LParen);
    if (!Name || Name->first < Begin)
      return std::nullopt;

    std::vector<Edit> Edits = Directive[File];
    Edits.push_back({Name->first, Name->second, (Checked ? "hsched_check_" : "") + entryName(K.getNameAsString())});
    std::vector<Edit> Renames;
    std::string Locals;
    bool Printed = false;
    for (const ParmVarDecl *P : K.parameters()) {
      if (!isBuffer(*P) || P->getName().empty())
        continue;
      const auto At = offsetIn(File, P->getLocation());
      if (At)
        Renames.push_back({*At, *At + Lexer::MeasureTokenLength(P->getLocation(), SM, Context.getLangOpts()),
                           "hsched_buf_" + nameOf(*P)});
      Printed |= !At;
      const QualType Plain = Context.getPointerType(P->getType()->getAs<PointerType>()->getPointeeType());
      Locals += " " + declare(Plain, P->getNameAsString()) + " = " + pointer(*P) + ";";
    }
    if (Printed) {
      std::string List;
      for (const ParmVarDecl *P : K.parameters())
        List += (List.empty() ? "" : ", ") +
                declare(plainType(*P), isBuffer(*P) ? "hsched_buf_" + nameOf(*P) : P->getNameAsString());
      Edits.push_back({*LParen + 1, *RParen, List + offsetParams(K, Checked) + newlines(File, *LParen, *RParen)});
    } else {
      Edits.insert(Edits.end(), Renames.begin(), Renames.end());
      Edits.push_back({*RParen, *RParen, offsetParams(K, Checked)});
    }
    Edits.push_back({*Open + 1, *Open + 1, Locals + (Checked ? bounds(K) : "")});
    if (Checked)
      for (const BoundsEdit &E : boundsEdits(K, Checkable, Expanded))
        Edits.push_back({E.Begin, E.End, E.Text});
    return attributes(K, /*OnlyInherited=*/true) + render(File, Begin, *Close + 1, Edits);
  }

  // As many newlines as the range has, so that later lines keep their numbers.
  std::string newlines(FileID File, unsigned Begin, unsigned End) const {
    return std::string(text(File).slice(Begin, End).count('\n'), '\n');
  }

  // Form 3.
  std::optional<std::string> call(const FunctionDecl &K) {
    LocalFinder Locals;
    Locals.visitAll(K.getBody());
    if (Locals.Found) {
      Report(K.getLocation(), "kernel '" + K.getNameAsString() +
                                  "' declares __local variables, so its name, parameter list and braces must not come "
                                  "from a macro");
      return std::nullopt;
    }
    std::string Args;
    for (const ParmVarDecl *P : K.parameters())
      Args += (Args.empty() ? "" : ", ") + (isBuffer(*P) ? pointer(*P) : "hsched_arg_" + nameOf(*P));
    return "__kernel " + attributes(K, /*OnlyInherited=*/false) + "void " + entryName(K.getNameAsString()) + "(" +
           printedParams(K) + offsetParams(K) + ") { " + K.getNameAsString() + "(" + Args + "); }";
  }

  std::optional<std::string> entry(const FunctionDecl &K) {
    std::optional<std::string> Text = copy(K);
    return Text ? Text : call(K);
  }

  ASTContext &Context;
  SourceManager &SM;
  const bool Checks;
  const MacroTokens &Expanded;
  const Reporter &Report;
  std::set<const FunctionDecl *> Checkable; // Functions with a checked copy.
  std::map<FileID, std::vector<Edit>> Directive, Entries;
};

// Offset of the newline (or the end) that ends the directive whose '#' is at Begin.
unsigned endOfDirective(StringRef Text, unsigned Begin) {
  unsigned I = Begin;
  char Quote = 0;
  while (I < Text.size()) {
    const StringRef Rest = Text.substr(I);
    if (Rest.starts_with("\\\n")) {
      I += 2;
    } else if (Rest.starts_with("\\\r\n")) {
      I += 3;
    } else if (Rest[0] == '\n' || Rest.starts_with("\r\n")) {
      break;
    } else if (Quote) {
      Quote = Rest[0] == Quote ? 0 : Quote;
      ++I;
    } else if (Rest.starts_with("/*")) {
      const std::size_t Close = Text.find("*/", I + 2);
      I = Close == StringRef::npos ? Text.size() : unsigned(Close + 2);
    } else {
      if (Rest[0] == '"' || Rest[0] == '<')
        Quote = Rest[0] == '<' ? '>' : '"';
      ++I;
    }
  }
  return I;
}

class Recorder : public PPCallbacks {
public:
  Recorder(SourceManager &SM, DirectiveMap &Map) : SM(SM), Map(Map) {}

  void InclusionDirective(SourceLocation Hash, const Token &, StringRef, bool, CharSourceRange,
                          OptionalFileEntryRef File, StringRef, StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    Pending = Hash.isFileID() && SM.getFileEntryForID(SM.getFileID(Hash)) && File ? Hash : SourceLocation();
  }

  void FileChanged(SourceLocation Loc, FileChangeReason Reason, SrcMgr::CharacteristicKind, FileID) override {
    if (Reason == EnterFile && Pending.isValid())
      record(Pending, SM.getFileID(Loc));
    Pending = SourceLocation();
  }

  void FileSkipped(const FileEntryRef &, const Token &, SrcMgr::CharacteristicKind) override {
    if (Pending.isValid())
      record(Pending, FileID());
    Pending = SourceLocation();
  }

  void PragmaDirective(SourceLocation Loc, PragmaIntroducerKind Introducer) override {
    if (Introducer != PIK_HashPragma || !Loc.isFileID())
      return;
    const auto [File, Offset] = SM.getDecomposedLoc(Loc);
    StringRef Rest = SM.getBufferData(File).substr(Offset);
    for (const char *Word : {"#", "pragma", "once"})
      if (!Rest.consume_front(Word))
        return;
      else
        Rest = Rest.ltrim(" \t");
    record(Loc, FileID());
  }

private:
  void record(SourceLocation Hash, FileID Child) {
    const auto [File, Offset] = SM.getDecomposedLoc(Hash);
    Map[File].push_back({Offset, endOfDirective(SM.getBufferData(File), Offset), Child});
  }

  SourceManager &SM;
  DirectiveMap &Map;
  SourceLocation Pending;
};

} // namespace

std::unique_ptr<PPCallbacks> recordDirectives(SourceManager &SM, DirectiveMap &Map) {
  return std::make_unique<Recorder>(SM, Map);
}

std::string embed(ASTContext &Context, const DirectiveMap &Directives, const std::vector<const FunctionDecl *> &Kernels,
                  bool Checks, const MacroTokens &Expanded,
                  const std::function<void(SourceLocation, const std::string &)> &Report) {
  return Embedder(Context, Directives, Checks, Expanded, Report).run(Kernels);
}

} // namespace hsched::cc
