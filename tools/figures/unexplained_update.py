# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation in the update of VGG16's fully-connected layers: what was tried."""
from figures.table import paragraph, table
from figures.unexplained_trial import DEFAULT, Trial

ONE_FACTOR = "system.model.dysm_uniform=true"
FCS = ("fc1", "fc2", "fc3")
UPDATE = (
    Trial("refined set", "", "FC2 low", (ONE_FACTOR,)),
    Trial("refined set, free DySM factors", "", "the same"),
    Trial("default set", "", "as published, FC2 2 points low", (ONE_FACTOR,), system=DEFAULT),
    Trial("default set with `model.exact_rotation`", "derived", "FC1 falls, FC2 to 26 %",
          (ONE_FACTOR, "system.model.exact_rotation=true"), system=DEFAULT),
    Trial("default set with `model.reduce_memory_bytes` 2", "derived", "FC2 falls to 25 %",
          (ONE_FACTOR, "system.model.reduce_memory_bytes=2"), system=DEFAULT),
    Trial("default set with `array.startup_cycles` 1250", "of the refined set", "FC2 falls to 25 %",
          (ONE_FACTOR, "system.array.startup_cycles=1250"), system=DEFAULT),
    Trial("default set with `array.startup_cycles` 500", "no source", "FC1 above 70 %, backward above 80 %",
          (ONE_FACTOR, "system.array.startup_cycles=500"), system=DEFAULT),
    Trial("default set, weight update costs nothing",
          "`model.weight_update_memory_bytes` 0; the paper names no such transfer",
          "FC2 inside, FC1 above 70 %",
          (ONE_FACTOR, "system.model.weight_update_memory_bytes=0"), system=DEFAULT),
    Trial("features turn all the way round",
          "`model.exact_rotation` off; II-D: a rotation in each of M x N iterations",
          "helps FC1 and forward; not FC2; backward above 80 %",
          (ONE_FACTOR, "system.model.exact_rotation=false")),
    Trial("partial sums of 2 bytes", "`model.partial_sum_bytes` 2", "mends backward; update stays",
          (ONE_FACTOR, "system.model.partial_sum_bytes=2")),
    Trial("rotation crosses the memory bus twice", "`model.rotate_memory_bytes` 2", "FC2 stays",
          (ONE_FACTOR, "system.model.rotate_memory_bytes=2")),
    Trial("gradients are summed with less memory traffic", "`model.reduce_memory_bytes` 1", "helps FC2 little",
          (ONE_FACTOR, "system.model.reduce_memory_bytes=1")),
    Trial("arrays start at once", "`array.startup_cycles` 0", "breaks the published parallelism",
          (ONE_FACTOR, "system.array.startup_cycles=0")),
)


def vgg_passes(dsm, trial, minibatch=512, optimize="hybrid,reuse,dysm"):
    plan = dsm.explore("vgg16", trial.system, f"--minibatch={minibatch}", f"--optimize={optimize}",
                       *(f"--set={one}" for one in trial.overrides))
    layers = {layer["name"]: layer["passes"] for layer in plan["layers"]}
    return [layers[name] for name in FCS]


def percents_of(parts):
    return ", ".join(f"{100 * part / total:.0f} %" for part, total in parts)


def update_cells(passes):
    """Forward and update: visible transfer, which rotation decides; backward: rotation."""
    shown = (("forward", lambda one: one["cycles"]["overlapped_visible"]),
             ("backward", lambda one: one["groups"].get("rotation", 0)),
             ("update", lambda one: one["cycles"]["overlapped_visible"]))
    for word, part in shown:
        yield percents_of((part(one[word]), one[word]["cycles"]["total"]) for one in passes)
    words = [one["update"]["parallelism"] for one in passes]
    is_published = words == ["model", "data_x_model_y", "data_x_model_y"]
    yield "as published" if is_published else ", ".join(words)


def share_with(update, factor):
    """The visible share of an update pass if rotation took `factor` times as long. Only where
    rotation is what the stream waits for."""
    cycles = update["cycles"]
    visible = max(0, factor * cycles["overlapped"] - cycles["primary"])
    return visible / (cycles["total"] - cycles["overlapped_visible"] + visible)


def factor_for(update, share):
    """How much longer rotation would have to take for a visible share."""
    cycles = update["cycles"]
    rest = cycles["total"] - cycles["overlapped_visible"]
    return (share / (1 - share) * rest + cycles["primary"]) / cycles["overlapped"]


def slowest_link(update):
    """The link that the overlapped transfers of a pass take longest on."""
    cycles = {}
    for transfer in update["transfers"]:
        if transfer["overlapped"]:
            cycles[transfer["link"]] = cycles.get(transfer["link"], 0) + transfer["cycles"]
    return max(cycles, key=cycles.get)


def volume_lines(dsm, trial):
    layers = vgg_passes(dsm, trial)
    sizes = ((25088, 4096), (4096, 4096), (4096, 1000))
    rows = []
    for name, (inputs, outputs), one in zip(FCS, sizes, layers):
        update = one["update"]
        assert slowest_link(update).startswith("link")
        rows.append((name, f"{100 * share_with(update, 1):.0f} %",
                     f"{100 * share_with(update, outputs / inputs):.0f} %",
                     f"{100 * share_with(update, 0.5):.0f} %",
                     f"{100 * share_with(update, 2):.0f} %",
                     f"{factor_for(update, 0.3):.2f} to {factor_for(update, 0.7):.2f}"))
    return table(("layer", "inputs turn", "errors turn instead", "inputs both ways round",
                  "twice as much", "volume for 30 to 70 %"), rows)


def update_shares(dsm, system):
    """Visible transfer in the update of FC1, FC2, FC3."""
    *_, update, _ = update_cells(vgg_passes(dsm, Trial("", "", "", (ONE_FACTOR,), system=system)))
    return update


def section(dsm):
    refined = UPDATE[0]
    sizes = [(f"{trial.what}, minibatch {n}", "", *update_cells(vgg_passes(dsm, trial, n)), "")
             for trial in (UPDATE[2], refined) for n in (256, 1024)]
    return [
        "## Rotation in the update of VGG16's fully-connected layers: published 30 to 70 %",
        "",
        paragraph("""Minibatch 512, one DySM factor for the convolutions, shares of the time of FC1,
            FC2, FC3. The default set has 68, 28 and 51 % where the paper has "~30% to ~70%", so
            nothing is unexplained there. It is the refined set that leaves the range, in FC2, by
            the keys below; and most of FC2's update is summing gradients and broadcasting
            weights:"""),
        "",
        *table(("changed", "reason", "forward (60 - 80 %)", "backward (60 - 80 %)",
                "update (30 - 70 %)", "parallelism", "verdict"),
               [*((trial.what, trial.why, *update_cells(vgg_passes(dsm, trial)), trial.verdict)
                  for trial in UPDATE), *sizes]),
        "",
        paragraph("""What should turn? A chip has the weights of its outputs for all inputs, in
            forward and in update, so the gradient of its weights needs all inputs and only its own
            errors: inputs turn, as in forward, and the paper says "feature rotation" too. If the
            errors turned instead, FC1 and FC3 would have none to wait for. Shares of the update
            with other volumes, from the plan of the refined set:"""),
        "",
        *volume_lines(dsm, refined),
        "",
        paragraph("""One volume for all three layers that brings them inside is 1.4 to 1.6 times
            that of the inputs. No reason for it was found."""),
        "",
    ]
