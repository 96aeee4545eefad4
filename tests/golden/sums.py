#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does every plan of the bundled descriptions add up, as written?

Explores every bundled network, some on every bundled system and the others on three, in training and
inference, and adds up what the plan's JSON says, by the rules of docs/formats.md alone:
 - the parts of every set of cycles: of the step, of passes and of invocations;
 - the invocations of a pass, times their counts, and in a pipeline times one share for the layer;
   and its groups of transfers;
 - the passes of a pipeline group, to each layer its part by its rows, and of the step: cycles of
   each part, and ideal cycles;
 - the step in seconds and samples; the parts of the memory; utilization, of each pass and the step.

And of the table for people: the shares of the step that passes have, and those where the step goes
to, come to 100 % but for rounding; its rows, each as often as it says, are all passes of all layers.

Usage: sums.py DSM_BINARY SOURCE_DIR
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from how_many import part_of  # noqa: E402

TOLERANCE = 1e-9
PARTS = ("primary", "overlapped_visible", "auxiliary", "non_overlapped")
MEMORY_PARTS = ("weights_bytes", "activations_bytes", "gradients_bytes", "errors_bytes",
                "optimizer_bytes", "cache_bytes")
INVOCATION_GROUPS = ("partial_sum", "layout_move", "rotation", "collective", "overhead")
# Networks that go everywhere; others go to one system of each kind.
EVERYWHERE = {"alexnet", "gnmt", "gnmt_vocab", "raider", "vgg16"}
SYSTEMS = {"torus64", "tpu_v3_32", "dgx_a100"}
# What does not fit: 12 GB on a chip of 8; the scores of long sequences, which a backward pass needs; all
# weights of experts, which chips do not share.
TOO_LARGE = {
    ("deepseek_v3", "inference"): ("torus64", "tpu_v3_32", "dgx_a100"),
    ("deepseek_v3", "training"): ("torus64", "tpu_v3_32", "dgx_a100"),
    ("gemma3_27b", "inference"): ("torus64",),
    ("gemma3_27b", "training"): ("torus64", "tpu_v3_32", "dgx_a100"),
    ("gnmt_vocab", "training"): ("chip1",),
    ("gpt3_175b", "training"): ("torus64", "tpu_v3_32"),
    ("gpt_oss_120b", "inference"): ("torus64",),
    ("gpt_oss_120b", "training"): ("torus64", "tpu_v3_32"),
    ("llama2_13b", "training"): ("torus64", "tpu_v3_32"),
    ("llama2_70b", "training"): ("torus64", "tpu_v3_32"),
    ("llama2_7b", "training"): ("torus64",),
    ("llama3_405b", "inference"): ("torus64", "tpu_v3_32"),
    ("llama3_405b", "training"): ("torus64", "tpu_v3_32", "dgx_a100"),
    ("llama3_70b", "training"): ("torus64", "tpu_v3_32"),
    ("llama3_8b", "training"): ("torus64", "tpu_v3_32"),
    ("mistral_7b", "training"): ("torus64", "tpu_v3_32"),
    ("mixtral_8x7b", "inference"): ("torus64",),
    ("mixtral_8x7b", "training"): ("torus64", "tpu_v3_32"),
    ("phi3", "training"): ("torus64",),
    ("qwen3_235b", "inference"): ("torus64",),
    ("qwen3_235b", "training"): ("torus64", "tpu_v3_32", "dgx_a100"),
    ("qwen3_32b", "training"): ("torus64", "tpu_v3_32"),
    ("whisper_large", "training"): ("torus64", "tpu_v3_32"),
}
INFEASIBLE = {(network, system, mode)
              for (network, mode), systems in TOO_LARGE.items() for system in systems}


class Written:
    """A plan as its JSON says it, and what does not add up."""

    def __init__(self, name, plan):
        self.name = name
        self.plan = plan
        self.complaints = []
        self.count = 0

    def expect(self, place, found, expected):
        self.count += 1
        if not math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=1e-12):
            self.complaints.append(
                f"{self.name}: {place}: found {found:.17g}, adds up to {expected:.17g}")


def sum_of(items, key):
    return math.fsum(item[key] for item in items)


def check_cycles(written, place, cycles):
    written.expect(f"{place}.total", cycles["total"], math.fsum(cycles[part] for part in PARTS))
    if not 0 <= cycles["overlapped_visible"] <= cycles["overlapped"]:
        written.complaints.append(f"{written.name}: {place}: more is visible than there is")


def check_invocations(written, place, one, share):
    """All of a pass counts as often as its invocations do, times its share: 1 outside of pipelines."""
    for index, invocation in enumerate(one["invocations"]):
        check_cycles(written, f"{place}.invocations[{index}].cycles", invocation["cycles"])
    for part in ("primary", "overlapped", "overlapped_visible", "auxiliary"):
        total = math.fsum(i["count"] * i["cycles"][part] for i in one["invocations"])
        written.expect(f"{place}.cycles.{part}", one["cycles"][part], share * total)
    total = math.fsum(i["count"] * i["cycles"]["non_overlapped"] for i in one["invocations"])
    groups = math.fsum(one["groups"].get(group, 0) for group in INVOCATION_GROUPS)
    written.expect(f"{place}.groups of invocations", groups, share * total)


def share_of(layer):
    """Of a pipelined layer, as how many its forward invocations count; of any other, 1."""
    if layer["pipeline_group"] is None:
        return 1
    one = layer["passes"]["forward"]
    own = math.fsum(i["count"] * i["cycles"]["primary"] for i in one["invocations"])
    return one["cycles"]["primary"] / own


def check_resources(written, place, one):
    """The time by what decides it: all of it, no rounding among it, and the bound is the largest."""
    resources, total = one["resources"], one["cycles"]["total"]
    written.expect(f"{place}.resources", math.fsum(resources.values()), total)
    for name, cycles in resources.items():
        if abs(cycles) < 1e-12 * total:
            written.complaints.append(f"{written.name}: {place}: {name} of {cycles} is rounding")
    if resources[one["bound"]] < max(resources.values()) * (1 - TOLERANCE):
        written.complaints.append(f"{written.name}: {place}: bound by {one['bound']}")


def check_pass(written, place, one, share):
    cycles = one["cycles"]
    check_resources(written, place, one)
    check_cycles(written, f"{place}.cycles", cycles)
    check_invocations(written, place, one, share)
    groups = one["groups"]
    written.expect(f"{place}.groups.stream", groups.get("stream", 0), cycles["overlapped"])
    others = math.fsum(groups[group] for group in groups if group != "stream")
    written.expect(f"{place}.cycles.non_overlapped", cycles["non_overlapped"], others)
    written.expect(f"{place}.utilization", one["utilization"], one["ideal_cycles"] / cycles["total"])
    is_idle = one["ideal_cycles"] == 0  # an embedding, which multiplies nothing
    if not 0 <= one["utilization"] <= 1 + TOLERANCE or is_idle != (one["utilization"] == 0):
        written.complaints.append(f"{written.name}: {place}: utilization {one['utilization']}")


def check_result(written, passes):
    plan, result = written.plan, written.plan["result"]
    check_cycles(written, "result.cycles", result["cycles"])
    check_resources(written, "result", result)
    for part in PARTS + ("overlapped", "total"):
        written.expect(f"result.cycles.{part}", result["cycles"][part],
                       math.fsum(one["cycles"][part] for one in passes))
    written.expect("result.step_cycles", result["step_cycles"], result["cycles"]["total"])
    written.expect("result.ideal_cycles", result["ideal_cycles"], sum_of(passes, "ideal_cycles"))
    written.expect("result.utilization", result["utilization"],
                   result["ideal_cycles"] / result["step_cycles"])
    seconds = result["step_cycles"] / (plan["system"]["core"]["frequency_GHz"] * 1e9)
    written.expect("result.step_seconds", result["step_seconds"], seconds)
    written.expect("result.samples_per_second", result["samples_per_second"],
                   plan["minibatch"] / seconds)
    if plan["mode"] == "inference":
        written.expect("result.latency_seconds", result["latency_seconds"], seconds)
    memory = result["memory"]
    written.expect("result.memory.total_bytes", memory["total_bytes"],
                   math.fsum(memory.get(part, 0) for part in MEMORY_PARTS))


def check_plan(written):
    passes = []
    by_name = {layer["name"]: layer["passes"] for layer in written.plan["layers"]}
    by_group = {group["name"]: [] for group in written.plan["pipeline"]}
    for index, layer in enumerate(written.plan["layers"]):
        group = layer["pipeline_group"]
        for name, one in layer["passes"].items():
            place = f"layers[{index}].passes.{name}"
            check_pass(written, place, one, share_of(layer))
            passes.append(one)
            if group is not None:
                by_group[group].append(one)
    for index, group in enumerate(written.plan["pipeline"]):
        total = math.fsum(one["cycles"]["total"] for one in by_group[group["name"]])
        written.expect(f"pipeline[{index}].cycles", group["cycles"], total)
        for layer, rows in zip(group["layers"], group["rows"]):
            total = math.fsum(one["cycles"]["total"] for one in by_name[layer].values())
            written.expect(f"pipeline[{index}], {layer}", total,
                           group["cycles"] * rows / sum(group["rows"]))
    check_result(written, passes)


def names_of(folder):
    return sorted(path.stem for path in folder.glob("*.json"))


def last_number(text):
    """A dash is none."""
    word = text.split()[-1]
    return 0 if word == "-" else float(word)


def column_of(lines, name):
    """The numbers that stand right under the end of a heading, up to the empty line behind the table."""
    heading = next(i for i, line in enumerate(lines) if line.startswith("layer ") and name in line)
    end = lines[heading].index(name) + len(name)
    table = lines[heading + 1:lines.index("", heading)]
    return [last_number(line[:end]) for line in table]


def shares_of(lines):
    """The numbers of the list of where the step goes."""
    heading = next(i for i, line in enumerate(lines) if line.startswith("the step goes to"))
    end = lines[heading].index("%") + 1
    listed = (lines + [""])[heading + 1:]
    return [last_number(line[:end]) for line in listed[:listed.index("")]]


def check_printed(name, text):
    """Each printed number may be wrong by half of its last digit, 0.05 %."""
    lines = text.splitlines()
    complaints = []
    for what, numbers in (("step", column_of(lines, "step")), ("the step goes to", shares_of(lines))):
        total = math.fsum(numbers)
        if abs(total - 100) > 0.05 * len(numbers) + TOLERANCE:
            complaints.append(f"{name}: {what}: {total:.1f} % of {len(numbers)} numbers")
    return complaints


def counts_of(lines):
    """Of how many layers each row of the table is: what stands under n in the first row of a layer."""
    heading = next(i for i, line in enumerate(lines) if line.startswith("layer ") and " pass " in line)
    table = lines[heading + 1:lines.index("", heading)]
    name_end = lines[heading].index(" pass ")
    counts = []
    for line in table:
        words = line[:name_end].split()
        has_count = " n " in lines[heading] and words and words[-1].isdigit() and len(words) > 1
        counts.append(counts[-1] if not words else int(words[-1]) if has_count else 1)
    return counts


def check_counts(written, text):
    """The rows of the table are all passes of all layers, each row as often as it says."""
    passes = sum(len(layer["passes"]) for layer in written.plan["layers"])
    written.expect("rows of the table, times their counts", sum(counts_of(text.splitlines())), passes)


def check_pair(program, pair):
    """What is wrong with the plan of a workload, a system and a mode, and how many sums it has."""
    workload, system, mode = pair
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.json"
        # What would fit in its place is not asked for long.
        limit = ["--time-limit", "1"] if pair in INFEASIBLE else []
        output = subprocess.run([program, "explore", workload, system, "--mode", mode, "-o", path, *limit],
                                capture_output=True, timeout=120, text=True)
        plan = path.read_text(encoding="utf-8") if output.returncode == 0 else None
    if output.returncode != (4 if pair in INFEASIBLE else 0):
        return [f"{' '.join(pair)}: exit code {output.returncode}"], 0
    if pair in INFEASIBLE:
        return [], 0
    written = Written(" ".join(pair), json.loads(plan))
    check_plan(written)
    check_counts(written, output.stdout)
    return written.complaints + check_printed(written.name, output.stdout), written.count + 2


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    complaints = []
    plans = sums = 0
    asked = [(workload, system, mode) for workload in names_of(source / "workloads")
             for system in (names_of(source / "systems") if workload in EVERYWHERE else sorted(SYSTEMS))
             for mode in ("training", "inference")]
    for pair in part_of(asked, 5):
        found, count = check_pair(program, pair)
        complaints += found
        sums += count
        plans += count > 0
    if plans == 0:
        complaints.append(f"no plans of the descriptions in {source}")
    print("\n".join(complaints) or f"all {sums} sums of {plans} plans add up")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
