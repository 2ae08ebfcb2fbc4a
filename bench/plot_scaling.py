#!/usr/bin/env python3
"""Draw the curves of `maskloom bench scaling` as one SVG of small plots.

    plot_scaling.py POINTS.jsonl OUT.svg

Both axes of every plot are logarithmic, so that what grows linearly is a line as steep as the grey
one, and what does not grow is level. Needs nothing but Python.
"""
import json
import math
import sys
from xml.sax.saxutils import escape

SERIES = (
    ("first_mask_us", "schema to first mask", "#CC79A7"),
    ("mask_max_us", "cold mask, slowest", "#D55E00"),
    ("mask_p50_us", "cold mask, median", "#E69F00"),
    ("seen_p50_us", "mask of a seen state, median", "#0072B2"),
    ("accept_p50_us", "accept, median", "#009E73"),
)
COLUMNS = 4
WIDTH, HEIGHT = 250, 190  # of a plot with its labels
LEFT, RIGHT, TOP, BOTTOM = 44, 10, 26, 34
HEAD = 52


def read(path):
    header, curves = {}, {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("header"):
                header = row
            else:
                curves.setdefault(row["curve"], []).append(row)
    for points in curves.values():
        points.sort(key=lambda point: point["x"])
    return header, curves


def text(x, y, words, size=9, anchor="start", colour="#333", extra=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{extra}>'
            f"{escape(words)}</text>")


def short(number):
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:g}"


class Plot:
    def __init__(self, left, top, points):
        xs = [point["x"] for point in points]
        ys = [max(point[key], 0.01) for point in points for key, _, _ in SERIES]
        self.x0, self.x1 = math.log10(min(xs)), math.log10(max(xs))
        if self.x0 == self.x1:
            self.x0, self.x1 = self.x0 - 0.5, self.x1 + 0.5
        self.y0, self.y1 = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
        self.left, self.top = left + LEFT, top + TOP
        self.width, self.height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(self, value):
        return self.left + self.width * (math.log10(value) - self.x0) / (self.x1 - self.x0)

    def y(self, value):
        share = (math.log10(max(value, 0.01)) - self.y0) / (self.y1 - self.y0)
        return self.top + self.height * (1 - share)

    def draw(self, name, parameter, points):
        out = [text(self.left, self.top - 8, name.replace("_", " "), 11, colour="#000", extra=' font-weight="bold"')]
        bottom = self.top + self.height
        for exponent in range(self.y0, self.y1 + 1):
            at = self.y(10**exponent)
            out.append(f'<path d="M{self.left} {at:.1f}h{self.width}" stroke="#ddd" fill="none"/>')
            out.append(text(self.left - 4, at + 3, short(10.0**exponent), anchor="end"))
        for point in points:
            at = self.x(point["x"])
            out.append(f'<path d="M{at:.1f} {bottom}v3" stroke="#888" fill="none"/>')
            out.append(text(at, bottom + 12, short(point["x"]), 8, "middle"))
        out.append(text(self.left + self.width / 2, bottom + 24, parameter, 9, "middle"))
        # Linear growth from the lower left corner, as far as it stays inside.
        decades = min(self.x1 - self.x0, self.y1 - self.y0)
        out.append(f'<path d="M{self.left} {bottom}L{self.x(10 ** (self.x0 + decades)):.1f} '
                   f'{self.y(10 ** (self.y0 + decades)):.1f}" stroke="#bbb" stroke-dasharray="3 3" fill="none"/>')
        for key, _, colour in SERIES:
            places = [f"{self.x(point['x']):.1f} {self.y(point[key]):.1f}" for point in points]
            out.append(f'<path d="M{"L".join(places)}" stroke="{colour}" stroke-width="1.6" fill="none"/>')
            out += [f'<circle cx="{place.split()[0]}" cy="{place.split()[1]}" r="1.8" fill="{colour}"/>'
                    for place in places]
        return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    header, curves = read(sys.argv[1])
    rows = math.ceil(len(curves) / COLUMNS)
    width, height = COLUMNS * WIDTH + 10, HEAD + rows * HEIGHT + 6
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           text(10, 18, f"Microseconds as one parameter grows: {header.get('vocab_size', 0):,} tokens, one thread of "
                f"{header.get('processor', '?')}, Maskloom {header.get('version', '?')}; both axes logarithmic, "
                "dashed: linear growth", 11, colour="#000")]
    at = 10
    for _, label, colour in SERIES:
        out.append(f'<path d="M{at} 36h16" stroke="{colour}" stroke-width="3" fill="none"/>')
        out.append(text(at + 20, 40, label, 10))
        at += 40 + 6 * len(label)
    parameters = header.get("parameters", {})
    for index, (name, points) in enumerate(curves.items()):
        left, top = index % COLUMNS * WIDTH, HEAD + index // COLUMNS * HEIGHT
        out += Plot(left, top, points).draw(name, parameters.get(name, ""), points)
    with open(sys.argv[2], "w", encoding="utf-8") as svg:
        svg.write("\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    main()
