#!/usr/bin/env python3
"""What is inferred of the corpus, whatever its variables are called.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: names.py --hsched-cc PATH --work FOLDER [--programs N] [--seed N | --random-seed] [--compile N] FILE...

Programs are made of the functions in FILE..., twice each: once every variable has a name of its own, and once all names
come from a few, so that parameters, members, locals, globals and those of namespaces are called alike wherever C++ lets
them. The forms:

  parameter   the function itself is the task
  helper      the task hands its parameters to the function, which calls them otherwise
  global      the function takes a bound from a global, and the task has a parameter of its name
  namespace   the same, and the global is of a namespace that the task's own has a twin of
  member      the same of a member of the object that the task is called on
  base        the same of a member of a base, which the class hides
  template    the same of a global, and the task is a template over a number of its name
  static      the same, and the task is a static member of a class that has a static of its name
  local       the task is a statement behind a local variable of its name
  shadowed    the task is a statement in blocks that each have a variable of its name
  private     the bound is a private member of a parameter, which a member function returns
  unnamed     the same of a global in a namespace without a name
  object      the bound is a member of a global object, and the task has a parameter of the object's name
  function    the bound is a static of the function, and the task has a parameter of its name
  using       the same of a namespace's, which a using declaration brings into another one
  pattern     the same of a member of a class template, whose parameter is a number of any name

Functions and classes of the second kind of program are called like some of the library.

Both have to be answered alike, clause by clause and error by error, each name in the answers being taken for what it
means where the task stands. Each some are in another standard, strict or with GNU's extensions. The programs that hsched-cc
accepts are then compiled, with --compile N about N of them. A failure shows the program; the
sources are kept in FOLDER.
"""
import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sections import split
import seeds

POOL = ["get_n0", "padlen", "std_n1", "tmp_mn", "lda_k2", "this_n", "size_q", "n_glob", "mystd0", "id_get", "in_out", "hsched",
        "target_n", "widget_count", "launchpad", "ipaddr", "mystd", "budget", "get_", "in", "out", "inout", "size", "data",
        "begin", "end", "min", "max", "n", "m", "i", "count", "args", "taskwait", "device", "kernel", "local", "shared", "omp_in",
        "n_", "_n", "x0", "Anything", "operator_n", "sizeof_n", "nullptr_n", "lambda", "gr", "größe", "größen", "n$", "$n", "é", "né",
        "数", "个数"]
# What functions and classes are called, though they are not the library's: each is in a namespace of its own.
FUNCTIONS = ["fill", "copy", "swap", "move", "get", "sort", "memset_n", "transform", "reset", "forward", "free_all", "update"]
CLASSES = ["vector", "array", "span", "string", "atomic", "pair", "tile", "Node", "mutex", "optional"]
NUMBER = re.compile(r"^(const )?(int|long|std::size_t|size_t|unsigned|std::ptrdiff_t) \w+$")
WORD = r"(?<![\w.'\\])(?<!->)"  # The start of a name that is no member's.
STANDARDS = ["98", "11", "14", "17", "20", "23"]
FROM = {"cxx": "20", "control": "11", "image": "11", "owners": "11", "text": "11"}  # The first that the file is in.
FORMS = ["parameter", "helper", "global", "namespace", "member", "base", "template", "static", "local", "shadowed",
         "private", "unnamed", "object", "function", "using", "pattern"]


class Function:
    def __init__(self, file, name, params, body):
        self.file, self.name, self.body = file, name, body
        self.params = params  # (Text, name).
        self.called = set(re.findall(r"(\w+)\(", file.read_text()))  # The file's functions, and what they call.
        self.numbers = [n for t, n in params if NUMBER.match(t)
                        and not any(re.search(rf"\b{n}\b", o) for o, m in params if m != n)
                        and not re.search(rf"&{n}\b|(?<![\w.]){n} ?([-+*/%]|<<|>>)?=[^=]|\b{n}(\+\+|--)|(\+\+|--){n}\b", body)]
        declared = re.findall(r"\b(?:int|long|unsigned|float|double|char|bool|auto|(?:std::)?size_t|std::ptrdiff_t)"
                              r"(?: const)? [*&]*(?:__restrict )?(\w+)(?= =|;|\[| :|\()", body)
        self.locals = sorted({d for d in declared} - {n for _, n in params})


def functions(path):
    text = path.read_text()
    for m in re.finditer(r"^// expect: .*\n(?:(?://|\[).*\n)*(?:static |inline )?void (\w+)\(", text, re.M):
        at = m.end()
        depth = 1
        while depth:
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
        head = " ".join(text[m.end():at - 1].split())
        if not re.match(r"\s*(noexcept\s*)?\{", text[at:]):
            continue
        start = end = text.index("{", at)
        depth = 0
        while True:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
            if not depth:
                break
        params = []
        for p in split(head):
            named = re.search(r"\(\s*[*&]\s*(?:const |__restrict )?(\w+)\s*\)", p) or \
                re.search(r"[\s*&](\w+)\s*(?:\[[^\]]*\]\s*)*$", p)
            if not named or "=" in p:
                break
            params.append((p, named[1]))
        else:
            if params and m[1] not in [n for _, n in params]:
                yield Function(path, m[1], params, text[start:end])


class Names:
    """Hands out names: to entities of one scope different ones. Taken: words that keep their meaning."""

    def __init__(self, rng, unique, prefix, taken):
        self.rng, self.unique, self.prefix, self.count, self.taken = rng, unique, prefix, 0, taken
        free = [p for p in POOL if p not in taken]
        self.pool = rng.sample(free, min(12, len(free)))  # Few, so that they meet.

    def of(self, pool, default):
        return default if self.unique else self.rng.choice([p for p in pool if p not in self.taken])

    def some(self, n, without=()):
        if self.unique:
            self.count += n
            return [f"{self.prefix}{self.count - n + i:02}" for i in range(n)]
        free = [p for p in self.pool if p not in without]
        more = [f"{self.prefix}{i:02}" for i in range(max(0, n - len(free)))]
        return self.rng.sample(free, min(n, len(free))) + more


def renamed(text, to):
    return re.sub(WORD + r"(%s)\b" % "|".join(map(re.escape, to)), lambda m: to[m[1]], text) if to else text


Program = collections.namedtuple("Program", "form text scopes inner")


def program(f, number, form, rng, unique):
    """Scopes: what a name in an answer means, innermost first; of what is qualified by the key."""
    own = [n for _, n in f.params]
    kept = set(re.findall(r"\w+", f.body + " ".join(t for t, _ in f.params))) - set(own) - set(f.locals) | f.called
    names = Names(rng, unique, "uvw_", kept)
    space = f"p{number}{'u' if unique else 'c'}"
    fun = names.of(FUNCTIONS, f"fun_{number}")
    S, B, D = [names.of(CLASSES[i::3], "SBD"[i]) for i in range(3)]
    bound = f.numbers[number % len(f.numbers)] if form not in ("parameter", "helper") else None
    passed = [n for n in own if n != bound]
    # The function: of its parameters and locals none hides the bound.
    outer = holder = names.some(1)[0]
    inner = names.some(len(passed) + len(f.locals), without=[outer])
    to = dict(zip(passed + f.locals, inner))
    if bound:
        holder = names.some(1, without=inner)[0]
        to[bound] = f"{holder}.{outer}()" if form == "private" else f"{holder}.{outer}" if form == "object" else outer
    text = {n: t for t, n in f.params}
    params = lambda which, to: ", ".join(renamed(text[n], {**{k: k for k in own}, **to}) for n in which)
    function = f"void {fun}({params(passed, to)}) {renamed(f.body, to)}"
    constant = function.replace(") {", ") const {", 1)
    # The task: its parameters, and one more of the bound's name.
    mine = dict(zip(passed, names.some(len(passed), without=[outer, holder] if not unique else [])))
    extra = names.some(1)[0] if unique else holder if form == "object" else outer
    call = f"{fun}({', '.join('std::move(%s)' % mine[n] if '&&' in text[n] else mine[n] for n in passed)});"
    scope = {v: k for k, v in mine.items()}
    qualified = {"::": {}, "this->": {}, f"{space}::q::": {}, "q::": {}}
    pragma = "\n#pragma hsched task\n"
    head = params(passed, mine) + f", int {extra}"
    use = f"(void){extra}; "
    before = ""
    rest = {}
    if form in ("global", "template", "static", "local", "shadowed", "namespace"):
        rest = {outer: bound}
        qualified["::"] = {outer: bound}
        if form == "namespace":
            qualified["::"] = {}
            qualified[f"{space}::q::"] = qualified["q::"] = qualified[f"::{space}::q::"] = {outer: bound}
    if form == "parameter":
        to = dict(zip(own + f.locals, inner_all := names.some(len(own) + len(f.locals))))
        scope = {to[n]: n for n in own}
        out = pragma + f"void task({params(own, to)}) {renamed(f.body, to)}\n"
    elif form == "helper":
        head = head if extra not in mine.values() else params(passed, mine)
        out = f"static {function}\n" + pragma + f"void task({head}) {{ {space}::{call} }}\n"
    elif form == "global":
        out = f"static {function}\n" + pragma + f"void task({head}) {{ {use}{space}::{call} }}\n"
        rest = {}
    elif form == "namespace":
        before = f"namespace {space} {{ namespace q {{ extern const int {outer};\n" \
            f"const int {outer} = number(); static {function} }} }}\n"
        twin = extra if not unique else names.some(1)[0]
        other = names.some(1)[0] if unique else outer
        out = f"namespace r {{ namespace q {{ const int {twin} = 3; }}\nconst int {other} = 4;\n" + pragma + \
            f"void task({params(passed, mine)}) {{ {space}::q::{call} }} }}\n"
        rest = {}
    elif form == "member":
        out = f"struct {S} {{ const int {outer}; {S}(int h) : {outer}(h) {{}}\n{constant}\n" + pragma + \
            f"void task({head}) const {{ {use}{call} }} }};\n"
        rest = {}
        qualified["this->"] = {outer: bound}
    elif form == "base":
        out = f"struct {B} {{ const int {outer}; {B}(int h) : {outer}(h) {{}}\n{constant} }};\n" + \
            f"struct {S} : {B} {{ const int {extra}; {S}(int h) : {B}(h), {extra}(h) {{}}\n" + pragma + \
            f"void task({params(passed, mine)}) const {{ {call} }} }};\n"
        rest = {extra: "?"} if extra == outer else {outer: bound}
        qualified["this->"] = {outer: bound} if extra != outer else {}
        qualified[f"this->{B}::"] = {outer: bound}
    elif form == "template":
        out = f"static {function}\n" + pragma + \
            f"template <int {extra}> void task({params(passed, mine)}) {{ {use}{space}::{call} }}\n" + \
            f"template void task<3>({params(passed, mine)});\n"
        if extra == outer:
            rest = {}
    elif form == "static":
        out = f"static {function}\nstruct {S} {{ static const int {extra};\n" + pragma + \
            f"static void task({params(passed, mine)}) {{ {space}::{call} }} }};\nconst int {S}::{extra} = number();\n"
        if extra == outer:
            rest = {}
    elif form == "local":
        out = f"static {function}\nvoid host({params(passed, mine)}) {{ int {extra} = 3; {use}\n" + pragma + \
            f"{{ {space}::{call} }}\n#pragma hsched taskwait\n}}\n"
        if extra == outer:
            rest = {}
    elif form == "shadowed":
        again = extra if not unique else names.some(1)[0]
        out = f"static {function}\nvoid host({params(passed, mine)}) {{ if (int {extra} = number()) {{\n" + \
            f"for (int {again} = 0; {again} < 1; ++{again})\n" + \
            pragma + f"{{ {space}::{call} }}\n{use}}}\n#pragma hsched taskwait\n}}\n"
        if extra == outer:
            rest = {}
    elif form == "private":
        held = names.some(1, without=list(mine.values()))[0]
        out = f"class {D} {{ int h_; public: {D}(int h) : h_(h) {{}} int {outer}() const {{ return h_; }} }};\n" + \
            f"static {function.replace('(', f'({D} ' + holder + ', ', 1)}\n" + pragma + \
            f"void task({D} {held}, {params(passed, mine)}) {{ {space}::{call.replace('(', '(' + held + ', ', 1)} }}\n"
        scope[held] = "D"
        qualified["D."] = {outer + "()": bound}
    elif form == "unnamed":
        before = f"namespace {space} {{ namespace {{ const int {outer} = number(); }} }}\n"
        out = f"static {function}\n" + pragma + f"void task({head}) {{ {use}{space}::{call} }}\n"
        rest = {outer: bound} if extra != outer else {}
        qualified[f"{space}::"] = qualified[f"::{space}::"] = {outer: bound}
    elif form == "object":
        out = f"static struct {D} {{ int {outer}; }} {holder} = {{number()}};\nstatic {function}\n" + pragma + \
            f"void task({head}) {{ {use}{space}::{call} }}\n"
        rest = {holder: "D"} if extra != holder else {}
        qualified[f"{space}::"] = qualified[f"::{space}::"] = {holder: "D"}
        qualified["D."] = {outer: bound}
    elif form == "function":
        held = function.replace(") {", f") {{ static const int {outer} = number(); ", 1)
        out = f"static {held}\n" + pragma + f"void task({head}) {{ {use}{space}::{call} }}\n"
    elif form == "using":
        before = f"namespace {space} {{ namespace q {{ extern const int {outer};\nconst int {outer} = number(); }}\n" \
            f"using q::{outer};\nstatic {function} }}\n"
        out = pragma + f"void task({head}) {{ {use}{space}::{call} }}\n"
        rest = {outer: bound} if extra != outer else {}
        for where in ("", "q::"):
            qualified[f"{space}::{where}"] = qualified[f"::{space}::{where}"] = {outer: bound}
        qualified["q::"] = {outer: bound}
    elif form == "pattern":
        number_ = names.some(1)[0] if unique else \
            rng.choice([p for p in POOL if p not in kept and p not in [outer, extra, *inner, *mine.values()]])
        out = f"template <int {number_}> struct {S} {{ const int {outer}; {S}(int h) : {outer}(h) {{}}\n{constant}\n" + \
            pragma + f"void task({head}) const {{ {use}this->{call} }} }};\ntemplate struct {S}<3>;\n"
        qualified["this->"] = {outer: bound}
    scopes = [scope, rest]
    text = before + f"namespace {space} {{ {out} }}\n"
    known = outer if form in ("global", "template", "static", "local", "shadowed") else None
    return Program(form, text, (scopes, qualified), {fun: "fun", **{v: k for k, v in to.items()}}), known


def meaning(text, scopes):
    """The answer with what each name means in place of it."""
    scopes, qualified = scopes

    def word(m):
        name, bare = m[0], re.sub(r"^.*(::|->)", "", m[0])
        prefix = name[:-len(bare)]
        if prefix:
            return f"<{qualified.get(prefix, {}).get(bare, name)}>"
        for scope in scopes:
            if bare in scope:
                return f"<{scope[bare]}>"
        return f"<{qualified['::'].get(bare, name)}>" if bare in qualified["::"] else \
            f"<{qualified['this->'][bare]}>" if bare in qualified["this->"] else \
            f"<{qualified['q::'][bare]}>" if bare in qualified["q::"] else name
    text = re.sub(r"(?<=\S): ::", ":::", text)  # A section has a blank only before a name that begins so.
    out = re.sub(r"(?<![\w$.])(?:this->|::)?(?!\d)[\w$]+(?:::[\w$]+)*", word, text)
    return re.sub(r"<D>\.([\w$]+(?:\(\))?)", lambda m: f"<{qualified['D.'].get(m[1], m[1])}>" if "D." in qualified else m[0], out)


def answer(text, p):
    """The same of all that is said. The reason of an error may be in the function's words, so that names do not count there."""
    m = re.match(r"error: (?:the extent of '(.*?)' cannot be inferred: )?(.*?)(?:; write it, for example .*)?$", text)
    if not m:
        role, inside = text.split("(", 1)
        return role + "(" + meaning(inside, p.scopes)
    scopes, qualified = p.scopes
    ours = {word for names in [p.inner, *scopes, *qualified.values()] for n in names for word in re.findall(r"[\w$]+", n)} | set(POOL)
    why = re.sub(r"(?:this->|::|[\w$]+::)*([\w$]+)", lambda w: "_" if w[1] in ours else w[0], m[2])
    return f"error: {meaning(m[1] or '', p.scopes)}: {why}"


def answers(said, lines):
    """By program: what is said in its lines."""
    found = collections.defaultdict(list)
    for m in re.finditer(r"^[^\n:]+:(\d+):\d+: (remark|error|warning): (.*)$", said, re.M):
        number = lines(int(m[1]))
        if m[2] == "remark":
            clause = re.match(r"task '[^']*': (\w+\(.*\)) is inferred", m[3])
            if clause:
                found[number].append(clause[1])
        elif m[2] == "error":
            found[number].append("error: " + m[3])
    return found


def batch(options, rng, which, file, number, kept, compiled):
    """Makes, compares, compiles; returns the number of programs and of differences."""
    standard = rng.choice(["c++", "gnu++"]) + rng.choice(STANDARDS[STANDARDS.index(FROM.get(file.stem, "98")):])
    include = f'#include "{file.resolve()}"\n#include <utility>\nint number();\n'
    pairs = []
    for f, form in which:
        seed = rng.random()
        pairs.append([program(f, number + len(pairs), form, random.Random(seed), unique) for unique in (True, False)])
    said, starts, texts = {}, {}, {}
    for kind in (0, 1):
        globals_ = sorted({p[kind][1] for p in pairs if p[kind][1]})
        text = include + "".join(f"extern const int {g}; const int {g} = number();\n" for g in globals_)
        starts[kind] = []
        for p in pairs:
            starts[kind].append(text.count("\n") + 1)
            text += p[kind][0].text
        path = kept / f"{file.stem}_{number}_{'uc'[kind]}.cpp"
        path.write_text(text)
        texts[kind] = path
        run = subprocess.run([options.hsched_cc, f"-std={standard}", "-w", "-ferror-limit=0", "--hsched-explain",
                              "--hsched-emit=source", str(path), "-o", str(path) + ".out"],
                             capture_output=True, text=True)
        found = lambda line, s=starts[kind]: max([i for i, at in enumerate(s) if at <= line], default=-1)
        said[kind] = answers(run.stderr, found)
        if run.returncode not in (0, 1) or len(said[kind]) < len(pairs) / 2 or said[kind].get(-1):
            print(f"{path}: -std={standard}: exit code {run.returncode}\n{run.stderr[-3000:]}")
            return len(pairs), 1, 0, 0, 0
    bad = refused = silent = 0
    good = []
    for i, pair in enumerate(pairs):
        both = []
        for kind in (0, 1):
            p = pair[kind][0]
            both.append(sorted(answer(a, p) for a in said[kind].get(i, [])))
        error = any(a.startswith("error") for a in both[0])
        same = both[0] == both[1]
        silent += not both[0]
        refused += error
        if not error and same:
            good.append(i)
        if not same:
            bad += 1
            print(f"--- {pair[0][0].form} of {which[i][0].name}: {texts[1]}\n{pair[1][0].text}\n"
                  f"unique {said[0].get(i, [])}\n= {both[0]}\ncolliding {said[1].get(i, [])}\n= {both[1]}\n")
    if compiled >= options.compile:
        good = []
    if good:
        globals_ = sorted({pairs[i][1][1] for i in good if pairs[i][1][1]})
        path = kept / f"{file.stem}_{number}_ok.cpp"
        path.write_text(include + "".join(f"extern const int {g}; const int {g} = number();\n" for g in globals_) +
                        "".join(pairs[i][1][0].text for i in good))
        run = subprocess.run([options.hsched_cc, f"-std={standard}", "-w", "-O0", "-c", str(path), "-o", str(path) + ".o"],
                             capture_output=True, text=True)
        if run.returncode:
            bad += 1
            print(f"{path}: -std={standard}: what is generated does not compile\n{run.stderr[:3000]}")
        pathlib.Path(str(path) + ".o").unlink(missing_ok=True)
    return len(pairs), bad, refused, len(good), silent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hsched-cc", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=300)
    seeds.add_options(parser)
    parser.add_argument("--compile", type=int, default=sys.maxsize)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.seed = options.seed or [1]
    return seeds.try_all("names", options, try_seed)


def try_seed(seed, options):
    rng = random.Random(seed)
    print(f"seed {seed}")
    kept = options.work / f"names{seed}"
    kept.mkdir(parents=True, exist_ok=True)
    by_file = {file: list(functions(file)) for file in options.files}
    counts = [0] * 5
    while counts[0] < options.programs:
        for file, all_of in by_file.items():
            which = []
            for f in all_of:
                forms = FORMS if f.numbers else FORMS[:2]
                which += [(f, form) for form in rng.sample(forms, min(len(forms), 3))]
            which = rng.sample(which, min(len(which), options.programs - counts[0], 60))
            if not which:
                continue
            got = batch(options, rng, which, file, counts[0], kept, counts[3])
            counts = [a + b for a, b in zip(counts, got)]
    print(f"{counts[0]} programs, {counts[1]} answered otherwise, {counts[2]} refused whatever the names, "
          f"{counts[3]} compiled, {counts[4]} with no answer")
    return counts[1] == 0


sys.exit(main())
