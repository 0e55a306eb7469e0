#!/usr/bin/env python3
"""The arithmetic of the benchmarks' figures and verdicts.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import compare  # noqa: E402
import figures  # noqa: E402
import idle  # noqa: E402
import phases  # noqa: E402
import programs  # noqa: E402
import scaling  # noqa: E402


def outcome(value, more=""):
    return programs.Outcome(f"{value} ok 0 {more}".split())


class Medians(unittest.TestCase):
    def test_leaves_out_what_is_not_known(self):
        self.assertEqual(figures.median([3, None, 1, 2]), 2)
        self.assertEqual(figures.median([4, 1, 2, 3]), 2.5)
        self.assertIsNone(figures.median([None]))
        self.assertIsNone(figures.median([]))

    def test_of_curves_by_grain(self):
        self.assertEqual(figures.median_curve([{4: 10, 2: 8}, {4: 30, 2: 6}, {4: 20, 2: 7, 1: 5}]), {1: 5, 2: 7, 4: 20})


class Metg(unittest.TestCase):
    def curve(self, overhead, slowness=1.0):
        return {2 ** k: slowness * 2 ** k + overhead for k in range(4, 17)}

    def test_of_a_constant_overhead_is_twice_it(self):
        # Rate = g / (g + o), half of which is lost where g = o and the granularity 2 o.
        for overhead in (64, 100, 1000):
            found = figures.metg(self.curve(overhead), 1.0)
            self.assertAlmostEqual(found / (2 * overhead), 1, delta=0.05)

    def test_is_exact_where_a_grain_lies_on_the_limit(self):
        self.assertAlmostEqual(figures.metg(self.curve(256), 1.0), 512)

    def test_interpolates_on_logarithms(self):
        # Rates 0.8 and 0.2; the limit 0.4 is half way between them on logarithms.
        self.assertAlmostEqual(figures.metg({800: 1000, 20: 100}, 0.8), math.sqrt(1000 * 100))

    def test_is_worse_against_a_better_peak(self):
        curve = self.curve(100, slowness=1.5)
        mine = figures.peak([curve])
        best = figures.peak([curve, self.curve(100)])
        self.assertGreater(best, 1.4 * mine)
        self.assertGreater(figures.metg(curve, best), 2 * figures.metg(curve, mine))

    def test_is_unknown_where_no_grain_is_coarse_enough(self):
        self.assertIsNone(figures.metg(self.curve(100, slowness=3), 1.0))

    def test_is_the_finest_where_none_is_fine_enough(self):
        self.assertEqual(figures.metg(self.curve(0), 1.0), 16)

    def test_first_loss_counts_when_noise_lets_a_finer_grain_be_fast(self):
        self.assertGreater(figures.metg({1000: 1000, 500: 1100, 250: 260}, 1.0), 1000)


class Verdicts(unittest.TestCase):
    def test_at_most_and_at_least(self):
        row = {"hsched": 60, "libgomp": 80, "libomp": 120}
        self.assertTrue(figures.Goal("ns", figures.own, 60).met(row))
        self.assertFalse(figures.Goal("ns", figures.own, 59.9).met(row))
        self.assertTrue(figures.Goal("ns", figures.own, 60, at_least=True).met(row))
        self.assertFalse(figures.Goal("ns", figures.own, 61, at_least=True).met(row))

    def test_ratio_is_to_the_best_of_the_peers_that_are_known(self):
        row = {"hsched": 60, "libgomp": 120, "libomp": 80}
        self.assertEqual(figures.of("libgomp", "libomp")(row), 0.75)
        self.assertEqual(figures.of("libgomp", "libomp")({**row, "libomp": None}), 0.5)
        self.assertIsNone(figures.of("starpu")(row))
        self.assertIsNone(figures.of("libgomp")({"hsched": None, "libgomp": 3}))

    def test_text(self):
        goal = figures.Goal("of libgomp", figures.of("libgomp"), 0.75)
        self.assertEqual(goal.text({"hsched": 3, "libgomp": 4}), "0.75 of libgomp: 0.75, met")
        self.assertEqual(goal.text({"hsched": 4, "libgomp": 4}), "0.75 of libgomp: 1.00, **missed**")
        self.assertEqual(goal.text({"hsched": 4}), "0.75 of libgomp: not measured")

    def test_every_required_figure_is_measured_by_default(self):
        self.assertLessEqual(set(compare.MUST) | set(compare.AIM) | set(compare.AIM_IN_WORDS), set(compare.CASES))

    def test_cholesky_is_to_be_fast_and_the_rest_small(self):
        for case, goals in [*compare.MUST.items(), *compare.AIM.items()]:
            for goal in goals:
                self.assertEqual(goal.at_least, case[0] == "cholesky", case)

    def test_an_aim_is_no_easier_than_what_is_required(self):
        for case, aims in compare.AIM.items():
            for must in compare.MUST[case]:
                for aim in aims:
                    if aim.figure is must.figure:
                        self.assertEqual(aim.limit > must.limit, aim.at_least, case)


class Scaling(unittest.TestCase):
    def test_efficiency(self):
        self.assertEqual(figures.efficiency(1000, 62.5, 16), 1)
        self.assertEqual(figures.efficiency(1000, 125, 16), 0.5)
        self.assertIsNone(figures.efficiency(1000, None, 16))

    def test_both_halves_of_the_requirement(self):
        self.assertEqual(scaling.verdict({"hsched": 0.6, "libomp": 0.59})[1], True)
        self.assertEqual(scaling.verdict({"hsched": 0.59, "libomp": 0.3})[1], False)
        self.assertEqual(scaling.verdict({"hsched": 0.7, "libomp": 0.7})[1], False)
        self.assertIsNone(scaling.verdict({"hsched": 0.7, "libomp": None})[1])
        self.assertIsNone(scaling.verdict({"hsched": None, "libomp": 0.5})[1])
        self.assertEqual(scaling.verdict({"hsched": 0.5, "libomp": None})[1], False)

    def test_idle(self):
        self.assertEqual(idle.verdict(0.99)[1], True)
        self.assertEqual(idle.verdict(1.0)[1], False)
        self.assertIsNone(idle.verdict(None)[1])


class Settings(unittest.TestCase):
    def test_the_fastest_is_chosen(self):
        tried = {"libgomp": [(outcome(5), ("a", {})), (None, ("b", {})), (outcome(4), ("c", {}))],
                 "libomp": [(None, ("a", {}))]}
        self.assertEqual(programs.fastest("stencil", tried), {"libgomp": ("c", {})})
        self.assertEqual(programs.fastest("cholesky", tried), {"libgomp": ("a", {})})

    def test_metg_is_judged_against_one_peak(self):
        # "slow" halves its own best rate later, but that best rate is a third of the other's.
        slow, fast = outcome(1, "64=192 32=100 16=99"), outcome(2, "64=64 32=64 16=64")
        tried = {"libgomp": [(slow, ("slow", {})), (fast, ("fast", {}))]}
        self.assertEqual(programs.fastest("metg", tried), {"libgomp": ("fast", {})})

    def test_nobody_is_bound_to_fewer_cores_than_threads(self):
        labels = [label for label, _ in programs.settings("libomp", "independent", 4, 2)]
        self.assertEqual(labels, [""])
        labels = [label for label, _ in programs.settings("libomp", "stencil", 2, 2)]
        self.assertEqual(labels, ["w64", "w64 bound", "w256", "w256 bound", "w1024", "w1024 bound"])

    def test_policy_of_starpu_is_chosen(self):
        self.assertIn(("lws", {"STARPU_SCHED": "lws"}), programs.settings("starpu", "chain", 2, 2))


LISTED = """\
1,400,000 (100.0%)  PROGRAM TOTALS
  800,000 (57.14%)  ???:hsched_task_submit [/somewhere/libhsched.so.1]
  300,000 (21.43%)  ???:hsched::rt::DependenceDomain::submit(hsched::rt::TaskNode&, char) [/somewhere/libhsched.so.1]
  100,000 ( 7.14%)  ???:hsched::rt::DependenceDomain::submit(int) [/somewhere/libhsched.so.1]
  250,000 (17.86%)  ???:hsched_task_begin [/somewhere/libhsched.so.1]
"""


class Phases(unittest.TestCase):
    def test_reads_what_callgrind_lists(self):
        self.assertEqual(phases.functions(LISTED), {
            "hsched_task_submit": 800000, "DependenceDomain::submit(TaskNode&, char)": 300000,
            "DependenceDomain::submit(int)": 100000, "hsched_task_begin": 250000})

    def test_counts_calls_where_names_have_numbers(self):
        self.assertEqual(phases.calls("fn=(1) main\n16 5\ncfn=(2) hsched::rt::one()\ncalls=3 0\n16 30\n"
                                      "fn=(3) other\ncfn=(2)\ncalls=4 0\n16 40\ncfn=(1)\ncalls=1 0\n"),
                         {"one()": 7, "main": 1})

    def test_differences(self):
        before = phases.Counts({"hsched_task_submit": 500}, {"a": 1})
        after = phases.Counts({"hsched_task_submit": 700, "new": 5}, {"a": 3}).minus(before)
        self.assertEqual((after.own, after.called), ({"hsched_task_submit": 200, "new": 5}, {"a": 2}))

    def test_every_instruction_is_in_one_phase(self):
        own = {"hsched_task_submit": 1, "DependenceDomain::State::write(int)": 2, "nobody knows": 8,
               "DependenceDomain::State::sweep(bool)": 4, "IntervalIndex<Fragment>::insert(int)": 16,
               "Executor::submit(TaskNode&)": 32}
        found = phases.phases(own)
        self.assertEqual(sum(found.values()), 63)
        self.assertEqual(found["other"], 8)
        self.assertEqual(found["link in the graph"], 18)
        self.assertEqual(found["sweep of the graph"], 4)
        self.assertEqual(found["submission, handing over to a worker"], 33)


if __name__ == "__main__":
    unittest.main()
