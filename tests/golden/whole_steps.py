#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a plan of a transformer's step take what its operations add up to?

Three steps of invented networks on GPUs whose operations are all kernels of their own, all blocks recomputed
(docs/model.md, section 8, "Whole steps by hand"). The times below were added up by hand from the volumes of each
operation, apart from this program. Times of a layer and its all-reduces are compared as they stand; of the step, what
the hand counts and the model does not is added to the model's, each term by its own formula:

- parameters: biases and norms, 13 h a layer, are in gradients and in the optimizer; the model has weights alone;
- issue: 20 kernels of the optimizer;
- head: the backward passes of the last product take twice its forward pass; the model has tiles for each of them;
- lookups: each of the chips that share a vocabulary looks up all positions; the model has those of its rows.

Usage: whole_steps.py DSM_BINARY [--show]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SYSTEMS = pathlib.Path(__file__).resolve().parents[2] / "systems"
ISSUE, LINK, ONCE = 10e-6, 0.75, ("weight_update", "sum_of_gradients", "broadcast_weights")
NAMES = ("forward", "backward", "recomputed", "all_reduce", "stage", "reduction", "optimizer", "step")


def axis(name, chips, bandwidth, latency, port=1):
    return {"name": name, "chips": chips, "link": "switch", "bandwidth_GBps": bandwidth, "efficiency_ratio": LINK,
            "latency_us": latency, "chips_per_port": port}


# hidden, blocks, heads, positions, vocabulary; samples, micro-batches, chips that share layers, chips that share samples; the
# machine, bytes a cycle of its second-level cache, its axes, and the bandwidth of a ring of those that share samples
ROWS = (
    ((4096, 8, 32, 1024, 32000), (8, 2, 1, 1), "dgx_a100", 5120, [axis("gpu", 1, 300, 3.4)], 300,
     (8.228068e-03, 1.603093e-02, 8.228068e-03, 0, 2.814731e-01, 0, 4.050361e-02, 6.034498080e-01)),
    ((4096, 8, 32, 1024, 32000), (16, 4, 4, 2), "dgx_a100", 5120,
     [axis("gpu", 4, 300, 3.4), axis("half", 2, 300, 3.4)], 300,
     (1.169627e-03, 2.289825e-03, 1.450924e-03, 1.406481e-04, 4.761203e-02, 3.895878e-03, 1.027590e-02, 2.046198953e-01)),
    ((2048, 12, 16, 1024, 32000), (64, 2, 1, 16), "dgx1_v100", 2048,
     [axis("gpu", 8, 150, 3.4), axis("node", 2, 6.25, 9.6, 8)], 50,
     (2.989886e-03, 5.755076e-03, 2.989886e-03, 0, 1.566591e-01, 6.731604e-02, 3.533372e-02, 4.159679807e-01)),
)


def machine(name, cache_bytes, axes):
    system = json.loads((SYSTEMS / f"{name}.json").read_text())
    del system["notes"]
    system["core"].update(operation_overhead_us=0, issue_us=ISSUE * 1e6)
    system["chip"]["core_link_bandwidth_GBps"] = cache_bytes * system["core"]["frequency_GHz"]
    system["chip"]["memory"].update(efficiency_ratio=0.85, auxiliary_efficiency_ratio=0.85)
    system["model"].update(fused_attention=False, sharded_update=False, relu_mask_bytes=0, accumulate_memory_bytes=6)
    system["system"]["axes"] = axes
    return system


def network(hidden, blocks, heads, positions, vocabulary, samples):
    def dense(name, inputs, outputs, *aux, **more):
        return {"name": name, "type": "fc", "in": inputs, "out": outputs, **more,
                "aux": [one if isinstance(one, dict) else {"op": one} for one in aux]}
    norm = {"op": "layer_norm", "on": "input"}
    layers = [
        dense("qkv", hidden, 3 * hidden, norm, "bias", "split"),
        {"name": "attention", "type": "attention", "heads": heads, "head_features": hidden // heads, "dropout": True,
         "aux": [{"op": "copy"}]},
        dense("project", hidden, hidden, "bias", "dropout", {"op": "residual", "from": "@before"}),
        dense("up", hidden, 4 * hidden, norm, "bias", "gelu"),
        dense("down", 4 * hidden, hidden, "bias", "dropout", {"op": "residual", "from": "project"})]
    words = {"name": "words", "type": "embedding", "vocabulary": vocabulary, "out": hidden, "positions": positions,
             "learned_positions": True}
    return {"format": "dsm-workload/1", "name": "steps", "minibatch": samples, "element_bytes": 2, "gradient_bytes": 2,
            "optimizer": "adam_mixed",
            "layers": [words, {"block": "block", "repeat": blocks, "layers": layers},
                       dense("head", hidden, vocabulary, "cross_entropy", tied_to="words")]}


def scored(program, workload, system, step, folder):
    """The plan with column, heads and row in each block, all of it recomputed, as score predicts it."""
    micro_batches, shared = step[1], step[2] > 1
    inputs = [folder / "network.json", folder / "system.json"]
    for path, content in zip(inputs, (workload, system)):
        path.write_text(json.dumps(content))
    roles = "gpu=column,gpu=row,gpu=heads,half=data" if shared else "data"
    call = [program, "explore", *inputs, "--optimize", "accumulate" + (",tensor" if shared else ""), "--micro-batches",
            str(micro_batches), "--parallelism", roles, "--format", "json"]
    plan = json.loads(subprocess.run(call, capture_output=True, check=True, timeout=600).stdout)
    plan["optimizations"].append("recompute")
    for layer in plan["layers"]:
        layer["recompute"] = layer["name"].startswith("block")
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    call = [program, "score", path, "--format", "json"]
    return json.loads(subprocess.run(call, capture_output=True, check=True, timeout=600).stdout)


def times(plan, step):
    """The columns as the model has them, in seconds; the times of a stage include adding up gradients."""
    hertz = plan["system"]["core"]["frequency_GHz"] * 1e9
    micro_batches, chips = step[1], step[2]
    passes = [(layer["name"].startswith("block.0."), name, one["cycles"]["total"], one["groups"])
              for layer in plan["layers"] for name, one in layer["passes"].items()]

    def added(value, of_block):
        return sum(value(name, total, groups) for is_first, name, total, groups in passes
                   if is_first or not of_block) / hertz

    def repeated(name, total, groups):
        return total - sum(groups.get(one, 0) for one in ONCE)
    again = lambda name, total, groups: groups.get("recompute", 0)
    between = lambda name, total, groups: groups.get("collective", 0)
    made = lambda name, total, groups: total - between(name, total, groups) if name == "forward" else 0
    back = lambda *one: 0 if one[0] == "forward" else repeated(*one) - again(*one) - between(*one)
    updating = added(lambda name, total, groups: groups.get("weight_update", 0), False)
    weights = updating * memory_rate(plan) / (40 + 6 * micro_batches)
    adding = 6 * weights / memory_rate(plan)
    reduction = added(lambda name, total, groups: groups.get("sum_of_gradients", 0), False)
    return {"forward": added(made, True) / micro_batches, "backward": added(back, True) / micro_batches,
            "recomputed": added(again, True) / micro_batches,
            "all_reduce": added(between, True) / micro_batches / 4 if chips > 1 else 0,
            "stage": added(repeated, False) / micro_batches + adding, "reduction": reduction,
            "optimizer": updating - adding * micro_batches, "step": plan["result"]["step_seconds"]}


def memory_rate(plan):
    memory = plan["system"]["chip"]["memory"]
    return memory["bandwidth_GBps"] * 1e9 * memory["auxiliary_efficiency_ratio"]


def beside(plan, size, step, bandwidth):
    """What is counted by hand and not by the model, in seconds."""
    hidden, blocks, _, positions, _ = size
    samples, micro_batches, chips, shares = step
    rate = memory_rate(plan)
    parameters = 13 * hidden * blocks / chips
    head = {name: one["cycles"]["primary"] for name, one in plan["layers"][-1]["passes"].items()}
    head_cycles = 2 * head["forward"] - head["backward"] - head["update"]
    hidden_bytes = 2 * samples / micro_batches / shares * positions * hidden
    lookups = 4 * hidden_bytes * (1 - 1 / chips) / rate
    stage = (6 * parameters / rate + head_cycles / micro_batches / plan["system"]["core"]["frequency_GHz"] / 1e9 + lookups)
    reduction = 2 * (shares - 1) / shares * parameters * 2 / (bandwidth * 1e9 * LINK)
    optimizer = 40 * parameters / rate + 20 * ISSUE
    return {"stage": stage, "reduction": reduction, "optimizer": optimizer,
            "step": micro_batches * stage + reduction + optimizer}


def main():
    program, failures = sys.argv[1], 0
    for size, step, name, cache_bytes, axes, bandwidth, by_hand in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            plan = scored(program, network(*size, step[0]), machine(name, cache_bytes, axes), step, pathlib.Path(folder))
        found, more = times(plan, step), beside(plan, size, step, bandwidth)
        for what, expected in zip(NAMES, by_hand):
            full = found[what] + more.get(what, 0)
            is_good = abs(full - expected) <= 1e-6 * expected
            failures += not is_good
            if "--show" in sys.argv or not is_good:
                print(f"{name} {step}: {what}: {found[what]:.6e} + {more.get(what, 0):.6e} = {full:.6e}, by hand {expected:.6e}"
                      f"{'' if is_good else ': NOT EQUAL'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
