#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the layers of a workload with PyTorch, on whatever device there is, for `dsm calibrate`.

Each convolution, fully connected and recurrent layer of a file in the format dsm-workload/1 is run by itself, with its
auxiliary operations, on random data: after warm-up the median of some repetitions of its forward pass, of the gradient
of its input (backward) and of that of its weights (update). Layers of the same shape are measured once. With several
devices (started by torchrun) all-reduces of the size of all weights are measured too.

Usage: measure.py WORKLOAD.json MINIBATCH [-o measurements.csv] [--device cuda] [--type float16] [--repetitions 20]
       [--only LAYER,LAYER]
"""
import argparse
import csv
import json
import statistics
import sys
import time

import torch

ACTIVATIONS = {"relu": torch.nn.ReLU, "sigmoid": torch.nn.Sigmoid, "tanh": torch.nn.Tanh, "gelu": torch.nn.GELU}


def pair(value, default=1):
    return tuple(value) if isinstance(value, list) else (value or default,) * 2


class Conv(torch.nn.Module):
    """A convolution whose output has the size that the layer states, whatever its padding."""

    def __init__(self, layer):
        super().__init__()
        kernel, stride = pair(layer.get("kernel")), pair(layer.get("stride"))
        self.features, groups = layer["in"], layer.get("groups", 1)
        # The input is as large as the output needs without padding, so that all of its reads are real.
        self.size = [(out - 1) * step + side for out, step, side in zip(layer["feature"], stride, kernel)]
        self.conv = torch.nn.Conv2d(layer["in"], layer["out"], kernel, stride, groups=groups, bias=has(layer, "bias"))

    def example(self, samples):
        return samples, self.features, *self.size

    def forward(self, tensor):
        return self.conv(tensor)


class Fc(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.features = layer["in"]
        self.fc = torch.nn.Linear(layer["in"], layer["out"], bias=has(layer, "bias"))

    def example(self, samples):
        return samples, self.features

    def forward(self, tensor):
        return self.fc(tensor)


class Lstm(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.features, self.timesteps = layer["in"], layer.get("timesteps", 1)
        self.lstm = torch.nn.LSTM(layer["in"], layer["out"])

    def example(self, samples):
        return self.timesteps, samples, self.features

    def forward(self, tensor):
        return self.lstm(tensor)[0]


KINDS = {"conv": Conv, "fc": Fc, "lstm": Lstm}


def has(layer, operation):
    return any(each["op"] == operation for each in layer.get("aux", ()))


class Layer(torch.nn.Module):
    """The layer with what follows its products; a residual adds a tensor of its own."""

    def __init__(self, layer):
        super().__init__()
        self.products = KINDS[layer["type"]](layer)
        self.is_residual = has(layer, "residual")
        self.rest = torch.nn.Sequential(*self.operations(layer))

    @staticmethod
    def operations(layer):
        is_plane = layer["type"] == "conv"
        for each in layer.get("aux", ()):
            name = each["op"]
            if name == "batch_norm":
                yield torch.nn.BatchNorm2d(layer["out"]) if is_plane else torch.nn.BatchNorm1d(layer["out"])
            elif name == "layer_norm":
                yield torch.nn.LayerNorm(layer["out"])
            elif name == "softmax":
                yield torch.nn.Softmax(dim=-1)
            elif name == "max_pool":
                yield torch.nn.MaxPool2d(pair(each["window"]), pair(each.get("stride"), 1))
            elif name == "avg_pool":
                yield torch.nn.AvgPool2d(pair(each["window"]), pair(each.get("stride"), 1))
            elif name in ACTIVATIONS:
                yield ACTIVATIONS[name]()

    def forward(self, tensor):
        made = self.products(tensor)
        return self.rest(made + made.detach() if self.is_residual else made)


def median_ms(run, device, repetitions):
    def wait():
        if device.type == "cuda":
            torch.cuda.synchronize()

    times = []
    for number in range(repetitions + 3):  # the first three warm up
        wait()
        begin = time.perf_counter()
        run()
        wait()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times[3:])


def measured(layer, samples, device, kind, repetitions):
    """Pass and milliseconds, pass by pass."""
    module = Layer(layer).to(device=device, dtype=kind).train()
    tensor = torch.randn(module.products.example(samples), device=device, dtype=kind, requires_grad=True)
    with torch.no_grad():
        yield "forward", median_ms(lambda: module(tensor), device, repetitions)
    made = module(tensor)
    error = torch.randn_like(made)

    def gradient_of(of):
        return lambda: torch.autograd.grad(made, of, error, retain_graph=True)

    yield "backward", median_ms(gradient_of([tensor]), device, repetitions)
    weights = list(module.products.parameters())
    yield "update", median_ms(gradient_of(weights), device, repetitions)


def shape_of(layer):
    return json.dumps({key: value for key, value in layer.items() if key not in ("name", "inputs", "//")},
                      sort_keys=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload")
    parser.add_argument("minibatch", type=int, help="samples of one device")
    parser.add_argument("-o", "--output", default="measurements.csv")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--type", default=None, help="float16, bfloat16 or float32; by default what the device is best at")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--only", default=None)
    given = parser.parse_args()
    device = torch.device(given.device)
    kind = getattr(torch, given.type or ("float16" if device.type == "cuda" else "float32"))
    with open(given.workload) as file:
        layers = json.load(file)["layers"]
    wanted = None if given.only is None else given.only.split(",")
    rows, seen = [], set()
    for index, layer in enumerate(layers):
        if layer["type"] not in KINDS or shape_of(layer) in seen or (wanted and layer["name"] not in wanted):
            continue
        seen.add(shape_of(layer))
        for which, milliseconds in measured(layer, given.minibatch, device, kind, given.repetitions):
            if index > 0 or which != "backward":  # nobody needs the error of the network's input
                rows.append({"workload": given.workload, "minibatch": given.minibatch, "optimize": "none",
                             "layer": layer["name"], "pass": which, "milliseconds": f"{milliseconds:.6g}"})
        print(f"{layer['name']}: {rows[-1]['milliseconds']} ms", file=sys.stderr)
    with open(given.output, "w", newline="") as file:
        writer = csv.DictWriter(file, ["workload", "minibatch", "optimize", "layer", "pass", "milliseconds"])
        writer.writeheader()
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
