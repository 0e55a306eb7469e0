// The grammar of directives and clauses, one function for each clause. docs/adding-a-clause.md describes how to add
// one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/DirectiveParser.h"
#include "parse/OtherNames.h"
#include "parse/SectionParser.h"
#include "parse/Tokens.h"

#include "hsched/abi.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/LiteralSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace hsched::cc {
namespace {

constexpr llvm::StringLiteral DirectiveNames =
    "'task', 'implements', 'device', 'taskwait', 'taskloop', 'for', 'taskgroup' or 'declare reduction'";

class Parser {
public:
  Parser(Preprocessor &PP, TokRange Tokens, Directive &D) : PP(PP), Tokens(Tokens), D(D) {}

  void parse() {
    if (!parseKind())
      return;
    if (D.Kind == DirectiveKind::Declare)
      return declare();
    // The directive's own name may be a clause too: device(...), implements(...).
    if (D.Kind != DirectiveKind::Implements && D.Kind != DirectiveKind::Device)
      ++At;
    while (At < Tokens.size()) {
      if (Tokens[At].is(tok::comma)) { // OpenMP allows commas between clauses.
        ++At;
        continue;
      }
      if (!parseClause())
        return;
    }
  }

private:
  Preprocessor &PP;
  TokRange Tokens;
  Directive &D;
  size_t At = 0;
  llvm::StringMap<SourceLocation> Seen;

  template <unsigned N, class... Args> void error(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    unsigned Id = PP.getDiagnostics().getCustomDiagID(DiagnosticsEngine::Error, Format);
    DiagnosticBuilder Builder = PP.getDiagnostics().Report(Loc, Id);
    ((Builder << Values), ...);
    D.Bad = true;
  }

  bool parseKind() {
    if (Tokens.empty() || Tokens[0].T.getIdentifierInfo() == nullptr) {
      error(Tokens.empty() ? D.Hash : Tokens[0].loc(), "expected an hsched directive: %0", DirectiveNames);
      return false;
    }
    llvm::StringRef Name = Tokens[0].Text;
    D.Loc = Tokens[0].loc();
    auto Kind = llvm::StringSwitch<std::optional<DirectiveKind>>(Name)
                    .Case("task", DirectiveKind::Task)
                    .Case("implements", DirectiveKind::Implements)
                    .Case("device", DirectiveKind::Device)
                    .Case("taskwait", DirectiveKind::Taskwait)
                    .Case("taskloop", DirectiveKind::Taskloop)
                    .Case("for", DirectiveKind::For)
                    .Case("taskgroup", DirectiveKind::Taskgroup)
                    .Case("declare", DirectiveKind::Declare)
                    .Default(std::nullopt);
    if (!Kind) {
      if (llvm::StringRef Advice = adviceForDirective(Name); !Advice.empty())
        error(D.Loc, "hsched has no directive '%0': %1", Name, Advice);
      else
        error(D.Loc, "unknown hsched directive '%0'; expected %1", Name, DirectiveNames);
      return false;
    }
    D.Kind = *Kind;
    D.Known = true;
    return true;
  }

  // The tokens between the parentheses at At, which is moved past them; null (with an error) when there are none.
  std::optional<TokRange> parenthesized(llvm::StringRef Clause, SourceLocation Loc) {
    if (At >= Tokens.size() || !Tokens[At].is(tok::l_paren)) {
      error(Loc, "expected '(' after '%0'", Clause);
      return std::nullopt;
    }
    size_t Wrong = At, Close = matching(Tokens, At, &Wrong);
    if (Close == Tokens.size()) {
      if (Wrong == At)
        error(Tokens[At].loc(), "this '(' of clause '%0' is not closed on this directive", Clause);
      else if (Tokens[Wrong].T.isOneOf(tok::r_square, tok::r_brace))
        error(Tokens[Wrong].loc(), "this '%0' closes nothing that is open here", Tokens[Wrong].Text);
      else
        error(Tokens[Wrong].loc(), "this '%0' is not closed", Tokens[Wrong].Text);
      return std::nullopt;
    }
    TokRange Inside = Tokens.slice(At + 1, Close - At - 1);
    At = Close + 1;
    return Inside;
  }

  bool once(llvm::StringRef Name, SourceLocation Loc) {
    auto [It, New] = Seen.try_emplace(Name, Loc);
    if (!New)
      error(Loc, "clause '%0' is given twice", Name);
    return New;
  }

  bool onlyFor(llvm::StringRef Name, SourceLocation Loc, bool Taskwait) {
    if (D.Kind != DirectiveKind::Taskgroup && (D.Kind == DirectiveKind::Taskwait) == Taskwait)
      return true;
    error(Loc, "clause '%0' does not belong to '%1'", Name, spelling(D.Kind));
    return false;
  }

  // Returns false when the rest cannot be parsed.
  bool parseClause() {
    const Tok &Name = Tokens[At];
    if (Name.T.getIdentifierInfo() == nullptr) {
      error(Name.loc(), "expected a clause, found '%0'", Name.Text);
      return false;
    }
    ++At;
    llvm::StringRef Clause = Name.Text;
    SourceLocation Loc = Name.loc();
    if (Clause == "noflush" || Clause == "nowait") {
      const bool Flush = Clause == "noflush";
      if (!Flush && D.Kind != DirectiveKind::For)
        error(Loc, "clause '%0' does not belong to '%1'%2", Clause, spelling(D.Kind),
              D.Kind == DirectiveKind::Taskloop ? ", which does not wait" : "");
      else if ((!Flush || onlyFor(Clause, Loc, true)) && once(Clause, Loc))
        (Flush ? D.NoFlush : D.NoWait) = true;
      return true;
    }
    if (Clause == "depend")
      return depend(Loc);
    using Handler = void (Parser::*)(llvm::StringRef, SourceLocation, TokRange);
    struct Row {
      Handler Parse;
      bool Taskwait, Repeats;
    };
    auto Known = llvm::StringSwitch<std::optional<Row>>(Clause)
                     .Cases("in", "out", "inout", "concurrent", "commutative", Row{&Parser::data, false, true})
                     // A task whose data only its children access is ordered as if it accessed them itself.
                     .Cases("weakin", "weakout", "weakinout", "weakcommutative", Row{&Parser::data, false, true})
                     .Cases("shared", "firstprivate", "private", "unused", Row{&Parser::variables, false, true})
                     .Case("collapse", Row{&Parser::collapse, false, false})
                     .Case("reduction", Row{&Parser::reduction, false, true})
                     .Case("device", Row{&Parser::device, false, true})
                     .Case("implements", Row{&Parser::implements, false, false})
                     .Case("priority", Row{&Parser::hint<&Directive::Priority>, false, false})
                     .Case("label", Row{&Parser::hint<&Directive::Label>, false, false})
                     .Case("if", Row{&Parser::hint<&Directive::If>, false, false})
                     .Case("final", Row{&Parser::hint<&Directive::Final>, false, false})
                     .Case("cost", Row{&Parser::hint<&Directive::Cost>, false, false})
                     .Case("where", Row{&Parser::hint<&Directive::Where>, false, false})
                     .Case("kernel", Row{&Parser::kernel, false, false})
                     .Case("ndrange", Row{&Parser::ndrange, false, false})
                     .Case("options", Row{&Parser::options, false, false})
                     .Case("args", Row{&Parser::args, false, false})
                     .Case("packed", Row{&Parser::packed, false, true})
                     .Case("grainsize", Row{&Parser::grainsize, false, false})
                     .Case("on", Row{&Parser::on, true, false})
                     .Default(std::nullopt);
    if (!Known) {
      if (llvm::StringRef Advice = adviceForClause(Clause); !Advice.empty())
        error(Loc, "hsched has no clause '%0': %1", Clause, Advice);
      else
        error(Loc, "unknown clause '%0' on '%1'%2", Clause, spelling(D.Kind), similarClause(Clause));
      if (At < Tokens.size() && Tokens[At].is(tok::l_paren))
        return parenthesized(Clause, Loc).has_value();
      return true;
    }
    std::optional<TokRange> Inside = parenthesized(Clause, Loc);
    if (!Inside)
      return false;
    if (!onlyFor(Clause, Loc, Known->Taskwait) || (!Known->Repeats && !once(Clause, Loc)))
      return true;
    if (Inside->empty()) {
      error(Loc, "clause '%0' is empty", Clause);
      return true;
    }
    (this->*Known->Parse)(Clause, Loc, *Inside);
    return true;
  }

  bool finished(TokRange Inside, bool One = true) {
    const auto [Loc, Problem] = unfinished(Inside, One);
    if (!Problem.empty())
      error(Loc, "%0", Problem);
    return Problem.empty();
  }

  void sections(TokRange Inside, std::vector<Section> &Out) {
    if (!finished(Inside, /*One=*/false))
      return;
    for (TokRange Part : splitAt(Inside, tok::comma)) {
      size_t Before = Out.size();
      SectionError E = parseSections(Part, Out);
      if (E.Message.empty())
        continue;
      Out.resize(Before);
      error(E.Loc.isValid() ? E.Loc : Inside.front().loc(), "%0", E.Message);
    }
  }

  void data(llvm::StringRef Clause, SourceLocation Loc, TokRange Inside) {
    DataClause C;
    C.Role = llvm::StringSwitch<AccessRole>(Clause)
                 .Case("in", AccessRole::In)
                 .Case("out", AccessRole::Out)
                 .Case("weakin", AccessRole::In)
                 .Case("concurrent", AccessRole::Concurrent)
                 .Cases("commutative", "weakcommutative", AccessRole::Commutative)
                 .Default(AccessRole::InOut);
    C.Loc = Loc;
    sections(Inside, C.Sections);
    D.Data.push_back(std::move(C));
  }

  // OpenMP's depend(type: list). Its 'out' does not guarantee that everything is overwritten.
  bool depend(SourceLocation Loc) {
    std::optional<TokRange> Inside = parenthesized("depend", Loc);
    if (!Inside)
      return false;
    if (D.Kind == DirectiveKind::Taskgroup) {
      error(Loc, "clause 'depend' does not belong to '%0'", spelling(D.Kind));
      return true;
    }
    const llvm::StringRef Type = Inside->empty() ? "" : llvm::StringRef(Inside->front().Text);
    auto Role = llvm::StringSwitch<std::optional<AccessRole>>(Type)
                    .Case("in", AccessRole::In)
                    .Cases("out", "inout", AccessRole::InOut)
                    .Case("mutexinoutset", AccessRole::Commutative)
                    .Case("inoutset", AccessRole::Concurrent)
                    .Default(std::nullopt);
    if (Type == "iterator") {
      error(Loc, "hsched has no 'iterator' in 'depend': write the list of sections, as in in({p[i], i = 0; n})");
    } else if (llvm::is_contained({"source", "sink", "depobj"}, Type)) {
      error(Loc, "hsched has no 'depend(%0)': name the data, as in in(x) and inout(y)", Type);
    } else if (!Role || Inside->size() < 3 || !(*Inside)[1].is(tok::colon)) {
      error(Loc, "'depend' takes in, out, inout, mutexinoutset or inoutset, a ':' and what is meant: depend(in: x)");
    } else if (D.Kind == DirectiveKind::Taskwait) {
      if (!D.On)
        D.On.emplace();
      sections(Inside->drop_front(2), *D.On);
    } else {
      DataClause C;
      C.Role = *Role;
      C.Loc = Loc;
      sections(Inside->drop_front(2), C.Sections);
      D.Data.push_back(std::move(C));
    }
    return true;
  }

  void variables(llvm::StringRef Clause, SourceLocation Loc, TokRange Inside) {
    using How = NamedVariable::How;
    const How H = llvm::StringSwitch<How>(Clause)
                      .Case("shared", How::Shared)
                      .Case("firstprivate", How::FirstPrivate)
                      .Case("private", How::Private)
                      .Default(How::Unused);
    for (TokRange Part : splitAt(Inside, tok::comma)) {
      if (Part.size() != 1 || !Part[0].is(tok::identifier)) {
        error(Part.empty() ? Loc : Part[0].loc(), "clause '%0' takes names of variables%1", Clause,
              H == How::Shared || H == How::Unused ? "" : ": a section belongs to in, out or inout");
        continue;
      }
      D.Variables.push_back({H, Part[0].Text, Part[0].loc()});
    }
  }

  void collapse(llvm::StringRef Clause, SourceLocation Loc, TokRange Inside) {
    D.CollapseLoc = Loc;
    if (!D.isLoop())
      error(Loc, "clause '%0' does not belong to '%1'", Clause, spelling(D.Kind));
    else if (Inside.size() != 1 || !Inside[0].is(tok::numeric_constant) ||
             llvm::StringRef(Inside[0].Text).getAsInteger(10, D.Collapse) || D.Collapse < 1 || D.Collapse > 8)
      error(Inside.front().loc(), "'collapse' takes the number of loops, 1 to 8");
  }

  // declare reduction(name : types : combiner) [initializer(omp_priv = e | omp_priv(e...) | f(...))].
  void declare() {
    if (Tokens.size() < 2 || Tokens[1].Text != "reduction") {
      if (llvm::StringRef Advice = Tokens.size() < 2 ? "" : adviceForDirective(Tokens[1].Text); !Advice.empty())
        error(Tokens[1].loc(), "hsched has no directive 'declare %0': %1", Tokens[1].Text, Advice);
      else
        error(Tokens[0].loc(), "expected 'reduction' after 'declare'");
      return;
    }
    At = 2;
    auto Inside = parenthesized("declare reduction", Tokens[1].loc());
    if (!Inside)
      return;
    std::vector<TokRange> Parts; // The combiner may contain colons.
    for (size_t Begin = 0, I = 0; I <= Inside->size(); ++I)
      if (I == Inside->size() || ((*Inside)[I].is(tok::colon) && Parts.size() < 2)) {
        Parts.push_back(Inside->slice(Begin, I - Begin));
        Begin = I + 1;
      }
    if (Parts.size() != 3 || llvm::any_of(Parts, [](TokRange Part) { return Part.empty(); })) {
      error(Tokens[1].loc(), "'declare reduction' takes three things: (name : type : omp_out = ... omp_in ...)");
      return;
    }
    DeclaredReduction R;
    R.Name = textOf(Parts[0]);
    R.NameLoc = Parts[0].front().loc();
    if (!isOperator(Parts[0]) && !(Parts[0].size() == 1 && Parts[0][0].is(tok::identifier))) {
      error(R.NameLoc, "the name of a reduction is one identifier, or one of + * & | ^ && ||, not '%0'", R.Name);
      return;
    }
    // Commas between angle brackets belong to a type.
    int Angles = 0;
    for (size_t Begin = 0, I = 0; I <= Parts[1].size(); ++I) {
      bool End = I == Parts[1].size();
      if (!End)
        Angles += Parts[1][I].is(tok::less) - Parts[1][I].is(tok::greater) - 2 * Parts[1][I].is(tok::greatergreater);
      if (!End && (Angles > 0 || !Parts[1][I].is(tok::comma)))
        continue;
      if (I == Begin) {
        error(Tokens[1].loc(), "'declare reduction' has an empty type");
        return;
      }
      R.Types.push_back(makeExpr(Parts[1].slice(Begin, I - Begin)));
      Begin = I + 1;
    }
    R.Combiner = makeExpr(Parts[2]);
    if (llvm::none_of(R.Combiner.Names, [](const NameUse &N) { return N.Name == "omp_out"; })) {
      error(Parts[2].front().loc(), "the combiner says what becomes of omp_out, and does not name it");
      return;
    }
    if (At < Tokens.size() && Tokens[At].Text == "initializer") {
      SourceLocation Loc = Tokens[At++].loc();
      auto Init = parenthesized("initializer", Loc);
      if (!Init)
        return;
      using How = DeclaredReduction::Init;
      bool Private = !Init->empty() && Init->front().Text == "omp_priv";
      if (Private && Init->size() > 2 && (*Init)[1].is(tok::equal)) {
        R.How = How::Equals;
        R.Initial = makeExpr(Init->drop_front(2));
      } else if (Private && Init->size() > 3 && (*Init)[1].T.isOneOf(tok::l_paren, tok::l_brace) &&
                 matching(*Init, 1) == Init->size() - 1) {
        R.How = How::Arguments;
        R.Initial = makeExpr(Init->drop_front(1));
      } else if (!Private && Init->size() > 2 && Init->back().is(tok::r_paren)) {
        R.How = How::Call;
        R.Initial = makeExpr(*Init);
      } else {
        error(Loc, "'initializer' takes omp_priv = value, omp_priv(arguments), or a call such as init(&omp_priv)");
        return;
      }
    }
    if (At < Tokens.size()) {
      error(Tokens[At].loc(), "unknown clause '%0' on 'declare reduction'", Tokens[At].Text);
      return;
    }
    D.Reduction = std::move(R);
  }

  // reduction(op: list)
  void reduction(llvm::StringRef, SourceLocation Loc, TokRange Inside) {
    size_t Colon = 0;
    while (Colon < Inside.size() && !Inside[Colon].is(tok::colon) && !Inside[Colon].is(tok::l_square))
      ++Colon;
    if (Colon == Inside.size() || Colon == 0 || !Inside[Colon].is(tok::colon)) {
      error(Loc, "'reduction' takes an operation and what is reduced with it: reduction(+: x)");
      return;
    }
    DataClause C;
    C.Role = AccessRole::Reduction;
    C.Loc = Loc;
    TokRange Op = Inside.take_front(Colon);
    C.Op = textOf(Op);
    C.OpLoc = Op.front().loc();
    bool Name = llvm::all_of(Op, [](const Tok &T) { return T.T.isOneOf(tok::identifier, tok::coloncolon); });
    if (C.Op == "-") // OpenMP's rule: the copies of a difference are added.
      C.Op = "+";
    else if (!Name && !isOperator(Op)) {
      error(C.OpLoc,
            "unknown reduction '%0'; expected one of + * & | ^ && || min max, or a name from 'declare reduction'",
            C.Op);
      return;
    }
    if (Colon + 1 == Inside.size()) {
      error(Inside[Colon].loc(), "expected what is reduced after the ':'");
      return;
    }
    sections(Inside.drop_front(Colon + 1), C.Sections);
    D.Data.push_back(std::move(C));
  }

  void on(llvm::StringRef, SourceLocation, TokRange Inside) { sections(Inside, D.On.emplace()); }

  void device(llvm::StringRef, SourceLocation, TokRange Inside) {
    for (TokRange Part : splitAt(Inside, tok::comma)) {
      if (Part.empty()) {
        error(Inside.front().loc(), "expected a device between the commas");
        continue;
      }
      DeviceChoice C;
      C.Loc = Part[0].loc();
      C.Text = textOf(Part);
      llvm::StringRef Kind = Part[0].Text, Type;
      if (Part.size() == 3 && Part[1].is(tok::colon))
        Type = Part[2].Text;
      int KindNumber = llvm::StringSwitch<int>(Kind)
                           .Cases("cpu", "smp", HSCHED_DEVICE_CPU) // Smp: OmpSs's name.
                           .Case("opencl", HSCHED_DEVICE_OPENCL)
                           .Case("cuda", HSCHED_DEVICE_CUDA)
                           .Default(-1);
      int TypeNumber = llvm::StringSwitch<int>(Type)
                           .Case("", HSCHED_TYPE_ANY)
                           .Case("cpu", HSCHED_TYPE_CPU)
                           .Case("gpu", HSCHED_TYPE_GPU)
                           .Case("accelerator", HSCHED_TYPE_ACCELERATOR)
                           .Default(-1);
      if (KindNumber < 0 || TypeNumber < 0 || (Part.size() != 1 && Part.size() != 3) ||
          (Part.size() == 3 && !Part[1].is(tok::colon)) || (KindNumber == HSCHED_DEVICE_CPU && !Type.empty())) {
        error(C.Loc,
              "unknown device '%0'; expected 'cpu', 'opencl', 'cuda', or one with a type: 'opencl:gpu', 'opencl:cpu', "
              "'opencl:accelerator'",
              C.Text);
        continue;
      }
      C.Kind = static_cast<unsigned>(KindNumber);
      C.Type = static_cast<unsigned>(TypeNumber);
      D.Devices.push_back(std::move(C));
    }
  }

  void implements(llvm::StringRef, SourceLocation, TokRange Inside) {
    D.ImplementsLoc = Inside.front().loc();
    for (size_t I = 0; I < Inside.size(); ++I)
      if (!Inside[I].T.isOneOf(tok::identifier, tok::coloncolon)) {
        error(Inside[I].loc(), "'implements' takes the name of one function");
        return;
      }
    D.Implements = textOf(Inside);
    if (D.Kind == DirectiveKind::Task || D.isLoop())
      error(D.ImplementsLoc, "'implements' makes a version of a task, 'task' a main version: use one of them");
  }

  template <std::optional<Expr> Directive::*To> void hint(llvm::StringRef, SourceLocation, TokRange Inside) {
    if (finished(Inside))
      D.*To = makeExpr(Inside);
  }

  void grainsize(llvm::StringRef Clause, SourceLocation Loc, TokRange Inside) {
    if (!D.isLoop())
      error(Loc, "clause '%0' does not belong to '%1'", Clause, spelling(D.Kind));
    if (finished(Inside))
      D.Grainsize = makeExpr(Inside);
  }

  std::optional<StringArg> string(llvm::StringRef Clause, TokRange Part) {
    StringArg S;
    llvm::SmallVector<Token, 2> Literals;
    for (const Tok &T : Part) {
      if (!tok::isStringLiteral(T.T.getKind())) {
        error(T.loc(), "clause '%0' takes a string literal here", Clause);
        return std::nullopt;
      }
      Literals.push_back(T.T);
    }
    if (Literals.empty()) {
      error(D.Loc, "clause '%0' takes a string literal here", Clause);
      return std::nullopt;
    }
    StringLiteralParser Parsed(Literals, PP);
    if (Parsed.hadError) {
      D.Bad = true;
      return std::nullopt;
    }
    S.Value = Parsed.GetString().str();
    S.Loc = Part.front().loc();
    return S;
  }

  void kernel(llvm::StringRef Clause, SourceLocation Loc, TokRange Inside) {
    std::vector<TokRange> Parts = splitAt(Inside, tok::comma);
    if (Parts.size() > 2) {
      error(Parts[2].empty() ? Loc : Parts[2][0].loc(), "'kernel' takes a file and the kernel's name");
      return;
    }
    auto File = string(Clause, Parts[0]);
    if (!File)
      return;
    KernelClause K{*File, std::nullopt, Loc};
    if (Parts.size() == 2) {
      K.Name = string(Clause, Parts[1]);
      if (!K.Name)
        return;
    }
    D.Kernel = std::move(K);
  }

  void options(llvm::StringRef Clause, SourceLocation, TokRange Inside) {
    if (auto S = string(Clause, Inside))
      D.Options = *S;
  }

  void ndrange(llvm::StringRef Clause, SourceLocation Loc, TokRange Inside) {
    RangeClause R;
    R.Loc = Loc;
    std::vector<TokRange> Halves = splitAt(Inside, tok::semi);
    if (Halves.size() > 3) {
      error(Loc, "'%0' takes global sizes, then after a ';' local sizes, then after another one offsets", Clause);
      return;
    }
    bool Empty = false;
    auto Fill = [&](TokRange Half, std::vector<Expr> &Out) {
      for (TokRange Part : splitAt(Half, tok::comma)) {
        Empty |= Part.empty();
        if (!Part.empty() && finished(Part))
          Out.push_back(makeExpr(Part));
      }
    };
    Fill(Halves[0], R.Global);
    if (Halves.size() == 2 || (Halves.size() == 3 && !Halves[1].empty())) // Offsets without local sizes: n; ; first.
      Fill(Halves[1], R.Local);
    if (Halves.size() == 3)
      Fill(Halves[2], R.Offset);
    if (Empty)
      error(Loc, "'%0' has an empty size", Clause);
    else if (R.Global.empty() || R.Global.size() > 3)
      error(Loc, "'%0' takes 1 to 3 global sizes", Clause);
    else if (Halves.size() >= 2 && !(Halves.size() == 3 && R.Local.empty()) && R.Local.size() != R.Global.size())
      error(Loc, "'%0' has %1 global but %2 local sizes", Clause, std::to_string(R.Global.size()),
            std::to_string(R.Local.size()));
    else if (Halves.size() == 3 && R.Offset.size() != R.Global.size())
      error(Loc, "'%0' has %1 global sizes but %2 offsets", Clause, std::to_string(R.Global.size()),
            std::to_string(R.Offset.size()));
    D.Range = std::move(R);
  }

  void args(llvm::StringRef, SourceLocation Loc, TokRange Inside) {
    D.ArgsLoc = Loc;
    std::vector<KernelArgument> List;
    for (TokRange Part : splitAt(Inside, tok::comma)) {
      if (Part.empty()) {
        error(Loc, "'args' has an empty argument");
        return;
      }
      KernelArgument A;
      if (Part.size() >= 3 && Part[0].Text == "local" && Part[1].is(tok::l_paren) &&
          matching(Part, 1) == Part.size() - 1) {
        A.Local = true;
        Part = Part.slice(2, Part.size() - 3);
      }
      if (Part.empty()) {
        error(Loc, "'local' takes a number of bytes");
        return;
      }
      if (!finished(Part))
        return;
      A.Value = makeExpr(Part);
      List.push_back(std::move(A));
    }
    D.Args = std::move(List);
  }

  // packed(tile, ...: leading dimension, ...)
  void packed(llvm::StringRef, SourceLocation Loc, TokRange Inside) {
    size_t Known = D.Packed.size(); // Entries before this one have their leading dimensions.
    std::vector<TokRange> Parts = splitAt(Inside, tok::comma);
    for (const TokRange &Part : Parts) {
      const bool Named = Part.size() == 3 && Part[1].is(tok::colon) && Part[2].is(tok::identifier);
      if (Part.empty() || !Part[0].is(tok::identifier) || !(Named || (Part.size() == 1 && &Part != &Parts.back()))) {
        error(Part.empty() ? Loc : Part.front().loc(),
              "'packed' takes parameters that lead to tiles, and the one that is their leading dimension, as in "
              "packed(p: ld) or packed(p, q: ld)");
        return;
      }
      D.Packed.push_back({Part[0].Text, "", Part[0].loc(), {}});
      for (; Named && Known < D.Packed.size(); ++Known) {
        D.Packed[Known].Leading = Part[2].Text;
        D.Packed[Known].LeadingLoc = Part[2].loc();
      }
    }
  }
};

} // namespace

void parseDirective(Preprocessor &PP, TokRange Tokens, Directive &D) { Parser(PP, Tokens, D).parse(); }

} // namespace hsched::cc
