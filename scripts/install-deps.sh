#!/bin/sh
# Installs the Debian 12 packages that hsched needs: the one place that lists them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/install-deps.sh [--runtime | --demo] [--print]
#   --runtime  only what an installed hsched needs: hsched-cc, its host compiler, the runtime
#   --demo     that, and what building hsched and scripts/demo.sh need
#   (neither)  that, and what all samples and all tests need
#   --print    print the packages that would be wanted, install nothing
# Packages that are there already cost nothing: no network is used when all are.
set -eu

# An installed hsched.
runtime="g++ libc6-dev libclang-cpp19 libclang-common-19-dev libllvm19 libhwloc15 ocl-icd-libopencl1 pocl-opencl-icd"
# Building it.
build="cmake ninja-build pkg-config clang-19 libclang-19-dev llvm-19-dev
  ocl-icd-opencl-dev opencl-clhpp-headers libhwloc-dev libboost-graph-dev nlohmann-json3-dev"
# scripts/demo.sh.
demo="libpng-dev"
# All samples, and all tests.
samples="libopenblas-dev libclblast-dev"
tests="git patch ccache gdb clangd llvm-19-tools clang-format-19 python3 python3-jsonschema libgtest-dev librapidcheck-dev
  libbenchmark-dev libclang-rt-19-dev oclgrind opencl-c-headers openmpi-bin libopenmpi-dev spin zsh fish man-db mandoc"

packages="$runtime $build $demo $samples $tests"
print=no
for option in "$@"; do
  case $option in
  --runtime) packages=$runtime ;;
  --demo) packages="$runtime $build $demo" ;;
  --print) print=yes ;;
  *)
    echo "install-deps.sh: unknown option '$option' (known: --runtime, --demo, --print)" >&2
    exit 2
    ;;
  esac
done
if [ "$print" = yes ]; then
  # shellcheck disable=SC2086 # a list of words
  printf '%s\n' $packages
  exit 0
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "install-deps.sh: this is no Debian system; see --print for what hsched needs" >&2
  exit 1
fi

missing=
for package in $packages; do
  case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
  installed*) ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  echo "install-deps.sh: not root and no sudo; as root, run: apt-get install$missing" >&2
  exit 1
fi

echo "install-deps.sh: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1; then
  tail -n 5 "$log" >&2
  echo "install-deps.sh: 'apt-get update' failed: is the network there?" >&2
  exit 1
fi
# shellcheck disable=SC2086 # a list of words
if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1; then
  tail -n 10 "$log" >&2
  echo "install-deps.sh: 'apt-get install' failed; the packages are those of Debian 12" >&2
  exit 1
fi
