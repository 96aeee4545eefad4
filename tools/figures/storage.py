# SPDX-License-Identifier: GPL-3.0-or-later
"""Published figures of storage tiers: mini-epochs of DeepCAM on Summit, and the roofline of reading."""
from dataclasses import dataclass
from typing import Callable

from figures.table import paragraph, table

SOURCE = """*Data-Aware Storage Tiering for Deep Learning* (C. Xu et al.)"""
JOB = "deepcam summit --samples-per-second 65000 --demand 3891.2"
RESNET = ("resnet50 summit --flops-per-second 126e15 "
          "--set workload.dataset={\"samples\":1281167,\"sample_bytes\":602112}")


@dataclass(frozen=True)
class Read:
    """measure(answer) gives a number of the answer of a command; due: what it has to be, within so
    much of it."""
    quantity: str
    published: str
    command: str
    measure: Callable
    show: Callable
    due: float
    tolerance: float

    def value(self, dsm):
        arguments = ("storage", *self.command.split())
        return self.measure(dsm.remembered(arguments, lambda: dsm.run(*arguments)))

    def is_as_due(self, value):
        return abs(value - self.due) <= self.tolerance * self.due


def bandwidth(answer):
    return answer["steady"]["capacity_bytes_per_second"] / 1e9


def rate(answer):
    return answer["steady"]["samples_per_second"]


def gigabytes(value):
    return f"{value:.1f} GB/s"


def samples(value):
    return f"{value:,.0f}"


ROWS = (
    *(Read(f"bandwidth of the capacity tier at factor {repeat}", published,
           f"{JOB} --repeat {repeat}", bandwidth, gigabytes, due, 0.001)
      for repeat, published, due in ((128, "30.4 GB/s", 30.4), (1, "400 GB/s", 400))),
    Read("least factor without a stall", "10", JOB,
         lambda answer: answer["steady"]["stall_free_repeat"], samples, 10, 0),
    *(Read(f"samples a second at factor {repeat}", published, f"{JOB} --repeat {repeat}", rate,
           samples, due, 0.0005)
      for repeat, published, due in ((1, "Fig. 12a", 6682), (4, "", 26727), (8, "", 53454),
                                     (9, "", 60136), (10, "65,000", 65000), (128, "65,000", 65000))),
    Read("bandwidth with adaptive factors of 55 on average, by score: at least", "90.7 GB/s",
         f"{JOB} --repeat 55", bandwidth, gigabytes, 70.7, 0.002),
    Read("the same of 35 on average, by the band: at least", "147 GB/s", f"{JOB} --repeat 35",
         bandwidth, gigabytes, 111.2, 0.002),
    Read("reading that ResNet-50 needs on 126 PFLOP/s", "several TB/s", RESNET,
         lambda answer: answer["fast_roof"]["needed_bytes_per_second"] / 1e12,
         lambda value: f"{value:.2f} TB/s", 3.08, 0.005),
)


def section(dsm):
    letters = {}
    rows = []
    for row in ROWS:
        letter = letters.setdefault(row.command, chr(ord("a") + len(letters)))
        rows.append((row.quantity, row.published, row.show(row.value(dsm)), row.show(row.due),
                     letter))
    return [
        "## Mini-epochs and the roofline of reading",
        "",
        paragraph(f"""Published are figures of {SOURCE}: DeepCAM on all of Summit takes 65,000 samples
            a second, the file system gives 400 GB/s. Expected is what the equations of
            [storage.md](../storage.md) give by hand."""),
        "",
        *table(("quantity", "published", "dsm", "expected", "command"), rows),
        "",
        *(f"- {letter}: `dsm storage {quoted(command)}`" for command, letter in letters.items()),
        "",
        paragraph("""The paper's 3.8 TB/s count 1,024 GB, of which its 30.4 GB/s are a 128th; without
            `--demand` 65,000 samples of 58.39 MB are 3,795.5 GB/s, and 29.7 GB/s at factor 128. How
            its adaptive factors are distributed is not published: with times as they are a mean
            factor reads what the same factor reads for all, whatever the distribution; with
            equal times, which the published figures are nearer to, more. The input of ResNet-50 has
            numbers of 4 bytes, 224 x 224 x 3; training takes three times the FLOP of the forward
            pass."""),
        "",
    ]


def quoted(command):
    return " ".join(f"'{word}'" if "{" in word else word for word in command.split())


def findings(dsm):
    for row in ROWS:
        value = row.value(dsm)
        if not row.is_as_due(value):
            yield f"not what is expected: {row.quantity}: {row.show(value)}"
