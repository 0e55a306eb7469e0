#!/bin/sh
# Installs what hsched needs, builds it, and runs every test: once as released, then the runtime under sanitizers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/test.sh [--quick | --fuzz]
#   --quick  without the sanitizers
#   --fuzz   and the fuzzers under sanitizers, half a minute each, in a build of their own; without, they run as released
# Ends with a line 'N passed, M failed' over all of it; the exit code is 0 only if M is 0 and everything was built.
set -u
cd "$(dirname "$0")/.." || exit 1

quick=no
fuzz=no
case ${1:-} in
'') ;;
--quick) quick=yes ;;
--fuzz) fuzz=yes ;;
*)
  echo "test.sh: unknown option '$1' (known: --quick, --fuzz)" >&2
  exit 2
  ;;
esac

jobs=$(nproc)
passed=0
failed=0
broken=0

scripts/install-deps.sh || exit 1

launcher=
command -v ccache >/dev/null 2>&1 && launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache

# pass NAME PRESET [ctest option...]: configures, builds and tests one preset, and adds up its counts.
pass() {
  name=$1
  preset=$2
  shift 2
  dir=build
  [ "$preset" = release ] || dir=build-$preset
  mkdir -p "$dir"
  echo
  echo "== $name ($dir)"
  start=$(date +%s)
  if ! cmake --preset "$preset" $launcher >"$dir/configure.log" 2>&1; then
    tail -n 30 "$dir/configure.log"
    echo "test.sh: $name: configuring failed"
    broken=$((broken + 1))
    return
  fi
  if ! cmake --build "$dir" -j "$jobs" ${target:+--target "$target"} >"$dir/build.log" 2>&1; then
    grep -E -A 12 'FAILED|error' "$dir/build.log" | head -n 60
    echo "test.sh: $name: building failed; all of it: $dir/build.log"
    broken=$((broken + 1))
    return
  fi
  echo "built in $(($(date +%s) - start)) s"
  (cd "$dir" && ctest -j "$jobs" --output-on-failure --no-tests=error --timeout 600 "$@") >"$dir/test.log" 2>&1
  status=$?
  # "100% tests passed, 0 tests failed out of 12"
  line=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$dir/test.log" | tail -n 1)
  if [ -z "$line" ]; then
    tail -n 30 "$dir/test.log"
    echo "test.sh: $name: ctest did not finish"
    broken=$((broken + 1))
    return
  fi
  bad=${line% *}
  all=${line#* }
  passed=$((passed + all - bad))
  failed=$((failed + bad))
  if [ "$status" -ne 0 ] || [ "$bad" -ne 0 ]; then
    # From the first failure's output on, without the hundreds of lines that say Passed.
    grep -v ' Passed ' "$dir/test.log" | tail -n 200
    [ "$bad" -ne 0 ] || broken=$((broken + 1))
  fi
  echo "$name: $((all - bad)) passed, $bad failed, $(($(date +%s) - start)) s"
}

# Whether the compiler of the fuzzers has libFuzzer.
can_fuzz() {
  command -v clang++-19 >/dev/null 2>&1 || return 1
  probe=$(mktemp -d)
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' >"$probe/p.cpp"
  clang++-19 -fsanitize=fuzzer,address "$probe/p.cpp" -o "$probe/p" >/dev/null 2>&1
  status=$?
  rm -rf "$probe"
  return $status
}

target=
pass "release" release
if [ "$quick" = no ]; then
  # Neither the sanitizers nor we answer for what ICD loaders, PoCL and hwloc keep until the program ends.
  export LSAN_OPTIONS="suppressions=$PWD/test/checks/lsan.supp:print_suppressions=0"
  # LeakSanitizer of GCC 12 dies of thread-local storage that is not there any more, where PoCL's threads have compiled.
  export ASAN_OPTIONS="detect_stack_use_after_return=1:intercept_tls_get_addr=0"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
  # ThreadSanitizer of GCC 12 takes what lies before a library's thread-local block for the block's size, where the block
  # begins 16 bytes into a page, and ends the program.
  tsan="halt_on_error=1:second_deadlock_stack=1:intercept_tls_get_addr=0"
  export TSAN_OPTIONS="suppressions=$PWD/test/checks/tsan.supp:$tsan"
  # What is checked of the sources is the same as in the first pass.
  pass "address and undefined behaviour" asan -LE checks
  pass "threads" tsan -LE checks
  if [ "$fuzz" = no ]; then
    : # the release pass has them, without sanitizers
  elif can_fuzz; then
    target=fuzzers
    pass "fuzzing, half a minute each" fuzz -L fuzz
    target=
  else
    echo
    echo "== fuzzing: skipped, clang++-19 has no libFuzzer here (Debian: clang-19 libclang-rt-19-dev)"
  fi
fi

echo
[ "$broken" -eq 0 ] || echo "$broken part(s) could not be built or run: see above"
failed=$((failed + broken))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
