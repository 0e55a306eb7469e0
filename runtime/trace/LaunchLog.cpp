// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/LaunchLog.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace hsched::rt {

void LaunchLog::add(const LaunchRecord &R) {
  Launched New{R.Kernel, {}, {}};
  for (unsigned D = 0; D < R.Range->dims; ++D) {
    New.What.Global.push_back(R.Range->global[D]);
    if (R.Range->local[0])
      New.What.Local.push_back(R.Range->local[D]);
    if (R.Range->offset[0] || R.Range->offset[1] || R.Range->offset[2])
      New.What.Offset.push_back(R.Range->offset[D]);
  }
  for (const hsched_kernel_arg &A : R.Args) {
    Argument &To = New.Args.emplace_back();
    if (const size_t I = New.Args.size() - 1; I < R.Others.size() && R.Others[I]) {
      To.Arg.K = record::Argument::Other;
      To.Arg.What = R.Others[I];
      To.Pointer = reinterpret_cast<uintptr_t>(A.pointer);
    } else if (A.kind == HSCHED_ARG_VALUE) {
      const auto *From = static_cast<const unsigned char *>(A.value);
      To.Arg.ValueBytes.assign(From, From + A.bytes);
    } else if (A.kind == HSCHED_ARG_LOCAL) {
      To.Arg.K = record::Argument::Local;
      To.Arg.Bytes = A.bytes;
    } else {
      To.Arg.K = record::Argument::Buffer;
      To.Pointer = reinterpret_cast<uintptr_t>(A.pointer);
    }
  }
  std::lock_guard Guard(Lock);
  if (!Contents.empty())
    keepContents(R);
  ByTask.insert_or_assign(R.Id, std::move(New));
}

// A section that no task has accessed is valid in host memory: only tasks may write it until this task has
// ended.
void LaunchLog::keepContents(const LaunchRecord &R) {
  for (const hsched_access &A : R.Sections)
    for (size_t Row = 0; Row < A.rows && A.bytes; ++Row) {
      uintptr_t At = reinterpret_cast<uintptr_t>(A.base) + Row * A.stride;
      const uintptr_t End = At + A.bytes;
      auto Next = Known.upper_bound(At);
      if (Next != Known.begin())
        At = std::max(At, std::prev(Next)->second);
      while (At < End) {
        const uintptr_t Stop = Next == Known.end() ? End : std::min(End, Next->first);
        if (At < Stop && A.mode != HSCHED_OUT) {
          const auto *From = reinterpret_cast<const unsigned char *>(At);
          Pieces[At].assign(From, From + (Stop - At));
        }
        At = Next == Known.end() ? End : std::max(Stop, Next->second);
        if (Next != Known.end())
          ++Next;
      }
      // Merges the overlapping ranges into one.
      uintptr_t First = reinterpret_cast<uintptr_t>(A.base) + Row * A.stride, Last = End;
      auto Met = Known.upper_bound(First);
      if (Met != Known.begin() && std::prev(Met)->second >= First)
        --Met;
      while (Met != Known.end() && Met->first <= Last) {
        First = std::min(First, Met->first);
        Last = std::max(Last, Met->second);
        Met = Known.erase(Met);
      }
      Known[First] = Last;
    }
}

bool LaunchLog::finish(record::Record &R, const Locate &Where) {
  std::lock_guard Guard(Lock);
  std::map<const hsched_kernel_desc *, uint32_t> Numbers;
  for (record::Task &T : R.Tasks) {
    auto Found = ByTask.find(T.Id);
    if (Found == ByTask.end())
      continue;
    Launched &L = Found->second;
    auto [Number, New] = Numbers.try_emplace(L.Kernel, static_cast<uint32_t>(R.Kernels.size()));
    if (New)
      R.Kernels.push_back(
          {L.Kernel->name, L.Kernel->file, L.Kernel->options, std::string(L.Kernel->source, L.Kernel->source_bytes)});
    L.What.Kernel = Number->second;
    for (Argument &A : L.Args) {
      if (A.Pointer)
        A.Arg.Known = Where(A.Pointer, A.Arg.Datum, A.Arg.From);
      L.What.Args.push_back(std::move(A.Arg));
    }
    T.Launched = std::move(L.What);
  }
  ByTask.clear();
  if (Contents.empty())
    return true;
  namespace fs = std::filesystem;
  std::error_code Failed;
  fs::create_directories(Contents, Failed);
  const std::string Folder = Failed ? Contents : fs::absolute(Contents, Failed).string();
  std::map<uint32_t, std::vector<unsigned char>> Files;
  for (const auto &[Address, Bytes] : Pieces) {
    uint32_t Datum;
    uint64_t From;
    if (!Where(Address, Datum, From))
      continue;
    std::vector<unsigned char> &To = Files[Datum];
    To.resize(R.Data[Datum]);
    std::copy_n(Bytes.begin(), std::min<uint64_t>(Bytes.size(), To.size() - From),
                To.begin() + static_cast<long>(From));
  }
  bool Good = !Failed;
  for (const auto &[Datum, Bytes] : Files) {
    std::ofstream Out(Folder + "/" + std::to_string(Datum) + ".raw", std::ios::binary);
    Out.write(reinterpret_cast<const char *>(Bytes.data()), static_cast<std::streamsize>(Bytes.size()));
    Good &= static_cast<bool>(Out.flush());
  }
  R.Contents = Folder;
  return Good;
}

} // namespace hsched::rt
