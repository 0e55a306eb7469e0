#!/usr/bin/env python3
"""Checks the English of comments and names: words, length of sentences, form. CONTRIBUTING.md, "English", has the rules.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: comments.py [--root DIR] counts [FOLDER...]        prints a table: findings by folder
       comments.py [--root DIR] list KIND [FOLDER...]     prints the findings of a kind: file:line: text
       comments.py [--root DIR] check                     fails if a folder has more findings than LIMITS allows
       comments.py [--root DIR] same COMMIT [FILE...]     fails if code, comments apart, differs from that commit
       comments.py self-test
Kinds: words, long, form, names. Comments of C, C++, OpenCL C, Python and CMake are read; strings and docstrings are not. Names are those of C, C++ and
OpenCL C.
"""
import argparse
import collections
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import tokenize

FOLDERS = ["include", "runtime", "compiler", "tools", "python", "samples", "bench", "test", "scripts", "cmake"]
C_LIKE = {".h", ".hpp", ".cpp", ".c", ".cl", ".inc", ".cc"}
MOST_WORDS = 25
# Comments there are input of tests, or are compared with their output. Names there are checked.
SKIPPED = ("test/lit/", "test/fuzz/corpus", "test/fuzz/regressions", "test/corpus/", "test/fuzz/found")

# Words with the field's term to use in their place.
WORDS = {
    r"(?:is|are|was|were|be|been) told": "is notified, is reported, receives",
    r"tells? of|told of": "reports",
    r"wish(?:ed)?(?: for)?": "requested",
    r"looked at": "visited, examined",
    r"(?<!set )aside": "ignored",
    r"(?:we|our|ours|ourselves|my|myself)": "the component's name",
    r"nobody|somebody|someone|everybody|whoever": "the thread, task or program that does it; unknown; not needed",
    r"travel(?:s|led)?": "is moved, is transferred",
    r"give or take": "within",
    r"(?:front )?doors?": "front end, interface",
    r"houses?|guests?|grown-ups?|neighbourhood": "the field's term",
    r"simply|basically|actually|obviously|of course|really|quite|very|in fact|so to speak|as it were|indeed|anyway": "(nothing)",
    r"in vain": "without effect",
    r"in its turn|in their turn|all the same|for its sake": "(nothing)",
    r"comes? to nothing|is of no use|no use": "has no effect",
    r"at one go|at one's leisure": "at once",
}
# Words that no name has, alone or joined with others: `Told`, `lookedUp`.
RIDDLE_NAMES = {"told", "held", "looked", "aside", "because", "wished", "nobody", "somebody", "whoever", "heard"}
# The same for whole names, in these folders.
RIDDLE_WHOLE_NAMES = {"went", "came", "gone", "mine", "ours", "theirs", "whose", "tells", "sits", "hope", "who"}
WHOLE_NAME_FOLDERS = ("runtime/", "include/", "tools/")
# Members of public structures.
PUBLIC_NAMES = {"because"}
# What a top folder may have of a kind: nothing. A folder that is taken in later may begin with more.
LIMITS: dict[str, dict[str, int]] = {}
# Keywords and the like, which are English words before they are names.
PLAIN = set("a an the and or not in out as at by for if else if while do of on to is it its this that no none all any one "
            "what who null true false either each every same still with without after before until when where here "
            "only else from first last new".split())

RIDDLES = re.compile(r"(?<![\w.:<`-])(?:" + "|".join(f"(?:{w})" for w in WORDS) + r")(?![\w>`-]|:\S)", re.I)
# A comment that has no subject: "Of the device.", "Whose turn it is.", "Those of x".
FRAGMENT = re.compile(r"^(?:Whose|Those)\b|^Of [^,:]*[.:]?$")
# Lines that are drawings, tables, directives of tools, or code.
DRAWING = re.compile(r"(?:^|\s)[|+\\/^v]+\s*$|--[->+|]|\|  |  \|| {3,}\S|^\s*[|+\\/]|={4}|-{4}")
DIRECTIVE = re.compile(
    r"^(?:SPDX-|NOLINT|IWYU|clang-format|RUN|CHECK|XFAIL|REQUIRES|UNSUPPORTED|namespace|pragma |LCOV|type:|noqa|pylint|fmt:|!"
    r"|#|@|end of|HSCHED_|expected-|region|endregion|-\*-|snippet|doc:)")
# A paragraph. One that a drawing, a table or an indented line cuts is `open`: its form is not checked.
Comment = collections.namedtuple("Comment", "line trailing lines column text open", defaults=[False])


def lex_c(code):
    """Yields (kind, first, last) over C-like code: 'comment', 'string' or 'code'."""
    token = re.compile(
        r'(?P<raw>R"(?P<d>[^()\\\s]{0,16})\(.*?\)(?P=d)")'
        r'|(?P<string>"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\')'
        r'|(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)', re.S)
    at = 0
    for m in token.finditer(code):
        if m.start() > at:
            yield "code", at, m.start()
        yield ("comment" if m.group("comment") else "string"), m.start(), m.end()
        at = m.end()
    if at < len(code):
        yield "code", at, len(code)


def raw_c(code):
    """(line, column, trailing, text with its marker) of each // comment line and /* */ comment."""
    starts = [0]
    for m in re.finditer("\n", code):
        starts.append(m.end())
    line = 0
    for kind, first, last in lex_c(code):
        if kind != "comment":
            continue
        while line + 1 < len(starts) and starts[line + 1] <= first:
            line += 1
        before = code[starts[line]:first]
        after = code[last:code.find("\n", last)] if "\n" in code[last:] else code[last:]
        if after.strip():
            continue  # Inside an expression: /*Name=*/.
        yield line + 1, first - starts[line], bool(before.strip()), code[first:last]


def raw_hash(code, python):
    if python:
        try:
            for t in tokenize.generate_tokens(io.StringIO(code).readline):
                if t.type == tokenize.COMMENT:
                    yield t.start[0], t.start[1], bool(t.line[:t.start[1]].strip()), t.string
        except (tokenize.TokenError, SyntaxError, IndentationError):
            pass
        return
    for number, text in enumerate(code.splitlines(), 1):
        m = re.match(r'^((?:[^#"]|"(?:\\.|[^"\\])*")*)(#.*)$', text)
        if m:
            yield number, len(m.group(1)), bool(m.group(1).strip()), m.group(2)


def is_source(path):
    return path.suffix in C_LIKE or path.suffix in {".py", ".cmake"} or path.name == "CMakeLists.txt"


def paragraphs(path, code):
    """The paragraphs of a file's comments. A list's entry is one, a drawing's line is none."""
    c_like = path.suffix in C_LIKE
    raws = list(raw_c(code) if c_like else raw_hash(code, path.suffix == ".py"))
    marker = re.compile(r"^(///<|//!<|///|//!|//|#+)( ?)") if c_like else re.compile(r"^(#+)( ?)")
    found, current, cut = [], None, False

    def close(by_line=False):
        nonlocal current, cut
        if current and current["text"]:
            found.append(Comment(current["line"], current["trailing"], current["lines"], current["column"],
                                 " ".join(current["text"]), current["open"] or by_line))
        current, cut = None, by_line

    before = None
    for line, column, trailing, raw in raws:
        if raw.startswith("/*"):
            close()
            before = None
            body = re.sub(r"^/\*+!?<?|\*+/$", "", raw)
            rows = [re.sub(r"^\s*\* ?", " " if i else "", row) for i, row in enumerate(body.split("\n"))]
            text, first, count, behind = [], line, 0, False
            for i, row in enumerate(rows):
                plain = row.strip()
                drawing = bool(plain and DRAWING.search(row.rstrip()))
                if not plain or drawing:
                    if text:
                        found.append(Comment(first, trailing, count, column, " ".join(text), behind or drawing))
                    text, count, behind = [], 0, drawing
                    continue
                if not text:
                    first = line + i
                text.append(plain)
                count += 1
            if text:
                found.append(Comment(first, trailing, count, column, " ".join(text), behind))
            continue
        m = marker.match(raw)
        body = raw[m.end():].rstrip()
        plain = body.strip()
        follows = (before and line == before[0] + 1 and column == before[1] and not trailing)
        before = (line, column)
        if not follows:
            close()
        if not plain or DIRECTIVE.match(plain) or DRAWING.search(body):
            close(bool(plain) and not plain.startswith("SPDX-"))
            continue
        item = re.match(r"^\s*-\s" if current else r"^\s*(?:[-*]|\d+\.)\s", body)
        if item:
            close()
        indented = len(body) - len(body.lstrip())
        if current and current["item"] is False and indented >= 2:
            close(True)
        if current is None:
            current = dict(open=cut, line=line, trailing=trailing, lines=0, column=column, text=[],
                           item=bool(item) or (False if indented < 2 else None))
            if item:
                current["mark"] = item.group(0)
                plain = body[item.end():].strip()
        if current["item"] is None:  # An indented line: code or a table.
            current, cut = None, True
            continue
        current["text"].append(plain)
        current["lines"] += 1
    close()
    return found


def sentences(text):
    text = re.sub(r"`[^`]*`|\([^()]*\)", lambda m: m.group(0).replace(".", "\1"), text)
    return [s for s in re.split(r"(?<=[.!?:;])[\"')]*\s+(?=[\"'(`]*[A-Z0-9`\-])", text) if s.strip()]


def count_words(sentence):
    return len(re.findall(r"[A-Za-z][\w'’:.>/-]*", re.sub(r"`[^`]*`", "Code", sentence)))


def begins_well(text, names, trailing=False):
    """With a capital letter, or with a name of the code; beside code, one that no English word is."""
    m = re.match(r"^[(\[{<]*([a-z][\w:.>*\[\]()/+-]*)", text)
    if not m:
        return True
    word = re.sub(r"[,.;:)]+$", "", m.group(1))
    return bool(re.search(r"[A-Z_0-9:(.\[>/+-]", word)) or word in names and not trailing


def ends_well(text):
    return bool(re.search(r"[.:?!;,…][)\"'`]*$", text.rstrip())) or text.rstrip().endswith(("{", "}", "..."))


def is_code(text):
    return bool(re.match(r"^[^A-Za-z]*$", text) or re.match(r"^(?:SPDX-|Usage:|extern \"C\")", text) or re.search(r"[;{}]$", text) and re.search(r"[()=]", text)
                or re.match(r"^[\w.:>\[\]-]+\(.*\)?$", text) or re.match(r"^\S+$", text) and not text.isalpha()
                or re.search(r"^https?://", text))


def names_in(path, code):
    """The words of a file's code: a comment may begin with one of them as it is written there."""
    if path.suffix in C_LIKE:
        return set(re.findall(r"[A-Za-z_]\w*", "".join(code[a:b] for k, a, b in lex_c(code) if k == "code"))) - PLAIN
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r"#.*", "", code))) - PLAIN


def riddles_in_names(path, code):
    """(line, name) of each name that has one of RIDDLE_NAMES, or is one of RIDDLE_WHOLE_NAMES."""
    if path.suffix not in C_LIKE:
        return
    whole = RIDDLE_WHOLE_NAMES if path.as_posix().startswith(WHOLE_NAME_FOLDERS) else set()
    for kind, first, last in lex_c(code):
        for m in re.finditer(r"[A-Za-z_]\w*", code[first:last]) if kind == "code" else []:
            words = {w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", m[0])}
            if (words & RIDDLE_NAMES or m[0].strip("_").lower() in whole) and m[0] not in PUBLIC_NAMES:
                yield code.count("\n", 0, first + m.start()) + 1, m[0]


def findings(path, code):
    """(kind, line, text) of a file."""
    for line, name in riddles_in_names(path, code):
        yield "names", line, f"'{name}'"
    if path.as_posix().startswith(SKIPPED):
        return
    names = names_in(path, code)
    for c in paragraphs(path, code):
        for m in RIDDLES.finditer(c.text):
            yield "words", c.line, f"'{m.group(0)}': {c.text}"
        for s in sentences(c.text):
            if count_words(s) > MOST_WORDS:
                yield "long", c.line, f"{count_words(s)} words: {s}"
        if FRAGMENT.search((sentences(c.text) or [""])[0]):
            yield "form", c.line, c.text
        elif not c.open and not is_code(c.text) and not (begins_well(c.text, names, c.trailing) and ends_well(c.text)):
            yield "form", c.line, c.text


def sources(root):
    out = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True).stdout.decode()
    for name in sorted(n for n in out.split("\0") if n):
        path = pathlib.PurePosixPath(name)
        if path.parts[0] in FOLDERS and is_source(path) and (root / path).is_file():
            yield path


def all_findings(root, folders):
    for path in sources(root):
        if not folders or any(path.as_posix().startswith(f.rstrip("/")) for f in folders):
            for kind, line, text in findings(path, (root / path).read_text(errors="replace")):
                yield path, kind, line, text


def folder_of(path):
    return "/".join(path.parts[:2]) if path.parts[0] in {"runtime", "compiler"} and len(path.parts) > 2 else path.parts[0]


def bare_code(path, code):
    """The code without comments and white space: equal before and after a change of comments alone."""
    if path.suffix in C_LIKE:
        return "".join(code[a:b] if k == "string" else re.sub(r"\s*([^\w\s])\s*|\s+", r"\1 ", code[a:b])
                       for k, a, b in lex_c(code) if k != "comment").replace(" ", "")
    else:
        rows = code.split("\n")
        for line, column, _, _ in raw_hash(code, path.suffix == ".py"):
            rows[line - 1] = rows[line - 1][:column]
        kept = "\n".join(rows)
    return " ".join(kept.split())


def counts(root, folders):
    table = collections.defaultdict(collections.Counter)
    for path, kind, _, _ in all_findings(root, folders):
        table[folder_of(path)][kind] += 1
        table["total"][kind] += 1
    print(f"{'folder':28}{'words':>7}{'long':>7}{'form':>7}{'names':>7}")
    for folder in sorted(table, key=lambda f: (f == "total", f)):
        print(f"{folder:28}" + "".join(f"{table[folder][k]:>7}" for k in ("words", "long", "form", "names")))


def check(root):
    table = collections.Counter()
    where = collections.defaultdict(list)
    for path, kind, line, text in all_findings(root, []):
        table[path.parts[0], kind] += 1
        where[path.parts[0], kind].append(f"{path}:{line}: {kind}: {text[:140]}")
    failed = False
    for key, number in sorted(table.items()):
        allowed = LIMITS.get(key[0], {}).get(key[1], 0)
        if number > allowed:
            failed = True
            print("\n".join(where[key][:40]))
            print(f"{key[0]}: {number} findings of kind '{key[1]}', {allowed} allowed (scripts/comments.py)")
    return failed


def same(root, commit, names):
    failed = False
    if not names:
        out = subprocess.run(["git", "-C", str(root), "diff", "--name-only", commit], check=True, capture_output=True)
        names = out.stdout.decode().split()
    for name in names:
        path = pathlib.PurePosixPath(name)
        old = subprocess.run(["git", "-C", str(root), "show", f"{commit}:{name}"], capture_output=True)
        if not is_source(path) or old.returncode or not (root / path).is_file():
            continue
        a = bare_code(path, old.stdout.decode(errors="replace"))
        b = bare_code(path, (root / path).read_text(errors="replace"))
        if a != b:
            failed = True
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            print(f"{name}: code differs: '{a[max(0, at - 40):at + 40]}' and '{b[max(0, at - 40):at + 40]}'")
    return failed


def self_test():
    path = pathlib.PurePosixPath("x.cpp")
    bad = {
        "words": "// It is told of the end.\nint A;\n",
        "long": "// " + "word " * 26 + "end.\nint A;\n",
        "form": "int A; // no capital letter\n",
        "names": "int hsched_held;\n",
    }
    assert [t for _, _, t in findings(path, "int A;\nauto B = lookedUp(ToldOf); // Held\n")][:2] == ["'lookedUp'", "'ToldOf'"]
    for name, kinds in (("runtime/x.h", ["names"]), ("test/unit/x.h", [])):
        assert [k for k, _, _ in findings(pathlib.PurePosixPath(name), "bool Went, IsMineField;\n")] == kinds, name
    # The names of tests, and those in their input, whose comments are not read.
    for name, code in (("test/unit/x.cpp", "TEST(Parts, WhatIsToldOf) {}\n"), ("test/lit/x.cpp", "void looked(int Withheld); // lower\n"),
                       ("test/lit/x.cl", "kernel void held() {}\n")):
        found = list(findings(pathlib.PurePosixPath(name), code))
        assert [k for k, _, _ in found] == ["names"], (name, found)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        git = ["git", "-C", folder]
        subprocess.run([*git, "init", "-q"], check=True)
        for name in ("test/unit/x.cpp", "test/lit/x.cpp", "runtime/x.cpp"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            for code, fails in (("int Warned;\n", False), ("int Told;\n", True)):
                (root / name).write_text(code)
                subprocess.run([*git, "add", name], check=True)
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    assert check(root) == fails, (name, code)
                assert (f"{name}:1: names: 'Told'" in out.getvalue()) == fails, (name, out.getvalue())
            (root / name).write_text("")
    for code in ("int A; // Of the device.\n", "// Whose turn it is.\nint A;\n", "// Those of a node. Two.\nint A;\n"):
        assert [k for k, _, _ in findings(path, code)] == ["form"], code
    for kind, code in bad.items():
        assert [k for k, _, _ in findings(path, code) if k == kind] == [kind], (kind, list(findings(path, code)))
    good = ["int Shell, withheld, Household;\n", "p->because(1);\n", '// A sentence.\nint A; // Another one\n       // that goes on.\n', 'auto S = "// told of";\n',
            "// name is a parameter.\nint name;\n", "//   +---+\n//   | x |\n", "f(/*Wished=*/true);\n",
            "// Of two devices, the first counts.\n", 'auto S = R"(// simply)";\n']
    for code in good:
        assert not list(findings(path, code)), (code, list(findings(path, code)))
    assert bare_code(path, "int A; // b\nint C;") == bare_code(path, "int  A;\n// d\nint C;")
    assert bare_code(path, 'f("// b");') != bare_code(path, 'f("// c");')
    py = pathlib.PurePosixPath("x.py")
    assert [k for k, _, _ in findings(py, "x = '# no' # lower\n")] == ["form"]
    assert [k for k, _, _ in findings(pathlib.PurePosixPath("CMakeLists.txt"), "# lower\nset(X Y)\n")] == ["form"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("what", choices=["counts", "list", "check", "same", "self-test"])
    parser.add_argument("rest", nargs="*")
    options = parser.parse_args()
    if options.what == "self-test":
        self_test()
    elif options.what == "counts":
        counts(options.root, options.rest)
    elif options.what == "list":
        for path, kind, line, text in all_findings(options.root, options.rest[1:]):
            if kind == options.rest[0]:
                print(f"{path}:{line}: {text}")
    elif options.what == "check":
        return check(options.root)
    else:
        return same(options.root, options.rest[0], options.rest[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
