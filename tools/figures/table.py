# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of published figures beside predicted ones, and tables in Markdown."""
import textwrap
from dataclasses import dataclass
from typing import Optional, Tuple

INSIDE, OUTSIDE = "inside", "OUTSIDE"
WIDTH = 100


@dataclass(frozen=True)
class Row:
    """A published figure beside what dsm predicts. band: the limits that every value must keep;
    expected: the text that must be shown. With neither, the figure is only reported."""
    quantity: str
    paper: str
    values: tuple
    shown: str
    command: str
    band: Optional[Tuple[float, float]] = None
    band_text: Optional[str] = None
    expected: Optional[str] = None

    def is_inside(self):
        if self.band:
            return all(self.band[0] <= value <= self.band[1] for value in self.values)
        return self.expected is None or self.shown == self.expected

    def verdict(self):
        word = INSIDE if self.is_inside() else OUTSIDE
        if self.band:
            return f"{self.band_text or '{:g} - {:g}'.format(*self.band)}: {word}"
        return f"the same: {word}" if self.expected is not None else "reported"


def table(headings, rows):
    """The lines of a table."""
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def figures(rows):
    """The table of some Rows."""
    return table(("quantity", "paper", "dsm", "band", "command"),
                 [(row.quantity, row.paper, row.shown, row.verdict(), f"`{row.command}`")
                  for row in rows])


def paragraph(text):
    """Text of any indentation, broken into lines that are not too long."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False,
                         break_on_hyphens=False)


def ratios(values, digits=2):
    return ", ".join(f"{value:.{digits}f}x" for value in values)


def percents(values, digits=0):
    return ", ".join(f"{100 * value:.{digits}f} %" for value in values)


def numbers(values):
    return ", ".join(map(str, values))


def runs(pairs):
    """Names with a word each, neighbours with the same word joined: "a to c data; d model"."""
    joined = []
    for name, word in pairs:
        if joined and joined[-1][1] == word:
            joined[-1][0].append(name)
        else:
            joined.append(([name], word))
    return "; ".join(f"{names[0]} to {names[-1]} {word}" if len(names) > 1 else f"{names[0]} {word}"
                     for names, word in joined)
