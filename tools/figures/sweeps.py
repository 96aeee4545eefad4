# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's studies of sensitivity as bundled sweeps, each one command."""
from figures.cases import CASES
from figures.table import paragraph, table
from figures.training import NETWORKS

# What varies, and what the figure that shows it is drawn with.
SWEEPS = (
    ("fig10", "bandwidth of the links X and Y, in the range of Fig. 10",
     "--figure heatmap --value utilization --x system.system.link_bandwidth_x_GBps "
     "--panels workload,system"),
    ("fig11", "minibatch and optimizations, training, Fig. 11 (a) to (c)",
     "--figure ladder --where system=torus64_symmetric,torus64"),
    ("fig11_inference", "minibatch and optimizations, inference, Fig. 11 (d) to (f)",
     "--figure ladder --y step_seconds --panels workload,system"),
    ("fig14", "16 to 256 chips, Fig. 14", "--where workload.minibatch=512"),
    ("fig15", "scratchpads of 0.5 to 4 MiB, Fig. 15",
     "--y utilization --where workload.minibatch=512"))
LINK_X = "system.system.link_bandwidth_x_GBps"
LINK_Y = "system.system.link_bandwidth_y_GBps"
CHIPS_Y = "system.system.chips_y"
OPTIMIZE = "options.optimize"
MINIBATCH = "workload.minibatch"
REPRESENTATIVE = 512


def rows(dsm, name):
    """The points of a sweep; all of them must have been explored."""
    found = dsm.sweep(name)
    for row in found:
        if row["status"] != "ok":
            raise RuntimeError(f"{name}: point {row['point']} is {row['status']}: {row['reason']}")
    return found


def distinct(found, column):
    return list(dict.fromkeys(row[column] for row in found))


def overview(dsm):
    for name, what, options in SWEEPS:
        yield (f"`dsm sweep {name}`", len(rows(dsm, name)), what,
               f"`dsm plot {name}.sqlite {options} -o {name}.svg`")


def of_sets(found, workload):
    """The rows of a network, by set of parameters."""
    for case in CASES:
        yield case, [row for row in found if row["workload"] == workload
                     and row["system"] in (case.system, case.base)]


def bandwidths(dsm):
    for title, workload in NETWORKS:
        for case, found in of_sets(rows(dsm, "fig10"), workload):
            for x in distinct(found, LINK_X):
                cells = [row["utilization"] for row in found if row[LINK_X] == x]
                yield (title, case.title, f"{x:g}", *(f"{cell:.3f}" for cell in cells))


def speedups(dsm):
    """Samples a second over those of the base at the smallest minibatch."""
    for title, workload in NETWORKS:
        for case, found in of_sets(rows(dsm, "fig11"), workload):
            first = found[0]["samples_per_second"]
            for rung in distinct(found, OPTIMIZE):
                cells = [row["samples_per_second"] / first for row in found
                         if row[OPTIMIZE] == rung]
                yield (title, case.title, rung, *(f"{cell:.2f}x" for cell in cells))


def inference_speedups(dsm):
    """Over no optimization, at the same minibatch."""
    for title, workload in NETWORKS:
        for case, found in of_sets(rows(dsm, "fig11_inference"), workload):
            none = [row["step_seconds"] for row in found if row[OPTIMIZE] == "none"]
            for rung in distinct(found, OPTIMIZE)[1:]:
                steps = [row["step_seconds"] for row in found if row[OPTIMIZE] == rung]
                yield (title, case.title, rung,
                       *(f"{slow / fast:.2f}x" for slow, fast in zip(none, steps)))


def chips(dsm):
    """Over the base on the fewest chips."""
    for title, workload in NETWORKS:
        for case, found in of_sets(rows(dsm, "fig14"), workload):
            found = [row for row in found if row[MINIBATCH] == REPRESENTATIVE]
            first = found[0]["step_seconds"]
            for rung in distinct(found, OPTIMIZE):
                cells = [first / row["step_seconds"] for row in found if row[OPTIMIZE] == rung]
                yield (title, case.title, rung, *(f"{cell:.2f}x" for cell in cells))


def heads(dsm, name, path, unit=""):
    return [f"{value:g}{unit}" for value in distinct(rows(dsm, name), path)]


def section(found, _topics):
    dsm = found.dsm
    minibatches = [f"N = {value}" for value in heads(dsm, "fig11", MINIBATCH)]
    batches = [f"N = {value}" for value in heads(dsm, "fig11_inference", MINIBATCH)]
    sizes = [f"{4 * value:g} chips" for value in distinct(rows(dsm, "fig14"), CHIPS_Y)]
    return [
        "## The studies as sweeps",
        "",
        paragraph("""Each is one command; its points are in a database afterwards (see
            [formats.md](../formats.md)). `--format csv` prints them, `dsm plot` draws them
            ([plots.md](../plots.md#figures-of-a-sweep)). A test checks that they are
            exactly what `dsm explore` says, wherever this page asks it too."""),
        "",
        *table(("command", "points", "what varies", "figure"), overview(dsm)),
        "",
        "Utilization by the bandwidth of the links in GB/s, training, minibatch 512, all "
        "optimizations (`fig10`):",
        "",
        *table(("network", "set", "X", *(f"Y = {y}" for y in heads(dsm, "fig10", LINK_Y))),
               bandwidths(dsm)),
        "",
        "Samples a second, over the base at minibatch 256 (`fig11`):",
        "",
        *table(("network", "set", "optimizations", *minibatches), speedups(dsm)),
        "",
        "Latency without optimizations over that with some, one chip (`fig11_inference`):",
        "",
        *table(("network", "set", "optimizations", *batches), inference_speedups(dsm)),
        "",
        f"Speed-up over the base on 16 chips, minibatch {REPRESENTATIVE} (`fig14`):",
        "",
        *table(("network", "set", "optimizations", *sizes), chips(dsm)),
        "",
        "The points of `fig15` are the table of [Fig. 15](#larger-scratchpads-fig-15).",
        "",
    ]


# ---- what must hold ----

def exploration(dsm, row):
    """The result of the same exploration, where the page has asked for it; else None."""
    overrides = [f"--set={path}={value:g}" for path, value in row.items()
                 if path.startswith("system.")]
    optimize = row[OPTIMIZE].replace("+", ",") if OPTIMIZE in row else "all"
    return dsm.known_step(row["workload"], row["system"], row["minibatch"], optimize, *overrides)


def findings(dsm):
    for name, _, _ in SWEEPS:
        compared = 0
        for row in rows(dsm, name) if name != "fig11_inference" else ():
            result = exploration(dsm, row)
            if result is None:
                continue
            compared += 1
            for column in ("step_cycles", "step_seconds", "utilization"):
                if row[column] != result[column]:
                    yield (f"{name}: point {row['point']} has {column} {row[column]!r}, explore "
                           f"{result[column]!r}")
        if compared == 0 and name in ("fig11", "fig15"):
            yield f"{name}: no point is compared with an exploration"
