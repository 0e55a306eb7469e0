#!/usr/bin/env python3
"""Files that are unusual and valid, beside what they compute; and unusual ones that cannot be.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: odd.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import sys

import harness
from harness import Skip, expect, load, main, report, run, succeeds, write

KERNELS = """
kernel void inc(global float *x, float by) { x[get_global_id(0)] += by; }
kernel void add(global const float *a, global const float *b, global float *c) { int i = get_global_id(0); c[i] = a[i] + b[i]; }
kernel void scale(global const float *a, global float *b, float by) { int i = get_global_id(0); b[i] = a[i] * by; }
kernel void both(global float *x, global const float *y) { int i = get_global_id(0); x[i] = x[i] * 10 + y[i]; }
"""


def kernel(id, name, *args, src="k.cl", size=8, **more):
    return {"id": id, "name": name, "src": src, "global": [size], "args": list(args), **more}


def buffer(role, size=8, **more):
    return {"role": role, "type": "float", "size": size, **more}


def named(role, name):
    return {"role": role, "buffer": name}


def number(value):
    return {"role": "value", "type": "float", "value": value}


def file(kernels, **more):
    write("k.cl", KERNELS)
    return write("dag.json", {"hsched-dag": 1, "kernels": kernels, **more})


def case_equal_names_in_two_sources():
    write("other/k.cl", "kernel void inc(global float *x, float by) { x[get_global_id(0)] -= by; }\n")
    x = {"type": "float", "size": 8, "init": {"constant": 1}, "output": "x.npy"}
    succeeds(file([kernel("a", "inc", named("io", "x"), number(5)), kernel("b", "inc", named("io", "x"), number(2), src="other/k.cl")], buffers={"x": x}))
    expect(load("x.npy") == [4] * 8, f"{load('x.npy')}")
    # A function of one source that is built in four ways.
    write("m.cl", "#ifndef K\n#define K 1\n#endif\nkernel void mul(global float *x) { x[get_global_id(0)] *= K; }\n")
    of = lambda id, **more: kernel(id, "mul", buffer("io", init={"constant": 1}, output=f"{id}.npy"), src="m.cl", **more)
    succeeds(file([of("a", macros={"K": "N"}), of("b", macros={"K": "N"}, symbols={"N": 3}), of("c"), of("d", options="-DK=9")], symbols={"N": 2}), "-D", "N=5")
    got = [load(f"{k}.npy")[0] for k in "abcd"]
    expect(got == [5, 3, 1, 9], f"{got}")


def case_one_buffer_for_several_arguments():
    x, y = {"type": "float", "size": 8, "init": {"constant": 1}, "output": "x.npy"}, {"type": "float", "size": 8, "output": "y.npy"}
    succeeds(file([kernel("a", "add", named("in", "x"), named("in", "x"), named("out", "y")), kernel("b", "add", named("in", "y"), named("in", "x"), named("out", "x"))],
                  buffers={"x": x, "y": y}))
    expect(load("x.npy") == [3] * 8 and load("y.npy") == [2] * 8, f"{load('x.npy')} {load('y.npy')}")
    p = kernel("p", "scale", buffer("in", init={"constant": 3}), buffer("out"), number(2))
    succeeds(file([p, kernel("s", "add", buffer("in"), buffer("in"), buffer("out", output="s.npy"))], edges=[["p", 1, "s", 0], ["p", 1, "s", 1]]))
    expect(load("s.npy") == [12] * 8, f"{load('s.npy')}")
    succeeds(file([p, kernel("s", "both", buffer("io", output="s.npy"), buffer("in"))], edges=[["p", 1, "s", 0], ["p", 1, "s", 1]]))
    expect(load("s.npy") == [66] * 8, f"the old value is read: {load('s.npy')}")
    # Two updates of one output, which is a result itself.
    write_result = lambda id: buffer("io", output=f"{id}.npy")
    succeeds(file([kernel("p", "scale", buffer("in", init={"constant": 3}), buffer("out", output="p.npy"), number(2)),
                   kernel("q", "inc", write_result("q"), number(1)), kernel("r", "inc", write_result("r"), number(2)),
                   kernel("s", "add", buffer("in"), buffer("in"), buffer("out", output="s.npy"))],
                  edges=[["p", 1, "q", 0], ["p", 1, "r", 0], ["q", 0, "s", 0], ["r", 0, "s", 1]]), "--repeat=3")
    got = [load(f"{k}.npy")[0] for k in "pqrs"]
    expect(got == [6, 7, 8, 15], f"{got}")


def case_a_tree_in_each_way():
    """A sum of 32 data, in components of several sizes, with several queues and policies."""
    kernels = [kernel(f"s{i}", "scale", buffer("in", init={"constant": i}), buffer("out"), number(2)) for i in range(32)]
    level, edges, position = [k["id"] for k in kernels], [], {}
    while len(level) > 1:
        above = []
        for left, right in zip(level[::2], level[1::2]):
            id = f"{left}+{right}" if len(level) > 8 else f"t{len(kernels)}"
            kernels.append(kernel(id, "add", buffer("in"), buffer("in"), buffer("out")))
            edges += [[left, position.get(left, 1), id, 0], [right, position.get(right, 1), id, 1]]
            position[id] = 2
            above.append(id)
        level = above
    kernels[-1]["args"][2]["output"] = "sum.npy"
    ids = [k["id"] for k in kernels]
    for components in (None, [ids], [[i] for i in ids], [ids[:20], ids[20:32]]):
        file(kernels, edges=edges, **({"components": components} if components else {}))
        for options in ([], ["--queues=4"], ["--sched=heft"], ["--sched=eager"], ["--beside=3"]):
            succeeds("dag.json", *options)
            expect(load("sum.npy") == [2 * sum(range(32))] * 8, f"{options} {components}: {load('sum.npy')}")
            write("sum.npy", "")


def case_a_long_component():
    x = {"type": "float", "size": 8, "output": "x.npy"}
    kernels = [kernel(i, "inc", named("io", "x"), number(1)) for i in range(2000)]
    succeeds(file(kernels, buffers={"x": x}, components=[[k["id"] for k in kernels[begin:begin + 500]] for begin in range(0, 2000, 500)]))
    expect(load("x.npy") == [2000] * 8, f"{load('x.npy')}")


def case_symbols_in_all_fields():
    write("n.cl", "kernel void fill(global float *x, float by, int n, local int *room) { room[get_local_id(0)] = n; x[get_global_id(0)] += by * room[get_local_id(0)]; }\n")
    succeeds(write("dag.json", {"hsched-dag": 1, "symbols": {"N": 16, "H": "N // 2", "P": "1 if N > 8 else 0"}, "queues": {"all": "P + 1"},
                                "buffers": {"x": {"type": "float", "size": "N", "init": {"constant": "H"}, "output": "x.npy"},
                                            "r": {"type": "float", "size": "max(N, 1)", "init": {"random": "P", "low": "H", "high": "H + P"}, "output": "r.npy"}},
                                "kernels": [{"id": "a", "name": "fill", "src": "n.cl", "global": ["N"], "local": ["min(H, 4)"], "cost": "N ** 2", "priority": "-P",
                                             "macros": {"M": "N % 3"}, "symbols": {"own": "N"}, "args": [
                                                 {"role": "io", "buffer": b}, number("0.5" if b == "x" else "P * 0"), {"role": "value", "type": "int", "value": "own - 1"},
                                                 {"role": "local", "type": "int", "size": "min(H, 4)"}]} for b in ("x",)]
                                + [{"id": "b", "name": "fill", "src": "n.cl", "global": ["N"], "local": [1], "args": [
                                    {"role": "io", "buffer": "r"}, number(0), {"role": "value", "type": "int", "value": 0}, {"role": "local", "type": "int", "size": 1}]}]}),
             "-D", "N=12")
    expect(load("x.npy") == [6 + 5.5] * 12 and all(6 <= v < 7 for v in load("r.npy")) and len(set(load("r.npy"))) > 6, f"{load('x.npy')} {load('r.npy')}")


def case_what_no_kernel_writes():
    """A result that no kernel writes is what the file says that it begins as."""
    succeeds(file([kernel("a", "scale", buffer("in", init={"constant": 4}, output="in.npy"), buffer("out", output="out.npy"), number("1e3"))],
                  buffers={"never": {"type": "float", "size": 4, "init": {"constant": 7}, "output": "never.npy"}}))
    got = [set(load(f"{name}.npy")) for name in ("in", "out", "never")]
    expect(got == [{4}, {4000}, {7}], f"{got}")


def case_names():
    """Ids that are numbers, or have letters of any kind."""
    odd = "\u00fc/\"\\ <&>"
    kernels = [kernel(5, "inc", buffer("io", init={"constant": 1}), number(1)), kernel("5 ", "inc", buffer("io"), number(1)), kernel(odd, "inc", buffer("io"), number(1))]
    file(kernels, edges=[[5, 0, "5 ", 0], ["5 ", 0, odd, 0]], components=[[5, "5 "], [odd]])
    facts = report("dag.json", "--output=o", "--gantt=g.svg", "--graph=g.dot", "--trace=t.json")
    expect(list(facts["results"]) == [odd + ".0"] and load(facts["results"][odd + ".0"]) == [4] * 8, f"{facts}")
    # Nothing that a terminal obeys is written.
    odd = "\x1b[31m\nred\x7f"
    file([kernel("first", "inc", buffer("io"), number(1)), kernel(odd, "inc", buffer("io"), number(1))], edges=[["first", 0, odd, 0]])
    for option in ("--dry-run", "--dot", "--quiet"):
        done = succeeds("dag.json", option)
        expect(all(line.isprintable() for line in (done.stdout + done.stderr).split("\n")), f"{option}", done)
    # A buffer that has the name of a kernel's argument: both would have one name in --report and in programs.
    file([kernel("a", "inc", buffer("io"), number(1)), kernel("b", "inc", named("io", "a.0"), number(1))], buffers={"a.0": {"type": "float", "size": 8}})
    done = run("dag.json", "--dry-run")
    expect(done.returncode == 1 and "dag.json:" in done.stderr and "buffers.a.0: the buffer has the name of argument 0 of kernel 'a'" in done.stderr, "a name for two", done)
    succeeds(file([kernel("b", "inc", named("io", "b.0"), number(1))], buffers={"b.0": {"type": "float", "size": 8}}), "--dry-run")


def case_a_kernel_in_an_included_file():
    """Messages have the file and the line where the kernel is."""
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    write("sub/inc.h", "struct s { int i; };\n\nkernel void twice(global float *x, struct s by) { x[get_global_id(0)] *= by.i; }\n")
    write("sub/k.cl", '#include "inc.h"\n')
    for role, value, why in (("in", [["int", 2]], "is an input here, but kernel 'twice' (sub/inc.h:3) writes it"),
                             ("io", [["float", 2]], "of kernel 'twice' (sub/inc.h:3) has member 'i'"), ("io", [["int", 2]], "kernel 'twice' (sub/inc.h:3) may reach 9")):
        arguments = [buffer(role, 8), {"role": "value", "type": "struct 4", "value": value}]
        done = run(file([kernel("k", "twice", *arguments, src="sub/k.cl", size=9)]), "--dry-run")
        expect(why in done.stderr, why, done)


def case_numbers_that_are_no_integers():
    """A symbol is an integer: a message says so."""
    for value in (0.5, "0.5", "2.5 + 1"):
        file([kernel("a", "inc", buffer("io"), number("A"))], symbols={"A": value})
        done = run("dag.json", "--dry-run")
        expect(done.returncode == 1 and "symbols.A: " in done.stderr and f"'{str(value).split()[0]}' is not an integer" in done.stderr, f"{value}", done)
    done = run(file([kernel("a", "inc", buffer("io", "007"), number(1))]), "--dry-run")
    expect("an octal number is written 0o17" in done.stderr, "an octal number", done)
    succeeds(file([kernel("a", "inc", buffer("io", "0x8"), number("0.5"))]), "--dry-run")


def case_integers_of_64_bits():
    """Integers are exact, in arguments and in what data begin as. The least one may be written."""
    least, greatest = -1 << 63, (1 << 63) - 1
    write("l.cl", "kernel void set(global long *x, long by) { x[get_global_id(0)] = by; }\n"
                  "kernel void keep(global const long *x, global long *y) { y[get_global_id(0)] = x[get_global_id(0)]; }\n")
    for given, wanted in ((least, least), ("-9223372036854775808", least), (greatest, greatest), ("A", least), ("A + 1 if A < 0 else 0", least + 1),
                          ((1 << 53) + 1, (1 << 53) + 1), ("2**62 + 1", (1 << 62) + 1), (-3, -3), ("0x7fffffffffffffff", greatest)):
        size = {"type": "long", "size": 4}
        succeeds(write("dag.json", {"hsched-dag": 1, "symbols": {"A": least}, "kernels": [
            kernel("s", "set", {"role": "out", **size, "output": "s.npy"}, {"role": "value", "type": "long", "value": given}, src="l.cl", size=4),
            kernel("k", "keep", {"role": "in", **size, "init": {"constant": given}}, {"role": "out", **size, "output": "k.npy"}, src="l.cl", size=4)]}))
        expect(load("s.npy") == load("k.npy") == [wanted] * 4, f"{given}: {load('s.npy')} {load('k.npy')}")
    again = json.loads(succeeds("--convert", "dag.json").stdout)
    expect(again["symbols"] == {"A": str(least)}, f"{again['symbols']}")
    for constant, fits in ((1e18, True), (2.0 ** 63, False), (-(2.0 ** 63), True), ("1e3", True), ("5f", False)):
        write("dag.json", {"hsched-dag": 1, "kernels": [kernel("k", "keep", {"role": "in", **size, "init": {"constant": constant}},
                                                                {"role": "out", **size, "output": "k.npy"}, src="l.cl", size=4)]})
        done = run("dag.json")
        expect(done.returncode != fits and (not fits or load("k.npy") == [int(float(constant))] * 4), f"{constant}", done)


def case_symbols_in_any_order():
    """Symbols need each other, in a file, in a kernel and on the command line."""
    one = kernel("a", "inc", buffer("io", "E", output="a.npy"), number("A"), size="E", symbols={"E": "F + 1", "F": "C // 2"})
    file([one], symbols={"A": "B * 2", "B": "C - D", "D": 3, "C": 5})
    succeeds("dag.json")
    expect(load("a.npy") == [4.0] * 3, f"{load('a.npy')}")
    succeeds("dag.json", "-D", "C=X+1", "-D", "X=Y", "-D", "Y=6")
    expect(load("a.npy") == [8.0] * 4, f"{load('a.npy')}")
    # A kernel's own symbols go before those of the file, and may be computed from them.
    one["symbols"] = {"E": "F + 1", "F": "C // 2", "C": "C * 2"}
    succeeds(file([one], symbols={"A": 1, "C": 5, "F": 100}))
    expect(load("a.npy") == [1.0] * 6, f"{load('a.npy')}")
    one["symbols"] = {"E": "F + 1", "F": "C // 2"}
    for symbols, field, why in (({"A": "B", "B": "C", "C": "A"}, "symbols.C", "'A': symbols 'A' and 'C' need each other"), ({"A": "A", "C": 5}, "symbols.A", "'A': symbol 'A' has no value"),
                                ({"A": "B", "B": "1 // 0", "C": 5}, "symbols.B", "'1 // 0': it divides by 0")):
        done = run(file([one], symbols=symbols))
        expect(done.returncode == 1 and f": {field}: {why}" in done.stderr and done.stderr.count("\n") == 1, why, done)
    file([one], symbols={"C": 5})
    for given, why in (("A=B", "-D B=B: 'B': symbol 'B' has no value"), ("A=1//B", "-D B=B: ")):
        done = run("dag.json", "-D", given, "-D", "B=B")
        expect(done.returncode == 1 and why in done.stderr, why, done)
    n = 20000  # A long chain, the wrong way round.
    succeeds(file([one], symbols={"C": 5, **{f"s{i}": f"s{i + 1}" for i in range(n)}, f"s{n}": 1, "A": "s0"}))


def case_headers_in_a_folder_with_a_blank():
    write("my folder/sub dir/two.h", "#define TWO 2\n")
    write("my folder/sub dir/k.cl", '#  include "two.h"\nkernel void set(global float *x) { x[get_global_id(0)] = TWO; }\n')
    write("my folder/sub dir/dag.json", {"hsched-dag": 1, "kernels": [kernel("k", "set", buffer("out", output="y.npy"))]})
    write("k.h", '#define TWO 2\n')
    work = harness.WORK
    try:
        for harness.WORK, name in ((work / "my folder/sub dir", "dag.json"), (work / "my folder", "sub dir/dag.json"), (work, "my folder/sub dir/dag.json")):
            done = run(name)
            if harness.WORK.name == "sub dir":
                succeeds(name)
                expect(load("y.npy") == [2.0] * 8, "the header is found")
            else:
                expect(done.returncode == 1 and done.stderr.count("\n") == 1 and "dag.json:7: kernels[0].src: headers are looked for in folder '" in done.stderr and
                       "whose name has a blank" in done.stderr, f"{name}", done)
    finally:
        harness.WORK = work


def case_a_header_that_changes():
    """What hsched-kinfo says of a source with a header is not kept, however its line is written."""
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")
    for line in ('# include "b.h"', '#\tinclude <b.h>', '#define B "b.h"\n#include B', '#\\\n include "b.h"'):
        write("k2.cl", line + "\nkernel void f(global float *x) { BODY }\n")
        write("dag.json", {"hsched-dag": 1, "kernels": [kernel("k", "f", buffer("out"), src="k2.cl")]})
        for body, fails in (("x[get_global_id(0)] = 1;", False), ("x[0] = nothing;", True), ("float y = x[0];", True)):
            write("b.h", f"#define BODY {body}\n")
            done = run("dag.json", "--dry-run")
            expect(done.returncode == fails, f"{line} {body}", done)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))
