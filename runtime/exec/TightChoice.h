// What a device runs next while its memory is tight: what makes the most of the data that travel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that lacks nothing goes first. Where each lacks something, the one whose data, once they are there, serve the
// most tasks for the bytes that they take; as in DARTS (Gonthier, Marchal, Thibault, "Taming data locality for task
// scheduling under memory constraint in runtime systems", 2023), but by tasks with what follows them, not by data: what
// comes after a task on the device and nothing else runs right behind it, so its data count as the task's own.
#ifndef HSCHED_EXEC_TIGHTCHOICE_H
#define HSCHED_EXEC_TIGHTCHOICE_H

#include "data/Directory.h"
#include "exec/PackedTiles.h"
#include "graph/TaskGraph.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hsched::rt {

// Owned by one device's manager; on its thread.
class TightChoice {
public:
  struct Candidate {
    TaskNode *T = nullptr;
    const Version *V = nullptr;
  };

  bool empty() const { return Known.empty(); }
  size_t size() const { return Known.size(); }
  // Most that it makes sense to choose among, where kernels take Typical: a choice takes a microsecond for each.
  static size_t most(Duration Typical);
  void add(TaskNode &T, const Version &V) { Known.push_back({{&T, &V}, 0, {}, 0, 0, 0}); }
  // Not empty. The best of them for memory of Node; none that is less urgent than another, and none is passed over for
  // ever.
  Candidate take(Directory &Data, MemoryNode Node);

private:
  static constexpr size_t MostFollowers = 15, MostWants = 64;
  static constexpr unsigned MostPassedOver = 256;

  struct Each {
    Candidate C;
    unsigned PassedOver;
    std::vector<uint32_t> Wants; // Its data, by index in Wanted, each once.
    uint32_t Tasks;              // It and its followers.
    uint64_t Bytes;              // That would travel for them.
    uint32_t Lacks;              // How many of Wants are not there and wanted by others as well: the ones in its row.
  };

  void lookAhead(Each &E);
  void want(Each &E, const Access &A, PackedParams Packed);
  size_t best(Directory &Data, MemoryNode Node);

  std::vector<Each> Known; // In order of arrival.
  // For the length of a choice.
  std::vector<Directory::Want> Wanted;
  std::vector<uint32_t> Users;               // Of each in Wanted, how many candidates.
  std::unordered_map<uint64_t, uint32_t> At; // In Wanted.
  std::vector<uint64_t> Rows;                // A row of bits for each candidate.
};

} // namespace hsched::rt
#endif
