# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16: the relayout of FC1."""
from figures.dsm import layers_of
from figures.table import paragraph
from figures.variation import Column, column, one_key_table
from figures.vgg16 import one_factor

HEADING = "VGG16: FC1's relayout"
EXPLAINS = ("fc1_relayout",)


def kilocycles(of):
    def measure(dsm, case):
        return of(layers_of(one_factor(dsm, case))["fc1"]["passes"]["forward"]) / 1000
    return measure


def forward_parallelism(dsm, case):
    return layers_of(one_factor(dsm, case))["fc1"]["passes"]["forward"]["parallelism"]


def section(found):
    columns = [column(found.figures["fc1_relayout"], "share"),
               Column("relayout, 1000 cycles", kilocycles(lambda one: one["groups"]["relayout"]),
                      "{:.1f}".format),
               Column("forward of FC1, 1000 cycles", kilocycles(lambda one: one["cycles"]["total"]),
                      "{:.1f}".format),
               Column("FC1's parallelism", forward_parallelism, str)]
    return [
        paragraph("""`two_way_relayout` halves the relayout. `exact_rotation`, without which the
            features move once more, home along Y, makes the rest of the pass shorter. Together they
            bring the share from above the published one to 9 % below it."""),
        "",
        *one_key_table(found.dsm, columns),
    ]
