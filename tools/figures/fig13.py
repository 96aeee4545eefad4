# SPDX-License-Identifier: GPL-3.0-or-later
"""Fig. 13: where the time of VGG16 at minibatch 512 goes, layer by layer."""
from figures.cases import CASES
from figures.dsm import layers_of, share
from figures.figure import Figure
from figures.table import decimals, paragraph, percents, table
from figures.vgg16 import (FCS, FREE_COMMAND, LATE_CONVS, ONE_FACTOR_COMMAND, PASSES, conv_passes,
                           free, one_factor)

CONV_BAND = (0.85, 0.98)


# ---- measures ----

def conv_utilization(plan):
    """Of the convolutions but the first two, forward and backward together."""
    passes = [one for _, _, one in conv_passes(plan)]
    return (sum(one["ideal_cycles"] for one in passes)
            / sum(one["cycles"]["total"] for one in passes),)


def forward_share(name, cycles_of):
    """A share of the forward pass of a layer, with one factor."""
    def measure(dsm, case):
        one = layers_of(one_factor(dsm, case))[name]["passes"]["forward"]
        return (share(one, cycles_of(one)),)
    return measure


def rotation_shares(dsm, case):
    """Forward: the visible part of the stream, in which rotation is the slowest; backward: the
    rotation, which is never hidden."""
    values = []
    for layer in (layers_of(one_factor(dsm, case))[name] for name in FCS):
        forward, backward = layer["passes"]["forward"], layer["passes"]["backward"]
        values += [share(forward, forward["cycles"]["overlapped_visible"]),
                   share(backward, backward["groups"]["rotation"])]
    return tuple(values)


def update_shares(dsm, case):
    passes = [layers_of(one_factor(dsm, case))[name]["passes"]["update"] for name in FCS]
    return tuple(share(one, one["cycles"]["overlapped_visible"]) for one in passes)


def reduction_shares(plan):
    """Of gradient reduction and broadcast of weights in the update of the late convolutions."""
    passes = [layers_of(plan)[name]["passes"]["update"] for name in LATE_CONVS]
    return tuple(share(one, one["groups"]["sum_of_gradients"] + one["groups"]["broadcast_weights"])
                 for one in passes)


# ---- figures ----

FIGURES = (
    Figure("convs_one", "convolutions from CONV2_1 on together, forward and backward utilization, one "
           "factor", "about 0.90", lambda dsm, case: conv_utilization(one_factor(dsm, case)),
           ((0.90, 0.90),), decimals(3), ONE_FACTOR_COMMAND, CONV_BAND),
    Figure("convs_free", "convolutions from CONV2_1 on together, forward and backward utilization, "
           "free factors", "about 0.90",
           lambda dsm, case: conv_utilization(free(dsm, case)), ((0.90, 0.90),), decimals(3),
           FREE_COMMAND, CONV_BAND),
    Figure("activation", "CONV1_1 activation function, forward, share of its time", "17 %",
           forward_share("conv1_1", lambda one: one["cycles"]["auxiliary"]), ((0.17, 0.17),),
           percents, ONE_FACTOR_COMMAND),
    Figure("conv1_2", "CONV1_2 visible overlapped transfer, forward, share of its time", "26 %",
           forward_share("conv1_2", lambda one: one["cycles"]["overlapped_visible"]),
           ((0.26, 0.26),), percents, ONE_FACTOR_COMMAND),
    Figure("fc1_relayout", "FC1 relayout, forward, share of its time", "22 %",
           forward_share("fc1", lambda one: one["groups"].get("relayout", 0)), ((0.22, 0.22),),
           percents, ONE_FACTOR_COMMAND, (0.15, 0.30), "15 - 30 %"),
    Figure("fc_rotation", "FC rotation, share of the time of forward and backward of FC1, of FC2, of "
           "FC3", "60 - 80 %", rotation_shares, ((0.60, 0.80),), percents, ONE_FACTOR_COMMAND,
           (0.55, 0.85), "55 - 85 %"),
    Figure("fc_update", "FC rotation in update, FC1, FC2, FC3, visible share of their time",
           "30 - 70 %", update_shares, ((0.30, 0.70),), percents, ONE_FACTOR_COMMAND),
    Figure("reduction_one", "gradient reduction and broadcast, update of CONV4_2, 4_3, 5_1, 5_2, 5_3, "
           "share of their time, one factor", "30 - 60 %",
           lambda dsm, case: reduction_shares(one_factor(dsm, case)), ((0.30, 0.60),), percents,
           ONE_FACTOR_COMMAND),
    Figure("reduction_free", "gradient reduction and broadcast, update of CONV4_2, 4_3, 5_1, 5_2, 5_3, "
           "share of their time, free factors", "30 - 60 %",
           lambda dsm, case: reduction_shares(free(dsm, case)), ((0.30, 0.60),), percents,
           FREE_COMMAND))


# ---- the whole figure ----

def parts(one):
    """Percent of a pass: useful work, array underuse, visible transfer, not overlapped, auxiliary."""
    cycles = one["cycles"]
    return [100 * share(one, part) for part in (
        one["ideal_cycles"], cycles["primary"] - one["ideal_cycles"], cycles["overlapped_visible"],
        cycles["non_overlapped"], cycles["auxiliary"])]


def part_table(dsm, word):
    """Each cell: the default set, then the refined one."""
    layers = [layers_of(one_factor(dsm, case)) for case in CASES]
    for name in layers[0]:
        if word in layers[0][name]["passes"]:
            both = [parts(found[name]["passes"][word]) for found in layers]
            yield name, *(" / ".join(f"{one:.0f}" for one in pair) for pair in zip(*both))


def section(found, topics):
    lines = [
        "## VGG16 at minibatch 512: utilization layer by layer (Fig. 13)",
        "",
        *found.table(FIGURES, topics),
        "",
        paragraph(f"""All layers, {ONE_FACTOR_COMMAND}; percent of a pass's time, {CASES[0].title} /
            {CASES[1].title}:"""),
        "",
    ]
    for word in PASSES:
        lines += [*table((word, "useful work", "array underuse", "visible transfer",
                          "not overlapped", "auxiliary"), part_table(found.dsm, word)), ""]
    return lines
