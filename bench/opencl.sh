#!/bin/sh
# The figures of the OpenCL engine on the machine at hand, each beside what the device does by hand in the same run.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   bench/opencl.sh BUILD [MATMUL]
#
# BUILD: a folder built with -DCMAKE_BUILD_TYPE=Release -DHSCHED_BUILD_BENCH=ON (targets opencl_overhead, transfers,
# hsched_backend_opencl; the compiler is not needed). MATMUL: the sample of that name, built with hsched-cc, for the
# figures with little device memory; SIZE and TILE in the environment stand for 8192 and 1024.
set -u
build=$1
matmul=${2:-}
size=${SIZE:-8192} tile=${TILE:-1024}
# A device that shares the host's memory copies nothing unless it is told to.
export HSCHED_OPENCL_COPY="${HSCHED_OPENCL_COPY:-1}"

echo "== tasks without work"
HSCHED_OPENCL_COPY=0 "$build/bin/opencl_overhead" 10000 7
echo "== transfers: as they come"
"$build/bin/transfers" "${MEGABYTES:-1024}" 4096 5
echo "== transfers: what malloc gave is pinned, too"
HSCHED_PIN_MEMORY=1 "$build/bin/transfers" "${MEGABYTES:-1024}" 4096 5
[ -n "$matmul" ] || exit 0

run() {
  "$matmul" --versions opencl --size "$size" --tile "$tile" --reps 5 2>&1 | grep -E 'repetition|median|WARN|warn'
}
quarter=$((3 * size / 4 * size * 4))
for pin in 0 1; do
  export HSCHED_PIN_MEMORY=$pin
  echo "== matmul $size, tile $tile, HSCHED_PIN_MEMORY=$pin: all of the memory"
  run
  echo "== the same with a quarter of the data's size ($quarter bytes)"
  HSCHED_DEVICE_MEMORY=$quarter HSCHED_STATS=1 run
done
