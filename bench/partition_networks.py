#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures `dsm partition` as a whole process on the cases of docs/evidence/performance.md and prints them as Markdown.

Usage: partition_networks.py DSM
One run each: processor time, seconds by the clock, the largest memory. A second table has small networks, which are to
be proven. Where cbc is installed a third has its answers on the written programmes, with the same limit.
"""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

GPUS = ["cpu_2gpu", "--set", "server.devices.gpu.count=3"]
MAKE_PROFILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make_profile.py")


def bundled(network, memory_GB=None, link_GBps=None):
    """A bundled network on a CPU and three GPUs, with memory of each GPU and links as given."""
    words = [network, *GPUS]
    if memory_GB is not None:
        words += ["--set", f"server.devices.gpu.memory_GB={memory_GB}"]
    if link_GBps is not None:
        for device in ("cpu", "gpu"):
            words += ["--set", f"server.devices.{device}.link_GBps={link_GBps}"]
    return words


# name, memory, link GB/s, arguments or (tasks, devices, ratio) of make_profile.py, options
CASES = [
    ("ResNet-50", "16 GB", "15.75", bundled("resnet50"), ["--time-limit", "30"]),
    ("ResNet-50", "0.02 GB", "15.75", bundled("resnet50", 0.02), ["--time-limit", "30"]),
    ("ResNet-50", "0.02 GB", "1", bundled("resnet50", 0.02, 1), ["--time-limit", "30"]),
    ("GoogLeNet", "16 GB", "15.75", bundled("googlenet"), ["--time-limit", "30"]),
    ("GoogLeNet", "0.006 GB", "1", bundled("googlenet", 0.006, 1), ["--time-limit", "30"]),
    ("random", "4", "1", (200, 8, 4), ["--time-limit", "60"]),
    ("random", "2", "1", (200, 8, 2), ["--time-limit", "60"]),
    ("random", "1.3", "1", (200, 8, 1.3), ["--time-limit", "60"]),
    ("random, `--tasks 40`", "1.3", "1", (200, 8, 1.3), ["--time-limit", "60", "--tasks", "40"]),
    ("random", "2", "1", (300, 12, 2), ["--time-limit", "1"]),
    ("random", "2", "1", (1000, 8, 2), ["--time-limit", "1"]),
    ("random", "2", "1", (1000, 8, 2), ["--time-limit", "60"]),
    ("random", "4", "1", (12000, 64, 4), ["--time-limit", "1"]),
    ("random", "4", "1", (12000, 64, 4), ["--time-limit", "60"]),
]

# Arguments of make_profile.py in all combinations, each to be proven within so many seconds.
SMALL_TASKS, SMALL_DEVICES, SMALL_RATIOS, SMALL_SEEDS = (10, 14, 20), (4, 6, 8), (1.5, 2), (1, 2)
SMALL_SECONDS = 10

# Arguments of make_profile.py: ample memory with moderate links, and tight memory with slow links.
AGAINST_CBC = [(14, 8, 2, 1, 1), (20, 8, 2, 2, 1), (60, 6, 3, 2, 2), (200, 8, 4, 1, 10), (300, 8, 2, 1, 1),
               (20, 4, 1.4, 3, 0.1), (20, 8, 1.4, 3, 0.1), (30, 6, 1.3, 4, 0.2), (40, 8, 1.5, 3, 0.3)]
CBC_SECONDS = 10


def made(folder, shape):
    """A file with a made profile."""
    path = os.path.join(folder, "-".join(map(str, shape)) + ".json")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as out:
            subprocess.run([sys.executable, MAKE_PROFILE, *map(str, shape)], stdout=out, check=True)
    return ["--profile", path]


def measure(dsm, arguments, output, gap="1%"):
    """Exit code, processor seconds, seconds by the clock, MB, what --verbose says."""
    begin = time.monotonic()
    command = [dsm, "partition", *arguments, "--gap", gap, "--verbose", "-o", output]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    return (process.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - begin,
            usage.ru_maxrss / 1000, text)


def prove_small(dsm, folder):
    """The table of small networks: how many of those that fit are proven, and what that takes at most."""
    print(f"\nNetworks to be proven to 0.01 % within {SMALL_SECONDS} s; most of nodes and seconds of a processor.\n")
    print("| tasks | devices | memory | fit | proven | nodes | s | largest gap |\n|---|---|---|---|---|---|---|---|")
    output = os.path.join(folder, "answer.json")
    for tasks, devices, ratio in itertools.product(SMALL_TASKS, SMALL_DEVICES, SMALL_RATIOS):
        gaps, most_nodes, most_seconds, proven = [], 0, 0, 0
        for seed in SMALL_SEEDS:
            code, cpu, _, _, said = measure(dsm, made(folder, (tasks, devices, ratio, seed, 1))
                                            + ["--time-limit", str(SMALL_SECONDS)], output, "0.01%")
            if code != 0:
                continue
            with open(output, encoding="utf-8") as file:
                answer = json.load(file)
            gaps.append(answer["gap"])
            proven += answer["status"] == "optimal"
            most_nodes = max(most_nodes, int(re.search(r"(\d+) nodes", said).group(1)))
            most_seconds = max(most_seconds, cpu)
        print(f"| {tasks} | {devices} | {ratio} | {len(gaps)} | {proven} | {most_nodes:,} | {most_seconds:.2g} "
              f"| {100 * max(gaps):.2g} % |", flush=True)


def solve_by_cbc(programme):
    """The rate that CBC reaches, or None."""
    run = subprocess.run(["cbc", programme, "preprocess", "off", "ratioGap", "1e-4", "timeMode", "elapsed", "sec",
                          str(CBC_SECONDS), "solve"], capture_output=True, text=True, check=True)
    found = re.search(r"Objective value: +(-[0-9.]+)", run.stdout)
    return -float(found.group(1)) if found else None


def compare(dsm, folder):
    """The table of AGAINST_CBC."""
    print(f"\nRequests per second after at most {CBC_SECONDS} s, gap 0.01 %, against CBC on the written programme.\n")
    print("| tasks | devices | memory | seed | link | dsm | gap | CBC | dsm / CBC |\n|---|---|---|---|---|---|---|---|---|")
    for shape in AGAINST_CBC:
        profile, programme = made(folder, shape), os.path.join(folder, "programme.mps")
        output = os.path.join(folder, "answer.json")
        subprocess.run([dsm, "partition", *profile, "--gap", "0.01%", "--time-limit", str(CBC_SECONDS), "--quiet",
                        "-o", output, "--write-mps", programme], check=True, stderr=subprocess.DEVNULL)
        with open(output, encoding="utf-8") as file:
            answer = json.load(file)
        other = solve_by_cbc(programme)
        print("| " + " | ".join(map(str, shape)) + f" | {answer['rho']:.5g} | {100 * answer['gap']:.3g} % | "
              + (f"{other:.5g} | {answer['rho'] / other:.4f} |" if other else "none | |"), flush=True)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: partition_networks.py DSM")
    print("### Partitions of whole networks\n")
    print("| network | tasks | devices | memory | link | limit | columns, rows, nodes | s | clock | MB | gap "
          "| answer of |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "answer.json")
        for name, memory, link, what, options in CASES:
            arguments = (what if isinstance(what, list) else made(folder, what)) + options
            code, cpu, clock, megabytes, said = measure(sys.argv[1], arguments, output)
            if code != 0:
                print(f"| {name} | | | {memory} | {link} | {options[1]} | exit {code} | {cpu:.2g} | {clock:.2g} | "
                      f"{megabytes:.0f} | | |")
                continue
            with open(output, encoding="utf-8") as file:
                answer = json.load(file)
            sizes = [line.split("; ")[1].rsplit(", ", 1)[0] for line in said.splitlines()
                     if " columns, " in line]
            print(f"| {name} | {len(answer['tasks'])} | {len(answer['devices'])} | {memory} | {link} | {options[1]} s "
                  f"| {sizes[0] if sizes else ''} | {cpu:.2g} | {clock:.2g} | {megabytes:.0f} "
                  f"| {100 * answer['gap']:.3g} % | {'start' if answer['heuristic'] else 'solver'} |",
                  flush=True)
        prove_small(sys.argv[1], folder)
        if shutil.which("cbc"):
            compare(sys.argv[1], folder)


if __name__ == "__main__":
    main()
