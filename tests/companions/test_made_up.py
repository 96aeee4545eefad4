#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A companion of which the core knows its rows alone: made_up.c.

Usage: test_made_up.py DSM_BINARY
"""
import subprocess
import sys


def main():
    failures = []

    def expect_in(wanted, *arguments):
        done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)
        if wanted not in done.stdout:
            failures.append(f"dsm {' '.join(arguments)}: no '{wanted}' in {done.stdout}{done.stderr}")

    # It asks for places beside a command and an option that there are not.
    expect_in("count what is made up", "help")
    expect_in("--all-of-it", "help", "made-up")
    print("\n".join(failures) if failures else "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
