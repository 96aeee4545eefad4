#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the command-line cases: one folder a case, with
    cmd      a shell script run with `sh -eu`-like strictness off, in a clean folder; `dsm` is on PATH
    stdout   what it must print, byte for byte (absent: nothing)
    stderr   likewise (absent: nothing)
    exit     its exit code (absent: 0)
Other files of the case are copied into the clean folder first. The folder of the bundled descriptions
stands in stdout and stderr as @SHARE@, any other path into the build as @BUILD@.

Usage: run_cases.py DSM_BINARY CASES_DIR [--update] [--but WORDS] [--every N] [NAME...]

--update rewrites stdout, stderr and exit from what happens. Read the difference before you commit it:
it must be what a person would call right.
--but leaves out the cases that name one of these, with commas between: commands of dsm, options, files;
of a program without them. --every N runs each Nth of the others.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SPECIAL = {"cmd", "stdout", "stderr", "exit"}
# What several cases use; one that names a file of it has a copy.
SHARED = pathlib.Path(__file__).resolve().parent / "shared"
TIMEOUT_SECONDS = 600


def without_paths(output, dsm):
    """The text of an output, with what depends on where dsm was built replaced."""
    build = dsm.parent.parent
    text = output.decode(errors="backslashreplace")
    return text.replace(str(build / "share" / "dsm"), "@SHARE@").replace(str(build), "@BUILD@")


def run(case, dsm):
    command = (case / "cmd").read_text()
    with tempfile.TemporaryDirectory() as folder:
        for item in case.iterdir():
            if item.name not in SPECIAL:
                shutil.copy(item, folder)
        for item in SHARED.iterdir():
            if item.name in command:
                shutil.copy(item, folder)
        environment = {
            "PATH": f"{dsm.parent}:/usr/bin:/bin",
            "LC_ALL": "C",
            "HOME": folder,
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", ""),
        }
        done = subprocess.run(["sh", str(case / "cmd")], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
    return without_paths(done.stdout, dsm), without_paths(done.stderr, dsm), done.returncode


def expected(case, name):
    """The text of a file of the case as it is: no line ending is translated."""
    path = case / name
    return path.read_bytes().decode() if path.exists() else ""


def visible_lines(text):
    """Lines with their carriage returns and escapes visible; the last may lack its newline."""
    lines = [line.replace("\r", "\\r").replace("\033", "\\e") + "\n" for line in text.split("\n")]
    if lines[-1] == "\n":
        return lines[:-1]
    return lines[:-1] + [lines[-1], "\\ no newline at the end\n"]


def difference(name, wanted, found):
    return "".join(difflib.unified_diff(visible_lines(wanted), visible_lines(found),
                                        f"expected {name}", f"found {name}"))


def update(case, found):
    for name, text in zip(("stdout", "stderr"), found[:2]):
        path = case / name
        if text:
            path.write_bytes(text.encode())
        elif path.exists():
            path.unlink()
    path = case / "exit"
    if found[2]:
        path.write_text(f"{found[2]}\n")
    elif path.exists():
        path.unlink()


def names_any(case, words):
    """Whether a case runs a command of dsm, prints it in a list of commands, or has another word."""
    pattern = re.compile("|".join(rf"\bdsm {w}\b|^\s*{w}\s" if w.isalnum() else re.escape(w) for w in words), re.M)
    return any(pattern.search(item.read_bytes().decode(errors="replace")) for item in case.iterdir())


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    is_update = "--update" in sys.argv
    left_out = None
    if "--but" in arguments:
        at = arguments.index("--but")
        left_out = arguments[at + 1].split(",")
        del arguments[at:at + 2]
    step = 1
    if "--every" in arguments:
        at = arguments.index("--every")
        step = int(arguments[at + 1])
        del arguments[at:at + 2]
    dsm = pathlib.Path(arguments[0]).resolve()
    cases = sorted(p for p in pathlib.Path(arguments[1]).resolve().iterdir() if (p / "cmd").exists())
    if left_out is not None:
        cases = [case for case in cases if not names_any(case, left_out)]
    cases = cases[::step]
    wanted_names = set(arguments[2:])
    unknown_names = wanted_names - {case.name for case in cases}
    if unknown_names:
        print("no such case: " + ", ".join(sorted(unknown_names)))
        return 1
    tried = failed = 0
    for case in cases:
        if wanted_names and case.name not in wanted_names:
            continue
        found = run(case, dsm)
        if is_update:
            update(case, found)
            continue
        problems = difference("stdout", expected(case, "stdout"), found[0])
        problems += difference("stderr", expected(case, "stderr"), found[1])
        wanted_exit = int(expected(case, "exit") or "0")
        if wanted_exit != found[2]:
            problems += f"expected exit {wanted_exit}, found {found[2]}\n"
        tried += 1
        if problems:
            failed += 1
            print(f"not ok {case.name}\n{problems}")
    if not cases:
        print("no cases found")
        return 1
    if not is_update:
        print(f"{tried - failed} of {tried} cases ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
