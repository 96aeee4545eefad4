# SPDX-License-Identifier: GPL-3.0-or-later
"""One thing varied at a time, and what that does to some figures."""
from dataclasses import dataclass
from typing import Callable

from figures.cases import CASES, DEFAULT, REFINED
from figures.table import numbers, paragraph, table

AS_IT_IS = ("as it is", ())
UNCHANGED = "="


@dataclass(frozen=True)
class Column:
    """What is shown of a case: show(measure(dsm, case))."""
    heading: str
    measure: Callable
    show: Callable

    def cell(self, dsm, case):
        return self.show(self.measure(dsm, case))


def varied(text, *overrides):
    return text, overrides


def each(key, *values):
    """A variation for each value of a key."""
    name = key.rpartition(".")[2]
    return tuple(varied(f"{name} {value}", f"{key}={value}") for value in values)


def cells(dsm, columns, cases):
    """A row of cells for each case; all are computed before, several at a time."""
    pairs = [(column, case) for case in cases for column in columns]
    found = dsm.map(lambda pair: pair[0].cell(dsm, pair[1]), pairs)
    return [found[index:index + len(columns)] for index in range(0, len(found), len(columns))]


def variation_table(dsm, columns, variations, cases=CASES):
    """A row for each set and variation."""
    tried = [(case, text, case.where(*overrides)) for case in cases for text, overrides in variations]
    rows = cells(dsm, columns, [one for _, _, one in tried])
    return table(("set", "varied", *(column.heading for column in columns)),
                 [(case.title, text, *row) for (case, text, _), row in zip(tried, rows)])


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
    refined = {one["path"]: one["value"] for one in dsm.describe(REFINED.system)["parameters"]}
    return [Key(one["path"], one["value"], refined[one["path"]])
            for one in dsm.describe(DEFAULT.system)["parameters"]
            if one["value"] != refined[one["path"]]]


def differing(row, reference):
    return [UNCHANGED if cell == other else cell for cell, other in zip(row, reference)]


def one_key_rows(dsm, columns):
    """The row of each set, and of each key, alone switched on and alone switched off, with what is
    as in the set left out: (row of model.md's set, row of the refined one, [(key, on, off)])."""
    keys = refined_keys(dsm)
    found = cells(dsm, columns, [DEFAULT, REFINED, *(key.switched_on() for key in keys),
                                 *(key.switched_off() for key in keys)])
    default, refined, on, off = found[0], found[1], found[2:2 + len(keys)], found[2 + len(keys):]
    return default, refined, [(key, differing(one, default), differing(other, refined))
                              for key, one, other in zip(keys, on, off)]


def without_effect(rows):
    """A sentence on the keys that leave all cells as they are."""
    names = [f"`{key.name()}`" for key, on, off in rows if set(on + off) == {UNCHANGED}]
    return paragraph(f"The other refined keys change nothing here: {numbers(names)}.") if names else ""


def one_key_table(dsm, columns):
    """The lines of a table of the refined keys that matter for some columns: what each does alone,
    and what the refined set is without it."""
    default, refined, rows = one_key_rows(dsm, columns)
    shown = [("none", *default, *refined)]
    shown += [(f"`{key.name()}`", *on, *off) for key, on, off in rows
              if set(on + off) != {UNCHANGED}]
    headings = [column.heading for column in columns]
    return [
        *table(("refined key", *(f"{heading}: alone on" for heading in headings),
                *(f"{heading}: alone off" for heading in headings)), shown),
        "",
        paragraph(f"""*Alone on*: {DEFAULT.title} with only this key as in the {REFINED.title};
            *alone off*: the {REFINED.title} with only this key as in {DEFAULT.title}. "{UNCHANGED}":
            no other than without. {without_effect(rows)}"""),
    ]
