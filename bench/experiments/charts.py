"""Charts as SVG, without a library: lines over evenly spaced values, stacked bars.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
from html import escape

COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 380, 64, 16, 40, 56


class Chart:
    def __init__(self, title, x_label, y_label, xs, names, most):
        self.xs, self.most = xs, most or 1.0
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
                    'font-family="sans-serif" font-size="12" role="img">', f"<title>{escape(title)}</title>",
                    '<rect width="100%" height="100%" fill="white"/>']
        for n in range(6):
            value = self.most * n / 5
            self.out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{self.y(value):.1f}" y2="{self.y(value):.1f}" stroke="#dddddd"/>'
                            f'<text x="{LEFT - 6}" y="{self.y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
        for i, x in enumerate(xs):
            self.out.append(f'<text x="{self.x(i):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" font-size="10">{escape(str(x))}</text>')
        self.out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(x_label)}</text>'
                        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>')
        at = LEFT
        for n, name in enumerate(names):
            self.out.append(f'<rect x="{at}" y="10" width="12" height="12" fill="{self.colour(n)}"/>'
                            f'<text x="{at + 16}" y="20">{escape(name)}</text>')
            at += 36 + 7 * len(name)

    @staticmethod
    def colour(n):
        return COLOURS[n % len(COLOURS)]

    def x(self, i):
        return LEFT + (i + 0.5) * (WIDTH - LEFT - RIGHT) / len(self.xs)

    def y(self, value):
        return HEIGHT - BOTTOM - value / self.most * (HEIGHT - BOTTOM - TOP)

    def write(self, path):
        path.write_text("\n".join(self.out + ["</svg>"]) + "\n")


def lines(path, title, x_label, y_label, xs, series):
    """series: name -> one value for each of xs."""
    chart = Chart(title, x_label, y_label, xs, list(series), 1.05 * max(max(v) for v in series.values()))
    for n, (name, values) in enumerate(series.items()):
        points = " ".join(f"{chart.x(i):.1f},{chart.y(v):.1f}" for i, v in enumerate(values))
        chart.out.append(f'<polyline points="{points}" fill="none" stroke="{chart.colour(n)}" stroke-width="2"/>')
        for i, v in enumerate(values):
            chart.out.append(f'<circle cx="{chart.x(i):.1f}" cy="{chart.y(v):.1f}" r="3" fill="{chart.colour(n)}">'
                             f"<title>{escape(name)}, {escape(str(xs[i]))}: {v:.4g}</title></circle>")
    chart.write(path)


def bars(path, title, x_label, y_label, xs, series):
    """The same, one on top of the other."""
    chart = Chart(title, x_label, y_label, xs, list(series), max(map(sum, zip(*series.values()))))
    width = 0.7 * (WIDTH - LEFT - RIGHT) / len(xs)
    below = [0.0] * len(xs)
    for n, (name, values) in enumerate(series.items()):
        for i, v in enumerate(values):
            top = below[i] + v
            chart.out.append(f'<rect x="{chart.x(i) - width / 2:.1f}" y="{chart.y(top):.1f}" width="{width:.1f}" '
                             f'height="{chart.y(below[i]) - chart.y(top):.1f}" fill="{chart.colour(n)}">'
                             f"<title>{escape(name)}, {escape(str(xs[i]))}: {v:.4g}</title></rect>")
            below[i] = top
    chart.write(path)


def table(head, rows):
    lines_of = ["| " + " | ".join(map(str, head)) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines_of + ["| " + " | ".join(map(str, r)) + " |" for r in rows]) + "\n"
