// HSCHED_OPENCL's values against lists of devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/SubDevices.h"

#include <gtest/gtest.h>

#include <climits>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::opencl;

namespace {

const std::vector<Candidate> Mixed = {{"Cpu A", DeviceType::Cpu, "P"},
                                      {"Gpu B", DeviceType::Gpu, "P"},
                                      {"Cpu C", DeviceType::Cpu, "P"},
                                      {"Fpga D", DeviceType::Accelerator, "P"},
                                      {"Gpu E", DeviceType::Gpu, "P"}};
const std::vector<Candidate> CpusOnly = {{"Cpu A", DeviceType::Cpu, "P"}, {"Cpu B", DeviceType::Cpu, "P"}};

using Numbers = std::vector<unsigned>;

// What Selection selects; {99} where it is refused.
Numbers select(const std::string &Selection, const std::vector<Candidate> &There) {
  const std::vector<Selected> Before{{1234, {}}}; // Must be replaced, not added to.
  std::vector<Selected> Out = Before;
  status S = selectDevices(Selection, There, Out);
  if (S.ok()) {
    Numbers Whole;
    for (const Selected &One : Out) {
      EXPECT_EQ(One.Parts, Split{});
      Whole.push_back(One.Number);
    }
    return Whole;
  }
  EXPECT_EQ(Out, Before) << "left alone on failure";
  EXPECT_EQ(S.code(), errc::invalid_argument);
  return {99};
}

const Numbers Refused = {99};

} // namespace

TEST(SelectionTest, AutoPrefersWhatIsNoCpu) {
  EXPECT_EQ(select("", Mixed), (Numbers{1, 3, 4}));
  EXPECT_EQ(select("auto", Mixed), (Numbers{1, 3, 4}));
  EXPECT_EQ(select(" AUTO ", CpusOnly), Numbers{0}) << "one CPU device is enough";
  EXPECT_EQ(select("", {}), Numbers{});
}

TEST(SelectionTest, ByType) {
  EXPECT_EQ(select("all", Mixed), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(select("all", {}), Numbers{});
  EXPECT_EQ(select("gpu", Mixed), (Numbers{1, 4}));
  EXPECT_EQ(select("CPU", Mixed), (Numbers{0, 2}));
  EXPECT_EQ(select("gpu", CpusOnly), Refused);
  EXPECT_EQ(select("cpu", {}), Refused);
}

TEST(SelectionTest, ZeroIsNoneAndZeroCommaIsTheFirst) {
  EXPECT_EQ(select("0", Mixed), Numbers{});
  EXPECT_EQ(select("none", Mixed), Numbers{});
  EXPECT_EQ(select("0,", Mixed), Numbers{0});
  EXPECT_TRUE(selectsNoDevice(" 0 "));
  EXPECT_TRUE(selectsNoDevice("off"));
  EXPECT_FALSE(selectsNoDevice("0,"));
  EXPECT_FALSE(selectsNoDevice(""));
}

TEST(SelectionTest, ByNumber) {
  EXPECT_EQ(select("1", Mixed), Numbers{1});
  EXPECT_EQ(select("4, 0", Mixed), (Numbers{0, 4})) << "in the order of enumeration";
  EXPECT_EQ(select("2,2,1", Mixed), (Numbers{1, 2})) << "each once";
  EXPECT_EQ(select("5", Mixed), Refused);
  EXPECT_EQ(select("0,99999999999999999999", Mixed), Refused);
}

TEST(SelectionTest, Nonsense) {
  for (const char *Bad : {"gpus", "-1", "1,,2", ",", "1;2", "0x1", "1 or 2", "all,auto", "0,none", "3-1", "1-9", "0/"})
    EXPECT_EQ(select(Bad, Mixed), Refused) << Bad;
}

TEST(SelectionTest, MessageListsWhatIsThere) {
  std::vector<Selected> Out;
  status S = selectDevices("7", Mixed, Out);
  EXPECT_EQ(S.message(), "HSCHED_OPENCL='7': there is no device 7; there are: 0 = Cpu A (cpu), 1 = Gpu B (gpu), "
                         "2 = Cpu C (cpu), 3 = Fpga D (accelerator), 4 = Gpu E (gpu)");
  EXPECT_EQ(selectDevices("gpu", {}, Out).message(),
            "HSCHED_OPENCL='gpu': there is no device of type gpu; there is no OpenCL device");
}

TEST(SelectionTest, SeveralItems) {
  EXPECT_EQ(select("gpu,cpu", Mixed), (Numbers{0, 1, 2, 4}));
  EXPECT_EQ(select("accelerator,0", Mixed), (Numbers{0, 3}));
  EXPECT_EQ(select("all,0", Mixed), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(select("1-3", Mixed), (Numbers{1, 2, 3}));
  EXPECT_EQ(select("0-0,3-4", Mixed), (Numbers{0, 3, 4}));
  EXPECT_EQ(select("gpu,7", Mixed), Refused) << "all of it has to be there";
}

TEST(SelectionTest, ByName) {
  const std::vector<Candidate> There = {{"pthread-skylake", DeviceType::Cpu, "Portable Computing Language"},
                                        {"NVIDIA H200", DeviceType::Gpu, "NVIDIA CUDA"},
                                        {"UHD Graphics 620/4", DeviceType::Gpu, "Intel(R) OpenCL"}};
  EXPECT_EQ(select("nvidia", There), Numbers{1});
  EXPECT_EQ(select("H200", There), Numbers{1});
  EXPECT_EQ(select(" nvidia  h200 ", There), Numbers{1});
  EXPECT_EQ(select("Portable", There), Numbers{0});
  EXPECT_EQ(select("intel(r)opencl,pthread", There), (Numbers{0, 2}));
  EXPECT_EQ(select("c", There), (Numbers{0, 1, 2})) << "several may fit";
  EXPECT_EQ(select("620/", There), Numbers{2});
  std::vector<Selected> Out;
  status S = selectDevices("radeon", There, Out);
  EXPECT_EQ(S.message(), "HSCHED_OPENCL='radeon': expected auto, all, gpu, cpu, accelerator, 0 (none), device numbers "
                         "such as 0,2-3, or part of a name; no device is called 'radeon'; there are: 0 = "
                         "pthread-skylake (cpu), 1 = NVIDIA H200 (gpu), 2 = UHD Graphics 620/4 (gpu)");
}

TEST(SelectionTest, Parts) {
  auto parts = [](const char *Selection) {
    std::vector<Selected> Out;
    status S = selectDevices(Selection, Mixed, Out);
    EXPECT_TRUE(S.ok()) << S.message();
    return Out;
  };
  using By = Split::By;
  using Chosen = std::vector<Selected>;
  EXPECT_EQ(parts("0/2"), (Chosen{{0, {By::Parts, {0, 0}}}}));
  EXPECT_EQ(parts("0/1"), (Chosen{{0, {}}}));
  EXPECT_EQ(parts("0 / 2 + 1"), (Chosen{{0, {By::Counts, {2, 1}}}}));
  EXPECT_EQ(parts("cpu/NUMA"), (Chosen{{0, {By::Numa, {}}}, {2, {By::Numa, {}}}}));
  EXPECT_EQ(parts("gpu,0/l2,2/L3"), (Chosen{{0, {By::L2, {}}}, {1, {}}, {2, {By::L3, {}}}, {4, {}}}));
  EXPECT_EQ(parts("0/2,cpua/2"), (Chosen{{0, {By::Parts, {0, 0}}}})) << "the same twice";
  for (const char *Bad : {"0/0", "0/2+0", "0/+2", "0/2+", "0/l5", "0/257", "/2", "0/2,0", "0/2,all/3", "auto/2"})
    EXPECT_EQ(select(Bad, Mixed), Refused) << Bad;
}

TEST(SelectionTest, UnitsThatPartsNeed) {
  EXPECT_EQ(unitsForParts(""), 0u);
  EXPECT_EQ(unitsForParts("all"), 0u);
  EXPECT_EQ(unitsForParts("cpu/4"), 4u);
  EXPECT_EQ(unitsForParts("0/2+3,1/4"), 5u);
  EXPECT_EQ(unitsForParts("gpu/7"), 0u);
  EXPECT_EQ(unitsForParts("cpu/numa"), UINT_MAX);
}

TEST(SplitTest, AsksForWhatTheDeviceCan) {
  using By = Split::By;
  using Asked = std::vector<cl_device_partition_property>;
  const SplitFacts Pocl = {8, true, true, 0}, Equal = {8, true, false, 0}, None = {8, false, false, 0},
                   Domains = {8, false, false, CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE};
  auto plan = [](const Split &How, const SplitFacts &Facts, unsigned Most = 100) {
    Asked Out;
    std::string Wrong = planSplit(How, Facts, Most, Out);
    EXPECT_EQ(Wrong, "");
    return Out;
  };
  auto wrong = [](const Split &How, const SplitFacts &Facts, unsigned Most = 100) {
    Asked Out;
    return planSplit(How, Facts, Most, Out);
  };
  const Split Three = {By::Parts, {0, 0, 0}}, Counts = {By::Counts, {4, 1}};
  EXPECT_EQ(plan(Three, Pocl), (Asked{CL_DEVICE_PARTITION_BY_COUNTS, 2, 2, 2, 0, 0}));
  EXPECT_EQ(plan(Three, Pocl, 5), (Asked{CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 1, 0, 0}));
  EXPECT_EQ(plan(Three, Equal), (Asked{CL_DEVICE_PARTITION_EQUALLY, 2, 0}));
  EXPECT_EQ(plan(Counts, Pocl), (Asked{CL_DEVICE_PARTITION_BY_COUNTS, 4, 1, 0, 0}));
  EXPECT_EQ(plan({By::Numa, {}}, Domains),
            (Asked{CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0}));
  EXPECT_EQ(plan({By::L2, {}}, Domains),
            (Asked{CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0}));
  EXPECT_EQ(wrong(Three, Pocl, 2), "2 compute units are too few for 3 parts");
  EXPECT_EQ(wrong(Counts, Pocl, 4), "4 compute units are too few for parts of 5");
  EXPECT_EQ(wrong(Counts, Equal), "it can be split by /<number of parts>");
  EXPECT_EQ(wrong({By::Numa, {}}, Pocl), "it can be split by /<number of parts>, /<units>+<units>...");
  EXPECT_EQ(wrong({By::L1, {}}, Domains), "it can be split by /numa, /l2");
  EXPECT_EQ(wrong(Three, None), "it cannot be split at all");
}

TEST(SelectionTest, KnowsWhetherCpusAreMeant) {
  EXPECT_TRUE(maySelectCpu(""));
  EXPECT_TRUE(maySelectCpu("0,"));
  EXPECT_TRUE(maySelectCpu("gpu,cpu/2"));
  EXPECT_TRUE(maySelectCpu("some name"));
  EXPECT_FALSE(maySelectCpu("gpu"));
  EXPECT_FALSE(maySelectCpu("gpu/2,accelerator"));
  EXPECT_FALSE(maySelectCpu("0"));
}

TEST(SelectionTest, MaySelectOthers) {
  EXPECT_TRUE(maySelectOthers("all"));
  EXPECT_TRUE(maySelectOthers("cpu/2,gpu"));
  EXPECT_TRUE(maySelectOthers("1"));
  EXPECT_FALSE(maySelectOthers("cpu"));
  EXPECT_FALSE(maySelectOthers("CPU/4+2"));
  EXPECT_FALSE(maySelectOthers("none"));
}
