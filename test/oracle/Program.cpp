// Programs as text, for reports.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <algorithm>
#include <sstream>

namespace hsched::oracle {

bool overlap(const Section &A, const Section &B) {
  if (!hullsMeet(A, B))
    return false;
  for (uint32_t I = 0; I < A.Rows; ++I) {
    uint32_t Begin = A.Begin + I * A.Stride, End = Begin + A.Words;
    // B's last row that begins before End is the only one that can be the last to meet it.
    if (End <= B.Begin || Begin >= B.end())
      continue;
    uint32_t Row = B.Rows == 1 ? 0 : std::min(B.Rows - 1, (End - 1 - B.Begin) / B.Stride);
    if (B.Begin + Row * B.Stride + B.Words > Begin)
      return true;
  }
  return false;
}

namespace {

void print(std::ostream &Out, const Section &S) {
  static const char *const Names[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
  static const char *const Ops[] = {"+", "^", "max", "pair"};
  Out << " " << Names[S.Mode];
  if (S.Mode == HSCHED_REDUCTION)
    Out << ":" << Ops[static_cast<int>(S.Op)];
  Out << "[" << S.Begin << ";" << S.Words << "]";
  if (S.Rows != 1)
    Out << "x" << S.Rows << "/" << S.Stride;
  if (S.Via == ViaLocal)
    Out << "@local";
  else if (S.Via != ViaRoot)
    Out << "@" << S.Via;
}

void print(std::ostream &Out, const Program &P, const std::vector<Action> &Body, size_t Indent) {
  for (const Action &A : Body) {
    Out << std::string(Indent, ' ');
    if (A.What != Action::Submit) {
      Out << (A.What == Action::Wait ? "wait" : "wait on") << (A.Flush ? "" : " noflush");
      for (const Section &S : A.Sections)
        print(Out, S);
      Out << "\n";
      continue;
    }
    const TaskSpec &T = P.Tasks[A.Task];
    static const char *const Kinds[] = {"", " twoversions", " cpu+device", " device"};
    static const char *const Failures[] = {"", " fails", " failsattheend"};
    Out << "task " << A.Task << Kinds[static_cast<int>(T.Kind)] << Failures[static_cast<int>(T.Fail)];
    for (const Section &S : T.Sections)
      print(Out, S);
    if (T.Priority)
      Out << " priority " << T.Priority;
    Out << (T.If0 ? " if(0)" : "") << (T.Final ? " final" : "");
    if (T.Yields)
      Out << " yields " << int(T.Yields);
    if (T.LocalWords)
      Out << " local[" << T.LocalBegin << ";" << T.LocalWords << "]";
    if (!T.Body.empty() && P.MayFail && T.Catches)
      Out << " catches";
    Out << "\n";
    print(Out, P, T.Body, Indent + 2);
  }
}

} // namespace

std::string print(const Program &P) {
  std::ostringstream Out;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    if (P.Threads.size() > 1)
      Out << "thread " << T << "\n";
    print(Out, P, P.Threads[T], 2);
  }
  return Out.str();
}

std::string print(const Setup &S) {
  std::ostringstream Out;
  Out << S.Workers << " workers, " << S.Policy << ", window " << S.Window;
  if (S.Devices)
    Out << ", " << S.Devices << " devices";
  if (S.Watched)
    Out << ", watched";
  return Out.str();
}

} // namespace hsched::oracle
