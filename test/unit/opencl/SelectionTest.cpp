// HSCHED_OPENCL's values against lists of devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Selection.h"

#include <gtest/gtest.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::opencl;

namespace {

const std::vector<Candidate> Mixed = {{"Cpu A", DeviceType::Cpu},
                                      {"Gpu B", DeviceType::Gpu},
                                      {"Cpu C", DeviceType::Cpu},
                                      {"Fpga D", DeviceType::Accelerator},
                                      {"Gpu E", DeviceType::Gpu}};
const std::vector<Candidate> CpusOnly = {{"Cpu A", DeviceType::Cpu}, {"Cpu B", DeviceType::Cpu}};

using Numbers = std::vector<unsigned>;

// What Selection selects; {99} where it is refused.
Numbers select(const std::string &Selection, const std::vector<Candidate> &There) {
  Numbers Out{1234}; // must be replaced, not added to
  status S = selectDevices(Selection, There, Out);
  if (S.ok())
    return Out;
  EXPECT_EQ(Out, Numbers{1234}) << "left alone on failure";
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
  EXPECT_TRUE(selectsNothing(" 0 "));
  EXPECT_TRUE(selectsNothing("off"));
  EXPECT_FALSE(selectsNothing("0,"));
  EXPECT_FALSE(selectsNothing(""));
}

TEST(SelectionTest, ByNumber) {
  EXPECT_EQ(select("1", Mixed), Numbers{1});
  EXPECT_EQ(select("4, 0", Mixed), (Numbers{0, 4})) << "in the order of enumeration";
  EXPECT_EQ(select("2,2,1", Mixed), (Numbers{1, 2})) << "each once";
  EXPECT_EQ(select("5", Mixed), Refused);
  EXPECT_EQ(select("0,99999999999999999999", Mixed), Refused);
}

TEST(SelectionTest, Nonsense) {
  for (const char *Bad : {"gpus", "-1", "1,,2", ",", "1;2", "0x1", "1 or 2", "all,0"})
    EXPECT_EQ(select(Bad, Mixed), Refused) << Bad;
}

TEST(SelectionTest, MessageListsWhatIsThere) {
  Numbers Out;
  status S = selectDevices("7", Mixed, Out);
  EXPECT_EQ(S.message(), "HSCHED_OPENCL='7': there is no device 7; there are: 0 = Cpu A (cpu), 1 = Gpu B (gpu), "
                         "2 = Cpu C (cpu), 3 = Fpga D (accelerator), 4 = Gpu E (gpu)");
  EXPECT_EQ(selectDevices("gpu", {}, Out).message(),
            "HSCHED_OPENCL='gpu': there is no such device; there is no OpenCL device");
}

TEST(SelectionTest, KnowsWhetherCpusAreMeant) {
  EXPECT_TRUE(maySelectCpu(""));
  EXPECT_TRUE(maySelectCpu("0,"));
  EXPECT_FALSE(maySelectCpu("gpu"));
  EXPECT_FALSE(maySelectCpu("0"));
}
