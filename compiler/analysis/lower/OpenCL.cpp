// Kernels: work-items, and built-in functions that the table cannot express.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"
#include "model/NameCharacters.h"

#include "clang/AST/Attr.h"

using namespace clang;

namespace hsched::cc {

namespace {

// Parser of ndrange expressions: sums and products of names and numbers. Anything else becomes one opaque name.
class ExpressionParser {
public:
  using Make = std::function<std::optional<Poly>(char Op, const Poly &, const Poly &)>;
  ExpressionParser(const std::string &Text, const std::function<Poly(const std::string &)> &Name, const Make &Combine)
      : Text(Text), Name(Name), Combine(Combine) {}

  std::optional<Poly> parse() {
    std::optional<Poly> P = sum();
    space();
    return At == Text.size() ? P : std::nullopt;
  }

private:
  void space() {
    while (At < Text.size() && std::isspace(static_cast<unsigned char>(Text[At])))
      ++At;
  }
  bool take(char C) {
    space();
    if (At >= Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }
  std::optional<Poly> sum() {
    std::optional<Poly> L = product();
    while (L) {
      if (take('+')) {
        const std::optional<Poly> R = product();
        L = R ? std::optional(*L + *R) : std::nullopt;
      } else if (take('-')) {
        const std::optional<Poly> R = product();
        L = R ? std::optional(*L - *R) : std::nullopt;
      } else {
        break;
      }
    }
    return L;
  }
  std::optional<Poly> product() {
    std::optional<Poly> L = unary();
    while (L) {
      char Op = 0;
      for (char C : {'*', '/', '%'})
        if (!Op && take(C))
          Op = C;
      if (!Op)
        break;
      const std::optional<Poly> R = unary();
      L = R ? Combine(Op, *L, *R) : std::nullopt;
    }
    return L;
  }
  std::optional<Poly> unary() {
    if (take('-')) {
      const std::optional<Poly> P = unary();
      return P ? std::optional(-*P) : std::nullopt;
    }
    if (take('+'))
      return unary();
    return primary();
  }
  std::optional<Poly> primary() {
    if (take('(')) {
      const std::optional<Poly> P = sum();
      return P && take(')') ? P : std::nullopt;
    }
    space();
    std::size_t Begin = At;
    if (At < Text.size() && std::isdigit(static_cast<unsigned char>(Text[At]))) {
      std::int64_t N = 0;
      for (; At < Text.size() && std::isdigit(static_cast<unsigned char>(Text[At])); ++At)
        if (__builtin_mul_overflow(N, 10, &N) || __builtin_add_overflow(N, Text[At] - '0', &N))
          return std::nullopt;
      while (At < Text.size() && std::strchr("uUlLzZ", Text[At]) && Text[At])
        ++At;
      if (At < Text.size() &&
          (std::isalnum(static_cast<unsigned char>(Text[At])) || Text[At] == '.' || Text[At] == '\''))
        return std::nullopt;
      return Poly(N);
    }
    const auto Word = [&] {
      const std::size_t From = At;
      while (At < Text.size() && inName(Text[At]))
        ++At;
      return At != From;
    };
    if (!Word())
      return std::nullopt;
    // Members, elements and calls are one name.
    while (At < Text.size()) {
      if (Text[At] == '.' || Text.compare(At, 2, "->") == 0 || Text.compare(At, 2, "::") == 0) {
        At += Text[At] == '.' ? 1 : 2;
        if (!Word())
          return std::nullopt;
      } else if (Text[At] == '(' || Text[At] == '[') {
        int Level = 0;
        do {
          Level += (Text[At] == '(' || Text[At] == '[') - (Text[At] == ')' || Text[At] == ']');
          ++At;
        } while (Level && At < Text.size());
        if (Level)
          return std::nullopt;
      } else {
        break;
      }
    }
    return Name(Text.substr(Begin, At - Begin));
  }

  const std::string &Text;
  const std::function<Poly(const std::string &)> &Name;
  const Make &Combine;
  std::size_t At = 0;
};

} // namespace

Poly Lowerer::parseExpression(const std::string &Text) {
  const std::function<Poly(const std::string &)> Name = [&](const std::string &N) { return hostSymbol(N); };
  const ExpressionParser::Make Combine = [&](char Op, const Poly &L, const Poly &R) -> std::optional<Poly> {
    const Value V = arithmetic(Op == '*'   ? BO_Mul
                               : Op == '/' ? BO_Div
                                           : BO_Rem,
                               Value::integer(L), Value::integer(R), Context.LongTy);
    return V.Int;
  };
  if (const std::optional<Poly> P = ExpressionParser(Text, Name, Combine).parse(); P && P->valid())
    return *P;
  return hostSymbol("(" + Text + ")");
}

AccessTree Lowerer::kernel(const FunctionDecl &F, const KernelGeometry &G) {
  Geometry = &G;
  const FunctionDecl *Def = nullptr;
  Node Body;
  Out = &Body;
  Frame Top;
  Fr = &Top;
  const bool Visible = F.hasBody(Def) && Def;
  const FunctionDecl &D = Visible ? *Def : F;
  Top.F = &D;
  for (unsigned I = 0; I != D.getNumParams(); ++I)
    bindParameter(*D.getParamDecl(I), I);
  std::vector<Node> Loops;
  const unsigned Dims = std::min(G.Dims, 3u);
  const auto *Required = D.getAttr<ReqdWorkGroupSizeAttr>();
  for (unsigned K = 0; K != Dims; ++K) {
    const std::string In = "(" + std::to_string(K) + ")";
    std::optional<Poly> Local, Groups;
    if (G.Local[K])
      Local = parseExpression(*G.Local[K]);
    Poly Size = G.Global[K] ? parseExpression(*G.Global[K]) : hostSymbol("get_global_size" + In, true);
    if (Local && G.Global[K]) { // The range is rounded up to whole groups.
      const Value N = arithmetic(BO_Div, Value::integer(Size + *Local - 1), Value::integer(*Local), Context.LongTy);
      const std::optional<Poly> Whole = Size.dividedBy(*Local);
      Groups = Whole ? Whole : N.Int;
      if (Groups)
        Size = *Groups * *Local;
    }
    GlobalSizes.push_back(Size);
    if (!Local && Required)
      Local = Poly(std::int64_t(K == 0 ? Required->getXDim() : K == 1 ? Required->getYDim() : Required->getZDim()));
    LocalSizes.push_back(Local ? *Local : hostSymbol("get_local_size" + In, true));
    NumGroups.push_back(Groups ? *Groups : hostSymbol("get_num_groups" + In, true));
    Node L;
    L.K = Node::Loop;
    L.Parallel = true;
    L.Loc = D.getLocation();
    L.Counter = freshSymbol("get_global_id" + In, Symbol::Loop);
    L.Low = 0;
    L.High = Size;
    Tree.Symbols[L.Counter].NonNegative = true;
    SymbolTable[L.Counter].Low = 0;
    SymbolTable[L.Counter].High = Size;
    GlobalIds.push_back(Poly::symbol(L.Counter));
    const Poly Group = ranged("get_group_id" + In, 0, NumGroups.back());
    GroupIds.push_back(Group);
    LocalIds.push_back(ranged("get_local_id" + In, 0, LocalSizes.back()));
    Loops.push_back(std::move(L));
  }
  if (Visible)
    runBody(D);
  if (!Visible || Incomplete || Exhausted) {
    const std::string Why = !Visible || Incomplete ? "a part of it is not understood"
                                                   : "'" + D.getNameAsString() + "' is too large to be looked into";
    Body.Children.clear();
    St.Dead = Exhausted = false;
    Budget = 0;
    judgePrototype(D, Why);
  }
  for (Node &L : Loops) { // Dimension 0 innermost.
    L.Children.push_back(std::move(Body));
    Body = Node();
    Body.Children.push_back(std::move(L));
  }
  Tree.Body = std::move(Body);
  return finish();
}

// Replaces the global id by group number and local id in polynomials that contain the group number: otherwise the two
// would count as independent.
Poly Lowerer::withLocalIds(Poly P) const {
  for (std::size_t K = 0; K != GroupIds.size(); ++K) {
    const SymbolId W = *GroupIds[K].symbols().begin(), G = *GlobalIds[K].symbols().begin();
    if (!P.mentions(W) || !P.mentions(G))
      continue;
    if (const Poly Q = P.substituted(G, LocalIds[K] + GroupIds[K] * LocalSizes[K]); Q.valid())
      P = Q;
  }
  return P;
}

std::optional<Value> Lowerer::openclCall(const CallExpr *E, const FunctionDecl *F) {
  if (!F->getIdentifier() || F->hasBody())
    return std::nullopt;
  const llvm::StringRef Name = F->getName();
  const auto Arg = [&](unsigned I) { return rvalue(E->getArg(I)); };
  if (Name == "get_work_dim")
    return Value(); // A launch may have more dimensions than the kernel asks for.
  if (Name.starts_with("get_") && E->getNumArgs() == 1) {
    const Value K = Arg(0);
    const std::optional<std::int64_t> C = K.Int ? K.Int->constant() : std::nullopt;
    const bool Id =
        Name == "get_global_id" || Name == "get_group_id" || Name == "get_local_id" || Name == "get_global_offset";
    const bool Size = Name == "get_global_size" || Name == "get_local_size" || Name == "get_num_groups" ||
                      Name == "get_enqueued_local_size";
    if (!Id && !Size)
      return std::nullopt;
    if (GlobalIds.empty() || !C || *C < 0)
      return Value();
    if (std::size_t(*C) >= GlobalIds.size() || Name == "get_global_offset")
      return Value::integer(Id ? 0 : 1);
    const std::size_t D = std::size_t(*C);
    if (Name == "get_global_id")
      return Value::integer(GlobalIds[D]);
    if (Name == "get_group_id")
      return Value::integer(GroupIds[D]);
    if (Name == "get_local_id")
      return Value::integer(GlobalIds[D] - GroupIds[D] * LocalSizes[D]);
    if (Name == "get_global_size")
      return Value::integer(GlobalSizes[D]);
    return Value::integer(Name == "get_num_groups" ? NumGroups[D] : LocalSizes[D]);
  }
  if (Name == "get_global_linear_id" && !GlobalIds.empty()) {
    Poly P = 0;
    for (std::size_t D = GlobalIds.size(); D-- != 0;)
      P = P * GlobalSizes[D] + GlobalIds[D];
    return Value::integer(P);
  }
  if (!E->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  if (Name == "min" || Name == "max" || Name == "clamp") {
    std::vector<Value> Of;
    for (unsigned I = 0; I != E->getNumArgs(); ++I) {
      Of.push_back(Arg(I));
      noteNumber(Of.back(), E->getType(), E->getArg(I)); // Their order decides.
    }
    return Name == "clamp" ? leastOrGreatest({leastOrGreatest({Of[0], Of[1]}, false), Of[2]}, true)
                           : leastOrGreatest({Of[0], Of[1]}, Name == "min");
  }
  if (Name == "mul24" || Name == "mad24") { // Only 24 bits of the factors count.
    const Value A = Arg(0), B = Arg(1);
    noteNumber(A, E->getType(), E->getArg(0), 24);
    noteNumber(B, E->getType(), E->getArg(1), 24);
    const Value Product = arithmetic(BO_Mul, A, B, E->getType());
    return Name == "mul24" ? Product : arithmetic(BO_Add, Product, Arg(2), E->getType());
  }
  return std::nullopt;
}

// A block may run later, possibly in other work-items: all of its captures escape.
Value Lowerer::block(const BlockExpr *E) {
  for (const BlockDecl::Capture &C : E->getBlockDecl()->captures()) {
    const Value At = variable(C.getVariable(), nullptr);
    const QualType T = C.getVariable()->getType().getNonReferenceType();
    escape(C.isByRef() ? At : load(At, T, nullptr), E->getExprLoc(),
           "'" + C.getVariable()->getNameAsString() + "' is captured by a block");
  }
  return Value::unbounded("a block");
}

} // namespace hsched::cc
