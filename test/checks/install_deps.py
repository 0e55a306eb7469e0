#!/usr/bin/env python3
"""scripts/install-deps.sh on systems that are made up: which packages it wants, what it says without root, what it runs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: install_deps.py SCRIPT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SYSTEMS = {
    "debian12": 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "debian13": 'ID=debian\nVERSION_ID="13"\n',
    "jammy": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n',
    "noble": 'ID=ubuntu\nVERSION_ID="24.04"\n',
    "mint": 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\n',
    "fedora": "ID=fedora\nVERSION_ID=41\n",
    # The first family that is known counts.
    "rhel": 'ID="made-up"\nID_LIKE="centos rhel suse"\nVERSION_ID="9.4"\n',
    "fedora42": "ID=fedora\nVERSION_ID=42\n",
    "suse": 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\nVERSION_ID="20260101"\n',
    "leap": 'ID="opensuse-leap"\nVERSION_ID="15.6"\n',
    "other": 'ID=plan9\nPRETTY_NAME="Plan 9"\n',
}
# What is needed, and its packages on Debian and Ubuntu, Fedora 41, Fedora 42 and later, openSUSE. "-": the system has none, or another row has it.
# "=": as Fedora 41. `?`: of use, but nothing fails without it.
RUNTIME = """
host compiler        | g++ libc6-dev          | gcc-c++                   | =                           | gcc-c++
libclang-cpp         | libclang-cpp19         | clang-libs                | clang19-libs                | libclang-cpp19
Clang's headers      | libclang-common-19-dev | clang-resource-filesystem | clang19-resource-filesystem | clang19
libLLVM              | libllvm19              | llvm-libs                 | llvm19-libs                 | libLLVM19
hwloc                | libhwloc15             | hwloc-libs                | =                           | libhwloc15
OpenCL loader        | ocl-icd-libopencl1     | ocl-icd                   | =                           | libOpenCL1
PoCL                 | pocl-opencl-icd        | pocl                      | =                           | pocl
"""
DEMO = RUNTIME + """
CMake                | cmake                  | cmake                     | =                           | cmake
Ninja                | ninja-build            | ninja-build               | =                           | ninja
pkg-config           | pkg-config             | pkgconf-pkg-config        | =                           | pkgconf
Clang                | clang-19               | clang                     | clang19                     | -
Clang for developers | libclang-19-dev        | clang-devel               | clang19-devel               | clang19-devel
LLVM for developers  | llvm-19-dev            | llvm-devel                | llvm19-devel                | llvm19-devel
Python               | python3                | python3                   | =                           | python3
OpenCL for developers| ocl-icd-opencl-dev     | ocl-icd-devel opencl-headers | =                        | ocl-icd-devel opencl-headers
CL/opencl.hpp        | opencl-clhpp-headers   | -                         | -                           | opencl-cpp-headers
hwloc for developers | libhwloc-dev           | hwloc-devel               | =                           | hwloc-devel
Boost.Graph          | libboost-graph-dev     | boost-devel               | =                           | libboost_graph-devel
JSON                 | nlohmann-json3-dev     | json-devel                | =                           | nlohmann_json-devel
PNG                  | libpng-dev             | libpng-devel              | =                           | libpng16-devel
"""
ALL = DEMO + """
a BLAS               | libopenblas-dev        | openblas-devel            | =                           | openblas-devel?
a BLAS for devices   | libclblast-dev         | clblast-devel?            | =                           | -
programs             | git patch ccache gdb zsh fish | git patch ccache gdb zsh fish | =                | git patch ccache gdb zsh fish
manual pages         | man-db mandoc          | man-db mandoc?            | =                           | man
clangd, clang-format | clangd clang-format-19 | clang-tools-extra         | clang19-tools-extra         | -
FileCheck, lit       | llvm-19-tools          | python3-lit               | =                           | -
Python's modules     | python3-jsonschema python3-yaml python3-numpy? | python3-jsonschema python3-pyyaml | = | python3-jsonschema python3-PyYAML
GoogleTest           | libgtest-dev           | gtest-devel               | =                           | gtest
rapidcheck           | librapidcheck-dev      | rapidcheck-devel?         | =                           | -
benchmark library    | libbenchmark-dev       | google-benchmark-devel    | =                           | benchmark-devel
sanitizers           | libclang-rt-19-dev     | compiler-rt               | compiler-rt19               | -
OpenCL's checker     | oclgrind?              | -                         | -                           | -
Clang's OpenCL C     | opencl-c-headers       | -                         | -                           | -
MPI                  | openmpi-bin libopenmpi-dev | openmpi-devel         | =                           | openmpi4-devel?
model checker        | spin                   | spin?                     | =                           | -
packages             | dpkg-dev file meson    | -                         | -                           | -
documents            | doxygen? nodejs? chromium? | doxygen?              | =                           | -
"""
FAMILIES = {"debian12": 1, "debian13": 1, "jammy": 1, "noble": 1, "mint": 1, "fedora": 2, "rhel": 2, "fedora42": 3, "suse": 4, "leap": 4}
# Whether a package is installed is asked of these; $LACKS has those that are not.
DPKG_QUERY = '#!/bin/sh\nfor p; do :; done\ncase " $LACKS " in *" $p "*) printf config-files ;; *) printf installed ;; esac\n'
RPM = '#!/bin/sh\n[ "$1 $2" = "-q --whatprovides" ] || exit 1\nfor p; do :; done\ncase " $LACKS " in *" $p "*) exit 1 ;; esac\n'
# Package managers write their calls to $CALLS, and fail if one of the words is in $FAILS.
MANAGER = '#!/bin/sh\necho ${DEBIAN_FRONTEND:-} NAME "$@" >>"$CALLS"\nfor p; do case " $FAILS " in *" $p "*) echo no "$p"; exit 1 ;; esac; done\n'
INSTALL = {"debian12": "noninteractive apt-get install -y --no-install-recommends", "fedora": "dnf install -y",
           "suse": "zypper --non-interactive install --no-recommends"}
# What is looked for on another system, as its messages say it.
ELSEWHERE = {
    "--runtime": ["a C++20 compiler", "hwloc 2", "an OpenCL loader"],
    "--demo": ["CMake 3.24", "Ninja", "pkg-config", "Python 3", "OpenCL's headers for C++", "Boost.Graph", "nlohmann's JSON", "Clang 19's and LLVM 19's", "libpng"],
    "--check": ["GoogleTest", "Google's benchmark library"],
}
TOOLS = ["sh", "sed", "tr", "tail", "head", "rm", "mktemp", "cat", "env"]


class Machine:
    def __init__(self, script, folder):
        self.script, self.folder = script, folder
        for tool in TOOLS:
            (folder / tool).symlink_to(shutil.which(tool))
        self.program("dpkg-query", DPKG_QUERY)
        self.program("rpm", RPM)
        for name in ("apt-get", "dnf", "zypper"):
            self.program(name, MANAGER.replace("NAME", name))

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, system, *options, lacks="", user=1000, fails=""):
        self.program("id", f"#!/bin/sh\necho {user}\n")
        (self.folder / "release").unlink(missing_ok=True)
        if system:
            (self.folder / "release").write_text(SYSTEMS[system])
        calls = self.folder / "calls"
        calls.write_text("")
        done = subprocess.run(["sh", str(self.script), *options], capture_output=True, text=True,
                              env={"PATH": str(self.folder), "HSCHED_OS_RELEASE": str(self.folder / "release"), "LACKS": lacks, "FAILS": fails,
                                   "CALLS": str(calls), "TMPDIR": str(self.folder)})
        return done.returncode, done.stdout + done.stderr, calls.read_text()


def packages(table, system):
    """The packages that a table has for a system, with their `?`."""
    found = set()
    for row in filter(None, table.split("\n")):
        cells = [cell.strip() for cell in row.split("|")]
        cell = cells[FAMILIES[system]]
        found |= set((cells[2] if cell == "=" else cell).split()) - {"-"}
    # Debian 12 has all, and its tests need them. Ubuntu 22.04's g++ is GCC 11.
    return ({p.rstrip("?") for p in found} if system == "debian12" else found) | ({"g++-12"} if system == "jammy" else set())


def expect(truth, what, got):
    if not truth:
        sys.exit(f"install_deps.py: {what}: {got}")


def elsewhere(m):
    """On a system that has no list: what is not found is said, and nothing is run."""
    def look(option):
        code, out, calls = m.run("other", option)
        said = [text for texts in ELSEWHERE.values() for text in texts if "\n  " + text in out]
        expect(calls == "" and out.count("\n  ") == len(said) and (not said) == (code == 0) and (not said or "Plan 9 is not known" in out),
               f"another system, {option}", (code, out))
        return said

    m.program("find", "#!/bin/sh\n")
    all_of = lambda *options: [text for option in options for text in ELSEWHERE[option]]
    expect(look("--runtime") == all_of("--runtime"), "another system's runtime", look("--runtime"))
    expect(look("--demo") == all_of("--runtime", "--demo"), "the demo on another system", look("--demo"))
    expect(look("--check") == all_of(*ELSEWHERE), "all on another system", look("--check"))
    code, out, _ = m.run("other", "--print")
    expect(code == 1 and "no list of packages for Plan 9" in out, "another system's packages", out)
    expect(m.run(None)[1].startswith("install-deps.sh: this system is not known"), "a system without a name", m.run(None))
    # One thing is not there, all others are.
    for name in ("cmake", "ninja", "python3"):
        m.program(name, "#!/bin/sh\n")
    m.program("pkg-config", '#!/bin/sh\n[ "$1" = --exists ] && case " $LACKS " in *" $2 "*) exit 1 ;; esac\n')
    m.program("c++", '#!/bin/sh\nread -r _ header\ncase " $LACKS " in *" $header "*) exit 1 ;; esac\n')
    m.program("find", '#!/bin/sh\ncase " $LACKS " in *" folder "*) ;; *) echo "$@" ;; esac\n')
    expect(look("--check") == [], "another system with all", look("--check"))
    for lacks, text in (("hwloc", "hwloc 2"), ("libpng", "libpng"), ("<CL/cl.h>", "an OpenCL loader"), ("<CL/opencl.hpp>", "OpenCL's headers for C++"),
                        ("<boost/graph/adjacency_list.hpp>", "Boost.Graph"), ("<nlohmann/json.hpp>", "nlohmann's JSON"), ("folder", "Clang 19's and LLVM 19's"),
                        ("<gtest/gtest.h>", "GoogleTest"), ("<benchmark/benchmark.h>", "Google's benchmark library")):
        code, out, _ = m.run("other", "--check", lacks=lacks)
        expect(code == 1 and out.count("\n  ") == 1 and "\n  " + text in out, f"another system without {lacks}", out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        m = Machine(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
        for system in FAMILIES:
            for table, options in ((RUNTIME, ["--runtime"]), (DEMO, ["--demo"]), (ALL, [])):
                code, out, _ = m.run(system, *options, "--print")
                wanted = packages(table, system)
                expect(code == 0 and set(out.split()) == {p.rstrip("?") for p in wanted}, f"{system} {options} --print",
                       sorted({p.rstrip("?") for p in wanted} ^ set(out.split())))
                expect(len(out.split()) == len(set(out.split())), f"{system} {options}: a package twice", out)
            # What is of use alone, with none of the packages there.
            needed = {p for p in wanted if not p.endswith("?")}
            got = m.run(system, "--check", lacks=" ".join(p.rstrip("?") for p in wanted))
            said = {word for line in got[1].splitlines() if line.startswith("missing:") for word in line.split()[1:]}
            expect(got[0] == 1 and said == needed, f"{system} --check with nothing there", sorted(said ^ needed))
            if system not in ("debian12", "fedora", "suse"):  # The rest is the family's.
                continue
            got = m.run(system)
            expect(got == (0, "", ""), f"{system}, all installed", got)
            got = m.run(system, lacks="cmake ccache")
            expect(got[0] == 1 and "as root, run: " in got[1] and got[1].split("\n")[0].count("cmake") == 1 and got[2] == "",
                   f"{system} without root", got)
            got = m.run(system, "--check", lacks="cmake")
            expect(got[0] == 1 and "missing: cmake\n" in got[1] and got[2] == "", f"{system} --check", got)
            got = m.run(system, lacks="cmake ccache", user=0)
            update = ["noninteractive apt-get update"] if system == "debian12" else []
            expect(got[0] == 0 and got[2].splitlines() == [*update, f"{INSTALL[system]} cmake ccache"], f"{system} as root", got)
            m.program("sudo", '#!/bin/sh\necho sudo >>"$CALLS"\nexec "$@"\n')
            got = m.run(system, lacks="cmake")
            (m.folder / "sudo").unlink()
            expect(got[0] == 0 and got[2].splitlines()[-2:] == ["sudo", f"{INSTALL[system]} cmake"], f"{system} with sudo", got)
            got = m.run(system, lacks="cmake", user=0, fails="install")
            expect(got[0] == 1 and "no install" in got[1] and "the tests run on Debian 12" in got[1], f"{system}: the installation fails", got)
        got = m.run("debian12", lacks="cmake", user=0, fails="update")
        expect(got[0] == 1 and "is the network there?" in got[1] and "install -y" not in got[2], "apt-get update fails", got)
        got = m.run("jammy", lacks="libclang-19-dev")
        expect("apt.llvm.org" in got[1], "Ubuntu 22.04 has no Clang 19", got)
        expect("CMake 3.24" in got[1] and "CXX=g++-12" in got[1], "Ubuntu 22.04 has CMake 3.22 and GCC 11", got)
        expect("g++-12" in m.run("jammy", "--runtime", "--print")[1].split() and "g++-12" not in m.run("noble", "--print")[1].split(),
               "GCC 12 on Ubuntu 22.04", got)
        for version, old in (("3.22.1", True), ("2.30.0", True), ("3.24.0", False), ("3.31.6", False), ("4.0.1", False)):
            m.program("cmake", f"#!/bin/sh\necho cmake version {version}\n")
            for options, lacks, user in (((), "", 1000), (("--check",), "", 1000), (("--check",), "oclgrind", 1000), ((), "ninja-build", 0)):
                got = m.run("jammy", *options, lacks=lacks, user=user)
                expect(("CMake 3.24 is needed" in got[1]) == old == (got[0] == 1), f"CMake {version}, {options}, without '{lacks}'", got)
            expect(m.run("jammy", "--runtime") == (0, "", ""), "the runtime needs no CMake", version)
        (m.folder / "cmake").unlink()
        for system, words in (("fedora42", "-DCMAKE_PREFIX_PATH=/usr/lib64/llvm19"), ("jammy", "apt.llvm.org")):
            for options, user in (((), 1000), (("--check",), 1000), ((), 0)):
                got = m.run(system, *options, lacks="cmake", user=user, fails="install")
                expect(got[0] == 1 and words in got[1], f"where {system} has Clang 19 {options} {user}", got)
                got = m.run({"fedora42": "fedora", "jammy": "noble"}[system], *options, lacks="cmake", user=user, fails="install")
                expect(got[0] == 1 and words not in got[1], f"what {system} alone needs {options} {user}", got)
        got = m.run("debian12", lacks="oclgrind")
        expect(got[0] == 1, "all is wanted on Debian 12", got)
        got = m.run("debian13", lacks="oclgrind")
        expect(got == (0, "", ""), "what is of use alone", got)
        got = m.run("debian13", "--check", lacks="oclgrind")
        expect(got[:2] == (0, "of use: oclgrind\n"), "what is of use is told", got)
        got = m.run("debian13", lacks="oclgrind cmake", user=0)
        expect(got[0] == 0 and got[2].splitlines()[-1].endswith(" oclgrind"), "what is of use is installed beside", got)
        got = m.run("debian13", lacks="oclgrind nodejs cmake", user=0, fails="oclgrind")
        expect(got[0] == 0 and "without oclgrind; tests that need it are skipped" in got[1] and got[2].splitlines()[-1].endswith(" nodejs"),
               "what is of use is not there", got)
        elsewhere(m)
        expect(m.run("debian12", "--whatever")[0] == 2, "an unknown option", "")
    print("install-deps.sh: in order")


if __name__ == "__main__":
    main()
