#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions beside times that others measured on real machines: the tables of docs/evidence/measured.md.

The sets are rows of a table in tools/measured_sets.py. Nothing is fitted but for the section that says so: each family of
systems has the constants of the bundled systems.

Usage: measured.py DSM [FOLDER...] [SET...]
       measured.py DSM --page REPOSITORY [FOLDER... | --check]
The first prints how the quoted rows of the sets are predicted, or all rows of folders of tables. The second renews the
quoted rows of docs/evidence/measured.md and, with the folders, what is said of all rows, there and in README.md.
What is said of all rows bears a digest of the quoted predictions, so that it is known to be of the same version. With
--check nothing is written, and the exit code is 1 if quoted rows differ, or what is said of all rows is of other
predictions.
"""
import concurrent.futures
import csv
import functools
import hashlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading

import serving_runs
import training_runs
from measured_sets import BY_NAME, PASSES, SETS, bytes_of_collective, megatron_of_2021, size, two_layers


COMPUTED = ("cycles", "ideal_cycles", "utilization", "bound", "resources", "groups", "hidden_cycles", "transfers", "tile")


def decisions_alone(text):
    plan = json.loads(text)
    for layer in plan["layers"]:
        for one in layer["passes"].values():
            for key in COMPUTED:
                one.pop(key, None)
    return json.dumps(plan)


class Dsm:
    """The program. Equal questions are asked once."""

    def __init__(self, path):
        self.path, self.folder, self.answers, self.lock = path, tempfile.TemporaryDirectory(), {}, threading.Lock()

    def answer(self, words, kept=json.loads):
        """What is kept of the text that these words print."""
        with self.lock:
            is_first = words not in self.answers
            answer = self.answers.setdefault(words, concurrent.futures.Future())
        if is_first:
            try:
                done = subprocess.run([self.path, *words, "--format", "json"], capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL)
                if done.returncode != 0:
                    raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
                answer.set_result(kept(done.stdout))
            except Exception as error:
                answer.set_exception(error)
        return answer.result()

    def plan(self, workload, system, *options, kept=json.loads, **values):
        changes = [part for path, value in values.items() for part in ("--set", f"{path.replace('__', '.')}={value}")]
        return self.answer(("explore", str(workload), str(system), *options, *changes), kept)

    def plan_to_edit(self, *question, **values):
        """A plan of one's own, without what score computes again: those of large networks have megabytes."""
        return json.loads(self.plan(*question, kept=decisions_alone, **values))

    def score(self, plan):
        """The result of an edited plan, alone."""
        path = self.file("plan", plan)
        return self.answer(("score", str(path)), lambda text: json.JSONDecoder().raw_decode(text, text.index('"result": ') + 10)[0])

    def file(self, name, content):
        """A file with this content, and a name that says which, so that equal contents are one file."""
        text = json.dumps(content)
        path = pathlib.Path(self.folder.name) / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
        with self.lock:
            if not path.exists():
                path.write_text(text)
        return path

    def workload(self, layers, element_bytes=2, minibatch=1, **members):
        return self.file("workload", {"format": "dsm-workload/1", "name": "measured", "minibatch": minibatch,
                                      "element_bytes": element_bytes, "gradient_bytes": element_bytes,
                                      "layers": layers, **members})


@functools.cache
def pool():
    return concurrent.futures.ThreadPoolExecutor(os.cpu_count())


def predicted_rows(dsm, each, folders, step=1, **values):
    """Of each row of a set, or of every so many: the row, its name, what was measured and what is predicted."""
    rows = each.rows(folders)[::step]
    predicted = pool().map(lambda row: each.question(dsm, row, **each.asked, **values), rows)
    return [(row, each.told(row), each.measured(row), guess) for row, guess in zip(rows, predicted)]


def errors_of(rows):
    return [predicted / measured - 1 for *_, measured, predicted in rows]


def mean_error(rows):
    return statistics.mean(map(abs, errors_of(rows)))


def percent(value, sign=""):
    return f"{100 * value:{sign}.1f} %"


def table_of(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def page_table(dsm, each):
    return table_of(("what", "measured", "predicted", "error"),
                    [(what, f"{measured:.4g}", f"{predicted:.4g}", percent(predicted / measured - 1, "+"))
                     for _, what, measured, predicted in predicted_rows(dsm, each, ())])


# ---- one thing changed at a time: a table is a row ----

def of_both_axes(key, value):
    return {f"system__system__axes__{axis}__{key}": value for axis in "xy"}


NO_LAUNCHES = {"system__core__operation_overhead_us": 0, "system__core__issue_us": 0}
TPU_CHANGES = (
    ("steps of links without latency, not 1 us", of_both_axes("latency_us", 0)),
    ("steps of links of 3 us", of_both_axes("latency_us", 3)),
    ("all of the links' bandwidth, not 82 %", of_both_axes("efficiency_ratio", 1)),
    ("statistics of each core's samples alone", {"workload__normalization_group": 1}),
    ("no time between operations, not 5 us", {"system__core__operation_overhead_us": 0}),
    ("arrays at 95 % of their peak, not 85 %", {"system__array__efficiency_ratio": 0.95}))
GPU_CHANGES = (
    ("each layer sums its own gradients", {"system__model__fused_reductions": "false"}),
    ("sums of gradients hide behind nothing", {"system__model__overlapped_reduction": "false"}),
    ("only normalisations read and write memory", {"system__model__auxiliary_traffic": "fused"}),
    ("no time between kernels", NO_LAUNCHES),
    ("arrays at 70 % of their peak", {"system__array__efficiency_ratio": 0.7}),
    ("memory of operations at 65 %", {"system__chip__memory__auxiliary_efficiency_ratio": 0.65}))
ALLREDUCE_CHANGES = (
    ("links at 60 %, not 75 %", {"system__system__axes__gpu__efficiency_ratio": 0.6}),
    ("links at 50 %", {"system__system__axes__gpu__efficiency_ratio": 0.5}),
    ("latencies of protocols twice as long", {"system__system__protocol_latency_ratio": 3}),
    ("no protocols", {"system__system__axes__gpu__protocols": "false"}))
CONVOLUTION_CHANGES = (
    ("arrays at 60 % of their peak, not 80 %", {"system__array__efficiency_ratio": 0.6}),
    ("memory at 60 %, not 85 %", {"system__chip__memory__efficiency_ratio": 0.6}),
    ("10 us a kernel, not 5", {"system__core__operation_overhead_us": 10}),
    ("start of a tile 3 us, not 1", {"system__core__tile_startup_us": 3}))
GPT_CHANGES = (
    ("arrays and tiles as [products](#calibrated) have them: 78 %, 2.7 us",
     {"system__array__efficiency_ratio": 0.7787, "system__core__tile_startup_us": 2.747}),
    ("links in a node at 60 %, not 75 %", {"inside": {"efficiency_ratio": 0.6}}),
    ("links between nodes at 50 %, not 75 %", {"between": {"efficiency_ratio": 0.5}}),
    ("memory of operations at 65 %, not 75 %", {"system__chip__memory__auxiliary_efficiency_ratio": 0.65}),
    ("only normalisations read and write memory", {"system__model__auxiliary_traffic": "fused"}),
    ("no time between kernels", NO_LAUNCHES))


def bias(rows):
    return percent(statistics.mean(errors_of(rows)), "+")


def error(rows):
    return percent(mean_error(rows))


def everything(row, what):
    return True


def is_dense(row):
    return serving_runs.model_of(row) not in serving_runs.MIXTURES


FSDP_CHANGES = (
    ("arrays at 70 % of their peak, not 80 %", {"system__array__efficiency_ratio": 0.7}),
    ("memory of operations at 65 %, not 75 %", {"system__chip__memory__auxiliary_efficiency_ratio": 0.65}),
    ("attention at 25 % of the peak, not 35 %", {"system__model__attention_efficiency_ratio": 0.25}),
    ("shards' sums and gathers hide behind nothing", {"system__model__overlapped_reduction": False}),
    ("10 us between kernels, not 5", {"system__core__operation_overhead_us": 10, "system__core__issue_us": 10}))
FREE = {"bandwidth_GBps": 1e6, "latency_us": 0}
WAITING = {"system__model__overlapped_collectives": 0}
TENSOR_CHANGES = (
    ("collectives of layers and sums of gradients in a node take no time", {"inside": FREE}),
    ("transfers between nodes take no time", {"between": FREE}),
    ("arrays at 70 % of their peak", {"system__array__efficiency_ratio": 0.7}),
    ("products wait for all of the collectives of layers", WAITING),
    ("only normalisations read and write memory", {"system__model__auxiliary_traffic": "fused"}))
TORUS_CHANGES = (
    ("links take no time", {"inside": FREE}),
    ("links with all of their bandwidth, not 82 %", {"inside": {"efficiency_ratio": 1}}),
    ("products wait for all of the collectives of layers", WAITING),
    ("arrays at 95 % of their peak, not 85 %", {"system__array__efficiency_ratio": 0.95}))
PRODUCT_CHANGES = (
    ("2 us a kernel beside its work", {"system__core__kernel_floor_us": 2}),
    ("4 us a kernel", {"system__core__kernel_floor_us": 4}),
    ("neighbouring cores share no operands", {"system__core__shared_operands": 1}),
    ("arrays at 75 % of their peak, not 80 %", {"system__array__efficiency_ratio": 0.75}),
    ("memory at 75 %, not 85 %", {"system__chip__memory__efficiency_ratio": 0.75}))
SERVING_CHANGES = (
    ("the host takes nothing", {"system__system__step_overhead_us": 0, "system__system__request_overhead_us": 0}),
    ("no time between kernels", {"system__core__graph_overhead_us": 0, "system__core__operation_overhead_us": 0}),
    ("1 us a kernel beside its work, not 2", {"system__core__kernel_floor_us": 1}),
    ("runs of 5 requests for each that runs, not 10", {"waves": "5"}))
# Name of a table: whether it is of quoted rows alone, the changes, and its columns: title, set, which rows, what is said of
# their errors.
CHANGES = {
    "tpu_changes": (True, TPU_CHANGES, [(title, "steps", lambda row, _, chips=chips: row["chips"] == chips, bias) for title, chips in
                                        (("32 cores", "16"), ("256", "128"), ("1,024", "512"), ("8,192", "4096"))]),
    "gpu_changes": (True, GPU_CHANGES, [(title, "gpu_steps", lambda row, _, name=name: row["system"].startswith(name), bias)
                                        for title, name in (("8 V100", "dgx1"), ("8 A100", "dgxa100"))]),
    "collective_changes": (False, ALLREDUCE_CHANGES, [
        (f"{gpus} GPUs, {title}", "allreduces", lambda row, _, gpus=gpus, is_small=is_small: row["gpus"] == gpus and
         (bytes_of_collective(row) < 64 << 20) == is_small, bias)
        for gpus in "248" for title, is_small in (("below 64 MiB", True), ("larger", False))]),
    "convolution_changes": (False, CONVOLUTION_CHANGES, [
        (f"{title}, {sides}", "convolutions", lambda row, what, name=name, sides=sides: row["pass"] == name and what.endswith(sides), bias)
        for title, name in (("forward", "forward"), ("of input", "backward_input"), ("of weights", "backward_weights"))
        for sides in ("1 x 1", "3 x 3")]),
    "gpt_changes": (False, GPT_CHANGES, [
        *((f"tensor {ways}", "gpt_steps", lambda row, _, ways=ways: int(row["tensor"]) == ways, bias) for ways in (1, 2, 4, 8, 16)),
        ("table 5", "table5_steps", everything, bias), ("mean error", "gpt_steps", everything, error),
        ("of table 5", "table5_steps", everything, error)]),
    "product_changes": (False, PRODUCT_CHANGES, [
        (f"{name.upper()}, {title}", f"{name}_products", lambda row, _, is_short=is_short: (float(row["microseconds"]) < 10) == is_short, bias)
        for name in ("a100", "h100", "h200", "b200") for title, is_short in (("below 10 us", True), ("longer", False))]),
    "fsdp_changes": (False, FSDP_CHANGES, [
        (f"{gpu.upper()}, {title}", "fsdp_steps", lambda row, _, gpu=gpu, is_long=is_long: row["gpu"].startswith(gpu) and
         (int(row["sequence"]) > 4096) == is_long, bias)
        for gpu in ("a100", "h100") for title, is_long in (("up to 4,096 positions", False), ("more", True))]),
    "tensor_changes": (False, TENSOR_CHANGES, [
        (title, name, everything, bias) for title, name in (
            ("Megatron-LM", "megatron_steps"), ("Llama 3 405B", "llama_steps"), ("NeMo", "nemo_steps"), ("Bridge", "bridge_steps"),
            ("torchtitan", "torchtitan_steps"))]),
    "serving_changes": (True, SERVING_CHANGES, [
        ("TPOT, dense", "serving_tpot", lambda row, _: is_dense(row), bias),
        ("experts", "serving_tpot", lambda row, _: not is_dense(row), bias), ("mean error", "serving_tpot", everything, error),
        ("TTFT", "serving_ttft", everything, bias)]),
    "torus_changes": (False, TORUS_CHANGES, [(name, "maxtext_steps", lambda row, _, name=name: row["tpu"] == name.lower(), bias)
                                            for name in ("v4", "v5e", "v5p")]),
}
# Every so many rows of a table of changes: those of transformers take half a second each.
STEP = {"gpt_changes": 3, "fsdp_changes": 5, "tensor_changes": 2}


def changes_table(dsm, folders, name):
    _, changes, columns = CHANGES[name]
    rows, sets_of_columns = [], dict.fromkeys(column[1] for column in columns)
    for what, values in (("as it is", {}), *changes):
        found = {each: predicted_rows(dsm, BY_NAME[each], folders, STEP.get(name, 1), **values) for each in sets_of_columns}
        rows.append((what, *(say([row for row in found[name] if where(row[0], row[1])]) for _, name, where, say in columns)))
    return table_of(("what is changed", *(column[0] for column in columns)), rows)


# ---- all rows ----

def sets_in_short(dsm, folders):
    """Mean errors of the sets that the README names, a priori"""
    rows = []
    for each in SETS:
        if each.short:
            found = predicted_rows(dsm, each, folders)
            rows.append((each.short, str(len(found)), error(found)))
    return table_of(("measured", "rows", "mean error"), rows)


def sets(dsm, folders):
    """What is said of all rows, a priori"""
    rows = []
    for each in SETS:
        found = predicted_rows(dsm, each, folders)
        parts = [(each.what, each.source, found)]
        parts += [(what, "the same", [row for row in found if where(row[0], row[2])]) for what, where in each.subsets]
        for what, source, part in parts:
            errors = errors_of(part)
            rows.append((what, source, str(len(part)), percent(mean_error(part)), percent(statistics.median(map(abs, errors))),
                         percent(statistics.mean(errors), "+")))
    return table_of(("set", "source", "rows", "mean error", "median", "bias"), rows)


# ---- transformers as they were run, and as dsm would have run them ----

def runs_of_networks(dsm, folders):
    """Of each network the runs on equally many chips: rows with what was measured and predicted."""
    runs = {}
    for name in ("gpt_steps", "table5_steps"):
        for row, what, measured, predicted in predicted_rows(dsm, BY_NAME[name], folders):
            network = f"{what.split(':')[0].split(',')[0]}, {row['gpus']} GPUs, {row['global_batch']} samples"
            runs.setdefault(network, []).append((row, what.split(": ")[1], measured, predicted))
    return runs


def gpt_fastest(dsm, folders):
    """Which run was the fastest, and which is predicted to be"""
    rows = []
    for network, runs in runs_of_networks(dsm, folders).items():
        if len(runs) > 2:
            fastest, guess = min(runs, key=lambda run: run[2]), min(runs, key=lambda run: run[3])
            rows.append((network, str(len(runs)), fastest[1], f"{fastest[2]:.2f}", guess[1], f"{guess[2]:.2f}",
                         percent(guess[2] / fastest[2] - 1, "+")))
    return table_of(("network", "runs", "the fastest", "measured", "the one predicted to be fastest", "measured", "slower"),
                    rows)


def gpt_chosen(dsm, folders):
    """What dsm would have chosen, beside the fastest run"""
    def chosen(runs):
        row, *_ = run = min(runs, key=lambda run: run[2])
        return run, training_runs.chosen(dsm, megatron_of_2021(row), "hybrid,tensor,accumulate,stages,shard,recompute")
    networks = runs_of_networks(dsm, folders)
    rows = []
    for network, ((_, what, measured, predicted), plan) in zip(networks, pool().map(chosen, networks.values())):
        step, bound = plan["result"]["step_cycles"], plan["result"]["lower_bound_cycles"]
        seconds = plan["result"]["step_seconds"]
        rows.append((network, what, f"{measured:.2f}", f"{predicted:.2f}", training_runs.decisions_of(plan), f"{seconds:.2f}",
                     f"{predicted / seconds:.2f}x", percent(step / bound - 1)))
    return table_of(("network", "fastest run", "measured", "predicted", "chosen", "predicted", "gain", "above the optimum, at most"),
                    rows)


# ---- calibrated ----

# What is chosen on the odd rows of which sets, at most three constants a family; a constant at its default is not written.
A100_ARRAY = ("array.efficiency_ratio", "core.tile_startup_us")
A100_LINK = ("system.axes.0.efficiency_ratio",)  # links of GPUs in a node
V100 = ("array.efficiency_ratio", "core.operation_overhead_us", "core.tile_startup_us")
TPU = ("array.efficiency_ratio", "chip.memory.auxiliary_efficiency_ratio", "core.operation_overhead_us")
DEFAULTS = {"array.efficiency_ratio": 1, "system.axes.0.efficiency_ratio": 1, "core.operation_overhead_us": 0,
            "core.tile_startup_us": 1, "chip.memory.auxiliary_efficiency_ratio": 0}


def constant_of(system, path):
    value = system
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key, DEFAULTS[path])
    return value


def calibrated_values(dsm, system, fit, rows):
    """Constants by `dsm calibrate` on rows of its columns, as --set takes them."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with open(folder / "rows.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, sorted({key for row in rows for key in row}), restval="")
            writer.writeheader()
            writer.writerows(rows)
        done = subprocess.run([dsm.path, "calibrate", folder / "rows.csv", system, "--fit", ",".join(fit), "-q", "-o",
                               folder / "calibrated.json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"calibrate {system}: {done.stderr}")
        found = json.loads((folder / "calibrated.json").read_text())
    return {f"system.{path}".replace(".", "__"): constant_of(found, path) for path in fit}


AS_RUN_ROW = {"parallelism": "data", "optimize": "none"}


def odd_rows(name, folders):
    return BY_NAME[name].rows(folders)[::2]


def product_rows(dsm, folders, name, columns, overrides):
    """Odd rows of a table of products, as `dsm calibrate` reads them."""
    for row in odd_rows(name, folders):
        m, n, k = (int(row[side]) for side in columns)
        workload = dsm.workload([{"name": "product", "type": "fc", "in": k, "out": n}], minibatch=m)
        yield {**AS_RUN_ROW, "workload": str(workload), "mode": "inference", "overrides": overrides,
               "milliseconds": float(row["microseconds"]) / 1e3}


def convolution_rows(dsm, folders):
    for row in odd_rows("convolutions", folders):
        yield {**AS_RUN_ROW, "workload": str(dsm.workload(two_layers(row), minibatch=int(row["batch"]))), "layer": "conv",
               "pass": PASSES[row["pass"]], "overrides": "system.core.issue_us=0;system.model.weight_update_memory_bytes=0",
               "milliseconds": float(row["microseconds"]) / 1e3}


# Where all that is not a sum of gradients takes next to no time.
NOTHING_ELSE = ";".join(("system.core.operation_overhead_us=0", "system.core.issue_us=0", "system.core.tile_startup_us=0",
                         "system.pe.simd_macs=1048576", "system.chip.core_link_bandwidth_GBps=1e9",
                         "system.chip.memory.bandwidth_GBps=1e9", "system.system.axes.node.chips=1"))


def allreduce_rows(dsm, folders):
    for row in odd_rows("allreduces", folders):
        layer = {"name": "weights", "type": "fc", "in": 1024, "out": int(row["bytes"]) // 4096}
        yield {**AS_RUN_ROW, "workload": str(dsm.workload([layer], element_bytes=4, minibatch=8)), "layer": "weights",
               "pass": "update", "overrides": f"{NOTHING_ELSE};system.system.axes.gpu.chips={row['gpus']}",
               "milliseconds": float(row["microseconds"]) / 1e3}


def step_rows(folders):
    from measured_sets import NORMALIZATION_GROUP
    for row in odd_rows("steps", folders):
        yield {**AS_RUN_ROW, "workload": "resnet50", "minibatch": row["global_batch"],
               "overrides": f"workload.gradient_bytes=4;workload.optimizer=lars;workload.normalization_group="
                            f"{NORMALIZATION_GROUP[int(row['chips'])]};{made_axes(int(row['chips']))}",
               "milliseconds": row["step_ms"]}


def made_axes(chips):
    x, y = {16: (4, 4), 128: (8, 16), 512: (16, 32), 4096: (32, 128)}[chips]
    return ";".join(f"system.system.axes.{axis}.{key}={value}" for axis, side in {"x": x, "y": y}.items() for key, value in
                    (("chips", side), ("link", "ring" if side == 32 else "line"),
                     ("both_ways", "true" if side == 32 else "false")))


def calibrated(dsm, folders):
    """Errors with constants chosen on odd rows, of both halves"""
    alone = "system.core.operation_overhead_us=0;system.core.issue_us=0"
    a100, link, v100, tpu = pool().map(lambda asked: calibrated_values(dsm, *asked), (
        ("a100", A100_ARRAY, list(product_rows(dsm, folders, "products", "MNK", alone))),
        ("dgx_a100", A100_LINK, list(allreduce_rows(dsm, folders))),
        ("v100", V100, [*product_rows(dsm, folders, "kernels", "NMK", ""), *convolution_rows(dsm, folders)]),
        ("tpu_v3_32", TPU, list(step_rows(folders)))))
    rows = []
    for name, what, values in (("products", "products on an A100", a100), ("allreduces", "all-reduces among A100", link),
                               ("kernels", "products on a V100", v100), ("convolutions", "convolutions on a V100", v100),
                               ("steps", "ResNet-50 on TPU v3", tpu)):
        before = predicted_rows(dsm, BY_NAME[name], folders)
        after = predicted_rows(dsm, BY_NAME[name], folders, **values)
        constants = ", ".join(f"`{path.replace('__', '.').removeprefix('system.')}` {value:.4g}"
                              for path, value in values.items())
        rows.append((what, constants, *(error(each) for each in (before[::2], after[::2], before[1::2], after[1::2]))))
    return table_of(("set", "constants chosen", "odd rows before", "after", "even rows before", "after"), rows)


# ---- pages ----

PAGES = ("docs/evidence/measured.md", "README.md")
QUOTED_TABLE = re.compile(r"(<!-- measured: (\w+) -->\n\n)(?:\|.*\n)+")
WHOLE_TABLE = re.compile(r"<!-- of all measured rows: (\w+) (\w+) -->\n\n(?:\|.*\n)+")


def quoted_tables(dsm):
    tables = {each.name: page_table(dsm, each) for each in SETS}
    return tables | {name: changes_table(dsm, (), name) for name, (is_quoted, *_) in CHANGES.items() if is_quoted}


def whole_tables(dsm, folders):
    """One after the other: those that take longest are the last."""
    for part in (sets, sets_in_short):
        yield part.__name__, part(dsm, folders)
    for name, (is_quoted, *_) in sorted(CHANGES.items(), key=lambda item: STEP.get(item[0], 0)):
        if not is_quoted:
            yield name, changes_table(dsm, folders, name)
    for part in (calibrated, gpt_fastest, gpt_chosen):
        yield part.__name__, part(dsm, folders)


def drifted_sets(repository, name):
    """The errors that a page tells of the sets are those of docs/evidence/measured.md."""
    def errors(page, named):
        found = {each.group(1): each.group(0) for each in WHOLE_TABLE.finditer((repository / page).read_text())}
        if "sets" not in found:
            return re.findall(r"[\d.]+ %", found.get("sets_in_short", ""))
        cells = {line.split(" | ")[0].removeprefix("| "): line.split(" | ")[3] for line in found["sets"].splitlines() if "%" in line}
        return [cells[each.what] for each in SETS if each.what in cells and (each.short or not named)]
    is_short = name == PAGES[1]
    return [] if errors(name, is_short) == errors(PAGES[0], is_short) else [f"{name}: other errors of the sets than in {PAGES[0]}"]


def renew_whole(repository, name, table, digest):
    """Written table by table, so that a run that is interrupted has written those that it has made."""
    for path in (repository / page for page in PAGES):
        before = path.read_text()
        after = WHOLE_TABLE.sub(lambda found: f"<!-- of all measured rows: {name} {digest} -->\n\n{table}"
                                if found.group(1) == name else found.group(0), before)
        if after != before:
            path.write_text(after)


def renew(dsm, repository, folders, is_check):
    quoted = quoted_tables(dsm)
    digest = hashlib.sha256("".join(quoted.values()).encode()).hexdigest()[:12]
    complaints = []
    for name, path in ((name, repository / name) for name in PAGES):
        before = path.read_text()
        after = QUOTED_TABLE.sub(lambda found: found.group(1) + quoted[found.group(2)], before)
        if after != before:
            complaints.append(f"{name}: predictions have changed")
        if any(found.group(2) != digest for found in WHOLE_TABLE.finditer(after)):
            complaints.append(f"{name}: what is said of all rows is of other predictions")
        if not is_check:
            path.write_text(after)
        complaints += drifted_sets(repository, name)
    if is_check:
        print("".join(f"{each}; renew with tools/measured.py and the folders of the tables\n" for each in complaints), end="")
        return 1 if complaints else 0
    for name, table in whole_tables(dsm, folders) if folders else ():
        renew_whole(repository, name, table, digest)
    return 0


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    dsm = Dsm(sys.argv[1])
    words = [word for word in sys.argv[2:] if word not in ("--page", "--check", *BY_NAME)]
    folders = tuple(map(pathlib.Path, words))
    if not all(folder.is_dir() for folder in folders) or sys.argv[2:3] == ["--page"] and not folders:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[2:3] == ["--page"]:
        return renew(dsm, folders[0], folders[1:], "--check" in sys.argv)
    named = [each for each in SETS if each.name in sys.argv[2:]]
    for each in named or SETS:
        rows = predicted_rows(dsm, each, folders)
        print(f"{each.what}, {each.unit}: {len(rows)} rows, mean error {error(rows)}, bias {bias(rows)}")
        for _, what, measured, predicted in rows:
            print(f"  {what:50} {measured:10.5g} {predicted:10.5g} {100 * (predicted / measured - 1):+7.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
