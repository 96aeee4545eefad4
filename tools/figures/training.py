# SPDX-License-Identifier: GPL-3.0-or-later
"""Training speed-up, Fig. 11 (a) to (c), and its text."""
from figures.dsm import BASE_SYSTEM
from figures.table import Row, figures, numbers, ratios, table

MINIBATCHES = (256, 512, 1024, 2048)
NETWORKS = (("VGG16", "vgg16"), ("ResNet-50", "resnet50"), ("GNMT", "gnmt"))
RUNGS = ("none", "hybrid", "reuse", "dysm", "pipeline", "per_pass")
LAST = RUNGS[-1]


def ladder_command(workload, minibatch="N"):
    return (f"dsm explore {workload} torus64 --ladder --ladder-base {BASE_SYSTEM} "
            f"--minibatch {minibatch}")


def utilization_rows(dsm, title, workload, base, best, gain):
    """Rows of the base, the best over all minibatches, and their quotient. base, best and gain are
    (published text, band, text of the band)."""
    ladders = [dsm.ladder(workload, minibatch) for minibatch in MINIBATCHES]
    first = ladders[0]["none"]["utilization"]
    reached = [ladder[LAST]["utilization"] for ladder in ladders]
    top = max(reached)
    at = MINIBATCHES[reached.index(top)]
    yield Row(f"{title} base utilization, minibatch 256", base[0], (first,), f"{first:.4f}",
              f"dsm explore {workload} {BASE_SYSTEM} --optimize none", band=base[1], band_text=base[2])
    yield Row(f"{title} best utilization, minibatch 256 to 2048", best[0], (top,),
              f"{top:.3f} (at {at})", f"dsm explore {workload} torus64 --minibatch {at}",
              band=best[1], band_text=best[2])
    yield Row(f"{title} best over base (256)", gain[0], (top / first,), f"{top / first:.2f}x",
              ladder_command(workload), band=gain[1], band_text=gain[2])


def gain_row(dsm, title, workload, rung, what, paper, minibatches, band=None,
             band_text=None):
    """What one rung gains over the one before."""
    values = tuple(dsm.ladder(workload, minibatch)[rung]["gain_over_previous"]
                   for minibatch in minibatches)
    return Row(f"{title} {what}, minibatch {numbers(minibatches)}", paper, values, ratios(values),
               ladder_command(workload), band=band, band_text=band_text)


def rows(dsm):
    yield from utilization_rows(dsm, "VGG16", "vgg16", ("0.57", (0.54, 0.60), "0.54 - 0.60"),
                                ("0.79", (0.75, 0.83), "0.75 - 0.83"),
                                ("1.36x (0.79 / 0.57 is 1.39)", (1.29, 1.43), "1.29 - 1.43x"))
    yield gain_row(dsm, "VGG16", "vgg16", "hybrid", "hybrid parallelism and asymmetric torus",
                   "1.03 - 1.12x", MINIBATCHES, (1.03, 1.12), "1.03 - 1.12x")
    yield from utilization_rows(dsm, "ResNet-50", "resnet50", ("0.158 (0.41 / 2.6)", (0.142, 0.174), "0.142 - 0.174"),
                                ("0.41", (0.37, 0.45), "0.37 - 0.45"),
                                ("2.6x", (2.3, 2.9), "2.3 - 2.9x"))
    yield gain_row(dsm, "ResNet-50", "resnet50", "hybrid", "hybrid parallelism and asymmetric torus",
                   "1.10 - 1.18x", (256, 512))
    yield gain_row(dsm, "ResNet-50", "resnet50", "reuse", "reuse over hybrid", "1.55x", (512,))
    yield gain_row(dsm, "ResNet-50", "resnet50", "dysm", "DySM over reuse",
                   "about 1.18x", (1024, 2048))
    yield from utilization_rows(dsm, "GNMT", "gnmt", ("0.011 (0.36 / 32)", (0.010, 0.016), "0.010 - 0.016"),
                                ("0.36", (0.32, 0.48), "0.32 - 0.48"), ("32x", (27, 37), "27 - 37x"))
    yield gain_row(dsm, "GNMT", "gnmt", "hybrid", "hybrid parallelism and asymmetric torus", "2 - 3x",
                   MINIBATCHES)
    yield gain_row(dsm, "GNMT", "gnmt", "reuse", "reuse over hybrid", "3 - 4x", MINIBATCHES)
    yield gain_row(dsm, "GNMT", "gnmt", "pipeline", "timestep pipelining over DySM",
                   "1.30x falling to 1.17x", MINIBATCHES)


def ladder_lines(dsm, title, workload):
    """All rungs at all minibatches; the gains of optimizations that do nothing here are 1.00x."""
    yield f"{title}, `{ladder_command(workload)}`:"
    yield ""
    rungs = []
    for minibatch in MINIBATCHES:
        ladder = dsm.ladder(workload, minibatch)
        cells = [minibatch, f"{ladder['none']['utilization']:.4f}"]
        cells += [f"{ladder[rung]['gain_over_previous']:.3f}x" for rung in RUNGS[1:]]
        cells += [f"{ladder[LAST]['utilization']:.4f}", f"{ladder[LAST]['gain_over_first']:.2f}x"]
        rungs.append(cells)
    yield from table(("N", "base", *(f"+ {rung}" for rung in RUNGS[1:]), "utilization", "over base"),
                     rungs)
    yield ""


def section(dsm, guarded):
    found = list(rows(dsm))
    guarded += found
    return [
        "## Training (Fig. 11 a to c)",
        "",
        "The base is the exploration alone: data or model parallelism on the symmetric torus. *Best*",
        "is with all optimizations; parallelism per pass, which the paper does not count as one, is",
        "the last rung, and the tables below show what it adds.",
        "",
        *figures(found),
        "",
        *(line for title, workload in NETWORKS for line in ladder_lines(dsm, title, workload)),
    ]
