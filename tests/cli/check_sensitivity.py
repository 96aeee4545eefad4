#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A second derivation of `dsm explore --sensitivity`: each parameter of the system, as a plan has it, is
made a tenth larger or smaller here and explored with --set; times, ratios, elasticities, reasons and the order must be
those that --sensitivity prints, and describe must answer as explore does. Of `dsm score` with the same options, which
keeps the mapping: each value is put into the plan's text, and that scored.

Usage: check_sensitivity.py DSM_BINARY
"""
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from how_many import part_of  # noqa: E402

COUNTS = {"pe.simd_macs", "array.rows", "array.columns", "chip.cores", "system.chips_x", "system.chips_y"}

# What costs time, room or bytes: tried downwards.
LESS = {"array.startup_cycles", "core.transcendental_passes", "core.streaming_buffer_KiB"}

# What cannot be bought, beside all of the model.
SOFTWARE = {"array.efficiency_ratio", "core.resident_weight_fraction", "chip.memory.efficiency_ratio"}

# Inputs and options; how many of the parameters are compared: all, or every so many.
CASES = (
    (("raider", "torus16", "--minibatch", "64"), 1),
    (("raider", "chip1", "--mode", "inference", "--minibatch", "4", "--set",
      "system.chip.memory.efficiency_ratio=0.95"), 1),
    (("gnmt", "torus64_refined"), 3),
    (("vgg16", "torus64", "--optimize", "hybrid,reuse", "--parallelism", "data,data_x_model_y", "--set",
      "system.core.scratchpad_MiB=0.5"), 3),
)

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(message)


def explore(dsm, *arguments):
    return subprocess.run([dsm, "explore", *arguments, "--format", "json"], capture_output=True,
                          text=True, check=False)


def numbers(value, path=""):
    """Paths and values of all numbers below an object."""
    for key, inner in value.items():
        below = f"{path}.{key}" if path else key
        if isinstance(inner, dict):
            yield from numbers(inner, below)
        elif isinstance(inner, (int, float)) and not isinstance(inner, bool):
            yield below, inner


def is_less_better(path):
    return path in LESS or path.startswith("model.")


def tenth_better(path, value):
    if is_less_better(path):
        return 0.9 * value
    if path in COUNTS:
        return max((11 * value + 5) // 10, value + 1)
    return 1.1 * value


def check_row(dsm, arguments, row, reference_seconds):
    path, value = row["path"], row["value"]
    name = f"{' '.join(arguments)}: {path}"
    word = "less" if is_less_better(path) else "more"
    expect(row["better"] == word, f"{name}: better {row['better']}, not {word}")
    if value == 0:
        expect(row.get("why_not") == f"10 % {word} than 0 is 0" and row["tried"] is None, f"{name}: {row}")
        return
    tried = tenth_better(path, value)
    expect(row["tried"] == tried, f"{name}: tried {row['tried']}, not {tried}")
    done = explore(dsm, *arguments, "--set", f"system.{path}={tried!r}")
    if "why_not" in row:
        expect(done.returncode in (3, 4) and row["why_not"] in done.stderr,
               f"{name}: {row['why_not']}, but exit {done.returncode}: {done.stderr}")
        return
    if done.returncode != 0:
        expect(False, f"{name}: exit {done.returncode}: {done.stderr}")
        return
    result = json.loads(done.stdout)["result"]
    for key in ("step_cycles", "step_seconds", "utilization"):
        expect(row[key] == result[key], f"{name}: {key} {row[key]}, not {result[key]}")
    ratio = result["step_seconds"] / reference_seconds
    ratio = 1 if abs(ratio - 1) <= 1e-9 else ratio
    expect(row["time_ratio"] == ratio, f"{name}: time_ratio {row['time_ratio']}, not {ratio}")
    elasticity = math.log(1 / ratio) / math.log(value / tried) if tried < value else \
        math.log(ratio) / math.log(tried / value)
    expect(math.isclose(row["elasticity"], elasticity, rel_tol=1e-12, abs_tol=0),
           f"{name}: elasticity {row['elasticity']}, not {elasticity}")
    expect(math.isclose(row["influence"], abs(elasticity), rel_tol=1e-12, abs_tol=1e-14),
           f"{name}: influence {row['influence']}, not that of {elasticity}")


def row_of(parameter):
    """What the checks need of a parameter that was varied once, with one network."""
    (variation,), (slope,) = parameter["variations"], parameter["elasticities"]
    (response,) = variation["responses"]
    word = {"more": "raised", "less": "lowered"}[parameter["better"]]
    expect(variation["kind"] == word, f"{parameter['path']}: {variation['kind']}, not {word}")
    expect(slope["basis"] == ("none" if "why_not" in response else word), f"{parameter['path']}: {slope}")
    return {**response, **slope, "path": parameter["path"], "better": parameter["better"],
            "value": parameter["value"], "tried": variation["value"], "influence": parameter["influence"],
            "is_software": parameter["is_software"]}


def check_case(dsm, arguments, step):
    name = " ".join(arguments)
    plan = json.loads(explore(dsm, *arguments).stdout)
    text = explore(dsm, *arguments, "--sensitivity").stdout
    (found,) = json.loads(text)["items"]
    (network,) = found["networks"]
    expect(found["mapping"] == "explored", f"{name}: {found['mapping']}")
    for key in ("step_cycles", "step_seconds", "utilization"):
        expect(network[key] == plan["result"][key], f"{name}: {key} as it is: {network[key]}")
    expect(network["minibatch"] == plan["minibatch"], f"{name}: {network['minibatch']} samples")
    for key in ("mode", "optimizations"):
        expect(found[key] == plan[key], f"{name}: {key}: {found[key]}")
    expect(found["parallelisms"] == plan["options"]["parallelisms"], f"{name}: {found['parallelisms']}")
    rows = [row_of(parameter) for parameter in found["parameters"]]
    system = dict(numbers(plan["system"]))
    expect({row["path"]: row["value"] for row in rows} == system, f"{name}: not the numbers of the plan's system")
    order = list(system)
    keys = [(row["is_software"], -row["influence"], order.index(row["path"])) for row in rows]
    software = {row["path"] for row in rows if row["is_software"]}
    expect(software == {path for path in order if path.startswith("model.") or path in SOFTWARE}, f"{name}: {software}")
    expect(keys == sorted(keys), f"{name}: not in order")
    tried = part_of(rows[::step], 3)
    for row in tried:
        check_row(dsm, arguments, row, plan["result"]["step_seconds"])
    check_same(dsm, arguments, text)
    return len(tried)


def check_same(dsm, arguments, sensitivity):
    """It is one question: describe answers as explore does."""
    workload, system, *options = arguments
    for option, expected in (("--sensitivity", sensitivity),
                             ("--elasticity", explore(dsm, *arguments, "--elasticity").stdout)):
        done = subprocess.run([dsm, "describe", system, workload, *options, option, "--format", "json"],
                              capture_output=True, text=True, check=True)
        expect(done.stdout == expected, f"{' '.join(arguments)}: describe {option} says something else")


# ---- with the mapping of a plan ----

# Inputs and options; how many of the parameters are compared.
KEPT_CASES = (
    (("raider", "torus16"), 1),
    (("vgg16", "torus64"), 3),
    (("gnmt", "torus64"), 5),
    (("gnmt", "torus64_refined"), 4),
    (("googlenet", "chip1", "--mode", "inference", "--minibatch", "16"), 5),
)

# A resource, and the numbers of which it is the rate.
RATES = {"core.sfu_ops_per_cycle": "auxiliary", "core.scratchpad_bandwidth_GBps": "scratchpad",
         "chip.core_link_bandwidth_GBps": "ring", "chip.memory.bandwidth_GBps": "memory",
         "system.link_bandwidth_x_GBps": "link_x", "system.link_bandwidth_y_GBps": "link_y"}


def score(dsm, plan, *options):
    return subprocess.run([dsm, "score", "-", "-q", "--format", "json", *options], input=plan, capture_output=True,
                          text=True, check=False)


def with_value(text, path, value):
    """The plan with another value of its system, or of its workload."""
    plan = json.loads(text)
    *groups, key = path.split(".")
    inner = plan if groups == ["workload"] else plan["system"]
    for group in groups:
        inner = inner[group]
    inner[key] = value
    return json.dumps(plan)


def check_kept_variation(dsm, text, path, variation):
    name = f"kept: {path} {variation['value']}"
    (response,) = variation["responses"]
    if variation["value"] is None:
        expect("why_not" in response, f"{name}: a time without a value")
        return
    done = score(dsm, with_value(text, path, variation["value"]))
    if "why_not" in response:
        expect(done.returncode in (3, 4), f"{name}: {response['why_not']}, but exit {done.returncode}")
    elif done.returncode != 0:
        expect(False, f"{name}: exit {done.returncode}: {done.stderr}")
    else:
        result = json.loads(done.stdout)["result"]
        for key in ("step_cycles", "step_seconds", "utilization"):
            expect(response[key] == result[key], f"{name}: {key} {response[key]}, not {result[key]}")


def check_against_explored(dsm, arguments, kept, resources):
    """No mapping that stays is faster than the best; and what a resource gains is at most its share."""
    (found,) = json.loads(explore(dsm, *arguments, "--sensitivity").stdout)["items"]
    explored = {parameter["path"]: row_of(parameter) for parameter in found["parameters"]}
    total = sum(resources.values())
    for parameter in kept["parameters"]:
        row = row_of(parameter)
        best = explored[row["path"]]
        if "why_not" in row:
            continue
        expect(best["time_ratio"] <= row["time_ratio"] * (1 + 1e-9),
               f"{' '.join(arguments)}: {row['path']}: {best['time_ratio']} explored, {row['time_ratio']} kept")
        if row["path"] in RATES:
            due = resources.get(RATES[row["path"]], 0) / total * (1 - 1 / 1.1)
            expect(1 - row["time_ratio"] <= due + 1e-9,
                   f"{' '.join(arguments)}: {row['path']}: gains {1 - row['time_ratio']}, its share allows {due}")


def check_kept(dsm, arguments, step):
    text = explore(dsm, *arguments).stdout
    plan = json.loads(text)
    count = 0
    for option in ("--elasticity", "--sensitivity"):
        (kept,) = json.loads(score(dsm, text, option).stdout)["items"]
        (network,) = kept["networks"]
        expect(kept["mapping"] == "kept" and network["step_seconds"] == plan["result"]["step_seconds"],
               f"{' '.join(arguments)}: {kept['mapping']}, {network}")
        for parameter in part_of(kept["parameters"][::step], 3):
            for variation in parameter["variations"]:
                check_kept_variation(dsm, text, parameter["path"], variation)
                count += 1
    check_against_explored(dsm, arguments, kept, plan["result"]["resources"])
    return count


def main():
    count = sum(check_case(sys.argv[1], arguments, step) for arguments, step in CASES)
    count += sum(check_kept(sys.argv[1], arguments, step) for arguments, step in KEPT_CASES)
    print(f"{count} rows, {len(failures)} differences")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
