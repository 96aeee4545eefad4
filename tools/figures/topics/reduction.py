# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16: the gradient reduction of the late convolutions."""
from figures.fig12 import parallelism_text
from figures.table import paragraph
from figures.variation import AS_IT_IS, Column, column, one_key_table, reduction_loads, variation_table
from figures.vgg16 import free

HEADING = "VGG16: CONV4_2 and CONV4_3 lose less to the gradient reduction"
EXPLAINS = ("reduction_one", "reduction_free")


def section(found):
    columns = [column(found.figures["reduction_one"], "one factor"),
               column(found.figures["reduction_free"], "free factors")]
    with_words = [*columns, Column("parallelism, free factors",
                                   lambda dsm, case: parallelism_text(free(dsm, case)), str)]
    loads = (AS_IT_IS, *reduction_loads(1, 2, 3, 4))
    return [
        paragraph("""The paper: 30 to 60 % in CONV4_2, 4_3, 5_1, 5_2, 5_3, bound by memory. With
            free factors and twice the memory traffic in reduction and broadcast all five are
            close to that. With four times, CONV5 is no longer in data parallelism. The two
            refined keys about reduction have opposite effects: `reduce_memory_bytes` 2 counts
            more on the memory bus, `reduce_ring_crossings` 1 less on the ring."""),
        "",
        *variation_table(found.dsm, with_words, loads),
        "",
        *one_key_table(found.dsm, columns),
    ]
