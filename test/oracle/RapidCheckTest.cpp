// The same programs, made of decisions that RapidCheck chooses and shrinks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RapidCheck prints its seed; RC_PARAMS="seed=..." repeats a run.
#include "Check.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace hsched::oracle;

namespace {

// Few decisions make a simple program: those that are missing are the first of their possibilities.
rc::Gen<std::vector<uint16_t>> decisions() {
  return rc::gen::withSize([](int Size) {
    return rc::gen::resize(Size * 20, rc::gen::container<std::vector<uint16_t>>(
                                          rc::gen::resize(rc::kNominalSize, rc::gen::inRange<uint16_t>(0, 6000))));
  });
}

TEST(RandomPrograms, AreAsTheirSerialElisions) {
  EXPECT_TRUE(rc::check("programs of decisions", [] {
    Choices C(*decisions());
    hsched::oracle::Setup S = makeSetup(C);
    Program P = makeProgram(C, S, C.between(1, 40));
    Observed Seen(P);
    runOn(*makeMachine(S), P, Seen);
    std::string Wrong = check(P, Seen);
    RC_LOG() << Wrong << "\n" << print(S) << "\n" << print(P);
    RC_ASSERT(Wrong.empty());
    RC_CLASSIFY(S.Devices > 0, "devices");
    RC_CLASSIFY(P.MayFail, "fails");
    RC_CLASSIFY(P.Threads.size() > 1, "several threads");
  }));
}

} // namespace
