#!/bin/sh
# Checks a model exhaustively, and that the checker finds the faults that can be put into it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: check-model.sh SPIN CC MODEL 'OPTIONS' FAULT...
#   OPTIONS  for spin: -DNAME
#   FAULT    numbers: with -DFAULT=1 ... an assertion has to fail or somebody has to wait for ever
# Fails if the model has an error, a fault has none, or a search was cut short for want of depth or memory.
set -eu
spin=$1
cc=$2
model=$3
options=$4
shift 4
[ $# -gt 0 ] || { echo "check-model.sh: no faults: a model that cannot fail shows nothing" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$model" "$work/model.pml"
cd "$work"

# search FAULT CFLAGS...: leaves the checker's output in log
search() {
  fault=$1
  shift
  # shellcheck disable=SC2086 # a list of words
  "$spin" $options "-DFAULT=$fault" -a model.pml >log 2>&1 || { cat log; exit 1; }
  "$cc" "$@" -w -DSAFETY -DCOLLAPSE -DMEMLIM=900 -o pan pan.c
  ./pan -m100000 -w25 >log 2>&1 || true
  grep -q 'errors: ' log || { cat log; exit 1; }
}
count() { sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' log; }

search 0 -O2
if grep -Eq 'not completed|truncated|max search depth|MEMLIM' log; then
  cat log
  if [ -f model.pml.trail ]; then
    # shellcheck disable=SC2086
    "$spin" $options -DFAULT=0 -t -p -g model.pml | tail -n 150
  fi
  exit 1
fi
grep -q 'errors: 0' log || { cat log; exit 1; }
echo "${model##*/} $options: no error in $(count) states"

for fault; do
  rm -f model.pml.trail
  search "$fault" -O0
  if grep -q 'errors: 0' log; then
    cat log
    echo "${model##*/} $options: fault $fault was not found"
    exit 1
  fi
  echo "${model##*/} $options: fault $fault found in $(count) states: $(sed -n 's/^pan:1: //p' log | cut -c -80)"
done
