// Minikernels: copies of kernels of which only the first work-groups compute. They measure a kernel's speed on a device
// in a fraction of its time, with the launch configuration of the whole kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AstVisitor.h"
#include "analysis/kernel/Internal.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

// A group may wait for others, or a result may leave the kernel by a way other than its arguments.
constexpr KernelFeature Excluded[] = {
    KernelFeature::Atomics32,     KernelFeature::Atomics64,        KernelFeature::Printf,  KernelFeature::Pipes,
    KernelFeature::DeviceEnqueue, KernelFeature::ProgramVariables, KernelFeature::Assembly};

// Functions that are named by expressions, and accesses to volatile memory.
class References : public AstVisitor {
public:
  bool visit(Stmt &S) override {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&S))
      if (const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl()))
        Functions.insert(F->getCanonicalDecl());
    if (const auto *E = dyn_cast<Expr>(&S))
      Volatile |= E->getType().isVolatileQualified();
    return true;
  }
  std::set<const FunctionDecl *> Functions;
  bool Volatile = false; // A loop on it may wait for another work-group.
};

struct Insertion {
  unsigned Begin, End; // The range of the text that it replaces.
  std::string Text;
};

class Shortener {
public:
  explicit Shortener(ASTContext &Context) : Context(Context), SM(Context.getSourceManager()) {}

  std::string run(const std::vector<const FunctionDecl *> &Kernels, const std::vector<KernelInfo> &Infos) {
    References All;
    All.visitAll(Context.getTranslationUnitDecl());
    if (All.Volatile)
      return "";
    std::string Free; // Names of kernels that any launch computes alike.
    bool Any = false;
    for (size_t I = 0; I != Kernels.size(); ++I) {
      if (!isSafe(Infos[I]))
        continue;
      if (!asksForLaunch(*Kernels[I]))
        Free += " " + Infos[I].Name;
      if (!All.Functions.count(Kernels[I]->getCanonicalDecl()))
        Any |= shorten(*Kernels[I]);
    }
    return Any || !Free.empty() ? "// Any launch:" + Free + "\n" + text() : "";
  }

private:
  static bool isSafe(const KernelInfo &K) {
    return std::none_of(std::begin(Excluded), std::end(Excluded), [&](KernelFeature F) { return K.Features.count(F); });
  }

  // True if it, or a function that it uses, may ask how large the launch is: then its groups share out work by that.
  static bool asksForLaunch(const FunctionDecl &K) {
    std::set<const FunctionDecl *> Seen;
    std::vector<const FunctionDecl *> Todo = {&K};
    while (!Todo.empty()) {
      const FunctionDecl *F = Todo.back();
      Todo.pop_back();
      if (!Seen.insert(F->getCanonicalDecl()).second)
        continue;
      const FunctionDecl *Body = nullptr;
      if (F->hasBody(Body)) {
        References Its;
        Its.visitAll(Body->getBody());
        Todo.insert(Todo.end(), Its.Functions.begin(), Its.Functions.end());
      } else if (const IdentifierInfo *Name = F->getIdentifier()) {
        for (const char *Asks : {"get_global_size", "get_num_groups", "get_global_linear_id"})
          if (Name->isStr(Asks))
            return true;
      }
    }
    return false;
  }

  // The offset of a token that stands in the main file itself.
  std::optional<unsigned> offset(SourceLocation Loc) const {
    if (Loc.isInvalid() || Loc.isMacroID())
      return std::nullopt;
    const auto [File, Offset] = SM.getDecomposedLoc(Loc);
    return File == SM.getMainFileID() ? std::optional<unsigned>(Offset) : std::nullopt;
  }

  // False: the kernel stays as it is.
  bool shorten(const FunctionDecl &K) {
    const FunctionTypeLoc Type = K.getFunctionTypeLoc();
    if (!Type || K.getPreviousDecl() || K.getMostRecentDecl() != &K)
      return false;
    const auto LParen = offset(Type.getLParenLoc()), RParen = offset(Type.getRParenLoc());
    const auto Open = offset(K.getBody()->getBeginLoc());
    if (!LParen || !RParen || !Open)
      return false;
    const std::string Params = "uint hsched_groups, __global uint *hsched_local";
    if (K.param_empty()) // Also (void).
      Insertions.push_back({*LParen + 1, *RParen, Params});
    else
      Insertions.push_back({*RParen, *RParen, ", " + Params});
    Insertions.push_back({*Open + 1, *Open + 1,
                          " if (get_group_id(0) == 0 && get_group_id(1) == 0 && get_group_id(2) == 0) {"
                          " hsched_local[0] = get_local_size(0); hsched_local[1] = get_local_size(1);"
                          " hsched_local[2] = get_local_size(2); }"
                          " if (get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) *"
                          " get_group_id(2)) >= hsched_groups) return;"});
    return true;
  }

  std::string text() {
    const StringRef Old = SM.getBufferData(SM.getMainFileID());
    std::sort(Insertions.begin(), Insertions.end(),
              [](const Insertion &A, const Insertion &B) { return A.Begin < B.Begin; });
    std::string Out;
    unsigned At = 0;
    for (const Insertion &I : Insertions) {
      Out += Old.slice(At, I.Begin);
      Out += I.Text;
      At = I.End;
    }
    return Out + Old.substr(At).str();
  }

  ASTContext &Context;
  SourceManager &SM;
  std::vector<Insertion> Insertions;
};

} // namespace

std::string minikernels(ASTContext &Context, const std::vector<const FunctionDecl *> &Kernels,
                        const std::vector<KernelInfo> &Infos) {
  return Shortener(Context).run(Kernels, Infos);
}

} // namespace hsched::cc
