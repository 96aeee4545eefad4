#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs in folders are all there or not at all where a signal comes between their files.

Usage: test_signals.py DSM SOURCE_DIR SIGNALLED_LIBRARY
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile


def main():
    dsm, source, library = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    failures = 0
    with tempfile.TemporaryDirectory(prefix="dsm-signals-") as name:
        folder = pathlib.Path(name)
        subprocess.run([dsm, "explore", source / "workloads/raider.json", source / "systems/torus16.json",
                        "-q", "-o", "plan.json"], cwd=folder, check=True, env=environment)
        for words in (["plot", "plan.json", "--script", "out"],
                      ["export", "plan.json", "--to", "astra-sim", "-o", "out"],
                      ["export", "plan.json", "--to", "chakra", "-o", "out"]):
            files = []
            for preloaded in ({}, {"LD_PRELOAD": library}):
                done = subprocess.run([dsm, *words], cwd=folder, capture_output=True, text=True, check=False,
                                      stdin=subprocess.DEVNULL, env={**environment, **preloaded})
                expected = -signal.SIGTERM if preloaded else 0
                if done.returncode != expected:
                    failures += 1
                    print(f"{words}: expected exit code {expected}, found {done.returncode}: {done.stderr}")
                files.append({path.name: path.read_bytes() for path in (folder / "out").iterdir()})
                for path in (folder / "out").iterdir():
                    path.unlink()
                (folder / "out").rmdir()
            if not files[0] or files[0] != files[1]:
                failures += 1
                print(f"{words}: expected {sorted(files[0])}, found {sorted(files[1])}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
