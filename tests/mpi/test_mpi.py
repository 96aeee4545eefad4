#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm-mpi sweep` under mpirun, with more ranks than cores: the same bytes as dsm, and nothing lost when
a rank dies. Exits with 77 (skipped) if mpirun cannot start anything here.

Usage: test_mpi.py DSM DSM_MPI MPIEXEC [unittest's own arguments]
"""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from sweep_program import MANY, MANY_COUNT, POINT_COUNT, SweepCase  # pylint: disable=wrong-import-position

# As root, on fewer cores than ranks, in a container that forbids one process to read another's memory.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
# Open MPI itself does not free all it allocates.
SANITIZER = {"ASAN_OPTIONS": "detect_leaks=0"}
SKIPPED = 77


class MpiCase(SweepCase):
    dsm_mpi = None
    mpiexec = None

    def setUp(self):
        super().setUp()
        self.environment.update({**OPEN_MPI, **SANITIZER})

    def ranks(self, count):
        return [self.mpiexec, "-q", "-n", str(count), str(self.dsm_mpi)]


class Runs(MpiCase):
    def check_bytes(self, form):
        expected = self.run_sweep("spec.json", "--database", "local.sqlite", "--format", form)
        for count in (1, 2, 4):
            found = self.run_sweep("spec.json", "--database", f"{count}.sqlite", "--format", form,
                                   program=self.ranks(count))
            self.assertEqual(expected.stdout, found.stdout, f"{count} ranks")
            self.assertEqual(found.stderr, b"")
        found = self.run_sweep("spec.json", "--database", "threads.sqlite", "--format", form,
                               "--threads", "2", program=self.ranks(2))
        self.assertEqual(expected.stdout, found.stdout, "2 ranks of 2 threads")

    def test_the_number_of_ranks_changes_no_byte_of_csv(self):
        self.check_bytes("csv")

    def test_the_number_of_ranks_changes_no_byte_of_json(self):
        self.check_bytes("json")

    def test_plans_are_larger_than_a_message_at_once(self):
        options = ("spec.json", "--record", "plans", "--vary", "system.core.scratchpad_MiB=0.5",
                   "--format", "json")
        expected = self.run_sweep(*options, "--database", "local.sqlite")
        found = self.run_sweep(*options, "--database", "ranks.sqlite", program=self.ranks(3))
        self.assertEqual(expected.stdout, found.stdout)

    def test_more_ranks_than_points(self):
        options = ("alexnet", "torus16", "--format", "csv")
        expected = self.run_sweep(*options, "--database", "local.sqlite")
        found = self.run_sweep(*options, "--database", "ranks.sqlite", program=self.ranks(4))
        self.assertEqual(expected.stdout, found.stdout)

    def test_shards_of_ranks(self):
        for k in (1, 2, 3):
            self.run_sweep("spec.json", "--shard", f"{k}/3", "-q", program=self.ranks(2))
        merged = self.run_sweep("--merge", "all.sqlite", *(f"spec.{k}-of-3.sqlite" for k in (1, 2, 3)),
                                "--format", "csv", program=self.ranks(2))
        self.assertEqual(merged.stdout, self.whole_export())

    def test_the_slurm_script(self):
        script = pathlib.Path(__file__).parent.parent.parent / "examples" / "slurm_mpi.sh"
        places = [pathlib.Path(self.mpiexec).parent, self.dsm_mpi.parent, self.environment["PATH"]]
        environment = {**self.environment, "PATH": ":".join(map(str, places)),
                       "SLURM_CPUS_PER_TASK": "1"}
        done = subprocess.run(["sh", script, "spec.json"], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        shown = self.run_sweep("spec.sqlite", "--format", "csv")
        self.assertEqual(shown.stdout, self.whole_export())

    def test_no_color_although_mpirun_makes_a_terminal(self):
        self.assertNotIn(b"\033", self.run_sweep("spec.json", program=self.ranks(2)).stdout)


class Mistakes(MpiCase):
    def check(self, arguments, code, message):
        done = subprocess.run([*self.ranks(3), *arguments], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count(message), 1, done.stderr)

    def test_errors_before_the_run_end_all_ranks(self):
        self.check(["sweep"], 2, b"dsm-mpi sweep: expected SPEC")
        self.check(["sweep", "--merge", "one"], 2, b"Try 'dsm-mpi sweep --help'.")
        self.check(["sweep", "nothing_of_that_name"], 5, b"no such file")
        self.write_spec("broken.json", {"format": "dsm-sweep/1", "axis": []})
        self.check(["sweep", "broken.json"], 3, b'unknown key "axis"')
        self.check(["explore", "vgg16", "torus64"], 2, b"use 'dsm explore'")
        self.check(["--version"], 0, b"")

    def test_the_help_is_its_own(self):
        for arguments in (["--help"], ["sweep", "--help"]):
            done = subprocess.run([self.dsm_mpi, *arguments], env=self.environment,
                                  capture_output=True, timeout=120, check=True)
            self.assertTrue(done.stdout.startswith(b"Usage: dsm-mpi sweep SPEC"), done.stdout)
            self.assertIn(b"\n       dsm-mpi sweep --merge TARGET", done.stdout)
            self.assertNotIn(b" dsm ", done.stdout)

    def test_a_rank_of_another_version_is_refused(self):
        other = self.folder / "other-mpi"
        program = self.dsm_mpi.read_bytes()
        version = subprocess.run([self.dsm, "--version"], capture_output=True,
                                 check=True).stdout.split()[1]
        other.write_bytes(program.replace(b"\0" + version + b"\0", b"\0" + version[:-1] + b"x\0"))
        other.chmod(0o755)
        done = subprocess.run([*self.ranks(2), "sweep", "spec.json", ":", "-n", "1", str(other)],
                              cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stderr, b"dsm-mpi: error: rank 2: its dsm-mpi is another one than that "
                                      b"of rank 0\n")

    def test_dsm_itself_needs_no_mpi(self):
        needed = subprocess.run(["ldd", self.dsm], capture_output=True, check=True).stdout
        self.assertNotIn(b"mpi", needed)
        self.assertIn(b"sqlite", needed)

    def test_a_database_that_cannot_be_made_ends_all_ranks(self):
        self.check(["sweep", "spec.json", "--database", "spec.json/no.sqlite"], 5, b"no.sqlite")


class Deaths(MpiCase):
    def workers(self, process):
        """The processes of dsm-mpi that mpirun has started, rank 0 first."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                environment = (folder / "environ").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
            if parent == process.pid:
                ranks = [item for item in environment if item.startswith(b"OMPI_COMM_WORLD_RANK=")]
                if ranks:
                    found.append((int(ranks[0].split(b"=")[1]), int(folder.name)))
        return [pid for _, pid in sorted(found)]

    def kill_a_rank(self, rank):
        process = self.start([*self.ranks(3), "sweep", "spec.json", *MANY])
        self.wait_for_rows(process, "spec.sqlite", 3)
        os.kill(self.workers(process)[rank], signal.SIGKILL)
        process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        rows = self.count_rows("spec.sqlite")
        self.assertGreaterEqual(rows, 3)
        resumed = self.run_sweep("spec.json", "--format", "csv", *MANY, program=self.ranks(2))
        self.assertEqual(resumed.stdout, self.whole_export(*MANY))
        self.assertEqual(self.count_rows("spec.sqlite"), MANY_COUNT)

    def test_a_worker_that_is_killed_loses_nothing_recorded(self):
        self.kill_a_rank(1)

    def test_the_writer_that_is_killed_loses_nothing_recorded(self):
        self.kill_a_rank(0)

    def interrupt(self, number):
        process = self.start([*self.ranks(3), "sweep", "spec.json", *MANY])
        self.wait_for_rows(process, "spec.sqlite", 3)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
        self.assertEqual(out, b"")
        self.assertIn(b"points are recorded in spec.sqlite", err)
        return process.returncode

    def test_sigusr1_to_mpirun_ends_cleanly(self):
        self.assertEqual(self.interrupt(signal.SIGUSR1), 130)
        resumed = self.run_sweep("spec.json", "--format", "csv", *MANY)
        self.assertEqual(resumed.stdout, self.whole_export(*MANY))

    def test_sigint_to_mpirun_ends_cleanly(self):
        """mpirun takes its time, about a second, to pass it on as SIGTERM."""
        self.assertNotEqual(self.interrupt(signal.SIGINT), 0)
        shown = self.run_sweep("spec.sqlite", "--format", "csv").stdout
        self.assertEqual(shown.count(b"\n"), 1 + self.count_rows("spec.sqlite"))

    def processor_seconds(self, process):
        """What all ranks together have used."""
        total = 0
        for pid in self.workers(process):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total

    def test_ranks_that_wait_do_not_use_the_processor(self):
        """Rank 0 waits for standard input, and the others for rank 0."""
        process = self.start([*self.ranks(4), "sweep", "-", "--database", "spec.sqlite", "-q"],
                             stdin=subprocess.PIPE)
        time.sleep(3)
        before = self.processor_seconds(process)
        time.sleep(2)
        self.assertLess(self.processor_seconds(process) - before, 0.5)
        process.communicate((self.folder / "spec.json").read_bytes(), timeout=300)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.count_rows("spec.sqlite"), POINT_COUNT)


def can_run():
    try:
        done = subprocess.run([MpiCase.mpiexec, "-n", "2", "true"], capture_output=True, timeout=60,
                              env={**os.environ, **OPEN_MPI}, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return None if done.returncode == 0 else done.stderr.decode(errors="replace")


if __name__ == "__main__":
    SweepCase.dsm = pathlib.Path(sys.argv[1]).resolve()
    MpiCase.dsm_mpi = pathlib.Path(sys.argv[2]).resolve()
    MpiCase.mpiexec = sys.argv[3]
    why_not = can_run()
    if why_not is not None:
        print(f"skipped: {MpiCase.mpiexec} cannot run here: {why_not}")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
