#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm check` against a second derivation of the comparison, from two plans as `dsm explore` writes
them, for random networks, machines, changes and tolerances.

Usage: check_twin.py DSM [FIRST_SEED [COUNT]]
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROUNDING = 1e-9
WORKLOADS = ("raider", "alexnet", "vgg16", "gnmt", "mobilenet_v2")
SYSTEMS = ("torus64", "torus16", "torus64_symmetric", "torus64_refined", "chip1")
CHANGES = (
    "system.core.scratchpad_MiB=0.25", "system.core.scratchpad_MiB=4", "system.pe.simd_macs=16",
    "system.chip.memory.bandwidth_GBps=300", "system.system.link_bandwidth_y_GBps=60",
    "system.core.scratchpad_MiB=2", "system.core.frequency_GHz=2.002", "system.core.frequency_GHz=1.9",
    "system.array.startup_cycles=1001", "system.array.startup_cycles=500",
    "system.chip.memory.bandwidth_GBps=257", "system.chip.memory.bandwidth_GBps=100",
    "system.chip.memory.capacity_GB=1", "system.chip.memory.capacity_GB=0.05",
    "system.system.link_bandwidth_y_GBps=41", "system.system.link_bandwidth_x_GBps=10",
    "system.chip.core_link_bandwidth_GBps=64", "system.chip.cores=16", "workload.minibatch=255",
    "workload.minibatch=512", "system.name=other", "system.model.layout_move=always",
)
TECHNOLOGIES = (None, "n7", "n5", "n28")
OPTIMIZATIONS = ("all", "none", "hybrid", "reuse,hybrid", "hybrid,dysm,reuse")
TOLERANCES = ("0", "0.1%", "0.005", "0.5%", "5%", "0.3", "1")
DIMS = ("in", "out", "ij", "kij", "mb")
PASSES = ("forward", "backward", "update")


# ---- the second derivation ----


def moved(before, after, tolerance):
    """before, after, relative change (None: from nothing), whether it is beyond."""
    if before == after:
        change = 0.0
    elif before == 0:
        change = math.inf
    else:
        change = (after - before) / before
    return {"before": before, "after": after, "change": None if math.isinf(change) else change,
            "beyond": abs(change) > tolerance + ROUNDING}


def split_words(split):
    return " ".join(f"{dim} {split[dim]}" for dim in DIMS if split[dim] != 1) or "none"


def later_words(a_pass):
    later = a_pass["invocations"][1:]
    return ", ".join(f"{each['kind']}: {split_words(each['core_split'])}"
                     for each in later) or "none"


def fraction_words(value):
    return f"{value:.17g}" if value not in (0, 1) else str(int(value))


def group_words(plan, layer):
    name = layer["pipeline_group"]
    if name is None:
        return "none"
    group = next(each for each in plan["pipeline"] if each["name"] == name)
    rows = group["rows"][group["layers"].index(layer["name"])]
    return f"{name}: {group['columns']} x {rows} chips"


def layer_decisions(plan, layer):
    layout = layer.get("output_layout")
    return {"dysm_factor": str(layer["dysm_factor"]),
            "output_on_chip": str(layer["output_on_chip"]).lower(),
            "output_layout": "none" if layout is None else
            f"features {layout['features']} ij {layout['ij']} mb {layout['mb']}",
            "hoisted": str(layer.get("hoisted", "none")).lower(),
            "weights_on_chip": layer["weights_on_chip"],
            "pipeline_group": group_words(plan, layer),
            "error_parallelism": layer.get("error_parallelism", "none")}


def pass_decisions(a_pass):
    return {"parallelism": a_pass["parallelism"], "core_split": split_words(a_pass["core_split"]),
            "later_core_split": later_words(a_pass)}


def differences(before, after):
    """Decisions that differ; fractions by more than rounding."""
    for key, was in before.items():
        now = after[key]
        if was != now and (isinstance(was, str) or abs(was - now) > ROUNDING or 0 in (was, now)):
            yield key, was, now


def derive(before, after, tolerance):
    was = {layer["name"]: layer for layer in before["layers"]}
    now = {layer["name"]: layer for layer in after["layers"]}
    layers = [(name, "missing") for name in was if name not in now]
    layers += [(name, "new") for name in now if name not in was]
    hertz = [1e9 * plan["system"]["core"]["frequency_GHz"] for plan in (before, after)]
    passes, decisions = [], []
    for name in [*was, *(name for name in now if name not in was)]:
        if name not in was or name not in now:
            side, presence = (was, "missing") if name in was else (now, "new")
            for kind in (kind for kind in PASSES if kind in side[name]["passes"]):
                seconds = side[name]["passes"][kind]["cycles"]["total"] / hertz[presence == "new"]
                passes.append((seconds, name, kind, presence, None, None, None))
            continue
        for key, old, new in differences(layer_decisions(before, was[name]),
                                         layer_decisions(after, now[name])):
            decisions.append((name, None, key, old, new))
        for kind in PASSES:
            old, new = was[name]["passes"].get(kind), now[name]["passes"].get(kind)
            if old is None or new is None:
                if old is not None or new is not None:
                    seconds = (old or new)["cycles"]["total"] / hertz[old is None]
                    passes.append((seconds, name, kind, "new" if old is None else "missing",
                                   None, None, None))
                continue
            cycles = [a_pass["cycles"]["total"] for a_pass in (old, new)]
            times = [cycles[i] / hertz[i] for i in (0, 1)]
            seconds = moved(*times, tolerance)
            utilization = moved(old["utilization"], new["utilization"], tolerance)
            if seconds["beyond"] or utilization["beyond"]:
                is_same = hertz[0] == hertz[1]
                difference = (cycles[1] - cycles[0]) / hertz[0] if is_same else times[1] - times[0]
                passes.append((abs(difference), name, kind, "both", seconds,
                               moved(*cycles, tolerance) if is_same else None, utilization))
            for key, one, other in differences(pass_decisions(old), pass_decisions(new)):
                decisions.append((name, kind, key, one, other))
    passes = [listed[1:] for listed in sorted(passes, key=lambda listed: -listed[0])]
    step = {key: moved(before["result"][key], after["result"][key], tolerance)
            for key in ("step_seconds", "step_cycles", "utilization")}
    step["sample_seconds"] = moved(*(plan["result"]["step_seconds"] / plan["minibatch"]
                                     for plan in (before, after)), tolerance)
    if hertz[0] != hertz[1]:
        step["step_cycles"] = None
    time, utilization = step["sample_seconds"], step["utilization"]
    if time["beyond"]:
        verdict = "regressed" if time["change"] > 0 else "improved"
    elif utilization["beyond"]:
        verdict = "regressed" if utilization["change"] < 0 else "improved"
    else:
        verdict = "changed" if layers or passes or decisions else "ok"
    energies = [plan["result"].get("energy") for plan in (before, after)]
    step["sample_joules"], figures = None, None
    if None not in energies:
        step["sample_joules"] = moved(*(energy["step_joules"] / plan["minibatch"] for energy, plan in
                                        zip(energies, (before, after))), tolerance)
        both = [key for key in energies[0] if key in energies[1] and key != "objective_bound"]
        all_figures = [(key, moved(energies[0][key], energies[1][key], tolerance)) for key in both]
        figures = [(f"energy.{key}", each) for key, each in all_figures
                   if each["beyond"] or key in ("step_joules", "million_samples_dollars")]
        decide = [step["sample_joules"], *(each for key, each in all_figures
                                           if key == "million_samples_dollars")]
        decide = [each["change"] for each in decide if each["beyond"]]
        if verdict == "regressed" or any(change > 0 for change in decide):
            verdict = "regressed"
        elif decide:
            verdict = "improved"
        elif verdict == "ok" and any(each["beyond"] for _, each in figures):
            verdict = "changed"
    return verdict, step, figures, layers, passes, decisions


# ---- what dsm says ----


def said(item):
    def both(each, key):
        return each.get(key) if each["presence"] == "both" else None

    def word(each, key):
        return float(each[key]) if each["decision"] == "weights_on_chip" else each[key]

    step = {key: item.get(key)
            for key in ("step_seconds", "sample_seconds", "step_cycles", "utilization",
                        "sample_joules")}
    figures = None if "figures" not in item else [
        (each["path"], {key: each[key] for key in ("before", "after", "change", "beyond")})
        for each in item["figures"]]
    return (item["verdict"], step, figures,
            [(each["layer"], each["presence"]) for each in item["layers"]],
            [(each["layer"], each["pass"], each["presence"], both(each, "seconds"),
              both(each, "cycles"), both(each, "utilization")) for each in item["passes"]],
            [(each["layer"], each.get("pass"), each["decision"], word(each, "before"),
              word(each, "after")) for each in item["decisions"]])


def run(dsm, *arguments):
    done = subprocess.run([dsm, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr


def explore(dsm, file, *arguments):
    code, out, _ = run(dsm, "explore", *arguments, "--format", "json")
    if code == 0 and file is not None:
        file.write_text(out)
    return code, json.loads(out) if code == 0 else None


def sets(changes):
    return [word for change in changes for word in ("--set", change)]


def try_seed(dsm, seed, folder, verdicts):
    """None, or what went wrong."""
    draw = random.Random(seed)
    workload, system = draw.choice(WORKLOADS), draw.choice(SYSTEMS)
    technology = draw.choice(TECHNOLOGIES)
    named = [] if technology is None else [f"system.technology={technology}"]
    options = [*sets(named), "--mode", draw.choice(("training", "inference")), "--optimize",
               draw.choice(OPTIMIZATIONS), "--set", f"workload.minibatch={draw.choice((64, 256))}"]
    changes = draw.sample(CHANGES, draw.choice((0, 1, 1, 2, 3)))
    tolerance = draw.choice(TOLERANCES)
    other = draw.choice(WORKLOADS) if draw.random() < 0.15 else None
    file = folder / "baseline.json"
    code, before = explore(dsm, file, workload, system, *options)
    if code != 0:
        return None if code == 4 else f"explore: exit {code}"
    kept = options if other is None else options[:-2]
    wanted_code, after = explore(dsm, None, other or workload, system, *kept, *sets(changes))
    arguments = ["check", str(file), "--format", "json", "--tolerance", tolerance, *sets(changes)]
    arguments += ["--workload", other] if other is not None else []
    code, out, err = run(dsm, *arguments)
    if after is None:
        verdicts["infeasible"] = verdicts.get("infeasible", 0) + 1
        return None if code == wanted_code else f"exit {code} in place of {wanted_code}: {err}"
    number = float(tolerance[:-1]) / 100 if tolerance.endswith("%") else float(tolerance)
    wanted, found = derive(before, after, number), said(json.loads(out)["items"][0])
    verdicts[wanted[0]] = verdicts.get(wanted[0], 0) + 1
    if wanted != found:
        pairs = [(a, b) for a, b in zip(wanted, found) if a != b]
        return f"{' '.join(arguments)}\n  wanted {pairs[0][0]}\n  found  {pairs[0][1]}"
    if code != (1 if wanted[0] == "regressed" else 0):
        return f"exit {code} with {wanted[0]}"
    code, _, _ = run(dsm, *arguments, "--strict")
    return None if code == (0 if wanted[0] == "ok" else 1) else f"--strict: exit {code}"


def main():
    dsm = str(pathlib.Path(sys.argv[1]).resolve())
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    verdicts, failed = {}, 0
    with tempfile.TemporaryDirectory(prefix="dsm-check-") as name:
        for seed in range(first, first + count):
            problem = try_seed(dsm, seed, pathlib.Path(name), verdicts)
            if problem is not None:
                print(f"seed {seed}: {problem}")
                failed += 1
    print(f"{count} seeds, {failed} failed: {verdicts}")
    missing = {"ok", "improved", "changed", "regressed"} - set(verdicts)
    if count >= 60 and missing:
        print(f"never seen: {sorted(missing)}")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
