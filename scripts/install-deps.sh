#!/bin/sh
# Installs the packages that hsched needs: the one place that lists them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/install-deps.sh [--runtime | --demo] [--print | --check]
#   --runtime  only what an installed hsched needs: hsched-cc, its host compiler, the runtime
#   --demo     that, and what building hsched and scripts/demo.sh need
#   (neither)  that, and what all samples and all tests need
#   --print    print the packages that would be wanted, install nothing
#   --check    print what is missing, install nothing, need no root; exit code 1 if something is missing
# It knows Debian 12 and 13, Ubuntu 22.04 and 24.04, Fedora and openSUSE; the tests run on Debian 12. Elsewhere it looks for
# programs and libraries, and prints what it does not find.
# Packages that are there already cost nothing: no network is used when all are.
set -eu

what=all
id=
like=
action=install
for option in "$@"; do
  case $option in
  --runtime | --demo) what=${option#--} ;;
  --print | --check) action=${option#--} ;;
  *)
    echo "install-deps.sh: unknown option '$option' (known: --runtime, --demo, --print, --check)" >&2
    exit 2
    ;;
  esac
done

# The system: its family, as packages are named, and what it calls itself. HSCHED_OS_RELEASE: another file, for the test.
family=other
version=
name="this system"
if [ -r "${HSCHED_OS_RELEASE:-/etc/os-release}" ]; then
  # shellcheck disable=SC1090 # the system's
  eval "$(. "${HSCHED_OS_RELEASE:-/etc/os-release}" && printf 'id="%s" like="%s" version="%s" name="%s"' \
    "${ID:-}" "${ID_LIKE:-}" "${VERSION_ID:-}" "${PRETTY_NAME:-${ID:-}}")"
  for word in $id $like; do
    case $word in
    debian | ubuntu) family=debian ;;
    fedora | rhel) family=fedora ;;
    suse | opensuse*) family=suse ;;
    *) continue ;;
    esac
    break
  done
fi

# A word with `?` behind it is of use, but nothing fails without it: tests are skipped then. On Debian 12 all are wanted.
case $family in
debian)
  runtime="g++ libc6-dev libclang-cpp19 libclang-common-19-dev libllvm19 libhwloc15 ocl-icd-libopencl1 pocl-opencl-icd"
  build="cmake ninja-build pkg-config clang-19 libclang-19-dev llvm-19-dev python3
    ocl-icd-opencl-dev opencl-clhpp-headers libhwloc-dev libboost-graph-dev nlohmann-json3-dev"
  demo="libpng-dev"
  samples="libopenblas-dev libclblast-dev"
  tests="git patch ccache gdb clangd llvm-19-tools clang-format-19 python3-jsonschema python3-yaml python3-numpy? libgtest-dev librapidcheck-dev
    libbenchmark-dev libclang-rt-19-dev oclgrind? opencl-c-headers openmpi-bin libopenmpi-dev spin zsh fish man-db mandoc dpkg-dev file meson doxygen? nodejs? chromium?"
  ;;
fedora)
  runtime="gcc-c++ clang-libs clang-resource-filesystem llvm-libs hwloc-libs ocl-icd pocl"
  build="cmake ninja-build pkgconf-pkg-config clang clang-devel llvm-devel python3
    ocl-icd-devel opencl-headers hwloc-devel boost-devel json-devel"
  demo="libpng-devel"
  samples="openblas-devel clblast-devel?"
  tests="git patch ccache gdb clang-tools-extra python3-lit python3-jsonschema python3-pyyaml gtest-devel google-benchmark-devel rapidcheck-devel?
    compiler-rt openmpi-devel spin? zsh fish man-db mandoc? doxygen?"
  # From Fedora 42 on the packages without a number are newer.
  if [ "${version:-0}" -ge 42 ] 2>/dev/null; then
    number() { printf ' %s' "$@" | sed -E 's/ (clang|llvm|compiler-rt)(-[a-z-]+)?/ \119\2/g'; }
    # shellcheck disable=SC2086 # lists of words
    runtime=$(number $runtime) build=$(number $build) tests=$(number $tests)
  fi
  ;;
suse)
  runtime="gcc-c++ libclang-cpp19 clang19 libLLVM19 libhwloc15 libOpenCL1 pocl"
  build="cmake ninja pkgconf clang19-devel llvm19-devel python3
    ocl-icd-devel opencl-headers opencl-cpp-headers hwloc-devel libboost_graph-devel nlohmann_json-devel"
  demo="libpng16-devel"
  samples="openblas-devel?"
  tests="git patch ccache gdb python3-jsonschema python3-PyYAML gtest benchmark-devel openmpi4-devel? zsh fish man"
  ;;
esac

# Ubuntu 22.04's g++ is GCC 11.
[ "$id$version" != ubuntu22.04 ] || runtime="$runtime g++-12"
[ "$family$version" != debian12 ] || tests=$(echo "$tests" | tr -d '?')

# found KIND NAME: whether a program, a pkg-config package, a header or CMake's package is there.
found() {
  case $1 in
  program) command -v "$2" >/dev/null 2>&1 ;;
  library) pkg-config --exists "$2" 2>/dev/null ;;
  header) echo "#include <$2>" | ${CXX:-c++} -std=c++17 -x c++ -fsyntax-only - 2>/dev/null ;;
  folder) [ -n "$(find /usr/lib /usr/lib64 /usr/local /opt -maxdepth 4 -type d -path "*$2" 2>/dev/null | head -n 1)" ] ;;
  esac
}

# Without a list of packages: what to look for.
if [ "$family" = other ]; then
  lacking=
  look() {
    found "$1" "$2" || lacking="$lacking
  $3"
  }
  look program c++ "a C++20 compiler: GCC 12 or Clang 19, or newer"
  look library hwloc "hwloc 2, with its pkg-config file"
  look header CL/cl.h "an OpenCL loader and its headers (ocl-icd, OpenCL-Headers)"
  if [ "$what" != runtime ]; then
    look program cmake "CMake 3.24"
    look program ninja "Ninja"
    look program pkg-config "pkg-config"
    look program python3 "Python 3"
    look header CL/opencl.hpp "OpenCL's headers for C++ (OpenCL-CLHPP)"
    look header boost/graph/adjacency_list.hpp "Boost.Graph"
    look header nlohmann/json.hpp "nlohmann's JSON"
    look folder cmake/clang "Clang 19's and LLVM 19's development files"
    look library libpng "libpng"
  fi
  if [ "$what" = all ]; then
    look header gtest/gtest.h "GoogleTest"
    look header benchmark/benchmark.h "Google's benchmark library"
  fi
  if [ "$action" = print ]; then
    echo "install-deps.sh: no list of packages for $name; --check says what is missing" >&2
    exit 1
  fi
  [ -n "$lacking" ] || exit 0
  echo "install-deps.sh: $name is not known here. These were not found:$lacking" >&2
  exit 1
fi

case $what in
runtime) packages=$runtime ;;
demo) packages="$runtime $build $demo" ;;
all) packages="$runtime $build $demo $samples $tests" ;;
esac
if [ "$action" = print ]; then
  # shellcheck disable=SC2086 # a list of words
  printf '%s\n' $packages | tr -d '?'
  exit 0
fi

# installed PACKAGE
installed() {
  if [ "$family" = debian ]; then
    case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in
    installed*) return 0 ;;
    esac
    return 1
  fi
  rpm -q --whatprovides "$1" >/dev/null 2>&1
}

# Whether the CMake that is found is older than what CMakeLists.txt asks for.
old_cmake() {
  [ "$what" != runtime ] || return 1
  cmake=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  [ -n "$cmake" ] || return 1
  [ "${cmake% *}" -lt 3 ] || { [ "${cmake% *}" -eq 3 ] && [ "${cmake#* }" -lt 24 ]; }
}
newer_cmake="CMake 3.24 is needed: 'pip install cmake', or Kitware's packages at https://apt.kitware.com"

missing=
optional=
for package in $packages; do
  installed "${package%\?}" && continue
  case $package in
  *\?) optional="$optional ${package%\?}" ;;
  *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing$optional" ]; then
  old_cmake || exit 0
  echo "install-deps.sh: all packages are there, but $newer_cmake" >&2
  exit 1
fi

case $family in
debian) command="apt-get install -y --no-install-recommends" ;;
fedora) command="dnf install -y" ;;
suse) command="zypper --non-interactive install --no-recommends" ;;
esac
hint=
if [ "$family" = debian ] && [ "$version" = 22.04 ]; then
  hint="; Ubuntu 22.04 has no Clang 19: its packages are at https://apt.llvm.org, llvm-toolchain-jammy-19; $newer_cmake;
configure with CC=gcc-12 CXX=g++-12, and set HSCHED_CXX=g++-12"
fi
if [ "$family" = fedora ] && [ "${version:-0}" -ge 42 ] 2>/dev/null; then
  hint="; configure with -DCMAKE_PREFIX_PATH=/usr/lib64/llvm19"
fi
if [ "$action" = check ]; then
  [ -z "$optional" ] || echo "of use:$optional"
  if old_cmake; then
    echo "$newer_cmake"
    [ -n "$missing" ] || exit 1
  fi
  [ -n "$missing" ] || exit 0
  echo "missing:$missing"
  echo "as root: $command$missing$hint"
  exit 1
fi

# What is of use alone is no reason to use the network each time.
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  echo "install-deps.sh: not root and no sudo; as root, run: $command$missing$hint" >&2
  exit 1
fi

echo "install-deps.sh: installing$missing$optional"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ "$family" = debian ]; then
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "install-deps.sh: 'apt-get update' failed: is the network there?" >&2
    exit 1
  fi
  command="env DEBIAN_FRONTEND=noninteractive $command"
fi
# shellcheck disable=SC2086 # lists of words
if ! $as_root $command $missing >"$log" 2>&1; then
  tail -n 10 "$log" >&2
  echo "install-deps.sh: '$command' failed on $name; the tests run on Debian 12$hint" >&2
  exit 1
fi
# Each by itself: some systems do not have it.
for package in $optional; do
  # shellcheck disable=SC2086 # lists of words
  $as_root $command "$package" >"$log" 2>&1 || echo "install-deps.sh: without $package; tests that need it are skipped"
done
if old_cmake; then
  echo "install-deps.sh: all packages are there, but $newer_cmake" >&2
  exit 1
fi
