#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of figures against the plan's JSON.

Usage: test_data.py DSM_BINARY
"""
import json
import math
import re
import sys

import plans
from plans import expect

DIMS = ("in", "out", "ij", "kij", "mb")
MEMORY_KINDS = {"weights": "weights", "gradients": "weight gradients", "optimizer": "optimizer state",
                "activations": "activations", "errors": "activation gradients"}
GROUPS = {"partial sums": "partial_sum", "moves between cores": "layout_move", "rotation": "rotation",
          "collectives": "collective", "hand-over": "hand_over", "sum of gradients": "sum_of_gradients",
          "broadcast of weights": "broadcast_weights", "weight update": "weight_update",
          "tied weights": "tied_weights", "relayout": "relayout"}

def expect_near(found, expected, where, message):
    expect(math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-6), where,
           f"{message}: expected {expected!r}, found {found!r}")


def said(about):
    """Of what a mark is, and what it is: "conv1 forward: busy, 1.2 %"."""
    found = re.match(r"(.*) (forward|backward|update): (.*)$", about)
    return found.groups()


def passes_of(plan):
    """All passes by the number and the name of their layer."""
    return {(index, name): (layer, this) for index, layer in enumerate(plan["layers"])
            for name, this in layer["passes"].items()}


def boxes_of(data):
    """The boxes over layers: ((layer, pass), from, to, what)."""
    for left, right, low, high, _, about in plans.marks_of(data, 5):
        _, name, what = said(about)
        yield (round((left + right) / 2) - 1, name), low, high, what


def check_loss(plan, data):
    shares = {}
    parts = {}
    for key, low, high, what in boxes_of(data):
        if what.endswith(" % of the step"):
            shares[key] = high
        else:
            parts.setdefault(key, {})[what.rpartition(", ")[0]] = high - low
    expect(shares.keys() == passes_of(plan).keys(), "loss", "other layers or passes")
    for key, (layer, this) in passes_of(plan).items():
        cycles = this["cycles"]
        where = f"loss, {layer['name']}"
        of = {name: value * cycles["total"] / 100 for name, value in parts[key].items()}
        busy = of.pop("busy", 0)
        expect_near(shares[key], 100 * cycles["total"] / plan["result"]["step_cycles"], where, "share")
        expect_near(busy, this["utilization"] * cycles["total"], where, "busy")
        expect_near(busy + of.pop("arrays underused", 0), cycles["primary"], where, "primary")
        expect_near(of.pop("visible transfers", 0), cycles["overlapped_visible"], where, "visible transfers")
        expect_near(of.pop("auxiliary", 0), cycles["auxiliary"], where, "auxiliary")
        expect_near(sum(of.values()), cycles["non_overlapped"], where, "not overlapped")
        for part, value in of.items():
            expect(any(t["group"] == GROUPS[part] for t in this["transfers"]), where, f"{value} cycles of {part}")


def check_splits(plan, data):
    found = {}
    for key, low, _, what in boxes_of(data):
        found.setdefault(key, {})[int(low)] = what
    expect(found.keys() == passes_of(plan).keys(), "splits", "other layers or passes")
    for key, (layer, this) in passes_of(plan).items():
        expected = [this["parallelism"]] + [f"{dim} in {this['core_split'][dim]} parts" for dim in DIMS]
        expect([found[key].get(row) for row in range(6)] == expected, f"splits, {layer['name']}",
               f"{found[key]} for {expected}")


def check_roofline(plan, data):
    system = plan["system"]
    array = system["array"]["rows"] * system["array"]["columns"] * system["pe"]["simd_macs"]
    hertz = system["core"]["frequency_GHz"] * 1e9
    peak = 2 * array * system["chip"]["cores"] * hertz
    memory = system["chip"]["memory"]
    bandwidth = memory["bandwidth_GBps"] * 1e9 * memory["efficiency_ratio"]
    in_stages = {name for group in plan.get("pipeline", []) for name in group["layers"]}
    layers = {layer["name"]: layer for layer in plan["layers"]}
    count = 0
    for intensity, flops, _, about in plans.marks_of(data, 3):
        name, pass_name, _ = said(about)
        name, _, others = name.partition(" and ") if name not in layers else (name, "", "0")
        count += 1 + int(others.split()[0])
        this = layers[name]["passes"][pass_name]
        where = f"roofline, {name}"
        expect_near(flops, this["utilization"] * peak, where, "FLOP/s")
        traffic = sum(t["bytes"] for t in this["transfers"] if t["link"] == "memory")
        if name not in in_stages and traffic > 0:
            expect_near(intensity, flops * this["cycles"]["total"] / hertz / traffic, where, "FLOP a byte")
            expect(flops <= min(peak, intensity * bandwidth) * (1 + 1e-9), where, f"{flops} above the roof")
    expect(count == len(passes_of(plan)), "roofline", f"{count} passes")


JOINED = re.compile(r" \((\d+) passes\), [^,]* ms$")


def columns_of(boxes):
    """Boxes above each other: (from, to, {what: height}, of what)."""
    columns = {}
    for left, right, low, high, _, about in boxes:
        of, _, what = about.rpartition(": ")
        _, _, parts = columns.setdefault(left, (right, of, {}))
        parts[what.rpartition(", ")[0]] = high - low
    return [(left, right, parts, of) for left, (right, of, parts) in columns.items()]


def check_columns(plan, columns, where, overlap=0):
    """They are next to each other, from the beginning of the step to its end."""
    expect_near(columns[0][0], 0, where, "begin")
    expect_near(columns[-1][1] - overlap, 1000 * plan["result"]["step_seconds"], where, "end")
    for column, following in zip(columns, columns[1:]):
        expect_near(column[1] - overlap, following[0], where, "end of a column")


def check_memory(plan, data):
    boxes = plans.marks_of(data, 5)
    last = max(i for i, box in enumerate(boxes) if box[0] == 0 and box[2] == 0)  # without the overview
    columns = columns_of(boxes[last:])
    point = columns[-1][1] - 1000 * plan["result"]["step_seconds"]
    check_columns(plan, columns, "memory", point)
    for kind, text in MEMORY_KINDS.items():
        most = max(parts.get(text, 0) for _, _, parts, _ in columns)
        expect_near(most, plan["result"]["memory"][f"{kind}_bytes"], "memory", kind)
    count = len(passes_of(plan))
    expect(len(columns) == count, "memory", f"{len(columns)} columns for {count} passes")


def check_time(plan, data):
    columns = columns_of(plans.marks_of(data, 5))
    check_columns(plan, columns, "time")
    cycles_of = {(layer["name"], name): this["cycles"]["total"]
                 for (_, name), (layer, this) in passes_of(plan).items()}
    ms = 1000 * plan["result"]["step_seconds"] / plan["result"]["step_cycles"]
    alone = count = 0
    for left, right, parts, of in columns:
        expect_near(sum(parts.values()), 100, "time", "parts")
        joined = JOINED.search(of)
        count += int(joined[1]) if joined else 1
        if not joined:
            alone += 1
            name, _, pass_name = of.rpartition(", ")[0].rpartition(" ")
            expect_near(right - left, ms * cycles_of[name, pass_name], "time", of)
    expect(count == len(cycles_of), "time", "other passes")
    expect(alone > 0, "time", "no pass has a column of its own")


CHECKS = {"loss": check_loss, "time": check_time, "splits": check_splits, "roofline": check_roofline,
          "memory": check_memory}


def count_of(name):
    """Of how many layers a mark is: "24 × NAME"; a layer may be called so itself."""
    count, cross, _ = name.partition(" × ")
    return int(count) if cross and count.isdigit() else 1


def data_of(dsm, path, figure, folder, *options):
    done = plans.run(dsm, "plot", path, "--figure", figure, *options, "--script", folder,
                     env=plans.environment())
    expect(done.returncode == 0, path.name, done.stderr)
    return folder / f"{figure}.marks.dat"


def check_folded(dsm, path, plan):
    """Where equal layers are shown once, all passes are there, and their shares are the step."""
    for figure in ("loss", "splits"):
        boxes = [box for box in plans.marks_of(data_of(dsm, path, figure, path.with_suffix(".folded")), 5)
                 if box[5].endswith(" % of the step") or (figure == "splits" and box[2] == 0)]
        where = f"{path.name}, folded {figure}"
        expect(sum(count_of(box[5]) for box in boxes) == len(passes_of(plan)), where, "other layers or passes")
        if figure == "loss":
            expect_near(sum(box[3] for box in boxes), 100, where, "shares")
    columns = columns_of(plans.marks_of(data_of(dsm, path, "time", path.with_suffix(".folded")), 5))
    where = f"{path.name}, folded time"
    check_columns(plan, columns, where)
    counts = [int(joined[1]) if joined else count_of(of)
              for of, joined in ((of, JOINED.search(of)) for _, _, _, of in columns)]
    expect(sum(counts) == len(passes_of(plan)), where, "other layers or passes")
    if path.stem in ("resnet50", "net200"):
        expect(any(count_of(of) > 1 for _, _, _, of in columns), where, "nothing is folded")


def check_plan(dsm, path):
    plan = json.loads(path.read_text(encoding="utf-8"))
    check_folded(dsm, path, plan)
    for figure, check in CHECKS.items():
        check(plan, data_of(dsm, path, figure, path.with_suffix(f".{figure}"), "--unfold"))


def check_all(dsm, folder):
    for path in plans.all_plans(dsm, folder).values():
        check_plan(dsm, path)


if __name__ == "__main__":
    sys.exit(plans.check_pictures(check_all))
