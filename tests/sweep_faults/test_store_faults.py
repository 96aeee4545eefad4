#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of sweeps under real faults: killed writers, full disks, two writers, files that can
only be read, damaged and cut files. Whatever happens, no point that was told to be recorded is
lost, none is there twice, and the same command goes on.

Usage: test_store_faults.py STORE_WRITER [--rounds N] [--seed N] [CASE...]
"""
import argparse
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

MINIBATCHES = 25
POINTS = 4 * MINIBATCHES
LAYERS = 160
OK, USAGE, INVALID, IO = 0, 1, 2, 5
CRASHES = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL)


class Broken(Exception):
    """A promise that was not kept."""


def expect(is_kept, promise, *details):
    if not is_kept:
        raise Broken(": ".join([promise, *map(str, details)]))


class Store:
    """Runs the writer program in a folder of its own."""

    def __init__(self, program, folder, rng, rounds):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(folder)
        self.rng = rng
        self.rounds = rounds

    def command(self, *words):
        return [self.program, *map(str, words)]

    def run(self, *words, **options):
        done = subprocess.run(self.command(*words), cwd=self.folder, capture_output=True,
                              text=True, check=False, **options)
        expect(done.returncode not in CRASHES and done.returncode != 99, "no crash",
               done.returncode, done.stderr)
        return done

    def write(self, name, *more, **options):
        return self.run("write", name, MINIBATCHES, LAYERS, *more, **options)

    def expected_csv(self):
        """What a database says that was written without any fault."""
        self.write("expected.sqlite")
        text = self.run("read", "expected.sqlite").stdout
        expect(text.count("\n") == POINTS + 1, "a row a point")
        return text

    def expect_whole(self, name, expected):
        done = self.write(name)
        expect(done.returncode == OK, "the same command goes on", done.stderr)
        expect(self.run("read", name).stdout == expected, "all points, each once", name)
        with sqlite3.connect(self.folder / name) as database:
            expect(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "integrity")
            rows = database.execute("SELECT count(*) FROM layers").fetchone()[0]
            ok = database.execute("SELECT count(*) FROM points WHERE status='ok'").fetchone()[0]
            expect(rows == ok * LAYERS, "layers of each point, once", rows, ok)
            words = database.execute("SELECT count(*) FROM layers WHERE name IS NULL OR"
                                     " core_split IS NULL OR bound IS NULL").fetchone()[0]
            expect(words == 0, "layers with their words")
        database.close()
        for ending in ("-wal", "-shm", "-journal"):
            expect(not (self.folder / (name + ending)).exists(), "one file", ending)


def told_points(text):
    """Points that a writer said it has recorded (the last line may be cut)."""
    return {int(line) for line in text.split("\n")[:-1]}


def recorded_points(path):
    """Points in a database, as another program sees them."""
    database = sqlite3.connect(path)
    try:
        return {row[0] for row in database.execute("SELECT point FROM points")}
    finally:
        database.close()


def killed_writers(store):
    expected = store.expected_csv()
    started = time.monotonic()
    store.write("timed.sqlite")
    whole = time.monotonic() - started
    for number in range(store.rounds):
        name = f"killed{number}.sqlite"
        told = set()
        kills = 0
        while kills < 4:
            process = subprocess.Popen(store.command("write", name, MINIBATCHES, LAYERS),
                                       cwd=store.folder, stdout=subprocess.PIPE, text=True)
            # Short delays hit the making of the file, long ones the points.
            delay = store.rng.choice([0.002, 0.01, whole]) * store.rng.random()
            time.sleep(delay)
            process.kill()
            told |= told_points(process.communicate()[0])
            kills += 1
            if store.rng.random() < 0.5 and (store.folder / name).exists():
                # A reader between two writers sees all that was told, or an empty database.
                done = store.run("read", name)
                expect(done.returncode == OK or not told, "readable after a kill", done.stderr)
                found = {int(line.split(",")[0]) for line in done.stdout.split("\n")[1:-1]}
                expect(told <= found, "nothing is lost", sorted(told - found))
        store.expect_whole(name, expected)


def full_disks(store):
    expected = store.expected_csv()
    size = (store.folder / "expected.sqlite").stat().st_size
    limits = [0, 1, 511, 4096, 8192, 20000, 40000, 65536]
    limits += [store.rng.randrange(1, size) for _ in range(store.rounds)]
    for number, limit in enumerate(limits):
        name = f"full{number}.sqlite"

        def limited(most=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        done = store.write(name, preexec_fn=limited)
        told = told_points(done.stdout)
        expect(done.returncode in (OK, IO), "a full disk is an error of the outside",
               done.returncode, done.stderr)
        if done.returncode == IO:
            expect(len(done.stderr.strip().split("\n")) == 1 and name in done.stderr,
                   "one line with the file's name", done.stderr)
            expect("File too large" in done.stderr or "full" in done.stderr, "says why",
                   done.stderr)
            expect(len(told) < POINTS, "an error only if points are missing")
        if (store.folder / name).exists():
            expect(told == recorded_points(store.folder / name), "what was told is there")
        else:
            expect(not told, "no file, no points")
        store.expect_whole(name, expected)


def full_file_system(store):
    """A file system with no room left: ENOSPC, where a limit on a file's size is EFBIG."""
    expected = store.expected_csv()
    disk = store.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)],
                             capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        print("full_file_system: no file system may be mounted here:", mounted.stderr.strip())
        return
    try:
        told = set()
        for _ in range(3):
            done = store.write("disk/a.sqlite")
            told |= told_points(done.stdout)
            expect(done.returncode == IO and "full" in done.stderr, "says why", done.returncode,
                   done.stderr)
            expect(told == recorded_points(disk / "a.sqlite"), "what was told is there")
        expect(0 < len(told) < POINTS, "some points fit", len(told))
        subprocess.run(["mount", "-o", "remount,size=40m", str(disk)], check=True)
        store.expect_whole("disk/a.sqlite", expected)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def two_writers(store):
    expected = store.expected_csv()
    for number in range(max(3, store.rounds // 5)):
        name = f"two{number}.sqlite"
        writers = [subprocess.Popen(store.command("write", name, MINIBATCHES, LAYERS),
                                    cwd=store.folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for _ in range(3)]
        told = []
        codes = []
        for writer in writers:
            out, err = writer.communicate()
            codes.append(writer.returncode)
            told += sorted(told_points(out))
            expect(writer.returncode == OK or "another process writes" in err, "says why", err)
        expect(OK in codes and set(codes) <= {OK, IO}, "one writes, the others say so", codes)
        expect(len(told) == len(set(told)) == POINTS, "each point is recorded by one")
        store.expect_whole(name, expected)


def readers_beside_a_writer(store):
    expected = store.expected_csv()
    writer = subprocess.Popen(store.command("write", "read.sqlite", MINIBATCHES, LAYERS),
                              cwd=store.folder, stdout=subprocess.PIPE, text=True)
    writer.stdout.readline()
    counts = []
    while writer.poll() is None and len(counts) < 5:
        done = store.run("read", "read.sqlite")
        expect(done.returncode == OK, "readers read", done.stderr)
        counts.append(done.stdout.count("\n"))
    writer.communicate()
    expect(writer.returncode == OK, "the writer goes on")
    expect(counts == sorted(counts), "rows only become more", counts)
    store.expect_whole("read.sqlite", expected)


def nobody():
    """Somebody without the right to write; root may write everywhere."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def read_only(store):
    folder = store.folder / "fixed"
    folder.mkdir()
    store.folder.chmod(0o755)
    store.write("fixed/a.sqlite")
    expected = store.run("read", "fixed/a.sqlite").stdout
    shutil.copy(store.folder / "fixed/a.sqlite", folder / "odd %41#?.sqlite")
    program = folder / "program"
    shutil.copy(store.program, program)  # where it can be run by anybody
    program.chmod(0o755)
    # a database that a killed writer has left, with and without its log
    killed = subprocess.Popen(store.command("write", "fixed/killed.sqlite", 100000, LAYERS),
                              cwd=store.folder, stdout=subprocess.PIPE)
    for _ in range(20):
        killed.stdout.readline()
    killed.kill()
    killed.communicate()
    (folder / "killed.sqlite-shm").unlink()
    shutil.copy(folder / "killed.sqlite", folder / "lost.sqlite")
    for path in folder.glob("*.sqlite*"):
        path.chmod(0o444)
    folder.chmod(0o555)
    try:
        def run(*words):
            return subprocess.run([str(program), *map(str, words)], cwd=folder, text=True,
                                  capture_output=True, check=False, **nobody())
        for name in ("a.sqlite", "odd %41#?.sqlite"):
            done = run("read", name)
            expect(done.returncode == OK and done.stdout == expected, "read-only is readable",
                   done.stderr)
            done = run("write", name, MINIBATCHES, LAYERS)
            expect(done.returncode == IO and "Permission denied" in done.stderr, "says why",
                   done.stderr)
        done = run("write", "new.sqlite", MINIBATCHES, LAYERS)
        expect(done.returncode == IO and "Permission denied" in done.stderr, "says why", done.stderr)
        done = run("read", "killed.sqlite")
        expect(done.returncode == IO and "its log (-wal or -journal)" in done.stderr, "says why", done.stderr)
        done = run("read", "lost.sqlite")  # as far as it came without its log
        expect(done.returncode in (OK, INVALID), "a result or an error", done.stderr)
        # only the folder is protected
        folder.chmod(0o755)
        (folder / "a.sqlite").chmod(0o666)
        folder.chmod(0o555)
        done = run("write", "a.sqlite", MINIBATCHES, LAYERS)
        expect(done.returncode in (OK, IO), "a protected folder", done.returncode, done.stderr)
        expect(run("read", "a.sqlite").stdout == expected, "nothing is lost")
    finally:
        folder.chmod(0o755)


def locked_by_others(store):
    store.write("locked.sqlite", 0, 50)
    other = sqlite3.connect(store.folder / "locked.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    done = store.write("locked.sqlite")
    expect(done.returncode == IO and "another process keeps the database locked" in done.stderr,
           "says why", done.returncode, done.stderr)
    other.execute("ROLLBACK")
    other.close()
    expect(store.write("locked.sqlite").returncode == OK, "goes on")


def damage(store, name, change):
    """A copy that is changed; reading, writing and merging it never crash."""
    data = bytearray((store.folder / "expected.sqlite").read_bytes())
    (store.folder / name).write_bytes(change(data))
    before = (store.folder / name).read_bytes()
    for words in (("read", name), ("merge", "target.sqlite", name)):
        done = store.run(*words)
        expect(done.returncode in (OK, INVALID, IO), "an error or a result", words,
               done.returncode, done.stderr)
        expect(done.returncode == OK or done.stderr.count("\n") == 1, "one line", done.stderr)
        expect((store.folder / name).read_bytes() == before, "reading changes nothing", words)
    (store.folder / "target.sqlite").unlink(missing_ok=True)
    done = store.write(name)
    expect(done.returncode in (OK, INVALID, IO), "an error or a result", done.returncode,
           done.stderr)
    for path in store.folder.glob(name + "*"):
        path.unlink()


def damaged_files(store):
    store.write("expected.sqlite", 0, 4)
    for _ in range(3 * store.rounds):
        places = store.rng.choice([1, 3, 30])
        is_early = store.rng.random() < 0.5  # header and schema

        def change(data):
            for _ in range(places):
                at = store.rng.randrange(min(len(data), 20000) if is_early else len(data))
                data[at] = store.rng.randrange(256)
            return data

        damage(store, "damaged.sqlite", change)


def cut_files(store):
    store.write("expected.sqlite", 0, 4)
    size = (store.folder / "expected.sqlite").stat().st_size
    lengths = [1, 15, 16, 99, 100, 511, 4095, 4096, 8192, size - 4096, size - 1]
    lengths += [store.rng.randrange(size) for _ in range(store.rounds)]
    for length in lengths:
        damage(store, "cut.sqlite", lambda data, end=length: data[:end])


def killed_merges(store):
    expected = store.expected_csv()
    for shard in range(3):
        store.write(f"shard{shard}.sqlite", shard, 3)
    sources = [f"shard{shard}.sqlite" for shard in range(3)]
    for number in range(store.rounds):
        name = f"merged{number}.sqlite"
        process = subprocess.Popen(store.command("merge", name, *sources), cwd=store.folder)
        time.sleep(store.rng.choice([0.005, 0.05, 0.2]) * store.rng.random())
        process.kill()
        process.wait()
        if (store.folder / name).exists():
            done = store.run("read", name)
            expect(done.returncode != OK or done.stdout.count("\n") in (1, POINTS + 1),
                   "all or nothing", done.stdout.count("\n"))
        done = store.run("merge", name, *sources)
        expect(done.returncode == OK, "the same command goes on", done.stderr)
        expect(store.run("read", name).stdout == expected, "all points, each once")


def full_merges(store):
    for shard in range(2):
        store.write(f"shard{shard}.sqlite", shard, 2)
    size = (store.folder / "shard0.sqlite").stat().st_size
    shutil.copy(store.folder / "shard0.sqlite", store.folder / "target.sqlite")
    before = store.run("read", "target.sqlite").stdout
    for _ in range(max(5, store.rounds // 2)):
        limit = store.rng.randrange(2 * size)

        def limited(most=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        done = store.run("merge", "target.sqlite", "shard1.sqlite", preexec_fn=limited)
        if done.returncode == OK:
            expect(not list(store.folder.glob("target.sqlite-*")), "one file")
            shutil.copy(store.folder / "shard0.sqlite", store.folder / "target.sqlite")
            continue
        expect(done.returncode == IO, "an error of the outside", done.returncode, done.stderr)
        expect(store.run("read", "target.sqlite").stdout == before, "all or nothing")


CASES = [killed_writers, full_disks, full_file_system, two_writers, readers_beside_a_writer, read_only,
         locked_by_others, damaged_files, cut_files, killed_merges, full_merges]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("cases", nargs="*")
    options = parser.parse_intermixed_args()
    failed = 0
    for case in CASES:
        if options.cases and case.__name__ not in options.cases:
            continue
        with tempfile.TemporaryDirectory(prefix="dsm-store-") as folder:
            store = Store(options.program, folder, random.Random(options.seed), options.rounds)
            started = time.monotonic()
            try:
                case(store)
                said = "kept"
            except Broken as broken:
                failed += 1
                said = f"BROKEN: {broken}"
        print(f"{case.__name__:24} {time.monotonic() - started:6.1f} s  {said}", flush=True)
    print(f"seed {options.seed}, {options.rounds} rounds, {failed} broken promises")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
