#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the figures of the baselines make sense, whatever program wrote them?

Of each baseline alone:
 - the cycles of all layers and passes add up to the step's, and are the step's seconds at the clock;
 - every utilization is from 0 to 1, and the step's says how many MACs of the whole system's were used:
   those of the workload for every sample and pass, which are counted here, from its description.
Of what `dsm score` says of it, since baselines leave it out:
 - the step is that of the baseline; the four parts of its cycles add up to it;
 - the parts of the memory add up to its total, which is within the capacity.

Usage: sense.py DSM_BINARY GOLDEN_DIR
"""
import json
import math
import pathlib
import subprocess
import sys

TOLERANCE = 1e-9
CYCLE_PARTS = ("primary", "overlapped_visible", "auxiliary", "non_overlapped")
MEMORY_PARTS = ("weights_bytes", "activations_bytes", "gradients_bytes", "errors_bytes",
                "optimizer_bytes")


class Baseline:
    """A baseline, and what is wrong with it."""

    def __init__(self, path):
        self.name = path.stem
        self.plan = json.loads(path.read_text(encoding="utf-8"))
        self.complaints = []

    def expect(self, holds, what):
        if not holds:
            self.complaints.append(f"{self.name}: {what}")

    def expect_equal(self, what, found, expected):
        self.expect(math.isclose(found, expected, rel_tol=TOLERANCE),
                    f"{what}: expected {expected:.17g}, found {found:.17g}")


def macs_of(layer):
    """MACs of a declared layer for a sample and a pass, all timesteps; of one direction of an lstm."""
    if layer["type"] == "conv":
        positions = math.prod(layer["feature"]) * math.prod(layer.get("kernel", [1, 1]))
        return layer["in"] // layer.get("groups", 1) * layer["out"] * positions
    steps = layer.get("timesteps", 1)
    if layer["type"] == "lstm":  # four gates, each of the input and of the state
        return (layer["in"] + layer["out"]) * 4 * layer["out"] * steps
    return layer["in"] * layer["out"] * steps


def layers_by_name(workload):
    """The declared layers by the names that the plan has for them."""
    found = {}
    for layer in workload["layers"]:
        names = [layer["name"]]
        if layer.get("bidirectional", False):
            names = [layer["name"] + end for end in (".fwd", ".bwd")]
        found.update({name: layer for name in names})
    return found


def passes_of(plan, layer):
    """The passes that a layer must have, and how often its MACs occur in each."""
    if plan["mode"] == "inference":
        return {"forward": 1}
    if layer is plan["workload"]["layers"][0] and layer["type"] == "conv":  # no error of an image
        return {"forward": 1, "update": 1}
    if layer["type"] == "matmul":  # no weights: backward makes the errors of both operands
        return {"forward": 1, "backward": 2}
    return {"forward": 1, "backward": 1, "update": 1}


def peak_macs_per_cycle(system):
    array = system["array"]["rows"] * system["array"]["columns"] * system["pe"]["simd_macs"]
    chips = system["system"]["chips_x"] * system["system"]["chips_y"]
    return array * system["chip"]["cores"] * chips


def check_figures(baseline):
    plan = baseline.plan
    result = plan["result"]
    peak = peak_macs_per_cycle(plan["system"])
    declared = layers_by_name(plan["workload"])
    names = [layer["name"] for layer in plan["layers"]]
    baseline.expect(sorted(names) == sorted(declared), f"the plan's layers are {names}")
    cycles = []
    used = 0
    for layer in plan["layers"]:
        passes = passes_of(plan, declared[layer["name"]])
        baseline.expect(set(layer["passes"]) == set(passes),
                        f"{layer['name']}: passes {list(layer['passes'])}")
        for name, one in layer["passes"].items():
            place = f"{layer['name']}, {name}"
            work = passes.get(name, 0) * macs_of(declared[layer["name"]]) * plan["minibatch"]
            cycles.append(one["cycles"]["total"])
            used += work
            baseline.expect(0 <= one["utilization"] <= 1, f"{place}: utilization {one['utilization']}")
            baseline.expect_equal(f"{place}: MACs", one["utilization"] * cycles[-1] * peak, work)
    baseline.expect_equal("cycles of all passes", math.fsum(cycles), result["step_cycles"])
    baseline.expect_equal("seconds", result["step_seconds"],
                          result["step_cycles"] / (plan["system"]["core"]["frequency_GHz"] * 1e9))
    baseline.expect(0 <= result["utilization"] <= 1, f"utilization {result['utilization']}")
    baseline.expect_equal("MACs", result["utilization"] * result["step_cycles"] * peak, used)


def check_score(baseline, program, path):
    output = subprocess.run([program, "score", str(path), "--format", "json"], check=True,
                            capture_output=True, timeout=60)
    scored = json.loads(output.stdout)["result"]
    baseline.expect_equal("cycles by dsm score", scored["step_cycles"],
                          baseline.plan["result"]["step_cycles"])
    parts = math.fsum(scored["cycles"][part] for part in CYCLE_PARTS)
    baseline.expect_equal("the parts of the cycles", parts, scored["step_cycles"])
    memory = scored["memory"]
    total = math.fsum(memory[part] for part in MEMORY_PARTS)
    baseline.expect_equal("the parts of the memory", total, memory["total_bytes"])
    baseline.expect(memory["total_bytes"] <= memory["capacity_bytes"],
                    f"{memory['total_bytes']} bytes in a memory of {memory['capacity_bytes']}")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    complaints = []
    paths = sorted(folder.glob("*.json"))
    for path in paths:
        baseline = Baseline(path)
        check_figures(baseline)
        check_score(baseline, program, path)
        complaints += baseline.complaints
    if not paths:
        complaints.append(f"no baselines in {folder}")
    print("\n".join(complaints) or f"the figures of {len(paths)} baselines make sense")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
