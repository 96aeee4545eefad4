# SPDX-License-Identifier: GPL-3.0-or-later
"""More chips and larger scratchpads: Figs. 14 and 15, and their text."""
from figures.cases import CASES, CHIPS_16, CHIPS_256
from figures.figure import Figure
from figures.table import numbers, paragraph, percents, ratios, table
from figures.training import MINIBATCHES, NETWORKS

SCRATCHPADS_MIB = (0.5, 1, 2, 4)
REPRESENTATIVE = 512
OPTIMIZE = ("hybrid", "hybrid,reuse", "hybrid,reuse,dysm")
CHIPS = ((16, CHIPS_16), (64, ()), (256, CHIPS_256))


# ---- chips ----

def optimized(dsm, case, workload, minibatch):
    return dsm.result(case, workload, minibatch, "all")["step_seconds"]


def base(dsm, case, workload, minibatch):
    return dsm.base_result(case, workload, minibatch)["step_seconds"]


def both_optimized(dsm, case, minibatches=MINIBATCHES):
    """From 64 to 256 chips."""
    large = case.where(*CHIPS_256)
    return tuple(optimized(dsm, case, "gnmt", minibatch) / optimized(dsm, large, "gnmt", minibatch)
                 for minibatch in minibatches)


def over_base(dsm, case, minibatches=MINIBATCHES):
    """From the base on 64 chips to 256 chips with all optimizations."""
    large = case.where(*CHIPS_256)
    return tuple(base(dsm, case, "gnmt", minibatch) / optimized(dsm, large, "gnmt", minibatch)
                 for minibatch in minibatches)


CHIP_FIGURES = (
    Figure("chips_both", "GNMT from 64 to 256 chips, both optimized, minibatch "
           f"{numbers(MINIBATCHES)}", "22.7x", both_optimized, ((22.7, 22.7),), ratios,
           "`dsm explore gnmt SYSTEM --minibatch N`, over the same with "
           "`--set system.system.chips_y=64`"),
    Figure("chips_over_base", "GNMT from the base on 64 chips to 256 optimized, minibatch "
           f"{numbers(MINIBATCHES)}", "22.7x", over_base, ((22.7, 22.7),), ratios,
           "`dsm explore gnmt SYSTEM_symmetric --optimize none --minibatch N`, over `dsm explore gnmt "
           "SYSTEM --minibatch N --set system.system.chips_y=64`"))


def chip_table(dsm):
    """Speed-ups over the base on 64 chips."""
    for title, workload in NETWORKS:
        for case in CASES:
            first = base(dsm, case, workload, REPRESENTATIVE)
            cells = [first / step(dsm, case.where(*chips), workload, REPRESENTATIVE)
                     for _, chips in CHIPS for step in (base, optimized)]
            yield (title, case.title, *(f"{cell:.2f}x" for cell in cells))


# ---- scratchpads ----

def utilizations(dsm, case, workload, minibatch, optimize, sizes=SCRATCHPADS_MIB):
    return [dsm.result(case.where(f"core.scratchpad_MiB={size}"), workload, minibatch,
                       optimize)["utilization"] for size in sizes]


def to_1_mib(dsm, case):
    found = utilizations(dsm, case, "resnet50", REPRESENTATIVE, "hybrid,reuse", SCRATCHPADS_MIB[:2])
    return (found[1] / found[0] - 1,)


def beyond_1_mib(dsm, case):
    found = utilizations(dsm, case, "resnet50", REPRESENTATIVE, "hybrid,reuse")
    return tuple(later / found[1] for later in found[2:])


def to_4_mib(dsm, case):
    found = utilizations(dsm, case, "vgg16", REPRESENTATIVE, "hybrid,reuse")
    return (max(found) / found[0] - 1,)


def gnmt_capacity(dsm, case):
    found = utilizations(dsm, case, "gnmt", REPRESENTATIVE, "hybrid,reuse")
    return tuple(later / found[0] for later in found[1:])


def reached(dsm, case, workload, minibatch, optimize):
    """What 1 MiB reaches of the utilization of the largest scratchpad."""
    found = utilizations(dsm, case, workload, minibatch, optimize)
    return found[SCRATCHPADS_MIB.index(1)] / found[-1]


def reached_with_dysm(dsm, case):
    return (reached(dsm, case, "vgg16", 512, OPTIMIZE[2]),
            reached(dsm, case, "resnet50", 1024, OPTIMIZE[2]))


def scratchpad_command(workload, optimize="hybrid,reuse", minibatch=REPRESENTATIVE):
    return (f"`dsm explore {workload} SYSTEM --minibatch {minibatch} --optimize {optimize} "
            "--set system.core.scratchpad_MiB=M`")


def gains(values):
    return numbers(f"{100 * value:+.1f} %" for value in values)


SCRATCHPAD_FIGURES = (
    Figure("scratchpad_resnet50", "ResNet-50 with reuse, utilization from 0.5 to 1 MiB", "+37 %",
           to_1_mib, ((0.37, 0.37),), gains, scratchpad_command("resnet50"), (0.30, 0.45),
           "+30 - 45 %"),
    Figure("scratchpad_resnet50_flat", "ResNet-50 with reuse, utilization at 2 and 4 MiB over that "
           "at 1 MiB", "1, \"saturates\"", beyond_1_mib, ((1, 1),), ratios,
           scratchpad_command("resnet50")),
    Figure("scratchpad_vgg16", "VGG16 with reuse, utilization from 0.5 to 4 MiB", "up to +12 %",
           to_4_mib, ((0.12, 0.12),), gains, scratchpad_command("vgg16"), (0.08, 0.15), "+8 - 15 %"),
    Figure("scratchpad_gnmt", "GNMT with reuse, utilization at 1, 2, 4 MiB over that at 0.5 MiB",
           "1, \"insensitive\"", gnmt_capacity, ((1, 1),), ratios, scratchpad_command("gnmt")),
    Figure("scratchpad_dysm", "with DySM, share of the utilization of 4 MiB reached at 1 MiB, VGG16 "
           "at 512, ResNet-50 at 1024", "\"with much smaller capacity\"", reached_with_dysm, (),
           percents, scratchpad_command("NETWORK", OPTIMIZE[2], "N")))


def scratchpad_table(dsm):
    for title, workload in NETWORKS:
        for minibatch in (256, 512, 1024):
            for optimize in OPTIMIZE if workload != "gnmt" else OPTIMIZE[:2]:
                cells = [utilizations(dsm, case, workload, minibatch, optimize) for case in CASES]
                yield (title, minibatch, optimize, *(f"{one:.3f}" for found in cells for one in found))


def section(found, topics):
    sizes = [f"{size} MiB" for size in SCRATCHPADS_MIB]
    return [
        "## More chips (Fig. 14)",
        "",
        paragraph("""The text says 22.7x "from 8 to 32 petaFLOP with the optimizations", from 64
            to 256 chips. That is far more than four times, so it probably compares with the base;
            the paper does not say, nor at which minibatch."""),
        "",
        *found.table(CHIP_FIGURES, topics),
        "",
        f"Speed-up over the base on 64 chips, minibatch {REPRESENTATIVE}; *all* is with all "
        "optimizations, 16 chips are",
        "`--set system.system.chips_y=4`:",
        "",
        *table(("network", "set", *(f"{count} chips, {what}" for count, _ in CHIPS
                                    for what in ("base", "all"))), chip_table(found.dsm)),
        "",
        "## Larger scratchpads (Fig. 15)",
        "",
        paragraph(f"""The paper does not say at which minibatch; the rows are for {REPRESENTATIVE},
            which it calls representative elsewhere, and the table has others."""),
        "",
        *found.table(SCRATCHPAD_FIGURES, topics),
        "",
        f"Utilization, first {CASES[0].title}, then the {CASES[1].title}:",
        "",
        *table(("network", "N", "optimize", *sizes, *(f"refined, {size}" for size in sizes)),
               scratchpad_table(found.dsm)),
        "",
    ]
