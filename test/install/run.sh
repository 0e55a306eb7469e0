#!/bin/sh
# Installs hsched to a fresh prefix, uses it from outside the tree in every way that is offered, moves the prefix, and
# uses it again.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: run.sh CMAKE BUILD SOURCE CXX
set -eu
cmake=$1
build=$2
source=$3
cxx=$4

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset HSCHED_PLUGIN_PATH LD_LIBRARY_PATH || true
step() { echo "== $*"; }
check() {
  if ! out=$("$@" 2>"$dir/stderr"); then
    cat "$dir/stderr"
    echo "$out"
    echo "install: '$*' fails"
    exit 1
  fi
  case $out in
  *correct* | *ABI*) ;;
  *)
    echo "install: '$*' printed '$out'"
    exit 1
    ;;
  esac
}

step install
prefix=$dir/first/prefix
"$cmake" --install "$build" --prefix "$prefix" >"$dir/log" || { cat "$dir/log"; exit 1; }
for file in bin/hsched-cc include/hsched/abi.h lib/libhsched.so lib/cmake/hsched/hschedConfig.cmake \
  lib/cmake/hsched/hschedConfigVersion.cmake lib/cmake/hsched/hschedTargets.cmake lib/pkgconfig/hsched.pc \
  share/doc/hsched/README.md; do
  [ -e "$prefix/$file" ] || { echo "install: $file is missing"; exit 1; }
done
# Nothing that is read later may name where it was built or installed.
if grep -rlF -e "$prefix" -e "$build" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" "$prefix/include" >"$dir/named"; then
  echo "install: these name the build tree or the prefix:"
  cat "$dir/named"
  exit 1
fi

cp -r "$source/consumer" "$dir/consumer"
cd "$dir/consumer"

# all PREFIX: every way to use an installation.
all() {
  step "find_package in $1"
  "$cmake" -S . -B "$1.build" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
    >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
  "$cmake" --build "$1.build" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
  check "$1.build/consumer"
  check "$1.build/direct"

  step "hsched-cc in $1"
  "$1/bin/hsched-cc" -std=c++20 -O2 app.cpp part.cpp -o "$dir/app"
  check "$dir/app"
  HSCHED_OPENCL=0 check "$dir/app"

  step "generated source with $cxx and pkg-config in $1"
  for unit in app part; do
    "$1/bin/hsched-cc" -std=c++20 --hsched-emit=source $unit.cpp -o "$dir/$unit-generated.cpp"
  done
  # shellcheck disable=SC2046 # lists of words
  PKG_CONFIG_PATH=$1/lib/pkgconfig "$cxx" -std=c++20 -O2 -I. "$dir/app-generated.cpp" "$dir/part-generated.cpp" \
    -o "$dir/generated" $(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs hsched)
  LD_LIBRARY_PATH=$1/lib check "$dir/generated"
}

# annotated NAME [cmake option...]: single targets through hsched-cc, in a build folder of that name.
annotated() {
  name=$1
  shift
  step "hsched_target with $name"
  "$cmake" -S "$source/annotated" -B "$dir/$name" -DCMAKE_PREFIX_PATH="$prefix" "$@" >"$dir/log" 2>&1 &&
    "$cmake" --build "$dir/$name" -j 2 >>"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
  check "$dir/$name/program"
  # All five calls were tasks.
  HSCHED_STATS=1 "$dir/$name/program" 2>&1 | grep -q '5 tasks ran' || { echo "install: $name ran no tasks"; exit 1; }
}

all "$prefix"
cp -r "$source/annotated" "$dir/annotated"
source=$dir
annotated "make" -G "Unix Makefiles" -DCMAKE_CXX_COMPILER="$cxx"
"$cmake" --build "$dir/make" >"$dir/log"
if grep -q Building "$dir/log"; then
  echo "install: a second make builds again"
  cat "$dir/log"
  exit 1
fi
for file in scale.cl include/tasks.h; do
  touch "$dir/annotated/$file"
  "$cmake" --build "$dir/make" >"$dir/log"
  grep -q 'Building.*scale.cpp' "$dir/log" || { echo "install: $file is no dependency"; cat "$dir/log"; exit 1; }
done
if command -v ninja >/dev/null; then
  annotated "ninja" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
fi
if command -v ccache >/dev/null; then
  export CCACHE_DIR="$dir/cache"
  annotated "ccache" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  rm -rf "$dir/ccache"
  ccache -z >"$dir/log"
  annotated "ccache" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  [ "$(ccache --print-stats | sed -n 's/^direct_cache_hit[^0-9]*//p')" -gt 0 ] || { ccache -s; exit 1; }
fi
if command -v clang++-19 >/dev/null; then
  annotated "clang" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19
fi

annotated "whole" -DCMAKE_CXX_COMPILER="$prefix/bin/hsched-cc" -DCMAKE_BUILD_TYPE=Debug
"$cmake" --install "$dir/whole" --prefix "$dir/whole-installed" >"$dir/log"
LD_LIBRARY_PATH=$dir/whole-installed/lib:$prefix/lib check "$dir/whole-installed/bin/program"

step "move the prefix"
mv "$prefix" "$dir/elsewhere"
rm -rf "$dir/first"
all "$dir/elsewhere"

step "a serial build needs nothing of it but headers"
"$cxx" -std=c++20 -Wno-unknown-pragmas -I"$dir/elsewhere/include" app.cpp part.cpp -o "$dir/serial"
check "$dir/serial"
echo "install: in order"
