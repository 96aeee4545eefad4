# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16 with one DySM factor: the parallelism of the last convolutions."""
from figures.cases import CASES
from figures.dsm import layers_of, share
from figures.table import numbers, paragraph, ratios, table
from figures.variation import (AS_IT_IS, Column, claim, column, each, one_key_table, varied,
                               variation_table)
from figures.vgg16 import LAST_CONVS, best_in_data, conv_passes, one_factor

HEADING = "VGG16 with one DySM factor: CONV5 is not in data parallelism"
EXPLAINS = ("parallelism_one", "convs_one")
LOW = 0.85
VARIATIONS = (AS_IT_IS, *each("core.scratchpad_MiB", 2),
              varied("links half as fast", "system.link_bandwidth_x_GBps=60",
                     "system.link_bandwidth_y_GBps=20"),
              varied("links twice as fast", "system.link_bandwidth_x_GBps=240",
                     "system.link_bandwidth_y_GBps=80"), *each("array.startup_cycles", 0))


def last_parallelisms(dsm, case):
    layers = layers_of(one_factor(dsm, case))
    return sorted({one["parallelism"] for name in LAST_CONVS
                   for one in layers[name]["passes"].values()})


def data_text(dsm, case):
    """What data parallelism would cost CONV5_1 and the step."""
    data = best_in_data(dsm, case, "conv5_1")
    return (f"with {case.named()} {ratios(one['time_ratio'] for one in data.values())} as long in "
            f"{numbers(data)} ({numbers(one['bound'] for one in data.values())}-bound), and the step "
            f"{data['forward']['network_ratio']:.3f} times as long with all else at its best")


def low_passes(dsm, case):
    """The passes of convolutions with a low utilization; all are in the last ones."""
    rows = [(case.title, name, word, f"{one['utilization']:.2f}", one["bound"],
             numbers(f"{group} {100 * share(one, cycles):.0f} %"
                     for group, cycles in one["groups"].items() if group != "stream") or "-")
            for name, word, one in conv_passes(one_factor(dsm, case)) if one["utilization"] < LOW]
    return rows


def section(found):
    dsm = found.dsm
    columns = [Column("CONV5_1 to CONV5_3", last_parallelisms, numbers),
               column(found.figures["factor"], "the one factor"),
               column(found.figures["convs_one"], "utilization of the convolutions")]
    low = [row for case in CASES for row in low_passes(dsm, case)]
    claim(all((columns[1].measure(dsm, varied_case)[0] == 2)
              == (last_parallelisms(dsm, varied_case) == ["data"])
              for case in CASES for _, overrides in VARIATIONS
              for varied_case in (case.where(*overrides),)),
          "with a factor of 2 CONV5 is in data parallelism, with 4 it is not")
    claim(all(name in LAST_CONVS or "layout_move" in rest for _, name, *_, rest in low),
          "passes of low utilization are in the last convolutions, or have moves")
    return [
        paragraph(f"""With a factor of 4 each chip has two samples at a time in data parallelism,
            and fetches the whole kernel four times. CONV5_1 would take
            {'; '.join(data_text(dsm, case) for case in CASES)} (`--explain conv5_1`). With a
            factor of its own for each layer these layers take data parallelism, as published."""),
        "",
        paragraph("""Wherever the best one factor is 2, these layers are in data parallelism, and
            wherever it is 4, they are not. How the paper has both, 4 and data, is not known."""),
        "",
        *one_key_table(dsm, columns),
        "",
        *variation_table(dsm, columns, VARIATIONS),
        "",
        paragraph(f"""The passes of convolutions whose utilization is below {LOW}, where the paper
            has about 0.90, are in these layers, and with the refined set also where held tensors
            move to another layout:"""),
        "",
        *table(("set", "layer", "pass", "utilization", "bound", "not overlapped"), low),
    ]
