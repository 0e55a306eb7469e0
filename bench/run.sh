#!/bin/sh
# Compares the cost of tasks with other runtimes: builds, runs, prints the tables of docs/performance.md.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bench/run.sh [--build DIR] [--out DIR] [--build-only] [--carry] [--scaling | --idle | --phases] [option]...
#   --build DIR   an hsched build directory; without it one is made in OUT/hsched, in Release, runtime only
#   --out DIR     where the programs go (default: build-bench beside the sources)
#   --build-only  build and stop
#   --carry       copy the libraries that the programs need to OUT/lib, so that OUT can be measured on another machine:
#                 there, with nothing but Python, `bench/compare.py --programs OUT`
#   --scaling     run scaling.py, the stencil on 1 to 16 threads, instead of compare.py
#   --idle        run idle.py, what parked workers cost, instead of compare.py
#   --phases      run phases.py, instructions by phase (needs valgrind), instead of compare.py
# Options after these are the script's: see its --help. A peer that is not there is left out with a
# message; bench/install-peers.sh installs them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=
out=$here/../build-bench
only=no
carry=no
script=compare.py
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$(cd "$2" && pwd) && shift 2 ;;
  --out) out=$2 && shift 2 ;;
  --build-only) only=yes && shift ;;
  --carry) carry=yes && shift ;;
  --scaling) script=scaling.py && shift ;;
  --idle) script=idle.py && shift ;;
  --phases) script=phases.py && shift ;;
  *) break ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)

if [ -z "$build" ]; then
  build=$out/hsched
  if ! { cmake -S "$here/.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DHSCHED_BUILD_COMPILER=OFF \
    -DHSCHED_BUILD_TESTS=OFF && cmake --build "$build" -j "$(nproc)"; } >"$out/hsched.log" 2>&1; then
    tail -n 20 "$out/hsched.log" >&2
    echo "run.sh: hsched's runtime does not build ($out/hsched.log)" >&2
    exit 1
  fi
fi
lib=$build/lib
[ -e "$lib/libhsched.so" ] || lib=$(dirname "$(find "$build" -name libhsched.so | head -n 1)")
if [ ! -e "$lib/libhsched.so" ]; then
  echo "run.sh: there is no libhsched.so in $build" >&2
  exit 1
fi

if blas=$(pkg-config --cflags --libs openblas 2>/dev/null); then
  # Not our headers: no warnings from them.
  blas="-DBENCH_BLAS=1 $(printf '%s' "$blas" | sed 's/-I/-isystem /g')"
else
  blas=-DBENCH_BLAS=0
  echo "run.sh: OpenBLAS is missing, so there will be no Cholesky; see bench/install-peers.sh" >&2
fi
flags="-std=c++20 -O2 -Wall -Wextra -Wpedantic"

# compile NAME ADAPTER COMPILER OPTION...: nothing to do where the program is newer than every source.
compile() {
  name=$1 adapter=$2 compiler=$3
  shift 3
  program=$out/bench-$name
  newer=$(find "$here" "$here/../include/hsched/abi.h" \( -name '*.h' -o -name Bench.cpp -o -name run.sh \) \
    -newer "$program" 2>/dev/null || echo all)
  [ -n "$newer" ] || return 0
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

LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
if [ "$carry" = yes ]; then
  rm -rf "${out:?}/lib"
  mkdir "$out/lib"
  # All but the C library, which is the other machine's.
  for program in "$out"/bench-*; do
    ldd "$program"
  done | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^lib(c|m|dl|rt|pthread|resolv|util)\.so/ { print $3 }' |
    sort -u | xargs -I '{}' cp -L '{}' "$out/lib/"
elif [ -d "$out/lib" ]; then
  rm -rf "${out:?}/lib" # what was carried once would be older than what is there
fi
[ "$only" = no ] || exit 0
[ "$script" != phases.py ] || exec python3 "$here/$script" "$out/bench-hsched" "$@"
exec python3 "$here/$script" --programs "$out" "$@"
