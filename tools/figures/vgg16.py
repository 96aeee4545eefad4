# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16 at minibatch 512, the network of Figs. 12 and 13: its plans, and its layers."""
from figures.dsm import layers_of

OPTIMIZE = "hybrid,reuse,dysm"
MINIBATCH = 512
ONE_FACTOR = "model.dysm_uniform=true"
EXPLORE = f"dsm explore vgg16 SYSTEM --minibatch {MINIBATCH} --optimize {OPTIMIZE}"
FREE_COMMAND = f"`{EXPLORE}`"
ONE_FACTOR_COMMAND = f"`{EXPLORE} --set system.{ONE_FACTOR}`"
PASSES = ("forward", "backward", "update")
FIRST_CONVS = ("conv1_1", "conv1_2")
LATE_CONVS = ("conv4_2", "conv4_3", "conv5_1", "conv5_2", "conv5_3")
LAST_CONVS = ("conv5_1", "conv5_2", "conv5_3")
FCS = ("fc1", "fc2", "fc3")


def free(dsm, case):
    """The plan in which each layer has its own DySM factor."""
    return dsm.plan(case, "vgg16", MINIBATCH, OPTIMIZE)


def one_factor(dsm, case):
    """The plan in which all convolutions have the same, as in Fig. 12."""
    return free(dsm, case.where(ONE_FACTOR))


def explained(dsm, case, name):
    """The alternatives of a layer's passes with one factor."""
    answer = dsm.plan(case.where(ONE_FACTOR), "vgg16", MINIBATCH, OPTIMIZE, f"--explain={name}")
    return answer["layers"][0]["passes"]


def best_in_data(dsm, case, name):
    """The best alternative in data parallelism of each pass of a layer with one factor."""
    return {word: next(one for one in told["alternatives"]
                       if one["parallelism"] == "data" and one["is_best_of_parallelism"])
            for word, told in explained(dsm, case, name).items()}


def conv_passes(plan):
    """(name of the layer, pass) of all forward and backward passes of all convolutions but the
    first two."""
    for name, layer in layers_of(plan).items():
        if name.startswith("conv") and name not in FIRST_CONVS:
            for word in ("forward", "backward"):
                yield name, word, layer["passes"][word]
