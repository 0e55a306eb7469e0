#!/usr/bin/env python3
"""bench/startup.py judges times as it says.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench"))
import startup


def expect(what, is_, wanted):
    if is_ != wanted:
        sys.exit(f"{what}: {is_}, not {wanted}")


def judged(serial, cpu, warm, cold, first):
    return startup.judged({"serial": [serial], "CPU only": [cpu], "warm": [warm], "cold": [cold], "first": [first]})


expect("by the faster one", judged(2, 1, 1.1, 1.05, 3), (1.1, 1.05, False, True))
expect("by the faster one, serial", judged(1, 2, 1.5, 1, 3), (1.5, 1, False, False))
expect("the device helps", judged(4, 2, 1, 3, 1), (0.5, 1.5, True, False))
expect("a program failed", judged(1, 1, None, 1, 3), (None, 1, False, False))
expect("a failure does not hide the rest", startup.judged(
    {"serial": [1, None], "CPU only": [None], "warm": [1], "cold": [1], "first": [None]}), (1, 1, False, True))
expect("the demo", startup.demo_judged({"serial": [2], "first run": [2], "second run": [1]}), (1, 0.5, True))
expect("the demo, slow at first", startup.demo_judged({"serial": [2], "first run": [3], "second run": [1]}), (1.5, 0.5, False))
expect("the demo, not faster", startup.demo_judged({"serial": [2], "first run": [1], "second run": [2]}), (0.5, 1, False))
expect("the demo fails", startup.demo_judged({"serial": [2], "first run": [None], "second run": [2]})[2], False)
print("startup: in order")
