# SPDX-License-Identifier: GPL-3.0-or-later
"""GNMT: inference on one chip."""
from figures.table import paragraph
from figures.variation import AS_IT_IS, column, each, one_key_table, variation_table

HEADING = "GNMT: inference"
EXPLAINS = ("inference_gnmt",)
VARIATIONS = (AS_IT_IS, *each("array.startup_cycles", 0, 500, 2000),
              *each("chip.memory.efficiency_ratio", 1))


def section(found):
    columns = [column(found.figures["inference_gnmt"], "all, batch 1")]
    return [
        paragraph("""The start of the arrays is paid in every timestep, with and without
            optimizations, so that a longer one leaves less to gain; a start of 2000 cycles would
            bring the gain to the published 44x, and leave the base in training far too slow
            ([GNMT: base, best, and reuse](#gnmt-base-best-and-reuse)). Faster memory leaves less
            to gain too. No refined key alone brings the gain to 44x."""),
        "",
        *one_key_table(found.dsm, columns),
        "",
        *variation_table(found.dsm, columns, VARIATIONS),
    ]
