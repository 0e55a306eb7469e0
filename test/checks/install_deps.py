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
    "noble": 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n',
    "fedora": "ID=fedora\nVERSION_ID=41\n",
    "fedora42": "ID=fedora\nVERSION_ID=42\n",
    "suse": 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\nVERSION_ID="20260101"\n',
    "other": 'ID=plan9\nPRETTY_NAME="Plan 9"\n',
}
# Whether a package is installed is asked of these; $LACKS has those that are not.
QUERY = '#!/bin/sh\nfor p; do :; done\ncase " $LACKS " in *" $p "*) exit 1 ;; esac\nprintf installed\n'
TOOLS = ["sh", "sed", "tr", "tail", "head", "rm", "mktemp", "cat", "find", "env"]


class Machine:
    def __init__(self, script, folder):
        self.script, self.folder = script, folder
        for tool in TOOLS:
            (folder / tool).symlink_to(shutil.which(tool))
        for name in ("dpkg-query", "rpm"):
            self.program(name, QUERY)
        for name in ("apt-get", "dnf", "zypper"):
            self.program(name, f'#!/bin/sh\necho {name} "$@" >>"$CALLS"\n')

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, system, *options, lacks="", user=1000):
        self.program("id", f"#!/bin/sh\necho {user}\n")
        (self.folder / "release").write_text(SYSTEMS[system])
        calls = self.folder / "calls"
        calls.write_text("")
        done = subprocess.run(["sh", str(self.script), *options], capture_output=True, text=True,
                              env={"PATH": str(self.folder), "HSCHED_OS_RELEASE": str(self.folder / "release"), "LACKS": lacks,
                                   "CALLS": str(calls), "TMPDIR": str(self.folder)})
        return done.returncode, done.stdout + done.stderr, calls.read_text()


def expect(truth, what, got):
    if not truth:
        sys.exit(f"install_deps.py: {what}: {got}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        m = Machine(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
        for system, word in {"debian12": "libclang-19-dev", "debian13": "libclang-19-dev", "jammy": "libclang-19-dev",
                             "noble": "libclang-19-dev", "fedora": "clang-devel", "fedora42": "clang19-devel",
                             "suse": "clang19-devel"}.items():
            code, out, _ = m.run(system, "--print")
            expect(code == 0 and word in out.split() and "?" not in out, f"{system} --print", out)
            small = m.run(system, "--runtime", "--print")[1].split()
            expect(word not in small and set(small) < set(out.split()), f"{system} --runtime --print", small)
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
            expect(got[0] == 0 and " cmake ccache\n" in got[2], f"{system} as root", got)
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
        got = m.run("fedora42", lacks="clang19-devel")
        expect("-DCMAKE_PREFIX_PATH=/usr/lib64/llvm19" in got[1], "where Fedora 42 has Clang 19", got)
        got = m.run("debian12", lacks="oclgrind")
        expect(got[0] == 1, "all is wanted on Debian 12", got)
        got = m.run("debian13", lacks="oclgrind")
        expect(got == (0, "", ""), "what is of use alone", got)
        got = m.run("debian13", "--check", lacks="oclgrind")
        expect(got[:2] == (0, "of use: oclgrind\n"), "what is of use is told", got)
        got = m.run("debian13", lacks="oclgrind cmake", user=0)
        expect(got[0] == 0 and got[2].splitlines()[-1].endswith(" oclgrind"), "what is of use is installed beside", got)
        got = m.run("other", "--check")
        expect(got[0] == 1 and "Plan 9 is not known" in got[1] and "CMake 3.24" in got[1] and "GoogleTest" in got[1],
               "another system", got)
        got = m.run("other", "--runtime")
        expect(got[0] == 1 and "CMake" not in got[1] and "hwloc" in got[1], "another system's runtime", got)
        expect(m.run("debian12", "--whatever")[0] == 2, "an unknown option", "")
    print("install-deps.sh: in order")


if __name__ == "__main__":
    main()
