#!/bin/sh
# How many lines of the compiler the tests run: builds it with Clang's counters in a folder of its own, runs the tests
# that use it, and reports by file, lowest first.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: scripts/coverage.sh [--build DIR] [--report] [--missing PATTERN] [-R REGEX]
#   --build DIR        where to build (default: build-coverage)
#   --report           build and run nothing, report what is there
#   --missing PATTERN  and show the lines without a run in the files whose path contains PATTERN
#   -R REGEX           run these tests alone, and add what they run to what is there
# No file and no line of compiler/ is left out. The exit code is 0 if at least 90 % of the lines are run and no test
# failed.
set -u
cd "$(dirname "$0")/.." || exit 1

least=90
build=build-coverage
report=no
missing=
only=
while [ $# -gt 0 ]; do
  case $1 in
  --build | --missing | -R)
    if [ $# -lt 2 ]; then
      echo "coverage.sh: $1 needs a value" >&2
      exit 2
    fi
    case $1 in
    --build) build=$2 ;;
    --missing) missing=$2 ;;
    -R) only=$2 ;;
    esac
    shift
    ;;
  --report) report=yes ;;
  *)
    echo "coverage.sh: unknown option '$1' (known: --build, --report, --missing, -R)" >&2
    exit 2
    ;;
  esac
  shift
done

for program in clang++-19 llvm-profdata-19 llvm-cov-19; do
  if ! command -v $program >/dev/null 2>&1; then
    echo "coverage.sh: $program is not here: scripts/install-deps.sh" >&2
    exit 1
  fi
done

failed=0
if [ "$report" = no ]; then
  mkdir -p "$build" || exit 1
  launcher=
  command -v ccache >/dev/null 2>&1 && launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Samples are compiled by some tests in any case; the runtime is there for the programs that tests run.
  if ! nice cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DHSCHED_COVERAGE=ON -DHSCHED_BUILD_SAMPLES=OFF \
    $launcher >"$build/configure.log" 2>&1; then
    tail -n 30 "$build/configure.log"
    exit 1
  fi
  # What the compiler's tests need: the compiler, its unit tests, and a runtime for the programs that tests run.
  units=$(ninja -C "$build" -t targets all | sed -n 's,^\(bin/compiler_[a-z_]*_test\):.*,\1,p')
  # shellcheck disable=SC2086 # a list of words
  if ! nice ninja -C "$build" hsched-cc hsched-kinfo hsched hsched_backend_opencl hsched_backend_sim hsched-cc-fake \
    hsched_fake_runtime hsched-corpus fuzzers $units >"$build/build.log" 2>&1; then
    grep -E -A 12 'FAILED|error' "$build/build.log" | head -n 60
    echo "coverage.sh: building failed; all of it: $build/build.log"
    exit 1
  fi
  : >"$build/test.log"
  if [ -z "$only" ]; then
    rm -rf "$build/profiles"
    for unit in $units; do
      nice "$build/$unit" --gtest_brief=1 >>"$build/test.log" 2>&1 || failed=1
    done
  fi
  (cd "$build" && nice ctest -j "$(nproc)" --output-on-failure --no-tests=error --timeout 1800 \
    -L 'lit|run|elision|corpus|fuzz' ${only:+-R "$only"}) >>"$build/test.log" 2>&1 || failed=1
  grep -E 'tests passed|FAILED|Failed|Timeout|Not Run' "$build/test.log"
fi

if ! llvm-profdata-19 merge -o "$build/coverage.profdata" "$build"/profiles/*.profraw; then
  echo "coverage.sh: there are no counts under $build/profiles" >&2
  exit 1
fi

# Every program that holds a part of the compiler: what one does not run of it another may.
set --
for program in "$build"/bin/hsched-* "$build"/bin/compiler_*_test "$build"/bin/fuzz_*_replay \
  "$build"/test/lit/fake/bin/hsched-cc-fake; do
  [ -x "$program" ] && [ -f "$program" ] && set -- "$@" -object "$program"
done
shift # the first is named without -object
llvm-cov-19 export -format=lcov -instr-profile "$build/coverage.profdata" "$@" >"$build/coverage.lcov" || exit 1

# Lowest first; then the messages that no test brings about.
python3 - "$build/coverage.lcov" "$PWD/" "$least" "$missing" <<'END'
import sys

path, root, least, missing = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
files, lines = {}, {}
for record in open(path):
    kind, _, value = record.rstrip("\n").partition(":")
    if kind == "SF":
        name = value.removeprefix(root)
        lines = files.setdefault(name, {}) if name.startswith("compiler/") else {}
    elif kind == "DA":
        line, count = map(int, value.split(",")[:2])
        lines[line] = lines.get(line, 0) + count
rows = sorted((100 * sum(map(bool, l.values())) / len(l), sum(map(bool, l.values())), len(l), f) for f, l in files.items() if l)
for percent, run, all_lines, name in rows:
    print(f"{percent:6.2f} %  {run:5d} of {all_lines:5d}  {name}")
run, all_lines = sum(r[1] for r in rows), sum(r[2] for r in rows)
print(f"{100 * run / all_lines:6.2f} %  {run:5d} of {all_lines:5d}  compiler/")
for name in sorted(files):
    if missing and missing in name:
        text = open(root + name).read().split("\n")
        for line, count in sorted(files[name].items()):
            if not count:
                print(f"{name}:{line}: {text[line - 1]}")
sys.exit(100 * run < least * all_lines)
END
enough=$?
python3 scripts/check-diagnostics.py --counts "$build/coverage.lcov" || enough=1
[ "$enough" -eq 0 ] && [ "$failed" -eq 0 ]
