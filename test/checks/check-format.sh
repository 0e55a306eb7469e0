#!/bin/sh
# Every C++ and OpenCL file is formatted as .clang-format says.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: check-format.sh CLANG-FORMAT ROOT
set -eu
cd "$2"
# Inputs of tests whose layout matters to what is expected of them are left alone.
if git rev-parse --git-dir >/dev/null 2>&1; then
  git ls-files -z '*.cpp' '*.h' '*.cl' '*.c' ':!test/lit' ':!test/unit/*.cl'
else
  find include runtime compiler tools samples test bench \( -name '*.cpp' -o -name '*.h' -o -name '*.cl' -o -name '*.c' \) \
    -not -path 'test/lit/*' -not -path 'test/unit/*.cl' -print0
fi | xargs -0 -n 16 -P 2 "$1" --dry-run -Werror
