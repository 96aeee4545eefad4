# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference on one chip, Fig. 11 (d) to (f), and its text."""
from figures.cases import CASES, ONE_CHIP
from figures.figure import Figure
from figures.table import numbers, paragraph, ratios, table
from figures.training import NETWORKS

BATCHES = (1, 2, 4, 8, 16)
SMALL = (1, 2, 4)
RUNGS = ("none", "reuse", "preload")
LAST = RUNGS[-1]  # at batch 1 nothing else gains: there is no minibatch to divide
PUBLISHED = {"vgg16": 1.16, "resnet50": 3.6, "gnmt": 44}
COMMAND = ("`dsm explore {} SYSTEM --set system.system.chips_x=1 --set system.system.chips_y=1 "
           "--mode inference --minibatch N --ladder --optimize reuse,preload`")


def ladder(dsm, case, workload, batch):
    return dsm.ladder(case.where(*ONE_CHIP), workload, batch, "inference")


def all_over_none(workload):
    return lambda dsm, case: (ladder(dsm, case, workload, 1)[LAST]["gain_over_first"],)


def rung_gain(workload, rung, batches):
    return lambda dsm, case: tuple(ladder(dsm, case, workload, batch)[rung]["gain_over_previous"]
                                   for batch in batches)


FIGURES = (
    *(Figure(f"inference_{workload}", f"{title} batch 1, all optimizations over none",
             f"{PUBLISHED[workload]:g}x", all_over_none(workload), ((PUBLISHED[workload],) * 2,),
             ratios, COMMAND.format(workload)) for title, workload in NETWORKS),
    Figure("inference_reuse", f"ResNet-50 feature reuse over none, batch {numbers(BATCHES)}",
           "2 - 3x", rung_gain("resnet50", "reuse", BATCHES), ((2, 3),), ratios,
           COMMAND.format("resnet50")),
    Figure("inference_preload", f"ResNet-50 weight preloading over reuse, batch {numbers(SMALL)}",
           "about 2x for small batches", rung_gain("resnet50", "preload", SMALL), ((2, 2),), ratios,
           COMMAND.format("resnet50")))


def gain_table(dsm):
    for title, workload in NETWORKS:
        for case in CASES:
            for batch in BATCHES:
                rungs = ladder(dsm, case, workload, batch)
                yield (title, case.title, batch, f"{1e3 * rungs['none']['step_seconds']:.3f}",
                       *(f"{rungs[rung]['gain_over_previous']:.3f}x" for rung in RUNGS[1:]),
                       f"{1e3 * rungs[LAST]['step_seconds']:.3f}")


def section(found, topics):
    return [
        "## Inference on one chip (Fig. 11 d to f)",
        "",
        *found.table(FIGURES, topics),
        "",
        f"Latency without optimizations, the gain of each of the paper's, and latency with both, "
        f"{COMMAND.format('NETWORK')}:",
        "",
        *table(("network", "set", "batch", "none, ms", *(f"+ {rung}" for rung in RUNGS[1:]),
                "both, ms"), gain_table(found.dsm)),
        "",
        paragraph("""In dsm `reuse` includes keeping the weights of an LSTM over its timesteps, so
            that GNMT gains from it what the paper counts under weight preloading. dsm chooses
            between weights and features, so that preloading never makes anything slower, where
            the paper has a drop for larger batches. Its ladder has these two rungs;
            that of `--ladder` alone has all that dsm has for inference."""),
        "",
    ]
