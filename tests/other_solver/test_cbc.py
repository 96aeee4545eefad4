#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another solver, CBC, finds the same optimum of the same programme, given as MPS.

Usage: test_cbc.py WRITE_PROGRAMMES [COUNT]
Exits with 77 where cbc is not installed.
"""
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def solve(path):
    """The value that CBC gives, or None if there is no solution."""
    run = subprocess.run(["cbc", path, "preprocess", "off", "ratioGap", "0", "allowableGap", "0", "solve"],
                         capture_output=True, text=True, timeout=120, check=True)
    if "infeasible" in run.stdout.lower() and "Optimal solution found" not in run.stdout:
        return None
    if "Optimal" not in run.stdout:
        raise ValueError(f"{path}: cbc found no optimum:\n{run.stdout}")
    return float(re.findall(r"^(?:Objective value:|Optimal - objective value)\s+(\S+)", run.stdout,
                            flags=re.M)[0])


def main():
    if shutil.which("cbc") is None:
        print("cbc is not installed")
        return SKIPPED
    count = sys.argv[2] if len(sys.argv) > 2 else "60"
    wrong = 0
    solved = 0
    with tempfile.TemporaryDirectory() as folder:
        written = subprocess.run([sys.argv[1], folder, count], capture_output=True, text=True,
                                 check=True).stdout
        for line in written.splitlines():
            path, status, value = line.split()
            other = solve(path)
            value = float(value)
            # (1) to (7) hold at rate 0 too where nothing can be stored: dsm calls that infeasible
            nothing = other is None or other == 0
            same = nothing if status == "infeasible" else \
                other is not None and abs(other - value) <= 1e-5 * max(1e-3, abs(value))
            solved += status == "solved"
            if not same:
                print(f"{path}: {status} {value}, cbc {other}")
                wrong += 1
    print(f"{solved} optima of {count} programmes compared, {wrong} differ")
    return 1 if wrong or solved < int(count) // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
