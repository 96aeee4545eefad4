# SPDX-License-Identifier: GPL-3.0-or-later
"""What larger scratchpads gain."""
from figures.table import paragraph
from figures.variation import AS_IT_IS, column, each, one_key_table, variation_table

HEADING = "Larger scratchpads"
EXPLAINS = ("scratchpad_resnet50", "scratchpad_resnet50_flat", "scratchpad_vgg16", "scratchpad_gnmt")


def section(found):
    columns = [column(found.figures["scratchpad_resnet50"], "ResNet-50, 0.5 to 1 MiB"),
               column(found.figures["scratchpad_vgg16"], "VGG16, 0.5 to 4 MiB"),
               column(found.figures["scratchpad_gnmt"], "GNMT, 1, 2, 4 over 0.5 MiB")]
    return [
        paragraph("""VGG16 and ResNet-50: `layout_move` makes the difference. Held tensors gain less
            where they have to be moved among the cores, and so does the room for them. Without it
            the refined set gains as much as published, or up to 10 % more."""),
        "",
        *variation_table(found.dsm, columns[:2],
                         (AS_IT_IS, *each("model.layout_move", "none", "exact", "always"))),
        "",
        *one_key_table(found.dsm, columns[:2]),
        "",
        paragraph("""GNMT is published as insensitive, and gains at 2 MiB here. If in backward and
            update the weights were kept once, not beside their gradients (`bptt_resident_copies`
            1), the same gain would be there at 1 MiB. So it is the capacity at which both fit
            that makes the difference."""),
        "",
        *variation_table(found.dsm, columns[2:],
                         (AS_IT_IS, *each("model.bptt_resident_copies", 1))),
    ]
