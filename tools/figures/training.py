# SPDX-License-Identifier: GPL-3.0-or-later
"""Training speed-up, Fig. 11 (a) to (c), and its text."""
from figures.cases import CASES
from figures.figure import Figure
from figures.table import decimals, numbers, paragraph, ratios, table

MINIBATCHES = (256, 512, 1024, 2048)
LARGEST = MINIBATCHES[-1]
NETWORKS = (("VGG16", "vgg16"), ("ResNet-50", "resnet50"), ("GNMT", "gnmt"))
RUNGS = ("none", "hybrid", "reuse", "dysm", "pipeline", "per_pass")
LAST = RUNGS[-1]
LADDER_COMMAND = "`dsm explore {} SYSTEM --ladder --ladder-base SYSTEM_symmetric --minibatch N`"
HYBRID = "hybrid parallelism and asymmetric torus"


# ---- measures ----

def base(workload):
    return lambda dsm, case: (dsm.base_result(case, workload, MINIBATCHES[0])["utilization"],)


def utilization_at(workload, minibatch, optimize="all"):
    return lambda dsm, case: (dsm.result(case, workload, minibatch, optimize)["utilization"],)


def best(workload, optimize="all"):
    """The highest utilization of all minibatches."""
    return lambda dsm, case: (max(utilization_at(workload, minibatch, optimize)(dsm, case)[0]
                                  for minibatch in MINIBATCHES),)


def best_over_base(workload, optimize="all"):
    return lambda dsm, case: (best(workload, optimize)(dsm, case)[0]
                              / base(workload)(dsm, case)[0],)


def rung_cycles(dsm, case, workload, minibatch, rung):
    """The step with all optimizations up to a rung of the ladder."""
    if rung == "none":
        return dsm.base_result(case, workload, minibatch)["step_cycles"]
    optimize = ",".join(RUNGS[1:RUNGS.index(rung) + 1])
    return dsm.result(case, workload, minibatch, optimize)["step_cycles"]


def gain(workload, rung, minibatches=MINIBATCHES):
    """What a rung gains over the one before it."""
    before = RUNGS[RUNGS.index(rung) - 1]
    return lambda dsm, case: tuple(rung_cycles(dsm, case, workload, minibatch, before)
                                   / rung_cycles(dsm, case, workload, minibatch, rung)
                                   for minibatch in minibatches)


# ---- figures ----

def utilization_figures(title, workload, of_base, of_best, of_gain):
    """The base, the best over all minibatches, and their quotient. of_...: (published text,
    published number, band, text of the band)."""
    yield Figure(f"{workload}_base", f"{title} base utilization, minibatch 256", of_base[0],
                 base(workload), ((of_base[1],) * 2,), decimals(4),
                 f"`dsm explore {workload} SYSTEM_symmetric --optimize none`", *of_base[2:])
    yield Figure(f"{workload}_best", f"{title} best utilization, minibatch 256 to 2048", of_best[0],
                 best(workload), ((of_best[1],) * 2,), decimals(3),
                 f"`dsm explore {workload} SYSTEM --minibatch N`", *of_best[2:])
    yield Figure(f"{workload}_gain", f"{title} best over base (256)", of_gain[0],
                 best_over_base(workload), ((of_gain[1],) * 2,), ratios,
                 LADDER_COMMAND.format(workload), *of_gain[2:])


def gain_figure(title, workload, rung, what, paper, published, minibatches=MINIBATCHES, band=None,
                band_text=None):
    return Figure(f"{workload}_{rung}", f"{title} {what}, minibatch {numbers(minibatches)}", paper,
                  gain(workload, rung, minibatches), published, ratios,
                  LADDER_COMMAND.format(workload), band, band_text)


def figures():
    yield from utilization_figures(
        "VGG16", "vgg16", ("0.57", 0.57, (0.54, 0.60), "0.54 - 0.60"),
        ("0.79", 0.79, (0.75, 0.83), "0.75 - 0.83"),
        ("1.36x (0.79 / 0.57 is 1.39)", 1.36, (1.29, 1.43), "1.29 - 1.43x"))
    yield gain_figure("VGG16", "vgg16", "hybrid", HYBRID, "1.03 - 1.12x", ((1.03, 1.12),),
                      band=(1.03, 1.12), band_text="1.03 - 1.12x")
    yield from utilization_figures(
        "ResNet-50", "resnet50", ("0.158 (0.41 / 2.6)", 0.41 / 2.6, (0.142, 0.174), "0.142 - 0.174"),
        ("0.41", 0.41, (0.37, 0.45), "0.37 - 0.45"), ("2.6x", 2.6, (2.3, 2.9), "2.3 - 2.9x"))
    yield gain_figure("ResNet-50", "resnet50", "hybrid", HYBRID, "1.10 - 1.18x", ((1.10, 1.18),),
                      (256, 512))
    yield gain_figure("ResNet-50", "resnet50", "reuse", "reuse over hybrid", "1.55x",
                      ((1.55, 1.55),), (512,))
    yield gain_figure("ResNet-50", "resnet50", "dysm", "DySM over reuse", "about 1.18x",
                      ((1.18, 1.18),), (1024, 2048))
    yield from utilization_figures(
        "GNMT", "gnmt", ("0.011 (0.36 / 32)", 0.36 / 32, (0.010, 0.016), "0.010 - 0.016"),
        ("0.36", 0.36, (0.32, 0.48), "0.32 - 0.48"), ("32x", 32, (27, 37), "27 - 37x"))
    yield gain_figure("GNMT", "gnmt", "hybrid", HYBRID, "2 - 3x", ((2, 3),))
    yield gain_figure("GNMT", "gnmt", "reuse", "reuse over hybrid", "3 - 4x", ((3, 4),))
    yield gain_figure("GNMT", "gnmt", "pipeline", "timestep pipelining over DySM",
                      "1.30x falling to 1.17x", ((1.30, 1.30), (1.17, 1.30), (1.17, 1.30),
                                                 (1.17, 1.17)))


FIGURES = tuple(figures())


# ---- ladders ----

def ladder_table(dsm):
    for title, workload in NETWORKS:
        for case in CASES:
            for minibatch in MINIBATCHES:
                ladder = dsm.ladder(case, workload, minibatch)
                yield (title, case.title, minibatch, f"{ladder['none']['utilization']:.4f}",
                       *(f"{ladder[rung]['gain_over_previous']:.3f}x" for rung in RUNGS[1:]),
                       f"{ladder[LAST]['utilization']:.4f}",
                       f"{ladder[LAST]['gain_over_first']:.2f}x")


def section(found, topics):
    return [
        "## Training (Fig. 11 a to c)",
        "",
        paragraph("""The base is the exploration alone: data or model parallelism on the symmetric
            torus. *Best* is with all optimizations. A parallelism of its own for each pass, which
            the paper does not count as an optimization, is the last of them; the ladders below
            show what it adds."""),
        "",
        *found.table(FIGURES, topics),
        "",
        f"All rungs, {LADDER_COMMAND.format('NETWORK')}:",
        "",
        *table(("network", "set", "N", "base", *(f"+ {rung}" for rung in RUNGS[1:]), "utilization",
                "over base"), ladder_table(found.dsm)),
        "",
    ]

