# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of words that several layers share: how they are cut, and what is exchanged."""
from figures.table import paragraph, table

OWNER = "words"
SHARING = {"gpt2": "output", "gpt2_medium": "output", "gpt2_large": "output", "gpt": "output",
           "bert_large_pretrain": "masked_words", "transformer_big": "output",
           "gnmt_mlperf": "target_words"}
CASES = (*((network, 64) for network in SHARING), ("gpt2", 768), ("transformer_big", 768))


def explored(dsm, case):
    network, minibatch = case
    return dsm.explore(network, "dgx_a100", f"--minibatch={minibatch}")


def role_of(plan, name):
    """The parallelism of a layer's update pass."""
    layer = next(layer for layer in plan["layers"] if layer["name"] == name)
    return layer["passes"]["update"]["parallelism"]


def exchanged_seconds(plan):
    """What all layers exchange with the one that has their weights."""
    cycles = sum(one["groups"].get("tied_weights", 0) for layer in plan["layers"]
                 for one in [layer["passes"].get("update")] if one)
    return cycles / plan["result"]["step_cycles"] * plan["result"]["step_seconds"]


def row(dsm, case):
    network, minibatch = case
    plan = explored(dsm, case)
    weights = next(layer["parameters"] for layer in dsm.describe(network)["layers"]
                   if layer["name"] == OWNER)
    return (network, minibatch, f"{weights / 1e6:.1f} M", f"`{role_of(plan, OWNER)}`",
            f"`{role_of(plan, SHARING[network])}`", f"{1e3 * plan['result']['step_seconds']:.2f} ms",
            f"{1e3 * exchanged_seconds(plan):.2f} ms")


def section(dsm):
    return [
        "### Tied tables of words",
        "",
        paragraph("""Gradients of weights that layers share are summed in the layer that has them, and
            where it has another part of the table than they need, they exchange gradients and weights
            once a step ([section 5](../model.md#between-chips-tied-tables-once-a-step)). The search weighs
            that against the sums that a table in `data` takes: on the 96 GPUs of `dgx_a100` as it is
            bundled, by `dsm explore NETWORK dgx_a100 --minibatch N`, roles of update passes."""),
        "",
        *table(("network", "minibatch", "weights of `words`", "its role", "role of the others", "step",
                "of it exchanged"), dsm.map(lambda case: row(dsm, case), CASES)),
        "",
    ]
