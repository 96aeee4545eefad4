# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16: the rotation of the fully connected layers."""
from figures.cases import CASES
from figures.dsm import layers_of
from figures.table import numbers, paragraph
from figures.variation import (AS_IT_IS, Column, claim, column, each, one_key_table, varied,
                               variation_table)
from figures.vgg16 import FCS, one_factor

HEADING = "VGG16: rotation in the fully connected layers"
EXPLAINS = ("fc_rotation", "fc_update")
VARIATIONS = (AS_IT_IS, *each("array.startup_cycles", 0, 500, 1000),
              varied("links half as fast", "system.link_bandwidth_x_GBps=60",
                     "system.link_bandwidth_y_GBps=20"))


def parallelisms(dsm, case):
    return [layers_of(one_factor(dsm, case))[name]["passes"]["update"]["parallelism"] for name in FCS]


def is_as_published(found, case):
    """Whether all nine shares are within 10 % of their ranges."""
    figures = [found.figures[key] for key in EXPLAINS]
    return not any(figure.is_off(figure.measure(found.dsm, case)) for figure in figures)


def section(found):
    columns = [column(found.figures["fc_rotation"], "forward, backward of FC1, FC2, FC3"),
               column(found.figures["fc_update"], "update of FC1, FC2, FC3")]
    named = [*columns, Column("parallelism", parallelisms, numbers)]
    good = [(case, text) for case in CASES for text, overrides in VARIATIONS
            if is_as_published(found, case.where(*overrides))]
    claim(good == [(CASES[0], text) for text in ("as it is", "startup_cycles 500",
                                                 "startup_cycles 1000")],
          f"which variations have all nine shares: {good}")
    return [
        paragraph("""Forward and update rotate while they compute, so that only what is longer
            than the computation is seen. `startup_cycles` makes the computation longer, and
            `exact_rotation` leaves out a move: both lower these shares. Backward does not
            overlap; there `partial_sum_bytes` doubles what is rotated."""),
        "",
        *one_key_table(found.dsm, columns),
        "",
        paragraph("""Of these variations the default set has all nine shares within 10 % of the
            published ranges with a start of 500 or 1000 cycles, the refined set with none. There
            the start that brings FC1 and FC3 closest leaves the update of FC2 below. Why that
            loses as much as published is still unexplained: [what was
            tried](unexplained.md#rotation-in-the-update-of-vgg16s-fully-connected-layers-published-30-to-70-)."""),
        "",
        *variation_table(found.dsm, named, VARIATIONS),
    ]
