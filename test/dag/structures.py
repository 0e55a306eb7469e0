#!/usr/bin/env python3
"""Structures that a file passes by value, or has in buffers: their members beside those of the kernel.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Usage: structures.py --run PROGRAM [--kinfo PROGRAM] --source FOLDER CASE
"""
import json
import random
import re
import sys

import harness
from harness import Skip, expect, load, main, run, succeeds, write


def needs_kinfo():
    if not harness.OPTIONS.kinfo:
        raise Skip("hsched-kinfo is not built")


def value_of(kernel, source, type, value, **more):
    """A file with one kernel: a value, and a result of eight floats."""
    return write("dag.json", {"hsched-dag": 1, "symbols": {"N": 4}, "kernels": [
        {"id": "k", "name": kernel, "src": source, "global": [1], "args": [
            {"role": "value", "type": type, "value": value}, {"role": "out", "type": "float", "size": 8, "output": "y.npy"}], **more}]})


def refused(why, field, *words, file="dag.json"):
    """hsched-run refuses a file in one line that has its line, a field and words."""
    done = run(file, "--dry-run")
    expect(done.returncode == 1 and done.stderr.count("\n") == 1 and f": {field}: " in done.stderr and all(w in done.stderr for w in words), why, done)


def case_structures_by_value():
    write("s.cl", """
struct at { float x; char c; int4 v; short s[3]; };
kernel void take(struct at p, global float *y) {
  y[0] = p.x; y[1] = p.c; y[2] = p.v.x + 10 * p.v.w; y[3] = p.s[0] + 10 * p.s[2];
}
""")
    value = [["float", 0.5], ["char", -3], ["int4", 1, 2, 3, "N"], ["short", 5, 6, 7]]
    of = lambda value, type="struct 48": write("dag.json", {"hsched-dag": 1, "symbols": {"N": 4}, "kernels": [
        {"id": "k", "name": "take", "src": "s.cl", "global": [1], "args": [
            {"role": "value", "type": type, "value": value}, {"role": "out", "type": "float", "size": 4, "output": "y.npy"}]}]})
    succeeds(of(value))
    expect(load("y.npy") == [0.5, -3, 41, 75], f"{load('y.npy')}")
    again = json.loads(succeeds("dag.json", "--convert").stdout)
    expect(again["kernels"][0]["args"][0]["value"] == [["float", "0.5"], ["char", "-3"], *value[2:]], f"{again}")
    write("again.json", again)
    succeeds("again.json")
    expect(load("y.npy") == [0.5, -3, 41, 75], "what is converted computes the same")
    for wrong, why, *type in ((value[:3], "the structure's members have 32 bytes, not 48"), (value + [["int4", 1, 2, 3, 4]], "more than its 48 bytes"),
                       ([["int4", 1]], "a member of type 'int4' has 4 values, not 1"), ([["float"]], "is its type and its values"),
                       ([["floaty", 1]], "unknown type of elements 'floaty'"), ([["struct 4", 1]], "a member of type 'struct 4' has members of its own"),
                       ([["char", 200]], "200 does not fit in 'char'", "struct 1"), (1, "has its members' types and values"),
                       ([["float", 1], 2], "a value has numbers, or a structure's members"), ([["half", 1]], "type 'half' cannot be passed", "struct 2"),
                       ([["float at 8", 1], ["int at 11", 1]], "begins at byte 11, but the one before it ends at byte 12"),
                       ([["float at x", 1]], "'x' is not an offset"), ([["float at ", 1]], "'' is not an offset"), ([["float at 9999999999", 1]], "is not an offset"),
                       ([["float at 46", 1]], "more than its 48 bytes"), ([["struct 8", [["int", 1]]]], "have 4 bytes, not 8"),
                       ([["struct 8", []]], "have 0 bytes, not 8"), ([["struct 8", [["int", 1], ["int", 2]], 5]], "not both"),
                       ([["int", [["int", 1]]]], "'int' is not a structure"), ([["struct 8", [["floaty", 1]]]], "unknown type of elements 'floaty'"),
                       ([["struct 8", 5, [["int", 1]]]], "not both"), ([["struct 8", [5]]], "a member of a structure")):
        done = run(of(wrong, *type), "--no-check", "--dry-run")
        expect(done.returncode == 1 and done.stderr.count("\n") == 1 and why in done.stderr and "dag.json:" in done.stderr, f"{wrong}", done)
    done = run(of([["float", 1]], "float"), "--no-check", "--dry-run")
    expect("has no members: write a plain value" in done.stderr, "no structure", done)
def case_members_are_those_of_the_kernel():
    """Members of another order, type or place, and members that are missing, are errors that show what to write."""
    needs_kinfo()
    write("s.cl", """
struct at { float x; char c; int4 v; long n; short s[3]; };
struct few { long n; int i; };
kernel void take(struct at p, global float *y) { y[0] = p.x + p.c + p.v.x + p.n + p.s[1]; }
kernel void less(struct few p, global float *y) { y[0] = p.n + p.i; }
kernel void none(float p, global float *y) { y[0] = p; }
""")
    x, c, v, n, s = ["float", 0.5], ["char", -3], ["int4", 1, 2, 3, "N"], ["long", 7], ["short", 5, 6, 7]
    right = ('"type": "struct 48", "value": [["float","p_x"],["char","p_c"],["int4","p_v_0","p_v_1","p_v_2","p_v_3"],["long","p_n"],'
             '["short","p_s_0","p_s_1","p_s_2"]]')
    succeeds(value_of("take", "s.cl", "struct 48", [x, c, v, n, s]), "--dry-run")
    pad = lambda count: ["uchar", *[0] * count]
    for value, field, what in (
            ([["char", -3], ["float", 0.5], v, n, s], "value[0][0]", "has member 'x' of type 'float' at byte 0, not 'char'"),
            ([["int", 1], c, v, n, s], "value[0][0]", "has member 'x' of type 'float' at byte 0, not 'int'"),
            ([x, c, ["float4", 1, 2, 3, 4], n, s], "value[2][0]", "has member 'v' of type 'int4' at byte 16, not 'float4'"),
            ([x, c, v, ["int", 7], ["int", 0], s], "value[3][0]", "has member 'n' of type 'long' at byte 32, not 'int'"),
            ([x, c, v, ["double", 7], s], "value[3][0]", "has member 'n' of type 'long' at byte 32, not 'double'"),
            ([x, c, v, s, n], "value[3][0]", "has member 'n' of type 'long' at byte 32, not 'short'"),
            ([x, pad(3), c, v, n, s], "value[2][0]", "has no member at byte 7, where a 'char' is"),
            ([x, c, ["uchar", 1], v, n, s], "value[2][0]", "has no member at byte 5, where a 'uchar' is"),
            ([x, c, v, n, ["short", 5, 6]], "args[0]", "has member 's[2]' of type 'short' at byte 44, which has no value here"),
            ([x, ["int", 3], v, n, s], "value[1][0]", "has member 'c' of type 'char' at byte 4, not 'int'"),
            ([x, c, ["short at 8", 9], v, n, s], "value[2][0]", "has no member at byte 8, where a 'short' is"),
            ([x, c, v, n, ["short", 5, 6, 7, 8]], "value[4][0]", "has no member at byte 46, where a 'short' is"),
            ([c, ["float at 1", 0.5], v, n, s], "value[0][0]", "has member 'x' of type 'float' at byte 0, not 'char'"),
            ([["short", 0, 0], c, v, n, s], "value[0][0]", "has member 'x' of type 'float' at byte 0, not 'short'"),
            ([c, ["int", 0], pad(8), v, n, s], "value[0][0]", "has member 'x' of type 'float' at byte 0, not 'char'")):
        value_of("take", "s.cl", "struct 48", value)
        refused(f"{value}", "kernels[0].args[0]" + ("" if field == "args[0]" else "." + field), "dag.json:",
                f"argument 0, 'p', of kernel 'take' (s.cl:4) {what}: write {right}\n")
    # Sizes. What is the same to the kernel.
    value_of("take", "s.cl", "struct 32", [x, c, v])
    refused("a member less", "kernels[0].args[0].type", f"is of type 'struct at', which has 48 bytes, not 'struct 32': write {right}")
    value_of("less", "s.cl", "struct 8", [["int", 1], ["int", 2]])
    refused("int for long", "kernels[0].args[0].type", "is of type 'struct few', which has 16 bytes, not 'struct 8': "
            'write "type": "struct 16", "value": [["long","p_n"],["int","p_i"]]')
    value_of("less", "s.cl", "int", 1)
    refused("no structure", "kernels[0].args[0].type", "is of type 'struct few', which has 16 bytes, not 'int'")
    value_of("none", "s.cl", "struct 4", [["int", 1]])
    refused("a structure for a number", "kernels[0].args[0].value[0][0]", "argument 0, 'p', of kernel 'none' (s.cl:6) is of type 'float', which is not a structure")
    for value in ([x, c, pad(11), v, n, s, pad(2)], [x, ["uchar", 3], ["int at 16", 1, 2, 3, 4], ["ulong", 7], ["ushort", 5, 6, 7]],
                  [["float at 0", 0.5], ["char at 4", 1], ["int4 at 16", 1, 2, 3, 4], ["long at 32", 7], ["short at 40", 5, 6, 7], pad(2)], [pad(48)]):
        succeeds(value_of("take", "s.cl", "struct 48", value), "--dry-run")
    for kind, value in (("int4", [1, 0, 2, 0]), ("long2", [1, 2])):  # As a recorded program without hsched-kinfo has it.
        done = succeeds(value_of("less", "s.cl", kind, value), "--dry-run")
        expect(f": kernels[0].args[0].type: argument 0, 'p', of kernel 'less' (s.cl:5) is of type 'struct few', and takes the bits of this "
               f"value of type '{kind}'" in done.stderr, "bits", done)
    done = succeeds(value_of("none", "s.cl", "int", 1), "--dry-run")
    expect("is of type 'float', and takes the bits of this value of type 'int'" in done.stderr, "an int for a float", done)
    done = succeeds(value_of("none", "s.cl", "float", 1), "--dry-run")
    expect(not done.stderr, "a float", done)


def case_nested_packed_and_aligned():
    needs_kinfo()
    write("n.cl", """
struct in { char c; int i; };
union word { uint u; uchar4 b; };
struct outer { short first; struct in pairs[2]; union word w; struct { float3 v; }; };
struct __attribute__((packed)) tight { char c; int x; struct in p; long n; };
struct __attribute__((aligned(32))) wide { float x; struct tight t; };
kernel void outer(struct outer o, global float *y) {
  y[0] = o.first; y[1] = o.pairs[0].c; y[2] = o.pairs[1].i; y[3] = o.w.u; y[4] = o.v.y; y[5] = o.pairs[0].i; y[6] = 0; y[7] = 0;
}
kernel void tight(struct tight t, global float *y) {
  y[0] = t.c; y[1] = t.x; y[2] = t.p.c; y[3] = t.p.i; y[4] = t.n; y[5] = 0; y[6] = 0; y[7] = 0;
}
kernel void wide(struct wide w, global float *y) {
  y[0] = w.x; y[1] = w.t.c; y[2] = w.t.x; y[3] = w.t.p.c; y[4] = w.t.p.i; y[5] = w.t.n; y[6] = 0; y[7] = 0;
}
""")
    pair = lambda c, i: [["char", c], ["int", i]]
    outer = [["short", 1], ["struct 8", pair(2, 3), pair(4, 5)], ["uint", 6], ["struct 16 at 32", [["float3", 7, 8, 9]]]]
    tight = [["char at 0", 1], ["int at 1", 2], ["struct 8 at 5", pair(3, 4)], ["long at 13", 5]]
    for kernel, size, value, wanted in (("outer", 48, outer, [1, 2, 5, 6, 8, 3, 0, 0]), ("tight", 21, tight, [1, 2, 3, 4, 5, 0, 0, 0]),
                                        ("wide", 32, [["float", 9], ["struct 21", tight], ["uchar", *[0] * 7]], [9, 1, 2, 3, 4, 5, 0, 0])):
        succeeds(value_of(kernel, "n.cl", f"struct {size}", value))
        expect(load("y.npy") == wanted, f"{kernel}: {load('y.npy')}")
        write("again.json", succeeds("dag.json", "--convert").stdout)
        succeeds("again.json")
        expect(load("y.npy") == wanted, f"{kernel} as it is written: {load('y.npy')}")
    for value, what in ((["uchar4", 1, 0, 0, 0], None), (["int", 6], None), (["uchar", 6, 0, 0, 0], None), (["short", 6, 0], "has 'union word' 'w' at byte 20"),
                        (["float", 6], "none of whose members is given")):
        value_of("outer", "n.cl", "struct 48", [*outer[:2], value, outer[3]])
        if what:
            refused(f"{value}", "kernels[0].args[0].value[2][0]", what)
        else:
            succeeds("dag.json", "--dry-run")
    value_of("outer", "n.cl", "struct 48", [outer[0], ["struct 8", pair(2, 3), [["int", 4], ["int", 5]]], *outer[2:]])
    refused("inside", "kernels[0].args[0].value[1][2][0][0]", "has member 'pairs[1].c' of type 'char' at byte 12, not 'int'")
    value_of("tight", "n.cl", "struct 21", [["int at 0", 1], ["char", 2], ["struct 8 at 5", pair(3, 4)], ["long at 13", 5]])
    refused("packed", "kernels[0].args[0].value[0][0]", "has member 'c' of type 'char' at byte 0, not 'int'",
            'write "type": "struct 21", "value": [["char","t_c"],["int at 1","t_x"],["struct 8 at 5",[["char","t_p_c"],["int","t_p_i"]]],["long at 13","t_n"]]')


def case_init_writes_members():
    needs_kinfo()
    write("i.cl", """
struct at { float x; char c; int4 v; uchar name[20]; struct { int and; } in[2]; };
kernel void take(struct at p, int p_c, global float *y) { y[0] = p.x; }
struct chain0 { int i; };
""" + "".join(f"struct chain{i + 1} {{ struct chain{i} c; }};\n" for i in range(40)) + "kernel void deep(struct chain40 p, global float *y) { y[0] = p.c.c.c.c.c.c.c.c"
          + ".c" * 32 + ".i; }\n")
    made = json.loads(succeeds("--init", "i.cl").stdout)
    expect(made["kernels"][0]["args"][0] == {"role": "value", "type": "struct 64", "value": [
        ["float", "p_x"], ["char", "p_c"], ["int4", "p_v_0", "p_v_1", "p_v_2", "p_v_3"], ["uchar", *[0] * 20],
        ["struct 4", [["int", "p_in_0_and"]], [["int", "p_in_1_and"]]]]}, f"{made['kernels'][0]}")
    expect(made["symbols"]["p_x"] == made["symbols"]["p_c"] == made["symbols"]["p_v_3"] == 1, f"{made['symbols']}")
    expect(made["kernels"][1]["args"][0] == {"role": "value", "type": "struct 4", "value": [["uchar", 0, 0, 0, 0]]}, f"{made['kernels'][1]}")
    write("i.json", made)
    succeeds("i.json")


def case_sizes_depend_on_members():
    """Sizes of buffers and ranges may be members: of a file that --init writes, and where a buffer is compared with what its kernel reaches."""
    needs_kinfo()
    write("m.cl", """
struct size { float by; struct { int w, h; } in; };
kernel void fill(struct size s, global float *y) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < s.in.w && j < s.in.h) y[j * s.in.w + i] = s.by;
}
""")
    made = json.loads(succeeds("--init", "m.cl").stdout)
    kernel = made["kernels"][0]
    expect(kernel["global"] == ["s_in_w", "s_in_h"] and kernel["args"][1]["size"] in ("s_in_h * s_in_w", "s_in_w * s_in_h") and kernel["args"][1]["role"] == "out",
           f"{made}")
    expect(made["symbols"] == {"s_by": 1, "s_in_h": 1024, "s_in_w": 1024}, f"{made['symbols']}")
    kernel["args"][1]["output"] = "y.npy"
    write("dag.json", made)
    succeeds("dag.json", "-D", "s_in_w=3", "-D", "s_in_h=2", "-D", "s_by=7")
    expect(load("y.npy") == [7] * 6, f"{load('y.npy')}")
    kernel["args"][1].update(size=6, init={"constant": 2})
    write("dag.json", made)
    done = succeeds("dag.json", "-D", "s_in_w=3", "-D", "s_in_h=2", "-D", "s_by=7")
    expect(not done.stderr, "all of it is overwritten", done)
    done = succeeds("dag.json", "-D", "s_in_w=3", "-D", "s_in_h=1", "-D", "s_by=7")
    expect("may leave some of them: it is taken as 'io'" in done.stderr and load("y.npy") == [7] * 3 + [2] * 3, f"{load('y.npy')}", done)
    done = succeeds("dag.json", "--dry-run", "-D", "s_in_w=3", "-D", "s_in_h=4")
    expect("has 6 elements, but kernel 'fill' (m.cl:3) may reach 12" in done.stderr, "too small", done)


def case_structures_in_buffers():
    needs_kinfo()
    write("b.cl", """
struct item { float x; long n; };
kernel void fill(global struct item *a) { int i = get_global_id(0); a[i].x = i; a[i].n = 2 * i; }
kernel void sum(global const struct item *a, global float *y, local struct item *room) {
  room[0] = a[get_global_id(0)];
  y[get_global_id(0)] = room[0].x + room[0].n;
}
""")
    of = lambda first, second, third, named=False: write("dag.json", {
        "hsched-dag": 1, **({"buffers": {"a": {"type": first, "size": 4}}} if named else {}), "kernels": [
            {"id": "f", "name": "fill", "src": "b.cl", "global": [4], "args": [{"role": "io", **({"buffer": "a"} if named else {"type": first, "size": 4})}]},
            {"id": "s", "name": "sum", "src": "b.cl", "global": [4], "local": [1], "args": [
                {"role": "in", **({"buffer": "a"} if named else {"type": second, "size": 4})}, {"role": "out", "type": "float", "size": 4, "output": "y.npy"},
                {"role": "local", "type": third, "size": 1}]}], **({} if named else {"edges": [["f", 0, "s", 0]]})})
    for named in (False, True):
        succeeds(of("struct 16", "struct 16", "struct 16", named))
        expect(load("y.npy") == [0, 3, 6, 9], f"{load('y.npy')}")
        of("struct 12", "struct 12", "struct 16", named)
        refused("another size", "kernels[0].args[0]." + ("buffer" if named else "type"), "argument 0, 'a', of kernel 'fill' (b.cl:3) has elements of type "
                "'struct item', which have 16 bytes, not 12: write \"type\": \"struct 16\"")
    of("struct 16", "struct 16", "struct 4")
    refused("local memory", "kernels[1].args[2].type", "which have 16 bytes, not 4")
    succeeds(of("long2", "long2", "uchar16"))  # Bytes are bytes.


def case_a_size_without_hsched_kinfo():
    """The driver knows how many bytes an argument has."""
    write("s.cl", "kernel void take(int p, global float *y) { y[0] = p; }\n")  # PoCL does not know a structure's size.
    for kind, value, size in (("long", 3, 8), ("struct 12", [["float", 1], ["int", 2], ["int", 3]], 12)):
        done = run(value_of("take", "s.cl", kind, value), "--no-check")
        if "there is no OpenCL device" in done.stderr:
            raise Skip("no OpenCL device on this machine")
        expect(done.returncode == 1 and f": kernels[0].args[0].type: kernel 'take' of 's.cl' has a parameter of another size there: a value of type '{kind}' "
               f"has {size} bytes (kernel 'take' on " in done.stderr and "CL_INVALID_ARG_SIZE" in done.stderr and done.stderr.count("\n") == 1, f"{kind}", done)


LANES = lambda kind: int("".join(c for c in kind if c.isdigit()) or 1)


class Struct:
    """A random structure: its text in OpenCL C, and its scalars as expressions."""
    TYPES = ["char", "uchar", "short", "ushort", "int", "uint", "long", "float", "int2", "float3", "short4", "uchar8", "long2"]

    def __init__(self, dice, name, known):
        self.name, self.scalars, text = name, [], []
        for i in range(dice.randint(1, 4)):
            member, count = f"m{i}", dice.choice([1, 1, 2, 3])
            inner = dice.choice(known) if known and dice.random() < 0.4 else None
            kind = inner.name if inner else dice.choice(self.TYPES)
            mark = dice.choice([""] * 6 + [" __attribute__((packed))", " __attribute__((aligned(16)))"]) if not inner else ""
            if not inner and LANES(kind) * count > 16:  # --init gives the elements of a longer array no names.
                count = 1
            text.append(f"  {'struct ' if inner else ''}{kind} {member}{f'[{count}]' if count > 1 else ''}{mark};\n")
            for k in range(count):
                path, symbol = (f"{member}[{k}]", f"{member}_{k}") if count > 1 else (member, member)
                if inner:
                    self.scalars += [(f"{path}.{p}", f"{symbol}_{s}") for p, s in inner.scalars]
                else:
                    lanes = LANES(kind)
                    self.scalars += [(f"{path}.s{n}", f"{symbol}_{n}") for n in range(lanes)] if lanes > 1 else [(path, symbol)]
        mark = dice.choice(["", "", "", " __attribute__((packed))", " __attribute__((aligned(8)))"])
        self.text = f"struct{mark} {name} {{\n{''.join(text)}}};\n"


def case_random_structures():
    """What --init writes reaches each member. A member of another kind is refused."""
    needs_kinfo()
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    dice = random.Random(seed)
    text, kernels = "", {}
    for number in range(12):
        known = []
        for depth in range(dice.randint(1, 3)):
            known.append(Struct(dice, f"s{number}_{depth}", list(known)))
        whole = known[-1]
        text += "".join(s.text for s in known)
        text += f"kernel void k{number}(struct {whole.name} p, global float *y) {{\n"
        text += "".join(f"  y[{i}] = p.{path};\n" for i, (path, _) in enumerate(whole.scalars)) + "}\n"
        kernels[f"k{number}"] = [symbol for _, symbol in whole.scalars]
    write("r.cl", text)
    made = json.loads(succeeds("--init", "r.cl").stdout)
    for name, symbols in kernels.items():
        kernel = next(k for k in made["kernels"] if k["name"] == name)
        values = {f"p_{symbol}": dice.randint(1, 100) for symbol in symbols}
        given = json.dumps(kernel["args"][0]["value"])
        expect(all(f'"{symbol}"' in given for symbol in values), f"seed {seed}: {name}: {given}\n{text}")
        kernel["args"][1].update(size=len(symbols), output="y.npy")
        write("dag.json", {"hsched-dag": 1, "symbols": values, "kernels": [kernel]})
        done = succeeds("dag.json")
        expect(load("y.npy") == list(values.values()) and not done.stderr, f"seed {seed}: {name}: {load('y.npy')} {values} {given}\n{text}", done)
        # A type of the same size, of another kind.
        others = [(m, i) for m in [kernel["args"][0]["value"]] for i in range(len(m)) if re.match("u?int|float|long", m[i][0])]
        if others:
            members, i = dice.choice(others)
            members[i][0] = re.sub("^(u?int|float|long)", lambda kind: {"float": "int", "long": "double"}.get(kind[0], "float"), members[i][0])
            write("dag.json", {"hsched-dag": 1, "symbols": values, "kernels": [kernel]})
            refused(f"seed {seed}: {members[i][0]}\n{text}", f"kernels[0].args[0].value[{i}][0]", "has member 'm", ": write ")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
if __name__ == "__main__":
    sys.exit(main(CASES))
