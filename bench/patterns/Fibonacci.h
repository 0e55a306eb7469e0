// Recursive Fibonacci without a cut-off: every call is a task that waits for its two children.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_PATTERNS_FIBONACCI_H
#define HSCHED_BENCH_PATTERNS_FIBONACCI_H

#include "Simple.h"

namespace bench {

struct Fibonacci {
  static constexpr const char *Name = "fibonacci";
  static constexpr unsigned Of = 24;
  struct Body {
    struct Args {
      unsigned N;
      uint64_t *To;
    };
    static void run(const Args &A) {
      if (A.N < 2) {
        *A.To = A.N;
        return;
      }
      Datum X, Y;
      rt::Group G;
      G.template submit<Body>({A.N - 1, &X.Value}, After<0>{}, Out{&X});
      G.template submit<Body>({A.N - 2, &Y.Value}, After<0>{}, Out{&Y});
      G.wait();
      *A.To = X.Value + Y.Value;
    }
  };
  // The same calls without tasks.
  __attribute__((noinline)) static void serial(unsigned N, uint64_t *To) {
    if (N < 2) {
      *To = N;
      return;
    }
    uint64_t X = 0, Y = 0;
    serial(N - 1, &X);
    serial(N - 2, &Y);
    *To = X + Y;
  }

  explicit Fibonacci(size_t) {}
  size_t run() {
    rt::region([this] {
      rt::Group G;
      G.submit<Body>({Of, &Result.Value}, After<0>{}, Out{&Result});
      G.wait();
    });
    Right &= Result.Value == 46368;
    Result.Value = 0;
    return 150049; // Calls of fib(24).
  }
  bool right() { return Right; }
  Datum Result;
  bool Right = true;
};

} // namespace bench
#endif
