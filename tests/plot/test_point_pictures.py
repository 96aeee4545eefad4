#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of sweeps: no text overlaps another or leaves the picture, and a kept script makes the
same picture.

Usage: test_point_pictures.py DSM_BINARY [FOLDER]

With FOLDER, the pictures are kept there, to be looked at.
"""
import pathlib
import subprocess
import sys

import plans
import svg_texts
import sweeps

SMALLEST_TEXT = 9.9
# What has no picture, and why: (database, figure) to the exit code and a part of the message.
NO_PICTURE = {
    ("all_infeasible", figure): (4, "there is nothing to draw") for figure in sweeps.FIGURES
}
NO_PICTURE["one", "ladder"] = (2, "a ladder needs points that differ in")
# Databases without an axis options.optimize have no ladder unless a series is named.
LADDERS = {"fig10": "system", "scratchpad_vgg16": "workload.minibatch", "many_series": "system",
           "odd_names": "system", "words": "system", "one": "system",
           "many_numbers": "system.core.sfu_ops_per_cycle"}
MANY = ("--where", "system.core.frequency_GHz=1,2")

failures = []


def expect(holds, where, message):
    if not holds:
        failures.append(where)
        print(f"{where}: {message}")


def options_of(name, figure):
    if figure == "ladder" and name in LADDERS:
        return ("--series", LADDERS[name], *(MANY if name == "many_numbers" else ()))
    if name == "many_numbers" and figure == "lines":
        return ("--series", "system.core.frequency_GHz")
    return ()


def check(dsm, folder, name, database, figure):
    picture = folder / f"{name}-{figure}.svg"
    where = f"{name}, {figure}"
    done = plans.run(dsm, "plot", database, "--figure", figure, *options_of(name, figure), "-o",
                     picture, env=plans.environment())
    if (name, figure) in NO_PICTURE:
        code, message = NO_PICTURE[name, figure]
        expect(done.returncode == code and message in done.stderr, where,
               f"exit {done.returncode}, {done.stderr}")
        expect(not picture.exists(), where, "has a picture")
        return
    expect(done.returncode == 0, where, f"exit {done.returncode}: {done.stderr}")
    expect(done.stdout == "" and done.stderr == "", where, f"prints {done.stdout}{done.stderr}")
    if done.returncode != 0:
        return
    found, boxes = svg_texts.faults(picture, SMALLEST_TEXT)
    expect(not found, where, f"{len(found)} faults, such as:\n  " + "\n  ".join(found[:5]))
    expect(len(boxes) > 3, where, f"only {len(boxes)} texts")


def texts_of(folder, name):
    return [box.text for box in svg_texts.read(folder / f"{name}.svg")[2]]


def check_contents(folder):
    """What a reader looks for is there."""
    ladder = texts_of(folder, "fig11-ladder")
    for text in ("none", "hybrid", "+ reuse", "+ dysm", "+ pipeline", "all", "gnmt, torus64_refined",
                 "33.2", "fig11: speed-up (samples_per_second) over none at minibatch 256"):
        expect(text in ladder, "fig11", f"no {text!r} in {ladder}")
    cells = texts_of(folder, "scratchpad_vgg16-heatmap")
    for text in ("62.0 k", "512", "0.5"):
        expect(text in cells, "heat map", f"no {text!r} in {cells}")
    lines = texts_of(folder, "many_series-lines")
    expect(sum("nobody_would" in text for text in lines) == 20, "many series", str(lines))
    marked = " ".join(texts_of(folder, "some_infeasible-lines"))
    expect("points have no result (×)" in marked, "infeasible", marked)
    front = " ".join(texts_of(folder, "some_infeasible-pareto"))
    expect("points have no result" in front and "×" not in front, "infeasible, pareto", front)
    for name in ("one", "zero", "some_infeasible", "scratchpad_vgg16", "odd_names"):
        texts = texts_of(folder, f"{name}-pareto")
        is_said = any("labels: " in text for text in texts)
        is_number = any(text.startswith("point ") for text in texts)
        expect(is_said != is_number, f"{name}, pareto", f"labels that are not said: {texts}")


def check_script(dsm, folder, database):
    """The script and its data make the same picture as the program does, and are always the same."""
    for figure in sweeps.FIGURES:
        kept = []
        for time in ("first", "second"):
            where = folder / time
            done = plans.run(dsm, "plot", database, "--figure", figure, "-o", folder / "same.svg",
                             "--script", where, env=plans.environment())
            expect(done.returncode == 0, figure, done.stderr)
            kept.append({path.name: path.read_bytes() for path in where.iterdir()})
        expect(kept[0] == kept[1], figure, "differs from run to run")
        done = subprocess.run(["gnuplot", "same.gp"], cwd=folder / "first", capture_output=True,
                              text=True, check=False, env=plans.environment())
        expect(done.returncode == 0, figure, f"gnuplot: {done.stderr}")
        expect((folder / "first/same.svg").read_bytes() == (folder / "same.svg").read_bytes(),
               figure, "is not what its script makes")
        (folder / "first/same.svg").unlink()


def check_all(dsm, folder):
    databases = sweeps.all_databases(dsm, folder)
    for name, database in databases.items():
        for figure in sweeps.FIGURES:
            check(dsm, folder, name, database, figure)
    check_contents(folder)
    check_script(dsm, folder, databases["some_infeasible"])


if __name__ == "__main__":
    sys.exit(plans.check_pictures(check_all, failures))
