// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Check.h"

#include <algorithm>
#include <memory>

namespace hsched::oracle {
namespace {

enum Dead : uint8_t { No, Maybe, Surely };

// State of one word in one domain after the tasks that have been replayed.
struct WordState {
  uint64_t Writers = 0, Readers = 0, Before = 0; // When the last of them was over: what comes after them began later.
  Dead WritersDead = No, ReadersDead = No, BeforeDead = No;
  uint8_t Mode = HSCHED_INOUT; // Mode of the last writers.
  bool Read = false;           // Since.
  uint32_t Reduced = 0;        // Number of the section, where they reduce.
};

// The interval in which a task had a word exclusively.
struct Turn {
  uint32_t Word;
  uint64_t Began, Over;
  uint32_t Task;
};

struct Domain {
  std::vector<const TaskSpec *> Dead;               // Tasks that failed, were cancelled, or may have been.
  uint32_t Failed = 0, MaybeFailed = 0, Thrown = 0; // Children since the last wait for all; waits that threw since.
  uint64_t Over = 0;                                // All that was submitted here so far.
  static constexpr uint32_t PageWords = 64;
  std::vector<std::unique_ptr<WordState[]>> Pages; // Words that have been named here.
  std::vector<Turn> Turns;
  std::vector<Section> Reduced; // The sections that were reduced, by number less one.

  WordState &word(uint32_t At) {
    size_t Page = At / PageWords;
    if (Page >= Pages.size())
      Pages.resize(Page + 1);
    if (!Pages[Page])
      Pages[Page] = std::make_unique<WordState[]>(PageWords);
    return Pages[Page][At % PageWords];
  }
  uint32_t number(const Section &S) {
    for (size_t I = 0; I < Reduced.size(); ++I)
      if (Reduced[I].same(S))
        return static_cast<uint32_t>(I + 1);
    Reduced.push_back(S);
    return static_cast<uint32_t>(Reduced.size());
  }
  bool mayBeDead(const Section &S) const {
    return std::ranges::any_of(Dead, [&](const TaskSpec *T) {
      return std::ranges::any_of(T->Sections, [&](const Section &D) {
        return hullsMeet(S, D) && (S.Mode != HSCHED_IN || D.Mode != HSCHED_IN);
      });
    });
  }
  void forgetDead(enum Dead Left) {
    for (auto &Page : Pages)
      for (uint32_t I = 0; Page && I < PageWords; ++I)
        for (WordState &W = Page[I]; enum Dead * D : {&W.WritersDead, &W.ReadersDead, &W.BeforeDead})
          *D = std::min(*D, Left);
  }
};

class Replay {
public:
  Replay(const Program &P, const Observed &Seen) : P(P), Seen(Seen), Memory(P.AllWords), Named(P.Tasks.size()) {}

  std::string all() {
    if (!Seen.Trouble.empty())
      return Seen.Trouble;
    std::vector<Turn> Shared;
    for (const auto &Body : P.Threads) {
      Domain D;
      (void)actions(Body, D, nullptr, false);
      takeTurns(D.Turns);
      std::ranges::copy_if(D.Turns, std::back_inserter(Shared),
                           [this](const Turn &T) { return T.Word < P.SharedWords; });
    }
    takeTurns(Shared);
    for (uint32_t At = 0; At < P.RootWords && Wrong.empty(); ++At)
      if (Memory[At] != Seen.Memory[At])
        Wrong = "at the end word " + std::to_string(At) + " is " + std::to_string(Seen.Memory[At]) +
                ", serially it is " + std::to_string(Memory[At]);
    return Wrong;
  }

private:
  // Why a body did not go on.
  struct End {
    bool Threw = false;
    Dead Failed = No;
  };

  void wrong(uint32_t Task, const std::string &Text) {
    if (Wrong.empty())
      Wrong = "task " + std::to_string(Task) + " " + Text;
  }
  void wrong(const Action &A, const std::string &Text) {
    if (Wrong.empty())
      Wrong = (A.What == Action::Submit ? "submission of task " + std::to_string(A.Task)
                                        : "wait (action " + std::to_string(A.Id) + ")") +
              " " + Text;
  }

  Word work(uint32_t Salt, const std::vector<Section> &Sections) {
    return Work{Salt, Sections}.run([&](size_t I) { return &Memory[Sections[I].Begin]; }, [] {});
  }
  bool ordered(uint32_t At) const { return At >= P.SharedWords; }

  // Returns whether the body went through to its end.
  bool actions(const std::vector<Action> &Body, Domain &D, const TaskSpec *Of, bool InFinal) {
    for (const Action &A : Body) {
      if (!Wrong.empty())
        return true;
      const ActionRecord &R = Seen.Actions[A.Id];
      if (!R.Returned) {
        wrong(A, "was not come to");
        return true;
      }
      if (A.What == Action::Submit) {
        submit(A, D, InFinal);
        continue;
      }
      A.What == Action::Wait ? wait(A, D) : waitOn(A, D);
      if (R.Threw && Of && !Of->Catches)
        return false;
      if (Word Sum = work(A.Id, A.Sections); Sum != R.Sum)
        wrong(A, "was followed by reading " + std::to_string(R.Sum) + ", serially it is " + std::to_string(Sum));
    }
    return true;
  }

  void wait(const Action &A, Domain &D) {
    const ActionRecord &R = Seen.Actions[A.Id];
    if (R.Returned < D.Over)
      wrong(A, "returned before a task was over");
    if (R.Threw && D.Failed + D.MaybeFailed == 0)
      wrong(A, "threw though nothing failed");
    if (!R.Threw && D.Failed > 0 && D.Thrown == 0)
      wrong(A, "did not throw what failed");
    D.forgetDead(No);
    D.Dead.clear();
    D.Failed = D.MaybeFailed = D.Thrown = 0;
  }

  void waitOn(const Action &A, Domain &D) {
    const ActionRecord &R = Seen.Actions[A.Id];
    bool Must = false, May = false;
    for (const Section &S : A.Sections) {
      Section Any = S;
      Any.Mode = HSCHED_INOUT;
      May = May || D.mayBeDead(Any);
      S.each([&](uint32_t At) {
        const WordState &W = D.word(At);
        if (R.Returned < std::max(W.Writers, W.Readers))
          wrong(A, "returned before a task was over that uses word " + std::to_string(At));
        Must |= W.WritersDead == Surely || W.ReadersDead == Surely;
      });
    }
    if (R.Threw && (!May || D.Failed + D.MaybeFailed == 0))
      wrong(A, "threw though nothing failed there");
    if (!R.Threw && Must)
      wrong(A, "did not throw what failed");
    if (R.Threw) { // What was complete then has been forgotten.
      D.forgetDead(Maybe);
      ++D.Thrown;
    }
  }

  // On a device, concurrent tasks take turns: whether there are any with a version for one does not matter to those
  // that have none.
  static unsigned ownMode(const TaskSpec &T, size_t I) {
    unsigned Mode = T.Sections[I].Mode;
    return Mode == HSCHED_CONCURRENT && T.Kind >= Versions::CpuAndDevice ? unsigned(HSCHED_COMMUTATIVE) : Mode;
  }
  // As far as the words themselves say: what a task names in several ways it has for itself.
  static unsigned modeOf(const TaskSpec &T, size_t I) {
    unsigned Mode = ownMode(T, I);
    if (Mode > HSCHED_INOUT)
      for (size_t J = 0; J < T.Sections.size(); ++J)
        if (I != J && (Mode != ownMode(T, J) || Mode == HSCHED_REDUCTION) && overlap(T.Sections[I], T.Sections[J]))
          return HSCHED_INOUT;
    return Mode;
  }
  static bool inGroup(const WordState &W, unsigned Mode, uint32_t Reduced) {
    return W.Mode == Mode && W.Reduced == Reduced && !W.Read;
  }

  void submit(const Action &A, Domain &D, bool InFinal) {
    const TaskSpec &T = P.Tasks[A.Task];
    const TaskRecord &R = Seen.Tasks[A.Task];
    unsigned Modes[TaskSpec::MostSections];
    uint32_t Numbers[TaskSpec::MostSections] = {};
    uint64_t After = 0, Word = 0;
    Dead Doomed = No;
    for (size_t I = 0; I < T.Sections.size(); ++I) {
      const Section &S = T.Sections[I];
      Modes[I] = modeOf(T, I);
      if (Modes[I] == HSCHED_REDUCTION)
        Numbers[I] = D.number(S);
      S.each([&](uint32_t At) {
        if (S.Via == ViaRoot && !ordered(At))
          return;
        const WordState &W = D.word(At);
        auto comesAfter = [&](uint64_t Over, Dead Is) {
          if (Over > After) {
            After = Over;
            Word = At;
          }
          Doomed = std::max(Doomed, Is);
        };
        if (Modes[I] > HSCHED_INOUT && inGroup(W, Modes[I], Numbers[I]))
          return comesAfter(W.Before, W.BeforeDead);
        comesAfter(W.Writers, W.WritersDead);
        if (Modes[I] != HSCHED_IN)
          comesAfter(W.Readers, W.ReadersDead);
      });
    }

    for (uint32_t Before : T.After)
      if (const Ended &B = Named[Before]; B.Known) {
        if (R.Runs && R.Began < B.Over)
          wrong(A.Task, "began before task " + std::to_string(Before) + " was over, after which it comes");
        Doomed = std::max(Doomed, B.Is);
        // An earlier wait may have said so, and the next one for what this task writes says it again.
        D.MaybeFailed += B.Is != No;
      }
    if (R.Runs && R.Worker >= 0 && !T.AllowedOn.empty() &&
        std::ranges::find(T.AllowedOn, static_cast<unsigned>(R.Worker)) == T.AllowedOn.end())
      wrong(A.Task, "ran on worker " + std::to_string(R.Worker) + ", which its submission does not allow");

    Dead Failed = No;
    uint64_t Over = 0;
    if (R.Runs > 1)
      wrong(A.Task, "ran " + std::to_string(R.Runs) + " times");
    if (R.Runs) {
      if (Doomed == Surely)
        wrong(A.Task, "ran though what it depends on did not end well");
      if (R.Began < After)
        wrong(A.Task, "began before what it comes after was over, in word " + std::to_string(Word));
      if (R.WrongPlace)
        wrong(A.Task, "was told wrongly whether it is in a final task");
      if ((T.If0 || T.Final || InFinal) && !T.Detached && Seen.Actions[A.Id].Returned < R.Over)
        wrong(A, "returned before the task was over, which was to run in place");
      Failed = run(A.Task, T, R, InFinal || T.Final, Over);
    } else if (Doomed == No && std::ranges::none_of(T.Sections, [&](const Section &S) { return D.mayBeDead(S); })) {
      wrong(A.Task, "did not run");
    }

    Dead Is = R.Runs ? Failed : Surely;
    if (T.Named)
      Named[A.Task] = {true, Over, Is};
    D.Over = std::max(D.Over, Over);
    D.Failed += Failed == Surely;
    D.MaybeFailed += Failed == Maybe;
    if (Is != No)
      D.Dead.push_back(&T);
    for (size_t I = 0; I < T.Sections.size(); ++I)
      T.Sections[I].each([&](uint32_t At) {
        if (R.Runs && Modes[I] == HSCHED_COMMUTATIVE)
          D.Turns.push_back({At, R.Began, Over, A.Task});
        if (T.Sections[I].Via != ViaRoot || ordered(At))
          update(D.word(At), Modes[I], Numbers[I], Over, Is);
      });
  }

  static void update(WordState &W, unsigned Mode, uint32_t Reduced, uint64_t Over, Dead Is) {
    if (Mode == HSCHED_IN) {
      W.Readers = std::max(W.Readers, Over);
      W.ReadersDead = std::max(W.ReadersDead, Is);
      W.Read = true;
      return;
    }
    uint64_t All = std::max(W.Writers, W.Readers);
    Dead AllDead = std::max(W.WritersDead, W.ReadersDead);
    if (Mode > HSCHED_INOUT && inGroup(W, Mode, Reduced)) {
      W.WritersDead = std::max(W.WritersDead, Is);
    } else {
      W.Before = All;
      W.BeforeDead = AllDead;
      W.WritersDead = Is;
    }
    W.Writers = std::max(All, Over);
    W.Readers = 0;
    W.ReadersDead = No;
    W.Read = false;
    W.Mode = static_cast<uint8_t>(Mode);
    W.Reduced = Reduced;
  }

  // Returns whether T failed; Over gets the moment at which all of it was over.
  Dead run(uint32_t Index, const TaskSpec &T, const TaskRecord &R, bool InFinal, uint64_t &Over) {
    Over = R.Over;
    if (!Wrong.empty() || T.Fail == Fails::AtOnce)
      return T.Fail == Fails::AtOnce ? Surely : No;
    if (Word Sum = work(Index, T.Sections); Sum != R.Sum)
      wrong(Index, "read " + std::to_string(R.Sum) + ", serially it is " + std::to_string(Sum));
    if (T.Body.empty())
      return T.Fail == Fails::Never ? No : Surely;
    Domain D;
    bool Through = actions(T.Body, D, &T, InFinal);
    takeTurns(D.Turns);
    Over = std::max(Over, D.Over);
    if (!Through || T.Fail == Fails::AtTheEnd)
      return Surely;
    return D.Failed && !D.Thrown ? Surely : D.Failed || D.MaybeFailed ? Maybe : No;
  }

  void takeTurns(std::vector<Turn> &Turns) {
    std::ranges::sort(
        Turns, [](const Turn &A, const Turn &B) { return std::pair(A.Word, A.Began) < std::pair(B.Word, B.Began); });
    for (size_t I = 1; I < Turns.size(); ++I)
      if (Turns[I - 1].Word == Turns[I].Word && Turns[I - 1].Task != Turns[I].Task &&
          Turns[I].Began < Turns[I - 1].Over)
        wrong(Turns[I].Task, "was at commutative word " + std::to_string(Turns[I].Word) + " together with task " +
                                 std::to_string(Turns[I - 1].Task));
  }

  const Program &P;
  const Observed &Seen;
  std::vector<Word> Memory;
  struct Ended {
    bool Known = false;
    uint64_t Over = 0;
    Dead Is = No;
  };
  std::vector<Ended> Named; // By task.
  std::string Wrong;
};

} // namespace

std::string check(const Program &P, const Observed &Seen) { return Replay(P, Seen).all(); }

} // namespace hsched::oracle
