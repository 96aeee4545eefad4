#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A network has one plan, with its layers listed one by one or in blocks.

Bundled networks are rewritten here with blocks and parameters, and must have the plan that they have as they are, but
for the names of layers. A list of layers takes as long as its layers alone. A network of 96 blocks is read in a moment.

Usage: test_blocks.py DSM SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time


def explore(dsm, folder, workload, system, *options):
    path = folder / "net.json"
    path.write_text(json.dumps(workload))
    run = subprocess.run([dsm, "explore", path, system, "--format", "json", *options], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"explore {workload['name']}: {run.stderr}")
    return json.loads(run.stdout)


def renamed(value, names):
    """The value with other names of layers, alone or as the first and the last of a group."""
    if isinstance(value, list):
        return [renamed(inner, names) for inner in value]
    if isinstance(value, dict):
        return {key: renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, str):
        return "..".join(names.get(part, part) for part in value.split(".."))
    return value


def without(plan):
    return {key: value for key, value in plan.items() if key not in ("search", "workload")}


def of_block(layer, part, before, own):
    """A layer of a first repetition as one of all: names in it are its parts, what came before is @before."""
    text = {**layer, "name": part}
    for aux in text.get("aux", []):
        if aux.get("from") is not None:
            aux["from"] = "@before" if aux["from"] == before else own[aux["from"]]
    return text


def resnet50_of_blocks(layers):
    """Each stage but the last, which pools at its end: the first bottleneck as it is, the others as a block. Gives new
    layers, and new names by old ones."""
    made, names, at = [], {}, 0
    while at < len(layers):
        stage, _, rest = layers[at]["name"].partition("_")
        number, _, part = rest.partition("_")
        if number != "2" or part != "reduce" or stage == "conv5":
            made.append(layers[at])
            at += 1
            continue
        repeat = sum(layer["name"].startswith(f"{stage}_") and layer["name"].endswith("_reduce") for layer in layers) - 1
        parts = [layer["name"].split("_")[2] for layer in layers[at:at + 3]]
        own = {f"{stage}_2_{name}": name for name in parts}
        inner = [of_block(json.loads(json.dumps(layer)), name, f"{stage}_1_expand", own)
                 for layer, name in zip(layers[at:at + 3], parts)]
        made.append({"block": f"{stage}_rest", "repeat": repeat, "layers": inner})
        for i in range(repeat):
            names.update({f"{stage}_{i + 2}_{name}": f"{stage}_rest.{i}.{name}" for name in parts})
        at += 3 * repeat
    for layer in made:
        if "inputs" in layer: # the next stage reads the last repetition of a block by its name
            layer["inputs"] = [names.get(name, name).partition(".")[0] for name in layer["inputs"]]
    return made, names


def gnmt_of_blocks(layers):
    """Encoder and decoder: the six upper lstm of each as a block."""
    made, names, skipped = [], {}, set()
    for layer in layers:
        name = layer["name"]
        if name in skipped:
            continue
        if name in ("enc2", "dec2"):
            skipped |= {f"{name[:3]}{i}" for i in range(3, 8)}
            inner = of_block(json.loads(json.dumps(layer)), "lstm", f"{name[:3]}1", {})
            made.append({"block": f"{name[:3]}_rest", "repeat": "=upper", "layers": [{**inner, "in": "=hidden"}]})
            names.update({f"{name[:3]}{i + 2}": f"{name[:3]}_rest.{i}.lstm" for i in range(6)})
        else:
            if layer.get("operand") == "enc7":
                layer = {**layer, "operand": "enc_rest"}
            made.append(layer)
    return made, names


def check_same_plan(dsm, source, folder, name, rewrite, more, *options):
    whole = json.loads((source / "workloads" / f"{name}.json").read_text())
    layers, names = rewrite(json.loads(json.dumps(whole["layers"])))
    blocks = {**whole, **more, "layers": layers}
    if not any("block" in layer for layer in layers) or not names:
        sys.exit(f"{name}: no block was made")
    plain = explore(dsm, folder, whole, "torus64", *options)
    short = explore(dsm, folder, blocks, "torus64", *options)
    if renamed(without(plain), names) != without(short):
        sys.exit(f"{name} {options}: the plan of blocks differs")
    if renamed(plain["workload"], names)["layers"] != short["workload"]["layers"]:
        sys.exit(f"{name}: the workload of blocks differs")


LIST = [
    {"name": "qkv", "type": "fc", "in": 1024, "out": 3072},
    {"name": "conv", "type": "conv", "in": 3, "out": 64, "feature": [112, 112], "kernel": [7, 7], "stride": [2, 2],
     "padding": [3, 3], "input_feature": [224, 224], "aux": [{"op": "relu"}]},
    {"name": "shortcut", "type": "conv", "in": 64, "out": 64, "feature": [56, 56], "kernel": [3, 3],
     "aux": [{"op": "residual", "from": "@input"}]},
    {"name": "score", "type": "matmul", "in": 64, "out": 512, "operand": "@input", "operand_elements": 32768},
    {"block": "cells", "repeat": 2, "layers": [{"name": "cell", "type": "lstm", "in": 64, "out": 128, "timesteps": 5}]}]


def check_list(dsm, folder, system, *options):
    """Layers of a list have nothing to do with each other: together they take as long as each alone, and the memory of
    the largest beside all weights."""
    def plan_of(layers):
        return explore(dsm, folder, {"format": "dsm-workload/1", "name": "list", "minibatch": 64, "connected": False,
                                     "layers": layers}, system, *options)
    whole = plan_of(LIST)
    alone = [plan_of([layer]) for layer in LIST]
    cycles = sum(plan["result"]["step_cycles"] for plan in alone)
    if abs(whole["result"]["step_cycles"] / cycles - 1) > 1e-9:
        sys.exit(f"list on {system}: {whole['result']['step_cycles']} cycles, alone {cycles}")
    memory = [plan["result"]["memory"] for plan in [whole, *alone]]
    for key in ("errors_bytes", "activations_bytes"):
        if memory[0][key] > max(each[key] for each in memory[1:]):
            sys.exit(f"list on {system}: {key}")
    if any(layer["on_chip"]["output"] for layer in whole["layers"] if "on_chip" in layer):
        sys.exit(f"list on {system}: an output is held")
    again = folder / "plan.json"
    again.write_text(json.dumps(whole))
    if subprocess.run([dsm, "score", again, "-q"], capture_output=True).returncode != 0:
        sys.exit(f"list on {system}: its plan is not read again")


def check_time(dsm, folder):
    """96 blocks of a transformer's fully connected layers."""
    hidden = "=hidden"
    block = {"block": "block", "repeat": 96, "layers": [
        {"name": "qkv", "type": "fc", "in": hidden, "out": "=3*hidden"},
        {"name": "proj", "type": "fc", "in": "=3*hidden", "out": hidden, "aux": [{"op": "residual", "from": "@before"}]},
        {"name": "ff1", "type": "fc", "in": hidden, "out": "=4*hidden", "aux": [{"op": "gelu"}]},
        {"name": "ff2", "type": "fc", "in": "=4*hidden", "out": hidden, "aux": [{"op": "residual", "from": "proj"}]}]}
    path = folder / "large.json"
    path.write_text(json.dumps({"format": "dsm-workload/1", "name": "large", "minibatch": 8,
                                "parameters": {"hidden": 12288}, "layers": [
                                    {"name": "in", "type": "fc", "in": 64, "out": hidden}, block]}))
    start = time.monotonic()
    subprocess.run([dsm, "validate", path], check=True, capture_output=True)
    took = time.monotonic() - start
    if took > 1:  # some milliseconds, and much more under sanitizers and load
        sys.exit(f"96 blocks: read in {took:.2f} s")


def main():
    dsm, source = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for options in ((), ("--mode", "inference")):
            check_same_plan(dsm, source, folder, "resnet50", resnet50_of_blocks, {}, *options)
        check_same_plan(dsm, source, folder, "gnmt", gnmt_of_blocks, {"parameters": {"upper": 6, "hidden": 1024}})
        for system in ("chip1", "torus64"):
            for options in ((), ("--mode", "inference"), ("--optimize", "all")):
                check_list(dsm, folder, system, *options)
        check_time(dsm, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
