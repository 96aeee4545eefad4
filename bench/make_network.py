#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a large network in the format dsm-workload/1, to see how dsm scales.

Usage: make_network.py residual LAYERS
       make_network.py transformer BLOCKS [--width N] [--positions N] [--positions-as-samples]
       make_network.py convolutions LAYERS
       each with --output FILE; without it, to standard output

residual     A residual network of bottleneck blocks in four stages, as ResNet-50 but deeper: one or
             more convolutions at the beginning, 3 layers a block, a projection at the head of each
             stage, one fully connected layer. It has exactly LAYERS layers (at least 20).
transformer  BLOCKS blocks of eight layers, each normalised after its addition: the three projections
             of the attention, scores and context (products of two activations), the projection with
             its residual, and two fully connected layers, the first with gelu, the second with its
             residual. Scores are those of one head of the whole width, which has the operations of
             many smaller ones. Positions are timesteps; with --positions-as-samples each is a sample
             of its own, so that layers have one timestep and can hold features on chip.
convolutions A chain of LAYERS convolutions of which no two are alike: 64 features, 8 more after each.
"""
import argparse
import json
import sys

MINIBATCH = 4096
STAGE_COUNT = 4
FIRST_WIDTH = 64
FIRST_SIDE = 56
EXPANSION = 4


# ---- residual ----

def conv(name, producer, features, side, *aux, kernel=1, stride=1):
    layer = {"name": name, "type": "conv", "inputs": [producer], "in": features[0],
             "out": features[1], "feature": [side, side], "kernel": [kernel, kernel],
             "stride": [stride, stride]}
    layer["aux"] = [{"op": "batch_norm"}, *aux]
    return layer


def bottleneck(name, producer, width, features, side, stride):
    """A block, with a projection on its shortcut where the shortcut changes its shape."""
    relu = {"op": "relu"}
    out = EXPANSION * width
    shortcut, layers = producer, []
    if features != out or stride != 1:
        shortcut = f"{name}_proj"
        layers.append(conv(shortcut, producer, (features, out), side, stride=stride))
    layers.append(conv(f"{name}_reduce", producer, (features, width), side, relu, stride=stride))
    layers.append(conv(f"{name}_3x3", f"{name}_reduce", (width, width), side, relu, kernel=3))
    layers.append(conv(f"{name}_expand", f"{name}_3x3", (width, out), side,
                       {"op": "residual", "from": shortcut}, relu))
    return layers


def residual(layer_count):
    """Convolutions at the beginning make up for what blocks of three leave of the number."""
    block_count, rest = divmod(layer_count - STAGE_COUNT - 1, 3)
    if rest == 0:
        block_count, rest = block_count - 1, 3
    if block_count < STAGE_COUNT:
        raise ValueError("too few layers for four stages")
    relu, pool = {"op": "relu"}, {"op": "max_pool", "window": [3, 3], "stride": [2, 2]}
    layers = []
    for i in range(rest):
        is_last = i == rest - 1
        layers.append(conv(f"begin{i + 1}", f"begin{i}" if i else "@input",
                           (FIRST_WIDTH if i else 3, FIRST_WIDTH), 2 * FIRST_SIDE, relu,
                           *([pool] if is_last else []), kernel=3 if i else 7,
                           stride=1 if i else 2))
    features, side = FIRST_WIDTH, FIRST_SIDE
    for stage in range(STAGE_COUNT):
        width = FIRST_WIDTH << stage
        stage_blocks = block_count * (stage + 1) // STAGE_COUNT - block_count * stage // STAGE_COUNT
        for block in range(stage_blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            side //= stride
            layers += bottleneck(f"stage{stage + 1}_{block + 1}", layers[-1]["name"], width,
                                 features, side, stride)
            features = EXPANSION * width
    layers[-1]["aux"].append({"op": "avg_pool", "window": [side, side]})
    layers.append({"name": "fc", "type": "fc", "in": features, "out": 1000,
                   "aux": [{"op": "bias"}, {"op": "softmax"}]})
    return layers


# ---- transformer ----

def fc(name, producer, features, *aux):
    return {"name": name, "type": "fc", "inputs": [producer], "in": features[0],
            "out": features[1], "aux": [{"op": "bias"}, *aux]}


def matmul(name, producer, features, operand, operand_elements, *aux):
    return {"name": name, "type": "matmul", "inputs": [producer], "in": features[0],
            "out": features[1], "operand": operand, "operand_elements": operand_elements,
            "aux": list(aux)}


def block(name, producer, width, positions):
    norm = {"op": "layer_norm"}

    def added(source):
        return {"op": "residual", "from": source}

    elements = width * positions
    return [
        *(fc(f"{name}_{part}", producer, (width, width)) for part in ("query", "key", "value")),
        matmul(f"{name}_scores", f"{name}_query", (width, positions), f"{name}_key", elements,
               {"op": "softmax"}),
        matmul(f"{name}_context", f"{name}_scores", (positions, width), f"{name}_value", elements),
        fc(f"{name}_project", f"{name}_context", (width, width), added(producer), norm),
        fc(f"{name}_widen", f"{name}_project", (width, 4 * width), {"op": "gelu"}),
        fc(f"{name}_narrow", f"{name}_widen", (4 * width, width), added(f"{name}_project"), norm),
    ]


def transformer(block_count, width, positions, are_samples):
    """An embedding that is there already is the network's input; a layer that passes it on gives the
    first residual something to add."""
    layers = [fc("embed", "@input", (width, width))]
    for i in range(block_count):
        layers += block(f"block{i + 1}", layers[-1]["name"], width, positions)
    for layer in layers:
        if not are_samples:
            layer["timesteps"] = positions
    return layers


def convolutions(layer_count):
    return [{"name": f"conv{i + 1}", "type": "conv", "in": 64 + 8 * i, "out": 72 + 8 * i,
             "feature": [FIRST_SIDE, FIRST_SIDE], "kernel": [3, 3], "aux": [{"op": "relu"}]}
            for i in range(layer_count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("residual", "transformer", "convolutions"))
    parser.add_argument("count", type=int, metavar="LAYERS|BLOCKS")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--positions", type=int, default=512)
    parser.add_argument("--positions-as-samples", action="store_true")
    parser.add_argument("--output", help="file; standard output if not given")
    options = parser.parse_args()
    if options.kind == "residual":
        layers = residual(options.count)
    elif options.kind == "convolutions":
        layers = convolutions(options.count)
    else:
        layers = transformer(options.count, options.width, options.positions,
                             options.positions_as_samples)
    text = json.dumps({"format": "dsm-workload/1", "name": f"{options.kind}{options.count}",
                       "source": f"made by bench/make_network.py {options.kind} {options.count}",
                       "minibatch": MINIBATCH, "layers": layers}, indent=1) + "\n"
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
