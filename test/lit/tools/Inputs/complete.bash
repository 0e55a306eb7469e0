# Completes each argument as a line typed so far, and prints what is offered.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source "$1" || exit 1
shift
for line in "$@"; do
  COMP_LINE=$line
  COMP_POINT=${#line}
  # As readline splits a line: at blanks and '='.
  read -ra COMP_WORDS <<<"${line//=/ = }"
  [[ $line == *[[:space:]] ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  # The function that 'complete' knows for the program, so that the registration is tested too.
  function=$(complete -p "${COMP_WORDS[0]}" | sed 's/.*-F \([^ ]*\).*/\1/')
  "$function"
  printf 'line: %s\n' "$line"
  printf '  %s\n' "${COMPREPLY[@]}"
done
