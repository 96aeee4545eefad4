#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/calibrate/measure.py measures on the CPU what `dsm calibrate` reads: layers, and all-reduces of two processes.

Usage: check_measure.py DSM_BINARY SOURCE_DIR
Exit code 77, nothing was checked: no Python here has PyTorch.
"""
import csv
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

NETWORK = {"format": "dsm-workload/1", "name": "small", "minibatch": 4, "layers": [
    {"name": "conv", "type": "conv", "in": 8, "out": 16, "feature": [8, 8], "kernel": [3, 3], "padding": [1, 1],
     "aux": [{"op": "batch_norm"}, {"op": "relu"}]},
    {"name": "fc", "type": "fc", "in": 1024, "out": 64}]}
ALONE = "system.system.axes.gpu.chips=1;system.system.axes.node.chips=1"
TOGETHER = "system.system.axes.gpu.chips=2;system.system.axes.node.chips=1"


def with_torch():
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import torch.distributed"], capture_output=True).returncode == 0:
                return python
        except OSError:
            pass
    return None


def run_two(command, folder):
    """As torchrun starts them, with its environment; what went wrong."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    made = [subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             env={**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2",
                                  "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}) for rank in range(2)]
    try:
        told = [each.communicate(timeout=100)[0] for each in made]
    except subprocess.TimeoutExpired:
        told = ["it takes too long"]
    finally:
        for each in made:
            each.kill()
    return "" if all(each.returncode == 0 for each in made) else "\n".join(told)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    dsm, measure = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve() / "examples/calibrate/measure.py"
    python = with_torch()
    if python is None:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "small.json").write_text(json.dumps(NETWORK))
        complaint = run_two([python, measure, "small.json", "4", "-o", "times.csv", "--device", "cpu", "--repetitions",
                             "2", "--alone", ALONE, "--together", TOGETHER], folder)
        if complaint:
            print(complaint)
            return 1
        with open(pathlib.Path(folder) / "times.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        found = [(row["layer"], row["pass"]) for row in rows]
        wanted = [("weights", "update")] * 3 + [("conv", "forward"), ("conv", "update"), ("fc", "forward"),
                                                 ("fc", "backward"), ("fc", "update")]
        if found != wanted or any("workload.element_bytes=4" not in row["overrides"] or row["parallelism"] != "data"
                                  for row in rows):
            print(f"rows are {rows}")
            return 1
        done = subprocess.run([dsm, "calibrate", "times.csv", "dgx_a100", "--fit",
                               "array.efficiency_ratio,axes.gpu.efficiency_ratio", "--format", "json"], cwd=folder,
                              capture_output=True, text=True)
        seen = {each["path"]: each["is_seen"] for each in json.loads(done.stdout or "{}").get("constants", ())}
        if seen != {"array.efficiency_ratio": True, "system.axes.0.efficiency_ratio": True}:
            print(f"calibrated: {seen} {done.stderr}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
