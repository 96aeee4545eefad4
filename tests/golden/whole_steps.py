#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a plan of a transformer's step take what its operations add up to?

Four steps of invented networks on GPUs whose operations are all kernels of their own, all blocks recomputed
(docs/model.md, section 8, "Whole steps by hand"). The times below were added up by hand from the volumes of each
operation, apart from this program. Times of a layer and its all-reduces are compared as they stand; of the step, what
the hand counts and the model does not is added to the model's, each term by its own formula:

- parameters: biases and norms, 13 h a layer, are in gradients and in the optimizer; the model has weights alone;
- issue: 20 kernels of the optimizer;
- head: the backward passes of the last product take twice its forward pass; the model has tiles for each of them;
- lookups: each of the chips that share a vocabulary looks up all positions; the model has those of its rows;
- mean: of stages, each has the mean of all weights, counted once; the model has those of each stage's own layers, the
  tied table in the first and the last;
- tie: those two sum gradients of the whole table on each chip; in the model chips that share samples have summed a part
  each, of all weights of the layer of words.

Usage: whole_steps.py DSM_BINARY [--show]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SYSTEMS = pathlib.Path(__file__).resolve().parents[2] / "systems"
ISSUE, LINK, ONCE = 10e-6, 0.75, ("weight_update", "sum_of_gradients", "broadcast_weights")
NAMES = ("forward", "backward", "recomputed", "all_reduce", "hand_over", "stage", "reduction", "optimizer", "step")


def axis(name, chips, bandwidth, latency, port=1):
    return {"name": name, "chips": chips, "link": "switch", "bandwidth_GBps": bandwidth, "efficiency_ratio": LINK,
            "latency_us": latency, "chips_per_port": port}


# hidden, blocks, heads, positions, vocabulary; samples, micro-batches, chips that share layers, chips that share samples, stages,
# runs of each; the machine, bytes a cycle of its second-level cache, its axes, and the bandwidth of a ring of those that share samples
ROWS = (
    ((4096, 8, 32, 1024, 32000), (8, 2, 1, 1, 1, 1), "dgx_a100", 5120, [axis("gpu", 1, 300, 3.4)], 300,
     (8.228068e-03, 1.603093e-02, 8.228068e-03, 0, 0, 2.814731e-01, 0, 4.050361e-02, 6.034498080e-01)),
    ((4096, 8, 32, 1024, 32000), (16, 4, 4, 2, 1, 1), "dgx_a100", 5120,
     [axis("gpu", 4, 300, 3.4), axis("half", 2, 300, 3.4)], 300,
     (1.169627e-03, 2.289825e-03, 1.450924e-03, 1.406481e-04, 0, 4.761203e-02, 3.895878e-03, 1.027590e-02, 2.046198953e-01)),
    ((5120, 16, 40, 1024, 32000), (64, 32, 8, 2, 4, 2), "dgx_a100", 5120,
     [axis("gpu", 8, 300, 3.4), axis("node", 8, 25, 9.6)], 25,
     (4.751976e-04, 9.327482e-04, 7.503094e-04, 1.375559e-04, 1.202830e-04, 1.240081e-02, 1.737198e-02, 3.952786e-03,
      4.456039345e-01)),
    ((2048, 12, 16, 1024, 32000), (64, 2, 1, 16, 1, 1), "v100", 2048,
     [axis("gpu", 8, 150, 3.4), axis("node", 2, 6.25, 9.6, 8)], 50,
     (2.989886e-03, 5.755076e-03, 2.989886e-03, 0, 0, 1.566591e-01, 6.731604e-02, 3.533372e-02, 4.159679807e-01)),
)


def machine(name, cache_bytes, axes):
    frequency = {"dgx_a100": 1.41, "v100": 1.53}[name]
    return {"format": "dsm-system/1", "name": name, "base": str(SYSTEMS / f"{name}.json"),
            "core": {"operation_overhead_us": 0, "kernel_floor_us": 0, "issue_us": ISSUE * 1e6},
            "chip": {"core_link_bandwidth_GBps": cache_bytes * frequency,
                     "memory": {"efficiency_ratio": 0.85, "auxiliary_efficiency_ratio": 0.85}},
            "model": {"fused_attention": False, "sharded_update": False, "relu_mask_bytes": 0, "accumulate_memory_bytes": 6,
                      "overlapped_reduction": False},
            "system": {"axes": [dict(one, protocols=False) for one in axes]}}


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
    _, micro_batches, shared, _, stages, runs = step
    inputs = [folder / "network.json", folder / "system.json"]
    for path, content in zip(inputs, (workload, system)):
        path.write_text(json.dumps(content))
    outer = system["system"]["axes"][-1]["name"]
    roles = f"gpu=column,gpu=row,gpu=heads,{outer}=data" if shared > 1 else "data"
    optimize = ["accumulate", "recompute"] + ["tensor"] * (shared > 1) + ["stages"] * (stages > 1)
    call = [program, "explore", *inputs, "--optimize", ",".join(optimize), "--micro-batches", str(micro_batches),
            "--recompute", "full", "--parallelism", roles, "--format", "json"]
    call += ["--stages", str(stages), "--interleave", str(runs)] if stages > 1 else []
    plan = json.loads(subprocess.run(call, capture_output=True, check=True, timeout=600).stdout)
    for layer in plan["layers"]:
        assert layer.get("recompute", False) == layer["name"].startswith("block"), layer["name"]
    if stages > 1:
        blocks = workload["layers"][1]["repeat"] // stages // runs
        plan["stages"]["first_layers"] = ["words"] + [f"block.{blocks * run}.qkv" for run in range(1, stages * runs)]
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    call = [program, "score", path, "--format", "json"]
    return json.loads(subprocess.run(call, capture_output=True, check=True, timeout=600).stdout)


def stages_of(plan, stages):
    """The passes of each stage, with the number of stages in place of the share that a plan charges them."""
    firsts, found, run = plan["stages"]["first_layers"] if stages > 1 else [plan["layers"][0]["name"]], [], -1
    hertz = plan["system"]["core"]["frequency_GHz"] * 1e9 / stages
    for layer in plan["layers"]:
        run += layer["name"] in firsts
        for name, one in layer["passes"].items():
            groups = {key: value / hertz for key, value in one["groups"].items()}
            found.append((run % stages, layer["name"], name, one["cycles"]["total"] / hertz, groups))
    return found


def times(plan, step):
    """The columns as the model has them, in seconds; the times of a stage include adding up gradients. The largest stage
    is the last; reduction and optimizer are those of one without words."""
    _, micro_batches, chips, _, stages, runs = step
    passes, middle = stages_of(plan, stages), 1 if stages > 1 else 0

    def added(value, is_asked):
        return sum(value(name, total, groups) for stage, layer, name, total, groups in passes if is_asked(stage, layer))

    def repeated(name, total, groups):
        return total - sum(groups.get(one, 0) for one in (*ONCE, "bubble"))
    again = lambda name, total, groups: groups.get("recompute", 0)
    between = lambda name, total, groups: groups.get("collective", 0)
    handed = lambda name, total, groups: groups.get("hand_over", 0)
    made = lambda *one: repeated(*one) - between(*one) if one[0] == "forward" else 0
    back = lambda *one: 0 if one[0] == "forward" else repeated(*one) - again(*one) - between(*one)
    of_block = lambda stage, layer: layer.startswith("block.0.")
    of_largest = lambda stage, layer: stage == stages - 1
    of_middle = lambda stage, layer: stage == middle

    def adding(is_asked):
        """Of gradients, a part of the traffic of the update."""
        updating = added(lambda name, total, groups: groups.get("weight_update", 0), is_asked)
        return updating, 6 * updating / (40 + 6 * micro_batches)
    updating, added_middle = adding(of_middle)
    hand_over = added(handed, of_middle) / micro_batches / 2 / runs
    return {"forward": added(made, of_block) / micro_batches, "backward": added(back, of_block) / micro_batches,
            "recomputed": added(again, of_block) / micro_batches,
            "all_reduce": added(between, of_block) / micro_batches / 4 if chips > 1 else 0, "hand_over": hand_over,
            "stage": added(repeated, of_largest) / micro_batches + adding(of_largest)[1] - 2 * (runs - 1) * hand_over,
            "reduction": added(lambda name, total, groups: groups.get("sum_of_gradients", 0), of_middle),
            "optimizer": updating - added_middle * micro_batches, "step": plan["result"]["step_seconds"]}


def memory_rate(plan):
    memory = plan["system"]["chip"]["memory"]
    return memory["bandwidth_GBps"] * 1e9 * memory["auxiliary_efficiency_ratio"]


def degrees_are_right(plan, step):
    """Those of the plan in the field's words are the row's; without chips that share layers or stages it has none."""
    _, micro_batches, chips, shares, stages, runs = step
    summary = plan.get("parallelism_summary")
    if chips == stages == 1:
        return summary is None
    found = [(summary[key]["least"], summary[key]["most"]) for key in ("tensor", "data", "pipeline", "zero")]
    return (found == [(chips, chips), (shares, shares), (stages, stages), (0, 0)] and
            [summary[key] for key in ("interleave", "recompute", "micro_batches")] == [runs, "full", micro_batches])


def beside(plan, size, step, bandwidth):
    """What is counted by hand and not by the model, in seconds."""
    hidden, blocks, _, positions, vocabulary = size
    samples, micro_batches, chips, shares, stages, runs = step
    rate = memory_rate(plan)
    table, learned = vocabulary * hidden / chips, positions * hidden / chips
    of_blocks = 12 * hidden * hidden * blocks / stages / chips
    mean = of_blocks + (13 * hidden * blocks / chips + table + learned) / stages
    parameters = [mean - of_blocks for _ in range(stages)]  # beside those that the model has
    parameters[0] -= table + learned
    parameters[-1] -= table if stages > 1 else 0
    head = {name: one["cycles"]["primary"] * stages for name, one in plan["layers"][-1]["passes"].items()}
    head_cycles = 2 * head["forward"] - head["backward"] - head["update"]
    hidden_bytes = 2 * samples / micro_batches / shares * positions * hidden
    of_stages = [6 * one / rate for one in parameters]
    of_stages[0] += 4 * hidden_bytes * (1 - 1 / chips) / rate
    of_stages[-1] += head_cycles / micro_batches / plan["system"]["core"]["frequency_GHz"] / 1e9

    def reduced(of):
        return 2 * (shares - 1) / shares * of * 2 / (bandwidth * 1e9 * LINK)

    def updated(of):
        return 40 * of / rate + 20 * ISSUE
    middle = parameters[1] if stages > 1 else parameters[0]
    tie = (table - (table + learned) / shares) * 2 / (bandwidth * 1e9 * LINK) if stages > 1 else 0
    return {"stage": of_stages[-1], "reduction": reduced(middle), "optimizer": updated(middle),
            "step": (micro_batches * of_stages[-1] + sum(of_stages[:-1]) / runs + reduced(parameters[0]) +
                     updated(parameters[0]) + tie)}


def main():
    program, failures = sys.argv[1], 0
    for size, step, name, cache_bytes, axes, bandwidth, by_hand in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            plan = scored(program, network(*size, step[0]), machine(name, cache_bytes, axes), step, pathlib.Path(folder))
        if not degrees_are_right(plan, step):
            failures += 1
            print(f"{name} {step}: {plan.get('parallelism_summary')}")
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
