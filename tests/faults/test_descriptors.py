#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program with standard input, output or error closed, and with outputs that name descriptors.

A closed standard output is a failed write, exit code 5; a closed input or error changes nothing of
what is written. Whatever is closed, no file of the program's gets that number: databases and files
are the same as those of a run with all three open.

Usage: test_descriptors.py DSM SOURCE_DIR
"""
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

USAGE, OUTSIDE = 2, 5


class Descriptors(unittest.TestCase):
    dsm = None
    source = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="dsm-descriptors-")
        self.addCleanup(holder.cleanup)
        self.holder = pathlib.Path(holder.name)
        self.environment = {**os.environ, "LC_ALL": "C", "DSM_PATH": str(self.source)}
        self.environment.pop("NO_COLOR", None)

    def run_dsm(self, folder, *arguments, closed=None, **options):
        prepare = None if closed is None else lambda: os.close(closed)
        return subprocess.run([str(self.dsm), *arguments], cwd=folder, env=self.environment,
                              preexec_fn=prepare, check=False, timeout=120, text=True,
                              **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                 "stderr": subprocess.PIPE, **options})

    def make_folder(self, name):
        """A folder with what the commands need, made once and copied."""
        folder = self.holder / name
        made = self.holder / "made"
        if folder.exists():
            shutil.rmtree(folder)
        if not made.exists():
            self.fill_folder(made)
        shutil.copytree(made, folder)
        return folder

    def fill_folder(self, folder):
        folder.mkdir()
        for arguments in (["explore", "alexnet", "torus16", "-q", "-o", "plan.json"],
                          ["sweep", "alexnet", "torus16", "-q", "--vary",
                           "workload.minibatch=64,128", "--database", "made.sqlite"]):
            done = self.run_dsm(folder, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def commands(self):
        """Every command that writes: its words, and whether it prints to standard output."""
        vary = ["--vary", "workload.minibatch=64,128,256"]
        yield ["sweep", "alexnet", "torus16", *vary], True
        yield ["sweep", "alexnet", "torus16", *vary, "-v", "--threads", "2"], True
        yield ["sweep", "alexnet", "torus16", *vary, "-o", "points.csv"], False
        yield ["sweep", "alexnet", "torus16", *vary, "-q", "--record", "plans"], False
        yield ["sweep", "made.sqlite", "--format", "json"], True
        yield ["sweep", "--merge", "all.sqlite", "made.sqlite"], True
        yield ["explore", "alexnet", "torus16"], True
        yield ["explore", "alexnet", "torus16", "-o", "other.json"], True
        yield ["explore", "alexnet", "torus16", "-q", "-o", "other.json"], False
        yield ["score", "plan.json"], True
        yield ["score", "plan.json", "-q", "-o", "scored.json"], False
        yield ["describe", "alexnet", "torus16", "-v"], True
        yield ["validate", "plan.json"], True
        yield ["check", "plan.json"], True
        yield ["check", "plan.json", "-q", "-o", "check.json"], False
        yield ["diff", "plan.json", "made.sqlite:0"], True
        yield ["partition", "alexnet", "edge_npu"], True
        yield ["partition", "alexnet", "edge_npu", "-q", "-o", "partition.json", "--write-mps",
               "model.mps", "--simulate", "requests=5,window=1", "--trace", "trace.json"], False
        yield ["remat", "alexnet", "torus16"], True
        yield ["pim", "frozen_lake", "upmem2524"], True
        yield ["pim", "frozen_lake", "upmem2524", "-q", "-o", "pim.json"], False
        yield ["remat", "alexnet", "torus16", "-q", "-o", "remat.json", "--write-stages", "stages.json"], False
        yield ["storage", "deepcam", "summit", "--samples-per-second", "65000"], True
        yield ["plot", "plan.json", "--script", "script"], False
        yield ["report", "plan.json"], True
        yield ["report", "plan.json", "-o", "report.html"], False
        yield ["trace", "plan.json"], True
        yield ["trace", "plan.json", "-o", "trace.json"], False
        yield ["export", "plan.json", "--to", "astra-sim", "-o", "simulator"], False
        yield ["export", "plan.json", "--to", "chakra", "-o", "traces"], False
        yield ["init", "sweep", "-o", "sweep.json"], False
        yield ["help", "sweep"], True
        yield ["--version"], True

    def contents(self, folder):
        """What each file holds, but for times; of a database, what its tables and views hold."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.suffix == ".sqlite":
                with sqlite3.connect(path) as database:
                    found[name] = [database.execute(f"SELECT * FROM {of} ORDER BY 1, 2, 4").fetchall()
                                   for of in ("meta", "inputs", "points", "layers")]
                    integrity = database.execute("PRAGMA integrity_check").fetchone()
                    self.assertEqual(integrity, ("ok",))
                database.close()
            else:
                text = path.read_text("latin-1") if path.is_file() else ""
                found[name] = re.sub(r'"(\w+_)?seconds": [-+.\de]+', "", text)
        return found

    def check_closed(self, descriptor):
        for words, is_printing in self.commands():
            with self.subTest(words=words, closed=descriptor):
                whole = self.make_folder("whole")
                expected = self.run_dsm(whole, *words)
                self.assertEqual(expected.returncode, 0, expected.stderr)
                folder = self.make_folder("closed")
                found = self.run_dsm(folder, *words, closed=descriptor)
                fails = descriptor == 1 and is_printing
                self.assertEqual(found.returncode, OUTSIDE if fails else 0, found.stderr)
                self.assertEqual(found.stdout, "" if descriptor == 1 else expected.stdout)
                if fails:
                    self.assertIn("cannot write to standard output: ", found.stderr)
                self.assertEqual(self.contents(folder), self.contents(whole))

    def test_standard_input_is_closed(self):
        self.check_closed(0)

    def test_standard_output_is_closed(self):
        self.check_closed(1)

    def test_standard_error_is_closed(self):
        self.check_closed(2)

    def test_all_are_closed(self):
        def close_all():
            os.closerange(0, 3)

        whole = self.make_folder("whole")
        words = ["sweep", "alexnet", "torus16", "--vary", "workload.minibatch=64,128,256"]
        self.run_dsm(whole, *words)
        folder = self.make_folder("closed")
        done = subprocess.run([str(self.dsm), *words], cwd=folder, env=self.environment,
                              preexec_fn=close_all, check=False, timeout=120)
        self.assertEqual(done.returncode, OUTSIDE)
        self.assertEqual(self.contents(folder), self.contents(whole))

    def test_a_closed_standard_input_cannot_be_read(self):
        folder = self.make_folder("input")
        done = self.run_dsm(folder, "validate", "-", closed=0)
        self.assertEqual(done.returncode, OUTSIDE)
        self.assertIn("cannot read: Bad file descriptor", done.stderr)

    def test_no_descriptor_of_the_program_is_an_output(self):
        """Some of these numbers are the database's lock, file and log while a sweep runs."""
        folder = self.make_folder("own")
        for descriptor in range(3, 12):
            for form in (f"/dev/fd/{descriptor}", f"/proc/self/fd/{descriptor}"):
                done = self.run_dsm(folder, "sweep", "alexnet", "torus16", "--vary",
                                    "workload.minibatch=64,128", "-o", form)
                self.assertIn(done.returncode, (USAGE, OUTSIDE), (form, done.stderr))
                self.assertIn(form, done.stderr)
                shown = self.run_dsm(folder, "sweep", "alexnet-torus16.sqlite", "--format", "csv")
                lines = 1 if done.returncode == USAGE else 3  # refused before, or after the run
                self.assertEqual((shown.returncode, shown.stdout.count("\n")), (0, lines), form)
                (folder / "alexnet-torus16.sqlite").unlink()

    def test_no_file_of_a_database_is_an_output(self):
        folder = self.make_folder("beside")
        for name in ("made.sqlite", "made.sqlite-wal", "made.sqlite-shm", "made.sqlite-journal"):
            for words in (["sweep", "made.sqlite"],
                          ["sweep", "alexnet", "torus16", "--vary", "workload.minibatch=64,128",
                           "--database", "made.sqlite"]):
                done = self.run_dsm(folder, *words, "-o", f"./{name}")
                self.assertEqual(done.returncode, USAGE, (name, done.stderr))
                self.assertIn("--output", done.stderr)
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["made.sqlite", "plan.json"])

    def test_a_descriptor_of_the_caller_is_an_output(self):
        folder = self.make_folder("given")
        with open(folder / "points.csv", "wb") as given:
            name = f"/dev/fd/{given.fileno()}"
            done = self.run_dsm(folder, "sweep", "made.sqlite", "--format", "csv", "-o", name,
                                pass_fds=[given.fileno()])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((folder / "points.csv").read_text().count("\n"), 3)


if __name__ == "__main__":
    Descriptors.dsm = pathlib.Path(sys.argv[1]).resolve()
    Descriptors.source = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
