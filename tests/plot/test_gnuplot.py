#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm plot` and the gnuplot that it runs: one that is missing, complains, makes nothing or is ended.
Each time: exit code 5, one line on stderr, and no picture; a script needs no gnuplot.

Usage: test_gnuplot.py DSM_BINARY
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import plans
from plans import expect

OUTSIDE = 5
class Program:
    def __init__(self, dsm, folder):
        self.dsm = dsm
        self.folder = folder
        self.plan = plans.explore(dsm, folder, "plan", plans.many_layers(3))
        self.tools = folder / "tools"
        self.tools.mkdir()

    def plot(self, path, *options, plan=None):
        return plans.run(self.dsm, "plot", plan or self.plan, *options,
                         env=plans.environment(PATH=str(path)))

    def with_gnuplot(self, commands, *options, plan=None):
        """With a gnuplot that is a shell script of these commands."""
        fake = self.tools / "gnuplot"
        fake.write_text(f"#!/bin/sh\n{commands}\n")
        fake.chmod(0o755)
        return self.plot(f"{self.tools}:/usr/bin:/bin", *options, plan=plan)

    def expect_failure(self, where, done, *words):
        picture = self.folder / "p.svg"
        expect(done.returncode == OUTSIDE, where, f"exit {done.returncode}: {done.stderr}")
        expect(len(done.stderr.splitlines()) == 1, where, f"prints {done.stderr!r}")
        expect(done.stdout == "", where, f"prints {done.stdout!r}")
        for word in ("dsm: error: ", *words):
            expect(word in done.stderr, where, f"no {word!r} in {done.stderr!r}")
        left = [path.name for path in self.folder.iterdir() if path.name.startswith("p.")]
        expect(not left or picture.read_text() == "old", where, f"leaves {left}")


def is_alive(pid_file):
    """Is the process that wrote its number there running still? One that has ended may wait to be
    looked after by whoever adopts orphans."""
    try:
        stat = pathlib.Path(f"/proc/{int(pid_file.read_text())}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def expect_ended(pid_file, where):
    """The end of a killed process takes a moment."""
    deadline = time.monotonic() + 20
    while is_alive(pid_file) and time.monotonic() < deadline:
        time.sleep(0.01)
    expect(not is_alive(pid_file), where, "leaves a process")


def check_stays_alive(program):
    """A gnuplot that closes its outputs and then does not end is ended, with what it started."""
    pid = program.folder / "pid"
    output = program.folder / "p.svg"
    output.unlink(missing_ok=True)
    done = program.with_gnuplot("cat >/dev/null; sleep 1000 >/dev/null 2>&1 & "
                                f"echo $! >{pid}; echo '<svg/>'; exec >&- 2>&-; wait",
                                "-o", output)
    program.expect_failure("stays alive", done, "does not end")
    expect_ended(pid, "stays alive")


def check_signals(program):
    """A signal that ends dsm ends gnuplot too, whether it talks still or not."""
    output = program.folder / "p.svg"
    output.unlink(missing_ok=True)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for begin in ("", "cat >/dev/null; exec >&- 2>&-; "):
            where = f"{number.name} {begin}"
            pid = program.folder / "pid"
            pid.unlink(missing_ok=True)
            fake = program.tools / "gnuplot"
            fake.write_text(f"#!/bin/sh\n{begin}sleep 1000 & echo $! >{pid}.new; mv {pid}.new {pid}; "
                            "wait\n")
            with subprocess.Popen(
                    [str(program.dsm), "plot", str(program.plan), "-o", str(output)],
                    env=plans.environment(PATH=f"{program.tools}:/usr/bin:/bin"),
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                while not pid.exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
            expect(process.returncode == 130, where, f"exit {process.returncode}: {err}")
            expect(out == b"", where, f"prints {out}")
            expect_ended(pid, where)
            expect(not output.exists(), where, "leaves a picture")


def check_missing(program):
    output = program.folder / "p.svg"
    for path in ("/nonexistent", "", program.tools):
        done = program.plot(path, "-o", output)
        program.expect_failure(f"PATH={path}", done, "cannot run gnuplot", "gnuplot-nox", "--script")
    kept = program.folder / "kept"
    done = program.plot("/nonexistent", "--script", kept)
    expect(done.returncode == 0 and done.stderr == "", "script", f"{done.returncode}: {done.stderr}")
    names = sorted(path.name for path in kept.iterdir())
    expect(names == ["loss.gp", "loss.marks.dat"], "script", f"keeps {names}")
    done = program.plot("/nonexistent", "--script", kept, "--figure", "splits", "-o", output)
    program.expect_failure("script and picture", done, "cannot run gnuplot")
    expect((kept / "p.gp").exists(), "script and picture", "no script")


def check_failing(program):
    output = program.folder / "p.svg"
    cases = {
        "complains": ("cat >/dev/null; echo 'some input' >&2; echo 'line 3: no such thing' >&2; exit 1",
                      "no picture", "exit code 1", "line 3: no such thing"),
        "is silent": ("cat >/dev/null; exit 3", "exit code 3"),
        "makes nothing": ("cat >/dev/null", "no picture", "exit code 0"),
        "does not read": ("exit 2", "exit code 2"),
        "is ended": ("kill -9 $$", "signal 9"),
        "makes a text": ("cat >/dev/null; echo gnuplot 9.9", "made no svg", "$PATH"),
        "makes half": ("cat >/dev/null; echo half; exit 1", "exit code 1"),
    }
    for name, (commands, *words) in cases.items():
        program.expect_failure(name, program.with_gnuplot(commands, "-o", output), *words)
    output.write_text("old")
    program.expect_failure("old picture", program.with_gnuplot("exit 1", "-o", output))
    expect(output.read_text() == "old", "old picture", "is not as it was")


def check_forms(program):
    """What is made has the form that the name asks for."""
    for ending, beginning in (("svg", "<svg "), ("png", "\\211PNG\\r\\n\\032\\n"), ("pdf", "%%PDF-1.5")):
        for asked in ("svg", "png", "pdf"):
            output = program.folder / f"form.{asked}"
            done = program.with_gnuplot(f"cat >/dev/null; printf '{beginning}'", "-o", output)
            expected = 0 if asked == ending else OUTSIDE
            expect(done.returncode == expected and output.exists() == (expected == 0),
                   f"{ending} for {asked}", f"{done.returncode}: {done.stderr}")
            output.unlink(missing_ok=True)


def check_characters(program):
    """A note where PNG and PDF may lack letters, once."""
    pictures = {"svg": "<svg", "png": "\\211PNG\\r\\n\\032\\n", "pdf": "%%PDF-1.5"}
    names = {"日本": True, "😀": True, "א": True, "Größe é Ω ж ạ → ×": False, "plain": False}
    for index, (name, is_rare) in enumerate(names.items()):
        network = {**plans.many_layers(1), "name": name}
        plan = plans.explore(program.dsm, program.folder, f"letters{index}", network)
        for ending, beginning in pictures.items():
            fake = f"cat >/dev/null; printf '{beginning}'"
            done = program.with_gnuplot(fake, "-o", program.folder / f"letters.{ending}", plan=plan)
            has_note = "Cyrillic" in done.stderr and f"'{name[0]}'" in done.stderr
            expect(done.returncode == 0 and has_note == (is_rare and ending != "svg") and
                   len(done.stderr.splitlines()) == has_note, f"{name} in {ending}", done.stderr)


def check_written(program):
    """Large pictures arrive whole, and settings of the user's do not count."""
    output = program.folder / "p.svg"
    done = program.with_gnuplot(
        "test \"$1\" = -d || exit 9; cat >/dev/null; echo warning >&2; printf '<?xml'; "
        "head -c 2999995 /dev/zero",
        "-o", output)
    expect(done.returncode == 0, "large picture", f"{done.returncode}: {done.stderr}")
    expect(output.stat().st_size == 3000000, "large picture", f"{output.stat().st_size} bytes")


def check_folders(program):
    done = program.plot("/nonexistent", "--script", program.folder / "no" / "such")
    program.expect_failure("no folder", done, "cannot make the folder", "No such file")
    done = program.plot("/nonexistent", "--script", program.plan)
    expect(done.returncode == OUTSIDE and "Not a directory" in done.stderr, "a file", done.stderr)


def main():
    dsm = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        program = Program(dsm, pathlib.Path(temporary))
        check_missing(program)
        check_folders(program)
        check_failing(program)
        check_forms(program)
        check_characters(program)
        check_written(program)
        check_stays_alive(program)
        check_signals(program)
    return plans.outcome()


if __name__ == "__main__":
    sys.exit(main())
