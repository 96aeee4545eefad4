# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of words that several layers share: what sums of gradients that no layer is charged for
would take at most."""
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


def with_whole_owner(plan):
    """The plan with the owner in data parallelism: all chips sum its gradients, and it is charged."""
    layers = [layer if layer["name"] != OWNER else
              {**layer, "passes": {name: one and {**one, "parallelism": "data"}
                                   for name, one in layer["passes"].items()}}
              for layer in plan["layers"]]
    return {**plan, "layers": layers}


def row(dsm, case):
    network, minibatch = case
    plan = explored(dsm, case)
    step = plan["result"]["step_seconds"]
    whole = dsm.score(with_whole_owner(plan))["result"]["step_seconds"]
    weights = next(layer["parameters"] for layer in dsm.describe(network)["layers"]
                   if layer["name"] == OWNER)
    return (network, minibatch, f"{weights / 1e6:.1f} M", f"`{role_of(plan, OWNER)}`",
            f"`{role_of(plan, SHARING[network])}`", f"{1e3 * step:.2f} ms", f"{1e3 * whole:.2f} ms",
            f"{100 * (whole / step - 1):.1f} %")


def section(dsm):
    return [
        "### Tied tables of words",
        "",
        paragraph("""Gradients of weights that layers share are summed in the layer that has them. Where
            its role cuts them and that of the others does not, no sum is charged
            ([section 1](model.md#element-sizes-of-a-layer)), and the search likes to have it so: on the
            96 GPUs of `dgx_a100` as it is bundled, by `dsm explore NETWORK dgx_a100 --minibatch N -o
            plan.json`. The same plan with that layer, `words`, in `data` in all passes, by `dsm score
            plan.json` of the edited plan, is charged for all sums, since those that share the table
            are in roles that sum along both axes. The best step with all sums charged is no more than
            that, so that the last column is the most that a step lacks."""),
        "",
        *table(("network", "minibatch", "weights of `words`", "its role", "role of the others", "step",
                "with `words` in `data`", "missing, at most"),
               dsm.map(lambda case: row(dsm, case), CASES)),
        "",
        paragraph("""It is most where little is computed for each weight: a sample on less than one chip.
            Memory lacks as much on chips that read all of the table and own a part: its weights, and
            its gradients until they are summed."""),
        "",
    ]
