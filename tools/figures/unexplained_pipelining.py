# SPDX-License-Identifier: GPL-3.0-or-later
"""Timestep pipelining of GNMT: what was tried to explain the published gain."""
from figures import unexplained_source as source
from figures.table import paragraph, table
from figures.unexplained_trial import (DEFAULT, MINIBATCHES, REFINED, Trial, base_best_ratio, gains,
                                       inference_gains, ladder, layer_keys, system_keys)

ENCODER = tuple(f"enc{i}" for i in range(1, 8))
DECODER = tuple(f"dec{i}" for i in range(8))


def restarted(cycles, verdict):
    return Trial(f"`array.startup_cycles` {cycles}", "startup has no source", verdict,
                 system_keys(f"array.startup_cycles={cycles}"))


def groups_of(size):
    """Named groups of `size` neighbours."""
    return tuple(override for layers in (ENCODER, DECODER) for i in range(0, len(layers), size)
                 if len(layers[i:i + size]) > 1
                 for override in layer_keys(layers[i:i + size], "pipeline_group",
                                            f"{layers[i]}_{size}"))


def timesteps(count):
    layers = ("enc0", *ENCODER, "att_query", "att_score", "att_context", *DECODER)
    operands = ("att_score", "att_context")
    return (*layer_keys(layers, "timesteps", count), f"workload.layers.att_score.out={count}",
            f"workload.layers.att_context.in={count}",
            *layer_keys(operands, "operand_elements", 1024 * count))


SECOND_BIDIRECTIONAL = ("workload.layers.dec0.bidirectional=true", "workload.layers.dec1.in=2048")
REFINED_SET = Trial("refined set", "", "too high at 256")
ENCODER_ONLY = Trial("only the encoder pipelined", "attention stands between encoder and decoder",
                     "helps at 256, low at 2048; best a little low. No sentence says so",
                     layer_keys(DECODER, "pipeline_group", "null"))
GROUPS_OF_FOUR = Trial("groups of four layers", "Fig. 9 has a group of four",
                       "helps at 256, low at 2048", groups_of(4))
BOTH_BIDIRECTIONAL = Trial("the decoder's first layer is bidirectional too",
                           "IV: \"the first decoder being a bidirectional LSTM\"; Fig. 9 has two",
                           "helps, breaks nothing; not enough", SECOND_BIDIRECTIONAL)
VOCABULARY = Trial("with the projection onto the vocabulary",
                   "`gnmt_vocab`; IV: \"most layers\" have 1024 neurons",
                   "helps; breaks inference; ratio at the edge",
                   workload="gnmt_vocab")
PIPELINING = (
    REFINED_SET,
    Trial("default set", "", "too high at 256, nothing at 2048", system=DEFAULT),
    restarted(0, "fails: base and ratio"),
    restarted(500, "fails: base and ratio; 2048 falls too"),
    restarted(1500, "fails: 256 rises"),
    Trial("weights are loaded into the array at scratchpad bandwidth",
          "`array.weights_from_scratchpad`; the array is systolic (II-B)",
          "fails: 256 rises; breaks inference",
          system_keys("array.weights_from_scratchpad=true")),
    Trial("stages are whole rows", "`model.pipeline_columns` off; Fig. 9 does not say",
          "helps little at 256; 2048 falls too", system_keys("model.pipeline_columns=false")),
    Trial("hand-over is not overlapped", "`model.overlapped_hand_over` off; the paper does not say",
          "helps at 256, breaks 2048 and the best utilization",
          system_keys("model.overlapped_hand_over=false")),
    Trial("half of the scratchpad for weights", "`core.resident_weight_fraction` 0.5",
          "helps little; breaks inference", system_keys("core.resident_weight_fraction=0.5")),
    Trial("all of the scratchpad for weights", "`core.resident_weight_fraction` 1",
          "breaks reuse and 2048", system_keys("core.resident_weight_fraction=1")),
    Trial("0.3 of the scratchpad for weights", "`core.resident_weight_fraction` 0.3",
          "fails; breaks reuse, best, ratio, inference",
          system_keys("core.resident_weight_fraction=0.3")),
    Trial("gradients do not displace weights", "`model.bptt_resident_copies` 1",
          "breaks reuse, ratio and 2048", system_keys("model.bptt_resident_copies=1")),
    Trial("gradients of 4 bytes on chip", "`model.bptt_resident_copies` 3", "helps little",
          system_keys("model.bptt_resident_copies=3")),
    Trial("gradients of 4 bytes between chips", "`gradient_bytes` 4", "fails",
          ("workload.gradient_bytes=4",)),
    Trial("operands of attention stay on chip", "`model.resident_operands` on",
          "breaks best, ratio and reuse", system_keys("model.resident_operands=true")),
    Trial("features turn all the way round", "`model.exact_rotation` off", "helps little",
          system_keys("model.exact_rotation=false")),
    ENCODER_ONLY,
    Trial("only the decoder pipelined", "the same", "the same",
          layer_keys(ENCODER, "pipeline_group", "null")),
    Trial("groups of two layers", "how large the paper's groups are is not said",
          "helps at 256, breaks 2048 and ratio", groups_of(2)),
    GROUPS_OF_FOUR,
    Trial("the decoder's first layer is in no group",
          "attention takes its output of the timestep before (Wu et al.)", "helps little",
          layer_keys(("dec0",), "pipeline_group", "null")),
    BOTH_BIDIRECTIONAL,
    Trial("it, and not the encoder's", "IV, word for word", "fails",
          (*SECOND_BIDIRECTIONAL, "workload.layers.enc0.bidirectional=false",
           "workload.layers.enc1.in=1024")),
    Trial("the context is an input of all decoder layers", "Wu et al.", "fails",
          (*layer_keys(DECODER[1:], "in", 2048),
           *(f"workload.layers.{layer}.inputs=[\"{before}\",\"att_context\"]"
             for before, layer in zip(DECODER, DECODER[1:])))),
    VOCABULARY,
    Trial("32 timesteps", "sentences are shorter; but IV says 128", "fails; breaks reuse and ratio",
          timesteps(32)),
)


def gnmt_cells(dsm, trial):
    ladders = [ladder(dsm, trial.workload, n, trial.system, trial.overrides) for n in MINIBATCHES]
    base, best, ratio = base_best_ratio(ladders)
    return (trial.what, trial.why, f"{base:.4f}", f"{best:.3f}", f"{ratio:.1f}x",
            *(gains(ladders, rung) for rung in ("hybrid", "reuse", "pipeline")),
            inference_gains(dsm, (trial.workload,), trial), trial.verdict)


def others_cells(dsm, trial):
    """What a key of the system does to the other networks."""
    yield trial.what
    for workload in ("vgg16", "resnet50"):
        ladders = [ladder(dsm, workload, n, trial.system, trial.overrides) for n in MINIBATCHES]
        base, best, ratio = base_best_ratio(ladders)
        yield f"{base:.3f}, {best:.3f}, {ratio:.2f}x"
    yield gains(ladders, "reuse")
    yield gains(ladders, "dysm")
    yield inference_gains(dsm, ("vgg16", "resnet50"), trial)


def touches_others(trial):
    """Not what concerns layers with timesteps only."""
    keys = ("array.", "model.exact_rotation")
    return any(one.startswith(f"system.{key}") for one in trial.overrides for key in keys)


def startup_share(dsm):
    """Of the step at 256 before pipelining: arrays that start or are not full."""
    result = dsm.explore("gnmt", REFINED, f"--minibatch={MINIBATCHES[0]}",
                         "--optimize=hybrid,reuse")["result"]
    useful = result["utilization"] * result["step_cycles"]
    return (result["cycles"]["primary"] - useful) / result["step_cycles"]


def section(dsm):
    published = ("published", "", "0.011", "0.36", "32x", "2 - 3x", "3 - 4x",
                 "1.30x falling to 1.17x", "44x", "")
    with_others = (*PIPELINING[:2], *filter(touches_others, PIPELINING))
    return [
        "## Timestep pipelining of GNMT: published 1.30x at 256, falling to 1.17x",
        "",
        paragraph(f"""With the refined set, before pipelining, {100 * startup_share(dsm):.0f} % of
            the step at minibatch 256 goes to arrays that start or are not full. With a shorter
            startup pipelining gains less, at every minibatch, but the base is too fast then. The
            trials, one change each from the refined set (`dsm explore gnmt torus64_refined --ladder
            --ladder-base torus64_refined_symmetric --minibatch N`). Gains at minibatch 256, 512,
            1024, 2048; base at 256, best of all four; inference on one chip at batch 1, all
            optimizations over none:"""),
        "",
        *table(("changed", "reason", "base", "best", "best / base", "hybrid", "reuse", "pipelining",
                "inference", "verdict"),
               [published, *(gnmt_cells(dsm, trial) for trial in PIPELINING)]),
        "",
        paragraph("""What those of them do that concern other networks too; the rest are about
            layers with timesteps only. Base, best and ratio as above; ResNet-50's gains at 256,
            512, 1024, 2048; inference at batch 1, all optimizations over none:"""),
        "",
        *table(("changed", "VGG16", "ResNet-50", "its reuse", "its DySM",
                "inference VGG16, ResNet-50"),
               [("published", "0.57, 0.79, 1.36x", "0.158, 0.41, 2.6x", "1.55x at 512",
                 "1.18x from 1024 on", "1.16x, 3.6x"),
                *(others_cells(dsm, trial) for trial in with_others)]),
        "",
        *source.pipelining(),
    ]
