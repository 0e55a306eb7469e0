#!/bin/sh
# Installs the Debian 12 packages of the runtimes that bench/run.sh compares hsched with. Nothing else needs them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: bench/install-peers.sh [--print]
set -eu

# g++ brings libgomp. OpenBLAS is for the tiled Cholesky.
packages="g++ clang-19 libomp-19-dev libtbb-dev libstarpu-dev libopenblas-dev libclblast-dev ocl-icd-opencl-dev pocl-opencl-icd pkg-config python3"

if [ "${1:-}" = --print ]; then
  # shellcheck disable=SC2086 # a list of words
  printf '%s\n' $packages
  exit 0
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
# shellcheck disable=SC2086
exec $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
