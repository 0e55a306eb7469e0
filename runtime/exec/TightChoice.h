// Chooses a device's next task while its memory is tight: the one that uses transferred data best.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task whose data are all resident goes first. Otherwise the one whose missing data serve the most tasks per byte.
// The source is DARTS (Gonthier, Marchal, Thibault, "Taming data locality for task scheduling under memory constraint
// in runtime systems", 2023). Unlike DARTS, it counts by tasks with their followers. A follower depends only on tasks
// on this device and runs right behind its task, so its data count as the task's.
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

  bool empty() const { return Candidates.empty(); }
  size_t size() const { return Candidates.size(); }
  // Limit of candidates for kernels of time Typical: a choice takes about 1 us for each candidate.
  static size_t most(Duration Typical);
  void add(TaskNode &T, const Version &V) { Candidates.push_back({{&T, &V}, 0, {}, 0, 0, 0}); }
  // Takes the best candidate for memory node Node. Not empty. Never chooses a task of lower priority than another, and
  // starves no task.
  Candidate take(Directory &Data, MemoryNode Node);

private:
  static constexpr size_t MostFollowers = 15, MaxRequests = 64;
  static constexpr unsigned MostPassedOver = 256;

  struct Each {
    Candidate C;
    unsigned PassedOver;
    std::vector<uint32_t> DataIndices; // Indices of its data in Requests, without duplicates.
    uint32_t Tasks;                    // Number of tasks: itself and its followers.
    uint64_t Bytes;                    // Bytes to transfer for them.
    uint32_t Lacks;                    // Number of missing data that other candidates want too: the ones in its row.
  };

  void lookAhead(Each &E);
  void addRequest(Each &E, const Access &A, PackedParams Packed);
  size_t best(Directory &Data, MemoryNode Node);

  std::vector<Each> Candidates; // In order of arrival.
  // Valid during a choice.
  std::vector<Directory::SurveyedAccess> Requests;
  std::vector<uint32_t> Users;               // By index in Requests: number of candidates.
  std::unordered_map<uint64_t, uint32_t> At; // Index in Requests.
  std::vector<uint64_t> Rows;                // A row of bits for each candidate.
};

} // namespace hsched::rt
#endif
