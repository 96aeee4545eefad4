#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions beside times that others measured on real machines: the tables of docs/measured.md.

The folder of the measured tables (docs/measured.md says where their figures are from) is no part of the project.
Nothing is fitted here: each family of systems has the constants of tools/real_systems.py.

Usage: measured.py DSM FOLDER [steps | gemms | kernels | allreduces]
"""
import csv
import json
import pathlib
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


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def show(title, rows):
    """Rows of (what, measured, predicted): in the unit of the title."""
    errors = [predicted / measured - 1 for _, measured, predicted in rows]
    print(f"\n{title}: {len(rows)} rows, mean error {100 * statistics.mean(map(abs, errors)):.1f} %, "
          f"median {100 * statistics.median(map(abs, errors)):.1f} %, bias {100 * statistics.mean(errors):+.1f} %")
    for (what, measured, predicted), error in list(zip(rows, errors))[:12]:
        print(f"  {what:44} {measured:10.5g} {predicted:10.5g} {100 * error:+7.1f} %")


SINGLE_GPU = {"system__system__axes__gpu__chips": 1, "system__system__axes__node__chips": 1}
# As the steps were run: data parallel, nothing held on chip from one operation to the next. Gradients were summed
# with 4 bytes on TPU v3 (S. Kumar et al., Scale MLPerf-0.6 models on Google TPU-v3 Pods).
AS_RUN = ("--parallelism", "data", "--optimize", "none")


def steps(dsm, folder):
    rows = []
    for row in rows_of(folder / "tpu_v3_resnet50.csv"):
        plan = dsm.plan("resnet50", f"tpu_v3_{2 * int(row['chips'])}", *AS_RUN,
                        workload__minibatch=row["global_batch"], workload__gradient_bytes=4)
        rows.append((row["system"], float(row["step_ms"]), 1e3 * plan["result"]["step_seconds"]))
    show("ResNet-50 on TPU v3, a training step, ms", rows)
    rows = []
    for row, system, memory in zip(rows_of(folder / "gpu_resnet50.csv"), ("dgx1_v100", "dgx_a100"), (900, 1555)):
        plan = dsm.plan("resnet50", system, *AS_RUN, workload__minibatch=row["global_batch"],
                        system__system__axes__node__chips=1, system__chip__memory__bandwidth_GBps=memory)
        rows.append((row["system"], float(row["step_ms"]), 1e3 * plan["result"]["step_seconds"]))
    show("ResNet-50 on GPUs, a training step, ms", rows)


def product(dsm, system, m, n, k):
    """Seconds of one product on one GPU."""
    workload = dsm.workload([{"name": "product", "type": "fc", "in": k, "out": n}], minibatch=m)
    plan = dsm.plan(workload, system, "--mode", "inference", *AS_RUN, **SINGLE_GPU)
    return plan["result"]["step_seconds"]


def gemms(dsm, folder):
    rows = [(f"{row['model']} {row['op']} {row['M']} x {row['N']} x {row['K']}", float(row["microseconds"]),
             1e6 * product(dsm, "dgx_a100", int(row["M"]), int(row["N"]), int(row["K"])))
            for row in rows_of(folder / "a100_gemm.csv")]
    show("products on an A100, us", rows)


def kernels(dsm, folder):
    rows = [(f"row {row['sheet_row']}: {row['M']} x {row['N']} x {row['K']}", float(row["microseconds"]),
             1e6 * product(dsm, "dgx1_v100", int(row["N"]), int(row["M"]), int(row["K"])))
            for row in rows_of(folder / "v100_kernels.csv") if row["kernel"] == "gemm"]
    show("products on a V100, us", rows)


def allreduces(dsm, folder):
    rows = []
    for row in rows_of(folder / "a100_allreduce.csv"):
        elements = int(row["bytes"]) // 4
        workload = dsm.workload([{"name": "weights", "type": "fc", "in": 1024, "out": elements // 1024}], 4, 8)
        plan = dsm.plan(workload, "dgx_a100", *AS_RUN, system__system__axes__gpu__chips=row["gpus"],
                        system__system__axes__node__chips=1)
        frequency = plan["system"]["core"]["frequency_GHz"]
        groups = plan["layers"][0]["passes"]["update"]["groups"]
        cycles = groups["sum_of_gradients"] + groups["broadcast_weights"]
        rows.append((f"{row['gpus']} GPUs, {int(row['bytes']) >> 20} MiB", float(row["microseconds"]),
                     cycles / frequency / 1e3))
    show("all-reduces in a node of A100, us", rows)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    dsm, folder = Dsm(sys.argv[1]), pathlib.Path(sys.argv[2])
    for part in (steps, gemms, kernels, allreduces):
        if len(sys.argv) == 3 or part.__name__ in sys.argv[3:]:
            part(dsm, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
