"""Random bodies of tasks of more kinds than generate.py has: helpers, lambdas, aliases, members, copies, blocks, tiles.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re

from generate import Generator

# What the bodies call. The harness has the same functions over its own pointers.
HELPERS = """\
struct Pair { int a, b; };
static void put(int *p, int i) { p[i] = 1; }
static int get(const int *p, int i) { return p[i]; }
static void row(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 1; }
static void bump(int *p, int lo, int hi) { while (lo < hi) p[lo++] += 1; }
static void move(int *to, const int *from, int n) { if (n > 0) { to[0] = from[0]; move(to + 1, from + 1, n - 1); } }
static int total(const int *p, int n) { int t = 0; for (int i = 0; i < n; i++) t += p[i]; return t; }
template <typename F> static void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }
"""
PARAMETERS = "int n, int m, unsigned u, const int *x, int *y, int *z, Pair *s"
ARRAYS = "xyzs"


def in_harness(text):
    """The same over pointers that note what is touched."""
    text = re.sub(r"(?:const )?int \*(?=\w)", "Pointer ", text)
    text = text.replace("Pair *", "Pairs ").replace("int &", "auto ").replace("auto &", "auto ")
    text = re.sub(r"std::memset\((.*?), 0, ", r"zero(\1, ", text)
    text = text.replace("std::memcpy", "copy_bytes")
    return re.sub(r"std::(fill_n|fill|copy|swap)\b", r"\1_", text)


class Rich(Generator):
    """Bodies of any form; plain() those of a single affine loop without guards."""

    def __init__(self, rng):
        super().__init__(rng, False)
        self.left = rng.randint(1, 5)
        self.reads = ["x", "x", "y", "z"]

    def target(self):
        return self.rng.choice(self.aliases) if self.rng.random() < 0.8 else "z"

    def value(self):
        i = self.index()
        r = self.rng.choice(self.reads)
        return self.one("1", "1", f"x[{i}]", f"{r}[{i}]", f"x[{i}] + x[({i}) + 1]", f"x[({i}) - 1] + x[({i}) + 1]",
                        f"get({r}, {i})", f"{self.condition()} ? x[{i}] : 0", f"s[{i}].a")

    def store(self, depth):
        y, i = self.target(), self.index()
        pick = self.rng.random()
        if pick < 0.45:
            self.add(depth, f"{y}[{i}] = {self.value()};")
        elif pick < 0.55:
            self.add(depth, self.one(f"{y}[{i}] += {self.value()};", f"std::swap({y}[{i}], {y}[{self.index()}]);",
                                     f"{y}[{i}]++;"))
        elif pick < 0.65:
            self.add(depth, self.one(f"put({y}, {i});", f"*({y} + {i}) = 1;", f"(&{y}[{i}])[1] = 1;",
                                     f"put(&{y}[{i}], {self.rng.randint(0, 2)});"))
        elif pick < 0.80:
            self.add(depth, self.one(f"s[{i}].a = 1;", f"s[{i}].b = s[{i}].a;", f"s[{i}].a += x[{i}];",
                                     f"{{ auto &r = s[{i}]; r.a = 1; r.b = 2; }}", f"{{ Pair *q = s + ({i}); q->b = 1; }}",
                                     f"{{ int &r = {y}[{i}]; r = 1; }}", f"{{ int &r = {y}[{i}]; r += x[{i}]; }}"))
        elif pick < 0.88:
            self.add(depth, f"{y}[{i}] = 1; {y}[({i}) + 1] = 1;")
        else:
            self.add(depth, f"{{ int t = {y}[{i}]; {y}[{i}] = t + 1; }}")

    def whole(self, depth):
        """Calls that touch a range."""
        low, high, y = self.one("0", "0", "1", self.size(), self.counter()), self.bound(), self.target()
        self.add(depth, self.one(
            f"std::fill({y} + ({low}), {y} + ({high}), 1);", f"std::fill_n({y} + ({low}), {high}, 1);",
            f"std::memset({y} + ({low}), 0, ({high}) * sizeof(int));",
            f"std::memcpy({y} + ({low}), x, ({high}) * sizeof(int));",
            f"std::copy(x + ({low}), x + ({high}), {y});", f"row({y} + ({low}), {high});", f"row({y}, {high});",
            f"bump({y}, {low}, {high});", f"move({y} + ({low}), x + ({low}), {high});",
            f"{y}[{low}] = total(x, {high});", f"each({high}, [&](int k) {{ {y}[k] = 1; }});",
            f"for (int b = 0; b < {high}; b += 4) for (int j = b; j < std::min<int>(b + 4, {high}); j++) {y}[j] = x[j];",
            f"for (int b = 0; b < {high}; b += 3) row({y} + b, std::min<int>(3, {high} - b));",
            f"for (int r = 0; r < {high}; r++) for (int c = 0; c < n; c++) {y}[r * n + c] = 1;",
            f"for (int r = 0; r < n; r++) {{ int *q = {y} + r * m; for (int c = 0; c < m; c++) q[c] = x[r]; }}",
            f"for (int r = 1; r < n - 1; r++) for (int c = 1; c < m - 1; c++) {y}[r * m + c] = x[r * m + c - 1];",
            f"{{ int *q = {y} + ({low}); for (int k = 0; k < {high}; k++) *q++ = 1; }}",
            f"for (int *q = {y}; q < {y} + ({high}); ++q) *q = 1;",
            f"{{ int t = 0; for (int k = 0; k < {high}; k++) t += x[k]; {y}[{low}] = t; }}",
            f"for (int k = 1; k < {high}; k++) {y}[k] = {y}[k - 1];", f"{{ int k = 0; do {y}[k] = 1; while (++k < {high}); }}",
            f"for (int k = 0; k < {high}; k += 2) {{ {y}[k] = 1; {y}[k + 1] = x[k]; }}",
            f"for (int k = 0; k < {high}; k++) {{ s[k].a = x[k]; s[k].b = 0; }}"))

    def in_lambda(self, depth):
        loops, self.loops = self.loops, 0
        self.block(depth, self.one("[&]", "[=]") + self.one("", "()", "() mutable"), "}();")
        self.loops = loops

    def alias(self, depth):
        name = self.fresh("q")
        self.add(depth, self.one(f"int *{name} = {self.target()} + ({self.index()});",
                                 f"int *{name} = &{self.target()}[{self.index()}];",
                                 f"auto {name} = {self.condition()} ? y : z;"))
        self.aliases.append(name)
        self.statement(depth)

    def statement(self, depth):
        if depth <= 3 and self.left > 0:
            pick = self.rng.random()
            for chance, make in ((0.20, self.whole), (0.07, self.in_lambda), (0.10, self.alias), (0.10, self.switch)):
                pick -= chance
                if pick < 0:
                    self.left -= 1
                    return make(depth)
        return super().statement(depth)

    def switch(self, depth):
        self.add(depth, f"switch ({self.counter()}) {{")
        self.add(depth, f"case {self.rng.randint(0, 2)}:")
        self.store(depth + 1)
        self.add(depth + 1, self.one("break;", ""))
        self.add(depth, "default:")
        self.store(depth + 1)
        self.add(depth, "}")

    def plain(self, name):
        """One loop over 0..n or a part of it, that touches elements at k + c."""
        low = self.one(0, 0, 0, 1, 2)
        size = self.one("n", "m")
        high = self.one(size, size, size, f"{size} - 1", f"{size} + 1", f"2 * {size}")
        back = self.rng.random() < 0.15
        head = f"for (int k = {high} - 1; k >= {low}; k--)" if back else f"for (int k = {low}; k < {high}; k++)"
        at = self.one("k", "k", "k", "k + 1", "k - 1", "k + 2", "2 * k", f"k + {size}")
        does = self.one(f"y[{at}] = 1;", f"y[{at}] = x[k];", f"y[{at}] += x[k];", f"y[{at}] = x[k - 1] + x[k + 1];",
                        f"y[{at}] = y[{at}] + 1;", f"z[{at}] = y[k];", f"y[{at}] = x[{at}]; z[k] = 1;", f"y[{at}]++;",
                        f"s[k].a = 1; s[k].b = x[{at}];", f"put(y, {at});", f"y[{at}] = get(x, k);")
        self.lines = [f"  {head} {{", "    " + does, "  }"]
        return self.text_of(name)

    def text_of(self, name):
        return name, "\n".join(self.lines)

    def body(self, name):
        return self.text_of(super().body(name).name)
