#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of plans: every form is made, no text overlaps another or leaves the picture, names are
shown as they are, and a kept script makes the same picture.

Usage: test_pictures.py DSM_BINARY [FOLDER]

With FOLDER, the pictures are kept there, to be looked at.
"""
import pathlib
import re
import subprocess
import sys

import plans
import svg_texts
from plans import expect

# In units; on a page a unit is 2/3 of a point.
SMALLEST_TEXT = 8
# Heights of a page that the picture of any number of layers has at most.
MOST_PAGES = 4.0
SIGNATURES = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}

def plot(dsm, plan, *options, rows="--unfold"):
    done = plans.run(dsm, "plot", plan, *filter(None, (rows,)), *options, env=plans.environment())
    expect(done.returncode == 0, plan, f"exit {done.returncode}: {done.stderr}")
    expect(done.stdout == "" and done.stderr == "", plan, f"prints {done.stdout}{done.stderr}")


def check_texts(dsm, folder, name, plan):
    for figure in plans.FIGURES:
        picture = folder / f"{name}-{figure}.svg"
        plot(dsm, plan, "--figure", figure, "-o", picture)
        found, boxes = svg_texts.faults(picture, SMALLEST_TEXT)
        where = f"{name}, {figure}"
        expect(not found, where, f"{len(found)} faults, such as:\n  " + "\n  ".join(found[:5]))
        texts = [box.text for box in boxes]
        expect(len(texts) > 5, where, f"only the texts {texts}")
        width, height, _ = svg_texts.read(picture)
        expect(height < MOST_PAGES * 1.45 * width, where, f"{height:g} units high")


def check_names(folder, count):
    """Each layer has its name in the figures of bars and cells."""
    for figure in ("loss", "splits"):
        _, _, boxes = svg_texts.read(folder / f"net{count}-{figure}.svg")
        names = {box.text for box in boxes}
        for layer in plans.many_layers(count)["layers"]:
            expect(layer["name"] in names, figure, f"no name {layer['name']}")


def check_odd_names(folder):
    _, _, boxes = svg_texts.read(folder / "odd-loss.svg")
    texts = {box.text for box in boxes}
    for name in plans.ODD_NAMES:
        is_short = svg_texts.text_width(name, 10) < 60
        shown = name in texts if is_short else any(
            "…" in text and text.startswith(name[:3]) and text.endswith(name[-3:]) for text in texts)
        if len(name) <= 6 or not is_short:
            expect(shown or any(name in text for text in texts), "odd names",
                   f"{name!r} is not among {sorted(texts)}")


def numbers_of(label):
    """The layers that a label of numbers says: of "2, 5-7" 2, 5, 6 and 7; of another text none."""
    layers = []
    if re.fullmatch(r"\d+(-\d+)?(, \d+(-\d+)?)*", label):
        for part in label.split(", "):
            first, _, last = part.partition("-")
            layers.extend(range(int(first), int(last or first) + 1))
    return layers


def below_of(folder, name):
    """What stands below the title of a roofline."""
    _, _, boxes = svg_texts.read(folder / f"{name}-roofline.svg")
    return next(box.text for box in boxes if "utilization" in box.text)


def check_roofline_labels(dsm, folder, made):
    """Each point has its number, or is counted below the title; equal layers are one."""
    for name in ("vgg16", "resnet50", "googlenet", "net200"):
        _, _, boxes = svg_texts.read(folder / f"{name}-roofline.svg")
        axis = next(box for box in boxes if box.text.startswith("FLOP for each byte"))
        below = below_of(folder, name)
        said = sum(len(numbers_of(box.text)) for box in boxes
                   if not axis.top - 16 < (box.top + box.bottom) / 2 < axis.top)
        unsaid = sum(int(left_out or cut) for left_out, cut in re.findall(
            r"(\d+) points? ha(?:s|ve) no room for a label|labels of (\d+) points are cut", below))
        plot(dsm, made[name], "--figure", "roofline", "--script", folder / f"{name}-data")
        abouts = plans.marks_of(folder / f"{name}-data" / "roofline.marks.dat", 3)
        points = len(abouts)
        equal = {}
        for _, _, _, about in abouts:
            count = re.search(r" and (\d+) equal layers? ", about)
            equal[re.split(r" and \d+ equal| (?:forward|backward|update):", about)[0]] = 1 + int(count[1] if count else 0)
        expect(said - len(equal) + unsaid == points, f"{name}, roofline",
               f"{points} points, labels of {said - len(equal)}, {unsaid} without: {below}")
        folded = sorted(int(box.text.split(" × ")[1]) for box in boxes if " × " in box.text and
                        box.top > axis.top)
        expect(folded == sorted(count for count in equal.values() if count > 1),
               f"{name}, roofline", f"other numbers of equal layers: {folded}")
    expect("labels" not in below_of(folder, "resnet50"), "resnet50, roofline", "cuts labels")
    expect("no room" in below_of(folder, "googlenet"), "googlenet, roofline", "has all labels")


def check_folded(dsm, folder, made):
    """Equal layers have one name, with their count, and no two texts meet."""
    for name, plan in made.items():
        for figure in ("loss", "splits"):
            picture = folder / f"{name}-{figure}-folded.svg"
            plot(dsm, plan, "--figure", figure, "-o", picture, rows=None)
            found, boxes = svg_texts.faults(picture, SMALLEST_TEXT)
            expect(not found, f"{name}, {figure}", f"{len(found)} faults: {found[:5]}")
            if name in ("resnet50", "net200"):
                counts = [box.text for box in boxes if re.match(r"\d+ × ", box.text)]
                expect(len(counts) > 2, f"{name}, {figure}", f"folds only {counts}")


def check_forms(dsm, folder, plan):
    for form, signature in SIGNATURES.items():
        for figure in plans.FIGURES:
            picture = folder / f"form-{figure}.{form}"
            plot(dsm, plan, "--figure", figure, "-o", picture)
            data = picture.read_bytes()
            expect(data.startswith(signature) and len(data) > 2000, picture.name, "is no picture")


def check_script(dsm, folder, plan):
    """The script and its data make the same picture as the program does, and are always the same."""
    for figure in plans.FIGURES:
        kept = []
        for time in ("first", "second"):
            where = folder / f"{figure}-{time}"
            plot(dsm, plan, "--figure", figure, "-o", where.with_suffix(".svg"), "--script", where)
            kept.append({path.name: path.read_bytes() for path in where.iterdir()})
        first, second = ({name.split(".", 1)[1]: data.replace(b"-second", b"-first")
                          for name, data in files.items()} for files in kept)
        expect(first == second, figure, "differs from run to run")
        where = folder / f"{figure}-first"
        done = subprocess.run(["gnuplot", f"{where.name}.gp"], cwd=where, capture_output=True,
                              text=True, check=False, env=plans.environment())
        expect(done.returncode == 0, figure, f"gnuplot: {done.stderr}")
        expect((where / f"{where.name}.svg").read_bytes() ==
               where.with_suffix(".svg").read_bytes(), figure, "is not what its script makes")
        expect(not pathlib.Path(where, "trap").exists(), figure, "ran a command")
    expect(not pathlib.Path("trap").exists(), "odd names", "ran a command")


def check_cores_in_memory(dsm, folder):
    """No two texts of the figures of `dsm pim` meet, of many cores or few."""
    many = ",".join(str(count) for count in range(100, 2500, 30))
    for name, words in (("lake", ("frozen_lake",)), ("many", ("taxi", "--cores", many)),
                        ("one", ("taxi", "--cores", "2000", "--tasklets", "24"))):
        plan = folder / f"{name}.pim.json"
        done = plans.run(dsm, "pim", words[0], "upmem2524", *words[1:], "-q", "-o", plan)
        expect(done.returncode == 0, name, done.stderr)
        for figure in ("breakdown", "tasklets"):
            picture = folder / f"{name}-{figure}.svg"
            plot(dsm, plan, "--figure", figure, "-o", picture, rows=None)
            found, _ = svg_texts.faults(picture, SMALLEST_TEXT)
            expect(not found, f"{name}, {figure}", f"{len(found)} faults: {found[:5]}")


def check_fronts(dsm, folder):
    """No two texts of the figure of a front meet, of few points or many, and of one."""
    for name, words in (("few", ("throughput,latency", "--points", "5")), ("many", ("throughput,latency", "--points", "60")),
                        ("both", ("throughput,energy,latency",)), ("one", ("throughput,latency", "--copies", "1", "--pin", "*=gpu"))):
        front = folder / f"{name}.front.json"
        done = plans.run(dsm, "partition", "vgg16", "cpu_gpu_fpga", "--pareto", *words, "-q", "-o", front)
        expect(done.returncode == 0, name, done.stderr)
        picture = folder / f"{name}-front.svg"
        plot(dsm, front, "-o", picture, rows=None)
        found, _ = svg_texts.faults(picture, SMALLEST_TEXT)
        expect(not found, f"{name}, front", f"{len(found)} faults: {found[:5]}")


def check_all(dsm, folder):
    made = plans.all_plans(dsm, folder)
    for name, plan in made.items():
        check_texts(dsm, folder, name, plan)
    check_names(folder, 200)
    check_odd_names(folder)
    check_roofline_labels(dsm, folder, made)
    check_folded(dsm, folder, made)
    check_forms(dsm, folder, made["vgg16"])
    check_script(dsm, folder, made["odd"])
    check_cores_in_memory(dsm, folder)
    check_fronts(dsm, folder)


if __name__ == "__main__":
    sys.exit(plans.check_pictures(check_all))
