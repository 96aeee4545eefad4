# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of sweeps share: a sweep that takes about a second, and running the program on it."""
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

SPEC = {
    "format": "dsm-sweep/1",
    "workloads": ["alexnet"],
    "systems": ["torus16"],
    "options": {"optimize": ["hybrid", "reuse"]},
    "axes": [
        {"path": "system.core.scratchpad_MiB", "values": [0.25, 0.5, 1, 2]},
        {"path": "workload.minibatch", "range": {"from": 48, "to": 120, "step": 12}},
        {"path": "system.chip.memory.bandwidth_GBps", "values": [128, 256, 512]},
        {"path": "options.mode", "values": ["training", "inference"]},
    ],
}
POINT_COUNT = 4 * 7 * 3 * 2
# With these it takes seconds: enough for something to happen before it is done.
MANY = ("--vary", "workload.minibatch=48:120:+1")
MANY_COUNT = 4 * 73 * 3 * 2


def heed_sigint():
    """The tests themselves may run in the background of a script, where SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class SweepCase(unittest.TestCase):
    """A clean folder with a specification in it."""
    dsm = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write_spec("spec.json", SPEC)
        self.environment = {**os.environ, "LC_ALL": "C", "HOME": folder.name, "COLUMNS": "100",
                            "TERM": "xterm"}
        self.environment.pop("NO_COLOR", None)
        self.environment.pop("DSM_PATH", None)

    def write_spec(self, name, spec):
        (self.folder / name).write_text(json.dumps(spec), encoding="utf-8")

    def command(self, *arguments):
        return [str(self.dsm), "sweep", *arguments]

    def run_sweep(self, *arguments, program=None, code=0):
        done = subprocess.run([*(program or [str(self.dsm)]), "sweep", *arguments], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=600, check=False)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace"))
        return done

    def start(self, command, **options):
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   **{"stdin": subprocess.DEVNULL, "preexec_fn": heed_sigint,
                                      **options})
        self.addCleanup(self.finish, process)
        return process

    @staticmethod
    def finish(process):
        if process.poll() is None:
            process.kill()
        if not process.stdout.closed:
            process.communicate()

    def count_rows(self, database):
        """How many points are recorded; 0 while there is no table yet."""
        try:
            # One that only reads cannot recover the log of a killed writer; one that is left to the
            # garbage collector keeps the log where it is.
            with contextlib.closing(sqlite3.connect(f"file:{self.folder / database}?mode=rw",
                                                    uri=True, timeout=10)) as opened:
                return opened.execute("select count(*) from points").fetchone()[0]
        except sqlite3.OperationalError:
            return 0

    def wait_for_rows(self, process, database, count):
        deadline = time.monotonic() + 120
        while self.count_rows(database) < count:
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def whole_export(self, *more):
        """The CSV of a run that nothing disturbs."""
        return self.run_sweep("spec.json", "--database", "whole.sqlite", "--format", "csv",
                              *more).stdout
