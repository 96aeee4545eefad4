# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a long test is tried, as how_many.h has it: presets with `long` try all."""
import os


def part_of(items, step):
    """All, or every so many of them."""
    return items if os.environ.get("DSM_HOW_MANY") == "all" else items[::step]
