// Where a task's data would come from.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

using namespace hsched;
using namespace hsched::rt;

namespace {

struct SourcesTest : testing::Test {
  SourcesTest() {
    sim::SimOptions O;
    O.Devices = 2;
    H = std::make_unique<Harness>(O);
  }
  std::vector<uint64_t> sources(const TestTask &T, MemoryNode Node) {
    std::vector<uint64_t> Bytes;
    for (const Directory::Source &From : sourcesOf(T, Node))
      Bytes.push_back(From.Bytes);
    return Bytes;
  }
  std::vector<Directory::Source> sourcesOf(const TestTask &T, MemoryNode Node) {
    std::vector<Directory::Source> From(3, {77, 77});
    H->Dir->sources(T.T, Node, From);
    return From;
  }
  using Bytes = std::vector<uint64_t>;

  ByteVector X = ByteVector(1000), Y = ByteVector(1000);
  std::unique_ptr<Harness> H;
};

} // namespace

TEST_F(SourcesTest, UnknownDataAreOnTheHost) {
  TestTask T({section(X.data(), 1000, HSCHED_INOUT), section(Y.data(), 300, HSCHED_IN)});
  EXPECT_EQ(sources(T, HostNode), (Bytes{0, 0, 0}));
  EXPECT_EQ(sources(T, 1), (Bytes{1300, 0, 0}));
  EXPECT_EQ(sourcesOf(T, 1)[0].Sections, 2u) << "two transfers";
  EXPECT_EQ(sourcesOf(T, 1)[1].Sections, 0u);
  TestTask Writes({section(X.data(), 1000, HSCHED_OUT)});
  EXPECT_EQ(sources(Writes, 1), (Bytes{0, 0, 0})) << "what is overwritten does not travel";
}

TEST_F(SourcesTest, FollowsTheCopies) {
  TestTask Middle({section(&X[200], 300, HSCHED_INOUT)}), All({section(X.data(), 1000, HSCHED_IN)});
  ASSERT_TRUE(H->run(Middle, 1).ok());
  EXPECT_EQ(sources(All, HostNode), (Bytes{0, 300, 0}));
  EXPECT_EQ(sources(All, 1), (Bytes{700, 0, 0}));
  EXPECT_EQ(sources(All, 2), (Bytes{700, 300, 0}));
  TestTask Inside({section(&X[300], 10, HSCHED_IN)}), Across({section(&X[490], 20, HSCHED_IN)});
  EXPECT_EQ(sources(Inside, HostNode), (Bytes{0, 10, 0}));
  EXPECT_EQ(sources(Across, 2), (Bytes{10, 10, 0}));
  ASSERT_TRUE(H->run(All, 2).ok());
  // Now the host has it, or node 2 alone beside node 1.
  Bytes From = sources(All, HostNode);
  EXPECT_EQ(From[1] + From[2], From[1]);
  EXPECT_EQ(sources(All, 2), (Bytes{0, 0, 0}));
  ASSERT_TRUE(H->flush().ok());
  EXPECT_EQ(sources(All, HostNode), (Bytes{0, 0, 0}));
  EXPECT_EQ(sources(All, 1), (Bytes{1000, 0, 0})) << "the host has it all again, and comes first";
}

// How many bytes of a section each node has.
TEST_F(SourcesTest, CountsWhatIsValidByNode) {
  auto valid = [&](const Access &A) {
    Bytes Each(3, 77);
    H->Dir->validBytes(A, Each);
    return Each;
  };
  const Access All = section(X.data(), 1000, HSCHED_IN);
  EXPECT_EQ(valid(All), (Bytes{1000, 0, 0}));
  TestTask Reads({section(X.data(), 1000, HSCHED_IN), section(Y.data(), 8, HSCHED_INOUT)}),
      Middle({section(&X[200], 300, HSCHED_INOUT)});
  ASSERT_TRUE(H->run(Reads, 1).ok());
  EXPECT_EQ(valid(All), (Bytes{1000, 1000, 0}));
  ASSERT_TRUE(H->run(Middle, 2).ok());
  EXPECT_EQ(valid(All), (Bytes{700, 700, 300}));
  EXPECT_EQ(valid(section(&X[300], 10, HSCHED_INOUT)), (Bytes{0, 0, 10}));
  EXPECT_EQ(valid(tile(&X[150], 100, 4, 200, HSCHED_IN))[HostNode], 250u)
      << "two of four rows overlap what is on node 2";
}
