// The conversion rules: one function for each directive, one table for the clauses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/Convert.h"

#include "parse/OtherNames.h"
#include "port/LeftOut.h"
#include "port/Pragma.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <regex>
#include <set>

namespace hsched::port {
namespace {

struct Edit {
  size_t Begin, End;
  std::string Text;
};

class Converter {
public:
  Converter(std::string_view Text, Source From)
      : Text(Text), From(From), Code(codeOf(Text)),
        Pragmas(pragmasOf(Text, Code,
                          From == Source::OmpSs ? std::vector<std::string>{"oss", "omp"}
                                                : std::vector<std::string>{"omp"})) {}

  Converted run() {
    for (const Pragma &P : Pragmas)
      if (begins(P, {"parallel"}) && !begins(P, {"parallel", "for"}) && !begins(P, {"parallel", "sections"}))
        if (const size_t End = endOfStatement(Code, P.End); End != std::string::npos)
          Regions.push_back(
              {&P, End, std::string_view(Code).substr(P.End, End - P.End).find("omp_get_thread_num") != Code.npos});
    for (const Pragma &P : Pragmas)
      directive(P);
    calls();
    Converted Out;
    Out.NumPragmas = static_cast<unsigned>(Pragmas.size());
    std::ranges::stable_sort(Edits, {}, &Edit::Begin);
    size_t At = 0;
    for (const Edit &E : Edits) {
      Out.Text += Text.substr(At, E.Begin - At);
      Out.Text += E.Text;
      At = E.End;
    }
    Out.Text += Text.substr(At);
    std::ranges::stable_sort(Notes, {}, &Note::Line);
    Out.Notes = std::move(Notes);
    return Out;
  }

private:
  const std::string_view Text;
  const Source From;
  const std::string Code;
  const std::vector<Pragma> Pragmas;
  std::vector<Edit> Edits;
  std::vector<Note> Notes;
  // A parallel region. PerThread: it stores results by thread number, so one thread runs all of it.
  struct Region {
    const Pragma *P;
    size_t End;
    bool PerThread;
  };
  std::vector<Region> Regions;
  const Region *around(const Pragma &P) const {
    for (const Region &R : Regions)
      if (P.Begin > R.P->End && P.Begin < R.End)
        return &R;
    return nullptr;
  }

  void hand(const Pragma &P, const std::string &What) { Notes.push_back({P.Line, What}); }
  // For what is left out and changes no result.
  void tell(const Pragma &P, const std::string &What, const std::string &Why) {
    Notes.push_back({P.Line, "'" + What + "' was left out: " + Why, false});
  }
  static bool has(const Pragma &P, std::string_view Name) { return find(P, Name) != nullptr; }
  static const Word *find(const Pragma &P, std::string_view Name) {
    auto At = std::ranges::find(P.Words, Name, &Word::Name);
    return At == P.Words.end() ? nullptr : &*At;
  }
  static bool begins(const Pragma &P, std::initializer_list<const char *> Names) {
    return P.Words.size() >= Names.size() && std::equal(Names.begin(), Names.end(), P.Words.begin(),
                                                        [](const char *N, const Word &W) { return W.Name == N; });
  }
  // The number of lines stays the same.
  void replace(const Pragma &P, const std::string &Line) {
    std::string New = Line;
    for (unsigned I = 1; I < P.NumLines; ++I)
      New += "\n";
    Edits.push_back({P.Begin, P.End, New});
  }
  void drop(const Pragma &P) { replace(P, "// " + std::string(trimmed(oneLine(P)))); }
  std::string oneLine(const Pragma &P) const {
    std::string Line(Text.substr(P.Begin, P.End - P.Begin));
    std::replace(Line.begin(), Line.end(), '\n', ' ');
    std::erase(Line, '\\');
    return Line.substr(1);
  }
  void leave(const Pragma &P, const std::string &What) { hand(P, What); }

  // Inserts a wait after the statement that P applies to.
  void waitBehind(const Pragma &P) {
    const size_t End = endOfStatement(Code, P.End);
    if (End == std::string::npos) {
      hand(P, "the end of the statement behind it was not found: write '#pragma hsched taskwait' there");
      return;
    }
    const size_t LineEnd = std::min(Code.find('\n', End), Code.size());
    const bool Last = trimmed(std::string_view(Code).substr(End, LineEnd - End)).empty();
    const size_t At = Last ? LineEnd : End;
    Edits.push_back({At, At, "\n" + P.Indent + "#pragma hsched taskwait" + (Last ? "" : "\n" + P.Indent)});
  }
  // Whether the statement that P applies to contains such a pragma.
  bool within(const Pragma &P, const std::function<bool(const Pragma &)> &Is) const {
    const size_t End = endOfStatement(Code, P.End);
    return std::ranges::any_of(Pragmas, [&](const Pragma &Q) { return Q.Begin > P.End && Q.Begin < End && Is(Q); });
  }

  // --- clauses

  // The clauses of P from word Begin on, in hsched's syntax; "" or " clause...".
  std::string clauses(const Pragma &P, size_t Begin, bool Loop) {
    std::string Out;
    std::set<std::string> Ordered; // Variables in data clauses.
    for (size_t I = Begin; I < P.Words.size(); ++I)
      if (isData(P.Words[I].Name) && P.Words[I].Inside)
        for (const std::string &S : listOf(afterColon(P.Words[I])))
          Ordered.insert(baseOf(S));
    for (size_t I = Begin; I < P.Words.size(); ++I)
      Out += clause(P, P.Words[I], Loop, Ordered);
    return Out;
  }

  static bool isData(std::string_view Name) {
    static const std::set<std::string, std::less<>> Names = {
        "depend",    "in",         "out",         "inout",     "weakin",         "weakout",
        "weakinout", "concurrent", "commutative", "reduction", "weakcommutative"};
    return Names.contains(Name);
  }
  static std::string afterColon(const Word &W) {
    if (W.Name != "depend" && W.Name != "reduction")
      return *W.Inside;
    const size_t Colon = W.Inside->find(':');
    return Colon == std::string::npos ? *W.Inside : W.Inside->substr(Colon + 1);
  }
  std::string clause(const Pragma &P, const Word &W, bool Loop, const std::set<std::string> &Ordered) {
    static const std::set<std::string, std::less<>> Same = {
        "in",         "out",         "inout",           "weakin",   "weakout",      "weakinout",
        "concurrent", "commutative", "weakcommutative", "private",  "firstprivate", "final",
        "priority",   "cost",        "reduction",       "collapse", "grainsize",    "implements",
        "on"};
    const std::string Inside = W.Inside.value_or("");
    const std::string As = " " + W.Name + (W.Inside ? "(" + Inside + ")" : "");
    if (const char *Why = withoutClause(W.Name)) {
      tell(P, W.Name, Why);
      return "";
    }
    if (W.Name == "nogroup") // Said by the directive: see loop().
      return "";
    if (W.Name == "if" || W.Name == "reduction" || W.Name == "grainsize") { // Modifiers before the argument.
      static const std::set<std::string, std::less<>> Modifiers = {"parallel", "task",   "taskloop",
                                                                   "default",  "strict", "task "};
      const size_t Mark = Inside.find(W.Name == "reduction" ? ',' : ':');
      if (Mark != std::string::npos && Modifiers.contains(trimmed(Inside.substr(0, Mark))))
        return " " + W.Name + "(" + trimmed(Inside.substr(Mark + 1)) + ")";
      return As;
    }
    if (Same.contains(W.Name))
      return As;
    if (W.Name == "shared") {
      std::string List;
      for (const std::string &Name : listOf(Inside))
        if (!Loop && !Ordered.contains(Name))
          List += (List.empty() ? "" : ", ") + Name;
      return List.empty() ? "" : " shared(" + List + ")";
    }
    if (W.Name == "depend")
      return depend(P, Inside);
    if (W.Name == "label") {
      const bool Name = From == Source::OmpSs && Inside.find('"') == std::string::npos;
      return Name ? " label(\"" + Inside + "\")" : As;
    }
    if (W.Name == "device")
      return device(P, Inside);
    if (W.Name == "ndrange")
      return ndrange(P, Inside);
    if (W.Name == "file" && From == Source::OmpSs)
      return " kernel(" + (Inside.starts_with('"') ? Inside : "\"" + Inside + "\"") + ")";
    if (W.Name == "num_threads") {
      hand(P, "the number of threads is the program's: set HSCHED_NCPU=" + Inside);
      return "";
    }
    const llvm::StringRef Advice = cc::adviceForClause(W.Name);
    hand(P, "clause '" + W.Name + "' was left out: " + (Advice.empty() ? "hsched does not know it" : Advice.str()));
    return "";
  }

  // OpenMP's token for a pointer is the variable. hsched has data: what it leads to.
  std::string tokens(const Pragma &P, const std::string &Inside) const {
    const size_t Brace = functionAround(P.Begin, P.Begin).first;
    const size_t Begin = Brace == P.Begin ? P.Begin : Code.find_last_of(";}", Brace);
    const std::string Before = Begin == Code.npos ? Code.substr(0, P.Begin) : Code.substr(Begin, P.Begin - Begin);
    std::string Out;
    for (const std::string &Item : listOf(Inside)) {
      const bool Bare = !Item.empty() && std::ranges::all_of(Item, isWord);
      const bool Pointer =
          Bare &&
          std::regex_search(Before, std::regex("([;{}(,]\\s*[A-Za-z_][\\w\\s]*|,\\s*)\\*[\\s*]*((restrict|__restrict|"
                                               "__restrict__|const)\\s+)*" +
                                               Item + "\\s*[,;=)]"));
      Out += (Out.empty() ? "" : ", ") + std::string(Pointer ? "*" : "") + Item;
    }
    return Out;
  }

  std::string depend(const Pragma &P, const std::string &Inside) {
    const size_t Colon = Inside.find(':');
    const std::string Type = trimmed(Inside.substr(0, Colon)),
                      List = Colon == std::string::npos ? "" : tokens(P, Inside.substr(Colon + 1));
    if (Type == "in")
      return " in(" + List + ")";
    if (Type == "out" || Type == "inout")
      return " inout(" + List + ")";
    if (Type == "mutexinoutset")
      return " commutative(" + List + ")";
    if (Type == "inoutset")
      return " concurrent(" + List + ")";
    hand(P, "depend(" + Inside + ") was left out: name the data of the task, in(...) and inout(...)");
    return "";
  }

  std::string device(const Pragma &P, const std::string &Inside) {
    if (Inside == "smp" || Inside == "cpu")
      return " device(cpu)";
    if (Inside == "opencl" || Inside == "cuda")
      return " device(" + Inside + ")";
    hand(P, "device(" + Inside + ") was left out: hsched has cpu, opencl and cuda");
    return "";
  }

  std::string ndrange(const Pragma &P, const std::string &Inside) {
    std::string Out = ndrangeOf(Inside);
    if (Out.empty())
      hand(P, "ndrange(" + Inside + ") was left out: write ndrange(global...; local...; offset...)");
    return Out;
  }

  // --- directives

  void directive(const Pragma &P) {
    if (P.Words.empty())
      return leave(P, "there is no directive");
    const std::string &First = P.Words[0].Name;
    if (begins(P, {"parallel", "for"}))
      return loop(P, 2);
    if (begins(P, {"parallel", "sections"}) || First == "sections") {
      replace(P, std::string("#pragma hsched ") + "taskgroup" + clauses(P, First == "parallel" ? 2 : 1, true));
      return;
    }
    if (First == "section") {
      replace(P, "#pragma hsched task");
      return hand(P, "a task has copies of the function's variables: name those that it changes, in inout(x)");
    }
    // Words of a combined directive that do not choose what is shared out.
    size_t Head = First == "parallel" ? 1 : 0;
    const bool OneThread = P.Words.size() > Head && (P.Words[Head].Name == "master" || P.Words[Head].Name == "masked");
    Head += OneThread;
    if (Head > 0 && P.Words.size() > Head && (P.Words[Head].Name == "taskloop" || P.Words[Head].Name == "loop")) {
      const bool Simd = P.Words.size() > Head + 1 && P.Words[Head + 1].Name == "simd";
      if (Simd)
        tell(P, "simd", withoutClause("simd"));
      return loop(P, Head + 1 + Simd);
    }
    if (First == "parallel")
      return parallel(P, OneThread);
    if (First == "single" || First == "master" || First == "masked") {
      drop(P);
      if (has(P, "copyprivate"))
        hand(P, "clause 'copyprivate' was left out: all threads see the function's variables");
      for (const char *Copy : {"private", "firstprivate"})
        if (has(P, Copy))
          hand(P, std::string("clause '") + Copy + "' was left out: declare the variable inside the block");
      if (First == "single" && !has(P, "nowait") && within(P, makesTasks))
        waitBehind(P);
      return;
    }
    if (begins(P, {"for", "simd"}) || begins(P, {"taskloop", "simd"})) {
      tell(P, "simd", withoutClause("simd"));
      return loop(P, 2);
    }
    if (First == "for" || First == "taskfor" || First == "loop" || First == "taskloop" || begins(P, {"task", "for"}))
      return loop(P, begins(P, {"task", "for"}) ? 2 : 1);
    if (First == "taskgroup")
      Notes.push_back({P.Line, OfGroup, false});
    if (First == "task" || First == "taskgroup")
      return replace(P, "#pragma hsched " + First + clauses(P, 1, false));
    if (First == "taskwait")
      return taskwait(P);
    if (First == "barrier")
      return replace(P, "#pragma hsched taskwait");
    if (First == "target" && From == Source::OmpSs)
      return target(P);
    if (First == "declare" && P.Words.size() > 1 && P.Words[1].Name == "reduction")
      return replace(P, "#pragma hsched" + oneLine(P).substr(oneLine(P).find("declare") - 1));
    if (First == "scope")
      for (const char *Of : {"reduction", "private", "firstprivate"})
        if (has(P, Of))
          hand(P, std::string("clause '") + Of + "' was left out: each thread ran this block, and one does now");
    if (const char *Why = withoutDirective(First)) {
      tell(P, First, Why);
      return drop(P);
    }
    if (First == "simd")
      return leave(P, "left as it is: compile with -fopenmp-simd");
    if (First == "critical" || First == "atomic")
      return leave(P, "left as it is: compile with -fopenmp, or " + cc::adviceForDirective(First).str());
    // The second word says what "declare simd" and "end declare target" are about.
    const std::string Name = First == "declare" && P.Words.size() > 1 ? P.Words[1].Name : First;
    const llvm::StringRef Advice = cc::adviceForDirective(Name);
    leave(P, "'" + (Name == First ? First : First + " " + Name) +
                 "' was left as it is: " + (Advice.empty() ? "hsched has no such directive" : Advice.str()));
  }

  static bool makesTasks(const Pragma &P) {
    return !P.Words.empty() &&
           (P.Words[0].Name == "task" || P.Words[0].Name == "taskloop" || P.Words[0].Name == "section");
  }

  // A taskloop of OpenMP waits unless it has a nogroup clause.
  void loop(const Pragma &P, size_t Clauses) {
    const Region *R = around(P);
    if (R && R->PerThread)
      return drop(P);
    const bool Tasks = P.Words[0].Name == "taskloop" && (has(P, "nogroup") || From == Source::OmpSs);
    replace(P, std::string("#pragma hsched ") + (Tasks ? "taskloop" : "for") + clauses(P, Clauses, !Tasks) +
                   (R ? copies(*R, P) : "") + (begins(P, {"for"}) ? ownVariables(P, R) : ""));
  }

  // Variables that each thread had for itself: the region lists them as private or declares them, or a function that
  // all threads call does. There is one of each now. A loop that sets them before it uses them gets copies. The others,
  // which collect something, are listed.
  std::string ownVariables(const Pragma &P, const Region *R) {
    const auto [Begin, Last] = R ? std::pair(R->P->End, R->End) : functionAround(P.Begin, P.Begin);
    const size_t End = endOfStatement(Code, P.End);
    if (Begin >= P.Begin || End == Code.npos)
      return "";
    std::set<std::string> Named; // Also those for which nothing is to be done.
    for (const Word &W : P.Words)
      for (const std::string &Name : listOf(W.Inside ? afterColon(W) : ""))
        Named.insert(baseOf(Name));
    const std::string Body = Code.substr(P.End, End - P.End);
    std::smatch First;
    static const std::regex Head(R"(^\s*for\s*\(\s*(?:[A-Za-z_][\w\s]*[\s*])?([A-Za-z_]\w*)\s*=)");
    if (std::regex_search(Body, First, Head))
      Named.insert(First[1]);
    std::string Private;
    auto look = [&](const std::string &Name, bool Array, size_t Declared, std::ptrdiff_t Length) {
      if (!Named.insert(Name).second)
        return;
      // A macro may hide how the loop changes it.
      const bool Collects = std::regex_search(Body, std::regex("\\b" + Name + "\\b")) && inCritical(Name, End, Last);
      if (!Collects && !changes(Body, Name, Array))
        return;
      if (Array ? !Collects && onlyInLoops(Name, Begin, Last, Declared, Length) : setsFirst(Body, Name))
        Private += (Private.empty() ? "" : ", ") + Name;
      else
        hand(P, "each thread had a variable '" + Name + "' of its own, and there is one for all now: write private(" +
                    Name + ") on the loop, or reduction(op: " + Name +
                    ") if the threads' values are put together behind it");
    };
    if (R)
      for (const Word &W : R->P->Words)
        if (W.Name == "private" && W.Inside)
          for (const std::string &Name : listOf(*W.Inside))
            look(Name, false, 0, 0);
    static const std::regex Declaration(
        R"((?:^|[;{}])\s*((?:(?!static\b|return\b|else\b|extern\b|goto\b|typedef\b|const\b)[A-Za-z_]\w*[\s*]+)+)((?:[^;{}]|\{[^;{}]*\})*);)"),
        Declared(R"([\s*]*([A-Za-z_]\w*)\s*(\[|=[^=]|$))");
    for (size_t At = Begin; At < P.Begin;) {
      std::smatch D;
      const std::string Before = Code.substr(At, P.Begin - At);
      if (!std::regex_search(Before, D, Declaration))
        break;
      const size_t Start = At + static_cast<size_t>(D.position(2));
      for (const std::string &One : listOf(D[2].str()))
        if (std::smatch A; std::regex_search(One, A, Declared, std::regex_constants::match_continuous))
          look(A[1], A[2] == "[", Start, D.length(2));
      At = Start + static_cast<size_t>(D.length(2)); // The semicolon may begin the next one.
    }
    return Private.empty() ? "" : " private(" + Private + ")";
  }

  // Whether one thread at a time uses the variable in [Begin, Last).
  bool inCritical(const std::string &Name, size_t Begin, size_t Last) const {
    return std::ranges::any_of(Pragmas, [&](const Pragma &Q) {
      if (Q.Begin < Begin || Q.Begin >= Last || !(begins(Q, {"critical"}) || begins(Q, {"atomic"})))
        return false;
      const size_t End = endOfStatement(Code, Q.End);
      return End != Code.npos && std::regex_search(Code.substr(Q.End, End - Q.End), std::regex("\\b" + Name + "\\b"));
    });
  }

  // Whether Word, declared at Declared, is used in [Begin, Last) only in loops that are shared out.
  bool onlyInLoops(const std::string &Word, size_t Begin, size_t Last, size_t Declared, std::ptrdiff_t Length) const {
    for (size_t At = Begin; (At = Code.find(Word, At)) < Last; At += Word.size()) {
      if (isWord(Code[At - 1]) || isWord(Code[At + Word.size()]) ||
          (At >= Declared && At < Declared + static_cast<size_t>(Length)))
        continue;
      if (std::ranges::none_of(Pragmas, [&](const Pragma &Q) {
            return begins(Q, {"for"}) && Q.End <= At && At < endOfStatement(Code, Q.End);
          }))
        return false;
    }
    return true;
  }

  // The region's private variables that loop P does not list.
  static std::string copies(const Region &R, const Pragma &P) {
    std::set<std::string> Named;
    for (const Word &W : P.Words)
      for (const std::string &Name : listOf(W.Inside ? afterColon(W) : ""))
        Named.insert(Name);
    std::string List;
    for (const Word &W : R.P->Words)
      if (W.Name == "firstprivate" && W.Inside)
        for (const std::string &Name : listOf(*W.Inside))
          if (Named.insert(Name).second)
            List += (List.empty() ? "" : ", ") + Name;
    return List.empty() ? "" : " firstprivate(" + List + ")";
  }

  // One thread runs the code outside of loops and tasks.
  void parallel(const Pragma &P, bool OneThread) {
    drop(P);
    if (std::ranges::any_of(Regions, [&](const Region &R) { return R.P == &P && R.PerThread; }))
      hand(P,
           "it keeps results by the number of the thread, so one thread runs it, its loops too: write reduction(...) "
           "on the loop in place of them");
    for (const Word &W : P.Words)
      if (W.Name == "reduction" || W.Name == "copyin" || (W.Name == "firstprivate" && !within(P, [](const Pragma &Q) {
                                                            return begins(Q, {"for"});
                                                          }))) // Otherwise its loops get it.
        hand(P, "clause '" + W.Name + "' of the parallel region was left out: write it on its loops");
      else if (W.Name == "num_threads")
        hand(P, "the number of threads is the program's: set HSCHED_NCPU");
      else if (W.Name == "if")
        tell(P, "if", "loops are shared out where that is measured to pay");
      else if (W.Name == "proc_bind")
        tell(P, "proc_bind", "the runtime binds its threads, see hsched-env(7)");
    if (!OneThread && !within(P, [](const Pragma &) { return true; }) && !callsLoops(P))
      hand(P, "each thread ran this block, and one does now: make a loop of it, with '#pragma hsched for'");
    auto waits = [](const Pragma &Q) { return begins(Q, {"single"}) && !has(Q, "nowait"); };
    if (within(P, makesTasks) && !within(P, waits))
      waitBehind(P);
  }

  void taskwait(const Pragma &P) {
    std::string On;
    for (size_t I = 1; I < P.Words.size(); ++I)
      if (isData(P.Words[I].Name) || P.Words[I].Name == "on")
        On += (On.empty() ? "" : ", ") + trimmed(afterColon(P.Words[I]));
      else if (P.Words[I].Name != "noflush")
        hand(P, "clause '" + P.Words[I].Name + "' of taskwait was left out");
    replace(P,
            "#pragma hsched taskwait" + (On.empty() ? "" : " on(" + On + ")") + (has(P, "noflush") ? " noflush" : ""));
  }

  // OmpSs's target: the device of the version that follows.
  void target(const Pragma &P) {
    const std::string Clauses = clauses(P, 1, false);
    replace(P, "#pragma hsched" + (Clauses.empty() ? " device(cpu)" : Clauses));
  }

  // Whether the block that P applies to calls a function of this file that shares out loops or makes tasks. It may do
  // so through other functions.
  bool callsLoops(const Pragma &P) const {
    const size_t End = endOfStatement(Code, P.End);
    std::vector<std::pair<size_t, size_t>> Todo = {{P.End, End}};
    std::set<std::string> Seen;
    if (End == Code.npos)
      return false;
    while (!Todo.empty()) {
      const auto [Begin, Last] = Todo.back();
      Todo.pop_back();
      if (std::ranges::any_of(Pragmas, [&](const Pragma &Q) {
            return Q.Begin > Begin && Q.Begin < Last &&
                   (makesTasks(Q) || begins(Q, {"for"}) || begins(Q, {"sections"}));
          }))
        return true;
      for (size_t At = Code.find('(', Begin); At < Last; At = Code.find('(', At + 1))
        if (const std::string Name = wordBefore(At); !Name.empty() && Seen.insert(Name).second)
          for (size_t Brace = 0; (Brace = Code.find('{', Brace)) != Code.npos; ++Brace)
            if (nameBefore(Brace) == Name)
              Todo.push_back(functionAround(Brace + 1, Brace + 1));
    }
    return false;
  }

  static bool isWord(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }
  // The last word before the parenthesis at Open.
  std::string wordBefore(size_t Open) const {
    const size_t Last = Open == 0 ? Code.npos : Code.find_last_not_of(" \t\n", Open - 1);
    if (Last == Code.npos)
      return "";
    size_t First = Last + 1;
    while (First > 0 && isWord(Code[First - 1]))
      --First;
    return Code.substr(First, Last + 1 - First);
  }
  // The name of the function whose body begins at Brace; "" if none does.
  std::string nameBefore(size_t Brace) const {
    size_t At = Brace == 0 ? Code.npos : Code.find_last_not_of(" \t\n", Brace - 1);
    if (At == Code.npos || Code[At] != ')')
      return "";
    for (int Depth = 0; At != Code.npos; At = At == 0 ? Code.npos : At - 1)
      if (Depth += (Code[At] == ')') - (Code[At] == '('); Depth == 0)
        return wordBefore(At);
    return "";
  }

  // --- calls of OpenMP's library

  // The function that contains a region of one thread: from its brace to its end.
  std::pair<size_t, size_t> functionAround(const Region &R) const { return functionAround(R.P->Begin, R.End); }
  // The function that contains Begin, or [Begin, Last) if there is none.
  std::pair<size_t, size_t> functionAround(size_t Begin, size_t Last) const {
    std::vector<size_t> Open;
    for (size_t I = 0; I < Begin; ++I) {
      if (Code[I] == '{')
        Open.push_back(I);
      else if (Code[I] == '}' && !Open.empty())
        Open.pop_back();
    }
    for (size_t Brace : Open) { // A namespace has no parenthesis before its brace.
      const size_t Before = Brace == 0 ? Code.npos : Code.find_last_not_of(" \t\n", Brace - 1);
      if (Before == Code.npos || Code[Before] != ')')
        continue;
      int Depth = 0;
      for (size_t I = Brace; I < Code.size(); ++I)
        if (Depth += (Code[I] == '{') - (Code[I] == '}'); Depth == 0)
          return {Brace, I};
    }
    return {Begin, Last};
  }

  // Whether At is in the function around a region of one thread.
  bool ofOneThread(size_t At, size_t End, const std::string &Name) {
    const size_t Open = Code.find_first_not_of(" \t\n", End);
    const size_t Close = Open == Code.npos || Code[Open] != '(' ? Code.npos : Code.find_first_not_of(" \t\n", Open + 1);
    if (Close == Code.npos || Code[Close] != ')' ||
        (Name != "omp_get_thread_num" && Name != "omp_get_max_threads" && Name != "omp_get_num_threads"))
      return false;
    for (const Region &R : Regions)
      if (const auto [Begin, Last] = functionAround(R); R.PerThread && Begin < At && At < Last) {
        Edits.push_back({At, Close + 1, Name == "omp_get_thread_num" ? "0" : "1"});
        return true;
      }
    return false;
  }

  void calls() {
    static const std::set<std::string, std::less<>> Harmless = {"omp_get_wtime", "omp_get_wtick"};
    std::set<std::string> Reported;
    unsigned Line = 1;
    for (size_t I = 0; I < Code.size(); ++I) {
      Line += Code[I] == '\n';
      if (Code.compare(I, 4, "omp_") != 0 ||
          (I > 0 && (std::isalnum(static_cast<unsigned char>(Code[I - 1])) || Code[I - 1] == '_')))
        continue;
      size_t End = I;
      while (End < Code.size() && (std::isalnum(static_cast<unsigned char>(Code[End])) || Code[End] == '_'))
        ++End;
      const std::string Name = Code.substr(I, End - I);
      if (ofOneThread(I, End, Name) || !isLibrarys(Name))
        continue;
      if (Name == "omp_in" || Name == "omp_out" || Name == "omp_priv" || Name == "omp_orig" ||
          !Reported.insert(Name).second)
        continue;
      Notes.push_back(
          {Line, Name == "omp_get_max_threads"
                     ? "'omp_get_max_threads' is OpenMP's number: compile with -fopenmp, and keep it above 1 "
                       "if the program's loops depend on it"
                 : Harmless.contains(Name) ? "'" + Name + "' needs -fopenmp at the link, or use std::chrono"
                                           : "'" + Name + "' is about OpenMP's threads, which run nothing now"});
    }
  }
};

} // namespace

Converted convert(std::string_view Text, Source From) { return Converter(Text, From).run(); }

} // namespace hsched::port
