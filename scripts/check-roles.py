#!/usr/bin/env python3
"""Compares the roles that the analysis infers with what LLVM concludes, on kernels and functions written by others.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: check-roles.py [--work DIR] [--tool BUILD/bin/hsched-corpus] [--clang clang-19] [--only PART | --tree] [--show KIND]
                      [--verbose]

Downloads Debian packages and sources by name with apt-get into DIR (kept for the next time), analyses what is in them,
compiles the same to LLVM IR at -O1, and compares, for each pointer parameter, whether it may be read and written with the
attributes readonly, writeonly and readnone. --tree takes the kernels and the corpus of this repository in place of what
others wrote, and downloads nothing: a test. Both sides err on the side of "may". So:

  agreed          the same
  less precise    the analysis allows a read or a write that LLVM excludes
  more precise    the analysis excludes a read or a write that LLVM does not. Where a pointer to const is handed to a
                  function without a body here, that is the rule: const is believed. Every other one is printed, and
                  is either right, since LLVM gave up, or wrong: judge by hand. Those judged right are named in
                  check-roles.judged, beside this file; the rest are candidates for being wrong

Exit code: 1 when there are candidates, or 5 % or more are less precise, or a file of this repository's could not be
compared; 2 when nothing could be.
Nothing that is downloaded becomes part of hsched.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Part -> (packages, sources, files, Clang's arguments). Globs are below DIR/unpacked.
PARTS = {
    "darktable": (["darktable"], [], ["usr/share/darktable/kernels/*.cl"], ["-I{unpacked}/usr/share/darktable/kernels"]),
    "oclgrind": ([], ["oclgrind"], ["Oclgrind-*/tests/kernels/*/*.cl"], []),
    "cminpack": ([], ["cminpack"], ["cminpack-*/*.c"], ["-I{source}"]),
    "kissfft": ([], ["kissfft"], ["kissfft-*/*.c"], ["-I{source}"]),
    "gsl": (["libgsl-dev"], ["gsl"],
            ["gsl/cblas/*.c", "gsl/poly/*.c", "gsl/sort/*.c", "gsl/fft/*.c", "gsl/statistics/*.c", "gsl/interpolation/*.c",
             "gsl/wavelet/*.c", "gsl/diff/*.c", "gsl/sum/*.c", "gsl/dht/*.c"],
            ["-I{unpacked}/usr/include", "-I{source}", "-I{work}/empty", "-Dinline="]),
    "opus": ([], ["opus"], ["opus-*/celt/*.c", "opus-*/silk/*.c"],
             ["-I{unpacked}/opus-1.3.1/include", "-I{unpacked}/opus-1.3.1/celt", "-I{unpacked}/opus-1.3.1/silk",
              "-I{unpacked}/opus-1.3.1", "-DOPUS_BUILD", "-DVAR_ARRAYS"]),
    "libsamplerate": ([], ["libsamplerate"], ["libsamplerate-*/src/*.c"],
                      ["-I{unpacked}/libsamplerate-0.2.2/include", "-I{work}/empty"]),
}
# --tree: files below the repository. The files of the corpus are those that LLVM can judge without knowing a library.
TREE = [("samples/*/*.cl", ["-DTM=32", "-DTN=32", "-DTK=16"]), ("test/corpus/*.cl", []), ("test/run/programs/*.cl", []),
        ("test/unit/compiler_analysis/kernels/*.cl", []),
        ("test/lit/kinfo/*.cl", ["-I{root}/test/lit/kinfo/Inputs", "-DNUMBER=float", "-DTILE=4", "-DOLD"])] + [
            (f"test/corpus/{name}.cpp", ["-std=c++20"])
            for name in ("blas", "control", "cxx", "image", "particles", "solvers", "sparse", "stencil")]
# What their configure scripts would write, as far as it is needed.
CONFIG = """#include <stdbool.h>
#define PACKAGE "package"
#define VERSION "version"
#define HAVE_STDBOOL_H 1
#define RETURN_IF_NULL(x) if (!x) { return ; }
#define DISCARD_POINTER(p) do { ; } while(p ? 0 : 0);
"""
OPENCL = ["-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-Xclang", "-cl-ext=+all", "-target",
          "spir64-unknown-unknown"]

Parameter = collections.namedtuple("Parameter", "part file function kernel name const read written role section why")


def run(command, **more):
    return subprocess.run(command, text=True, capture_output=True, **more)


def fetch(work, packages, sources):
    """Downloads and unpacks what is not there."""
    unpacked = work / "unpacked"
    for folder in (unpacked, work / "lists/partial", work / "cache/archives/partial", work / "empty", work / "marks"):
        folder.mkdir(parents=True, exist_ok=True)
    (work / "empty/config.h").write_text(CONFIG)
    release = next(line.split("=")[1].strip() for line in open("/etc/os-release") if line.startswith("VERSION_CODENAME"))
    (work / "apt.sources").write_text(
        f"Types: deb deb-src\nURIs: http://deb.debian.org/debian\nSuites: {release}\nComponents: main\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n")
    apt = ["apt-get", "-q"] + [word for option in (
        f"Dir::Etc::SourceList={work}/apt.sources", "Dir::Etc::SourceParts=/dev/null", f"Dir::State::Lists={work}/lists",
        f"Dir::Cache={work}/cache", "APT::Sandbox::User=root") for word in ("-o", option)]
    missing = [p for p in packages + sources if not (work / "marks" / p).exists()]
    if missing and not list((work / "lists").glob("*Sources*")):
        run(apt + ["update"], check=True)
    for name in missing:
        before = set(work.iterdir())
        got = run(apt + (["source", "--download-only", "--tar-only"] if name in sources else ["download"]) + [name], cwd=work)
        archives = [f for f in set(work.iterdir()) - before if f.suffix == ".deb" or ".orig.tar" in f.name]
        if not archives:
            print(f"check-roles: {name} could not be downloaded: {got.stderr.strip()[-200:]}", file=sys.stderr)
            continue
        for archive in archives:
            unpack = ["dpkg", "-x", str(archive), str(unpacked)] if archive.suffix == ".deb" else \
                ["tar", "-xf", str(archive), "-C", str(unpacked)]
            run(unpack, check=True)
        (work / "marks" / name).touch()


DEFINE = re.compile(r"^define .*?@\"?([\w.$]+)\"?\((.*)\)(?: local_unnamed_addr)?(.*)\{$", re.M)


def split_parameters(text):
    parts, depth = [""], 0
    for c in text:
        depth += c in "([{<"
        depth -= c in ")]}>"
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def excluded_by(attributes):
    """(may read, may write) through pointer arguments, by a function's memory(...)."""
    match = re.search(r"memory\((.*?)\)", attributes)
    if not match:
        return True, True
    default, argmem = None, None
    for item in match.group(1).split(","):
        where, _, what = item.strip().rpartition(": ")
        if where == "argmem":
            argmem = what
        elif not where:
            default = what
    # Locations that are not named are not touched, or as the default says.
    what = argmem or default or "none"
    return what in ("read", "readwrite"), what in ("write", "readwrite")


def by_llvm(text):
    """(function, parameter) -> (may read, may write). Functions of C++ by their plain names, where one alone has it."""
    groups = dict(re.findall(r"^attributes (#\d+) = \{(.*)\}$", text, re.M))
    found = {}
    defined = DEFINE.findall(text)
    symbols = [name for name, _, _ in defined]
    names = run(["c++filt", "--no-params"], input="\n".join(symbols)).stdout.splitlines() if symbols else []
    times = collections.Counter(names)
    for name, (symbol, parameters, rest) in zip(names, defined):
        if times[name] > 1:
            continue
        group = re.search(r"#\d+", rest)
        reads, writes = excluded_by(groups.get(group.group(0), "") if group else "")
        for parameter in split_parameters(parameters):
            words = parameter.split()
            if not words or not words[0].startswith("ptr") or not words[-1].startswith("%"):
                continue
            found[name, words[-1][1:]] = (reads and "readnone" not in words and "writeonly" not in words,
                                          writes and "readnone" not in words and "readonly" not in words)
    return found


def examine(part, file, arguments, options):
    """Compared parameters of one file, and what went wrong."""
    language = OPENCL if file.suffix == ".cl" else []
    try:
        # In C++, small functions are inlined first: attributes say nothing about a library's iterators.
        inline = [] if file.suffix == ".cpp" else ["-fno-inline"]
        ir = run([options.clang, *language, *arguments, "-w", "-O1", *inline, "-fno-discard-value-names", "-S",
                  "-emit-llvm", "-o", "-", str(file)], timeout=300)
        if ir.returncode:
            return [], f"{file}: does not compile: {ir.stderr.strip().splitlines()[0] if ir.stderr else ''}"
        ours = run([options.tool, "--list", str(file), "--", *arguments], timeout=600)
        if ours.returncode:
            return [], f"{file}: the analysis ended with {ours.returncode}: {ours.stderr.strip()[-300:]}"
    except subprocess.TimeoutExpired as late:
        return [], f"{file}: longer than {late.timeout} s"
    llvm = by_llvm(ir.stdout)
    compared = []
    for line in ours.stdout.splitlines():
        function, kernel, name, const, read, written, role, section, why = line.split("\t")
        if (function, name) in llvm:
            compared.append((Parameter(part, "/".join(file.parts[-2:]), function, kernel == "1", name, const == "1", read == "1", written == "1", role,
                                       section, why), llvm[function, name]))
    return compared, None


def spelled(reads, writes):
    return {(True, True): "read and written", (True, False): "read", (False, True): "written",
            (False, False): "untouched"}[reads, writes]


def main():
    parser = argparse.ArgumentParser(description="Roles inferred against LLVM's attributes.")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/hsched-check-roles"))
    parser.add_argument("--tool", default=str(HERE.parent / "build/bin/hsched-corpus"))
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--only", action="append", choices=[*PARTS], help="this part alone; may be repeated")
    parser.add_argument("--tree", action="store_true", help="what is in this repository")
    parser.add_argument("--show", action="append", default=[], choices=["agreed", "less precise", "more precise"])
    parser.add_argument("--verbose", action="store_true", help="name the files that do not compile")
    options = parser.parse_args()
    options.work = options.work.resolve()
    judged = {" ".join(line.split("#")[0].split()) for line in (HERE / "check-roles.judged").read_text().splitlines()}

    jobs, failures = [], []
    for pattern, arguments in TREE if options.tree else []:
        jobs += [("tree", file, [a.format(root=HERE.parent) for a in arguments])
                 for file in sorted(HERE.parent.glob(pattern)) if file.name != "unbuildable.cl"]
    for part in [] if options.tree else options.only or PARTS:
        packages, sources, globs, arguments = PARTS[part]
        fetch(options.work, packages, sources)
        unpacked = options.work / "unpacked"
        for pattern in globs:
            for file in sorted(unpacked.glob(pattern)):
                if re.search(r"_source\.c$|^test|_pass_", file.name):
                    continue  # Parts of others.
                source = unpacked / file.relative_to(unpacked).parts[0]
                jobs.append((part, file, [a.format(unpacked=unpacked, source=source, work=options.work) for a in arguments]))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: examine(*job, options), jobs))

    kinds = collections.Counter()
    functions = {True: set(), False: set()}
    seen, candidates = set(), 0
    for compared, failure in results:
        if failure:
            failures.append(failure)
        for parameter, (reads, writes) in compared:
            identity = (parameter.part, parameter.file, parameter.function, parameter.name)
            if identity in seen:
                continue
            seen.add(identity)
            functions[parameter.kernel].add(identity[:3])
            ours = (parameter.read, parameter.written)
            if ours == (reads, writes):
                kind = "agreed"
            elif (ours[0] and not reads) or (ours[1] and not writes):
                kind = "less precise"
            else:
                kind = "more precise"
            kinds[kind] += 1
            candidate = (not ours[0] and reads) or (not ours[1] and writes)
            believed = parameter.const and parameter.read == reads and "is handed to" in parameter.why
            known = believed or f"{parameter.file} {parameter.function} {parameter.name}" in judged
            candidates += candidate and not known
            if (candidate and not known) or kind in options.show:
                print(f"{parameter.file}: {parameter.function}({parameter.name}): "
                      f"{'candidate, ' if candidate and not known else ''}{kind}: here {spelled(*ours)} "
                      f"({parameter.section or parameter.role}), in LLVM {spelled(reads, writes)} {parameter.why}")
    for failure in failures:
        if options.verbose or "does not compile" not in failure:
            print(f"not compared: {failure}")
    total = sum(kinds.values())
    if not total:
        print("check-roles: nothing was compared")
        return 2
    print(f"{len(functions[True])} kernels, {len(functions[False])} other functions, {total} pointer parameters: "
          + ", ".join(f"{kind} {kinds[kind]} ({100 * kinds[kind] / total:.1f} %)"
                      for kind in ("agreed", "more precise", "less precise"))
          + f"; candidates for being wrong, not judged: {candidates}; files not compared: {len(failures)}")
    return 1 if candidates or kinds["less precise"] * 20 >= total or (options.tree and failures) else 0


if __name__ == "__main__":
    sys.exit(main())
