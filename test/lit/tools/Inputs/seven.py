#!/usr/bin/env python3
"""Whether the manual pages of section 7 have what the project has: each directive and clause, each environment variable.

usage: seven.py SOURCE-FOLDER HSCHED.7 HSCHED-ENV.7
       seven.py --examples HSCHED.7 > FILE.cpp

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys


# Names that a table of docs/runtime.md has without the prefix.
FOREIGN = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "TMPDIR", "TERM", "CCACHE_EXTRAFILES"}


def examples(page):
    """What stands between .nf and .fi after the heading, as one source."""
    code = re.findall(r"(?ms)^\.nf\n(.*?)^\.fi$", page.split(".SH EXAMPLES")[1])
    assert len(code) >= 4, "a group of clauses has no example"
    return "#include <hsched/hsched.h>\n" + "\n".join(code).replace("\\-", "-").replace("\\e", "\\")


def whole(page, source, *headings):
    """A page's form: NAME with a description, the sections that man-pages(7) asks for, none of them empty, and references to pages that exist."""
    assert re.search(r"(?m)^\.SH NAME\nhsched(-env)? \\- [a-z].*[^.]$", page), "NAME: apropos does not find it"
    found = re.findall(r"(?m)^\.SH (.*)$", page)
    assert [h for h in found if h in headings] == list(headings), f"sections: {found}"
    assert len(set(found)) == len(found), f"a section stands twice: {found}"
    for body in re.split(r"(?m)^\.S[HS] .*$", page)[1:]:
        assert body.strip(), "a section has no text"
    referred = {f"{name}.{number}" for name, number in re.findall(r"(?m)^\.BR (\S+) \((\d)\)", page)}
    pages = {path.name[:-3] for path in (source / "man").glob("*.in")} | {"hsched-c.1"}
    assert referred and referred <= pages, f"no page {sorted(referred - pages)}"


def main():
    if sys.argv[1] == "--examples":
        sys.stdout.write(examples(pathlib.Path(sys.argv[2]).read_text()))
        return
    source, language, environment = (pathlib.Path(a) for a in sys.argv[1:])
    parser = (source / "compiler/parse/DirectiveParser.cpp").read_text()
    rows = re.findall(r"\.Cases?\((.*?), Row\{", parser)
    clauses = {name for row in rows for name in re.findall(r'"([a-z]+)"', row)}
    assert len(clauses) > 15, f"the parser's clauses are not where they were: {sorted(clauses)}"
    page = language.read_text()
    whole(page, source, "NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO")
    assert '"hsched @VERSION@"' in page and "@DATE@" in page, "CMake fills in the version and the date"
    whole(environment.read_text(), source, "NAME", "DESCRIPTION", "EXAMPLES", "SEE ALSO")
    described = {name for line in re.findall(r"(?m)^\.TP\n\.BI? (.*)$", page) for name in re.findall(r"(?<![\w:])[a-z]+(?=\(|$)", line)}
    directives = set(re.findall(r'\.Case\("([a-z]+)", DirectiveKind::', parser)) - {"declare"}
    assert len(directives) > 4, f"the parser's directives are not where they were: {sorted(directives)}"
    missing = (clauses | directives) - described
    assert not missing, f"hsched(7) does not have: {sorted(missing)}"

    # Each form of a section that the manual's table has, and other spellings that the compiler takes.
    table = (source / "docs/language.md").read_text().split("\n## Sections\n")[1].split("\n\n## ")[0].split("\n\n###")[0]
    sections = [s for row in re.findall(r"(?m)^\| (`.*?) \| ", table) for s in re.findall(r"`([^`]+)`", row)]
    assert len(sections) > 9, f"the table of sections is not where it was: {sections}"
    heads = set(re.findall(r"(?m)^\.(?:TP|TQ)\n\.B (.*)$", page))
    assert set(sections) <= heads, f"sections that hsched(7) does not have: {sorted(set(sections) - heads)}"
    for word in ("smp", "hsched::on"):
        assert re.search(rf"(?m)^\.B[RI]? {word}\b", page), f"hsched(7) does not have {word}"

    manual = (source / "docs/runtime.md").read_text()
    variables = set(re.findall(r"`(HSCHED_[A-Z0-9_]+)`", manual))
    listed = {name for line in re.findall(r"(?m)^\.TP\n\.B (.*)$", environment.read_text())
              for name in re.findall(r"(?<!\S)HSCHED_[A-Z0-9_]+(?![=A-Z0-9_])", line)}
    entries = environment.read_text()
    assert FOREIGN <= set(re.findall(r"\b[A-Z_]{4,}\b", " ".join(re.findall(r"(?m)^\.TP\n\.B (.*)$", entries)))), "variables of other programs"
    for form in ("/2", "/3+1", "/numa", "/l3"):
        assert re.search(rf"(?m)^\.B .*{re.escape(form)}(,|$)", entries), f"hsched-env(7) does not say what {form} is"
    left = re.findall(r".*\b(?:see below|below\)).*", entries, re.I)
    assert not left, f"a reference to text that the page does not have: {left}"
    assert variables == listed, f"in runtime.md or in hsched-env(7) alone: {sorted(variables ^ listed)}"
    print("both have all")


main()
