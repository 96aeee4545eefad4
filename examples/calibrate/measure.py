#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the layers of a workload with PyTorch, on whatever device there is, for `dsm calibrate`.

Each convolution, fully connected and recurrent layer of a file in the format dsm-workload/1 is run by itself, with its
auxiliary operations, on random data: after warm-up the median of some repetitions of its forward pass, of the gradient
of its input (backward) and of that of its weights (update). Layers of the same shape are measured once, on one device:
--alone says what makes the system one, such as "system.system.axes.gpu.chips=1;system.system.axes.node.chips=1".

With several devices, started by torchrun, all-reduces of as many bytes as all weights, a quarter and a sixteenth of
these are measured too, by NCCL, on CPUs by Gloo. Each is written as a workload of one layer beside the output, with
overrides in which all but its sum of gradients takes next to no time; --together says what makes the system these
devices, such as "system.system.axes.node.chips=1".

Usage: measure.py WORKLOAD.json MINIBATCH [-o measurements.csv] [--device cuda] [--type float16] [--repetitions 20]
       [--only LAYER,LAYER] [--alone OVERRIDES] [--together OVERRIDES]
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import sys
import time

import torch

TYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
COLUMNS = ["workload", "minibatch", "parallelism", "optimize", "overrides", "layer", "pass", "milliseconds"]
# Where all that is not a sum of gradients takes next to no time.
NOTHING_ELSE = ("system.core.operation_overhead_us=0", "system.core.issue_us=0", "system.core.tile_startup_us=0",
                "system.array.startup_cycles=0", "system.pe.simd_macs=1048576",
                "system.chip.core_link_bandwidth_GBps=1e9", "system.chip.memory.bandwidth_GBps=1e9")
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


def row_of(workload, minibatch, kind, overrides, layer, which, milliseconds):
    """As it was run: data parallel, nothing held on chip from one layer to the next, elements of the type."""
    bytes_of = torch.empty(0, dtype=kind).element_size()
    name = TYPES[str(kind).split(".")[-1]]
    elements = (f"workload.element_bytes={bytes_of}", f"workload.gradient_bytes={bytes_of}",
                f"workload.element_type={name}")
    return {"workload": workload, "minibatch": minibatch, "parallelism": "data", "optimize": "none",
            "overrides": ";".join((*elements, *filter(None, overrides))), "layer": layer, "pass": which,
            "milliseconds": f"{milliseconds:.6g}"}


def layer_rows(layers, given, device, kind):
    wanted = None if given.only is None else given.only.split(",")
    seen = set()
    for index, layer in enumerate(layers):
        if layer["type"] not in KINDS or shape_of(layer) in seen or (wanted and layer["name"] not in wanted):
            continue
        seen.add(shape_of(layer))
        for which, milliseconds in measured(layer, given.minibatch, device, kind, given.repetitions):
            if index > 0 or which != "backward":  # nobody needs the error of the network's input
                yield row_of(given.workload, given.minibatch, kind, [given.alone], layer["name"], which, milliseconds)


def weights_of(layers):
    return sum(sum(each.numel() for each in KINDS[layer["type"]](layer).parameters())
               for layer in layers if layer["type"] in KINDS)


def allreduce_rows(layers, given, device, kind, members):
    """Of the members together; each row has a workload of its own, an fc with as many weights, beside the output."""
    side = 1024
    for part in (1, 4, 16):
        features = max(1, weights_of(layers) // part // side)
        tensor = torch.randn(side * features, device=device, dtype=kind)

        def run():
            torch.distributed.all_reduce(tensor)
            tensor.div_(members)  # so that it stays finite

        torch.distributed.barrier()
        milliseconds = median_ms(run, device, given.repetitions)
        name = f"all_reduce_{side * features}"
        if int(os.environ["RANK"]) == 0:
            (pathlib.Path(given.output).parent / f"{name}.json").write_text(json.dumps(
                {"format": "dsm-workload/1", "name": name, "minibatch": members,
                 "layers": [{"name": "weights", "type": "fc", "in": side, "out": features}]}))
        yield row_of(f"{name}.json", members, kind, [*NOTHING_ELSE, given.together], "weights", "update", milliseconds)


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
    parser.add_argument("--alone", default="", help="overrides, joined by ';', with which the system is one device")
    parser.add_argument("--together", default="", help="overrides with which it is the devices of torchrun")
    given = parser.parse_args()
    device = torch.device(given.device)
    kind = getattr(torch, given.type or ("float16" if device.type == "cuda" else "float32"))
    with open(given.workload) as file:
        layers = json.load(file)["layers"]
    members = int(os.environ.get("WORLD_SIZE", 1))
    is_first = int(os.environ.get("RANK", 0)) == 0
    rows = []
    if members > 1:
        if device.type == "cuda":
            device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
            torch.cuda.set_device(device)
        torch.distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        rows += allreduce_rows(layers, given, device, kind, members)
        torch.distributed.destroy_process_group()
    if is_first:  # the others are idle meanwhile
        for row in layer_rows(layers, given, device, kind):
            rows.append(row)
            print(f"{row['layer']} {row['pass']}: {row['milliseconds']} ms", file=sys.stderr)
        with open(given.output, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
