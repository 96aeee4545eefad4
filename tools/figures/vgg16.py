# SPDX-License-Identifier: GPL-3.0-or-later
"""VGG16 at minibatch 512, layer by layer: Figs. 12 and 13, and their text."""
import copy

from figures.dsm import Refused, cycles_without_relayout, layers_of, share
from figures.table import Row, figures, paragraph, percents, runs, table

OPTIMIZE = "hybrid,reuse,dysm"
FREE = ("vgg16", "torus64", 512, OPTIMIZE)
UNIFORM = (*FREE, "model.dysm_uniform=true")
FREE_COMMAND = f"dsm explore vgg16 torus64 --minibatch 512 --optimize {OPTIMIZE}"
UNIFORM_COMMAND = f"{FREE_COMMAND} --set system.model.dysm_uniform=true"
FIRST_CONVS = ("conv1_1", "conv1_2")
LATE_CONVS = ("conv4_2", "conv4_3", "conv5_1", "conv5_2", "conv5_3")
DATA_CONVS = ("conv5_1", "conv5_2", "conv5_3")
FCS = ("fc1", "fc2", "fc3")
CONV_BAND = (0.85, 0.98)
DIMS = ("in", "out", "ij", "kij", "mb")
PUBLISHED_PARALLELISM = "conv1_1 to conv5_3 data; fc1 model; fc2 to fc3 data_x_model_y"
PUBLISHED_SPLITS = (
    ("conv1_1", {"ij": 32}), ("conv1_2", {"ij": 32}), ("conv2_2", {"out": 2, "ij": 8, "mb": 2}),
    ("conv3_1", {"in": 4, "out": 4, "ij": 2}), ("conv4_3", {"out": 8, "ij": 2, "mb": 2}),
    ("conv5_1", {"in": 8, "out": 4}), ("fc1", {"mb": 32}), ("fc2", {"out": 4, "mb": 8}),
    ("fc3", {"mb": 32}))


# ---- rows ----

def parallelism_text(plan):
    """The parallelism of each layer; that of its passes where they differ."""
    pairs = []
    for layer in plan["layers"]:
        words = [one["parallelism"] for one in layer["passes"].values()]
        pairs.append((layer["name"], words[0] if len(set(words)) == 1 else " / ".join(words)))
    return runs(pairs)


def conv_passes(plan, names=None):
    """(name of the layer, forward or backward pass) of all convolutions but the first two."""
    for layer in plan["layers"]:
        is_other = layer["name"].startswith("conv") and layer["name"] not in FIRST_CONVS
        if is_other if names is None else layer["name"] in names:
            for word in ("forward", "backward"):
                yield layer["name"], layer["passes"][word]


def utilization_of(passes):
    passes = list(passes)
    return (sum(one["ideal_cycles"] for _, one in passes)
            / sum(one["cycles"]["total"] for _, one in passes))


def conv_row(plan, what, command, band):
    each = [one["utilization"] for _, one in conv_passes(plan)]
    whole = utilization_of(conv_passes(plan))
    inside = sum(CONV_BAND[0] <= one <= CONV_BAND[1] for one in each)
    return Row(f"other convolutions together, forward and backward utilization, {what}",
               "about 0.90", (whole,), f"{whole:.3f} ({inside} of {len(each)} single passes inside; "
               f"{min(each):.2f} to {max(each):.2f})", command, band=band)


def rotation_shares(plan):
    """Forward: the visible part of the stream, in which rotation is the slowest; backward: the
    rotation, which is never hidden."""
    for layer in (layers_of(plan)[name] for name in FCS):
        yield share(layer["passes"]["forward"],
                    layer["passes"]["forward"]["cycles"]["overlapped_visible"])
        yield share(layer["passes"]["backward"], layer["passes"]["backward"]["groups"]["rotation"])


def reduction_shares(plan):
    for layer in (layers_of(plan)[name] for name in LATE_CONVS):
        groups = layer["passes"]["update"]["groups"]
        yield share(layer["passes"]["update"],
                    groups["sum_of_gradients"] + groups["broadcast_weights"])


def share_rows(plan):
    layers = layers_of(plan)
    first, second, fc1 = (layers[name]["passes"]["forward"] for name in ("conv1_1", "conv1_2", "fc1"))
    activation = share(first, first["cycles"]["auxiliary"])
    visible = share(second, second["cycles"]["overlapped_visible"])
    relayout = share(fc1, fc1["groups"]["relayout"])
    rotation = tuple(rotation_shares(plan))
    update = tuple(share(layers[name]["passes"]["update"],
                         layers[name]["passes"]["update"]["cycles"]["overlapped_visible"])
                   for name in FCS)
    yield Row("CONV1_1 activation function, forward, share of its time", "17 %", (activation,),
              percents((activation,)), UNIFORM_COMMAND)
    yield Row("CONV1_2 visible overlapped transfer, forward, share of its time", "26 %", (visible,),
              percents((visible,)), UNIFORM_COMMAND)
    yield Row("FC1 relayout, forward, share of its time", "22 %", (relayout,), percents((relayout,)),
              UNIFORM_COMMAND, band=(0.15, 0.30), band_text="15 - 30 %")
    yield Row("FC rotation, forward and backward of FC1, FC2, FC3, share of their time", "60 - 80 %",
              rotation, percents(rotation), UNIFORM_COMMAND, band=(0.55, 0.85), band_text="55 - 85 %")
    yield Row("FC visible transfer in update, FC1, FC2, FC3, share of their time", "30 - 70 %",
              update, percents(update), UNIFORM_COMMAND)


def rows(dsm):
    free, uniform = dsm.plan(*FREE), dsm.plan(*UNIFORM)
    paper = "conv data; FC1 model; FC2, FC3 DataXModelY"
    yield Row("parallelism, DySM factor free for each layer", paper, (), parallelism_text(free),
              FREE_COMMAND, expected=PUBLISHED_PARALLELISM)
    yield Row("parallelism, one DySM factor for the convolutions", paper, (),
              parallelism_text(uniform), UNIFORM_COMMAND)
    factor = layers_of(uniform)["conv1_1"]["dysm_factor"]
    yield Row("the one DySM factor", "4", (factor,), str(factor), UNIFORM_COMMAND,
              expected="4")
    yield conv_row(uniform, "one factor", UNIFORM_COMMAND, CONV_BAND)
    yield conv_row(free, "free factors", FREE_COMMAND, None)
    yield from share_rows(uniform)
    for what, plan, command in (("one factor", uniform, UNIFORM_COMMAND),
                                ("free factors", free, FREE_COMMAND)):
        found = tuple(reduction_shares(plan))
        yield Row(f"gradient reduction, update of CONV4_2, 4_3, 5_1, 5_2, 5_3, share of their time, "
                  f"{what}", "30 - 60 %", found, percents(found), command)


# ---- held outputs ----

def held_too(dsm, plan, names):
    """Of the layers, in their order, those whose output can be held besides, why the others cannot,
    and the plan that holds them."""
    added, refused = [], []
    for name in names:
        edited = copy.deepcopy(plan)
        layers_of(edited)[name]["output_on_chip"] = True
        try:
            plan = dsm.score(edited)
            added.append(name)
        except Refused as why:
            refused.append((name, str(why)))
    return plan, added, refused


def held_lines(dsm):
    plan = dsm.plan(*UNIFORM)
    held = [name for name, layer in layers_of(plan).items() if layer["output_on_chip"]]
    others = [name for name in layers_of(plan) if name not in held and name != "conv1_2"]
    fuller, added, refused = held_too(dsm, plan, others)
    _, _, second = held_too(dsm, plan, ["conv1_2"])
    change = 100 * (fuller["result"]["step_cycles"] / plan["result"]["step_cycles"] - 1)
    return [
        paragraph(f"""**Held outputs, one factor.** The paper: all but that of CONV1_2. dsm holds those
            of {', '.join(held)}. Holding those of {', '.join(added)} too (`output_on_chip` in the
            plan, then `dsm score`) changes the step by {change:+.3f} %; of equally fast plans dsm
            takes the first in the [written order](model.md#13-search), which holds less. `dsm score`
            refuses the rest:"""),
        "",
        *table(("layer", "why its output cannot be held as well"), second + refused),
        "",
        paragraph("""The paper's table has a held output for FC1 too, although FC1 and FC2 have
            different parallelisms there; section III-B1 of the paper excludes that, and so does
            dsm."""),
        "",
    ]


# ---- core splits ----

def split_text(split):
    return ", ".join(f"{dim} {split[dim]}" for dim in DIMS if split.get(dim, 1) > 1)


def with_split(plan, name, word, split):
    """The plan with this core split in all invocations of a pass."""
    edited = copy.deepcopy(plan)
    one = layers_of(edited)[name]["passes"][word]
    one["core_split"] = {dim: split.get(dim, 1) for dim in DIMS}
    for invocation in one["invocations"]:
        invocation["core_split"] = dict(one["core_split"])
    return edited


def time_ratio(dsm, plan, name, word, split):
    """Time of a pass with the split over its time in the plan, relayouts apart."""
    before = cycles_without_relayout(layers_of(plan)[name]["passes"][word])
    try:
        edited = dsm.score(with_split(plan, name, word, split))
    except Refused as why:
        return f"not legal: {why}"
    return f"{cycles_without_relayout(layers_of(edited)[name]['passes'][word]) / before:.3f}x"


def data_plan(dsm, plan):
    """The plan with data parallelism in the last convolutions, with the core splits that
    `dsm explore --explain` calls the best there."""
    edited = copy.deepcopy(plan)
    for name in DATA_CONVS:
        told = dsm.explore("vgg16", "torus64", "--minibatch=512", f"--optimize={OPTIMIZE}",
                           "--set=system.model.dysm_uniform=true", f"--explain={name}")
        for word, found in told["layers"][0]["passes"].items():
            best = next(one for one in found["alternatives"]
                        if one["parallelism"] == "data" and one["is_best_of_parallelism"])
            edited = with_split(edited, name, word, best["core_split"])
            layers_of(edited)[name]["passes"][word]["parallelism"] = "data"
    return dsm.score(edited)


def split_rows(dsm):
    plan = dsm.plan(*UNIFORM)
    in_data = data_plan(dsm, plan)
    for name, published in PUBLISHED_SPLITS:
        variant = in_data if name in DATA_CONVS else plan
        passes = layers_of(variant)[name]["passes"]
        cells = []
        for word in ("forward", "backward", "update"):
            one = passes.get(word)
            cells.append(f"{split_text(one['core_split'])}: "
                         f"{time_ratio(dsm, variant, name, word, published)}" if one else "-")
        yield name, split_text(published), *cells


def split_lines(dsm):
    return [
        paragraph("""**Core splits of Fig. 12, one factor.** dsm's split of the first invocation of a
            pass, and the time of the pass with the published split in its place over that with dsm's
            (`core_split` in the plan, then `dsm score`; relayouts apart). Of equally fast splits dsm
            takes the first in the [order of preference](model.md#13-search). dsm has CONV5_1 to
            CONV5_3 in model_x_data_y; for the comparison they are put into data parallelism, with
            the split that `--explain` calls best for the first invocation. The column of FC1 in the
            figure is unsure."""),
        "",
        *table(("layer", "paper", "forward", "backward", "update"), split_rows(dsm)),
        "",
    ]


def section(dsm, guarded):
    found = list(rows(dsm))
    guarded += found
    return [
        "## VGG16 at minibatch 512, layer by layer (Figs. 12 and 13)",
        "",
        paragraph("""Fig. 12 has one DySM factor for all convolutions, which is `model.dysm_uniform`;
            dsm by itself gives each layer its own. The passes of a layer have one parallelism, as in
            Fig. 12; with `--optimize all` those of FC1 and FC2 differ."""),
        "",
        *figures(found),
        "",
        *held_lines(dsm),
        *split_lines(dsm),
    ]
