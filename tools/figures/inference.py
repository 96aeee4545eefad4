# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference on one chip, Fig. 11 (d) to (f), and its text."""
from figures.table import Row, figures, paragraph, ratios, table
from figures.training import NETWORKS

BATCHES = (1, 2, 4, 8, 16)
RUNGS = ("none", "reuse", "preload")
LAST = RUNGS[-1]
PUBLISHED = {"vgg16": "1.16x", "resnet50": "3.6x", "gnmt": "44x"}


def command(workload, batch="N"):
    return f"dsm explore {workload} chip1 --mode inference --minibatch {batch} --ladder"


def ladder(dsm, workload, batch, *overrides):
    return dsm.ladder(workload, batch, *overrides, system="chip1", base=None, mode="inference")


def rows(dsm):
    for title, workload in NETWORKS:
        gain = ladder(dsm, workload, 1)[LAST]["gain_over_first"]
        yield Row(f"{title} batch 1, all optimizations over none", PUBLISHED[workload], (gain,),
                  ratios((gain,)), command(workload, 1))
    values = tuple(ladder(dsm, "resnet50", batch)["reuse"]["gain_over_first"] for batch in BATCHES)
    yield Row(f"ResNet-50 feature reuse over none, batch {', '.join(map(str, BATCHES))}", "2 - 3x",
              values, ratios(values), command("resnet50"))
    values = tuple(ladder(dsm, "resnet50", batch)[LAST]["gain_over_previous"] for batch in BATCHES)
    yield Row(f"ResNet-50 weight preloading over reuse, batch {', '.join(map(str, BATCHES))}",
              "about 2x for small batches", values, ratios(values), command("resnet50"))


def gain_table(dsm):
    found = []
    for title, workload in NETWORKS:
        for batch in BATCHES:
            rungs = ladder(dsm, workload, batch)
            found.append((title, batch, f"{1e3 * rungs['none']['step_seconds']:.3f}",
                          *(f"{rungs[rung]['gain_over_previous']:.3f}x" for rung in RUNGS[1:]),
                          f"{1e3 * rungs[LAST]['step_seconds']:.3f}"))
    return table(("network", "batch", "none, ms", *(f"+ {rung}" for rung in RUNGS[1:]), "all, ms"),
                 found)


def section(dsm, guarded):
    found = list(rows(dsm))
    guarded += found
    return [
        "## Inference on one chip (Fig. 11 d to f)",
        "",
        *figures(found),
        "",
        f"Latency without optimizations, the gain of each, and latency with all, `{command('NETWORK')}`:",
        "",
        *gain_table(dsm),
        "",
        paragraph("""In dsm `reuse` includes keeping the weights of an LSTM over its timesteps, so that
            GNMT gains from it what the paper counts under weight preloading. dsm chooses between
            weights and features, so that preloading never makes anything slower, where the paper has
            a drop for larger batches."""),
        "",
    ]
