"""The arithmetic of the benchmarks: medians, METG, efficiency, verdicts. No program is run here.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import statistics


def median(values):
    """Of those that are known; None where none is."""
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


def ratio(figure, of):
    return figure / of if figure is not None and of else None


def median_curve(curves):
    """One curve {grain: ns of granularity} out of those of several repetitions, which may end at different grains."""
    grains = {grain for curve in curves for grain in curve}
    return {grain: statistics.median(curve[grain] for curve in curves if grain in curve) for grain in sorted(grains)}


def peak(curves):
    """The best rate of work, in iterations a ns of one thread, that any of the curves reaches."""
    rates = [grain / ns for curve in curves for grain, ns in curve.items()]
    return max(rates) if rates else None


def metg(curve, best, efficiency=0.5):
    """The least granularity in ns at which the rate is still `efficiency` of `best`: Task Bench's METG.

    Interpolated on logarithms between the grains on either side. None where even the coarsest grain is below; the
    finest grain's granularity where that is not below.
    """
    coarse_to_fine = sorted(curve.items(), reverse=True)
    limit = best * efficiency
    above = None
    for grain, ns in coarse_to_fine:
        rate = grain / ns
        if rate < limit:
            if above is None:
                return None
            rate_above, ns_above = above
            share = (math.log(limit) - math.log(rate)) / (math.log(rate_above) - math.log(rate))
            return math.exp(math.log(ns) + share * (math.log(ns_above) - math.log(ns)))
        above = rate, ns
    return above[1] if above else None


def efficiency(one, many, threads):
    """T(1) / (n T(n)): what share of its time each of n threads is as useful as one thread alone."""
    return one / (threads * many) if one is not None and many else None


class Goal:
    """A figure that is to be at most, or at least, so much. `figure` makes it of a row {runtime: figure}."""

    def __init__(self, what, figure, limit, at_least=False):
        self.what, self.figure, self.limit, self.at_least = what, figure, limit, at_least

    def met(self, row):
        """True, False, or None: not measured."""
        value = self.figure(row)
        if value is None:
            return None
        return value >= self.limit if self.at_least else value <= self.limit

    def text(self, row, words=("met", "**missed**")):
        met = self.met(row)
        name = f"{self.limit:g} {self.what}"
        if met is None:
            return f"{name}: not measured"
        return f"{name}: {text(self.figure(row))}, {words[0] if met else words[1]}"


def of(*peers):
    """hsched's figure by that of the best of these peers."""
    def figure(row):
        known = [row[p] for p in peers if row.get(p) is not None]
        return ratio(row.get("hsched"), min(known)) if known else None
    return figure


def own(row):
    return row.get("hsched")


def text(value):
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def table(heads, rows):
    """Lines of a Markdown table."""
    return ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)] + \
           ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
