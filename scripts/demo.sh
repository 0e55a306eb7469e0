#!/bin/sh
# Builds hsched, compiles samples/edges with hsched-cc, runs it on a photograph and tells what ran where.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/demo.sh [photo.png]
set -eu
cd "$(dirname "$0")/.."

photo=${1:-samples/edges/chelsea.png}
out=build/demo
jobs=$(nproc)

if [ ! -r "$photo" ]; then
  echo "demo.sh: cannot read '$photo'" >&2
  exit 1
fi

echo "== What hsched needs"
scripts/install-deps.sh --demo
echo "all there"

echo
echo "== Building hsched in build/ (the first time takes four to eight minutes on two cores)"
mkdir -p "$out"
# Tests need packages that this does without. A build that has them keeps them.
tests=
[ -e build/CMakeCache.txt ] || tests="-DHSCHED_BUILD_TESTS=OFF -DHSCHED_BUILD_SAMPLES=OFF"
# shellcheck disable=SC2086 # a list of words
if ! cmake --preset release $tests >"$out/configure.log" 2>&1; then
  tail -n 20 "$out/configure.log" >&2
  echo "demo.sh: configuring failed; all of it: $out/configure.log" >&2
  exit 1
fi
# What the first hour needs: README.md and docs/tutorial.md (test/docs/fences.py compares).
targets="hsched-cc hsched hsched_check"
plugins=$(cmake --build build --target help 2>/dev/null | sed -n 's/^\(hsched_backend_[a-z]*\): phony$/\1/p')
# shellcheck disable=SC2086 # lists of words
if ! scripts/progress.sh "$out/build.log" cmake --build build -j "$jobs" --target $targets $plugins; then
  grep -E 'error|FAILED' "$out/build.log" | head -n 20 >&2 || true
  echo "demo.sh: building failed; all of it: $out/build.log" >&2
  exit 1
fi
echo "built build/bin/hsched-cc"

echo
compile="build/bin/hsched-cc -std=c++20 -O3 $(pkg-config --cflags libpng) samples/edges/edges.cpp -o $out/edges $(pkg-config --libs libpng)"
echo "== Compiling the sample"
echo "\$ $compile"
$compile

run="$out/edges $photo --zoom 2 --tile 60 --reps 10 --out $out/edges.png"
echo
echo "== Running it on $photo, each stage on whatever finishes it first"
echo "\$ HSCHED_STATS=1 HSCHED_TRACE=$out/trace.json $run"
HSCHED_STATS=1 HSCHED_TRACE=$out/trace.json $run 2>&1 | tee "$out/run.log"
grep -q ': correct$' "$out/run.log" || {
  echo "demo.sh: the sample did not report a correct result" >&2
  exit 1
}

echo
echo "== What you see"
cat <<END
The statistics have one line for each task, data size and version: how often it ran, and how long it took. Versions whose
names end in _cl are OpenCL kernels, the others C++ functions; the table of workers says how many tasks each core and
device ran. Where there is a GPU, each version was tried a few times for each size; then every task went where it was
expected to finish first. Without a GPU the OpenCL device is the CPU's own: it gets tasks only where it needs less core time.
HSCHED_OPENCL=all gives it cores of its own.
'correct' means equal, pixel by pixel, to a serial run.

  the edges it found:            $out/edges.png
  who ran what, and when:        $out/trace.json   (open it in https://ui.perfetto.dev or chrome://tracing)
  the same program, serial:      g++ -std=c++20 samples/edges/edges.cpp -lpng
  the same program, CPU alone:   HSCHED_OPENCL=0 $run
END
