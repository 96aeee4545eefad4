# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that came with the specification of the equations, from a prototype of them that is not
part of dsm. A difference of more than 2 % is a finding, unless it is explained here."""
from dataclasses import dataclass
from typing import Callable

from figures import fig13, inference, training
from figures.cases import DEFAULT, REFINED
from figures.table import decimals, paragraph, ratios, table

TOLERANCE = 0.02
NO_PER_PASS = "hybrid,reuse,dysm,pipeline"


@dataclass(frozen=True)
class Expected:
    """What a quantity is with the default set and with the refined one, as texts with the digits that
    were given, one for each number of the measure. reason: why the difference may be larger, at most
    by `allowed`."""
    quantity: str
    measure: Callable
    show: Callable
    default: tuple
    refined: tuple
    reason: str = ""
    allowed: float = TOLERANCE

    def of(self, case):
        return self.default if case == DEFAULT else self.refined


def half_a_digit(text):
    """What rounding to the digits of a text can hide."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def agrees(value, text, allowed):
    return abs(value - float(text)) <= allowed * float(text) + half_a_digit(text)


def utilizations(title, workload, default, refined):
    yield Expected(f"{title} base", training.base(workload), decimals(4), default[:1], refined[:1])
    yield Expected(f"{title} best", training.best(workload, NO_PER_PASS), decimals(3), default[1:2],
                   refined[1:2])
    yield Expected(f"{title} best over base", training.best_over_base(workload, NO_PER_PASS), ratios,
                   default[2:], refined[2:])


def percent_of(key):
    measure = next(figure.measure for figure in fig13.FIGURES if figure.key == key)
    return lambda dsm, case: tuple(100 * value for value in measure(dsm, case))


def rows():
    yield from utilizations("VGG16", "vgg16", ("0.577", "0.799", "1.39"), ("0.577", "0.784", "1.36"))
    yield from utilizations("ResNet-50", "resnet50", ("0.149", "0.409", "2.75"),
                            ("0.151", "0.386", "2.55"))
    yield Expected("ResNet-50 hybrid, 256, 512", training.gain("resnet50", "hybrid", (256, 512)),
                   ratios, ("1.07", "1.03"), ("1.07", "1.03"))
    yield Expected("ResNet-50 reuse, 512", training.gain("resnet50", "reuse", (512,)), ratios,
                   ("1.82",), ("1.67",))
    yield Expected("ResNet-50 DySM, 1024, 2048", training.gain("resnet50", "dysm", (1024, 2048)),
                   ratios, ("1.23", "1.48"), ("1.18", "1.40"))
    yield from utilizations("GNMT", "gnmt", ("0.0140", "0.464", "33.2"), ("0.0111", "0.344", "31.1"))
    yield Expected("GNMT hybrid, 256 to 2048", training.gain("gnmt", "hybrid"), ratios,
                   ("2.95", "2.43", "2.06", "3.06"), ("3.00", "2.51", "2.14", "3.05"))
    yield Expected("GNMT reuse, 256 to 2048", training.gain("gnmt", "reuse"), ratios,
                   ("3.6", "4.2", "5.6", "4.3"), ("3.4", "3.7", "3.8", "2.7"))
    yield Expected("GNMT pipelining, 256 to 2048", training.gain("gnmt", "pipeline"), ratios,
                   ("1.84", "1.39", "1.07", "1.00"), ("2.10", "1.67", "1.37", "1.20"))
    yield Expected("VGG16 inference, batch 1", inference.all_over_none("vgg16"), ratios, ("1.11",),
                   ("1.11",))
    yield Expected("ResNet-50 inference, batch 1", inference.all_over_none("resnet50"), ratios,
                   ("2.69",), ("2.46",), "dsm selects preloaded weights exactly "
                   "([model.md](../model.md#13-search)); the prototype did not", 0.07)
    yield Expected("GNMT inference, batch 1", inference.all_over_none("gnmt"), ratios, ("61",),
                   ("53",))
    yield Expected("VGG16 at 512, one factor: CONV1_1 activation, %", percent_of("activation"),
                   decimals(1), ("30",), ("17.5",))
    yield Expected("VGG16 at 512, one factor: CONV1_2 visible transfer, %", percent_of("conv1_2"),
                   decimals(1), ("24",), ("22",))
    yield Expected("VGG16 at 512, one factor: FC1 relayout, %", percent_of("fc1_relayout"),
                   decimals(1), ("26",), ("20",))


ROWS = tuple(rows())


def findings(dsm):
    """Where dsm and the prototype differ by more than is explained."""
    pairs = [(row, case) for row in ROWS for case in (DEFAULT, REFINED)]
    measured = dsm.map(lambda pair: pair[0].measure(dsm, pair[1]), pairs)
    for (row, case), values in zip(pairs, measured):
        if not all(agrees(value, text, row.allowed)
                   for value, text in zip(values, row.of(case), strict=True)):
            yield (f"{row.quantity}, {case.title}: {row.show(values)}, "
                   f"the prototype has {', '.join(row.of(case))}")


def section(found):
    cells = found.dsm.map(lambda pair: pair[0].show(pair[0].measure(found.dsm, pair[1])),
                          [(row, case) for row in ROWS for case in (DEFAULT, REFINED)])
    return [
        "## Beside a prototype of the equations",
        "",
        paragraph(f"""The specification of the equations came with figures of a prototype, which
            is not part of dsm. It has no parallelism per pass, so that *best* is here `--optimize
            {NO_PER_PASS}`. The test that keeps this page current fails where dsm differs by more
            than {100 * TOLERANCE:.0f} % (and half a digit of what was given) without an
            explanation."""),
        "",
        *table(("quantity", f"prototype, {DEFAULT.title}", "dsm", f"prototype, {REFINED.title}", "dsm",
                "difference explained"),
               [(row.quantity, ", ".join(row.default), cells[2 * index], ", ".join(row.refined),
                 cells[2 * index + 1], row.reason) for index, row in enumerate(ROWS)]),
        "",
    ]
