# SPDX-License-Identifier: GPL-3.0-or-later
"""One thing varied at a time, and what that does to some figures."""
from dataclasses import dataclass
from typing import Callable

from figures.cases import CASES, DEFAULT, REFINED
from figures.table import table

AS_IT_IS = ("as it is", ())
UNCHANGED = "="
CLOSE = 0.005


@dataclass(frozen=True)
class Column:
    """What is shown of a case: show(measure(dsm, case))."""
    heading: str
    measure: Callable
    show: Callable

    def cell(self, dsm, case):
        values = self.measure(dsm, case)
        return Cell(values, str(self.show(values)))


def varied(text, *overrides):
    return text, overrides


def each(key, *values):
    """A variation for each value of a key."""
    name = key.rpartition(".")[2]
    return tuple(varied(f"{name} {value}", f"{key}={value}") for value in values)


@dataclass(frozen=True)
class Cell:
    values: object
    shown: str

    def is_like(self, other):
        """Whether it is shown alike, or as good as equal."""
        return self.shown == other.shown or is_close(self.values, other.values)


def reduction_loads(*values):
    """How often gradients and new weights cross the memory bus."""
    return tuple((f"reduce_memory_bytes, broadcast_memory_bytes {value}",
                  (f"model.reduce_memory_bytes={value}", f"model.broadcast_memory_bytes={value}"))
                 for value in values)


def is_close(values, reference):
    pairs = list(zip(as_tuple(values), as_tuple(reference)))
    return (all(isinstance(one, float) for pair in pairs for one in pair)
            and all(abs(one - other) <= CLOSE * abs(other) for one, other in pairs))


def as_tuple(values):
    return values if isinstance(values, tuple) else (values,)


def cells(dsm, columns, cases):
    """A row of cells for each case; they are computed several at a time."""
    pairs = [(column, case) for case in cases for column in columns]
    found = dsm.map(lambda pair: pair[0].cell(dsm, pair[1]), pairs)
    return [found[index:index + len(columns)] for index in range(0, len(found), len(columns))]


def shown(row):
    return [cell.shown for cell in row]


def changes(dsm, case, overrides):
    """Whether overrides are other than what the set has, or none."""
    values = dsm.parameters(case.system)
    return not overrides or any(text_of(values[path]) != value for path, _, value in
                                (override.partition("=") for override in overrides))


def variation_table(dsm, columns, variations, cases=CASES):
    """A row for each set and variation that changes something in it."""
    tried = [(case, text, case.where(*overrides)) for case in cases
             for text, overrides in variations if changes(dsm, case, overrides)]
    rows = cells(dsm, columns, [one for _, _, one in tried])
    return table(("set", "varied", *(column.heading for column in columns)),
                 [(case.title, text, *shown(row)) for (case, text, _), row in zip(tried, rows)])


# ---- refined keys ----

@dataclass(frozen=True)
class Key:
    """A parameter that the two sets have differently."""
    path: str
    default: object
    refined: object

    def name(self):
        return self.path.rpartition(".")[2]

    def switched_on(self):
        return DEFAULT.where(f"{self.path}={text_of(self.refined)}")

    def switched_off(self):
        return REFINED.where(f"{self.path}={text_of(self.default)}")


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def refined_keys(dsm):
    default, refined = dsm.parameters(DEFAULT.system), dsm.parameters(REFINED.system)
    return [Key(path, value, refined[path]) for path, value in default.items()
            if value != refined[path]]


def one_key_cells(dsm, columns):
    """The cells of each set, and with each key alone switched on and alone switched off: (row of
    the default set, row of the refined one, [(key, on, off)])."""
    keys = refined_keys(dsm)
    found = cells(dsm, columns, [DEFAULT, REFINED, *(key.switched_on() for key in keys),
                                 *(key.switched_off() for key in keys)])
    on, off = found[2:2 + len(keys)], found[2 + len(keys):]
    return found[0], found[1], list(zip(keys, on, off))


def differing(row, reference):
    return [UNCHANGED if cell.is_like(other) else cell.shown for cell, other in zip(row, reference)]


def one_key_table(dsm, columns):
    """The lines of a table of the refined keys that matter for some column: what each does alone,
    and what the refined set is without it."""
    default, refined, rows = one_key_cells(dsm, columns)
    lines = [("none", *shown(default), *shown(refined))]
    for key, on, off in rows:
        row = differing(on, default) + differing(off, refined)
        if set(row) != {UNCHANGED}:
            lines.append((f"`{key.name()}`", *row))
    headings = [column.heading for column in columns]
    return table(("refined key", *(f"{heading}: alone on" for heading in headings),
                  *(f"{heading}: alone off" for heading in headings)), lines)


# ---- what a text says ----

def column(figure, heading=None):
    """What a figure measures."""
    show = (lambda text: text) if figure.show is str else figure.show
    return Column(heading or figure.key, figure.measure, show)


def claim(is_true, statement):
    """Stops where a text says what is no longer so."""
    if not is_true:
        raise ValueError(f"the text of the page says, and it is not so: {statement}")
