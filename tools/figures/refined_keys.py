# SPDX-License-Identifier: GPL-3.0-or-later
"""From the one set of parameters to the other, one key at a time; and which were chosen with
published figures in sight."""
from figures.cases import DEFAULT, REFINED
from figures.table import decimals, link, numbers, paragraph, ratios, table
from figures.topics import UNEXPLAINED
from figures.training import LARGEST, NETWORKS, base, utilization_at
from figures.variation import UNCHANGED, Column, claim, one_key_cells, refined_keys, shown, text_of

IN_SIGHT = {
    "array.startup_cycles": "its order of magnitude, 900 to 1500 cycles, is derived; the value is "
                            "chosen",
    "core.sfu_ops_per_cycle": "the other of two readings of Fig. 10",
    "model.layout_move": "what core splits chosen layer by layer imply",
    "model.resident_operands": "section III-B2 of the paper speaks of weights only",
}
NOTE = "in sight"
TIE = "`prefer_holding`"


def largest_over_base(workload):
    return lambda dsm, case: (utilization_at(workload, LARGEST)(dsm, case)[0]
                              / base(workload)(dsm, case)[0],)


def headline_columns():
    for title, workload in NETWORKS:
        yield Column(f"{title} base", base(workload), decimals(4))
        yield Column(f"all, {LARGEST}", utilization_at(workload, LARGEST), decimals(3))
        yield Column("ratio", largest_over_base(workload), ratios)


def check_notes(dsm):
    """The system itself says of the same keys that they were chosen with figures in sight."""
    noted = {one["path"] for one in dsm.describe(REFINED.system)["parameters"] if NOTE in one["source"]}
    claim(noted == set(IN_SIGHT), f"{numbers(sorted(IN_SIGHT))} were chosen with figures in sight")


def honesty(found):
    dsm = found.dsm
    check_notes(dsm)
    keys = refined_keys(dsm)
    derived = [f"`{key.name()}`" for key in keys if key.path not in IN_SIGHT]
    claim(TIE in derived, f"{TIE} is a refined key")
    unexplained = numbers(f"{what} ({link(heading, heading)})" for what, heading in UNEXPLAINED)
    return [
        "## What was chosen with a published figure in sight",
        "",
        paragraph("""The parameters of a set are the same for all three networks. But four values
            of the refined set were chosen while published figures were in sight, so that the
            figures which they move are weak evidence for them. What each of them moves alone is
            in the tables of the next section: `startup_cycles` and `resident_operands` move GNMT
            most, `layout_move` ResNet-50 and VGG16, `sfu_ops_per_cycle` ResNet-50 and CONV1_1 of
            VGG16."""),
        "",
        *table(("key", DEFAULT.title, REFINED.title, "the reason that it has besides"),
               [(f"`{key.path}`", text_of(key.default), text_of(key.refined), IN_SIGHT[key.path])
                for key in keys if key.path in IN_SIGHT]),
        "",
        paragraph(f"""The other refined keys follow from physics or from a sentence of the paper:
            {numbers(one for one in derived if one != TIE)}. Their equations are in
            [model.md](../model.md#refined-equations). {TIE} follows Fig. 12 and decides only between
            mappings of equal cost."""),
        "",
        paragraph(f"""Still unexplained, with what was tried in [unexplained.md](unexplained.md):
            {unexplained}."""),
        "",
    ]


def one_key_table(headings, first, title, changed):
    """Each key's cells, where they are shown otherwise than those of the first row."""
    rows = [(text, *(UNCHANGED if one == other else one for one, other in zip(row, first)))
            for text, row in changed if row != first]
    return table(("key", *headings), [(title, *first), *rows])


def section(found):
    columns = list(headline_columns())
    default, refined, rows = one_key_cells(found.dsm, columns)
    headings = [column.heading for column in columns]
    without = [f"`{key.name()}`" for key, on, off in rows
               if shown(on) == shown(default) and shown(off) == shown(refined)]
    return [
        "## From the default set to the refined set, one key at a time",
        "",
        paragraph(f"""Each row has one key changed, all others are as in the first row;
            "{UNCHANGED}": the same figure as there. Base: minibatch 256, `dsm explore NETWORK
            SYSTEM_symmetric --optimize none`. All: minibatch {LARGEST}, where the best is, `dsm
            explore NETWORK SYSTEM --minibatch {LARGEST}`. Ratio: all over base. Both with `--set
            system.KEY=VALUE`. What the keys do one by one does not add up to what they do
            together."""),
        "",
        f"Each refined key alone, in {DEFAULT.named()}:",
        "",
        *one_key_table(headings, shown(default), DEFAULT.title,
                       [(f"`{key.name()}` {text_of(key.refined)}", shown(on)) for key, on, _ in rows]),
        "",
        "The refined set without each of its keys:",
        "",
        *one_key_table(headings, shown(refined), REFINED.title,
                       [(f"`{key.name()}` {text_of(key.default)}", shown(off))
                        for key, _, off in rows]),
        "",
        paragraph(f"These change none of the figures by themselves: {numbers(without)}."
                  if without else ""),
        "",
    ]
