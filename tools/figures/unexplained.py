# SPDX-License-Identifier: GPL-3.0-or-later
"""What is still unexplained: for each published figure that dsm does not reach, what was tried.

section(dsm) gives the lines of the page. Of dsm it needs explore(*arguments), the parsed JSON of
`dsm explore ARGUMENTS --format=json`. Trials with keys, with edited descriptions and on finished
plans are made when the page is written; the numbers of those that took another source are in
unexplained_source.

Usage, with the folder of `figures` in PYTHONPATH:
    python3 -m figures.unexplained DSM_BINARY               prints the page
    python3 -m figures.unexplained DSM_BINARY --check FILE  fails if FILE is not what would be printed
"""
import difflib
import sys

from figures import (unexplained_chips, unexplained_inference, unexplained_pipelining,
                     unexplained_update)
from figures.dsm import Dsm
from figures.table import paragraph, table
from figures.unexplained_trial import (DEFAULT, MINIBATCHES, REFINED, Trial, gains, inference_gains,
                                       ladder)

INTRODUCTION = (
    "# Still unexplained",
    "",
    paragraph("""**Claim**: four published figures are not reached, and no change that was tried, with a physical reason or a
        sentence of the paper for it, explains one in full without losing another. **Command**:
        `tools/experiments DSM` writes this page. All published figures are in
        [experiments.md](experiments.md), the keys in [model.md](../model.md#2-system-parameters); the
        *default set* is `torus64`, the *refined set* `torus64_refined`; II to V are sections of the
        paper."""),
    "",
    paragraph("""*Helps*: the figure comes nearer to the published one. *Fails*: it does not.
        *Breaks*: another published figure is lost. Trials that no key allows were made once, with a
        changed source that is not part of dsm; they are marked, and their numbers are not measured
        again when this page is written."""),
    "",
)


def summary(dsm):
    """Each figure as published, with both sets, and what of the trials explains most."""
    def of_both(what):
        return what(DEFAULT), what(REFINED)

    def pipelining(system):
        return gains((ladder(dsm, "gnmt", n, system) for n in MINIBATCHES), "pipeline")

    def resnet(system):
        return inference_gains(dsm, ("resnet50",), Trial("", "", "", system=system))

    def update(system):
        return unexplained_update.update_shares(dsm, system)

    def chips(system):
        return unexplained_chips.base_to_optimized(dsm, system)

    return table(("figure", "published", "default set", "refined set", "what explains most"), [
        ("pipelining of GNMT, 256 to 2048", "1.30x falling to 1.17x", *of_both(pipelining),
         "forward and backward pipelined, update not (a reading of the paper, not physics): 1.52x, "
         "1.37x, 1.23x, 1.14x"),
        ("inference of ResNet-50, batch 1", "3.6x", *of_both(resnet),
         "buffers only for what streams (physics): 3.10x, 2.81x; with weights fetched ahead up to "
         "3.65x, 3.23x"),
        ("GNMT, base on 64 to optimized on 256 chips, 256 to 2048", "22.7x", *of_both(chips),
         "that reading, with the update not pipelined: 23.3x, 22.4x, 21.4x, 22.9x"),
        ("rotation in the update of FC1, FC2, FC3", "30 - 70 %", *of_both(update),
         "the default set has it; three keys of the refined set lower it"),
    ])


def section(dsm):
    """The lines of the page."""
    modules = (unexplained_pipelining, unexplained_inference, unexplained_chips, unexplained_update)
    return [*INTRODUCTION, *summary(dsm), "", *(line for module in modules for line in module.section(dsm))]


def main():
    text = "\n".join(section(Dsm(sys.argv[1])))
    if len(sys.argv) == 4 and sys.argv[2] == "--check":
        with open(sys.argv[3], encoding="utf-8") as file:
            current = file.read()
        sys.stdout.writelines(difflib.unified_diff(current.splitlines(True), text.splitlines(True),
                                                   sys.argv[3], "computed"))
        return 0 if current == text else 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
