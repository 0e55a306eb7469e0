#!/bin/sh
# Installs what hsched needs, builds it, and runs every test: once as released, then the runtime under sanitizers.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/test.sh [--quick] [--long[=PART,...] | --fuzz | --changed[=COMMIT]]
#   --quick    without the sanitizers
#   --long     and then randomised tests with new seeds for 90 minutes: for a release. Named parts: these alone.
#              scripts/long-tests.py --list names the parts
#   --fuzz     and the fuzzers under sanitizers, in a build of their own; without, they run as released
#   --changed  only the tests that belong to what differs from COMMIT (HEAD if none is named): scripts/changed.py picks them
# Ends with a line 'N passed, M failed' over all of it; the exit code is 0 only if M is 0 and everything was built.
set -u
cd "$(dirname "$0")/.." || exit 1

quick=no
fuzz=no
long=
changed=
for option in "$@"; do
  case $option in
  --quick) quick=yes ;;
  --fuzz) fuzz=yes ;;
  --long) long=all ;;
  --long=?*) long=$(echo "${option#--long=}" | tr ',' ' ') ;;
  --changed) changed=HEAD ;;
  --changed=?*) changed=${option#--changed=} ;;
  *)
    echo "test.sh: unknown option '$option' (known: --quick, --long[=PART,...], --fuzz, --changed[=COMMIT])" >&2
    exit 2
    ;;
  esac
done

jobs=$(nproc)
passed=0
failed=0
broken=0
times=

scripts/install-deps.sh || exit 1

# sanitizing_compilers: options for CMake where the presets' compiler, clang++-19, has another name or is missing.
gcc="-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++"
sanitizing_compilers() {
  if command -v clang++-19 >/dev/null 2>&1; then
    :
  elif command -v clang++ >/dev/null 2>&1; then
    echo "-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++"
  else
    echo "$gcc"
  fi
}

# pass NAME PRESET [ctest option...]: configures, builds and tests one preset, and adds up its counts.
pass() {
  name=$1
  preset=$2
  shift 2
  dir=build
  [ "$preset" = release ] || dir=build-$preset
  compilers=
  case $preset in
  asan | tsan)
    compilers=$(sanitizing_compilers)
    # CMake cannot change the compiler of a folder and keep its other settings.
    if [ -f "$dir/CMakeCache.txt" ] && ! grep -q '^CMAKE_CXX_COMPILER:[A-Z]*=.*clang' "$dir/CMakeCache.txt"; then
      [ "$compilers" = "$gcc" ] || rm -rf "$dir"
    fi
    ;;
  esac
  mkdir -p "$dir"
  echo
  echo "== $name ($dir)"
  start=$(date +%s)
  # shellcheck disable=SC2086 # a list of words
  if ! cmake --preset "$preset" -DHSCHED_BUILD_TESTS=ON -DHSCHED_BUILD_SAMPLES=$samples $compilers \
    >"$dir/configure.log" 2>&1; then
    tail -n 30 "$dir/configure.log"
    echo "test.sh: $name: configuring failed"
    broken=$((broken + 1))
    return
  fi
  # shellcheck disable=SC2086 # a list of words
  if ! scripts/progress.sh "$dir/build.log" cmake --build "$dir" -j "$jobs" ${targets:+--target $targets}; then
    grep -E -A 12 'FAILED|error' "$dir/build.log" | head -n 60
    echo "test.sh: $name: building failed; all of it: $dir/build.log"
    broken=$((broken + 1))
    return
  fi
  built=$(($(date +%s) - start))
  echo "built in $built s"
  # One more than there are cores: tests wait for threads, for files, and a moment at each end of a process.
  (cd "$dir" && ctest -j "$((jobs + 1))" --output-on-failure --no-tests=error --timeout "$timeout" "$@") >"$dir/test.log" 2>&1
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
  took=$(($(date +%s) - start))
  echo "$name: $((all - bad)) passed, $bad failed, $took s"
  times="$times$name: $built s to build, $((took - built)) s to test
"
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

# sanitizer_options: what the programs of the sanitizers' builds are told.
sanitizer_options() {
  # Neither the sanitizers nor we answer for what ICD loaders, PoCL and hwloc keep until the program ends.
  export LSAN_OPTIONS="suppressions=$PWD/test/checks/lsan.supp:print_suppressions=0"
  # LeakSanitizer of GCC 12 dies of thread-local storage that is not there any more, where PoCL's threads have compiled.
  # A thread that builds kernels has its signals' stack changed by PoCL's LLVM: AddressSanitizer would free that one.
  # A check of UndefinedBehaviorSanitizer that fails is a trap in this build: handle_sigill has it reported.
  export ASAN_OPTIONS="detect_stack_use_after_return=1:intercept_tls_get_addr=0:use_sigaltstack=0:handle_sigill=1"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
  # ThreadSanitizer of GCC 12 takes what lies before a library's thread-local block for the block's size, where the block
  # begins 16 bytes into a page, and ends the program. It sleeps for a second at the end of each process that has other
  # threads, to see races with static destructors: there are a thousand such processes, and a twentieth does as well.
  tsan="halt_on_error=1:second_deadlock_stack=1:intercept_tls_get_addr=0:atexit_sleep_ms=50"
  export TSAN_OPTIONS="suppressions=$PWD/test/checks/tsan.supp:$tsan"
}

targets=
samples=ON
timeout=600
if [ -n "$long" ] && [ "$long" != all ]; then
  sanitizer_options
  # shellcheck disable=SC2086 # a list of words
  exec scripts/long-tests.py $long
fi
if [ -n "$changed" ]; then
  sanitizer_options
  quickly=
  [ "$quick" = no ] || quickly=--quick
  plan=$(scripts/changed.py --base "$changed" $quickly) || exit 1
  if [ -z "$plan" ]; then
    echo "nothing differs from $changed"
    echo "0 passed, 0 failed"
    exit 0
  fi
  while IFS='	' read -r preset targets labels <&3; do
    pass "$preset" "$preset" -L "$labels"
  done 3<<END
$plan
END
  quick=yes
else
  pass "release" release
fi
if [ "$quick" = no ]; then
  sanitizer_options
  # What is checked of the sources is the same as in the first pass, and so is what a browser does with a page.
  pass "address and undefined behaviour" asan -LE 'checks|page'
  # Simulations have one thread: ThreadSanitizer cannot find anything in them.
  pass "threads" tsan -LE 'checks|page|^(sim|models|single)$'
  if [ "$fuzz" = no ]; then
    : # the release pass has them, without sanitizers
  elif can_fuzz; then
    targets=fuzzers
    samples=OFF
    pass "fuzzing" fuzz -L fuzz
  else
    echo
    echo "== fuzzing: skipped, clang++-19 has no libFuzzer here (Debian: clang-19 libclang-rt-19-dev)"
  fi
fi

if [ -n "$long" ]; then
  echo
  echo "== long randomised tests"
  sanitizer_options
  scripts/long-tests.py || broken=$((broken + 1))
fi

echo
printf %s "$times"
[ "$broken" -eq 0 ] || echo "$broken part(s) could not be built or run: see above"
failed=$((failed + broken))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
