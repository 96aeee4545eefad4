#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of figures against the plan's JSON.

Usage: test_data.py DSM_BINARY
"""
import json
import math
import pathlib
import sys
import tempfile

import plans

PASSES = ("forward", "backward", "update")
DIMS = ("in", "out", "ij", "kij", "mb")
MEMORY_KINDS = ("weights", "gradients", "optimizer", "activations", "errors")
GROUPS = ("partial_sum", "layout_move", "rotation", "collective", "hand_over",
          "sum_of_gradients", "broadcast_weights", "weight_update", "tied_weights",
          "relayout")

failures = []


def expect(holds, where, message):
    if not holds:
        failures.append(where)
        print(f"{where}: {message}")


def expect_near(found, expected, where, message):
    expect(math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-6), where,
           f"{message}: expected {expected!r}, found {found!r}")


def rows_of(path):
    """Lines of fields, without those that say what the columns are."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def rows_of_passes(plan, data, where):
    """(row, layer, pass) of all rows; each pass of each layer has one."""
    rows = rows_of(data)
    expected = [(index, name) for name in PASSES for index, layer in enumerate(plan["layers"])
                if name in layer["passes"]]
    expect([(int(row[0]) - 1, row[1]) for row in rows] == expected, where, "other layers or passes")
    for row, (index, name) in zip(rows, expected):
        layer = plan["layers"][index]
        expect(row[-1] == layer["name"], where, f"{row[-1]!r} is not {layer['name']!r}")
        yield row, layer, layer["passes"][name]


def check_loss(plan, data):
    for row, layer, this in rows_of_passes(plan, data, "loss"):
        total, busy, array, transfer, auxiliary, *groups = map(float, row[2:-1])
        cycles = this["cycles"]
        where = f"loss, {layer['name']}"
        expect_near(total, cycles["total"], where, "cycles")
        expect_near(busy, this["utilization"] * cycles["total"], where, "busy")
        expect_near(busy + array, cycles["primary"], where, "primary")
        expect_near(transfer, cycles["overlapped_visible"], where, "visible transfers")
        expect_near(auxiliary, cycles["auxiliary"], where, "auxiliary")
        expect(len(groups) == len(GROUPS), where, f"{len(groups)} groups")
        expect_near(sum(groups), cycles["non_overlapped"], where, "not overlapped")
        for group, value in zip(GROUPS, groups):
            has_any = any(t["group"] == group for t in this["transfers"])
            expect(value == 0 or has_any, where, f"{value} cycles of {group}")


def check_splits(plan, data):
    for row, layer, this in rows_of_passes(plan, data, "splits"):
        where = f"splits, {layer['name']}"
        expect(row[2] == this["parallelism"], where, f"{row[2]} for {this['parallelism']}")
        split = {dim: int(value) for dim, value in zip(DIMS, row[3:8])}
        expect(split == this["core_split"], where, f"{split} for {this['core_split']}")


def check_roofline(plan, data):
    system = plan["system"]
    chips = system["system"]["chips_x"] * system["system"]["chips_y"]
    array = system["array"]["rows"] * system["array"]["columns"] * system["pe"]["simd_macs"]
    hertz = system["core"]["frequency_GHz"] * 1e9
    peak = 2 * array * system["chip"]["cores"] * hertz
    memory = system["chip"]["memory"]
    bandwidth = memory["bandwidth_GBps"] * 1e9 * memory["efficiency_ratio"]
    stages = {name: rows for group in plan.get("pipeline", [])
              for name, rows in zip(group["layers"], group["rows"])}
    for row, layer, this in rows_of_passes(plan, data, "roofline"):
        flop, traffic, flops, roof = map(float, row[2:-1])
        where = f"roofline, {layer['name']}"
        expect_near(flops, this["utilization"] * peak, where, "FLOP/s")
        expect_near(flop, flops * this["cycles"]["total"] / hertz, where, "FLOP")
        bytes_of_chip = sum(t["bytes"] for t in this["transfers"] if t["link"] == "memory")
        if layer["name"] not in stages:
            expect_near(traffic, bytes_of_chip, where, "bytes")
            expect(traffic == 0 or flops <= roof * (1 + 1e-9), where, f"{flops} above {roof}")
        expect(traffic <= bytes_of_chip * (1 + 1e-9), where, "more bytes than a chip's")
        allowed = peak if traffic == 0 else min(peak, flop / traffic * bandwidth)
        expect_near(roof, allowed, where, "roof")
    expect(chips > 1, "roofline", "of one chip")


def check_memory(plan, data):
    rows = rows_of(data)
    memory = plan["result"]["memory"]
    end = 1000 * plan["result"]["step_seconds"]
    expect(rows[0][0] == "0", "memory", f"begins at {rows[0][0]}")
    expect_near(float(rows[-1][0]), end, "memory", "end")
    for row, following in zip(rows, rows[1:]):
        expect_near(float(row[1]), float(following[0]), "memory", "end of a span")
    for column, kind in enumerate(MEMORY_KINDS, start=2):
        most = max(float(row[column]) for row in rows)
        expect_near(most, memory[f"{kind}_bytes"], "memory", kind)
    count = sum(len(layer["passes"]) for layer in plan["layers"])
    expect(len(rows) == count + 1, "memory", f"{len(rows)} rows for {count} passes")


def check_time(plan, data):
    rows = rows_of(data)
    result = plan["result"]
    expect_near(float(rows[0][0]), 0, "time", "begin")
    expect_near(float(rows[-1][1]), 1000 * result["step_seconds"], "time", "end")
    expect_near(sum(float(row[2]) for row in rows), result["step_cycles"], "time", "cycles")
    for row, following in zip(rows, rows[1:]):
        expect_near(float(row[1]), float(following[0]), "time", "end of a column")
    passes = {(layer["name"], name): this["cycles"]["total"]
              for layer in plan["layers"] for name, this in layer["passes"].items()}
    alone = 0
    for row in rows:
        cycles, *parts, count = map(float, row[2:-2])
        expect_near(sum(parts), cycles, "time", "parts")
        if count == 1:
            alone += 1
            expect_near(cycles, passes[row[-1], row[-2]], "time", row[-1])
    expect(sum(float(row[-3]) for row in rows) == len(passes), "time", "other passes")
    expect(alone > 0, "time", "no pass has a column of its own")


CHECKS = {"loss": ("bars", check_loss), "time": ("columns", check_time), "splits": ("splits", check_splits),
          "roofline": ("points", check_roofline), "memory": ("spans", check_memory)}


def count_of(name):
    """Of how many layers a row is: "24 × NAME"; a layer may be called so itself."""
    count, cross, _ = name.partition(" × ")
    return int(count) if cross and count.isdigit() else 1


def check_folded(dsm, path, plan):
    """Where equal layers are shown once, all passes are there, and their cycles are the step."""
    folder = path.with_suffix(".folded")
    passes = sum(len(layer["passes"]) for layer in plan["layers"])
    for figure, name in (("loss", "bars"), ("time", "columns"), ("splits", "splits")):
        done = plans.run(dsm, "plot", path, "--figure", figure, "--script", folder,
                         env=plans.environment())
        expect(done.returncode == 0, path.name, done.stderr)
        rows = rows_of(folder / f"{figure}.{name}.dat")
        where = f"{path.name}, folded {figure}"
        found = sum(int(row[-3]) if figure == "time" else count_of(row[-1]) for row in rows)
        expect(found == passes, where, "other layers or passes")
        if figure == "time" and path.stem in ("resnet50", "net200"):
            expect(any(int(row[-3]) == count_of(row[-1]) > 1 for row in rows), where, "nothing is folded")
        if figure != "splits":
            expect_near(sum(float(row[2]) for row in rows), plan["result"]["step_cycles"], where, "cycles")


def check_plan(dsm, path):
    plan = json.loads(path.read_text(encoding="utf-8"))
    check_folded(dsm, path, plan)
    for figure, (name, check) in CHECKS.items():
        folder = path.with_suffix(f".{figure}")
        done = plans.run(dsm, "plot", path, "--figure", figure, "--unfold", "--script", folder,
                         env=plans.environment())
        expect(done.returncode == 0, path.name, done.stderr)
        check(plan, folder / f"{figure}.{name}.dat")


def main():
    dsm = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        for path in plans.all_plans(dsm, pathlib.Path(temporary)).values():
            check_plan(dsm, path)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
