#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples of the documents. In a ```console block, a line `$ COMMAND` is run and the lines
behind it must be what it prints; a line `[...]` stands for any lines. In a ```sh block a line that begins
with `dsm` is run and must end well. A block ```json NAME or ```csv NAME is written to a file of that name first.

--help stands for the examples of every command, which its help and its man page show: they are run one after
the other in one folder, and must end well and say nothing on standard error but notes.

Usage: run_examples.py DSM_BINARY DOCUMENT... | --help
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


# What examples of commands begin with, where no command writes it.
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"

# In containers mpirun is started by root, on fewer cores than ranks.
FOR_MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
              "OMPI_MCA_rmaps_base_oversubscribe": "1"}


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


class Runner:
    """Runs commands in a folder of its own, and counts."""

    def __init__(self, dsm):
        self.dsm = dsm
        self.count = self.failed = 0

    def run(self, command, folder):
        environment = {"PATH": f"{self.dsm.parent}:{os.environ['PATH']}", "LC_ALL": "C",
                       "HOME": folder, **FOR_MPIRUN}
        return subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def judge(self, is_good, where, command, done):
        self.count += 1
        if not is_good:
            self.failed += 1
            print(f"{where}: $ {command}\nexit code {done.returncode}, prints:\n{done.stdout}{done.stderr}")


def run_document(runner, document):
    text = pathlib.Path(document).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for info, content in blocks(text):
            words = info.split()
            if words[0] in ("json", "csv") and len(words) == 2:
                pathlib.Path(folder, words[1]).write_text(content, encoding="utf-8")
        for info, content in blocks(text):
            if info == "console":
                for command, expected in examples(content):
                    done = runner.run(command, folder)
                    runner.judge(matches(expected, done.stdout + done.stderr), document, command, done)
            elif info == "sh":
                for command in re.findall(r"^dsm .*", content, flags=re.M):
                    done = runner.run(command, folder)
                    runner.judge(done.returncode == 0, document, command, done)


def of_help(runner, folder, *command):
    """The examples that the help of a command shows."""
    shown = runner.run(" ".join(["dsm", "help", *command]), folder).stdout
    shown = shown[shown.index("\nExamples:\n"):shown.index("\nExit codes:")]
    return re.findall(r"^  (dsm .+)", shown, flags=re.M)


def examples_for_ranks(runner, folder):
    """The examples of the man page of dsm-mpi, where it was built and mpirun can start something."""
    page = runner.dsm.parent.parent / "share" / "man" / "man1" / "dsm-mpi.1"
    if not (runner.dsm.parent / "dsm-mpi").exists() or runner.run("mpirun -n 1 true", folder).returncode:
        return []
    shown = re.search(r"^\.EX\n(.*?)^\.EE$", page.read_text(encoding="utf-8"), flags=re.M | re.S).group(1)
    return shown.replace("\\-", "-").splitlines()


def run_help(runner):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(EXAMPLES / "calibrate" / "times.csv", folder)
        for name in ("model.onnx", "config.json"):
            shutil.copy(EXAMPLES / "import" / name, folder)
        overview = runner.run("dsm help", folder).stdout
        listed = overview[overview.index("\nCommands:\n"):overview.index("\nOptions:\n")]
        commands = [[], *([name] for name in re.findall(r"^  (\S+) ", listed, flags=re.M))]
        for command in commands:
            where = " ".join(["dsm", *command])
            found = of_help(runner, folder, *command)
            runner.judge(bool(found), where, "help", runner.run("dsm --version", folder))
            for example in found:
                done = runner.run(example, folder)
                # A baseline that is checked against another machine may have regressed.
                good = (0, 1) if command == ["check"] else (0,)
                is_silent = all(line.startswith("note: ") or ": note: " in line for line in done.stderr.splitlines())
                runner.judge(done.returncode in good and is_silent, where, example, done)
        for example in examples_for_ranks(runner, folder):
            done = runner.run(example, folder)
            runner.judge(done.returncode == 0, "dsm-mpi", example, done)


def main():
    runner = Runner(pathlib.Path(sys.argv[1]).resolve())
    for document in sys.argv[2:]:
        if document == "--help":
            run_help(runner)
        else:
            run_document(runner, document)
    print(f"{runner.count} examples, {runner.failed} differ from what is printed")
    return 1 if runner.failed or not runner.count else 0


if __name__ == "__main__":
    sys.exit(main())
