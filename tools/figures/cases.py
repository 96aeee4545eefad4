# SPDX-License-Identifier: GPL-3.0-or-later
"""The two sets of parameters that the page compares, and what is changed in them."""
from dataclasses import dataclass, replace

ONE_CHIP = ("system.chips_x=1", "system.chips_y=1")
CHIPS_256 = ("system.chips_y=64",)
CHIPS_16 = ("system.chips_y=4",)


@dataclass(frozen=True)
class Case:
    """A system, the one of the first rung of a ladder, and overrides "KEY=VALUE" of both."""
    title: str
    system: str
    base: str
    overrides: tuple = ()

    def named(self):
        return f"the {self.title}"

    def where(self, *overrides):
        return replace(self, overrides=(*self.overrides, *overrides))


DEFAULT = Case("default set", "torus64", "torus64_symmetric")
REFINED = Case("refined set", "torus64_refined", "torus64_refined_symmetric")
CASES = (DEFAULT, REFINED)
