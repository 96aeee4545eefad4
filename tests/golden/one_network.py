#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Has a network one predicted time, however it is written?

Writes a transformer's blocks, a convolution net and an LSTM net in all the ways that the format has:
positions that are stated, inherited, or a convolution of 1 x 1 over them; blocks that repeat, or
layers one by one; defaults stated or left out. Their plans must be equal but for what they are
called. Queries, keys and values of one layer are as many weights and MACs as those of three, and
the attention behind them has the same time, though three layers read their input three times.

Usage: one_network.py DSM_BINARY
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

POSITIONS, HIDDEN, HEADS, BLOCKS = 12, 32, 4, 2
CALLED = {"name", "type", "workload", "dsm_version", "source"}  # what plans may differ in


def network(layers, **top):
    return {"format": "dsm-workload/1", "name": "one", "minibatch": 16, **top, "layers": layers}


def dense(name, inputs, outputs, aux=(), reads=None):
    layer = {"name": name, "type": "fc", "in": inputs, "out": outputs, "aux": list(aux)}
    return {**layer, "inputs": reads} if reads else layer


def block(before, prefix, fused):
    """An encoder layer as fc that have the positions of what they read."""
    called = lambda name: prefix + name
    if fused:
        parts = [dense(called("qkv"), HIDDEN, 3 * HIDDEN, [{"op": "bias"}], [before])]
        reads = [called("qkv")]
    else:
        parts = [dense(called(part), HIDDEN, HIDDEN, [{"op": "bias"}], [before]) for part in "qkv"]
        reads = [called(part) for part in "qkv"]
    attention = {"name": called("attention"), "type": "attention", "heads": HEADS,
                 "head_features": HIDDEN // HEADS, "causal": True, "inputs": reads}
    return parts + [
        attention,
        dense(called("out"), HIDDEN, HIDDEN,
              [{"op": "bias"}, {"op": "dropout"}, {"op": "residual", "from": before},
               {"op": "layer_norm"}]),
        dense(called("gate"), HIDDEN, 2 * HIDDEN,
              [{"op": "rms_norm", "on": "input"}, {"op": "silu"}]),
        dense(called("up"), HIDDEN, 2 * HIDDEN, [{"op": "multiply", "from": called("gate")}],
              [called("out")]),
        dense(called("down"), 2 * HIDDEN, HIDDEN, [{"op": "residual", "from": called("out")}]),
    ]


def transformer(fused=False):
    layers = [{"name": "embed", "type": "embedding", "vocabulary": 100, "out": HIDDEN,
               "positions": POSITIONS}]
    for i in range(BLOCKS):
        layers += block("embed" if i == 0 else f"encoder.{i - 1}.down", f"encoder.{i}.", fused)
    layers.append(dense("head", HIDDEN, 100, [{"op": "cross_entropy"}]))
    return network(layers, input={"features": 1, "feature": [POSITIONS, 1]})


def with_positions(written):
    """All positions stated."""
    written = copy.deepcopy(written)
    for layer in written["layers"]:
        if layer["type"] in ("fc", "attention"):
            layer["positions"] = POSITIONS
    return written


def as_convolutions(written):
    """Each fc a convolution of 1 x 1."""
    written = copy.deepcopy(written)
    for layer in written["layers"]:
        if layer["type"] == "fc":
            layer.update({"type": "conv", "feature": [POSITIONS, 1]})
            layer.pop("positions", None)
    return written


def with_defaults(written):
    """What is the default in any case is stated."""
    written = copy.deepcopy(written)
    for layer in written["layers"]:
        if layer["type"] == "attention":
            layer.update({"kv_heads": HEADS, "value_features": HIDDEN // HEADS,
                          "context": POSITIONS})
    return written


def chain(step, repeat, first, **top):
    """`repeat` layers, each of which reads the one before, one by one and as a block."""
    apart = [first] + [{"name": f"stack.{i}.{step['name']}",
                        **{k: v for k, v in step.items() if k != "name"}} for i in range(repeat)]
    together = [first, {"block": "stack", "repeat": repeat, "layers": [step]}]
    return network(apart, **top), network(together, **top)


CONVOLUTIONS = chain(
    {"name": "conv", "type": "conv", "in": 16, "out": 16, "feature": [14, 14], "kernel": [3, 3],
     "aux": [{"op": "batch_norm"}, {"op": "relu"}]}, 3,
    {"name": "stem", "type": "conv", "in": 3, "out": 16, "feature": [14, 14], "kernel": [3, 3],
     "stride": [2, 2]})
RECURRENT = chain(
    {"name": "cell", "type": "lstm", "in": 32, "out": 32, "timesteps": 8}, 3,
    {"name": "first", "type": "lstm", "in": 24, "out": 32, "timesteps": 8})


def stated_input(written, features, size):
    return {**copy.deepcopy(written), "input": {"features": features, "feature": size}}


WAYS = {
    "transformer": [transformer(), with_positions(transformer()), as_convolutions(transformer()),
                    with_defaults(transformer())],
    "transformer of fused inputs": [transformer(True), with_positions(transformer(True)),
                                    as_convolutions(transformer(True))],
    "convolutions": [*CONVOLUTIONS, stated_input(CONVOLUTIONS[0], 3, [28, 28])],
    "lstm": [*RECURRENT, stated_input(RECURRENT[0], 24, [1, 1])],
}
SYSTEMS = [("chip1", []), ("torus64", []), ("torus64_refined", []),
           ("torus64", ["--set", "system.model.fused_attention=true"]),
           ("torus64", ["--set", "system.model.tile_schedule=true"])]
MODES = ("training", "inference")


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def uncalled(value):
    """A plan without what its parts are called."""
    if isinstance(value, dict):
        return {k: uncalled(v) for k, v in value.items() if k not in CALLED}
    return [uncalled(v) for v in value] if isinstance(value, list) else value


def plan_of(program, folder, written, system, options, mode):
    path = folder / "one.json"
    path.write_text(json.dumps(written))
    arguments = ("explore", str(path), system, "--mode", mode, "--format", "json", *options)
    return json.loads(run(program, *arguments))


def difference(a, b, place="$"):
    """The first place where two values differ, or None."""
    if type(a) is not type(b):
        return f"{place}: {a!r} and {b!r}"
    if isinstance(a, dict):
        if a.keys() != b.keys():
            return f"{place}: {sorted(a.keys() ^ b.keys())}"
        return next(filter(None, (difference(a[k], b[k], f"{place}.{k}") for k in a)), None)
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{place}: {len(a)} and {len(b)}"
        pairs = enumerate(zip(a, b))
        return next(filter(None, (difference(x, y, f"{place}[{i}]") for i, (x, y) in pairs)), None)
    return None if a == b else f"{place}: {a!r} and {b!r}"


def check_ways(program, folder):
    for name, ways in WAYS.items():
        for system, options in SYSTEMS:
            for mode in MODES:
                plans = [uncalled(plan_of(program, folder, way, system, options, mode))
                         for way in ways]
                for i, plan in enumerate(plans[1:], 1):
                    found = difference(plans[0], plan)
                    if found:
                        yield f"{name} on {system} {options}, {mode}, way {i}: {found}"


def attentions(plan):
    return [layer for layer in plan["layers"] if ".attention." in layer["name"]]


def check_fused(program, folder):
    """What one layer of queries, keys and values has in common with three, with one parallelism."""
    options = ["--parallelism", "data"]
    plans = [plan_of(program, folder, transformer(fused), "torus64", options, "inference")
             for fused in (False, True)]
    for key in ("weights_bytes", "cache_bytes"):
        if plans[0]["result"]["memory"].get(key) != plans[1]["result"]["memory"].get(key):
            yield f"fused inputs: memory.{key}"
    if abs(plans[0]["result"]["ideal_cycles"] / plans[1]["result"]["ideal_cycles"] - 1) > 1e-12:
        yield "fused inputs: ideal_cycles"
    found = difference(uncalled(attentions(plans[0])), uncalled(attentions(plans[1])))
    if found:
        yield f"fused inputs: attention: {found}"


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        complaints = list(check_ways(program, folder)) + list(check_fused(program, folder))
    count = sum(len(ways) for ways in WAYS.values())
    print("\n".join(complaints) or f"{count} ways to write {len(WAYS)} networks have one time each")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
