#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm sweep` as users run it: interrupted, killed, resumed, in shards, and on a terminal.

Usage: test_sweep.py DSM_BINARY [--kills N] [unittest's own arguments]
"""
import os
import pathlib
import pty
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sweep_program import MANY, MANY_COUNT, POINT_COUNT, SweepCase  # pylint: disable=wrong-import-position

KILLS = 10


class Runs(SweepCase):
    def test_the_number_of_threads_changes_no_byte(self):
        for form in ("csv", "json"):
            one = self.run_sweep("spec.json", "--database", f"1{form}", "--format", form)
            two = self.run_sweep("spec.json", "--database", f"2{form}", "--format", form,
                                 "--threads", "2")
            self.assertEqual(one.stdout, two.stdout)
            self.assertGreater(len(one.stdout), 1000)
            self.assertEqual((one.stderr, two.stderr), (b"", b""))

    def test_a_second_run_does_nothing_new(self):
        first = self.whole_export()
        again = self.run_sweep("spec.json", "--database", "whole.sqlite", "--format", "csv", "-v")
        self.assertEqual(first, again.stdout)
        self.assertIn(b"dsm: 0 points in", again.stderr)
        self.assertIn(f"{POINT_COUNT} recorded earlier".encode(), again.stderr)

    def test_shards_merged_are_the_whole(self):
        for k in (1, 2, 3):
            self.run_sweep("spec.json", "--shard", f"{k}/3", "-q")
            self.assertEqual(self.count_rows(f"spec.{k}-of-3.sqlite"), POINT_COUNT // 3)
        merged = self.run_sweep("--merge", "all.sqlite", *(f"spec.{k}-of-3.sqlite" for k in (3, 1, 2)),
                                "--format", "csv")
        self.assertEqual(merged.stdout, self.whole_export())
        shown = self.run_sweep("all.sqlite", "--format", "csv")
        self.assertEqual(merged.stdout, shown.stdout)


class Slurm(SweepCase):
    """The scripts in examples, with what Slurm would tell them."""

    def test_a_job_array_and_the_job_that_merges(self):
        examples = pathlib.Path(__file__).parent.parent.parent / "examples"
        self.environment["PATH"] = f"{self.dsm.parent}:{self.environment['PATH']}"
        self.environment |= {"SLURM_ARRAY_TASK_COUNT": "3", "SLURM_CPUS_PER_TASK": "2"}
        for task in "123":
            self.environment["SLURM_ARRAY_TASK_ID"] = task
            subprocess.run(["sh", examples / "slurm_shards.sh", "spec.json"], cwd=self.folder,
                           env=self.environment, timeout=300, check=True)
        subprocess.run(["sh", examples / "slurm_merge.sh", "spec.json"], cwd=self.folder,
                       env=self.environment, timeout=300, check=True, stdout=subprocess.DEVNULL)
        merged = self.run_sweep("spec.sqlite", "--format", "csv")
        self.assertEqual(merged.stdout, self.whole_export())


class Interruptions(SweepCase):
    def interrupt(self, number):
        process = self.start(self.command("spec.json", *MANY, "--threads", "2"))
        self.wait_for_rows(process, "spec.sqlite", 3)
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(out, b"")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["spec.json", "spec.sqlite"])
        rows = self.count_rows("spec.sqlite")
        self.assertIn(f"interrupted: {rows} of {MANY_COUNT} points are recorded in spec.sqlite".encode(),
                      err)
        self.assertTrue(3 <= rows < MANY_COUNT)
        with sqlite3.connect(self.folder / "spec.sqlite") as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        database.close()
        return rows

    def test_sigint_keeps_what_is_done(self):
        rows = self.interrupt(signal.SIGINT)
        resumed = self.run_sweep("spec.json", *MANY, "--format", "csv", "-v")
        self.assertIn(f"{rows} recorded earlier".encode(), resumed.stderr)
        self.assertEqual(resumed.stdout, self.whole_export(*MANY))

    def test_sigterm_keeps_what_is_done(self):
        self.interrupt(signal.SIGTERM)

    def test_sighup_keeps_what_is_done(self):
        self.interrupt(signal.SIGHUP)

    def test_sigusr1_keeps_what_is_done(self):
        self.interrupt(signal.SIGUSR1)

    def test_an_ignored_signal_stays_ignored(self):
        """As of jobs that a script runs in the background."""
        process = self.start(self.command("spec.json", *MANY),
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.wait_for_rows(process, "spec.sqlite", 1)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
        self.wait_for_rows(process, "spec.sqlite", self.count_rows("spec.sqlite") + 20)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)

    def test_the_same_signal_again_kills(self):
        process = self.start(self.command("spec.json", *MANY))
        self.wait_for_rows(process, "spec.sqlite", 1)
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.0005)
        self.assertIn(process.returncode, (130, -signal.SIGINT))
        self.assertEqual(self.run_sweep("spec.json", *MANY, "--format", "csv").stdout,
                         self.whole_export(*MANY))


class Faults(SweepCase):
    def test_killed_at_random_moments_it_goes_on(self):
        """Nothing recorded is lost or doubled, wherever SIGKILL strikes."""
        seed = random.randrange(2**32)
        dice = random.Random(seed)
        print(f"kills: seed {seed}")
        whole = self.whole_export()
        begin = time.monotonic()
        self.run_sweep("spec.json", "--database", "timed.sqlite", "-q")
        duration = time.monotonic() - begin
        kills = 0
        while kills < KILLS:
            process = self.start(self.command("spec.json", "--threads", dice.choice("12")))
            before = self.count_rows("spec.sqlite")
            try:
                process.wait(dice.uniform(0, duration / 2))
            except subprocess.TimeoutExpired:
                process.kill()
                kills += 1
            process.communicate()
            self.assertIn(process.returncode, (0, -signal.SIGKILL))
            after = self.count_rows("spec.sqlite")
            self.assertGreaterEqual(after, before)
            if process.returncode == 0:
                self.assertEqual(self.run_sweep("spec.sqlite", "--format", "csv").stdout, whole)
                for path in self.folder.glob("spec.sqlite*"):
                    path.unlink()
        self.assertEqual(self.run_sweep("spec.json", "--format", "csv").stdout, whole)

    def test_a_full_disk_ends_the_run_with_one_message(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (160 * 1024, 160 * 1024))

        process = self.start(self.command("spec.json"), preexec_fn=limit)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 5, err)
        self.assertEqual(out, b"")
        self.assertEqual(err.count(b"\n"), 1, err)
        self.assertIn(b"spec.sqlite", err)
        self.assertLess(self.count_rows("spec.sqlite"), POINT_COUNT)
        self.assertEqual(self.run_sweep("spec.json", "--format", "csv").stdout, self.whole_export())

    def test_two_runs_on_one_database(self):
        """The second is refused; the first is not disturbed."""
        first = self.start(self.command("spec.json", *MANY, "--format", "csv", "-o", "first.csv"))
        self.wait_for_rows(first, "spec.sqlite", 2)
        second = subprocess.run(self.command("spec.json", *MANY, "-q"), cwd=self.folder,
                                env=self.environment, capture_output=True, timeout=300, check=False)
        self.assertEqual(second.returncode, 5, second.stderr)
        self.assertEqual(second.stderr.count(b"\n"), 1, second.stderr)
        out, err = first.communicate(timeout=300)
        self.assertEqual((first.returncode, out, err), (0, b"", b""))
        self.assertEqual((self.folder / "first.csv").read_bytes(), self.whole_export(*MANY))


class Progress(SweepCase):
    def run_on_terminal(self, *arguments):
        """What standard error, a terminal, receives."""
        leader, follower = pty.openpty()
        with subprocess.Popen(self.command(*arguments), cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=follower) as process:
            os.close(follower)
            received = b""
            while True:
                try:
                    piece = os.read(leader, 4096)
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                received += piece
        os.close(leader)
        self.assertEqual(process.returncode, 0, received)
        return received.decode()

    def test_a_terminal_shows_one_line_that_changes(self):
        begin = time.monotonic()
        shown = self.run_on_terminal("spec.json", *MANY)
        seconds = time.monotonic() - begin
        lines = [line for line in shown.split("\r") if "points" in line]
        self.assertGreater(len(lines), 0, shown)
        self.assertLessEqual(len(lines), 10 * seconds + 2)
        self.assertNotIn("\n", shown)
        for line in lines:
            self.assertRegex(line, rf"^\d+/{MANY_COUNT} points, [\d.]+/s, .* left, best step [\d.e-]+ ms at "
                                   r"point \d+: ")
            self.assertLessEqual(len(line.rstrip()), 99)
        self.assertEqual(shown.split("\r")[-1], "")
        self.assertEqual(shown.split("\r")[-2].strip(), "")

    def test_quiet_shows_nothing(self):
        self.assertEqual(self.run_on_terminal("spec.json", "-q"), "")

    def test_elsewhere_nothing_is_shown(self):
        self.assertEqual(self.run_sweep("spec.json").stderr, b"")


if __name__ == "__main__":
    SweepCase.dsm = pathlib.Path(sys.argv[1]).resolve()
    rest = sys.argv[2:]
    if rest[:1] == ["--kills"]:
        KILLS = int(rest[1])
        rest = rest[2:]
    unittest.main(argv=[sys.argv[0], *rest])
