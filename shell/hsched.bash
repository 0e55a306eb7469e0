# Completion of hsched-cc, hsched-c, hsched-port, hsched-kinfo, hsched-info, hsched-model, hsched-sim, hsched-run, hsched-explain and hsched-report for bash. What there is to complete is what the programs' own help lists.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The options in a program's help, one a line: --long[=value] gives both forms, -W[no-]x too.
_hsched_options() {
  "$@" 2>/dev/null | sed -n 's/^  \(-[^ ,]*\).*/\1/p' | while IFS= read -r option; do
    case $option in
    *'[no-]'*)
      option=${option%%'[-<'*}
      printf '%s\n' "${option/'[no-]'/}" "${option/'[no-]'/no-}"
      ;;
    *'[='*) printf '%s\n' "${option%%'['*}" "${option%%'['*}=" ;;
    *'[-<'*) printf '%s\n' "${option%%'['*}" "${option%%'['*}-" ;;
    *'=<'*) printf '%s=\n' "${option%%=*}" ;;
    *'<'*) printf '%s\n' "${option%%<*}" ;;
    *) printf '%s\n' "$option" ;;
    esac
  done
}

_hsched_warnings() {
  "$1" --hsched-help=warnings 2>/dev/null | sed -n 's/^ *-W\(hsched-[a-z0-9-]*\).*/\1/p' |
    sed 's/.*/-W&\n-Wno-&\n-Werror=&/'
}

# The words in $1 that begin with the word at the cursor. bash splits words at '='; what it replaces is behind the last.
_hsched_offer() {
  local word whole=$2 shown
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -n $word && $word == "$whole"* ]] || continue
    shown=$word
    [[ $COMP_WORDBREAKS == *=* && $whole == *=* ]] && shown=${word#"${whole%=*}="}
    COMPREPLY+=("$shown")
  done <<<"$1"
  # No blank behind what wants a value.
  [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *[=-] ]] && compopt -o nospace 2>/dev/null
}

# The word at the cursor as it stands in the line, joined again where bash split it at '='.
_hsched_word() {
  local line=${COMP_LINE:0:COMP_POINT}
  printf '%s' "${line##*[[:space:]]}"
}

_hsched_files() {
  local file
  COMPREPLY=()
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    [[ -d $file || $file =~ $2 ]] && COMPREPLY+=("$file")
  done < <(compgen -f -- "$1")
}

_hsched_cc() {
  local word program=${COMP_WORDS[0]}
  word=$(_hsched_word)
  case $word in
  --hsched-metadata=* | -o*) _hsched_files "${word#*=}" '' ;;
  -W*) _hsched_offer "$(_hsched_options "$program" --hsched-help; _hsched_warnings "$program")" "$word" ;;
  -*)
    _hsched_offer "$(_hsched_options "$program" --hsched-help
      printf '%s\n' -c -o -O0 -O1 -O2 -O3 -g -I -D -U -E -S -MD -MMD -MF -MT -std=c++17 -std=c++20 -std=c++23 -std=c11 -std=gnu17 -fPIC \
        -shared -pthread -fopenmp -march=native)" "$word"
    ;;
  *) _hsched_files "$word" '\.(cpp|cc|cxx|C|c|o|a|so|ii|s|S)$' ;;
  esac
}

_hsched_kinfo() {
  local word program=${COMP_WORDS[0]} files=() other previous=
  word=$(_hsched_word)
  [[ ${COMP_CWORD} -gt 0 ]] && previous=${COMP_WORDS[COMP_CWORD - 1]}
  for other in "${COMP_WORDS[@]:1}"; do
    [[ $other == *.cl && -f $other ]] && files+=("$other")
  done
  if [[ $word == --kernel=* || $previous == --kernel ]]; then
    other=
    [[ $word == --kernel=* ]] && other=--kernel=
    _hsched_offer "$("$program" "${files[@]}" 2>/dev/null | sed -n "s/^kernel \([^ ]*\) .*/$other\1/p")" "$word"
    return
  fi
  case $word in
  -I*) COMPREPLY=($(compgen -d -P -I -- "${word#-I}")) ;;
  -cl-std=*) _hsched_offer "$(printf -- '-cl-std=%s\n' CL1.0 CL1.1 CL1.2 CL2.0 CL3.0 CLC++1.0 CLC++2021)" "$word" ;;
  -*) _hsched_offer "$(_hsched_options "$program" --help)" "$word" ;;
  *) _hsched_files "$word" '\.(cl|h|clh|ocl)$' ;;
  esac
}

_hsched_info() {
  _hsched_offer "$(_hsched_options "${COMP_WORDS[0]}" --help)" "$(_hsched_word)"
}

_hsched_model() {
  local word
  word=$(_hsched_word)
  case $word in
  -*) _hsched_offer "$(_hsched_options "${COMP_WORDS[0]}" --help)" "$word" ;;
  *)
    if [[ ${COMP_CWORD} -eq 1 ]]; then
      _hsched_offer "$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p')" "$word"
    else
      _hsched_files "$word" '\.json$'
    fi
    ;;
  esac
}

_hsched_sim() {
  local word name program=${COMP_WORDS[0]}
  word=$(_hsched_word)
  if [[ $word == -* ]]; then
    _hsched_offer "$(_hsched_options "$program" --help)" "$word"
  else
    _hsched_files "$word" '\.json$'
    while IFS= read -r name; do
      [[ $name == "$word"* ]] && COMPREPLY+=("$name")
    done < <("$program" --list 2>/dev/null | sed -n 's/^platforms: //p' | sed 's/, */\n/g')
  fi
}

_hsched_run() {
  local word program=${COMP_WORDS[0]} pattern='\.(json|graph)$'
  word=$(_hsched_word)
  [[ " ${COMP_WORDS[*]} " == *' --init '* ]] && pattern='\.(cl|clh|ocl)$'
  case $word in
  --sched=*) _hsched_offer "$(printf -- '--sched=%s\n' clustering eager heft versioning engine:eager)" "$word" ;;
  --output=* | --trace=* | --gantt=* | --graph=* | --select=* | --explain=* | --report=* | --kinfo=*) _hsched_files "${word#*=}" '' ;;
  -*) _hsched_offer "$(_hsched_options "$program" --help)" "$word" ;;
  *) _hsched_files "$word" "$pattern" ;;
  esac
}

# Of hsched-report too.
_hsched_explain() {
  local word
  word=$(_hsched_word)
  if [[ $word == -* ]]; then
    _hsched_offer "$(_hsched_options "${COMP_WORDS[0]}" --help)" "$word"
  else
    _hsched_files "$word" '\.json$'
  fi
}

_hsched_port() {
  local word
  word=$(_hsched_word)
  case $word in
  -*) _hsched_offer "$(_hsched_options "${COMP_WORDS[0]}" --help)" "$word" ;;
  *)
    _hsched_files "$word" '\.(cpp|cc|cxx|C|c|h|hh|hpp)$'
    [[ ${COMP_WORDS[COMP_CWORD - 1]} == --from ]] && COMPREPLY=($(compgen -W 'openmp ompss' -- "$word"))
    ;;
  esac
}

complete -F _hsched_cc hsched-cc
complete -F _hsched_cc hsched-c
complete -F _hsched_port hsched-port
complete -F _hsched_kinfo hsched-kinfo
complete -F _hsched_info hsched-info
complete -F _hsched_model hsched-model
complete -F _hsched_sim hsched-sim
complete -F _hsched_run hsched-run
complete -F _hsched_explain hsched-explain
complete -F _hsched_explain hsched-report
