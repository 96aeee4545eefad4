# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16 with one DySM factor: which outputs are held."""
import copy

from figures.cases import CASES
from figures.dsm import Refused, layers_of
from figures.fig12 import held
from figures.table import numbers, paragraph, table
from figures.variation import AS_IT_IS, Column, each, one_key_table, variation_table
from figures.vgg16 import one_factor

HEADING = "VGG16 with one DySM factor: fewer outputs are held"
EXPLAINS = ("held",)
VARIATIONS = (AS_IT_IS, *each("model.layout_move", "none", "exact", "always"),
              *each("core.scratchpad_MiB", 1.1))
REASONS = (("fit beside", "no room"), ("parallelism", "its user has another parallelism"),
           ("no layer uses", "no layer uses it"))


def held_as_well(dsm, case, name):
    """What holding the output of a layer too would do to the step."""
    plan = one_factor(dsm, case)
    if name in held(plan):
        return "held"
    edited = copy.deepcopy(plan)
    layers_of(edited)[name]["output_on_chip"] = True
    try:
        ratio = dsm.score(edited)["result"]["step_cycles"] / plan["result"]["step_cycles"]
    except Refused as why:
        return next(text for part, text in REASONS if part in str(why))
    return f"{100 * (ratio - 1):+.3f} %"


def section(found):
    dsm = found.dsm
    names = list(layers_of(one_factor(dsm, CASES[0])))
    columns = [Column("held", lambda dsm, case: held(one_factor(dsm, case)), numbers)]
    cells = dsm.map(lambda pair: held_as_well(dsm, *pair), [(case, name) for name in names
                                                            for case in CASES])
    rows = [(name, *cells[index * len(CASES):(index + 1) * len(CASES)])
            for index, name in enumerate(names)]
    return [
        paragraph("""The paper: all but that of CONV1_2. What each layer's output would do to the
            step if it were held as well (`output_on_chip` in the plan, then `dsm score`):"""),
        "",
        *table(("layer", *(case.title for case in CASES)), rows),
        "",
        paragraph("""CONV1_2 is the one that does not fit, as published. Of equally fast plans dsm
            takes the first in the [written order](../model.md#13-search), which holds less, or with
            `model.prefer_holding` more. With the refined set most other convolutions would lose
            by holding, because moving a held tensor to the layout of its user (`layout_move`)
            takes time that does not overlap. Where each held tensor has the one layout that suits
            its users best (`layout_move` exact), most are held. The paper's table has a held
            output for FC1 too, although FC1 and FC2 have different parallelisms there; section
            III-B1 of the paper excludes that, and so does dsm."""),
        "",
        *one_key_table(dsm, columns),
        "",
        *variation_table(dsm, columns, VARIATIONS),
    ]
