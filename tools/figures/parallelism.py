# SPDX-License-Identifier: GPL-3.0-or-later
"""Published figures of other machines: roles, sharded updates, sums over two axes."""
from dataclasses import dataclass
from typing import Callable

from figures import spatial, tied
from figures.table import paragraph, table

SOURCE = """*Scale MLPerf-0.6 models on Google TPU-v3 Pods* (S. Kumar et al., 2019)"""
TINY = 1e-9


@dataclass(frozen=True)
class Measured:
    """measure(dsm) gives a number; band: where it has to lie; arguments: of the commands."""
    quantity: str
    published: str
    measure: Callable
    show: Callable
    band: tuple
    commands: tuple

    def is_inside(self, value):
        return self.band[0] - TINY <= value <= self.band[1] + TINY


def explored(dsm, command):
    return dsm.explore(*command.split())


def step_of(dsm, command):
    return explored(dsm, command)["result"]["step_cycles"]


# ---- a sample on several cores ----

def ssd(before, after):
    """How much faster the same samples are."""
    commands = tuple(spatial.command(x, y) for x, y in (before, after))
    return (lambda dsm: step_of(dsm, commands[0]) / step_of(dsm, commands[1])), commands


# ---- the update ----

def updates_share(command):
    """What the update of weights takes of the step."""
    def measure(dsm):
        plan = explored(dsm, command)
        cycles = sum(one["groups"].get("weight_update", 0) for layer in plan["layers"]
                     for one in layer["passes"].values() if one)
        return 100 * cycles / plan["result"]["step_cycles"]
    return measure, (command,)


RESNET_UPDATE = "resnet50 tpu_v3_2048 --minibatch=32768 --set=workload.optimizer=lars"
TRANSFORMER_UPDATE = ("transformer_big tpu_v3_2048 --minibatch=2048 --parallelism=data "
                      "--set=workload.optimizer=adam --set=workload.parameters.sequence={}")
UNSHARDED = " --set=system.model.sharded_update=false"

# ---- sums over two axes ----

SUMS = "resnet50 tpu_v3_2048 --parallelism=data --set=workload.gradient_bytes=4"


def sums_in_turn(dsm):
    """Time of all sums of gradients with one axis after the other, over that with both at once."""
    at_once = in_turn = 0
    for layer in explored(dsm, SUMS)["layers"]:
        update = layer["passes"]["update"]
        if not update:
            continue
        cycles = {}
        for transfer in update["transfers"]:
            if transfer["group"] == "sum_of_gradients":
                cycles[transfer["link"]] = cycles.get(transfer["link"], 0) + transfer["cycles"]
        links = [value for link, value in cycles.items() if link.startswith("link_")]
        at_once += update["groups"].get("sum_of_gradients", 0)
        in_turn += update["groups"].get("sum_of_gradients", 0) + sum(links) - max(links, default=0)
    return in_turn / at_once


# ---- transformers ----

BLOCKS = ("llama2_13b dgx_a100 --set=system.system.axes.node.chips=16 --minibatch=16 "
          "--optimize=hybrid,tensor")
OPENING = ("column", "gather_column", "model", "model_out")
CLOSING = ("row", "row_scatter", "model", "model_out")
PATTERN = {"qkv": OPENING, "attention.score": ("heads",), "attention.context": ("heads",),
           "project": CLOSING, "gate": OPENING, "up": OPENING, "down": CLOSING}
NAMED = {"data_gpu_model_node": ("data", "model"), "model_gpu_data_node": ("model", "data")}


def roles_of(word):
    """The roles along gpu and node."""
    if word in NAMED:
        return NAMED[word]
    if "=" not in word:
        return word, word
    roles = dict(one.split("=") for one in word.split(","))
    return roles["gpu"], roles["node"]


def in_the_pattern(dsm):
    """How many layers of blocks are split as tensor-parallel transformers are, in percent."""
    found = total = 0
    for layer in explored(dsm, BLOCKS)["layers"]:
        part = next((part for part in PATTERN if layer["name"].endswith(f".{part}")), None)
        if part is not None:
            words = {one["parallelism"] for one in layer["passes"].values() if one}
            total += 1
            found += all(gpu in PATTERN[part] and node == "data"
                         for gpu, node in map(roles_of, words))
    return 100 * found / total


def ratio(value):
    return f"{value:.2f}x"


def percent(value):
    return f"{value:.1f} %"


ROWS = (
    Measured("SSD, a sample on the 4 cores of 2 chips (`spatial`) and not on a core",
             "1.6x on 4 cores", *(ssd((1, 16), (2, 32))[:1]), ratio, (1.4, 1.95),
             ssd((1, 16), (2, 32))[1]),
    Measured("the same, two samples on 2 chips and not on one", "", ssd((1, 16), (2, 16))[0],
             ratio, (1.25, 1.6), ssd((1, 16), (2, 16))[1]),
    Measured("ResNet-50 on 2,048 cores, update with LARS, not sharded", "about 6 %",
             updates_share(RESNET_UPDATE + UNSHARDED)[0], percent, (5, 7),
             (RESNET_UPDATE + UNSHARDED,)),
    Measured("the same, sharded", "", updates_share(RESNET_UPDATE)[0], percent, (0, 1),
             (RESNET_UPDATE,)),
    Measured("Transformer on 2,048 cores, update with Adam, not sharded, 32 words a sentence",
             "about 45 %", updates_share(TRANSFORMER_UPDATE.format(32) + UNSHARDED)[0], percent,
             (33, 50), (TRANSFORMER_UPDATE.format(32) + UNSHARDED,)),
    Measured("the same, 97 words, the most that were used", "",
             updates_share(TRANSFORMER_UPDATE.format(97) + UNSHARDED)[0], percent, (30, 50),
             (TRANSFORMER_UPDATE.format(97) + UNSHARDED,)),
    Measured("the same, sharded", "", updates_share(TRANSFORMER_UPDATE.format(97))[0], percent,
             (0, 1), (TRANSFORMER_UPDATE.format(97),)),
    Measured("ResNet-50 on 2,048 cores, sums of gradients along x, then along y, over both at once, pipelined",
             "over 1.5x", sums_in_turn, ratio, (1.4, 2), (SUMS,)),
    Measured("Llama 2 13B, a sample for 8 GPUs of a node, 16 nodes: layers of blocks split as "
             "tensor-parallel transformers are", "", in_the_pattern, percent, (100, 100), (BLOCKS,)),
)


def section(dsm):
    letters = {}
    rows = []
    for row in ROWS:
        for command in row.commands:
            letters.setdefault(command, chr(ord("a") + len(letters)))
        rows.append((row.quantity, row.published, row.show(row.measure(dsm)),
                     " - ".join(row.show(limit) for limit in row.band),
                     ", ".join(letters[command] for command in row.commands)))
    return [
        "## Roles and sharded updates, on machines of today",
        "",
        paragraph(f"""Published are figures of {SOURCE}; the last row is what people who train
            transformers on GPUs do: along the GPUs of a node queries, keys, values and the layers
            that open a feed-forward part cut their outputs, attention its heads, and the layers that
            close cut their inputs; nodes have samples of their own. Nothing tells the search so.
            `model` is a role that cuts outputs, in turns."""),
        "",
        *table(("quantity", "published", "dsm", "band", "commands"), rows),
        "",
        *(f"- {letter}: `dsm explore {command.replace('--set=', '--set ')}`"
          for command, letter in letters.items()),
        "",
        paragraph("""A chip of TPU v3 has two cores, so that 4 cores are 2 chips; memory takes samples in
            eights, so that a chip with one sample is as slow as with two, and the second core of a
            chip gains nothing; a sample on more chips is [below](#ssd-cut-by-positions-layer-by-layer). Sentences of the Transformer had fewer words than 97 on
            average. If memory were not overlapped with links either, sums in turn would take 2.1
            times as long. Whole steps of transformers with tensor parallelism, stages and
            recomputation, by hand: [model.md](../model.md#stages); measured ones:
            [measured.md](measured.md)."""),
        "",
        *spatial.section(dsm),
        *tied.section(dsm),
    ]


def findings(dsm):
    for row in ROWS:
        value = row.measure(dsm)
        if not row.is_inside(value):
            yield f"outside its band: {row.quantity}: {row.show(value)}"
