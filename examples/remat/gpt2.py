#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the blocks of a GPT-2 as a chain of stages (format dsm-stages/1) for `dsm remat`.

The blocks are those of Radford et al., "Language Models are Unsupervised Multitask Learners" (2019): medium has 24 of
width 1,024 and 16 heads, large 36 of width 1,280 and 20 heads, both 1,024 positions. Numbers are of 4 bytes, masks of
dropout of 1 byte. A product takes its multiplications and additions over a speed, all else the bytes that it reads and
writes over a bandwidth: 13.3 TFLOP/s and 720 GB/s are what a V100 sustains of its peaks of 15.7 and 900 (NVIDIA,
"Tesla V100 GPU architecture", 2017) at 85 and 80 %. Backward passes of products take twice the forward pass; others
read the error and what they need, and write an error.

Usage: gpt2.py medium|large [--batch N]
"""
import argparse
import json

FLOPS, BYTES_PER_SECOND, NUMBER, MASK, POSITIONS = 13.3e12, 720e9, 4, 1, 1024
SIZES = {"medium": (24, 1024, 16), "large": (36, 1280, 20)}


def product(flops):
    """Seconds forward and backward of a product of matrices: backward makes two errors, of both factors."""
    return flops / FLOPS, 2 * flops / FLOPS


def moved(forward, backward):
    """Seconds of what only moves bytes."""
    return forward / BYTES_PER_SECOND, backward / BYTES_PER_SECOND


def both(*parts):
    """Seconds forward and backward of one after the other."""
    return tuple(sum(each) for each in zip(*parts))


def operation(name, seconds, numbers, inputs, needs, mask=0):
    """An operation that makes numbers, with a mask beside them that has no error."""
    forward, backward = seconds
    made = {"name": name, "forward_seconds": float(f"{forward:.6g}"), "backward_seconds": float(f"{backward:.6g}"),
            "bytes": numbers * NUMBER + mask}
    if mask:
        made["error_bytes"] = numbers * NUMBER
    return {**made, "inputs": inputs, "backward_needs": needs}


def block(batch, width, heads):
    rows = batch * POSITIONS
    activation, scores = rows * width, batch * heads * POSITIONS * POSITIONS
    move = activation * NUMBER
    attention = 2 * rows * POSITIONS * width
    def residual(name, depth, before):
        """A product, dropout with a mask of its own, and the sum with what stood before it."""
        seconds = both(product(2 * rows * depth * width), moved(3 * move + activation * MASK, 2 * move + activation * MASK))
        return lambda source: [
            operation(f"{name}_mask", moved(activation * MASK, 0), 0, [], [], activation * MASK),
            operation(name, seconds, activation, [source, f"{name}_mask", before], [source, f"{name}_mask"])]

    return [
        operation("ln1", moved(2 * move, 3 * move), activation, ["input"], []),
        operation("qkv", product(2 * rows * width * 3 * width), 3 * activation, ["ln1"], ["ln1"]),
        operation("softmax", both(product(attention), moved(2 * scores * NUMBER, 3 * scores * NUMBER)), scores, ["qkv"],
                  ["qkv", "softmax"]),
        operation("dropout", moved(scores * (2 * NUMBER + MASK), scores * (2 * NUMBER + MASK)), scores, ["softmax"],
                  ["dropout"], scores * MASK),
        operation("attention", product(attention), activation, ["dropout", "qkv"], ["dropout", "qkv"]),
        *residual("residual1", width, "input")("attention"),
        operation("ln2", moved(2 * move, 3 * move), activation, ["residual1"], ["residual1"]),
        operation("fc1", product(2 * rows * width * 4 * width), 4 * activation, ["ln2"], ["ln2"]),
        operation("gelu", moved(8 * move, 12 * move), 4 * activation, ["fc1"], ["fc1"]),
        *residual("residual2", 4 * width, "residual1")("gelu"),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("--batch", type=int, default=4)
    asked = parser.parse_args()
    blocks, width, heads = SIZES[asked.size]
    chain = {
        "//": f"GPT-2 {asked.size}: {blocks} blocks, in a step of {asked.batch} samples",
        "format": "dsm-stages/1", "name": f"gpt2_{asked.size}_blocks",
        "source": f"Blocks of {POSITIONS:,} positions: Radford et al. 2019. Times: 13.3 TFLOP/s and 720 GB/s of a V100, as "
                  "examples/remat/gpt2.py says, which made this.",
        "minibatch": asked.batch,
        "input_bytes": asked.batch * POSITIONS * width * NUMBER,
        "input_error_bytes": asked.batch * POSITIONS * width * NUMBER,
        "stages": [{"name": "block", "count": blocks, "operations": block(asked.batch, width, heads)}],
    }
    head, stages = ({key: value for key, value in chain.items() if key != "stages"}, chain["stages"])
    text = json.dumps(head, indent=2)[:-2]
    operations = ",\n".join("        " + json.dumps(each) for each in stages[0]["operations"])
    print(f'{text},\n  "stages": [\n    {{ "name": "block", "count": {blocks},\n      "operations": [\n{operations}\n      ] }}\n  ]\n}}')


if __name__ == "__main__":
    main()
