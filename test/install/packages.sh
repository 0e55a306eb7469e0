#!/bin/sh
# Makes the Debian packages, unpacks them into an empty root, and compiles and runs a program there. Every installed file is
# in just one package.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: packages.sh CMAKE CPACK BUILD SOURCE
set -eu
cmake=$1
cpack=$2
build=$3
source=$4 # hsched's own
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
  echo "skipped: dpkg-deb, dpkg-shlibdeps or file was not found (Debian: dpkg-dev, file)"
  exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
  echo "packages: $*"
  exit 1
}

(cd "$build" && "$cpack" -G DEB -B "$dir/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=none -D CPACK_STRIP_FILES=OFF) >"$dir/log" 2>&1 || {
  cat "$dir/log"
  fail "cpack fails"
}
root=$dir/root
mkdir "$root"
for package in "$dir"/packages/*.deb; do
  dpkg-deb -x "$package" "$root"
  dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }' >>"$dir/packed"
done
for name in libhsched1 libhsched-dev hsched; do
  ls "$dir/packages/${name}"_*.deb >/dev/null || fail "there is no package $name"
done

# depends PACKAGE WORD: the package depends on what matches.
depends() {
  dpkg-deb -f "$dir"/packages/"$1"_*.deb Depends | tr ',' '\n' | grep -q -E "^ *$2" || fail "$1 does not depend on $2"
}
depends libhsched1 'libhwloc15'
depends libhsched1 'libc6 \(>='
depends libhsched-dev 'libhsched1 \(='
depends hsched 'libhsched-dev \(='
depends hsched 'libclang-cpp19'
depends hsched 'g\+\+'

# packaging/README.md and the description name each program of a package.
for package in libhsched1 hsched; do
  for program in $(dpkg-deb -c "$dir"/packages/${package}_*.deb | sed -n 's|.* \./usr/bin/\([a-z-]*\).*|\1|p'); do
    grep "^| .$package. |" "$source/packaging/README.md" | grep -q "[^a-z-]$program[^a-z-]" || fail "packaging/README.md does not name $program in $package"
    dpkg-deb -f "$dir"/packages/${package}_*.deb Description | grep -q -E "(^|[ :])$program([ ,.]|$)" || fail "the description of $package does not name $program"
  done
done

# The packages have what an installation has, each file once.
"$cmake" --install "$build" --prefix "$dir/whole/usr" >"$dir/log" || { cat "$dir/log"; fail "cmake --install fails"; }
(cd "$dir/whole" && find . ! -type d | sort) >"$dir/installed"
sort "$dir/packed" | diff - "$dir/installed" || fail "what is packed ('<') and what is installed ('>') differ"

# Nothing but the root and the system's own programs.

cat >"$dir/app.cpp" <<'END'
#include <cstdio>
#pragma hsched task
void scale(int n, float a, float *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= a;
}
#pragma hsched implements(scale) device(opencl) kernel("scale.cl", "scale_cl") ndrange(n)
void scale_cl(int n, float a, float *x);
int main() {
  static float x[1000];
  for (float &v : x)
    v = 2;
  scale(1000, 3, x);
#pragma hsched taskwait
  std::puts(x[999] == 6 ? "correct" : "WRONG");
}
END
cat >"$dir/scale.cl" <<'END'
kernel void scale_cl(int n, float a, global float *x) {
  if (get_global_id(0) < n)
    x[get_global_id(0)] *= a;
}
END
clean() { env -i PATH="$root/usr/bin:/usr/bin:/bin" HOME="$dir" HSCHED_CACHE="$dir/cache/" LD_LIBRARY_PATH="$root/usr/lib" "$@"; }
cd "$dir"
clean hsched-cc -std=c++20 -O1 app.cpp -o app || fail "hsched-cc does not compile"
[ "$(clean ./app)" = correct ] || fail "the program does not run"
[ "$(clean env HSCHED_OPENCL=0 HSCHED_LOG=silent ./app)" = correct ] || fail "the program does not run without devices"
clean hsched-info | grep -q "^backend *opencl, $root/usr/lib/hsched/" || fail "hsched-info does not find the backend beside it"
clean hsched-sim --list | grep -q idgraf || fail "hsched-sim does not find its platforms"
PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --cflags hsched | grep -q -- "-I$root/usr/lib/pkgconfig/../../include" ||
  fail "pkg-config names another folder"
# packaging/meson, against the same root.
if command -v meson >/dev/null; then
  cp -r "$source/packaging/meson" "$dir/project"
  (cd project && clean env CXX=hsched-cc PKG_CONFIG_PATH="$root/usr/lib/pkgconfig" meson setup build &&
    clean meson test -C build) >"$dir/log" 2>&1 || { cat "$dir/log"; fail "the project with Meson fails"; }
fi
echo "packages: in order"
