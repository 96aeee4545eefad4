#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions beside times that others measured on real machines: the tables of docs/measured.md.

The folder of the measured tables (docs/measured.md says where their figures are from) is no part of the project; the
rows that the page quotes stand below. Nothing is fitted here: each family of systems has the constants of
tools/real_systems.py.

Usage: measured.py DSM FOLDER [steps | gpu_steps | products | kernels | allreduces]
       measured.py DSM --page docs/measured.md [--check]
The first prints how all rows of a folder are predicted. The second renews the quoted rows of the page; with --check
nothing is written, and the exit code is 1 if they differ.
"""
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile


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

    def workload(self, layers, element_bytes=2, minibatch=1):
        path = pathlib.Path(self.folder.name) / "workload.json"
        path.write_text(json.dumps({"format": "dsm-workload/1", "name": "measured", "minibatch": minibatch,
                                    "element_bytes": element_bytes, "gradient_bytes": element_bytes,
                                    "layers": layers}))
        return path


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
}


def rows_of(folder, name):
    """All rows of a table in a folder, or those that are quoted."""
    if folder is None:
        return QUOTED[name]
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


SINGLE_GPU = {"system__system__axes__gpu__chips": 1, "system__system__axes__node__chips": 1}
# As the steps were run: data parallel, nothing held on chip from one operation to the next. Gradients were summed
# with 4 bytes on TPU v3 (S. Kumar et al., Scale MLPerf-0.6 models on Google TPU-v3 Pods).
AS_RUN = ("--parallelism", "data", "--optimize", "none")


def steps(dsm, folder):
    """ResNet-50 on TPU v3, a training step, ms"""
    for row in rows_of(folder, "tpu_v3_resnet50"):
        plan = dsm.plan("resnet50", f"tpu_v3_{2 * int(row['chips'])}", *AS_RUN,
                        workload__minibatch=row["global_batch"], workload__gradient_bytes=4,
                        workload__optimizer="lars")
        yield row["system"], float(row["step_ms"]), 1e3 * plan["result"]["step_seconds"]


def gpu_steps(dsm, folder):
    """ResNet-50 on 8 GPUs, a training step, ms"""
    machines = {"dgx1": ("dgx1_v100", 900, "lars"), "dgxa100": ("dgx_a100", 1555, "sgd")}
    for row in rows_of(folder, "gpu_resnet50"):
        system, memory_GBps, optimizer = machines[row["system"].split("_")[0]]
        plan = dsm.plan("resnet50", system, *AS_RUN, workload__minibatch=row["global_batch"],
                        system__system__axes__node__chips=1, system__chip__memory__bandwidth_GBps=memory_GBps,
                        workload__optimizer=optimizer)
        yield row["system"], float(row["step_ms"]), 1e3 * plan["result"]["step_seconds"]


def product(dsm, system, m, n, k):
    """Microseconds of one product on one GPU."""
    workload = dsm.workload([{"name": "product", "type": "fc", "in": k, "out": n}], minibatch=m)
    plan = dsm.plan(workload, system, "--mode", "inference", *AS_RUN, **SINGLE_GPU)
    return 1e6 * plan["result"]["step_seconds"]


def products(dsm, folder):
    """Products on an A100, us"""
    for row in rows_of(folder, "a100_gemm"):
        m, n, k = (int(row[side]) for side in "MNK")
        yield f"{row['model']} {row['op']} {m} x {n} x {k}", float(row["microseconds"]), product(dsm, "dgx_a100", m, n, k)


def kernels(dsm, folder):
    """Products on a V100, us"""
    for row in rows_of(folder, "v100_kernels"):
        if row["kernel"] == "gemm":
            m, n, k = (int(row[side]) for side in "MNK")
            yield f"row {row['sheet_row']}: {m} x {n} x {k}", float(row["microseconds"]), product(dsm, "dgx1_v100", n, m, k)


def allreduces(dsm, folder):
    """All-reduces in a node of A100, us"""
    for row in rows_of(folder, "a100_allreduce"):
        workload = dsm.workload([{"name": "weights", "type": "fc", "in": 1024, "out": int(row["bytes"]) // 4096}], 4, 8)
        plan = dsm.plan(workload, "dgx_a100", *AS_RUN, system__system__axes__gpu__chips=row["gpus"],
                        system__system__axes__node__chips=1)
        groups = plan["layers"][0]["passes"]["update"]["groups"]
        cycles = groups["sum_of_gradients"] + groups["broadcast_weights"]
        yield (f"{row['gpus']} GPUs, {int(row['bytes']) >> 20} MiB", float(row["microseconds"]),
               cycles / plan["system"]["core"]["frequency_GHz"] / 1e3)


PARTS = (steps, gpu_steps, products, kernels, allreduces)


def summary(rows):
    errors = [predicted / measured - 1 for _, measured, predicted in rows]
    return (f"{len(rows)} rows, mean error {100 * statistics.mean(map(abs, errors)):.1f} %, "
            f"median {100 * statistics.median(map(abs, errors)):.1f} %, bias {100 * statistics.mean(errors):+.1f} %")


def page_table(dsm, part):
    lines = ["| what | measured | predicted | error |", "|---|---|---|---|"]
    for what, measured, predicted in part(dsm, None):
        lines.append(f"| {what} | {measured:.4g} | {predicted:.4g} | {100 * (predicted / measured - 1):+.1f} % |")
    return "\n".join(lines) + "\n"


def renew(dsm, path, is_check):
    before = path.read_text()
    parts = {part.__name__: part for part in PARTS}
    after = re.sub(r"(<!-- measured: (\w+) -->\n\n)(?:\|.*\n)+",
                   lambda found: found.group(1) + page_table(dsm, parts[found.group(2)]), before)
    if is_check and after != before:
        print(f"{path}: predictions have changed; renew the page with tools/measured.py")
    elif not is_check:
        path.write_text(after)
    return 1 if is_check and after != before else 0


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    dsm = Dsm(sys.argv[1])
    if sys.argv[2] == "--page":
        return renew(dsm, pathlib.Path(sys.argv[3]), "--check" in sys.argv)
    for part in PARTS:
        if len(sys.argv) == 3 or part.__name__ in sys.argv[3:]:
            rows = list(part(dsm, pathlib.Path(sys.argv[2])))
            print(f"{part.__doc__}: {summary(rows)}")
            for what, measured, predicted in rows:
                print(f"  {what:50} {measured:10.5g} {predicted:10.5g} {100 * (predicted / measured - 1):+7.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
