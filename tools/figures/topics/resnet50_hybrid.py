# SPDX-License-Identifier: GPL-3.0-or-later
"""ResNet-50 gains less from hybrid parallelism than published, though not by 10 % of the figure."""
from figures.cases import CASES
from figures.dsm import layers_of
from figures.table import numbers, paragraph, ratios
from figures.training import gain
from figures.variation import AS_IT_IS, Column, claim, reduction_loads, variation_table

HEADING = "ResNet-50: the gain of hybrid parallelism"
EXPLAINS = ("resnet50_hybrid",)
MINIBATCHES = (256, 512)


def halved_links(dsm, case):
    """The gain with half the bandwidth on all links, of the symmetric torus too."""
    steps = []
    for system, optimize, links in ((case.base, "none", (40, 40)), (case.system, "hybrid", (60, 20))):
        halved = case.where(*(f"system.link_bandwidth_{axis}_GBps={bandwidth}"
                              for axis, bandwidth in zip("xy", links)))
        steps.append([dsm.result(halved, "resnet50", minibatch, optimize, system)["step_cycles"]
                      for minibatch in MINIBATCHES])
    return tuple(base / hybrid for base, hybrid in zip(*steps))


def hybrid_layers(dsm, case):
    """The layers that are in a hybrid parallelism, in some pass."""
    plan = dsm.plan(case, "resnet50", MINIBATCHES[0], "hybrid")
    return numbers(name for name, layer in layers_of(plan).items()
                   if any("_x_" in one["parallelism"] for one in layer["passes"].values()))


def section(found):
    dsm = found.dsm
    halves = " and ".join(f"{ratios(halved_links(dsm, case))} with {case.named()}" for case in CASES)
    claim(hybrid_layers(dsm, CASES[0]) == hybrid_layers(dsm, CASES[1]),
          "the same layers of ResNet-50 are in a hybrid parallelism with both sets")
    loads = (AS_IT_IS, *reduction_loads(1, 2, 4, 8))
    return [
        paragraph(f"""As a number it deviates by less than 10 %. As a gain it is 7 % at 256 and 3
            % at 512, where 10 to 18 % are published. At 256 these layers are in a hybrid
            parallelism, the last ones as in the paper: {hybrid_layers(dsm, CASES[0])}. The gain
            depends on how dear summing gradients is: with all links at half their bandwidth it is
            {halves}. The paper calls the reduction memory-bound. Loading the memory bus more in
            reduction and broadcast first lowers the gain, then raises it. Which of the two is the
            paper's case, if either, is not known."""),
        "",
        *variation_table(dsm, [Column("gain at 256, 512", gain("resnet50", "hybrid", MINIBATCHES),
                                      ratios)], loads),
    ]
