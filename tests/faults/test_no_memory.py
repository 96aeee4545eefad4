#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program `dsm` where memory is exhausted from some allocation on, for good: exit code 5 and a message,
and no file that is not whole. The first hundred places of each command are tried one by one, later ones
further and further apart.

Usage: test_no_memory.py DSM SOURCE_DIR NO_MEMORY_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import tempfile

OUTSIDE = 5
ONE_BY_ONE = 100
failures = []


def places():
    at = 0
    while at < 10_000_000:
        yield at
        at = at + 1 if at < ONE_BY_ONE else int(at * 1.3)


def check(command, folder, environment):
    """How many allocations failed until one run had enough."""
    count = 0
    for at in places():
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              env={**environment, "DSM_NO_MEMORY_FROM": str(at)}, check=False, timeout=120)
        if done.returncode == 0:
            return count
        count += 1
        if done.returncode != OUTSIDE or not done.stderr.strip():
            failures.append(command)
            print(f"{' '.join(command[1:])}: from allocation {at}: exit code {done.returncode}, {done.stderr}")
        if (folder / "out").exists():
            failures.append(command)
            print(f"{' '.join(command[1:])}: from allocation {at}: there is an output")
            (folder / "out").unlink()
    failures.append(command)
    print(f"{' '.join(command[1:])}: has never memory enough")
    return count


def main():
    dsm, source, library = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    network, machine = str(source / "workloads" / "raider.json"), str(source / "systems" / "torus16.json")
    server = str(source / "servers" / "edge_npu.json")
    stages = str(source / "templates" / "stages.json")
    data_set, tiers = str(source / "templates" / "dataset.json"), str(source / "templates" / "system.json")
    trace = str(source / "tests" / "cli" / "cases" / "storage_adaptive" / "whole.csv")
    count = 0
    with tempfile.TemporaryDirectory(prefix="dsm-memory-") as name:
        folder = pathlib.Path(name)
        subprocess.run([dsm, "explore", network, machine, "-q", "-o", "plan.json"], cwd=folder, check=True)
        subprocess.run([dsm, "sweep", network, machine, "--vary", "workload.minibatch=8", "-q", "--database",
                        "points.sqlite"], cwd=folder, check=True)
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "LD_PRELOAD": library}
        for words in (("explore", network, machine), ("explore", network, machine, "-q", "-o", "out"),
                      ("describe", network, machine), ("validate", "plan.json"), ("score", "plan.json"),
                      ("check", "plan.json"), ("diff", "plan.json", "plan.json"), ("sweep", "points.sqlite"),
                      ("report", "points.sqlite:0", "-o", "-"), ("trace", "plan.json", "-o", "-"),
                      ("plot", "plan.json", "--script", "out"), ("init", "workload"),
                      ("init", "workload", "-o", "out"), ("help",),
                      ("pim", "frozen_lake", "upmem2524"), ("remat", network, machine, "--pareto"), ("remat", stages, "--stages", "2", "--budget", "2GB"),
                      ("remat", network, machine, "-q", "--write-stages", "out"),
                      ("storage", data_set, tiers, "--samples-per-second", "1e5", "--repeat", "2", "--timeline"),
                      ("storage", data_set, tiers, "--samples-per-second", "1e5", "--adaptive", "score", "--trace", trace),
                      ("partition", network, server, "--simulate", "requests=20")):
            failed = check([dsm, *words], folder, environment)
            if failed == 0:
                failures.append(words)
                print(f"{words}: no allocation failed")
            count += failed
            if (folder / "out").is_dir():
                for file in (folder / "out").iterdir():
                    file.unlink()
                (folder / "out").rmdir()
            elif (folder / "out").exists():
                (folder / "out").unlink()
    print(f"{len(failures)} failures" if failures else f"{count} runs without memory end with a message")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
