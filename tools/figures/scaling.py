# SPDX-License-Identifier: GPL-3.0-or-later
"""More chips and larger scratchpads: Figs. 14 and 15, and their text."""
from figures.table import Row, figures, paragraph, ratios, table
from figures.training import LAST, MINIBATCHES, NETWORKS

SCRATCHPADS_MIB = (0.5, 1, 2, 4)
SCRATCHPAD_MINIBATCH = 512
OPTIMIZE = ("hybrid", "hybrid,reuse", "hybrid,reuse,dysm")


# ---- chips ----

def speedups(dsm, workload, minibatch):
    """From 64 to 256 chips, both optimized; and from the base on 64 chips to 256 optimized."""
    small = dsm.ladder(workload, minibatch)
    large = dsm.ladder(workload, minibatch, system="torus256", base=None)
    return (small[LAST]["step_seconds"] / large[LAST]["step_seconds"],
            small["none"]["step_seconds"] / large[LAST]["step_seconds"])


def chip_rows(dsm):
    pairs = [speedups(dsm, "gnmt", minibatch) for minibatch in MINIBATCHES]
    sizes = ", ".join(map(str, MINIBATCHES))
    command = "dsm explore gnmt torus256 --minibatch N"
    optimized, over_base = zip(*pairs)
    yield Row(f"GNMT from 64 to 256 chips, both optimized, minibatch {sizes}", "22.7x", optimized,
              ratios(optimized), f"{command}, over dsm explore gnmt torus64 --minibatch N")
    yield Row(f"GNMT from the base on 64 chips to 256 optimized, minibatch {sizes}", "22.7x",
              over_base, ratios(over_base, 1),
              f"{command}, over dsm explore gnmt torus64_symmetric --optimize none --minibatch N")


# ---- scratchpads ----

def utilizations(dsm, workload, minibatch, optimize):
    return [dsm.utilization(workload, "torus64", minibatch, optimize, f"core.scratchpad_MiB={size}")
            for size in SCRATCHPADS_MIB]


def scratchpad_command(workload):
    return (f"dsm explore {workload} torus64 --minibatch {SCRATCHPAD_MINIBATCH} "
            "--optimize hybrid,reuse --set system.core.scratchpad_MiB=M")


def scratchpad_rows(dsm):
    found = utilizations(dsm, "resnet50", SCRATCHPAD_MINIBATCH, "hybrid,reuse")
    gain = found[1] / found[0] - 1
    yield Row("ResNet-50 with reuse, utilization from 0.5 to 1 MiB", "+37 %, then flat", (gain,),
              f"+{100 * gain:.1f} % (2 MiB: +{100 * (found[2] / found[0] - 1):.1f} %, 4 MiB: "
              f"+{100 * (found[3] / found[0] - 1):.1f} %)", scratchpad_command("resnet50"),
              band=(0.30, 0.45), band_text="+30 - 45 %")
    found = utilizations(dsm, "vgg16", SCRATCHPAD_MINIBATCH, "hybrid,reuse")
    gain = max(found) / found[0] - 1
    yield Row("VGG16 with reuse, utilization from 0.5 to 4 MiB", "up to +12 %", (gain,),
              f"+{100 * gain:.1f} %", scratchpad_command("vgg16"), band=(0.08, 0.15),
              band_text="+8 - 15 %")


def reached(dsm, workload, minibatch, optimize):
    """What 1 MiB reaches of the utilization of the largest scratchpad."""
    found = utilizations(dsm, workload, minibatch, optimize)
    return f"{100 * found[SCRATCHPADS_MIB.index(1)] / found[-1]:.0f} %"


def scratchpad_table(dsm):
    rows = []
    for title, workload in NETWORKS:
        for minibatch in (256, 512, 1024):
            for optimize in OPTIMIZE if workload != "gnmt" else OPTIMIZE[:2]:
                found = utilizations(dsm, workload, minibatch, optimize)
                rows.append((title, minibatch, optimize, *(f"{one:.3f}" for one in found)))
    return table(("network", "minibatch", "optimize", *(f"{size} MiB" for size in SCRATCHPADS_MIB)),
                 rows)


def section(dsm, guarded):
    chips, scratchpads = list(chip_rows(dsm)), list(scratchpad_rows(dsm))
    guarded += chips + scratchpads
    return [
        "## More chips (Fig. 14)",
        "",
        paragraph("""The text says 22.7x "from 8 to 32 petaFLOP with the optimizations", from 64 to 256
            chips. That is far more than four times, so it probably compares with the base; the paper
            does not say, nor at which minibatch."""),
        "",
        *figures(chips),
        "",
        "## Larger scratchpads (Fig. 15)",
        "",
        paragraph(f"""The paper does not say at which minibatch; the rows are for
            {SCRATCHPAD_MINIBATCH}, which it calls representative elsewhere, and the table has
            others."""),
        "",
        *figures(scratchpads),
        "",
        "Utilization, `dsm explore NETWORK torus64 --minibatch N --optimize LIST --set",
        "system.core.scratchpad_MiB=M`:",
        "",
        *scratchpad_table(dsm),
        "",
        paragraph(f"""As published, nothing depends on capacity without reuse, and with DySM less
            capacity is enough: 1 MiB reaches
            {reached(dsm, "vgg16", 512, OPTIMIZE[2])} of the utilization of 4 MiB for VGG16 at 512,
            and {reached(dsm, "vgg16", 512, OPTIMIZE[1])} without DySM; for ResNet-50 at 1024
            {reached(dsm, "resnet50", 1024, OPTIMIZE[2])}, and
            {reached(dsm, "resnet50", 1024, OPTIMIZE[1])} without."""),
        "",
    ]
