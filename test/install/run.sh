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
export HSCHED_CACHE="$dir/cache"
unset HSCHED_PLUGIN_PATH LD_LIBRARY_PATH CCACHE_DISABLE CCACHE_NODIRECT CCACHE_READONLY CCACHE_RECACHE || true
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
for file in bin/hsched-cc bin/hsched-c bin/hsched-port bin/hsched-explain bin/hsched-report bin/hsched-info bin/hsched-model bin/hsched-run share/hsched/python/hsched_dag.py bin/hsched-sim share/hsched/platforms/idgraf.json include/hsched/abi.h lib/libhsched.so lib/libhsched_dag.so \
  lib/cmake/hsched/hschedConfig.cmake \
  lib/cmake/hsched/hschedConfigVersion.cmake lib/cmake/hsched/hschedTargets.cmake lib/pkgconfig/hsched.pc \
  share/doc/hsched/README.md share/doc/hsched/docs/tutorial.md share/doc/hsched/scripts/timeline.py; do
  [ -e "$prefix/$file" ] || { echo "install: $file is missing"; exit 1; }
done
# The documents' links and pictures are there.
python3 "$source/../docs/links.py" "$prefix/share/doc/hsched" >"$dir/log" ||
  { cat "$dir/log"; echo "install: the installed documents have dead links"; exit 1; }
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
  HSCHED_OPENCL=all check "$1.build/kernels"

  step "hsched-info in $1"
  "$1/bin/hsched-info" >"$dir/log" && grep -q "^backend *opencl, $1/lib/hsched/" "$dir/log" ||
    { cat "$dir/log"; echo "install: hsched-info finds no plugin"; exit 1; }

  step "hsched-run in $1"
  # Its runtime, the backend and hsched-kinfo are those beside it.
  "$1/bin/hsched-run" --map gpu=any dag.json >"$dir/log" 2>&1 && grep -q 'as expected' "$dir/log" ||
    grep -q 'there is no OpenCL device' "$dir/log" || { cat "$dir/log"; echo "install: hsched-run fails"; exit 1; }

  step "hsched-c in $1"
  "$1/bin/hsched-c" -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror plain.c -o "$dir/plain"
  HSCHED_OPENCL=0 "$dir/plain" >"$dir/log" && grep -q '^sum 499500$' "$dir/log" ||
    { cat "$dir/log"; echo "install: hsched-c fails"; exit 1; }

  step "hsched-cc in $1"
  "$1/bin/hsched-cc" -std=c++20 -O2 app.cpp part.cpp other/part.cpp -o "$dir/app"
  check "$dir/app"
  HSCHED_OPENCL=0 check "$dir/app"

  step "generated source with $cxx and pkg-config in $1"
  mkdir -p "$dir/other"
  for unit in app part other/part; do
    "$1/bin/hsched-cc" -std=c++20 --hsched-emit=source $unit.cpp -o "$dir/$unit-generated.cpp"
  done
  # shellcheck disable=SC2046 # lists of words
  PKG_CONFIG_PATH=$1/lib/pkgconfig "$cxx" -std=c++20 -O2 -I. "$dir/app-generated.cpp" "$dir/part-generated.cpp" \
    "$dir/other/part-generated.cpp" -o "$dir/generated" $(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs hsched)
  LD_LIBRARY_PATH=$1/lib check "$dir/generated"
}

# annotated NAME [cmake option...]: a project outside of hsched's tree, built in a folder of that name.
annotated() {
  name=$1
  shift
  step "a project with $name"
  "$cmake" -S "$source/annotated" -B "$dir/$name" -DCMAKE_PREFIX_PATH="$prefix" "$@" >"$dir/log" 2>&1 &&
    "$cmake" --build "$dir/$name" -j 2 >>"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
  check "$dir/$name/program"
  # All seven calls were tasks.
  HSCHED_STATS=1 "$dir/$name/program" 2>&1 | grep -q '7 tasks ran' || { echo "install: $name ran no tasks"; exit 1; }
}

# again NAME: what is built once more, and what is not.
again() {
  step "changes with $1"
  "$cmake" --build "$dir/$1" >"$dir/log"
  if grep -q Building "$dir/log"; then
    echo "install: a second build of $1 compiles again"
    cat "$dir/log"
    exit 1
  fi
  for pair in scale.cl:scale.cpp include/tasks.h:scale.cpp numbers.in:one/part.cpp numbers.in:two/part.cpp; do
    touch "$dir/annotated/${pair%:*}"
    "$cmake" --build "$dir/$1" >"$dir/log"
    grep -q "Building.*${pair#*:}" "$dir/log" || { echo "install: ${pair%:*} is no dependency"; cat "$dir/log"; exit 1; }
  done
}

# hits NAME [cmake option...]: the second of two builds in folders of that name comes from the cache.
hits() {
  export CCACHE_DIR="$dir/$1-cache"
  annotated "$@"
  rm -rf "${dir:?}/$1"
  ccache -z >"$dir/log"
  annotated "$@"
  # Whatever it misses on, it misses nothing that was annotated: scale, two parts and the program.
  [ "$(ccache --print-stats | sed -n 's/^direct_cache_hit[^0-9]*//p')" -ge 4 ] || { ccache -s; exit 1; }
  unset CCACHE_DIR
}

# editor NAME [option...]: clangd understands each source as compile_commands.json has it.
editor() {
  command -v clangd >/dev/null || return 0
  name=$1
  shift
  step "clangd with $name"
  # Not shift.cpp: a precompiled header of GCC is nothing that clangd can read, with hsched or without.
  for file in scale.cpp one/part.cpp two/part.cpp main.cpp more.cpp; do
    clangd --check="$dir/annotated/$file" --compile-commands-dir="$dir/$name" --log=info "$@" >"$dir/log" 2>&1 &&
      ! grep -q '^E\[' "$dir/log" || { cat "$dir/log"; echo "install: clangd does not understand $file of $name"; exit 1; }
  done
}

all "$prefix"
cp -r "$source/annotated" "$dir/annotated"
source=$dir
annotated "make" -G "Unix Makefiles" -DCMAKE_CXX_COMPILER="$cxx"
again "make"
editor "make"
annotated "whole" -G "Unix Makefiles" -DCMAKE_CXX_COMPILER="$prefix/bin/hsched-cc" -DCMAKE_BUILD_TYPE=Debug
again "whole"
editor "whole" --query-driver="$prefix/bin/hsched-cc"
"$cmake" --install "$dir/whole" --prefix "$dir/whole-installed" >"$dir/log"
LD_LIBRARY_PATH=$dir/whole-installed/lib:$prefix/lib check "$dir/whole-installed/bin/program"
if command -v ninja >/dev/null; then
  annotated "ninja" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
  again "ninja"
  annotated "whole-ninja" -G Ninja -DCMAKE_CXX_COMPILER="$prefix/bin/hsched-cc"
  again "whole-ninja"
fi
if command -v ccache >/dev/null; then
  hits "ccache" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  hits "whole-ccache" -DCMAKE_CXX_COMPILER="$prefix/bin/hsched-cc" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
if command -v clang++-19 >/dev/null; then
  annotated "clang" -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19
fi

step "move the prefix"
mv "$prefix" "$dir/elsewhere"
rm -rf "$dir/first"
all "$dir/elsewhere"

step "a serial build needs nothing of it but headers"
"$cxx" -std=c++20 -Wno-unknown-pragmas -I"$dir/elsewhere/include" app.cpp part.cpp other/part.cpp -o "$dir/serial"
check "$dir/serial"
echo "install: in order"
