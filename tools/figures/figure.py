# SPDX-License-Identifier: GPL-3.0-or-later
"""A published figure: what the paper says, how dsm's is had, and how far the two are apart."""
from dataclasses import dataclass
from typing import Callable, Optional, Tuple

from figures.cases import CASES
from figures.table import link, numbers, table

LIMIT = 0.10


@dataclass(frozen=True)
class Figure:
    """measure(dsm, case) gives a tuple of numbers, or a text. published: the range (low, high) of
    each number, one range for all, or the text; nothing where the paper has none to compare with.
    command: in Markdown. band: the limits that every number must keep with the default set."""
    key: str
    quantity: str
    paper: str
    measure: Callable
    published: tuple
    show: Callable
    command: str
    band: Optional[Tuple[float, float]] = None
    band_text: Optional[str] = None

    def deviations(self, values):
        """How far each number is outside the published range, as a ratio. A text: 1 if it differs."""
        if isinstance(values, str):
            return (0.0 if values == self.published else 1.0,)
        if not self.published:
            return (0.0,) * len(values)
        ranges = self.published if len(self.published) == len(values) else (
            self.published * len(values))
        return tuple(value / low - 1 if value < low else max(value / high - 1, 0.0)
                     for value, (low, high) in zip(values, ranges))

    def is_off(self, values):
        return any(abs(deviation) > LIMIT for deviation in self.deviations(values))

    def is_inside(self, values):
        return not self.band or all(self.band[0] <= value <= self.band[1] for value in values)

    def deviation_text(self, values):
        if not self.published:
            return ""
        if isinstance(values, str):
            return "differs" if self.is_off(values) else "the same"
        return numbers(percent_of(deviation) for deviation in self.deviations(values)) + " %"

    def cell(self, values):
        """What dsm has, in bold if it is off, and the deviation."""
        each = (values,) if isinstance(values, str) else [self.show((one,)) for one in values]
        shown = numbers(f"**{one}**" if abs(deviation) > LIMIT else one
                        for one, deviation in zip(each, self.deviations(values)))
        deviation = self.deviation_text(values)
        return f"{shown} ({deviation})" if deviation else shown

    def band_cell(self, values):
        if not self.band:
            return "reported"
        text = self.band_text or "{:g} - {:g}".format(*self.band)
        return f"{text}: {'inside' if self.is_inside(values) else 'OUTSIDE'}"


def percent_of(deviation):
    rounded = round(100 * deviation)
    return f"{rounded:+d}" if rounded else "0"


class Found:
    """The figures of the page with their values in each case, in the order of the page."""

    def __init__(self, dsm):
        self.dsm = dsm
        self.figures = {}
        self.measured = {}

    def values(self, key, case):
        if (key, case) not in self.measured:
            self.measured[key, case] = self.figures[key].measure(self.dsm, case)
        return self.measured[key, case]

    def add(self, figures):
        for figure in figures:
            if figure.key in self.figures:
                raise ValueError(f"two figures are called {figure.key}")
            self.figures[figure.key] = figure

    def measure(self):
        """Measures everything, several figures at a time."""
        self.dsm.map(lambda pair: self.values(*pair),
                     [(key, case) for key in self.figures for case in CASES])

    def off(self):
        """The figures that are off in some case."""
        return [figure for key, figure in self.figures.items()
                if any(figure.is_off(self.values(key, case)) for case in CASES)]

    def table(self, figures, topics):
        """The figures beside dsm's, with letters for their commands, which follow the table."""
        letters = {}
        rows = []
        for figure in figures:
            letter = letters.setdefault(figure.command, chr(ord("a") + len(letters)))
            cells = [self.values(figure.key, case) for case in CASES]
            why = topics.get(figure.key)
            rows.append((figure.quantity, figure.paper, *(figure.cell(one) for one in cells),
                         figure.band_cell(cells[0]), letter,
                         link("why", why) if why and figure in self.off() else ""))
        yield from table(("quantity", "paper", *(case.title for case in CASES), "band", "command",
                          ""), rows)
        yield ""
        for command, letter in letters.items():
            yield f"- {letter}: {command}"
