#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of sweeps: no text overlaps another or leaves the picture, and a kept script makes the
same picture.

Usage: test_point_pictures.py DSM_BINARY [FOLDER]

With FOLDER, the pictures are kept there, to be looked at.
"""
import pathlib
import re
import subprocess
import sys

import plans
import svg_texts
import sweeps
from plans import expect

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
LINK_X = "system.system.link_bandwidth_x_GBps"
# What would hide points has panels, or is chosen.
PANELS = {("fig10", "ladder"): f"workload,{LINK_X}", ("fig10", "heatmap"): "workload,system",
          ("fig11", "heatmap"): "workload,system", ("some_infeasible", "heatmap"): "system",
          ("some_infeasible", "ladder"): "system"}
TORUS = ("--where", "system=torus64_symmetric,torus64")

def options_of(name, figure):
    options = ("--panels", PANELS[name, figure]) if (name, figure) in PANELS else ()
    if figure == "ladder" and name in LADDERS:
        options += ("--series", LADDERS[name], *(MANY if name == "many_numbers" else ()))
    if (name, figure) == ("fig11", "ladder"):
        options += TORUS
    if (name, figure) == ("many_numbers", "lines"):
        options += ("--x", "system.core.sfu_ops_per_cycle")
    if name == "words" and figure in ("ladder", "heatmap"):
        options += ("--x", "workload")
    return options


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
    for text in ("none", "hybrid", "+ reuse", "+ dysm", "+ pipeline", "all", "gnmt",
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


def panels_of(script):
    """((left, right, bottom, top), x range, y range) of each panel, in units from the upper left corner."""
    number = r"([-+.e\d]+)"
    area = rf"set lmargin at screen {number}/W; set rmargin at screen {number}/W\n"
    area += rf"set tmargin at screen 1-{number}/H; set bmargin at screen 1-{number}/H\n"
    ranges = r"(\w+ logscale x; set xrange \S+)\n(\w+ logscale y; set yrange \S+)\n"
    for left, right, top, bottom, x, y in re.findall(area + ranges, script):
        if left != "0":
            yield tuple(map(float, (left, right, bottom, top))), x, y


def check_axes(dsm, folder, database, figure, *options):
    """Panels share their axes, and no title of an axis lies on a panel."""
    where = f"{database.stem}, {figure} {options}"
    scripts = folder / "axes"
    done = plans.run(dsm, "plot", database, "--figure", figure, *options, "--script", scripts,
                     env=plans.environment())
    expect(done.returncode == 0, where, done.stderr)
    script = (scripts / f"{figure}.gp").read_text(encoding="utf-8")
    panels = list(panels_of(script))
    expect(len(panels) > 1, where, "one panel")
    expect(len({(x, y) for _, x, y in panels}) == 1, where, f"other axes: {panels}")
    for axis in "xy":
        if f"--log={axis}" in options:
            expect(f"set logscale {axis}" in panels[0]["xy".index(axis) + 1], where, "not logarithmic")
    titles = re.findall(r"at screen ([.\d]+)/W,1-([.\d]+)/H center rotate by 90 font ',([.\d]+)'", script)
    expect(titles, where, "no titles of vertical axes")
    for x, y, size in (map(float, title) for title in titles):
        half = 0.6 * size
        expect(x > half, where, f"a title at {x} leaves the picture")
        for (left, right, bottom, top), _, _ in panels:
            is_beside = y > bottom or y < top
            expect(is_beside or x + half < left or x - half > right, where,
                   f"a title at {x}, {y} on the panel {left} to {right}")


def check_all_axes(dsm, folder, databases):
    check_axes(dsm, folder, databases["fig10"], "lines")
    check_axes(dsm, folder, databases["fig10"], "lines", "--y", "step_cycles")
    check_axes(dsm, folder, databases["fig10"], "lines", "--y", "lower_bound_cycles", "--log=y")
    check_axes(dsm, folder, databases["fig10"], "lines", "--log=x")
    check_axes(dsm, folder, databases["fig10"], "heatmap", "--panels", "workload,system")
    check_axes(dsm, folder, databases["fig10"], "pareto")
    check_axes(dsm, folder, databases["fig10"], "pareto", "--x", "memory_bytes", "--log=x", "--log=y")
    check_axes(dsm, folder, databases["fig11"], "ladder", *TORUS)
    check_axes(dsm, folder, databases["fig11"], "ladder", "--log=y", *TORUS)
    for name, figure, axis, message in (
            ("zero", "lines", "x", 'x: expected numbers above 0 in "system.array.startup_cycles", found 0'),
            ("words", "lines", "x", 'x: expected numbers above 0 in "system", found words'),
            ("fig10", "heatmap", "y", "the axes of a heat map are divided evenly"),
            ("fig11", "ladder", "x", "x: the places of a ladder are divided evenly")):
        done = plans.run(dsm, "plot", databases[name], "--figure", figure, "--log", axis, "--script",
                         folder / "none", env=plans.environment())
        expect(done.returncode == 2 and message in done.stderr, f"{name}, --log {axis}", done.stderr)


def check_ties(folder):
    """Points at one place have one label, which says the values of all of them."""
    texts = texts_of(folder, "some_infeasible-pareto")
    expect(any("none or hybrid or all" in text for text in texts), "ties", str(texts))
    heads = [text for text in texts_of(folder, "fig10-heatmap") if text.startswith("samples/s: ")]
    expect(len(heads) == 1, "heat map", f"shades are explained {len(heads)} times")


def check_script(dsm, folder, database):
    """The script and its data make the same picture as the program does, and are always the same."""
    for figure in sweeps.FIGURES:
        kept = []
        for time in ("first", "second"):
            where = folder / time
            done = plans.run(dsm, "plot", database, "--figure", figure, *options_of(database.stem, figure),
                             "-o", folder / "same.svg", "--script", where, env=plans.environment())
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
    check_ties(folder)
    check_all_axes(dsm, folder, databases)
    check_script(dsm, folder, databases["some_infeasible"])


if __name__ == "__main__":
    sys.exit(plans.check_pictures(check_all))
