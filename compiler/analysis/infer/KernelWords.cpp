// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/KernelWords.h"

#include "analysis/infer/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <utility>

namespace hsched::cc {
namespace {

class Translation {
public:
  Translation(const KernelInfo &Kernel, const KernelCode &Code, const std::vector<HostParam> &Params)
      : Kernel(Kernel), Code(Code), Params(Params), From(*Kernel.Tree),
        W(To, [](llvm::StringRef) { return std::nullopt; }, [](llvm::StringRef Name) { return Name.str(); }) {}

  AccessTree run() {
    To.Complete = From.Complete;
    // Loop counters and unknown symbols are copied with the same numbers.
    To.Symbols = From.Symbols;
    for (SymbolId S = 0; S != From.Symbols.size(); ++S)
      if (From.Symbols[S].K == Symbol::Value)
        // So that a host name with the same spelling does not match it.
        To.Symbols[S].Spelling = (ofGroups(From.Symbols[S]) ? "?groups" : "?") + std::to_string(S);
    for (const HostParam &P : Params)
      if (P.NonNegative)
        To.Symbols[W.symbol(P.Name)].NonNegative = true;
    for (SymbolId S = 0; S != From.Symbols.size(); ++S)
      if (From.Symbols[S].K == Symbol::Value)
        By.emplace(S, meaning(From.Symbols[S], S));
    for (SymbolId S = 0; S != From.Symbols.size(); ++S)
      chosen(S);
    for (const Root &R : From.Roots)
      To.Roots.push_back(root(R));
    for (Poly Fact : From.Facts) {
      translate(Fact);
      To.Facts.push_back(std::move(Fact));
    }
    To.Body = From.Body;
    translate(To.Body);
    return std::move(To);
  }

private:
  const KernelInfo &Kernel;
  const KernelCode &Code;
  const std::vector<HostParam> &Params;
  const AccessTree &From;
  AccessTree To;
  Words W;
  std::map<SymbolId, Poly> By;
  std::vector<Poly> Ends; // Ends of the counters of the enclosing loops: each is >= 0.
  struct Shift {
    Poly Offset = 0;        // Offset of the kernel's element 0 from the host's, in the host's elements.
    std::int64_t Ratio = 1; // Host elements per kernel element; 0: sizes do not fit, for the reason in Why.
    std::string Why = {};
  };
  std::vector<Shift> Shifts; // By root.

  static bool ofGroups(const Symbol &S) {
    const llvm::StringRef Text = S.Spelling;
    return Text.starts_with("get_num_groups(") || Text.starts_with("get_local_size(");
  }

  int paramNamed(llvm::StringRef Name) const {
    for (size_t I = 0; I != Kernel.Params.size(); ++I)
      if (Kernel.Params[I].Name == Name)
        return static_cast<int>(I);
    return -1;
  }

  // The host's expression for a symbol of the kernel.
  Poly meaning(const Symbol &S, SymbolId Id) {
    llvm::StringRef Text = S.Spelling;
    const Poly Itself = Poly::symbol(Id);
    auto geometry = [&](llvm::StringRef Function, const std::vector<Expr> &Sizes, bool Rounded) -> std::optional<Poly> {
      if (!Text.consume_front(Function) || !Text.consume_front("(") || !Text.consume_back(")"))
        return std::nullopt;
      unsigned Dimension;
      if (Text.getAsInteger(0, Dimension))
        return Itself;
      if (Dimension >= Sizes.size())
        return Sizes.empty() ? Itself : Poly(1);
      std::optional<Poly> P = W.poly(Sizes[Dimension].Text);
      if (!P)
        return Itself;
      return Rounded ? *P + padding(Dimension, *P) : *P;
    };
    if (std::optional<Poly> P = geometry("get_global_size", Code.Global, !Code.Local.empty()))
      return *P;
    Text = S.Spelling;
    if (std::optional<Poly> P = geometry("get_local_size", Code.Local, false))
      return *P;
    Text = S.Spelling;
    if (unsigned Dimension = 0;
        Text.consume_front("get_num_groups(") && !Text.consumeInteger(0, Dimension) && Text == ")")
      return groups(Dimension).value_or(Itself);
    const std::optional<std::string> Called = asArguments(S.Spelling);
    const std::optional<Poly> P = Called ? W.poly(*Called) : std::nullopt;
    if (!P)
      return Itself;
    if (const std::optional<std::string> Wide = S.Wide.empty() ? std::nullopt : asArguments(S.Wide))
      if (const std::set<SymbolId> One = P->symbols(); One.size() == 1 && *P == Poly::symbol(*One.begin()))
        To.Symbols[*One.begin()].Wide = *Wide;
    return *P;
  }

  // A maximum or minimum symbol of the kernel becomes one of the host.
  void chosen(SymbolId S) {
    To.Symbols[S].Greatest.clear();
    To.Symbols[S].Least.clear();
    To.Symbols[S].Divisor = 0;
    const auto Is = By.find(S);
    if (Is == By.end())
      return;
    const std::set<SymbolId> One = Is->second.symbols();
    if (One.size() != 1 || !(Is->second == Poly::symbol(*One.begin())))
      return;
    for (auto List : {&Symbol::Greatest, &Symbol::Least}) {
      std::vector<Poly> Of = From.Symbols[S].*List;
      for (Poly &P : Of)
        translate(P);
      if (!Of.empty())
        To.Symbols[*One.begin()].*List = std::move(Of);
    }
  }

  // Replaces each parameter name by its argument. Nothing if a name is no parameter: functions, macros and members of
  // the kernel are unknown to the host. Qualified names are the host's, because kernels have none.
  std::optional<std::string> asArguments(llvm::StringRef Text) const {
    bool Known = true;
    std::string Out = withNames(Text, [&](llvm::StringRef Name, char Before) {
      if (Before == ':')
        return Name.str();
      const int P = Before ? -1 : paramNamed(Name);
      if (P < 0 || static_cast<size_t>(P) >= Code.Args.size()) {
        Known = false;
        return Name.str();
      }
      const KernelArgCode &A = Code.Args[static_cast<size_t>(P)];
      Known &= A.K == KernelArgCode::Kind::Value || A.K == KernelArgCode::Kind::Computed;
      return Name.size() == Text.size() ? A.Text : AccessTree::asOperand(A.Text);
    });
    return Known ? std::optional(std::move(Out)) : std::nullopt;
  }

  // The number of groups. Nothing: the runtime chooses it.
  std::optional<Poly> groups(unsigned Dimension) {
    if (Code.Local.empty() || Code.Global.empty())
      return std::nullopt;
    if (Dimension >= Code.Global.size() || Dimension >= Code.Local.size())
      return Poly(1);
    const std::string &Sizes = Code.Global[Dimension].Text, &Size = Code.Local[Dimension].Text;
    const std::optional<Poly> All = W.poly(Sizes), Local = W.poly(Size);
    if (!All || !Local)
      return std::nullopt;
    if (std::optional<Poly> Whole = All->dividedBy(*Local))
      return Whole;
    const std::optional<std::int64_t> N = Local->constant();
    if (!N || *N <= 0)
      return std::nullopt;
    return W.poly("(" + AccessTree::asOperand(Sizes) + " + " + std::to_string(*N - 1) + ") / " + std::to_string(*N));
  }

  // The padding that rounds Global up to whole groups.
  Poly padding(unsigned Dimension, const Poly &Global) {
    const std::optional<Poly> Local = Dimension < Code.Local.size() ? W.poly(Code.Local[Dimension].Text) : std::nullopt;
    // 0 and -1: unknown.
    const auto Size = Local ? Local->constant().value_or(0) : 0, All = Global.constant().value_or(-1);
    if (Local && Global.dividedBy(*Local))
      return 0;
    if (Size > 0 && All >= 0)
      return Size - 1 - (All + Size - 1) % Size;
    const std::string Name = "?rounding" + std::to_string(Dimension);
    SymbolId S = W.symbol(Name);
    if (!To.Symbols[S].NonNegative) {
      To.Symbols[S].NonNegative = true;
      if (Local)
        To.Facts.push_back(*Local - 1 - Poly::symbol(S)); // The padding is less than one group.
    }
    return Poly::symbol(S);
  }

  Root root(Root R) {
    R.Decl = nullptr; // The kernel's AST does not exist any more.
    Shifts.emplace_back();
    if (R.K != Root::Param || R.Index >= Code.Args.size())
      return R;
    const KernelArgCode &A = Code.Args[R.Index];
    Root Out = R;
    Shift &By = Shifts.back();
    if (A.K != KernelArgCode::Kind::Buffer || A.Param < 0 || static_cast<size_t>(A.Param) >= Params.size()) {
      Out.K = Root::Anything;
      return Out;
    }
    const HostParam &P = Params[static_cast<size_t>(A.Param)];
    Out.Index = static_cast<unsigned>(A.Param);
    Out.Name = P.Name;
    Out.Object = P.Object;
    Out.Element = P.Element;
    Out.Count.reset();
    if (P.ElementBytes && R.ElementBytes && R.ElementBytes % P.ElementBytes == 0)
      By.Ratio = R.ElementBytes / P.ElementBytes;
    else
      By = {0, {}, "the kernel's elements are not those of the host's parameter"};
    if (By.Ratio)
      Out.ElementBytes = P.ElementBytes;
    if (!P.Object && A.Text != P.Name) {
      llvm::StringRef Text = llvm::StringRef(A.Text).trim();
      std::optional<Poly> Offset;
      if (Text.consume_front(P.Name) && Text.trim().starts_with("+"))
        Offset = W.poly(Text.trim().drop_front());
      if (Offset)
        By.Offset = *Offset;
      else
        By = {0, {}, "the argument '" + A.Text + "' is not '" + P.Name + " + n', a parameter plus a number"};
    }
    return Out;
  }

  void translate(Poly &P) {
    // Substitutes all symbols simultaneously: replacements may contain symbols of the same number space, but only new
    // ones.
    for (SymbolId S : P.symbols())
      if (auto It = By.find(S); It != By.end() && !(It->second == Poly::symbol(S)))
        P = P.substituted(S, It->second);
  }

  void translate(Node &N) {
    for (std::optional<Poly> *P : {&N.Low, &N.High})
      if (*P)
        translate(**P);
    for (std::vector<Poly> *List : {&N.When, &N.Differ})
      for (Poly &P : *List)
        translate(P);
    apart(N);
    if (N.K == Node::Leaf) {
      const Shift &S = Shifts[N.A.RootId];
      if (N.A.Low)
        translate(*N.A.Low);
      translate(N.A.Count);
      if (N.A.Byte)
        translate(*N.A.Byte), translate(N.A.Bytes);
      if (S.Ratio == 0 || !S.Offset.isZero())
        N.A.Byte.reset();
      if (S.Ratio == 0) {
        if (N.A.Low && N.A.Why.empty())
          N.A.Why = S.Why;
        N.A.Low.reset();
      } else if (N.A.Low) {
        N.A.Low = *N.A.Low * S.Ratio + S.Offset;
        N.A.Count = N.A.Count * S.Ratio;
      }
    }
    const std::size_t Before = Ends.size();
    if (N.K == Node::Loop && N.Low && N.High) {
      Ends.push_back(Poly::symbol(N.Counter) - *N.Low);
      Ends.push_back(*N.High - 1 - Poly::symbol(N.Counter));
    }
    for (Node &Child : N.Children)
      translate(Child);
    Ends.resize(Before, Poly(0));
  }

  // Differences that are not negative, since the launch is known: for x < w, if (x != w - 1) is if (x < w - 1).
  void apart(Node &N) {
    if (N.K == Node::If && N.Exact && !N.Given && N.When.size() == 2 && N.When[0] == -N.When[1])
      for (const Poly &P : std::vector<Poly>(N.When))
        if (llvm::is_contained(Ends, P)) {
          const bool Otherwise =
              N.Children.size() > 1 && N.Children[0].K == Node::Seq && N.Children[0].Children.empty();
          N.When = {Otherwise ? P - 1 : -P};
          if (Otherwise)
            N.Children.erase(N.Children.begin());
          break;
        }
    for (const Poly &D : std::exchange(N.Differ, {}))
      for (const Poly &P : {D, -D})
        if (N.Children.size() == 1 && (N.K == Node::Seq || N.Given) && llvm::is_contained(Ends, P)) {
          N.K = Node::If;
          N.Given = N.Exact = true;
          N.When.push_back(P - 1);
        }
  }
};

} // namespace

AccessTree inWordsOfHost(const KernelInfo &Kernel, const KernelCode &Code, const std::vector<HostParam> &Params) {
  return Translation(Kernel, Code, Params).run();
}

} // namespace hsched::cc
