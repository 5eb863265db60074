"""Draws a Grafana board as a page: reads its JSON, lets a Prometheus evaluate what its panels ask
for, and draws stat, timeseries, state-timeline and table, the four kinds that our boards have. It
is no Grafana: only what the JSON says of queries, places, units, colours and legends is shown as it
would be there.
"""

import html
import json
import math
import re
import time
import urllib.error
import urllib.parse
import urllib.request

WIDTH, COLUMN, ROW, GAP = 1200, 50, 34, 6
POINTS = 300
COLOURS = ["#3274d9", "#e0752d", "#56a64b", "#e02f44", "#a352cc", "#f2cc0c", "#1f9ea8", "#8f6b4f"]
NAMED = {
    "green": "#56a64b",
    "red": "#e02f44",
    "orange": "#ff9830",
    "blue": "#5794f2",
    "text": "#24292e",
    "transparent": "#eceef0",
}
STYLE = """
body { margin: 0; width: 1200px; background: #f4f5f5; color: #24292e; }
body { font: 12px 'DejaVu Sans', sans-serif; }
h1 { font-size: 17px; margin: 10px 8px 2px; }
p { margin: 0 8px 6px; color: #5a6069; }
.panel { position: absolute; background: #fff; border: 1px solid #dcdfe2; }
.panel { box-sizing: border-box; overflow: hidden; }
.title { font-weight: bold; padding: 5px 8px 0; font-size: 12px; }
.stat { text-align: center; font-size: 28px; padding-top: 8px; }
table { border-collapse: collapse; margin: 8px; width: 95%; }
td, th { text-align: left; padding: 3px 6px; border-bottom: 1px solid #eceef0; }
svg text { font-size: 10px; fill: #5a6069; }
"""


class Source:
    """A Prometheus, and the span of time that is shown."""

    def __init__(self, address, begin, end, variables):
        self.address, self.begin, self.end, self.variables = address, begin, end, variables

    def ask(self, path, **query):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise ValueError(f"{query['query']}: {error.read().decode()}") from error

    def fill(self, expression):
        return re.sub(r"\$(\w+)", lambda m: self.variables[m.group(1)], expression)

    def now(self, expression):
        return self.ask("query", query=self.fill(expression), time=self.end)

    def span(self, expression):
        step = max(1, round((self.end - self.begin) / POINTS))
        return (
            self.ask(
                "query_range",
                query=self.fill(expression),
                start=self.begin,
                end=self.end,
                step=step,
            ),
            step,
        )


def legend_of(target, labels):
    text = target["legendFormat"]
    if text == "__auto":
        return ", ".join(f"{k}={v}" for k, v in labels.items() if k != "__name__") or "value"
    return re.sub(r"{{(\w+)}}", lambda m: labels.get(m.group(1), ""), text).strip()


def duration(seconds):
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 1 or seconds == 0 else f"{seconds * 1000:.3g} ms"


def shown(value, unit):
    if math.isnan(value):
        return "–"
    if unit == "s":
        return duration(value)
    if unit == "bytes":
        return f"{value / 2**20:.1f} MiB"
    return f"{value:.3g}" + {"ops": "/s", "reqps": "/s"}.get(unit, "")


def defaults_of(panel):
    return panel["fieldConfig"]["defaults"]


def mapped(panel, value):
    """What a mapping makes of a value: text and colour, or None."""
    for mapping in defaults_of(panel).get("mappings", []):
        found = mapping["options"].get(f"{value:g}")
        if found:
            return found["text"], NAMED[found["color"]]
    return None


def threshold_colour(panel, value):
    colour = "text"
    for step in defaults_of(panel).get("thresholds", {}).get("steps", []):
        if step["value"] is None or value >= step["value"]:
            colour = step["color"]
    return NAMED[colour]


# --- the four kinds


def draw_stat(panel, source, _size):
    target = panel["targets"][0]
    found = source.now(target["expr"])
    if not found:
        return f'<div class="stat">{defaults_of(panel)["noValue"]}</div>'
    value = float(found[0]["value"][1])
    text = shown(value, defaults_of(panel)["unit"])
    if panel["options"]["textMode"] == "name":
        text = ", ".join(legend_of(target, one["metric"]) for one in found)
    colour = threshold_colour(panel, value)
    return f'<div class="stat" style="color:{colour}">{html.escape(text)}</div>'


def draw_table(panel, source, _size):
    columns = panel["transformations"][0]["options"]["include"]["names"]
    rows = source.now(panel["targets"][0]["expr"])
    if not rows:
        return f'<div class="stat">{defaults_of(panel)["noValue"]}</div>'
    head = "".join(f"<th>{c}</th>" for c in columns)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{html.escape(r['metric'].get(c, ''))}</td>" for c in columns)
        + "</tr>"
        for r in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


class Plot:
    """The space of a picture, and where a time is in it."""

    def __init__(self, source, size, left, bottom):
        self.source, self.left = source, left
        self.width, self.height = size[0] - left - 12, size[1] - bottom - 10
        self.parts, self.size = [], size

    def x(self, when):
        share = (when - self.source.begin) / (self.source.end - self.source.begin)
        return self.left + share * self.width

    def line(self, x1, y1, x2, y2):
        self.parts.append(
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#e3e6e9"/>'
        )

    def text(self, x, y, text, anchor="start"):
        self.parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{html.escape(text)}</text>'
        )

    def times(self):
        for i in range(5):
            when = self.source.begin + (self.source.end - self.source.begin) * i / 4
            anchor = ("start", "middle", "middle", "middle", "end")[i]
            self.text(
                self.x(when), self.height + 22, time.strftime("%H:%M:%S", time.gmtime(when)), anchor
            )

    def legend(self, entries):
        """Below the picture, as much as there is room for."""
        x, y = self.left, self.height + 40
        for name, colour in entries:
            wide = 18 + 6.3 * len(name)
            if x + wide > self.size[0]:
                x, y = self.left, y + 14
            if y > self.size[1]:
                return
            self.parts.append(f'<rect x="{x}" y="{y - 8}" width="10" height="8" fill="{colour}"/>')
            self.text(x + 14, y, name)
            x += wide

    def svg(self):
        width, height = self.size
        return f'<svg width="{width}" height="{height}">{"".join(self.parts)}</svg>'


def series_of(panel, source):
    """Every series of a panel: its name and its points, in the order of names."""
    all_series = []
    for target in panel["targets"]:
        found, step = source.span(target["expr"])
        for one in found:
            points = [(float(t), float(v)) for t, v in one["values"] if v != "NaN"]
            if points:
                all_series.append((legend_of(target, one["metric"]), points, step))
    return sorted(all_series, key=lambda s: s[0])


def stacked(all_series):
    """The same with each series on top of those before it."""
    below = {}
    for name, points, step in all_series:
        raised = [(t, v + below.get(t, 0)) for t, v in points]
        below.update(raised)
        yield name, raised, step


def nice_top(value):
    if value <= 0:
        return 1
    size = 10 ** math.floor(math.log10(value))
    return next(size * k for k in (1, 2, 4, 5, 10) if size * k >= value)


def top_of(panel, value):
    """Where the axis ends; of bytes and counts at a number that four steps divide well."""
    if defaults_of(panel)["unit"] == "bytes":
        return nice_top(value / 2**20) * 2**20
    if defaults_of(panel).get("decimals") == 0:
        return max(4, 4 * math.ceil(value / 4))
    return nice_top(value)


def stretches(points, step):
    """The points in lists between which some are missing."""
    parts = []
    for when, value in points:
        if not parts or when - parts[-1][-1][0] > 3 * step:
            parts.append([])
        parts[-1].append((when, value))
    return parts


def line_of(points, x, y):
    """A line through the points; one alone is a dash."""
    text = " L".join(f"{x(when):.1f} {y(value):.1f}" for when, value in points)
    return f"M{text} h1"


def area_of(points, x, y):
    """What is below the line."""
    first, last = points[0][0], points[-1][0]
    return f"{line_of(points, x, y)} L{x(last):.1f} {y(0):.1f} L{x(first):.1f} {y(0):.1f} Z"


def draw_timeseries(panel, source, size):
    all_series = series_of(panel, source)
    defaults = defaults_of(panel)
    is_stacked = defaults["custom"]["stacking"]["mode"] == "normal"
    if is_stacked:
        all_series = list(stacked(all_series))
    plot = Plot(source, size, left=58, bottom=58)
    top = top_of(panel, max((v for _, points, _ in all_series for _, v in points), default=1))
    y = lambda value: 10 + plot.height * (1 - value / top)
    for i in range(5):
        plot.line(plot.left, y(top * i / 4), plot.left + plot.width, y(top * i / 4))
        plot.text(plot.left - 5, y(top * i / 4) + 4, shown(top * i / 4, defaults["unit"]), "end")
    plot.times()
    for i, (_, points, step) in reversed(list(enumerate(all_series))):
        colour = COLOURS[i % len(COLOURS)]
        for part in stretches(points, step):
            path = (area_of if is_stacked else line_of)(part, plot.x, y)
            fill = colour if is_stacked else "none"
            plot.parts.append(
                f'<path d="{path}" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'
            )
    plot.legend([(name, COLOURS[i % len(COLOURS)]) for i, (name, _, _) in enumerate(all_series)])
    return plot.svg()


def runs_of(points, step):
    """Stretches of one value: begin, end, value."""
    runs = []
    for when, value in points:
        if runs and runs[-1][2] == value and when - runs[-1][1] <= 1.5 * step:
            runs[-1][1] = when
        else:
            runs.append([when, when, value])
    return [(begin, end + step, value) for begin, end, value in runs]


def draw_states(panel, source, size):
    all_series = series_of(panel, source)
    longest = max((len(name) for name, _, _ in all_series), default=0)
    plot = Plot(source, size, left=16 + 6.2 * longest, bottom=58)
    tall = min(44, plot.height / max(1, len(all_series)))
    seen = {}
    for row, (name, points, step) in enumerate(all_series):
        y = 10 + row * tall
        plot.text(plot.left - 6, y + tall / 2 + 4, name, "end")
        for begin, end, value in runs_of(points, step):
            text, colour = mapped(panel, value) or (f"{value:g}", NAMED["text"])
            seen[text] = colour
            x = plot.x(begin)
            wide = max(1, plot.x(min(end, source.end)) - x)
            plot.parts.append(
                f'<rect x="{x:.1f}" y="{y + 2:.1f}" width="{wide:.1f}" '
                f'height="{tall - 4:.1f}" fill="{colour}"/>'
            )
    plot.times()
    plot.legend(sorted(seen.items()))
    return plot.svg()


KINDS = {
    "stat": draw_stat,
    "table": draw_table,
    "timeseries": draw_timeseries,
    "state-timeline": draw_states,
}


def page_of(board, source):
    """The page, and how tall it is."""
    top, bottom, panels = 56, 0, []
    for panel in board["panels"]:
        place = panel["gridPos"]
        x, y = place["x"] * COLUMN, top + place["y"] * ROW
        wide, tall = place["w"] * COLUMN - GAP, place["h"] * ROW - GAP
        bottom = max(bottom, y + tall)
        drawn = KINDS[panel["type"]](panel, source, (wide - 2, tall - 22))
        panels.append(
            f'<div class="panel" style="left:{x + GAP // 2}px;top:{y}px;'
            f'width:{wide}px;height:{tall}px">'
            f'<div class="title">{html.escape(panel["title"])}</div>{drawn}</div>'
        )
    return (
        f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style><h1>{board["title"]}</h1>'
        f'<p>{html.escape(board["description"])}</p>{"".join(panels)}'
    ), bottom + GAP
