#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program `dsm` when its output cannot be written: full disks, closed pipes, missing folders.

Each time: exit code 5, one line on stderr that says what cannot be written and why, no temporary or
partial file, and an existing file at the target as it was. A closed pipe alone is quiet: the program
ends by SIGPIPE, as others do.

Usage: test_outputs.py DSM SOURCE_DIR
"""
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

OUTSIDE = 5
OLD = "what was here before\n"

failures = []


class Program:
    """The program, run in a clean folder on small bundled inputs."""

    def __init__(self, dsm, source, folder):
        self.dsm = dsm
        self.folder = pathlib.Path(folder)
        self.workload = str(source / "workloads" / "raider.json")
        self.system = str(source / "systems" / "torus16.json")
        self.server = str(source / "servers" / "edge_npu.json")

    def run(self, *arguments, stdout=subprocess.DEVNULL, limit=None, prepare=None):
        def prepare_all():
            if prepare is not None:
                prepare()
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE", "GCOV_PREFIX"):
            if name in os.environ:
                environment[name] = os.environ[name]
        done = subprocess.run([self.dsm, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment,
                              preexec_fn=prepare_all, check=False, timeout=120)
        # In a build that counts coverage the counters cannot be written either.
        lines = done.stderr.splitlines(keepends=True)
        return done.returncode, "".join(line for line in lines if not line.startswith("libgcov "))

    def explore(self, *arguments, **options):
        return self.run("explore", self.workload, self.system, *arguments, **options)


def expect(holds, name, message):
    if not holds:
        failures.append(name)
        print(f"{name}: {message}")


def expect_failure(name, outcome, *words):
    """Exit 5, and one line on stderr with these words."""
    code, stderr = outcome
    expect(code == OUTSIDE, name, f"expected exit code {OUTSIDE}, found {code}: {stderr.strip()}")
    lines = stderr.splitlines()
    expect(len(lines) == 1, name, f"expected one line on stderr, found {stderr!r}")
    for word in ("error: ", *words):
        expect(word in stderr, name, f"expected {word!r} on stderr, found {stderr!r}")


def run_unread(program, *arguments, **options):
    """Runs the program with a pipe as standard output that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return program.run(*arguments, stdout=writer, **options)
    finally:
        os.close(writer)


def expect_sigpipe(name, outcome):
    """Ended by SIGPIPE, without a word."""
    expect(outcome == (-signal.SIGPIPE, ""), name,
           f"expected an end by SIGPIPE and nothing on stderr, found {outcome}")


def expect_files(name, folder, expected):
    """The folder has these files, a name and its content each (None: a folder), and no others."""
    found = {path.name: path.read_text() if path.is_file() else None
             for path in folder.iterdir()}
    expect(found == expected, name, f"expected the files {sorted(expected)} as they were, found "
           f"{ {file: text and text[:30] for file, text in found.items()} }")
    for file in found.keys() - expected.keys():
        (folder / file).unlink()


def check_size_limit(program):
    with open(program.folder / "small", "w") as small:
        expect_failure("stdout over the size limit",
                       program.explore("--format", "json", stdout=small, limit=4096),
                       "standard output", "File too large")
    (program.folder / "small").unlink()


def sweep(program):
    return ["sweep", program.workload, program.system, "--vary", "workload.minibatch=16,32",
            "--database", "points.sqlite"]


def check_sweep_to_a_closed_pipe(program):
    """All points are recorded before the table meets the pipe, and the database is closed as ever;
    so it is where SIGPIPE was ignored or blocked from the start."""
    def ignore():
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    def block():
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])

    for prepare in (None, ignore, block):
        name = f"sweep to a closed pipe ({prepare.__name__ if prepare else 'as it is'})"
        expect_sigpipe(name, run_unread(program, *sweep(program), prepare=prepare))
        found = [path.name for path in program.folder.iterdir()]
        expect(found == ["points.sqlite"], name, f"expected the database alone, found {found}")
        database = sqlite3.connect(program.folder / "points.sqlite")
        points = database.execute("SELECT count(*) FROM points WHERE status = 'ok'").fetchall()
        whole = database.execute("PRAGMA integrity_check").fetchall()
        database.close()
        expect(points == [(2,)] and whole == [("ok",)], name, f"found {points}, {whole}")
        (program.folder / "points.sqlite").unlink()


def check_file_cannot_be_made(program):
    folder = program.folder
    (folder / "file").write_text(OLD)
    (folder / "folder").mkdir()
    targets = [
        ("missing/plan.json", "No such file or directory"),
        ("file/plan.json", "Not a directory"),
        ("folder", "directory"),
        ("n" * 300 + ".json", "File name too long"),
        ("/proc/plan.json", ""),  # a folder in which also root cannot make files
    ]
    for target, reason in targets:
        name = f"-o {target[:20]}"
        expect_failure(name, program.explore("-o", target), target[:100], reason)
        expect_files(name, folder, {"file": OLD, "folder": None})
    if os.geteuid() != 0:
        (folder / "folder").chmod(0o555)
        expect_failure("-o into a read-only folder", program.explore("-o", "folder/plan.json"),
                       "Permission denied")
        (folder / "folder").chmod(0o755)
        (folder / "file").chmod(0o444)
        expect_failure("-o over a read-only file", program.explore("-o", "file"),
                       "Permission denied")
        (folder / "file").chmod(0o644)
    else:
        print("running as root, whom permissions do not stop: read-only targets left out, "
              "/proc and a file in the folder's place stand for them")
    expect_files("file cannot be made", folder, {"file": OLD, "folder": None})
    (folder / "folder").rmdir()
    (folder / "file").unlink()


def check_file_cannot_be_written(program):
    folder = program.folder
    expect_failure("-o /dev/full", program.explore("-o", "/dev/full"), "/dev/full",
                   "No space left on device")
    for form in ("json", "csv", "table"):
        target = folder / "plan"
        arguments = ["-o", "plan", "--format", form]
        limit = 512  # bytes: any result is longer
        expect_failure(f"{form}: a new file over the size limit",
                       program.explore(*arguments, limit=limit), "plan", "File too large")
        expect_files(f"{form}: a new file over the size limit", folder, {})
        target.write_text(OLD)
        expect_failure(f"{form}: an existing file over the size limit",
                       program.explore(*arguments, limit=limit), "plan", "File too large")
        expect_files(f"{form}: an existing file over the size limit", folder, {"plan": OLD})
        target.unlink()
    (folder / "real").write_text(OLD)
    (folder / "link").symlink_to("real")
    expect_failure("through a link over the size limit", program.explore("-o", "link", limit=512),
                   "link", "File too large")
    expect((folder / "link").is_symlink(), "through a link", "expected a link as before")
    expect_files("through a link over the size limit", folder,
                 {"real": OLD, "link": OLD})
    (folder / "link").unlink()
    (folder / "real").unlink()


def check_success(program):
    """Where nothing fails the same commands write the whole file, in place of the old one."""
    target = program.folder / "plan.json"
    target.write_text(OLD)
    code, stderr = program.explore("-q", "-o", "plan.json")
    expect(code == 0 and stderr == "", "success", f"exit code {code}: {stderr}")
    expect(target.read_text().endswith("}\n"), "success", "expected a whole plan")
    expect([path.name for path in program.folder.iterdir()] == ["plan.json"], "success",
           "expected no other file")
    target.unlink()


def main():
    dsm, source = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="dsm-outputs-") as folder:
        program = Program(dsm, source, folder)
        check_success(program)
        check_size_limit(program)
        check_sweep_to_a_closed_pipe(program)
        check_file_cannot_be_made(program)
        check_file_cannot_be_written(program)
    print(f"{len(failures)} failures" if failures else "every failed output is reported")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
