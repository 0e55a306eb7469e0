#!/usr/bin/env python3
"""Guidance expressions against Python's own evaluation: random ones, valid and not.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: expressions.py PROGRAM [--seed N] [--count N]
Where a result or an intermediate one leaves 64 bits, divides by 0 or is no integer, an error is expected.
"""
import argparse
import random
import re
import subprocess
import sys
import warnings

SYMBOLS = {"M": 1024, "N": -7, "K": 3}
LEAST, MOST = -2**63, 2**63 - 1


class Refused(Exception):
    pass


class I64:
    """An integer that refuses what 64 bits cannot hold."""

    def __init__(self, value):
        if not LEAST <= value <= MOST:
            raise Refused("64 bits")
        self.value = int(value)

    def _binary(self, other, operation):
        try:
            return I64(operation(self.value, other.value))
        except ZeroDivisionError as error:
            raise Refused("by 0") from error

    def __add__(self, o): return self._binary(o, lambda a, b: a + b)
    def __sub__(self, o): return self._binary(o, lambda a, b: a - b)
    def __mul__(self, o): return self._binary(o, lambda a, b: a * b)
    def __floordiv__(self, o): return self._binary(o, lambda a, b: a // b)
    def __mod__(self, o): return self._binary(o, lambda a, b: a % b)
    def __neg__(self): return I64(-self.value)
    def __pos__(self): return self
    def __bool__(self): return self.value != 0
    def __lt__(self, o): return self.value < o.value
    def __le__(self, o): return self.value <= o.value
    def __gt__(self, o): return self.value > o.value
    def __ge__(self, o): return self.value >= o.value
    def __eq__(self, o): return self.value == o.value
    def __ne__(self, o): return self.value != o.value
    __hash__ = None

    def __pow__(self, o):
        if o.value < 0:
            raise Refused("negative")
        if abs(self.value) > 1 and o.value > 64:
            raise Refused("64 bits")
        return I64(self.value ** o.value)


def generate(rng, depth):
    """(text for us, text for Python)"""
    if depth <= 0 or rng.random() < 0.15:
        if rng.random() < 0.4:
            name = rng.choice(list(SYMBOLS))
            return (name if rng.random() < 0.8 else f"${name}$", name)
        n = rng.choice([0, 1, 2, 3, 7, 10, 63, 64, 255, 1 << 20, (1 << 31) - 1, 1 << 62, MOST, MOST + 1])
        spelled = rng.choice([str(n), hex(n), oct(n), bin(n), f"{n:_}"])
        return spelled, f"I({spelled})"
    kind = rng.randrange(12)
    a, b, c = (generate(rng, depth - 1) for _ in range(3))
    if kind < 6:
        sign = rng.choice(["+", "-", "*", "//", "%", "**"])
        space = rng.choice(["", " "])
        return (f"{a[0]}{space}{sign}{space}{b[0]}", f"{a[1]}{space}{sign}{space}{b[1]}")
    if kind == 6:
        return f"({a[0]})", f"({a[1]})"
    if kind == 7:
        sign = rng.choice(["-", "+"])
        return sign + a[0], sign + a[1]
    if kind == 8:
        name = rng.choice(["min", "max"])
        parts = [a, b, c][:rng.choice([2, 3])]
        return f"{name}({', '.join(p[0] for p in parts)})", f"{name}({', '.join(p[1] for p in parts)})"
    if kind == 9:
        # The condition is in parentheses so that both read alike; its chains are tried below.
        return f"({a[0]} if ({b[0]}) else {c[0]})", f"({a[1]} if ({b[1]}) else {c[1]})"
    if kind == 10:
        sign = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        other = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        chain = rng.random() < 0.5
        text = [f"(({x[0]}) {sign} ({x[1]})" + (f" {other} ({x[2]})" if chain else "") + ")" for x in
                ([a[0], b[0], c[0]], [a[1], b[1], c[1]])]
        return text[0], f"B({text[1]})"
    word = rng.choice(["and", "or"])
    if rng.random() < 0.3:
        return f"(not ({a[0]}))", f"B(not ({a[1]}))"
    return f"(({a[0]}) {word} ({b[0]}))", f"(({a[1]}) {word} ({b[1]}))"


def expected(text):
    if re.search(r"-\s*I\(9223372036854775808\)", text):
        return None  # The sign may belong to the number.
    # A number that no 64 bits hold is refused wherever it stands, also where Python would not come to it.
    if any(int(n, 0) > MOST for n in re.findall(r"I\(([0-9a-fxob_]+)\)", text)):
        return "error"
    names = {**{n: I64(v) for n, v in SYMBOLS.items()}, "I": I64, "B": lambda x: I64(bool(x)), "min": min, "max": max}
    try:
        return f"value {eval(text, {'__builtins__': {}}, names).value}"  # The text made above.
    except Refused:
        return "error"
    except (SyntaxError, RecursionError, MemoryError):
        return None  # Too deep for Python: no oracle.


# Text that is no expression, or that only Python would take: each is an error, and none does harm.
REFUSED = ["", " ", "M*", "*M", "(M", "M)", "M N", "1 2", "M/2", "1.5", "1e3", "0x", "0xg", "017", "1__0", "1_", "9a", "min(M)",
           "min()", "max(,)", "max(4,)", "max(4,,5)", "share(4,,)", "abs(M)", "__import__('os')", "M.N", "M[0]", "'M'", "lambda: 1", "$M", "$$", "$1$", "M if N",
           "M if N else", "if", "not", "M and", "M ++", "~M", "M<<1", "M@N", "M;N", "M=1", "M:=1", "X", "9223372036854775808",
           "-9223372036854775809", "M\x01N", "--9223372036854775808", "-9223372036854775808 ** 1", "-(9223372036854775808)", "0-9223372036854775808", "\xff", "share()", "share(M,N)", "min(M,N", "1 if 2 if 3 else 4",
           "(" * 250 + "1" + ")" * 250, "-" * 5000 + "1", "not " * 300 + "1", "2**" * 300 + "1", "1+" * 3000 + "1"]
TAKEN = [("1+" * 1500 + "1", 1501), ("0_0", 0), ("00", 0), ("-2**2", -4), ("2**3**2", 512), ("-7//2", -4), ("-7%3", 2),
         ("7%-3", -2), ("7//-2", -4), ("1 if 0 else 2 if 0 else 3", 3), ("1//0 if 0 else 5", 5), ("0 and 1//0", 0),
         ("1 or 1//0", 1), ("3 or 0", 3), ("1 < 2 < 3", 1), ("1 < 3 < 2", 0), ("3 > 2 > 1 > 0", 1), ("not 0", 1),
         ("not 1 + 1", 0), ("(-9223372036854775807 - 1) // 1", LEAST), ("(-9223372036854775807 - 1) % -1", 0), ("0**0", 1),
         ("(-1)**9223372036854775807", -1), ("1**9223372036854775807", 1), ("share(7)", 7), ("before(7)", 0),
         ("min(3, 1, 2)", 1), ("max(3, 9, 2)", 9), ("max(4, 4,)", 4), ("min(5, 4 ,\t)", 4), ("0XfF", 255), ("1_000", 1000), ("+ - + 3", -3), ("2 ** -0", 1),
         ("-9223372036854775808", LEAST), ("- 9223372036854775808 // 1 + 1", LEAST + 1)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--count", type=int, default=20000)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    warnings.simplefilter("ignore", SyntaxWarning)
    rng = random.Random(options.seed)
    tried = [(t, "error", t) for t in REFUSED] + [(t, f"value {v}", t) for t, v in TAKEN]
    while len(tried) < options.count:
        text, python = generate(rng, rng.randrange(1, 6))
        want = expected(python)
        if want and len(text) < 4000:
            tried.append((text, want, python))
    done = subprocess.run([options.program], input="\n".join(t[0] for t in tried) + "\n", capture_output=True, encoding="latin-1",
                          timeout=300, check=False)
    answers = done.stdout.splitlines()
    if done.returncode or len(answers) != len(tried):
        print(f"exit code {done.returncode}, {len(answers)} answers to {len(tried)} lines\n{done.stderr}")
        return 1
    wrong = 0
    for (text, want, python), got in zip(tried, answers):
        if got != want and not (want == "error" and got.startswith("error ")):
            wrong += 1
            print(f"{text[:300]!r}\n  Python: {want}\n  here:   {got}")
            if wrong == 10:
                break
    print(f"{len(tried)} expressions, {sum(t[1] == 'error' for t in tried)} of them refused; {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
