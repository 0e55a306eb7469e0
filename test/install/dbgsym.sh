#!/bin/sh
# A build with debug information makes Debian packages of it, and strips the others. A small project with one library uses
# hsched's own rules for packages.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: dbgsym.sh CMAKE CPACK VERSION SOURCE
set -eu
cmake=$1
cpack=$2
version=$3
source=$4 # hsched's own
for program in dpkg-deb dpkg-shlibdeps file objcopy readelf; do
  if ! command -v $program >/dev/null; then
    echo "skipped: $program was not found (Debian: dpkg-dev, file, binutils)"
    exit 77
  fi
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
  echo "dbgsym: $*"
  exit 1
}

mkdir -p "$dir/project/include"
ln -s "$source/include/hsched" "$dir/project/include/hsched"
ln -s "$source/packaging" "$source/LICENSE" "$dir/project/"
cat >"$dir/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(hsched VERSION $version LANGUAGES CXX)
file(WRITE \${CMAKE_BINARY_DIR}/answer.cpp "int answer() { return 42; }")
add_library(hsched SHARED \${CMAKE_BINARY_DIR}/answer.cpp)
target_link_options(hsched PRIVATE -Wl,--build-id)
install(TARGETS hsched DESTINATION lib COMPONENT runtime)
install(FILES LICENSE DESTINATION share COMPONENT dev)
include($source/cmake/HschedPackage.cmake)
END

# packages TYPE: makes the packages of a build of this type.
packages() {
  {
    "$cmake" -S "$dir/project" -B "$dir/$1" -DCMAKE_BUILD_TYPE="$1" && "$cmake" --build "$dir/$1" &&
      (cd "$dir/$1" && "$cpack" -G DEB -B "$dir/$1/packages")
  } >"$dir/log" 2>&1 || {
    cat "$dir/log"
    fail "no packages of a build of type $1"
  }
  dpkg-deb -x "$dir/$1"/packages/libhsched1_*.deb "$dir/$1/root"
  ! readelf -S "$dir/$1/root/usr/lib/libhsched.so" | grep -q '\.debug_info' || fail "$1: the library is not stripped"
}

packages RelWithDebInfo
id=$(readelf -n "$dir/RelWithDebInfo/root/usr/lib/libhsched.so" | sed -n 's/^ *Build ID: //p')
[ -n "$id" ] || fail "the library has no build id"
dpkg-deb -x "$dir"/RelWithDebInfo/packages/libhsched1-dbgsym_*.ddeb "$dir/symbols" || fail "there is no package with debug information"
symbols=$dir/symbols/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
readelf -S "$symbols" | grep -q '\.debug_info' || fail "the package has no debug information for the library's build id"

packages Release
! ls "$dir"/Release/packages/*dbgsym* 2>/dev/null || fail "a build without debug information makes a package of it"
echo "dbgsym: in order"
