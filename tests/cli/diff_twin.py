#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm diff` against a second derivation of the difference, from two plans as `dsm explore` writes
them, for random networks, machines and changes; and points of sweeps against the plans of the same
questions.

Usage: diff_twin.py DSM [FIRST_SEED [COUNT]]
"""
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROUNDING = 1e-9
WORKLOADS = ("raider", "alexnet", "vgg16", "gnmt", "mobilenet_v2")
SYSTEMS = ("torus64", "torus16", "torus64_refined", "chip1")
CHANGES = (
    "system.core.scratchpad_MiB=0.25", "system.core.scratchpad_MiB=4", "system.pe.simd_macs=16",
    "system.core.frequency_GHz=1.9", "system.array.startup_cycles=500",
    "system.chip.memory.bandwidth_GBps=100", "system.system.link_bandwidth_y_GBps=60",
    "system.model.layout_move=always", "system.name=other", "system.source=elsewhere",
    "workload.minibatch=512", "workload.name=renamed", "workload.element_bytes=4",
)
OF_LAYERS = ("kernel=[5,5]", "aux=[]", "pipeline_group=null", "name=another")
MODES = ("training", "inference")
OPTIMIZATIONS = ("all", "none", "hybrid", "reuse,hybrid", "hybrid,spatial,tensor")
LAYER_DEFAULTS = {"conv": {"kernel": [1, 1], "stride": [1, 1], "dilation": [1, 1], "groups": 1},
                  "fc": {"timesteps": 1}, "matmul": {"timesteps": 1},
                  "lstm": {"timesteps": 1, "bidirectional": False}}
DIMS = ("in", "out", "ij", "kij", "mb")
PASSES = ("forward", "backward", "update")
RESULTS = ("step_seconds", "step_cycles", "samples_per_second", "utilization", "ideal_cycles")
CYCLES = ("primary", "overlapped", "overlapped_visible", "auxiliary", "non_overlapped")
KINDS = ("partial_sum", "layout_move", "rotation", "collective", "hand_over", "sum_of_gradients",
         "broadcast_weights", "weight_update", "relayout")


# ---- the second derivation ----


def question(plan):
    """What was asked, as the paths of --set name it."""
    workload = dict(plan["workload"])
    workload["layers"] = [{**LAYER_DEFAULTS[layer["type"]], **layer}
                          for layer in workload["layers"]]
    return {"workload": workload, "system": plan["system"],
            "options": {"mode": plan["mode"], "optimize": plan["optimizations"],
                        "parallelism": plan["options"]["parallelisms"]}}


def values(value, path=""):
    """Every value with its path: lists of objects by name or else by index, others whole."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from values(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from values(item, f"{path}.{item.get('name', index)}")
    else:
        yield path, value


def input_differences(a, b):
    """path -> (a, b) for each value that differs; MISSING where it is not there."""
    one, other = dict(values(question(a))), dict(values(question(b)))
    found = {}
    for path in list(one) + [path for path in other if path not in one]:
        if path not in one or path not in other or one[path] != other[path]:
            found[path] = (one.get(path, "absent"), other.get(path, "absent"))
    return found


def split_words(split):
    return " ".join(f"{dim} {split[dim]}" for dim in DIMS if split[dim] != 1) or "none"


def group_words(plan, layer):
    name = layer["pipeline_group"]
    if name is None:
        return "none"
    group = next(each for each in plan["pipeline"] if each["name"] == name)
    rows = group["rows"][group["layers"].index(layer["name"])]
    return f"{name}: {group['columns']} x {rows} chips"


def layer_decisions(plan, layer):
    layout = layer.get("output_layout")
    yield "dysm_factor", str(layer["dysm_factor"])
    yield "output_on_chip", str(layer["output_on_chip"]).lower()
    yield "output_layout", ("none" if layout is None else
                            f"features {layout['features']} ij {layout['ij']} mb {layout['mb']}")
    yield "hoisted", str(layer.get("hoisted", "none")).lower()
    yield "weights_on_chip", layer["weights_on_chip"]
    yield "pipeline_group", group_words(plan, layer)
    yield "error_parallelism", layer.get("error_parallelism", "none")


def pass_decisions(a_pass):
    later = a_pass["invocations"][1:]
    yield "parallelism", a_pass["parallelism"]
    yield "core_split", split_words(a_pass["core_split"])
    yield "later_core_split", ", ".join(f"{each['kind']}: {split_words(each['core_split'])}"
                                        for each in later) or "none"


def is_close(one, other):
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other))


def decision_differences(a, b):
    after = {layer["name"]: layer for layer in b["layers"]}
    for layer in a["layers"]:
        other = after.get(layer["name"])
        if other is None:
            continue
        pairs = [(None, one, two) for one, two in zip(layer_decisions(a, layer),
                                                      layer_decisions(b, other))]
        for kind in PASSES:
            if kind in layer["passes"] and kind in other["passes"]:
                pairs += [(kind, one, two) for one, two in
                          zip(pass_decisions(layer["passes"][kind]),
                              pass_decisions(other["passes"][kind]))]
        for kind, (key, one), (_, two) in pairs:
            if one != two and (isinstance(one, str) or not is_close(one, two)):
                yield layer["name"], kind, key, one, two


def times(plan):
    """(layer, pass) -> seconds, cycles, utilization."""
    second = plan["result"]["step_seconds"] / plan["result"]["step_cycles"]
    return {(layer["name"], kind): (a_pass["cycles"]["total"] * second, a_pass["cycles"]["total"],
                                    a_pass["utilization"])
            for layer in plan["layers"] for kind, a_pass in layer["passes"].items()}


def parts(plan):
    """Where the time goes, in seconds."""
    result = plan["result"]
    second = result["step_seconds"] / result["step_cycles"]
    cycles = result["cycles"]
    found = {"busy": result["ideal_cycles"],
             "array_underuse": cycles["primary"] - result["ideal_cycles"],
             "visible_transfers": cycles["overlapped_visible"], "auxiliary": cycles["auxiliary"]}
    for kind in KINDS:
        found[kind] = sum(a_pass["groups"].get(kind, 0) for layer in plan["layers"]
                          for a_pass in layer["passes"].values())
    return {name: value * second for name, value in found.items()}


# ---- against what dsm says ----


class Wrong(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Wrong(message)


def near(one, other, scale=0.0):
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other)) + 1e-9 * scale


def check_sides(what, said, one, other, scale=0.0):
    expect(near(said["a"], one, scale) and near(said["b"], other, scale), f"{what}: {said}")
    expect(near(said["difference"], said["b"] - said["a"], scale), f"{what}: difference {said}")
    if one == other:
        expect(near(said["difference"], 0, max(one, scale)), f"{what}: {said}")
    elif one == 0:
        expect(said["change"] is None, f"{what}: change from nothing is {said['change']}")
    else:
        expect(near(said["change"], (said["b"] - said["a"]) / said["a"], 1), f"{what}: {said}")


def check_inputs(a, b, said):
    """What dsm lists as a whole, such as a layer that only one has, stands here value by value."""
    found = {}
    for each in said["inputs"]:
        sides = [dict(values(each[side], each["path"])) if side in each else {}
                 for side in ("a", "b")]
        orders = [each.get(side) for side in ("a", "b")]
        if each["path"] == "workload.layers":
            names = [[layer["name"] for layer in plan["workload"]["layers"]] for plan in (a, b)]
            expect(orders == names, f"order {each}")
            continue
        for path in list(sides[0]) + [path for path in sides[1] if path not in sides[0]]:
            found[path] = (sides[0].get(path, "absent"), sides[1].get(path, "absent"))
    wanted = input_differences(a, b)
    # A default of a layer that only one side has is not a difference of its own, and is written.
    expect(found == wanted, "inputs: "
           f"{ {key: (found.get(key), wanted.get(key)) for key in found.keys() ^ wanted.keys()} }"
           f"{ {key: (found[key], wanted[key]) for key in found if key in wanted and found[key] != wanted[key]} }")


def check_decisions(a, b, said):
    found = [(each["layer"], each.get("pass"), each["decision"],
              *((float(each[side]) if each["decision"] == "weights_on_chip" else each[side])
                for side in ("a", "b"))) for each in said["decisions"]]
    expect(found == list(decision_differences(a, b)), f"decisions {found}")


def check_passes(a, b, said):
    one, other = times(a), times(b)
    step = b["result"]["step_seconds"] - a["result"]["step_seconds"]
    scale = max(a["result"]["step_seconds"], b["result"]["step_seconds"])
    is_moved = not is_close(a["result"]["step_seconds"], b["result"]["step_seconds"])
    nothing = (0.0, 0.0, 0.0)
    wanted = set()
    for key in list(one) + [key for key in other if key not in one]:
        was, now = one.get(key), other.get(key)
        if was is None or now is None or not is_close(was[0], now[0]) or not is_close(was[2], now[2]):
            wanted.add(key)
    listed = [(each["layer"], each["pass"]) for each in said["passes"]]
    expect(len(set(listed)) == len(listed) and set(listed) == wanted,
           f"passes {set(listed) ^ wanted}")
    for each in said["passes"]:
        key = each["layer"], each["pass"]
        was, now = one.get(key, nothing), other.get(key, nothing)
        only = "a" if key not in other else "b" if key not in one else None
        expect(each.get("only_in") == only, f"{key}: {each}")
        for index, name in enumerate(("seconds", "cycles", "utilization")):
            check_sides(f"{key} {name}", each[name], was[index], now[index])
        expect((each["share"] is None) != is_moved, f"{key}: share {each['share']} of {step}")
        if is_moved:
            expect(near(each["share"], (now[0] - was[0]) / step, scale / abs(step)),
                   f"{key}: share {each['share']}")
    sizes = [abs(each["seconds"]["difference"]) for each in said["passes"]]
    expect(all(one >= other * (1 - ROUNDING) for one, other in zip(sizes, sizes[1:])),
           "passes are not in order")
    total = sum(each["seconds"]["difference"] for each in said["passes"])
    expect(near(total, step, scale), f"passes add up to {total}, the step moves by {step}")


def check_step(a, b, said):
    for name in RESULTS:
        check_sides(name, said["result"][name], a["result"][name], b["result"][name])
    for name in CYCLES:
        check_sides(name, said["result"]["cycles"][name], a["result"]["cycles"][name],
                    b["result"]["cycles"][name])
    for name, value in a["result"]["memory"].items():
        check_sides(name, said["result"]["memory"][name], value, b["result"]["memory"][name])
    expect(list(said["result"]) == [*RESULTS, "cycles", "memory"], "figures of the result")
    one, other = parts(a), parts(b)
    expect(list(said["parts_seconds"]) == list(one), "other parts")
    for name, value in one.items():
        check_sides(name, said["parts_seconds"][name], value, other[name],
                    a["result"]["step_seconds"])
    for side, plan in (("a", a), ("b", b)):
        total = sum(each[side] for each in said["parts_seconds"].values())
        expect(near(total, plan["result"]["step_seconds"]), f"parts of {side} add up to {total}")


def check_layers(a, b, said):
    one, other = ([layer["name"] for layer in plan["layers"]] for plan in (a, b))
    wanted = [(name, "a") for name in one if name not in other]
    wanted += [(name, "b") for name in other if name not in one]
    expect([(each["layer"], each["only_in"]) for each in said["layers"]] == wanted, "layers")


def check(a, b, said):
    check_inputs(a, b, said)
    check_layers(a, b, said)
    check_decisions(a, b, said)
    check_passes(a, b, said)
    check_step(a, b, said)
    lists = [said[key] for key in ("inputs", "layers", "decisions", "passes")]
    expect(said["different"] == any(lists), f"different is {said['different']}")


# ---- running ----


def run(dsm, *arguments, codes=(0,)):
    done = subprocess.run([dsm, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    expect(done.returncode in codes, f"dsm {arguments}: {done.returncode}: {done.stderr}")
    return done.stdout if done.returncode == 0 else None


def explore(dsm, file, workload, arguments):
    return run(dsm, "explore", workload, *arguments, "-q", "-o", file, codes=(0, 3, 4)) is not None


def csv_of(said):
    """The rows that the CSV must have, as texts and numbers."""
    def figure(section, layer, a_pass, name, each, share=None):
        return [section, layer, a_pass, name, each["a"], each["b"], each["difference"],
                each["change"], share]

    def text(value):
        return None if value is None else value

    for each in said["inputs"]:
        yield ["input", None, None, each["path"], "JSON", "JSON", None, None, None]
    for each in said["layers"]:
        there = ["present" if each["only_in"] == side else None for side in ("a", "b")]
        yield ["layer", each["layer"], None, "presence", *there, None, None, None]
    for each in said["decisions"]:
        yield ["decision", each["layer"], text(each.get("pass")), each["decision"], each["a"],
               each["b"], None, None, None]
    for name, each in said["result"].items():
        if name in ("cycles", "memory"):
            for inner, value in each.items():
                yield figure("result", None, None, f"{name}.{inner}", value)
        else:
            yield figure("result", None, None, name, each)
    for name, each in said["parts_seconds"].items():
        yield figure("parts_seconds", None, None, name, each, each["share"])
    for each in said["passes"]:
        for name in ("seconds", "cycles", "utilization"):
            yield figure("pass", each["layer"], each["pass"], name, each[name],
                         each["share"] if name == "seconds" else None)


def check_csv(said, text):
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    wanted = list(csv_of(said))
    expect(len(rows) == len(wanted), f"{len(rows)} rows of CSV, not {len(wanted)}")
    for row, want in zip(rows, wanted):
        for cell, value in zip(row, want, strict=True):
            if value == "JSON":
                expect(cell == "" or json.loads(cell) is not Ellipsis, f"{row}: {cell}")
            elif isinstance(value, float | int):
                expect(float(cell) == value, f"{row}: {cell} is not {value}")
            else:
                expect(cell == (value or ""), f"{row}: {cell} is not {value}")


def changed(dice, plan):
    """Arguments of a question beside that of a plan."""
    layers = [layer["name"] for layer in plan["workload"]["layers"]]
    sets = dice.sample(CHANGES, dice.randrange(0, 3))
    if dice.random() < 0.4:
        sets.append(f"workload.layers.{dice.choice(layers)}.{dice.choice(OF_LAYERS)}")
    return [word for each in sets for word in ("--set", each)]


def try_seed(dsm, folder, seed):
    dice = random.Random(seed)
    a, b = folder / "a.json", folder / "b.json"
    workload, system = dice.choice(WORKLOADS), dice.choice(SYSTEMS)
    options = ["--mode", dice.choice(MODES), "--optimize", dice.choice(OPTIMIZATIONS)]
    if not explore(dsm, a, workload, [system, *options]):
        return False
    one = json.loads(a.read_text())
    if dice.random() < 0.2:
        workload = dice.choice(WORKLOADS)
        options[1] = dice.choice(MODES)
    if dice.random() < 0.2:
        system = dice.choice(SYSTEMS)
    more = changed(dice, one) if one["workload"]["name"] == workload else []
    if not explore(dsm, b, workload, [system, *options, *more]):
        return False
    other = json.loads(b.read_text())
    said = json.loads(run(dsm, "diff", a, b, "--format", "json"))
    check(one, other, said)
    check_csv(said, run(dsm, "diff", a, b, "--format", "csv"))
    table = run(dsm, "diff", a, b)
    expect(table.endswith("\nno difference\n") != said["different"], "the table says otherwise")
    return True


def try_sweep(dsm, folder):
    """Points with and without their plans give what the plans of the same questions give."""
    vary = ["--vary", "system.core.scratchpad_MiB=0.5,2", "--vary", "workload.minibatch=64,128",
            "--vary", "options.optimize=all,none", "-q"]
    for level in ("points", "plans"):
        run(dsm, "sweep", "vgg16", "torus16", *vary, "--record", level, "--database",
            folder / f"{level}.sqlite")
    plans = []
    for index, optimize in enumerate(("all", "none")):
        plans.append(folder / f"plan{index}.json")
        run(dsm, "explore", "vgg16", "torus16", "--set", "system.core.scratchpad_MiB=2", "--set",
            "workload.minibatch=64", "--optimize", optimize, "-q", "-o", plans[-1])
    without = [{**json.loads(run(dsm, "diff", *pair, "--format", "json")), "a": None, "b": None}
               for pair in (plans, (folder / "points.sqlite:4", folder / "points.sqlite:5"),
                            (folder / "plans.sqlite:4", folder / "points.sqlite:5"),
                            (folder / "plans.sqlite:4", plans[1]))]
    expect(all(each == without[0] for each in without), "points differ from plans")
    expect(without[0]["different"], "the points do not differ")
    same = run(dsm, "diff", folder / "points.sqlite:4", plans[0])
    expect(same.endswith("no difference\n"), f"a point is not its plan: {same}")


def main():
    dsm = sys.argv[1]
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    failures = compared = 0
    with tempfile.TemporaryDirectory(prefix="dsm-diff-") as name:
        folder = pathlib.Path(name)
        for seed in range(first, first + count):
            try:
                compared += try_seed(dsm, folder, seed)
            except Wrong as wrong:
                failures += 1
                print(f"seed {seed}: {wrong}")
        try:
            try_sweep(dsm, folder)
        except Wrong as wrong:
            failures += 1
            print(f"sweep: {wrong}")
    print(f"{compared} pairs compared, {failures} failures")
    return 1 if failures or compared < count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
