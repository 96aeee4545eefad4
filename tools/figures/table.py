# SPDX-License-Identifier: GPL-3.0-or-later
"""Text and tables in Markdown."""
import re
import textwrap

WIDTH = 100


def table(headings, rows):
    """The lines of a table."""
    yield f"| {' | '.join(map(str, headings))} |"
    yield f"|{'---|' * len(headings)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def paragraph(text):
    """Text of any indentation, broken into lines that are not too long."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False,
                         break_on_hyphens=False)


def link(text, heading):
    """A link to a heading of the page."""
    anchor = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower()).replace(" ", "-")
    return f"[{text}](#{anchor})"


def ratios(values, digits=2):
    return ", ".join(f"{value:.{digits}f}x" for value in values)


def percents(values, digits=0):
    return ", ".join(f"{100 * value:.{digits}f} %" for value in values)


def decimals(digits):
    return lambda values: ", ".join(f"{value:.{digits}f}" for value in values)


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
