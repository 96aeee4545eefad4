#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions beside times that others measured on real machines: the tables of docs/measured.md.

The folder of the measured tables (docs/measured.md says where their figures are from) is no part of the project; the
rows that the page quotes stand below. Nothing is fitted but for the section that says so: each family of systems has
the constants of the bundled systems.

Usage: measured.py DSM [FOLDER] [steps | gpu_steps | products | kernels | convolutions | allreduces |
                            gpt_steps | table5_steps | attention]
       measured.py DSM --page REPOSITORY [FOLDER | --check]
The first prints how the quoted rows are predicted, or all rows of a folder. The second renews the quoted rows of docs/measured.md and,
with the folder, what is said of all rows, there, in docs/trust.md and in README.md. What is said of all rows bears a
digest of the quoted predictions, so that it is known to be of the same version. With --check nothing is written, and
the exit code is 1 if quoted rows differ, or what is said of all rows is of other predictions.
"""
import csv
import functools
import hashlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import gpt_runs


class Dsm:
    def __init__(self, path):
        self.path, self.folder = path, tempfile.TemporaryDirectory()

    def plan(self, workload, system, *options, **values):
        changes = [part for path, value in values.items() for part in ("--set", f"{path.replace('__', '.')}={value}")]
        done = subprocess.run([self.path, "explore", str(workload), str(system), "--format", "json", *options, *changes],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"{workload} on {system}: {done.stderr}")
        return json.loads(done.stdout)

    def score(self, plan):
        done = subprocess.run([self.path, "score", str(self.file("plan", plan)), "--format", "json"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"an edited plan: {done.stderr}")
        return json.loads(done.stdout)

    def file(self, name, content):
        path = pathlib.Path(self.folder.name) / f"{name}.json"
        path.write_text(json.dumps(content))
        return path

    def workload(self, layers, element_bytes=2, minibatch=1):
        return self.file("workload", {"format": "dsm-workload/1", "name": "measured", "minibatch": minibatch,
                                      "element_bytes": element_bytes, "gradient_bytes": element_bytes,
                                      "layers": layers})


def table(keys, text):
    return [dict(zip(keys.split(), line.strip().split(","))) for line in text.strip().splitlines()]


# Rows of the measured tables, facts of their sources: see docs/measured.md.
QUOTED = {
    "tpu_v3_resnet50": table("system chips global_batch step_ms", """
        tpu-v3-32,16,4096,131.176
        tpu-v3-256,128,32768,137.149
        tpu-v3-1024,512,32768,44.228
        tpu-v3-8192-TF,4096,65536,13.99
    """),
    "gpu_resnet50": table("system global_batch step_ms", """
        dgx1_ngc19.05_mxnet,1664,148.305
        dgxa100_ngc20.06_mxnet,3264,145.424
    """),
    "a100_gemm": table("model op M N K microseconds", """
        Llama-2-70b-hf,attn_pre_proj,4096,10240,8192,2872
        Llama-2-70b-hf,attn_post_proj,3008,8192,8192,1913.5
        Llama-2-70b-hf,mlp_up_proj,1984,57344,8192,7959.5
        Llama-2-70b-hf,mlp_down_proj,48,8192,28672,302
        Llama-2-7b-hf,attn_pre_proj,792,6144,4096,205
        CodeLlama-34b-Instruct-hf,attn_post_proj,2304,8192,1024,195
        Qwen-72B,attn_post_proj,384,8192,8192,248
        phi-2,mlp_up_proj,272,10240,2560,94
    """),
    "v100_kernels": table("kernel sheet_row M N K microseconds", """
        gemm,5,1760,16,1760,20
        gemm,14,2048,7000,2048,599
        gemm,20,4096,16,4096,51
        gemm,23,4096,128,4096,67
        gemm,29,1760,7000,1760,461
        gemm,38,2560,128,2560,49
    """),
    "v100_convolutions": table("kernel pass sheet_row in_width in_height in_channels batch out_channels filter_width "
                               "filter_height pad_width pad_height stride_width stride_height out_width out_height "
                               "microseconds", """
        conv,forward,254,112,112,64,16,64,1,1,0,0,1,1,112,112,71
        conv,forward,257,56,56,256,16,128,1,1,0,0,2,2,28,28,31
        conv,forward,266,7,7,512,16,512,3,3,1,1,1,1,7,7,71
        conv,backward_input,254,112,112,64,16,64,1,1,0,0,1,1,112,112,81
        conv,backward_input,257,56,56,256,16,128,1,1,0,0,2,2,28,28,62
        conv,backward_input,266,7,7,512,16,512,3,3,1,1,1,1,7,7,135
        conv,backward_weights,254,112,112,64,16,64,1,1,0,0,1,1,112,112,82
        conv,backward_weights,257,56,56,256,16,128,1,1,0,0,2,2,28,28,36
        conv,backward_weights,266,7,7,512,16,512,3,3,1,1,1,1,7,7,47
    """),
    "a100_allreduce": table("gpus bytes microseconds", """
        2,16777216,129.4
        2,268435456,1454.4
        4,16777216,177.8
        4,268435456,1927.7
        8,1048576,92.15
        8,16777216,231
        8,268435456,2158
        8,1073741824,8196.4
    """),
    "h100_attention_generation": table("batch_size isl num_heads num_key_value_heads step microseconds", """
        1,1,64,1,2047,13.749
        4,1,48,4,31,11.749
        16,1,48,2,127,12.773
        128,1,2,2,31,17.643
        512,1,64,2,255,94.192
    """),
    "h100_attention_context": table("batch_size isl num_heads num_key_value_heads step microseconds", """
        1,3072,40,8,0,207.355
        2,16384,48,2,0,11080.886
        8,256,48,48,0,102.096
        16,6144,40,4,0,11035.627
        128,1,64,8,0,38.795
    """),
    "gpt_a100": table("hidden layers heads global_batch micro_batch tensor data "
                      "pipeline gpus node_port_Gbps iteration_ms", """
        3072,30,32,512,2,1,32,2,64,800,4034.9
        3072,30,32,512,2,2,32,1,64,800,4264.2
        3072,30,32,512,2,4,16,1,64,800,6228.3
        3072,30,32,512,4,8,8,1,64,800,5618
        3072,30,32,512,16,8,8,1,64,800,5017.8
        3072,30,32,512,64,8,8,1,64,800,9838.9
        3072,30,32,512,4,16,4,1,64,800,11960.1
        6144,40,48,1024,4,1,32,8,256,800,12379
        6144,40,48,1024,4,2,32,4,256,800,10825
        6144,40,48,1024,4,4,32,2,256,800,10950.4
        6144,40,48,1024,8,8,4,8,256,800,11026.1
        6144,40,48,1024,2,16,16,1,256,800,20414.8
        8192,48,64,1536,2,2,16,16,512,800,23747.9
        8192,48,64,1536,2,4,8,16,512,800,14529.6
        8192,48,64,1536,3,4,16,8,512,800,17606.1
        8192,48,64,1536,6,4,16,8,512,800,16087
        8192,48,64,1536,2,8,4,16,512,800,15639.4
        12288,96,96,1536,2,2,8,32,512,800,57411.2
        12288,96,96,1536,2,4,4,32,512,800,53909.6
        12288,96,96,1536,2,8,2,32,512,800,58555.4
    """),
    "megatron_table5": table("model hidden layers heads global_batch micro_batch tensor data "
                             "pipeline interleave gpus iteration_s recomputation sequence_parallel", """
        22B,6144,48,64,4,4,8,1,1,1,8,1.42,full,no
        22B,6144,48,64,4,4,8,1,1,1,8,1.10,selective,yes
        175B,12288,96,96,64,1,8,1,8,3,64,18.13,full,no
        175B,12288,96,96,64,1,8,1,8,3,64,13.75,selective,yes
        530B,20480,105,128,280,1,8,1,35,3,280,49.05,full,no
        530B,20480,105,128,280,1,8,1,35,3,280,37.83,selective,yes
        1T,25600,128,160,512,1,8,1,64,1,512,94.42,full,no
        1T,25600,128,160,512,1,8,1,64,1,512,71.49,selective,yes
    """),
}


def rows_of(folder, name, kernel=None):
    """All rows of a table in a folder, or those that are quoted; of a file with several kernels those of one."""
    if folder is None:
        return QUOTED[name]
    with open(folder / f"{FILES.get(name, name)}.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if kernel in (None, row.get("kernel"))]


FILES = {"v100_convolutions": "v100_kernels"}


SINGLE_GPU = {"system__system__axes__gpu__chips": 1, "system__system__axes__node__chips": 1}
# As the steps were run: data parallel, nothing held on chip from one operation to the next. Gradients were summed
# with 4 bytes on TPU v3 (S. Kumar et al., Scale MLPerf-0.6 models on Google TPU-v3 Pods).
AS_RUN = ("--parallelism", "data", "--optimize", "none")


# Samples that share the statistics of a normalisation, by chips: model_bn_span in the logs of the submissions.
NORMALIZATION_GROUP = {16: 128, 128: 128, 512: 32, 4096: 64}


def steps(dsm, folder, **values):
    """ResNet-50 on TPU v3, a training step, ms"""
    for row in rows_of(folder, "tpu_v3_resnet50"):
        plan = dsm.plan("resnet50", f"tpu_v3_{2 * int(row['chips'])}", *AS_RUN,
                        **{"workload__minibatch": row["global_batch"], "workload__gradient_bytes": 4,
                           "workload__optimizer": "lars",
                           "workload__normalization_group": NORMALIZATION_GROUP[int(row["chips"])], **values})
        yield row["system"], float(row["step_ms"]), 1e3 * plan["result"]["step_seconds"]


def gpu_steps(dsm, folder, **values):
    """ResNet-50 on 8 GPUs, a training step, ms"""
    machines = {"dgx1": ("dgx1_v100", 900, "lars"), "dgxa100": ("dgx_a100", 1555, "sgd")}
    for row in rows_of(folder, "gpu_resnet50"):
        system, memory_GBps, optimizer = machines[row["system"].split("_")[0]]
        plan = dsm.plan("resnet50", system, *AS_RUN, workload__minibatch=row["global_batch"],
                        system__system__axes__node__chips=1, system__chip__memory__bandwidth_GBps=memory_GBps,
                        workload__optimizer=optimizer, **values)
        yield row["system"], float(row["step_ms"]), 1e3 * plan["result"]["step_seconds"]


def product(dsm, system, m, n, k, **values):
    """Microseconds of one product on one GPU."""
    workload = dsm.workload([{"name": "product", "type": "fc", "in": k, "out": n}], minibatch=m)
    plan = dsm.plan(workload, system, "--mode", "inference", *AS_RUN, **SINGLE_GPU, **values)
    return 1e6 * plan["result"]["step_seconds"]


# Times of kernels alone, by a profiler's trace: nothing between launches is in them.
KERNELS_ALONE = {"system__core__operation_overhead_us": 0, "system__core__issue_us": 0}


def products(dsm, folder, **values):
    """Products on an A100, us"""
    for row in rows_of(folder, "a100_gemm"):
        m, n, k = (int(row[side]) for side in "MNK")
        yield (f"{row['model']} {row['op']} {m} x {n} x {k}", float(row["microseconds"]),
               product(dsm, "dgx_a100", m, n, k, **{**KERNELS_ALONE, **values}))


def kernels(dsm, folder, **values):
    """Products on a V100, us"""
    for row in rows_of(folder, "v100_kernels", "gemm"):
        m, n, k = (int(row[side]) for side in "MNK")
        yield (f"row {row['sheet_row']}: {m} x {n} x {k}", float(row["microseconds"]),
               product(dsm, "dgx1_v100", n, m, k, **values))


PASSES = {"forward": "forward", "backward_input": "backward", "backward_weights": "update"}


def two_layers(row):
    """A convolution after one that makes its input, so that it has a backward pass. Channels were padded to multiples
    of 8 for the matrix units."""
    size = {key: int(value) for key, value in row.items() if value and value.isdigit()}
    size["in_channels"] = -(-size["in_channels"] // 8) * 8
    return [{"name": "before", "type": "conv", "in": 1, "out": size["in_channels"],
             "feature": [size["in_height"], size["in_width"]]},
            {"name": "conv", "type": "conv", "in": size["in_channels"], "out": size["out_channels"],
             "feature": [size["out_height"], size["out_width"]],
             "kernel": [size["filter_height"], size["filter_width"]],
             "stride": [size["stride_height"], size["stride_width"]],
             "padding": [size["pad_height"], size["pad_width"]]}]


def convolutions(dsm, folder, **values):
    """Convolutions on a V100, us"""
    for row in rows_of(folder, "v100_convolutions", "conv"):
        plan = dsm.plan(dsm.workload(two_layers(row), minibatch=int(row["batch"])), "dgx1_v100", *AS_RUN,
                        **{**SINGLE_GPU, "system__core__issue_us": 0, **values})
        of = plan["layers"][1]["passes"][PASSES[row["pass"]]]
        cycles = of["cycles"]["total"] - of["groups"].get("weight_update", 0) - of["groups"].get("relayout", 0)
        sides = f"{row['filter_height']} x {row['filter_width']}"
        yield (f"row {row['sheet_row']}, {row['pass'].replace('_', ' of ', 1)}: {row['in_channels']} to "
               f"{row['out_channels']} features, {row['batch']} of {row['out_height']} x {row['out_width']}, {sides}",
               float(row["microseconds"]), cycles / plan["system"]["core"]["frequency_GHz"] / 1e3)


def allreduces(dsm, folder, **values):
    """All-reduces in a node of A100, us"""
    for row in rows_of(folder, "a100_allreduce"):
        workload = dsm.workload([{"name": "weights", "type": "fc", "in": 1024, "out": int(row["bytes"]) // 4096}], 4, 8)
        plan = dsm.plan(workload, "dgx_a100", *AS_RUN, system__system__axes__gpu__chips=row["gpus"],
                        system__system__axes__node__chips=1, system__model__fused_reductions="false", **values)
        groups = plan["layers"][0]["passes"]["update"]["groups"]
        cycles = groups["sum_of_gradients"] + groups["broadcast_weights"]
        yield (f"{row['gpus']} GPUs, {int(row['bytes']) >> 20} MiB", float(row["microseconds"]),
               cycles / plan["system"]["core"]["frequency_GHz"] / 1e3)


def gpt_steps(dsm, folder, **values):
    """GPT on A100, a training step, s"""
    for row in rows_of(folder, "gpt_a100"):
        plan = gpt_runs.as_run(dsm, row, **values)
        yield gpt_runs.name_of(row), float(row["iteration_ms"]) / 1e3, plan["result"]["step_seconds"]


def table5_steps(dsm, folder, **values):
    """GPT on A100 with full and with selective recomputation, a training step, s"""
    for row in rows_of(folder, "megatron_table5"):
        plan = gpt_runs.as_run(dsm, row, **values)
        yield gpt_runs.name_of(row), float(row["iteration_s"]), plan["result"]["step_seconds"]


def attention(dsm, folder, **values):
    """Attention on an H100, us"""
    for name in ("h100_attention_generation", "h100_attention_context"):
        for row in rows_of(folder, name):
            samples, positions, heads, kv_heads, before = (
                int(row[key]) for key in ("batch_size", "isl", "num_heads", "num_key_value_heads", "step"))
            layer = {"name": "attention", "type": "attention", "positions": positions, "heads": heads, "kv_heads": kv_heads,
                     "head_features": 128, "context": before + positions, "causal": True}
            plan = dsm.plan(dsm.workload([layer], minibatch=samples), "dgx_h100", "--mode", "inference", *AS_RUN,
                            **{**SINGLE_GPU, **KERNELS_ALONE, **values})
            yield (f"{samples} of {positions} positions, {heads} heads on {kv_heads}, {before + positions} keys",
                   float(row["microseconds"]), 1e6 * plan["result"]["step_seconds"])


PARTS = (steps, gpu_steps, products, kernels, convolutions, allreduces, gpt_steps, table5_steps, attention)


def errors_of(rows):
    return [predicted / measured - 1 for _, measured, predicted in rows]


def mean_error(rows):
    return statistics.mean(map(abs, errors_of(rows)))


def summary(rows):
    errors = errors_of(rows)
    return (f"{len(rows)} rows, mean error {100 * mean_error(rows):.1f} %, "
            f"median {100 * statistics.median(map(abs, errors)):.1f} %, bias {100 * statistics.mean(errors):+.1f} %")


def table_of(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def page_table(dsm, part):
    return table_of(("what", "measured", "predicted", "error"),
                    [(what, f"{measured:.4g}", f"{predicted:.4g}", f"{100 * (predicted / measured - 1):+.1f} %")
                     for what, measured, predicted in part(dsm, None)])


def of_both_axes(key, value):
    return {f"system__system__axes__{axis}__{key}": value for axis in "xy"}


def tpu_changes(dsm, _):
    """The steps on TPU v3 with one thing changed at a time"""
    changes = (("as it is", {}),
               ("steps of links without latency, not 1 us", of_both_axes("latency_us", 0)),
               ("steps of links of 3 us", of_both_axes("latency_us", 3)),
               ("all of the links' bandwidth, not 82 %", of_both_axes("efficiency_ratio", 1)),
               ("statistics of each core's samples alone", {"workload__normalization_group": 1}),
               ("no time between operations, not 5 us", {"system__core__operation_overhead_us": 0}),
               ("arrays at 95 % of their peak, not 85 %", {"system__array__efficiency_ratio": 0.95}))
    rows = [(what, *(f"{100 * error:+.1f} %" for error in errors_of(list(steps(dsm, None, **values)))))
            for what, values in changes]
    return table_of(("what is changed", "32 cores", "256", "1,024", "8,192"), rows)


def gpu_changes(dsm, _):
    """The steps on GPUs with one thing changed at a time"""
    changes = (("as it is", {}),
               ("each layer sums its own gradients", {"system__model__fused_reductions": "false"}),
               ("sums of gradients hide behind nothing", {"system__model__overlapped_reduction": "false"}),
               ("only normalisations read and write memory", {"system__model__auxiliary_traffic": "fused"}),
               ("no time between kernels", {"system__core__operation_overhead_us": 0, "system__core__issue_us": 0}),
               ("arrays at 70 % of their peak", {"system__array__efficiency_ratio": 0.7}),
               ("memory of operations at 65 %", {"system__chip__memory__auxiliary_efficiency_ratio": 0.65}))
    rows = []
    for what, values in changes:
        rows.append((what, *(f"{100 * error:+.1f} %" for error in errors_of(list(gpu_steps(dsm, None, **values))))))
    return table_of(("what is changed", "8 V100", "8 A100"), rows)


# ---- all rows ----

SETS = (
    (steps, "ResNet-50 on TPU v3, 32 to 8,192 cores, training step",
     "MLPerf Training v0.6 and v0.7, submissions of Google"),
    (gpu_steps, "ResNet-50 on 8 V100 and on 8 A100, training step",
     "MLPerf Training v0.6 and v0.7, submissions of NVIDIA"),
    (products, "products of language models on an A100", "github.com/microsoft/vidur, profiling data"),
    (kernels, "products on a V100", "github.com/baidu-research/DeepBench"),
    (convolutions, "convolutions on a V100, forward and both gradients", "github.com/baidu-research/DeepBench"),
    (allreduces, "all-reduces among 2, 4 and 8 A100 of a node", "github.com/VIA-Research/vTrain"),
    (gpt_steps, "GPT, 3.6 to 175 billion weights, on 64 to 512 A100, training step", "github.com/VIA-Research/vTrain"),
    (table5_steps, "GPT, 22 to 1,000 billion weights, on 8 to 512 A100, training step", "arXiv 2205.05198, table 5"),
)
# Twice as slow as, and slower than, the same with other micro-batches; why is not known.
NOT_SMOOTH = ("3.6B: tensor 8, data 8, stages 1, micro-batch 64", "39.1B: tensor 4, data 16, stages 8, micro-batch 3")


@functools.cache
def all_rows(dsm, folder, part):
    """All rows of a set, a priori."""
    return list(part(dsm, folder))


def percent(value, sign=""):
    return f"{100 * value:{sign}.1f} %"


def sets_in_short(dsm, folder):
    """Mean errors of the sets, a priori, in three lines"""
    titles = ("training steps on TPU v3", "training steps on 8 V100 or A100", "products on A100", "products on V100",
              "convolutions on V100", "all-reduces on A100", "GPT steps on 64 to 512 A100", "GPT steps on 8 to 512 A100")
    return table_of(titles, [[percent(mean_error(all_rows(dsm, folder, part))) for part, _, _ in SETS]])


def sets(dsm, folder):
    """What is said of all rows, a priori"""
    rows = []
    for part, what, source in SETS:
        found = all_rows(dsm, folder, part)
        errors = errors_of(found)
        rows.append((what, source, str(len(found)), percent(mean_error(found)),
                     percent(statistics.median(map(abs, errors))), percent(statistics.mean(errors), "+")))
        if part is kernels:
            large = [row for row in found if 2 * product_of(row[0]) > 10e9]
            rows.append(("of them those above 10 GFLOP", "the same", str(len(large)), percent(mean_error(large)), "", ""))
        if part is allreduces:
            eight = [row for row in found if row[0].startswith("8 ")]
            rows.append(("of them among 8", "the same", str(len(eight)), percent(mean_error(eight)), "", ""))
        if part is gpt_steps:
            smooth = [row for row in found if row[0] not in NOT_SMOOTH]
            rows.append(("of them without two that are not smooth", "the same", str(len(smooth)),
                         percent(mean_error(smooth)), percent(statistics.median(map(abs, errors_of(smooth)))),
                         percent(statistics.mean(errors_of(smooth)), "+")))
    return table_of(("set", "source", "rows", "mean error", "median", "bias"), rows)


def product_of(what):
    m, n, k = (int(side) for side in re.findall(r"(\d+) x (\d+) x (\d+)", what)[0])
    return m * n * k


def collective_changes(dsm, folder):
    """All-reduces with one thing changed at a time, by GPUs and size"""
    changes = (("as it is", {}), ("links at 60 %, not 75 %", {"system__system__axes__gpu__efficiency_ratio": 0.6}),
               ("links at 50 %", {"system__system__axes__gpu__efficiency_ratio": 0.5}),
               ("latencies of protocols twice as long", {"system__system__protocol_latency_ratio": 3}),
               ("no protocols", {"system__system__axes__gpu__protocols": "false"}))
    rows = []
    for what, values in changes:
        found = list(allreduces(dsm, folder, **values))
        cells = []
        for gpus in "248":
            for is_small in (True, False):
                errors = errors_of([row for row in found if row[0].startswith(gpus) and
                                    (int(row[0].split(", ")[1].split()[0]) < 64) == is_small])
                cells.append(percent(statistics.mean(errors), "+"))
        rows.append((what, *cells))
    titles = [f"{gpus} GPUs, {size}" for gpus in "248" for size in ("below 64 MiB", "larger")]
    return table_of(("what is changed", *titles), rows)


def convolution_changes(dsm, folder):
    """Convolutions with one thing changed at a time, by pass and kernel"""
    changes = (("as it is", {}), ("arrays at 60 % of their peak, not 80 %", {"system__array__efficiency_ratio": 0.6}),
               ("memory at 60 %, not 85 %", {"system__chip__memory__efficiency_ratio": 0.6}),
               ("10 us a kernel, not 5", {"system__core__operation_overhead_us": 10}),
               ("start of a tile 3 us, not 1", {"system__core__tile_startup_us": 3}))
    rows = []
    for what, values in changes:
        found = list(convolutions(dsm, folder, **values))
        cells = []
        for name in ("forward", "backward of input", "backward of weights"):
            for sides in (("1 x 1",), ("3 x 3",)):
                errors = errors_of([row for row in found if f", {name}:" in row[0] and row[0].endswith(sides)])
                cells.append(percent(statistics.mean(errors), "+"))
        rows.append((what, *cells))
    titles = [f"{name}, {sides}" for name in ("forward", "of input", "of weights") for sides in ("1 x 1", "3 x 3")]
    return table_of(("what is changed", *titles), rows)


# ---- transformers as they were run, and as dsm would have run them ----

GPT_CHANGES = (
    ("as it is", {}),
    ("arrays and tiles as [products](#calibrated) have them: 78 %, 2.7 us",
     {"system__array__efficiency_ratio": 0.7787, "system__core__tile_startup_us": 2.747}),
    ("links in a node at 60 %, not 75 %", {"inside": {"efficiency_ratio": 0.6}}),
    ("links between nodes at 50 %, not 75 %", {"between": {"efficiency_ratio": 0.5}}),
    ("memory of operations at 65 %, not 75 %", {"system__chip__memory__auxiliary_efficiency_ratio": 0.65}),
    ("only normalisations read and write memory", {"system__model__auxiliary_traffic": "fused"}),
    ("no time between kernels", {"system__core__operation_overhead_us": 0, "system__core__issue_us": 0}))


def gpt_changes(dsm, folder):
    """Steps of GPT with one thing changed at a time, by chips that share layers"""
    rows = []
    for what, values in GPT_CHANGES:
        found = list(gpt_steps(dsm, folder, **values))
        parts = [[row for row in found if f": tensor {ways}," in row[0]] for ways in (1, 2, 4, 8, 16)]
        parts.append(list(table5_steps(dsm, folder, **values)))
        rows.append((what, *(percent(statistics.mean(errors_of(part)), "+") for part in parts),
                     percent(mean_error(found)), percent(mean_error(parts[-1]))))
    titles = ("tensor 1", "tensor 2", "tensor 4", "tensor 8", "tensor 16", "table 5", "mean error", "of table 5")
    return table_of(("what is changed", *titles), rows)


def runs_of_networks(dsm, folder):
    """Of each network the runs on equally many chips: rows with what was measured and predicted."""
    runs = {}
    for part, name in ((gpt_steps, "gpt_a100"), (table5_steps, "megatron_table5")):
        for row, (what, measured, predicted) in zip(rows_of(folder, name), all_rows(dsm, folder, part)):
            network = f"{what.split(':')[0].split(',')[0]}, {row['gpus']} GPUs, {row['global_batch']} samples"
            runs.setdefault(network, []).append((row, what.split(": ")[1], measured, predicted))
    return runs


def gpt_fastest(dsm, folder):
    """Which run was the fastest, and which is predicted to be"""
    rows = []
    for network, runs in runs_of_networks(dsm, folder).items():
        if len(runs) > 2:
            fastest, guess = min(runs, key=lambda run: run[2]), min(runs, key=lambda run: run[3])
            rows.append((network, str(len(runs)), fastest[1], f"{fastest[2]:.2f}", guess[1], f"{guess[2]:.2f}",
                         percent(guess[2] / fastest[2] - 1, "+")))
    return table_of(("network", "runs", "the fastest", "measured", "the one predicted to be fastest", "measured", "slower"),
                    rows)


def gpt_chosen(dsm, folder):
    """What dsm would have chosen, beside the fastest run"""
    rows = []
    for network, runs in runs_of_networks(dsm, folder).items():
        row, what, measured, predicted = min(runs, key=lambda run: run[2])
        plan = gpt_runs.chosen(dsm, row, "hybrid,tensor,accumulate,stages,shard,recompute")
        step, bound = plan["result"]["step_cycles"], plan["result"]["lower_bound_cycles"]
        seconds = plan["result"]["step_seconds"]
        rows.append((network, what, f"{measured:.2f}", f"{predicted:.2f}", gpt_runs.decisions_of(plan), f"{seconds:.2f}",
                     f"{predicted / seconds:.2f}x", percent(step / bound - 1)))
    return table_of(("network", "fastest run", "measured", "predicted", "chosen", "predicted", "gain", "above the optimum, at most"),
                    rows)


# ---- calibrated ----

# What is chosen on the odd rows of which sets, at most three constants a family.
A100_ARRAY = ("array.efficiency_ratio", "core.tile_startup_us")
A100_LINK = ("system.axes.0.efficiency_ratio",)  # links of GPUs in a node
V100 = ("array.efficiency_ratio", "core.operation_overhead_us", "core.tile_startup_us")
TPU = ("array.efficiency_ratio", "chip.memory.auxiliary_efficiency_ratio", "core.operation_overhead_us")


# A constant at its default is not written.
DEFAULTS = {"array.efficiency_ratio": 1, "system.axes.0.efficiency_ratio": 1, "core.operation_overhead_us": 0,
            "core.tile_startup_us": 1, "chip.memory.auxiliary_efficiency_ratio": 0}


def constant_of(system, path):
    value = system
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key, DEFAULTS[path])
    return value


def calibrated_values(dsm, system, fit, rows):
    """Constants by `dsm calibrate` on rows of its columns, as --set takes them."""
    folder = pathlib.Path(dsm.folder.name)
    with open(folder / "rows.csv", "w", newline="") as file:
        columns = sorted({key for row in rows for key in row})
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    done = subprocess.run([dsm.path, "calibrate", folder / "rows.csv", system, "--fit", ",".join(fit), "-q", "-o",
                           folder / "calibrated.json"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"calibrate {system}: {done.stderr}")
    system = json.loads((folder / "calibrated.json").read_text())
    return {f"system.{path}".replace(".", "__"): constant_of(system, path) for path in fit}


def written_workload(dsm, name, layers, **options):
    path = dsm.workload(layers, **options)
    kept = path.with_name(f"{name}.json")
    kept.write_text(path.read_text())
    return str(kept)


OVERRIDES_OF_KERNELS = ";system.core.operation_overhead_us=0;system.core.issue_us=0"
OVERRIDES_ALONE = "system.system.axes.gpu.chips=1;system.system.axes.node.chips=1"
AS_RUN_ROW = {"parallelism": "data", "optimize": "none"}


def product_rows(dsm, folder, name, columns, overrides):
    """Odd rows of a table of products, as `dsm calibrate` reads them."""
    for index, row in list(enumerate(rows_of(folder, name, "gemm" if name == "v100_kernels" else None)))[::2]:
        m, n, k = (int(row[side]) for side in columns)
        workload = written_workload(dsm, f"{name}{index}", [{"name": "product", "type": "fc", "in": k, "out": n}],
                                    minibatch=m)
        yield {**AS_RUN_ROW, "workload": workload, "mode": "inference", "overrides": overrides,
               "milliseconds": float(row["microseconds"]) / 1e3}


def convolution_rows(dsm, folder):
    for index, row in list(enumerate(rows_of(folder, "v100_convolutions", "conv")))[::2]:
        workload = written_workload(dsm, f"conv{index}", two_layers(row), minibatch=int(row["batch"]))
        yield {**AS_RUN_ROW, "workload": workload, "layer": "conv", "pass": PASSES[row["pass"]],
               "overrides": OVERRIDES_ALONE + ";system.core.issue_us=0;system.model.weight_update_memory_bytes=0",
               "milliseconds": float(row["microseconds"]) / 1e3}


# Where all that is not a sum of gradients takes next to no time.
NOTHING_ELSE = ";".join(("system.core.operation_overhead_us=0", "system.core.issue_us=0", "system.core.tile_startup_us=0",
                         "system.pe.simd_macs=1048576", "system.chip.core_link_bandwidth_GBps=1e9",
                         "system.chip.memory.bandwidth_GBps=1e9", "system.system.axes.node.chips=1"))


def allreduce_rows(dsm, folder):
    for index, row in list(enumerate(rows_of(folder, "a100_allreduce")))[::2]:
        layer = {"name": "weights", "type": "fc", "in": 1024, "out": int(row["bytes"]) // 4096}
        workload = written_workload(dsm, f"allreduce{index}", [layer], element_bytes=4, minibatch=8)
        yield {**AS_RUN_ROW, "workload": workload, "layer": "weights", "pass": "update",
               "overrides": f"{NOTHING_ELSE};system.system.axes.gpu.chips={row['gpus']}",
               "milliseconds": float(row["microseconds"]) / 1e3}


def step_rows(_, folder):
    for row in rows_of(folder, "tpu_v3_resnet50")[::2]:
        system = made_axes(int(row["chips"]))
        yield {**AS_RUN_ROW, "workload": "resnet50", "minibatch": row["global_batch"],
               "overrides": f"workload.gradient_bytes=4;workload.optimizer=lars;"
                            f"workload.normalization_group={NORMALIZATION_GROUP[int(row['chips'])]};{system}",
               "milliseconds": row["step_ms"]}


def made_axes(chips):
    x, y = {16: (4, 4), 128: (8, 16), 512: (16, 32), 4096: (32, 128)}[chips]
    sides = {"x": x, "y": y}
    return ";".join(f"system.system.axes.{axis}.{key}={value}" for axis, side in sides.items() for key, value in
                    (("chips", side), ("link", "ring" if side == 32 else "line"),
                     ("both_ways", "true" if side == 32 else "false")))


def calibrated(dsm, folder):
    """Errors with constants chosen on odd rows, of both halves"""
    a100 = calibrated_values(dsm, "dgx_a100", A100_ARRAY, list(product_rows(
        dsm, folder, "a100_gemm", "MNK", OVERRIDES_ALONE + OVERRIDES_OF_KERNELS)))
    link = calibrated_values(dsm, "dgx_a100", A100_LINK, list(allreduce_rows(dsm, folder)))
    v100 = calibrated_values(dsm, "dgx1_v100", V100, [*product_rows(dsm, folder, "v100_kernels", "NMK", OVERRIDES_ALONE),
                                                      *convolution_rows(dsm, folder)])
    tpu = calibrated_values(dsm, "tpu_v3_32", TPU, list(step_rows(dsm, folder)))
    rows = []
    for part, what, values in ((products, "products on an A100", a100), (allreduces, "all-reduces among A100", link),
                               (kernels, "products on a V100", v100), (convolutions, "convolutions on a V100", v100),
                               (steps, "ResNet-50 on TPU v3", tpu)):
        before, after = list(part(dsm, folder)), list(part(dsm, folder, **values))
        constants = ", ".join(f"`{path.replace('__', '.').removeprefix('system.')}` {value:.4g}"
                              for path, value in values.items())
        rows.append((what, constants, *(percent(mean_error(each)) for each in
                                        (before[::2], after[::2], before[1::2], after[1::2]))))
    return table_of(("set", "constants chosen", "odd rows before", "after", "even rows before", "after"), rows)


# ---- pages ----

QUOTED_PARTS = (*PARTS, tpu_changes, gpu_changes)
WHOLE_PARTS = (sets, sets_in_short, collective_changes, convolution_changes, calibrated, gpt_changes, gpt_fastest, gpt_chosen)
PAGES = ("docs/measured.md", "docs/trust.md", "README.md")
QUOTED_TABLE = re.compile(r"(<!-- measured: (\w+) -->\n\n)(?:\|.*\n)+")
WHOLE_TABLE = re.compile(r"<!-- of all measured rows: (\w+) (\w+) -->\n\n(?:\|.*\n)+")


def quoted_tables(dsm):
    return {part.__name__: page_table(dsm, part) if part in PARTS else part(dsm, None) for part in QUOTED_PARTS}


def drifted_sets(repository, name):
    """The errors that a page tells of the sets are those of docs/measured.md."""
    def errors(page):
        found = {each.group(1): each.group(0) for each in WHOLE_TABLE.finditer((repository / page).read_text())}
        if "sets" not in found:
            return re.findall(r"[\d.]+ %", found.get("sets_in_short", ""))
        rows = [line.split(" | ") for line in found["sets"].splitlines() if "%" in line]
        return [row[3] for row in rows if not row[0].startswith("| of them")]
    return [] if errors(name) == errors(PAGES[0]) else [f"{name}: other errors of the sets than in {PAGES[0]}"]


def renew(dsm, repository, folder, is_check):
    quoted = quoted_tables(dsm)
    of_sets = (text for name, text in quoted.items() if name != attention.__name__)
    digest = hashlib.sha256("".join(of_sets).encode()).hexdigest()[:12]
    whole = {part.__name__: part(dsm, folder) for part in WHOLE_PARTS} if folder is not None else {}
    complaints = []
    for name in PAGES:
        path = repository / name
        before = path.read_text()
        after = QUOTED_TABLE.sub(lambda found: found.group(1) + quoted[found.group(2)], before)
        if folder is not None:
            after = WHOLE_TABLE.sub(lambda found: f"<!-- of all measured rows: {found.group(1)} {digest} -->\n\n"
                                    + whole[found.group(1)], after)
        if after != before:
            complaints.append(f"{name}: predictions have changed")
        if any(found.group(2) != digest for found in WHOLE_TABLE.finditer(after)):
            complaints.append(f"{name}: what is said of all rows is of other predictions")
        if not is_check:
            path.write_text(after)
        complaints += drifted_sets(repository, name)
    if is_check:
        print("".join(f"{each}; renew with tools/measured.py and the folder of the tables\n" for each in complaints), end="")
    return 1 if is_check and complaints else 0


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    dsm = Dsm(sys.argv[1])
    if sys.argv[2:3] == ["--page"] and len(sys.argv) > 3:
        rest = [word for word in sys.argv[4:] if word != "--check"]
        return renew(dsm, pathlib.Path(sys.argv[3]), pathlib.Path(rest[0]) if rest else None, "--check" in sys.argv)
    names = [word for word in sys.argv[2:] if word in [part.__name__ for part in PARTS]]
    folders = [pathlib.Path(word) for word in sys.argv[2:] if word not in names]
    if len(folders) > 1 or not all(folder.is_dir() for folder in folders):
        print(__doc__, file=sys.stderr)
        return 2
    for part in PARTS:
        if not names or part.__name__ in names:
            rows = list(part(dsm, folders[0] if folders else None))
            print(f"{part.__doc__}: {summary(rows)}")
            for what, measured, predicted in rows:
                print(f"  {what:50} {measured:10.5g} {predicted:10.5g} {100 * (predicted / measured - 1):+7.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
