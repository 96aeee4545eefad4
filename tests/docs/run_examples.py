#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples of the documents. In a ```console block, a line `$ COMMAND` is run and the lines
behind it must be what it prints; a line `[...]` stands for any lines. A block ```json NAME is written to
a file of that name first.

Usage: run_examples.py DSM_BINARY DOCUMENT...
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """Pairs of (info string, content) of the fenced blocks."""
    return re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", text, flags=re.M | re.S)


def examples(content):
    """Pairs of (command, expected lines)."""
    command, expected = None, []
    for line in content.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line)
    if command is not None:
        yield command, expected


def matches(expected, found):
    pattern = "".join(r"(?:.*\n)*?" if line == "[...]" else re.escape(line) + "\n"
                      for line in expected)
    return re.fullmatch(pattern, found) is not None


def main():
    dsm = pathlib.Path(sys.argv[1]).resolve()
    failed = count = 0
    for document in sys.argv[2:]:
        text = pathlib.Path(document).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for info, content in blocks(text):
                words = info.split()
                if words[0] == "json" and len(words) == 2:
                    pathlib.Path(folder, words[1]).write_text(content, encoding="utf-8")
            environment = {"PATH": f"{dsm.parent}:{os.environ['PATH']}", "LC_ALL": "C",
                           "HOME": folder}
            for info, content in blocks(text):
                if info != "console":
                    continue
                for command, expected in examples(content):
                    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                                          capture_output=True, text=True, check=False)
                    count += 1
                    if not matches(expected, done.stdout + done.stderr):
                        failed += 1
                        print(f"{document}: $ {command}\nprints:\n{done.stdout}{done.stderr}")
    print(f"{count} examples, {failed} differ from what is printed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
