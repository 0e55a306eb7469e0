#!/usr/bin/env python3
"""Whether a shell offers just what the programs' help lists.

usage: offered.py bash|zsh|fish FOLDER-OF-COMPLETIONS PROGRAM...

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# What there is of hsched-cc's own: the other options are the host compiler's.
OWN = re.compile(r"--|-W(no-|error=)?hsched")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def listed(program):
    """The options in the help, as far as they are the same whatever value is behind them; and warnings by their names."""
    name = pathlib.Path(program).name
    text = output(program, "--hsched-help" if name == "hsched-cc" else "--help")
    found = set()
    for term in re.findall(r"(?m)^  (-\S+)", text):
        for form in [term.replace("[no-]", ""), term.replace("[no-]", "no-")]:
            form = re.sub(r"\[-<.*", "", form)  # a name behind it is another option
            optional = re.sub(r"\[=<.*", "=", form)
            found.update({re.sub(r"\[=<.*", "", form), optional} if optional != form else {re.sub(r"<.*", "", form)})
    assert len(found) > 3, f"the help of {name} lists next to nothing"
    warnings = re.findall(r"(?m)^  -W(\S+)", output(program, "--hsched-help=warnings")) if name == "hsched-cc" else []
    return found, {option + warning for warning in warnings for option in ("-W", "-Wno-", "-Werror=")}


def offered(shell, folder, program, typed):
    """What is offered for a line that ends with this word."""
    line = pathlib.Path(program).name + " " + typed
    if shell == "bash":
        text = output("bash", HERE / "complete.bash", folder / "hsched.bash", line)
        words = text.splitlines()[1:]
        # bash replaces what is behind the last '='.
        return {(typed[:typed.rfind("=") + 1] if "=" in typed else "") + word.strip() for word in words if word.strip()}
    if shell == "fish":
        script = folder / (pathlib.Path(program).name + ".fish")
        text = output("fish", "--no-config", "-c", f'source {script}; complete -C "{line}"')
        return {word.split("\t")[0] for word in text.splitlines()}
    # zsh filters by what is typed itself.
    text = output("zsh", "-f", "-c", f"""
        words=({line.split()[0]} '{typed}'); PREFIX='{typed}'
        _describe() {{ print -rl -- $reply }}; compadd() {{ shift; print -rl -- $* }}; _files() {{ }}
        source {folder}/_hsched""")
    return {word for word in (line.split(":")[0] for line in text.splitlines()) if word.startswith(typed)}


def main():
    shell, folder, programs = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    os.environ["PATH"] = os.pathsep.join([*{str(pathlib.Path(p).parent) for p in programs}, os.environ["PATH"]])
    for program in programs:
        name, (wanted, warnings) = pathlib.Path(program).name, listed(program)
        # Behind a whole option values may be offered.
        starts = {option[:length] for option in wanted | warnings for length in (1, 2, 5)} - wanted
        for typed in sorted(starts | ({""} if name == "hsched-info" else set())):  # which takes no files
            got = offered(shell, folder, program, typed)
            if name == "hsched-cc":
                got = {option for option in got if OWN.match(option)}
            # '-W...=hsched-' is there for one to go on with a warning's name.
            got = {option.rstrip("-") if option.endswith("hsched-") else option for option in got}
            # Warnings by their names may be too many for one who has typed '-' alone.
            known = {option for option in wanted | warnings if option.startswith(typed)}
            expected = known if typed.startswith("-W") else known - warnings
            assert expected <= got <= known, (f"{shell}: {name} {typed}: not offered: {sorted(expected - got)}, "
                                              f"in no help: {sorted(got - known)}")
        print(f"{shell}: {name}: all {len(wanted | warnings)} are offered, and nothing else")


main()
