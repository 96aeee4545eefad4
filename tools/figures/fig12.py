# SPDX-License-Identifier: GPL-3.0-or-later
"""Fig. 12: parallelism, DySM factor, what is held, and core splits of VGG16 at minibatch 512."""
import copy

from figures.cases import CASES
from figures.dsm import cycles_without_relayout, layers_of
from figures.figure import Figure
from figures.table import numbers, paragraph, ratios, runs, table
from figures.vgg16 import (FREE_COMMAND, LAST_CONVS, ONE_FACTOR_COMMAND, PASSES, best_in_data, free,
                           one_factor)

DIMS = ("in", "out", "ij", "kij", "mb")
PARALLELISM = "conv1_1 to conv5_3 data; fc1 model; fc2 to fc3 data_x_model_y"
SPLITS = (
    ("conv1_1", {"ij": 32}), ("conv1_2", {"ij": 32}), ("conv2_2", {"out": 2, "ij": 8, "mb": 2}),
    ("conv3_1", {"in": 4, "out": 4, "ij": 2}), ("conv4_3", {"out": 8, "ij": 2, "mb": 2}),
    ("conv5_1", {"in": 8, "out": 4}), ("fc1", {"mb": 32}), ("fc2", {"out": 4, "mb": 8}),
    ("fc3", {"mb": 32}))
PUBLISHED_SPLITS = dict(SPLITS)


# ---- parallelism, factor, what is held ----

def parallelism_text(plan):
    """The parallelism of each layer; that of its passes where they differ."""
    pairs = []
    for layer in plan["layers"]:
        words = [one["parallelism"] for one in layer["passes"].values()]
        pairs.append((layer["name"], words[0] if len(set(words)) == 1 else " / ".join(words)))
    return runs(pairs)


def factor(dsm, case):
    return (layers_of(one_factor(dsm, case))["conv1_1"]["dysm_factor"],)


def held(plan):
    return [name for name, layer in layers_of(plan).items() if layer["output_on_chip"]]


# ---- core splits ----

def split_text(split):
    return ", ".join(f"{dim} {split[dim]}" for dim in DIMS if split.get(dim, 1) > 1)


def set_split(one_pass, split):
    """Gives the core split to all invocations of a pass."""
    one_pass["core_split"] = {dim: split.get(dim, 1) for dim in DIMS}
    for invocation in one_pass["invocations"]:
        invocation["core_split"] = dict(one_pass["core_split"])


def data_plan(dsm, case):
    """The plan with one factor and data parallelism in the last convolutions, with the core splits
    that --explain calls the best there. What they or their neighbours hold stays held only where it
    may."""
    plan = copy.deepcopy(one_factor(dsm, case))
    if all(one["parallelism"] == "data" for name in LAST_CONVS
           for one in layers_of(plan)[name]["passes"].values()):
        return plan
    for name in LAST_CONVS:
        for word, best in best_in_data(dsm, case, name).items():
            set_split(layers_of(plan)[name]["passes"][word], best["core_split"])
            layers_of(plan)[name]["passes"][word]["parallelism"] = "data"
    return dsm.score(plan)


def compared_plan(dsm, case, name):
    """The plan in which a published split of a layer is tried."""
    if name not in LAST_CONVS:
        return one_factor(dsm, case)
    return dsm.remembered(("data_plan", case), lambda: data_plan(dsm, case))


def time_ratio(dsm, plan, name, word, split):
    """Time of a pass with the split over its time in the plan, relayouts apart."""
    edited = copy.deepcopy(plan)
    set_split(layers_of(edited)[name]["passes"][word], split)
    before = cycles_without_relayout(layers_of(plan)[name]["passes"][word])
    return cycles_without_relayout(layers_of(dsm.score(edited))[name]["passes"][word]) / before


def split_ratios(name, words=PASSES):
    """What the published split of a layer costs in each of its passes."""
    def measure(dsm, case):
        plan = compared_plan(dsm, case, name)
        return tuple(time_ratio(dsm, plan, name, word, PUBLISHED_SPLITS[name])
                     for word in words if word in layers_of(plan)[name]["passes"])
    return measure


def split_figure(name):
    passes = "forward, update" if name == "conv1_1" else "forward, backward, update"
    return Figure(f"split_{name}", f"{name.upper()}, core split {split_text(PUBLISHED_SPLITS[name])}: "
                  f"time over that of dsm's, {passes}", "1, the best",
                  split_ratios(name), ((1, 1),), lambda values: ratios(values, 3),
                  f"{ONE_FACTOR_COMMAND} with `-o plan.json`; `core_split` in it edited; "
                  "`dsm score plan.json`")


FIGURES = (
    Figure("parallelism_free", "parallelism, DySM factor free for each layer",
           "conv data; FC1 model; FC2, FC3 DataXModelY",
           lambda dsm, case: parallelism_text(free(dsm, case)), PARALLELISM, str, FREE_COMMAND),
    Figure("parallelism_one", "parallelism, one DySM factor for the convolutions",
           "conv data; FC1 model; FC2, FC3 DataXModelY",
           lambda dsm, case: parallelism_text(one_factor(dsm, case)), PARALLELISM, str,
           ONE_FACTOR_COMMAND),
    Figure("factor", "the one DySM factor", "4", factor, ((4, 4),), numbers, ONE_FACTOR_COMMAND,
           (4, 4), "4"),
    Figure("held", "held outputs, one factor", "all but CONV1_2's",
           lambda dsm, case: numbers(held(one_factor(dsm, case))), "all but conv1_2", str,
           ONE_FACTOR_COMMAND),
    *(split_figure(name) for name, _ in SPLITS))


# ---- the whole figure ----

def configuration(layer):
    words = {one["parallelism"] for one in layer["passes"].values()}
    splits = [split_text(layer["passes"][word]["core_split"]) if word in layer["passes"] else "-"
              for word in PASSES]
    return (" / ".join(sorted(words)), *splits, "Y" if layer["output_on_chip"] else "N",
            layer["dysm_factor"])


def configuration_table(dsm):
    plans = [layers_of(one_factor(dsm, case)) for case in CASES]
    for name in plans[0]:
        rows = [configuration(layers[name]) for layers in plans]
        if rows[0] == rows[1]:
            yield (name, "both", *rows[0])
        else:
            yield from ((name, case.title, *row) for case, row in zip(CASES, rows))


def section(found, topics):
    return [
        "## VGG16 at minibatch 512: configurations (Fig. 12)",
        "",
        paragraph("""Fig. 12 has one DySM factor for all convolutions, which is
            `model.dysm_uniform`; dsm by itself gives each layer its own. The passes of a layer
            have one parallelism, as in Fig. 12; with `--optimize all` those of FC1 and FC2
            differ."""),
        "",
        paragraph("""The published core splits are priced beside dsm's: the time of a pass with
            the published split in place of dsm's, in all its invocations, over that with dsm's
            (`core_split` in the plan, then `dsm score`; relayouts apart). Of equally fast splits
            dsm takes the first in the [order of preference](../model.md#13-search). Where dsm has
            CONV5_1 to CONV5_3 in another parallelism, they are put into data parallelism for the
            comparison, with the split that `--explain` calls best for the first invocation. The
            column of FC1 in the figure is unsure."""),
        "",
        *found.table(FIGURES, topics),
        "",
        f"All layers, {ONE_FACTOR_COMMAND}; the splits of the first invocation of a pass:",
        "",
        *table(("layer", "set", "parallelism", "forward", "backward", "update", "held", "DySM"),
               configuration_table(found.dsm)),
        "",
    ]
