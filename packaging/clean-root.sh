#!/bin/sh
# Installs the Debian packages in a new root that has nothing else, and compiles and runs a program there.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: packaging/clean-root.sh [--suite SUITE] [--mirror URL] [BUILD]
#   BUILD     a finished build (default: build); cpack writes BUILD/packages/*.deb
#   --suite   of Debian (default: bookworm, which is Debian 12)
#   --mirror  default: http://deb.debian.org/debian
# Needs root, mmdebstrap and the network: 5 minutes or so. test/install/packages.sh tests the same packages without either.
set -eu
suite=bookworm
mirror=http://deb.debian.org/debian
build=build
while [ $# -gt 0 ]; do
  case $1 in
  --suite | --mirror)
    [ $# -gt 1 ] || { echo "clean-root.sh: $1 needs a value" >&2; exit 2; }
    eval "${1#--}=\$2"
    shift
    ;;
  -*) echo "clean-root.sh: unknown option '$1' (known: --suite, --mirror)" >&2; exit 2 ;;
  *) build=$1 ;;
  esac
  shift
done
command -v mmdebstrap >/dev/null || { echo "clean-root.sh: mmdebstrap was not found (Debian: mmdebstrap)" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "clean-root.sh: it needs root, for chroot" >&2; exit 1; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$build" && cpack -G DEB) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
mkdir "$dir/new"
cp "$build"/packages/*.deb "$dir/new/"
cat >"$dir/new/app.cpp" <<'END'
#include <cstdio>
#include <hsched/hsched.h>
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
  return x[999] != 6;
}
END
cat >"$dir/new/scale.cl" <<'END'
kernel void scale_cl(int n, float a, global float *x) {
  if (get_global_id(0) < n)
    x[get_global_id(0)] *= a;
}
END
cat >"$dir/new/try.sh" <<'END'
set -eux
cd /new
export DEBIAN_FRONTEND=noninteractive HSCHED_CACHE=/tmp/cache/
# The runtime alone: programs that were compiled elsewhere.
apt-get install -y --no-install-recommends ./libhsched1_*.deb >/tmp/log 2>&1 || { tail -n 20 /tmp/log; exit 1; }
hsched-info
hsched-sim --list | grep idgraf
# All, with a device.
apt-get install -y --no-install-recommends ./*.deb pocl-opencl-icd libc6-dev >/tmp/log 2>&1 || { tail -n 20 /tmp/log; exit 1; }
hsched-cc --version
hsched-cc -std=c++20 -O2 app.cpp -o app
HSCHED_OPENCL=0 ./app
HSCHED_OPENCL=all HSCHED_VERSIONS=scale:scale_cl HSCHED_STATS=1 ./app
hsched-info | grep "Portable Computing Language"
HSCHED_RECORD=run.json ./app
hsched-explain run.json
hsched-report run.json
hsched-kinfo scale.cl | head -n 5
# They go without a trace.
apt-get purge -y hsched libhsched-dev libhsched1 >/tmp/log 2>&1 || { tail -n 20 /tmp/log; exit 1; }
[ -z "$(find /usr /etc /var/lib -name '*hsched*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/apt/*')" ]
END
# shellcheck disable=SC2016 # the hook's own $1
mmdebstrap --quiet --variant=apt --customize-hook="cp -r $dir/new \"\$1/new\"" --customize-hook='chroot "$1" sh /new/try.sh >&2' \
  "$suite" /dev/null "$mirror" "deb $mirror $suite-updates main" "deb $mirror-security $suite-security main"
echo "clean-root.sh: $suite: in order"
