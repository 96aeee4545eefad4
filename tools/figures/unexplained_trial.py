# SPDX-License-Identifier: GPL-3.0-or-later
"""What the trials of unexplained figures have in common: a trial is one thing changed, and the
ladders of dsm with it. Of dsm only explore(*arguments) is needed."""
from dataclasses import dataclass

from figures.table import ratios

MINIBATCHES = (256, 512, 1024, 2048)
DEFAULT, REFINED = "torus64", "torus64_refined"
LAST = "per_pass"
ONE_CHIP = ("system.system.chips_x=1", "system.system.chips_y=1")


@dataclass(frozen=True)
class Trial:
    """One thing changed; overrides are values of --set."""
    what: str
    why: str
    verdict: str
    overrides: tuple = ()
    workload: str = "gnmt"
    system: str = REFINED


def system_keys(*keys):
    return tuple(f"system.{key}" for key in keys)


def layer_keys(layers, key, value):
    return tuple(f"workload.layers.{layer}.{key}={value}" for layer in layers)


def ladder(dsm, workload, minibatch, system=REFINED, overrides=()):
    told = dsm.explore(workload, system, f"--minibatch={minibatch}", "--ladder",
                       f"--ladder-base={system}_symmetric",
                       *(f"--set={override}" for override in overrides))
    return {rung["name"]: rung for rung in told["rungs"]}


def inference(dsm, workload, batch, system=REFINED, overrides=()):
    told = dsm.explore(workload, system, "--mode=inference", f"--minibatch={batch}", "--ladder",
                       "--optimize=reuse,preload",
                       *(f"--set={override}" for override in (*ONE_CHIP, *overrides)))
    return {rung["name"]: rung for rung in told["rungs"]}


def gains(ladders, rung):
    return ratios(ladder_of[rung]["gain_over_previous"] for ladder_of in ladders)


def base_best_ratio(ladders):
    """Utilization of the base at the first minibatch, the best of all, and how much faster."""
    base = ladders[0]["none"]["utilization"]
    best = max(ladder_of[LAST]["utilization"] for ladder_of in ladders)
    return base, best, best / base


def inference_gains(dsm, workloads, trial):
    """All optimizations over none, of some networks at batch 1."""
    ladders = (inference(dsm, workload, 1, trial.system, trial.overrides) for workload in workloads)
    return ratios(ladder_of["preload"]["gain_over_first"] for ladder_of in ladders)
