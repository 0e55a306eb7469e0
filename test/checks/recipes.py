"""What the checks of the hosted workflow, the Dockerfile and the Spack recipe share: the tree's files, and the self-test. The first two also
share which shell commands they have, and whether these name what the tree has.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import functools
import json
import os
import pathlib
import posixpath
import re
import shlex
import subprocess
import sys
import tempfile

SOURCES = (".cpp", ".c", ".cl", ".h", ".py", ".sh", ".txt", ".cmake")


@functools.lru_cache(maxsize=None)
def read(path):
    return path.read_text()


class Tree:
    """The files of the tree. The self-test replaces an expression in one of them."""

    def __init__(self, root, edit=None):
        self.root, self.edit = root, edit

    def text(self, name):
        text = read(self.root / name)
        return re.sub(*self.edit[1:], text, flags=re.M) if self.edit and self.edit[0] == name else text

    def exists(self, name):
        """Whether the tree has a file or folder. What was built there does not count."""
        return name.split("/")[0] not in self.presets().values() and (self.root / name).exists()

    def presets(self):
        """The folder of each preset's build."""
        found = {}
        for preset in json.loads(self.text("CMakePresets.json"))["configurePresets"]:
            if not preset.get("hidden"):
                found[preset["name"]] = preset.get("binaryDir", "${sourceDir}/build-" + preset["name"]).split("/", 1)[1]
        return found

    def options(self):
        return {a or b for a, b in re.findall(r"^(?:option\((\w+)|set\((\w+) \S* CACHE)", self.text("CMakeLists.txt"), re.M)}

    def known(self, script):
        """The options that a script says that it knows."""
        words = re.search(r"\(known: ([^)]*)\)", self.text(script))
        return set(re.findall(r"--[\w-]+", words[1])) if words else None

    def packages(self, system, *options):
        """What install-deps.sh wants on a system, and its exit code. system: the text of /etc/os-release."""
        with tempfile.NamedTemporaryFile("w") as release:
            release.write(system)
            release.flush()
            done = subprocess.run(["sh", "-s", "--", *options, "--print"], input=self.text("scripts/install-deps.sh"), capture_output=True, text=True,
                                  env={"PATH": os.environ["PATH"], "HSCHED_OS_RELEASE": release.name}, check=False)
        return set(done.stdout.split()), done.returncode


def syntax(script):
    """What sh says about a script, or nothing."""
    done = subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def commands(script, folder):
    """(words, folder) of each simple command. Redirections and variables before a command are left out."""
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words, skip = [], False
        for word in [*lexer, ";"]:
            if re.fullmatch(r"[;&|()]+", word):
                while words and re.fullmatch(r"\w+=.*|exec|!", words[0]):
                    words.pop(0)
                if words and words[0] == "cd":
                    folder = posixpath.normpath(posixpath.join(folder, words[1]))
                elif words:
                    yield words, folder
                words, skip = [], False
            elif re.fullmatch(r"[<>]+&?", word):
                skip = True  # The next word is a file.
                if words and words[-1].isdigit():
                    words.pop()
            elif skip:
                skip = False
            else:
                words.append(word)


class Checker:
    """The commands of one job or image, in their order."""

    def __init__(self, tree, present, root="/"):
        """present: whether a file of the tree is there already; root: the folder in which the tree lies."""
        self.tree, self.present, self.root = tree, present, root
        self.installed, self.written = set(), set()
        self.updated = False

    def local(self, folder, word):
        """A path relative to the tree, or None."""
        path = posixpath.relpath(posixpath.normpath(posixpath.join(folder, word)), self.root)
        return None if path.startswith("../") or path == ".." else path

    def script(self, text, folder=None):
        """Yields what is wrong with a script that begins in a folder."""
        wrong = syntax(text)
        if wrong:
            yield f"sh -n: {wrong}"
            return
        for words, folder in commands(text, folder or self.root):
            yield from self.command(words, folder)

    def command(self, words, folder):
        tree, program = self.tree, words[0]
        self.written |= {self.local(folder, after) for word, after in zip(words, words[1:]) if word == "-o"}
        for word in words:
            path = self.local(folder, word)
            if path:
                yield from self.path(word, path, word is program)
        script, folder = self.local(folder, program), self.local(folder, ".")
        if program == "apt-get":
            self.updated |= words[1] == "update"
            if "install" in words:
                if not self.updated:
                    yield "apt-get install before apt-get update"
                if "-y" not in words:
                    yield "apt-get install without -y: it asks"
                self.installed |= {w for w in words[2:] if not w.startswith("-") and "/" not in w}
        elif program == "zypper":
            self.installed |= set(words[words.index("in") + 1:]) if "in" in words else set()
        elif program == "cmake":
            for i, word in enumerate(words):
                if word == "--preset" and (words[i + 1] not in tree.presets() or folder != "." or not self.present("CMakePresets.json")):
                    yield f"no preset {words[i + 1]} there"
                if word == "--build" and words[i + 1] not in tree.presets().values():
                    yield f"no preset builds in {words[i + 1]}"
                option = re.match(r"-D(\w+)=", word)
                if option and option[1] not in tree.options() and not option[1].startswith("CMAKE_"):
                    yield f"no option {option[1]}"
        elif program == "cpack":
            if folder not in tree.presets().values():
                yield f"cpack in {folder}"
            # The generator calls dpkg-shlibdeps and file.
            for tool in {"dpkg-dev", "file"} - self.installed:
                yield f"cpack needs the package {tool}"
        elif "/" in program and script and tree.exists(script):
            self.updated |= script == "scripts/install-deps.sh"
            known = tree.known(script)
            for option in [w for w in words[1:] if w.startswith("-")]:
                if known is not None and option not in known:
                    yield f"{script} has no option {option}"

    def path(self, word, path, program):
        """A word that looks like a path of the tree, or like something that is built."""
        tree, top = self.tree, path.split("/")[0]
        if word.startswith(("-", "http")) or not re.fullmatch(r"[\w./*+-]+", word):
            return
        if top in tree.presets().values():
            inside = path.split("/", 1)[1] if "/" in path else ""
            if inside.endswith(".deb") and inside != packages_folder(tree) + "/*.deb":
                yield f"cpack writes no {path}"
            if inside.startswith("bin/") and inside[4:] not in programs(tree):
                yield f"no program {inside[4:]} is built"
            return
        if path in self.written:
            return
        own = tree.exists(top) and "/" in word
        if program and own:
            if not self.present(path):
                yield f"{path} is not there yet"
            elif not os.access(tree.root / path, os.X_OK):
                yield f"{path} cannot be executed"
        elif (own or word.endswith(SOURCES)) and not self.present(path):
            yield f"no file {path}"


def packages_folder(tree):
    return re.search(r"set\(CPACK_PACKAGE_DIRECTORY \$\{CMAKE_BINARY_DIR\}/(\w+)\)", tree.text("cmake/HschedPackage.cmake"))[1]


def programs(tree):
    """Names of the programs that are installed."""
    found = set()
    for folder in ("tools", "compiler"):
        for path in (tree.root / folder).rglob("CMakeLists.txt"):
            found |= set(re.findall(r"\badd_executable\((hsched-[\w-]+)", path.read_text()))
    return found


def check(title, problems, mistakes, tree=Tree):
    """Checks the tree in argv[1], and that each of the mistakes is found: a file, an expression, what replaces it. Exit status: 0 or 1."""
    root = pathlib.Path(sys.argv[1])
    found = list(dict.fromkeys(problems(tree(root))))
    for name, old, new in mistakes:
        edited = tree(root, (name, old, new))
        if tree(root).text(name) == edited.text(name):
            found.append(f"self-test: {name} has no '{old}'")
        elif not found and not any(problems(edited)):  # The first one is enough.
            found.append(f"self-test: '{new}' for '{old}' in {name} was not found")
    print("\n".join(found) if found else f"{title}: in order")
    sys.exit(1 if found else 0)
