#!/bin/sh
# Compares the cost of tasks with other runtimes: builds, runs, prints the table of docs/performance.md.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bench/run.sh [--build DIR] [--out DIR] [--build-only] [option of compare.py]...
#   --build DIR   an hsched build directory; without it one is made in OUT/hsched, in Release, runtime only
#   --out DIR     where the programs go (default: build-bench beside the sources)
#   --build-only  build and stop
# Other options are compare.py's: see bench/compare.py --help. A peer that is not there is left out with a message;
# bench/install-peers.sh installs them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=
out=$here/../build-bench
only=no
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$(cd "$2" && pwd) && shift 2 ;;
  --out) out=$2 && shift 2 ;;
  --build-only) only=yes && shift ;;
  *) break ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)

if [ -z "$build" ]; then
  build=$out/hsched
  cmake -S "$here/.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DHSCHED_BUILD_COMPILER=OFF -DHSCHED_BUILD_TESTS=OFF \
    >"$out/hsched.log"
  cmake --build "$build" -j "$(nproc)" >>"$out/hsched.log"
fi
lib=$build/lib
[ -e "$lib/libhsched.so" ] || lib=$(dirname "$(find "$build" -name libhsched.so | head -n 1)")

if ! blas=$(pkg-config --libs openblas 2>/dev/null); then
  echo "run.sh: OpenBLAS is missing; see bench/install-peers.sh" >&2
  exit 1
fi
# Not our headers: no warnings from them.
blas="$(pkg-config --cflags openblas | sed 's/-I/-isystem /g') $blas"
flags="-std=c++20 -O2 -Wall -Wextra -Wpedantic"

# compile NAME ADAPTER COMPILER OPTION...: nothing to do where the program is newer than every source.
compile() {
  name=$1 adapter=$2 compiler=$3
  shift 3
  program=$out/bench-$name
  if [ -x "$program" ] && [ -z "$(find "$here" -name '*.h' -newer "$program" -o -name Bench.cpp -newer "$program")" ]; then
    return
  fi
  # shellcheck disable=SC2086 # lists of words
  $compiler $flags "-DBENCH_ADAPTER=\"adapters/$adapter\"" "$here/Bench.cpp" -o "$program" "$@" $blas
}
# peer NAME ADAPTER COMPILER OPTION...: the same, but it may be missing.
peer() {
  if ! compile "$@" 2>"$out/$1.log"; then
    echo "run.sh: $1 is left out: it does not compile here ($out/$1.log; bench/install-peers.sh installs the peers)" >&2
    rm -f "$out/bench-$1"
  fi
}

compile hsched Hsched.h g++ "-I$here/../include" "-L$lib" -lhsched
peer libgomp OpenMp.h g++ -fopenmp
peer libomp OpenMp.h clang++-19 -fopenmp
peer tbb Tbb.h g++ -ltbb
# shellcheck disable=SC2046
peer starpu StarPu.h g++ $(pkg-config --cflags --libs starpu-1.3 2>/dev/null | sed 's/-I/-isystem /g')
[ "$only" = no ] || exit 0

LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec python3 "$here/compare.py" --programs "$out" "$@"
