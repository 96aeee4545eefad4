#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A companion of which the core knows its rows alone: made_up.c. Its answer has every form, is
compared, and stands in the lists.

Usage: test_made_up.py DSM_BINARY
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    failures = []
    dsm = pathlib.Path(sys.argv[1]).resolve()

    def expect(wanted, *arguments):
        done = subprocess.run([dsm, *arguments], capture_output=True, text=True, check=False)
        if wanted not in done.stdout:
            failures.append(f"dsm {' '.join(map(str, arguments))}: no '{wanted}' in {done.stdout}{done.stderr}")

    # It asks for places beside a command and before an option that there are not.
    expect("make something up", "help")
    expect("--twice", "help", "made-up")
    expect("made-up", "__complete", "made")
    expect("dsm-made-up/1", "list", "answer")
    expect('{"format": "dsm-made-up/1", "command": "dsm made-up", "forms": ["table", "json", "csv"], '
           '"about": "What is made up"}', "list", "--format", "json")
    expect("What is made up, written by `dsm made-up --format json`.", "describe", "--formats", "json")
    expect("it: 750.0 ms", "made-up")
    expect("other,0.5", "made-up", "--format", "csv")
    with tempfile.TemporaryDirectory() as folder:
        once, twice, page = (pathlib.Path(folder) / name for name in ("once.json", "twice.json", "page.html"))
        for path, more in ((once, ()), (twice, ("--twice",)), (page, ())):
            subprocess.run([dsm, "made-up", *more, "-q", "-o", path], check=False)
        expect("+100.00 %", "diff", once, twice)
        expect("regressed", "check", once, "--against", twice)
        if "<h1" not in page.read_text():
            failures.append("no page")
    print("\n".join(failures) if failures else "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
