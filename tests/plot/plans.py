# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans to plot: of bundled networks, of one with many layers, and of one with odd names."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FIGURES = ("loss", "time", "splits", "roofline", "memory")

ODD_NAMES = [
    "a", "it's", 'say "hi"', "under_score_{x}^2", "back\\slash\\n", "$HOME `id`", "#no comment", "%d %s",
    "tab and space", "日本語の層の名前", "Größe é Ω", "a@{key}", "x" * 128, "W" * 60, "комбинация", "&amp; <b>",
    "EOD", "END_OF_DATA", "'; set output 'x", "…",
    "'''", "`touch trap`", "'`touch trap`'", "ends with \\",
]


failures = []


def expect(holds, where, message):
    if not holds:
        failures.append(where)
        print(f"{where}: {message}")


def outcome():
    """Says how many failures there are; the exit code."""
    print(f"{len(failures)} failures")
    return 1 if failures else 0


def conv(name, before, after, size):
    return {"name": name, "type": "conv", "in": before, "out": after, "feature": [size, size],
            "kernel": [3, 3], "aux": [{"op": "batch_norm"}, {"op": "relu"}]}


def many_layers(count):
    """A network of that many layers with names as real ones have."""
    layers = []
    features = 3
    for i in range(count - 1):
        wanted = 64 * 2 ** (4 * i // count)
        layers.append(conv(f"stage{4 * i // count}_block{i // 3}_conv{i % 3}", features, wanted, 14))
        features = wanted
    layers.append({"name": "classifier", "type": "fc", "in": features * 196, "out": 1000,
                   "aux": [{"op": "bias"}, {"op": "softmax"}]})
    return {"format": "dsm-workload/1", "name": f"net{count}", "minibatch": 256, "element_bytes": 2,
            "layers": layers}


def odd_names():
    layers = [conv(name, 16, 16, 14) for name in ODD_NAMES]
    return {"format": "dsm-workload/1", "name": "odd 'net' \"_{2}\" 日本", "minibatch": 64,
            "element_bytes": 2, "layers": layers}


def environment(**changes):
    kept = {name: value for name, value in os.environ.items()
            if name.startswith(("ASAN_", "UBSAN_", "TSAN_", "LSAN_", "LLVM_", "GCOV_")) or
            name == "PATH"}
    return {**kept, "LC_ALL": "C", **changes}


def marks_of(path, numbers):
    """The boxes (5 numbers) or points (3) of a figure's data: the numbers, the last of them a colour, and what each is."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    return [(*map(float, row[:numbers - 1]), row[-2], row[-1]) for row in rows if len(row) == numbers + 1]


def run(dsm, *words, **options):
    return subprocess.run([dsm, *map(str, words)], capture_output=True, text=True, timeout=200,
                          check=False, **options)


def explore(dsm, folder, name, workload, *options):
    """The path of a plan of a workload (a name, or a description)."""
    if not isinstance(workload, str):
        source = folder / f"{name}.workload.json"
        source.write_text(json.dumps(workload), encoding="utf-8")
        workload = source
    plan = folder / f"{name}.json"
    done = run(dsm, "explore", workload, "torus64", "-q", "-o", plan, *options, env=environment())
    if done.returncode != 0:
        raise SystemExit(f"cannot explore {name}: {done.stderr}")
    return plan


def all_plans(dsm, folder):
    """{name: path}"""
    inference = ("--mode", "inference", "--minibatch", "8")
    return {
        "vgg16": explore(dsm, folder, "vgg16", "vgg16"),
        "resnet50": explore(dsm, folder, "resnet50", "resnet50"),
        "googlenet": explore(dsm, folder, "googlenet", "googlenet"),
        "gnmt": explore(dsm, folder, "gnmt", "gnmt"),
        "vgg16_inference": explore(dsm, folder, "vgg16_inference", "vgg16", *inference),
        "gnmt_inference": explore(dsm, folder, "gnmt_inference", "gnmt", *inference),
        "one": explore(dsm, folder, "one", many_layers(1)),
        "net200": explore(dsm, folder, "net200", many_layers(200)),
        "odd": explore(dsm, folder, "odd", odd_names()),
    }


def check_pictures(check_all):
    """Runs a test's checks with the program and, if it is named, a folder that keeps the pictures;
    returns the exit code."""
    dsm = pathlib.Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        folder = pathlib.Path(sys.argv[2])
        folder.mkdir(exist_ok=True)
        check_all(dsm, folder)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            check_all(dsm, pathlib.Path(temporary))
    return outcome()
