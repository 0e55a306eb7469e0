#!/bin/sh
# Installed headers compile alone, twice in one unit, without a warning, in every language that they promise; and a
# misuse that they promise to reject is rejected.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: check-headers.sh CC CXX ROOT
set -eu
cc=$1
cxx=$2
root=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Werror -I$root/include"
bad=0

# alone LABEL COMPILER... : the unit is on standard input.
compiles() {
  label=$1
  shift
  # shellcheck disable=SC2086 # a list of words
  if ! "$@" $flags - >"$dir/out" 2>&1; then
    sed 's/^/    /' "$dir/out" | head -n 20
    echo "check-headers: $label does not compile"
    bad=1
  fi
}

rejected() {
  label=$1
  shift
  # shellcheck disable=SC2086 # a list of words
  if "$@" $flags - >"$dir/out" 2>&1; then
    echo "check-headers: $label compiles, and should not"
    bad=1
  fi
}

twice() { printf '#include <hsched/%s>\n#include <hsched/%s>\n' "$1" "$1"; }

twice abi.h | compiles "abi.h as C11" "$cc" -std=c11 -x c
twice select.h | compiles "select.h as C11" "$cc" -std=c11 -x c
twice select.h | compiles "select.h as C++11" "$cxx" -std=c++11 -x c++
twice dag.h | compiles "dag.h as C++17" "$cxx" -std=c++17 -x c++
twice dag_c.h | compiles "dag_c.h as C11" "$cc" -std=c11 -x c
for standard in 11 14 17 20 23; do
  [ "$standard" != 23 ] || standard=2b
  for header in abi.h hsched.h; do
    for define in "" -D__HSCHED__=1; do
      twice $header | compiles "$header as C++$standard $define" "$cxx" -std=c++$standard $define -x c++
    done
  done
done
for file in "$root"/include/hsched/*.h; do
  header=$(basename "$file")
  twice "$header" | compiles "$header as C++20" "$cxx" -std=c++20 -x c++
done

# A status that nobody looks at is an error to be told of.
printf '#include <hsched/status.h>\nhsched::status f();\nint main() { (void)f(); }\n' |
  compiles "a status that is looked at" "$cxx" -std=c++20 -x c++
printf '#include <hsched/status.h>\nhsched::status f();\nint main() { f(); }\n' |
  rejected "a status that is dropped" "$cxx" -std=c++20 -x c++
# Errors name task, device and cause: none may be forgotten.
printf '#include <hsched/hsched.h>\nint main() { throw hsched::task_error("t", "d", "c"); }\n' |
  compiles "a whole task_error" "$cxx" -std=c++20 -x c++
printf '#include <hsched/hsched.h>\nint main() { throw hsched::task_error("t"); }\n' |
  rejected "a task_error without a cause" "$cxx" -std=c++20 -x c++
exit $bad
