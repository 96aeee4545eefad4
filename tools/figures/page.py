# SPDX-License-Identifier: GPL-3.0-or-later
"""The page: all figures, those that deviate first, and why."""
from figures import (expected, fig12, fig13, in_memory, inference, parallelism, refined_keys, scaling, storage,
                     sweeps, training)
from figures.cases import CASES, CHIPS_256, DEFAULT, ONE_CHIP
from figures.figure import LIMIT, Found
from figures.table import link, paragraph, table
from figures.topics import TOPICS
from figures.variation import CLOSE, claim

INTRODUCTION = """# Experiments: published figures and what dsm predicts

**Claim**: with one set of parameters or the other more than half of the figures that the paper names are missed by over
10 %; the first table has them, and each has a paragraph that looks into it. **Command**: `tools/experiments DSM` writes this page; each table has its own
command. The figures are those of section V (S. Venkataramani et al., *Memory and Interconnect Optimizations for
Peta-Scale Deep Learning Systems*) that its text names; its bar charts are not legible in the text that we have.

Each figure is shown with two sets of parameters:

- **default set**: the specified equations of [model.md](../model.md), all its keys at their defaults;
  `torus64`;
- **refined set**: its [refined equations](../model.md#refined-equations), `torus64_refined`.

In a command SYSTEM is `torus64` or `torus64_refined`, and SYSTEM_symmetric the same with the
symmetric torus. N is the minibatch, M a size, NETWORK one of `vgg16`, `resnet50`, `gnmt`. One chip
and 256 chips are SYSTEM with `--set`; of `torus64` these are `chip1` and `torus256`.

In parentheses is the deviation from the paper in percent; within a published range it is 0. What
deviates by more than 10 % is in bold. A band is what a faithful implementation of the specified
equations should stay inside. A test fails when a figure is outside its band, when a deviation of
more than 10 % has no paragraph that looks into it, or when the page is not current.
"""

EXPLORATION_TIME = """## Exploration time

"Within minutes" in the paper. Milliseconds here: [performance.md](performance.md).
"""

REAL_MACHINES = """## Machines that exist

Steps that others measured are in [measured.md](measured.md), each set with its command. Of transformers, as they were cut over
chips, samples and stages: `tools/measured.py dsm gpt_steps table5_steps`, and with a folder of the tables all rows,
`tools/measured.py dsm FOLDER gpt_steps table5_steps`. Steps of invented transformers by hand
([section 8](../model.md#micro-batches)): `tests/golden/whole_steps.py dsm --show`.
"""

WHY = """## Why

One thing is varied at a time, with `--set system.KEY=VALUE`; keys are in
[model.md](../model.md#2-system-parameters). What no variation shows is not claimed.

In tables of refined keys, *alone on* is the default set with only this key as in the refined set,
and *alone off* the refined set with only this key as in the default set. "=" is within 0.5 % of what
is there without. Refined keys that are not in a table change nothing in it by more.
"""

FIGURES = (training.FIGURES, fig12.FIGURES, fig13.FIGURES, scaling.CHIP_FIGURES,
           scaling.SCRATCHPAD_FIGURES, inference.FIGURES)
SECTIONS = (training, fig12, fig13, scaling, inference, sweeps)
BUNDLED = (("chip1", ONE_CHIP), ("torus256", CHIPS_256))


def values_of(overrides):
    """Numbers of chips by path."""
    return {path: int(value) for path, _, value in (one.partition("=") for one in overrides)}


class Page:
    def __init__(self, dsm):
        self.dsm = dsm
        self.found = Found(dsm)
        for figures in FIGURES:
            self.found.add(figures)
        self.found.measure()
        self.topics = {key: topic.HEADING for topic in TOPICS for key in topic.EXPLAINS}

    # ---- text ----

    def deviations(self):
        """The figures that deviate, each with a link to what is known about it."""
        rows = [(figure.quantity, figure.paper,
                 *(figure.cell(self.found.values(figure.key, case)) for case in CASES),
                 link("why", self.topics.get(figure.key, "")))
                for figure in self.found.off()]
        within = len(self.found.figures) - len(rows)
        return [
            f"## Deviations over {100 * LIMIT:.0f} %",
            "",
            paragraph(f"""{len(rows)} of {len(self.found.figures)} figures deviate by more than
                {100 * LIMIT:.0f} % with one set or the other, in the order of the page. The other
                {within} do not with either."""),
            "",
            *table(("quantity", "paper", *(case.title for case in CASES), ""), rows),
            "",
        ]

    def why(self):
        claim(f"{100 * CLOSE:g} %" in WHY, "how close two figures are that are shown as the same")
        lines = [WHY]
        for topic in TOPICS:
            lines += [f"### {topic.HEADING}", "", *topic.section(self.found), ""]
        return lines

    def text(self):
        lines = [INTRODUCTION, *self.deviations(), *refined_keys.honesty(self.found),
                 *refined_keys.section(self.found)]
        for section in SECTIONS:
            lines += section.section(self.found, self.topics)
        lines += [*parallelism.section(self.dsm), *storage.section(self.dsm), EXPLORATION_TIME,
                  REAL_MACHINES, *expected.section(self.found), *in_memory.section(self.dsm),
                  *self.why()]
        return "\n".join(lines).rstrip("\n") + "\n"

    # ---- what must hold ----

    def findings(self):
        """Whatever is wrong besides the text."""
        for key, figure in self.found.figures.items():
            values = self.found.values(key, DEFAULT)
            if not figure.is_inside(values):
                yield f"outside its band: {figure.quantity}: {figure.cell(values)}"
        for figure in self.found.off():
            if figure.key not in self.topics:
                yield f"deviates, and no topic explains it: {figure.quantity}"
        yield from expected.findings(self.dsm)
        yield from sweeps.findings(self.dsm)
        yield from parallelism.findings(self.dsm)
        yield from in_memory.findings(self.dsm)
        yield from storage.findings(self.dsm)
        for name, overrides in BUNDLED:
            if self.dsm.parameters(name) != {**self.dsm.parameters(DEFAULT.system),
                                             **values_of(overrides)}:
                yield f"{name} is not {DEFAULT.system} with {', '.join(overrides)}"

    def guarded(self):
        return sum(bool(figure.band) for figure in self.found.figures.values()) + len(
            expected.ROWS) + len(parallelism.ROWS) + len(storage.ROWS)
