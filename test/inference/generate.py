"""Random bodies of tasks and kernels: loop nests with guards, early ends, offsets, tiles, lengths of any sign.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses

INT = ["n", "m"]  # Numbers of any sign.
UNSIGNED = "u"


@dataclasses.dataclass
class Body:
    name: str
    kernel: bool
    dimensions: int
    text: str


class Generator:
    """One body; text() has y[...] and x[...] as they stand in C.

    Exits: some counters are declared before their loops, and used behind them.
    Last: some loops test last, and some have their first elements in front of them.
    Met: some loops end at i != n, or elsewhere.
    Inside: some loops have their test inside; some shared loops of kernels count down.
    """

    def __init__(self, rng, kernel, exits=False, last=False, met=False, inside=False):
        self.rng, self.kernel, self.exits, self.last, self.met, self.inside = rng, kernel, exits, last, met, inside
        self.dimensions = rng.choice([1, 1, 2]) if kernel else 0
        self.counters, self.lines, self.names, self.loops = [], [], 0, 0
        self.left = rng.randint(1, 3 if kernel else 7)
        self.aliases = ["y"]
        self.unsigned = rng.random() < 0.25  # N loops of one kind: sizes with a sign and without.
        self.sizes = [UNSIGNED, "n"] if self.unsigned else list(INT)
        if rng.random() < 0.5:
            self.sizes = self.sizes[:1]

    def one(self, *of):
        return self.rng.choice(of)

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def size(self):
        return self.rng.choice(self.sizes)

    def counter(self):
        return self.rng.choice(self.counters) if self.counters else str(self.rng.randint(0, 2))

    def group(self, k):
        """Positive numbers of a launch."""
        return self.one(f"get_local_size({k})", f"get_num_groups({k})", f"get_global_size({k})")

    def bound(self):
        s = self.size()
        if self.kernel and self.rng.random() < 0.3:
            return self.group(self.dimension())
        return self.one(s, s, s, f"{s} + {self.rng.randint(1, 2)}", f"{s} - {self.rng.randint(1, 2)}",
                        str(self.rng.randint(1, 6)), f"2 * {s}", f"{s} / 2", f"{self.size()} - {self.size()}",
                        self.counter(), f"{self.counter()} + 1", f"{self.size()} * {self.size()}",
                        f"{self.size()} + {self.size()}")

    def low(self):
        return self.one("0", "0", "0", "1", "-1", self.size(), self.counter(), "2")

    def dimension(self):
        return self.rng.randrange(self.dimensions)

    def index(self):
        c, s = self.counter(), self.size()
        if self.kernel and self.rng.random() < 0.3:
            k = self.dimension()
            g, l, L, G = (f"get_{w}({k})" for w in ("group_id", "local_id", "local_size", "num_groups"))
            i, N = f"get_global_id({k})", f"get_global_size({k})"
            return self.one(f"{g} * {L} + ({L} - 1 - {l})", f"({G} - 1 - {g}) * {L} + {l}", f"{N} - 1 - {i}", g,
                            f"{i} + {c}", f"{l} * {G} + {g}", f"{i} * {N} + {c}", f"{N} + {i}", i, l)
        return self.one(c, c, c, c, f"{c} + {self.rng.randint(1, 2)}", f"{c} - 1", f"{s} - 1 - {c}", f"2 * {c}",
                        f"2 * {c} + 1", f"{c} * {s} + {self.counter()}", f"{c} + {self.counter()}", f"{c} + {s}",
                        str(self.rng.randint(0, 3)), f"{s} - 1", f"{c} * {s} + {self.counter()} * {self.size()}")

    def condition(self):
        c, s = self.counter(), self.size()
        return self.one(f"{c} < {s}", f"{c} < {s}", f"{c} >= {s}", f"{c} > 0", f"{s} > 0", f"{s} < 0", f"{s} > {c} + 1",
                        f"{c} != 0", f"{c} == 0", f"{self.size()} < {self.size()}", f"{c} < {self.rng.randint(1, 5)}",
                        f"{c} > {self.rng.randint(1, 5)}", f"{c} < {s} && {self.counter()} < {self.size()}",
                        f"{c} < {s} || {c} < {self.size()}", f"{s} == {self.size()}", f"{s} <= 0", f"!({c} < {s})",
                        "x[0] > 0")

    def add(self, depth, line):
        self.lines.append("  " * (depth + 1) + line)

    def block(self, depth, head, tail="}", counter=None):
        self.add(depth, head + " {")
        counters = len(self.counters)
        if counter:
            self.counters.append(counter)
            self.loops += 1
        aliases = len(self.aliases)
        for _ in range(self.one(1, 1, 2)):
            self.statement(depth + 1)
        del self.aliases[aliases:]
        del self.counters[counters:]
        if counter:
            self.loops -= 1
        self.add(depth, tail)

    def store(self, depth):
        y = self.rng.choice(self.aliases)
        self.add(depth, self.one(f"{y}[{self.index()}] = 1;", f"{y}[{self.index()}] = 1;", f"{y}[{self.index()}] = 1;",
                                 f"{y}[{self.index()}] = x[{self.index()}];", f"{y}[{self.index()}] += 1;",
                                 f"{y}[{self.index()}] = {y}[{self.index()}];"))

    def ending(self, depth):
        """A loop whose length is not all that it touches."""
        i, high = self.fresh("k"), self.bound()
        if self.rng.random() < 0.5:
            self.add(depth, f"int {i} = {self.low()};")
            step = self.one(f"{i}++;", f"{i}++;", f"{i} += 2;")
            self.block(depth, "do", f"{step} }} while ({i} < {high});".replace("; }", ";\n" + "  " * (depth + 1) + "}"), i)
            return
        y, first = self.rng.choice(self.aliases), self.one("0", "0", "1", self.size())
        self.add(depth, f"{y}[{first}] = 1;")
        self.add(depth, f"for (int {i} = {first} + 1; {i} < {high}; {i}++)")
        self.add(depth + 1, f"{y}[{i}] = {self.one('1', f'{y}[{i} - 1]')};")

    def some(self, depth, counter, loops=0):
        """Statements in a loop. With loops = 0, none of them leaves it."""
        counters, aliases, before, self.loops = len(self.counters), len(self.aliases), self.loops, loops
        self.counters.append(counter)
        for _ in range(self.one(1, 1, 2)):
            self.statement(depth)
        del self.aliases[aliases:]
        del self.counters[counters:]
        self.loops = before

    def testing(self, depth):
        """A loop with its test inside."""
        i, low, high = self.fresh("i"), self.low(), self.bound()
        by = self.one(1, 1, 1, 2, 3)
        if self.kernel and self.rng.random() < 0.5:
            k = self.dimension()
            low, by = f"{low} + get_global_id({k})", f"(int)get_global_size({k})"
        start, step, test = self.one(
            (low, f"{i} += {by}", self.one(f"{i} >= {high}", f"{high} <= {i}", f"!({i} < {high})", f"{i} > {high}")),
            (f"{high} - 1 - ({low})", f"{i} -= {by}", self.one(f"{i} < 0", f"0 > {i}", f"!({i} >= 0)")))
        if self.rng.random() < 0.2:
            test = self.one(f"{test} || x[{self.counter()}] > 0", f"x[{i}] > 0 || {test}")
        leave = self.one("break;", "break;", "return;", f"{{ y[{self.index()}] = 1; break; }}", f"{{ y[{i}] = 1; return; }}")
        form, inner = self.one("first", "middle", "last", "step", "else"), depth + 1
        in_head = form in ("first", "middle", "else") and self.rng.random() < 0.5
        if in_head:
            self.add(depth, f"for (int {i} = {start};; {step}) {{")
        else:
            self.add(depth, f"int {i} = {start};")
            self.add(depth, self.one("for (;;) {", "while (1) {", "do {"))
        tail = "} while (1);" if self.lines[-1].endswith("do {") else "}"
        if form == "first" and self.rng.random() < 0.3:
            self.add(inner, f"if (x[{i}] == 5) break;")
        if form in ("middle", "last"):
            self.some(inner, i)
        if form in ("last", "step"):
            self.add(inner, step + ";")
        self.add(inner, f"if (!({test})) {{" if form == "else" else f"if ({test}) {leave}")
        if form != "last":
            self.some(inner, i, loops=int(in_head))
        if form in ("first", "middle", "else") and not in_head:
            self.add(inner, step + ";")
        if form == "else":
            self.add(inner, f"}} else {leave}")
        self.add(depth, tail)

    def shared_down(self, depth):
        """A shared loop that counts down."""
        i, k, high = self.fresh("i"), self.dimension(), self.bound()
        first, by = self.one((f"get_global_id({k})", f"get_global_size({k})"), (f"get_local_id({k})", f"get_local_size({k})"),
                             (f"get_group_id({k})", f"get_num_groups({k})"))
        low = self.one("0", "0", "1", "-1", self.size())
        self.block(depth, self.one(f"for (int {i} = {high} - 1 - {first}; {i} >= {low}; {i} -= {by})",
                                   f"for (int {i} = {high} - {first}; {i} > {low}; {i} -= {by})",
                                   f"for (int {i} = {high} - 1 - (int){first}; {i} > {low}; {i} -= (int){by})"), counter=i)

    def loop(self, depth):
        if self.inside and self.rng.random() < 0.6:
            self.shared_down(depth) if self.kernel and self.rng.random() < 0.5 else self.testing(depth)
            return
        if self.last and self.rng.random() < 0.6:
            self.ending(depth)
            return
        kind = "unsigned" if self.unsigned and self.rng.random() < 0.6 else "int"
        i, low, high = self.fresh("i"), self.low(), self.bound()
        step = self.rng.choice([1, 1, 1, 1, 2, 3])
        by = f"{i}++" if step == 1 else f"{i} += {step}"
        if self.kernel and self.rng.random() < 0.35:
            k = self.dimension()
            low, by = self.one((f"get_global_id({k})", f"{i} += get_global_size({k})"),
                               (f"get_local_id({k})", f"{i} += get_local_size({k})"),
                               (f"get_group_id({k})", f"{i} += get_num_groups({k})"))
        head = self.one(f"for ({kind} {i} = {low}; {i} < {high}; {by})", f"for ({kind} {i} = {low}; {i} < {high}; {by})",
                        f"for ({kind} {i} = {low}; {i} <= {high}; {by})",
                        f"for ({kind} {i} = {low}; {i} < {high} && {i} < {self.bound()}; {by})",
                        f"for (int {i} = {high}; {i} > {low}; {i}--)", f"for (int {i} = {high} - 1; {i} >= {low}; {i}--)")
        if self.met and self.rng.random() < 0.6:
            end = f"{i} * {i} > {self.rng.randint(3, 30)}"
            out = self.one(f"if ({end}) break;", f"if ({end}) return;", "")
            more = "" if out else f" && !({end})"
            head = self.one(f"for ({kind} {i} = {low}; {i} != {high}{more}; {by})", f"for (int {i} = {high}; {i} != {low}{more}; {i}--)")
            self.block(depth, f"{head} {{ {out}", "} }", i)
            return
        if self.rng.random() < 0.1 and low == "0":
            i = self.fresh("k")
            self.add(depth, f"int {i} = 0;")
            self.block(depth, f"while ({i} < {high})", f"{i}++; }}".replace("; }", ";") + " }", i)
            return
        wraps = head.startswith("for (unsigned") and low == "-1"
        if self.exits and not wraps and self.rng.random() < 0.5:
            declared, rest = head.removeprefix("for (").split(";", 1)
            self.add(depth, declared + ";")
            self.block(depth, "for (;" + rest, counter=i)
            self.counters.append(i)
            self.store(depth)
            return
        self.block(depth, head, counter=i)

    def statement(self, depth):
        self.left -= 1
        pick = self.rng.random()
        if depth > 3 or self.left < 0:
            self.store(depth)
        elif pick < 0.30:
            self.store(depth)
        elif pick < 0.62:
            self.loop(depth)
        elif pick < 0.74:
            if self.rng.random() < 0.3:
                self.block(depth, f"if ({self.condition()})", "} else {")
                self.store(depth + 1)
                self.add(depth, "}")
            else:
                self.block(depth, f"if ({self.condition()})")
        elif pick < 0.86:
            ends = ["return;", "return;"] + ([] if self.kernel else ["throw 1;"])
            if self.loops:
                ends += ["break;", "continue;", "break;"]
            self.add(depth, f"if ({self.condition()}) {self.rng.choice(ends)}")
        elif pick < 0.92:
            name = self.fresh("p")
            self.add(depth, f"{'global int *' if self.kernel else 'auto '}{name} = y + ({self.index()});")
            self.aliases.append(name)
            self.statement(depth)
        elif not self.kernel:
            low = self.one("0", self.size(), self.counter())
            self.add(depth, self.one(f"std::fill(y + ({low}), y + ({self.bound()}), 1);",
                                     f"std::memset(y + ({low}), 0, ({self.bound()}) * sizeof(int));"))
        else:
            self.store(depth)

    def body(self, name):
        if self.kernel:
            # What a kernel works with, as people name it.
            for k in range(self.dimensions):
                i = f"i{k}_"
                of = self.one(f"get_global_id({k})", f"get_global_id({k})", f"get_local_id({k})", f"get_group_id({k})",
                              f"get_group_id({k}) * get_local_size({k}) + get_local_id({k})",
                              f"get_global_size({k}) - 1 - get_global_id({k})")
                self.add(0, f"int {i} = {of};")
                self.counters.append(i)
        for _ in range(self.one(1, 1, 2) if self.kernel else self.one(1, 1, 2, 2, 3)):
            self.statement(0)
        return Body(name, self.kernel, self.dimensions, "\n".join(self.lines))


def generate(rng, name, kernel, exits=False, last=False, met=False, inside=False):
    return Generator(rng, kernel, exits, last, met, inside).body(name)
