#!/usr/bin/env python3
"""The reference that Doxygen makes: it has no warning, a start page, and a description of each header, class, structure, member and value.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: doxygen.py DOXYGEN DOXYFILE
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree


def described(element):
    return any("".join(element.find(name).itertext()).strip() for name in ("briefdescription", "detaileddescription") if element.find(name) is not None)


def undescribed(folder):
    """What has no description. Doxygen does not warn of values of an enumeration without a name, nor of files."""
    for path in sorted(folder.glob("*.xml")):
        for compound in tree.parse(path).getroot().iter("compounddef"):
            name = compound.findtext("compoundname")
            if compound.get("prot") == "private":
                continue
            if compound.get("kind") in ("file", "class", "struct", "union") and not name.endswith(".md") and not described(compound):
                yield f"{name}: no description"
            for member in compound.iter("memberdef"):
                deleted = re.search(r"=\s*(delete|default)$", member.findtext("argsstring") or "")
                if member.get("kind") != "enum" and member.get("prot") == "public" and not deleted and not described(member):
                    yield f"{name}: {member.findtext('name')} has no description"
                yield from (f"{name}: {value.findtext('name')} has no description" for value in member.iter("enumvalue") if not described(value))


def main():
    doxygen, doxyfile = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(doxyfile).read_text() + f"\nOUTPUT_DIRECTORY = {folder}\nWARN_AS_ERROR = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n"
        done = subprocess.run([doxygen, "-"], input=settings, capture_output=True, text=True, check=False)
        found = [line for line in done.stderr.splitlines() if "warning" in line]
        start = pathlib.Path(folder, "html", "index.html")
        if "hsched/engine.h" not in (start.read_text() if start.exists() else ""):
            found.append("the start page does not say which headers there are")
        xml = pathlib.Path(folder, "xml")
        found += undescribed(xml)
        headers = pathlib.Path(__file__).resolve().parents[2] / "include" / "hsched"
        for header in sorted(headers.glob("*.h")):
            if not header.name.startswith("gen") and not list(xml.glob(header.name.replace("_", "__").replace(".", "_8") + ".xml")):
                found.append(f"{header.name} is not in the reference")
    print("\n".join(found) if found else "doxygen: in order")
    sys.exit(1 if found else done.returncode)


if __name__ == "__main__":
    main()
