// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/SubDevices.h"

#include "backends/opencl/Errors.h"

#include <algorithm>
#include <numeric>

namespace hsched::rt::opencl {

namespace {

struct Domain {
  Split::By How;
  cl_device_affinity_domain Bit;
  const char *Name;
};
constexpr Domain AllDomains[] = {{Split::By::Numa, CL_DEVICE_AFFINITY_DOMAIN_NUMA, "numa"},
                                 {Split::By::L1, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, "l1"},
                                 {Split::By::L2, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, "l2"},
                                 {Split::By::L3, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, "l3"},
                                 {Split::By::L4, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, "l4"}};

// The possible ways of splitting.
std::string supportedSplits(const SplitFacts &F) {
  std::string Text;
  auto add = [&](const std::string &Way) { Text += (Text.empty() ? "" : ", ") + Way; };
  if (F.ByCounts || F.Equally)
    add("/<number of parts>");
  if (F.ByCounts)
    add("/<units>+<units>...");
  for (const Domain &D : AllDomains)
    if (F.Domains & D.Bit)
      add(std::string("/") + D.Name);
  return Text.empty() ? "it cannot be split at all" : "it can be split by " + Text;
}

std::string tooFew(unsigned Units, const std::string &For) {
  return std::to_string(Units) + " compute unit" + (Units == 1 ? " is" : "s are") + " too few for " + For;
}

} // namespace

SplitFacts SplitFacts::of(const cl::Device &D) {
  SplitFacts F;
  cl_uint Units = 0;
  if (D.getInfo(CL_DEVICE_MAX_COMPUTE_UNITS, &Units) == CL_SUCCESS)
    F.Units = Units;
  std::vector<cl_device_partition_property> Ways;
  if (D.getInfo(CL_DEVICE_PARTITION_PROPERTIES, &Ways) != CL_SUCCESS)
    return F;
  for (cl_device_partition_property Way : Ways) {
    F.Equally |= Way == CL_DEVICE_PARTITION_EQUALLY;
    F.ByCounts |= Way == CL_DEVICE_PARTITION_BY_COUNTS;
    if (Way == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
      D.getInfo(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, &F.Domains);
  }
  return F;
}

std::string planSplit(const Split &How, const SplitFacts &Facts, unsigned MostUnits,
                      std::vector<cl_device_partition_property> &Out) {
  unsigned Units = std::min(Facts.Units, MostUnits);
  std::vector<unsigned> Counts = How.Units;
  switch (How.How) {
  case Split::By::Whole:
    break;
  case Split::By::Parts: {
    auto Each = Units / static_cast<unsigned>(Counts.size());
    if (Each == 0)
      return tooFew(Units, std::to_string(Counts.size()) + " parts");
    if (!Facts.ByCounts && !Facts.Equally)
      return supportedSplits(Facts);
    if (!Facts.ByCounts) { // As many parts as fit; the rest is unused.
      Out = {CL_DEVICE_PARTITION_EQUALLY, static_cast<cl_device_partition_property>(Each), 0};
      return "";
    }
    std::ranges::fill(Counts, Each);
    [[fallthrough]];
  }
  case Split::By::Counts: {
    unsigned Sum = std::accumulate(Counts.begin(), Counts.end(), 0u);
    if (!Facts.ByCounts)
      return supportedSplits(Facts);
    if (Sum > Units)
      return tooFew(Units, "parts of " + std::to_string(Sum));
    Out = {CL_DEVICE_PARTITION_BY_COUNTS};
    Out.insert(Out.end(), Counts.begin(), Counts.end());
    Out.insert(Out.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
    return "";
  }
  default:
    for (const Domain &D : AllDomains)
      if (D.How == How.How && Facts.Domains & D.Bit) {
        Out = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, static_cast<cl_device_partition_property>(D.Bit), 0};
        return "";
      }
    return supportedSplits(Facts);
  }
  return "";
}

cl_int createParts(const cl::Device &Whole, const std::vector<cl_device_partition_property> &Plan,
                   std::vector<cl::Device> &Out) {
  cl_uint Parts = 0;
  cl_int Code = clCreateSubDevices(Whole(), Plan.data(), 0, nullptr, &Parts);
  std::vector<cl_device_id> Made(Parts);
  if (Code == CL_SUCCESS)
    Code = clCreateSubDevices(Whole(), Plan.data(), Parts, Made.data(), nullptr);
  if (Code != CL_SUCCESS)
    return Code;
  for (cl_device_id Part : Made)
    Out.emplace_back(Part, /*retainObject=*/true); // The handle from creation is never released either.
  return CL_SUCCESS;
}

std::string splitDevice(const cl::Device &Whole, const Split &How, unsigned MostUnits, std::vector<cl::Device> &Out) {
  std::vector<cl_device_partition_property> Plan;
  if (std::string Wrong = planSplit(How, SplitFacts::of(Whole), MostUnits, Plan); !Wrong.empty())
    return Wrong;
  if (cl_int Code = createParts(Whole, Plan, Out); Code != CL_SUCCESS)
    return "the driver does not split it: " + describeError(Code);
  if (How.How == Split::By::Parts && Out.size() > How.Units.size())
    Out.resize(How.Units.size());
  return "";
}

} // namespace hsched::rt::opencl
