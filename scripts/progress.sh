#!/bin/sh
# Runs a build, keeps its output in a file, and shows how far it is: on a terminal one line, elsewhere a line every tenth.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/progress.sh LOG COMMAND...
# The exit code is the command's. What Ninja prints as "[3/86] ..." counts as progress.
set -u
log=$1
shift
terminal=0
[ -t 1 ] && terminal=1
status=$(mktemp) || exit 1
trap 'rm -f "$status"' EXIT
{
  "$@" 2>&1
  echo $? >"$status"
} | tee "$log" | awk -v terminal=$terminal '
  match($0, /^\[[0-9]+\/[0-9]+\]/) {
    split(substr($0, 2, RLENGTH - 2), at, "/")
    tenth = int(10 * at[1] / at[2])
    if (terminal)
      printf "\r%3d %% (%d of %d)", 100 * at[1] / at[2], at[1], at[2]
    else if (tenth > shown)
      printf "%d %% (%d of %d)\n", 10 * tenth, at[1], at[2]
    shown = tenth
    fflush()
  }
  END { if (terminal && NR) print "" }'
exit "$(cat "$status")"
