// Data without a home on an OpenCL device: on host memory in place, and copied (HSCHED_OPENCL_COPY).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClBody.h"

#include <hsched/engine.h>

#include <algorithm>
#include <numeric>

using namespace hsched::test;

namespace {

hsched_access of(unsigned Mode, const hsched::datum<int> &D, size_t From, size_t N) {
  return {D.data() + From, N * sizeof(int), 1, 0, Mode, HSCHED_NO_PARAM};
}

TEST_F(OpenClBody, WorksOnDataWithoutAHome) {
  constexpr size_t N = 100000; // Large enough to be pinned.
  auto X = hsched::engine::process().make_datum<int>(N), Y = hsched::engine::process().make_datum<int>(N);
  submitTo(onCpu(), {of(HSCHED_OUT, X, 0, N)}, [P = X.data()] { std::iota(P, P + N, 0); });
  submitTo(onDevice(), {of(HSCHED_IN, X, 0, N), of(HSCHED_OUT, Y, 0, N)}, [&] { copy(X.data(), Y.data(), N); });
  // From Y into X, with offsets; what is in between stays.
  submitTo(onDevice(), {of(HSCHED_IN, Y, 1000, 500), of(HSCHED_OUT, X, 3, 500)},
           [&] { copy(Y.data() + 1000, X.data() + 3, 500); });
  hsched_taskwait(0);
  const int *Home = X.at_home();
  for (size_t I = 0; I < N; ++I)
    ASSERT_EQ(Home[I], I >= 3 && I < 503 ? int(I) + 997 : int(I)) << I;
  Home = Y.at_home(hsched::home::read, N - 10, 10);
  EXPECT_EQ(Home[9], int(N) - 1);
}

// A kernel on unwritten data, and one on the last bytes of a datum.
TEST_F(OpenClBody, WorksOnUnwrittenData) {
  auto X = hsched::engine::process().make_datum<int>(5000), Y = hsched::engine::process().make_datum<int>(5000);
  submitTo(onDevice(), {of(HSCHED_IN, X, 0, 5000), of(HSCHED_OUT, Y, 0, 5000)},
           [&] { copy(X.data(), Y.data(), 5000); });
  submitTo(onCpu(), {of(HSCHED_OUT, X, 4990, 10)}, [P = X.data()] { std::fill_n(P + 4990, 10, 7); });
  submitTo(onDevice(), {of(HSCHED_IN, X, 4990, 10), of(HSCHED_OUT, Y, 4990, 10)},
           [&] { copy(X.data() + 4990, Y.data() + 4990, 10); });
  EXPECT_EQ(Y.at_home(hsched::home::update)[4999], 7);
}

} // namespace
