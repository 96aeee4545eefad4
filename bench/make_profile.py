#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A profile (format dsm-profile/1) of a seeded random network: a chain in which every fourth task also
reads what the task two before it made, on devices of which half are equal pairs.

Usage: make_profile.py TASKS DEVICES MEMORY_RATIO [SEED [LINK_GBps]]
MEMORY_RATIO: memory of all devices over the parameters of all tasks.
"""
import json
import random
import sys


def main():
    tasks, devices, ratio = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    link = 1e9 * (float(sys.argv[5]) if len(sys.argv) > 5 else 1)
    draw = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    speeds = [draw.uniform(1, 10) for _ in range(devices)]
    for j in range(1, devices, 2):
        speeds[j] = speeds[j - 1] if j <= devices // 2 else speeds[j]
    names = [f"d{j + 1}" for j in range(devices)]
    made, total = [], 0
    for i in range(tasks):
        work, weights = draw.uniform(1e-4, 1e-2), draw.randrange(10**5, 10**7)
        factors = {}
        for j in range(devices):
            key = speeds[j]
            factors.setdefault(key, draw.uniform(0.5, 2))
        task = {"name": f"t{i + 1}", "weights_bytes": weights,
                "output_bytes": draw.randrange(10**4, 10**6),
                "seconds": {names[j]: work * factors[speeds[j]] / speeds[j]
                            for j in range(devices)}}
        if i >= 2 and i % 4 == 3:
            task["inputs"] = [f"t{i}", f"t{i - 1}"]
        made.append(task)
        total += weights
    room = ratio * total / devices
    print(json.dumps({
        "format": "dsm-profile/1", "name": f"random{tasks}on{devices}", "tasks": made,
        "devices": [{"name": name, "accelerator": j > 0, "memory_bytes": int(room),
                     "link_bytes_per_second": link} for j, name in enumerate(names)]}, indent=1))


if __name__ == "__main__":
    main()
